# SPDX-License-Identifier: MIT
"""The rooms of houses such as qemu-device/chip/: who includes whom, and what is
offered.

Documentation/architecture.rst has a table of each house's rooms from the lowest
one up: which headers each offers, and which other rooms it includes. Here it is
held against the files:

- a room includes offered headers of the rooms in its row, all of which stand
  above it in the table; its own headers as it likes;
- a header declares what its own room defines, so that nothing is called
  against the order by a prototype;
- nor is anything called against it that is public;
- no room has more than 15 files, none is missing in the table, and all files
  stand in one;
- around a house (QEMU's device and tools, for the card) what is common and what
  is offered serve.

Usage: check_rooms.py ROOT
"""

import os
import re
import sys
from typing import NamedTuple

TABLE = 'Documentation/architecture.rst'
MAX_FILES = 15


class House(NamedTuple):
    folder: str
    around: str         # the folder whose other files keep to what is offered
    section: str        # of TABLE, with the house's table
    names: str          # a pattern: of functions and objects that rooms share
    common: tuple       # files, and folders, that everybody may include
    others: tuple = ()  # folders of the root that a row may name like a room
    beside: tuple = ()  # folders of the house that are no rooms


HOUSES = (
    House('qemu-device/chip', 'qemu-device', 'The card', r'gaudi_\w+',
          ('qemu-device/chip/gaudi_chip.h', 'uapi/hw/'), ('firmware-stub',)),
    House('driver', 'driver', 'The driver', r'gaudi_\w+',
          ('driver/core/gaudi_device.h', 'uapi/'), (), ('tests', 'probe')),
    House('sim', 'sim', 'A card in a process', r'sim_\w+',
          ('sim/gaudi_sim.h', 'sim/kernel/kernel.h', 'uapi/hw/',
           'qemu-device/chip/gaudi_chip.h', 'firmware-stub/', 'driver/')),
    House('thunk/runtime', 'thunk', 'The thunk', r'[a-z]\w*_\w+', ()),
    House('thunk/coll', 'thunk', 'The collectives', r'[a-z]\w*_\w+',
          ('thunk/deadline.h', 'thunk/synapse/syn_internal.h')),
    House('python/torch_gaudi/csrc', 'python/torch_gaudi', "PyTorch's device",
          r'[a-z]\w*', ()),
)

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
# A function from the first column on, up to what follows its ')'.
FUNCTION = (r'^(?!(?:template <[^>]*> )?static\b|typedef\b)'
            r'[A-Za-z][\w:<> \t*&]*?\n?(?<!:)\b(%s)\('
            r'([^;{}()]|\([^;{}()]*\))*\)\s*'
            r'(__attribute__\(\(.*?\)\)\s*)?([;{])')
# Functions of one type, or objects, in a list; and an object's definition.
LIST = (r'^(?:extern const (?:struct )?\w+|\w+_fn|gaudi_fault_act)\s+'
        r'(%s[^;(){}]*);')
OBJECT = r'^const (?:struct )?\w+ (%s)[^;,()]*='
# What C++ keeps in a file.
UNNAMED = re.compile(r'^namespace \{$.*?^\} // namespace$', re.M | re.S)


def read_table(root, section):
    """{room: (offered headers, rooms)}, in the order of the section's table."""
    with open(os.path.join(root, TABLE), encoding='utf-8') as file:
        lines = file.read().split('\n')
    title = next(i for i, line in enumerate(lines) if line == section and
                 lines[i + 1] == '=' * len(section))
    start = next(i for i, line in enumerate(lines) if i > title and
                 re.match(r'room +offers +includes$', line))
    columns = [match.start() for match in re.finditer(r'=+', lines[start - 1])]
    rooms = {}
    name = None
    for line in lines[start + 2:]:
        if line.startswith('='):
            break
        cells = [line[a:b].strip() for a, b in
                 zip(columns, columns[1:] + [None])]
        if cells[0]:
            name = cells[0]
            rooms[name] = ([], [])
        for i in (0, 1):
            rooms[name][i].extend(cells[i + 1].split())
    return rooms


def sources(root, folder):
    for at, folders, files in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(files):
            if name.endswith(('.c', '.cpp', '.h')):
                path = os.path.join(at, name)
                yield os.path.relpath(path, root)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def code(root, path):
    """What other files may see of it, without comments."""
    text = UNNAMED.sub('', read(root, path))
    return COMMENT.sub('', text)


def room_of(house, path):
    folder = os.path.dirname(path)
    return folder[len(house.folder) + 1:] \
        if folder.startswith(house.folder + '/') else None


