/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A tensor core as the interpreter has it: registers, local memories, what a
 * launch gives it, and what surrounds it. Begin with tpc_exec.h. Nothing locks: a
 * core belongs to one thread at a time.
 */
#ifndef GAUDI_TPC_STATE_H
#define GAUDI_TPC_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../alu/tpc_vec.h"
#include "../isa/tpc_isa.h"

#define GAUDI_TPC_SLM		1024	/* bytes of the scalar local memory */
#define GAUDI_TPC_VLM		(80u << 10)
#define GAUDI_TPC_SMALL_VLM	(16u << 10)	/* where tables need the rest */
/* The descriptor in the registers of a core: 0x400 to 0x83f. */
#define GAUDI_TPC_DESC		0x400u
#define GAUDI_TPC_DESC_END	0x840u

/* What an instruction reads or writes. */
struct gaudi_tpc_regs {
	gaudi_tpc_vec v[GAUDI_TPC_V_COUNT];
	/*
	 * A predicate has a bit for each byte of a vector; here it is a byte,
	 * 0x00 or 0xff. Register 0 is always true.
	 */
	gaudi_tpc_vec vp[GAUDI_TPC_VP_COUNT];
	gaudi_tpc_vec lfsr;
	gaudi_tpc_vec carry;		/* as a predicate */
	uint32_t s[GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS];
	uint32_t s_lfsr;
	uint32_t div_step;		/* of the next UDIV_4STEP with STEP_REG */
	uint16_t sp;			/* bit n: SPn; bit 0 is always set */
	bool s_carry;
	int32_t i[GAUDI_TPC_I_COUNT][GAUDI_TPC_DIMS];
	uint64_t ad[GAUDI_TPC_AD_COUNT];
	uint8_t ad_elem[GAUDI_TPC_AD_COUNT];	/* bytes of an element there */
};

/* Why a core does not go on. */
enum gaudi_tpc_why {
	GAUDI_TPC_BUDGET,		/* it does, in the next call */
	GAUDI_TPC_HALT,			/* the kernel's end */
	GAUDI_TPC_BREAK,		/* before a word with a breakpoint */
	GAUDI_TPC_ILLEGAL,		/* the word has no meaning */
	GAUDI_TPC_FETCH,		/* no word could be read at its PC */
	GAUDI_TPC_READ,			/* a load from device memory failed */
	GAUDI_TPC_WRITE,		/* a store to it failed */
	GAUDI_TPC_LOCAL,		/* beyond the SLM or the VLM */
	GAUDI_TPC_REG,			/* a register by MMIO refused: written */
	GAUDI_TPC_REG_READ,		/* ... or read */
	GAUDI_TPC_DEPTH,		/* more than four nested loops */
	GAUDI_TPC_TENSOR,		/* there is no such tensor */
	GAUDI_TPC_HAZARD,		/* found by the checker */
	GAUDI_TPC_WRAP,			/* the PC has left its 32 bits */
	GAUDI_TPC_WHYS,
};

struct gaudi_tpc_stop {
	enum gaudi_tpc_why why;
	uint64_t pc;			/* device address of the word */
	uint64_t addr;			/* of the access, where there is one */
	const char *what;		/* some words about it, or NULL */
};

/* A store that reads, modifies and writes; types and operations as in a tensor. */
struct gaudi_tpc_rmw {
	uint8_t type;
	uint8_t op;
	const uint8_t *data;
	size_t len;			/* bytes; part of an element stays */
};

/* tpc_rmw.c: mem = mem op data. */
void gaudi_tpc_rmw(const struct gaudi_tpc_rmw *rmw, uint8_t *mem);
/* Bytes of an element of a type, 0 to 7. */
unsigned int gaudi_tpc_data_size(uint8_t type);

/*
 * What surrounds a core. All are called from gaudi_tpc_launch() and
 * gaudi_tpc_execute() only. 0, or another number for an access that is
 * refused, which ends the kernel. opaque is the one given to core_new.
 */
