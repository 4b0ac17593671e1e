#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Documentation/torch-operators.rst of what opinfo.py found.

usage: operators_page.py FOLDER          on standard output, of opinfo.py --into FOLDER
       operators_page.py --check PAGE    that the page is what this makes of what it says
"""

import glob
import json
import os
import re
import sys

TYPES = ['float32', 'bfloat16', 'int64', 'bool']
# The better ones first.
STATES = ['device', 'fallback', 'exception', 'wrong']
HEAD = '''.. SPDX-License-Identifier: MIT
.. Made by tests/torch/operators_page.py; not to be changed by hand.

===================
PyTorch's operators
===================

The entries of PyTorch 1.13's own operator database, ``op_db``, on ``hpu`` (:doc:`torch`) beside
the CPU: all samples of an entry, forward and, of the floating types, backward. Where results
differ by more than the tolerance, the same in a wider type says which one is wrong. From::

    make test T=torch:oracle
    python3 tests/torch/operators_page.py build/torch/opinfo > Documentation/torch-operators.rst

device
    right, and all of it ran on the card
fallback
    right, and a part of it, or all, ran on the CPU for at least one sample
exception
    right but for samples of a kind that `Exceptions`_ names
\\-
    PyTorch's CPU does not have it in this type

'''


def state(found):
    if found['failed']:
        return 'wrong'
    if found.get('exceptions'):
        return 'exception'
    return 'fallback' if found['fallbacks'] else 'device'


def load(folder):
    """What opinfo.py wrote: its lines, as dicts."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, '*.jsonl'))):
        with open(path, encoding='utf-8') as file:
            found += [json.loads(line) for line in file]
    return [item for item in found if 'op' in item]


def tables(found):
    """States by operator and type; (operator, reason) of exceptions: with types."""
    states, reasons = {}, {}
    for item in found:
        states.setdefault(item['op'], {})[item['type']] = state(item)
        for reason in item.get('exceptions', ()):
            reasons.setdefault((item['op'], reason), []).append(item['type'])
    return states, reasons


def grid(rows):
    """A simple table of reStructuredText; the first row is its head."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = '  '.join('=' * width for width in widths)
    lines = ['  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in rows]
    return '\n'.join([rule, lines[0], rule, *lines[1:], rule, ''])


def page(states, reasons):
    count = [['', *TYPES], ['entries'], *([text] for text in STATES)]
    for name in TYPES:
        cells = [row[name] for row in states.values() if name in row]
        count[1].append(str(len(cells)))
        for row, text in zip(count[2:], STATES):
            row.append(str(cells.count(text)))
    if count[-1][1:] == ['0'] * len(TYPES):
        count.pop()
    each = [['operator', *TYPES]]
    for op in sorted(states, key=lambda name: (name.lower(), name)):
        each.append([f'``{op}``', *(states[op].get(name, '\\-') for name in TYPES)])
    why = [['operator', 'types', 'reason']]
    for (op, reason), types in sorted(reasons.items()):
        why.append([f'``{op}``', ', '.join(t for t in TYPES if t in types), reason])
    return (HEAD + grid(count) + '\nEach\n====\n\n' + grid(each) +
            '\nExceptions\n==========\n\n' + grid(why))


def read(text):
    """The tables of a page."""
    rows = [re.split(r'  +', line.strip()) for line in text.splitlines()
            if line.startswith('``')]
    states = {row[0].strip('`'): {name: cell for name, cell in zip(TYPES, row[1:])
                                  if cell in STATES}
              for row in rows if len(row) == len(TYPES) + 1}
    reasons = {(row[0].strip('`'), row[2]): row[1].split(', ')
               for row in rows if len(row) == 3}
    return states, reasons


def main(arguments):
    if arguments[:1] == ['--check'] and len(arguments) == 2:
        with open(arguments[1], encoding='utf-8') as file:
            text = file.read()
        return page(*read(text)) != text
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    sys.stdout.write(page(*tables(load(arguments[0]))))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
