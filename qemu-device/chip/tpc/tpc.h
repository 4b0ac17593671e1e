/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The tensor cores.
 *
 *   tpc.c       TPC_CFG: launch, status, errors
 *   tpc_core.c  a core's turns: the interpreter between registers and bus
 *   tpc_snap.c  the room's part of a snapshot
 *   tpc_gdb.c   the TPCs of cards as threads of a debugger
 *   isa/        instructions: names, fields, decoder, encoder, text
 *   alu/        arithmetic on lanes
 *   ops/        what an operation does with registers and memory
 *   exec/       the interpreter (tpc_exec.h): words, code, arithmetic by host
 *   gdb/        debugging by GDB's remote protocol (gdb.h)
 *
 * isa, alu, ops, exec and gdb know no card: tools and tests use them alone. Under
 * chip->lock, which is dropped while a core executes; decoded code has a lock
 * of its own, a leaf.
 */
#ifndef GAUDI_TPC_H
#define GAUDI_TPC_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_tpc_cfg_ops;

int gaudi_tpc_init(struct gaudi_chip *chip);
void gaudi_tpc_fini(struct gaudi_chip *chip);
struct gaudi_snap;
/* The room's part of a snapshot. */
void gaudi_tpc_snap(struct gaudi_snap *s);
/* As a member of a JSON object, with a comma behind it, for a record: cores that run a kernel. */
void gaudi_tpc_state(struct gaudi_chip *chip, FILE *out);

#endif /* GAUDI_TPC_H */
