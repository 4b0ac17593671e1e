// SPDX-License-Identifier: MIT
/* Operators element by element. */
#include <ATen/ops/result_type.h>

#include <cstring>

#include "../../op/copy.h"
#include "../../op/op.h"

namespace torch_gaudi {
namespace {

/* A result of i32 that is 0 or 1, or of the inputs' own type. */
Held result_type(const Entry &e, Held type)
{
	return e.flags & TO_BOOL ? Held::I32 : type;
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

/* A number beside tensors that are computed in @type. */
uint32_t number_bits(const Entry &e, const c10::Scalar &value, Held type)
{
	if (type == Held::BF16 && e.flags & (TO_BOOL | ROUNDED) && !value.isComplex())
		return scalar_bits((float)c10::BFloat16(value.to<float>()), type);
	return scalar_bits(value, type);
}

/* Of 0 and 1: sums and products are or and and. */
void binary_bool(Call &c, const View &to)
{
	pointwise(c.entry.for_bool, Held::I32, Held::I32, to,
		  { input(c.tensor(0), Held::I32), input(c.tensor(1), Held::I32) });
	c.give(c.out());
}

/* Whether the lower bits of the result follow from those of the operands. */
bool wraps(const Entry &e)
{
	return e.flags & ALPHA || !std::strcmp(e.kernel, "mul");
}

/* Of integers that are narrower than a word, as words, which are narrowed then. */
void binary_narrow(Call &c)
{
	const at::Tensor &out = c.out();
	View to = output(out, c.tensor(0), c.tensor(1));
	View a = input(c.tensor(0), Held::I32), b = input(c.tensor(1), Held::I32);
	at::Tensor words = empty(out.sizes(), c10::kInt);

	if (c.entry.flags & ALPHA && c.scalar(2).to<int64_t>() != 1)
		b = pointwise("mul_scalar", Held::I32, { b }, scalar_bits(c.scalar(2), Held::I32));
	pointwise(c.entry.kernel, Held::I32, Held::I32, view(words), { a, b });
	torch_gaudi::copy(out, words, false);
	c.give(out);
}

bool is_narrow(c10::ScalarType type)
{
	return type == c10::kByte || type == c10::kChar || type == c10::kShort;
}

void binary(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	at::Tensor b = c.tensor(1);
	const Entry &e = c.entry;
	c10::ScalarType type = promote(at::result_type(a, b), e.flags);

	if (is_narrow(type) && is_narrow(out.scalar_type()) && wraps(e))
		return binary_narrow(c);
	bool logical = type == c10::ScalarType::Bool && e.for_bool;
	Held t = compute_type(type, e.flags | (logical ? ANY_INTEGER : 0)), r = result_type(e, t);
	double alpha = e.flags & ALPHA ? c.scalar(2).to<double>() : 1;
	View to = output(out, a, b);

	check_result(out, r);
	if (logical && alpha == 0)
		throw Unsupported("an alpha of false");
	if (logical)
		return binary_bool(c, to);
	if (is_number(b) && e.with_scalar && has_kernel(e.with_scalar, t)) {
		c10::Scalar value = b.item();

		if (alpha != 1)
			value = t == Held::I32 ?
				c10::Scalar(value.to<int64_t>() * c.scalar(2).to<int64_t>()) :
				c10::Scalar(value.to<double>() * alpha);
		pointwise(e.with_scalar, t, r, to, { view(a) }, number_bits(e, value, t));
	} else if (is_number(a) && e.scalar_with && has_kernel(e.scalar_with, t) && alpha == 1) {
		pointwise(e.scalar_with, t, r, to, { view(b) }, number_bits(e, a.item(), t));
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
		  number_bits(e, c.scalar(1), t));
	c.give(out);
}

/* @x to the power of a whole number above 0, of words. */
View integer_power(View x, uint64_t e)
{
	while (!(e & 1)) {
		x = pointwise("mul", Held::I32, { x, x });
		e >>= 1;
	}
	View power = x;
	while (e >>= 1) {
		x = pointwise("mul", Held::I32, { x, x });
		if (e & 1)
			power = pointwise("mul", Held::I32, { power, x });
	}
	return power;
}

/* Of any integers, of which the lower bits are kept. */
void pow_integer(Call &c, int64_t e)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	at::Tensor words = empty(a.sizes(), c10::kInt);

	if (e < 0)
		throw Unsupported("a negative power of integers");
	output(out, view(a).sizes);
	if (e)
		store(words, integer_power(cast(view(a), Held::I32), e));
	else
		fill_view(view(words), 1);
	torch_gaudi::copy(out, words, false);
	c.give(out);
}

View by_number(const char *kernel, const View &v, int32_t number)
{
	return pointwise(kernel, Held::I32, { v }, (uint32_t)number);
}

/* By the bits of the exponents; those below 0 leave what 1 and -1 have, of others nothing. */
View integer_powers(const View &base, const View &exponent)
{
	const Held t = Held::I32;
	View one = make_view({ 1 }, t), zero = make_view({ 1 }, t), square = base;

	fill_view(one, 1);
	fill_view(zero, 0);
	View power = one;
	for (int bit = 0; bit < 31; bit++) {
		View is_set = by_number("and_scalar", by_number("shr_scalar", exponent, bit), 1);

		power = pointwise("mul", t, { power, pointwise("where", t, { is_set, square, one }) });
		square = pointwise("mul", t, { square, square });
	}
	View unit = pointwise("or", t, { by_number("eq_scalar", base, 1),
					 by_number("eq_scalar", base, -1) });
	View kept = pointwise("or", t, { unit, by_number("ge_scalar", exponent, 0) });
	return pointwise("where", t, { kept, power, zero });
}

/* (self, exponent, out) */
void pow_tensors(Call &c)
{
	const at::Tensor &a = c.tensor(0), &b = c.tensor(1), &out = c.out();
	c10::ScalarType type = at::result_type(a, b);

	if (type != c10::kInt && type != c10::kLong)
		return binary(c);
	output(out, a, b);
	check_result(out, Held::I32);
	if (out.numel())
		store(out, integer_powers(input(a, Held::I32), input(b, Held::I32)));
	c.give(out);
}

/* A power that multiplications, divisions and roots have. */
void pow_scalar(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	c10::ScalarType type = at::result_type(a, c.scalar(1));

	if (c10::isIntegralType(type, /*includeBool=*/false))
		return pow_integer(c, c.scalar(1).to<int64_t>());
	Held t = compute_type(type, 0);
	double e = c.scalar(1).to<double>();
	View x = cast(view(a), inner_type(t)), to = output(out, x.sizes);
	Held inner = x.type;

	check_result(out, t);
	if (e == 2) {
		pointwise("mul", inner, inner, to, { x, x });
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
	View self = input(c.tensor(0), inner);
	View product = pointwise(c.entry.kernel, inner, { input(c.tensor(1), inner),
							  input(c.tensor(2), inner) });

	check_result(out, t);
	View to = output(out, broadcast_sizes({ self, product }));
	if (c.scalar(3).to<double>() != 1)
		product = pointwise("mul_scalar", inner, { product }, scalar_bits(c.scalar(3), inner));
	pointwise("add", inner, inner, to, { self, product });
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
	View to = output(out, difference.sizes);
	difference = pointwise("mul_scalar", inner, { difference },
			       f32_bits(near ? weight : 1 - weight));
	pointwise(near ? "add" : "sub", inner, inner, to, { near ? a : b, difference });
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

/* What leaves integers as they are: floor, ceil, round, trunc. */
void rounding(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();

	if (!c10::isIntegralType(a.scalar_type(), true))
		return unary(c);
	output(out, view(a).sizes);
	torch_gaudi::copy(out, a, false);
	c.give(out);
}

/* (self, other, mode, out) */
void div_mode(Call &c)
{
	const at::Tensor &a = c.tensor(0), &b = c.tensor(1), &out = c.out();
	c10::ScalarType type = at::result_type(a, b);
	std::string mode = c[2].isNone() ? "" : c[2].toStringRef();
	Held t = compute_type(mode.empty() ? promote(type, TO_FLOAT) : type, 0);
	View to = output(out, a, b);

	check_result(out, t);
	if (mode == "floor" && is_number(b)) {
		pointwise("floor_div_scalar", t, t, to, { view(a) },
			  number_bits(c.entry, b.item(), t));
		c.give(out);
		return;
	}
	View x = input(a, t), y = input(b, t);
	if (mode == "floor") {
		pointwise("floor_div", t, t, to, { x, y });
	} else if (mode == "trunc" && t != Held::I32) {
		pointwise("trunc", t, t, to, { pointwise("div", t, { x, y }) });
	} else {
		pointwise("div", t, t, to, { x, y });
	}
	c.give(out);
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
	{ "div.out_mode", div_mode, nullptr, nullptr, nullptr, ROUNDED },
	{ "maximum.out", binary, "max", "max_scalar", "max_scalar", 0, "or" },
	{ "minimum.out", binary, "min", "min_scalar", "min_scalar", 0, "and" },
	{ "clamp_min.Tensor_out", binary, "max", "max_scalar", "max_scalar" },
	{ "clamp_max.Tensor_out", binary, "min", "min_scalar", "min_scalar" },
	{ "pow.Tensor_Tensor_out", pow_tensors, "pow", "pow_scalar" },
	{ "fmod.Tensor_out", binary, "fmod", "fmod_scalar", nullptr, ROUNDED },
	{ "remainder.Tensor_out", binary, "remainder", "remainder_scalar", "rremainder_scalar",
	  ROUNDED },
	{ "atan2.out", binary, "atan2", nullptr, nullptr, TO_FLOAT },
	{ "bitwise_and.Tensor_out", binary, "and", "and_scalar", "and_scalar", ANY_INTEGER },
	{ "bitwise_or.Tensor_out", binary, "or", "or_scalar", "or_scalar", ANY_INTEGER },
	{ "bitwise_xor.Tensor_out", binary, "xor", "xor_scalar", "xor_scalar", ANY_INTEGER },
	{ "bitwise_left_shift.Tensor_out", binary, "shl", "shl_scalar" },
	{ "bitwise_right_shift.Tensor_out", binary, "shr", "shr_scalar", nullptr, ANY_INTEGER },
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
	{ "sigmoid.out", unary, "sigmoid", nullptr, nullptr, TO_FLOAT },
	{ "tanh.out", unary, "tanh", nullptr, nullptr, TO_FLOAT },
	{ "floor.out", rounding, "floor" },
	{ "ceil.out", rounding, "ceil" },
	{ "round.out", rounding, "round" },
	{ "trunc.out", rounding, "trunc" },
	{ "sign.out", unary, "sign" },
	{ "sgn.out", unary, "sign" },
	{ "neg.out", unary, "neg" },
	{ "reciprocal.out", unary, "reciprocal", nullptr, nullptr, TO_FLOAT },
	{ "rsqrt.out", unary, "rsqrt", nullptr, nullptr, TO_FLOAT },
	{ "abs.out", unary, "abs" },
	{ "silu.out", unary, "silu" },
	{ "pow.Tensor_Scalar_out", pow_scalar },
	{ "addcmul.out", fused_add, "mul" },
	{ "addcdiv.out", fused_add, "div" },
	{ "lerp.Scalar_out", lerp },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
