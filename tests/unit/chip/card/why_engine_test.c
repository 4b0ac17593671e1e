// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planted stalls of engines, arbiters, links and of the card as a whole: gaudi-why names
 * what waits, and the root.
 */
#include "../fw.h"
#include "../nic/ports.h"
#include "../tpc/tpc_card.h"
#include "snapshot.h"
#include "why.h"

#define RING(n)		(0x10000 + 0x10000 * (n))
#define CBUF(n)		(0x1000000 + 0x1000 * (n))
#define FENCE0(qm, n)	(CFG + (qm) + 0x308 + 4 * (n))
#define LIN_WITH_END	9u

/* Stream 0 of q, which is qm's, waits by monitor n until object 8 of E_N is at least 1. */
static void wait_in(struct card *card, struct queue q, uint32_t qm, unsigned int n,
		    uint64_t at)
{
	struct cb cb = cb_host(card, at);

	put_monitor(&cb, SM_E_N, n, FENCE0(qm, 0), 1);
	put_msg_long(&cb, CFG + SM_E_N + MON_ARM(n), 1 | 0xfe << 8 | 1 << 17);
	put_fence(&cb, 0, 1, 1);
	queue_run(card, &q, &cb);
}

static void run_waiter(struct card *card)
{
	wait_in(card, queue_external(card, 0, RING(0)), DMA_QM(0), 0, CBUF(0));
}

/* DMA1 copies, its end adds 1 to object 8, and a packet waits for that. */
static void run_copy(struct card *card)
{
	struct queue q = queue_external(card, 4, RING(1));
	struct cb cb = cb_host(card, CBUF(1));

	put_wreg(&cb, 0x80, (uint32_t)(CFG + SM_E_N + SOB(8)));
	put_wreg(&cb, 0x84, (CFG + SM_E_N) >> 32);
	put_wreg(&cb, 0x7c, 0x80000001);
	put_lin_dma(&cb, USER_HBM, USER_HBM + 0x100000, 0x8000, LIN_WITH_END);
	put_packet(&cb, 0, 0x0a000000 | EB);
	queue_run(card, &q, &cb);
}

static void inject(struct card *card, const char *fault)
{
	char why[128];

	if (gaudi_chip_inject(card->chip, fault, why, sizeof(why)))
		fail_msg("%s: %s", fault, why);
}

/* --- engines ---------------------------------------------------------------- */

CARD_TEST(copy_does_not_end)
{
	inject(card, "dma-slow,ns-per-kib=1000000000");
	run_copy(card);
	run_waiter(card);
	why_says(card, "DMA1 stream 0 waits for the engine",
		 "DMA1 adds 1 to it when it has finished",
		 "ROOT: DMA1 does not end its copy: a fault on demand", NULL);
}

CARD_TEST(copy_fails)
{
	struct queue q = queue_external(card, 4, RING(1));
	struct cb cb = cb_host(card, CBUF(1));

	wr(card, DMA_CORE(1) + 0x160, 0xffffffff);
	put_lin_dma(&cb, 0x700000000000ull, USER_HBM, 0x8000, LIN_WITH_END);
	put_packet(&cb, 0, 0x0a000000 | EB);
	queue_run(card, &q, &cb);
	why_says(card, "DMA1 stream 0 waits for the engine",
		 "ROOT: DMA1 has stopped at an error, ERR_CAUSE 0x1 (HBW_RD, a read "
		 "has failed), copying from 0x700000000000 to 0x", NULL);
}

CARD_TEST(core_is_halted)
{
	struct queue q = queue_external(card, 4, RING(1));
	struct cb cb = cb_host(card, CBUF(1));

	wr(card, DMA_CORE(1) + 0x4, 1);
	put_lin_dma(&cb, USER_HBM, USER_HBM + 0x100000, 0x8000, LIN_WITH_END);
	put_packet(&cb, 0, 0x0a000000 | EB);
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: DMA1 is halted: CFG_1", NULL);
}

