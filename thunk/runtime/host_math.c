// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "host_math.h"

bool host_is_int(uint32_t type)
{
	return type >= GAUDI_TYPE_U8 && type <= GAUDI_TYPE_I64;
}

bool host_is_signed(uint32_t type)
{
	return type == GAUDI_TYPE_I8 || type == GAUDI_TYPE_I16 ||
	       type == GAUDI_TYPE_I32 || type == GAUDI_TYPE_I64;
}

bool host_all_int(const struct gaudi_host_call *call)
{
	uint32_t i;

	for (i = 0; i < call->num_tensors; i++)
		if (!host_is_int(call->tensors[i].type))
			return false;

	return true;
}

double host_max(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? a : b;
	if (a == b)
		return signbit(a) ? b : a;

	return a > b ? a : b;
}

double host_min(double a, double b)
{
	return -host_max(-a, -b);
}

bool host_first_max(double so_far, double b)
{
	return !isnan(so_far) && (isnan(b) || b > so_far);
}

/* --- floating point of 16 bits --------------------------------------------- */

static double from_half(uint16_t half, unsigned int mantissa)
{
	unsigned int bits = 15 - mantissa, bias = (1u << (bits - 1)) - 1;
	unsigned int e = half >> mantissa & ((1u << bits) - 1);
	unsigned int m = half & ((1u << mantissa) - 1);
	double v;

	if (e == (1u << bits) - 1)
		v = m ? (double)NAN : (double)INFINITY;
	else if (e)
		v = ldexp(m + (1u << mantissa), (int)(e - bias - mantissa));
	else
		v = ldexp(m, (int)(1 - bias - mantissa));

	return half & 0x8000 ? -v : v;
}

/* By chance, the more so the larger the part that is cut off. */
static double by_chance(double m)
{
	static _Atomic uint64_t count;
	uint64_t x = ++count * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;

	return floor(m + ldexp((double)(x >> 11), -53));
}

/* @m, not negative, of a number of this sign; NULL: to nearest even. */
static double whole(double m, bool negative, const char *how)
{
	if (!how)
		return nearbyint(m);
	if (!strcmp(how, "rhaz"))
		return round(m);
	if (!strcmp(how, "sr"))
		return by_chance(m);
	if (!strcmp(how, negative ? "rd" : "ru"))
		return ceil(m);

	return floor(m);
}

static uint16_t to_half(double v, unsigned int mantissa, const char *how)
{
	unsigned int bits = 15 - mantissa, inf = ((1u << bits) - 1) << mantissa;
	int bias = (1 << (bits - 1)) - 1, e;
	uint16_t sign = signbit(v) ? 0x8000 : 0;
	double m, most;

	if (isnan(v))
		return (uint16_t)(sign | inf | 1u << (mantissa - 1));
	v = fabs(v);
	if (v == 0 || isinf(v))
		return v == 0 ? sign : (uint16_t)(sign | inf);
	frexp(v, &e);
	e = e - 1 < 1 - bias ? 1 - bias : e - 1;
	/* Exact until it is rounded, once; a carry goes into the exponent. */
	m = whole(ldexp(v, (int)mantissa - e), sign, how);
	m += ldexp(e + bias - 1, (int)mantissa);
	/* What is rounded toward zero does not become infinite. */
	most = inf - (whole(0.5, sign, how) == 0 && how && how[1] != 'h' &&
		      how[0] == 'r');

	return (uint16_t)(sign | (unsigned int)(m < most ? m : most));
}

#define BF16_MANTISSA	7u
#define F16_MANTISSA	10u

/* --- elements --------------------------------------------------------------- */

static uint64_t bits_of(const void *p, uint32_t size)
{
	uint64_t bits = 0;

	/* Little-endian, as the card and every host that has one. */
	memcpy(&bits, p, size);

	return bits;
}

struct host_num host_get(uint32_t type, const void *p)
{
	uint32_t size = gaudi_type_size(type);
	uint64_t bits = bits_of(p, size);
	struct host_num n = {};
	float f;

	switch (type) {
	case GAUDI_TYPE_BF16:
		n.f = from_half((uint16_t)bits, BF16_MANTISSA);
		return n;
	case GAUDI_TYPE_F16:
		n.f = from_half((uint16_t)bits, F16_MANTISSA);
		return n;
	case GAUDI_TYPE_F32:
		memcpy(&f, p, sizeof(f));
		n.f = (double)f;
		return n;
	case GAUDI_TYPE_F64:
		memcpy(&n.f, p, sizeof(n.f));
		return n;
	default:
		n.i = bits;
		if (host_is_signed(type) && bits >> (8 * size - 1) && size < 8)
			n.i |= ~0ull << 8 * size;
		n.f = host_is_signed(type) ? (double)(int64_t)n.i :
					     (double)n.i;
		return n;
	}
}

static uint64_t to_int(uint32_t type, double v)
{
	uint32_t bits = 8 * gaudi_type_size(type);
	double low = 0, high;

	if (isnan(v))
		return 0;
	v = trunc(v);
	if (host_is_signed(type))
		low = -ldexp(1, (int)bits - 1);
	high = ldexp(1, (int)bits - host_is_signed(type));
	if (v <= low)
		return host_is_signed(type) ? 1ull << (bits - 1) : 0;
	if (v >= high)
		return host_is_signed(type) ? (1ull << (bits - 1)) - 1 : ~0ull;

	return host_is_signed(type) ? (uint64_t)(int64_t)v : (uint64_t)v;
}

