// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planted deadlocks of queues, fences, monitors and sync objects: gaudi-why names what
 * waits, and the root.
 */
#include "why.h"

#define RING(id)	(0x10000 + 0x10000 * (id))
#define CBUF(id)	(0x1000000 + 0x1000 * (id))
#define OTHER(id)	(CBUF(id) + 0x800)
#define LOW_CB		0x1200000
#define LONG_CB		0x1400000
#define FENCE_OF(id, f)	(CFG + DMA_QM((id) / 4) + 0x308 + 0x14 * (f) + \
			 4 * ((id) % 4))
#define EQUAL		(1u << 16)
#define STOP		0x0b000000u
#define SM_W_S		0x490000u

/* Streams by a number: four of each DMA core's queue. */
static struct queue stream(struct card *card, unsigned int id)
{
	return queue_external(card, id, RING(id));
}

static struct cb buffer(struct card *card, unsigned int id)
{
	return cb_host(card, CBUF(id));
}

static void run(struct card *card, unsigned int id, const struct cb *cb)
{
	struct queue q = stream(card, id);

	queue_run(card, &q, cb);
}

/* How monitors are armed: one object, at least, or with EQUAL exactly, value. */
static uint32_t arm_word(unsigned int object, uint32_t value, uint32_t equal)
{
	return object / 8 | (0xff & ~(1u << object % 8)) << 8 | equal |
	       value << 17;
}

static void put_arm(struct cb *cb, unsigned int monitor, unsigned int object,
		    uint32_t value, uint32_t equal)
{
	put_msg_long(cb, CFG + SM_E_N + MON_ARM(monitor),
		     arm_word(object, value, equal));
}

/* Waits at fence 0 until a monitor of the stream's number says so. */
static void put_wait(struct cb *cb, unsigned int id, unsigned int object,
		     uint32_t value, uint32_t equal)
{
	put_monitor(cb, SM_E_N, id, FENCE_OF(id, 0), 1);
	put_arm(cb, id, object, value, equal);
	put_fence(cb, 0, 1, 1);
}

static void run_wait(struct card *card, unsigned int id, unsigned int object,
		     uint32_t value, uint32_t equal)
{
	struct cb cb = buffer(card, id);

	put_wait(&cb, id, object, value, equal);
	run(card, id, &cb);
}

/* Adds 1 to an object. */
static void run_add(struct card *card, unsigned int id, unsigned int object)
{
	struct cb cb = buffer(card, id);

	put_add(&cb, object, 1);
	run(card, id, &cb);
}

/* Waits for one object, then adds to another. */
static void run_link(struct card *card, unsigned int id, unsigned int waits_for,
		     unsigned int adds_to)
{
	struct cb cb = buffer(card, id);

	put_wait(&cb, id, waits_for, 1, 0);
	put_add(&cb, adds_to, 1);
	run(card, id, &cb);
}

CARD_TEST(nothing_is_stuck)
{
	struct cb cb = buffer(card, 0);

	why_is_content(card);
	put_nop(&cb);
	put_add(&cb, 8, 1);
	run(card, 0, &cb);
	why_is_content(card);
}

CARD_TEST(signal_is_missing)
{
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "DMA0 stream 0 waits at 0x",
		 "for its fence 0, which is 0 and has to be 1",
		 "monitor 0 of sync manager E_N raises it",
		 "object 8 to be at least 1, and it is 0",
		 "ROOT: nobody is going to write object 8 of sync manager E_N; "
		 "it has not been written", NULL);
}

CARD_TEST(signal_came_once_of_three_times)
{
	run_add(card, 1, 8);
	run_wait(card, 0, 8, 3, 0);
	why_says(card, "object 8 to be at least 3, and it is 1",
		 "ROOT: nobody is going to write object 8",
		 "it was last written",
		 "it lacks 2: a signal is missing, or the value is wrong",
		 NULL);
}

/* No monitor: who was to raise it has done so, but not often enough. */
CARD_TEST(fence_was_raised_twice_of_three_times)
{
	struct cb cb = buffer(card, 0), raise = buffer(card, 1);

	put_fence(&cb, 1, 3, 1);
	run(card, 0, &cb);
	put_msg_long(&raise, FENCE_OF(0, 1), 1);
	put_msg_long(&raise, FENCE_OF(0, 1), 1);
	run(card, 1, &raise);
	why_says(card, "for its fence 1, which is 2 and has to be 3",
		 "ROOT: no monitor and no packet is going to raise this fence",
		 "it has been raised to 2, last ", " ms before the record ends, and lacks 1: "
		 "a signal is missing, or the value is wrong", NULL);
}

