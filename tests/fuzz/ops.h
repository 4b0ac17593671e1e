/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run does: its input is a list of records of 16 bytes, each one thing
 * that a guest can do. Which things, a harness chooses; see ops.c for what the
 * members of a record mean to each.
 */
#ifndef FUZZ_OPS_H
#define FUZZ_OPS_H

#include "world.h"

struct rec {
	uint8_t op;		/* index into the harness's list */
	uint8_t unit;		/* bit 7: of the second card */
	uint8_t sel;
	uint8_t flags;
	uint32_t value;
	uint64_t addr;
};

#define MAX_RECORDS	256

typedef void op_fn(struct world_card *card, const struct rec *r);

/* Registers, of the blocks that do something and of any other. */
op_fn op_reg_write, op_reg_read, op_bar_write, op_bar_read, op_elbi;
/* Time, resets, the bus. */
op_fn op_run, op_advance, op_reset, op_move_bar, op_bus_master, op_window;
/* Queues: add a packet to a buffer; give the buffer to a queue. */
op_fn op_packet, op_raw_packet, op_submit, op_doorbell;
/* Matrix engines. */
op_fn op_mme_word, op_mme_base, op_mme_product, op_mme_start;
/* DMA cores, sync managers, memory, page tables by hand. */
op_fn op_dma, op_monitor, op_memory, op_pte, op_asid, op_invalidate;
/* The embedded CPU: boot, commands, events. */
op_fn op_boot_reg, op_image, op_comms, op_command, op_cpu_queue, op_event;

/* A fault on demand: by its parts, or as a text that may be no fault. */
op_fn op_fault, op_fault_text;

/*
 * How registers of engines are written: by the host (reg_wr), or by packets that
 * are added to the buffer (op_packet_write).
 */
extern void (*engine_wr)(struct world_card *card, uint32_t reg, uint32_t value);
void op_packet_write(struct world_card *card, uint32_t reg, uint32_t value);
/* Where packets are in RAM, and as queues see the first of them. */
#define PACKETS		0x80000
#define PACKETS_SIZE	0x80000
extern uint64_t packets_base;
uint64_t packets_dev(uint64_t off);
/* The buffer ends: what is in it, and where queues see it. */
uint64_t packets_take(uint32_t *len, const void **packets);

/* If set, in place of any_addr(): what a user would name. */
extern uint64_t (*user_addr)(unsigned int sel, uint64_t off);
/* An address of the kind that sel says, near off. */
uint64_t any_addr(unsigned int sel, uint64_t off);
/* The same as the bus address of the host. */
uint64_t any_bus_addr(unsigned int sel, uint64_t off);
/* A register of a block that does something. */
uint32_t any_reg(unsigned int sel, uint64_t off);

/* Forget the queues, the buffers and the CPU's queue of the last run. */
void queues_begin(void);
void cpu_begin(void);
/* Reads the firmware images of GAUDI_FIRMWARE; 0, or -errno and a message. */
int load_images(void);

/* Runs an input with these ops between world_begin() and world_end(). */
void run_ops(const uint8_t *data, size_t size, op_fn * const *ops,
	     unsigned int num_ops);

/* What each harness is; the fuzzer's entry point is in mutate.c. */
int harness_init(void);
void harness_run(const uint8_t *data, size_t size);
/* Bytes that the mutator keeps together; 1: none. */
extern const unsigned int harness_unit;

#endif /* FUZZ_OPS_H */
