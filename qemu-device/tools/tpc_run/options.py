# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line."""
import getopt
import math
import re
import sys
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from tpc_run.errors import FILES, fail, read_file, whole
from tpc_run.machine import BREAKS, WATCHES, Print, parse_print
from tpc_run.native import DIMS, MANY, SCALARS, TENSORS
from tpc_run.tensor import TYPES, Tensor, npy, parse_array, size_of

USAGE = """\
Usage: gaudi-tpc-run [OPTION]... KERNEL.o
Execute a TPC kernel on tensors from .npy files, without a card.

  -t, --tensor FILE[:TYPE]       the next tensor, read from FILE
  -o, --output FILE[:TYPE[:SIZES]]  the next tensor, zero, then written to FILE;
                                 like the tensor before it if not said
  -u, --update FILE=OUT          the next tensor, read, then written to OUT
  -s, --scalar VALUE             the next parameter: 1.5, f:2, i:7, or 7
  -x, --index-space SIZES        such as 4x3; dimension 0 first; else 1
      --tid-base NUMBERS         where it begins, such as 0x2; else 0
      --split CORES              in parts, one after another
      --padding VALUE            what is read beside tensors
      --lut INTERVALS=FILE       tables of special functions with 256, 128, 64
                                 or 32 intervals, as they lie in memory
      --round MODE               the default: rhne, rz, ru, rd, sr, rhaz
      --steps                    show each word
      --trace                    the same with the registers it changes
  -b, --break PLACE              show --print's registers there; or, with
                                 --debug, stop. 0x40, label or label+0x40
  -w, --watch PLACE[:TYPE]       show what changes there, or, with --debug, stop:
                                 slm+0x10, vlm+256:f32, t1(3,0), an address
  -p, --print REG[:TYPE],...     v3:f32, s0, i2, vp1, sp1, ad0, pc; v, all; at
                                 the end
      --debug                    commands from standard input; try help
      --gdb PORT|SOCKET          wait for GDB there, and do what it says
      --hazards                  stop where hardware's timing may not do
      --poison SEED              random registers and local memories at first
      --causes                   tell of divisions by zero, overflows, NaN, ...
      --limit WORDS              for each core; else 2^32
      --coverage                 how often each word was executed, slots in use
      --stats                    counts of words and operations, speed
  -h, --help                     this text

TYPE: f32 bf16 i32 u32 i16 u16 i8 u8. SIZES: dimension 0 (NumPy's last) first.
"""

PRINTS = 32
CORES = 64
LUTS = ('256', '128', '64', '32')   # intervals


def numbers(text: str) -> Optional[List[int]]:
    """4x3: up to five."""
    if not re.fullmatch('[0-9]+(x[0-9]+)*', text):
        return None
    found = [int(n) for n in text.split('x')]
    return found if len(found) <= DIMS and max(found) < 1 << 31 else None


def padded(text: str, rest: int, why: str) -> List[int]:
    found = numbers(text)
    if found is None:
        fail(why)
    return found + [rest] * (DIMS - len(found))


def count_of(text: str, most: int, why: str) -> int:
    n = whole(text)
    if not n or n > most:
        fail(why)
    return n


def bits_of(text: str) -> int:
    """Of a real number or one of 32 bits."""
    only = text[:2] if text[:2] in ('f:', 'i:') else ''
    digits = text[len(only):]
    n = whole(digits.lstrip('+-') if digits[1:2].isdigit() else digits)
    if n is not None and only != 'f:':
        n = -n if digits[0] == '-' else n
        if -1 << 31 <= n < 1 << 32:
            return n % (1 << 32)
    elif only != 'i:' and re.fullmatch(r'[\w.+-]+', digits) and \
            '_' not in digits:
        try:
            real = float.fromhex(digits) if 'x' in digits.lower() else \
                float(digits)
            with np.errstate(over='ignore'):
                return int(np.float32(real).view(np.uint32))
        except (ValueError, OverflowError):
            pass
    fail(f"'{text}' is no value; try 1.5, f:2 or i:7")


def cut_type(text: str) -> Tuple[str, Optional[str]]:
    path, _, kind = text.rpartition(':')
    return (path, kind) if kind in TYPES and path != text else (text, None)


