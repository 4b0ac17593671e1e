// SPDX-License-Identifier: MIT
/* Indexing by tensors: rows of a table, whose numbers are made of those of several dims. */
#include <ATen/ExpandUtils.h>
#include <ATen/ops/where.h>

#include "../../launch/outside.h"
#include "../../op/copy.h"
#include "../../op/index.h"

namespace torch_gaudi {
namespace {

const Held i32 = Held::I32;

View whole_op(const char *kernel, const View &v, int64_t value)
{
	return pointwise(kernel, i32, { v }, scalar_bits(value, i32));
}

struct Indexed {
	std::vector<int64_t> order;	/* dims: those with an index first, then the others */
	std::vector<int64_t> sizes;	/* of the indexes */
	std::vector<int64_t> rest;	/* sizes of the other dims */
	std::vector<int64_t> back;	/* where the result has dims of (sizes, rest) */
	int64_t count, row, rows;
	View numbers;			/* (count) */

	std::vector<int64_t> result_sizes() const
	{
		std::vector<int64_t> all = sizes, placed;

		all.insert(all.end(), rest.begin(), rest.end());
		for (int64_t d : back)
			placed.push_back(all[d]);
		return placed;
	}
};

/* Masks become a tensor of numbers for each of their dims. */
std::vector<at::Tensor> numbers_of(const at::Tensor &self, const c10::IValue &list, bool checks)
{
	std::vector<at::Tensor> all;

	for (c10::optional<at::Tensor> t : list.to<c10::List<c10::optional<at::Tensor>>>()) {
		if (!t || !t->defined()) {
			all.emplace_back();
		} else if (t->scalar_type() != c10::kBool && t->scalar_type() != c10::kByte) {
			int64_t d = all.size();

			all.push_back(t->to(self.device()));
			if (checks && d < self.dim() && held(t->scalar_type()) == i32)
				check_index(view(all[d]), -self.size(d), self.size(d));
		} else {
			if (!t->dim())
				throw Unsupported("a mask without dims");
			for (int64_t d = 0; d < t->dim(); d++)
				TORCH_CHECK_INDEX((int64_t)all.size() + d < self.dim() &&
						  t->size(d) == self.size(all.size() + d),
						  "The shape of the mask ", t->sizes(),
						  " does not match the shape of the indexed tensor ",
						  self.sizes());
			at::Tensor found = t->to(self.device()).nonzero();
			for (int64_t d = 0; d < t->dim(); d++)
				all.push_back(found.select(1, d));
		}
	}
	TORCH_CHECK_INDEX((int64_t)all.size() <= self.dim(), "too many indices for tensor of "
			  "dimension ", self.dim());
	all.resize(self.dim());
	return all;
}

/* Dims with an index side by side: the result has the indexes' dims there, else first. */
void place(Indexed &x, int64_t before, bool adjacent)
{
	int64_t n = x.sizes.size(), all = n + x.rest.size();

	if (!adjacent)
		before = 0;
	for (int64_t d = 0; d < before; d++)
		x.back.push_back(n + d);
	for (int64_t d = 0; d < n; d++)
		x.back.push_back(d);
	for (int64_t d = n + before; d < all; d++)
		x.back.push_back(d);
}

Indexed indexed(const at::Tensor &self, const c10::IValue &list, bool checks)
{
	std::vector<at::Tensor> all = numbers_of(self, list, checks);
	int64_t first = -1, last = -1, given = 0;
	Indexed x = {};

	x.row = x.rows = x.count = 1;
	for (int64_t d = 0; d < self.dim(); d++) {
		if (!all[d].defined())
			continue;
		if (held(all[d].scalar_type()) != i32)
			throw Unsupported("indexes that are no integers");
		first = first < 0 ? d : first;
		last = d;
		given++;
		x.order.push_back(d);
		x.rows *= self.size(d);
		x.sizes = at::infer_size(x.sizes, all[d].sizes());
	}
	for (int64_t s : x.sizes)
		x.count *= s;
	if (!given || (x.count && !x.rows))
		throw Unsupported("no index, or of nothing");
	for (int64_t d = 0; d < self.dim(); d++) {
		if (all[d].defined())
			continue;
		x.order.push_back(d);
		x.rest.push_back(self.size(d));
		x.row *= self.size(d);
	}
	place(x, first, last - first + 1 == given);
	for (int64_t d = first; d <= last && x.count; d++) {
		if (!all[d].defined())
			continue;
		/* -1 is the last one. */
		View n = whole_op("remainder_scalar", view(all[d]), self.size(d));
		if (d != first)
			n = pointwise("add", i32, { whole_op("mul_scalar", x.numbers, self.size(d)), n });
		x.numbers = n;
	}
	if (x.count) {
		Dims wanted(x.sizes.rbegin(), x.sizes.rend());

		x.numbers = reshape(dense(expand(x.numbers, wanted)), { x.count });
	}
	return x;
}

at::Tensor take_indexed(const at::Tensor &self, const c10::IValue &list)
{
	Held type = moved_type(self);
	Indexed x = indexed(self, list, true);
	std::vector<int64_t> sizes = x.sizes;

	sizes.insert(sizes.end(), x.rest.begin(), x.rest.end());
	at::Tensor made = empty(sizes, self.scalar_type());
	if (made.numel()) {
		View to = view(made);

		to.type = type;
		Launch("gather", type).read(moved(self.permute(x.order), type, { x.row, x.rows }))
			.read(reshape(x.numbers, { 1, x.count }))
			.write(reshape(to, { x.row, x.count })).run();
	}
	return made.permute(x.back);
}

/* (self, indices) */
void index(Call &c)
{
	c.give(take_indexed(c.tensor(0), c[1]).contiguous());
}

/* (self, indices, out) */
void index_out(Call &c)
{
	at::Tensor found = take_indexed(c.tensor(0), c[1]);

	output(c.out(), view(found).sizes);
	torch_gaudi::copy(c.out(), found, false);
	c.give(c.out());
}

/* One value where a mask is not 0: no numbers are needed. */
bool fill_mask(const at::Tensor &self, const c10::IValue &list, const at::Tensor &value)
{
	at::Tensor mask;
	int64_t before = 0, dim = 0;

	if (value.numel() != 1)
		return false;
	for (c10::optional<at::Tensor> t : list.to<c10::List<c10::optional<at::Tensor>>>()) {
		if (t && t->defined()) {
			if (mask.defined() || t->scalar_type() != c10::kBool)
				return false;
			mask = t->to(self.device());
			before = dim;
		}
		dim++;
	}
	if (!mask.defined() || !mask.dim())
		return false;
	std::vector<int64_t> sizes = mask.sizes().vec();
	TORCH_CHECK_INDEX(before + mask.dim() <= self.dim() &&
			  self.sizes().slice(before, mask.dim()) == mask.sizes(),
			  "The shape of the mask ", mask.sizes(),
			  " does not match the shape of the indexed tensor ", self.sizes());
	sizes.resize(self.dim() - before, 1);
	torch_gaudi::copy(self, at::where(mask.reshape(sizes), value.reshape({}), self), false);
	return true;
}

/* Into rows of a table of float32, each added in its turn. */
void add_rows(const at::Tensor &self, const Indexed &x, const at::Tensor &values)
{
	View to = view(self.permute(x.order));
	View table = dense(cast(to, Held::F32)), given = dense(view(values));

	Launch("scatter_add", given.type).read(reshape(given, { x.row, x.count }))
		.read(reshape(x.numbers, { 1, x.count }))
		.update(reshape(table, { x.row, x.rows })).run();
	if (table.address != to.address)
		cast_view(to, table);
}

/* Elements of rows: the numbers are those of columns, the same for each row. */
void put_elements(const at::Tensor &self, const Indexed &x, const at::Tensor &values, bool adds)
{
	int64_t n = x.sizes.size(), given = x.order.size() - x.rest.size();
	std::vector<int64_t> rest_first(x.order.begin() + given, x.order.end()), sources;

	rest_first.insert(rest_first.end(), x.order.begin(), x.order.begin() + given);
	for (size_t d = 0; d < x.rest.size(); d++)
		sources.push_back(n + d);
	for (int64_t d = 0; d < n; d++)
		sources.push_back(d);
	Held type = adds ? compute_type(self.scalar_type(), 0) : moved_type(self);
	View to = view(self.permute(rest_first));
	to.type = type;
	View table = dense(to);
	Launch(adds ? "scatter_add_elements" : "scatter_elements", type)
		.read(moved(values.permute(sources), type, { x.count, x.row }))
		.read(expand(x.numbers, { x.count, x.row }))
		.update(reshape(table, { x.rows, x.row })).run();
	if (table.address != to.address)
		copy_view(to, table);
}

/* (self, indices, values, accumulate, unsafe) */
void index_put(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	at::Tensor values = c.tensor(2);
	bool adds = c[3].toBool();

	TORCH_CHECK_INDEX(values.scalar_type() == self.scalar_type(), "Index put requires the "
			  "source and destination dtypes match, got ", self.scalar_type(),
			  " for the destination and ", values.scalar_type(), " for the source.");
	c.give(self);
	/* One number may be the host's. */
	if (!is_number(values))
		require_here(values);
	values = values.to(self.device());
	moved_type(self);
	if (!adds && fill_mask(self, c[1], values))
		return;
	if (adds)
		compute_type(self.scalar_type(), 0);
	/* Of a backward pass they are those of the forward pass. */
	Indexed x = indexed(self, c[1], !c[4].toBool());
	if (!x.count || !x.row)
		return;
	/* Of (indexes, other dims), as the card's tables have them. */
	std::vector<int64_t> inverse(x.back.size());
	for (size_t d = 0; d < x.back.size(); d++)
		inverse[x.back[d]] = d;
	values = values.expand(x.result_sizes()).permute(inverse);
	if (adds && held(self.scalar_type()) != i32)
		add_rows(self, x, values);
	else
		put_elements(self, x, values, adds);
}

/* Sums of each element and all before it, of so many that lanes want to share them. */
View running_sum(const View &v)
{
	int64_t n = v.numel(), lanes = 1;

	while (lanes * lanes < n)
		lanes *= 2;
	int64_t length = (n + lanes - 1) / lanes;
	View padded = make_view({ lanes * length }, i32), head = padded;
	fill_view(padded, 0);
	head.sizes[0] = n;
	copy_view(head, reshape(v, { n }));
	/* Each lane has a part of what is behind each other. */
	View parts = dense(permute(reshape(padded, { length, lanes }), { 1, 0 }));
	View sums = make_view({ lanes, length }, i32), before = make_view({ 1, lanes }, i32);
	Launch("cumsum_columns", i32).read(parts).write(sums).run();
	View last = sums;
	last.sizes[1] = 1;
	last.address += (length - 1) * lanes * size_of(i32);
	last = reshape(last, { lanes });
	Launch("cumsum_columns", i32).read(reshape(last, { 1, lanes })).write(before).run();
	View offsets = pointwise("sub", i32, { reshape(before, { lanes }), last });
	View all = pointwise("add", i32, { sums, offsets });
	View flat = reshape(dense(permute(all, { 1, 0 })), { lanes * length });
	flat.sizes[0] = n;
	return flat;
}

/* The numbers of elements that are not 0, of which there are so many. Waits for the card. */
View numbers_of_nonzero(const at::Tensor &t)
{
	moved_type(t);
	if (held(t.scalar_type()) == Held::F16)
		throw Unsupported("of float16");
	if (!t.numel())
		return make_view({ 0 }, i32);
	if (t.numel() > 1 << 20)
		throw Unsupported("more than 2^20 elements, of which each is looked at alone");
	View v = view(t), mask = t.scalar_type() == c10::kBool ? v : compare_with_zero(v);
	int64_t n = t.numel();
	int32_t count = 0;

	mask = reshape(dense(mask), { n });
	View sums = running_sum(mask), places = make_view({ n }, i32);
	check(gaudi_copy_to_host_async(stream(), &count, sums.address + (n - 1) * size_of(i32),
				       sizeof(count)), "reading a count");
	View found = make_view({ count }, i32);
	if (!count)
		return found;
	/* One place before the first is none. */
	View to = whole_op("sub_scalar", pointwise("mul", i32, { sums, mask }), 1);
	Launch("arange", i32).write(places).bits(0).bits(1).run();
	Launch("scatter_elements", i32).read(places).read(to).update(found).run();
	return found;
}

at::Tensor nonzero_of(const at::Tensor &self)
{
	if (!self.dim())
		throw Unsupported("of a number");
	View found = numbers_of_nonzero(self);
	at::Tensor out = empty({ found.numel(), self.dim() }, c10::kLong);

	for (int64_t d = self.dim() - 1; d >= 0; d--) {
		if (!found.numel())
			break;
		View column = view(out.select(1, d));
		if (!d) {
			copy_view(column, found);
			break;
		}
		copy_view(column, whole_op("remainder_scalar", found, self.size(d)));
		found = whole_op("floor_div_scalar", found, self.size(d));
	}
	return out;
}

/* (self[, out]) */
template <bool with_out> void nonzero(Call &c)
{
	at::Tensor found = nonzero_of(c.tensor(0));

	if (with_out) {
		output(c.out(), view(found).sizes);
		torch_gaudi::copy(c.out(), found, false);
	}
	c.give(with_out ? c.out() : found);
}

/* (self, mask[, out]) */
template <bool with_out> void masked_select(Call &c)
{
	const at::Tensor &self = c.tensor(0), &mask = c.tensor(1);
	std::vector<int64_t> sizes = at::infer_size(self.sizes(), mask.sizes());
	Held type = moved_type(self);

	if (mask.scalar_type() != c10::kBool)
		throw Unsupported("a mask that is not bool");
	View found = numbers_of_nonzero(mask.expand(sizes));
	at::Tensor made = empty({ found.numel() }, self.scalar_type());
	if (made.numel()) {
		at::Tensor from = self.expand(sizes);
		View to = view(made);

		to.type = type;
		Launch("gather", type).read(moved(from, type, { 1, from.numel() }))
			.read(reshape(found, { 1, found.numel() }))
			.write(reshape(to, { 1, made.numel() })).run();
	}
	if (with_out) {
		output(c.out(), view(made).sizes);
		torch_gaudi::copy(c.out(), made, false);
	}
	c.give(with_out ? c.out() : made);
}

const Entry table[] = {
	{ "index.Tensor", index },
	{ "index.Tensor_out", index_out },
	{ "_index_put_impl_", index_put },
	{ "nonzero", nonzero<false> },
	{ "nonzero.out", nonzero<true> },
	{ "masked_select", masked_select<false> },
	{ "masked_select.out", masked_select<true> },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
