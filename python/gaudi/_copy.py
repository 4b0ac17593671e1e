# SPDX-License-Identifier: MIT
"""Copies between device memory and host memory of any shape."""

from typing import TYPE_CHECKING, Any, Optional

from . import errors
from ._native import lib
from ._span import Span
from .graph import note
from .memory import DeviceMemory, amount, owner

if TYPE_CHECKING:
    from .device import Device
    from .stream import Stream


def within(device: 'Device', to: DeviceMemory, source: DeviceMemory,
           size: Optional[int]) -> tuple:  # type: ignore[type-arg]
    """(to, from, size) of a copy on the card."""
    size = amount(to, source, to.nbytes, source.nbytes, size)
    return owner(to, device), owner(source, device), size


def whole(span: Span, size: int) -> None:
    if size != span.nbytes:
        raise ValueError('memory that is not contiguous is copied as a whole')


def sync(device: 'Device', to: Any, source: Any, size: Optional[int]) -> None:
    """Device.copy()"""
    if isinstance(to, DeviceMemory) and isinstance(source, DeviceMemory):
        where, start, size = within(device, to, source, size)
        if size:
            with device.handle as pointer:
                errors.check(lib.gaudi_copy_device(pointer, where, start,
                                                   size))
    elif isinstance(to, DeviceMemory):
        with Span(source, False) as span, device.handle as pointer:
            size = amount(to, source, to.nbytes, span.nbytes, size)
            where = owner(to, device)
            if not size:
                return
            data: Any = span.address
            if not span.contiguous:
                whole(span, size)
                data = span.gather()
            errors.check(lib.gaudi_copy_to_device(pointer, where, data, size))
    elif isinstance(source, DeviceMemory):
        with Span(to, True) as span, device.handle as pointer:
            size = amount(to, source, span.nbytes, source.nbytes, size)
            start = owner(source, device)
            if not size:
                return
            if span.contiguous:
                errors.check(lib.gaudi_copy_to_host(pointer, span.address,
                                                    start, size))
                return
            whole(span, size)
            copied = bytearray(size)
            with Span(copied, True) as flat:
                errors.check(lib.gaudi_copy_to_host(pointer, flat.address,
                                                    start, size))
            span.scatter(copied)
    else:
        raise TypeError('neither side of the copy is device memory')


def queue(stream: 'Stream', to: Any, source: Any, size: Optional[int]) -> None:
    """Stream.copy()"""
    device = stream.device
    if isinstance(to, DeviceMemory) and isinstance(source, DeviceMemory):
        where, start, size = within(device, to, source, size)
        if size:
            with stream.handle as pointer:
                errors.check(lib.gaudi_copy_device_async(pointer, where, start,
                                                         size))
            note(device, to, source)
    elif isinstance(to, DeviceMemory):
        with Span(source, False) as span:
            size = amount(to, source, to.nbytes, span.nbytes, size)
            where = owner(to, device)
            if size:
                _to_device(stream, where, span, size)
                note(device, to, span)
    elif isinstance(source, DeviceMemory):
        with Span(to, True) as span:
            size = amount(to, source, span.nbytes, source.nbytes, size)
            start = owner(source, device)
            if size:
                _to_host(stream, span, start, size)
                note(device, span, source)
    else:
        raise TypeError('neither side of the copy is device memory')


def _to_device(stream: 'Stream', where: int, span: Span, size: int) -> None:
    with stream.handle as pointer:
        if span.contiguous:
            errors.check(lib.gaudi_copy_to_device_async(
                pointer, where, span.address, size))
            return
        whole(span, size)
        rows = span.rows
        if rows is None:
            # The library has read it when the call returns.
            errors.check(lib.gaudi_copy_to_device_async(
                pointer, where, span.gather(), size))
            return
        height, pitch = rows
        with stream.batch():
            for offset in span.offsets(span.loops[:-1]):
                errors.check(lib.gaudi_copy_to_device_2d_async(
                    pointer, where, span.width, span.address + offset, pitch,
                    span.width, height))
                where += span.width * height


def _to_host(stream: 'Stream', span: Span, start: int, size: int) -> None:
    with stream.handle as pointer:
        if span.contiguous:
            errors.check(lib.gaudi_copy_to_host_async(
                pointer, span.address, start, size))
            return
        whole(span, size)
        rows = span.rows
        if rows is None:
            copied = bytearray(size)
            with Span(copied, True) as flat:
                errors.check(lib.gaudi_copy_to_host_async(
                    pointer, flat.address, start, size))
            span.scatter(copied)
            return
        height, pitch = rows
        with stream.batch():
            for offset in span.offsets(span.loops[:-1]):
                errors.check(lib.gaudi_copy_to_host_2d_async(
                    pointer, span.address + offset, pitch, start, span.width,
                    span.width, height))
                start += span.width * height


def rows(stream: 'Stream', to: Any, to_pitch: int, source: Any,
         from_pitch: int, width: int, height: int) -> None:
    """Stream.copy_2d()"""
    device = stream.device
    shape = width, height
    if isinstance(to, DeviceMemory) and isinstance(source, DeviceMemory):
        fits('to', to.nbytes, to_pitch, *shape)
        fits('source', source.nbytes, from_pitch, *shape)
        with stream.handle as pointer:
            errors.check(lib.gaudi_copy_device_2d_async(
                pointer, owner(to, device), to_pitch, owner(source, device),
                from_pitch, *shape))
        note(device, to, source)
    elif isinstance(to, DeviceMemory):
        fits('to', to.nbytes, to_pitch, *shape)
        with flat(source, False) as span, stream.handle as pointer:
            fits('source', span.nbytes, from_pitch, *shape)
            errors.check(lib.gaudi_copy_to_device_2d_async(
                pointer, owner(to, device), to_pitch, span.address, from_pitch,
                *shape))
            note(device, to, span)
    elif isinstance(source, DeviceMemory):
        fits('source', source.nbytes, from_pitch, *shape)
        with flat(to, True) as span, stream.handle as pointer:
            fits('to', span.nbytes, to_pitch, *shape)
            errors.check(lib.gaudi_copy_to_host_2d_async(
                pointer, span.address, to_pitch, owner(source, device),
                from_pitch, *shape))
            note(device, span, source)
    else:
        raise TypeError('neither side of the copy is device memory')


def flat(thing: Any, writable: bool) -> Span:
    span = Span(thing, writable)
    if not span.contiguous:
        span.release()
        raise ValueError('rows of memory that is not contiguous; copy() takes '
                         'it as it is')
    return span


def fits(side: str, nbytes: int, pitch: int, width: int, height: int) -> None:
    """Rows that lie within memory, and not upon each other."""
    if height > 1 and pitch < width:
        raise ValueError(f'the pitch of {side} is {pitch}, less than the width '
                         f'{width}')
    need = (height - 1) * pitch + width if height and width else 0
    if need > nbytes:
        raise ValueError(f'{height} rows need {need} bytes; {side} has '
                         f'{nbytes}')
