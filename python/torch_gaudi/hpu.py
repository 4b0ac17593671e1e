# SPDX-License-Identifier: MIT
"""torch.hpu: the card, its memory, streams and events, and what ran on the CPU instead."""

import atexit
import contextlib
import ctypes
import os
import sys
import traceback
import warnings
from typing import Any, Dict, NamedTuple, Optional

import torch

from . import _native
from . import graphs, memory, metrics, random, streams                              # noqa: F401
from .autocast import (get_autocast_hpu_dtype, is_autocast_hpu_enabled,
                       set_autocast_hpu_dtype, set_autocast_hpu_enabled)
from ._native import call as _call, lib as _lib
from .graphs import HPUGraph, ModuleCacher, graph, make_graphed_callables, wrap_in_hpu_graph
from .memory import (empty_cache, max_memory_allocated, max_memory_reserved, mem_get_info,
                     memory_allocated, memory_reserved, memory_stats, memory_summary,
                     memory_usage, reset_accumulated_memory_stats, reset_peak_memory_stats)
from .random import (default_generators, get_rng_state, get_rng_state_all, initial_seed,
                     manual_seed, manual_seed_all, seed, seed_all, set_rng_state,
                     set_rng_state_all)
from .streams import (Event, Stream, StreamContext, current_stream, default_stream, set_stream,
                      stream)


def is_available() -> bool:
    """Whether this process can see a card. Never raises."""
    return _lib.gt_device_count() > 0


def device_count() -> int:
    """How many cards this process can see; it uses one of them, hpu:0."""
    return _lib.gt_device_count()


def init() -> None:
    """Open the card, which else its first use does."""
    _call('gt_open')


_lazy_init = init


def is_initialized() -> bool:
    return bool(_lib.gt_is_open())


def current_device() -> int:
    return 0


def _index(device: Any) -> int:
    if device is None:
        return 0
    if isinstance(device, int):
        return device
    device = torch.device(device)
    if device.type != 'hpu':
        raise ValueError(f'a device of type hpu is expected, not {device}')
    return device.index or 0


def set_device(device: Any) -> None:
    """Which card, by the number of its slot: before the card is used first."""
    index = _index(device)
    if not is_initialized():
        if device_count() > 1:
            os.environ['HLS_MODULE_ID'] = str(index)
    elif index and os.environ.get('HLS_MODULE_ID') != str(index):
        raise RuntimeError(f'hpu: the card is open, it cannot be changed to {index}')


class device:                                           # noqa: N801 - as torch.cuda has it
    """A context in which hpu:0 is current, which it always is."""

    def __init__(self, device: Any) -> None:
        self.idx = _index(device)

    def __enter__(self) -> 'device':
        return self

    def __exit__(self, *exc: Any) -> None:
        return None


class device_of(device):                                # noqa: N801
    def __init__(self, obj: torch.Tensor) -> None:
        super().__init__(0)


def synchronize(device: Any = None) -> None:
    """Wait until all work has ended; its first failure is raised."""
    _call('gt_synchronize')


def recover() -> None:
    """After a failure that the program has been told of: all work ends, and streams that had
    failed work again, as what waited for a collective whose ranks or links have failed. Of
    tensors that they were to write, nothing is known. A new process group is to be made."""
    _call('gt_recover')


def _info() -> _native.DeviceInfo:
    info = _native.DeviceInfo(size=ctypes.sizeof(_native.DeviceInfo))
    _call('gt_device_info', ctypes.byref(info))
    return info


def get_device_name(device: Any = None) -> str:
    if not is_available():
        warnings.warn('hpu: there is no card')
        return ''
    return 'GAUDI'


def get_device_capability(device: Any = None) -> str:
    return 'GAUDI'


class DeviceProperties(NamedTuple):
    name: str
    driver: str
    pci_address: str
    module_id: int
    total_memory: int
    sram_size: int
    tpc_mask: int


def get_device_properties(device: Any = None) -> DeviceProperties:
    info = _info()
    return DeviceProperties(info.name.decode() or 'GAUDI', info.driver.decode(),
                            info.pci_address.decode(), info.module_id,
                            info.memory_size, info.sram_size, info.tpc_mask)


def is_bf16_supported() -> bool:
    return True


def can_device_access_peer(device: Any, peer: Any) -> bool:
    return False


def get_arch_list() -> list:
    return ['gaudi']