class Options:
    """What is said on the command line, with the tensors' contents. A method
    opt_* each takes an option; the others are flags."""

    SHORT = {'t': 'tensor', 'o': 'output', 'u': 'update', 's': 'scalar',
             'x': 'index-space', 'b': 'break', 'w': 'watch', 'p': 'print'}
    FLAGS = ['steps', 'trace', 'debug', 'hazards', 'causes', 'stats', 'coverage',
             'help']

    def __init__(self) -> None:
        self.tensors: List[Tensor] = []
        self.scalars: List[int] = []
        self.luts: Dict[int, Any] = {}
        self.size = [1] * DIMS
        self.base = [0] * DIMS
        self.cores = 1
        self.padding = 0
        self.limit = 1 << 32
        self.round = 'rhne'
        self.seed: Optional[int] = None
        self.gdb: Optional[str] = None
        self.prints: List[Print] = []
        self.breaks: List[str] = []
        self.watches: List[str] = []
        self.flags: List[str] = []
        self.kernel: Optional[str] = None       # without: help was wanted

    def read(self, args: List[str]) -> None:
        names = [name[4:].replace('_', '-') + '=' for name in dir(self)
                 if name.startswith('opt_')]
        try:
            pairs, rest = getopt.gnu_getopt(args, ':'.join(self.SHORT) + ':h',
                                            names + self.FLAGS)
        except getopt.GetoptError as error:
            fail(f'{error}\nTry gaudi-tpc-run --help.')
        for name, text in pairs:
            name = self.SHORT.get(name[1:], name[2:] or 'help')
            if name == 'help':
                sys.stdout.write(USAGE)
                return
            if name in self.FLAGS:
                self.flags.append(name)
            else:
                getattr(self, 'opt_' + name.replace('-', '_'))(text)
        if len(rest) != 1:
            sys.stderr.write(USAGE)
            fail('')
        self.kernel = rest[0]
        if self.gdb is not None and \
                (self.breaks or self.watches or
                 {'debug', 'steps', 'trace', 'coverage'} & set(self.flags)):
            fail('--gdb goes with none of --debug, --break, --watch, --steps, '
                 '--trace and --coverage')

    def add_tensor(self, tensor: Tensor) -> None:
        if len(self.tensors) == TENSORS:
            fail(f'there are more than {TENSORS} tensors')
        self.tensors.append(tensor)

    def opt_tensor(self, text: str, out: Optional[str] = None) -> None:
        path, kind = cut_type(text)
        tensor = parse_array(read_file(path), path)
        tensor.out = out
        if kind and size_of(kind) != size_of(tensor.kind):
            fail(f'{path}: its elements are {tensor.kind}, of another size '
                 f'than {kind}')
        tensor.kind = kind or tensor.kind
        self.add_tensor(tensor)

    def opt_update(self, text: str) -> None:
        path, equals, out = text.rpartition('=')
        if not equals or not out:
            fail(f"'{text}' is no FILE=OUT")
        self.opt_tensor(path, out)

    def opt_output(self, text: str) -> None:
        path, colon, said = text.rpartition(':')
        if not colon or not re.fullmatch('[0-9x]+', said):
            path, said = text, ''
        path, kind = cut_type(path)
        _, colon, left = path.rpartition(':')
        if colon and not set('./') & set(left):
            fail(f"{path}: '{left}' is neither a type nor sizes; try :f32 or "
                 ':f32:1024x3')
        if not self.tensors and not (kind and said):
            fail(f'{path}: of the first tensor type and sizes must be said, '
                 'as in :f32:1024x3')
        if said and not kind:
            fail(f'{path}: there is no type before :{said}')
        kind = kind or self.tensors[-1].kind
        sizes = numbers(said) if said else self.tensors[-1].said
        if sizes is None:
            fail(f"'{said}' are no sizes")
        try:
            data = np.zeros(math.prod(sizes) * size_of(kind), np.uint8)
        except (MemoryError, ValueError, OverflowError):
            fail(f'{path}: there is not so much memory')
        self.add_tensor(Tensor(kind, sizes, data, path))

    def opt_lut(self, text: str) -> None:
        intervals, equals, path = text.partition('=')
        if not equals or intervals not in LUTS:
            fail(f"'{text}' is no INTERVALS=FILE; INTERVALS: 256, 128, 64, 32")
        n = LUTS.index(intervals)
        if n in self.luts:
            fail(f'tables of {intervals} intervals are given twice')
        data = read_file(path)
        if not data:
            fail(f'{path}: it is empty', FILES)
        # As it is, or the contents of an array.
        self.luts[n] = parse_array(data, path).data \
            if data[:6] == npy.MAGIC_PREFIX else np.frombuffer(data, np.uint8)

    def opt_scalar(self, text: str) -> None:
        if len(self.scalars) == SCALARS:
            fail(f'there are more than {SCALARS} scalars')
        self.scalars.append(bits_of(text))

    def opt_padding(self, text: str) -> None:
        self.padding = bits_of(text)

    def opt_index_space(self, text: str) -> None:
        self.size = padded(text, 1, f"'{text}' is no index space; try 4x3")
        if 0 in self.size:
            fail(f"index space '{text}': nothing is run if a size is 0")

    def opt_tid_base(self, text: str) -> None:
        self.base = padded(text, 0, f"'{text}' is no place in an index space; "
                           'try 0x2')

    def opt_split(self, text: str) -> None:
        self.cores = count_of(text, CORES, f"'{text}' is no number of cores, "
                              f'up to {CORES}')

    def opt_limit(self, text: str) -> None:
        self.limit = count_of(text, MANY, f"'{text}' is no number of words")

    def opt_round(self, text: str) -> None:
        self.round = text

    def opt_poison(self, text: str) -> None:
        self.seed = whole(text)
        if self.seed is None or self.seed > MANY:
            fail(f"'{text}' is no number for --poison")

    def opt_gdb(self, text: str) -> None:
        self.gdb = text

    def opt_print(self, text: str) -> None:
        self.prints += map(parse_print, filter(None, text.split(',')))
        if len(self.prints) > PRINTS:
            fail(f'there are more than {PRINTS} registers')

    def opt_break(self, text: str) -> None:
        self.breaks.append(text)
        if len(self.breaks) > BREAKS:
            fail('there are too many breakpoints')

    def opt_watch(self, text: str) -> None:
        self.watches.append(text)
        if len(self.watches) > WATCHES:
            fail('there are too many watched places')
