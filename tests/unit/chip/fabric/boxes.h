/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boxes of a fabric with a card each, in this process or in one of their own, and
 * a queue pair between them: of the ports PORT of boxes 0 and 1.
 */
#ifndef TEST_BOXES_H
#define TEST_BOXES_H

#include <sys/types.h>

#include "../nic/ports.h"

#define PORT		1u
#define QP		1u
#define SRC		0x28000000ull
#define DST		0x2a000000ull
#define SIZE		16383u		/* bytes of an entry: the most */
#define BATCH		(WQ_ENTRIES / 2)
#define TOTAL		(BATCH * SIZE)
/* Those of a batch; one of each entry writes to the sync object. */
#define PACKETS		(BATCH * ((SIZE + 4095u) / 4096u + 1))

/* The test ends, or the process that is not the test's. */
#define CHECK(what) check_at(what, #what, __FILE__, __LINE__)
void check_at(bool ok, const char *what, const char *file, int line);

struct box {
	struct card *card;
	struct gaudi_fabric *fabric;
};

/* A name that nobody else has. */
const char *fabric_name(void);
/* GAUDI_ANY_BOX, or a number. */
struct gaudi_fabric *fabric_new(const char *name, int box, const char *cables);
/* With a card that has two workers, or shares another one's; it is plugged in. */
void box_make(struct box *box, const char *name, int number,
	      struct card *beside);
void box_free(struct box *box);
/*
 * Its port is on, and the queue pair open, with a pattern of this seed to be sent.
 * retries: of timeouts; timer: log2 of their time in units of 4.096 us, 0: none.
 */
void box_ready(struct box *box, uint32_t seed, unsigned int retries,
	       unsigned int timer);
/* From now on it tries again that often, after that time. */
void box_patience(struct box *box, unsigned int retries, unsigned int timer);
/* The responder takes whatever number comes first. */
void box_resync(struct box *box);
/* A millisecond, in which timers fire; fails at a try too many. */
void box_wait(struct box *box, unsigned int try);
void box_await(struct box *box, bool up);
/* Another BATCH of entries; each counts one at SOB 0 of the other box. */
void box_ring(struct box *box, unsigned int round);
/* As many entries as the queue has: more than fits into a ring. */
#define MANY		(WQ_ENTRIES - 1)
void box_ring_many(struct box *box, unsigned int round);
void box_await_sob(struct box *box, uint32_t value);
/* Has the other one's pattern come? */
bool box_has(struct box *box, uint32_t seed);
/* A counter of the port, by its offset. */
uint64_t box_count(struct box *box, uint32_t off);
#define COUNT_TX	0x08
#define COUNT_RX	0x18
#define COUNT_RETRIES	0x28

/* --- one in another process ------------------------------------------------ */

struct other {
	pid_t pid;
	int sock;
};

/*
 * To be called while this process has one thread. The box is made by the order JOIN,
 * with the arguments of box_make() and box_ready().
 */
struct other other_start(const char *name, int number, uint32_t seed,
			 unsigned int retries, unsigned int timer);
/* Does this there, and waits for the answer. */
/* SETTLE: what its card has begun it has done; packets are counted before they are sent. */
enum order { JOIN, AWAIT_UP, AWAIT_DOWN, RING, AWAIT_SOB, HAS, COUNT, SETTLE, RESET, LEAVE };
uint64_t other_do(struct other *other, enum order order, uint32_t arg);
/* The same without waiting; the answer is the next one. */
void other_begin(struct other *other, enum order order, uint32_t arg);
uint64_t other_end(struct other *other);
/* It ends in order, or by a signal. */
void other_leave(struct other *other);
/* Until SIGCONT. It has stopped when this returns: a signal alone may be late. */
void other_stop(struct other *other);
void other_kill(struct other *other);

#endif /* TEST_BOXES_H */
