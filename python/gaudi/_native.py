# SPDX-License-Identifier: MIT
"""libgaudi.so.0 as ctypes sees it: where it is, structures, prototypes.

The headers (gaudi.h and those beside it) document each function; the test
tests/python/test_native.py compares this file with them.
"""

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, c_bool, c_char, c_char_p, c_int,
                    c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64,
                    c_void_p)
from typing import Any

MAX_RANK = 8
HANDLE = c_void_p
HOST_FN = CFUNCTYPE(None, c_void_p, c_int)
RELEASE_FN = CFUNCTYPE(None, c_void_p)


class SizedStructure(ctypes.Structure):
    """A structure that begins with its size."""

    def __init__(self) -> None:
        super().__init__()
        self.size = ctypes.sizeof(self)


class DeviceInfoStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('index', c_uint32),
        ('accel', c_uint32),
        ('module_id', c_uint32),
        ('pci_address', c_char * 16),
        ('name', c_char * 16),
        ('driver', c_char * 16),
        ('memory_size', c_uint64),
        ('sram_size', c_uint64),
        ('tpc_mask', c_uint32),
        ('caps', c_uint32),
    ]


class MemoryStatsStruct(SizedStructure):
    _fields_ = [('size', c_size_t)] + [(name, c_uint64) for name in (
        'in_use', 'in_use_peak', 'allocated', 'reserved', 'reserved_peak',
        'allocations', 'frees', 'pool_hits', 'failures', 'device_free',
        'device_total')]


class TensorDescStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('name', c_char_p),
        ('kind', c_uint32),
        ('type', c_uint32),
        ('place', c_uint32),
        ('rank', c_uint32),
        ('dims', c_uint64 * MAX_RANK),
        ('strides', c_uint64 * MAX_RANK),
        ('bytes', c_uint64),
        ('data', c_void_p),
        ('num_strides', c_uint32),
        ('reserved', c_uint32),
    ]


class RecipeInfoStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('name', c_char_p),
        ('num_tensors', c_uint32),
        ('num_events', c_uint32),
        ('num_engines', c_uint32),
        ('num_sync_objects', c_uint32),
        ('workspace_size', c_uint64),
        ('constants_size', c_uint64),
        ('packets_size', c_uint64),
        ('num_patches', c_uint64),
        ('revision_min', c_uint16),
        ('revision_max', c_uint16),
        ('num_kernels', c_uint32),
        ('num_links', c_uint32),
    ]


class Conv2dStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('stride', c_uint32 * 2),
        ('padding', c_uint32 * 2),
        ('dilation', c_uint32 * 2),
        ('groups', c_uint32),
        ('extra_padding', c_uint32 * 2),
        ('reserved', c_uint32),
    ]


class KernelTensorStruct(ctypes.Structure):
    _fields_ = [
        ('tensor', c_uint32),
        ('access', c_uint32),
        ('padding', c_uint32),
    ]


class KernelStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('name', c_char_p),
        ('object', c_void_p),
        ('object_size', c_size_t),
        ('num_tensors', c_uint32),
        ('tensors', KernelTensorStruct * 16),
        ('num_scalars', c_uint32),
        ('scalars', c_uint32 * 32),
        ('rank', c_uint32),
        ('index_space', c_uint32 * 5),
        ('tables', POINTER(c_uint32)),
    ]


class KernelOperandStruct(ctypes.Structure):
    _fields_ = [
        ('name', c_char_p),
        ('access', c_uint32),
        ('type', c_uint32),
        ('rank', c_uint32),
        ('shape', c_char_p),
    ]


class KernelScalarStruct(ctypes.Structure):
    _fields_ = [
        ('name', c_char_p),
        ('type', c_uint32),
        ('has_default', c_uint32),
        ('default_value', c_uint32),
        ('meaning', c_char_p),
    ]


class KernelDescriptionStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('name', c_char_p),
        ('computes', c_char_p),
        ('num_tensors', c_uint32),
        ('num_scalars', c_uint32),
        ('tensors', POINTER(KernelOperandStruct)),
        ('scalars', POINTER(KernelScalarStruct)),
    ]


class CacheStatsStruct(SizedStructure):
    _fields_ = [('size', c_size_t)] + [(name, c_uint64) for name in (
        'memory_hits', 'disk_hits', 'misses', 'puts', 'writes',
        'write_failures', 'evictions', 'memory_evictions', 'damaged',
        'memory_recipes', 'memory_bytes')]


