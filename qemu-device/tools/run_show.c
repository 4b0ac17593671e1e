// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers, words and counts of a TPC as text. */
#include <stdlib.h>
#include <string.h>

#include "run_show.h"

#define PER_LINE	8

struct group {
	const char *name;		/* no other one's beginning before it */
	uint8_t kind;
	uint8_t count;
};

/* Files of registers; of a single one count is 0. */
static const struct group groups[] = {
	{ "vp", GAUDI_TPC_K_VP, GAUDI_TPC_VP_COUNT },
	{ "v", GAUDI_TPC_K_V, GAUDI_TPC_V_COUNT },
	{ "sp", GAUDI_TPC_K_SP, GAUDI_TPC_SP_COUNT },
	{ "s_lfsr", GAUDI_TPC_K_S_LFSR, 0 },
	{ "s_carry", RUN_SHOW_S_CARRY, 0 },
	{ "semaphore", RUN_SHOW_SEMAPHORE, 0 },
	{ "div_step", RUN_SHOW_DIV_STEP, 0 },
	{ "s", GAUDI_TPC_K_S, GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS },
	{ "i", GAUDI_TPC_K_I, GAUDI_TPC_I_COUNT },
	{ "ad", GAUDI_TPC_K_AD, GAUDI_TPC_AD_COUNT },
	{ "lfsr", GAUDI_TPC_K_LFSR, 0 },
	{ "carry", RUN_SHOW_CARRY, 0 },
	{ "pc", RUN_SHOW_PC, 0 },
	{ "all", RUN_SHOW_ALL, 0 },
};

#define GROUPS	(sizeof(groups) / sizeof(groups[0]))

static bool has_type(uint8_t kind)
{
	return kind == GAUDI_TPC_K_V || kind == GAUDI_TPC_K_S ||
	       kind == GAUDI_TPC_K_VP || kind == GAUDI_TPC_K_LFSR ||
	       kind == RUN_SHOW_CARRY;
}

int run_print_parse(const char *text, struct run_print *print)
{
	const char *colon = strchr(text, ':');
	const struct group *g;
	unsigned long num;
	char *end;

	print->type = -1;
	print->num = 0;
	for (g = groups; g < groups + GROUPS; g++)
		if (!strncasecmp(text, g->name, strlen(g->name)))
			break;
	if (g == groups + GROUPS)
		return -1;
	print->kind = g->kind;
	text += strlen(g->name);
	if (*text >= '0' && *text <= '9') {
		num = strtoul(text, &end, 10);
		if (num >= g->count)
			return -1;
		print->num = num;
		text = end;
	} else if (g->count) {
		print->num = RUN_SHOW_FILE;
	}
	if (*text != (colon ? ':' : '\0'))
		return -1;
	if (!colon)
		return 0;
	if (!has_type(g->kind))
		return -1;
	print->type = gaudi_npy_type_of(colon + 1, strlen(colon + 1));
	return print->type < 0 ? -1 : 0;
}

