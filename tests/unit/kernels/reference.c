// SPDX-License-Identifier: GPL-2.0-only
/* Numbers and indexes, and what goes element by element, or moves elements. */
#include <math.h>

#include "five.h"
#include "reference.h"

size_t number_of(const struct tensor *t, const uint32_t *at)
{
	size_t i = 0, step = 1;
	uint32_t d;

	for (d = 0; d < 5; d++) {
		if (t->dims[d] > 1)
			i += at[d] * step;
		step *= t->dims[d];
	}
	return i;
}

uint32_t word(const struct tensor *t, const uint32_t *at)
{
	return get_raw(t, number_of(t, at));
}

double value(const struct tensor *t, const uint32_t *at)
{
	uint32_t bits = word(t, at);

	if (t->type == GAUDI_TYPE_I32)
		return (int32_t)bits;
	if (t->type == GAUDI_TYPE_U32)
		return bits;
	return float_of(t->type == GAUDI_TYPE_BF16 ? bits << 16 : bits);
}

/* @m, not negative, of a number of this sign; NULL: to nearest even. */
static double whole(double m, bool negative, const char *how)
{
	if (!how)
		return nearbyint(m);
	if (!strcmp(how, "rhaz"))
		return round(m);
	if (!strcmp(how, negative ? "rd" : "ru"))
		return ceil(m);
	return floor(m);
}

static uint32_t round_bf16(double v, const char *how)
{
	uint32_t sign = signbit(v) ? 0x8000 : 0, most = 0x7f80;
	double m;
	int e;

	if (isnan(v))
		return sign | 0x7fc0;
	v = fabs(v);
	if (v == 0 || isinf(v))
		return v == 0 ? sign : sign | 0x7f80;
	frexp(v, &e);
	e = e - 1 < -126 ? -126 : e - 1;
	/* Exact until it is rounded, once; a carry goes into the exponent. */
	m = whole(ldexp(v, 7 - e), sign, how) + ldexp(e + 126, 7);
	/* What is rounded toward zero does not become infinite. */
	if (how && strcmp(how, "rhaz") && whole(0.5, sign, how) == 0)
		most--;
	return sign | (m < most ? (uint32_t)m : most);
}

void put_rounded(struct tensor *t, const uint32_t *at, double v, const char *how)
{
	set_raw(t, number_of(t, at), round_bf16(v, how));
}

static int32_t to_int(double v)
{
	if (isnan(v))
		return 0;
	return v <= INT32_MIN ? INT32_MIN : v >= INT32_MAX ? INT32_MAX : (int32_t)v;
}

void put(struct tensor *t, const uint32_t *at, double v)
{
	if (t->type == GAUDI_TYPE_BF16)
		put_rounded(t, at, v, NULL);
	else
		set_raw(t, number_of(t, at), t->type == GAUDI_TYPE_F32 ?
			bits_of((float)v) : t->type == GAUDI_TYPE_U32 ?
			(uint32_t)(int64_t)v : (uint32_t)to_int(v));
}

bool next(const struct tensor *t, uint32_t *at)
{
	uint32_t d;

	for (d = 0; d < 5; d++) {
		if (++at[d] < t->dims[d])
			return true;
		at[d] = 0;
	}
	return false;
}

bool next_row(const struct tensor *t, uint32_t *at)
{
	at[0] = t->dims[0] - 1;
	return next(t, at);
}

double scalar(const struct run *r, uint32_t i)
{
	return float_of(r->scalars[i]);
}

double max_of(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? a : b;
	if (a == b)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}

static double min_of(double a, double b)
{
	return -max_of(-a, -b);
}

bool is_first_max(double so_far, double b)
{
	return !isnan(so_far) && (isnan(b) || b > so_far);
}

/* --- of up to two elements and a scalar ------------------------------------ */

static double sigmoid(double a)
{
	return 1 / (1 + exp(-a));
}

/* Where functions have their limits: infinity times 0 is none. */
static double gelu_erf(double a)
{
	return a < -100 ? 0 : a / 2 * erfc(-a / sqrt(2));
}

static double gelu(double a)
{
	return a < -100 ? 0 : a * sigmoid(2 * sqrt(2 / M_PI) *
					  (a + 0.044715 * a * a * a));
}

static double within_100(double a)
{
	return isnan(a) ? a : fmax(-100, fmin(a, 100));
}

/* With a derivative of 2u at a: b times that of the function. */
static double gelu_grad(double x, double b)
{
	double a = within_100(x), k = 2 * sqrt(2 / M_PI);
	double s = sigmoid(k * (a + 0.044715 * a * a * a));

	return b * (s + a * s * (1 - s) * k * (1 + 3 * 0.044715 * a * a));
}

static double gelu_erf_grad(double x, double b)
{
	double a = within_100(x);

	return b * (erfc(-a / sqrt(2)) / 2 +
		    a * exp(-a * a / 2) / sqrt(2 * M_PI));
}

