# SPDX-License-Identifier: MIT
"""Host memory of others, by the buffer protocol, of any shape."""

import ctypes
import itertools
import re
import sys
from typing import Any, Iterator, List, Optional, Tuple

from . import _native

# Rows shorter than this are gathered by the host: a row is a packet.
SHORT_ROW = 256
MANY_PIECES = 1024


class Span:
    """The memory of an object that has the buffer protocol. It cannot go, nor
    change its size, until release()."""

    def __init__(self, thing: Any, writable: bool) -> None:
        self.thing = thing
        self._view: Optional[_native.PyBuffer] = None
        view = _native.PyBuffer()
        _native.get_buffer(thing, ctypes.byref(view),
                           _native.STRIDED_WRITABLE if writable
                           else _native.STRIDED)
        self._view = view
        try:
            self._look(view)
        except BaseException:
            self.release()
            raise

    def _look(self, view: _native.PyBuffer) -> None:
        layout = (view.format or b'B').decode()
        if 'O' in re.sub(':[^:]*:', '', layout):
            raise TypeError('memory that holds references to Python objects '
                            'cannot be copied')
        self.address: int = view.buf or 0
        self.nbytes: int = view.len
        self.itemsize: int = view.itemsize
        self.shape: Tuple[int, ...] = tuple(view.shape[:view.ndim]) \
            if view.shape else ()
        self.strides: Tuple[int, ...] = tuple(view.strides[:view.ndim]) \
            if view.strides else ()
        # The bytes of a run, and the loops around it: (count, stride).
        self.width, self.loops = runs(self.shape, self.strides, self.itemsize)

    @property
    def contiguous(self) -> bool:
        return not self.loops

    @property
    def extent(self) -> Tuple[int, int]:
        """From the lowest address to behind the highest."""
        steps = [(count - 1) * stride for count, stride in self.loops
                 if count]
        return (self.address + sum(step for step in steps if step < 0),
                self.address + self.width + sum(step for step in steps
                                                if step > 0))

    @property
    def rows(self) -> Optional[Tuple[int, int]]:
        """(height, pitch) of the innermost loop, if the card is to walk it."""
        height, pitch = self.loops[-1]
        pieces = 1
        for count, _ in self.loops[:-1]:
            pieces *= count
        if pitch < self.width or self.width < SHORT_ROW or \
                pieces > MANY_PIECES:
            return None
        return height, pitch

    def offsets(self, loops: List[Tuple[int, int]]) -> Iterator[int]:
        """Of each round of the loops, in order."""
        for at in itertools.product(*(range(count) for count, _ in loops)):
            yield sum(i * stride for i, (_, stride) in zip(at, loops))

    def gather(self) -> bytes:
        """All of it, one element after the other."""
        return memoryview(self.thing).tobytes()

    def scatter(self, data: bytearray) -> None:
        """The other way round."""
        numpy = sys.modules.get('numpy')
        if numpy is not None and isinstance(self.thing, numpy.ndarray):
            array: Any = self.thing
            array[...] = numpy.frombuffer(data, array.dtype).reshape(
                array.shape)
            return
        source = (ctypes.c_char * len(data)).from_buffer(data)
        at = ctypes.addressof(source)
        for offset in self.offsets(self.loops):
            ctypes.memmove(self.address + offset, at, self.width)
            at += self.width

    def release(self) -> None:
        view, self._view = self._view, None
        if view is not None:
            _native.release_buffer(ctypes.byref(view))

    __del__ = release

    def __enter__(self) -> 'Span':
        return self

    def __exit__(self, *_: Any) -> None:
        self.release()


def runs(shape: Tuple[int, ...], strides: Tuple[int, ...],
         itemsize: int) -> Tuple[int, List[Tuple[int, int]]]:
    """How many bytes lie together, and the loops that find all such runs."""
    dims = [(n, s) for n, s in zip(shape, strides) if n != 1]
    width = itemsize
    while dims and dims[-1][1] == width:
        width *= dims.pop()[0]
    loops: List[Tuple[int, int]] = []
    for count, stride in reversed(dims):
        if loops and stride == loops[0][0] * loops[0][1]:
            loops[0] = (count * loops[0][0], loops[0][1])
        else:
            loops.insert(0, (count, stride))
    return width, loops
