// SPDX-License-Identifier: MIT
/* Pooling, with channels as the inner dim; and normalisation of batches. */
#include <ATen/ops/zeros.h>

#include "op.h"
#include "reduce.h"

namespace torch_gaudi {
namespace {

struct Window {
	int64_t kernel[2], stride[2], padding[2];	/* down, right */
};

/* Arguments from @first on: sizes, steps (none: as the sizes), padding. */
Window window_of(const Call &c, size_t first)
{
	Window w;

	for (int i = 0; i < 2; i++) {
		std::vector<int64_t> k = c.ints(first), s = c.ints(first + 1), p = c.ints(first + 2);

		if (s.empty())
			s = k;
		w.kernel[i] = k[k.size() > 1 ? i : 0];
		w.stride[i] = s[s.size() > 1 ? i : 0];
		w.padding[i] = p[p.size() > 1 ? i : 0];
	}
	return w;
}

/* Width, height, step right and down, padding left and above, as kernels have them. */
Launch &window_scalars(Launch &launch, const Window &w)
{
	return launch.bits(w.kernel[1]).bits(w.kernel[0]).bits(w.stride[1]).bits(w.stride[0])
		.bits(w.padding[1]).bits(w.padding[0]);
}

/* Memory for a result as @t, with the channels first. */
View like(const at::Tensor &t, Held type)
{
	return make_view(channels_first(view(t)).sizes, type);
}

void store_back(const at::Tensor &out, const View &v)
{
	View to = view(out);

	if (to.rank() == 3)
		to = unsqueeze(to, 3);
	cast_view(to, channels_back(v));
}

Held pool_type(const at::Tensor &t)
{
	Held h = compute_type(t.scalar_type(), 0);

	if (h == Held::I32 || !t.numel() || t.dim() < 3)
		throw Unsupported("pooling of this");
	return h;
}

void check_dilation(const Call &c, size_t i)
{
	for (int64_t d : c.ints(i))
		if (d != 1)
			throw Unsupported("pooling with gaps");
}

/* (self, kernel, stride, padding, dilation, ceil_mode, out, indices) */
void max_pool(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out(1), &indices = c.out(0);
	Held t = pool_type(self);

	check_dilation(c, 4);
	View to = like(out, t), at = like(indices, Held::I32);
	Launch launch("max_pool", t);
	launch.read(dense(channels_first(view(self)))).write(to).write(at);
	window_scalars(launch, window_of(c, 1)).run();
	store_back(out, to);
	store_back(indices, at);
	c.give(out);
	c.give(indices);
}

/* (gradient, self, kernel, stride, padding, dilation, ceil_mode, indices, grad_input) */
void max_pool_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &out = c.out();
	Held t = pool_type(g);

	check_dilation(c, 5);
	View to = like(out, t);
	Launch launch("max_pool_grad", t);
	launch.read(dense(channels_first(view(g)))).read(dense(channels_first(view(c.tensor(7))))).write(to);
	window_scalars(launch, window_of(c, 2)).run();
	store_back(out, to);
	c.give(out);
}

/*
 * What PyTorch divides by, where a window's end is beyond the padding: less than the whole.
 * The kernel divides by the whole.
 */
void check_means(const Window &w, const at::Tensor &in, const at::Tensor &out, bool outside)
{
	for (int i = 0; i < 2; i++) {
		int64_t end = (out.size(i - 2) - 1) * w.stride[i] + w.kernel[i];

		if (outside && end > in.size(i - 2) + 2 * w.padding[i])
			throw Unsupported("means of windows beyond the padding");
	}
}

/* The result of a call: @kernel of windows of @from; what is outside counts as 0, or not. */
void give_means(Call &c, const char *kernel, Held t, const at::Tensor &from,
		const at::Tensor &out, const Window &w, bool outside)
{
	View to = like(out, t);
	Launch launch(kernel, t);

	launch.read(dense(channels_first(view(from)))).write(to);
	window_scalars(launch, w).bits(outside).run();
	store_back(out, to);
	c.give(out);
}

/* (self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override, out) */
void avg_pool(Call &c)
{
	const at::Tensor &self = c.tensor(0), &out = c.out();
	Window w = window_of(c, 1);
	bool outside = c[5].toBool();
	Held t = pool_type(self);

	if (!c[6].isNone())
		throw Unsupported("a divisor of its own");
	check_means(w, self, out, outside);
	give_means(c, "avg_pool", t, self, out, w, outside);
}

/* (gradient, self, kernel, stride, padding, ceil_mode, count_include_pad, divisor, grad_input) */
void avg_pool_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &self = c.tensor(1), &out = c.out();
	Window w = window_of(c, 2);
	bool outside = c[6].toBool();
	Held t = pool_type(g);

