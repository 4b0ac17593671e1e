// SPDX-License-Identifier: MIT
/* Normalisation of batches. */
#include <ATen/ops/zeros.h>

#include "../../op/op.h"
#include "../../op/reduce.h"

namespace torch_gaudi {
namespace {

void check_type(const at::Tensor &t)
{
	if (compute_type(t.scalar_type(), 0) == Held::I32 || !t.numel())
		throw Unsupported("normalisation of this");
}

/*
 * A tensor of (images, channels, ...) as f32, (pixels, channels, images); of channels_last
 * as (1, channels, pixels and images).
 */
View by_channel(const at::Tensor &t, bool last)
{
	View v = cast(view(t), Held::F32);
	int64_t channels = t.size(1), images = t.size(0);

	if (last) {
		v = dense(channels_first(v));
		return reshape(v, { 1, channels, v.numel() / channels });
	}
	v = dense(v);
	return reshape(v, { v.numel() / (channels * images), channels, images });
}

bool is_channels_last(const at::Tensor &t)
{
	return t.dim() == 4 && t.is_contiguous(c10::MemoryFormat::ChannelsLast) &&
	       !t.is_contiguous();
}

/* Of the sizes and format of @like, from by_channel()'s. */
at::Tensor from_channels(const View &v, const at::Tensor &like, bool last)
{
	at::Tensor out = last ? empty({ like.size(0), like.size(2), like.size(3), like.size(1) },
				      like.scalar_type()) :
				empty(like.sizes(), like.scalar_type());

	cast_view(view(out), reshape(v, view(out).sizes));
	return last ? out.permute({ 0, 3, 1, 2 }) : out;
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
	check_type(input);
	bool last = is_channels_last(input);
	View x = by_channel(input, last), mean, scale, off;
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
	c.give(from_channels(y, input, last));
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

	check_type(input);
	bool last = is_channels_last(input);
	View x = by_channel(input, last), g = by_channel(c.tensor(0), last);
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
	if (wanted[0])
		out = from_channels(pointwise("mul", f, { dx, factor }), input, last);
	c.give(out);
	c.give(wanted[1] && weight.defined() ? vector_of(dot, weight.scalar_type()) : at::Tensor());
	c.give(wanted[2] ? vector_of(sum, weight.defined() ? weight.scalar_type() :
							      input.scalar_type()) : at::Tensor());
}

const Entry table[] = {
	{ "native_batch_norm", batch_norm },
	{ "native_batch_norm_backward", batch_norm_backward },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
