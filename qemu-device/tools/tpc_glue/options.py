# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line."""
import getopt
import math
import sys
from typing import Any, List, NamedTuple, Optional

import numpy as np

from tpc_run.errors import fail, read_file, whole
from tpc_run.native import TENSORS
from tpc_run.options import Options, bits_of, count_of, cut_type, numbers
from tpc_run.tensor import TYPES, Tensor, parse_array, size_of

USAGE = """\
Usage: gaudi-tpc-glue list LIBRARY
       gaudi-tpc-glue check LIBRARY KERNEL [OPTION]...
       gaudi-tpc-glue run LIBRARY KERNEL [OPTION]...
Kernels of a library of glue code: list them; check what the library says of one, and run
it index by index in the card's interpreter; or run it on a card as well.

  -t, --tensor FILE[:TYPE]       the next input, read from FILE
  -g, --generate TYPE:SIZES      the next input, of random elements
  -o, --output FILE[:TYPE[:SIZES]]  the next output, written to FILE; type: else that of
                                 the first input; sizes: else the library says them
  -e, --expect FILE[:TYPE]       the next output, which must be as in FILE
      --tolerance NUMBER         how far elements of --expect may be away; else 0
  -p, --param VALUE              the next 32 bits of the node's parameters: 1.5, f:2, i:7
      --lut INTERVALS=FILE       as of gaudi-tpc-run
      --indices N                look at so many indices one by one; else 4096
      --limit WORDS              of a launch in the interpreter; else 2^32
      --seed N                   of each --generate behind it; else 1
      --timeout SECONDS          of a call of the library; else 60
  -h, --help                     this text

TYPE: f32 bf16 i32 u32 i16 u16 i8 u8. SIZES: such as 200x3, dimension 0 (NumPy's last) first.
"""

ACTIONS = {'list': 1, 'check': 2, 'run': 2}     # and how many words follow
INDICES = 4096
SECONDS = 60


class Output(NamedTuple):
    """kind and sizes: None if they are to be found out."""
    path: str
    kind: Optional[str]
    sizes: Optional[List[int]]
    expected: Any               # bytes; None: it is written to path


def generate(kind: str, sizes: List[int], random: Any) -> Tensor:
    """Sixteenths from -8 to 8, or whole numbers: their sums are exact for a while."""
    count = math.prod(sizes)
    numbers_of = random.integers(-128, 129, count)
    if kind in ('f32', 'bf16'):
        reals = (numbers_of / 16).astype('<f4')
        data = reals if kind == 'f32' else (reals.view('<u4') >> 16).astype('<u2')
    else:
        data = (numbers_of & 127 if kind[0] == 'u' else
                numbers_of // 2).astype(TYPES[kind])
    return Tensor(kind, sizes, np.frombuffer(data.tobytes(), np.uint8).copy())


class GlueOptions(Options):
    """What is said, with the inputs' contents; as its base does, to which only what a
    launch in the interpreter needs is left."""

    LETTERS = {'t': 'tensor', 'g': 'generate', 'o': 'output', 'e': 'expect', 'p': 'param'}
    LONG = [*LETTERS.values(), 'tolerance', 'lut', 'indices', 'limit', 'seed', 'timeout']

    def __init__(self) -> None:
        super().__init__()
        self.action = ''
        self.library = ''
        self.params = b''
        self.outputs: List[Output] = []
        self.tolerance = 0.0
        self.indices = INDICES
        self.seconds = SECONDS
        self.random: Any = np.random.default_rng(1)

    def read(self, args: List[str]) -> None:
        """No action is left if help was wanted."""
        try:
            pairs, rest = getopt.gnu_getopt(args, ':'.join(self.LETTERS) + ':h',
                                            [name + '=' for name in self.LONG] + ['help'])
        except getopt.GetoptError as error:
            fail(f'{error}\nTry gaudi-tpc-glue --help.')
        for name, text in pairs:
            name = self.LETTERS.get(name[1:], name[2:] or 'help')
            if name == 'help':
                sys.stdout.write(USAGE)
                return
            getattr(self, 'opt_' + name)(text)
        if not rest or len(rest) - 1 != ACTIONS.get(rest[0]):
            sys.stderr.write(USAGE)
            fail('')
        self.action, self.library, self.kernel = (rest + [''])[:3]
        if self.action == 'list' and pairs:
            fail('"list" takes no options')
        if self.action != 'list' and not self.outputs:
            fail('no output is given, by --output or --expect')

    def opt_generate(self, text: str) -> None:
        kind, colon, said = text.partition(':')
        sizes = numbers(said) if colon else None
        if kind not in TYPES or sizes is None or 0 in sizes:
            fail(f"'{text}' is no TYPE:SIZES; try f32:200x3")
        self.add_tensor(generate(kind, sizes, self.random))

    def add_output(self, output: Output) -> None:
        if len(self.outputs) == TENSORS:
            fail(f'there are more than {TENSORS} outputs')
        self.outputs.append(output)

    def opt_output(self, text: str) -> None:
        path, colon, said = text.rpartition(':')
        sizes = numbers(said) if colon and cut_type(path)[1] else None
        if sizes is not None and 0 in sizes:
            fail(f"'{said}' are no sizes")
        path, kind = cut_type(path if sizes is not None else text)
        self.add_output(Output(path, kind, sizes, None))

    def opt_expect(self, text: str) -> None:
        path, kind = cut_type(text)
        array = parse_array(read_file(path), path)
        if kind and size_of(kind) != size_of(array.kind):
            fail(f'{path}: its elements are {array.kind}, of another size than {kind}')
        self.add_output(Output(path, kind or array.kind, array.said or [1], array.data))

    def opt_tolerance(self, text: str) -> None:
        try:
            self.tolerance = float(text)
        except ValueError:
            self.tolerance = -1
        if not 0 <= self.tolerance < math.inf:
            fail(f"'{text}' is no tolerance")

    def opt_param(self, text: str) -> None:
        self.params += bits_of(text).to_bytes(4, 'little')

    def number(self, text: str, what: str) -> int:
        value = whole(text)
        if value is None:
            fail(f"'{text}' is no number {what}")
        return value

    def opt_indices(self, text: str) -> None:
        self.indices = self.number(text, 'of indices')

    def opt_timeout(self, text: str) -> None:
        self.seconds = count_of(text, 1 << 20, f"'{text}' is no number of seconds")

    def opt_seed(self, text: str) -> None:
        self.random = np.random.default_rng(self.number(text, 'for --seed'))