class BindingStruct(ctypes.Structure):
    _fields_ = [
        ('name', c_char_p),
        ('tensor', c_uint32),
        ('reserved', c_uint32),
        ('address', c_uint64),
        ('memory', c_void_p),
        ('bytes', c_uint64),
    ]


class GraphNodeStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('kind', c_uint32),
        ('reserved', c_uint32),
        ('to', c_uint64),
        ('from_', c_uint64),
        ('to_memory', c_void_p),
        ('from_memory', c_void_p),
        ('to_pitch', c_uint64),
        ('from_pitch', c_uint64),
        ('width', c_uint64),
        ('height', c_uint64),
        ('pattern', c_uint64),
        ('recipe', c_void_p),
        ('num_ops', c_uint32),
        ('reserved2', c_uint32),
    ]


class PortInfoStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('port', c_uint32),
        ('flags', c_uint32),
        ('mac', c_uint8 * 6),
        ('reserved', c_uint16),
    ] + [(name, c_uint32) for name in (
        'ip', 'speed_mbps', 'peer_module', 'peer_port', 'links', 'max_links',
        'link_changes', 'errors')] + [(name, c_uint64) for name in (
            'tx_packets', 'tx_bytes', 'rx_packets', 'rx_bytes', 'retries',
            'out_of_order', 'duplicates', 'dropped')] + [
                ('timeout_retries', c_uint32)]


class PortParamsStruct(SizedStructure):
    _fields_ = [('size', c_size_t)] + [(name, c_uint32) for name in (
        'max_links', 'entries', 'timeout_retries', 'nack_retries')]


class LinkParamsStruct(SizedStructure):
    _fields_ = [('size', c_size_t)] + [(name, c_uint32) for name in (
        'port', 'ip', 'priority', 'timeout_log2', 'queue')]


class LinkAddressStruct(ctypes.Structure):
    _fields_ = [
        ('version', c_uint32),
        ('port', c_uint32),
        ('conn_id', c_uint32),
        ('key', c_uint32),
        ('psn', c_uint32),
        ('ip', c_uint32),
        ('mac', c_uint8 * 6),
        ('reserved', c_uint8 * 2),
        ('notify', c_uint32 * 2),
        ('notify_wrap', c_uint32),
        ('module_id', c_uint32),
        ('reserved2', c_uint8 * 16),
    ]


class LinkInfoStruct(SizedStructure):
    _fields_ = [
        ('size', c_size_t),
        ('port', c_uint32),
        ('conn_id', c_uint32),
        ('state', c_uint32),
        ('syndrome', c_uint32),
        ('writes', c_uint64),
        ('bytes', c_uint64),
        ('notified', c_uint64),
        ('waited', c_uint64),
        ('under_way', c_uint32),
        ('reserved', c_uint32),
    ]


class LinkOpStruct(ctypes.Structure):
    _fields_ = [
        ('link', HANDLE),
        ('kind', c_uint32),
        ('flags', c_uint32),
        ('from_', c_uint64),
        ('to', c_uint64),
        ('bytes', c_uint64),
        ('count', c_uint32),
        ('stride', c_uint32),
    ]


# What structures of the headers are called here.
STRUCTURES = {
    'gaudi_port_info': PortInfoStruct,
    'gaudi_port_params': PortParamsStruct,
    'gaudi_link_params': LinkParamsStruct,
    'gaudi_link_address': LinkAddressStruct,
    'gaudi_link_info': LinkInfoStruct,
    'gaudi_link_op': LinkOpStruct,
    'gaudi_device_info': DeviceInfoStruct,
    'gaudi_memory_stats': MemoryStatsStruct,
    'gaudi_tensor_desc': TensorDescStruct,
    'gaudi_binding': BindingStruct,
    'gaudi_graph_node': GraphNodeStruct,
    'gaudi_recipe_info': RecipeInfoStruct,
    'gaudi_conv2d': Conv2dStruct,
    'gaudi_kernel_tensor': KernelTensorStruct,
    'gaudi_kernel': KernelStruct,
    'gaudi_kernel_operand': KernelOperandStruct,
    'gaudi_kernel_scalar': KernelScalarStruct,
    'gaudi_kernel_description': KernelDescriptionStruct,
    'gaudi_cache_stats': CacheStatsStruct,
}

