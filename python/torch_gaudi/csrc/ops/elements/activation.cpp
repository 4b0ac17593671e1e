// SPDX-License-Identifier: MIT
/* Activations and their gradients. */
#include <ATen/ops/result_type.h>

#include "../../op/op.h"

namespace torch_gaudi {
namespace {

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

/* (gradient, self, grad_input): the kernel has the input first. */
void from_input(Call &c)
{
	const at::Tensor &g = c.tensor(0), &a = c.tensor(1), &out = c.out();
	Held t = compute_type(a.scalar_type(), 0);

	check_result(out, t);
	pointwise(c.entry.kernel, t, t, output(out, view(a).sizes), { view(a), view(g) });
	c.give(out);
}

const Entry table[] = {
	{ "relu", relu },
	{ "relu_", relu_ },
	{ "silu_backward.grad_input", from_input, "silu_grad" },
	{ "leaky_relu.out", leaky_relu },
	{ "leaky_relu_backward.grad_input", leaky_relu_backward },
	{ "gelu.out", gelu },
	{ "gelu_backward.grad_input", gelu_backward },
	{ "sigmoid_backward.grad_input", from_result, "sigmoid_grad" },
	{ "tanh_backward.grad_input", from_result, "tanh_grad" },
	{ "threshold_backward.grad_input", threshold_backward },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
