// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A model of time; see timing.h. */
#include <stdlib.h>

#include "timing.h"

/* How finely HBM's time is shared, and how far back. */
#define SLICE_PS		1000000ull
#define SLICES			65536u

/* What many use at the same time. */
struct shared {
	unsigned int mb_per_s;
	/* of each slice: which one it is, and how many bytes of it are taken */
	uint64_t slice[SLICES];
	uint32_t taken[SLICES];
};

struct gaudi_timing {
	struct shared hbm, host_read, host_write;
};

const struct gaudi_rate gaudi_rates[] = {
#define RATE(name, value, unit, what, source)	\
	{ #name, value, unit, what, source },
#include "rates.def"
#undef RATE
	{ NULL },
};

int gaudi_timing_init(struct gaudi_chip *chip)
{
	if (!chip->config.timing)
		return 0;
	chip->timing = calloc(1, sizeof(*chip->timing));
	if (!chip->timing)
		return -ENOMEM;
	chip->timing->hbm.mb_per_s = GAUDI_RATE_HBM;
	chip->timing->host_read.mb_per_s = GAUDI_RATE_PCIE;
	chip->timing->host_write.mb_per_s = GAUDI_RATE_PCIE;
	chip->clock.on = true;
	return 0;
}

void gaudi_timing_fini(struct gaudi_chip *chip)
{
	free(chip->timing);
}

/* --- jobs ------------------------------------------------------------------- */

typedef unsigned __int128 u128;

uint64_t gaudi_bytes_ps(uint64_t bytes, unsigned int mb_per_s)
{
	return (u128)bytes * 1000000 / mb_per_s;
}

static uint64_t ps_bytes(uint64_t ps, unsigned int mb_per_s)
{
	return (u128)ps * mb_per_s / 1000000;
}

/* A slice that was long ago may be another one by now, and is not booked. */
static uint32_t *taken_of(struct shared *s, uint64_t slice)
{
	uint64_t *is = &s->slice[slice % SLICES];

	if (*is > slice)
		return NULL;
	if (*is < slice) {
		*is = slice;
		s->taken[slice % SLICES] = 0;
	}
	return &s->taken[slice % SLICES];
}

static uint64_t until(struct shared *s, uint64_t from_ps, uint64_t bytes,
		      unsigned int mb_per_s)
{
	uint64_t all = ps_bytes(SLICE_PS, s->mb_per_s), ps = from_ps, end, most;
	uint32_t *taken;

	/* What takes longer than all that is known of has it alone. */
	if (gaudi_bytes_ps(bytes, mb_per_s) > SLICES / 2 * SLICE_PS)
		return from_ps + gaudi_bytes_ps(bytes, mb_per_s);
	while (bytes) {
		end = (ps / SLICE_PS + 1) * SLICE_PS;
		most = ps_bytes(end - ps, mb_per_s);
		if (most > bytes)
			most = bytes;
		taken = taken_of(s, ps / SLICE_PS);
		if (taken && most <= all - *taken)
			*taken += most;
		else if (taken) {
			most = all - *taken;
			*taken = all;
		}
		bytes -= most;
		/* At its own rate to the end, or to that of the slice. */
		ps = bytes ? end : ps + gaudi_bytes_ps(most, mb_per_s);
	}
	return ps;
}

uint64_t gaudi_hbm_until(struct gaudi_chip *chip, uint64_t from_ps,
			 uint64_t bytes, unsigned int mb_per_s)
{
	return until(&chip->timing->hbm, from_ps, bytes, mb_per_s);
}

uint64_t gaudi_pcie_until(struct gaudi_chip *chip, uint64_t from_ps,
			  uint64_t bytes, bool write)
{
	return until(write ? &chip->timing->host_write :
			     &chip->timing->host_read,
		     from_ps, bytes, GAUDI_RATE_PCIE);
}

void gaudi_jobs_give(struct gaudi_chip *chip, struct gaudi_jobs *jobs)
{
	unsigned int slot = jobs->given++ % jobs->depth;

	gaudi_not_before(chip, jobs->end_ps[slot]);
	jobs->given_ps[slot] = chip->clock.at_ps;
}

uint64_t gaudi_jobs_begin(const struct gaudi_jobs *jobs)
{
	uint64_t given = jobs->given_ps[jobs->done % jobs->depth];

	return given > jobs->free_ps ? given : jobs->free_ps;
}

void gaudi_jobs_end(struct gaudi_jobs *jobs, uint64_t ps)
{
	jobs->end_ps[jobs->done++ % jobs->depth] = ps;
	jobs->free_ps = ps;
}

/* --- what others wait for --------------------------------------------------- */

void gaudi_steps_set(struct gaudi_steps *s, int32_t amount, uint64_t ps)
{
	s->base = amount;
	s->base_ps = ps;
	s->num = 0;
}

static void drop_first(struct gaudi_steps *s)
{
	memmove(s->step, s->step + 1, --s->num * sizeof(s->step[0]));
}

/* The earliest step becomes part of the base. */
static void fold(struct gaudi_steps *s)
{
	s->base += s->step[0].add;
	if (s->base_ps < s->step[0].ps)
		s->base_ps = s->step[0].ps;
	drop_first(s);
}

void gaudi_steps_add(struct gaudi_steps *s, int32_t amount, uint64_t ps)
{
	unsigned int i;

	for (i = 0; i < s->num; i++) {
		if (s->step[i].ps != ps)
			continue;
		s->step[i].add += amount;
		return;
	}
	if (s->num == GAUDI_STEPS)
		fold(s);
	for (i = s->num++; i && s->step[i - 1].ps > ps; i--)
		s->step[i] = s->step[i - 1];
	s->step[i].ps = ps;
	s->step[i].add = amount;
}

void gaudi_steps_take(struct gaudi_steps *s, int32_t amount)
{
	while (s->base < amount && s->num)
		fold(s);
	s->base = s->base > amount ? s->base - amount : 0;
}

uint64_t gaudi_steps_reached(const struct gaudi_steps *s, int32_t amount)
{
	uint64_t ps = s->base_ps;
	int32_t sum = s->base;
	unsigned int i;

	for (i = 0; i < s->num && sum < amount; i++) {
		sum += s->step[i].add;
		if (ps < s->step[i].ps)
			ps = s->step[i].ps;
	}
	return ps;
}

void gaudi_door_ring(struct gaudi_door *d, uint32_t index, uint64_t ps)
{
	unsigned int last = d->num - 1;

	if (d->num && (d->ring[last].ps >= ps || d->num == GAUDI_RINGS)) {
		d->ring[last].index = index;
		if (d->ring[last].ps < ps)
			d->ring[last].ps = ps;
		return;
	}
	d->ring[d->num].ps = ps;
	d->ring[d->num++].index = index;
}

uint64_t gaudi_door_known(struct gaudi_door *d, uint32_t index)
{
	uint64_t ps = d->num ? d->ring[0].ps : 0;

	if (d->num && d->ring[0].index == index)
		memmove(d->ring, d->ring + 1, --d->num * sizeof(d->ring[0]));
	return ps;
}
