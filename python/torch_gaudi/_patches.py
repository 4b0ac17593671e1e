# SPDX-License-Identifier: MIT
"""What stock PyTorch does not know of the device: its module, checkpoints."""

import sys
from typing import Any

import torch
import torch.utils.data

from . import _compile, autocast, random


def _tag(storage: Any) -> Any:
    return 'hpu' if storage.device.type == 'hpu' else None


def _restore(storage: Any, location: str) -> Any:
    """A checkpoint's storages come to the CPU; torch.load() moves tensors from there. PyTorch 2
    has storages of the device, and packs and unpacks them itself."""
    if not location.startswith('hpu'):
        return None
    return storage


def _pin_for_hpu() -> None:
    """PyTorch 1.13's loader with workers has CUDA's device set, whatever memory is pinned for: -1
    sets none."""
    iterator = torch.utils.data.dataloader._MultiProcessingDataLoaderIter
    plain = iterator.__init__

    def begin(self: Any, loader: Any) -> None:
        if loader.pin_memory_device != 'hpu' or torch.cuda.is_available():
            plain(self, loader)
            return
        asked, torch.cuda.current_device = torch.cuda.current_device, lambda: -1
        try:
            plain(self, loader)
        finally:
            torch.cuda.current_device = asked

    iterator.__init__ = begin


def _record_stream() -> None:
    """Tensor.record_stream() takes torch.hpu.Stream, too."""
    plain = torch.Tensor.record_stream

    def record_stream(self: torch.Tensor, stream: Any) -> None:
        if self.device.type == 'hpu':
            torch.ops.torch_gaudi.record_stream(self, stream.stream_id)
        else:
            plain(self, stream)

    torch.Tensor.record_stream = record_stream


def _explicit_foreach() -> None:
    """clip_grad_norm_(foreach=True) of PyTorch 2 asks a list of devices."""
    clip = torch.nn.utils.clip_grad
    plain = getattr(clip, '_device_has_foreach_support', None)
    if plain is not None:
        clip._device_has_foreach_support = lambda d: d.type == 'hpu' or plain(d)


def apply(hpu: Any) -> None:
    """Once: torch.hpu, as a module that can be imported, and torch.save()."""
    if getattr(torch, 'hpu', None) is hpu:
        return
    if not hasattr(torch, 'hpu'):
        torch._register_device_module('hpu', hpu)
    sys.modules['torch.hpu'] = hpu
    sys.modules['torch.hpu.random'] = hpu.random
    if not hasattr(torch.serialization, 'validate_hpu_device'):
        torch.serialization.register_package(15, _tag, _restore)
    autocast.patch()
    random.patch()
    _compile.patch()
    _explicit_foreach()
    _pin_for_hpu()
    _record_stream()
