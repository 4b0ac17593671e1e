// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "run.h"

#define SPACE		0x18000		/* bytes of each tensor's memory */
#define GUARD		0xa5
#define MAX_WORDS	20000000

/*
 * For the script mutants: one test, which kernels it runs, and another object
 * for one of them.
 */
static const char *mutant_name, *mutant_file, *trace_file;
/* What registers and local memories begin with; KERNELS_POISON: of the first launch. */
static uint64_t poison = 1;

__attribute__((constructor)) static void mutants(void)
{
	const char *test = getenv("KERNELS_TEST"), *seed = getenv("KERNELS_POISON");

	if (seed)
		poison = strtoull(seed, NULL, 0);
	mutant_name = getenv("KERNELS_MUTANT");
	mutant_file = getenv("KERNELS_OBJECT");
	trace_file = getenv("KERNELS_TRACE");
	if (test)
		cmocka_set_test_filter(test);
}

bool run_wanted(const char *name)
{
	return !mutant_name || !strcmp(mutant_name, name);
}

static void trace(const char *name)
{
	FILE *out = fopen(trace_file, "a");

	assert_non_null(out);
	fprintf(out, "%s\n", name);
	assert_int_equal(fclose(out), 0);
}

static const void *object_of(const struct kernel_lib *k)
{
	static uint8_t object[0x40000];
	FILE *in;

	if (!mutant_name || !mutant_file || strcmp(mutant_name, k->name))
		return k->object;
	in = fopen(mutant_file, "rb");
	assert_non_null(in);
	assert_true(fread(object, 1, sizeof(object), in) > 0);
	fclose(in);
	return object;
}

uint32_t mix(size_t i, unsigned int which, uint32_t salt)
{
	uint32_t x = (uint32_t)(i * 2654435761u + which * 40503u + salt);

	x ^= x >> 15;
	x *= 0x2c1b3c6d;
	return x ^ x >> 12;
}

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

/* Element number i, the inner dim first. */
static uint8_t *place(const struct tensor *t, size_t i)
{
	size_t at = 0;
	uint32_t d;

	if (!t->strided)
		return t->p + i * size_of(t->type);
	for (d = 0; d < 5; d++) {
		at += i % t->dims[d] * t->strides[d];
		i /= t->dims[d];
	}
	return t->p + at * size_of(t->type);
}

uint32_t get_raw(const struct tensor *t, size_t i)
{
	uint32_t bits = 0;

	memcpy(&bits, place(t, i), size_of(t->type));
	return bits;
}

void set_raw(struct tensor *t, size_t i, uint32_t bits)
{
	memcpy(place(t, i), &bits, size_of(t->type));
}

float get(const struct tensor *t, size_t i)
{
	uint32_t bits = get_raw(t, i);

	if (t->type == GAUDI_TYPE_BF16)
		return float_of(bits << 16);
	if (t->type == GAUDI_TYPE_U32)
		return (float)bits;
	return t->type == GAUDI_TYPE_F32 ? float_of(bits) : (float)(int32_t)bits;
}

void set(struct tensor *t, size_t i, float value)
{
	if (t->type == GAUDI_TYPE_BF16)
		set_raw(t, i, to_bf16(value));
	else if (t->type == GAUDI_TYPE_F32)
		set_raw(t, i, bits_of(value));
	else
		set_raw(t, i, (uint32_t)(int32_t)value);
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
	if (trace_file)
		trace(name);
}

static void put_code(struct run *r)
{
	uint8_t code[HOST_DATA - HOST_CODE];

	tpc_host_code(r->host, code,
		      tpc_text(object_of(r->k), code, sizeof(code)));
}

/* Bytes for each tensor: those with gaps share all that there is. */
static size_t space_of(const struct run *r)
{
	size_t all = (HOST_BYTES - (HOST_DATA - HOST_BASE)) / r->k->num_tensors;

	return r->t[0].strided ? all & ~(size_t)0xfff : SPACE;
}

static uint8_t guard_of(const struct tensor *t)
{
	return t->strided ? t->guard : GUARD;
}

