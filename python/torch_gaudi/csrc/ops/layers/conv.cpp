// SPDX-License-Identifier: MIT
/*
 * Convolutions. The matrix engines want channels as the inner dim, so that tensors go there
 * and back; those in the format channels_last are there already.
 */
#include <ATen/ATen.h>

#include "../../op/fallback.h"
#include "../../op/op.h"
#include "../../op/reduce.h"

namespace torch_gaudi {
namespace {

struct Conv {
	std::vector<int64_t> stride, padding, dilation;
	bool transposed;
	std::vector<int64_t> output_padding;
	int64_t groups;
};

Conv conv_of(const Call &c, size_t first)
{
	return { c.ints(first), c.ints(first + 1), c.ints(first + 2), c[first + 3].toBool(),
		 c.ints(first + 4), c.integer(first + 5) };
}

/* (width, height, in, out) as the engine has filters: out first. */
View filter_of(const View &v)
{
	return dense(permute(v, { 3, 2, 0, 1 }));
}

using AddConv = decltype(&gaudi_builder_add_conv2d);

/* One node: @to is written, from @a and @b. */
void run(const char *name, AddConv add, const Conv &conv, const View &to, const View &a,
	 const View &b)
{
	gaudi_conv2d desc = {};
	Launch launch(name, Held::NONE);

	desc.size = sizeof(desc);
	for (int i = 0; i < 2; i++) {
		if (std::max({ conv.stride[i], conv.padding[i], conv.dilation[i] }) >
		    (int64_t)GAUDI_CONV_MAX)
			throw Unsupported("a convolution with such steps");
		desc.stride[i] = conv.stride[i];
		desc.padding[i] = conv.padding[i];
		desc.dilation[i] = conv.dilation[i];
		launch.bits(desc.stride[i]).bits(desc.padding[i]).bits(desc.dilation[i]);
	}
	desc.groups = conv.groups;
	launch.bits(desc.groups);
	launch.write(to).read(a).read(b).run(
		[&](gaudi_builder *builder, const uint32_t *t) {
			return add(builder, t[0], t[1], t[2], &desc, 0, nullptr);
		});
}

void check_rank(const at::Tensor &input, const Conv &conv)
{
	if (input.dim() != 4 || conv.stride.size() != 2)
		throw Unsupported("a convolution that has not two dims");
	if (compute_type(input.scalar_type(), 0) == Held::I32)
		throw Unsupported("a convolution of integers");
}

int64_t output_size(const Conv &c, int i, int64_t in, int64_t filter)
{
	int64_t span = c.dilation[i] * (filter - 1) + 1;

	if (c.transposed)
		return (in - 1) * c.stride[i] - 2 * c.padding[i] + span + c.output_padding[i];
	return (in + 2 * c.padding[i] - span) / c.stride[i] + 1;
}

at::Tensor forward(const at::Tensor &input, const at::Tensor &weight, const at::Tensor &bias,
		   const Conv &conv)
{
	check_rank(input, conv);
	int64_t channels = conv.transposed ? weight.size(1) * conv.groups : weight.size(0);
	int64_t height = output_size(conv, 0, input.size(2), weight.size(2));
	int64_t width = output_size(conv, 1, input.size(3), weight.size(3));

	TORCH_CHECK(height > 0 && width > 0, "Calculated output size (", height, " x ", width,
		    ") is too small: the filter is larger than the input");
	View x = dense(channels_first(view(input))), w = filter_of(view(weight));
	View y = make_view({ channels, width, height, input.size(0) }, x.type);
	if (y.numel() && x.numel()) {
		if (conv.transposed)
			run("conv_transpose", gaudi_builder_add_conv2d_data, conv, y, x, w);
		else
			run("conv", gaudi_builder_add_conv2d, conv, y, x, w);
	} else {
		fill_view(y, 0);
	}
	if (bias.defined())
		pointwise("add", y.type, y.type, y, { y, view(bias) });
	View back = channels_back(y);
	if (input.suggest_memory_format() == c10::MemoryFormat::ChannelsLast)
		return y.tensor.permute({ 0, 3, 1, 2 });
	at::Tensor out = empty({ input.size(0), channels, height, width }, input.scalar_type());
	copy_view(view(out), back);
	return out;
}

/* As @like, of channels_first(). */
View like(const at::Tensor &t)
{
	View v = view(t);

	return make_view(channels_first(v).sizes, v.type);
}

std::array<at::Tensor, 3> backward(const at::Tensor &grad, const at::Tensor &input,
				   const at::Tensor &weight, const Conv &conv,
				   const std::array<bool, 3> &wanted)
{
	std::array<at::Tensor, 3> out;

	check_rank(input, conv);
	View g = dense(channels_first(view(grad)));
	if (!g.numel() || !input.numel())
		throw Unsupported("a convolution of nothing");
	if (wanted[0]) {
		View dx = like(input), w = filter_of(view(weight));

		if (conv.transposed)
			run("conv", gaudi_builder_add_conv2d, conv, dx, g, w);
		else
			run("conv_transpose", gaudi_builder_add_conv2d_data, conv, dx, g, w);
		out[0] = empty(input.sizes(), input.scalar_type());
		copy_view(view(out[0]), channels_back(dx));
	}
	if (wanted[1]) {
		View x = dense(channels_first(view(input)));
		View dw = make_view(permute(view(weight), { 3, 2, 0, 1 }).sizes, x.type);

		run("conv_weights", gaudi_builder_add_conv2d_weights, conv, dw,
		    conv.transposed ? g : x, conv.transposed ? x : g);
		out[1] = empty(weight.sizes(), weight.scalar_type());
		copy_view(view(out[1]), permute(dw, { 2, 3, 1, 0 }));
	}
	if (wanted[2]) {
		View sum = sum_view(cast(g, Held::F32), { false, true, true, true });

		out[2] = empty({ grad.size(1) }, grad.scalar_type());
		cast_view(view(out[2]), reshape(sum, { grad.size(1) }));
	}
	return out;
}

/* The two last dims of what three have, for a part of the filter at each depth. */
Conv inner(const Conv &conv)
{
	Conv two = conv;

	for (std::vector<int64_t> *v : { &two.stride, &two.padding, &two.dilation,
					 &two.output_padding })
		v->erase(v->begin());
	return two;
}

bool has_depth(const at::Tensor &input, const Conv &conv)
{
	return input.dim() == 5 && conv.stride.size() == 3;
}

/* (images, channels, depth, height, width) as images of each depth, and back. */
at::Tensor flat_depth(const at::Tensor &t)
{
	return t.transpose(1, 2).flatten(0, 1);
}

at::Tensor deep(const at::Tensor &t, int64_t images)
{
	return t.view({ images, t.size(0) / images, t.size(1), t.size(2), t.size(3) })
		.transpose(1, 2);
}

/*
 * Of the side of a convolution that steps, the depths that meet those of the other side, at depth
 * @k of the filter; @count: how many the other one has.
 */
at::Tensor met(const at::Tensor &padded, const Conv &conv, int64_t k, int64_t count)
{
	int64_t first = k * conv.dilation[0], step = conv.stride[0];

	return padded.slice(2, first, first + (count - 1) * step + 1, step);
}

at::Tensor with_depth(const at::Tensor &t, int64_t before, int64_t behind)
{
	return before || behind ? at::constant_pad_nd(t, { 0, 0, 0, 0, before, behind }, 0) : t;
}

/* Sums over the filter's depth, in f32. */
at::Tensor forward_deep(const at::Tensor &input, const at::Tensor &weight,
			const at::Tensor &bias, const Conv &conv)
{
	int64_t depth = output_size(conv, 0, input.size(2), weight.size(2)), images = input.size(0);
	int64_t pad = conv.padding[0];
	Conv two = inner(conv);
	at::Tensor sum, x = conv.transposed ? flat_depth(input) : with_depth(input, pad, pad);

	TORCH_CHECK(depth > 0, "Calculated output depth ", depth,
		    " is too small: the filter is larger than the input");
	for (int64_t k = 0; k < weight.size(2); k++) {
		at::Tensor part = conv.transposed ? x : flat_depth(met(x, conv, k, depth));
		at::Tensor y = deep(forward(part, weight.select(2, k).contiguous(), {}, two),
				    images).to(at::kFloat);

		if (!conv.transposed) {
			sum = sum.defined() ? sum.add_(y) : y.clone();
			continue;
		}
		if (!sum.defined())
			sum = at::zeros({ images, y.size(1), depth + 2 * pad, y.size(3), y.size(4) },
					y.options());
		met(sum, conv, k, input.size(2)).add_(y);
	}
	if (conv.transposed)
		sum = sum.narrow(2, pad, depth);
	if (bias.defined())
		sum = sum.add(bias.view({ -1, 1, 1, 1 }));
	return sum.to(input.scalar_type()).contiguous();
}

std::array<at::Tensor, 3> backward_deep(const at::Tensor &grad, const at::Tensor &input,
					const at::Tensor &weight, const Conv &conv,
					const std::array<bool, 3> &wanted)
{
	int64_t pad = conv.padding[0], images = input.size(0);
	/* Of the other side. */
	int64_t count = conv.transposed ? input.size(2) : grad.size(2);
	Conv two = inner(conv);
	at::Tensor stepping = with_depth(conv.transposed ? grad : input, pad, pad);
	at::Tensor dx = at::zeros(conv.transposed ? input.sizes() : stepping.sizes(),
				  input.options().dtype(at::kFloat));
	std::vector<at::Tensor> dw;
	std::array<at::Tensor, 3> out;

	for (int64_t k = 0; k < weight.size(2) && (wanted[0] || wanted[1]); k++) {
		at::Tensor part = flat_depth(met(stepping, conv, k, count));
		at::Tensor w = weight.select(2, k).contiguous();
		std::array<at::Tensor, 3> made = conv.transposed ?
			backward(part, flat_depth(input), w, two, { wanted[0], wanted[1], false }) :
			backward(flat_depth(grad), part, w, two, { wanted[0], wanted[1], false });

		if (wanted[0]) {
			at::Tensor share = deep(made[0], images).to(at::kFloat);

			(conv.transposed ? dx : met(dx, conv, k, count)).add_(share);
		}
		if (wanted[1])
			dw.push_back(made[1]);
	}
	if (wanted[0]) {
		dx = conv.transposed ? dx : dx.narrow(2, pad, input.size(2));
		out[0] = dx.to(input.scalar_type()).contiguous();
	}
	if (wanted[1])
		out[1] = at::stack(dw, 2);
	if (wanted[2])
		out[2] = grad.sum({ 0, 2, 3, 4 });
	return out;
}

at::Tensor on_host(const at::Tensor &t)
{
	return t.defined() ? t.cpu() : t;
}

/* (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups) */
void convolution(Call &c)
{
	const at::Tensor &input = c.tensor(0), &weight = c.tensor(1);
	at::Tensor bias = c.maybe_tensor(2);
	Conv conv = conv_of(c, 3);

	try {
		c.give(has_depth(input, conv) ? forward_deep(input, weight, bias, conv) :
						forward(input, weight, bias, conv));
	} catch (const Unsupported &why) {
		/* The CPU has no operator of this name, so boxed it would fail. */
		note_fallback("aten::convolution_overrideable", why.what());
		c.give(at::convolution(on_host(input), on_host(weight), on_host(bias), conv.stride,
				       conv.padding, conv.dilation, conv.transposed,
				       conv.output_padding, conv.groups).to(input.device()));
	}
}

/* (grad, input, weight, stride, ..., groups, wanted) */
void convolution_backward(Call &c)
{
	const at::Tensor &grad = c.tensor(0), &input = c.tensor(1), &weight = c.tensor(2);
	Conv conv = conv_of(c, 3);
	std::array<bool, 3> wanted = c.mask(9);

	try {
		auto *run_backward = has_depth(input, conv) ? backward_deep : backward;

		for (at::Tensor &t : run_backward(grad, input, weight, conv, wanted))
			c.give(t);
		return;
	} catch (const Unsupported &why) {
		note_fallback("aten::convolution_backward_overrideable", why.what());
	}
	auto made = at::convolution_backward(on_host(grad), on_host(input), on_host(weight),
					     c10::IntArrayRef({ grad.size(1) }), conv.stride,
					     conv.padding, conv.dilation, conv.transposed,
					     conv.output_padding, conv.groups, wanted);
	for (const at::Tensor &t : { std::get<0>(made), std::get<1>(made), std::get<2>(made) })
		c.give(t.defined() ? t.to(input.device()) : t);
}

const Entry table[] = {
	{ "convolution_overrideable", convolution },
	{ "convolution_backward_overrideable", convolution_backward },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
