// SPDX-License-Identifier: MIT
/* Sorting by a bitonic network, of which a launch is one step for all rows. */
#include <ATen/native/Resize.h>

#include "../../op/index.h"
#include "../../op/reduce.h"

namespace torch_gaudi {
namespace {

const Held i32 = Held::I32;
const uint32_t largest = 0x7fffffff;

/* Integers in the order of floats: -0 is 0, and NaNs are behind all others. */
View float_keys(const View &v)
{
	View bits = v, nan = make_view(v.sizes, i32);

	bits.type = i32;
	View sign = pointwise("shr_scalar", i32, { bits }, 31);
	View key = pointwise("xor", i32, { bits, pointwise("and_scalar", i32, { sign }, largest) });
	/* -1 is that of -0 alone. */
	key = pointwise("add", i32, { key, pointwise("eq_scalar", i32, { key }, UINT32_MAX) });
	pointwise("ne", Held::F32, i32, nan, { v, v });
	return pointwise("masked_fill", i32, { key, nan }, largest);
}

/*
 * What is sorted: for each of the rows 2^bits places, and where in memory each is, by the bits
 * of its number. Steps are fast if pairs stand side by side in another bit than that in which
 * the two of a pair differ: many rows are next to each other, of few ones the lower bits, and,
 * with @rotated, the upper ones.
 */
struct Places {
	size_t bits;
	int64_t rows, row_stride;
	Dims strides;		/* by bit */
	Dims sizes, steps;	/* of dims (lower bits, upper bits, rows) */

	Places(size_t bits, int64_t rows, bool rows_first, size_t split, bool rotated)
		: bits(bits), rows(rows)
	{
		int64_t one = rows_first ? rows : 1, lower = (int64_t)1 << split;
		int64_t upper = (int64_t)1 << (bits - split);

		row_stride = rows_first ? 1 : lower * upper;
		sizes = { lower, upper, rows };
		steps = { rotated ? one * upper : one, rotated ? one : one * lower, row_stride };
		for (size_t b = 0; b < bits; b++)
			strides.push_back(b < split ? steps[0] << b : steps[1] << (b - split));
	}
	View place(const View &memory) const
	{
		View v = memory;

		v.sizes = sizes;
		v.strides = steps;
		return v;
	}
	/* Along dim 1 two places that differ in bit @pair. */
	View pairs(const View &memory, size_t pair) const
	{
		View v = memory, *only[] = { &v };

		v.sizes = { rows };
		v.strides = { row_stride };
		for (size_t b = 0; b < bits; b++) {
			if (b == pair)
				continue;
			v.sizes.push_back(2);
			v.strides.push_back(strides[b]);
		}
		coalesce(only);
		if (!v.rank() || v.strides[0] != 1) {
			v.sizes.insert(v.sizes.begin(), 1);
			v.strides.insert(v.strides.begin(), 1);
		}
		v.sizes.insert(v.sizes.begin() + 1, 2);
		v.strides.insert(v.strides.begin() + 1, strides[pair]);
		return v;
	}
};

class Network {
public:
	/* @keys: (2^bits, rows) */
	Network(const View &keys, size_t bits) : bits(bits), rows(keys.sizes[1])
	{
		bool rows_first = rows >= 16;

		split = !rows_first && bits > 8 ? std::min(bits / 2, (size_t)7) : 0;
		places.emplace_back(bits, rows, rows_first, split, false);
		if (split)
			places.emplace_back(bits, rows, rows_first, split, true);
		count = memory();
		order = memory();
		values = memory();
		const Dims &sizes = places[0].sizes;
		View sequence = make_view({ sizes[0] * sizes[1] }, i32);
		Launch("arange", i32).write(sequence).bits(0).bits(1).run();
		View all = expand(reshape(sequence, { sizes[0], sizes[1], 1 }), sizes);
		copy_view(places[0].place(values), reshape(keys, sizes));
		copy_view(places[0].place(order), all);
		copy_view(places[0].place(count), all);
	}
	/* Blocks of 2, 4 ... become sorted, every other one downwards, as the next size wants. */
	View sorted()
	{
		for (size_t block = 1; block <= bits; block++) {
			turn(block);
			for (size_t pair = block; pair-- > 0;) {
				arrange(pair < split);
				Launch("compare_exchange", i32).update(places[now].pairs(values, pair))
					.update(places[now].pairs(order, pair)).run();
			}
		}
		return dense(places[now].place(order));
	}

private:
	View memory() const
	{
		return make_view({ rows << bits }, i32);
	}
	/* -1 where that bit of the place's number is 1. */
	View bit(size_t n) const
	{
		View up = pointwise("shl_scalar", i32, { count }, 31 - n);

		return pointwise("shr_scalar", i32, { up }, 31);
	}
	/* What is sorted downwards is upwards with all bits changed: so it is stored meanwhile. */
	void turn(size_t block)
	{
		View other = block == 1 ? bit(1) : bit(block - 1);

		if (bits == 1)
			return;
		if (block != 1 && block < bits)
			other = pointwise("xor", i32, { other, bit(block) });
		for (const View &v : { values, order })
			pointwise("xor", i32, i32, v, { v, other });
	}
	void arrange(bool rotated)
	{
		if (now == (size_t)rotated)
			return;
		for (View *v : { &values, &order, &count }) {
			View to = memory();

			copy_view(places[rotated].place(to), places[now].place(*v));
			*v = to;
		}
		now = rotated;
	}

