// SPDX-License-Identifier: MIT
/* Operators along dims: sums, means, extremes, softmax. */
#include <ATen/native/Resize.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mul.h>

#include "../../op/copy.h"
#include "../../op/reduce.h"

namespace torch_gaudi {
namespace {

/* Of equal elements, whatever dims of one the tensor has. */
void store_flat(const at::Tensor &out, const View &result)
{
	View to = view(out);

	cast_view(to, reshape(dense(result), to.sizes));
}

std::vector<int64_t> reduced_sizes(const at::Tensor &self, const std::vector<bool> &over,
				   bool keep)
{
	std::vector<int64_t> sizes;

	for (int64_t i = 0; i < self.dim(); i++)
		if (!over[self.dim() - 1 - i])
			sizes.push_back(self.size(i));
		else if (keep)
			sizes.push_back(1);
	return sizes;
}

void output_reduced(const at::Tensor &out, const at::Tensor &self, const std::vector<bool> &over,
		    bool keep)
{
	std::vector<int64_t> sizes = reduced_sizes(self, over, keep);

	if (out.sizes() != at::IntArrayRef(sizes))
		at::native::resize_output(out, sizes);
}

Held sum_type(const at::Tensor &self, const at::Tensor &out)
{
	Held h = held(self.scalar_type());

	if (h == Held::I32 && held(out.scalar_type()) == Held::I32) {
		if (out.scalar_type() != c10::ScalarType::Long &&
		    out.scalar_type() != c10::ScalarType::Int)
			throw Unsupported("a sum of narrow integers");
		return h;
	}
	Held t = compute_type(out.scalar_type(), 0);
	/* Several steps, or a cast, are in f32 until the end. */
	return t == Held::BF16 && h == Held::BF16 ? Held::BF16 : Held::F32;
}

/* (self, dims, keepdim, dtype, out) */
void sum(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	Held t = sum_type(self, out);
	std::vector<bool> over = reduced_dims(self, c.ints(1));

	if (t != held(out.scalar_type()) && held(out.scalar_type()) == Held::I32)
		throw Unsupported("a sum that is cast to integers");
	if (t == Held::BF16)
		t = Held::F32;
	output_reduced(out, self, over, c[2].toBool());
	store_flat(out, sum_view(cast(view(self), t), over));
	c.give(out);
}

void mean(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	std::vector<bool> over = reduced_dims(self, c.ints(1));
	View v = view(self);

	compute_type(out.scalar_type(), 0);
	if (!v.numel())
		throw Unsupported("a mean of nothing");
	output_reduced(out, self, over, c[2].toBool());
	View total = sum_view(cast(v, Held::F32), over);
	store_flat(out, pointwise("div_scalar", Held::F32, { total },
				  f32_bits((double)count_of(v, over))));
	c.give(out);
}

/* (self, dims, keepdim, out) */
template <const Reduction &kind> void extreme(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();

	compute_type(self.scalar_type(), ANY_INTEGER);
	output_reduced(out, self, reduced_dims(self, c.ints(1)), c[2].toBool());
	if (self.numel())
		store_flat(out, reduce(kind, view(self), reduced_dims(self, c.ints(1))));
	c.give(out);
}

/* The extreme of all, as a tensor. */
template <const Reduction &kind> void extreme_of_all(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	at::Tensor out = empty({}, self.scalar_type());

	compute_type(self.scalar_type(), ANY_INTEGER);
	if (!self.numel())
		throw Unsupported("an extreme of nothing");
	store_flat(out, reduce(kind, view(self), reduced_dims(self, {})));
	c.give(out);
}

/* The product of integers along a dim, by halves, which is kept as one of 1. */
at::Tensor integer_product(at::Tensor t, int64_t dim)
{
	while (t.size(dim) > 1) {
		int64_t half = t.size(dim) / 2;
		at::Tensor next = at::mul(t.narrow(dim, 0, half), t.narrow(dim, half, half));

		t = t.size(dim) % 2 ? at::cat({ next, t.narrow(dim, 2 * half, 1) }, dim) : next;
	}
	return t;
}

/* (self, dim, keepdim, dtype, out) */
void prod(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	std::vector<bool> over = reduced_dims(self, { c.integer(1) });
	Held type = compute_type(out.scalar_type(), 0);

	if (!self.numel())
		throw Unsupported("a product of nothing");
	output_reduced(out, self, over, c[2].toBool());
	if (type == Held::I32 && self.dim()) {
		at::Tensor made = integer_product(self.to(out.scalar_type()), c.integer(1));

		torch_gaudi::copy(out, made.view(out.sizes()), false);
	} else if (type == Held::I32) {
		torch_gaudi::copy(out, self, false);
	} else {
		store_flat(out, reduce(products, cast(view(self), Held::F32), over));
	}
	c.give(out);
}

/* (self, dtype): of all. */
void prod_of_all(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	/* Integers of all widths become int64. */
	c10::ScalarType type = !c[1].isNone() ? c[1].toScalarType() :
			       held(self.scalar_type()) == Held::I32 ? c10::kLong : self.scalar_type();
	at::Tensor out = empty({}, type);
	Held as = compute_type(type, 0);

	if (!self.numel())
		throw Unsupported("a product of nothing");
	if (as == Held::I32)
		torch_gaudi::copy(out, integer_product(self.to(type).reshape(-1), 0).squeeze(0), false);
	else
		store_flat(out, reduce(products, cast(view(self), Held::F32),
				       reduced_dims(self, {})));
	c.give(out);
}

/* (self, dim, keepdim, min, max) */
void aminmax(Call &c)
{
	const at::Tensor &self = c.tensor(0), &min = c.out(1), &max = c.out(0);
	std::vector<int64_t> dims = c[1].isNone() ? std::vector<int64_t>() : c.ints(1);
	std::vector<bool> over = reduced_dims(self, dims);

	compute_type(self.scalar_type(), 0);
	if (!self.numel())
		throw Unsupported("extremes of nothing");
	output_reduced(min, self, over, c[2].toBool());
	output_reduced(max, self, over, c[2].toBool());
	store_flat(min, reduce(minima, view(self), over));
	store_flat(max, reduce(maxima, view(self), over));
	c.give(min);
	c.give(max);
}

/* any, all: of what is not 0. (self[, dim, keepdim], out) */
template <const Reduction &kind, int with_dim> void logical(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	std::vector<int64_t> dims;

	if (with_dim)
		dims.push_back(c.integer(1));
	if (!self.numel())
		throw Unsupported("of nothing");
	compute_type(self.scalar_type(), ANY_INTEGER);
	output_reduced(out, self, reduced_dims(self, dims), with_dim && c[2].toBool());
	View v = self.scalar_type() == c10::ScalarType::Bool ? view(self) :
							       compare_with_zero(view(self));
	store_flat(out, reduce(kind, v, reduced_dims(self, dims)));
	c.give(out);
}

/* Dim @d of the tensor is the inner one, and all is dense: rows. */
View as_rows(const View &v, size_t d, Dims &order)
{
	order.clear();
	order.push_back(d);
	for (size_t i = 0; i < v.rank(); i++)
		if (i != d)
			order.push_back(i);
	return dense(permute(v, order));
}

/* @from has dims in @order: puts them into @out. */
void store_rows(const View &out, const View &from, const Dims &order)
{
	cast_view(permute(out, order), from);
}

size_t inner_number(const at::Tensor &t, int64_t dim)
{
	return t.dim() - 1 - c10::maybe_wrap_dim(dim, t.dim());
}

View at_least_one_dim(const View &v)
{
	return v.rank() ? v : unsqueeze(v, 0);
}

/* (self, dim, half_to_float, out) */
void softmax(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	Held t = compute_type(out.scalar_type(), 0);
	Dims order;
	View v = at_least_one_dim(cast(view(self), t));
	View to = at_least_one_dim(output(out, view(self).sizes));

	if (!self.numel()) {
		c.give(out);
		return;
	}
	View rows = as_rows(v, self.dim() ? inner_number(self, c.integer(1)) : 0, order);
	View result = make_view(rows.sizes, t);
	int64_t size = rows.sizes[0], outer = rows.numel() / size;
	Launch(c.entry.kernel, t).read(reshape(rows, { size, outer }))
		.write(reshape(result, { size, outer })).run();
	store_rows(to, result, order);
	c.give(out);
}

/* (gradient, result, dim, type, out) */
void softmax_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &y = c.tensor(1), &out = c.out();
	Held t = compute_type(y.scalar_type(), 0);
	Dims order;
	size_t d = y.dim() ? inner_number(y, c.integer(2)) : 0;
	View to = at_least_one_dim(view(out));

