# SPDX-License-Identifier: MIT
"""Streams and events of the card."""

import ctypes
from typing import Any, Optional

import torch

from . import _native
from ._native import call as _call, lib as _lib


class Event:
    """A moment in a stream's work; with enable_timing, elapsed_time() in milliseconds."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False,
                 interprocess: bool = False) -> None:
        if interprocess:
            raise NotImplementedError('hpu: events are of one process')
        self._timing = enable_timing
        self._handle = ctypes.c_void_p()

    def _made(self) -> ctypes.c_void_p:
        if not self._handle:
            _call('gt_event_create', int(self._timing), ctypes.byref(self._handle))
        return self._handle

    def __del__(self) -> None:
        # At the end of the program the module's names may be gone, and the card with them.
        if getattr(self, '_handle', None) and _lib is not None:
            _lib.gt_event_destroy(self._handle)

    def record(self, stream: Optional['Stream'] = None) -> None:
        stream = stream or current_stream()
        _call('gt_event_record', self._made(), stream.stream_id)

    def wait(self, stream: Optional['Stream'] = None) -> None:
        stream = stream or current_stream()
        _call('gt_stream_wait_event', stream.stream_id, self._made())

    def query(self) -> bool:
        done = ctypes.c_int()
        _call('gt_event_query', self._made(), ctypes.byref(done))
        return bool(done.value)

    def synchronize(self) -> None:
        _call('gt_event_synchronize', self._made())

    def elapsed_time(self, end: 'Event') -> float:
        ns = ctypes.c_int64()
        _call('gt_event_elapsed', self._made(), end._made(), ctypes.byref(ns))
        return ns.value / 1e6


class Stream:
    """Work in order. Without arguments a new one; priorities make no difference."""

    def __init__(self, device: Any = None, priority: int = 0,
                 stream_id: Optional[int] = None) -> None:
        if stream_id is None:
            made = ctypes.c_int64()
            _call('gt_stream_create', ctypes.byref(made))
            stream_id = made.value
        self.stream_id = stream_id
        self.device = torch.device('hpu', 0)
        self.device_type = 'hpu'
        self._outer: list = []

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Stream) and other.stream_id == self.stream_id

    def __hash__(self) -> int:
        return hash(('hpu', self.stream_id))

    def __repr__(self) -> str:
        return f'<torch.hpu.Stream {self.stream_id}>'

    def __enter__(self) -> 'Stream':
        self._outer.append(_lib.gt_stream_exchange(self.stream_id))
        return self

    def __exit__(self, *exc: Any) -> None:
        _lib.gt_stream_exchange(self._outer.pop())

    def synchronize(self) -> None:
        _call('gt_stream_synchronize', self.stream_id)

    def query(self) -> bool:
        done = ctypes.c_int()
        _call('gt_stream_query', self.stream_id, ctypes.byref(done))
        return bool(done.value)

    def record_event(self, event: Optional[Event] = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        event.wait(self)

    def wait_stream(self, stream: 'Stream') -> None:
        self.wait_event(stream.record_event())


class StreamContext:
    """In it @stream is the thread's current stream; None changes nothing."""

    def __init__(self, stream: Optional[Stream]) -> None:
        self.stream = stream

    def __enter__(self) -> Optional[Stream]:
        return self.stream and self.stream.__enter__()

    def __exit__(self, *exc: Any) -> None:
        if self.stream is not None:
            self.stream.__exit__(*exc)


def stream(s: Optional[Stream]) -> StreamContext:
    return StreamContext(s)


def current_stream(device: Any = None) -> Stream:
    return Stream(stream_id=_lib.gt_stream_current())


def default_stream(device: Any = None) -> Stream:
    return Stream(stream_id=0)


def set_stream(s: Optional[Stream]) -> None:
    if s is not None:
        _lib.gt_stream_exchange(s.stream_id)
