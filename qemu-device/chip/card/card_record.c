// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The flight recorder's ring is made here, and becomes a file: a line of JSON that
 * says what its numbers mean, then the events, oldest first. Documentation/record.rst
 * describes it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "card.h"
#include "../fault/fault.h"
#include "../queues/queues.h"
#include "../regs/regs.h"

#define VERSION		1
#define DEFAULT_EVENTS	65536
#define MOST_EVENTS	(1u << 26)	/* 2 GiB */
#define MOST_KERNELS	1024
/* Of a kernel's code: all that libgaudi has are shorter. */
#define CODE_STEP	256
#define CODE_STEPS	80
#define CLOCK_READINGS	5

/* --- the ring ------------------------------------------------------------- */

/*
 * Both clocks at one moment: the first reading of a process's takes microseconds, and another one may
 * be interrupted, so of several the shortest counts.
 */
static void read_clocks(uint64_t *ticks, uint64_t *ns)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < CLOCK_READINGS; i++) {
		uint64_t before = gaudi_ticks();
		uint64_t now = gaudi_real_ns();
		uint64_t took = gaudi_ticks() - before;

		if (took >= least)
			continue;
		least = took;
		*ticks = before + took / 2;
		*ns = now;
	}
}

int gaudi_record_init(struct gaudi_recorder *recorder, uint32_t events)
{
	uint64_t places = 1;

	if (!events)
		events = DEFAULT_EVENTS;
	recorder->ring = &recorder->none;
	read_clocks(&recorder->ticks0, &recorder->ns0);
	if (events > MOST_EVENTS)
		return -EINVAL;
	while (places < events)
		places *= 2;
	if (places == 1)
		return 0;
	/* Pages that no event has reached yet cost nothing. */
	recorder->ring = gaudi_zeros_new(places * sizeof(*recorder->ring));
	if (!recorder->ring) {
		recorder->ring = &recorder->none;
		return -ENOMEM;
	}
	recorder->mask = places - 1;
	return 0;
}

void gaudi_record_fini(struct gaudi_recorder *recorder)
{
	if (recorder->ring != &recorder->none)
		gaudi_zeros_free(recorder->ring, (recorder->mask + 1) *
						 sizeof(*recorder->ring));
}

/* --- the file ------------------------------------------------------------- */

static const char *const kinds[GAUDI_TRACE_KINDS] = {
	[GAUDI_TRACE_REG_READ] = "reg-read",
	[GAUDI_TRACE_REG_WRITE] = "reg-write",
	[GAUDI_TRACE_PACKET] = "packet",
	[GAUDI_TRACE_DMA] = "dma",
	[GAUDI_TRACE_EVENT] = "event",
	[GAUDI_TRACE_MSI] = "msi",
	[GAUDI_TRACE_RESET] = "reset",
	[GAUDI_TRACE_TURN] = "turn",
	[GAUDI_TRACE_WAIT] = "wait",
	[GAUDI_TRACE_FENCE] = "fence",
	[GAUDI_TRACE_SOB] = "sob",
	[GAUDI_TRACE_ARM] = "arm",
	[GAUDI_TRACE_FIRE] = "fire",
	[GAUDI_TRACE_START] = "start",
	[GAUDI_TRACE_END] = "end",
	[GAUDI_TRACE_LINK] = "link",
	[GAUDI_TRACE_BUFFER] = "buffer",
	[GAUDI_TRACE_FAULT] = "fault",
	[GAUDI_TRACE_BELL] = "bell",
	[GAUDI_TRACE_SEND] = "send",
	[GAUDI_TRACE_RECEIVE] = "receive",
};

/* What is written of a card, taken at one moment. */
struct copy {
	struct gaudi_record *event;
	uint64_t num;
	uint64_t lost;
	uint64_t ticks0, ns0, ticks, ns;
	char *state;			/* JSON */
	size_t state_len;
};

