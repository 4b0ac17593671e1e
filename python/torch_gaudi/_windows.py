# SPDX-License-Identifier: MIT
"""Operators of windows: resizing, means and maxima, one dim after the other.

A result's element is a sum of some of the dim's, each with a weight: the k-th of all of them are
selected together. Its gradient adds them where they were selected."""

import itertools
import math

import torch

from torch_gaudi._compositions import Unsupported, check_index, on_the_card, wide
from torch_gaudi._ordered import _store


def _weights(t, dim, values):
    shape = [1] * t.dim()
    shape[dim] = len(values)
    return on_the_card(t, values, torch.float32).view(shape)


def _weighed(self, maps):
    """@maps: of some dims (dim, a list of (places, weights)). One place behind the last is 0."""
    out = wide(self)
    for dim, taps in maps:
        if any(max(at, default=0) == out.size(dim) for at, _ in taps):
            out = torch.cat((out, torch.zeros_like(out.narrow(dim, 0, 1))), dim)
        parts = [out.index_select(dim, on_the_card(out, at, torch.int32)) * _weights(out, dim, by)
                 for at, by in taps]
        out = sum(parts[1:], parts[0])
    return out.to(self.dtype)


def _weighed_back(gradient, sizes, maps):
    out = wide(gradient)
    for dim, taps in reversed(maps):
        shape = list(out.shape)
        shape[dim] = sizes[dim] + 1
        made = out.new_zeros(shape)
        for at, by in taps:
            made.index_add_(dim, on_the_card(out, at, torch.int32), out * _weights(out, dim, by))
        out = made.narrow(dim, 0, sizes[dim])
    return out.to(gradient.dtype).contiguous()


def _cubic(t):
    """The weights of the four around a place, @t behind the second."""
    def near(x):
        return ((-0.75 + 2) * x - (-0.75 + 3)) * x * x + 1

    def far(x):
        return ((-0.75 * x + 5 * 0.75) * x - 8 * 0.75) * x + 4 * 0.75
    return far(t + 1), near(t), near(1 - t), far(2 - t)


def _between(kind, inside, outside, scale, align):
    """The taps that resize a dim; in float32, as the CPU counts."""
    at = torch.arange(outside, dtype=torch.float32)
    if align:
        at = at * torch.tensor((inside - 1) / (outside - 1) if outside > 1 else 0,
                               dtype=torch.float32)
    else:
        by = 1 / scale if scale else inside / outside
        at = (at + 0.5) * torch.tensor(by, dtype=torch.float32) - 0.5
    if kind == 'linear':
        at = at.clamp(min=0)
    low = at.floor()
    part = at - low
    weights = _cubic(part) if kind == 'cubic' else (1 - part, part)
    first = -1 if kind == 'cubic' else 0
    return [((low.long() + first + k).clamp(0, inside - 1).tolist(), weight.tolist())
            for k, weight in enumerate(weights)]


def _resized(kind, sizes, output_size, align, scales):
    count = len(output_size)
    scales = scales or (None,) * count
    return [(i - count, _between(kind, sizes[i - count], output_size[i], scales[i], align))
            for i in range(count)]


def _check_floating(t):
    if not t.is_floating_point():
        raise Unsupported('windows of integers')


def _resizes(kind):
    def forward(self, output_size, align_corners, *scales):
        _check_floating(self)
        return _weighed(self, _resized(kind, self.shape, output_size, align_corners, scales))

    def backward(grad_output, output_size, input_size, align_corners, *scales):
        maps = _resized(kind, input_size, output_size, align_corners, scales)
        return _weighed_back(grad_output, input_size, maps)
    return forward, backward


def _at(values, i):
    return values[i if len(values) > 1 else 0]


