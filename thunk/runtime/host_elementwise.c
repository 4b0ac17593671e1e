// SPDX-License-Identifier: MIT
/* Operations of the host that go element by element, or move elements. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "host_math.h"

/* Of up to two elements and a scalar. */
struct operation {
	const char *name;
	uint32_t inputs;
	bool scalar;
	double (*f)(double a, double b, double s);
	/* NULL: of integers as well by @f, which is exact enough */
	uint64_t (*i)(uint64_t a, uint64_t b, uint64_t s);
};

#define F(name, value) \
	static double name(double a, double b, double s) \
	{ \
		(void)a, (void)b, (void)s; \
		return value; \
	}
#define I(name, value) \
	static uint64_t name(uint64_t a, uint64_t b, uint64_t s) \
	{ \
		(void)a, (void)b, (void)s; \
		return value; \
	}

static double sigmoid(double a)
{
	return 1 / (1 + exp(-a));
}

/* Where functions have their limits: infinity times 0 is none. */
static double gelu_erf(double a)
{
	if (a < -100)
		return 0;

	return a / 2 * erfc(-a / sqrt(2));
}

static double gelu(double a)
{
	if (a < -100)
		return 0;

	return a * sigmoid(2 * sqrt(2 / acos(-1)) * (a + 0.044715 * a * a * a));
}

static double within_100(double a)
{
	return isnan(a) ? a : fmax(-100, fmin(a, 100));
}

/* With a derivative of 2u at a: b times that of the function. */
static double gelu_grad(double x, double b)
{
	double a = within_100(x), k = 2 * sqrt(2 / acos(-1));
	double s = sigmoid(k * (a + 0.044715 * a * a * a));

	return b * (s + a * s * (1 - s) * k * (1 + 3 * 0.044715 * a * a));
}

static double gelu_erf_grad(double x, double b)
{
	double a = within_100(x);

	return b * (erfc(-a / sqrt(2)) / 2 +
		    a * exp(-a * a / 2) / sqrt(2 * acos(-1)));
}

F(add_f, a + b) I(add_i, a + b)
F(sub_f, a - b) I(sub_i, a - b)
F(mul_f, a * b) I(mul_i, a * b)
F(div_f, a / b)
F(max_f, host_max(a, b))
F(min_f, host_min(a, b))
F(add_s, a + s) I(add_si, a + s)
F(sub_s, a - s) I(sub_si, a - s)
F(rsub_s, s - a) I(rsub_si, s - a)
F(mul_s, a * s) I(mul_si, a * s)
F(div_s, a / s)
F(rdiv_s, s / a)
F(max_s, host_max(a, s))
F(min_s, host_min(a, s))
F(fill_s, s) I(fill_si, s)
F(same_f, a) I(same_i, a)
F(relu_f, host_max(a, 0))
F(relu_grad_f, a <= 0 ? 0 : b)
F(exp_f, exp(a))
F(log_f, log(a))
F(sqrt_f, sqrt(a))
F(sigmoid_f, sigmoid(a))
F(tanh_f, tanh(a))
F(sigmoid_grad_f, b * a * (1 - a))
F(tanh_grad_f, b * (1 - a * a))
F(gelu_f, gelu(a))
F(gelu_erf_f, gelu_erf(a))
F(gelu_grad_f, gelu_grad(a, b))
F(gelu_erf_grad_f, gelu_erf_grad(a, b))

