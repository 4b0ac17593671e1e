# SPDX-License-Identifier: MIT
"""What stock PyTorch does not know of the device: its module, checkpoints."""

import functools
import sys
from typing import Any

import torch
import torch.profiler
import torch.utils.data

from . import _checkpoints, _compile, _optimizers, _sync_norm, autocast, random


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


def _is_hpu() -> None:
    """Tensor.is_hpu, as other devices have it."""
    if not hasattr(torch.Tensor, 'is_hpu'):
        torch.Tensor.is_hpu = property(                 # type: ignore[attr-defined]
            lambda self: self.device.type == 'hpu')


def _pin_without_device() -> None:
    """PyTorch 1.13 pins for CUDA if nothing is said; a machine with a card and without CUDA means
    the card, as it does in PyTorch 2."""
    if hasattr(torch, 'accelerator'):
        return

    def default(plain: Any) -> Any:
        @functools.wraps(plain)
        def call(self: torch.Tensor, device: Any = None) -> Any:
            if device is None and not torch.cuda.is_available():
                device = 'hpu'
            return plain(self) if device is None else plain(self, device)
        return call

    torch.Tensor.pin_memory = default(torch.Tensor.pin_memory)
    torch.Tensor.is_pinned = default(torch.Tensor.is_pinned)


def _storage_files() -> None:
    """PyTorch 2 writes and reads a storage as bytes at its address when it pickles, and where a
    checkpoint is of the old format: the card's go by the host's memory."""
    storage = torch.UntypedStorage
    if not hasattr(torch, 'accelerator'):
        return
    write, read = storage._write_file, storage._set_from_file

    def _write_file(self: Any, *args: Any) -> None:
        write(self.cpu() if self.device.type == 'hpu' else self, *args)

    def _set_from_file(self: Any, *args: Any) -> Any:
        if self.device.type != 'hpu':
            return read(self, *args)
        host = storage(self.nbytes())
        read(host, *args)
        self.copy_(host)
        return self

    storage._write_file = _write_file                   # type: ignore[method-assign]
    storage._set_from_file = _set_from_file             # type: ignore[method-assign]


def _profiler() -> None:
    """What scripts ask torch.profiler for: the CPU's, where the card's work is seen as the
    operators that give it."""
    activity = torch.profiler.ProfilerActivity
    if not hasattr(activity, 'HPU'):
        activity.HPU = activity.CPU                     # type: ignore[attr-defined]


def _explicit_foreach() -> None:
    """clip_grad_norm_(foreach=True) of PyTorch 2 asks a list of devices."""
    clip = torch.nn.utils.clip_grad
    plain = getattr(clip, '_device_has_foreach_support', None)
    if plain is not None:
        clip._device_has_foreach_support = lambda d: d.type == 'hpu' or plain(d)


def _fused_optimizers() -> None:
    """PyTorch 2's optimizers ask lists of devices before they take fused=True or capturable."""
    optimizer = sys.modules[torch.optim.Optimizer.__module__]

    def with_hpu(plain: Any) -> Any:
        return lambda *args, **kwargs: [*plain(*args, **kwargs), 'hpu']

    for name in ('_get_fused_kernels_supported_devices', '_get_capturable_supported_devices'):
        plain = getattr(optimizer, name, None)
        if plain is not None and 'hpu' not in plain():
            setattr(optimizer, name, with_hpu(plain))


def apply(hpu: Any) -> None:
    """Once: torch.hpu, as a module that can be imported, and torch.save()."""
    if getattr(torch, 'hpu', None) is hpu:
        return
    if not hasattr(torch, 'hpu'):
        torch._register_device_module('hpu', hpu)
    sys.modules['torch.hpu'] = hpu
    for name in ('graphs', 'memory', 'metrics', 'random', 'streams'):
        sys.modules['torch.hpu.' + name] = getattr(hpu, name)
    _checkpoints.patch()
    autocast.patch()
    random.patch()
    _compile.patch()
    _sync_norm.patch()
    _explicit_foreach()
    _fused_optimizers()
    _optimizers.patch()
    _pin_for_hpu()
    _record_stream()
    _is_hpu()
    _pin_without_device()
    _storage_files()
    _profiler()