struct gaudi_tpc_host {
	/* Copy from or to device memory, of any alignment. */
	int (*read)(void *opaque, uint64_t addr, void *buf, size_t len);
	int (*write)(void *opaque, uint64_t addr, const void *buf, size_t len);
	/*
	 * Optional. A pointer to memory at addr, or NULL if it must be copied;
	 * no error is told then. On entry *len is what is wanted, on return how
	 * far the pointer is good, which may be more or less. It stays valid
	 * until gaudi_tpc_execute() returns or forget() is called.
	 */
	uint8_t *(*map)(void *opaque, uint64_t addr, size_t *len, bool write);
	/*
	 * Optional: how many of these bytes, from the first one on, can be read
	 * or written; no error is told. Without it all of them.
	 */
	size_t (*there)(void *opaque, uint64_t addr, size_t len, bool write);
	/* Optional. The core has dropped all pointers of map(). */
	void (*forget)(void *opaque);
	/*
	 * Optional: calls gaudi_tpc_rmw() for memory at addr, each element as
	 * one step that others do not break. ptr: from map(), or NULL. Without
	 * it the core does it with a pointer or a copy.
	 */
	int (*rmw)(void *opaque, uint64_t addr, uint8_t *ptr,
		   const struct gaudi_tpc_rmw *rmw);
	/*
	 * Optional: registers of the own configuration block by MMIO; off: from
	 * its start. The core answers for the descriptor (0x400 to 0x83f) and
	 * the semaphore (0x908) itself. Without them others read as zero.
	 */
	int (*reg_read)(void *opaque, uint32_t off, uint32_t *value);
	int (*reg_write)(void *opaque, uint32_t off, uint32_t value);
};

/* A launch: the descriptor, as it lies in the registers, and some others. */
struct gaudi_tpc_launch {
	uint32_t desc[(GAUDI_TPC_DESC_END - GAUDI_TPC_DESC) / 4];
	uint32_t round_csr;		/* the rounding mode called default */
	uint32_t lfsr_polynom;		/* 0: the value after a reset */
	uint64_t lut[4];		/* tables of 256, 128, 64, 32 intervals */
	uint32_t causes;		/* GAUDI_TPC_CAUSE_*: which to look for */
};

/* What arithmetic tells, as bits of TPC_INTR_CAUSE; looked for at a price. */
#define GAUDI_TPC_CAUSE_DIV0	(1u << 1)
#define GAUDI_TPC_CAUSE_MAC	(1u << 2)	/* overflows of integers */
#define GAUDI_TPC_CAUSE_ADDSUB	(1u << 3)
#define GAUDI_TPC_CAUSE_ABS	(1u << 4)
#define GAUDI_TPC_CAUSE_NAN_INF	(1u << 5)	/* results that are floats */
#define GAUDI_TPC_CAUSE_DENORM	(1u << 6)
#define GAUDI_TPC_CAUSE_VPU	5	/* shift of the last five for the VPU */
#define GAUDI_TPC_CAUSES	0xffeu

/* Offsets in desc, in words, for whoever fills it by hand. */
#define GAUDI_TPC_D_TENSOR(t)	(14u * (t))
#define GAUDI_TPC_D_BASE_LO	0u		/* of a tensor: from there */
#define GAUDI_TPC_D_BASE_HI	1u
#define GAUDI_TPC_D_PADDING	2u
#define GAUDI_TPC_D_CONFIG	3u
#define GAUDI_TPC_D_SIZE(d)	(4u + 2 * (d))
#define GAUDI_TPC_D_STRIDE(d)	(5u + 2 * (d))
#define GAUDI_TPC_D_KERNEL	(0x388u / 4)	/* code address, low and high */
#define GAUDI_TPC_D_TID_BASE(d)	(0x390u / 4 + 2 * (d))
#define GAUDI_TPC_D_TID_SIZE(d)	(0x394u / 4 + 2 * (d))
#define GAUDI_TPC_D_KCONFIG	(0x3b8u / 4)
#define GAUDI_TPC_D_SRF(n)	(0x3c0u / 4 + (n))
/* Word CONFIG of a tensor. */
#define GAUDI_TPC_T_TYPE	0x7u
#define GAUDI_TPC_T_DIMS(mask)	((uint32_t)(mask) << 8)
#define GAUDI_TPC_T_LAST(d)	((uint32_t)(d) << 16)
/* KERNEL_CONFIG: how many S registers are loaded. */
#define GAUDI_TPC_KC_SRFS(n)	((uint32_t)(n) << 2)
#define GAUDI_TPC_KC_SMALL_VLM	0x1u

/* A tensor as the address generator wants it. */
struct gaudi_tpc_tensor {
	uint64_t base;
	uint64_t stride[GAUDI_TPC_DIMS];	/* bytes */
	uint64_t size[GAUDI_TPC_DIMS];	/* 2^32: not checked */
	uint8_t elem;			/* bytes of an element, 1, 2 or 4 */
	uint16_t lanes;			/* elements of a vector */
	uint8_t type;			/* 0..7, see tpc_tensor.c */
	bool rmw;
	uint8_t rmw_op;
	bool made;			/* from these words of the descriptor */
	uint32_t desc[GAUDI_TPC_D_TENSOR(1)];
	gaudi_tpc_vec padding;
};