_PTR = c_uint64     # gaudi_ptr
_OUT_HANDLE = POINTER(HANDLE)
_OUT_PTR = POINTER(_PTR)
_OUT_U32 = POINTER(c_uint32)

# name: (result, arguments)
PROTOTYPES = {
    'gaudi_strerror': (c_char_p, [c_int]),
    'gaudi_last_error': (c_char_p, [POINTER(c_int)]),
    'gaudi_version': (c_uint32, []),

    'gaudi_device_count': (c_int, [_OUT_U32]),
    'gaudi_device_open': (c_int, [c_uint32, c_int, _OUT_HANDLE]),
    'gaudi_device_open_by_module_id': (c_int, [c_uint32, c_int, _OUT_HANDLE]),
    'gaudi_device_open_by_pci_address': (c_int, [c_char_p, c_int,
                                                 _OUT_HANDLE]),
    'gaudi_device_close': (c_int, [HANDLE]),
    'gaudi_device_get_info': (c_int, [HANDLE, POINTER(DeviceInfoStruct)]),
    'gaudi_device_fd': (c_int, [HANDLE]),
    'gaudi_device_give_up': (c_int, [HANDLE, c_char_p]),
    'gaudi_device_synchronize': (c_int, [HANDLE]),

    'gaudi_malloc': (c_int, [HANDLE, c_size_t, _OUT_PTR]),
    'gaudi_free': (c_int, [HANDLE, _PTR]),
    'gaudi_malloc_async': (c_int, [HANDLE, c_size_t, _OUT_PTR]),
    'gaudi_free_async': (c_int, [HANDLE, _PTR]),
    'gaudi_memory_get_range': (c_int, [HANDLE, _PTR, _OUT_PTR,
                                       POINTER(c_uint64)]),
    'gaudi_memory_get_stats': (c_int, [HANDLE, POINTER(MemoryStatsStruct)]),
    'gaudi_memory_reset_peak': (c_int, [HANDLE]),
    'gaudi_memory_trim': (c_int, [HANDLE, c_uint64]),

    'gaudi_host_alloc': (c_int, [HANDLE, c_size_t, POINTER(c_void_p)]),
    'gaudi_host_free': (c_int, [HANDLE, c_void_p]),
    'gaudi_host_register': (c_int, [HANDLE, c_void_p, c_size_t]),
    'gaudi_host_unregister': (c_int, [HANDLE, c_void_p]),
    'gaudi_host_get_device_address': (c_int, [HANDLE, c_void_p, _OUT_PTR]),
    'gaudi_host_get_range': (c_int, [HANDLE, c_void_p, POINTER(c_void_p),
                                     POINTER(c_size_t)]),

    'gaudi_stream_create': (c_int, [HANDLE, _OUT_HANDLE]),
    'gaudi_stream_create_apart': (c_int, [HANDLE, c_uint32, _OUT_HANDLE]),
    'gaudi_stream_destroy': (c_int, [HANDLE]),
    'gaudi_stream_synchronize': (c_int, [HANDLE]),
    'gaudi_stream_query': (c_int, [HANDLE]),
    'gaudi_stream_recover': (c_int, [HANDLE]),
    'gaudi_stream_wait_event': (c_int, [HANDLE, HANDLE]),
    'gaudi_stream_wait_order': (c_int, [HANDLE, HANDLE]),
    'gaudi_stream_add_host_fn': (c_int, [HANDLE, HOST_FN, c_void_p]),
    'gaudi_stream_add_owned_fn': (c_int, [HANDLE, HOST_FN, c_void_p,
                                          RELEASE_FN]),
    'gaudi_host_fn_fail': (c_int, [c_int, c_char_p]),
    'gaudi_stream_begin_batch': (c_int, [HANDLE]),
    'gaudi_stream_end_batch': (c_int, [HANDLE]),

    'gaudi_event_create': (c_int, [HANDLE, c_uint32, _OUT_HANDLE]),
    'gaudi_event_destroy': (c_int, [HANDLE]),
    'gaudi_event_record': (c_int, [HANDLE, HANDLE]),
    'gaudi_event_query': (c_int, [HANDLE]),
    'gaudi_event_synchronize': (c_int, [HANDLE]),
    'gaudi_event_elapsed_ns': (c_int, [HANDLE, HANDLE, POINTER(c_int64)]),

    'gaudi_copy_to_device_async': (c_int, [HANDLE, _PTR, c_void_p, c_size_t]),
    'gaudi_copy_to_host_async': (c_int, [HANDLE, c_void_p, _PTR, c_size_t]),
    'gaudi_copy_device_async': (c_int, [HANDLE, _PTR, _PTR, c_size_t]),
    'gaudi_fill_async': (c_int, [HANDLE, _PTR, c_uint64, c_uint32, c_size_t]),
    'gaudi_copy_to_device_2d_async': (c_int, [HANDLE, _PTR, c_size_t, c_void_p,
                                              c_size_t, c_size_t, c_size_t]),
    'gaudi_copy_to_host_2d_async': (c_int, [HANDLE, c_void_p, c_size_t, _PTR,
                                            c_size_t, c_size_t, c_size_t]),
    'gaudi_copy_device_2d_async': (c_int, [HANDLE, _PTR, c_size_t, _PTR,
                                           c_size_t, c_size_t, c_size_t]),
    'gaudi_copy_to_device': (c_int, [HANDLE, _PTR, c_void_p, c_size_t]),
    'gaudi_copy_to_host': (c_int, [HANDLE, c_void_p, _PTR, c_size_t]),
    'gaudi_copy_device': (c_int, [HANDLE, _PTR, _PTR, c_size_t]),
    'gaudi_fill': (c_int, [HANDLE, _PTR, c_uint64, c_uint32, c_size_t]),

    'gaudi_cabling_get_peer': (c_int, [c_uint32, c_uint32, _OUT_U32,
                                       _OUT_U32]),
    'gaudi_device_get_ports': (c_int, [HANDLE, _OUT_U32]),
    'gaudi_port_get_info': (c_int, [HANDLE, c_uint32,
                                    POINTER(PortInfoStruct)]),
    'gaudi_port_open': (c_int, [HANDLE, c_uint32, POINTER(PortParamsStruct)]),
    'gaudi_link_create': (c_int, [HANDLE, POINTER(LinkParamsStruct),
                                  _OUT_HANDLE]),
    'gaudi_link_get_address': (c_int, [HANDLE, POINTER(LinkAddressStruct)]),
    'gaudi_link_connect': (c_int, [HANDLE, POINTER(LinkAddressStruct)]),
    'gaudi_link_get_info': (c_int, [HANDLE, POINTER(LinkInfoStruct)]),
    'gaudi_link_abort': (c_int, [HANDLE]),
    'gaudi_link_abort_because': (c_int, [HANDLE, c_char_p]),
    'gaudi_link_destroy': (c_int, [HANDLE]),
    'gaudi_link_post_async': (c_int, [HANDLE, POINTER(LinkOpStruct),
                                      c_uint32]),
    'gaudi_link_write_async': (c_int, [HANDLE, HANDLE, c_uint64, _PTR,
                                       c_uint64, c_uint32]),
    'gaudi_link_wait_async': (c_int, [HANDLE, HANDLE, c_uint32]),
    'gaudi_copy_peer_async': (c_int, [HANDLE, HANDLE, _PTR, _PTR, c_size_t]),
    'gaudi_copy_peer': (c_int, [HANDLE, _PTR, HANDLE, _PTR, c_size_t]),

    'gaudi_type_size': (c_uint32, [c_uint32]),
    'gaudi_type_name': (c_char_p, [c_uint32]),
    'gaudi_builder_create': (c_int, [c_char_p, _OUT_HANDLE]),
    'gaudi_builder_destroy': (c_int, [HANDLE]),
    'gaudi_builder_add_tensor': (c_int, [HANDLE, POINTER(TensorDescStruct),
                                         _OUT_U32]),
    'gaudi_builder_add_copy': (c_int, [HANDLE, c_uint32, c_uint32, _OUT_U32]),
    'gaudi_builder_add_copy_bytes': (c_int, [HANDLE, c_uint32, c_uint64,
                                             c_uint32, c_uint64, c_uint64,
                                             _OUT_U32]),
    'gaudi_builder_add_copy_2d': (c_int, [HANDLE, c_uint32, c_uint64, c_uint64,
                                          c_uint32, c_uint64, c_uint64,
                                          c_uint64, c_uint64, _OUT_U32]),
    'gaudi_builder_add_fill': (c_int, [HANDLE, c_uint32, c_uint64, _OUT_U32]),
    'gaudi_builder_add_signal': (c_int, [HANDLE, c_char_p, c_uint32,
                                         _OUT_U32]),
    'gaudi_builder_begin_part': (c_int, [HANDLE]),
    'gaudi_builder_add_link_wait': (c_int, [HANDLE, c_char_p, c_uint32]),
    'gaudi_builder_add_link_write': (c_int, [
        HANDLE, c_char_p, c_uint64, c_uint32, c_uint64, c_uint64, c_uint32]),
    'gaudi_builder_add_order': (c_int, [HANDLE, c_uint32, c_uint32]),
    'gaudi_builder_add_matmul': (c_int, [HANDLE, c_uint32, c_uint32, c_uint32,
                                         c_uint32, _OUT_U32]),
    'gaudi_builder_add_conv2d': (c_int, [HANDLE, c_uint32, c_uint32, c_uint32,
                                         POINTER(Conv2dStruct), c_uint32,
                                         _OUT_U32]),
    'gaudi_builder_add_conv2d_data': (c_int, [
        HANDLE, c_uint32, c_uint32, c_uint32, POINTER(Conv2dStruct), c_uint32,
        _OUT_U32]),
    'gaudi_builder_add_conv2d_weights': (c_int, [
        HANDLE, c_uint32, c_uint32, c_uint32, POINTER(Conv2dStruct), c_uint32,
        _OUT_U32]),
    'gaudi_builder_add_kernel': (c_int, [HANDLE, POINTER(KernelStruct),
                                         _OUT_U32]),
    'gaudi_builder_add_library_kernel': (c_int, [
        HANDLE, c_char_p, c_uint32, POINTER(c_uint32), c_uint32,
        POINTER(c_uint32), _OUT_U32]),
    'gaudi_kernel_describe': (c_int, [
        c_char_p, POINTER(KernelDescriptionStruct)]),
    'gaudi_kernel_name': (c_char_p, [c_uint32]),
    'gaudi_builder_build': (c_int, [HANDLE, _OUT_HANDLE]),
    'gaudi_recipe_retain': (c_int, [HANDLE]),
    'gaudi_recipe_release': (c_int, [HANDLE]),
    'gaudi_recipe_get_info': (c_int, [HANDLE, POINTER(RecipeInfoStruct)]),
    'gaudi_recipe_get_tensor': (c_int, [HANDLE, c_uint32,
                                        POINTER(TensorDescStruct)]),
    'gaudi_recipe_find_tensor': (c_int, [HANDLE, c_char_p, _OUT_U32]),
    'gaudi_recipe_get_event': (c_char_p, [HANDLE, c_uint32]),
    'gaudi_recipe_get_link': (c_char_p, [HANDLE, c_uint32]),
    'gaudi_recipe_from_memory': (c_int, [c_void_p, c_size_t, _OUT_HANDLE]),
    'gaudi_recipe_load': (c_int, [c_char_p, _OUT_HANDLE]),
    'gaudi_recipe_to_memory': (c_int, [HANDLE, POINTER(c_void_p),
                                       POINTER(c_size_t)]),
    'gaudi_recipe_save': (c_int, [HANDLE, c_char_p]),
    'gaudi_recipe_disassemble': (c_int, [HANDLE, c_void_p]),

    'gaudi_cache_open': (c_int, [c_char_p, _OUT_HANDLE]),
    'gaudi_cache_close': (c_int, [HANDLE]),
    'gaudi_cache_get': (c_int, [HANDLE, c_char_p, c_size_t, _OUT_HANDLE]),
    'gaudi_cache_put': (c_int, [HANDLE, c_char_p, c_size_t, HANDLE]),
    'gaudi_cache_flush': (c_int, [HANDLE]),
    'gaudi_cache_get_stats': (c_int, [HANDLE, POINTER(CacheStatsStruct)]),

    'gaudi_launcher_create': (c_int, [HANDLE, HANDLE, _OUT_HANDLE]),
    'gaudi_launcher_destroy': (c_int, [HANDLE]),
    'gaudi_launcher_bind': (c_int, [HANDLE, POINTER(BindingStruct),
                                    c_uint32]),
    'gaudi_launcher_bind_event': (c_int, [HANDLE, c_char_p, HANDLE]),
    'gaudi_launcher_bind_link': (c_int, [HANDLE, c_char_p, HANDLE, c_uint64]),
    'gaudi_stream_begin_capture': (c_int, [HANDLE]),
    'gaudi_stream_end_capture': (c_int, [HANDLE, _OUT_HANDLE]),
    'gaudi_stream_is_capturing': (c_int, [HANDLE, POINTER(c_bool)]),
    'gaudi_graph_destroy': (c_int, [HANDLE]),
    'gaudi_graph_launch': (c_int, [HANDLE, HANDLE]),
    'gaudi_graph_get_node_count': (c_int, [HANDLE, _OUT_U32]),
    'gaudi_graph_get_link_op': (c_int, [HANDLE, c_uint32, c_uint32,
                                        POINTER(LinkOpStruct)]),
    'gaudi_graph_set_link_op': (c_int, [HANDLE, c_uint32, c_uint32,
                                        POINTER(LinkOpStruct)]),
    'gaudi_graph_get_node': (c_int, [HANDLE, c_uint32,
                                     POINTER(GraphNodeStruct)]),
    'gaudi_graph_set_node': (c_int, [HANDLE, c_uint32,
                                     POINTER(GraphNodeStruct)]),
    'gaudi_graph_bind': (c_int, [HANDLE, c_uint32, POINTER(BindingStruct),
                                 c_uint32]),
    'gaudi_graph_replace': (c_int, [HANDLE, _PTR, _PTR, c_uint64]),
    'gaudi_graph_replace_host': (c_int, [HANDLE, c_void_p, c_void_p,
                                         c_uint64]),

    'gaudi_launch': (c_int, [HANDLE, POINTER(BindingStruct), c_uint32,
                             HANDLE]),
}


