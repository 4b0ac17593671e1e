# SPDX-License-Identifier: GPL-2.0-or-later
"""What glue code is asked and answers, in either of its forms."""
import ctypes
from typing import Any, List, NamedTuple, Optional

GLUE, DIFFERS = 6, 7        # exit status, beside those of tpc_run.errors

API_VERSION = 1
GAUDI = 2                   # a device
NAMES_MOST = 1 << 16        # kernels of a library
NAME_BYTES = 64
DIMS = 5
TENSORS = 16
SCALARS = 32
FAILED = 400
SUCCESS, NOT_FOUND, SMALL_ELF, SMALL_AUX = 0, 1, 2, 9
STATUS = (
    'GLUE_SUCCESS', 'GLUE_NODE_NOT_FOUND', 'GLUE_INSUFFICIENT_ELF_BUFFER',
    'GLUE_INCOMPATIBLE_INPUT_COUNT', 'GLUE_INCOMPATIBLE_INPUT_SIZE',
    'GLUE_INCOMPATIBLE_OUTPUT_COUNT', 'GLUE_INCOMPATIBLE_OUTPUT_SIZE',
    'GLUE_INCOMPATIBLE_DATA_TYPE', 'GLUE_UNSUPPORTED_LAYER_CONFIGURATION',
    'GLUE_INSUFFICIENT_AUX_BUFFER_SIZE', 'GLUE_UNSUPPORTED_QUANT_PARAMS',
    'GLUE_UNSUPPORTED_BROADCAST_MODE', 'GLUE_UNSUPPORTED_API_VERSION',
    'GLUE_NON_STATIC_INPUT_TENSOR', 'GLUE_KERNEL_REQUIRE_REDUCIBLE_TENSOR',
    'GLUE_KERNEL_INVALID_SCALAR_ARGUMENT', 'GLUE_SHAPE_INFERENCE_NOT_SUPPORTED',
    'GLUE_UNSUPPORTED_DYNAMIC_SHAPE', 'GLUE_UNSUPPORTED_HIGH_RANK_SHAPE')
# Those of a TPC of this card, as gaudi-tpc-run calls them.
TYPES = {'i8': 1 << 2, 'u8': 1 << 3, 'i16': 1 << 6, 'u16': 1 << 7, 'bf16': 1 << 8,
         'i32': 1 << 10, 'u32': 1 << 11, 'f32': 1 << 12}
OTHER_TYPES = {'DATA_I4': 1 << 0, 'DATA_U4': 1 << 1, 'DATA_F8_152': 1 << 4,
               'DATA_F8_143': 1 << 5, 'DATA_F16': 1 << 9, 'DATA_I64': 1 << 13,
               'DATA_U64': 1 << 14}


class Shape(NamedTuple):
    """Of a tensor; sizes with dimension 0 first."""
    kind: str
    sizes: List[int]


class Mapping(NamedTuple):
    """Index i of dimension dim has the elements from start_a * i + start_b to
    end_a * i + end_b."""
    dim: int
    start_a: float
    end_a: float
    start_b: int
    end_b: int


class Pattern(NamedTuple):
    all_required: bool
    memset: bool
    mapping: List[Mapping]


class Question(NamedTuple):
    """A node of a network; of no output a size below 0 is known."""
    guid: str
    params: bytes
    inputs: List[Shape]
    outputs: List[Shape]


class Aux(NamedTuple):
    """dims and kind are what the library said, true or not."""
    kind: int
    dims: int
    sizes: List[int]
    data: bytes


class Answer(NamedTuple):
    status: int
    rank: int
    space: List[int]
    inputs: List[Pattern]
    outputs: List[Pattern]
    num_aux: int
    aux: List[Aux]
    num_scalars: int
    scalars: List[int]
    elf_bytes: int
    elf: bytes
    aux_bytes: List[int]        # what each of TENSORS needs
    wanted: str                 # what it would have accepted; or empty
    beyond: List[str]           # buffers behind whose end it has written


def status_name(status: int) -> str:
    if 0 <= status < len(STATUS):
        return STATUS[status]
    return 'GLUE_FAILED' if status == FAILED else f'{status}, which is no GlueCodeReturn'


def type_name(bits: int) -> Optional[str]:
    """None: no type has this number."""
    return next((name for name, value in (*TYPES.items(), *OTHER_TYPES.items())
                 if value == bits), None)


def other_counts(question: Question, inputs: int, outputs: int) -> List[str]:
    """Numbers of tensors that a library has put in the place of the question's."""
    return [f'{now} {word}' for word, count, now in (
        ('inputs', len(question.inputs), inputs),
        ('outputs', len(question.outputs), outputs)) if now != count]


def other_types(word: str, shapes: List[Shape], types: List[int]) -> List[str]:
    """Types that it has put in the place of theirs."""
    return [f'{word} {n} as {type_name(now)}'
            for n, (shape, now) in enumerate(zip(shapes, types))
            if now != TYPES[shape.kind]]


GUARD = 1 << 16


class Buffer:
    """Bytes for a library, with others behind them that it must not change."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.guard = bytes([0x5a]) * GUARD
        self.memory = ctypes.create_string_buffer(size + GUARD)
        ctypes.memmove(ctypes.addressof(self.memory) + size, self.guard, GUARD)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.memory)

    def is_whole(self) -> bool:
        return self.memory.raw[self.size:] == self.guard

    def bytes(self, size: int) -> bytes:
        return self.memory.raw[:min(size, self.size)]

    def view(self, kind: Any, count: int) -> Any:
        return (kind * count).from_buffer(self.memory)


class Form:
    """What both forms have. A library is loaded, and the caller is in a process for it."""

    names: List[str] = []       # of the functions that it must have
    header = ''
    mark = ''                   # of a library that was compiled against our header
    layout: List[int] = []

    def __init__(self, lib: Any) -> None:
        self.lib = lib

    def guids(self, device: int) -> List[str]:
        raise NotImplementedError

    def instantiate(self, question: Question, elf_bytes: int,
                    aux_bytes: List[int]) -> Answer:
        raise NotImplementedError


class GlueError(Exception):
    """Of an answer that cannot be used at all."""


def text_of(name: bytes, what: str) -> str:
    if b'\0' not in name:
        raise GlueError(f'{what} is longer than {NAME_BYTES - 1} characters')
    text = name.split(b'\0')[0]
    if not text:
        raise GlueError(f'{what} is empty')
    return text.decode('utf-8', 'backslashreplace')
