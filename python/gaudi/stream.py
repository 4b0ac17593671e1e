# SPDX-License-Identifier: MIT
"""Streams, events, host functions."""

import contextlib
import ctypes
import itertools
from typing import (TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator,
                    List, Optional, Tuple)

from . import _copy, errors
from ._handle import Closable, Handle, close_forgotten, number
from ._native import HANDLE, HOST_FN, RELEASE_FN, lib
from .graph import Capture, note
from .link import Link, LinkWork, Wait, Write, post
from .memory import DeviceBuffer, DeviceMemory, amount, owner

if TYPE_CHECKING:
    from .device import Device

HostFunction = Callable[[Optional[errors.Error]], Any]

# Host functions that are still to be called.
_calls: Dict[int, HostFunction] = {}
_numbers = itertools.count(1)


@HOST_FN  # type: ignore[misc]
def _call(which: int, code: int) -> None:
    """On a thread of the library's."""
    function = _calls[which]
    errors.callback.runs = True
    try:
        # What it raises ctypes gives to sys.unraisablehook.
        function(errors.make(code) if code else None)
    finally:
        errors.callback.runs = False


@RELEASE_FN  # type: ignore[misc]
def _release(which: int) -> None:
    """Nobody calls it any more."""
    del _calls[which]


def fill_pattern(to: DeviceMemory, value: Any,
                 value_size: int) -> Tuple[int, int, int]:
    """(value, its size, count) to fill memory."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        value_size = len(bytes(value))
        value = int.from_bytes(bytes(value), 'little')
    if value_size not in (1, 2, 4, 8):
        raise ValueError(f'a value has 1, 2, 4 or 8 bytes, not {value_size}')
    bits = 8 * value_size
    value = number(value, 'value', -(1 << bits - 1), (1 << bits) - 1)
    if to.nbytes % value_size:
        raise ValueError(f'{to.nbytes} bytes are no multiple of {value_size}')
    return value & ((1 << bits) - 1), value_size, to.nbytes // value_size


class Event(Closable):
    """Remembers a point of a stream."""

    handle: Handle

    def __init__(self, device: 'Device', timing: bool = True) -> None:
        close_forgotten()
        self._device = device
        # (launcher, name): who records it.
        self.bound: List[Tuple[Any, str]] = []
        pointer = HANDLE()
        with device.handle as parent:
            errors.check(lib.gaudi_event_create(parent, 0 if timing else 1,
                                                ctypes.byref(pointer)))
        self.handle = Handle('event', pointer.value, device.handle)

    @property
    def device(self) -> 'Device':
        return self._device

    def close(self) -> None:
        """Launchers that it is bound to no longer record it."""
        for find, name in list(self.bound):
            launcher = find()
            if launcher is not None and not launcher.handle.closed \
                    and self._device.mine:
                launcher.bind_event(name, None)
        errors.check(self.handle.close(lib.gaudi_event_destroy))

    def record(self, stream: 'Stream') -> None:
        """Remember what has been given to the stream so far."""
        with self.handle as pointer, stream.handle as where:
            errors.check(lib.gaudi_event_record(pointer, where))

    def query(self) -> bool:
        """Whether it has ended, or was never recorded; raises its failure."""
        with self.handle as pointer:
            code = lib.gaudi_event_query(pointer)
        return code != errors.NOT_READY and not errors.check(code)

    def synchronize(self) -> None:
        """Blocks until what was recorded has ended; raises its failure."""
        with self.handle as pointer:
            errors.check(lib.gaudi_event_synchronize(pointer))

    def elapsed_ns(self, end: 'Event') -> int:
        """Nanoseconds from the end of what this one recorded to the end of what
        the other one recorded. NotReadyError."""
        found = ctypes.c_int64()
        with self.handle as first, end.handle as last:
            errors.check(lib.gaudi_event_elapsed_ns(first, last,
                                                    ctypes.byref(found)))
        return found.value


class Stream(Closable):
    """Work in order."""

    handle: Handle

    def __init__(self, device: 'Device') -> None:
        close_forgotten()
        self._device = device
        pointer = HANDLE()
        with device.handle as parent:
            errors.check(lib.gaudi_stream_create(parent,
                                                 ctypes.byref(pointer)))
        self.handle = Handle('stream', pointer.value, device.handle)

    @property
    def device(self) -> 'Device':
        return self._device

    def close(self) -> None:
        """Blocks until its work has ended."""
        errors.check(self.handle.close(lib.gaudi_stream_destroy))

    def synchronize(self) -> None:
        """Blocks until all work so far has ended; raises its first failure."""
        with self.handle as pointer:
            errors.check(lib.gaudi_stream_synchronize(pointer))

    def query(self) -> bool:
        """Whether all work has ended; raises its first failure."""
        with self.handle as pointer:
            code = lib.gaudi_stream_query(pointer)
        return code != errors.NOT_READY and not errors.check(code)

    def record(self, timing: bool = True) -> Event:
        """A new event that remembers what has been given to the stream so far."""
        event = Event(self._device, timing)
        event.record(self)
        return event

    def wait(self, event: Event, only_order: bool = False) -> None:
        """Later work begins after what the event recorded last. It may be of
        another device. If that fails, by a link, this stream has failed, too, unless
        it waits for order alone."""
        call = lib.gaudi_stream_wait_order if only_order else lib.gaudi_stream_wait_event
        with self.handle as pointer, event.handle as what:
            errors.check(call(pointer, what))

    def call(self, function: HostFunction) -> None:
        """Call function(error) on a thread of the library's, after all work so far
        and before all later work. error is None, or why that work failed. It must
        not wait for this device: those calls raise Error (EDEADLK). What it raises
        goes to sys.unraisablehook. Captured, it is called with each launch of the
        graph."""
        if not callable(function):
            raise TypeError(f'{function!r} cannot be called')
        which = next(_numbers)
        _calls[which] = function
        try:
            with self.handle as pointer:
                errors.check(lib.gaudi_stream_add_owned_fn(pointer, _call,
                                                           which, _release))
        except BaseException:
            _calls.pop(which, None)
            raise

    @contextlib.contextmanager
    def batch(self) -> Iterator['Stream']:
        """Collect work, and give it to the driver in few submissions."""
        with self.handle as pointer:
            errors.check(lib.gaudi_stream_begin_batch(pointer))
        try:
            yield self
        except BaseException:
            with self.handle as pointer:
                lib.gaudi_stream_end_batch(pointer)
            raise
        with self.handle as pointer:
            errors.check(lib.gaudi_stream_end_batch(pointer))

    def capture(self) -> Capture:
        """Work is written down and not done: copies with pinned memory, within the
        device, fills, host functions, and what other streams do that wait for events
        recorded in it. See Capture; what cannot be captured raises Error (CAPTURE)."""
        return Capture(self)

    @property
    def capturing(self) -> bool:
        found = ctypes.c_bool()
        with self.handle as pointer:
            errors.check(lib.gaudi_stream_is_capturing(pointer,
                                                       ctypes.byref(found)))
        return found.value

    def alloc(self, size: int) -> DeviceBuffer:
        """Device memory for work on this stream from here on, or for others after
        an event recorded here. DeviceBuffer.close(stream) gives it back in a
        stream's order."""
        size = number(size, 'size')
        close_forgotten()
        address = ctypes.c_uint64()
        with self.handle as pointer:
            errors.check(lib.gaudi_malloc_async(pointer, size,
                                                ctypes.byref(address)))
        return DeviceBuffer(self._device, address.value, size)

    def copy(self, to: Any, source: Any, size: Optional[int] = None) -> None:
        """Copy between device memory and device memory, or anything with the
        buffer protocol, of any shape; all of it, or the first @size bytes.

        Memory of alloc_host() and pin() is copied asynchronously, and must stay
        as it is until the copy has ended. For other memory the call blocks: to the
        device until it was read, from the device until the data are there. So it
        does for arrays whose runs of bytes are short (256) or irregular, which the
        host gathers.
        """
        _copy.queue(self, to, source, size)

    def copy_2d(self, to: Any, to_pitch: int, source: Any, from_pitch: int,
                width: int, height: int) -> None:
        """Rows of bytes: each begins a pitch behind the one before. Both sides
        are taken as bytes; host memory must be contiguous."""
        _copy.rows(self, to, number(to_pitch, 'to_pitch'), source,
                   number(from_pitch, 'from_pitch'), number(width, 'width'),
                   number(height, 'height'))

    def copy_peer(self, to: DeviceMemory, source: DeviceMemory,
                  size: Optional[int] = None) -> None:
        """Copy from this stream's device to another one that this process has
        open, over the wire between the two. Work there waits for an event that is
        recorded behind it: "there.wait(here.record())". If it is captured, @to must
        stay as long as the graph."""
        size = amount(to, source, to.nbytes, source.nbytes, size)
        if to.device is not self._device:
            with self.handle as pointer, to.device.handle as device:
                errors.check(lib.gaudi_copy_peer_async(
                    pointer, device, to.address, owner(source, self._device),
                    size))
        elif size:
            self.copy(to, source, size)

    def write(self, link: Link, to: int, source: Optional[DeviceMemory] = None,
              notify: bool = False) -> None:
        """Write memory of the device to the peer's address, by a link; with
        @notify the peer is told behind it. Without @source it is only told."""
        self.post([Write(link, to, source, notify)])

    def await_peer(self, link: Link, count: int = 1) -> None:
        """Later work begins when the peer has notified so often more."""
        self.post([Wait(link, count)])

    def post(self, work: Iterable[LinkWork]) -> None:
        """Writes and waits of links as one piece of work: all links work at the
        same time, and the stream goes on when all of them and all waits have
        ended."""
        post(self, work)

    def fill(self, to: DeviceMemory, value: Any, value_size: int = 1) -> None:
        """Fill memory with a value: an integer of 1, 2, 4 or 8 bytes, or that
        many bytes."""
        value, value_size, times = fill_pattern(to, value, value_size)
        with self.handle as pointer:
            errors.check(lib.gaudi_fill_async(
                pointer, owner(to, self._device), value, value_size, times))
        note(self._device, to)