/* As the driver does with all objects before a program begins: nobody has signalled. */
CARD_TEST(object_was_only_cleared)
{
	struct cb cb = buffer(card, 1);

	put_msg_long(&cb, CFG + SM_E_N + SOB(8), 0);
	run(card, 1, &cb);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "ROOT: nobody is going to write object 8",
		 "it was set to 0 ", " ms before the record ends, and not "
		 "written since", NULL);
}

/* It clears the object for its next use, behind the wait: that is nobody to wait for. */
CARD_TEST(who_waits_clears_the_object)
{
	struct cb cb = buffer(card, 0);

	put_wait(&cb, 0, 8, 1, 0);
	put_msg_long(&cb, CFG + SM_E_N + SOB(8), 0);
	run(card, 0, &cb);
	why_says(card, "object 8 to be at least 1, and it is 0",
		 "ROOT: nobody is going to write object 8", NULL);
}

/* The monitor raises the fence of a stream that does not wait. */
CARD_TEST(fence_of_another_stream_was_raised)
{
	struct cb cb = buffer(card, 0);

	run_add(card, 2, 8);
	put_monitor(&cb, SM_E_N, 0, FENCE_OF(4, 2), 1);
	put_arm(&cb, 0, 8, 1, 0);
	put_fence(&cb, 2, 1, 1);
	run(card, 0, &cb);
	why_says(card, "DMA0 stream 0 waits at 0x", "for its fence 2",
		 "ROOT: no monitor and no packet is going to raise this fence",
		 "; fence 2 of DMA1 stream 0 is 1, and nothing waits for it",
		 NULL);
}

CARD_TEST(another_fence_is_going_to_be_raised)
{
	struct cb cb = buffer(card, 0);

	put_monitor(&cb, SM_E_N, 3, FENCE_OF(0, 1), 1);
	put_arm(&cb, 3, 8, 1, 0);
	put_fence(&cb, 2, 1, 1);
	run(card, 0, &cb);
	why_says(card, "ROOT: no monitor and no packet is going to raise this fence",
		 "; monitor 3 of sync manager E_N is armed to raise fence 1 of "
		 "DMA0 stream 0, and nothing waits for it", NULL);
}

/* Two more are to come, and three are missing. */
CARD_TEST(value_is_wrong)
{
	struct cb cb = buffer(card, 1);

	put_fence(&cb, 3, 1, 1);
	put_add(&cb, 8, 2);
	run(card, 1, &cb);
	run_wait(card, 0, 8, 5, 0);
	why_says(card, "DMA0 stream 1 adds 2 to it, by a packet at 0x",
		 "behind where it stands",
		 "ROOT: all that is still to come makes object 8 2, and 5 is "
		 "waited for: 3 signals are missing",
		 "nothing in the card knows of it", NULL);
}

/* A stream that signals often stands before all of that: it is told once. */
CARD_TEST(writer_is_told_once)
{
	struct cb cb = buffer(card, 1);

	put_fence(&cb, 3, 1, 1);
	put_add(&cb, 8, 1);
	put_add(&cb, 8, 1);
	put_add(&cb, 8, 1);
	run(card, 1, &cb);
	run_wait(card, 0, 8, 3, 0);
	why_says(card, "DMA0 stream 1 adds 1 to it 3 times, first by a packet at "
		 "0x", "behind where it stands",
		 "ROOT: no monitor and no packet is going to raise this fence",
		 NULL);
}

CARD_TEST(value_that_is_set_is_wrong)
{
	struct cb cb = buffer(card, 1);

	put_fence(&cb, 3, 1, 1);
	put_msg_long(&cb, CFG + SM_E_N + SOB(8), 2);
	run(card, 1, &cb);
	run_wait(card, 0, 8, 5, 0);
	why_says(card, "DMA0 stream 1 sets it to 2",
		 "ROOT: object 8 is going to be 2, and 5 is waited for", NULL);
}

