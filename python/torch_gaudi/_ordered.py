# SPDX-License-Identifier: MIT
"""Operators that sorting makes possible, and counts: of the card's sort, running sums, and rows
added by their numbers. Those whose results have a size that the data say wait for the card."""

import math

import torch

from torch_gaudi._compositions import Unsupported, check_index


def _store(outs, results):
    for out, result in zip(outs, results):
        out.resize_(result.shape).copy_(result)
    return outs


def _sorted(self, dim):
    """With a dim at least: (values, numbers, dim)."""
    rows = self if self.dim() else self.view(1)
    return (*torch.sort(rows, stable=True, dim=dim), dim if self.dim() else 0)


def _pick(self, values, numbers, at, dim, keepdim):
    """The elements of both at these places of @dim, one of each row."""
    found = [t.gather(dim, at) for t in (values, numbers)]
    if not self.dim():
        return [t.view(()) for t in found]
    return found if keepdim else [t.squeeze(dim) for t in found]


def argsort(self, *, stable, dim=-1, descending=False):
    return torch.sort(self, stable=stable, dim=dim, descending=descending)[1]


def _not_empty(name, self, dim):
    if self.dim() and not self.size(dim):
        raise IndexError(f'{name}(): Expected reduction dim {dim % self.dim()} to have non-zero '
                         'size.')


def kthvalue(self, k, dim=-1, keepdim=False, *, values, indices):
    _not_empty('kthvalue', self, dim)
    if not 0 < k <= (self.size(dim) if self.dim() else 1):
        raise RuntimeError(f'kthvalue(): selected number k out of range for dimension {dim}')
    ordered, numbers, dim = _sorted(self, dim)
    at = torch.full_like(numbers.narrow(dim, 0, 1), k - 1)
    return _store((values, indices), _pick(self, ordered, numbers, at, dim, keepdim))


