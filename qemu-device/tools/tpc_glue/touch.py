# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel in the interpreter: what it computes, and what each index touches."""
import math
from typing import Any, Iterator, List, NamedTuple, Set, Tuple

import numpy as np

from tpc_glue.answers import Answer, Pattern, Question, Shape
from tpc_glue.checks import aux_shape, claim, coordinates
from tpc_run.errors import HAZARD, LIMIT, STOPPED, Failure
from tpc_run.kernel import Kernel
from tpc_run.machine import Machine
from tpc_run.native import BAD_TIMING, ENDED, GOES_ON, library
from tpc_run.options import Options
from tpc_run.tensor import Tensor, size_of

READ, WRITTEN = 1, 2
FILL = 0xa5             # what outputs have before
BYTES_MOST = 1 << 33    # that are looked through


class Operand(NamedTuple):
    """A tensor as the kernel has it."""
    word: str           # input 0, output 0, auxiliary tensor 0
    shape: Shape
    pattern: Any        # None of auxiliary tensors
    tensor: Tensor
    is_output: bool


class Found(NamedTuple):
    wrong: List[str]
    outputs: List[Any]      # bytes of each
    updates: List[bool]     # which outputs the kernel reads as well
    indices: int            # how many were looked at one by one


def operands(question: Question, answer: Answer, data: List[Any]) -> List[Operand]:
    found = [Operand(f'input {n}', shape, pattern,
                     Tensor(shape.kind, shape.sizes, bytes_of), False)
             for n, (shape, pattern, bytes_of) in enumerate(
                 zip(question.inputs, answer.inputs, data))]
    for n, (shape, pattern) in enumerate(zip(question.outputs, answer.outputs)):
        found.append(Operand(f'output {n}', shape, pattern,
                             Tensor(shape.kind, shape.sizes, before(pattern, shape)), True))
    for n, aux in enumerate(answer.aux):
        shape = aux_shape(aux)
        found.append(Operand(f'auxiliary tensor {n}', shape, None, Tensor(
            shape.kind, shape.sizes, np.frombuffer(aux.data, np.uint8).copy()), False))
    return found


def before(pattern: Pattern, shape: Shape) -> Any:
    return np.full(math.prod(shape.sizes) * size_of(shape.kind),
                   0 if pattern.memset else FILL, np.uint8)