/* A queue that launches a kernel, and waits for its end. */
static void run_kernel(struct card *card)
{
	struct queue q = queue_internal(card, TPC_QM(3), 0, RING(2), 4);
	struct cb cb = cb_host(card, CBUF(2));

	prepare(card, TPC(3), KERNEL, 8);
	put_wreg(&cb, EXECUTE, 1);
	put_packet(&cb, 0, 0x0a000000 | EB);
	queue_put(card, &q, cb.addr, cb.len);
	queue_ring(card, &q);
}

CARD_TEST(kernel_does_not_end)
{
	put_kernel(card, 3 << 19);	/* nearly */
	run_waiter(card);
	run_kernel(card);
	gaudi_chip_run_some(card->chip, 5000);
	why_says(card, "TPC3 stream 0 waits for the engine",
		 "TPC3 adds 1 to it when it has finished",
		 "ROOT: TPC3 runs the kernel at 0x20000000", "instruction words",
		 "which may be a loop without an end", NULL);
	card_settle(card);
	why_is_content(card);
}

CARD_TEST(kernel_is_stalled)
{
	put_kernel(card, 1);
	wr(card, TPC(3) + STALL, 1);
	run_waiter(card);
	run_kernel(card);
	card_settle(card);
	why_says(card, "TPC3 adds 1 to it when it has finished",
		 "ROOT: TPC3 is stalled by its register", NULL);
}

/* The kernel is still to be launched, behind a fence. */
CARD_TEST(launch_waits)
{
	struct queue q = queue_internal(card, TPC_QM(3), 0, RING(2), 4);
	struct cb cb = cb_host(card, CBUF(2));

	put_fence(&cb, 1, 1, 1);
	put_wreg(&cb, SM_HIGH, (CFG + SM_E_N) >> 32);
	put_wreg(&cb, SO_ADDR, (uint32_t)(CFG + SM_E_N + SOB(8)));
	put_wreg(&cb, MESSAGE, 0x80000001);
	put_wreg(&cb, EXECUTE, 1);
	queue_run(card, &q, &cb);
	run_waiter(card);
	why_says(card, "TPC3 stream 0 adds 1 to it, by a packet at",
		 "ROOT: no monitor and no packet is going to raise", NULL);
}

/* --- arbiters --------------------------------------------------------------- */

#define ARB_CFG_0	0xa00
#define MASTER		0x110u
#define SLAVE		0x100u

static void run_asker(struct card *card, unsigned int n)
{
	struct queue q = queue_external(card, n, RING(n));
	struct cb cb = cb_host(card, CBUF(n));

	put_arb(&cb, 1, false);
	put_nop(&cb);
	put_arb(&cb, 0, true);
	queue_run(card, &q, &cb);
}

CARD_TEST(grant_is_not_given_back)
{
	struct queue q = queue_external(card, 2, RING(2));
	struct cb cb = cb_host(card, CBUF(2));

	wr(card, DMA_QM(0) + ARB_CFG_0, MASTER);
	put_arb(&cb, 1, false);
	put_fence(&cb, 0, 1, 1);
	queue_run(card, &q, &cb);
	run_asker(card, 1);
	why_says(card, "DMA0 stream 1 waits for the arbiter",
		 "the arbiter of DMA0 has granted DMA0 stream 2, which has not "
		 "given it back", "ROOT: no monitor and no packet", NULL);
}

CARD_TEST(grant_is_forgotten)
{
	struct queue q = queue_external(card, 2, RING(2));
	struct cb cb = cb_host(card, CBUF(2));

	wr(card, DMA_QM(0) + ARB_CFG_0, MASTER);
	put_arb(&cb, 1, false);
	queue_run(card, &q, &cb);
	run_asker(card, 1);
	why_says(card, "ROOT: the arbiter of DMA0 has granted stream 2, which has "
		 "nothing to do and has not given the grant back", NULL);
}

CARD_TEST(arbiter_has_no_credits)
{
	wr(card, DMA_QM(0) + 0xa24, 0);		/* of slave 1, ... */
	wr(card, DMA_QM(0) + 0xb2c, 2);		/* ... which there is */
	wr(card, DMA_QM(0) + ARB_CFG_0, MASTER);
	run_asker(card, 1);
	why_says(card, "ROOT: the arbiter of DMA0 has no credit left for slave 1",
		 NULL);
}

