# SPDX-License-Identifier: MIT
"""The collectives of PyTorch 2 that DTensor and compiled graphs call: their results are new
tensors, and groups have names. PyTorch's own look for what is in C++ of a group."""

from typing import List

import torch
import torch.distributed as dist


def _group(name: str) -> dist.ProcessGroup:
    return dist.distributed_c10d._resolve_process_group(name)


def _op(name: str) -> dist.ReduceOp:
    return getattr(dist.ReduceOp, name.upper())


def all_reduce_(t: torch.Tensor, op: str, group: str) -> torch.Tensor:
    dist.all_reduce(t, _op(op), group=_group(group))
    return t


def all_reduce(t: torch.Tensor, op: str, group: str) -> torch.Tensor:
    return all_reduce_(t.clone(memory_format=torch.contiguous_format), op, group)


def broadcast(t: torch.Tensor, source: int, group: str) -> torch.Tensor:
    t = t.clone(memory_format=torch.contiguous_format)
    dist.broadcast(t, group_src=source, group=_group(group))
    return t


def all_gather_into_tensor(t: torch.Tensor, size: int, group: str) -> torch.Tensor:
    made = t.new_empty((t.shape[0] * size, *t.shape[1:]))
    dist.all_gather_into_tensor(made, t.contiguous(), group=_group(group))
    return made


def reduce_scatter_tensor(t: torch.Tensor, op: str, size: int, group: str) -> torch.Tensor:
    made = t.new_empty((t.shape[0] // size, *t.shape[1:]))
    dist.reduce_scatter_tensor(made, t.contiguous(), _op(op), group=_group(group))
    return made


def all_to_all_single(t: torch.Tensor, output: List[int], input: List[int],
                      group: str) -> torch.Tensor:
    made = t.new_empty((sum(output), *t.shape[1:]))
    dist.all_to_all_single(made, t.contiguous(), output, input, group=_group(group))
    return made


def register() -> torch.library.Library:
    """For as long as what it returns."""
    library = torch.library.Library('_c10d_functional', 'IMPL')
    for function in (all_reduce_, all_reduce, broadcast, all_gather_into_tensor,
                     reduce_scatter_tensor, all_to_all_single):
        library.impl(function.__name__, function, 'HPU')
    return library
