# SPDX-License-Identifier: MIT
import torch
import torch_gaudi                                      # noqa: F401 - registers the device


def is_lazy() -> bool:
    """Whether operators are collected until mark_step()."""
    return torch.hpu.is_lazy()
