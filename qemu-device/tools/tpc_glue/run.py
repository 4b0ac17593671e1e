# SPDX-License-Identifier: GPL-2.0-or-later
"""All of it; the exit status."""
import math
import sys
from typing import Any, List, NoReturn, Optional

import numpy as np

from tpc_glue import card, checks
from tpc_glue.answers import DIFFERS, GLUE, SUCCESS, TENSORS, Question, Shape, \
    status_name
from tpc_glue.library import Library
from tpc_glue.options import GlueOptions, Output
from tpc_glue.touch import Found, Looker, before, look
from tpc_run import errors
from tpc_run.errors import Failure, as_a_program, fail, tell
from tpc_run.kernel import Kernel
from tpc_run.tensor import TYPES, Tensor, size_of, value_text

NO_GUID = 'no kernel has this name'


def show_list(library: Library) -> None:
    contents = library.contents()
    version = '' if contents.version is None else f', version {contents.version}'
    print(f'{library.path}: {contents.header}{version}, {len(contents.guids)} kernels')
    for guid in contents.guids:
        print(f'  {guid}')


def shapes_of(library: Library, options: GlueOptions, inputs: List[Shape]) -> List[Shape]:
    """The outputs', which the library may know."""
    kinds = [output.kind or (inputs[0].kind if inputs else None)
             for output in options.outputs]
    if None in kinds:
        fail('without inputs the type of an output must be said, as in -o y.npy:f32:200x3')
    asked = Question(options.kernel or '', options.params, inputs,
                     [Shape(kind or '', []) for kind in kinds])
    known = library.shapes(asked)
    shapes = []
    for n, (output, kind) in enumerate(zip(options.outputs, kinds)):
        sizes = output.sizes
        if sizes is None and known is None:
            fail(f'the sizes of output {n} must be said, as in -o y.npy:f32:200x3: the '
                 "library's GetShapeInference does not say them")
        if sizes is not None and known and sizes != known[n]:
            library.refuse(f'{options.kernel}: GetShapeInference says that output {n} has '
                           f'sizes {known[n]}, and {sizes} are wanted')
        found = sizes if sizes is not None else known[n] if known else []
        if not all(0 < size <= checks.LARGEST for size in found):
            library.refuse(f'{options.kernel}: GetShapeInference says that output {n} has '
                           f'sizes {found}')
        shapes.append(Shape(kind or '', found))
    return shapes


def probe(library: Library, question: Question) -> List[str]:
    """What is wrong should be refused."""
    odd = []
    for what, other, right in (
            ('a kernel that it has not', question._replace(guid=NO_GUID),
             'GLUE_NODE_NOT_FOUND'),
            ('one input more', question._replace(
                inputs=[*question.inputs, Shape('f32', [1])]),
             'GLUE_INCOMPATIBLE_INPUT_COUNT'),
            ('one output more', question._replace(
                outputs=[*question.outputs, Shape('f32', [1])]),
             'GLUE_INCOMPATIBLE_OUTPUT_COUNT')):
        answer = library.ask(other, 1 << 20, [1 << 12] * TENSORS)
        if status_name(answer.status) != right:
            odd.append(f'asked for {what}, it answers {status_name(answer.status)}; '
                       f'{right} would be right')
        if answer.status == SUCCESS and other.guid == NO_GUID:
            break
    return odd


def reals(data: Any, kind: str) -> Any:
    """Bytes as numbers."""
    if kind == 'bf16':
        return (data.view('<u2').astype('<u4') << 16).view('<f4').astype(float)
    return data.view(TYPES[kind]).astype(float)


def differs(got: Any, want: Any, shape: Shape, tolerance: float) -> Optional[str]:
    """The first element that is too far away."""
    a, b = reals(got, shape.kind), reals(want, shape.kind)
    with np.errstate(invalid='ignore'):
        well = (abs(a - b) <= tolerance) | (a == b) | (np.isnan(a) & np.isnan(b))
    if well.all():
        return None
    at, size = int(np.argmin(well)), size_of(shape.kind)
    where = checks.coordinates(np.unravel_index(at, shape.sizes, order='F'))
    texts = [value_text(data[at * size:(at + 1) * size], shape.kind) for data in (got, want)]
    return (f'{np.count_nonzero(~well)} elements differ, the first at {where}: {texts[0]} '
            f'instead of {texts[1]}')


def end_outputs(options: GlueOptions, question: Question, outputs: List[Any]) -> int:
    """Write or compare."""
    status = 0
    for n, (output, shape, data) in enumerate(zip(options.outputs, question.outputs,
                                                  outputs)):
        if output.expected is None:
            Tensor(shape.kind, shape.sizes, data, output.path).write()
            continue
        why = differs(data, output.expected, shape, options.tolerance)
        if why:
            tell(f'{options.kernel}: output {n} is not {output.path}: {why}')
            status = DIFFERS
    return status


def on_card(options: GlueOptions, question: Question, looker: Looker, elf: bytes,
            found: Found) -> List[Any]:
    got = card.run(looker, elf, found, [
        before(pattern, shape) for pattern, shape in zip(looker.answer.outputs,
                                                         question.outputs)])
    for n, (data, want) in enumerate(zip(got, found.outputs)):
        why = differs(data, want, question.outputs[n], 0)
        if why:
            raise Failure(f'{options.kernel}: output {n} of the card is not that of the '
                          f'interpreter: {why}', DIFFERS)
    return got


def instantiate(library: Library, options: GlueOptions) -> int:
    inputs = [Shape(tensor.kind, tensor.said or [1]) for tensor in options.tensors]
    data = [tensor.data for tensor in options.tensors]
    guids = library.contents().guids
    if options.kernel not in guids:
        library.refuse(f"it names no kernel '{options.kernel}'; it names "
                       f'{", ".join(guids) or "none"}')
    question = Question(options.kernel or '', options.params, inputs,
                        shapes_of(library, options, inputs))
    answer = library.instantiate(question)
    kernel = Kernel(f'{library.path}: {options.kernel}', answer.elf)
    wrong, odd = checks.check(question, answer, kernel)
    odd += probe(library, question)
    for text in odd:
        tell(f'{kernel.name}: warning: {text}')
    for text in wrong:
        tell(f'{kernel.name}: {text}')
    if wrong:
        return GLUE
    looker = Looker(question, answer, kernel, data, options)
    found = look(looker, options.indices)
    for text in found.wrong:
        tell(f'{kernel.name}: {text}')
    space = answer.space[:answer.rank]
    outputs = found.outputs
    if options.action == 'run' and not found.wrong:
        outputs = on_card(options, question, looker, answer.elf, found)
    status = GLUE if found.wrong else end_outputs(options, question, outputs)
    if not status:
        print(f'{options.kernel}: index space {"x".join(map(str, space))}, '
              f'{found.indices} of {math.prod(space)} indices looked at, '
              f'{answer.num_aux} auxiliary tensors, {answer.num_scalars} scalars, '
              f'{len(answer.elf)} bytes of ELF: as it says')
    return status


def main(args: List[str]) -> int:
    """The exit status."""
    errors.program = 'gaudi-tpc-glue'
    options = GlueOptions()
    try:
        options.read(args)
        if not options.action:
            return 0
        library = Library(options.library, options.seconds)
        if options.action == 'list':
            show_list(library)
            return 0
        return instantiate(library, options)
    except Failure as failure:
        if str(failure):
            tell(str(failure))
        return failure.status


def start() -> NoReturn:
    as_a_program(main)
