/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card in a fake slot, for tests of the chip library.
 *
 * The slot has RAM, a hole, and a device register range that is no RAM. Time
 * stands still unless card_advance() moves it, so that results repeat; with a
 * pool it is real time.
 *
 * Register offsets, packet layouts and values in these tests are written by
 * hand from the facts about the hardware, on purpose: the model's own headers
 * would only show that the model agrees with itself.
 */
#ifndef TEST_CARD_H
#define TEST_CARD_H

#include <stdatomic.h>

#include "../unit.h"
#include "../../../qemu-device/chip/gaudi_chip.h"

/* The slot's bus addresses. */
#define RAM_BASE	0x40000000ull
#ifndef RAM_SIZE
#define RAM_SIZE	0x04000000ull
#endif
#define MMIO_BASE	0xfee00000ull
#define MMIO_SIZE	0x1000ull

/* The card's addresses. */
#define SRAM		0x7ff0000000ull
#define CFG		0x7ffc000000ull
#define HOST		0x8000000000ull
#define USER_HBM	0x20000000ull

/* Blocks, as offsets from CFG. */
#define DMA_CORE(n)	(0x500000u + (n) * 0x20000u)
#define DMA_QM(n)	(0x508000u + (n) * 0x20000u)
#define TPC_QM(n)	(0xe08000u + (n) * 0x40000u)
#define MME_QM0		0x68000u
#define MME_QM2		0x168000u
#define SM_W_S		0x490000u
#define SM_E_S		0x4b0000u
#define SM_W_N		0x4d0000u
#define SM_E_N		0x4f0000u
#define SOB(n)		(0x2000u + 4 * (n))
#define MON_ADDRL(n)	(0x4000u + 4 * (n))
#define MON_ADDRH(n)	(0x4800u + 4 * (n))
#define MON_DATA(n)	(0x5000u + 4 * (n))
#define MON_ARM(n)	(0x5800u + 4 * (n))
#define MON_STATUS(n)	(0x6000u + 4 * (n))

struct card {
	struct gaudi_chip *chip;
	struct gaudi_pool *pool;
	bool owns_pool;
	uint8_t *ram;
	uint64_t now;
	bool real_time;
	atomic_ullong deadline;
	atomic_bool kicked;
	atomic_uint msi[32];
	atomic_uint maps;		/* spans not yet given back */
	uint64_t window;
	unsigned int windows;
	atomic_uint logs[3];
	char last_log[256];
	/* the writes that reached the device range */
	atomic_uint posted;
	uint64_t posted_addr;
	uint32_t posted_value;
	uint32_t posted_log[64];	/* the first values */
	bool no_bus;			/* bus mastering is off */
	size_t page;			/* what is mapped ends with it; 0: no end */
	void (*on_msi)(struct card *card);	/* before an MSI counts */
	/* traced: kinds that are listened to, by count or by a function */
	atomic_uint traced;
	atomic_uint traces;
	void (*trace)(struct card *card, const struct gaudi_trace *event);
	/* what a port that was given to the network sends, and for whom it is */
	void (*frame)(struct card *card, unsigned int port, const void *buf,
		      size_t len);
	struct card *other;
};

/* Workers: 0 for a deterministic card. config may be NULL. */
struct card *card_new(const struct gaudi_config *config, unsigned int workers);
/* A card in the pool of another, which must be freed after it. */
struct card *card_new_beside(struct card *other,
			     const struct gaudi_config *config);
/* Also checks that every mapped span was given back. */
void card_free(struct card *card);

/* cmocka set-up and tear-down: a deterministic card with 1 GiB of HBM. */
int card_setup(void **state);
int card_teardown(void **state);
/* A test of such a card. */
#define CARD_TEST(fn) \
	TEST_OF(fn, struct card *card, card_setup, card_teardown)

/* Registers. */
uint32_t rd(struct card *card, uint32_t off);
void wr(struct card *card, uint32_t off, uint32_t value);
/* A register and the next one, its upper half. */
void wr64(struct card *card, uint32_t off, uint64_t value);

/* What monitor n of a manager writes, and where, when it fires. */
void monitor_set(struct card *card, uint32_t sm, unsigned int n, uint64_t addr,
		 uint32_t data);

/* Run engines and due timers until nothing moves. Fails after 10 s of work. */
void card_settle(struct card *card);
/* A write and what follows from it. */
void wr_settle(struct card *card, uint32_t off, uint32_t value);
/* Move time, then settle. */
void card_advance(struct card *card, uint64_t ns);

/* SOB n of the sync manager that drivers use, E_N. */
static inline uint32_t sob(struct card *card, unsigned int n)
{
	return rd(card, SM_E_N + SOB(n));
}

/* The report of what was used; the caller frees it. */
char *card_report(struct card *card);
/* It has this text in it; and this was used once, so well modelled. */
void card_reports(struct card *card, const char *text);
void card_used(struct card *card, const char *name, const char *fidelity);

uint8_t *card_hbm(struct card *card);
uint8_t *card_sram(struct card *card);
/* Host RAM: a device address for an offset in it. */
static inline uint64_t ram_dev(uint64_t off)
{
	return HOST + RAM_BASE + off;
}

static inline uint32_t ram32(struct card *card, uint64_t off)
{
	uint32_t v;

	memcpy(&v, card->ram + off, 4);
	return v;
}

static inline uint64_t ram64(struct card *card, uint64_t off)
{
	uint64_t v;

	memcpy(&v, card->ram + off, 8);
	return v;
}