	if (!c[7].isNone())
		throw Unsupported("a divisor of its own");
	check_means(w, self, g, outside);
	give_means(c, "avg_pool_grad", t, g, out, w, outside);
}

/* Whole windows that do not overlap. */
Window adaptive_window(const at::Tensor &in, const at::Tensor &out)
{
	Window w = {};

	for (int i = 0; i < 2; i++) {
		if (!out.size(i - 2) || in.size(i - 2) % out.size(i - 2))
			throw Unsupported("windows of different sizes");
		w.kernel[i] = w.stride[i] = in.size(i - 2) / out.size(i - 2);
	}
	return w;
}

/* (self, output_size) */
void adaptive_avg_pool(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	std::vector<int64_t> sizes = self.sizes().vec(), wanted = c.ints(1);
	Held t = pool_type(self);

	sizes[sizes.size() - 2] = wanted[0];
	sizes[sizes.size() - 1] = wanted[1];
	at::Tensor out = empty(sizes, self.scalar_type());
	Window w = adaptive_window(self, out);
	give_means(c, "avg_pool", t, self, out, w, true);
}

/* (gradient, self) */
void adaptive_avg_pool_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &self = c.tensor(1);
	Held t = pool_type(g);
	at::Tensor out = empty(self.sizes(), self.scalar_type());
	Window w = adaptive_window(self, g);
	give_means(c, "avg_pool_grad", t, g, out, w, true);
}

/* A tensor of (images, channels, ...) as f32, (pixels, channels, images). */
View by_channel(const at::Tensor &t)
{
	View v = dense(cast(view(t), Held::F32));
	int64_t channels = t.size(1), images = t.size(0);

	return reshape(v, { v.numel() / (channels * images), channels, images });
}

/* One number for each channel, beside by_channel(). */
View per_channel(const at::Tensor &t)
{
	return reshape(dense(cast(view(t), Held::F32)), { 1, t.numel(), 1 });
}

const std::vector<bool> not_channels = { true, false, true };

View scalar_op(const char *kernel, const View &v, double value)
{
	return pointwise(kernel, Held::F32, { v }, f32_bits(value));
}

View mean_of(const View &x)
{
	return scalar_op("div_scalar", sum_view(x, not_channels),
			 (double)(x.sizes[0] * x.sizes[2]));
}

/* 1 / sqrt(variance + epsilon) */
View inverse_deviation(const View &variance, double epsilon)
{
	View root = pointwise("sqrt", Held::F32, { scalar_op("add_scalar", variance, epsilon) });

	return scalar_op("rdiv_scalar", root, 1);
}

/* What runs along becomes (1 - momentum) of itself and @momentum of @now. */
void run_along(const at::Tensor &running, const View &now, double momentum)
{
	View old = scalar_op("mul_scalar", per_channel(running), 1 - momentum);
	View next = pointwise("add", Held::F32, { old, scalar_op("mul_scalar", now, momentum) });

	cast_view(view(running), reshape(next, { running.numel() }));
}

at::Tensor vector_of(const View &v, c10::ScalarType type)
{
	at::Tensor out = empty({ v.numel() }, type);

	cast_view(view(out), reshape(v, { v.numel() }));
	return out;
}

