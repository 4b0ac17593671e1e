# SPDX-License-Identifier: MIT
"""Device memory, and host memory that the card reaches."""

import ctypes
import errno
import mmap
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import errors
from ._handle import Closable, close_forgotten, finalize, number
from ._native import lib
from ._span import Span

if TYPE_CHECKING:
    from .device import Device
    from .stream import Stream

HUGE_PAGE = 2 << 20


class MemoryStats(NamedTuple):
    """What the pool of device memory has done, in bytes and calls."""

    in_use: int             # bytes that programs asked for
    in_use_peak: int
    allocated: int          # bytes of blocks in use
    reserved: int           # bytes taken from the driver
    reserved_peak: int
    allocations: int        # calls so far
    frees: int
    pool_hits: int          # served without the driver
    failures: int
    device_free: int        # what the driver could still give
    device_total: int


class DeviceMemory:
    """A range of a card's memory. Slices are ranges of the same memory:
    "memory[4096:8192]"."""

    def __init__(self, device: 'Device', address: int, size: int,
                 base: Optional['DeviceMemory'] = None) -> None:
        self._device = device
        self._address = address
        self._size = size
        self._base = base

    @property
    def device(self) -> 'Device':
        return self._device

    @property
    def address(self) -> int:
        """The card's own. ValueError if the buffer was closed."""
        if self._base is not None:
            self._base.address
        return self._address

    @property
    def nbytes(self) -> int:
        return self._size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, key: slice) -> 'DeviceMemory':
        if not isinstance(key, slice):
            raise TypeError('device memory has slices, no elements; copy it to '
                            'the host to look at it')
        start, stop, step = key.indices(self._size)
        if step != 1:
            raise ValueError(f'the step is {step}, not 1')
        return DeviceMemory(self._device, self.address + start,
                            max(stop - start, 0), self)

    def read(self) -> bytes:
        """A copy of its bytes. Blocks until it is done."""
        data = bytearray(self._size)
        self._device.copy(data, self)
        return bytes(data)

    def write(self, data: Any) -> None:
        """Replace its bytes. Blocks until it is done."""
        self._device.copy(self, data)

    def to_numpy(self, dtype: Any, shape: Any = None) -> Any:
        """A copy as an array of NumPy's. Blocks until it is done."""
        import numpy

        if shape is None:
            array = numpy.empty(self._size // numpy.dtype(dtype).itemsize,
                                dtype)
        else:
            array = numpy.empty(shape, dtype)
        self._device.copy(array, self)
        return array

    def __repr__(self) -> str:
        return (f'<{type(self).__name__} of {self._size} bytes at '
                f'{self._address:#x}>')


class DeviceBuffer(Closable, DeviceMemory):
    """A block of the pool. It is given back by close(), or when nobody refers to
    it or to a slice of it any more; the card may still work with it then."""

    def __init__(self, device: 'Device', address: int, size: int) -> None:
        super().__init__(device, address, size)
        self._closed = False

    @property
    def address(self) -> int:
        if self._closed:
            raise ValueError('the device buffer is closed')
        return self._address

    def close(self, stream: Optional['Stream'] = None) -> None:
        """Give it back; with a stream, in that stream's order."""
        if self._closed:
            return
        if not self._device.mine or self._device.closed:
            # It went with the device, or belongs to our parent.
            self._closed = True
            return
        if stream is None:
            with self._device.handle as device:
                self._closed = True
                errors.check(lib.gaudi_free(device, self._address))
        else:
            with stream.handle as pointer:
                errors.check(lib.gaudi_free_async(pointer, self._address))
                self._closed = True


