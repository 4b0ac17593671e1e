/* SPDX-License-Identifier: MIT */
/*
 * A card for libgaudi's unit tests: it stands in for libhl-thunk and for
 * thunk/runtime/device/os.c. Each DMA queue is a thread that executes packets
 * right out of the command buffers, so that one that is used again too early
 * shows (to ThreadSanitizer as a race). Cards are joined by their ports as those of an
 * HLS-1 (card_nic.c). What is not given back when the card is closed fails the test.
 */
#ifndef CARD_H
#define CARD_H

#include "../unit.h"
#include "device/device.h"

/* What a test may set before it opens a card, or while it is open. */
extern struct card_knobs {
	unsigned int cards;		/* how many there are */
	unsigned int busy_opens;	/* opens that are -EAGAIN first */
	int open_error;
	atomic_int submit_error;	/* of the next submission, once */
	atomic_int wait_error;		/* of each wait, from now on */
	atomic_uint hold;		/* hardware streams that begin no piece */
	bool old_driver;		/* habanalabs.ko */
	uint64_t hbm;			/* bytes */
	uint32_t monitors;		/* up to 128; 32: for few streams */
	uint32_t timeout_s;		/* 0: no limit */
	int pin_error;			/* of host_memory_map */
	atomic_uint delay_us;		/* before each piece */
	uint32_t ports;			/* bits of those that are on, up to PORTS */
	uint32_t max_message;		/* of a port; 0: 4096 */
	atomic_bool deaf;		/* no port answers */
	atomic_bool failing;		/* what waited may go on too early: card_copy() */
	int nic_error;			/* of a call for a port, once ... */
	unsigned int nic_skip;		/* ... behind so many */
	/* Called once, by who asked without waiting and was told "busy". */
	_Atomic(void (*)(void)) on_busy;
} card;

/* What happened since the test began. */
extern struct card_counts {
	atomic_uint submissions;
	atomic_uint waits;
	atomic_uint allocs;
	atomic_uint maps;		/* of host memory */
	atomic_uint cbs;		/* command buffers made */
	atomic_uint largest_cb;
} counts;

void card_release(void);		/* hold = 0 */
void card_finish(void);			/* that, and waits for all pieces */
/* The connection sends no more, of which nobody is told. */
void card_stop_conn(int fd, uint32_t port, uint32_t id);

#define CARD_TEST(fn) TEST_WITH(fn, card_set_up, card_tear_down)
int card_set_up(void **state);
int card_tear_down(void **state);

#endif /* CARD_H */
