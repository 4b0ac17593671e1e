/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What gdb_serve.c and gdb_query.c share: the parts of packets. */
#ifndef GAUDI_GDB_PACKETS_H
#define GAUDI_GDB_PACKETS_H

#include "gdb_priv.h"

void __attribute__((format(printf, 2, 3)))
gaudi_gdb_answer(struct gaudi_gdb *gdb, const char *format, ...);
/* "OK" for 0, else E and the number. */
void gaudi_gdb_answer_error(struct gaudi_gdb *gdb, int err);
/* One to sixteen hexadecimal digits at *p, which goes behind them. */
bool gaudi_gdb_number(const char **p, uint64_t *value);
bool gaudi_gdb_char(const char **p, char c);
/* "ADDR,LEN" */
bool gaudi_gdb_range(const char **p, uint64_t *addr, uint64_t *len);
/* Of a thread's number: its index, -1 for all or any; -2: it is none. */
int gaudi_gdb_thread_of(const struct gaudi_gdb *gdb, const char **p);
/* What follows the name, or NULL: it is another one. */
const char *gaudi_gdb_after(const char *packet, const char *name);
/* A packet that asks for no core but this one, and that nothing else knows. */
void gaudi_gdb_query(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core, const char *p);

#endif /* GAUDI_GDB_PACKETS_H */
