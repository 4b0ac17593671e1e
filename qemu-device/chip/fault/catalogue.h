/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The catalogue of faults, a fault that is armed, and what the files of the room
 * share; begin with fault.h.
 */
#ifndef GAUDI_FAULT_CATALOGUE_H
#define GAUDI_FAULT_CATALOGUE_H

#include "fault.h"

struct gaudi_fault;

enum gaudi_fault_key {
	/* triggers */
	GAUDI_FK_AT_MS,
	GAUDI_FK_AFTER,
	GAUDI_FK_COUNT,
	GAUDI_FK_EVERY,
	GAUDI_FK_EVERY_MS,
	GAUDI_FK_PPM,
	GAUDI_FK_SEED,
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
	GAUDI_FK_US,
	GAUDI_FK_VECTOR,
	GAUDI_FK_WAY,
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
	GAUDI_FT_WAY,		/* out, in */
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
	uint64_t number;	/* vector, fence, port */
	/* of a packet of a port */
	bool in;
	uint8_t opcode;
	uint32_t never;		/* fates that are not for it, as bits */
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
	uint64_t random;		/* state of its generator */
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

/* --- fault.c -------------------------------------------------------------- */

#define GAUDI_FAULT_MSIS	64

/* What is behind chip->faults. */
struct gaudi_faults {
	struct gaudi_fault *fault;	/* GAUDI_MAX_FAULTS, or NULL */
	uint64_t order;
	bool busy;			/* a fault is happening now */
	struct gaudi_timer timer;
	/* MSIs that come later than they should */
	struct {
		uint64_t due_ns;
		uint8_t vector;
	} msi[GAUDI_FAULT_MSIS];
	unsigned int num_msi;
	/* DMA cores that are held back; 0: not */
	uint64_t dma_until_ns[GAUDI_NUM_DMA];
	bool dma_passed[GAUDI_NUM_DMA];	/* was held back, may end now */
	uint64_t link_up_ns;		/* the link is down until then */
	/* ports whose link is down, or whose peer is gone, until then; 0: not */
	uint64_t port_down_ns[GAUDI_NUM_NIC_ENGINE];
	uint64_t port_gone_ns[GAUDI_NUM_NIC_ENGINE];
	uint64_t throttle_end_ns[2];	/* power, heat; 0: not throttled */
};

/* Timers are to be looked at again. */
void gaudi_fault_schedule(struct gaudi_chip *chip);
/*
 * The fault that strikes here, if any; actions that waited for this happen on
 * the way. NULL: none.
 */
const struct gaudi_fault *
gaudi_fault_strike(struct gaudi_chip *chip, enum gaudi_fault_site site,
		   const struct gaudi_fault_place *where);

/* The firmware has done what a fault told it, to a command or to something else (0). */
void gaudi_fault_on_firmware(struct gaudi_chip *chip, unsigned int what,
			     unsigned int command);
/* A CP begins with a command buffer. */
void gaudi_fault_job(struct gaudi_chip *chip, unsigned int qman,
		     unsigned int cp);

/* --- fault_hook.c ----------------------------------------------------------- */

extern const struct gaudi_fault_hooks gaudi_fault_hooks;

/* --- fault_port.c ----------------------------------------------------------- */

gaudi_fault_act gaudi_fault_do_port_down, gaudi_fault_do_peer_gone;
enum gaudi_frame_fate gaudi_fault_on_frame(struct gaudi_chip *chip,
					   struct gaudi_frame *frame);
bool gaudi_fault_on_completion(struct gaudi_chip *chip, unsigned int port);
/* Of what strikes ports: is it for this place? */
bool gaudi_fault_port_matches(const struct gaudi_fault *f,
			      const struct gaudi_fault_place *at);
/* Is a peer gone? When does the first of all this end? Ends what is over by now. */
bool gaudi_fault_any_gone(const struct gaudi_faults *fs);
uint64_t gaudi_fault_ports_due(const struct gaudi_faults *fs);
void gaudi_fault_ports_end(struct gaudi_chip *chip, uint64_t now);

/* --- fault_act.c ------------------------------------------------------------ */

gaudi_fault_act gaudi_fault_do_event, gaudi_fault_do_ecc,
	gaudi_fault_do_hbm_ecc, gaudi_fault_do_razwi,
	gaudi_fault_do_qman_error, gaudi_fault_do_msi, gaudi_fault_do_flip,
	gaudi_fault_do_throttle, gaudi_fault_do_firmware,
	gaudi_fault_do_host, gaudi_fault_do_link, gaudi_fault_do_aer;

/* How many there are of a block, by the number that stands for block=. */
unsigned int gaudi_fault_ecc_units(unsigned int block);

#endif /* GAUDI_FAULT_CATALOGUE_H */
