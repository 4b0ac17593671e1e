// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The text form of a fault, NAME[,key=value]...: read, and checked against the
 * catalogue. Nothing of a text with a mistake in it counts.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

#include "catalogue.h"

#define TRIGGERS	(GAUDI_FKB(AT_MS) | GAUDI_FKB(COUNT))

struct parser {
	struct gaudi_fault *f;
	char *err;
	size_t len;
};

static int bad(const struct parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int bad(const struct parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->err, p->len, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* --- queues ------------------------------------------------------------------ */

static const struct {
	const char *name;
	uint8_t first, count;
	uint8_t number, step;	/* in the name: of the first, to the next */
} queues[] = {
	{ "dma", GAUDI_QMAN_DMA, GAUDI_NUM_DMA, 0, 1 },
	{ "mme", GAUDI_QMAN_MME0, 2, 0, 2 },
	{ "nic", GAUDI_QMAN_NIC, GAUDI_NUM_NIC_ENGINE, 0, 1 },
	{ "tpc", GAUDI_QMAN_TPC, GAUDI_NUM_TPC, 0, 1 },
};

static const char *queue_name(unsigned int queue, char *buf, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(queues); i++)
		if (queue >= queues[i].first &&
		    queue - queues[i].first < queues[i].count)
			snprintf(buf, len, "%s%u", queues[i].name,
				 queues[i].number + queues[i].step *
				 (queue - queues[i].first));
	return buf;
}

/* "dma0" to a QMAN's index, -1: no such. */
static int queue_of(const char *name)
{
	char mine[16];
	int i;

	for (i = 0; i < GAUDI_NUM_QMAN; i++)
		if (!strcmp(name, queue_name(i, mine, sizeof(mine))))
			return i;
	return -1;
}

/* --- one value ---------------------------------------------------------------- */

static int parse_number(const struct parser *p,
			const struct gaudi_fault_key_desc *key,
			const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	/* strtoull() would take signs and blanks. */
	if (!isdigit((unsigned char)*text))
		return bad(p, "%s=%s: not a number", key->name, text);
	/* No octal numbers by a leading zero. */
	*value = strtoull(text, &end,
			  text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
	if (*end)
		return bad(p, "%s=%s: not a number", key->name, text);
	if (errno || *value < key->min || *value > key->max)
		return bad(p, "%s=%s: must be %llu to %llu", key->name, text,
			   (unsigned long long)key->min,
			   (unsigned long long)key->max);
	return 0;
}

static const struct gaudi_fault_word ways[] = {
	{ "out", 0 }, { "in", 1 }, { NULL },
};

static int parse_word(const struct parser *p,
		      const struct gaudi_fault_key_desc *key,
		      const struct gaudi_fault_word *w, const char *text,
		      uint64_t *value)
{
	size_t n = 0;
	char all[400];

	for (; w->name; w++) {
		if (!strcmp(w->name, text)) {
			*value = w->value;
			return 0;
		}
		n += snprintf(all + n, sizeof(all) - n, " %s", w->name);
	}
	return bad(p, "%s=%s: must be one of%s", key->name, text, all);
}

static int parse_value(const struct parser *p, unsigned int k,
		       const char *text)
{
	const struct gaudi_fault_key_desc *key = &gaudi_fault_keys[k];
	uint64_t *value = &p->f->value[k];
	int queue;

	switch (key->type) {
	case GAUDI_FT_COUNT:
		if (!strcmp(text, "all")) {
			*value = GAUDI_FAULT_ALL;
			return 0;
		}
		return parse_number(p, key, text, value);
	case GAUDI_FT_QUEUE:
		queue = queue_of(text);
		if (queue < 0)
			return bad(p, "%s=%s: no such queue, there are %s",
				   key->name, text, key->help);
		*value = queue;
		return 0;
	case GAUDI_FT_WORD:
		return parse_word(p, key, p->f->desc->words, text, value);
	case GAUDI_FT_WAY:
		return parse_word(p, key, ways, text, value);
	default:
		return parse_number(p, key, text, value);
	}
}

/* --- one key=value ------------------------------------------------------------- */

static int parse_pair(const struct parser *p, char *pair)
{
	char *eq = strchr(pair, '=');
	unsigned int k;

	if (!eq)
		return bad(p, "'%s': must be key=value", pair);
	*eq = '\0';
	for (k = 0; k < GAUDI_FAULT_KEYS; k++)
		if (!strcmp(gaudi_fault_keys[k].name, pair))
			break;
	if (k == GAUDI_FAULT_KEYS)
		return bad(p, "'%s': no such key", pair);
	if (!((p->f->desc->keys | TRIGGERS) >> k & 1))
		return bad(p, "%s: %s takes no such key", pair,
			   p->f->desc->name);
	if (gaudi_fault_given(p->f, k))
		return bad(p, "%s: given twice", pair);
	p->f->given |= 1ull << k;
	return parse_value(p, k, eq + 1);
}

static const struct gaudi_fault_desc *find(const char *name)
{
	size_t i;

	for (i = 0; i < gaudi_fault_table_size; i++)
		if (!strcmp(gaudi_fault_table[i].name, name))
			return &gaudi_fault_table[i];
	return NULL;
}

/* --- all of it ------------------------------------------------------------------ */

static bool given(const struct parser *p, uint64_t keys)
{
	return p->f->given & keys;
}

/* An action waits for time, for an access, or for a job. */
static int check_action(const struct parser *p)
{
	struct gaudi_fault *f = p->f;
	bool access = f->desc->waits_for_addr && given(p, GAUDI_FKB(ADDR));
	bool job = given(p, GAUDI_FKB(JOB));
	bool takes_job = f->desc->keys & GAUDI_FKB(JOB);

	if (access && job)
		return bad(p, "addr and job: it can wait for one of them");
	if (job && !given(p, GAUDI_FKB(QUEUE)))
		return bad(p, "job: needs queue");
	if (takes_job && !job && given(p, GAUDI_FKB(STREAM)))
		return bad(p, "stream: needs job");
	if (takes_job && !job && !access && given(p, GAUDI_FKB(QUEUE)))
		return bad(p, "queue: needs job%s",
			   f->desc->waits_for_addr ? " or addr" : "");
	if (!access && given(p, GAUDI_FKB(AFTER) | GAUDI_FKB(EVERY) |
			     GAUDI_FKB(PPM)))
		return bad(p, "after, every, ppm: need addr");
	if ((access || job) && given(p, GAUDI_FKB(EVERY_MS)))
		return bad(p, "every-ms: it waits for something else");
	if (access)
		f->site = GAUDI_FAULT_ACCESS;
	else if (job)
		f->site = GAUDI_FAULT_JOB;
	return 0;
}

/* Of what there is, not more than there is. */
static int check_unit(const struct parser *p)
{
	const struct gaudi_fault *f = p->f;
	unsigned int units = f->desc->units;

	if (given(p, GAUDI_FKB(BLOCK)))
		units = gaudi_fault_ecc_units(f->value[GAUDI_FK_BLOCK]);
	if (given(p, GAUDI_FKB(UNIT)) && f->value[GAUDI_FK_UNIT] >= units)
		return bad(p, "unit=%llu: must be 0 to %u",
			   (unsigned long long)f->value[GAUDI_FK_UNIT],
			   units - 1);
	/* The lower CP has no physical queue. */
	if (f->desc->act == gaudi_fault_do_qman_error &&
	    f->value[GAUDI_FK_STREAM] == GAUDI_NUM_STREAMS &&
	    !f->value[GAUDI_FK_ERROR])
		return bad(p, "stream=4: has no PQ");
	return 0;
}

static int check(const struct parser *p)
{
	struct gaudi_fault *f = p->f;
	uint64_t missing = f->desc->needs & ~f->given;

	if (missing)
		return bad(p, "%s needs %s", f->desc->name,
			   gaudi_fault_keys[__builtin_ctzll(missing)].name);
	if (given(p, GAUDI_FKB(SEED)) && !given(p, GAUDI_FKB(PPM)))
		return bad(p, "seed: needs ppm");
	if (given(p, GAUDI_FKB(SIZE)) && !given(p, GAUDI_FKB(ADDR)))
		return bad(p, "size: needs addr");
	if (given(p, GAUDI_FKB(SIZE)) &&
	    f->value[GAUDI_FK_ADDR] + (f->value[GAUDI_FK_SIZE] - 1) <
	    f->value[GAUDI_FK_ADDR])
		return bad(p, "size: the range ends beyond all addresses");
	if (check_unit(p))
		return -EINVAL;
	if (f->desc->site == GAUDI_FAULT_NOW)
		return check_action(p);
	if (given(p, GAUDI_FKB(JOB)) && !given(p, GAUDI_FKB(QUEUE)))
		return bad(p, "job: needs queue");
	if (f->desc->site == GAUDI_FAULT_DMA_END &&
	    !given(p, GAUDI_FKB(NS_PER_KIB) | GAUDI_FKB(MS)))
		return bad(p, "%s needs ns-per-kib or ms", f->desc->name);
	if (f->desc->arg == GAUDI_FRAME_SLOW &&
	    f->desc->site == GAUDI_FAULT_FRAME &&
	    !given(p, GAUDI_FKB(NS_PER_KIB) | GAUDI_FKB(US)))
		return bad(p, "%s needs ns-per-kib or us", f->desc->name);
	return 0;
}

static void defaults(struct gaudi_fault *f)
{
	static const struct { uint8_t key; uint64_t value; } values[] = {
		{ GAUDI_FK_COUNT, 1 }, { GAUDI_FK_EVERY, 1 },
		{ GAUDI_FK_SIZE, 1 }, { GAUDI_FK_MASK, 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		if (!gaudi_fault_given(f, values[i].key))
			f->value[values[i].key] = values[i].value;
	f->random = f->value[GAUDI_FK_SEED];
	if (f->desc->every_ms && !gaudi_fault_given(f, GAUDI_FK_EVERY_MS)) {
		f->given |= GAUDI_FKB(EVERY_MS);
		f->value[GAUDI_FK_EVERY_MS] = f->desc->every_ms;
	}
}

int gaudi_fault_parse(const char *spec, struct gaudi_fault *f, char *err,
		      size_t len)
{
	struct parser p = { .f = f, .err = err, .len = len };
	char text[GAUDI_FAULT_SPEC_MAX], *next = text, *part;
	int rc;

	memset(f, 0, sizeof(*f));
	if (strlen(spec) >= sizeof(text))
		return bad(&p, "longer than %zu characters", sizeof(text) - 1);
	for (part = (char *)spec; *part; part++)
		if (*part < 0x21 || *part > 0x7e || *part == '"' ||
		    *part == '\\')
			return bad(&p, "blanks and strange characters");
	strcpy(text, spec);
	strcpy(f->spec, spec);
	part = strsep(&next, ",");
	f->desc = find(part);
	if (!f->desc)
		return bad(&p, "'%s': no such fault", part);
	f->site = f->desc->site;
	while ((part = strsep(&next, ","))) {
		rc = parse_pair(&p, part);
		if (rc)
			return rc;
	}
	rc = check(&p);
	if (rc)
		return rc;
	defaults(f);
	return 0;
}
