# SPDX-License-Identifier: MIT
"""SyncBatchNorm, whose own forward() takes no device but those that PyTorch knows by name: means
and variances of what all processes have of a batch."""

import functools
from typing import Any, Optional, Tuple

import torch
import torch.distributed as dist

from . import autocast


def _rows(t: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """A number for each channel, beside a tensor of so many dims."""
    return t.view(1, -1, *[1] * (like.dim() - 2))


def _gathered(t: torch.Tensor, group: Any) -> torch.Tensor:
    parts = [torch.empty_like(t) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, t, group)
    return torch.stack(parts)


class _Normalise(torch.autograd.Function):
    """Also the mean, the sum of squares around it, and how many elements a channel has."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: Optional[torch.Tensor],
                bias: Optional[torch.Tensor], eps: float, group: Any) -> Tuple[torch.Tensor, ...]:
        wide, channels = x.float(), x.size(1)
        dims = [d for d in range(x.dim()) if d != 1]
        own = wide.new_zeros(2 * channels + 1)
        if x.numel():                                   # who has nothing of the batch still comes
            mean = wide.mean(dims)
            squares = (wide - _rows(mean, x)).square().sum(dims)
            own = torch.cat([mean, squares, own.new_full((1,), x.numel() // channels)])
        means, squares, counts = _gathered(own, group).split([channels, channels, 1], 1)
        count = counts.sum()
        mean = (means * counts).sum(0) / count
        total = (squares + counts * (means - mean).square()).sum(0)
        inverse = torch.rsqrt(total / count + eps)
        y = (wide - _rows(mean, x)) * _rows(inverse, x)
        if weight is not None:
            y = y * _rows(weight, x)
        if bias is not None:
            y = y + _rows(bias, x)
        ctx.save_for_backward(x, weight, mean, inverse, count)
        ctx.group = group
        ctx.mark_non_differentiable(mean, total, count)
        return y.to(x.dtype), mean, total, count

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: torch.Tensor, *others: Any) -> Tuple[Any, ...]:
        x, weight, mean, inverse, count = ctx.saved_tensors
        dims = [d for d in range(x.dim()) if d != 1]
        wide = grad.float()
        normal = (x.float() - _rows(mean, x)) * _rows(inverse, x)
        sums = torch.stack([wide.sum(dims), (wide * normal).sum(dims)])
        by_bias, by_weight = sums.clone()
        if not ctx.needs_input_grad[0]:
            by_x = None
        else:
            dist.all_reduce(sums, group=ctx.group)
            of_bias, of_weight = sums / count
            by_x = (wide - _rows(of_bias, x) - normal * _rows(of_weight, x)) * _rows(inverse, x)
            by_x = (by_x if weight is None else by_x * _rows(weight, x)).to(x.dtype)
        needs = ctx.needs_input_grad
        return (by_x, by_weight.to(weight.dtype) if needs[1] else None,
                by_bias.to(weight.dtype) if needs[2] else None, None, None)


def _follow(norm: torch.nn.SyncBatchNorm, mean: torch.Tensor, variance: torch.Tensor) -> None:
    """The running ones."""
    norm.num_batches_tracked.add_(1)
    by = norm.momentum
    if by is None:                                      # the mean of all so far
        by = 1 / norm.num_batches_tracked.item()
    with torch.no_grad():
        for running, now in ((norm.running_mean, mean), (norm.running_var, variance)):
            running.mul_(1 - by).add_(now.to(running.dtype), alpha=by)


def _forward(norm: torch.nn.SyncBatchNorm, x: torch.Tensor) -> torch.Tensor:
    norm._check_input_dim(x)
    norm._check_non_zero_input_channels(x)
    together = norm.training and dist.is_available() and dist.is_initialized()
    group = norm.process_group or (dist.group.WORLD if together else None)
    if not together or dist.get_world_size(group) < 2:
        return torch.nn.modules.batchnorm._BatchNorm.forward(norm, x)
    with autocast.autocast('hpu', enabled=False), autocast.disable_casts():
        y, mean, squares, count = _Normalise.apply(x, norm.weight, norm.bias, norm.eps, group)
        if norm.track_running_stats:
            _follow(norm, mean, squares / (count - 1))
    return y


def patch() -> None:
    """The card's inputs only."""
    plain = torch.nn.SyncBatchNorm.forward

    @functools.wraps(plain)
    def forward(self: torch.nn.SyncBatchNorm, input: torch.Tensor) -> torch.Tensor:  # noqa: A002
        return _forward(self, input) if input.device.type == 'hpu' else plain(self, input)

    torch.nn.SyncBatchNorm.forward = forward            # type: ignore[method-assign]
