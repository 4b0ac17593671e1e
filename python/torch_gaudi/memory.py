# SPDX-License-Identifier: MIT
"""torch.hpu.memory: what libgaudi counts of the card's memory."""

import ctypes
from typing import Any, Dict

from . import _native
from ._native import call as _call


def _stats() -> _native.MemoryStats:
    stats = _native.MemoryStats(size=ctypes.sizeof(_native.MemoryStats))
    _call('gt_memory_stats', ctypes.byref(stats))
    return stats


def memory_stats(device: Any = None) -> Dict[str, int]:
    s = _stats()
    return {'Limit': s.device_total, 'InUse': s.in_use, 'MaxInUse': s.in_use_peak,
            'NumAllocs': s.allocations, 'NumFrees': s.frees,
            'ActiveAllocs': s.allocations - s.frees, 'MaxAllocSize': s.reserved_peak,
            'TotalSystemAllocs': s.allocations - s.pool_hits,
            'TotalSystemFrees': 0, 'TotalActiveAllocs': s.allocations - s.frees}


def memory_allocated(device: Any = None) -> int:
    return _stats().in_use


def max_memory_allocated(device: Any = None) -> int:
    return _stats().in_use_peak


def memory_reserved(device: Any = None) -> int:
    return _stats().device_total


def max_memory_reserved(device: Any = None) -> int:
    return _stats().device_total


def mem_get_info(device: Any = None) -> tuple:
    s = _stats()
    return s.device_total - s.in_use, s.device_total


def memory_usage(device: Any = None) -> int:
    """Per cent of the memory that are in use."""
    s = _stats()
    return 100 * s.in_use // s.device_total


def reset_peak_memory_stats(device: Any = None) -> None:
    _call('gt_memory_reset_peak')


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """The counts of calls stay: libgaudi has them for the whole process."""


def empty_cache() -> None:
    """Give memory that is not used back to the driver."""
    _call('gt_memory_trim')


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    return '\n'.join(f'{name:20} {value}' for name, value in memory_stats().items())
