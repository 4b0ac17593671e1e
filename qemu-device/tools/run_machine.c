// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A TPC beside memory that holds a kernel and its tensors. Between them are
 * gaps, so that an access beyond one is found.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_machine.h"

#define GAP		(1ull << 20)

static uint64_t code_bytes(const struct run_machine *m)
{
	return m->program->words * GAUDI_TPC_WORD;
}

/* Bytes at addr, and how many; NULL if nothing is there. */
static uint8_t *at(const struct run_machine *m, uint64_t addr, bool write,
		   uint64_t *left)
{
	const struct run_tensor *t;
	const struct run_lut *lut;
	uint64_t off = addr - RUN_CODE;

	if (!write && off < code_bytes(m)) {
		*left = code_bytes(m) - off;
		return m->program->code + off;
	}
	for (t = m->tensor; t < m->tensor + m->tensors; t++) {
		off = addr - t->addr;
		if (off >= t->array.bytes)
			continue;
		*left = t->array.bytes - off;
		return t->array.data + off;
	}
	for (lut = m->lut; !write && lut < m->lut + RUN_LUTS; lut++) {
		off = addr - lut->addr;
		if (off >= lut->bytes)
			continue;
		*left = lut->bytes - off;
		return lut->data + off;
	}
	return NULL;
}

uint8_t *run_machine_at(const struct run_machine *m, uint64_t addr,
			uint64_t *left)
{
	return at(m, addr, false, left);
}

static int host_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	uint64_t left;
	uint8_t *p = at(opaque, addr, false, &left);

	if (!p || len > left)
		return -1;
	memcpy(buf, p, len);
	return 0;
}

static int host_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	uint64_t left;
	uint8_t *p = at(opaque, addr, true, &left);

	if (!p || len > left)
		return -1;
	memcpy(p, buf, len);
	return 0;
}

static uint8_t *host_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	uint64_t left;
	uint8_t *p = at(opaque, addr, write, &left);

	if (p)
		*len = left;
	return p;
}

static size_t host_there(void *opaque, uint64_t addr, size_t len, bool write)
{
	uint64_t left;

	if (!at(opaque, addr, write, &left))
		return 0;
	return left < len ? left : len;
}

static const struct gaudi_tpc_host host = {
	.read = host_read,
	.write = host_write,
	.map = host_map,
	.there = host_there,
};

static void describe(struct run_machine *m, unsigned int n)
{
	const struct run_tensor *t = &m->tensor[n];
	uint32_t *desc = &m->launch.desc[GAUDI_TPC_D_TENSOR(n)];
	uint32_t stride = 1;
	unsigned int d;

	desc[GAUDI_TPC_D_BASE_LO] = t->addr;
	desc[GAUDI_TPC_D_BASE_HI] = t->addr >> 32;
	desc[GAUDI_TPC_D_PADDING] = m->padding;
	desc[GAUDI_TPC_D_CONFIG] = t->array.type | GAUDI_TPC_T_DIMS(0x1f) |
				   GAUDI_TPC_T_LAST(GAUDI_TPC_DIMS - 1);
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		desc[GAUDI_TPC_D_SIZE(d)] = t->array.size[d];
		desc[GAUDI_TPC_D_STRIDE(d)] = stride;
		stride *= t->array.size[d];
	}
}

/* Behind what ends at *end, and a gap. */
static uint64_t place(uint64_t *end, size_t bytes)
{
	uint64_t addr = (*end + 2 * GAP - 1) & ~(GAP - 1);

	*end = addr + bytes;
	return addr;
}

int run_machine_start(struct run_machine *m)
{
	uint64_t end = RUN_CODE + code_bytes(m);
	unsigned int n;

	for (n = 0; n < m->tensors; n++) {
		m->tensor[n].addr = place(&end, m->tensor[n].array.bytes);
		describe(m, n);
	}
	for (n = 0; n < RUN_LUTS; n++) {
		if (!m->lut[n].bytes)
			continue;
		m->lut[n].addr = place(&end, m->lut[n].bytes);
		m->launch.lut[n] = m->lut[n].addr;
		m->small_vlm = true;
	}
	m->launch.round_csr = m->round_csr;
	m->launch.desc[GAUDI_TPC_D_KERNEL] = (uint32_t)RUN_CODE;
	m->launch.desc[GAUDI_TPC_D_KERNEL + 1] = RUN_CODE >> 32;
	m->launch.desc[GAUDI_TPC_D_KCONFIG] =
		GAUDI_TPC_KC_SRFS(m->scalars) |
		(m->small_vlm ? GAUDI_TPC_KC_SMALL_VLM : 0);
	m->cache = gaudi_tpc_cache_new(16u << 20);
	if (!m->cache)
		return -1;
	m->core = gaudi_tpc_core_new(&host, m, m->cache);
	return m->core ? 0 : -1;
}

void run_machine_end(struct run_machine *m)
{
	unsigned int n;

	if (m->core)
		gaudi_tpc_core_free(m->core);
	if (m->cache)
		gaudi_tpc_cache_free(m->cache);
	for (n = 0; n < m->tensors; n++)
		free(m->tensor[n].array.data);
	for (n = 0; n < RUN_LUTS; n++)
		free(m->lut[n].data);
}

