// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Faults on demand: what is armed, when it strikes, and its state as text.
 *
 * Not here: the catalogue (fault_table.c), how a text is read (fault_spec.c),
 * and what a fault does (fault_act.c, fault_hook.c).
 */
#include <stdlib.h>

#include "catalogue.h"
#include "../dma/dma.h"
#include "../snap/snap.h"
#include "../soc/soc.h"
#include "../../../firmware-stub/gaudi_fw_stub.h"

#define MS			1000000ull
/* How soon to try again what is not possible yet. */
#define RETRY_NS		(10 * MS)
/* So many of a storm are done before others get the card. */
#define AT_ONCE			128
#define STORM_PAUSE_NS		MS

static const char *const state_names[] = {
	[GAUDI_FAULT_WAITING] = "waiting",
	[GAUDI_FAULT_ARMED] = "armed",
	[GAUDI_FAULT_DONE] = "done",
};

/* --- time --------------------------------------------------------------------- */

static uint64_t earliest(const struct gaudi_faults *fs)
{
	uint64_t due = UINT64_MAX, ports;
	unsigned int i;

	for (i = 0; fs->fault && i < GAUDI_MAX_FAULTS; i++)
		if (fs->fault[i].state != GAUDI_FAULT_FREE &&
		    fs->fault[i].due_ns < due)
			due = fs->fault[i].due_ns;
	for (i = 0; i < fs->num_msi; i++)
		if (fs->msi[i].due_ns < due)
			due = fs->msi[i].due_ns;
	for (i = 0; i < GAUDI_NUM_DMA; i++)
		if (fs->dma_until_ns[i] && fs->dma_until_ns[i] < due)
			due = fs->dma_until_ns[i];
	if (fs->link_up_ns && fs->link_up_ns < due)
		due = fs->link_up_ns;
	for (i = 0; i < ARRAY_SIZE(fs->throttle_end_ns); i++)
		if (fs->throttle_end_ns[i] && fs->throttle_end_ns[i] < due)
			due = fs->throttle_end_ns[i];
	ports = gaudi_fault_ports_due(fs);
	return ports < due ? ports : due;
}

void gaudi_fault_schedule(struct gaudi_chip *chip)
{
	uint64_t due = earliest(chip->faults), now;

	if (due == UINT64_MAX) {
		gaudi_timer_cancel(chip, &chip->faults->timer);
		return;
	}
	now = gaudi_now_ns(chip);
	gaudi_timer_arm(chip, &chip->faults->timer, due > now ? due - now : 0);
}

static void set_sites(struct gaudi_chip *chip)
{
	struct gaudi_faults *fs = chip->faults;
	const struct gaudi_fault *f;

	chip->fault_sites = (fs->link_up_ns ? 1u << GAUDI_FAULT_LINK : 0) |
			    (gaudi_fault_any_gone(fs) ?
				     1u << GAUDI_FAULT_FRAME : 0);
	for (f = fs->fault; f && f < fs->fault + GAUDI_MAX_FAULTS; f++) {
		if (f->state != GAUDI_FAULT_ARMED)
			continue;
		chip->fault_sites |= 1u << f->site;
		if (gaudi_fault_given(f, GAUDI_FK_JOB))
			chip->fault_sites |= 1u << GAUDI_FAULT_JOB;
	}
	if (!(chip->fault_sites >> GAUDI_FAULT_DMA_END & 1))
		memset(fs->dma_passed, 0, sizeof(fs->dma_passed));
}

static uint64_t after_ms(uint64_t now, uint64_t ms)
{
	return now + ms * MS;
}

/* --- actions -------------------------------------------------------------------- */

static bool used_up(const struct gaudi_fault *f)
{
	if (f->desc->firmware)
		return f->hits;
	return f->value[GAUDI_FK_COUNT] != GAUDI_FAULT_ALL &&
	       f->hits + f->owed >= f->value[GAUDI_FK_COUNT];
}

static void finish_if_used_up(struct gaudi_chip *chip, struct gaudi_fault *f)
{
	if (!used_up(f) || f->owed)
		return;
	f->state = GAUDI_FAULT_DONE;
	f->due_ns = UINT64_MAX;
	set_sites(chip);
}

/*
 * Do what is owed, some of it, and say when to go on. Whatever the card does
 * on the way is no occasion for other faults: they might never come to an end.
 */
