# SPDX-License-Identifier: MIT
"""Files under 800 lines, functions under 60 (120 if a switch or a table is
what they are). Exceptions stand here, each with its reason.

Usage: check_sizes.py FILE:FILE:...
"""

import re
import sys

FILE_LINES = 800
FUNCTION_LINES = 60
SWITCH_LINES = 120
# A function is a switch or a table if it has this many cases or rows.
CASES = 10

# 'file' or 'file:function': why it is longer.
EXCEPTIONS = {
}

NAME = re.compile(r'(\w+)\(')
CASE = re.compile(r'^\t*(case\b|default:|\{ )')


def functions(lines):
    """(name, first line, body) of each function in kernel or QEMU style: the
    braces of its body stand in the first column."""
    start = None
    for number, line in enumerate(lines):
        if line == '{':
            start = number
        elif line == '}' and start is not None:
            head = ' '.join(lines[max(0, start - 6):start])
            head = re.split(r'[;}]', head)[-1]
            match = NAME.search(head)
            yield (match[1] if match else '?', start + 1,
                   lines[start + 1:number])
            start = None


def check(path):
    found = []
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    # Register headers and tables of names are data.
    if len(lines) > FILE_LINES and path.endswith('.c') \
            and path not in EXCEPTIONS:
        found.append(f'{path}: {len(lines)} lines, limit {FILE_LINES}')
    for name, line, body in functions(lines):
        cases = sum(1 for text in body if CASE.match(text))
        limit = SWITCH_LINES if cases >= CASES else FUNCTION_LINES
        if len(body) > limit and f'{path}:{name}' not in EXCEPTIONS:
            found.append(f'{path}:{line}: {name}() has {len(body)} lines, '
                         f'limit {limit}')
    return found


def main():
    found = [text for path in sys.argv[1].split(':') if path
             for text in check(path)]
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if found else 0)


main()
