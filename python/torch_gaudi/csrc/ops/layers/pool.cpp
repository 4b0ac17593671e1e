// SPDX-License-Identifier: MIT
/* Pooling, with channels, or planes, as the inner dim. */
#include <ATen/ATen.h>

#include "../../op/copy.h"
#include "../../op/op.h"

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

/*
 * How a call has its tensors: with the channels first. Images are as good as channels, and lie
 * beside them unless the format is channels_last: together they fill the kernel's lanes. Small
 * planes go there several at a time, as rows that are shorter than a vector take as long.
 */
struct Layout {
	Layout(const at::Tensor &out, const at::Tensor &in)
	{
		View v = sizes_of(out);
		int64_t pixels = std::min(out.size(-1) * out.size(-2), in.size(-1) * in.size(-2));
		int64_t planes = v.rank() == 3 ? v.sizes[2] : v.sizes[2] * v.sizes[3];

		if (!view(out).dense())
			return;
		while (planes % (2 * beside) == 0 && planes >= 4 * lanes * beside &&
		       pixels * beside < lanes)
			beside *= 2;
		rows = planes / beside;
	}
	Dims sizes(const at::Tensor &t) const
	{
		View v = sizes_of(t);

		if (rows)
			return { rows, v.sizes[0], v.sizes[1], beside };
		return { v.sizes[2], v.sizes[0], v.sizes[1], v.rank() == 3 ? 1 : v.sizes[3] };
	}
	View read(const at::Tensor &t) const
	{
		View v = view(t);
		Dims to = sizes(t);

		if (rows)
			return dense(planes_first(reshape(dense(v), { to[1], to[2], to[3], to[0] })));
		return dense(channels_first(v));
	}
	void store(const at::Tensor &out, const View &v) const
	{
		View to = view(out);

		if (rows)
			return cast_view(planes_first(reshape(to, { v.sizes[1], v.sizes[2],
								    v.sizes[3], v.sizes[0] })), v);
		if (to.rank() == 3)
			to = unsqueeze(to, 3);
		cast_view(to, channels_back(v));
	}

private:
	static View planes_first(const View &v)
	{
		return permute(v, { 3, 0, 1, 2 });
	}

	int64_t rows = 0;	/* as many planes are apart; 0: channels_last */
	int64_t beside = 1;	/* so many follow each other */
};

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
	Layout layout(out, out);
	Dims sizes = layout.sizes(out);
	View to = make_view(sizes, t), at = make_view(sizes, Held::I32);
	Launch launch("max_pool", t);
	launch.read(layout.read(self)).write(to).write(at);
	window_scalars(launch, window_of(c, 1)).run();
	layout.store(out, to);
	layout.store(indices, at);
	c.give(out);
	c.give(indices);
}

/* (gradient, self, kernel, stride, padding, dilation, ceil_mode, indices, grad_input) */
void max_pool_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &out = c.out();
	Held t = pool_type(g);

	check_dilation(c, 5);
	Layout layout(out, g);
	View to = make_view(layout.sizes(out), t);
	Launch launch("max_pool_grad", t);
	launch.read(layout.read(g)).read(layout.read(c.tensor(7))).write(to);
	window_scalars(launch, window_of(c, 2)).run();
	layout.store(out, to);
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

/* Side by side, each of four elements. */
bool is_two_by_two(const Window &w)
{
	for (int i = 0; i < 2; i++)
		if (w.kernel[i] != 2 || w.stride[i] != 2 || w.padding[i])
			return false;
	return true;
}

/* The result of a call: @kernel of windows of @from; what is outside counts as 0, or not. */
void give_means(Call &c, const char *kernel, Held t, const at::Tensor &from,
		const at::Tensor &out, const Window &w, bool outside)
{
	bool quarters = out.size(-1) == 2 * from.size(-1) && out.size(-2) == 2 * from.size(-2) &&
			is_two_by_two(w);
	Layout layout(out, from);
	View to = make_view(layout.sizes(out), t);
	Launch launch(quarters ? "avg_pool_2x2_grad" : kernel, t);

	launch.read(layout.read(from)).write(to);
	if (!quarters)
		window_scalars(launch, w).bits(outside);
	launch.run();
	layout.store(out, to);
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

/* Where window @i of @of begins, of which the next one is the end, rounded up. */
int64_t window_start(int64_t i, int64_t size, int64_t of)
{
	return i * size / of;
}

int64_t window_end(int64_t i, int64_t size, int64_t of)
{
	return ((i + 1) * size + of - 1) / of;
}

/* Windows that are not all alike: one after the other. @f gets the window's part of @large. */
template <class F>
void each_window(const at::Tensor &large, const at::Tensor &small, const F &f)
{
	int64_t height = large.size(-2), width = large.size(-1);

	for (int64_t y = 0; y < small.size(-2); y++) {
		int64_t y0 = window_start(y, height, small.size(-2));
		at::Tensor rows = large.narrow(-2, y0, window_end(y, height, small.size(-2)) - y0);

		for (int64_t x = 0; x < small.size(-1); x++) {
			int64_t x0 = window_start(x, width, small.size(-1));

			f(rows.narrow(-1, x0, window_end(x, width, small.size(-1)) - x0),
			  small.select(-2, y).select(-1, x));
		}
	}
}

bool all_alike(const at::Tensor &in, const at::Tensor &out)
{
	for (int i = -2; i < 0; i++)
		if (!out.size(i) || in.size(i) % out.size(i))
			return false;
	return true;
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
	if (!all_alike(self, out)) {
		each_window(self, out, [](const at::Tensor &window, const at::Tensor &mean) {
			torch_gaudi::copy(mean, window.mean({ -2, -1 }), false);
		});
		c.give(out);
		return;
	}
	Window w = adaptive_window(self, out);
	give_means(c, "avg_pool", t, self, out, w, true);
}

/* (gradient, self) */
void adaptive_avg_pool_backward(Call &c)
{
	const at::Tensor &g = c.tensor(0), &self = c.tensor(1);
	Held t = pool_type(g);
	at::Tensor out = empty(self.sizes(), self.scalar_type());
	if (!all_alike(self, g)) {
		at::Tensor sum = at::zeros_like(self, at::kFloat);

		each_window(sum, g, [](const at::Tensor &window, const at::Tensor &share) {
			int64_t count = window.size(-2) * window.size(-1);

			window.add_(share.to(at::kFloat).div(count).unsqueeze(-1).unsqueeze(-1));
		});
		torch_gaudi::copy(out, sum, false);
		c.give(out);
		return;
	}
	Window w = adaptive_window(self, g);
	give_means(c, "avg_pool_grad", t, g, out, w, true);
}

const Entry table[] = {
	{ "max_pool2d_with_indices.out", max_pool },
	{ "max_pool2d_with_indices_backward.grad_input", max_pool_backward },
	{ "avg_pool2d.out", avg_pool },
	{ "avg_pool2d_backward.grad_input", avg_pool_backward },
	{ "_adaptive_avg_pool2d", adaptive_avg_pool },
	{ "_adaptive_avg_pool2d_backward", adaptive_avg_pool_backward },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
