// SPDX-License-Identifier: MIT
/* Layers of networks: normalisations, losses by labels, embeddings, pooling. */
#include "../../launch/outside.h"
#include "../../op/copy.h"
#include "../../op/index.h"
#include "../../op/reduce.h"

namespace torch_gaudi {
namespace {

/* A float32 or bf16 that kernels compute with. */
Held real_type(const at::Tensor &t)
{
	Held h = compute_type(t.scalar_type(), 0);

	if (h == Held::I32)
		throw Unsupported("of integers");
	return h;
}

/* Rows of the last dims, which @normalized counts elements of. */
View as_rows(const at::Tensor &t, Held type, int64_t normalized)
{
	View v = dense(cast(view(t), type));

	return reshape(v, { normalized, v.numel() / normalized });
}

View weight_or(const at::Tensor &t, int64_t size, Held type, double value)
{
	return t.defined() ? reshape(dense(cast(view(t), type)), { size }) :
			     filled({ size }, type, value);
}

int64_t product_of(const std::vector<int64_t> &sizes)
{
	int64_t n = 1;

	for (int64_t s : sizes)
		n *= s;
	return n;
}

/* (input, sizes, weight, bias, epsilon) */
void layer_norm(Call &c)
{
	const at::Tensor &input = c.tensor(0);
	std::vector<int64_t> sizes = c.ints(1), stats = input.sizes().vec();
	Held t = real_type(input);
	int64_t n = product_of(sizes);

	TORCH_CHECK(sizes.size() <= stats.size() &&
		    std::equal(sizes.rbegin(), sizes.rend(), stats.rbegin()),
		    "Given normalized_shape=", sizes, ", expected input with these sizes at its end, "
		    "but got input of size ", input.sizes());
	if (!n)
		throw Unsupported("of nothing");
	for (size_t i = stats.size() - sizes.size(); i < stats.size(); i++)
		stats[i] = 1;
	View x = as_rows(input, t, n);
	int64_t rows = x.sizes[1];
	at::Tensor out = empty(input.sizes(), input.scalar_type());
	View mean = make_view({ 1, rows }, Held::F32), rstd = make_view({ 1, rows }, Held::F32);
	if (rows)
		Launch("layer_norm", t).read(x).read(weight_or(c.maybe_tensor(2), n, t, 1))
		.read(weight_or(c.maybe_tensor(3), n, t, 0)).write(reshape(view(out), x.sizes))
		.write(mean).write(rstd).scalar(c.scalar(4).to<double>()).run();
	c.give(out);
	c.give(mean.tensor.view(stats));
	c.give(rstd.tensor.view(stats));
}

at::Tensor as_tensor(const View &v, const at::Tensor &like)
{
	at::Tensor out = empty(like.sizes(), like.scalar_type());

	cast_view(view(out), reshape(v, view(out).sizes));
	return out;
}

/* (gradient, input, sizes, mean, rstd, weight, bias, wanted) */
void layer_norm_backward(Call &c)
{
	const at::Tensor &input = c.tensor(1);
	at::Tensor weight = c.maybe_tensor(5), bias = c.maybe_tensor(6);
	std::array<bool, 3> wanted = c.mask(7);
	int64_t n = product_of(c.ints(2));
	Held t = real_type(input);

	if (!n)
		throw Unsupported("of nothing");
	View x = as_rows(input, t, n), g = as_rows(c.tensor(0), t, n);
	View mean = as_rows(c.tensor(3), Held::F32, 1), rstd = as_rows(c.tensor(4), Held::F32, 1);
	View out = make_view(x.sizes, t), xhat = make_view(x.sizes, t);
	if (x.numel())
		Launch("layer_norm_grad", t).read(x).read(weight_or(weight, n, t, 1)).read(g).read(mean)
		.read(rstd).write(out).write(xhat).run();
	c.give(wanted[0] ? as_tensor(out, input) : at::Tensor());
	c.give(wanted[1] && weight.defined() ?
	       as_tensor(sum_view(cast(xhat, Held::F32), { false, true }), weight) : at::Tensor());
	c.give(wanted[2] && bias.defined() ?
	       as_tensor(sum_view(cast(g, Held::F32), { false, true }), bias) : at::Tensor());
}

struct Labels {
	View index;	/* i32 (1, rows): the element of the row; -1: none */
	View share;	/* f32 (rows): what the row counts: a class's weight, 1, or 0 */
};

Labels labels_of(const at::Tensor &target, const at::Tensor &weight, int64_t classes,
		 int64_t ignored)
{
	const Held i = Held::I32, f = Held::F32;
	int64_t rows = target.numel();
	Labels out;

	out.index = index_of(target);
	View counts = make_view({ 1, rows }, i);
	pointwise("ne_scalar", i, i, counts, { out.index }, scalar_bits(ignored, i));
	if (ignored >= 0 && ignored < classes) {
		View next = pointwise("add_scalar", i, { out.index }, scalar_bits(1, i));

		next = pointwise("mul", i, { next, counts });
		out.index = pointwise("sub_scalar", i, { next }, scalar_bits(1, i));
	}
	out.share = cast(counts, f);
	if (weight.defined()) {
		out.share = make_view({ 1, rows }, f);
		Launch("gather", f).read(reshape(dense(cast(view(weight), f)), { 1, classes }))
			.read(out.index).write(out.share).run();
	}
	out.share = reshape(out.share, { rows });
	return out;
}

enum Reduce { NONE, MEAN, SUM };

/* (self, target, weight, reduction, ignore_index, output, total_weight) */
void nll_loss(Call &c)
{
	const at::Tensor &self = c.tensor(0), &target = c.tensor(1);
	const at::Tensor &output = c.out(1), &total = c.out(0);
	int64_t reduction = c.integer(3), classes = self.size(-1);
	Held t = real_type(self);

	if (!self.numel())
		throw Unsupported("nothing");
	check_index(index_of(target), 0, classes, c.integer(4));
	Labels labels = labels_of(target, c.maybe_tensor(2), classes, c.integer(4));
	int64_t rows = target.numel();
	View picked = make_view({ 1, rows }, t);
	Launch("gather_elements", t).read(reshape(dense(view(self)), { classes, rows }))
		.read(labels.index).write(picked).run();
	View loss = pointwise("mul_scalar", Held::F32, { reshape(picked, { rows }) }, f32_bits(-1));
	if (c.maybe_tensor(2).defined())
		loss = pointwise("mul", Held::F32, { loss, labels.share });
	View count = sum_view(labels.share, { true });
	if (reduction != NONE)
		loss = sum_view(loss, { true });
	if (reduction == MEAN)
		loss = pointwise("div", Held::F32, { loss, count });
	cast_view(view(output), reshape(loss, view(output).sizes));
	if (reduction == NONE)
		fill_view(view(total), 0);
	else
		cast_view(view(total), reshape(count, view(total).sizes));
	c.give(output);
	c.give(total);
}

/* (gradient, self, target, weight, reduction, ignore_index, total_weight, grad_input) */
void nll_loss_backward(Call &c)
{
	const at::Tensor &self = c.tensor(1), &target = c.tensor(2), &out = c.out();
	int64_t classes = self.size(-1), rows = target.numel();
	const Held f = Held::F32;

	if (!self.numel())
		throw Unsupported("nothing");
	real_type(self);
	Labels labels = labels_of(target, c.maybe_tensor(3), classes, c.integer(5));
	View g = cast(view(c.tensor(0)), f);
	if (c.integer(4) == MEAN)
		g = pointwise("div", f, { g, cast(view(c.tensor(6)), f) });
	g = pointwise("mul_scalar", f, { g }, f32_bits(-1));
	View each = dense(expand(reshape(dense(g), { g.numel() }), { rows }));
	if (c.maybe_tensor(3).defined())
		each = pointwise("mul", f, { each, labels.share });
	View table = filled({ classes, rows }, f, 0);
	Launch("scatter_elements", f).read(reshape(each, { 1, rows }))
		.read(labels.index).update(table).run();
	cast_view(view(out), reshape(table, view(out).sizes));
	c.give(out);
}

/* Along a dim, by way of rows of what is behind it. */
at::Tensor select(const at::Tensor &self, int64_t dim, const at::Tensor &index)
{
	std::vector<int64_t> sizes;

	if (index.dim() > 1 || !self.dim() || (index.numel() && !self.size(dim)))
		throw Unsupported("such an index");
	at::Tensor front = self.movedim(dim, 0);
	sizes = front.sizes().vec();
	sizes[0] = index.numel();
	at::Tensor out = empty(sizes, self.scalar_type());
	if (!out.numel())
		return out.movedim(0, dim).contiguous();
	View table = dense(view(front));
	table.type = moved_type(self);
	int64_t rows = self.size(dim), row = table.numel() / rows;
	View to = view(out), numbers = index_of(index);
	to.type = table.type;
	check_index(numbers, 0, rows);
	Launch("gather", table.type).read(reshape(table, { row, rows })).read(numbers)
		.write(reshape(to, { row, index.numel() })).run();
	return out.movedim(0, dim).contiguous();
}

/* (self, dim, index) */
void index_select(Call &c)
{
	const at::Tensor &self = c.tensor(0);

	c.give(select(self, c10::maybe_wrap_dim(c.integer(1), self.dim()), c.tensor(2)));
}

/* (weight, indices, padding_idx, scale_grad_by_freq, sparse) */
void embedding(Call &c)
{
	const at::Tensor &weight = c.tensor(0), &indices = c.tensor(1);
	std::vector<int64_t> sizes = indices.sizes().vec();

	TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
	sizes.push_back(weight.size(1));
	c.give(select(weight, 0, indices.reshape({ -1 })).view(sizes));
}

/* (gradient, indices, count, padding_idx, scale_grad_by_freq) */
void embedding_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &indices = c.tensor(1);
	int64_t count = c.integer(2), padding = c.integer(3), row = g.size(-1);
	Held t = real_type(g);