CARD_TEST(value_is_past)
{
	wr_settle(card, SM_E_N + SOB(8), 4);
	run_wait(card, 0, 8, 3, EQUAL);
	why_says(card, "object 8 to be exactly 3, and it is 4",
		 "ROOT: object 8 is 4, past 3", NULL);
}

CARD_TEST(order_is_wrong)
{
	run_link(card, 0, 8, 8);
	why_says(card, "DMA0 stream 0 adds 1 to it",
		 "ROOT: a cycle: DMA0 stream 0 waits for DMA0 stream 0", NULL);
}

/* Who waits clears the object behind the wait, for the next use; another one sets it. */
CARD_TEST(object_is_cleared_behind_the_wait)
{
	struct cb a = buffer(card, 0), b = buffer(card, 1);
	char *text;

	put_wait(&a, 0, 8, 1, 0);
	put_msg_long(&a, CFG + SM_E_N + SOB(8), 0);
	put_fence(&b, 3, 1, 1);
	put_msg_long(&b, CFG + SM_E_N + SOB(8), 1);
	run(card, 0, &a);
	run(card, 1, &b);
	why_says(card, "DMA0 stream 1 sets it to 1",
		 "ROOT: no monitor and no packet is going to raise this fence",
		 NULL);
	text = why_of(&card, 1, 1);
	if (strstr(text, "a cycle"))
		fail_msg("%s", text);
	free(text);
}

CARD_TEST(two_in_a_cycle)
{
	run_link(card, 0, 8, 9);
	run_link(card, 4, 9, 8);
	why_says(card, "ROOT: a cycle: DMA0 stream 0 waits for DMA1 stream 0 "
		 "waits for DMA0 stream 0", NULL);
}

CARD_TEST(three_in_a_cycle)
{
	run_link(card, 0, 8, 9);
	run_link(card, 4, 16, 8);
	run_link(card, 9, 9, 16);
	why_says(card, "ROOT: a cycle: DMA0 stream 0 waits for DMA1 stream 0 "
		 "waits for DMA2 stream 1 waits for DMA0 stream 0", NULL);
}

/* A cycle by fences alone, without monitors. */
CARD_TEST(cycle_of_fences)
{
	struct cb a = buffer(card, 0), b = buffer(card, 1);

	put_fence(&a, 1, 1, 1);
	put_msg_long(&a, FENCE_OF(1, 2), 1);
	put_fence(&b, 2, 1, 1);
	put_msg_long(&b, FENCE_OF(0, 1), 1);
	run(card, 0, &a);
	run(card, 1, &b);
	why_says(card, "for its fence 1", "for its fence 2",
		 "DMA0 stream 1 raises it, by a packet at",
		 "ROOT: a cycle: DMA0 stream 0 waits for DMA0 stream 1 waits "
		 "for DMA0 stream 0", NULL);
}

/* A long way to the root. */
CARD_TEST(chain_has_a_root)
{
	unsigned int id;

	for (id = 0; id < 5; id++)
		run_link(card, 4 * id, 8 + 8 * id, 8 * id);
	why_says(card, "DMA0 stream 0 waits", "DMA1 stream 0 adds 1",
		 "DMA4 stream 0 adds 1",
		 "ROOT: nobody is going to write object 40", NULL);
}

/* The signal is in a buffer that is still in the ring. */
CARD_TEST(signal_is_in_the_ring)
{
	struct cb cb = cb_host(card, OTHER(1));
	struct queue q;

	run_wait(card, 0, 8, 1, 0);
	q = stream(card, 1);
	cb = buffer(card, 1);
	put_fence(&cb, 3, 1, 1);
	queue_run(card, &q, &cb);
	cb = cb_host(card, OTHER(1));
	put_add(&cb, 8, 1);
	queue_run(card, &q, &cb);
	why_says(card, "DMA0 stream 1 adds 1 to it",
		 "ROOT: no monitor and no packet is going to raise this fence",
		 NULL);
}

CARD_TEST(fence_has_no_monitor)
{
	struct cb cb = buffer(card, 0);

	put_fence(&cb, 2, 4, 1);
	run(card, 0, &cb);
	why_says(card, "its fence 2, which is 0 and has to be 4",
		 "ROOT: no monitor and no packet is going to raise this fence",
		 NULL);
}

