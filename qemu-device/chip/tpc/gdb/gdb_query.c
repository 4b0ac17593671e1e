// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The parts of packets, and what a client asks about the server and its threads. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb_packets.h"

/* --- answers ------------------------------------------------------------------ */

void __attribute__((format(printf, 2, 3)))
gaudi_gdb_answer(struct gaudi_gdb *gdb, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	gaudi_gdb_send(&gdb->link, text, strlen(text));
}

void gaudi_gdb_answer_error(struct gaudi_gdb *gdb, int err)
{
	gaudi_gdb_answer(gdb, err ? "E%02x" : "OK", (unsigned int)-err & 0xff);
}

/* --- what a packet says -------------------------------------------------------- */

bool gaudi_gdb_number(const char **p, uint64_t *value)
{
	unsigned int n = 0;

	for (*value = 0; n < 16; n++, (*p)++) {
		const char *digit = strchr("0123456789abcdef", **p | 0x20);

		if (!**p || !digit || !*digit)
			break;
		*value = *value << 4 | (uint64_t)(digit - "0123456789abcdef");
	}
	return n;
}

bool gaudi_gdb_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

bool gaudi_gdb_range(const char **p, uint64_t *addr, uint64_t *len)
{
	return gaudi_gdb_number(p, addr) && gaudi_gdb_char(p, ',') && gaudi_gdb_number(p, len);
}

int gaudi_gdb_thread_of(const struct gaudi_gdb *gdb, const char **p)
{
	uint64_t id;

	if (gaudi_gdb_char(p, '-'))
		return gaudi_gdb_char(p, '1') ? -1 : -2;
	if (!gaudi_gdb_number(p, &id) || id > gdb->threads)
		return -2;
	return (int)id - 1;
}

const char *gaudi_gdb_after(const char *packet, const char *name)
{
	size_t len = strlen(name);

	return strncmp(packet, name, len) ? NULL : packet + len;
}

/* --- queries ----------------------------------------------------------------------- */

/* "OFFSET,LEN" of a text: m or l, and a part. */
static void answer_part(struct gaudi_gdb *gdb, const char *text, const char *p)
{
	size_t size = strlen(text);
	char part[GAUDI_GDB_PACKET];
	uint64_t from, len;

	if (!gaudi_gdb_range(&p, &from, &len) || *p) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return;
	}
	if (from > size)
		from = size;
	if (len > sizeof(part) / 2)
		len = sizeof(part) / 2;
	part[0] = len < size - from ? 'm' : 'l';
	if (len > size - from)
		len = size - from;
	memcpy(part + 1, text + from, len);
	gaudi_gdb_send(&gdb->link, part, len + 1);
}

static void answer_command(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			   const char *p)
{
	char command[256], out[GAUDI_GDB_PACKET / 2], text[GAUDI_GDB_PACKET + 1];
	long len = gaudi_gdb_from_hex(p, strlen(p), (uint8_t *)command,
				      sizeof(command) - 1);

	if (len < 0) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return;
	}
	command[len] = 0;
	gaudi_gdb_monitor(gdb, core, command, out, sizeof(out));
	if (!*out) {
		gaudi_gdb_answer(gdb, "OK");
		return;
	}
	gaudi_gdb_to_hex(text, out, strlen(out));
	gaudi_gdb_send(&gdb->link, text, strlen(text));
}

static void answer_threads(struct gaudi_gdb *gdb)
{
	char text[512] = "m";
	int n = 1;

	if (gdb->listed == gdb->threads) {
		gaudi_gdb_answer(gdb, "l");
		return;
	}
	while (gdb->listed < gdb->threads && n < 480)
		n += snprintf(text + n, sizeof(text) - n, "%s%x",
			      n > 1 ? "," : "", ++gdb->listed);
	gaudi_gdb_answer(gdb, "%s", text);
}

static void answer_name(struct gaudi_gdb *gdb, const char *p)
{
	int thread = gaudi_gdb_thread_of(gdb, &p);
	char name[64], text[2 * sizeof(name) + 1];

	if (thread < 0 || *p) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return;
	}
	gdb->ops->hold(gdb->opaque, thread);
	gdb->ops->name(gdb->opaque, thread, name, sizeof(name));
	gdb->ops->release(gdb->opaque, thread);
	gaudi_gdb_to_hex(text, name, strlen(name));
	gaudi_gdb_answer(gdb, "%s", text);
}

/* --- those without a core ----------------------------------------------------- */

static void supported(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		      const char *args)
{
	(void)core;
	(void)args;
	gaudi_gdb_answer(gdb, "PacketSize=%x;qXfer:features:read+;"
			 "vContSupported+;QStartNoAckMode+;swbreak+",
			 GAUDI_GDB_PACKET);
}

static void description(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			const char *args)
{
	const char *range = gaudi_gdb_after(args, "target.xml:");

	(void)core;
	if (range)
		answer_part(gdb, gdb->description, range);
	else
		gaudi_gdb_answer_error(gdb, -ENOENT);
}

static void extra_info(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		       const char *args)
{
	(void)core;
	answer_name(gdb, args);
}

/* To quit is to detach then, not to kill. */
static void attached(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		     const char *args)
{
	(void)core;
	(void)args;
	gaudi_gdb_answer(gdb, "1");
}

static void symbol(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		   const char *args)
{
	(void)core;
	(void)args;
	gaudi_gdb_answer(gdb, "OK");
}

static void current(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		    const char *args)
{
	(void)core;
	(void)args;
	gaudi_gdb_answer(gdb, "QC%x", gdb->current + 1);
}

static void threads_first(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			  const char *args)
{
	(void)core;
	(void)args;
	gdb->listed = 0;
	answer_threads(gdb);
}

static void threads_next(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			 const char *args)
{
	(void)core;
	(void)args;
	answer_threads(gdb);
}

static void no_ack(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		   const char *args)
{
	(void)core;
	(void)args;
	gaudi_gdb_answer(gdb, "OK");
	gdb->link.no_ack = true;
}

void gaudi_gdb_query(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		     const char *p)
{
	static const struct {
		const char *name;
		void (*answer)(struct gaudi_gdb *gdb,
			       struct gaudi_tpc_core *core, const char *args);
	} queries[] = {
		{ "qSupported", supported },
		{ "qXfer:features:read:", description },
		{ "qRcmd,", answer_command },
		{ "qThreadExtraInfo,", extra_info },
		{ "qAttached", attached },
		{ "qSymbol", symbol },
		{ "qfThreadInfo", threads_first },
		{ "qsThreadInfo", threads_next },
		{ "qC", current },
		{ "QStartNoAckMode", no_ack },
	};
	const char *args;
	unsigned int i;

	for (i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		args = gaudi_gdb_after(p, queries[i].name);
		if (!args)
			continue;
		queries[i].answer(gdb, core, args);
		return;
	}
	gaudi_gdb_answer(gdb, "%s", "");
}
