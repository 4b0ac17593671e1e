// SPDX-License-Identifier: MIT
#include "reduce.h"

namespace torch_gaudi {

const Reduction sums = { "sum_rows", "sum_columns" };
const Reduction maxima = { "max_rows", "max_columns" };
const Reduction minima = { "min_rows", "min_columns" };
const Reduction products = { "prod_rows", "prod_columns" };

static View reduce_columns(const Reduction &kind, const View &v, int64_t inner, int64_t size,
			   int64_t outer)
{
	/* Short rows leave most of a vector empty: so several of them are taken for one. */
	int64_t part = inner > 1 && inner < lanes ? least_part(size, lanes / inner) : 1;
	View wide = v, out = make_view({ inner, outer }, v.type);

	if (part > 1 && size >= 8 * part) {
		wide = reduce_columns(kind, v, inner * part, size / part, outer);
		size = part;
	}
	Launch(kind.columns, v.type).read(reshape(wide, { inner, size, outer }))
		.write(reshape(out, { inner, 1, outer })).run();
	return out;
}

/* One group of dims: @inner elements before it, @size in it, @outer behind it. */
static View reduce_group(const Reduction &kind, const View &v, int64_t inner, int64_t size,
			 int64_t outer)
{
	if (inner != 1 || !has_kernel(kind.rows, v.type))
		return reduce_columns(kind, v, inner, size, outer);
	View out = make_view({ 1, outer }, v.type);
	Launch(kind.rows, v.type).read(reshape(v, { size, outer })).write(out).run();
	return out;
}

/* From the outer dims on, since these are as fast as memory, whatever their sizes. */
View reduce(const Reduction &kind, const View &from, const std::vector<bool> &over)
{
	View v = dense(from);
	Dims left = v.sizes;
	int64_t outer = 1;

	for (size_t end = left.size(); end;) {
		int64_t inner = 1, size = 1;

		if (!over[end - 1]) {
			outer *= left[--end];
			continue;
		}
		for (; end && (over[end - 1] || left[end - 1] == 1); end--) {
			size *= left[end - 1];
			left[end - 1] = 1;
		}
		for (size_t i = 0; i < end; i++)
			inner *= left[i];
		if (size != 1)
			v = reduce_group(kind, v, inner, size, outer);
	}
	return reshape(v, left);
}

std::vector<bool> reduced_dims(const at::Tensor &t, at::IntArrayRef dims)
{
	std::vector<bool> over(t.dim(), dims.empty());

	for (int64_t d : dims)
		if (t.dim())
			over[t.dim() - 1 - c10::maybe_wrap_dim(d, t.dim())] = true;
	return over;
}

int64_t count_of(const View &v, const std::vector<bool> &over)
{
	int64_t count = 1;

	for (size_t d = 0; d < v.rank(); d++)
		count *= over[d] ? v.sizes[d] : 1;
	return count;
}

View sum_view(const View &v, const std::vector<bool> &over)
{
	Dims left = v.sizes;

	if (v.numel())
		return reduce(sums, v, over);
	for (size_t d = 0; d < v.rank(); d++)
		left[d] = over[d] ? 1 : left[d];
	View zeros = make_view(left, v.type);
	fill_view(zeros, 0);
	return zeros;
}

} // namespace torch_gaudi
