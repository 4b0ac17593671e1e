# SPDX-License-Identifier: MIT
"""The tables of registers, uapi/hw/regs/gaudi_*.def, and the pages of blocks.

A table is consistent in itself: no two rows have a register in common. Above
each table of registers in Documentation/blocks/ a comment names what it is held
against:

    .. registers: qman
    .. registers: mme_ctrl ACC=mme_acc      (rows "ACC 0x028" are of mme_acc)
    .. registers: 0xC04000=pcie_core        (addresses from 0xC04000 on)
    .. registers: none                      (there is no table of these)

Each of its rows says offset, name, access and reset value as the table does, and
what the model does something with (EXACT, ROUGH) has a row; what it keeps only
(KEPT) is not named in its code, and is nothing that acts. A range may say the
name and reset value of its first register, and the access of those that have no
row of their own; a reset value in words is not looked at.

Usage: check_registers.py ROOT
"""

import glob
import os
import re
import sys
from typing import NamedTuple

ROW = re.compile(r'^REG(S?)\((.*)\)(?:\s+/\*.*\*/)?$')
ACCESS = ('RW', 'RO', 'WT', 'W1C', 'W0C')
FIDELITY = ('EXACT', 'ROUGH', 'KEPT')
HEX = r'0x[0-9A-Fa-f]+'


class Register(NamedTuple):
    name: str           # of one, with its number
    row: int            # of the table
    stride: int
    reset: int
    access: str
    fidelity: str


def read_code():
    """Words of the model's code, and those that have an argument."""
    text = ''
    for path in glob.glob('qemu-device/chip/**/*.[ch]', recursive=True):
        with open(path, encoding='utf-8') as file:
            text += re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
    return set(re.findall(r'\w+', text)), set(re.findall(r'(\w+)\(', text))


def acts(cells, is_array, code):
    """Why a row is not only kept."""
    words, called = code
    first = f'{cells[0]}0{cells[1]}' if is_array else cells[0]
    if cells[6] in ('WT', 'W1C', 'W0C'):
        yield f'{first} is {cells[6]}, not KEPT'
    if {first, f'ROW_{first}'} & words or \
            is_array and cells[0].rstrip('_') + cells[1] in called:
        yield f'{first} is KEPT, but the model names it'


def read_table(path, code):
    """({offset: register}, complaints)"""
    registers, wrong = {}, []
    with open(path, encoding='utf-8') as file:
        text = re.sub(r'^/\*.*?\*/$', lambda c: '\n' * c[0].count('\n'),
                      file.read(), flags=re.S | re.M)
    for number, line in enumerate(text.split('\n'), 1):
        if not line:
            continue
        match = ROW.match(line)
        cells = [cell.strip() for cell in match[2].split(',')] if match else []
        if match and not match[1]:
            cells[1:1] = ['', cells[1], '1', '0']
            del cells[5]
        if len(cells) not in (8, 9) or cells[6] not in ACCESS or \
                cells[7] not in FIDELITY:
            wrong.append(f'{path}:{number}: not a row')
            continue
        if cells[7] == 'KEPT':
            wrong += [f'{path}:{number}: {why}' for why in
                      acts(cells, bool(match[1]), code)]
        offset, count, stride, reset = (int(cell, 0) for cell in cells[2:6])
        if len(cells) > 8 and not 0 < int(cells[8]) <= count:
            wrong.append(f'{path}:{number}: closes {cells[8]} of {count}')
        for i in range(count):
            name = cells[0] + (f'{i}{cells[1]}' if match[1] else '')
            at = offset + i * stride
            if at in registers:
                wrong.append(f'{path}:{number}: {name} is where '
                             f'{registers[at].name} is')
            registers[at] = Register(name, number, stride, reset, cells[6],
                                     cells[7])
    return registers, wrong


def tables_of(page):
    """(line, what its comment says or None, rows of cells) of each table of
    registers, each row with its line."""
    with open(page, encoding='utf-8') as file:
        lines = file.read().split('\n')
    said = None
    i = 0
    while i < len(lines):
        if lines[i].startswith('.. registers:'):
            said = lines[i].split(':')[1].split()
        elif re.match(r'offset +name +access', lines[i]):
            columns = [m.start() for m in re.finditer('=+', lines[i - 1])]
            start, rows = i, []
            i += 2
            while not lines[i].startswith('='):
                cells = [lines[i][a:b].strip() for a, b in
                         zip(columns, columns[1:] + [None])]
                if cells[0]:
                    rows.append((i + 1, cells))
                i += 1
            yield start + 1, said, 'reset' in lines[start], rows
            said = None
        i += 1


