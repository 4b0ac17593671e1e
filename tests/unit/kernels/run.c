// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "run.h"

#define SPACE		0x18000		/* bytes of each tensor's memory */
#define GUARD		0xa5
#define MAX_WORDS	20000000

uint32_t bits_of(float f)
{
	uint32_t x;

	memcpy(&x, &f, 4);
	return x;
}

float float_of(uint32_t x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

uint16_t to_bf16(float f)
{
	uint32_t x = bits_of(f);

	if (f != f)
		return 0x7fff;
	return (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

static size_t size_of(uint32_t type)
{
	return type == GAUDI_TYPE_BF16 ? 2 : 4;
}

float get(const struct tensor *t, size_t i)
{
	uint16_t h;
	uint32_t w;

	if (t->type == GAUDI_TYPE_BF16) {
		memcpy(&h, t->p + 2 * i, 2);
		return float_of((uint32_t)h << 16);
	}
	memcpy(&w, t->p + 4 * i, 4);
	return t->type == GAUDI_TYPE_F32 ? float_of(w) : (float)(int32_t)w;
}

void set(struct tensor *t, size_t i, float value)
{
	uint16_t h = to_bf16(value);
	uint32_t w = bits_of(value);

	if (t->type == GAUDI_TYPE_BF16) {
		memcpy(t->p + 2 * i, &h, 2);
		return;
	}
	if (t->type != GAUDI_TYPE_F32)
		w = (uint32_t)(int32_t)value;
	memcpy(t->p + 4 * i, &w, 4);
}

static int64_t line(uint32_t type, float f)
{
	int64_t x = bits_of(f) & 0x7fffffff;

	/* There are no subnormal numbers. */
	x = x < 0x800000 ? 0 : x - 0x7fffff;
	if (type == GAUDI_TYPE_BF16)
		x >>= 16;
	return signbit(f) ? -x : x;
}

uint32_t ulps(uint32_t type, float a, float b)
{
	int64_t far;

	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b) ? 0 : UINT32_MAX;
	if (type == GAUDI_TYPE_BF16)
		far = line(type, a) - line(type,
			float_of((uint32_t)to_bf16(b) << 16));
	else
		far = line(type, a) - line(type, b);
	return far < 0 ? -far : far;
}

void shape(struct tensor *t, uint32_t rank, const uint32_t *dims)
{
	uint32_t d;

	t->rank = rank;
	for (d = 0; d < 5; d++)
		t->dims[d] = d < rank ? dims[d] : 1;
}

void run_open(struct run *r, const char *name)
{
	memset(r, 0, sizeof(*r));
	r->host = tpc_host_new();
	assert_int_equal(gaudi_tpc_check_hazards(r->host->core, true), 0);
	r->k = kernel_lib_find(name);
	if (!r->k)
		fail_msg("there is no kernel %s", name);
}

static void put_code(struct run *r)
{
	uint8_t code[HOST_DATA - HOST_CODE];

	tpc_host_code(r->host, code,
		      tpc_text(r->k->object, code, sizeof(code)));
}

void run_begin(struct run *r)
{
	uint32_t i, *desc;

	put_code(r);
	for (i = 0; i < r->k->num_tensors; i++) {
		struct tensor *t = &r->t[i];
		uint64_t addr = HOST_DATA + i * SPACE;

		t->type = r->k->tensors[i].type;
		t->p = r->host->mem + (addr - HOST_BASE);
		memset(t->p, GUARD, SPACE);
		t->count = tpc_host_tensor(r->host, i, addr,
				t->type == GAUDI_TYPE_F32 ? 7 :
				t->type == GAUDI_TYPE_BF16 ? 6 : 2, t->dims,
				r->k->tensors[i].padding) / size_of(t->type);
		assert_true(t->count * size_of(t->type) < SPACE - 512);
		/* As recipes have it: dims that a tensor has not do not count. */
		desc = &r->host->launch.desc[GAUDI_TPC_D_TENSOR(i)];
		desc[GAUDI_TPC_D_CONFIG] &= ~GAUDI_TPC_T_DIMS(0x1f);
		desc[GAUDI_TPC_D_CONFIG] |=
			GAUDI_TPC_T_DIMS((1u << (t->rank ? t->rank : 1)) - 1);
		for (unsigned int d = t->rank; d < 5; d++)
			desc[GAUDI_TPC_D_STRIDE(d)] = d == 0;
	}
}

static void check_guards(const struct run *r)
{
	uint32_t i;
	size_t at;

	for (i = 0; i < r->k->num_tensors; i++)
		for (at = r->t[i].count * size_of(r->t[i].type); at < SPACE; at++)
			if (r->t[i].p[at] != GUARD)
				fail_msg("%s: byte %zu of tensor %u, behind it, was written",
					 r->k->name, at, i);
}

static void one_part(struct run *r, const uint32_t *base, const uint32_t *size)
{
	struct gaudi_tpc_core *core = r->host->core;
	uint32_t *desc = r->host->launch.desc, d;
	char text[200];

	for (d = 0; d < 5; d++) {
		desc[GAUDI_TPC_D_TID_BASE(d)] = base[d];
		desc[GAUDI_TPC_D_TID_SIZE(d)] = size[d];
	}
	for (d = 0; d < r->k->num_scalars; d++)
		desc[GAUDI_TPC_D_SRF(d)] = r->scalars[d];
	desc[GAUDI_TPC_D_KCONFIG] = GAUDI_TPC_KC_SRFS(r->k->num_scalars);
	if (tpc_host_run(r->host, MAX_WORDS) != GAUDI_TPC_HALT) {
		gaudi_tpc_stop_text(core, text, sizeof(text));
		fail_msg("%s: %s (word %u)", r->k->name, text,
			 (unsigned int)((core->stop.pc - HOST_CODE) / 32));
	}
}

void run_parts(struct run *r, unsigned int parts)
{
	const struct tensor *t = &r->t[r->k->space_tensor];
	uint32_t base[5] = {}, size[5], space[5], d, dim = 0, i;
	uint64_t dims[5];

	for (d = 0; d < t->rank; d++)
		dims[d] = t->dims[t->rank - 1 - d];
	assert_int_equal(kernel_lib_space(r->k, t->rank, dims, space), 0);
	for (d = 1; d < 5; d++)
		if (space[d] > space[dim])
			dim = d;
	memcpy(size, space, sizeof(size));
	if (parts > space[dim])
		parts = space[dim] ? space[dim] : 1;
	for (i = 0; i < parts; i++) {
		base[dim] = space[dim] * i / parts;
		size[dim] = space[dim] * (i + 1) / parts - base[dim];
		one_part(r, base, size);
	}
	check_guards(r);
}

void run_close(struct run *r)
{
	tpc_host_free(r->host);
}