/* True if a watched place is not what it was. */
static bool look(struct run_machine *m)
{
	struct run_watch *w;
	bool any = false;
	size_t size;

	for (w = m->watch; w < m->watch + m->watches; w++) {
		size = run_type_bytes(w->at.type);
		if (!memcmp(w->old, w->at.p, size))
			continue;
		memcpy(w->before, w->old, size);
		memcpy(w->old, w->at.p, size);
		w->hit = true;
		any = true;
	}
	return any;
}

unsigned int run_type_bytes(int type)
{
	return type < 0 ? 4 : gaudi_npy_types[type].bytes;
}

bool run_machine_launch(struct run_machine *m, unsigned int n)
{
	unsigned int d, split = GAUDI_TPC_DIMS - 1;
	uint64_t from, to;

	while (split && m->size[split] <= 1)
		split--;
	from = (uint64_t)m->size[split] * n / m->cores;
	to = (uint64_t)m->size[split] * (n + 1) / m->cores;
	if (n && from == to)
		return false;
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		m->launch.desc[GAUDI_TPC_D_TID_BASE(d)] =
			m->base[d] + (d == split ? from : 0);
		m->launch.desc[GAUDI_TPC_D_TID_SIZE(d)] =
			d == split ? to - from : m->size[d];
	}
	m->words += m->core->words;
	m->now = n;
	gaudi_tpc_core_reset(m->core);
	gaudi_tpc_launch(m->core, &m->launch);
	if (m->poison)
		gaudi_tpc_poison(m->core, m->seed + n);
	/* Local memories are as they begin again. */
	look(m);
	for (d = 0; d < m->watches; d++)
		m->watch[d].hit = false;
	return true;
}

uint64_t run_machine_left(const struct run_machine *m)
{
	return m->limit > m->core->words ? m->limit - m->core->words : 0;
}

static bool is_at_break(const struct run_machine *m)
{
	size_t i;

	for (i = 0; i < m->break_count; i++)
		if (m->break_at[i] == m->core->pc)
			return true;
	return false;
}

/* Word by word. */
static enum gaudi_tpc_why go_watching(struct run_machine *m, uint64_t words)
{
	enum gaudi_tpc_why why;
	uint64_t pc;

	gaudi_tpc_breakpoints(m->core, NULL, 0);
	for (;;) {
		pc = m->core->pc;
		why = gaudi_tpc_execute(m->core, 1);
		if (look(m)) {
			m->hit_pc = pc;
			return why == GAUDI_TPC_BUDGET ? GAUDI_TPC_BREAK : why;
		}
		if (why != GAUDI_TPC_BUDGET || !--words)
			return why;
		if (is_at_break(m))
			return GAUDI_TPC_BREAK;
	}
}

enum gaudi_tpc_why run_machine_go(struct run_machine *m, uint64_t words)
{
	enum gaudi_tpc_why why;
	uint64_t left = run_machine_left(m);

	if (words > left)
		words = left;
	if (!words)
		return GAUDI_TPC_BUDGET;
	if (m->watches)
		return go_watching(m, words);
	gaudi_tpc_breakpoints(m->core, NULL, 0);
	why = gaudi_tpc_execute(m->core, 1);
	if (why != GAUDI_TPC_BUDGET || words == 1)
		return why;
	gaudi_tpc_breakpoints(m->core, m->break_at, m->break_count);
	return gaudi_tpc_execute(m->core, words - 1);
}

int run_machine_break(struct run_machine *m, uint64_t offset)
{
	size_t i;

	for (i = 0; i < m->break_count; i++)
		if (m->breaks[i] == offset)
			return -1;
	if (i == RUN_BREAKS)
		return -1;
	m->breaks[i] = offset;
	m->break_at[i] = RUN_CODE + offset;
	m->break_count++;
	return 0;
}

/* --- places ---------------------------------------------------------------- */

void run_place(const struct run_machine *m, uint64_t offset, char *to,
	       size_t size)
{
	const struct gaudi_tpc_label *label, *best = NULL;
	size_t i;

	for (i = 0; i < m->program->label_count; i++) {
		label = &m->program->labels[i];
		if (label->offset <= offset &&
		    (!best || label->offset >= best->offset))
			best = label;
	}
	if (!best || offset > code_bytes(m))
		snprintf(to, size, "0x%llx", (unsigned long long)offset);
	else if (best->offset == offset)
		snprintf(to, size, "%s", best->name);
	else
		snprintf(to, size, "%s+0x%llx", best->name,
			 (unsigned long long)(offset - best->offset));
}

static int find_label(const struct run_machine *m, const char *name, size_t len,
		      uint64_t *offset)
{
	const struct gaudi_tpc_label *label;
	size_t i;

	for (i = 0; i < m->program->label_count; i++) {
		label = &m->program->labels[i];
		if (strlen(label->name) != len || memcmp(label->name, name, len))
			continue;
		*offset = label->offset;
		return 0;
	}
	return -1;
}

int run_find(const struct run_machine *m, const char *text, uint64_t *offset)
{
	const char *more = strchr(text, '+');
	uint64_t start = 0;
	char *end;

	if (*text < '0' || *text > '9') {
		if (find_label(m, text, more ? (size_t)(more - text) :
				 strlen(text), &start))
			return -1;
		if (!more) {
			*offset = start;
			return 0;
		}
		text = more + 1;
	}
	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*offset = strtoull(text, &end, 0);
	if (*end || errno || *offset >= code_bytes(m) - start)
		return -1;
	*offset += start;
	return *offset % GAUDI_TPC_WORD ? -1 : 0;
}