CARD_TEST(monitor_is_not_armed)
{
	struct cb cb = buffer(card, 0);

	put_monitor(&cb, SM_E_N, 7, FENCE_OF(0, 0), 1);
	put_fence(&cb, 0, 1, 1);
	run(card, 0, &cb);
	why_says(card, "ROOT: monitor 7 of sync manager E_N would raise it but is "
		 "not armed (was never armed", NULL);
}

CARD_TEST(monitor_has_fired_before)
{
	struct cb cb = buffer(card, 0);

	put_wait(&cb, 0, 8, 1, 0);
	put_fence(&cb, 0, 1, 1);
	wr_settle(card, SM_E_N + SOB(8), 1);
	run(card, 0, &cb);
	why_says(card, "ROOT: monitor 0 of sync manager E_N would raise it but is "
		 "not armed (has fired before)", NULL);
}

/* Who arms it comes behind who waits. */
CARD_TEST(monitor_is_armed_too_late)
{
	struct cb cb = buffer(card, 0);

	put_monitor(&cb, SM_E_N, 7, FENCE_OF(0, 0), 1);
	put_fence(&cb, 0, 1, 1);
	put_arm(&cb, 7, 8, 0, 0);
	run(card, 0, &cb);
	why_says(card, "DMA0 stream 0 arms monitor 7 of sync manager E_N",
		 "ROOT: a cycle: DMA0 stream 0 waits for DMA0 stream 0", NULL);
}

CARD_TEST(monitor_is_set_up_too_late)
{
	struct cb cb = buffer(card, 0);

	put_fence(&cb, 0, 1, 1);
	put_monitor(&cb, SM_E_N, 7, FENCE_OF(0, 0), 1);
	run(card, 0, &cb);
	why_says(card, "DMA0 stream 0 sets up monitor 7 of sync manager E_N for it",
		 "ROOT: a cycle", NULL);
}

CARD_TEST(monitor_looks_at_another_object)
{
	run_add(card, 1, 9);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "ROOT: nobody is going to write object 8",
		 "object 9 is 1, and no monitor looks at it", NULL);
}

/* All of two objects; one of them is there. */
CARD_TEST(monitor_of_two_objects)
{
	struct cb cb = buffer(card, 0);

	put_monitor(&cb, SM_E_N, 0, FENCE_OF(0, 0), 1);
	put_msg_long(&cb, CFG + SM_E_N + MON_ARM(0), 1 | 0xfc << 8 | 1 << 17);
	put_fence(&cb, 0, 1, 1);
	wr_settle(card, SM_E_N + SOB(8), 1);
	run(card, 0, &cb);
	why_says(card, "object 8 to be at least 1, and it is 1; object 9 to be at "
		 "least 1, and it is 0",
		 "ROOT: nobody is going to write object 9", NULL);
}

/* Monitors' writes are followed: to an object that another one looks at ... */
CARD_TEST(monitor_adds_to_an_object)
{
	struct cb cb = buffer(card, 1);

	put_monitor(&cb, SM_E_N, 7, CFG + SM_E_N + SOB(8), 0x80000001);
	put_arm(&cb, 7, 16, 1, 0);
	run(card, 1, &cb);
	run_link(card, 0, 8, 24);
	why_says(card, "object 8 to be at least 1, and it is 0",
		 "monitor 7 of sync manager E_N adds 1 to it; it waits for "
		 "object 16 to be at least 1",
		 "ROOT: nobody is going to write object 16", NULL);
	run_link(card, 4, 24, 16);
	why_says(card, "ROOT: a cycle: DMA0 stream 0 waits for DMA1 stream 0 "
		 "waits for DMA0 stream 0", NULL);
}

/* ... and to one's word by which it is armed. */
CARD_TEST(monitor_is_armed_by_another_one)
{
	struct cb cb = buffer(card, 0);

	put_monitor(&cb, SM_E_N, 7, FENCE_OF(0, 0), 1);
	put_monitor(&cb, SM_E_N, 6, CFG + SM_E_N + MON_ARM(7),
		    arm_word(8, 1, 0));
	put_arm(&cb, 6, 16, 1, 0);
	put_fence(&cb, 0, 1, 1);
	run(card, 0, &cb);
	why_says(card, "monitor 6 of sync manager E_N arms monitor 7 of sync "
		 "manager E_N, which raises it; it waits for object 16",
		 "ROOT: nobody is going to write object 16", NULL);
}