	if (!y.numel()) {
		c.give(out);
		return;
	}
	View grads = as_rows(at_least_one_dim(cast(view(g), t)), d, order);
	View rows = as_rows(at_least_one_dim(view(y)), d, order);
	View result = make_view(rows.sizes, t);
	int64_t size = rows.sizes[0], outer = rows.numel() / size;
	Launch(c.entry.kernel, t).read(reshape(rows, { size, outer }))
		.read(reshape(grads, { size, outer }))
		.write(reshape(result, { size, outer })).run();
	store_rows(to, result, order);
	c.give(out);
}

View filled_words(at::IntArrayRef sizes, int32_t value)
{
	View v = make_view(sizes, Held::I32);

	fill_view(v, (uint32_t)value);
	return v;
}

View negative(const View &v)
{
	return pointwise("mul_scalar", v.type, { v }, scalar_bits(-1, v.type));
}

/* Of integers the least number of those that are equal to the extreme. */
void first_of_extreme(const View &rows, const View &out, bool smallest)
{
	std::vector<bool> over = { true, false };
	View extreme = reduce(smallest ? minima : maxima, rows, over);
	View is = pointwise("eq", Held::I32, { rows, extreme });
	View numbers = make_view({ rows.sizes[0], 1 }, Held::I32);

	Launch("arange", Held::I32).write(numbers).bits(0).bits(1).run();
	numbers = pointwise("where", Held::I32, { is, numbers, filled_words({ 1, 1 }, INT32_MAX) });
	copy_view(out, reduce(minima, numbers, over));
}

/* The numbers of the largest (or smallest) along a dim, which is of one then. */
View arg_extreme(const at::Tensor &self, int64_t dim, bool smallest, Dims &order)
{
	Held t = compute_type(self.scalar_type(), ANY_INTEGER);
	View v = at_least_one_dim(view(self));
	View rows = as_rows(v, self.dim() ? inner_number(self, dim) : 0, order);
	int64_t size = rows.sizes[0], outer = rows.numel() / size;
	Dims left = rows.sizes;

	left[0] = 1;
	View out = make_view(left, Held::I32), flat = reshape(out, { 1, outer });
	rows = reshape(rows, { size, outer });
	if (t == Held::I32)
		first_of_extreme(rows, flat, smallest);
	else
		Launch(smallest ? "argmin_rows" : "argmax_rows", t).read(rows).write(flat).run();
	return out;
}

/* Dims of one in addition do not change where elements are. */
void store_arg(const at::Tensor &out, const View &found, const Dims &order)
{
	View back = make_view({}, Held::I32);
	Dims inverse(order.size());

	for (size_t i = 0; i < order.size(); i++)
		inverse[order[i]] = i;
	back = dense(permute(found, inverse));
	store_flat(out, back);
}

/* (self, dim or none, keepdim, out) */
template <bool smallest> void arg(Call &c)
{
	at::Tensor self = c.tensor(0);
	const at::Tensor &out = c.out();
	Dims order;

	output_reduced(out, self, reduced_dims(self, c.ints(1)), c[2].toBool());
	if (c[1].isNone())
		self = self.reshape({ -1 });
	if (out.numel())
		store_arg(out, arg_extreme(self, c[1].isNone() ? 0 : c.integer(1), smallest, order),
			  order);
	c.give(out);
}

/* (self, dim, keepdim, values, indices) */
template <const Reduction &kind, bool smallest> void extreme_dim(Call &c)
{
	const at::Tensor &self = c.tensor(0), &values = c.out(1), &indices = c.out(0);
	Dims order;

	compute_type(self.scalar_type(), ANY_INTEGER);
	for (const at::Tensor &t : { values, indices })
		output_reduced(t, self, reduced_dims(self, { c.integer(1) }), c[2].toBool());
	if (values.numel()) {
		View found = arg_extreme(self, c.integer(1), smallest, order);

		store_arg(indices, found, order);
		store_flat(values, reduce(kind, view(self), reduced_dims(self, { c.integer(1) })));
	}
	c.give(values);
	c.give(indices);
}

/* Sum of squares of the distances to the mean, which is given, too. */
View squares(const View &v, const std::vector<bool> &over, View &mean)
{
	double count = (double)count_of(v, over);

	mean = pointwise("div_scalar", Held::F32, { sum_view(v, over) }, f32_bits(count));
	View off = pointwise("sub", Held::F32, { v, mean });
	return sum_view(pointwise("mul", Held::F32, { off, off }), over);
}

at::Tensor empty_reduced(const at::Tensor &self, const std::vector<bool> &over, bool keep)
{
	return empty(reduced_sizes(self, over, keep), self.scalar_type());
}

/* (self, dims, correction, keepdim): variance, deviation, and with their mean. */
template <bool root, bool with_mean> void variance(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	std::vector<bool> over = reduced_dims(self, c.ints(1));
	double correction = c[2].isNone() ? 1 : c[2].toScalar().to<double>();
	View mean, v = view(self);
	double count = (double)count_of(v, over) - correction;

	compute_type(self.scalar_type(), 0);
	if (held(self.scalar_type()) == Held::I32 || !self.numel() || count <= 0)
		throw Unsupported("a variance of too few");
	View result = squares(cast(v, Held::F32), over, mean);
	result = pointwise("div_scalar", Held::F32, { result }, f32_bits(count));
	if (root)
		result = pointwise("sqrt", Held::F32, { result });
	at::Tensor out = empty_reduced(self, over, c[3].toBool());
	store_flat(out, result);
	c.give(out);
	if (with_mean) {
		at::Tensor m = empty_reduced(self, over, c[3].toBool());

		store_flat(m, mean);
		c.give(m);
	}
}

View nonzero_as_1(const View &v)
{
	View is = make_view(v.sizes, Held::I32);

	pointwise("ne_scalar", Held::F32, Held::I32, is, { v }, f32_bits(0));
	return cast(is, Held::F32);
}

View to_the_power(const View &v, double order)
{
	/* Of no more dims than @v, as the result's are those of both. */
	View number = make_view(Dims(v.rank() ? 1 : 0, 1), Held::F32);

	fill_view(number, f32_bits(order));
	return pointwise("pow", Held::F32, { v, number });
}

/* (self, order, dims, keepdim, dtype, out) */
void vector_norm(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	std::vector<bool> over = reduced_dims(self, c.ints(2));
	double order = c.scalar(1).to<double>();

	compute_type(self.scalar_type(), 0);
	compute_type(out.scalar_type(), 0);
	if (held(self.scalar_type()) == Held::I32 || !self.numel())
		throw Unsupported("a norm of these");
	View v = cast(view(self), Held::F32), result;
	output_reduced(out, self, over, c[3].toBool());
	if (order == 2)
		result = pointwise("sqrt", Held::F32,
				   { sum_view(pointwise("mul", Held::F32, { v, v }), over) });
	else
		v = pointwise("max", Held::F32, { v, negative(v) });
	if (order == 1)
		result = sum_view(v, over);
	else if (order == 0)
		result = sum_view(nonzero_as_1(v), over);
	else if (std::isinf(order))
		result = reduce(order > 0 ? maxima : minima, v, over);
	else if (order != 2)
		result = to_the_power(sum_view(to_the_power(v, order), over), 1 / order);
	store_flat(out, result);
	c.give(out);
}

const Entry table[] = {
	{ "sum.IntList_out", sum },
	{ "mean.out", mean },
	{ "amax.out", extreme<maxima> },
	{ "amin.out", extreme<minima> },
	{ "max", extreme_of_all<maxima> },
	{ "min", extreme_of_all<minima> },
	{ "prod.int_out", prod },
	{ "prod", prod_of_all },
	{ "aminmax.out", aminmax },
	{ "any.out", logical<maxima, 1> },
	{ "all.out", logical<minima, 1> },
	{ "any.all_out", logical<maxima, 0> },
	{ "all.all_out", logical<minima, 0> },
	{ "argmax.out", arg<false> },
	{ "argmin.out", arg<true> },
	{ "max.dim_max", extreme_dim<maxima, false> },
	{ "min.dim_min", extreme_dim<minima, true> },
	{ "_softmax.out", softmax, "softmax" },
	{ "_log_softmax.out", softmax, "log_softmax" },
	{ "_softmax_backward_data.out", softmax_backward, "softmax_grad" },
	{ "_log_softmax_backward_data.out", softmax_backward, "log_softmax_grad" },
	{ "var.correction", variance<false, false> },
	{ "std.correction", variance<true, false> },
	{ "var_mean.correction", variance<false, true> },
	{ "std_mean.correction", variance<true, true> },
	{ "linalg_vector_norm.out", vector_norm },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