CARD_TEST(slave_is_told_nothing)
{
	wr(card, DMA_QM(0) + ARB_CFG_0, SLAVE);
	run_asker(card, 1);
	why_says(card, "ROOT: the arbiter of DMA0 is a slave, and its master has "
		 "chosen no stream", NULL);
}

CARD_TEST(slave_is_told_another_stream)
{
	wr(card, DMA_QM(0) + ARB_CFG_0, SLAVE);
	wr(card, DMA_QM(0) + 0xa04, 3);
	run_asker(card, 1);
	why_says(card, "whose master has chosen stream 3, which has not asked", NULL);
}

CARD_TEST(stream_is_left_out)
{
	wr(card, DMA_QM(0) + ARB_CFG_0, MASTER | 2 << 12);
	run_asker(card, 1);
	why_says(card, "ROOT: the arbiter of DMA0 leaves DMA0 stream 1 out", NULL);
}

/* --- the card as a whole ---------------------------------------------------- */

CARD_TEST(firmware_has_stopped)
{
	boot(card);
	cpu_queues_init(card);
	why_is_content(card);
	inject(card, "fw-silent");
	cpu_send(card, 0x12, 0, 0);
	why_says(card, "ROOT: the embedded CPU of the card has stopped",
		 "1 commands of the driver are not answered", NULL);
}

/* The card has done its work, and the host is not told. */
CARD_TEST(interrupt_is_lost)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));

	put_msg_prot(&cb, CFG + 0xc04100, 1);
	inject(card, "msi-lost");
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: DMA0 stream 0 has asked for interrupt 1, ",
		 " and none has been raised", NULL);
	queue_run(card, &q, &cb);
	why_is_content(card);
}

/* Who waits for what a fault on demand took is told of that. */
CARD_TEST(completion_for_the_host_is_lost)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));

	put_msg_prot(&cb, ram_dev(CBUF(1)), 0x80000001);
	put_msg_prot(&cb, CFG + 0xc04100, 1);
	inject(card, "message-lost");
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: the fault on demand message-lost took what DMA0 has "
		 "written to the host at 0x", " ms before the record ends: who "
		 "waits for that completion", NULL);
	/* After a reset nobody waits for it. */
	wr(card, 0xc4b498, 1);
	card_settle(card);
	why_is_content(card);
}

CARD_TEST(request_for_an_interrupt_is_lost)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));

	put_msg_prot(&cb, CFG + 0xc04100, 1);
	inject(card, "message-lost");
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: the fault on demand message-lost took what DMA0 has "
		 "asked for an interrupt with", NULL);
}

CARD_TEST(signal_of_a_packet_is_lost)
{
	struct queue q = queue_external(card, 4, RING(1));
	struct cb cb = cb_host(card, CBUF(1));

	run_waiter(card);
	put_add(&cb, 8, 1);
	inject(card, "message-lost");
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: object 8 of sync manager E_N would have been written, "
		 "but the fault on demand message-lost took what DMA1 has written "
		 "to object 8 of sync manager E_N, ", NULL);
	queue_run(card, &q, &cb);
	why_is_content(card);
}

/* The third one of a monitor's set-up: what it fires with, where to, or its arming. */
CARD_TEST(arming_is_lost)
{
	inject(card, "message-lost,after=3");
	run_waiter(card);
	why_says(card, "ROOT: monitor 0 of sync manager E_N would raise it but is "
		 "not armed: the fault on demand message-lost took what DMA0 has "
		 "written to monitor 0 of sync manager E_N, ", NULL);
}

CARD_TEST(place_of_a_monitor_is_lost)
{
	inject(card, "message-lost");
	run_waiter(card);
	why_says(card, "nothing in the card knows of it",
		 "; the fault on demand message-lost took what DMA0 has written to "
		 "monitor 0 of sync manager E_N, ", NULL);
}

CARD_TEST(direct_raise_is_lost)
{
	struct queue q = queue_external(card, 4, RING(1));
	struct cb cb = cb_host(card, CBUF(1)), other = cb_host(card, CBUF(0));
	struct queue waiter = queue_external(card, 0, RING(0));

	put_fence(&other, 0, 1, 1);
	queue_run(card, &waiter, &other);
	put_msg_long(&cb, FENCE0(DMA_QM(0), 0), 1);
	inject(card, "stuck-fence");
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: it would have been raised, but the fault on demand "
		 "stuck-fence took it, ", NULL);
	inject(card, "message-lost");
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: it would have been raised, but the fault on demand ",
		 NULL);
}