CARD_TEST(monitors_in_a_cycle)
{
	struct cb cb = buffer(card, 1);

	put_monitor(&cb, SM_E_N, 6, CFG + SM_E_N + SOB(16), 0x80000001);
	put_arm(&cb, 6, 8, 1, 0);
	put_monitor(&cb, SM_E_N, 7, CFG + SM_E_N + SOB(8), 0x80000001);
	put_arm(&cb, 7, 16, 1, 0);
	run(card, 1, &cb);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "ROOT: a cycle: monitor 7 of sync manager E_N waits for "
		 "monitor 6 of sync manager E_N waits for monitor 7", NULL);
}

CARD_TEST(monitor_raises_by_nothing)
{
	struct cb cb = buffer(card, 0);

	put_monitor(&cb, SM_E_N, 7, FENCE_OF(0, 0), 0);
	put_arm(&cb, 7, 8, 1, 0);
	put_fence(&cb, 0, 1, 1);
	run(card, 0, &cb);
	why_says(card, "ROOT: monitor 7 of sync manager E_N is to write 0x0 to it, "
		 "which raises it by 0", NULL);
	wr_settle(card, SM_E_N + SOB(8), 1);
	why_says(card, "ROOT: monitor 7 of sync manager E_N writes 0x0 to it",
		 NULL);
}

/* Two streams have taken the same one. */
CARD_TEST(monitor_is_set_up_by_two)
{
	struct cb cb = buffer(card, 4);

	run_wait(card, 0, 8, 1, 0);
	put_monitor(&cb, SM_E_N, 0, FENCE_OF(4, 0), 1);
	put_arm(&cb, 0, 16, 1, 0);
	put_fence(&cb, 0, 1, 1);
	run(card, 4, &cb);
	why_says(card, "ROOT: no monitor and no packet is going to raise this fence",
		 "; monitor 0 of sync manager E_N was to write it, and has been "
		 "set up since to write fence 0 of DMA1 stream 0", NULL);
}

CARD_TEST(object_of_another_manager)
{
	wr_settle(card, SM_E_N + SOB(700), 1);
	run_wait(card, 0, 8, 1, 0);
	wr_settle(card, SM_W_S + SOB(8), 1);
	why_says(card, "ROOT: nobody is going to write object 8 of sync manager E_N",
		 "object 8 of sync manager W_S is 1, and no monitor looks at it",
		 NULL);
}

CARD_TEST(increment_of_fence_is_lost)
{
	char why[128];

	WORKS(gaudi_chip_inject(card->chip, "stuck-fence", why, sizeof(why)));
	wr_settle(card, SM_E_N + SOB(8), 1);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "ROOT: monitor 0 of sync manager E_N has fired, but its "
		 "write to the fence has not arrived: the fault on demand "
		 "stuck-fence took it, ", NULL);
}

CARD_TEST(completion_is_lost)
{
	struct cb cb = buffer(card, 4);
	char why[128];

	put_wreg(&cb, 0x80, (uint32_t)(CFG + SM_E_N + SOB(8)));
	put_wreg(&cb, 0x84, (CFG + SM_E_N) >> 32);
	put_wreg(&cb, 0x7c, 0x80000001);
	put_lin_dma(&cb, USER_HBM, USER_HBM + 0x1000, 64, 9);
	run_wait(card, 0, 8, 1, 0);
	WORKS(gaudi_chip_inject(card->chip, "message-lost", why, sizeof(why)));
	run(card, 4, &cb);
	why_says(card, "ROOT: DMA1 has completed a copy whose completion was to "
		 "write object 8 of sync manager E_N, and that write has not "
		 "arrived: the fault on demand message-lost took what DMA1 has "
		 "written to object 8 of sync manager E_N, ", NULL);
}

/* The rest of a buffer, with the signal in it, is dropped at an error. */
CARD_TEST(signal_is_dropped)
{
	struct cb cb = buffer(card, 4);

	put_packet(&cb, 0, 0);
	put_add(&cb, 8, 1);
	run(card, 4, &cb);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "CP_UNDEF_CMD_ERR", NULL);
}

