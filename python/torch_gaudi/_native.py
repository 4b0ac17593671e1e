# SPDX-License-Identifier: MIT
"""The library of C++ (csrc/): where it is, and its functions (framework/capi.cpp) by ctypes."""

import contextlib
import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, c_char, c_char_p, c_int, c_int64,
                    c_size_t, c_uint32, c_uint64, c_void_p)

import torch

NAME = 'libtorch_gaudi.so'
LISTENER = CFUNCTYPE(None, c_char_p, c_char_p)


class DeviceInfo(ctypes.Structure):
    """gaudi_device_info of gaudi.h."""
    _fields_ = [('size', c_size_t), ('index', c_uint32), ('accel', c_uint32),
                ('module_id', c_uint32), ('pci_address', c_char * 16),
                ('name', c_char * 16), ('driver', c_char * 16),
                ('memory_size', c_uint64), ('sram_size', c_uint64),
                ('tpc_mask', c_uint32), ('caps', c_uint32)]


class MemoryStats(ctypes.Structure):
    """gaudi_memory_stats of gaudi.h."""
    _fields_ = [('size', c_size_t)] + [(name, c_uint64) for name in (
        'in_use', 'in_use_peak', 'allocated', 'reserved', 'reserved_peak',
        'allocations', 'frees', 'pool_hits', 'failures', 'device_free',
        'device_total')]


class LaunchStats(ctypes.Structure):
    """LaunchStats of csrc/launch/launch.h."""
    _fields_ = [(name, c_uint64) for name in (
        'launches', 'recipes', 'evictions', 'kept')]


class LazyStats(ctypes.Structure):
    """LazyStats of csrc/work/lazy.h."""
    _fields_ = [(name, c_uint64) for name in (
        'flushes', 'graphs', 'hits', 'binds', 'evictions', 'kept', 'collected')]


def find_library() -> str:
    """TORCH_GAUDI_LIBRARY, or beside this file, or in the tree's build folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    build = os.environ.get('GAUDI_BUILD') or os.path.join(here, '..', '..', 'build')
    wanted = os.environ.get('TORCH_GAUDI_LIBRARY')
    places = [wanted] if wanted else [os.path.join(here, NAME),
                                      os.path.join(build, 'torch', NAME)]
    for path in places:
        if os.path.exists(path):
            return os.path.abspath(path)
    raise ImportError(f'torch_gaudi: there is no {NAME} in {" or ".join(places)}; '
                      'build it by "make torch", or name it by TORCH_GAUDI_LIBRARY')


path = find_library()
torch.ops.load_library(path)
lib = ctypes.CDLL(path)


def _prototype(name, result, *arguments):
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments


_prototype('gt_error', c_char_p)
_prototype('gt_device_count', c_int)
_prototype('gt_is_open', c_int)
_prototype('gt_open', c_int)
_prototype('gt_device_info', c_int, POINTER(DeviceInfo))
_prototype('gt_synchronize', c_int)
_prototype('gt_recover', c_int)
_prototype('gt_memory_stats', c_int, POINTER(MemoryStats))
_prototype('gt_memory_reset_peak', c_int)
_prototype('gt_memory_trim', c_int)
_prototype('gt_stream_create', c_int, POINTER(c_int64))
_prototype('gt_stream_create_shared', c_int, POINTER(c_int64), POINTER(c_void_p))
_prototype('gt_stream_exchange', c_int64, c_int64)
_prototype('gt_stream_current', c_int64)
_prototype('gt_stream_synchronize', c_int, c_int64)
_prototype('gt_stream_query', c_int, c_int64, POINTER(c_int))
_prototype('gt_stream_wait_event', c_int, c_int64, c_void_p)
_prototype('gt_event_create', c_int, c_int, POINTER(c_void_p))
_prototype('gt_event_destroy', None, c_void_p)
_prototype('gt_event_record', c_int, c_void_p, c_int64)
_prototype('gt_event_query', c_int, c_void_p, POINTER(c_int))
_prototype('gt_event_synchronize', c_int, c_void_p)
_prototype('gt_event_elapsed', c_int, c_void_p, c_void_p, POINTER(c_int64))
_prototype('gt_capture_begin', c_int)
_prototype('gt_capture_end', c_int, POINTER(c_void_p))
_prototype('gt_capture_drop', None)
_prototype('gt_graph_launch', c_int, c_void_p)
_prototype('gt_graph_destroy', None, c_void_p)
_prototype('gt_launch_stats', None, POINTER(LaunchStats))
_prototype('gt_lazy_stats', None, POINTER(LazyStats))
_prototype('gt_flush', c_int)
_prototype('gt_begin_together', None)
_prototype('gt_end_together', c_int)
_prototype('gt_is_lazy', c_int, POINTER(c_int))
_prototype('gt_set_lazy', c_int, c_int)
_prototype('gt_set_fallback_listener', None, LISTENER)
_prototype('gt_set_fallback_mode', c_int, c_char_p)
_prototype('gt_reset_fallbacks', None)
_prototype('gt_fallbacks', c_char_p)
_prototype('gt_trust_indexes', None, c_int)


def call(name, *arguments):
    """A function that returns 0, or raises what it says."""
    failed = getattr(lib, name)(*arguments)
    if failed:
        kind = IndexError if failed == -2 else RuntimeError
        raise kind(lib.gt_error().decode())


@contextlib.contextmanager
def together():
    """What the card gets to do in a block of code is collected, and goes to it as one."""
    lib.gt_begin_together()
    try:
        yield
    except BaseException:
        # What was the matter is being told.
        lib.gt_end_together()
        raise
    call('gt_end_together')
