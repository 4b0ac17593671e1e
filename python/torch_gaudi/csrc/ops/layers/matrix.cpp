// SPDX-License-Identifier: MIT
/* Matrix products. */
#include <ATen/ops/mul.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/sum.h>

#include "../../op/op.h"

namespace torch_gaudi {
namespace {

/* One of the inner two dims is next to each other, and no dim is repeated. */
View as_matrix(const View &v)
{
	bool unit = v.strides[0] == 1 || v.strides[1] == 1;
	bool wide = std::max(v.strides[0], v.strides[1]) >= std::min(v.sizes[0], v.sizes[1]);

	for (size_t d = 0; d < v.rank(); d++)
		if (!v.strides[d] && v.sizes[d] != 1)
			unit = false;
	if (unit && wide)
		return v;
	View copy = make_view(v.sizes, v.type);
	copy_view(copy, v);
	return copy;
}

/* To @to, of rank 2 or 3, dense. */
void multiply(const View &to, const View &a, const View &b)
{
	if (!to.numel())
		return;
	if (!a.numel())
		return fill_view(to, 0);
	Launch("matmul", Held::NONE).read(as_matrix(a)).read(as_matrix(b)).write(to).run(
		[](gaudi_builder *builder, const uint32_t *t) {
			return gaudi_builder_add_matmul(builder, t[2], t[0], t[1], 0, nullptr);
		});
}

Held matrix_type(const at::Tensor &a)
{
	Held t = compute_type(a.scalar_type(), 0);

	if (t == Held::I32)
		throw Unsupported("products of matrices of integers");
	return t;
}

/* A product in new memory, of f32 if it is not finished. */
View product(const View &a, const View &b, Held type)
{
	Dims sizes = a.sizes;

	sizes[0] = b.sizes[0];
	View to = make_view(sizes, type);
	multiply(to, a, b);
	return to;
}

void store_product(const at::Tensor &out, const View &a, const View &b)
{
	View to = view(out);

	if (to.dense() && to.type == a.type)
		return multiply(to, a, b);
	cast_view(to, product(a, b, a.type));
}

/* Of so many products at most; the matrix engines do not have integers. */
const int64_t most_products = 1 << 22;

/* Sums of products of integers along @dim, all of which are in memory before. */
at::Tensor integer_product(const at::Tensor &a, const at::Tensor &b, int64_t dim)
{
	compute_type(a.scalar_type(), 0);
	if (a.numel() * b.numel() / std::max<int64_t>(b.size(dim), 1) > most_products)
		throw Unsupported("large products of matrices of integers");
	return at::sum(at::mul(a, b), dim, /*keepdim=*/false, a.scalar_type());
}

bool is_integer(const at::Tensor &t)
{
	return held(t.scalar_type()) == Held::I32;
}

/* (self, other, out): mm, bmm */
void mm(Call &c)
{
	const at::Tensor &a = c.tensor(0), &b = c.tensor(1), &out = c.out();

	if (is_integer(a)) {
		at::Tensor found = integer_product(a.unsqueeze(-1), b.unsqueeze(-3), -2);

		output(out, view(found).sizes);
		copy_view(view(out), view(found));
		return c.give(out);
	}
	View x = view(a), y = view(b);
	Dims sizes = x.sizes;

	matrix_type(a);
	sizes[0] = y.sizes[0];
	output(out, sizes);
	store_product(out, x, y);
	c.give(out);
}

/* beta self + alpha product */
void add_scaled(const at::Tensor &out, const at::Tensor &self, View product, double beta,
		double alpha)
{
	View to = view(out);
	Held t = product.type;

	if (alpha != 1)
		product = pointwise("mul_scalar", t, { product }, f32_bits(alpha));
	if (beta == 0)
		return cast_view(to, product);
	View added = input(self, t);
	if (beta != 1)
		added = pointwise("mul_scalar", t, { added }, f32_bits(beta));
	pointwise("add", t, t, to, { product, added });
}

/* (self, a, b, beta, alpha, out): addmm, baddbmm */
void addmm(Call &c)
{
	const at::Tensor &a = c.tensor(1), &b = c.tensor(2), &out = c.out();
	Held t = matrix_type(a);
	Dims sizes = view(a).sizes;

	sizes[0] = b.size(-1);
	output(out, sizes);
	if (out.numel())
		add_scaled(out, c.tensor(0), product(view(a), view(b), t),
			   c.scalar(3).to<double>(), c.scalar(4).to<double>());
	c.give(out);
}

/* (self, matrix, vector, beta, alpha, out) */
void addmv(Call &c)
{
	const at::Tensor &a = c.tensor(1), &out = c.out();
	Held t = matrix_type(a);

	output(out, { a.size(0) });
	if (out.numel()) {
		View column = unsqueeze(view(c.tensor(2)), 0);
		View p = product(view(a), column, t);

		add_scaled(out, c.tensor(0), reshape(p, { p.numel() }), c.scalar(3).to<double>(),
			   c.scalar(4).to<double>());
	}
	c.give(out);
}

/* (self, a, b, beta, alpha): the sum of the products of all matrices. */
void addbmm(Call &c)
{
	const at::Tensor &self = c.tensor(0), &a = c.tensor(1), &b = c.tensor(2);
	Held t = matrix_type(a);

	if (!a.numel() || !b.numel())
		throw Unsupported("products of nothing");
	at::Tensor wide = a.permute({ 1, 0, 2 }).reshape({ a.size(1), -1 });
	at::Tensor high = b.reshape({ -1, b.size(2) });
	at::Tensor out = empty({ a.size(1), b.size(2) }, self.scalar_type());
	add_scaled(out, self, product(view(wide), view(high), t), c.scalar(3).to<double>(),
		   c.scalar(4).to<double>());
	c.give(out);
}

void dot(Call &c)
{
	const at::Tensor &a = c.tensor(0), &b = c.tensor(1);

	TORCH_CHECK(a.dim() == 1 && b.dim() == 1 && a.numel() == b.numel() &&
		    a.scalar_type() == b.scalar_type(),
		    "1D tensors of one size and type expected, but got ", a.sizes(), " of ",
		    a.scalar_type(), " and ", b.sizes(), " of ", b.scalar_type());
	if (is_integer(a))
		return c.give(integer_product(a, b, 0));
	matrix_type(a);
	at::Tensor out = empty({}, a.scalar_type());
	View to = reshape(view(out), { 1, 1 });
	multiply(to, unsqueeze(view(a), 1), unsqueeze(view(b), 0));
	c.give(out);
}

const Entry table[] = {
	{ "mm.out", mm },
	{ "bmm.out", mm },
	{ "addmm.out", addmm },
	{ "baddbmm.out", addmm },
	{ "addmv.out", addmv },
	{ "addbmm", addbmm },
	{ "dot", dot },
	{ "vdot", dot },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