#define F(name, value) \
	static double f_##name(double a, double b, double s) \
	{ \
		(void)a, (void)b, (void)s; \
		return value; \
	}

F(add, a + b)
F(sub, a - b)
F(mul, a * b)
F(div, a / b)
F(max, max_of(a, b))
F(min, min_of(a, b))
F(add_scalar, a + s)
F(sub_scalar, a - s)
F(rsub_scalar, s - a)
F(mul_scalar, a * s)
F(div_scalar, a / s)
F(rdiv_scalar, s / a)
F(max_scalar, max_of(a, s))
F(min_scalar, min_of(a, s))
F(fill, s)
/* What has too many digits for f32 is rounded to it first. */
F(cast, (float)a)
F(broadcast, a)
F(relu, max_of(a, 0))
F(relu_grad, a <= 0 ? 0 : b)
F(exp, exp(a))
F(log, log(a))
F(sqrt, sqrt(a))
F(sigmoid, sigmoid(a))
F(tanh, tanh(a))
F(sigmoid_grad, b * a * (1 - a))
F(tanh_grad, b * (1 - a * a))
F(gelu, gelu(a))
F(gelu_erf, gelu_erf(a))
F(gelu_grad, gelu_grad(a, b))
F(gelu_erf_grad, gelu_erf_grad(a, b))

#define OF(name)	{ #name, f_##name }

bool reference_elementwise(struct run *r, const char *name)
{
	static const struct {
		const char *name;
		double (*f)(double a, double b, double s);
	} known[] = {
		OF(add), OF(sub), OF(mul), OF(div), OF(max), OF(min),
		OF(add_scalar), OF(sub_scalar), OF(rsub_scalar),
		OF(mul_scalar), OF(div_scalar), OF(rdiv_scalar),
		OF(max_scalar), OF(min_scalar), OF(fill), OF(relu),
		OF(relu_grad), OF(exp), OF(log), OF(sqrt), OF(sigmoid),
		OF(tanh), OF(sigmoid_grad), OF(tanh_grad), OF(gelu),
		OF(gelu_erf), OF(gelu_grad), OF(gelu_erf_grad),
		{ "scale", f_mul }, OF(cast), OF(broadcast),
	};
	uint32_t inputs = r->k->num_tensors - 1, at[5] = {};
	struct tensor *to = &r->t[inputs];
	double a = 0, b = 0, s;
	size_t i = 0;

	while (i < sizeof(known) / sizeof(known[0]) && strcmp(known[i].name, name))
		i++;
	if (i == sizeof(known) / sizeof(known[0]))
		return false;
	/* The only scalar that is a whole number where the tensor is one. */
	s = to->type == GAUDI_TYPE_I32 ? (int32_t)r->scalars[0] : scalar(r, 0);
	do {
		if (inputs)
			a = value(&r->t[0], at);
		if (inputs > 1)
			b = value(&r->t[1], at);
		put(to, at, known[i].f(a, b, s));
	} while (next(to, at));
	return true;
}

/* --- moves ----------------------------------------------------------------- */

static void cast(struct run *r, const char *name)
{
	uint32_t at[5] = {};

	do {
		put_rounded(&r->t[1], at, value(&r->t[0], at),
			    name + strlen("cast_"));
	} while (next(&r->t[1], at));
}

static void copy(struct run *r, const char *name)
{
	uint32_t at[5] = {};

	(void)name;
	do {
		set_raw(&r->t[1], number_of(&r->t[1], at), word(&r->t[0], at));
	} while (next(&r->t[1], at));
}

/* Digit D of an octal number: which dim of A becomes dim D. */
static void permute(struct run *r, const char *name)
{
	uint32_t order = name[0] == 't' ? 043201 : r->scalars[0];
	uint32_t at[5] = {}, from[5], d;

	do {
		for (d = 0; d < 5; d++)
			from[order >> 3 * d & 7] = at[d];
		set_raw(&r->t[1], number_of(&r->t[1], at), word(&r->t[0], from));
	} while (next(&r->t[1], at));
}

const struct reference reference_moves[] = {
	{ "cast_r*", cast }, { "cast_s*", cast }, { "copy", copy },
	{ "transpose", permute }, { "permute*", permute }, {},
};

/* --- by name --------------------------------------------------------------- */

/* A type at the end goes; of casts both, and how they round stays. */
static void cut_types(char *name)
{
	static const char *const types[] = { "_f32", "_bf16", "_i32", "_u32" };
	char *at, *how = strrchr(name, '_');
	size_t i;

	if (!strncmp(name, "cast_", 5)) {
		if (how[1] != 'r' && how[1] != 's')
			how = "";
		memmove(name + 4, how, strlen(how) + 1);
		return;
	}
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		at = name + strlen(name) - strlen(types[i]);
		if (at > name && !strcmp(at, types[i]))
			*at = 0;
	}
}

