// SPDX-License-Identifier: MIT
/* The step of an optimizer: a kernel for each parameter. */
#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

#include "../../op/op.h"

namespace torch_gaudi {
namespace {

const Held f = Held::F32;
using Views = std::array<View, 4>;

/* Whether the elements of all lie behind each other in the same order; then they have one dim. */
bool become_flat(Views &views)
{
	Views flat = views;

	coalesce({ &flat[0], &flat[1], &flat[2], &flat[3] });
	for (View &v : flat) {
		if (!v.rank())
			v = reshape(v, { 1 });
		if (v.rank() > 1 || !v.dense())
			return false;
	}
	views = std::move(flat);
	return true;
}

/* What is no f32, or lies in another order, is updated as a copy. */
void adamw(const at::Tensor &p, const at::Tensor &g, const at::Tensor &m, const at::Tensor &v,
	   const at::Tensor &h)
{
	Views own = { view(p), view(g), view(m), view(v) }, used;

	TORCH_CHECK(p.sizes() == g.sizes() && p.sizes() == m.sizes() && p.sizes() == v.sizes(),
		    "hpu: adamw: a parameter, its gradient and its means are of different sizes");
	if (!p.numel())
		return;
	for (size_t i = 0; i < own.size(); i++)
		used[i] = cast(own[i], f);
	if (!become_flat(used))
		for (View &u : used)
			u = reshape(dense(u), { p.numel() });
	Launch("adamw", f).update(used[0]).read(used[1]).update(used[2]).update(used[3])
		.read(view(h)).run();
	for (size_t i : { 0, 2, 3 })
		if (used[i].address != own[i].address)
			cast_view(own[i], reshape(used[i], own[i].sizes));
}

void adamw_of_lists(at::TensorList params, at::TensorList grads, at::TensorList means,
		    at::TensorList squares, at::TensorList rates)
{
	size_t n = params.size();

	TORCH_CHECK(grads.size() == n && means.size() == n && squares.size() == n &&
		    rates.size() == n, "hpu: adamw: lists of different lengths");
	for (size_t i = 0; i < n; i++)
		adamw(params[i], grads[i], means[i], squares[i], rates[i]);
}

/* Up to eight numbers as f32. They are given by fills, which a graph of lazy mode has anew. */
at::Tensor eight(at::ArrayRef<double> numbers)
{
	View made = make_view({ 8 }, f);

	TORCH_CHECK(numbers.size() <= 8, "hpu: ", numbers.size(), " numbers for a tensor of eight");
	for (size_t i = 0; i < 8; i += 2) {
		uint64_t low = i < numbers.size() ? f32_bits(numbers[i]) : 0;
		uint64_t high = i + 1 < numbers.size() ? f32_bits(numbers[i + 1]) : 0;

		fill_elements(made.address + i * sizeof(float), low | high << 32, 8, 1);
	}
	return made.tensor;
}

TORCH_LIBRARY_FRAGMENT(torch_gaudi, m)
{
	m.def("adamw_(Tensor(a!)[] params, Tensor[] grads, Tensor(b!)[] means, "
	      "Tensor(c!)[] squares, Tensor[] rates) -> ()", adamw_of_lists);
	m.def("eight(float[] numbers) -> Tensor", eight);
}

} // namespace
} // namespace torch_gaudi