class HostBuffer(mmap.mmap):
    """Host memory that the card reaches, so that copies do not wait.

    It has the buffer protocol: memoryview(buffer), numpy.frombuffer(buffer,
    dtype) and numpy.asarray(buffer) are the same memory. The memory stays as long
    as any of them, even after close() or after the device was closed; only the
    card does not reach it any more then.
    """

    _device: 'Device'
    _address: int
    _pinned: bool

    def __new__(cls, device: 'Device', size: int) -> 'HostBuffer':
        size = number(size, 'size', 1, sys.maxsize)
        close_forgotten()
        try:
            self = super().__new__(  # type: ignore[call-arg]
                cls, -1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except (OSError, OverflowError) as error:
            raise errors.OutOfMemoryError(
                -errno.ENOMEM, f'no {size} bytes of host memory: {error}') from None
        if size >= HUGE_PAGE and hasattr(mmap, 'MADV_HUGEPAGE'):
            try:
                self.madvise(mmap.MADV_HUGEPAGE)
            except OSError:
                pass
        with Span(self, True) as span:
            self._address = span.address
        self._pinned = False
        self._device = device
        with device.handle as pointer:
            errors.check(lib.gaudi_host_register(pointer, self._address, size))
        self._pinned = True
        return self

    def __init__(self, device: 'Device', size: int) -> None:
        # All has been done: mmap has no __init__.
        pass

    @property
    def device(self) -> 'Device':
        return self._device

    @property
    def nbytes(self) -> int:
        return len(self)

    @property
    def pinned(self) -> bool:
        """Whether the card reaches it."""
        return self._pinned and not self._device.closed

    @property
    def device_address(self) -> int:
        """Under which address the card sees it."""
        return _device_address(self._device, self._address)

    def to_numpy(self, dtype: Any, shape: Any = None) -> Any:
        """The same memory as an array of NumPy's."""
        import numpy

        array = numpy.frombuffer(self, dtype)
        return array if shape is None else array.reshape(shape)

    def close(self) -> None:
        """Take it away from the card; blocks until copies under way with it have
        ended. The memory itself goes with the last view of it."""
        if self._pinned:
            self._pinned = False
            code = _unregister(self._device, self._address)
            if code == -errno.EDEADLK:
                self._pinned = True
            errors.check(code)
        try:
            super().close()
        except BufferError:
            pass

    def resize(self, newsize: int) -> None:
        raise TypeError('pinned memory keeps its size')

    def __enter__(self) -> 'HostBuffer':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        finalize(self)

    def __repr__(self) -> str:
        state = 'closed' if self.closed else f'of {len(self)} bytes'
        return f'<HostBuffer {state}>'


class Pin(Closable):
    """Memory of an object with the buffer protocol, within reach of the card
    until close(), or until nobody refers to this any more."""

    def __init__(self, device: 'Device', thing: Any) -> None:
        close_forgotten()
        self._device = device
        self._span: Optional[Span] = None
        span = Span(thing, True)
        try:
            if not span.contiguous:
                raise ValueError('memory that is pinned must be contiguous')
            with device.handle as pointer:
                errors.check(lib.gaudi_host_register(pointer, span.address,
                                                     span.nbytes))
        except BaseException:
            span.release()
            raise
        self._span = span

    @property
    def device(self) -> 'Device':
        return self._device

    @property
    def device_address(self) -> int:
        """Under which address the card sees it."""
        if self._span is None:
            raise ValueError('the memory is not pinned any more')
        return _device_address(self._device, self._span.address)

    def close(self) -> None:
        """Blocks until copies under way with it have ended."""
        span, self._span = self._span, None
        if span is None:
            return
        code = _unregister(self._device, span.address)
        if code == -errno.EDEADLK:
            self._span = span
        else:
            span.release()
        errors.check(code)


def _device_address(device: 'Device', address: int) -> int:
    found = ctypes.c_uint64()
    with device.handle as pointer:
        errors.check(lib.gaudi_host_get_device_address(
            pointer, address, ctypes.byref(found)))
    return found.value


def _unregister(device: 'Device', address: int) -> int:
    """A closed device has done it, and a child never had it."""
    if not device.mine:
        return 0
    try:
        with device.handle as pointer:
            return int(lib.gaudi_host_unregister(pointer, address))
    except ValueError:
        return 0


AnyMemory = Union[DeviceMemory, Any]


def amount(to: AnyMemory, source: AnyMemory, to_bytes: int, from_bytes: int,
           size: Optional[int]) -> int:
    """How much is to be copied: all, if both are of the same size."""
    if size is None:
        if to_bytes != from_bytes:
            raise ValueError(f'{from_bytes} bytes do not fill {to_bytes}; take '
                             'a slice, or say size=')
        return to_bytes
    return number(size, 'size', 0, min(to_bytes, from_bytes))


def owner(memory: DeviceMemory, device: 'Device') -> int:
    """The address, if it is that device's."""
    if memory.device is not device:
        raise ValueError(f'{memory!r} belongs to another device')
    return memory.address


__all__ = ['AnyMemory', 'DeviceBuffer', 'DeviceMemory', 'HostBuffer',
           'MemoryStats', 'Pin']
