// SPDX-License-Identifier: MIT
/* Choices by conditions, and what is true of elements. */
#include <ATen/ops/result_type.h>

#include "../../op/copy.h"
#include "../../op/op.h"
#include "../../op/reduce.h"

namespace torch_gaudi {
namespace {

/* (condition, a, b[, out]) */
template <bool with_out> void where(Call &c)
{
	const at::Tensor &condition = c.tensor(0), &a = c.tensor(1), &b = c.tensor(2);
	c10::ScalarType type = at::result_type(a, b);
	Held t = compute_type(type, ANY_INTEGER);

	if (condition.scalar_type() != c10::ScalarType::Bool &&
	    condition.scalar_type() != c10::ScalarType::Byte)
		throw Unsupported("a condition that is not bool");
	if (is_number(condition))
		throw Unsupported("a condition that is a number");
	View cond = view(condition), x = input(a, t), y = input(b, t);
	Dims sizes = broadcast_sizes({ cond, x, y });
	std::vector<int64_t> outer(sizes.rbegin(), sizes.rend());
	at::Tensor out = with_out ? c.out() : empty(outer, type);

	if (with_out && out.scalar_type() != type)
		throw Unsupported("a result of another type");
	pointwise_as_is("where", t, t, with_out ? output(out, sizes) : view(out), { cond, x, y });
	c.give(out);
}

/*
 * What expand() has repeated is there once: it is filled where any of the mask's elements for it
 * is true.
 */
void fill_once(at::Tensor &self, at::Tensor &mask)
{
	mask = mask.expand_as(self);
	for (int64_t d = 0; d < self.dim(); d++) {
		if (self.stride(d) || self.size(d) <= 1)
			continue;
		mask = mask.any(d, true);
		self = self.narrow(d, 0, 1);
	}
}

void masked_fill(Call &c)
{
	at::Tensor self = c.tensor(0), mask = c.tensor(1);
	c10::Scalar value = c[2].isTensor() ? c.tensor(2).item() : c.scalar(2);
	Held t = compute_type(self.scalar_type(), ANY_INTEGER);

	if (mask.scalar_type() != c10::ScalarType::Bool)
		throw Unsupported("a mask that is not bool");
	TORCH_CHECK(!c[2].isTensor() || c.tensor(2).dim() == 0,
		    "masked_fill_ only supports a 0-dimensional value tensor");
	fill_once(self, mask);
	pointwise_as_is("masked_fill", t, t, view(self), { view(self), view(mask) },
			scalar_bits(narrow(self, value), t));
	c.give(c.tensor(0));
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
	View to = output(out, c.tensor(0), c.tensor(1));
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

const Entry table[] = {
	{ "logical_and.out", logical, "and" },
	{ "logical_or.out", logical, "or" },
	{ "logical_xor.out", logical, "xor" },
	{ "logical_not.out", logical_not },
	{ "bitwise_not.out", bitwise_not },
	{ "isnan", isnan },
	{ "equal", equal },
	{ "where.self", where<false> },
	{ "where.self_out", where<true> },
	{ "masked_fill_.Scalar", masked_fill },
	{ "masked_fill_.Tensor", masked_fill },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