/* --- queues that are stopped ------------------------------------------------ */

CARD_TEST(queue_stops_at_an_error)
{
	struct cb cb = buffer(card, 4);
	struct queue q = stream(card, 4);

	wr(card, DMA_QM(1) + 0xc, 0x3fff3fff);
	put_packet(&cb, 0, 0);
	put_add(&cb, 8, 1);
	queue_run(card, &q, &cb);
	cb = cb_host(card, OTHER(4));
	put_add(&cb, 8, 1);
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: DMA1 stream 0 is stopped by an error, "
		 "CP_UNDEF_CMD_ERR, packet 0x0", NULL);
}

CARD_TEST(queue_stops_at_a_packet)
{
	struct cb cb = buffer(card, 4);

	put_packet(&cb, 0, STOP);
	put_add(&cb, 8, 1);
	run(card, 4, &cb);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "DMA1 stream 0 adds 1 to it",
		 "ROOT: DMA1 stream 0 has stopped at a STOP packet", NULL);
}

CARD_TEST(queue_is_stopped_by_software)
{
	struct cb cb = buffer(card, 4);
	struct queue q = stream(card, 4);

	wr(card, DMA_QM(1) + 0x4, 0x3fff);
	put_add(&cb, 8, 1);
	queue_run(card, &q, &cb);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "DMA1 stream 0 adds 1 to it",
		 "ROOT: DMA1 stream 0 is stopped by software: GLBL_CFG1", NULL);
}

CARD_TEST(queue_is_not_enabled)
{
	struct cb cb = buffer(card, 4);
	struct queue q = stream(card, 4);

	wr(card, DMA_QM(1), 0);
	put_add(&cb, 8, 1);
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: DMA1 stream 0 is not enabled: GLBL_CFG0 leaves its "
		 "fetcher of its ring out", NULL);
}

CARD_TEST(lower_processor_waits)
{
	struct queue q = queue_internal(card, TPC_QM(2), 1, RING(0), 4);
	struct cb cb = buffer(card, 0), low = cb_host(card, LOW_CB);
	unsigned int i;

	put_fence(&low, 1, 1, 1);
	for (i = 0; i < 6; i++)
		put_cp_dma(&cb, low.addr, low.len);
	queue_run(card, &q, &cb);
	why_says(card, "TPC2 stream 1 waits for the lower CP",
		 "TPC2 lower waits at 0x", "ROOT: no monitor and no packet", NULL);
}

/* A signal that is in a buffer for the lower CP. */
CARD_TEST(signal_is_in_a_lower_buffer)
{
	struct queue q = queue_internal(card, TPC_QM(2), 1, RING(0), 4);
	struct cb cb = buffer(card, 0), low = cb_host(card, LOW_CB);

	put_add(&low, 8, 1);
	put_fence(&cb, 2, 1, 1);
	put_cp_dma(&cb, low.addr, low.len);
	queue_run(card, &q, &cb);
	run_wait(card, 4, 8, 1, 0);
	why_says(card, "TPC2 stream 1 adds 1 to it", "ROOT: no monitor", NULL);
}

/* A queue's own registers are within reach of its packets: a fence of its other stream. */
CARD_TEST(fence_is_raised_by_a_register)
{
	struct cb cb = buffer(card, 0), other = buffer(card, 1);

	put_fence(&cb, 2, 1, 1);
	run(card, 0, &cb);
	put_fence(&other, 1, 1, 1);
	put_wreg(&other, 0x8000 + 0x308 + 0x14 * 2, 1);
	run(card, 1, &other);
	why_says(card, "DMA0 stream 0 waits at 0x", "for its fence 2",
		 "DMA0 stream 1 raises it, by a packet at 0x",
		 "DMA0 stream 1 waits at 0x",
		 "ROOT: no monitor and no packet is going to raise this fence",
		 NULL);
	/* It does, where it is let go on. */
	wr_settle(card, DMA_QM(0) + 0x308 + 0x14 + 4, 1);
	why_is_content(card);
}