static const struct reference *find(const char *name)
{
	static const struct reference *const lists[] = {
		reference_moves, reference_rows, reference_pools,
		reference_training, reference_choices, reference_places,
	};
	const struct reference *one;
	size_t i, n;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (one = lists[i]; one->name; one++) {
			n = strcspn(one->name, "*");
			if (one->name[n] ? !strncmp(one->name, name, n) :
					   !strcmp(one->name, name))
				return one;
		}
	return NULL;
}

void reference(struct run *r)
{
	const struct reference *one;
	char name[64];

	snprintf(name, sizeof(name), "%s", r->k->name);
	cut_types(name);
	if (reference_whole(r, name) || reference_elementwise(r, name) ||
	    reference_by_libm(r, name))
		return;
	one = find(name);
	if (!one)
		fail_msg("%s: the reference has no '%s'", r->k->name, name);
	one->fn(r, name);
}

/* --- beside the kernel ------------------------------------------------------ */

static bool is_float(uint32_t type)
{
	return type == GAUDI_TYPE_F32 || type == GAUDI_TYPE_BF16;
}

/* What only moves, chooses or rounds, or has one operation. */
static bool is_exact(const struct kernel_lib *k)
{
	static const char *const exact[] = {
		"cast_", "copy_", "fill_", "add_", "sub_", "rsub_", "mul_",
		"max_", "min_", "relu_", "scale_", "gather_", "transpose_",
		"permute", "broadcast_", "argmax_", "argmin_", "cumsum_", "cumprod_",
		"uniform_", "bernoulli_", "tril_", "triu_", "scatter_elements_", "correct_", "dropout_",
		"avg_pool_", "where_", "masked_fill_",
		"neg_", "abs_", "sign_", "floor_", "ceil_", "trunc_", "round_",
		"fmod_", "remainder_", "rremainder_",
	};
	size_t i;

	for (i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		if (!strncmp(k->name, exact[i], strlen(exact[i])))
			return !strstr(k->name, "_sr") &&
			       (k->name[0] != 'a' || !strstr(k->name, "grad"));
	return false;
}

static void compare(const struct run *r, uint32_t t, const uint8_t *kernel,
		    const char *what)
{
	const struct tensor *by_c = &r->t[t];
	struct tensor by = *by_c;
	uint32_t bound = by.type == GAUDI_TYPE_F32 ? 16 : 1;
	/* A log of nearly 1 has lost its last digits before. */
	double most = strstr(r->k->name, "cross_entropy") ? 1 : 0, is, want;
	size_t i;

	by.p = (uint8_t *)kernel;
	if (!strcmp(r->k->name, "prod_rows_f32"))
		bound = 64;	/* of more than a thousand factors */
	if (is_exact(r->k) || !is_float(by.type))
		bound = 0;
	for (i = 0; bound && i < by.count; i++)
		if (isfinite(get(&by, i)))
			most = fmax(most, fabsf(get(&by, i)));
	for (i = 0; i < by.count; i++) {
		is = get(&by, i);
		want = get(by_c, i);
		if (is_float(by.type) ?
		    ulps(by.type, want, is) > bound &&
		    !(fabs(want - is) <= most * 1e-6) :
		    get_raw(&by, i) != get_raw(by_c, i))
			fail_msg("%s%s: element %zu of %zu of %s is %.9g, by C %.9g",
				 r->k->name, what, i, by.count,
				 r->k->tensors[t].name, is, want);
	}
}

static float flushed(float x)
{
	return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* As all arithmetic of the card sees them. */
static void flush_subnormals(struct run *r)
{
	uint32_t i;
	size_t k;

	for (i = 0; i < r->k->num_tensors; i++)
		for (k = 0; is_float(r->t[i].type) &&
		     r->k->tensors[i].access & GAUDI_KERNEL_READS &&
		     k < r->t[i].count; k++)
			if (get(&r->t[i], k) != flushed(get(&r->t[i], k)))
				set(&r->t[i], k, flushed(get(&r->t[i], k)));
	for (i = 0; i < r->k->num_scalars; i++)
		if (r->k->scalars[i].type == GAUDI_TYPE_F32)
			r->scalars[i] = bits_of(flushed(scalar(r, i)));
}

void as_in_c(struct run *r, unsigned int parts, const char *what)
{
	uint8_t *before = five_save(r), *kernel;
	size_t at = 0;
	uint32_t t;

	run_parts(r, parts);
	kernel = five_save(r);
	five_restore(r, before);
	flush_subnormals(r);
	reference(r);
	for (t = 0; t < r->k->num_tensors; t++) {
		if (r->k->tensors[t].access & GAUDI_KERNEL_WRITES)
			compare(r, t, kernel + at, what);
		else if (memcmp(kernel + at, before + at, five_bytes(r, t)))
			fail_msg("%s%s: writes to %s", r->k->name, what,
				 r->k->tensors[t].name);
		at += five_bytes(r, t);
	}
	free(before);
	free(kernel);
}
