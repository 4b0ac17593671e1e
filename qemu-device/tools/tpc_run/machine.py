# SPDX-License-Identifier: GPL-2.0-or-later
"""A TPC with a kernel and its tensors, and what it shows."""
import ctypes
import re
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, \
    Optional, Tuple

import numpy as np

from tpc_run.errors import FILES, NUMBER, fail, tell, whole
from tpc_run.kernel import WORD, Kernel
from tpc_run.native import BREAK, DIMS, GOES_ON, MANY, Word, words32
from tpc_run.tensor import TYPES, size_of, value_text

if TYPE_CHECKING:
    from tpc_run.options import Options

CODE = 0x2000000000     # device address of the kernel
GAP = 1 << 20           # at least, between what lies in memory
BREAKS = 63
WATCHES = 16
PER_LINE = 8


CAUSES = (
    'division by zero', 'SPU: MAC beyond its range',
    'SPU: ADD or SUB beyond its range', 'SPU: ABS beyond its range',
    'SPU: NaN or infinity', 'SPU: too small a float',
    'VPU: MAC beyond its range', 'VPU: ADD or SUB beyond its range',
    'VPU: ABS beyond its range', 'VPU: NaN or infinity',
    'VPU: too small a float')

# Files of registers in the order of --print=all: how NumPy sees them, and how
# many there are; of a single one 0.
GROUPS = {
    'vp': ('u1', 16), 'v': ('u1', 40), 'sp': ('<u2', 16), 's_lfsr': ('<u4', 0),
    's_carry': ('u1', 0), 'semaphore': ('<u4', 0), 'div_step': ('<u4', 0),
    's': ('u1', 36), 'i': ('<i4', 32), 'ad': ('<u8', 8), 'lfsr': ('u1', 0),
    'carry': ('u1', 0), 'pc': ('<u8', 0)}
TYPED = ('v', 's', 'vp', 'lfsr', 'carry')
OTHERS = {'words': '<u8', 'slm': 'u1', 'vlm': 'u1', 'vlm_bytes': '<u4',
          'causes': '<u4', 'causes_pc': '<u8', 'stop_addr': '<u8',
          'stop_pc': '<u8', 'count': '<u8'}     # parts that are no registers

REGISTER = re.compile('(?P<group>' + '|'.join([*GROUPS, 'all']) +
                      r')(?P<num>\d+)?(?P<typed>:.*)?', re.I | re.S)
PLACE = re.compile(
    r'(?P<name>((?P<local>(?i:slm|vlm))|[tT](?P<tensor>{0}))'
    r'(\+(?P<offset>{0}))?|[tT](?P<of>{0})\((?P<element>({0})(,({0}))*)\)|'
    r'(?P<addr>{0}))(:(?P<kind>.*))?'.format(NUMBER), re.S)


class Place:
    """Somewhere in memory, to its end; and if it is watched, what was there."""

    def __init__(self, name: str, data: Any, kind: Optional[str]) -> None:
        self.name, self.data, self.kind = name, data, kind
        self.old = self.before = self.element()
        self.hit = False

    def element(self, n: int = 0) -> bytes:
        size = size_of(self.kind)
        return bytes(self.data[n * size:(n + 1) * size])

    def text(self, data: bytes) -> str:
        return value_text(data, self.kind)

    def look(self) -> bool:
        """True if it is not what it was."""
        now = self.element()
        if now == self.old:
            return False
        self.before, self.old, self.hit = self.old, now, True
        return True


class Print(NamedTuple):
    """A register, all of a file (num is None), or all there are."""
    group: str
    num: Optional[int]
    kind: Optional[str]