static void pay(struct gaudi_chip *chip, struct gaudi_fault *f)
{
	unsigned int n = AT_ONCE;
	int err = 0;

	chip->faults->busy = true;
	while (f->owed && n-- && !err) {
		err = f->desc->act(chip, f, &f->where);
		if (err)
			continue;
		f->owed--;
		f->hits++;
	}
	chip->faults->busy = false;
	if (f->owed)
		f->due_ns = gaudi_now_ns(chip) +
			    (err ? RETRY_NS : STORM_PAUSE_NS);
	finish_if_used_up(chip, f);
}

/* The time of a fault has come. */
static void due(struct gaudi_chip *chip, struct gaudi_fault *f, uint64_t now)
{
	f->due_ns = UINT64_MAX;
	if (f->owed) {
		pay(chip, f);
	} else if (f->site != GAUDI_FAULT_NOW) {
		f->state = GAUDI_FAULT_ARMED;
		set_sites(chip);
	} else if (f->desc->firmware ||
		   f->value[GAUDI_FK_COUNT] == GAUDI_FAULT_ALL ||
		   gaudi_fault_given(f, GAUDI_FK_EVERY_MS)) {
		f->state = GAUDI_FAULT_ARMED;
		f->owed = 1;
		pay(chip, f);
	} else {
		f->state = GAUDI_FAULT_ARMED;
		f->owed = f->value[GAUDI_FK_COUNT];
		pay(chip, f);
	}
	/* One of several by time. */
	if (f->state == GAUDI_FAULT_ARMED && f->site == GAUDI_FAULT_NOW &&
	    f->due_ns == UINT64_MAX)
		f->due_ns = gaudi_fault_given(f, GAUDI_FK_EVERY_MS) ?
			    after_ms(now, f->value[GAUDI_FK_EVERY_MS]) :
			    now + STORM_PAUSE_NS;
}

static void late_msis(struct gaudi_chip *chip, uint64_t now)
{
	struct gaudi_faults *fs = chip->faults;
	unsigned int i, kept = 0;

	for (i = 0; i < fs->num_msi; i++) {
		if (fs->msi[i].due_ns > now)
			fs->msi[kept++] = fs->msi[i];
		else
			chip->outbox.msi |= 1u << fs->msi[i].vector;
	}
	fs->num_msi = kept;
}

static void late_dmas(struct gaudi_chip *chip, uint64_t now)
{
	struct gaudi_faults *fs = chip->faults;
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_DMA; i++) {
		if (!fs->dma_until_ns[i] || fs->dma_until_ns[i] > now)
			continue;
		fs->dma_until_ns[i] = 0;
		fs->dma_passed[i] = chip->fault_sites >> GAUDI_FAULT_DMA_END & 1;
		gaudi_dma_release(chip, i);
	}
}

static void throttles_end(struct gaudi_chip *chip, uint64_t now)
{
	uint64_t *end = chip->faults->throttle_end_ns;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!end[i] || end[i] > now)
			continue;
		end[i] = 0;
		gaudi_fw_throttle(gaudi_cpu_firmware(chip), i, false);
	}
}

static void link_up(struct gaudi_chip *chip)
{
	chip->faults->link_up_ns = 0;
	chip->outbox.host_faults |= 1u << GAUDI_HOST_LINK_UP;
	set_sites(chip);
}

static void on_timer(struct gaudi_chip *chip, void *arg)
{
	struct gaudi_faults *fs = chip->faults;
	uint64_t now = gaudi_now_ns(chip);
	struct gaudi_fault *f;

	(void)arg;
	for (f = fs->fault; f && f < fs->fault + GAUDI_MAX_FAULTS; f++)
		if (f->state != GAUDI_FAULT_FREE && f->due_ns <= now)
			due(chip, f, now);
	late_msis(chip, now);
	late_dmas(chip, now);
	throttles_end(chip, now);
	gaudi_fault_ports_end(chip, now);
	if (fs->link_up_ns && fs->link_up_ns <= now)
		link_up(chip);
	set_sites(chip);
	gaudi_fault_schedule(chip);
}

/* --- what passes by --------------------------------------------------------------- */

