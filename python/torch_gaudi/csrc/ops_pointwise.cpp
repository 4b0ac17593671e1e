// SPDX-License-Identifier: MIT
/* Operators element by element. */
#include <ATen/ops/result_type.h>

#include "copy.h"
#include "op.h"
#include "reduce.h"

namespace torch_gaudi {
namespace {

/* A result of i32 that is 0 or 1, or of the inputs' own type. */
Held result_type(const Entry &e, Held type)
{
	return e.flags & TO_BOOL ? Held::I32 : type;
}

void check_result(const at::Tensor &out, Held result)
{
	c10::ScalarType type = out.scalar_type();

	if (held(type) == Held::NONE || held(type) == Held::C64 || held(type) == Held::F16)
		throw Unsupported(std::string("a result of ") + c10::toString(type));
	if (result != Held::I32 && held(type) == Held::I32)
		throw Unsupported("a result that is cast to integers");
}

void unary(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	c10::ScalarType type = promote(a.scalar_type(), c.entry.flags);
	Held t = compute_type(type, c.entry.flags), r = result_type(c.entry, t);

	check_result(out, r);
	pointwise(c.entry.kernel, t, r, output(out, view(a).sizes), { view(a) });
	c.give(out);
}

/* A number has no sizes. */
View sizes_of(const at::Tensor &t)
{
	View v;

	v.sizes.assign(t.sizes().rbegin(), t.sizes().rend());
	return v;
}

/* Of 0 and 1: sums and products are or and and. */
void binary_bool(Call &c, const View &to)
{
	pointwise(c.entry.for_bool, Held::I32, Held::I32, to,
		  { input(c.tensor(0), Held::I32), input(c.tensor(1), Held::I32) });
	c.give(c.out());
}

void binary(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	at::Tensor b = c.tensor(1);
	const Entry &e = c.entry;
	c10::ScalarType type = promote(at::result_type(a, b), e.flags);
	bool logical = type == c10::ScalarType::Bool && e.for_bool;
	Held t = compute_type(type, e.flags | (logical ? ANY_INTEGER : 0)), r = result_type(e, t);
	double alpha = e.flags & ALPHA ? c.scalar(2).to<double>() : 1;
	View to = output(out, broadcast_sizes({ sizes_of(a), sizes_of(b) }));

	check_result(out, r);
	if (logical)
		return binary_bool(c, to);
	if (is_number(b) && e.with_scalar && has_kernel(e.with_scalar, t)) {
		c10::Scalar value = b.item();

		if (alpha != 1)
			value = t == Held::I32 ?
				c10::Scalar(value.to<int64_t>() * c.scalar(2).to<int64_t>()) :
				c10::Scalar(value.to<double>() * alpha);
		pointwise(e.with_scalar, t, r, to, { view(a) }, scalar_bits(value, t));
	} else if (is_number(a) && e.scalar_with && has_kernel(e.scalar_with, t) && alpha == 1) {
		pointwise(e.scalar_with, t, r, to, { view(b) }, scalar_bits(a.item(), t));
	} else {
		require_kernel(e.kernel, t);
		View other = input(b, t);

		if (alpha != 1)
			other = pointwise("mul_scalar", t, { other }, scalar_bits(c.scalar(2), t));
		pointwise(e.kernel, t, r, to, { input(a, t), other });
	}
	c.give(out);
}

/* With a number as second argument. */
void binary_scalar(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	const Entry &e = c.entry;
	c10::ScalarType type = promote(at::result_type(a, c.scalar(1)), e.flags);
	Held t = compute_type(type, e.flags), r = result_type(e, t);

	check_result(out, r);
	pointwise(e.with_scalar, t, r, output(out, view(a).sizes), { view(a) },
		  scalar_bits(c.scalar(1), t));
	c.give(out);
}

/* Kernels in a row, each of one input. */
void chain(Call &c, std::initializer_list<std::pair<const char *, double>> steps)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	Held t = compute_type(promote(a.scalar_type(), c.entry.flags), c.entry.flags);
	View v = view(a);
	size_t left = steps.size();

