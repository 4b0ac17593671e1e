/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults on demand, within the card.
 *
 *   fault_table.c  the catalogue: names, keys, what belongs together
 *   fault_spec.c   the text form of a fault, read and checked
 *   fault.c        what is armed: triggers, time, state
 *   fault_act.c    faults that happen by themselves: events, error reports
 *   fault_hook.c   faults in what the card does: the hooks of other files
 *
 * A fault belongs to a site. At GAUDI_FAULT_NOW it happens by itself, at once
 * or at a time; at another site it strikes what passes there. Faults outlive
 * resets of the card, as broken hardware does.
 *
 * Everything here is called with the card's lock held.
 */
#ifndef GAUDI_CHIP_FAULT_H
#define GAUDI_CHIP_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gaudi_chip;
struct gaudi_txn;
struct gaudi_cp;
struct gaudi_dma;
struct gaudi_dma_desc;
struct gaudi_fault;

enum gaudi_fault_site {
	GAUDI_FAULT_NOW,
	GAUDI_FAULT_JOB,	/* a command buffer starts */
	GAUDI_FAULT_PACKET,	/* a packet is about to be executed */
	GAUDI_FAULT_FENCE,	/* a fence counter is incremented */
	GAUDI_FAULT_COMMIT,	/* a DMA core takes a transfer */
	GAUDI_FAULT_DMA_END,	/* a DMA core has done its transfer */
	GAUDI_FAULT_ACCESS,	/* an engine reads or writes */
	GAUDI_FAULT_TRANSLATE,	/* the MMU is asked for a page */
	GAUDI_FAULT_MESSAGE,	/* a 32-bit write: packets, monitors */
	GAUDI_FAULT_MSI,
	GAUDI_FAULT_REG_READ,	/* the host reads a register */
	GAUDI_FAULT_HOST_READ,	/* the card reads host memory */
	GAUDI_FAULT_LINK,	/* no fault's own: the PCIe link is down */
	GAUDI_FAULT_SITES,
};

enum gaudi_fault_key {
	/* triggers */
	GAUDI_FK_AT_MS,
	GAUDI_FK_AFTER,
	GAUDI_FK_COUNT,
	GAUDI_FK_EVERY,
	GAUDI_FK_EVERY_MS,
	GAUDI_FK_ADDR,
	GAUDI_FK_SIZE,
	GAUDI_FK_QUEUE,
	GAUDI_FK_STREAM,
	GAUDI_FK_JOB,
	/* parameters */
	GAUDI_FK_BLOCK,
	GAUDI_FK_BYTES,
	GAUDI_FK_CHANNEL,
	GAUDI_FK_DATA,
	GAUDI_FK_ERROR,
	GAUDI_FK_FENCE,
	GAUDI_FK_ID,
	GAUDI_FK_MASK,
	GAUDI_FK_MS,
	GAUDI_FK_NS_PER_KIB,
	GAUDI_FK_OPCODE,
	GAUDI_FK_RC,
	GAUDI_FK_REPORT,
	GAUDI_FK_RESULT,
	GAUDI_FK_STAGE,
	GAUDI_FK_SYNDROME,
	GAUDI_FK_UNIT,
	GAUDI_FK_VECTOR,
	GAUDI_FK_WRITE,
	GAUDI_FAULT_KEYS,
};

#define GAUDI_FKB(key)		(1ull << GAUDI_FK_##key)

/* How a value is written. */
enum gaudi_fault_type {
	GAUDI_FT_NUMBER,	/* decimal, or hexadecimal with 0x */
	GAUDI_FT_COUNT,		/* the same, or "all" */
	GAUDI_FT_QUEUE,		/* dma0..7 mme0 mme2 nic0..9 tpc0..7 */
	GAUDI_FT_WORD,		/* one of the fault's words */
};

struct gaudi_fault_key_desc {
	const char *name;
	const char *help;
	enum gaudi_fault_type type;
	uint64_t min, max;
};

/* A word that a key takes, and what it stands for. */
struct gaudi_fault_word {
	const char *name;
	uint64_t value;
};

/* Where something happens that a fault may strike. */
struct gaudi_fault_place {
	int queue;		/* QMAN, -1: none */
	int stream;		/* 0..4, -1: any */
	uint64_t addr, size;	/* of an access */
	uint64_t number;	/* vector, fence */
};

/*
 * Makes a fault that happens by itself happen. 0, or -EAGAIN: not possible
 * yet (the driver takes no events), to be tried again.
 */
typedef int gaudi_fault_act(struct gaudi_chip *chip,
			    const struct gaudi_fault *f,
			    const struct gaudi_fault_place *where);

struct gaudi_fault_desc {
	const char *name;
	const char *help;
	enum gaudi_fault_site site;
	uint64_t keys;		/* that it takes, beside at-ms and count */
	uint64_t needs;		/* of these, without which it is no fault */
	const struct gaudi_fault_word *words;	/* for FT_WORD */
	gaudi_fault_act *act;	/* site NOW: do it */
	uint32_t arg;		/* for act */
	/* In an action: addr= is what it waits for, not what it says. */
	bool waits_for_addr;
	uint32_t units;		/* unit=0..units-1 */
	bool firmware;		/* once armed there, firmware counts */
	uint32_t every_ms;	/* of an action, if the text has none */
};

