# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether answers can be true; which elements an index claims."""
import math
from typing import Any, Iterator, List, Tuple

import numpy as np

from tpc_glue.answers import DIMS, SCALARS, TENSORS, TYPES, Answer, Aux, Pattern, \
    Question, Shape, type_name
from tpc_run.kernel import Kernel
from tpc_run.tensor import size_of

SHOWN = 8               # of indices and elements in a message
MARKED = 1 << 28        # elements that are marked for one tensor
LARGEST = (1 << 31) - 1

Range = Tuple[int, int]     # first and last


def coordinates(where: Any) -> str:
    return '(' + ', '.join(str(int(c)) for c in where) + ')'


def check_aux(n: int, aux: Aux) -> Iterator[str]:
    name = f'auxiliary tensor {n}'
    kind = type_name(aux.kind)
    if kind not in TYPES:
        yield f'{name}: its type is {kind or hex(aux.kind)}, which this card has not'
    elif not 0 < aux.dims <= DIMS:
        yield f'{name}: it has {aux.dims} dims, not 1 to {DIMS}'
    elif not all(0 < size <= LARGEST for size in aux.sizes[:aux.dims]):
        yield f'{name}: its sizes are {aux.sizes[:aux.dims]}'
    else:
        need = math.prod(aux.sizes[:aux.dims]) * size_of(kind)
        if need != len(aux.data):
            yield (f'{name}: its sizes {aux.sizes[:aux.dims]} of {kind} are {need} bytes, '
                   f'and its bufferSize is {len(aux.data)}')


def aux_shape(aux: Aux) -> Shape:
    return Shape(type_name(aux.kind) or '', aux.sizes[:aux.dims])


def check_space(answer: Answer) -> Iterator[str]:
    if not 0 < answer.rank <= DIMS:
        yield f'indexSpaceRank is {answer.rank}, not 1 to {DIMS}'
        return
    for d, size in enumerate(answer.space[:answer.rank]):
        if not 0 < size <= LARGEST:
            yield (f'indexSpaceGeometry[{d}] is {size}: ' +
                   ('nothing is run' if not size else 'more than the card has'))


def check_pattern(name: str, pattern: Pattern, answer: Answer) -> Iterator[str]:
    if pattern.all_required:
        return
    for d, one in enumerate(pattern.mapping):
        where = f'{name}, mapping[{d}]'
        if one.dim >= answer.rank:
            yield (f'{where}: indexSpaceDim is {one.dim}, and the index space has '
                   f'{answer.rank} dims')
            continue
        if not (math.isfinite(one.start_a) and math.isfinite(one.end_a)):
            yield f'{where}: a is {one.start_a}'
            continue
        for i in {0, answer.space[one.dim] - 1}:
            first, last = span(one, i)
            if last < first:
                yield (f'{where}: of index {i} it ends at {last}, before it begins at '
                       f'{first}')
                break


def span(one: Any, i: int) -> Range:
    return (math.floor(one.start_a * i) + one.start_b,
            math.ceil(one.end_a * i) + one.end_b)


def claim(pattern: Pattern, shape: Shape, index: Any) -> List[Range]:
    """Of each dim, within the tensor; the last is below the first if there is nothing."""
    if pattern.all_required:
        return [(0, size - 1) for size in shape.sizes]
    ranges = [span(one, int(index[one.dim])) for one in pattern.mapping]
    return [(max(first, 0), min(last, size - 1))
            for (first, last), size in zip(ranges, shape.sizes)]


def unclaimed(pattern: Pattern, shape: Shape, answer: Answer) -> Iterator[str]:
    """The first element that no index has; of each dim by itself, unless two of them follow
    the same dim of the index space."""
    space = answer.space
    for d, one in enumerate(pattern.mapping):
        there = np.zeros(shape.sizes[d], bool)
        for i in range(space[one.dim]):
            first, last = span(one, i)
            there[max(first, 0):max(last + 1, 0)] = True
        if not there.all():
            missing = int(np.argmin(there))
            yield (f'no index has element {missing} of its dim {d}, of {shape.sizes[d]} '
                   f'(mapping[{d}]: a = {one.start_a:g}, start_b = {one.start_b}, '
                   f'end_b = {one.end_b}, of index space dim {one.dim}, of '
                   f'{space[one.dim]})')
            return
    dims = [one.dim for one in pattern.mapping]
    if len(set(dims)) == len(dims) or math.prod(shape.sizes) > MARKED:
        return
    marks = np.zeros(tuple(shape.sizes), bool)
    for index in np.ndindex(*space[:answer.rank]):
        marks[tuple(slice(first, last + 1)
                    for first, last in claim(pattern, shape, index))] = True
    if not marks.all():
        yield (f'no index has element {coordinates(np.argwhere(~marks)[0])}: two of its '
               'dims follow the same dim of the index space')


def idle_indices(pattern: Pattern, shape: Shape, answer: Answer) -> Iterator[str]:
    """Those of the index space that lie wholly beside an output."""
    for d, one in enumerate(pattern.mapping):
        last = answer.space[one.dim] - 1
        for i in sorted({0, last}):
            first, end = span(one, i)
            if first >= shape.sizes[d] or end < 0:
                yield (f'of index {i} of index space dim {one.dim} dim {d} is {first} to '
                       f'{end}, and it has {shape.sizes[d]}')
                return


def check(question: Question, answer: Answer, kernel: Kernel) -> Tuple[List[str], List[str]]:
    """What cannot be true, and what is odd."""
    wrong = list(check_space(answer))
    odd: List[str] = []
    tensors = len(question.inputs) + len(question.outputs) + answer.num_aux
    if tensors > TENSORS:
        wrong.append(f'{tensors} tensors with the auxiliary ones, and a kernel has {TENSORS}')
    for n, aux in enumerate(answer.aux):
        wrong += check_aux(n, aux)
    if answer.num_scalars > SCALARS:
        wrong.append(f'kernel.paramsNr is {answer.num_scalars}, and a kernel has {SCALARS}')
    elif answer.num_scalars < kernel.scalars:
        wrong.append(f'kernel.paramsNr is {answer.num_scalars}, and the kernel takes '
                     f'{kernel.scalars} scalars')
    if wrong:
        return wrong, odd
    for word, patterns in (('input', answer.inputs), ('output', answer.outputs)):
        for n, pattern in enumerate(patterns):
            wrong += check_pattern(f'access pattern of {word} {n}', pattern, answer)
    if wrong:
        return wrong, odd
    for n, (pattern, shape) in enumerate(zip(answer.outputs, question.outputs)):
        if pattern.all_required:
            continue
        name = f'access pattern of output {n}: '
        wrong += [name + text for text in unclaimed(pattern, shape, answer)]
        odd += [name + text for text in idle_indices(pattern, shape, answer)]
    return wrong, odd