/* Memory that map() has given, one for each tensor and direction. */
struct gaudi_tpc_window {
	uint64_t base;
	uint64_t len;
	uint8_t *ptr;
	uint8_t *last;			/* of the last whole vector */
	uintptr_t step;			/* to it from the one before */
};

/* A hardware loop that is under way. */
struct gaudi_tpc_frame {
	uint64_t top;			/* first word of the body ... */
	uint64_t last;			/* ... and its last */
	int32_t boundary;
	int32_t step;
	uint8_t cmp;
	bool once;
};

struct gaudi_tpc_page;
struct gaudi_tpc_cache;

/* Words of a page that have been executed so often, and are not yet counted. */
struct gaudi_tpc_ran {
	const struct gaudi_tpc_page *page;
	uint64_t times;
	uint8_t from, words;
};

#define GAUDI_TPC_RAN	32u
struct gaudi_tpc_check;

/* Of code that a core has at hand; each has a bit of the core's held and known. */
#define GAUDI_TPC_PAGES		64
/* slot * OP_COUNT + op; again, of types that public sources say nothing of. */
#define GAUDI_TPC_KNOWN		(GAUDI_TPC_SLOTS * GAUDI_TPC_OP_COUNT)
#define GAUDI_TPC_COUNTERS	(2 * GAUDI_TPC_KNOWN)

/* Read what you like; write only what is said to be yours. */
struct gaudi_tpc_core {
	struct gaudi_tpc_regs r;
	uint8_t vlm[GAUDI_TPC_VLM] __attribute__((aligned(64)));
	uint32_t slm[GAUDI_TPC_SLM / 4];
	uint64_t pc;			/* of the next word */
	uint64_t words;			/* executed since the launch */
	struct gaudi_tpc_stop stop;
	uint32_t semaphore;		/* yours between launches */
	/* What arithmetic has told, of launch.causes; may be cleared. */
	uint32_t causes;
	uint64_t causes_pc;		/* the word of the last new one */
	/*
	 * Executed instructions of all time, for a report; may be cleared. Bits of
	 * counted: of which counters any were, as nearly all are 0.
	 */
	uint64_t count[GAUDI_TPC_COUNTERS];
	uint64_t counted[(GAUDI_TPC_COUNTERS + 63) / 64];
	/* The rest is the interpreter's. */
	struct gaudi_tpc_ran ran[GAUDI_TPC_RAN];
	uint32_t has_ran;		/* bits: which of them */
	const struct gaudi_tpc_regs *in;	/* what the word reads */
	const struct gaudi_tpc_alu *alu;
	uint64_t next;
	uint64_t origin;		/* of the page that is executed */
	bool ended;
	bool jumped;
	char bad[120];			/* what is wrong with an illegal word */
	bool unmodelled;		/* ... which may have a meaning */
	bool delayed;			/* next holds after one more word */
	uint64_t delay_to;
	uint8_t starts;			/* iterator of the loop then, or 0 */
	uint32_t start;
	struct gaudi_tpc_frame frame[GAUDI_TPC_LOOPS];
	unsigned int depth;
	uint64_t base;			/* of the kernel */
	uint32_t vlm_size;
	struct gaudi_tpc_launch launch;
	struct gaudi_tpc_tensor tensor[GAUDI_TPC_TENSORS];
	struct gaudi_tpc_window window[GAUDI_TPC_TENSORS + 1][2];
	struct gaudi_tpc_page *page[GAUDI_TPC_PAGES];
	uint64_t page_at[GAUDI_TPC_PAGES];
	uint64_t held;			/* bits: there is a page ... */
	uint64_t known;			/* ... which is this launch's code */
	struct gaudi_tpc_regs *snapshot;
	struct gaudi_tpc_check *check;
	const uint64_t *breaks;
	size_t num_breaks;
	struct gaudi_tpc_cache *cache;
	const struct gaudi_tpc_host *host;
	void *opaque;
};

/* An instruction with this counter has been executed so often. */
static inline void gaudi_tpc_count(struct gaudi_tpc_core *core, unsigned int counter,
				   uint64_t times)
{
	core->count[counter] += times;
	core->counted[counter / 64] |= 1ull << counter % 64;
}

/* What the registers VFLAGS and SFLAGS show: bit 0, a carry. */
uint32_t gaudi_tpc_vflags(const struct gaudi_tpc_core *core);
uint32_t gaudi_tpc_sflags(const struct gaudi_tpc_core *core);

#endif /* GAUDI_TPC_STATE_H */