/* Lock held. */
static void copy_ring(struct gaudi_chip *chip, struct copy *copy)
{
	const struct gaudi_recorder *r = &chip->recorder;
	uint64_t i;

	copy->num = r->next < r->mask + 1 ? r->next : r->mask + 1;
	if (!r->mask)
		copy->num = 0;
	copy->lost = r->next - copy->num;
	for (i = 0; i < copy->num; i++)
		copy->event[i] = r->ring[(copy->lost + i) & r->mask];
	if (chip->clock.on) {
		/* The model's nanoseconds, both. */
		copy->ticks = copy->ns = chip->clock.told_ps / 1000 + 1;
		return;
	}
	copy->ticks0 = r->ticks0;
	copy->ns0 = r->ns0;
	read_clocks(&copy->ticks, &copy->ns);
}

static void copy_free(struct copy *copy)
{
	free(copy->event);
	free(copy->state);
}

/* 0 or -ENOMEM. */
static int copy_take(struct gaudi_chip *chip, struct copy *copy)
{
	FILE *state;
	int err = 0;

	*copy = (struct copy) {
		.event = calloc(chip->recorder.mask + 1, sizeof(*copy->event)),
	};
	state = open_memstream(&copy->state, &copy->state_len);
	if (!copy->event || !state) {
		err = -ENOMEM;
	} else {
		gaudi_chip_lock(chip);
		copy_ring(chip, copy);
		gaudi_card_state(chip, state);
		gaudi_chip_unlock(chip);
	}
	if (state && fclose(state))
		err = -ENOMEM;
	if (err)
		copy_free(copy);
	return err;
}

