// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Entries and events in words; see replay.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../uapi/hw/gaudi_map.h"
#include "../../../uapi/hw/gaudi_packets.h"
#include "../../chip/queues/queues.h"
#include "../../chip/regs/regs.h"
#include "replay.h"

/* " 0x10 0x4", or with the name of the register. */
static void print_place(char *to, size_t len, const struct gaudi_chip *chip,
			const uint64_t *arg)
{
	char name[64];

	if (chip && arg[0] == GAUDI_BAR_CFG && arg[1] >= GAUDI_BAR_CFG_REGS &&
	    arg[1] < GAUDI_BAR_CFG_SIZE)
		snprintf(to, len, " of %s",
			 gaudi_reg_name(chip, arg[1] - GAUDI_BAR_CFG_REGS, name,
					sizeof(name)));
	else
		snprintf(to, len, " at BAR %" PRIu64 " + %#" PRIx64, arg[0],
			 arg[1]);
}

static void print_args(char *to, size_t len,
		       const struct gaudi_journal_entry *e)
{
	size_t n = 0;

	for (unsigned int i = 0; i < gaudi_journal_args(e->kind) && n < len; i++)
		n += snprintf(to + n, len - n, " %#" PRIx64, e->arg[i]);
}

void replay_print(char *to, size_t len, const struct gaudi_chip *chip,
		  const struct gaudi_journal_entry *e)
{
	const char *kind = gaudi_journal_name(e->kind);
	char rest[256] = "";

	switch (e->kind) {
	case GAUDI_CALL_BAR_READ:
	case GAUDI_CALL_BAR_WRITE:
	case GAUDI_CALL_BAR_COPY:
		print_place(rest, sizeof(rest), chip, e->arg);
		break;
	case GAUDI_JOURNAL_DMA_READ:
	case GAUDI_JOURNAL_DMA_WRITE:
		snprintf(rest, sizeof(rest), " of %" PRIu64 " bytes at %#" PRIx64,
			 e->arg[1], e->arg[0]);
		break;
	default:
		print_args(rest, sizeof(rest), e);
	}
	snprintf(to, len, "card %u: %s%s", e->card, kind, rest);
	if (e->kind == GAUDI_CALL_BAR_WRITE)
		snprintf(to + strlen(to), len - strlen(to), " = %#" PRIx64,
			 e->arg[3]);
}

/* --- events ------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum gaudi_trace_kind kind;
	bool named;			/* its value is a name */
} events[] = {
	{ "packet", GAUDI_TRACE_PACKET, true },
	{ "reg", GAUDI_TRACE_REG_WRITE, true },
	{ "event", GAUDI_TRACE_EVENT, false },
	{ "msi", GAUDI_TRACE_MSI, false },
	{ "reset", GAUDI_TRACE_RESET, false },
};

static bool is_packet(const char *name)
{
	for (unsigned int op = 0; op < 32; op++)
		if (gaudi_packet_name(op) && !strcmp(gaudi_packet_name(op), name))
			return true;
	return false;
}

bool replay_break_parse(const char *text, struct replay_break *at)
{
	size_t len = strcspn(text, "=");
	const char *value = text[len] ? text + len + 1 : "";
	char *end;

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strncmp(text, events[i].name, len) ||
		    events[i].name[len])
			continue;
		at->kind = events[i].kind;
		if (at->kind == GAUDI_TRACE_RESET)
			return !*value;
		if (at->kind == GAUDI_TRACE_PACKET && !is_packet(value))
			return false;
		snprintf(at->name, sizeof(at->name), "%s", value);
		at->value = strtoull(value, &end, 0);
		return *value && (events[i].named || !*end);
	}
	return false;
}

static bool is_it(const struct replay_break *at, const struct gaudi_chip *chip,
		  const struct gaudi_record *e)
{
	uint32_t op = FIELD_GET(GAUDI_PKT_CTL_OPCODE, e->value >> 32);
	const char *name;
	char reg[64];

	if (e->kind != at->kind)
		return false;
	switch (at->kind) {
	case GAUDI_TRACE_PACKET:
		name = gaudi_packet_name(op);
		return name && !strcmp(name, at->name);
	case GAUDI_TRACE_REG_WRITE:
		return !strcmp(gaudi_reg_name(chip, e->addr, reg, sizeof(reg)),
			       at->name);
	case GAUDI_TRACE_RESET:
		return true;
	default:
		return e->value == at->value;
	}
}

const struct gaudi_record *replay_break_find(const struct replay_break *at,
					     const struct gaudi_chip *chip,
					     uint64_t from)
{
	const struct gaudi_recorder *r = &chip->recorder;

	if (r->next - from > r->mask)
		from = r->next - r->mask;
	for (; r->mask && from < r->next; from++)
		if (is_it(at, chip, &r->ring[from & r->mask]))
			return &r->ring[from & r->mask];
	return NULL;
}
