# SPDX-License-Identifier: MIT
"""Habana Gaudi cards from Python: libgaudi's devices, memory, streams, events,
recipes, graphs and links between cards. Needs nothing but the library; NumPy's arrays are
copied where there are any.

    import gaudi, numpy

    with gaudi.open() as device, device.stream() as stream:
        ours = device.alloc_host(4096)          # the card reaches it
        theirs = device.alloc(4096)             # memory of the card
        array = numpy.frombuffer(ours, numpy.float32)   # not a copy
        array[:] = 1.5
        stream.copy(theirs, ours)
        stream.copy(ours, theirs)
        stream.synchronize()

What fails raises gaudi.Error, with the library's code and its message; wrong
arguments raise TypeError and ValueError, and so does what was closed. Every call
lets other threads of Python run. Documentation/python.rst has more.
"""

from . import errors
from ._native import lib as _lib
from .device import Caps, Device, DeviceInfo, count, devices, open
from .errors import (AddressError, BindingError, BusyError, CaptureError,
                     DeviceLostError, Error, ForkedError, LinkError,
                     NotReadyError, OutOfMemoryError, RecipeError,
                     UnsupportedError)
from .graph import Capture, Graph, LinkOp, Node, NodeKind
from .kernels import (KernelInfo, KernelOperand, KernelScalar, kernel,
                      kernel_names)
from .launch import Launcher
from .link import (Link, LinkInfo, LinkState, PortFlags, PortInfo, Wait, Write,
                   WriteRows)
from .memory import DeviceBuffer, DeviceMemory, HostBuffer, MemoryStats, Pin
from .recipe import (Builder, Cache, CacheStats, KernelTensor, Kind,
                     MatrixFlags, Place, Recipe, RecipeInfo, Tensor, Type)
from .stream import Event, Stream


def version() -> str:
    """Of the library that runs."""
    number = _lib.gaudi_version()
    return f'{number >> 16}.{number >> 8 & 0xff}.{number & 0xff}'


__version__ = '0.1.0'

__all__ = [
    'AddressError', 'BindingError', 'Builder', 'BusyError', 'Cache',
    'CacheStats', 'Caps', 'Capture', 'CaptureError', 'Device', 'DeviceBuffer',
    'DeviceInfo', 'DeviceLostError', 'DeviceMemory', 'Error', 'Event',
    'ForkedError', 'Graph', 'HostBuffer', 'KernelInfo', 'KernelOperand',
    'KernelScalar', 'KernelTensor', 'Kind', 'Launcher', 'Link', 'LinkError',
    'LinkInfo', 'LinkOp', 'LinkState', 'MatrixFlags', 'MemoryStats', 'Node',
    'NodeKind', 'NotReadyError', 'OutOfMemoryError', 'Pin', 'Place',
    'PortFlags', 'PortInfo', 'Recipe', 'RecipeError', 'RecipeInfo', 'Stream',
    'Tensor', 'Type', 'UnsupportedError', 'Wait', 'Write', 'WriteRows', 'count',
    'devices', 'errors', 'kernel', 'kernel_names', 'open', 'version',
]