static bool matches(const struct gaudi_fault *f,
		    const struct gaudi_fault_place *at)
{
	const uint64_t *v = f->value;

	if (gaudi_fault_given(f, GAUDI_FK_QUEUE) &&
	    at->queue != (int)v[GAUDI_FK_QUEUE])
		return false;
	if (gaudi_fault_given(f, GAUDI_FK_STREAM) &&
	    at->stream != (int)v[GAUDI_FK_STREAM])
		return false;
	/* The lower CP works for the streams: it is meant only by its number. */
	if (gaudi_fault_given(f, GAUDI_FK_JOB) &&
	    f->site != GAUDI_FAULT_JOB &&
	    (!f->in_job || (at->stream != f->job_stream &&
			    at->stream != GAUDI_NUM_STREAMS)))
		return false;
	if (gaudi_fault_given(f, GAUDI_FK_ADDR) &&
	    (at->addr > v[GAUDI_FK_ADDR] + (v[GAUDI_FK_SIZE] - 1) ||
	     at->addr + (at->size - 1) < v[GAUDI_FK_ADDR]))
		return false;
	if (gaudi_fault_given(f, GAUDI_FK_VECTOR) &&
	    at->number != v[GAUDI_FK_VECTOR])
		return false;
	if (f->site == GAUDI_FAULT_FRAME || f->site == GAUDI_FAULT_CQ)
		return gaudi_fault_port_matches(f, at);
	return !gaudi_fault_given(f, GAUDI_FK_FENCE) ||
	       at->number == v[GAUDI_FK_FENCE];
}