class Looker:
    """The kernel of an answer on its tensors."""

    def __init__(self, question: Question, answer: Answer, kernel: Kernel,
                 data: List[Any], settings: Options) -> None:
        self.answer, self.kernel = answer, kernel
        self.operands = operands(question, answer, data)
        settings.tensors = [operand.tensor for operand in self.operands]
        settings.scalars = answer.scalars[:answer.num_scalars]
        self.machine = Machine(library(), settings, kernel)
        self.marks = []
        for operand in self.operands:
            marks = np.zeros(operand.tensor.data.size, np.uint8)
            self.machine.lib.marks(self.machine.run, operand.tensor.addr, marks.ctypes.data)
            self.marks.append(marks)
        self.wrong: List[str] = []
        self.writer = [np.full(math.prod(one.shape.sizes), -1, np.int64)
                       for one in self.operands if one.is_output]

    def launch(self, base: List[int], size: List[int], name: str) -> None:
        """A part of the index space, to its end."""
        machine = self.machine
        machine.options.base = base + [0] * (5 - len(base))
        machine.options.size = size + [1] * (5 - len(size))
        for marks in self.marks:
            marks[:] = 0
        machine.launch(0)
        why = machine.go(machine.options.limit)
        if why == ENDED:
            return
        if why == GOES_ON:
            raise Failure(f'{self.kernel.name}: {name}: no end after '
                          f'{machine.at("words")} words', LIMIT)
        machine.lib.why(machine.run, machine.text, len(machine.text))
        raise Failure(f'{self.kernel.name}: {name}: {machine.text.value.decode()}',
                      HAZARD if why == BAD_TIMING else STOPPED)

    def elements(self, n: int, bit: int) -> Any:
        """Numbers of those that the last launch has touched so."""
        size = size_of(self.operands[n].shape.kind)
        return np.flatnonzero((self.marks[n] & bit).reshape(-1, size).any(axis=1))

    def place(self, n: int, element: int) -> Any:
        """Its coordinates, dimension 0 first."""
        return np.unravel_index(element, self.operands[n].shape.sizes, order='F')

    def look_all(self) -> Found:
        """The index space as one."""
        space = self.answer.space[:self.answer.rank]
        self.launch([0] * len(space), space, 'the whole index space')
        outputs, updates = [], []
        for n, operand in enumerate(self.operands):
            written = self.elements(n, WRITTEN)
            if not operand.is_output:
                if written.size:
                    self.wrong.append(f'it writes to {operand.word}, at '
                                      f'{coordinates(self.place(n, written[0]))}')
                continue
            outputs.append(operand.tensor.data.copy())
            updates.append(bool(self.elements(n, READ).size))
            missing = np.ones(math.prod(operand.shape.sizes), bool)
            missing[written] = False
            if missing.any() and not operand.pattern.memset:
                self.wrong.append(
                    f'{operand.word}: {np.count_nonzero(missing)} elements are not '
                    'written, the first at '
                    f'{coordinates(self.place(n, int(np.argmax(missing))))}')
        return Found(self.wrong, outputs, updates, 0)

    def look_at(self, index: Any, number: int) -> Iterator[Tuple[str, str]]:
        """One index by itself: kinds of what is wrong, and texts."""
        self.launch([int(i) for i in index], [1] * len(index),
                    f'index {coordinates(index)}')
        of_output = iter(self.writer)
        for n, operand in enumerate(self.operands):
            if operand.pattern is None:
                continue
            ranges = claim(operand.pattern, operand.shape, index)
            for bit, verb in ((READ, 'reads'), (WRITTEN, 'writes')):
                touched = self.elements(n, bit)
                where = np.array(np.unravel_index(touched, operand.shape.sizes, order='F'))
                outside = np.zeros(touched.size, bool)
                for of_dim, (first, last) in zip(where, ranges):
                    outside |= (of_dim < first) | (of_dim > last)
                if outside.any():
                    at = where[:, int(np.argmax(outside))]
                    yield (f'{verb} {operand.word}',
                           f'index {coordinates(index)} {verb} {operand.word} at '
                           f'{coordinates(at)}; its access pattern says '
                           f'{" x ".join(f"{a}..{b}" for a, b in ranges)}')
            if operand.is_output:
                yield from self.look_for_others(n, operand, index, number, next(of_output))

    def look_for_others(self, n: int, operand: Operand, index: Any, number: int,
                        writer: Any) -> Iterator[Tuple[str, str]]:
        """Indices run at the same time: an element is one's, or is added to by all."""
        # What is read as well is an update.
        written = np.setdiff1d(self.elements(n, WRITTEN), self.elements(n, READ))
        earlier = writer[written]
        if (earlier >= 0).any() and not operand.pattern.all_required:
            at = int(np.argmax(earlier >= 0))
            other = np.unravel_index(earlier[at], self.answer.space[:self.answer.rank],
                                     order='F')
            yield (f'both {operand.word}',
                   f'indices {coordinates(other)} and {coordinates(index)} both write '
                   f'{operand.word} at {coordinates(self.place(n, written[at]))}')
        writer[written] = number

    def look_each(self, most: int) -> int:
        """So many at most, evenly spread; how many it was."""
        space = self.answer.space[:self.answer.rank]
        total = math.prod(space)
        size = sum(marks.size for marks in self.marks)
        count = min(total, most, max(BYTES_MOST // max(size, 1), 1))
        for operand in self.operands:
            if operand.is_output:
                operand.tensor.data[:] = 0 if operand.pattern.memset else FILL
        said: Set[str] = set()
        for k in range(count):
            number = k * total // count
            for kind, text in self.look_at(np.unravel_index(number, space, order='F'),
                                           number):
                # One of a kind is enough.
                if kind not in said:
                    said.add(kind)
                    self.wrong.append(text)
        return count


def look(looker: Looker, most: int) -> Found:
    found = looker.look_all()
    indices = looker.look_each(most) if most else 0
    if indices < math.prod(looker.answer.space[:looker.answer.rank]):
        return found._replace(indices=indices)
    outputs = [n for n, one in enumerate(looker.operands) if one.is_output]
    for n, whole in zip(outputs, found.outputs):
        operand = looker.operands[n]
        other = operand.tensor.data != whole
        if not looker.wrong and other.any():
            at = int(np.argmax(other)) // size_of(operand.shape.kind)
            looker.wrong.append(f'{operand.word} at {coordinates(looker.place(n, at))}: '
                                'index by index it is not what the whole index space gives')
    return found._replace(indices=indices)