def _middle(self, dim, keepdim, ignore_nan):
    _not_empty('median', self, dim)
    ordered, numbers, dim = _sorted(self, dim)
    size = ordered.size(dim)
    at = torch.full_like(numbers.narrow(dim, 0, 1), (size - 1) // 2)
    if self.is_floating_point():
        # These are the last ones.
        real = size - ordered.isnan().sum(dim, keepdim=True)
        if ignore_nan:
            at = ((real - 1) // 2).clamp(min=0)
        else:
            at = torch.where(real < size, real, at)
    return _pick(self, ordered, numbers, at, dim, keepdim)


def _median_dim(ignore_nan):
    def median(self, dim, keepdim=False, *, values, indices):
        return _store((values, indices), _middle(self, dim, keepdim, ignore_nan))
    return median


def _median(ignore_nan):
    def median(self):
        if not self.numel():
            return self.new_full((), float('nan') if self.is_floating_point() else -2 ** 31)
        return _middle(self.reshape(-1), 0, False, ignore_nan)[0]
    return median


def _begins(rows):
    """Where a row is not the one before it."""
    new = torch.ones(rows.size(0), dtype=torch.bool, device=rows.device)
    if rows.size(0) > 1:
        differ = rows[1:] != rows[:-1]
        new[1:] = differ.flatten(1).any(1) if differ.dim() > 1 else differ
    return new


def _groups(rows, order, return_inverse, return_counts):
    """Of rows, equal ones side by side, one each; @order: where each has been."""
    new = _begins(rows)
    starts = new.nonzero().flatten()
    none = starts.new_empty(0)
    inverse = counts = none
    if return_inverse:
        number = new.cumsum(0) - 1
        inverse = number if order is None else \
            torch.zeros_like(number).scatter_(0, order, number)
    if return_counts:
        counts = torch.cat((starts[1:], starts.new_full((1,), rows.size(0)))) - starts \
            if starts.numel() else none
    return rows.index_select(0, starts) if starts.numel() else rows[:0].clone(), inverse, counts


def unique2(self, sorted=True, return_inverse=False, return_counts=False):
    rows, order = self.reshape(-1).sort(stable=True)
    values, inverse, counts = _groups(rows, order, return_inverse, return_counts)
    return values, inverse.view(self.shape) if return_inverse else inverse, counts


def _can_be_unique(self, dim):
    if self.size(dim) and not self.numel():
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique "
                           'cannot be applied')


def unique_dim(self, dim, sorted=True, return_inverse=False, return_counts=False):
    _can_be_unique(self, dim)
    # Whose columns are compared first differs between the versions.
    rows = self.movedim(dim, 0) if hasattr(torch, 'accelerator') else self.transpose(dim, 0)
    order = torch.arange(rows.size(0), device=self.device)
    # By the last column first: what is sorted by others stays so among equals.
    columns = rows.flatten(1).unbind(1) if rows.dim() > 1 else (rows,)
    for column in reversed(columns):
        order = order[column[order].argsort(stable=True)]
    values, inverse, counts = _groups(self.movedim(dim, 0)[order], order, return_inverse,
                                      return_counts)
    return values.movedim(0, dim).contiguous(), inverse, counts


def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
    if dim is not None:
        _can_be_unique(self, dim)
    rows = self.reshape(-1) if dim is None else self.movedim(dim, 0)
    values, inverse, counts = _groups(rows, None, return_inverse, return_counts)
    if return_inverse and dim is None:
        inverse = inverse.view(self.shape)
    return values if dim is None else values.movedim(0, dim).contiguous(), inverse, counts


def randperm(n, *, generator=None, out):
    keys = torch.randint(0, 2 ** 31 - 1, (n,), dtype=torch.int32, device=out.device,
                         generator=generator)
    return out.resize_(n).copy_(keys.argsort())


def _running(better):
    """cummax and cummin, by twice as many elements at a time; the last one of equals."""
    def helper(self, values, indices, dim):
        rows = self.movedim(dim, 0)
        count = rows.size(0)
        at = torch.arange(count, device=self.device).view(-1, *[1] * (rows.dim() - 1))
        at = at.expand(rows.shape)
        step = 1
        while step < count:
            before, here = rows[:-step], rows[step:]
            takes = better(here, before)
            if self.is_floating_point():
                takes = takes | here.isnan()
            rows = torch.cat((rows[:step], torch.where(takes, here, before)))
            at = torch.cat((at[:step], torch.where(takes, at[step:], at[:-step])))
            step *= 2
        values.copy_(rows.movedim(0, dim))
        indices.copy_(at.movedim(0, dim))
    return helper


def searchsorted(sorted_sequence, self, *, out_int32=False, right=False, side=None, sorter=None):
    """How many elements are less (with @right, at most as large): by a step for each bit."""
    if side not in (None, 'left', 'right'):
        raise RuntimeError("torch.searchsorted(): side can only be 'left' or 'right' but got "
                           f'{side}')
    if side == 'left' and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got "
                           'side of left while right was True')
    dtype = torch.result_type(sorted_sequence, self)
    sorted_sequence, self = sorted_sequence.to(dtype), self.to(dtype)
    shared = sorted_sequence.dim() == 1
    if not shared and sorted_sequence.shape[:-1] != self.shape[:-1]:
        raise RuntimeError('torch.searchsorted(): boundaries tensor should be 1 dimension or the '
                           'first N-1 dimensions of boundaries tensor and input value tensor must '
                           f'match, but we got boundaries tensor {list(sorted_sequence.shape)} and '
                           f'input value tensor {list(self.shape)}')
    if sorter is not None:
        check_index('searchsorted', sorter, sorted_sequence.size(-1))
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    right = right or side == 'right'
    count = sorted_sequence.size(-1)
    found = torch.zeros(self.shape, dtype=torch.int32 if out_int32 else torch.int64,
                        device=self.device)
    for bit in reversed(range(count.bit_length())):
        next_one = found + (1 << bit)
        at = (next_one - 1).clamp(max=count - 1).long()
        element = sorted_sequence[at] if shared else sorted_sequence.gather(-1, at)
        behind = element > self if right else element >= self
        found = torch.where(behind | (next_one > count), found, next_one)
    return found


def searchsorted_number(sorted_sequence, self, **options):
    dtype = torch.result_type(sorted_sequence, self)
    return searchsorted(sorted_sequence, sorted_sequence.new_full((), self, dtype=dtype), **options)


def bucketize(self, boundaries, *, out_int32=False, right=False):
    if boundaries.dim() != 1:
        raise RuntimeError('boundaries tensor must be 1 dimension, but got dim('
                           f'{boundaries.dim()})')
    return searchsorted(boundaries, self, out_int32=out_int32, right=right)


def bucketize_number(self, boundaries, **options):
    return bucketize(boundaries.new_full((), self, dtype=torch.result_type(boundaries, self)),
                     boundaries, **options)


def bincount(self, weights=None, minlength=0):
    if self.dim() != 1 or self.is_floating_point() or self.dtype == torch.bool:
        raise RuntimeError('bincount only supports 1-d non-negative integral inputs.')
    if weights is not None and weights.shape != self.shape:
        raise RuntimeError('weights should be 1-d and have the same length as input')
    if minlength < 0:
        raise RuntimeError('minlength should be >= 0')
    if not self.numel():
        return torch.zeros(minlength, dtype=torch.int64, device=self.device)
    low, high = torch.stack((self.min(), self.max())).tolist()
    if low < 0:
        raise RuntimeError('bincount only supports 1-d non-negative integral inputs.')
    if weights is None:
        ones = torch.ones(self.shape, dtype=torch.int64, device=self.device)
    else:
        ones = weights if weights.dtype == torch.float32 else weights.double()
    counts = torch.zeros(max(minlength, high + 1), dtype=ones.dtype, device=self.device)
    return counts.index_add_(0, self.long(), ones)


