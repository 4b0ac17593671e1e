# SPDX-License-Identifier: MIT
"""The rooms of qemu-device/chip/: who includes whom, and what is offered.

Documentation/architecture.rst has a table of the rooms from the lowest one up:
which headers each offers, and which other rooms it includes. Here it is held
against the files:

- a room includes offered headers of the rooms in its row, all of which stand
  above it in the table; its own headers as it likes;
- a header declares what its own room defines, so that nothing is called
  against the order by a prototype;
- no room has more than 15 files, and none is missing in the table;
- around the card (QEMU's device, tools) gaudi_chip.h and what is offered serve.

Usage: check_rooms.py ROOT
"""

import os
import re
import sys

CHIP = 'qemu-device/chip'
TABLE = 'Documentation/architecture.rst'
MAX_FILES = 15
# What everybody may include, as folders from the root.
COMMON = ('uapi/hw/',)

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
# A function of ours from the first column on, up to what follows its ')'.
FUNCTION = re.compile(r'^(?!static\b|typedef\b)[a-z][\w \t*]*?\n?\b(gaudi_\w+)\('
                      r'([^;{}()]|\([^;{}()]*\))*\)\s*'
                      r'(__attribute__\(\(.*?\)\)\s*)?([;{])', re.M)

# Functions of one type, or objects, in a list; and an object's definition.
LIST = re.compile(r'^(?:extern const struct \w+|gaudi_\w+_fn|gaudi_fault_act)\s+'
                  r'(gaudi_[^;(){}]*);', re.M)
OBJECT = re.compile(r'^const struct \w+ (gaudi_\w+)[^;,()]*=', re.M)


def read_table(root):
    """{room: (offered headers, rooms)}, in the order of the table."""
    with open(os.path.join(root, TABLE), encoding='utf-8') as file:
        lines = file.read().split('\n')
    start = next(i for i, line in enumerate(lines)
                 if re.match(r'room +offers +includes$', line))
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
            if name.endswith(('.c', '.h')):
                path = os.path.join(at, name)
                yield os.path.relpath(path, root)


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def room_of(path):
    folder = os.path.dirname(path)
    return folder[len(CHIP) + 1:] if folder.startswith(CHIP + '/') else None


def check_table(rooms):
    seen = ['firmware-stub']
    for name, (_, used) in rooms.items():
        for other in used:
            if other not in seen:
                yield f'{TABLE}: {name} includes {other}, which does not ' \
                      'stand above it'
        seen.append(name)


def check_include(rooms, path, target):
    """None, or what is wrong with it."""
    room, other = room_of(path), room_of(target)
    if target == CHIP + '/gaudi_chip.h' or target.startswith(COMMON):
        return None
    if other is None:
        if room is None or target.startswith('firmware-stub/') and \
                'firmware-stub' in rooms[room][1]:
            return None
        return f'{room} does not include {target}'
    if room == other:
        return None
    if room is not None and other not in rooms[room][1]:
        return f'{room} does not include {other}'
    if os.path.basename(target) not in rooms[other][0]:
        return f'{other} does not offer {os.path.basename(target)}'
    return None


def check_includes(root, rooms):
    unused = {(room, other) for room in rooms for other in rooms[room][1]}
    for path in sources(root, 'qemu-device'):
        if room_of(path) is not None and room_of(path) not in rooms:
            continue
        for name in INCLUDE.findall(read(root, path)):
            target = os.path.normpath(os.path.join(os.path.dirname(path),
                                                   name))
            if not os.path.exists(os.path.join(root, target)):
                continue    # QEMU's, or in the same folder of a build
            error = check_include(rooms, path, target)
            if error:
                yield f'{path}: {error}'
            unused.discard((room_of(path), room_of(target) or
                            target.split('/')[0]))
    for room, other in sorted(unused):
        yield f'{TABLE}: {room} need not include {other}'


def check_promises(root):
    declared, defined, named = {}, {}, {}
    for path in sources(root, CHIP):
        if room_of(path) is None:
            continue
        text = COMMENT.sub('', read(root, path))
        for name in OBJECT.findall(text):
            defined[name] = room_of(path)
        # Some are defined by a macro: their room's code has the name then.
        if path.endswith('.c'):
            named.setdefault(room_of(path), set()).update(
                re.findall(r'\bgaudi_\w+', text))
        for match in FUNCTION.finditer(text):
            if match[4] == '{':
                defined[match[1]] = room_of(path)
            elif path.endswith('.h'):
                declared[match[1]] = path
        for names in LIST.findall(text) if path.endswith('.h') else ():
            for name in re.findall(r'\bgaudi_\w+', names):
                declared[name] = path
    for name, path in declared.items():
        if name not in defined and \
                name not in named.get(room_of(path), ()):
            yield f'{path}: {name} is defined nowhere'
        elif defined.get(name, room_of(path)) != room_of(path):
            yield f'{path}: {name} is defined in {defined[name]}'


def check_sizes(root, rooms):
    count = {}
    for path in sources(root, CHIP):
        room = room_of(path)
        if room is not None:
            count[room] = count.get(room, 0) + 1
    for room, n in count.items():
        if room not in rooms:
            yield f'{CHIP}/{room}: not a room of {TABLE}'
        if n > MAX_FILES:
            yield f'{CHIP}/{room}: {n} files, limit {MAX_FILES}'
    for room in rooms:
        if room not in count:
            yield f'{TABLE}: there is no {CHIP}/{room}'


def main():
    root = sys.argv[1]
    rooms = read_table(root)
    found = [*check_table(rooms), *check_sizes(root, rooms),
             *check_includes(root, rooms), *check_promises(root)]
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if found else 0)


main()