/* --- packets ------------------------------------------------------------- */

/* A command buffer under construction, in host RAM or in HBM. */
struct cb {
	uint8_t *at;
	uint32_t len;
	uint64_t addr;		/* device address of its start */
};

struct cb cb_host(struct card *card, uint64_t ram_off);
struct cb cb_hbm(struct card *card, uint64_t addr);

#define EB	(1u << 29)
#define RB	(1u << 30)
#define MB	(1u << 31)

void put32(struct cb *cb, uint32_t v);
void put64(struct cb *cb, uint64_t v);
/* The two words that each packet begins with: contents, and what it is. */
void put_packet(struct cb *cb, uint32_t word, uint32_t ctl);
void put_nop(struct cb *cb);
/* MSG_LONG or MSG_PROT with bits of its own in ctl. */
void put_msg(struct cb *cb, uint32_t ctl, uint64_t addr, uint32_t value);
void put_msg_long(struct cb *cb, uint64_t addr, uint32_t value);
void put_msg_prot(struct cb *cb, uint64_t addr, uint32_t value);
void put_msg_short(struct cb *cb, unsigned int base, uint32_t off,
		   uint32_t value);
/* Adds value to SOB n of manager E_N. */
void put_add(struct cb *cb, unsigned int n, uint32_t value);
/* As monitor_set(). */
void put_monitor(struct cb *cb, uint32_t sm, unsigned int n, uint64_t addr,
		 uint32_t data);
/* Of the engine behind the queue; off: in its 64 KiB window. */
void put_wreg(struct cb *cb, uint32_t off, uint32_t value);
/* upper: execute the packet in the second half of the scalars */
void put_load_and_exe(struct cb *cb, uint64_t src, bool scalars, bool load,
		      bool exe, bool upper);
/* What a load of predicates reads: a word for each, of which bit 0 counts. */
void put_predicates(struct cb *cb, uint32_t map);
void put_fence(struct cb *cb, unsigned int id, unsigned int target,
	       unsigned int dec);
void put_cp_dma(struct cb *cb, uint64_t src, uint32_t size);
/* ARB_POINT: asks for the arbiter's grant, or gives it back. */
void put_arb(struct cb *cb, unsigned int prio, bool release);
/* flags: the low bits of ctl (0x08 linear, 0x10 memset, 0x01 completion) */
void put_lin_dma(struct cb *cb, uint64_t src, uint64_t dst, uint32_t size,
		 uint32_t flags);

/* --- queues -------------------------------------------------------------- */

/* All queue managers of the card, as offsets from CFG. */
#define NUM_QMS	28
extern const uint32_t all_qms[NUM_QMS];

/* A queue: QMAN block, stream, and where its ring lies in host RAM. */
struct queue {
	uint32_t qm;
	unsigned int stream;
	uint64_t ring;		/* offset in RAM */
	unsigned int log2;	/* entries */
	uint32_t pi;
};

/* As the driver sets up DMA0/1 (external) and the others (internal). */
struct queue queue_external(struct card *card, unsigned int id, uint64_t ring);
struct queue queue_internal(struct card *card, uint32_t qm,
			    unsigned int stream, uint64_t ring,
			    unsigned int log2);
/*
 * A test of a card and a queue q of it, as its second argument makes it of the card;
 * and one that fills a buffer, cb, for that queue as well: in RAM at CBUF.
 */
#define QUEUE_OF_STATE(made)	({ struct card *card = *state; made; })
#define QUEUE_TEST(fn, made)						\
	UNIT_TEST(fn, (struct card *card, struct queue q),		\
		  (*state, QUEUE_OF_STATE(made)),			\
		  card_setup, card_teardown)
#define JOB_TEST(fn, made)						\
	UNIT_TEST(fn, (struct card *card, struct queue q, struct cb cb), \
		  (*state, QUEUE_OF_STATE(made), cb_host(*state, CBUF)), \
		  card_setup, card_teardown)
/* Put a command buffer into the ring; doorbell. */
void queue_put(struct card *card, struct queue *q, uint64_t ptr, uint32_t len);
void queue_ring(struct card *card, struct queue *q);
/* Put, doorbell, settle. */
void queue_run(struct card *card, struct queue *q, const struct cb *cb);
/* The same by the lower CP: by a CP_DMA in a buffer in RAM at CP_DMA_CB. */
#define CP_DMA_CB	0x3ff00
void queue_run_lower(struct card *card, struct queue *q, const struct cb *low);
/*
 * One LIN_DMA, from a buffer in RAM at LIN_DMA_CB, by the queue of a DMA core: it
 * is idle then, and has met no error. flags: as for put_lin_dma().
 */
#define LIN_DMA_CB	0x40000
void lin_dma(struct card *card, struct queue *q, uint64_t src, uint64_t dst,
	     uint32_t size, uint32_t flags);

/* GLBL_STS1 of command processor n: what went wrong. */
static inline uint32_t sts1(struct card *card, const struct queue *q,
			    unsigned int n)
{
	return rd(card, q->qm + 0x40 + 4 * n);
}

/* Enable a DMA core as the driver does. */
void dma_core_init(struct card *card, unsigned int n);
/* The core itself, without a queue; commit: the word that starts it. */
void dma_start(struct card *card, unsigned int n, uint64_t src, uint64_t dst,
	       uint32_t size, uint32_t commit);

/* Make 4 KiB of a pattern that differs at every byte offset and seed. */
void fill(void *to, size_t len, uint32_t seed);

#endif /* TEST_CARD_H */
