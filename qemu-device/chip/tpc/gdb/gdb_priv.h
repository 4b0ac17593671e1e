/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What the files of the room share; gdb.h says what each is. */
#ifndef GAUDI_GDB_PRIV_H
#define GAUDI_GDB_PRIV_H

#include "gdb.h"

/* --- gdb_stops.c ------------------------------------------------------------- */

#define GAUDI_GDB_WATCH_BYTES	64

/*
 * Local memories have addresses of their own, beyond all that a card has. NULL: it is
 * none of them, or they end before.
 */
#define GAUDI_GDB_SLM		0xf000000000000000ull
#define GAUDI_GDB_VLM		0xf100000000000000ull
uint8_t *gaudi_gdb_local(struct gaudi_tpc_core *core, uint64_t addr, size_t len);

/* --- gdb_link.c -------------------------------------------------------------- */

enum gaudi_gdb_input {
	GAUDI_GDB_NOTHING,		/* until now */
	GAUDI_GDB_GOT_PACKET,		/* in packet, len */
	GAUDI_GDB_CTRL_C,
	GAUDI_GDB_TOO_LONG,		/* a packet, which is lost */
	GAUDI_GDB_GONE,			/* the client */
	GAUDI_GDB_WOKEN,		/* the other descriptor can be read */
};

/*
 * where: PORT (of this host alone), HOST:PORT, or the path of a Unix socket, which has a
 * '/'. Port 0: any. 0, or -1 with the cause in why.
 */
int gaudi_gdb_listen(struct gaudi_gdb_link *link, const char *where, char *why,
		     size_t size);
void gaudi_gdb_hang_up(struct gaudi_gdb_link *link);
/* What a client sends, within so many ms, -1: for ever; wake: -1, or what wakes it. */
enum gaudi_gdb_input gaudi_gdb_receive(struct gaudi_gdb_link *link,
				       int timeout_ms, int wake);
/* No more than GAUDI_GDB_PACKET bytes. */
void gaudi_gdb_send(struct gaudi_gdb_link *link, const void *data, size_t len);
/* Hexadecimal digits: how many bytes, or -1. to: has room for size. */
long gaudi_gdb_from_hex(const char *text, size_t digits, uint8_t *to,
			size_t size);
/* to: has room for 2 * len + 1. */
void gaudi_gdb_to_hex(char *to, const void *data, size_t len);

/* --- gdb_regs.c -------------------------------------------------------------- */

/* The number of the program counter, and of registers in answers to "g". */
#define GAUDI_GDB_PC		16
#define GAUDI_GDB_G_REGS	40

/* Malloc'ed; NULL: no memory. */
char *gaudi_gdb_describe(void);
/*
 * Bytes of register n, 0: there is none. core: NULL, of one that was never used; buf: has
 * room for 256 bytes.
 */
size_t gaudi_gdb_reg_read(const struct gaudi_tpc_core *core, unsigned int n,
			  uint8_t *buf);
/* 0; -EINVAL: there is none of that size; -EPERM: it stays what it is. */
int gaudi_gdb_reg_write(struct gaudi_tpc_core *core, unsigned int n,
			const uint8_t *buf, size_t len);

/* --- gdb_monitor.c ------------------------------------------------------------ */

/* command: of a client; what it says, in out, always ends with a 0. */
void gaudi_gdb_monitor(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		       const char *command, char *out, size_t size);
/* The names of causes, with commas. */
void gaudi_gdb_cause_names(uint32_t causes, char *text, size_t size);

#endif /* GAUDI_GDB_PRIV_H */