def _candidates() -> Any:
    """Where the library may be, the likeliest first."""
    here = os.path.dirname(os.path.realpath(__file__))
    # PREFIX/lib/pythonX/dist-packages/gaudi, and python/gaudi of the sources.
    yield os.path.join(here, '../../../libgaudi.so.0')
    yield os.path.join(here, '../../build/thunk/lib/libgaudi.so.0')


def _load() -> ctypes.CDLL:
    path = os.environ.get('GAUDI_LIBRARY')
    if not path:
        path = next((os.path.realpath(p) for p in _candidates()
                     if os.path.exists(p)), 'libgaudi.so.0')
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f'libgaudi.so.0 cannot be loaded: {error}; "make install" puts it '
            'where it is found, or GAUDI_LIBRARY names the file') from error
    for name, (result, arguments) in PROTOTYPES.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f'{path} has no {name}(): it is older than '
                              'this module') from None
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()
libc = ctypes.CDLL(None)
libc.free.argtypes = [c_void_p]
libc.free.restype = None
libc.open_memstream.argtypes = [POINTER(c_void_p), POINTER(c_size_t)]
libc.open_memstream.restype = c_void_p
libc.fclose.argtypes = [c_void_p]


class PyBuffer(ctypes.Structure):
    """What the buffer protocol hands out."""

    _fields_ = [
        ('buf', c_void_p),
        ('obj', ctypes.py_object),
        ('len', ctypes.c_ssize_t),
        ('itemsize', ctypes.c_ssize_t),
        ('readonly', c_int),
        ('ndim', c_int),
        ('format', c_char_p),
        ('shape', POINTER(ctypes.c_ssize_t)),
        ('strides', POINTER(ctypes.c_ssize_t)),
        ('suboffsets', POINTER(ctypes.c_ssize_t)),
        ('internal', c_void_p),
    ]


_PYBUF_WRITABLE = 0x1
_PYBUF_STRIDES = 0x10 | 0x8
_PYBUF_FORMAT = 0x4

get_buffer = ctypes.pythonapi.PyObject_GetBuffer
get_buffer.argtypes = [ctypes.py_object, POINTER(PyBuffer), c_int]
get_buffer.restype = c_int
release_buffer = ctypes.pythonapi.PyBuffer_Release
release_buffer.argtypes = [POINTER(PyBuffer)]
release_buffer.restype = None
STRIDED = _PYBUF_STRIDES | _PYBUF_FORMAT
STRIDED_WRITABLE = STRIDED | _PYBUF_WRITABLE