	check_result(out, t);
	Held inner = inner_type(t);
	for (const auto &step : steps) {
		c10::SmallVector<uint32_t, 1> scalars;

		if (std::string(step.first).find("_scalar") != std::string::npos)
			scalars.push_back(inner == Held::I32 ? (uint32_t)(int32_t)step.second :
							       f32_bits(step.second));
		if (--left)
			v = pointwise(step.first, inner, { v }, scalars);
		else
			pointwise(step.first, inner, inner, output(out, v.sizes), { v }, scalars);
	}
	c.give(out);
}

void neg(Call &c)
{
	chain(c, { { "mul_scalar", -1 } });
}

void reciprocal(Call &c)
{
	chain(c, { { "rdiv_scalar", 1 } });
}

void rsqrt(Call &c)
{
	chain(c, { { "sqrt", 0 }, { "rdiv_scalar", 1 } });
}

void relu(Call &c)
{
	const at::Tensor &a = c.tensor(0);
	Held t = compute_type(a.scalar_type(), c.entry.flags);
	at::Tensor out = empty_strided(a.sizes(), a.strides(), a.scalar_type());

	if (!a.is_non_overlapping_and_dense())
		out = empty(a.sizes(), a.scalar_type());
	pointwise("relu", t, t, view(out), { view(a) });
	c.give(out);
}

void relu_(Call &c)
{
	const at::Tensor &a = c.tensor(0);
	Held t = compute_type(a.scalar_type(), c.entry.flags);

	pointwise("relu", t, t, view(a), { view(a) });
	c.give(a);
}

void abs(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0);

	check_result(out, t);
	pointwise("abs", t, t, output(out, view(a).sizes), { view(a) });
	c.give(out);
}

void silu(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0);
	View x = cast(view(a), inner_type(t));

	check_result(out, t);
	pointwise("mul", x.type, x.type, view(out), { x, pointwise("sigmoid", x.type, { x }) });
	c.give(out);
}

void gelu(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0);
	const char *kernel = c[1].toStringRef() == "tanh" ? "gelu" : "gelu_erf";

	check_result(out, t);
	pointwise(kernel, t, t, output(out, view(a).sizes), { view(a) });
	c.give(out);
}

void gelu_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &a = c.tensor(1), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0);
	const char *kernel = c[2].toStringRef() == "tanh" ? "gelu_grad" : "gelu_erf_grad";

	check_result(out, t);
	pointwise(kernel, t, t, view(out), { view(a), view(g) });
	c.give(out);
}

/* (gradient, result): the kernel has the result first. */
void from_result(Call &c)
{
	const at::Tensor &g = c.tensor(0), &y = c.tensor(1), &out = c.out();
	Held t = compute_type(y.scalar_type(), 0);

	check_result(out, t);
	pointwise(c.entry.kernel, t, t, view(out), { view(y), view(g) });
	c.give(out);
}

void threshold_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &y = c.tensor(1), &out = c.out();
	Held t = compute_type(at::result_type(g, y), 0);
	View at_zero = view(y);
	double threshold = c.scalar(2).to<double>();

	check_result(out, t);
	if (threshold != 0)
		at_zero = pointwise("sub_scalar", t, { at_zero }, f32_bits(threshold));
	pointwise("relu_grad", t, t, view(out), { at_zero, view(g) });
	c.give(out);
}