CARD_TEST(answer_of_firmware_is_lost)
{
	boot(card);
	cpu_queues_init(card);
	inject(card, "fw-never");
	cpu_send(card, 0x12, 0, 0);
	why_says(card, "ROOT: the fault on demand fw-never took the answer of the "
		 "embedded CPU of the card to command 0x12, ", NULL);
}

CARD_TEST(event_of_firmware_is_lost)
{
	boot(card);
	cpu_queues_init(card);
	cpu_enable_events(card);
	inject(card, "event-lost");
	WORKS(gaudi_chip_post_event(card->chip, 421, NULL, 0));
	card_settle(card);
	why_says(card, "ROOT: the fault on demand event-lost took an event of the "
		 "embedded CPU of the card, ", NULL);
}

/* Nor is one missing that has been told by the entry of its queue, and has seen that. */
CARD_TEST(interrupt_is_got_over)
{
	struct queue q = queue_external(card, 0, RING(0));
	struct cb cb = cb_host(card, CBUF(0));
	const uint32_t none = 0;

	put_msg_prot(&cb, ram_dev(CBUF(1)), 0x80000001);
	put_msg_prot(&cb, CFG + 0xc04100, 1);
	inject(card, "msi-lost");
	queue_run(card, &q, &cb);
	why_says(card, "ROOT: DMA0 stream 0 has asked for interrupt 1, ", NULL);
	memcpy(card->ram + CBUF(1), &none, sizeof(none));
	why_is_content(card);
}

CARD_TEST(host_is_paused)
{
	gaudi_chip_pause(card->chip);
	why_says(card, "ROOT: the card stands still: its host is paused", NULL);
	gaudi_chip_resume(card->chip);
}

CARD_TEST(reset_is_pending)
{
	wr(card, 0xc4b498, 1);		/* SW_ALL_RST; nothing has run yet */
	why_says(card, "ROOT: the card is about to be reset", NULL);
	card_settle(card);
	why_is_content(card);
}

/* --- ports ------------------------------------------------------------------ */

/* As a driver does, which sets contexts by the gateway: the VALID bit, here. */
static void say_valid(struct card *card, unsigned int port)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		wr(card, QPC(port) + 0x8c + 4 * i, i == 7 ? 1u << 31 : 0);
		wr(card, QPC(port) + 0x124 + 4 * i, i == 7 ? 1u << 31 : 0);
	}
	wr(card, QPC(port) + 0x84, PAIR_QP);
	wr(card, QPC(port) + 0x80, 1);
}

/* B waits for what A is to write there. */
static void wait_at_b(struct pair *pair)
{
	pair_open(pair);
	say_valid(A(pair), PORT_A);
	say_valid(B(pair), PORT_B);
	run_waiter(B(pair));
	pair_settle(pair);
}

static const struct wqe sends = {
	.opcode = 2, .local = PAIR_SRC, .remote = PAIR_DST, .size = 64,
	.sob = SM_E_N + SOB(8), .sob_data = 0x80000001, .ack = true,
};

PAIR_TEST(peer_never_sends)
{
	wait_at_b(pair);
	why_says_of(pair->card, 2, "card 1 DMA0 stream 0 waits at",
		    "by ports a peer may", "ROOT: card 0 port 0, the peer at card 1 "
		    "port 3, has nothing to send", NULL);
}

/* A port that is on, but has no queue pair, is nobody's to wait for. */
PAIR_TEST(no_queue_pair)
{
	run_waiter(B(pair));
	pair_settle(pair);
	why_says_of(pair->card, 2, "ROOT: nobody is going to write object 8 of "
		    "sync manager E_N", NULL);
}

