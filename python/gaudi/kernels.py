# SPDX-License-Identifier: MIT
"""What the library's own TPC kernels take. No card is needed."""

import ctypes
import struct
from typing import List, NamedTuple, Optional, Tuple, Union

from . import errors
from ._handle import text
from ._native import KernelDescriptionStruct, KernelScalarStruct, lib
from .recipe import Type


class KernelOperand(NamedTuple):
    """A tensor of a kernel."""

    name: str
    reads: bool
    writes: bool
    type: Type
    rank: int       # dims beyond these, from the innermost, are 1
    shape: str      # in words; dim 0 is the innermost


class KernelScalar(NamedTuple):
    """A number that a kernel takes."""

    name: str
    type: Type
    default: Optional[Union[int, float]]    # None: it must be given
    meaning: str


class KernelInfo(NamedTuple):
    """A kernel of the library's own, for Builder.library_kernel()."""

    name: str
    computes: str
    tensors: Tuple[KernelOperand, ...]
    scalars: Tuple[KernelScalar, ...]


def kernel(name: str) -> KernelInfo:
    """What a kernel of kernel_names() computes, its tensors and scalars in order."""
    d = KernelDescriptionStruct()
    errors.check(lib.gaudi_kernel_describe(text(name, 'name'),
                                           ctypes.byref(d)))
    return KernelInfo(
        d.name.decode(), d.computes.decode(),
        tuple(KernelOperand(t.name.decode(), bool(t.access & 1),
                            bool(t.access & 2), Type(t.type), t.rank,
                            t.shape.decode())
              for t in d.tensors[:d.num_tensors]),
        tuple(KernelScalar(s.name.decode(), Type(s.type), _default(s),
                           s.meaning.decode())
              for s in d.scalars[:d.num_scalars]))


def kernel_names() -> List[str]:
    """Of the library's own kernels, for Builder.library_kernel()."""
    names: List[str] = []
    while True:
        name = lib.gaudi_kernel_name(len(names))
        if name is None:
            return names
        names.append(name.decode())


def _default(scalar: KernelScalarStruct) -> Optional[Union[int, float]]:
    if not scalar.has_default:
        return None
    bits = struct.pack('<I', scalar.default_value)
    kind = {Type.F32: '<f', Type.I32: '<i'}.get(Type(scalar.type), '<I')
    return struct.unpack(kind, bits)[0]  # type: ignore[no-any-return]
