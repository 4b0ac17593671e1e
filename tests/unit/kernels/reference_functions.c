// SPDX-License-Identifier: GPL-2.0-only
/* Functions of one or two elements by libm, in double. */
#include <math.h>

#include "reference.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static double remainder_of(double a, double b)
{
	double m = fmod(a, b);

	return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}

/* Of the card's numbers, whose remainders are exact. */
static double floor_div(double a, double b)
{
	double m = fmod(a, b), q;

	if (b == 0)
		return a / b;
	q = nearbyint((a - m) / b) - (m != 0 && (m < 0) != (b < 0));
	return q == 0 ? copysign(0, a / b) : q;
}

static double erfinv(double a)
{
	double x, y = 0, step;
	int i;

	if (!(fabs(a) < 1))
		return fabs(a) == 1 ? a * INFINITY : NAN;
	/* Newton's method from where it begins to rise: it does not pass the result. */
	for (i = 0, x = fabs(a); i < 200; i++) {
		step = (erfc(y) - (1 - x)) * sqrt(M_PI) / 2 * exp(y * y);
		y += step;
		if (fabs(step) <= 1e-16 * y)
			break;
	}
	return copysign(y, a);
}

static double sigmoid(double a)
{
	return 1 / (1 + exp(-a));
}

#define F(name, value) \
	static double f_##name(double a, double b) \
	{ \
		(void)a; \
		(void)b; \
		return value; \
	}

F(neg, -a)
F(abs, fabs(a))
F(sign, (a > 0) - (a < 0))
F(floor, floor(a))
F(ceil, ceil(a))
F(trunc, trunc(a))
F(round, nearbyint(a))
F(reciprocal, 1 / a)
F(rsqrt, 1 / sqrt(a))
F(sin, sin(a))
F(cos, cos(a))
F(tan, tan(a))
F(asin, asin(a))
F(acos, acos(a))
F(atan, atan(a))
F(sinh, sinh(a))
F(cosh, cosh(a))
F(asinh, asinh(a))
F(acosh, acosh(a))
F(atanh, atanh(a))
F(exp2, exp2(a))
F(expm1, expm1(a))
F(log1p, log1p(a))
F(log2, log2(a))
F(log10, log10(a))
F(erf, erf(a))
F(erfc, erfc(a))
F(erfinv, erfinv(a))
F(silu, a * sigmoid(a))
F(silu_grad, b * sigmoid(a) * (1 + a * (1 - sigmoid(a))))
F(softplus, (a < 0 ? 0 : a) + log1p(exp(-fabs(a))))
F(pow, pow(a, b))
F(rpow, pow(b, a))
F(atan2, atan2(a, b))
F(floor_div, floor_div(a, b))
F(rfloor_div, floor_div(b, a))
F(fmod, fmod(a, b))
F(remainder, remainder_of(a, b))
F(rremainder, remainder_of(b, a))

static const struct {
	const char *name;
	double (*f)(double a, double b);
} known[] = {
#define OF(name)	{ #name, f_##name }
	OF(neg), OF(abs), OF(sign), OF(floor), OF(ceil), OF(trunc), OF(round),
	OF(reciprocal), OF(rsqrt), OF(sin), OF(cos), OF(tan), OF(asin),
	OF(acos), OF(atan), OF(sinh), OF(cosh), OF(asinh), OF(acosh), OF(atanh),
	OF(exp2), OF(expm1), OF(log1p), OF(log2), OF(log10), OF(erf), OF(erfc),
	OF(erfinv), OF(silu), OF(silu_grad), OF(softplus), OF(pow), OF(rpow),
	OF(atan2), OF(floor_div), OF(rfloor_div), OF(fmod), OF(remainder),
	OF(rremainder),
#undef OF
};

function *reference_function(const char *name)
{
	size_t n = strlen(name), i;

	if (n > 7 && !strcmp(name + n - 7, "_scalar"))
		n -= 7;
	for (i = 0; i < COUNT(known); i++)
		if (strlen(known[i].name) == n && !strncmp(known[i].name, name, n))
			return known[i].f;
	return NULL;
}

bool reference_by_libm(struct run *r, const char *name)
{
	uint32_t inputs = r->k->num_tensors - 1, at[5] = {};
	function *f = reference_function(name);
	double b = scalar(r, 0);

	if (!f)
		return false;
	do {
		if (inputs > 1)
			b = value(&r->t[1], at);
		put(&r->t[inputs], at, f(value(&r->t[0], at), b));
	} while (next(&r->t[inputs], at));
	return true;
}