/* A power that multiplications, divisions and roots have. */
void pow_scalar(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	c10::ScalarType type = at::result_type(a, c.scalar(1));
	Held t = compute_type(type, 0);
	double e = c.scalar(1).to<double>();
	View x = cast(view(a), inner_type(t)), to = output(out, x.sizes);
	Held inner = x.type;

	check_result(out, t);
	if (e == 2) {
		pointwise("mul", inner, inner, to, { x, x });
	} else if (t == Held::I32 && e != 1) {
		throw Unsupported("a power of integers");
	} else if (e == 3) {
		pointwise("mul", inner, inner, to, { pointwise("mul", inner, { x, x }), x });
	} else if (e == 4) {
		View square = pointwise("mul", inner, { x, x });

		pointwise("mul", inner, inner, to, { square, square });
	} else if (e == 1) {
		store(out, x);
	} else if (e == 0.5) {
		pointwise("sqrt", inner, inner, to, { x });
	} else if (e == -1) {
		pointwise("rdiv_scalar", inner, inner, to, { x }, f32_bits(1));
	} else if (e == -0.5) {
		pointwise("rdiv_scalar", inner, inner, to, { pointwise("sqrt", inner, { x }) },
			  f32_bits(1));
	} else {
		pointwise("pow_scalar", inner, inner, to, { x }, scalar_bits(c.scalar(1), inner));
	}
	c.give(out);
}

/* self + value * (first OP second), kernel OP. */
void fused_add(Call &c)
{
	const at::Tensor &out = c.out();
	c10::ScalarType type = at::result_type(c.tensor(0), at::result_type(c.tensor(1), c.tensor(2)) ==
					       c.tensor(1).scalar_type() ? c.tensor(1) : c.tensor(2));
	Held t = compute_type(type, 0), inner = inner_type(t);
	View product = pointwise(c.entry.kernel, inner, { input(c.tensor(1), inner),
							  input(c.tensor(2), inner) });

	check_result(out, t);
	if (c.scalar(3).to<double>() != 1)
		product = pointwise("mul_scalar", inner, { product }, scalar_bits(c.scalar(3), inner));
	pointwise("add", inner, inner, view(out), { input(c.tensor(0), inner), product });
	c.give(out);
}

/* self + weight * (end - self), as the CPU has it on either side of a half. */
void lerp(Call &c)
{
	const at::Tensor &self = c.tensor(0), &end = c.tensor(1), &out = c.out();
	Held t = compute_type(self.scalar_type(), 0), inner = inner_type(t);
	double weight = c.scalar(2).to<double>();
	View a = cast(view(self), inner), b = cast(view(end), inner);
	View difference = pointwise("sub", inner, { b, a });
	bool near = std::abs(weight) < 0.5;

	check_result(out, t);
	difference = pointwise("mul_scalar", inner, { difference },
			       f32_bits(near ? weight : 1 - weight));
	pointwise(near ? "add" : "sub", inner, inner, view(out), { near ? a : b, difference });
	c.give(out);
}

/* Bounds that may be missing: @first and the one behind it. */
void clamp(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	Held t = compute_type(out.scalar_type(), 0);
	View v = view(a), to = output(out, v.sizes);

	check_result(out, t);
	if (!c[1].isNone() && !c[2].isNone()) {
		v = pointwise("max_scalar", t, { v }, scalar_bits(c.scalar(1), t));
		pointwise("min_scalar", t, t, to, { v }, scalar_bits(c.scalar(2), t));
	} else {
		bool low = !c[1].isNone();

		pointwise(low ? "max_scalar" : "min_scalar", t, t, to, { v },
			  scalar_bits(c.scalar(low ? 1 : 2), t));
	}
	c.give(out);
}

/* As the type has it: 300 is 44 as uint8, 2 is true. */
c10::Scalar narrow(const at::Tensor &t, const c10::Scalar &value)
{
	if (t.scalar_type() == c10::ScalarType::Bool)
		return value.toComplexDouble() != c10::complex<double>(0) ? 1 : 0;
	if (t.scalar_type() == c10::ScalarType::Byte)
		return (int64_t)(uint8_t)value.to<int64_t>();
	if (t.scalar_type() == c10::ScalarType::Char)
		return (int64_t)(int8_t)value.to<int64_t>();
	if (t.scalar_type() == c10::ScalarType::Short)
		return (int64_t)(int16_t)value.to<int64_t>();
	return value;
}