extern const struct gaudi_fault_desc gaudi_fault_table[];
extern const size_t gaudi_fault_table_size;
extern const struct gaudi_fault_key_desc gaudi_fault_keys[GAUDI_FAULT_KEYS];

/* Bit of the AER status register (PCI Express base specification). */
#define GAUDI_AER_COMPLETION_TIMEOUT	(1u << 14)

#define GAUDI_FAULT_SPEC_MAX	256	/* with its end */
#define GAUDI_MAX_FAULTS	64
#define GAUDI_FAULT_ALL		UINT64_MAX	/* count=all */

enum gaudi_fault_state {
	GAUDI_FAULT_FREE,
	GAUDI_FAULT_WAITING,	/* for its time */
	GAUDI_FAULT_ARMED,
	GAUDI_FAULT_DONE,
};

struct gaudi_fault {
	const struct gaudi_fault_desc *desc;
	char spec[GAUDI_FAULT_SPEC_MAX];
	uint64_t value[GAUDI_FAULT_KEYS];
	uint64_t given;			/* keys that the text named */
	enum gaudi_fault_site site;	/* an action may wait elsewhere */
	enum gaudi_fault_state state;
	uint64_t order;			/* of arming */
	uint64_t due_ns;		/* next time, UINT64_MAX: none */
	uint64_t seen;			/* what matched */
	uint64_t hits;			/* what it struck */
	uint64_t owed;			/* an action that could not be yet */
	struct gaudi_fault_place where;	/* that owed one's trigger */
	/* job=N */
	uint64_t jobs;
	bool in_job;
	uint8_t job_stream;
};

static inline bool gaudi_fault_given(const struct gaudi_fault *f,
				     enum gaudi_fault_key key)
{
	return f->given >> key & 1;
}

/*
 * Reads a text into *f: desc, spec, value, given, site. 0, or -EINVAL with a
 * reason that names what is wrong in err.
 */
int gaudi_fault_parse(const char *spec, struct gaudi_fault *f, char *err,
		      size_t len);
/* "dma0" to a QMAN's index, -1: no such. And back. */
int gaudi_fault_queue(const char *name);
const char *gaudi_fault_queue_name(unsigned int queue, char *buf, size_t len);

/* --- fault.c -------------------------------------------------------------- */

/* Cheap question before a hook: is anything armed there? */
#define gaudi_fault_armed(chip, site) \
	__builtin_expect((chip)->faults.sites & 1u << (site), 0)

void gaudi_fault_init(struct gaudi_chip *chip);
void gaudi_fault_fini(struct gaudi_chip *chip);
/* After a reset, which has stopped all timers. */
void gaudi_fault_rearm(struct gaudi_chip *chip);
/* Timers are to be looked at again. */
void gaudi_fault_schedule(struct gaudi_chip *chip);
/*
 * The fault that strikes here, if any; actions that waited for this happen on
 * the way. NULL: none.
 */
const struct gaudi_fault *
gaudi_fault_strike(struct gaudi_chip *chip, enum gaudi_fault_site site,
		   const struct gaudi_fault_place *where);

/* --- fault_hook.c: what the sites call, if something is armed there ---------- */

/* True: the vector is not to be raised now. */
bool gaudi_fault_msi(struct gaudi_chip *chip, unsigned int vector);
/* A CP begins with a command buffer. */
void gaudi_fault_job(struct gaudi_chip *chip, const struct gaudi_cp *cp);
/* True: the packet has no defined opcode. */
bool gaudi_fault_packet(struct gaudi_chip *chip, const struct gaudi_cp *cp);
/* True: the increment is lost. */
bool gaudi_fault_fence(struct gaudi_chip *chip, unsigned int qman,
		       unsigned int f, unsigned int n);
/* May shorten a transfer, or make it fail. */
void gaudi_fault_commit(struct gaudi_chip *chip, const struct gaudi_dma *dma,
			struct gaudi_dma_desc *desc);
/* True: the core is to wait; its actor is kicked when that is over. */
bool gaudi_fault_dma_late(struct gaudi_chip *chip,
			  const struct gaudi_dma *dma);
/* True: the access is refused, which has been reported. */
bool gaudi_fault_access(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint64_t addr, uint64_t size, bool write);
/* size: bytes within the page. 0, or the MMU's answer: -EFAULT, -EACCES. */
int gaudi_fault_translate(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			  uint64_t va, uint64_t size);
/* True: the message is lost. */
bool gaudi_fault_message(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			 uint64_t addr);
/* True: all ones are read. cfg_off: from GAUDI_CFG_BASE. */
bool gaudi_fault_reg_read(struct gaudi_chip *chip, uint32_t cfg_off);
/* True: no completion comes. */
bool gaudi_fault_host_read(struct gaudi_chip *chip, uint64_t addr,
			   uint64_t size);

/* --- fault_act.c ------------------------------------------------------------ */

gaudi_fault_act gaudi_fault_do_event, gaudi_fault_do_ecc,
	gaudi_fault_do_hbm_ecc, gaudi_fault_do_razwi,
	gaudi_fault_do_qman_error, gaudi_fault_do_msi, gaudi_fault_do_flip,
	gaudi_fault_do_throttle, gaudi_fault_do_firmware,
	gaudi_fault_do_host, gaudi_fault_do_link, gaudi_fault_do_aer;

/* How many there are of a block, by the number that stands for block=. */
unsigned int gaudi_fault_ecc_units(unsigned int block);

#endif /* GAUDI_CHIP_FAULT_H */