/* What a LOAD_AND_EXE is going to load, and to execute. */
CARD_TEST(signal_is_loaded)
{
	struct cb cb = buffer(card, 1), rf = cb_host(card, OTHER(1));

	put_add(&rf, 8, 1);
	put_fence(&cb, 3, 1, 1);
	put_load_and_exe(&cb, rf.addr, true, true, true, false);
	run(card, 1, &cb);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "DMA0 stream 1 adds 1 to it, by a packet at 0x",
		 "behind where it stands", NULL);
	wr_settle(card, FENCE_OF(1, 3) - CFG, 1);
	why_is_content(card);
}

/* The upper half of what has been loaded before. */
CARD_TEST(signal_is_in_the_scalars)
{
	struct cb cb = buffer(card, 1), rf = cb_host(card, OTHER(1));

	put_nop(&rf);
	put_packet(&rf, 1, 0x01000000 | (0x8000 + 0x308) << 8);
	put_load_and_exe(&cb, rf.addr, true, true, false, false);
	put_fence(&cb, 3, 1, 1);
	put_load_and_exe(&cb, 0, true, false, true, true);
	run(card, 1, &cb);
	cb = buffer(card, 0);
	put_fence(&cb, 0, 1, 1);
	run(card, 0, &cb);
	why_says(card, "DMA0 stream 0 waits at 0x",
		 "DMA0 stream 1 raises it, by a packet at 0x", NULL);
	wr_settle(card, FENCE_OF(1, 3) - CFG, 1);
	why_is_content(card);
}

/* It stands at a packet that is in the scalars: what is behind is in the buffer. */
CARD_TEST(fence_is_in_the_scalars)
{
	struct cb cb = buffer(card, 1), rf = cb_host(card, OTHER(1));

	put_fence(&rf, 3, 1, 1);
	put_nop(&rf);
	put_load_and_exe(&cb, rf.addr, true, true, true, false);
	put_add(&cb, 8, 1);
	run(card, 1, &cb);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "DMA0 stream 1 adds 1 to it, by a packet at 0x",
		 "behind where it stands", "for its fence 3", NULL);
}

/* How long a stream's work is: a signal behind 40 KiB is found, one behind 240 is not. */
static void run_far(struct card *card, unsigned int id, uint32_t nops)
{
	struct cb cb = cb_host(card, LONG_CB);
	uint32_t i;

	put_fence(&cb, 3, 1, 1);
	for (i = 0; i < nops; i++)
		put_nop(&cb);
	put_add(&cb, 8, 1);
	run(card, id, &cb);
}

CARD_TEST(signal_is_far_behind)
{
	run_far(card, 1, 5000);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "DMA0 stream 1 adds 1 to it, by a packet at 0x", NULL);
}

CARD_TEST(signal_is_in_the_ring_behind_many)
{
	struct cb cb = buffer(card, 1), nop = cb_host(card, OTHER(1));
	struct queue q = stream(card, 1);
	unsigned int i;

	put_fence(&cb, 3, 1, 1);
	queue_run(card, &q, &cb);
	put_nop(&nop);
	for (i = 0; i < 100; i++)
		queue_run(card, &q, &nop);
	put_add(&nop, 8, 1);
	queue_run(card, &q, &nop);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "DMA0 stream 1 adds 1 to it, by a packet at 0x", NULL);
}

CARD_TEST(signal_is_not_in_the_record)
{
	run_far(card, 1, 30000);
	run_wait(card, 0, 8, 1, 0);
	why_says(card, "ROOT: nobody is going to write object 8",
		 "; but the record lacks 43", " bytes of the command buffers of "
		 "DMA0 stream 1", NULL);
}

CARD_TEST(command_queue_is_full)
{
	struct cb cb = buffer(card, 4), low = cb_host(card, LOW_CB);
	struct queue q;
	unsigned int i;

	q = queue_internal(card, TPC_QM(2), 0, RING(0), 4);
	put_fence(&low, 1, 1, 1);
	wr64(card, TPC_QM(2) + 0x174, low.addr);
	wr(card, TPC_QM(2) + 0x17c, low.len);
	for (i = 0; i < 6; i++)
		put_msg_long(&cb, CFG + q.qm + 0x180, 0);
	run(card, 4, &cb);
	why_says(card, "DMA1 stream 0 waits for room in a CQ",
		 "TPC2 stream 0 waits at", "ROOT: no monitor and no packet", NULL);
}