	size_t bits, split, now = 0;
	int64_t rows;
	std::vector<Places> places;
	View values, order, count;
};

/* @keys: (elements, rows). Where in its row each element of the sorted one is. */
View order_of(const View &keys)
{
	int64_t count = keys.sizes[0], rows = keys.sizes[1];
	size_t bits = 0;

	while ((int64_t)1 << bits < count)
		bits++;
	View padded = make_view({ (int64_t)1 << bits, rows }, i32), head = padded;
	/* Padding comes last, also behind keys that are as large, since its numbers are larger. */
	if (padded.sizes[0] != count)
		fill_view(padded, largest);
	head.sizes[0] = count;
	copy_view(head, keys);
	return reshape(Network(padded, bits).sorted(), padded.sizes);
}

View picked(const View &from, const View &places)
{
	View made = make_view(places.sizes, Held::F32), words = from;

	words.type = Held::F32;
	Launch("gather_elements", Held::F32).read(words).read(places).write(made).run();
	made.type = i32;
	return made;
}

/* The first ones of each row. */
View head_of(const View &numbers, int64_t count)
{
	View head = numbers;

	head.sizes[0] = count;
	return dense(head);
}

/*
 * The first @count of order_of(). Of long rows these are in as many pieces, those with the least
 * elements, and the first such ones: where all pieces that are left out have an element that is
 * as large as the last one wanted, it stands behind as large ones of the others.
 */
View first_of(const View &keys, int64_t count)
{
	int64_t elements = keys.sizes[0], rows = keys.sizes[1], pieces;
	size_t bits = 1;

	if (elements < 8192 || count * 32 > elements)
		return head_of(order_of(keys), count);
	while (count << (2 * bits + 2) <= elements)
		bits++;
	pieces = (elements + (1 << bits) - 1) >> bits;
	View padded = make_view({ pieces << bits, rows }, i32), head = padded;
	if (padded.sizes[0] != elements)
		fill_view(padded, largest);
	head.sizes[0] = elements;
	copy_view(head, keys);
	View least = reduce(minima, reshape(padded, { 1 << bits, pieces, rows }),
			    { true, false, false });
	View chosen = first_of(reshape(least, { pieces, rows }), count);
	chosen = picked(chosen, head_of(order_of(chosen), count));
	View first = make_view({ rows }, i32);
	Launch("arange", i32).write(first).bits(0).bits(pieces).run();
	View from = pointwise("add", i32, { chosen, expand(reshape(first, { 1, rows }),
							   chosen.sizes) });
	View left = make_view({ 1 << bits, count * rows }, Held::F32);
	padded.type = Held::F32;
	Launch("gather", Held::F32).read(reshape(padded, { 1 << bits, pieces * rows }))
		.read(reshape(from, { 1, count * rows })).write(left).run();
	left.type = i32;
	View found = head_of(order_of(reshape(left, { count << bits, rows })), count);
	View piece = picked(chosen, pointwise("shr_scalar", i32, { found }, bits));
	return pointwise("add", i32, { pointwise("shl_scalar", i32, { piece }, bits),
				       pointwise("and_scalar", i32, { found }, (1 << bits) - 1) });
}

void store_words(const at::Tensor &out, View from, const Dims &order)
{
	View to = view(out);

	if (!to.rank())
		to = unsqueeze(to, 0);
	from.type = to.type;
	copy_view(permute(to, order), from);
}

/* The first @count of @dim in order, and where they were. */
void sorted(const at::Tensor &self, int64_t dim, bool descending, int64_t count,
	    const at::Tensor &values, const at::Tensor &indices)
{
	Held type = compute_type(self.scalar_type(), ANY_INTEGER);
	std::vector<int64_t> sizes = self.sizes().vec();
	size_t inner = self.dim() ? self.dim() - 1 - c10::maybe_wrap_dim(dim, self.dim()) : 0;
	Dims order = { (int64_t)inner };

	if (self.dim())
		sizes[self.dim() - 1 - inner] = count;
	for (const at::Tensor &t : { values, indices })
		if (t.sizes() != at::IntArrayRef(sizes))
			at::native::resize_output(t, sizes);
	if (!values.numel())
		return;
	View v = view(self);
	if (!v.rank())
		v = unsqueeze(v, 0);
	for (size_t d = 0; d < v.rank(); d++)
		if (d != inner)
			order.push_back(d);
	v = dense(permute(v, order));
	int64_t elements = v.sizes[0], rows = v.numel() / elements;
	Dims left = v.sizes;
	left[0] = count;
	v = reshape(v, { elements, rows });
	View keys = type == i32 ? v : float_keys(cast(v, Held::F32));
	View found = first_of(descending ? pointwise("not", i32, { keys }) : keys, count);
	View made = make_view({ count, rows }, type);
	made.type = v.type = moved_type(self);
	Launch("gather_elements", v.type).read(v).read(found).write(made).run();
	store_words(values, reshape(made, left), order);
	store_words(indices, reshape(found, left), order);
}

/* (self, stable, dim, descending, values, indices): always stable. */
void sort(Call &c)
{
	const at::Tensor &self = c.tensor(0), &values = c.out(1), &indices = c.out(0);
	int64_t dim = c.integer(2);

	sorted(self, dim, c[3].toBool(), self.dim() ? self.size(dim) : 1, values, indices);
	c.give(values);
	c.give(indices);
}

/* (self, k, dim, largest, sorted, values, indices) */
void topk(Call &c)
{
	const at::Tensor &self = c.tensor(0), &values = c.out(1), &indices = c.out(0);
	int64_t k = c.integer(1), dim = c.integer(2);

	TORCH_CHECK(k >= 0 && k <= (self.dim() ? self.size(dim) : 1),
		    "selected index k out of range");
	sorted(self, dim, c[3].toBool(), self.dim() ? k : 1, values, indices);
	c.give(values);
	c.give(indices);
}

const Entry table[] = {
	{ "sort.values_stable", sort },
	{ "topk.values", topk },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
