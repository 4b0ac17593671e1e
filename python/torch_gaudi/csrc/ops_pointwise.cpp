// SPDX-License-Identifier: MIT
/* Operators element by element. */
#include <ATen/native/Resize.h>
#include <ATen/ops/result_type.h>

#include "copy.h"
#include "op.h"

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
	pointwise(c.entry.kernel, t, r, view(out), { view(a) });
	c.give(out);
}

void binary(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	at::Tensor b = c.tensor(1);
	const Entry &e = c.entry;
	c10::ScalarType type = promote(at::result_type(a, b), e.flags);
	Held t = compute_type(type, e.flags), r = result_type(e, t);
	double alpha = e.flags & ALPHA ? c.scalar(2).to<double>() : 1;

	check_result(out, r);
	if (is_number(b) && e.with_scalar && has_kernel(e.with_scalar, t)) {
		c10::Scalar value = b.item();

		if (alpha != 1)
			value = t == Held::I32 ?
				c10::Scalar(value.to<int64_t>() * c.scalar(2).to<int64_t>()) :
				c10::Scalar(value.to<double>() * alpha);
		pointwise(e.with_scalar, t, r, view(out), { view(a) }, scalar_bits(value, t));
	} else if (is_number(a) && e.scalar_with && has_kernel(e.scalar_with, t) && alpha == 1) {
		pointwise(e.scalar_with, t, r, view(out), { view(b) }, scalar_bits(a.item(), t));
	} else {
		if (!has_kernel(e.kernel, t))
			throw Unsupported(std::string("there is no kernel ") + e.kernel + "_" +
					  suffix(t));
		View other = input(b, t);

		if (alpha != 1)
			other = pointwise("mul_scalar", t, { other }, scalar_bits(c.scalar(2), t));
		pointwise(e.kernel, t, r, view(out), { input(a, t), other });
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
	pointwise(e.with_scalar, t, r, view(out), { view(a) }, scalar_bits(c.scalar(1), t));
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
	/* In between with the precision of f32. */
	Held inner = t == Held::BF16 ? Held::F32 : t;
	for (const auto &step : steps) {
		c10::SmallVector<uint32_t, 1> scalars;

		if (std::string(step.first).find("_scalar") != std::string::npos)
			scalars.push_back(inner == Held::I32 ? (uint32_t)(int32_t)step.second :
							       f32_bits(step.second));
		if (--left)
			v = pointwise(step.first, inner, { v }, scalars);
		else
			pointwise(step.first, inner, inner, view(out), { v }, scalars);
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

	/* Of these PyTorch has not made the sizes of the result. */
	at::native::resize_output(out, a.sizes());
	check_result(out, t);
	if (has_kernel("abs", t)) {
		pointwise("abs", t, t, view(out), { view(a) });
	} else {
		View minus = pointwise("mul_scalar", t, { view(a) }, scalar_bits(-1, t));

		pointwise("max", t, t, view(out), { view(a), minus });
	}
	c.give(out);
}

void silu(Call &c)
{
	const at::Tensor &a = c.tensor(0), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0);
	View x = cast(view(a), t == Held::BF16 ? Held::F32 : t);

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
	pointwise(kernel, t, t, view(out), { view(a) });
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
	View x = cast(view(a), t == Held::BF16 ? Held::F32 : t), to = view(out);
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
	Held t = compute_type(type, 0), inner = t == Held::BF16 ? Held::F32 : t;
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
	Held t = compute_type(self.scalar_type(), 0), inner = t == Held::BF16 ? Held::F32 : t;
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
	View v = view(a);

	check_result(out, t);
	if (!c[1].isNone() && !c[2].isNone()) {
		v = pointwise("max_scalar", t, { v }, scalar_bits(c.scalar(1), t));
		pointwise("min_scalar", t, t, view(out), { v }, scalar_bits(c.scalar(2), t));
	} else {
		bool low = !c[1].isNone();

		pointwise(low ? "max_scalar" : "min_scalar", t, t, view(out), { v },
			  scalar_bits(c.scalar(low ? 1 : 2), t));
	}
	c.give(out);
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

	if (mask.scalar_type() != c10::ScalarType::Bool || !has_kernel("where", t))
		throw Unsupported("there is no kernel where");
	View one = make_view({ 1 }, t == Held::BF16 ? Held::F32 : t);
	fill_view(one, scalar_bits(value, t));
	pointwise_as_is("where", t, t, view(self), { view(mask), cast(one, t), view(self) });
	c.give(self);
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

const Entry table[] = {
	{ "add.out", binary, "add", "add_scalar", "add_scalar", ALPHA },
	{ "sub.out", binary, "sub", "sub_scalar", "rsub_scalar", ALPHA },
	{ "mul.out", binary, "mul", "mul_scalar", "mul_scalar", 0 },
	{ "div.out", binary, "div", "div_scalar", "rdiv_scalar", TO_FLOAT },
	{ "maximum.out", binary, "max", "max_scalar", "max_scalar", 0 },
	{ "minimum.out", binary, "min", "min_scalar", "min_scalar", 0 },
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
	{ "clamp_min.out", binary_scalar, "max", "max_scalar", nullptr, 0 },
	{ "clamp_max.out", binary_scalar, "min", "min_scalar", nullptr, 0 },
	{ "clamp.out", clamp, nullptr, nullptr, nullptr, 0 },
	{ "exp.out", unary, "exp", nullptr, nullptr, TO_FLOAT },
	{ "log.out", unary, "log", nullptr, nullptr, TO_FLOAT },
	{ "sqrt.out", unary, "sqrt", nullptr, nullptr, TO_FLOAT },
	{ "sigmoid.out", unary, "sigmoid", nullptr, nullptr, TO_FLOAT },
	{ "tanh.out", unary, "tanh", nullptr, nullptr, TO_FLOAT },
	{ "neg.out", neg, nullptr, nullptr, nullptr, 0 },
	{ "reciprocal.out", reciprocal, nullptr, nullptr, nullptr, TO_FLOAT },
	{ "rsqrt.out", rsqrt, nullptr, nullptr, nullptr, TO_FLOAT },
	{ "abs.out", abs, nullptr, nullptr, nullptr, 0 },
	{ "relu", relu, nullptr, nullptr, nullptr, 0 },
	{ "relu_", relu_, nullptr, nullptr, nullptr, 0 },
	{ "silu.out", silu, nullptr, nullptr, nullptr, 0 },
	{ "gelu.out", gelu, nullptr, nullptr, nullptr, 0 },
	{ "gelu_backward.grad_input", gelu_backward, nullptr, nullptr, nullptr, 0 },
	{ "sigmoid_backward.grad_input", from_result, "sigmoid_grad", nullptr, nullptr, 0 },
	{ "tanh_backward.grad_input", from_result, "tanh_grad", nullptr, nullptr, 0 },
	{ "threshold_backward.grad_input", threshold_backward, nullptr, nullptr, nullptr, 0 },
	{ "pow.Tensor_Scalar_out", pow_scalar, nullptr, nullptr, nullptr, 0 },
	{ "addcmul.out", fused_add, "mul", nullptr, nullptr, 0 },
	{ "addcdiv.out", fused_add, "div", nullptr, nullptr, 0 },
	{ "lerp.Scalar_out", lerp, nullptr, nullptr, nullptr, 0 },
	{ "where.self", where, nullptr, nullptr, nullptr, 0 },
	{ "masked_fill_.Scalar", masked_fill, nullptr, nullptr, nullptr, 0 },
	{ "masked_fill_.Tensor", masked_fill, nullptr, nullptr, nullptr, 0 },
	{ "fill_.Scalar", fill, nullptr, nullptr, nullptr, 0 },
	{ "fill_.Tensor", fill, nullptr, nullptr, nullptr, 0 },
	{ "zero_", zero, nullptr, nullptr, nullptr, 0 },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