static int compare_offsets(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The register that an event names. False: it names none. */
static bool names_register(const struct gaudi_record *e, uint32_t *off)
{
	uint64_t addr = e->addr;

	if (e->kind == GAUDI_TRACE_FIRE)
		addr = e->value - GAUDI_CFG_BASE;
	else if (e->kind == GAUDI_TRACE_FAULT)
		addr -= GAUDI_CFG_BASE;
	else if (e->kind > GAUDI_TRACE_REG_WRITE)
		return false;
	*off = addr;
	return addr < GAUDI_CFG_SIZE;
}

/* 0 or -ENOMEM. */
static int write_registers(const struct gaudi_chip *chip,
			   const struct copy *copy, FILE *out)
{
	uint32_t *off = calloc(copy->num + 1, sizeof(*off)), last = UINT32_MAX;
	const char *comma = "";
	char name[64];
	uint64_t i, n = 0;

	if (!off)
		return -ENOMEM;
	for (i = 0; i < copy->num; i++)
		n += names_register(&copy->event[i], &off[n]);
	qsort(off, n, sizeof(*off), compare_offsets);
	fputs("\"registers\": {", out);
	for (i = 0; i < n; i++) {
		if (off[i] == last)
			continue;
		last = off[i];
		fprintf(out, "%s\"%" PRIu32 "\": \"%s\"", comma, last,
			gaudi_reg_name(chip, last, name, sizeof(name)));
		comma = ", ";
	}
	putc('}', out);
	free(off);
	return 0;
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Digests of all beginnings of the code at an address, in steps, as far as there is HBM. */
static void write_digests(const uint8_t *hbm, uint64_t size, uint64_t at,
			  FILE *out)
{
	uint32_t digest = 0;
	unsigned int i;

	for (i = 0; i < CODE_STEPS && at + CODE_STEP <= size; i++) {
		digest = crc32_z(digest, hbm + at, CODE_STEP);
		fprintf(out, "%08" PRIx32, digest);
		at += CODE_STEP;
	}
}

/* By which whoever has the kernels' objects can name them. 0 or -ENOMEM. */
static int write_kernels(struct gaudi_chip *chip, const struct copy *copy,
			 FILE *out)
{
	uint64_t *at = calloc(copy->num + 1, sizeof(*at)), i, n = 0, size;
	const uint8_t *hbm = gaudi_chip_hbm(chip, &size, NULL);
	unsigned int written = 0;

	if (!at)
		return -ENOMEM;
	for (i = 0; i < copy->num; i++)
		if (copy->event[i].kind == GAUDI_TRACE_START &&
		    copy->event[i].value - GAUDI_HBM_BASE < size)
			at[n++] = copy->event[i].value;
	qsort(at, n, sizeof(*at), compare_addresses);
	fputs("\"kernels\": {", out);
	for (i = 0; i < n && written < MOST_KERNELS; i++) {
		if (i && at[i] == at[i - 1])
			continue;
		fprintf(out, "%s\"%" PRIu64 "\": \"", written++ ? ", " : "",
			at[i]);
		write_digests(hbm, size, at[i] - GAUDI_HBM_BASE, out);
		putc('"', out);
	}
	fputs("}, ", out);
	free(at);
	return 0;
}

/* "what": [...], of the names from 0 on. */
static void write_names(FILE *out, const char *what, unsigned int num,
			const char *(*name)(unsigned int n))
{
	unsigned int i;

	fprintf(out, "\"%s\": [", what);
	for (i = 0; i < num; i++)
		fprintf(out, "%s\"%s\"", i ? ", " : "", name(i) ? name(i) : "");
	fputs("], ", out);
}

static const char *kind_name(unsigned int kind)
{
	return kinds[kind];
}

static void write_engines(FILE *out)
{
	unsigned int i;

	fputs("\"engines\": [", out);
	for (i = 0; i < GAUDI_QMAN_TPC + GAUDI_NUM_TPC; i++) {
		if (i >= GAUDI_QMAN_TPC)
			fprintf(out, ", \"TPC%u\"", i - GAUDI_QMAN_TPC);
		else if (i >= GAUDI_QMAN_NIC)
			fprintf(out, ", \"NIC%u\"", i - GAUDI_QMAN_NIC);
		else if (i >= GAUDI_QMAN_MME0)
			fprintf(out, ", \"MME%u\"", 2 * (i - GAUDI_QMAN_MME0));
		else
			fprintf(out, "%s\"DMA%u\"", i ? ", " : "", i);
	}
	fputs("], ", out);
}

static int write_header(struct gaudi_chip *chip, const struct copy *copy,
			FILE *out)
{
	const struct gaudi_sched *s = &chip->sched;
	unsigned int i;
	int err;

	fprintf(out, "{\"gaudi-record\": %d, \"module_id\": %" PRIu32
		", \"process\": %d, \"events\": %" PRIu64 ", \"lost\": %" PRIu64
		", \"clock\": [[%" PRIu64 ", %" PRIu64 "], [%" PRIu64
		", %" PRIu64 "]], \"timing\": %s, ", VERSION, chip->config.module_id, getpid(),
		copy->num, copy->lost, copy->ticks0, copy->ns0, copy->ticks, copy->ns,
		chip->clock.on ? "true" : "false");
	write_names(out, "kinds", GAUDI_TRACE_KINDS, kind_name);
	write_names(out, "packets", 32, gaudi_packet_name);
	write_names(out, "waits", 8, gaudi_wait_name);
	write_names(out, "faults", gaudi_fault_table_size, gaudi_fault_name);
	write_engines(out);
	fputs("\"actors\": [", out);
	for (i = 0; i < s->num_actors; i++)
		fprintf(out, "%s\"%s\"", i ? ", " : "", s->actor[i]->name);
	fprintf(out, "], \"state\": %s, ", copy->state);
	err = write_kernels(chip, copy, out);
	if (!err)
		err = write_registers(chip, copy, out);
	fputs("}\n", out);
	return err;
}

uint64_t gaudi_chip_recorded(struct gaudi_chip *chip)
{
	uint64_t events;

	gaudi_chip_lock(chip);
	events = chip->recorder.next;
	gaudi_chip_unlock(chip);
	return events;
}

int gaudi_chip_record(struct gaudi_chip *chip, FILE *out)
{
	struct copy copy;
	int err = copy_take(chip, &copy);

	if (err)
		return err;
	err = write_header(chip, &copy, out);
	if (!err)
		fwrite(copy.event, sizeof(*copy.event), copy.num, out);
	copy_free(&copy);
	if (!err && ferror(out))
		err = -EIO;
	return err;
}