def is_named(said, name):
    """Does the page's name, as PQ_BASE_LO, HI_x, begin that of a register?"""
    first = said.replace('\\', '').split(' (')[0]
    if re.search('[a-z]{2}', first):
        return True     # words
    first = re.sub(r'\([^)]*\)', '*', first).split(',')[0].split('..')[0]
    first = re.sub(r'(?<=[A-Z_])_?[a-z]$', '', first)
    pattern = re.sub('[a-z]', r'\\d*', re.escape(first).replace(r'\*', '.*'))
    return re.search(f'(^|_){pattern}', name) is not None


def number(text):
    return int(text, 0) if re.fullmatch(f'{HEX}|0|[1-9][0-9]*', text) else None


class Page:
    """One table of a page against one or more of registers."""

    def __init__(self, path, tables, said):
        self.path = path
        self.where = {}         # prefix, or base: registers
        for word in said:
            key, _, name = word.rpartition('=')
            self.where[key] = tables[name]
        self.single = {key: set() for key in self.where}
        self.ranges = []

    def split(self, cell):
        """(key, offsets without the base) of an offset's cell"""
        prefix, _, rest = cell.partition(' ') if re.match('[A-Z]', cell) \
            else ('', '', cell)
        if prefix not in self.where:
            base = next((key for key in self.where if key.startswith('0x') and
                         int(key, 16) <= int(re.match(HEX, rest)[0], 16) <
                         int(key, 16) + 0x1000), None)
            if base is None:
                return None, None
            return base, re.sub(HEX, lambda at: hex(int(at[0], 16) -
                                                    int(base, 16)), rest)
        return prefix, rest

    def row(self, line, cells, has_reset):
        key, offsets = self.split(cells[0])
        if key is None:
            yield f'{self.path}:{line}: of which table is {cells[0]}?'
            return
        registers = self.where[key]
        found = [int(o, 16) for o in re.findall(HEX, offsets.split('+')[0])]
        for offset in found:
            if offset not in registers:
                yield f'{self.path}:{line}: no register is at {offset:#x}'
                return
        first = registers[found[0]]
        stride = re.search(rf'\+ ?({HEX}|\d+)[a-z]', offsets)
        if stride and int(stride[1], 0) != first.stride:
            yield f'{self.path}:{line}: {first.name} has {first.stride:#x} ' \
                  'to the next'
        if not is_named(cells[1], first.name):
            yield f'{self.path}:{line}: {cells[1]} is {first.name}'
        if '..' in offsets:
            self.ranges.append((line, key, found[0], found[-1], cells[2]))
        else:
            self.single[key] |= {registers[o].row for o in found}
            for offset in found:
                yield from self.access(line, registers[offset], cells[2])
        reset = number(cells[3]) if has_reset else 0
        if reset is not None and reset != first.reset:
            yield f'{self.path}:{line}: {first.name} resets to ' \
                  f'{first.reset:#x}'

    def access(self, line, register, access):
        if access != register.access:
            yield f'{self.path}:{line}: {register.name} is {register.access}'

    def end(self, line):
        """Once all rows are known."""
        for at, key, first, last, access in self.ranges:
            rows = {}
            for offset, register in self.where[key].items():
                if first <= offset <= last and \
                        register.row not in self.single[key]:
                    rows[register.row] = register
            for register in rows.values():
                yield from self.access(at, register, access)
        for key, registers in self.where.items():
            seen = self.single[key] | {
                registers[o].row for _, k, first, last, _ in self.ranges
                for o in registers if k == key and first <= o <= last}
            for row in sorted({r.row for r in registers.values()
                               if r.fidelity != 'KEPT'} - seen):
                name = next(r.name for r in registers.values() if r.row == row)
                yield f'{self.path}:{line}: {name} has no row'


def check_page(path, tables):
    for line, said, has_reset, rows in tables_of(path):
        if said is None:
            yield f'{path}:{line}: which table of registers is this held against?'
        elif said != ['none']:
            page = Page(path, tables, said)
            for at, cells in rows:
                yield from page.row(at, cells, has_reset)
            yield from page.end(line)


def main():
    os.chdir(sys.argv[1])
    tables, wrong = {}, []
    code = read_code()
    for path in sorted(glob.glob('uapi/hw/regs/gaudi_*.def')):
        name = os.path.basename(path)[len('gaudi_'):-len('.def')]
        tables[name], found = read_table(path, code)
        wrong += found
    for path in sorted(glob.glob('Documentation/blocks/*.rst')):
        wrong += check_page(path, tables)
    print('\n'.join(wrong), end='\n' if wrong else '')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
