# SPDX-License-Identifier: MIT
"""Bags: rows of a table by numbers, and one sum, mean or maximum of all that are together."""

import torch

from torch_gaudi._compositions import Unsupported, check_index, wide

SUM, MEAN, MAX = range(3)


def _is_padding(indices, padding_idx):
    return None if padding_idx < 0 else indices == padding_idx


def _weighed(rows, weights, padding):
    """Rows, each by its weight, or 0 if it is padding."""
    if weights is not None:
        rows = rows * weights.unsqueeze(1)
    return rows if padding is None else rows.masked_fill(padding.unsqueeze(1), 0)


def _largest(rows, bags, padding, count):
    """(maxima by bag and column, in which row each is): the first of equals, -1 in empty bags."""
    if padding is not None:
        rows = rows.masked_fill(padding.unsqueeze(1), float('-inf'))
    index = bags.unsqueeze(1).expand(rows.shape)
    shape = (count, rows.size(1))
    best = rows.new_full(shape, float('-inf')).scatter_reduce(0, index, rows, 'amax')
    number = torch.arange(rows.size(0), device=rows.device).unsqueeze(1).expand(rows.shape)
    is_best = rows == best.index_select(0, bags)
    if padding is not None:
        is_best = is_best & ~padding.unsqueeze(1)
    beyond = rows.size(0)
    first = torch.full(shape, beyond, dtype=torch.int64, device=rows.device).scatter_reduce(
        0, index, torch.where(is_best, number, torch.full_like(number, beyond)), 'amin')
    empty = first == beyond
    return best.masked_fill(empty, 0), first.masked_fill(empty, -1)


def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=SUM, sparse=False,
                  per_sample_weights=None, include_last_offset=False, padding_idx=-1):
    if not weight.is_floating_point() or sparse:
        raise Unsupported('bags of integers, or sparse gradients')
    if indices.dim() != 1 or offsets.dim() != 1:
        raise RuntimeError('input and offsets have to be 1D tensors')
    if per_sample_weights is not None and mode != SUM:
        raise RuntimeError("embedding_bag: per_sample_weights was not None. per_sample_weights is "
                           "only supported for mode='sum'")
    count = offsets.numel() - include_last_offset
    if offsets.numel():
        check_index('embedding_bag: offsets[0]', offsets[:1], 1)
        check_index('embedding_bag: offsets[-1]', offsets[-1:], indices.numel() + 1)
    number = torch.arange(indices.numel(), dtype=offsets.dtype, device=indices.device)
    bags = torch.searchsorted(offsets[:count], number, right=True) - 1
    padding = _is_padding(indices, padding_idx)
    check_index('embedding_bag', indices, weight.size(0))
    rows = wide(weight.index_select(0, indices))
    each = torch.ones_like(bags) if padding is None else (~padding).to(bags.dtype)
    sizes = torch.zeros(count, dtype=bags.dtype, device=bags.device).index_add_(0, bags, each)
    largest = sizes
    if mode == MAX:
        out, first = _largest(rows, bags, padding, count)
        largest = indices.index_select(0, first.clamp(min=0).reshape(-1)).view(first.shape) \
            if indices.numel() else first
        largest = torch.where(first < 0, first, largest.to(first.dtype)).to(indices.dtype)
    else:
        out = rows.new_zeros(count, rows.size(1))
        out.index_add_(0, bags, _weighed(rows, per_sample_weights, padding))
        if mode == MEAN:
            out = out / sizes.clamp(min=1).to(out.dtype).unsqueeze(1)
    return out.to(weight.dtype), bags.to(indices.dtype), sizes.to(indices.dtype), largest


def dense_backward(grad, indices, offset2bag, bag_size, maximum_indices, num_weights,
                   scale_grad_by_freq, mode, per_sample_weights, padding_idx=-1):
    if scale_grad_by_freq:
        raise Unsupported('gradients that are scaled by frequency')
    dtype, table = grad.dtype, wide(grad).new_zeros(num_weights, grad.size(1))
    if mode == MAX:
        there = maximum_indices >= 0
        shares = wide(grad).masked_fill(~there, 0)
        return table.scatter_add(0, maximum_indices.clamp(min=0).long(), shares).to(dtype)
    if mode == MEAN:
        grad = wide(grad) / bag_size.clamp(min=1).to(table.dtype).unsqueeze(1)
    rows = _weighed(wide(grad).index_select(0, offset2bag), per_sample_weights,
                    _is_padding(indices, padding_idx))
    return table.index_add_(0, indices, rows).to(dtype)


def backward(grad, indices, offsets, offset2bag, bag_size, maximum_indices, num_weights,
             scale_grad_by_freq, mode, sparse, per_sample_weights, padding_idx=-1):
    """PyTorch 1 calls the dense one by itself."""
    if sparse:
        raise Unsupported('sparse gradients')
    return dense_backward(grad, indices, offset2bag, bag_size, maximum_indices, num_weights,
                          scale_grad_by_freq, mode, per_sample_weights, padding_idx)


def weights_backward(grad, weight, indices, offsets, offset2bag, mode, padding_idx=-1):
    rows = wide(grad).index_select(0, offset2bag) * weight.index_select(0, indices)
    return _weighed(rows, None, _is_padding(indices, padding_idx)).sum(1).to(grad.dtype)


OWN = {'_embedding_bag': embedding_bag, '_embedding_bag_forward_only': embedding_bag,
       '_embedding_bag_dense_backward': dense_backward, '_embedding_bag_backward': backward,
       '_embedding_bag_per_sample_weights_backward': weights_backward}
OWN_OUT = {}
