# SPDX-License-Identifier: GPL-2.0-or-later
"""Tensors, and files of NumPy's."""
import io
import math
import struct
import warnings
from typing import Any, List, NoReturn, Optional

import numpy as np
from numpy.lib import format as numpy_format

from tpc_run.errors import FILES, Failure, fail
from tpc_run.native import DIMS

npy: Any = numpy_format         # its functions have no types

# In the order of the numbers that they have in a tensor's descriptor.
TYPES = {name: np.dtype(descr) for name, descr in (
    ('i8', '|i1'), ('i16', '<i2'), ('i32', '<i4'), ('u8', '|u1'),
    ('u16', '<u2'), ('u32', '<u4'), ('bf16', '|V2'), ('f32', '<f4'))}

GOES_ON, ENDED, BREAK, _, BAD_MEMORY, BAD_TIMING = range(6)


class Tensor:
    """Elements as bytes; sizes with dimension 0 first."""

    def __init__(self, kind: str, sizes: List[int], data: Any,
                 out: Optional[str] = None) -> None:
        self.kind, self.said = kind, sizes
        self.sizes = sizes + [1] * (DIMS - len(sizes))
        self.data = data
        self.out = out
        self.addr = 0

    def offset(self, element: List[int]) -> int:
        """Of an element's first byte; behind all of them if there is none."""
        if len(element) > DIMS or any(c >= size for c, size in
                                      zip(element, self.sizes)):
            return int(self.data.size)
        return sum(c * math.prod(self.sizes[:d])
                   for d, c in enumerate(element)) * size_of(self.kind)

    def write(self) -> None:
        """Not numpy.save(): to that a bf16 is |V2."""
        head = {'descr': {'bf16': '<V2'}.get(self.kind, TYPES[self.kind].str),
                'fortran_order': False,
                'shape': tuple(reversed(self.said))}
        assert self.out
        try:
            with open(self.out, 'wb') as file:
                npy.write_array_header_1_0(file, head)
                file.write(self.data.data)
        except OSError as error:
            raise Failure(f'{self.out}: {error.strerror}', FILES) from error


def size_of(kind: Optional[str]) -> int:
    return TYPES[kind].itemsize if kind else 4


def parse_array(image: bytes, path: str) -> Tensor:
    def wrong(why: str) -> NoReturn:
        fail(f'{path}: {why}', FILES)

    file = io.BytesIO(image)
    if image[:6] != npy.MAGIC_PREFIX:
        wrong('this is no .npy file')
    if image[6:8] not in (b'', b'\1', b'\1\0', b'\2', b'\2\0'):
        wrong(f"its format is {'.'.join(map(str, image[6:8]))}; "
              'known are 1.0 and 2.0')
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            read = npy.read_array_header_1_0 \
                if npy.read_magic(file) == (1, 0) else npy.read_array_header_2_0
            shape, fortran, dtype = read(file)
    except Exception as error:  # NumPy has many for what is damaged
        text = ' '.join(str(error).split())
        raise Failure(f'{path}: its header: {text}', FILES) from error
    kind = next((name for name, known in TYPES.items() if known == dtype), '')
    if not kind and dtype.str[0] == '>':
        wrong(f"its elements are big-endian ('{dtype.str}'); the card is "
              'little-endian')
    if not kind:
        wrong(f"no tensor has elements of type '{dtype.str}' (use one of f32 "
              'bf16 i32 u32 i16 u16 i8 u8)')
    if fortran:
        wrong("its order is Fortran's; save numpy.ascontiguousarray() of it")
    if len(shape) > DIMS:
        wrong('it has more than five dimensions')
    if any(n < 0 or n >= 1 << 31 for n in shape):
        wrong('a size is beyond 2^31 - 1, or below 0')
    data = np.array(bytearray(file.read()), np.uint8)
    needed = math.prod(shape) * dtype.itemsize
    if needed != data.size:
        wrong(f'its shape needs {needed} bytes of elements, and it has '
              f'{data.size}')
    return Tensor(kind, list(reversed(shape)), data)


def value_text(data: Any, kind: Optional[str]) -> str:
    """Of an element's bytes."""
    bits = int.from_bytes(bytes(data), 'little')
    if not kind:
        return f'0x{bits:08x}'
    if kind[0] == 'u':
        return str(bits)
    if kind[0] == 'i':
        return str(int.from_bytes(bytes(data), 'little', signed=True))
    bits <<= 16 if kind == 'bf16' else 0
    real, = struct.unpack('<f', struct.pack('<I', bits))
    sign = '-' if math.isnan(real) and bits >> 31 else ''
    digits = 4 if kind == 'bf16' else 9
    return f'{sign}{real:.{digits}g}'