def housed(root, house):
    """Files of the house, and the room of each, which may be None."""
    for path in sources(root, house.folder):
        room = room_of(house, path)
        if room is None or room.split('/')[0] not in house.beside:
            yield path, room


def check_table(house, rooms):
    seen = [*house.others]
    for name, (_, used) in rooms.items():
        for other in used:
            if other not in seen:
                yield f'{TABLE}: {name} includes {other}, which does not ' \
                      'stand above it'
        seen.append(name)


def check_include(house, rooms, path, target):
    """None, or what is wrong with it."""
    room, other = room_of(house, path), room_of(house, target)
    if target.startswith(house.common):
        return None
    if other is None:
        if room is None or target.split('/')[0] in rooms[room][1]:
            return None
        return f'{room} does not include {target}'
    if room == other:
        return None
    if room is not None and other not in rooms[room][1]:
        return f'{room} does not include {other}'
    if os.path.basename(target) not in rooms[other][0]:
        return f'{other} does not offer {os.path.basename(target)}'
    return None


def check_includes(root, house, rooms):
    unused = {(room, other) for room in rooms for other in rooms[room][1]}
    for path in sources(root, house.around):
        room = room_of(house, path)
        if room is not None and room not in rooms:
            continue
        for name in INCLUDE.findall(read(root, path)):
            target = os.path.normpath(os.path.join(os.path.dirname(path),
                                                   name))
            if not os.path.exists(os.path.join(root, target)):
                continue    # found by -I: another house's, or public
            error = check_include(house, rooms, path, target)
            if error:
                yield f'{path}: {error}'
            unused.discard((room, room_of(house, target) or
                            target.split('/')[0]))
    for room, other in sorted(unused):
        yield f'{TABLE}: {room} need not include {other}'


def check_promises(root, house):
    function, listed, obj = (re.compile(pattern % house.names, re.M)
                             for pattern in (FUNCTION, LIST, OBJECT))
    word = re.compile(r'\b' + house.names)
    declared, defined, named = {}, {}, {}
    for path, room in housed(root, house):
        if room is None:
            continue
        text = code(root, path)
        for name in obj.findall(text):
            defined[name] = room
        # Some are defined by a macro: their room's code has the name then.
        if not path.endswith('.h'):
            named.setdefault(room, set()).update(word.findall(text))
        for match in function.finditer(text):
            if match[4] == '{':
                defined[match[1]] = room
            elif path.endswith('.h'):
                declared[match[1]] = path
        for names in listed.findall(text) if path.endswith('.h') else ():
            for name in word.findall(names):
                declared[name] = path
    for name, path in declared.items():
        room = room_of(house, path)
        if name not in defined and name not in named.get(room, ()):
            yield f'{path}: {name} is defined nowhere'
        elif defined.get(name, room) != room:
            yield f'{path}: {name} is defined in {defined[name]}'


def check_calls(root, house, rooms):
    """No room calls what stands above it, public as it may be."""
    function = re.compile(FUNCTION % house.names, re.M)
    call = re.compile(r'(?<![\w.>:])(%s)\(' % house.names)
    defined, calls, below = {}, {}, {}
    for path, room in housed(root, house):
        calls[path] = set(call.findall(COMMENT.sub('', read(root, path))))
        defined.update((match[1], room)
                       for match in function.finditer(code(root, path))
                       if match[4] == '{' and not path.endswith('.h'))
    for room, (_, used) in rooms.items():
        below[room] = {room, *used}.union(*(below.get(other, ())
                                            for other in used))
    for path, names in calls.items():
        for name in sorted(names):
            room = defined.get(name)
            if room and room not in below.get(room_of(house, path), (room,)):
                yield f'{path}: {name} is of {room}, above'


def check_sizes(root, house, rooms):
    count = {}
    for path, room in housed(root, house):
        if room is not None:
            count[room] = count.get(room, 0) + 1
        elif not path.startswith(house.common):
            yield f'{path}: stands in no room'
    for room, n in count.items():
        if room not in rooms:
            yield f'{house.folder}/{room}: not a room of {TABLE}'
        if n > MAX_FILES:
            yield f'{house.folder}/{room}: {n} files, limit {MAX_FILES}'
    for room in rooms:
        if room not in count:
            yield f'{TABLE}: there is no {house.folder}/{room}'


def check_house(root, house):
    rooms = read_table(root, house.section)
    yield from check_table(house, rooms)
    yield from check_sizes(root, house, rooms)
    yield from check_includes(root, house, rooms)
    yield from check_promises(root, house)
    yield from check_calls(root, house, rooms)


def main():
    found = [error for house in HOUSES
             for error in check_house(sys.argv[1], house)]
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main()
