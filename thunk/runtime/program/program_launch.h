/* SPDX-License-Identifier: MIT */
/*
 * Launches: what a queue writes into the registers of a matrix engine or a TPC,
 * in one piece, to start it. Everything that the engine looks at is written each
 * time, since four hardware streams share it: of a TPC's 16 tensors those up to the
 * last one that the kernel has, and of its 32 scalars those that it is given. Each
 * register costs the queue as much as a small packet, and most kernels have three tensors.
 */
#ifndef GAUDI_RUNTIME_PROGRAM_LAUNCH_H
#define GAUDI_RUNTIME_PROGRAM_LAUNCH_H

#include "packets.h"
#include "program.h"
#include "hw/regs/gaudi_mme_regs.h"
#include "hw/regs/gaudi_tpc_regs.h"

#define PROG_TPC_WORDS		(TPC_CFG_DESC_SIZE / 4u)
#define PROG_TPC_TENSORS	16u
#define PROG_TPC_TENSOR_WORDS	14u
#define PROG_TPC_DIMS		5u
#define PROG_TPC_SCALARS	32u
/* Tables of special functions: for 32, 64, 128 and 256 intervals. */
#define PROG_TPC_TABLES		4u

/* Words of a tensor, from its first one. */
#define TPC_TENSOR_BASE		0u	/* low, high */
#define TPC_TENSOR_PADDING	2u
#define TPC_TENSOR_CONFIG	3u
#define   TPC_TENSOR_TYPE	GENMASK(2, 0)
#define   TPC_TENSOR_VALID_DIMS	GENMASK(12, 8)
#define   TPC_TENSOR_LAST_DIM	GENMASK(18, 16)
#define   TPC_TENSOR_RMW	GENMASK(22, 19)
#define TPC_TENSOR_SIZE(d)	(4u + 2 * (d))
#define TPC_TENSOR_STRIDE(d)	(5u + 2 * (d))
/* Words of a launch behind the tensors. */
#define TPC_SYNC_MESSAGE	224u
#define TPC_SYNC_ADDRESS	225u
#define TPC_CODE		226u	/* low, high */
#define TPC_TID_BASE(d)		(228u + 2 * (d))
#define TPC_TID_SIZE(d)		(229u + 2 * (d))
#define TPC_CONFIG		238u
#define   TPC_CONFIG_SMALL_VLM	BIT(0)
#define   TPC_CONFIG_NUM_SRF	GENMASK(7, 2)
#define TPC_KERNEL_ID		239u
#define TPC_SRF(n)		(240u + (n))
/* Adds 0 to a sync object: the end is told by the queue. */
#define TPC_MESSAGE_NOTHING	0x80000000u

/* Slots of READ and WRITE: MME_OP_*; a TPC's tensors, then its tables. */
#define PROG_SLOT_TABLE		PROG_TPC_TENSORS
#define PROG_MAX_SLOTS		(PROG_TPC_TENSORS + PROG_TPC_TABLES)
#define PROG_MAX_REFS		(PROG_MAX_SLOTS + 2u)

struct prog_launch_ref {
	uint16_t kind;		/* PROG_PATCH_READ, WRITE, CODE */
	uint16_t slot;		/* CODE: 0 */
	struct prog_place place;
};

struct prog_launch {
	bool tpc;		/* else a matrix engine */
	bool tables;		/* TPC: sets bases of tables */
	uint32_t num_refs;	/* by kind, then slot */
	struct prog_launch_ref refs[PROG_MAX_REFS];
	uint32_t words[PROG_TPC_WORDS];	/* MME: MME_DESC_WORDS */
};

#define PROG_TABLES_SIZE (8u + 8 * PROG_TPC_TABLES)
/* With all tensors and scalars. */
#define PROG_MAX_LAUNCH	(8u + 4 * PROG_TPC_WORDS + PROG_TABLES_SIZE + 16u)

/*
 * Which words stand in a launch's packets; the others are 0. With 16 tensors there is no
 * hole in front of the other words, and all are one bulk.
 */
struct prog_form {
	bool tpc;		/* else a matrix engine, and nothing below */
	bool tables;		/* bases of tables */
	uint8_t tensors;	/* 1 to 16: the first ones */
	uint8_t scalars;	/* 0 to 32, even */
};

/* The shortest one of a launch. */
struct prog_form prog_form_of(const struct prog_launch *l);
/* That of packets, of which there are @left bytes. False: they are no launch. */
bool prog_read_form(bool tpc, const uint8_t *packets, size_t left,
		    struct prog_form *form);
/* Bytes of packets. */
uint32_t prog_launch_size(const struct prog_form *form);

/* @words may be what stands in a program, with zeros where it is open. */
void prog_put_launch(struct pkt_buf *pb, const struct prog_form *form,
		     const uint32_t *words, bool barrier);

/*
 * Where in a launch the low and the high word of an address stand, from its
 * first byte. False: it has no such place. DONE has no high word: 0.
 */
bool prog_launch_place(const struct prog_form *form, unsigned int kind,
		       unsigned int slot, uint32_t *low, uint32_t *high);

struct prog_item;
/* The words of an item, MME_DESC_WORDS or PROG_TPC_WORDS, in host order. */
void prog_launch_words(const struct prog_stream *s,
		       const struct prog_item *item, uint32_t *words);
/*
 * Bytes from the base on that tensor @slot of a TPC's launch has: by its sizes
 * and strides. False: they mean nothing.
 */
bool prog_tpc_reach(const uint32_t *words, unsigned int slot, uint64_t *bytes);

/* What a check must know. 0, or GAUDI_ERR_RECIPE with a message. */
int prog_check_launch(const struct program *p, const struct prog_stream *s,
		      const struct prog_item *item,
		      const struct prog_buffer *buffers);

#endif /* GAUDI_RUNTIME_PROGRAM_LAUNCH_H */