static float real(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

void run_show_value(FILE *to, const uint8_t *p, int type)
{
	uint32_t x = 0;

	memcpy(&x, p, type < 0 ? 4 : gaudi_npy_types[type].bytes);
	switch (type) {
	case GAUDI_NPY_F32:
		fprintf(to, "%.9g", real(x));
		break;
	case GAUDI_NPY_BF16:
		fprintf(to, "%.4g", real(x << 16));
		break;
	case GAUDI_NPY_I32:
		fprintf(to, "%d", (int32_t)x);
		break;
	case GAUDI_NPY_I16:
		fprintf(to, "%d", (int16_t)x);
		break;
	case GAUDI_NPY_I8:
		fprintf(to, "%d", (int8_t)x);
		break;
	case -1:
		fprintf(to, "0x%08x", x);
		break;
	default:
		fprintf(to, "%u", x);
	}
}

static void show_vector(FILE *to, const gaudi_tpc_vec *v, int type)
{
	unsigned int size = type < 0 ? 4 : gaudi_npy_types[type].bytes;
	unsigned int lane, lanes = GAUDI_TPC_VBYTES / size;

	for (lane = 0; lane < lanes; lane++) {
		if (lane % PER_LINE == 0)
			fprintf(to, "%s  [%3u]", lane ? "\n" : "", lane);
		fputc(' ', to);
		run_show_value(to, v->b + lane * size, type);
	}
}

/* A digit for each lane, the first one first. */
static void show_predicate(FILE *to, const gaudi_tpc_vec *v, int type)
{
	unsigned int size = type < 0 ? 4 : gaudi_npy_types[type].bytes, i;

	fputs("  ", to);
	for (i = 0; i < GAUDI_TPC_VBYTES; i += size)
		fputc(v->b[i] ? '1' : '0', to);
}

static void print_one(FILE *to, const struct gaudi_tpc_core *core,
		      const struct run_print *p)
{
	const struct gaudi_tpc_regs *r = &core->r;
	const int32_t *c;

	switch (p->kind) {
	case GAUDI_TPC_K_V:
		fprintf(to, "V%u\n", p->num);
		show_vector(to, &r->v[p->num], p->type);
		break;
	case GAUDI_TPC_K_LFSR:
		fputs("LFSR\n", to);
		show_vector(to, &r->lfsr, p->type);
		break;
	case GAUDI_TPC_K_VP:
		fprintf(to, "VP%u\n", p->num);
		show_predicate(to, &r->vp[p->num], p->type);
		break;
	case RUN_SHOW_CARRY:
		fputs("CARRY\n", to);
		show_predicate(to, &r->carry, p->type);
		break;
	case GAUDI_TPC_K_S:
		fprintf(to, "S%u = ", p->num);
		run_show_value(to, (const uint8_t *)&r->s[p->num], p->type);
		break;
	case GAUDI_TPC_K_SP:
		fprintf(to, "SP%u = %u", p->num, r->sp >> p->num & 1);
		break;
	case GAUDI_TPC_K_I:
		c = r->i[p->num];
		fprintf(to, "I%u = (%d, %d, %d, %d, %d)", p->num, c[0], c[1],
			c[2], c[3], c[4]);
		break;
	case GAUDI_TPC_K_AD:
		fprintf(to, "AD%u = 0x%llx", p->num,
			(unsigned long long)r->ad[p->num]);
		break;
	case GAUDI_TPC_K_S_LFSR:
		fprintf(to, "S_LFSR = 0x%08x", r->s_lfsr);
		break;
	case RUN_SHOW_S_CARRY:
		fprintf(to, "S_CARRY = %u", r->s_carry);
		break;
	case RUN_SHOW_DIV_STEP:
		fprintf(to, "DIV_STEP = %u", r->div_step);
		break;
	case RUN_SHOW_SEMAPHORE:
		fprintf(to, "SEMAPHORE = %u", core->semaphore);
		break;
	default:
		fprintf(to, "PC = 0x%llx",
			(unsigned long long)(core->pc - RUN_CODE));
	}
	fputc('\n', to);
}

static void print_file(FILE *to, const struct gaudi_tpc_core *core,
		       const struct group *g, int type)
{
	struct run_print p = { .kind = g->kind, .type = type };

	do {
		print_one(to, core, &p);
	} while (++p.num < g->count);
}

void run_print(FILE *to, const struct gaudi_tpc_core *core,
	       const struct run_print *p)
{
	const struct group *g;

	for (g = groups; g < groups + GROUPS; g++)
		if (p->kind == RUN_SHOW_ALL ? g->kind != RUN_SHOW_ALL :
		    p->num == RUN_SHOW_FILE && p->kind == g->kind)
			print_file(to, core, g, p->type);
	if (p->kind != RUN_SHOW_ALL && p->num != RUN_SHOW_FILE)
		print_one(to, core, p);
}

void run_show_word(FILE *to, const struct run_machine *m, uint64_t offset,
		   const char *mark)
{
	char text[GAUDI_TPC_TEXT], place[256], target[256];
	struct gaudi_tpc_word word;
	struct gaudi_tpc_error err;
	int64_t leads;
	bool label = false;

	run_place(m, offset, place, sizeof(place));
	fprintf(to, "%s0x%05llx <%s>  ", mark, (unsigned long long)offset,
		place);
	if (offset % GAUDI_TPC_WORD ||
	    offset / GAUDI_TPC_WORD >= m->program->words) {
		fputs("(not in the kernel)\n", to);
		return;
	}
	if (gaudi_tpc_decode(m->program->code + offset, &word, &err)) {
		fprintf(to, "(%s)\n", err.text);
		return;
	}
	if (gaudi_tpc_target(&word, offset, &leads) && leads >= 0) {
		run_place(m, leads, target, sizeof(target));
		label = !strchr(target, '+') && target[0] != '0';
	}
	gaudi_tpc_print_to(&word, label ? target : NULL, text, sizeof(text));
	fprintf(to, "%s\n", text);
}

static bool changed(const struct gaudi_tpc_regs *a,
		    const struct gaudi_tpc_regs *b, const struct run_print *p)
{
	switch (p->kind) {
	case GAUDI_TPC_K_V:
		return memcmp(&a->v[p->num], &b->v[p->num], sizeof(a->v[0]));
	case GAUDI_TPC_K_VP:
		return memcmp(&a->vp[p->num], &b->vp[p->num],
			      sizeof(a->vp[0]));
	case GAUDI_TPC_K_S:
		return a->s[p->num] != b->s[p->num];
	case GAUDI_TPC_K_SP:
		return (a->sp ^ b->sp) >> p->num & 1;
	case GAUDI_TPC_K_I:
		return memcmp(a->i[p->num], b->i[p->num], sizeof(a->i[0]));
	default:
		return a->ad[p->num] != b->ad[p->num];
	}
}

void run_show_changes(FILE *to, const struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_regs *old)
{
	struct run_print p = { .type = -1 };
	unsigned int g;

	for (g = 0; g < GROUPS; g++) {
		p.kind = groups[g].kind;
		if (!groups[g].count)
			continue;
		for (p.num = 0; p.num < groups[g].count; p.num++)
			if (changed(&core->r, old, &p))
				run_print(to, core, &p);
	}
}

void run_show_causes(FILE *to, const struct run_machine *m)
{
	static const char *const names[] = {
		[1] = "division by zero",
		"SPU: MAC beyond its range", "SPU: ADD or SUB beyond its range",
		"SPU: ABS beyond its range", "SPU: NaN or infinity",
		"SPU: too small a float", "VPU: MAC beyond its range",
		"VPU: ADD or SUB beyond its range", "VPU: ABS beyond its range",
		"VPU: NaN or infinity", "VPU: too small a float",
	};
	unsigned int i;

	if (!m->core->causes)
		return;
	fprintf(to, "core %u:\n", m->now);
	for (i = 1; i < sizeof(names) / sizeof(names[0]); i++)
		if (m->core->causes >> i & 1)
			fprintf(to, "  cause %u, %s\n", i, names[i]);
	run_show_word(to, m, m->core->causes_pc - RUN_CODE,
		      "  the last new one: ");
}

void run_show_stats(FILE *to, const struct run_machine *m, double seconds)
{
	const uint64_t *count = m->core->count;
	uint64_t words = m->words + m->core->words, all;
	unsigned int slot, op;

	fprintf(to, "words: %llu\n", (unsigned long long)words);
	for (slot = 0; slot < GAUDI_TPC_SLOTS; slot++) {
		all = 0;
		for (op = 0; op < GAUDI_TPC_OP_COUNT; op++)
			all += count[slot * GAUDI_TPC_OP_COUNT + op];
		fprintf(to, "%s: %llu", gaudi_tpc_slot_name(slot),
			(unsigned long long)all);
		for (op = 0; op < GAUDI_TPC_OP_COUNT; op++)
			if (count[slot * GAUDI_TPC_OP_COUNT + op])
				fprintf(to, ", %s %llu", gaudi_tpc_op_name(op),
					(unsigned long long)count[slot *
						GAUDI_TPC_OP_COUNT + op]);
		fputc('\n', to);
	}
	if (seconds > 0)
		fprintf(to, "words/s: %.0f\n", words / seconds);
}
