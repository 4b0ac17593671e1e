# SPDX-License-Identifier: MIT
"""Handles that one thread may close while others use them.

libgaudi forbids to destroy what others still use. A Handle makes that a clear
error: who closes it waits for the calls under way, and later ones raise
ValueError. What belongs to a device uses the device's handle as well.
"""

import errno
import operator
import os
import threading
import weakref
from types import TracebackType
from typing import Any, Callable, List, Optional, Type

from . import errors


class Handle:
    """Of an object of the library's; "with handle as pointer" uses it."""

    def __init__(self, what: str, pointer: Optional[int],
                 parent: Optional['Handle'] = None) -> None:
        self._what = what
        self._pointer = pointer
        self._parent = parent
        self._users = 0
        # Reentrant: a finalizer may run anywhere.
        self._changed = threading.Condition(threading.RLock())
        self._pid: Optional[int] = os.getpid()

    def everywhere(self) -> None:
        """It may be used in a child after fork()."""
        self._pid = None
        _everywhere.add(self)

    @property
    def mine(self) -> bool:
        """False in a child after fork()."""
        return self._pid is None or self._pid == os.getpid()

    @property
    def closed(self) -> bool:
        return self._pointer is None or (self._parent is not None
                                         and self._parent.closed)

    def __enter__(self) -> int:
        if not self.mine:
            # Another thread may have held the lock when we were forked. The
            # library refuses the call.
            return self._live()
        if self._parent is not None:
            self._parent.__enter__()
        try:
            with self._changed:
                pointer = self._live()
                self._users += 1
                return pointer
        except BaseException:
            if self._parent is not None:
                self._parent.__exit__(None, None, None)
            raise

    def _live(self) -> int:
        if self._pointer is None:
            raise ValueError(f'the {self._what} is closed')
        return self._pointer

    def __exit__(self, kind: Optional[Type[BaseException]],
                 value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if not self.mine:
            return
        with self._changed:
            self._users -= 1
            if not self._users:
                self._changed.notify_all()
        if self._parent is not None:
            self._parent.__exit__(None, None, None)

    def close(self, destroy: Callable[[int], int]) -> int:
        """Wait for calls under way and destroy it; the result of @destroy. 0 if
        it is closed already, or its parent is."""
        if not self.mine:
            # It goes with the process.
            self._pointer = None
            return 0
        if self._parent is not None:
            try:
                self._parent.__enter__()
            except ValueError:
                self._pointer = None
                return 0
        try:
            with self._changed:
                pointer = self._pointer
                if pointer is None:
                    return 0
                if self._users and errors.in_host_function():
                    # Who is in there may wait for this very function.
                    raise errors.make(
                        -errno.EDEADLK, f'the {self._what} is in use, and '
                        'would be waited for in a host function')
                self._pointer = None
                while self._users:
                    self._changed.wait()
            code = destroy(pointer)
            if code in (-errno.EDEADLK, -errno.EBUSY):
                self._pointer = pointer
            return code
        finally:
            if self._parent is not None:
                self._parent.__exit__(None, None, None)


_everywhere: 'weakref.WeakSet[Handle]' = weakref.WeakSet()


def _after_fork() -> None:
    """Nobody else is here who could hold a lock, or be in a call."""
    for handle in list(_everywhere):
        handle._users = 0
        handle._changed = threading.Condition(threading.RLock())


os.register_at_fork(after_in_child=_after_fork)


class Closable:
    """What has close() is a context manager, and is closed by the last one who
    forgets it."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self: Any) -> Any:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]],
                 value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        finalize(self)


# What was forgotten in a host function, where nothing may wait.
_later: List[Any] = []


def finalize(thing: Any) -> None:
    """Close what nobody refers to any more."""
    try:
        thing.close()
    except errors.Error as error:
        # Another failure is one of the work, and was nobody's to hear.
        if error.code == -errno.EDEADLK:
            _later.append(thing)
    except (AttributeError, TypeError):
        # It was never made, or Python itself is ending.
        pass


def close_forgotten() -> None:
    """Close what was forgotten where it could not be closed."""
    if _later and not errors.in_host_function():
        things = _later[:]
        del _later[:]
        for thing in things:
            finalize(thing)


def number(value: Any, name: str, low: int = 0,
           high: int = (1 << 64) - 1) -> int:
    """An integer within bounds: ctypes would cut it to size silently."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f'{name} is a {type(value).__name__}, not an '
                        'integer') from None
    if not low <= value <= high:
        raise ValueError(f'{name} is {value}, not in {low}..{high}')
    return int(value)


def timeout_ms(seconds: Optional[float]) -> int:
    """Seconds as the library wants them; None is for ever."""
    if seconds is None:
        return -1
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f'timeout is a {type(seconds).__name__}, not a number')
    if not 0 <= seconds <= 2000000:
        raise ValueError(f'timeout is {seconds}, not in 0..2000000 or None')
    return int(seconds * 1000)


def text(value: Any, name: str) -> bytes:
    """A string for C."""
    if not isinstance(value, str):
        raise TypeError(f'{name} is a {type(value).__name__}, not a str')
    data = value.encode()
    if b'\0' in data:
        raise ValueError(f'{name} has a NUL in it')
    return data