def repeat_interleave(repeats, output_size=None):
    """Each number as often as @repeats says."""
    if repeats.dim() != 1:
        raise RuntimeError('repeat_interleave only accept 1D vector as repeat')
    if repeats.dtype not in (torch.int64, torch.int32):
        raise RuntimeError('repeats has to be Long or Int tensor')
    if not repeats.numel():
        return torch.empty_like(repeats)
    ends = repeats.cumsum(0, dtype=repeats.dtype)
    total, low = torch.stack((ends[-1], repeats.min())).tolist()
    if low < 0:
        raise RuntimeError('repeats can not be negative')
    if output_size not in (None, total):
        raise RuntimeError('allocated size does not match required size')
    marks = repeats.new_zeros(total + 1).index_add_(0, ends, torch.ones_like(ends))
    return marks.cumsum(0, dtype=repeats.dtype)[:total]


def nansum(self, dim=None, keepdim=False, *, dtype=None):
    if self.is_floating_point():
        self = self.masked_fill(self.isnan(), 0)
    return torch.sum(self, () if dim is None else dim, keepdim, dtype=dtype)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    tests = test_elements.reshape(-1).sort()[0]
    if not tests.numel():
        return torch.full(elements.shape, invert, device=elements.device)
    if tests.is_floating_point():
        # Which equals nothing, but is in the way of the search.
        tests = torch.where(tests.isnan(), tests[:1], tests).sort()[0]
    at = torch.searchsorted(tests, elements).clamp(max=tests.numel() - 1)
    found = tests.index_select(0, at.reshape(-1)).view(at.shape) == elements
    return ~found if invert else found


def isin_number(elements, test_element, *, assume_unique=False, invert=False):
    return elements != test_element if invert else elements == test_element


def isin_of_number(element, test_elements, **options):
    return isin(test_elements.new_full((), element, dtype=torch.result_type(test_elements, element)),
                test_elements, **options)


def mode(self, dim=-1, keepdim=False):
    """Of the numbers that are there most often the least, and where the last one of them is."""
    if not self.dim():
        return self.clone(), torch.zeros((), dtype=torch.int64, device=self.device)
    _not_empty('mode', self, dim)
    ordered, numbers, dim = _sorted(self, dim)
    size = ordered.size(dim)
    place = torch.arange(size, device=self.device).view(
        [-1 if d == dim % self.dim() else 1 for d in range(self.dim())]).expand(self.shape)
    new = torch.ones_like(ordered, dtype=torch.bool)
    new.narrow(dim, 1, size - 1).copy_(
        ordered.narrow(dim, 1, size - 1) != ordered.narrow(dim, 0, size - 1))
    begin = torch.where(new, place, torch.zeros_like(place)).cummax(dim)[0]
    at = (place - begin).argmax(dim, keepdim=True)
    return tuple(_pick(self, ordered, numbers, at, dim, keepdim))


def mode_into(self, dim=-1, keepdim=False, *, values, indices):
    return _store((values, indices), mode(self, dim, keepdim))


def histc(self, bins=100, min=0, max=0):
    if self.dtype != torch.float32 or bins <= 0:
        raise Unsupported('such a histogram')
    if not self.numel():
        return self.new_zeros(bins)
    low, high = float(min), float(max)
    if low == high:
        low, high = torch.stack(self.aminmax()).tolist()
    if low == high:
        low, high = low - 1, high + 1
    if not (low < high and math.isfinite(low) and math.isfinite(high)):
        raise Unsupported('such bounds')
    flat = self.reshape(-1)
    inside = (flat >= low) & (flat <= high)
    at = ((flat - low) * (bins / (high - low))).clamp(0, bins - 1)
    at = torch.where(inside, at, torch.zeros_like(at)).long()
    return self.new_zeros(bins).index_add_(0, at, inside.float())


OWN = {'argsort.stable': argsort, 'kthvalue.values': kthvalue, 'median': _median(False),
       'nanmedian': _median(True), 'median.dim_values': _median_dim(False),
       'nanmedian.dim_values': _median_dim(True), '_unique2': unique2, 'unique_dim': unique_dim,
       'unique_consecutive': unique_consecutive, 'randperm.generator_out': randperm,
       '_cummax_helper': _running(torch.ge), '_cummin_helper': _running(torch.le),
       'searchsorted.Tensor': searchsorted, 'searchsorted.Scalar': searchsorted_number,
       'bucketize.Tensor': bucketize, 'bucketize.Scalar': bucketize_number, 'bincount': bincount,
       'repeat_interleave.Tensor': repeat_interleave, 'nansum': nansum, 'mode': mode,
       'mode.values': mode_into,
       'histc': histc}
OWN_OUT = {'isin.Tensor_Tensor_out': isin, 'isin.Tensor_Scalar_out': isin_number,
           'isin.Scalar_Tensor_out': isin_of_number, 'nansum.out': nansum, 'histc.out': histc,
           'bucketize.Tensor_out': bucketize,
           'searchsorted.Tensor_out': searchsorted, 'searchsorted.Scalar_out': searchsorted_number}