/* (input, weight, bias, running_mean, running_var, training, momentum, epsilon) */
void batch_norm(Call &c)
{
	const at::Tensor &input = c.tensor(0);
	at::Tensor weight = c.maybe_tensor(1), bias = c.maybe_tensor(2);
	at::Tensor mean_along = c.maybe_tensor(3), var_along = c.maybe_tensor(4);
	bool training = c[5].toBool();
	double momentum = c.scalar(6).to<double>(), epsilon = c.scalar(7).to<double>();
	const Held f = Held::F32;

	if (!input.numel()) {
		int64_t channels = training ? input.size(1) : 0;

		c.give(empty(input.sizes(), input.scalar_type()));
		for (int i = 0; i < 2; i++)
			c.give(at::zeros({ channels }, input.options().dtype(c10::kFloat)));
		return;
	}
	pool_type(input.dim() < 3 ? input.unsqueeze(-1) : input);
	View x = by_channel(input), mean, scale, off;
	if (training) {
		double count = (double)(x.sizes[0] * x.sizes[2]);

		mean = mean_of(x);
		off = pointwise("sub", f, { x, mean });
		View var = mean_of(pointwise("mul", f, { off, off }));
		scale = inverse_deviation(var, epsilon);
		if (mean_along.defined())
			run_along(mean_along, mean, momentum);
		if (var_along.defined())
			run_along(var_along, scalar_op("mul_scalar", var, count / (count - 1)),
				  momentum);
	} else {
		mean = per_channel(mean_along);
		off = pointwise("sub", f, { x, mean });
		scale = inverse_deviation(per_channel(var_along), epsilon);
	}
	View factor = weight.defined() ? pointwise("mul", f, { scale, per_channel(weight) }) : scale;
	View y = pointwise("mul", f, { off, factor });
	if (bias.defined())
		y = pointwise("add", f, { y, per_channel(bias) });
	at::Tensor out = empty(input.sizes(), input.scalar_type());
	cast_view(view(out), reshape(y, view(out).sizes));
	c.give(out);
	c.give(training ? vector_of(mean, c10::kFloat) : empty({ 0 }, c10::kFloat));
	c.give(training ? vector_of(scale, c10::kFloat) : empty({ 0 }, c10::kFloat));
}

/*
 * (gradient, input, weight, running_mean, running_var, save_mean, save_invstd, training,
 * epsilon, wanted)
 */
void batch_norm_backward(Call &c)
{
	const at::Tensor &input = c.tensor(1);
	at::Tensor weight = c.maybe_tensor(2);
	bool training = c[7].toBool();
	std::array<bool, 3> wanted = c.mask(9);
	const Held f = Held::F32;

	pool_type(input.dim() < 3 ? input.unsqueeze(-1) : input);
	View x = by_channel(input), g = by_channel(c.tensor(0));
	View mean = per_channel(c.tensor(training ? 5 : 3));
	View scale = training ? per_channel(c.tensor(6)) :
				inverse_deviation(per_channel(c.tensor(4)), c.scalar(8).to<double>());
	View off = pointwise("sub", f, { x, mean });
	View normal = pointwise("mul", f, { off, scale });
	View sum = sum_view(g, not_channels);
	View dot = sum_view(pointwise("mul", f, { g, normal }), not_channels);
	View factor = weight.defined() ? pointwise("mul", f, { scale, per_channel(weight) }) : scale;
	View dx = g;
	if (training) {
		double count = (double)(x.sizes[0] * x.sizes[2]);
		View part = pointwise("mul", f, { normal, scalar_op("div_scalar", dot, count) });

		dx = pointwise("sub", f, { g, scalar_op("div_scalar", sum, count) });
		dx = pointwise("sub", f, { dx, part });
	}
	at::Tensor out;
	if (wanted[0]) {
		out = empty(input.sizes(), input.scalar_type());
		dx = pointwise("mul", f, { dx, factor });
		cast_view(view(out), reshape(dx, view(out).sizes));
	}
	c.give(out);
	c.give(wanted[1] && weight.defined() ? vector_of(dot, weight.scalar_type()) : at::Tensor());
	c.give(wanted[2] ? vector_of(sum, weight.defined() ? weight.scalar_type() :
							      input.scalar_type()) : at::Tensor());
}

const Entry table[] = {
	{ "max_pool2d_with_indices.out", max_pool },
	{ "max_pool2d_with_indices_backward.grad_input", max_pool_backward },
	{ "avg_pool2d.out", avg_pool },
	{ "avg_pool2d_backward.grad_input", avg_pool_backward },
	{ "_adaptive_avg_pool2d", adaptive_avg_pool },
	{ "_adaptive_avg_pool2d_backward", adaptive_avg_pool_backward },
	{ "native_batch_norm", batch_norm },
	{ "native_batch_norm_backward", batch_norm_backward },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