/* A number like a random one: the next after the seed, splitmix64. */
static uint64_t next_random(struct gaudi_fault *f)
{
	uint64_t x = f->random += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static bool by_chance(struct gaudi_fault *f)
{
	return !gaudi_fault_given(f, GAUDI_FK_PPM) ||
	       next_random(f) % 1000000 < f->value[GAUDI_FK_PPM];
}

/* Counts one that matches; true: this is it. */
static bool tick(struct gaudi_fault *f)
{
	uint64_t n = f->seen++;

	if (n < f->value[GAUDI_FK_AFTER])
		return false;
	n = n - f->value[GAUDI_FK_AFTER] + 1;
	return n % f->value[GAUDI_FK_EVERY] == 0 && !used_up(f) &&
	       by_chance(f);
}

/* Into the record; what happens by itself is seen there by what it does. */
static void note(struct gaudi_chip *chip, const struct gaudi_fault_desc *d,
		 const struct gaudi_fault_place *at)
{
	unsigned int cp = at->stream < 0 ? 7 : at->stream;

	gaudi_trace(chip, GAUDI_TRACE_FAULT, d - gaudi_fault_table,
		    at->size ? at->addr : at->number,
		    at->queue < 0 ? 0 : at->queue * 8 + cp + 1, 0);
}

void gaudi_fault_on_firmware(struct gaudi_chip *chip, unsigned int what,
			     unsigned int command)
{
	const struct gaudi_fault_place at = {
		.queue = -1, .stream = -1, .number = command,
	};
	const struct gaudi_fault_desc *d;
	size_t row;

	/* The last one of a kind says the most general thing. */
	for (row = gaudi_fault_table_size; row--;) {
		d = &gaudi_fault_table[row];
		if (!d->firmware || d->arg != what)
			continue;
		note(chip, d, &at);
		return;
	}
}

const struct gaudi_fault *
gaudi_fault_strike(struct gaudi_chip *chip, enum gaudi_fault_site site,
		   const struct gaudi_fault_place *at)
{
	struct gaudi_faults *fs = chip->faults;
	struct gaudi_fault *f;

	for (f = fs->fault; f < fs->fault + GAUDI_MAX_FAULTS; f++) {
		if (fs->busy || f->state != GAUDI_FAULT_ARMED ||
		    f->site != site || !matches(f, at) || !tick(f))
			continue;
		if (f->desc->act) {
			f->owed++;
			f->where = *at;
			pay(chip, f);
			gaudi_fault_schedule(chip);
			continue;
		}
		f->hits++;
		note(chip, f->desc, at);
		finish_if_used_up(chip, f);
		return f;
	}
	return NULL;
}

void gaudi_fault_job(struct gaudi_chip *chip, unsigned int qman,
		     unsigned int cp)
{
	struct gaudi_faults *fs = chip->faults;
	struct gaudi_fault *f;
	bool meant;

	for (f = fs->fault; f < fs->fault + GAUDI_MAX_FAULTS; f++) {
		if (fs->busy || f->state != GAUDI_FAULT_ARMED ||
		    !gaudi_fault_given(f, GAUDI_FK_JOB) ||
		    f->value[GAUDI_FK_QUEUE] != qman)
			continue;
		meant = gaudi_fault_given(f, GAUDI_FK_STREAM) ?
			cp == f->value[GAUDI_FK_STREAM] :
			cp < GAUDI_NUM_STREAMS;
		if (!meant)
			continue;
		if (f->in_job && f->job_stream == cp)
			f->in_job = false;
		if (++f->jobs != f->value[GAUDI_FK_JOB])
			continue;
		f->in_job = true;
		f->job_stream = cp;
		if (!f->desc->act)
			continue;
		f->seen++;
		f->owed = f->value[GAUDI_FK_COUNT] == GAUDI_FAULT_ALL ? 1 :
			  f->value[GAUDI_FK_COUNT];
		f->where = (struct gaudi_fault_place){
			.queue = qman, .stream = cp,
		};
		pay(chip, f);
		gaudi_fault_schedule(chip);
	}
}

/* --- arming ------------------------------------------------------------------------- */

/* A free place, or that of what ended longest ago. NULL: all are in use. */
static struct gaudi_fault *take_place(struct gaudi_faults *fs)
{
	struct gaudi_fault *f, *best = NULL;

	for (f = fs->fault; f < fs->fault + GAUDI_MAX_FAULTS; f++) {
		if (f->state == GAUDI_FAULT_FREE)
			return f;
		if (f->state == GAUDI_FAULT_DONE &&
		    (!best || f->order < best->order))
			best = f;
	}
	return best;
}

static void arm(struct gaudi_chip *chip, struct gaudi_fault *f)
{
	uint64_t now = gaudi_now_ns(chip);

	f->order = chip->faults->order++;
	f->due_ns = after_ms(now, f->value[GAUDI_FK_AT_MS]);
	f->state = GAUDI_FAULT_WAITING;
	gaudi_log(chip, GAUDI_LOG_INFO, "fault armed: %s", f->spec);
	if (f->due_ns <= now)
		due(chip, f, now);
	gaudi_fault_schedule(chip);
}

static int inject(struct gaudi_chip *chip, const struct gaudi_fault *f,
		  char *err, size_t len)
{
	struct gaudi_faults *fs = chip->faults;
	struct gaudi_fault *place;

	if (!fs->fault)
		fs->fault = calloc(GAUDI_MAX_FAULTS, sizeof(*fs->fault));
	if (!fs->fault) {
		snprintf(err, len, "no memory");
		return -ENOMEM;
	}
	place = take_place(fs);
	if (!place) {
		snprintf(err, len, "%u faults are armed already",
			 GAUDI_MAX_FAULTS);
		return -ENOSPC;
	}
	*place = *f;
	arm(chip, place);
	return 0;
}

int gaudi_chip_inject(struct gaudi_chip *chip, const char *spec, char *err,
		      size_t len)
{
	struct gaudi_fault f;
	int rc = gaudi_fault_parse(spec, &f, err, len);

	if (rc)
		return rc;
	gaudi_call_data(chip->calls, GAUDI_CALL_INJECT, 0, 0, spec,
			strlen(spec));
	gaudi_chip_lock(chip);
	gaudi_actors_begin(chip);
	rc = inject(chip, &f, err, len);
	gaudi_actors_end(chip);
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, (uint32_t)rc);
	return rc;
}

void gaudi_chip_faults_clear(struct gaudi_chip *chip)
{
	struct gaudi_faults *fs = chip->faults;

	gaudi_call_begin(chip->calls, GAUDI_CALL_FAULTS_CLEAR, 0, 0, 0, 0);
	gaudi_chip_lock(chip);
	gaudi_actors_begin(chip);
	if (fs->fault)
		memset(fs->fault, 0, GAUDI_MAX_FAULTS * sizeof(*fs->fault));
	gaudi_fw_fault_clear(gaudi_cpu_firmware(chip), GAUDI_FW_NUM_FAULTS);
	late_msis(chip, UINT64_MAX);
	late_dmas(chip, UINT64_MAX);
	throttles_end(chip, UINT64_MAX);
	gaudi_fault_ports_end(chip, UINT64_MAX);
	if (fs->link_up_ns)
		link_up(chip);
	set_sites(chip);
	gaudi_fault_schedule(chip);
	gaudi_actors_end(chip);
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, 0);
}