static const struct operation operations[] = {
	{ "add", 2, false, add_f, add_i },
	{ "sub", 2, false, sub_f, sub_i },
	{ "mul", 2, false, mul_f, mul_i },
	{ "div", 2, false, div_f, NULL },
	{ "max", 2, false, max_f, NULL },
	{ "min", 2, false, min_f, NULL },
	{ "add_scalar", 1, true, add_s, add_si },
	{ "sub_scalar", 1, true, sub_s, sub_si },
	{ "rsub_scalar", 1, true, rsub_s, rsub_si },
	{ "mul_scalar", 1, true, mul_s, mul_si },
	{ "div_scalar", 1, true, div_s, NULL },
	{ "rdiv_scalar", 1, true, rdiv_s, NULL },
	{ "max_scalar", 1, true, max_s, NULL },
	{ "min_scalar", 1, true, min_s, NULL },
	{ "fill", 0, true, fill_s, fill_si },
	{ "copy", 1, false, same_f, same_i },
	{ "cast", 1, false, same_f, same_i },
	{ "broadcast", 1, false, same_f, same_i },
	{ "relu", 1, false, relu_f, NULL },
	{ "relu_grad", 2, false, relu_grad_f, NULL },
	{ "exp", 1, false, exp_f, NULL },
	{ "log", 1, false, log_f, NULL },
	{ "sqrt", 1, false, sqrt_f, NULL },
	{ "sigmoid", 1, false, sigmoid_f, NULL },
	{ "tanh", 1, false, tanh_f, NULL },
	{ "sigmoid_grad", 2, false, sigmoid_grad_f, NULL },
	{ "tanh_grad", 2, false, tanh_grad_f, NULL },
	{ "gelu", 1, false, gelu_f, NULL },
	{ "gelu_erf", 1, false, gelu_erf_f, NULL },
	{ "gelu_grad", 2, false, gelu_grad_f, NULL },
	{ "gelu_erf_grad", 2, false, gelu_erf_grad_f, NULL },
	{ "scale", 2, false, mul_f, NULL },
};

static const struct operation *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (!strcmp(operations[i].name, name))
			return &operations[i];

	return NULL;
}

static bool check(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct operation *o = find(call->op);
	uint32_t i;

	if (!o || !host_takes(call, o->inputs + 1, o->scalar, access))
		return false;
	for (i = 0; i < o->inputs; i++)
		if (!host_spreads(&call->tensors[i], &call->tensors[o->inputs]))
			return false;

	return true;
}

/* Those that compare are exact for integers of 64 bits, too. */
static struct host_num pick(const struct operation *o, uint32_t type,
			    struct host_num a, struct host_num b, double s)
{
	bool least = o->f == min_f || o->f == min_s;
	bool other = o->inputs < 2;
	struct host_num n = {
		.f = s, .i = host_is_signed(type) ? (uint64_t)(int64_t)s :
						    (uint64_t)s,
	};
	bool less;

	n = other ? n : b;
	less = host_is_signed(type) ? (int64_t)a.i < (int64_t)n.i : a.i < n.i;

	return less == least ? a : n;
}

static bool compares(const struct operation *o)
{
	return o->f == max_f || o->f == min_f || o->f == max_s || o->f == min_s;
}

static struct host_num compute(const struct operation *o, uint32_t type,
			       bool integer, struct host_num a,
			       struct host_num b, double s)
{
	struct host_num n = {};

	if (integer && compares(o))
		return pick(o, type, a, b, s);
	n.f = o->f(a.f, b.f, s);
	if (integer && o->i)
		n.i = o->i(a.i, b.i, (uint64_t)(int64_t)s);

	return n;
}

static int run(const struct gaudi_host_call *call, void *arg)
{
	const struct operation *o = find(call->op);
	const struct gaudi_host_tensor *to = &call->tensors[o->inputs];
	const struct gaudi_host_tensor *from = call->tensors;
	double s = o->scalar ? (double)host_scalar(call, 0) : 0;
	bool integer = host_all_int(call) && s == trunc(s) && fabs(s) < 0x1p63;
	bool exact = integer && (o->i || compares(o));
	struct host_walk w;

	(void)arg;
	host_begin(&w, to);
	do {
		struct host_num a = {}, b = {}, n;

		if (o->inputs)
			a = host_get(from[0].type, host_at(&from[0], w.at));
		if (o->inputs > 1)
			b = host_get(from[1].type, host_at(&from[1], w.at));
		n = compute(o, to->type, integer, a, b, s);
		host_put(to->type, host_at(to, w.at), n, exact);
	} while (host_next(&w));

	return 0;
}

/* --- others ------------------------------------------------------------------ */

/* VALUE is a whole number, as tensors of such have it. */
static bool check_fill(const struct gaudi_host_call *call, uint32_t *access)
{
	return host_roles(call, "w", 1, 1, access) &&
	       host_is_int(call->tensors[0].type);
}

static int run_fill(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *to = &call->tensors[0];
	struct host_num n = {};
	struct host_walk w;
	int32_t value;

	(void)arg;
	memcpy(&value, call->params, sizeof(value));
	n.i = (uint64_t)(int64_t)value;
	host_begin(&w, to);
	do {
		host_put(to->type, host_at(to, w.at), n, true);
	} while (host_next(&w));

	return 0;
}