void where(Call &c)
{
	const at::Tensor &condition = c.tensor(0), &a = c.tensor(1), &b = c.tensor(2);
	c10::ScalarType type = at::result_type(a, b);
	Held t = compute_type(type, ANY_INTEGER);

	if (condition.scalar_type() != c10::ScalarType::Bool &&
	    condition.scalar_type() != c10::ScalarType::Byte)
		throw Unsupported("a condition that is not bool");
	if (!has_kernel("where", t) || is_number(condition))
		throw Unsupported(std::string("there is no kernel where_") + suffix(t));
	View cond = view(condition), x = input(a, t), y = input(b, t);
	Dims sizes = broadcast_sizes({ cond, x, y });
	std::vector<int64_t> outer(sizes.rbegin(), sizes.rend());
	at::Tensor out = empty(outer, type);

	pointwise_as_is("where", t, t, view(out), { cond, x, y });
	c.give(out);
}

void masked_fill(Call &c)
{
	const at::Tensor &self = c.tensor(0), &mask = c.tensor(1);
	c10::Scalar value = c[2].isTensor() ? c.tensor(2).item() : c.scalar(2);
	Held t = compute_type(self.scalar_type(), ANY_INTEGER);

	if (mask.scalar_type() != c10::ScalarType::Bool || !has_kernel("masked_fill", t))
		throw Unsupported("there is no kernel masked_fill");
	TORCH_CHECK(!c[2].isTensor() || c.tensor(2).dim() == 0,
		    "masked_fill_ only supports a 0-dimensional value tensor");
	pointwise_as_is("masked_fill", t, t, view(self), { view(self), view(mask) },
			scalar_bits(narrow(self, value), t));
	c.give(self);
}

/* 1 where a tensor's element is not 0. */
View truth(const at::Tensor &t)
{
	if (t.scalar_type() == c10::ScalarType::Bool && !is_number(t))
		return view(t);
	Held type = compute_type(t.scalar_type(), ANY_INTEGER);

	return compare_with_zero(input(t, type));
}

/* logical_and, _or, _xor (self, other, out): PyTorch has not made the sizes. */
void logical(Call &c)
{
	const at::Tensor &out = c.out();
	View a = truth(c.tensor(0)), b = truth(c.tensor(1));

	require_kernel(c.entry.kernel, Held::I32);
	View to = output(out, broadcast_sizes({ sizes_of(c.tensor(0)), sizes_of(c.tensor(1)) }));
	check_result(out, Held::I32);
	pointwise(c.entry.kernel, Held::I32, Held::I32, to, { a, b });
	c.give(out);
}

void logical_not(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	Held t = compute_type(a.scalar_type(), ANY_INTEGER);

	check_result(out, Held::I32);
	pointwise("eq_scalar", t, Held::I32, output(out, view(a).sizes), { view(a) }, 0u);
	c.give(out);
}

void bitwise_not(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();

	if (a.scalar_type() == c10::ScalarType::Bool)
		return logical_not(c);
	compute_type(a.scalar_type(), 0);
	pointwise("not", Held::I32, Held::I32, output(out, view(a).sizes), { view(a) });
	c.give(out);
}

void isnan(Call &c)
{
	const at::Tensor &a = c.tensor(0);
	Held t = compute_type(a.scalar_type(), ANY_INTEGER);
	at::Tensor out = empty(a.sizes(), c10::ScalarType::Bool);

	pointwise("ne", t, Held::I32, view(out), { view(a), view(a) });
	c.give(out);
}

/* What leaves integers as they are: floor, ceil, round, trunc. */
void rounding(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();

	if (!c10::isIntegralType(a.scalar_type(), true))
		return unary(c);
	output(out, view(a).sizes);
	copy(out, a, false);
	c.give(out);
}

/* (self, other, mode, out) */
void div_mode(Call &c)
{
	const at::Tensor &a = c.tensor(0), &b = c.tensor(1), &out = c.out();
	c10::ScalarType type = at::result_type(a, b);
	std::string mode = c[2].isNone() ? "" : c[2].toStringRef();
	Held t = compute_type(mode.empty() ? promote(type, TO_FLOAT) : type, 0);
	View to = output(out, broadcast_sizes({ sizes_of(a), sizes_of(b) }));
	View x = input(a, t), y = input(b, t);

	check_result(out, t);
	if (mode == "floor") {
		pointwise("floor_div", t, t, to, { x, y });
	} else if (mode == "trunc" && t != Held::I32) {
		pointwise("trunc", t, t, to, { pointwise("div", t, { x, y }) });
	} else {
		pointwise("div", t, t, to, { x, y });
	}
	c.give(out);
}