void host_put(uint32_t type, void *p, struct host_num n, bool integer)
{
	uint64_t bits;
	uint16_t half;
	float f;

	switch (type) {
	case GAUDI_TYPE_BF16:
	case GAUDI_TYPE_F16:
		half = to_half(n.f, type == GAUDI_TYPE_F16 ? F16_MANTISSA :
							     BF16_MANTISSA,
			       NULL);
		memcpy(p, &half, sizeof(half));
		return;
	case GAUDI_TYPE_F32:
		f = (float)n.f;
		memcpy(p, &f, sizeof(f));
		return;
	case GAUDI_TYPE_F64:
		memcpy(p, &n.f, sizeof(n.f));
		return;
	default:
		bits = integer ? n.i : to_int(type, n.f);
		memcpy(p, &bits, gaudi_type_size(type));
	}
}

void host_round(uint32_t type, void *p, double value, const char *how)
{
	uint16_t half = to_half(value, type == GAUDI_TYPE_F16 ? F16_MANTISSA :
				BF16_MANTISSA, how);

	memcpy(p, &half, sizeof(half));
}

/* --- tensors ---------------------------------------------------------------- */

void *host_at(const struct gaudi_host_tensor *t, const uint64_t *at)
{
	uint64_t offset = 0;
	uint32_t d;

	for (d = 0; d < t->rank; d++)
		if (host_dim(t, d) > 1)
			offset += at[d] * host_stride(t, d);

	return (uint8_t *)t->data + offset;
}

void host_begin(struct host_walk *w, const struct gaudi_host_tensor *t)
{
	uint32_t d;

	memset(w, 0, sizeof(*w));
	for (d = 0; d < GAUDI_MAX_RANK; d++)
		w->dims[d] = host_dim(t, d);
}

bool host_next(struct host_walk *w)
{
	uint32_t d;

	for (d = 0; d < GAUDI_MAX_RANK; d++) {
		if (++w->at[d] < w->dims[d])
			return true;
		w->at[d] = 0;
	}

	return false;
}

bool host_same(const struct gaudi_host_tensor *a,
	       const struct gaudi_host_tensor *b)
{
	uint32_t d;

	for (d = 0; d < GAUDI_MAX_RANK; d++)
		if (host_dim(a, d) != host_dim(b, d))
			return false;

	return true;
}

bool host_spreads(const struct gaudi_host_tensor *from,
		  const struct gaudi_host_tensor *to)
{
	uint32_t d;

	for (d = 0; d < GAUDI_MAX_RANK; d++)
		if (host_dim(from, d) != host_dim(to, d) &&
		    host_dim(from, d) != 1)
			return false;

	return true;
}

bool host_takes(const struct gaudi_host_call *call, uint32_t tensors,
		uint32_t scalars, uint32_t *access)
{
	uint32_t i;

	for (i = 0; i < tensors; i++)
		access[i] = i + 1 < tensors ? GAUDI_KERNEL_READS :
					      GAUDI_KERNEL_WRITES;

	return call->num_tensors == tensors &&
	       call->params_size == scalars * sizeof(float);
}

float host_scalar(const struct gaudi_host_call *call, uint32_t i)
{
	float value;

	memcpy(&value, (const uint8_t *)call->params + i * sizeof(value),
	       sizeof(value));

	return value;
}

bool host_roles(const struct gaudi_host_call *call, const char *roles,
		uint32_t least, uint32_t most, uint32_t *access)
{
	uint32_t num = (uint32_t)strlen(roles), i;

	if (call->num_tensors != num || call->params_size % sizeof(float) ||
	    call->params_size < least * sizeof(float) ||
	    call->params_size > most * sizeof(float))
		return false;
	for (i = 0; i < num; i++)
		access[i] = (roles[i] != 'w' ? GAUDI_KERNEL_READS : 0) |
			    (roles[i] != 'r' ? GAUDI_KERNEL_WRITES : 0);

	return true;
}

double host_scalar_or(const struct gaudi_host_call *call, uint32_t i,
		      double missing)
{
	return call->params_size > i * sizeof(float) ?
	       (double)host_scalar(call, i) : missing;
}

double host_value(const struct gaudi_host_tensor *t, const uint64_t *at)
{
	return host_get(t->type, host_at(t, at)).f;
}

void host_set(const struct gaudi_host_tensor *t, const uint64_t *at,
	      double value)
{
	host_put(t->type, host_at(t, at), (struct host_num) { .f = value },
		 false);
}

bool host_is_row(const struct gaudi_host_tensor *row,
		 const struct gaudi_host_tensor *of)
{
	uint32_t d;

	for (d = 0; d < GAUDI_MAX_RANK; d++)
		if (host_dim(row, d) != (d ? host_dim(of, d) : 1))
			return false;

	return true;
}

/* "max_pool_*" stands for all that begins so. */
static const struct host_builtin *find_in(const struct host_builtin *list,
					  const char *op)
{
	for (; list->name; list++) {
		size_t n = strcspn(list->name, "*");

		if (list->name[n] ? !strncmp(list->name, op, n) :
				    !strcmp(list->name, op))
			return list;
	}

	return NULL;
}

const struct host_builtin *host_builtin_find(const char *op)
{
	static const struct host_builtin *const lists[] = {
		host_elementwise, host_rows, host_norms, host_training,
		host_windows, host_pools, host_matrices,
	};
	const struct host_builtin *found = NULL;
	size_t i;

	for (i = 0; !found && i < sizeof(lists) / sizeof(lists[0]); i++)
		found = find_in(lists[i], op);

	return found;
}