class Pool:
    """The windows of a call along each of the last @count dims, as lists of places."""

    def __init__(self, sizes, count, kernel, stride, padding, dilation=(1,), ceil_mode=False):
        self.sizes = list(sizes)[-count:]
        stride = stride or kernel
        self.dims = [self._windows(size, _at(kernel, i), _at(stride, i), _at(padding, i),
                                   _at(dilation, i), ceil_mode)
                     for i, size in enumerate(self.sizes)]

    @staticmethod
    def _windows(size, kernel, stride, padding, dilation, ceil_mode):
        if padding > kernel // 2:
            raise RuntimeError('pad should be at most half of effective kernel size, but got '
                               f'pad={padding}, kernel_size={kernel}')
        space = size + 2 * padding - dilation * (kernel - 1) - 1
        count = (space + (stride - 1 if ceil_mode else 0)) // stride + 1
        if ceil_mode and (count - 1) * stride >= size + padding:
            count -= 1
        if count < 1:
            raise RuntimeError(f'hpu: a window of {kernel} is larger than a dim of {size}')
        return [range(start, start + dilation * (kernel - 1) + 1, dilation)
                for start in range(-padding, count * stride - padding, stride)]

    def means(self, padding, with_padding, divisor):
        """Taps of means. With the padding a window ends with it at the latest."""
        maps = []
        for i, windows in enumerate(self.dims):
            size, pad = self.sizes[i], _at(padding, i)
            inside = [[j for j in window if 0 <= j < size] for window in windows]
            shares = [sum(j < size + pad for j in window) if with_padding else len(found)
                      for window, found in zip(windows, inside)]
            if divisor:
                shares = [divisor if i == 0 else 1] * len(shares)
            maps.append((i - len(self.dims), _taps(inside, shares, size)))
        return maps

    def maxima(self):
        return [[[j for j in window if 0 <= j < size] for window in windows]
                for windows, size in zip(self.dims, self.sizes)]


def _taps(inside, shares, size):
    """Of the windows' places, each of which counts for one share."""
    taps = []
    for k in range(max(map(len, inside))):
        taps.append(([window[k] if k < len(window) else size for window in inside],
                     [1 / share for share in shares]))
    return taps