/* max(x, 0) + slope min(x, 0) */
void leaky_relu(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0), inner = inner_type(t);
	View x = cast(view(a), inner), to = output(out, x.sizes);
	View below = pointwise("min_scalar", inner, { x }, f32_bits(0));

	check_result(out, t);
	below = pointwise("mul_scalar", inner, { below }, scalar_bits(c.scalar(1), inner));
	pointwise("add", inner, inner, to, { pointwise("relu", inner, { x }), below });
	c.give(out);
}

/* (gradient, self, slope, self_is_result, grad_input) */
void leaky_relu_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &a = c.tensor(1), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0), inner = inner_type(t);
	View grad = cast(view(g), inner), x = cast(view(a), inner), to = output(out, x.sizes);
	View above = pointwise("relu_grad", inner, { x, grad });
	View below = pointwise("sub", inner, { grad, above });

	check_result(out, t);
	below = pointwise("mul_scalar", inner, { below }, scalar_bits(c.scalar(2), inner));
	pointwise("add", inner, inner, to, { above, below });
	c.give(out);
}

/* (gradient, self, grad_input): s (1 + x (1 - s)) */
void silu_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &a = c.tensor(1), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0), f = inner_type(t);
	View x = cast(view(a), f), s = pointwise("sigmoid", f, { x }), to = output(out, x.sizes);
	View rest = pointwise("mul", f, { x, pointwise("rsub_scalar", f, { s }, f32_bits(1)) });
	View slope = pointwise("mul", f, { s, pointwise("add_scalar", f, { rest }, f32_bits(1)) });

	check_result(out, t);
	pointwise("mul", f, f, to, { slope, cast(view(g), f) });
	c.give(out);
}

/* Two tensors are the same: the only result is the host's. */
void equal(Call &c)
{
	const at::Tensor &a = c.tensor(0), &b = c.tensor(1);
	Held t = compute_type(a.scalar_type(), ANY_INTEGER);

	if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) {
		c.give_value(false);
	} else if (!a.numel()) {
		c.give_value(true);
	} else {
		at::Tensor same = empty({}, c10::ScalarType::Bool);
		View each = make_view(view(a).sizes, Held::I32);

		pointwise("eq", t, Held::I32, each, { view(a), view(b) });
		View all = reduce(minima, each, std::vector<bool>(each.rank(), true));
		cast_view(view(same), reshape(all, {}));
		c.give_value(same.item().toBool());
	}
}

uint64_t fill_bits(const at::Tensor &t, const c10::Scalar &value)
{
	switch (held(t.scalar_type())) {
	case Held::F32:
		return f32_bits(value.to<double>());
	case Held::BF16:
		return c10::BFloat16((float)value.to<double>()).x;
	case Held::F16:
		return c10::Half((float)value.to<double>()).x;
	case Held::I32:
		return (uint32_t)scalar_bits(value, Held::I32);
	default:
		throw Unsupported("a complex number");
	}
}

void fill(Call &c)
{
	const at::Tensor &self = c.tensor(0);

	if (c[1].isTensor() && !is_number(c.tensor(1))) {
		TORCH_CHECK(c.tensor(1).dim() == 0, "fill_ only supports 0-dimension value tensor "
			    "but got tensor with ", c.tensor(1).dim(), " dimensions.");
		copy(self, c.tensor(1), false);
	} else {
		c10::Scalar value = c[1].isTensor() ? c.tensor(1).item() : c.scalar(1);

		fill_view(view(self), fill_bits(self, narrow(self, value)));
	}
	c.give(self);
}

