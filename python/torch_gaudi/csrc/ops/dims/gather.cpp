// SPDX-License-Identifier: MIT
/* gather and scatter: elements along a dim by their numbers there. */
#include <ATen/ATen.h>

#include "../../launch/outside.h"
#include "../../op/copy.h"
#include "../../op/index.h"

namespace torch_gaudi {
namespace {

/* Of the sizes that @index has, but for @dim (-1: no other); this becomes the last one. */
at::Tensor part_of(const at::Tensor &t, const at::Tensor &index, int64_t dim, int64_t but)
{
	at::Tensor part = t.dim() ? t : t.unsqueeze(0);

	for (int64_t d = 0; d < part.dim(); d++)
		if (d != but)
			part = part.narrow(d, 0, index.size(d));
	return part.movedim(dim, -1);
}

struct Along {
	at::Tensor index;	/* of one dim at least */
	int64_t dim, count, rows;
	View numbers;		/* (count, rows) */
};

Along along(const at::Tensor &index, int64_t dim)
{
	Along a;

	if (held(index.scalar_type()) != Held::I32)
		throw Unsupported("indexes that are no integers");
	a.index = index.dim() ? index : index.unsqueeze(0);
	a.dim = c10::maybe_wrap_dim(dim, a.index.dim());
	a.count = a.index.size(a.dim);
	a.rows = a.index.numel() / a.count;
	a.numbers = moved(a.index.movedim(a.dim, -1), Held::I32, { a.count, a.rows });
	return a;
}

/* (self, dim, index, sparse_grad, out) */
void gather(Call &c)
{
	const at::Tensor &out = c.out();
	Held type = moved_type(c.tensor(0));

	output(out, view(c.tensor(2)).sizes);
	if (out.numel()) {
		Along a = along(c.tensor(2), c.integer(1));
		at::Tensor from = part_of(c.tensor(0), a.index, a.dim, a.dim);
		check_index(a.numbers, 0, from.size(-1));
		View made = make_view({ a.count, a.rows }, type);
		View to = view((out.dim() ? out : out.unsqueeze(0)).movedim(a.dim, -1));

		Launch("gather_elements", type)
			.read(moved(from, type, { from.size(-1), a.rows }))
			.read(a.numbers).write(made).run();
		to.type = type;
		copy_view(to, reshape(made, to.sizes));
	}
	c.give(out);
}

Held add_type(const at::Tensor &t)
{
	return inner_type(compute_type(t.scalar_type(), 0));
}

/* @src: as @index, or one that is the same for all. */
void scatter_into(const at::Tensor &out, const Along &a, const at::Tensor &src, bool adds)
{
	at::Tensor from = src.dim() ? part_of(src, a.index, a.dim, -1) : src;
	Held type = adds ? add_type(out) : moved_type(out);
	View to = view(part_of(out, a.index, a.dim, a.dim)), values = view(from);
	View given = expand(values, view(a.index.movedim(a.dim, -1)).sizes);

	if (held(src.scalar_type()) != held(out.scalar_type()))
		throw Unsupported("elements of another type");
	if (adds) {
		given = cast(given, type);
	} else {
		to.type = given.type = type;
	}
	check_index(a.numbers, 0, to.sizes[0]);
	View table = dense(cast(to, type));
	Launch(adds ? "scatter_add_elements" : "scatter_elements", type)
		.read(reshape(dense(given), { a.count, a.rows })).read(a.numbers)
		.update(reshape(table, { to.sizes[0], a.rows })).run();
	if (table.address != to.address)
		cast_view(to, table);
}

void scatter_call(Call &c, bool adds)
{
	const at::Tensor &self = c.tensor(0), &index = c.tensor(2), &out = c.out();
	at::Tensor src;

	if (adds)
		require_kernel("scatter_add_elements", add_type(self));
	else
		moved_type(self);
	if (c[3].isTensor()) {
		/* Of no dims it is one element of one dim. */
		src = c.tensor(3).dim() ? c.tensor(3) : c.tensor(3).unsqueeze(0);
	} else {
		src = empty({}, self.scalar_type());
		src.fill_(c.scalar(3));
	}
	if (held(src.scalar_type()) != held(self.scalar_type()))
		throw Unsupported("elements of another type");
	output(out, view(self).sizes);
	if (!out.is_same(self))
		torch_gaudi::copy(out, self, false);
	if (index.numel())
		scatter_into(out, along(index, c.integer(1)), src, adds);
	c.give(out);
}

/* (self, dim, index, src or value, out) */
template <bool adds> void scatter(Call &c)
{
	scatter_call(c, adds);
}

/* (self, dim, index, src or value, how, out) */
void scatter_reduce(Call &c)
{
	if (c[4].toStringRef() != "add")
		throw Unsupported("products");
	scatter_call(c, true);
}

/* What is written last stays: so the largest, if all come in their order. */
at::Tensor scattered_extreme(const at::Tensor &self, int64_t dim, const at::Tensor &index,
			     const at::Tensor &src, bool smallest, bool with_self)
{
	bool is_float = src.is_floating_point();
	/* NaNs are behind all others upwards. */
	at::Tensor keys = smallest && is_float ? src.neg() : src;
	at::Tensor order = std::get<1>(at::sort(keys, /*stable=*/true, dim, smallest && !is_float));
	at::Tensor found = self.scatter(dim, index.gather(dim, order),
					src.gather(dim, order));
	if (!with_self)
		return found;
	return smallest ? at::minimum(self, found) : at::maximum(self, found);
}

at::Tensor scattered_sum(const at::Tensor &self, int64_t dim, const at::Tensor &index,
			 const at::Tensor &src, bool mean, bool with_self)
{
	at::Tensor total = with_self ? self : self.scatter(dim, index, 0);

	total = total.scatter_add(dim, index, src);
	if (!mean)
		return total;
	at::Tensor count = at::ones_like(self);
	if (!with_self)
		count = count.scatter(dim, index, 0);
	count = count.scatter_add(dim, index, at::ones_like(src)).clamp_min(1);
	if (self.is_floating_point())
		return at::div(total, count);
	return at::div(total, count, "floor");
}

/* (self, dim, index, src, how, include_self, out) */
void scatter_reduce_two(Call &c)
{
	const at::Tensor &self = c.tensor(0), &index = c.tensor(2), &out = c.out();
	const std::string &how = c[4].toStringRef();
	at::Tensor src = c.tensor(3);
	int64_t dim = c.integer(1);
	bool with_self = c[5].toBool();

	if (how == "sum" && with_self)
		return scatter_call(c, true);
	compute_type(self.scalar_type(), 0);
	if (how == "prod")
		throw Unsupported("products");
	if (self.dim() != index.dim() || src.dim() != index.dim() || !index.dim())
		throw Unsupported("of no dims");
	for (int64_t d = 0; d < index.dim(); d++)
		src = src.narrow(d, 0, index.size(d));
	check_index(view(index), 0, self.size(dim));
	Trusted trusted;
	at::Tensor made = how == "amax" || how == "amin" ?
				  scattered_extreme(self, dim, index, src, how == "amin", with_self) :
				  scattered_sum(self, dim, index, src, how == "mean", with_self);
	output(out, view(self).sizes);
	torch_gaudi::copy(out, made, false);
	c.give(out);
}

const Entry table[] = {
	{ "gather.out", gather },
	{ "scatter.src_out", scatter<false> },
	{ "scatter.value_out", scatter<false> },
	{ "scatter.reduce_out", scatter_reduce },
	{ "scatter.value_reduce_out", scatter_reduce },
	{ "scatter_add.out", scatter<true> },
	{ "scatter_reduce.two_out", scatter_reduce_two },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
