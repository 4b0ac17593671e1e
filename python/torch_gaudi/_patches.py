# SPDX-License-Identifier: MIT
"""What stock PyTorch does not know of the device: its module, checkpoints."""

import sys
from typing import Any

import torch

from . import autocast


def _tag(storage: Any) -> Any:
    return 'hpu' if storage.device.type == 'hpu' else None


def _restore(storage: Any, location: str) -> Any:
    """A checkpoint's storages come to the CPU; torch.load() moves tensors from there."""
    if not location.startswith('hpu'):
        return None
    return storage


def apply(hpu: Any) -> None:
    """Once: torch.hpu, as a module that can be imported, and torch.save()."""
    if getattr(torch, 'hpu', None) is hpu:
        return
    if not hasattr(torch, 'hpu'):
        torch._register_device_module('hpu', hpu)
    sys.modules['torch.hpu'] = hpu
    sys.modules['torch.hpu.random'] = hpu.random
    torch.serialization.register_package(15, _tag, _restore)
    autocast.patch()