def setDeterministic(value: bool) -> None:              # noqa: N802 - the vendor's name
    """All kernels are deterministic: nothing to do."""


def getDeterministic() -> bool:                         # noqa: N802
    return True


def utilization(device: Any = None) -> int:
    raise NotImplementedError('hpu: utilization(): the card does not count what it is busy with')


# What ran on the CPU

class Fallback(NamedTuple):
    count: int
    why: str


def fallbacks() -> Dict[str, Fallback]:
    """By operator: how often the CPU did it, and why the first time."""
    found = {}
    for line in _lib.gt_fallbacks().decode().splitlines():
        name, count, why = line.split('\t', 2)
        found[name] = Fallback(int(count), why)
    return found


def reset_fallbacks() -> None:
    _lib.gt_reset_fallbacks()


@contextlib.contextmanager
def fallback_mode(mode: str):
    """GT_FALLBACK for a block of code: "warn", "silent" or "error"."""
    _call('gt_set_fallback_mode', mode.encode())
    try:
        yield
    finally:
        _call('gt_set_fallback_mode', os.environ.get('GT_FALLBACK', '').encode())


def launch_stats() -> Dict[str, int]:
    """Launches so far, recipes built for them, how many were dropped and are kept."""
    stats = _native.LaunchStats()
    _lib.gt_launch_stats(ctypes.byref(stats))
    return {name: getattr(stats, name) for name, _ in stats._fields_}


# Lazy mode

def is_lazy() -> bool:
    """Whether operators are collected, and run at mark_step() or when a result is wanted."""
    lazy = ctypes.c_int()
    _call('gt_is_lazy', ctypes.byref(lazy))
    return bool(lazy.value)


@contextlib.contextmanager
def lazy_mode(lazy: bool = True):
    """Another mode than that of PT_HPU_LAZY_MODE, for a block of code and all threads."""
    before = is_lazy()
    _call('gt_set_lazy', lazy)
    try:
        yield
    finally:
        _call('gt_set_lazy', before)


def mark_step() -> None:
    """What lazy mode has collected goes to the card."""
    _call('gt_flush')


def lazy_stats() -> Dict[str, int]:
    """Of lazy mode: flushes, the graphs that were made for them, how often one was used again,
    nodes of these that got other places, and graphs that were dropped and are kept; and how
    many operations were collected."""
    stats = _native.LazyStats()
    _lib.gt_lazy_stats(ctypes.byref(stats))
    return {name: getattr(stats, name) for name, _ in stats._fields_}


def _where() -> str:
    """The caller's line: the innermost one that is not PyTorch's or ours."""
    ours = (os.path.dirname(os.path.abspath(__file__)), os.path.dirname(torch.__file__))
    for frame in reversed(traceback.extract_stack()):
        if not frame.filename.startswith(ours) and not frame.filename.startswith('<'):
            return f'{frame.filename}:{frame.lineno}'
    return 'a thread of PyTorch'


@_native.LISTENER
def _listener(name: bytes, why: bytes) -> None:
    print(f'hpu: {name.decode()} runs on the CPU ({why.decode()}), first at {_where()}; '
          'torch.hpu.fallbacks() counts, GT_FALLBACK=silent is silent', file=sys.stderr)


_lib.gt_set_fallback_listener(_listener)

_process = os.getpid()
_last: Optional[torch.Tensor] = None


@atexit.register
def _end_of_backward() -> None:
    """Wait for autograd's thread of the device. It drops a graph after the caller of backward()
    has gone on; a node of Python's in it needs the interpreter, and without one, PyTorch ends
    the process by abort(). A backward pass of nothing comes behind that."""
    global _last
    if not is_initialized() or os.getpid() != _process:
        return
    # Nothing of Python's may be the thread's to drop: so this lives on.
    _last = torch.empty(0, device='hpu', requires_grad=True)
    with contextlib.suppress(RuntimeError):
        _last.backward(torch.empty_like(_last))


@atexit.register
def _table() -> None:
    if os.environ.get('GT_FALLBACK_TABLE', '0') in ('', '0'):
        return
    print('hpu: operators that ran on the CPU:', file=sys.stderr)
    for name, fallback in sorted(fallbacks().items(), key=lambda i: -i[1].count):
        print(f'{fallback.count:9} {name}: {fallback.why}', file=sys.stderr)