void zero(Call &c)
{
	fill_view(view(c.tensor(0)), 0);
	c.give(c.tensor(0));
}

/* What PyTorch would have done by a loop of its own, without asking. */
void on_the_cpu(Call &)
{
	throw Unsupported("the card has no such operator");
}

const Entry table[] = {
	{ "conj_physical_", on_the_cpu },
	{ "add.out", binary, "add", "add_scalar", "add_scalar", ALPHA, "or" },
	{ "sub.out", binary, "sub", "sub_scalar", "rsub_scalar", ALPHA },
	{ "mul.out", binary, "mul", "mul_scalar", "mul_scalar", 0, "and" },
	{ "div.out", binary, "div", "div_scalar", "rdiv_scalar", TO_FLOAT },
	{ "div.out_mode", div_mode },
	{ "maximum.out", binary, "max", "max_scalar", "max_scalar", 0, "or" },
	{ "minimum.out", binary, "min", "min_scalar", "min_scalar", 0, "and" },
	{ "clamp_min.Tensor_out", binary, "max", "max_scalar", "max_scalar" },
	{ "clamp_max.Tensor_out", binary, "min", "min_scalar", "min_scalar" },
	{ "pow.Tensor_Tensor_out", binary, "pow", "pow_scalar" },
	{ "fmod.Tensor_out", binary, "fmod", "fmod_scalar" },
	{ "remainder.Tensor_out", binary, "remainder", "remainder_scalar", "rremainder_scalar" },
	{ "atan2.out", binary, "atan2", nullptr, nullptr, TO_FLOAT },
	{ "bitwise_and.Tensor_out", binary, "and", "and_scalar", "and_scalar", ANY_INTEGER },
	{ "bitwise_or.Tensor_out", binary, "or", "or_scalar", "or_scalar", ANY_INTEGER },
	{ "bitwise_xor.Tensor_out", binary, "xor", "xor_scalar", "xor_scalar", ANY_INTEGER },
	{ "bitwise_left_shift.Tensor_out", binary, "shl", "shl_scalar" },
	{ "bitwise_right_shift.Tensor_out", binary, "shr", "shr_scalar", nullptr, ANY_INTEGER },
	{ "logical_and.out", logical, "and" },
	{ "logical_or.out", logical, "or" },
	{ "logical_xor.out", logical, "xor" },
	{ "logical_not.out", logical_not },
	{ "bitwise_not.out", bitwise_not },
	{ "isnan", isnan },
	{ "equal", equal },
	{ "eq.Tensor_out", binary, "eq", "eq_scalar", "eq_scalar", TO_BOOL },
	{ "ne.Tensor_out", binary, "ne", "ne_scalar", "ne_scalar", TO_BOOL },
	{ "lt.Tensor_out", binary, "lt", "lt_scalar", "gt_scalar", TO_BOOL },
	{ "le.Tensor_out", binary, "le", "le_scalar", "ge_scalar", TO_BOOL },
	{ "gt.Tensor_out", binary, "gt", "gt_scalar", "lt_scalar", TO_BOOL },
	{ "ge.Tensor_out", binary, "ge", "ge_scalar", "le_scalar", TO_BOOL },
	{ "eq.Scalar_out", binary_scalar, "eq", "eq_scalar", nullptr, TO_BOOL },
	{ "ne.Scalar_out", binary_scalar, "ne", "ne_scalar", nullptr, TO_BOOL },
	{ "lt.Scalar_out", binary_scalar, "lt", "lt_scalar", nullptr, TO_BOOL },
	{ "le.Scalar_out", binary_scalar, "le", "le_scalar", nullptr, TO_BOOL },
	{ "gt.Scalar_out", binary_scalar, "gt", "gt_scalar", nullptr, TO_BOOL },
	{ "ge.Scalar_out", binary_scalar, "ge", "ge_scalar", nullptr, TO_BOOL },
	{ "clamp_min.out", binary_scalar, "max", "max_scalar" },
	{ "clamp_max.out", binary_scalar, "min", "min_scalar" },
	{ "clamp.out", clamp },
	{ "exp.out", unary, "exp", nullptr, nullptr, TO_FLOAT },
	{ "exp2.out", unary, "exp2", nullptr, nullptr, TO_FLOAT },
	{ "expm1.out", unary, "expm1", nullptr, nullptr, TO_FLOAT },
	{ "log.out", unary, "log", nullptr, nullptr, TO_FLOAT },
	{ "log2.out", unary, "log2", nullptr, nullptr, TO_FLOAT },
	{ "log10.out", unary, "log10", nullptr, nullptr, TO_FLOAT },
	{ "log1p.out", unary, "log1p", nullptr, nullptr, TO_FLOAT },
	{ "sqrt.out", unary, "sqrt", nullptr, nullptr, TO_FLOAT },
	{ "sin.out", unary, "sin", nullptr, nullptr, TO_FLOAT },
	{ "cos.out", unary, "cos", nullptr, nullptr, TO_FLOAT },
	{ "tan.out", unary, "tan", nullptr, nullptr, TO_FLOAT },
	{ "asin.out", unary, "asin", nullptr, nullptr, TO_FLOAT },
	{ "acos.out", unary, "acos", nullptr, nullptr, TO_FLOAT },
	{ "atan.out", unary, "atan", nullptr, nullptr, TO_FLOAT },
	{ "sinh.out", unary, "sinh", nullptr, nullptr, TO_FLOAT },
	{ "cosh.out", unary, "cosh", nullptr, nullptr, TO_FLOAT },
	{ "asinh.out", unary, "asinh", nullptr, nullptr, TO_FLOAT },
	{ "acosh.out", unary, "acosh", nullptr, nullptr, TO_FLOAT },
	{ "atanh.out", unary, "atanh", nullptr, nullptr, TO_FLOAT },
	{ "erf.out", unary, "erf", nullptr, nullptr, TO_FLOAT },
	{ "erfc.out", unary, "erfc", nullptr, nullptr, TO_FLOAT },
	{ "erfinv.out", unary, "erfinv", nullptr, nullptr, TO_FLOAT },
	{ "lgamma.out", unary, "lgamma", nullptr, nullptr, TO_FLOAT },
	{ "sigmoid.out", unary, "sigmoid", nullptr, nullptr, TO_FLOAT },
	{ "tanh.out", unary, "tanh", nullptr, nullptr, TO_FLOAT },
	{ "floor.out", rounding, "floor" },
	{ "ceil.out", rounding, "ceil" },
	{ "round.out", rounding, "round" },
	{ "trunc.out", rounding, "trunc" },
	{ "sign.out", unary, "sign" },
	{ "sgn.out", unary, "sign" },
	{ "neg.out", neg },
	{ "reciprocal.out", reciprocal, nullptr, nullptr, nullptr, TO_FLOAT },
	{ "rsqrt.out", rsqrt, nullptr, nullptr, nullptr, TO_FLOAT },
	{ "abs.out", abs },
	{ "relu", relu },
	{ "relu_", relu_ },
	{ "silu.out", silu },
	{ "silu_backward.grad_input", silu_backward },
	{ "leaky_relu.out", leaky_relu },
	{ "leaky_relu_backward.grad_input", leaky_relu_backward },
	{ "gelu.out", gelu },
	{ "gelu_backward.grad_input", gelu_backward },
	{ "sigmoid_backward.grad_input", from_result, "sigmoid_grad" },
	{ "tanh_backward.grad_input", from_result, "tanh_grad" },
	{ "threshold_backward.grad_input", threshold_backward },
	{ "pow.Tensor_Scalar_out", pow_scalar },
	{ "addcmul.out", fused_add, "mul" },
	{ "addcdiv.out", fused_add, "div" },
	{ "lerp.Scalar_out", lerp },
	{ "where.self", where },
	{ "masked_fill_.Scalar", masked_fill },
	{ "masked_fill_.Tensor", masked_fill },
	{ "fill_.Scalar", fill },
	{ "fill_.Tensor", fill },
	{ "zero_", zero },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
