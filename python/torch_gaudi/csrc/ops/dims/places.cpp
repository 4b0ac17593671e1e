// SPDX-License-Identifier: MIT
/* Numbers by their places: sequences, triangles, diagonals; and running sums. */
#include <cmath>

#include "../../op/index.h"

namespace torch_gaudi {
namespace {

/* How many from @start to before @end; PyTorch says what is wrong with other arguments. */
int64_t steps_between(const Call &c)
{
	/* Of int64, whose bounds PyTorch makes whole first; of other types it does not. */
	bool whole = c.out().scalar_type() == at::kLong;
	auto value = [&](int n) {
		return whole ? (double)c.scalar(n).to<int64_t>() : c.scalar(n).to<double>();
	};
	double start = value(0), end = value(1), count = std::ceil((end - start) / value(2));

	if (!(count >= 0 && count < 0x1p31))
		throw Unsupported("such a sequence");
	if (c.scalar(0).isIntegral(true) && c.scalar(1).isIntegral(true) &&
	    c.scalar(2).isIntegral(true) && std::abs(end - start) >= 0x1p53)
		throw Unsupported("a sequence of numbers that large");
	return (int64_t)count;
}

void sequence(const View &to, Held type, const c10::Scalar &start, const c10::Scalar &step)
{
	if (to.numel())
		Launch("arange", type).write(to).bits(scalar_bits(start, type))
			.bits(scalar_bits(step, type)).run();
}

/* (start, end, step, out) */
void arange(Call &c)
{
	const at::Tensor &out = c.out();
	Held type = compute_type(out.scalar_type(), 0);
	int64_t count = steps_between(c);

	if (type == Held::I32 && !(c.scalar(0).isIntegral(true) && c.scalar(2).isIntegral(true)))
		throw Unsupported("whole numbers of others");
	View made = make_view({ count }, type);
	sequence(made, type, c.scalar(0), c.scalar(2));
	copy_view(output(out, { count }), made);
	c.give(out);
}

/* (start, end, count, out) */
void linspace(Call &c)
{
	const at::Tensor &out = c.out();
	Held type = compute_type(out.scalar_type(), 0);
	double start = c.scalar(0).to<double>(), end = c.scalar(1).to<double>();
	int64_t count = c.integer(2);

	if (type == Held::I32 || count < 2)
		throw Unsupported("such a sequence");
	View made = make_view({ count }, Held::F32), last = made;
	sequence(made, Held::F32, start, (end - start) / (double)(count - 1));
	last.sizes[0] = 1;
	last.address += (count - 1) * size_of(Held::F32);
	fill_view(last, f32_bits(end));
	cast_view(output(out, { count }), made);
	c.give(out);
}

/* (self, diagonal, out) */
void triangle(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	int64_t diagonal = c.integer(1);

	if (self.dim() < 2)
		throw Unsupported("of fewer than two dims");
	View to = output(out, view(self).sizes);
	if (self.numel()) {
		Held type = moved_type(self);
		Dims sizes = { self.size(-1), self.size(-2), 1 };

		sizes[2] = self.numel() / (sizes[0] * sizes[1]);
		View made = make_view(sizes, type);
		/* Beyond the ends of rows and columns it does not matter how far. */
		diagonal = std::max(std::min(diagonal, sizes[0]), -sizes[1]);
		Launch(c.entry.kernel, type).read(moved(self, type, sizes)).write(made)
			.bits((uint32_t)diagonal).run();
		made.type = to.type;
		copy_view(to, reshape(made, to.sizes));
	}
	c.give(out);
}

/* (rows[, columns], out) */
template <bool with_columns> void eye(Call &c)
{
	const at::Tensor &out = c.out();
	int64_t rows = c.integer(0), columns = with_columns ? c.integer(1) : rows;

	if (rows < 0 || columns < 0)
		throw Unsupported("such sizes");
	output(out, { columns, rows });
	out.zero_().diagonal().fill_(1);
	c.give(out);
}

/* (self, dim, dtype, out): of this element and all before it. */
void cumulate(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	Held type = inner_type(compute_type(out.scalar_type(), 0));
	int64_t dim = self.dim() ? c10::maybe_wrap_dim(c.integer(1), self.dim()) : 0;
	View to = output(out, view(self).sizes), from = cast(view(self), type);

	if (!self.dim())
		cast_view(to, from);
	if (!self.dim() || !self.numel()) {
		c.give(out);
		return;
	}
	/* The inner dim has the lanes: all others are there, if it is the one. */
	Dims order(from.rank());
	size_t along = from.rank() - 1 - dim;
	for (size_t d = 0; d < order.size(); d++)
		order[d] = d;
	if (!along) {
		order.erase(order.begin());
		order.push_back(0);
		along = order.size() - 1;
	}
	View in = dense(permute(from, order)), made = make_view(in.sizes, type);
	int64_t inner = 1, count = in.sizes[along];
	for (size_t d = 0; d < along; d++)
		inner *= in.sizes[d];
	Dims flat = { inner, count, in.numel() / (inner * count) };
	Launch(c.entry.kernel, type).read(reshape(in, flat)).write(reshape(made, flat)).run();
	cast_view(permute(to, order), made);
	c.give(out);
}

const Entry table[] = {
	{ "arange.start_out", arange },
	{ "linspace.out", linspace },
	{ "tril.out", triangle, "tril" },
	{ "triu.out", triangle, "triu" },
	{ "eye.out", eye<false> },
	{ "eye.m_out", eye<true> },
	{ "cumsum.out", cumulate, "cumsum_columns" },
	{ "cumprod.out", cumulate, "cumprod_columns" },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