/* To 16 bits, rounded as the name says. */
static bool check_cast(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;

	return host_roles(call, "rw", 0, 0, access) &&
	       (t[1].type == GAUDI_TYPE_BF16 || t[1].type == GAUDI_TYPE_F16) &&
	       host_spreads(&t[0], &t[1]);
}

static int run_cast(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	const char *how = call->op + strlen("cast_");
	struct host_walk w;

	(void)arg;
	host_begin(&w, &t[1]);
	do {
		host_round(t[1].type, host_at(&t[1], w.at),
			   host_value(&t[0], w.at), how);
	} while (host_next(&w));

	return 0;
}

/* Which dim of A becomes dim @d: by digit @d of an octal number of five, or eight. */
static uint32_t dim_from(uint32_t order, uint32_t d)
{
	return d > 4 && !(order >> 15) ? d : order >> 3 * d & 7;
}

/* "transpose" is an order, too. False: it is none, or the name has another one. */
static bool get_order(const struct gaudi_host_call *call, uint32_t *order)
{
	uint32_t seen = 0, d;

	*order = 043201;
	if (call->op[0] == 'p')
		memcpy(order, call->params, sizeof(*order));
	for (d = 0; d < GAUDI_MAX_RANK; d++)
		seen |= 1u << dim_from(*order, d);

	return seen == 0xff && !(*order >> 24) &&
	       (call->op[0] != 'p' ||
		(call->op[7] == (char)('0' + (*order & 7)) && !call->op[8]));
}

static bool check_permute(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *t = call->tensors;
	uint32_t num = call->op[0] == 'p', order, d;

	if (!host_roles(call, "rw", num, num, access) ||
	    t[0].type != t[1].type || !get_order(call, &order))
		return false;
	for (d = 0; d < GAUDI_MAX_RANK; d++)
		if (host_dim(&t[1], d) != host_dim(&t[0], dim_from(order, d)))
			return false;

	return true;
}

static int run_permute(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *t = call->tensors;
	uint64_t at[GAUDI_MAX_RANK];
	struct host_walk w;
	uint32_t order, d;

	(void)arg;
	if (!get_order(call, &order))
		return -EINVAL;
	host_begin(&w, &t[1]);
	do {
		for (d = 0; d < GAUDI_MAX_RANK; d++)
			at[dim_from(order, d)] = w.at[d];
		memcpy(host_at(&t[1], w.at), host_at(&t[0], at),
		       gaudi_type_size(t[0].type));
	} while (host_next(&w));

	return 0;
}

#define ELEMENTWISE(name)	{ name, run, check }

const struct host_builtin host_elementwise[] = {
	ELEMENTWISE("add"), ELEMENTWISE("sub"), ELEMENTWISE("mul"),
	ELEMENTWISE("div"), ELEMENTWISE("max"), ELEMENTWISE("min"),
	ELEMENTWISE("add_scalar"), ELEMENTWISE("sub_scalar"),
	ELEMENTWISE("rsub_scalar"), ELEMENTWISE("mul_scalar"),
	ELEMENTWISE("div_scalar"), ELEMENTWISE("rdiv_scalar"),
	ELEMENTWISE("max_scalar"), ELEMENTWISE("min_scalar"),
	ELEMENTWISE("fill"), ELEMENTWISE("copy"), ELEMENTWISE("cast"),
	ELEMENTWISE("broadcast"), ELEMENTWISE("relu"),
	ELEMENTWISE("relu_grad"), ELEMENTWISE("exp"), ELEMENTWISE("log"),
	ELEMENTWISE("sqrt"), ELEMENTWISE("sigmoid"), ELEMENTWISE("tanh"),
	ELEMENTWISE("sigmoid_grad"), ELEMENTWISE("tanh_grad"),
	ELEMENTWISE("gelu"), ELEMENTWISE("gelu_erf"),
	ELEMENTWISE("gelu_grad"), ELEMENTWISE("gelu_erf_grad"),
	ELEMENTWISE("scale"),
	{ "fill_whole", run_fill, check_fill },
	{ "cast_rz", run_cast, check_cast }, { "cast_ru", run_cast, check_cast },
	{ "cast_rd", run_cast, check_cast }, { "cast_sr", run_cast, check_cast },
	{ "cast_rhaz", run_cast, check_cast },
	{ "transpose", run_permute, check_permute },
	{ "permute*", run_permute, check_permute },
	{},
};