def _adaptive(sizes, output_size):
    """Windows of each dim: they touch, or overlap by what is rounded."""
    return [[range(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
            for size, count in zip(list(sizes)[-len(output_size):], output_size)]


def _adaptive_means(sizes, output_size):
    count = len(output_size)
    return [(i - count, _taps(windows, list(map(len, windows)), sizes[i - count]))
            for i, windows in enumerate(_adaptive(sizes, output_size))]


def _largest(self, dims):
    """(maxima, their numbers among the elements of a plane) of windows of the last dims."""
    count = len(dims)
    shape = self.shape[-count:]
    best = self
    places = torch.arange(shape.numel(), device=self.device).view(shape).expand(self.shape)
    for i in reversed(range(count)):
        dim, windows = i - count, dims[i]
        found = None
        for k in range(max(map(len, windows))):
            # One that is looked at again is not larger.
            at = on_the_card(self, [window[min(k, len(window) - 1)] for window in windows],
                             torch.int32)
            here, place = best.index_select(dim, at), places.index_select(dim, at)
            if found is None:
                found = here, place
                continue
            takes = (here > found[0]) | here.isnan()
            found = torch.where(takes, here, found[0]), torch.where(takes, place, found[1])
        best, places = found
    return best, places


def _largest_back(grad_output, self, indices, count):
    planes = (*self.shape[:-count], -1)
    made = torch.zeros_like(self, memory_format=torch.contiguous_format).reshape(planes)
    return made.scatter_add(-1, indices.reshape(planes), grad_output.reshape(planes)).view(
        self.shape)


def max_pool3d(self, kernel_size, stride=(), padding=(0,), dilation=(1,), ceil_mode=False):
    _check_floating(self)
    pool = Pool(self.shape, 3, kernel_size, stride, padding, dilation, ceil_mode)
    return _largest(self, pool.maxima())


def max_pool3d_backward(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode,
                        indices):
    return _largest_back(grad_output, self, indices, 3)


def avg_pool3d(self, kernel_size, stride=(), padding=(0,), ceil_mode=False,
               count_include_pad=True, divisor_override=None):
    _check_floating(self)
    pool = Pool(self.shape, 3, kernel_size, stride, padding, ceil_mode=ceil_mode)
    return _weighed(self, pool.means(padding, count_include_pad, divisor_override))


def avg_pool3d_backward(grad_output, self, kernel_size, stride, padding, ceil_mode,
                        count_include_pad, divisor_override):
    pool = Pool(self.shape, 3, kernel_size, stride, padding, ceil_mode=ceil_mode)
    return _weighed_back(grad_output, self.shape,
                         pool.means(padding, count_include_pad, divisor_override))


def adaptive_avg_pool3d(self, output_size):
    _check_floating(self)
    return _weighed(self, _adaptive_means(self.shape, output_size))


def adaptive_avg_pool3d_backward(grad_output, self):
    return _weighed_back(grad_output, self.shape,
                         _adaptive_means(self.shape, grad_output.shape[-3:]))


def adaptive_max_pool(self, output_size, *, out, indices):
    return _store((out, indices), _largest(self, _adaptive(self.shape, output_size)))


def _adaptive_max_back(count):
    def backward(grad_output, self, indices):
        return _largest_back(grad_output, self, indices, count)
    return backward


def _max_unpool(count):
    def forward(self, indices, output_size, *window):
        if self.shape != indices.shape or self.dim() not in (count + 1, count + 2) or \
                len(output_size) != count:
            raise Unsupported('such sizes')
        planes = self.shape[:-count]
        rows = self.reshape(*planes, -1)
        made = rows.new_zeros((*planes, math.prod(output_size)))
        check_index(f'max_unpool{count}d', indices, made.size(-1))
        return made.scatter_(-1, indices.reshape(rows.shape), rows).view(*planes, *output_size)
    return forward


class Samples:
    """The corners of cells that a grid's places are in: by the cell's lowest corner, how far
    behind it a place is, and how fast that goes with the grid, of each of the picture's dims."""

    def __init__(self, self_, grid, mode, padding, align):
        _check_floating(self_)
        if mode == 2:
            raise Unsupported('samples by cubes')
        count = self_.dim() - 2
        if grid.size(-1) != count or grid.size(0) != self_.size(0):
            raise RuntimeError(f'grid_sampler(): expected grid to have size {count} in last '
                               'dimension, and the batch size of input, but got input with sizes '
                               f'{list(self_.shape)} and grid with sizes {list(grid.shape)}')
        self.input, self.grid, self.nearest = self_, grid, mode == 1
        self.sizes = self_.shape[-count:]
        flat = wide(grid).reshape(-1, count)
        self.low, self.part, self.slope = [], [], []
        for d, size in enumerate(self.sizes):
            at, slope = self._place(flat[:, count - 1 - d], size, padding, align)
            low = at.round() if self.nearest else at.floor()
            self.low.append(low)
            self.part.append(at - low)
            self.slope.append(slope)
        points = flat.size(0) // max(1, grid.size(0))
        plane = math.prod(self.sizes)
        first = torch.arange(grid.size(0), device=grid.device)[:, None] * plane
        self.first = first.expand(-1, points).reshape(-1)

    @staticmethod
    def _place(at, size, padding, align):
        slope = torch.full_like(at, (size - 1 if align else size) / 2)
        at = (at + 1) * slope - (0 if align else 0.5)
        if padding == 2:
            least, span = (0, size - 1) if align else (-0.5, size)
            behind = at - least
            slope = torch.where(behind < 0, -slope, slope)
            behind = behind.abs()
            turns = (behind / span).floor() if span else torch.zeros_like(at)
            rest = behind - turns * span if span else torch.zeros_like(at)
            odd = torch.remainder(turns, 2) == 1
            slope = torch.where(odd, -slope, slope)
            at = torch.where(odd, span - rest, rest) + least
        if padding:
            slope = torch.where((at > 0) & (at < size - 1), slope, torch.zeros_like(slope))
            at = at.clamp(0, size - 1)
        return at, slope

    def corners(self):
        """(the number of the picture's element, whether there is one, which corner)"""
        for corner in itertools.product(*[(0,) if self.nearest else (0, 1)] * len(self.sizes)):
            number = torch.zeros_like(self.low[0])
            inside = torch.ones_like(number)
            for low, step, size in zip(self.low, corner, self.sizes):
                at = low + step
                inside = inside * ((at >= 0) & (at < size))
                number = number * size + at.clamp(0, size - 1)
            # Places that are too large for whole numbers are outside.
            yield number.nan_to_num(0).long() + self.first, inside, corner

    def weight(self, corner, without=None):
        out = torch.ones_like(self.part[0])
        for d, (part, step) in enumerate(zip(self.part, corner)):
            if d != without and not self.nearest:
                out = out * (part if step else 1 - part)
        return out

    def rows(self, t):
        """Channels side by side."""
        return wide(t).movedim(1, -1).reshape(-1, t.size(1))

    def back(self, rows, sizes, dtype):
        channels = self.input.size(1)
        return rows.view(self.input.size(0), *sizes, channels).movedim(-1, 1).to(dtype)


def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    samples = Samples(input, grid, interpolation_mode, padding_mode, align_corners)
    rows, out = samples.rows(input), 0
    for number, inside, corner in samples.corners():
        by = samples.weight(corner) * inside
        out = out + rows.index_select(0, number) * by[:, None]
    return samples.back(out, grid.shape[1:-1], input.dtype).contiguous()


def grid_sampler_backward(grad_output, input, grid, interpolation_mode, padding_mode,
                          align_corners, output_mask):
    samples = Samples(input, grid, interpolation_mode, padding_mode, align_corners)
    rows, gradient = samples.rows(input), samples.rows(grad_output)
    by_input = torch.zeros_like(rows)
    by_place = [torch.zeros_like(low) for low in samples.low]
    for number, inside, corner in samples.corners():
        if output_mask[0]:
            by = samples.weight(corner) * inside
            by_input.index_add_(0, number, gradient * by[:, None])
        if output_mask[1] and not samples.nearest:
            along = (rows.index_select(0, number) * gradient).sum(1) * inside
            for d, step in enumerate(corner):
                share = along * samples.weight(corner, without=d) * samples.slope[d]
                by_place[d] = by_place[d] + share if step else by_place[d] - share
    by_grid = torch.stack(by_place[::-1], -1).view(grid.shape).to(grid.dtype)
    return (samples.back(by_input, samples.sizes, input.dtype).contiguous()
            if output_mask[0] else None, by_grid if output_mask[1] else None)


OWN = {'grid_sampler_2d': grid_sampler, 'grid_sampler_2d_backward': grid_sampler_backward,
       'grid_sampler_3d': grid_sampler, 'grid_sampler_3d_backward': grid_sampler_backward,
       'max_unpool2d': _max_unpool(2), 'max_unpool3d': _max_unpool(3),
       'max_pool3d_with_indices': max_pool3d,
       'max_pool3d_with_indices_backward': max_pool3d_backward,
       '_adaptive_avg_pool3d': adaptive_avg_pool3d,
       '_adaptive_avg_pool3d_backward': adaptive_avg_pool3d_backward,
       'adaptive_max_pool2d.out': adaptive_max_pool, 'adaptive_max_pool3d.out': adaptive_max_pool}
OWN_OUT = {'avg_pool3d.out': avg_pool3d, 'avg_pool3d_backward.grad_input': avg_pool3d_backward,
           'adaptive_max_pool2d_backward.grad_input': _adaptive_max_back(2),
           'adaptive_max_pool3d_backward.grad_input': _adaptive_max_back(3)}

for _name, _kind in (('upsample_linear1d', 'linear'), ('upsample_bilinear2d', 'linear'),
                     ('upsample_trilinear3d', 'linear'), ('upsample_bicubic2d', 'cubic')):
    _forward, _backward = _resizes(_kind)
    OWN_OUT[_name + '.out'] = _forward
    OWN_OUT[_name + '_backward.grad_input'] = _backward
