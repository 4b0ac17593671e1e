# SPDX-License-Identifier: MIT
"""Operations on the host, for nodes of recipes that the card cannot do."""

import ctypes
import errno
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import errors
from ._handle import text
from ._native import HOST_OP, NO_HOST_OP, HostOpStatsStruct, lib
from .recipe import Type


class HostTensor(NamedTuple):
    """A tensor of a call. data: its bytes, gaps included, read-only if the node only
    reads it; good during the call only."""

    data: memoryview
    type: Type
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]    # in bytes
    reads: bool
    writes: bool


class HostCall(NamedTuple):
    """What a function that was registered is given."""

    op: str
    tensors: List[HostTensor]
    params: bytes


class HostOpStats(NamedTuple):
    """What the host has done for the card, in this process so far."""

    nodes: int
    calls: int
    failures: int
    bytes_to_host: int
    bytes_to_device: int
    ns: int


HostOp = Callable[[HostCall], Any]

# What C may call. Never dropped while it may be called.
_functions: Dict[str, HostOp] = {}


def _tensor(t: Any) -> HostTensor:
    view = memoryview((ctypes.c_char * t.bytes).from_address(t.data))
    view = view.cast('B')
    writes = bool(t.access & 2)
    return HostTensor(view if writes else view.toreadonly(), Type(t.type),
                      tuple(t.dims[:t.rank]), tuple(t.strides[:t.rank]),
                      bool(t.access & 1), writes)


@HOST_OP  # type: ignore[misc]
def _call(pointer: Any, _: Any) -> int:
    """On a thread of the library's."""
    call = pointer.contents
    op = call.op.decode()
    errors.callback.runs = True
    try:
        tensors = [_tensor(call.tensors[i]) for i in range(call.num_tensors)]
        params = ctypes.string_at(call.params, call.params_size) \
            if call.params_size else b''
        _functions[op](HostCall(op, tensors, params))
        return 0
    except errors.Error as error:
        return error.code
    except BaseException:  # pylint: disable=broad-except
        # There is nobody to raise it to; C hears that it failed.
        sys.excepthook(*sys.exc_info())
        return -errno.EIO
    finally:
        errors.callback.runs = False


def host_op(op: str, function: Optional[HostOp]) -> None:
    """Operation @op is this function, for Builder.host_op() and for recipes that
    have it: function(HostCall), on a thread of the library's. None: no longer.
    Blocks until calls of the one before have ended. If it raises, the launch fails,
    and its stream; if it raises Error, with this code."""
    name = text(op, 'op')
    before = _functions.get(op)
    if function is not None:
        _functions[op] = function
    try:
        errors.check(lib.gaudi_host_op_register(
            name, _call if function is not None else NO_HOST_OP, None))
    except BaseException:
        if before is not None:
            _functions[op] = before
        else:
            _functions.pop(op, None)
        raise
    if function is None:
        _functions.pop(op, None)


def host_op_stats(op: Optional[str] = None) -> HostOpStats:
    """Of one operation, or of all."""
    found = HostOpStatsStruct()
    errors.check(lib.gaudi_host_op_get_stats(
        None if op is None else text(op, 'op'), ctypes.byref(found)))
    return HostOpStats(*(getattr(found, name)
                         for name in HostOpStats._fields))
