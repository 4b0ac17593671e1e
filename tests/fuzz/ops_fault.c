// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand: texts made of the catalogue's own names, keys and words,
 * with values of any kind, and texts that are only like them.
 */
#include "../../qemu-device/chip/fault/catalogue.h"
#include "ops.h"

static void inject(struct world_card *card, const char *spec)
{
	char err[128] = "";
	int rc = gaudi_chip_inject(card->chip, spec, err, sizeof(err));

	card->used = true;
	/* A text that is refused comes back with a reason, in one line. */
	if (rc && rc != -ENOMEM && (!err[0] || strchr(err, '\n')))
		abort();
}

static void put_value(char *to, size_t len, const struct gaudi_fault_desc *f,
		      unsigned int key, const struct rec *r)
{
	const struct gaudi_fault_key_desc *k = &gaudi_fault_keys[key];
	uint64_t span = k->max - k->min, v = r->addr >> key % 8;
	unsigned int n = 0;

	switch (k->type) {
	case GAUDI_FT_WORD:
		while (f->words && f->words[n].name)
			n++;
		snprintf(to, len, "%s", n ? f->words[r->value % n].name : "x");
		return;
	case GAUDI_FT_QUEUE:
		snprintf(to, len, "%s%u", r->value % 3 ? "dma" : "tpc",
			 r->value >> 4 & 7);
		return;
	case GAUDI_FT_WAY:
		snprintf(to, len, "%s", r->value & 1 ? "in" : "out");
		return;
	default:
		break;
	}
	if (key == GAUDI_FK_ADDR)
		v = any_addr(r->value, r->addr);
	else if (!(r->flags & 0x80) && span != UINT64_MAX)
		v = k->min + v % (span < 64 ? span + 1 : 64);
	snprintf(to, len, "0x%llx", (unsigned long long)v);
}

/*
 * sel: which fault; unit, flags, value: which of its keys; addr: the numbers.
 * What a fault cannot do without is there, mostly.
 */
void op_fault(struct world_card *card, const struct rec *r)
{
	const struct gaudi_fault_desc *f =
		&gaudi_fault_table[r->sel % gaudi_fault_table_size];
	uint64_t want = r->value * 0x9e3779b97f4a7c15ull;
	char spec[512], value[64];
	unsigned int key, n;

	want &= want << (r->flags & 7);
	n = snprintf(spec, sizeof(spec), "%s", f->name);
	for (key = 0; key < GAUDI_FAULT_KEYS; key++) {
		bool fits = f->keys >> key & 1;

		if (!(f->needs >> key & 1 && r->flags & 0x7f) &&
		    !(want >> key & 1 && (fits || r->flags == 0x55)))
			continue;
		put_value(value, sizeof(value), f, key, r);
		n += snprintf(spec + n, sizeof(spec) - n, ",%s=%s",
			      gaudi_fault_keys[key].name, value);
		if (n >= sizeof(spec))
			break;
	}
	inject(card, spec);
	if (r->flags == 0x7f)
		gaudi_chip_faults_clear(card->chip);
}

/* A name, and the bytes of the record after it. */
void op_fault_text(struct world_card *card, const struct rec *r)
{
	const char *name = gaudi_fault_table[r->sel %
					     gaudi_fault_table_size].name;
	char spec[96];
	FILE *out;

	snprintf(spec, sizeof(spec), "%.*s,%s=%.12s",
		 r->flags & 1 ? 40 : r->flags % 16, name,
		 gaudi_fault_keys[r->unit % GAUDI_FAULT_KEYS].name,
		 (const char *)&r->value);
	inject(card, spec);
	if ((r->flags & 0xf0) != 0xf0)
		return;
	out = fopen("/dev/null", "w");
	if (!out || gaudi_chip_faults_print(card->chip, out))
		abort();
	fclose(out);
}