/* Nor is one of a card that has gone back to a snapshot. */
PAIR_TEST(no_queue_pair_was_saved)
{
	struct snapshot snap[2] = { 0 };
	unsigned int i;

	run_waiter(B(pair));
	pair_settle(pair);
	for (i = 0; i < 2; i++)
		WORKS(snapshot_save(&snap[i], pair->card[i]));
	for (i = 0; i < 2; i++)
		WORKS(snapshot_load(&snap[i], pair->card[i]));
	why_says_of(pair->card, 2, "ROOT: nobody is going to write object 8 of "
		    "sync manager E_N", NULL);
	for (i = 0; i < 2; i++)
		snapshot_free(&snap[i]);
}

PAIR_TEST(peer_is_not_in_the_record)
{
	struct card *b = B(pair);

	wait_at_b(pair);
	why_says_of(&b, 1, "ROOT: the peer at port 3 has not sent; it is not in "
		    "this record", NULL);
}

/* One rank of a collective: its queue waits for something itself. */
PAIR_TEST(rank_is_missing)
{
	struct queue q = queue_internal(A(pair), NIC_QM(PORT_A), 0, RING(4), 4);
	struct cb cb = cb_host(A(pair), CBUF(4));

	wait_at_b(pair);
	put_fence(&cb, 1, 1, 1);
	queue_run(A(pair), &q, &cb);
	why_says_of(pair->card, 2, "card 0 port 0 has not sent; card 0 NIC0 stream 0 "
		    "feeds it", "card 0 NIC0 stream 0 waits at",
		    "ROOT: no monitor and no packet", NULL);
}

/* What feeds a port of each waits for what a port of the other one is to write. */
static void wait_in_port(struct card *card, unsigned int port)
{
	wait_in(card, queue_internal(card, NIC_QM(port), 0, RING(4), 4), NIC_QM(port), 1,
		CBUF(4));
}

PAIR_TEST(ranks_wait_for_each_other)
{
	wait_at_b(pair);
	wait_in_port(A(pair), PORT_A);
	wait_in_port(B(pair), PORT_B);
	pair_settle(pair);
	why_says_of(pair->card, 2, "card 1 port 3 has not sent; card 1 NIC3 stream 0 "
		    "feeds it", "ROOT: a cycle: card 0 NIC0 stream 0 waits for card 1 "
		    "NIC3 stream 0 waits for card 0 NIC0 stream 0", NULL);
}

PAIR_TEST(wire_is_pulled)
{
	wait_at_b(pair);
	WORKS(gaudi_chip_plug(A(pair)->chip, PORT_A, false));
	pair_run(pair, &sends, 1);
	why_says_of(pair->card, 2, "card 0 port 0 has entries that are not "
		    "acknowledged", "ROOT: the link of card 0 port 0 is down: its "
		    "wire is pulled", "card 0 port 0 adds 1 to it when its entry is "
		    "sent", NULL);
}

PAIR_TEST(peer_is_off)
{
	wait_at_b(pair);
	gaudi_chip_hard_reset(A(pair)->chip);
	pair_settle(pair);
	why_says_of(pair->card, 2, "ROOT: the link of card 1 port 3 is down: the "
		    "other end is off, port 0 of module 0", NULL);
}

PAIR_TEST(wire_is_broken)
{
	wait_at_b(pair);
	inject(B(pair), "nic-link-down,unit=3");
	pair_settle(pair);
	why_says_of(pair->card, 2, "ROOT: the link of card 1 port 3 is down: its "
		    "wire is broken", NULL);
}

PAIR_TEST(queue_pair_is_in_error)
{
	struct wqe other = sends;

	other.sob = NO_SOB;
	wait_at_b(pair);
	pair_run(pair, &other, 1);
	bits_set(req_ctx(A(pair), PORT_A, PAIR_QP), 510, 1, 1);
	why_says_of(pair->card, 2, "ROOT: card 0 port 0: queue pair 5 is in error",
		    NULL);
}

/* The acknowledgements do not come: the peer knows of no such queue pair. */
PAIR_TEST(peer_does_not_answer)
{
	wait_at_b(pair);
	inject(A(pair), "nic-frame-lost,unit=0,count=1000");
	pair_run(pair, &sends, 1);
	why_says_of(pair->card, 2, "ROOT: card 0 port 0: queue pair 5 has sent up to "
		    "entry 1 and got acknowledgements up to 0: the peer does not "
		    "answer", NULL);
}