class Machine:
    """A TPC beside memory. Between what lies there are gaps, so that an access
    beyond something is found."""

    def __init__(self, lib: Any, options: 'Options', kernel: Kernel) -> None:
        self.lib, self.options, self.kernel = lib, options, kernel
        self.tensors = options.tensors
        self.core = 0
        self.words = 0          # of the cores before
        self.breaks: List[int] = []
        self.watches: List[Place] = []
        self.hit_pc = 0
        self.gdb: Any = None
        self.text = ctypes.create_string_buffer(1024)
        self.run = lib.new()
        if not self.run:
            fail('no memory', FILES)
        weakref.finalize(self, lib.free, self.run)
        self.part = {name: self.view(name, kind, count)
                     for name, (kind, count) in GROUPS.items()}
        self.part.update((name, self.view(name, kind, 0))
                         for name, kind in OTHERS.items())
        self.regions: List[Tuple[int, Any]] = []
        self.place(np.frombuffer(kernel.code, np.uint8), False)
        for n, tensor in enumerate(self.tensors):
            tensor.addr = self.place(tensor.data, True)
            lib.tensor(self.run, n, tensor.addr,
                       list(TYPES).index(tensor.kind), options.padding,
                       words32(tensor.sizes))
        for n, data in sorted(options.luts.items()):
            lib.lut(self.run, n, self.place(data, False))
        lib.kernel(self.run, CODE, words32(options.scalars),
                   len(options.scalars),
                   kernel.special_functions or bool(options.luts))
        self.executed = np.zeros(len(kernel.code) // WORD, np.uint64)
        if 'coverage' in options.flags:
            lib.coverage(self.run, self.executed.ctypes.data,
                         self.executed.size)
        lib.causes(self.run, 'causes' in options.flags)
        if lib.hazards(self.run, 'hazards' in options.flags):
            fail('no memory', FILES)
        if lib.round(self.run, options.round.encode()):
            fail(f"'{options.round}' is no rounding mode")

    def view(self, name: str, kind: str, count: int) -> Any:
        """A part of the core as an array: what is there at any time."""
        size = ctypes.c_size_t()
        start = self.lib.part(self.run, name.encode(), ctypes.byref(size))
        memory: Any = (ctypes.c_uint8 * size.value).from_address(start)
        data = np.frombuffer(memory, kind)
        return data.reshape(count, -1) if count and name != 'sp' else data

    def place(self, data: Any, write: bool) -> int:
        """Where it is then."""
        addr = CODE
        if self.regions:
            addr, last = self.regions[-1]
            addr = (addr + last.size + 2 * GAP - 1) & -GAP
        self.regions.append((addr, data))
        if self.lib.memory(self.run, addr, data.ctypes.data, data.size, write):
            fail('no memory', FILES)
        return addr

    def at(self, name: str) -> int:
        """The number that a part is."""
        return int(self.part[name][0])

    @property
    def pc(self) -> int:
        """From the kernel's beginning."""
        return (self.at('pc') - CODE) % (MANY + 1)

    @property
    def left(self) -> int:
        return max(self.options.limit - self.at('words'), 0)

    def launch(self, core: int) -> bool:
        """False if its part has nothing to do."""
        base, size = list(self.options.base), list(self.options.size)
        split = max((d for d in range(DIMS) if size[d] > 1), default=0)
        start = size[split] * core // self.options.cores
        end = size[split] * (core + 1) // self.options.cores
        if core and start == end:
            return False
        base[split] = (base[split] + start) % (1 << 32)
        size[split] = end - start
        self.words += self.at('words')
        self.core = core
        self.lib.launch(self.run, words32(base), words32(size))
        if self.options.seed is not None:
            self.lib.poison(self.run, (self.options.seed + core) % (MANY + 1))
        # Local memories are as they begin again.
        for watch in self.watches:
            watch.look()
            watch.hit = False
        return True

    def go(self, words: int, more: Tuple[int, ...] = ()) -> int:
        """Past a breakpoint at the PC, for at most so many words. GOES_ON: they
        were executed, or nothing is left. BREAK also behind a word that has
        changed what is watched, and at the offsets in more."""
        words = min(words, self.left)
        breaks = [CODE + offset for offset in (*self.breaks, *more)]
        if not self.watches:
            return int(self.lib.execute(
                self.run, words, (ctypes.c_uint64 * len(breaks))(*breaks),
                len(breaks)))
        while words:
            pc = self.pc
            why = int(self.lib.execute(self.run, 1, None, 0))
            if any([watch.look() for watch in self.watches]):
                self.hit_pc = pc
                return why or BREAK
            words -= 1
            if why != GOES_ON:
                return why
            if words and self.at('pc') in breaks:
                return BREAK
        return GOES_ON

    def wait_for_gdb(self, where: str) -> None:
        """From the next launch on."""
        self.gdb = self.lib.gdb_new(self.run, where.encode(), self.text,
                                    len(self.text))
        if not self.gdb:
            fail(f'--gdb {self.text.value.decode()}')
        tell('waiting for: gdb -ex "target remote '
             f'{self.lib.gdb_where(self.gdb).decode()}" -ex '
             f"'add-symbol-file {self.kernel.name} $kernel'")

    def go_by_gdb(self) -> int:
        """As go(), or KILLED."""
        return int(self.lib.gdb_execute(self.gdb, self.core, self.left))

    def end_gdb(self, status: int) -> None:
        if self.gdb:
            self.lib.gdb_free(self.gdb, status)
        self.gdb = None

    def add_break(self, offset: int) -> bool:
        if offset in self.breaks or len(self.breaks) >= BREAKS:
            return False
        self.breaks.append(offset)
        return True

    def add_watch(self, text: str) -> None:
        if len(self.watches) == WATCHES:
            fail(f'more than {WATCHES} places cannot be watched')
        self.watches.append(self.find(text))

    def memory(self, found: 're.Match[str]') -> Tuple[Any, Optional[str]]:
        """What a place leads to; no bytes if there is no such place."""
        if found['addr']:
            addr = whole(found['addr']) or 0
            return next((region[addr - start:]
                         for start, region in self.regions
                         if start <= addr < start + region.size), b''), None
        offset = whole(found['offset'] or '0')
        if found['local']:
            name = found['local'].lower()
            used = self.at('vlm_bytes') if name == 'vlm' else 0
            return self.part[name][:used or None][offset:], None
        n = whole(found['tensor'] or found['of'])
        if n is None or n >= len(self.tensors):
            return b'', None
        tensor = self.tensors[n]
        if found['of']:
            offset = tensor.offset([whole(c) or 0 for c in
                                    found['element'].split(',')])
        return tensor.data[offset:], tensor.kind

    def find(self, text: str) -> Place:
        """A place in memory, as in "slm+0x10", "vlm+256:f32", "t1+8",
        "t1(3,0)" or "0x2000100000:u8"."""
        found = PLACE.fullmatch(text)
        data, kind = self.memory(found) if found else (b'', None)
        if not found or not len(data):
            fail(f"there is no place '{text}'; try slm+0x10, "
                        'vlm+256:f32, t0(3,0) or an address')
        if found['kind'] is not None:
            kind = found['kind']
            if kind not in TYPES:
                fail(f"there is no type '{kind}'")
        if size_of(kind) > len(data):
            fail(f"memory ends within '{text}'")
        return Place(found['name'], data, kind)

    # What is shown.

    def decode(self, offset: int, target: Optional[str] = None) -> \
            Tuple[Optional[Word], str]:
        """Nothing and why not, or it and its text."""
        raw, word, text = self.kernel.word_at(offset), Word(), self.text
        if not raw:
            return None, 'not in the kernel'
        bad = self.lib.decode(raw, offset, target and target.encode(),
                              ctypes.byref(word), text, len(text))
        return None if bad else word, text.value.decode()

    def word_text(self, offset: int, mark: str = '') -> str:
        """=> 0x00040 <main+0x40>  ..."""
        head = f'{mark}0x{offset:05x} <{self.kernel.place(offset)}>  '
        word, text = self.decode(offset)
        if not word:
            return f'{head}({text})'
        if word.leads >= 0:
            target = self.kernel.place(word.leads)
            if '+' not in target and target[0] != '0':
                text = self.decode(offset, target)[1]
        return head + text

    def show_watches(self) -> bool:
        """What go() has found to be changed, once."""
        hit = [watch for watch in self.watches if watch.hit]
        if hit:
            print(self.word_text(self.hit_pc, '   '))
        for watch in hit:
            watch.hit = False
            print(f'watch {watch.name}: {watch.text(watch.before)} -> '
                  f'{watch.text(watch.old)}')
        return bool(hit)

    def register_text(self, group: str, num: Optional[int],
                      kind: Optional[str]) -> str:
        """"S0 = 0x00000007", or some lines."""
        value = self.part[group] if num is None or group == 'sp' else \
            self.part[group][num]
        name = group.upper() + ('' if num is None else str(num))
        size = size_of(kind)
        if group in ('vp', 'carry'):
            return name + '\n  ' + ''.join('1' if byte else '0'
                                           for byte in value[::size])
        if group in ('v', 'lfsr'):
            texts = [value_text(value[i:i + size], kind)
                     for i in range(0, len(value), size)]
            return '\n'.join([name, *rows(texts, '3')])
        if group == 's':
            return f'{name} = {value_text(value, kind)}'
        if group == 'i':
            return f'{name} = ({", ".join(str(c) for c in value)})'
        if group == 'sp':
            return f'{name} = {int(value[0]) >> (num or 0) & 1}'
        if group == 's_lfsr':
            return f'{name} = 0x{int(value[0]):08x}'
        if group in ('ad', 'pc'):
            return f'{name} = {self.pc if group == "pc" else int(value[0]):#x}'
        return f'{name} = {value[0]}'

    def numbers(self, group: str) -> List[Optional[int]]:
        """Of a file's registers; of a single one None."""
        return list(range(GROUPS[group][1])) or [None]

    def show_registers(self, what: Print) -> None:
        for group in GROUPS if what.group == 'all' else (what.group,):
            for num in self.numbers(group) if what.num is None else \
                    (what.num,):
                print(self.register_text(group, num, what.kind))

    def snapshot(self) -> Dict[str, Any]:
        return {group: self.part[group].copy() for group in GROUPS
                if self.numbers(group) != [None]}

    def show_changes(self, old: Dict[str, Any]) -> None:
        for group, before in old.items():
            now = self.part[group]
            if (now == before).all():
                continue
            for num in self.numbers(group):
                assert num is not None
                changed = (int(now[0]) ^ int(before[0])) >> num & 1 \
                    if group == 'sp' else (now[num] != before[num]).any()
                if changed:
                    print(self.register_text(group, num, None))

    def show_causes(self) -> None:
        causes = self.at('causes')
        if not causes:
            return
        print(f'core {self.core}:')
        for i, name in enumerate(CAUSES, 1):
            if causes >> i & 1:
                print(f'  cause {i}, {name}')
        print(self.word_text(self.at('causes_pc') - CODE,
                             '  the last new one: '))

    def show_stats(self, seconds: float) -> None:
        words = self.words + self.at('words')
        print(f'words: {words}')
        slots: List[str] = []
        while name := self.lib.slot_name(len(slots)):
            slots.append(name.decode())
        counts = self.part['count'].reshape(len(slots), -1)
        for slot, count in zip(slots, counts):
            used = [f', {self.lib.op_name(op).decode()} {n}'
                    for op, n in enumerate(count) if n]
            print(f'{slot}: {count.sum()}' + ''.join(used))
        if seconds > 0:
            print(f'words/s: {words / seconds:.0f}')


def rows(texts: List[str], width: str) -> Iterator[str]:
    """Eight elements a line, with the first one's number."""
    for i in range(0, len(texts), PER_LINE):
        yield f'  [{i:{width}}] ' + ' '.join(texts[i:i + PER_LINE])


def parse_print(text: str) -> Print:
    found = REGISTER.fullmatch(text)
    group = found['group'].lower() if found else ''
    num = int(found['num']) if found and found['num'] else None
    kind = found['typed'] and found['typed'][1:] if found else None
    if not found or \
            (num is not None and num >= GROUPS.get(group, ('', 0))[1]) or \
            (kind is not None and (group not in TYPED or kind not in TYPES)):
        fail(f"'{text}' is no register; try v3:f32, s0, i2, vp1, sp1, ad0, "
             'pc, v, all')
    return Print(group, num, kind)