	if (c[4].toBool())
		throw Unsupported("gradients that are scaled by frequency");
	View table = filled({ row, count }, Held::F32, 0);
	if (g.numel())
		Launch("scatter_add", t).read(reshape(dense(view(g)), { row, indices.numel() }))
			.read(index_of(indices)).update(table).run();
	at::Tensor out = empty({ count, row }, g.scalar_type());
	cast_view(view(out), table);
	if (padding >= 0 && padding < count)
		out.select(0, padding).zero_();
	c.give(out);
}

/* (self, dims): along each by rows in the other order. */
void flip(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	at::Tensor out = self;

	moved_type(self);
	if (!self.numel() || !self.dim())
		throw Unsupported("nothing to flip");
	Trusted trusted;
	for (int64_t dim : c.ints(1)) {
		int64_t n = self.size(dim);
		View back = make_view({ n }, Held::I32);

		Launch("arange", Held::I32).write(back).bits((uint32_t)(n - 1))
			.bits(scalar_bits(-1, Held::I32)).run();
		out = select(out, dim, back.tensor);
	}
	c.give(out.is_same(self) ? self.clone() : out);
}

/* Of whole numbers: elements of rows, whose numbers are the same for each. */
void index_add_whole(Call &c)
{
	const at::Tensor &self = c.tensor(0), &index = c.tensor(2), &out = c.out();
	int64_t dim = c10::maybe_wrap_dim(c.integer(1), self.dim()), count = index.numel();
	View given = dense(view(c.tensor(3).movedim(dim, -1)));
	int64_t columns = self.size(dim), rows = self.numel() / columns;
	View table = make_view({ columns, rows }, Held::I32), numbers = index_of(index);

	check_index(numbers, 0, columns);
	if (c.scalar(4).to<int64_t>() != 1)
		given = pointwise("mul_scalar", Held::I32, { given }, scalar_bits(c.scalar(4), Held::I32));
	View from = view(self.movedim(dim, -1));
	copy_view(reshape(table, from.sizes), from);
	Launch("scatter_add_elements", Held::I32).read(reshape(given, { count, rows }))
		.read(expand(reshape(numbers, { count, 1 }), { count, rows })).update(table).run();
	output(out, view(self).sizes);
	copy_view(view(out.movedim(dim, -1)), reshape(table, from.sizes));
	c.give(out);
}

/* (self, dim, index, source, alpha, out) */
void index_add(Call &c)
{
	const at::Tensor &self = c.tensor(0), &index = c.tensor(2), &out = c.out();
	Held t = compute_type(self.scalar_type(), 0);

	if (!self.dim())
		throw Unsupported("nothing to add to");
	if (!self.numel() || !index.numel()) {
		output(out, view(self).sizes);
		torch_gaudi::copy(out, self, false);
		c.give(out);
		return;
	}
	if (t == Held::I32)
		return index_add_whole(c);
	int64_t dim = c10::maybe_wrap_dim(c.integer(1), self.dim());
	at::Tensor source = c.tensor(3).movedim(dim, 0), front = self.movedim(dim, 0);
	int64_t rows = front.size(0), row = self.numel() / rows;
	View table = make_view(view(front).sizes, Held::F32), added = dense(view(source));
	cast_view(table, view(front));
	if (c.scalar(4).to<double>() != 1)
		added = pointwise("mul_scalar", t, { added }, scalar_bits(c.scalar(4), t));
	View numbers = index_of(index);
	check_index(numbers, 0, rows);
	Launch("scatter_add", t).read(reshape(added, { row, index.numel() }))
		.read(numbers).update(reshape(table, { row, rows })).run();
	output(out, view(self).sizes);
	cast_view(view(out.movedim(dim, 0)), table);
	c.give(out);
}

/* As PyTorch says it, which does not look where out= is given. */
void check_beside(const at::Tensor &first, const at::Tensor &t, int64_t dim, size_t number)
{
	TORCH_CHECK(t.dim() == first.dim(), "Tensors must have same number of dimensions: got ",
		    first.dim(), " and ", t.dim());
	for (int64_t d = 0; d < t.dim(); d++)
		TORCH_CHECK(d == dim || t.size(d) == first.size(d), "Sizes of tensors must match "
			    "except in dimension ", dim, ". Expected size ", first.size(d),
			    " but got size ", t.size(d), " for tensor number ", number,
			    " in the list.");
}

/* (tensors, dim, out) */
void cat(Call &c)
{
	const at::Tensor &out = c.out();
	std::vector<at::Tensor> parts;
	int64_t at = 0, dim = 0;

	/* All before one is copied, as PyTorch does it. */
	for (const at::Tensor &t : c[0].toTensorVector()) {
		require_here(t);
		if (t.dim() != 1 || t.size(0) != 0)
			parts.push_back(t);
	}
	if (!parts.empty()) {
		Dims sizes = view(parts[0]).sizes;

		dim = c10::maybe_wrap_dim(c.integer(1), parts[0].dim());
		for (size_t i = 1; i < parts.size(); i++) {
			check_beside(parts[0], parts[i], dim, i);
			sizes[sizes.size() - 1 - dim] += parts[i].size(dim);
		}
		output(out, sizes);
	}
	for (const at::Tensor &t : parts) {
		torch_gaudi::copy(out.narrow(dim, at, t.size(dim)), t, false);
		at += t.size(dim);
	}
	c.give(out);
}

const Entry table[] = {
	{ "native_layer_norm", layer_norm },
	{ "native_layer_norm_backward", layer_norm_backward },
	{ "nll_loss_forward.output", nll_loss },
	{ "nll_loss_backward.grad_input", nll_loss_backward },
	{ "index_select", index_select },
	{ "embedding", embedding },
	{ "embedding_dense_backward", embedding_backward },
	{ "flip", flip },
	{ "index_add.out", index_add },
	{ "cat.out", cat },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