void gaudi_fault_rearm(struct gaudi_chip *chip)
{
	struct gaudi_faults *fs = chip->faults;
	struct gaudi_fault *f;

	fs->num_msi = 0;
	memset(fs->dma_until_ns, 0, sizeof(fs->dma_until_ns));
	memset(fs->dma_passed, 0, sizeof(fs->dma_passed));
	memset(fs->throttle_end_ns, 0, sizeof(fs->throttle_end_ns));
	for (f = fs->fault; f && f < fs->fault + GAUDI_MAX_FAULTS; f++)
		f->in_job = false;
	gaudi_fault_schedule(chip);
}

void gaudi_fault_snap(struct gaudi_snap *s)
{
	const struct gaudi_faults *fs = s->chip->faults;
	const struct gaudi_fault *f;

	if (s->load)
		return;
	for (f = fs->fault; f && f < fs->fault + GAUDI_MAX_FAULTS; f++)
		if (f->state == GAUDI_FAULT_ARMED ||
		    f->state == GAUDI_FAULT_WAITING)
			gaudi_snap_refuse(s, "the fault \"%s\" is %s", f->spec,
					  state_names[f->state]);
	if (earliest(fs) != UINT64_MAX)
		gaudi_snap_refuse(s, "what a fault has done is not over yet");
}

int gaudi_fault_init(struct gaudi_chip *chip)
{
	chip->faults = calloc(1, sizeof(*chip->faults));
	if (!chip->faults)
		return -ENOMEM;
	chip->faults->timer.fn = on_timer;
	chip->fault_hooks = &gaudi_fault_hooks;
	return 0;
}

void gaudi_fault_fini(struct gaudi_chip *chip)
{
	if (chip->faults)
		free(chip->faults->fault);
	free(chip->faults);
}

/* --- state as text -------------------------------------------------------------------- */

static const struct gaudi_fault *next_in_order(const struct gaudi_faults *fs,
					       const struct gaudi_fault *last)
{
	const struct gaudi_fault *f, *best = NULL;

	for (f = fs->fault; f && f < fs->fault + GAUDI_MAX_FAULTS; f++)
		if (f->state != GAUDI_FAULT_FREE &&
		    (!last || f->order > last->order) &&
		    (!best || f->order < best->order))
			best = f;
	return best;
}

int gaudi_chip_faults_print(struct gaudi_chip *chip, FILE *out)
{
	const struct gaudi_fault *f = NULL;
	const char *comma = "";

	gaudi_chip_lock(chip);
	fputs("[", out);
	while ((f = next_in_order(chip->faults, f))) {
		fprintf(out, "%s\n  { \"fault\": \"%s\", \"state\": \"%s\", "
			"\"seen\": %llu, \"hits\": %llu }", comma, f->spec,
			state_names[f->state], (unsigned long long)f->seen,
			(unsigned long long)f->hits);
		comma = ",";
	}
	fputs("\n]\n", out);
	gaudi_chip_unlock(chip);
	return ferror(out) ? -EIO : 0;
}

static void print_keys(FILE *out, const struct gaudi_fault_desc *d)
{
	uint64_t keys = d->keys | GAUDI_FKB(AT_MS) | GAUDI_FKB(COUNT);
	const char *comma = "";
	unsigned int k;

	for (k = 0; k < GAUDI_FAULT_KEYS; k++) {
		if (!(keys >> k & 1))
			continue;
		fprintf(out, "%s\"%s\"", comma, gaudi_fault_keys[k].name);
		comma = ", ";
	}
}

int gaudi_chip_faults_catalogue(FILE *out)
{
	const struct gaudi_fault_desc *d;
	size_t i;

	fputs("[", out);
	for (i = 0; i < gaudi_fault_table_size; i++) {
		d = &gaudi_fault_table[i];
		fprintf(out, "%s\n  { \"name\": \"%s\", \"help\": \"%s\", "
			"\"keys\": [", i ? "," : "", d->name, d->help);
		print_keys(out, d);
		fputs("] }", out);
	}
	fputs("\n]\n", out);
	return ferror(out) ? -EIO : 0;
}