/* As recipes have it: dims that a tensor has not do not count. */
static void describe(struct run *r, uint32_t i)
{
	const struct tensor *t = &r->t[i];
	uint32_t d, *desc = &r->host->launch.desc[GAUDI_TPC_D_TENSOR(i)];

	desc[GAUDI_TPC_D_CONFIG] &= ~GAUDI_TPC_T_DIMS(0x1f);
	desc[GAUDI_TPC_D_CONFIG] |=
		GAUDI_TPC_T_DIMS((1u << (t->rank ? t->rank : 1)) - 1);
	for (d = 0; d < 5; d++) {
		if (d >= t->rank)
			desc[GAUDI_TPC_D_STRIDE(d)] = d == 0;
		else if (t->strided)
			desc[GAUDI_TPC_D_STRIDE(d)] = t->strides[d];
	}
}

void run_begin(struct run *r)
{
	size_t space = space_of(r);
	uint32_t i;

	put_code(r);
	for (i = 0; i < r->k->num_tensors; i++) {
		struct tensor *t = &r->t[i];
		uint64_t addr = HOST_DATA + i * space;

		t->type = r->k->tensors[i].type;
		t->p = r->host->mem + (addr - HOST_BASE);
		memset(t->p, guard_of(t), space);
		t->count = tpc_host_tensor(r->host, i, addr,
				t->type == GAUDI_TYPE_F32 ? 7 :
				t->type == GAUDI_TYPE_BF16 ? 6 : 2, t->dims,
				r->k->tensors[i].padding) / size_of(t->type);
		if (t->count)
			assert_true(place(t, t->count - 1) - t->p <
				    (ptrdiff_t)space - 512);
		describe(r, i);
	}
}

/* Byte @at of the tensor's memory is no element's. */
static void check_guard(const struct run *r, uint32_t i, size_t at)
{
	if (r->t[i].p[at] != guard_of(&r->t[i]))
		fail_msg("%s: byte %zu of tensor %u, which is none of its elements, was written",
			 r->k->name, at, i);
}

static void check_gaps(const struct run *r, uint32_t i)
{
	static bool used[HOST_BYTES];
	const struct tensor *t = &r->t[i];
	size_t at;

	memset(used, 0, sizeof(used));
	for (at = 0; at < t->count; at++)
		memset(used + (place(t, at) - t->p), true, size_of(t->type));
	for (at = 0; at < space_of(r); at++)
		if (!used[at])
			check_guard(r, i, at);
}

static void check_guards(const struct run *r)
{
	uint32_t i;
	size_t at;

	for (i = 0; i < r->k->num_tensors; i++) {
		if (r->t[i].strided) {
			check_gaps(r, i);
			continue;
		}
		for (at = r->t[i].count * size_of(r->t[i].type); at < SPACE; at++)
			check_guard(r, i, at);
	}
}

void run_box(struct run *r, const uint32_t *base, const uint32_t *size)
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
	gaudi_tpc_launch(core, &r->host->launch);
	/* No launch is like another: what began as zero would be seen. */
	gaudi_tpc_poison(core, poison++);
	if (gaudi_tpc_execute(core, mutant_name ? MAX_WORDS / 20 : MAX_WORDS) !=
	    GAUDI_TPC_HALT) {
		gaudi_tpc_stop_text(core, text, sizeof(text));
		fail_msg("%s: %s (word %u)", r->k->name, text,
			 (unsigned int)((core->stop.pc - HOST_CODE) / 32));
	}
	check_guards(r);
}

void run_space(const struct run *r, uint32_t space[5])
{
	const struct tensor *t = &r->t[r->k->space_tensor];
	uint64_t dims[5];
	uint32_t d;

	for (d = 0; d < t->rank; d++)
		dims[d] = t->dims[t->rank - 1 - d];
	assert_int_equal(kernel_lib_space(r->k, t->rank, dims, space), 0);
}

void run_parts(struct run *r, unsigned int parts)
{
	uint32_t base[5] = {}, size[5], space[5], d, dim = 0, i;

	run_space(r, space);
	for (d = 1; d < 5; d++)
		if (space[d] > space[dim])
			dim = d;
	memcpy(size, space, sizeof(size));
	if (parts > space[dim])
		parts = space[dim] ? space[dim] : 1;
	for (i = 0; i < parts; i++) {
		base[dim] = space[dim] * i / parts;
		size[dim] = space[dim] * (i + 1) / parts - base[dim];
		run_box(r, base, size);
	}
}

void run_close(struct run *r)
{
	tpc_host_free(r->host);
}
