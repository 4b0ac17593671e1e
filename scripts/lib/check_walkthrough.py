# SPDX-License-Identifier: MIT
"""Documentation/walkthrough.rst names files, and functions in them: are they there?

A function must be defined in one of the files that its paragraph, or item, names.

Usage: check_walkthrough.py ROOT
"""

import os
import re
import sys

PAGE = 'Documentation/walkthrough.rst'


def main(root):
    with open(os.path.join(root, PAGE), encoding='utf-8') as page:
        items = re.split(r'\n\n|\n(?=\* )', page.read())
    bad = 0
    for item in items:
        sources = []
        for path in re.findall(r'``([\w.-]+(?:/[\w.-]+)+)``', item):
            if os.path.isfile(os.path.join(root, path)):
                with open(os.path.join(root, path), encoding='utf-8') as source:
                    sources.append(source.read())
            elif not os.path.isdir(os.path.join(root, path)):
                print(f'{PAGE}: there is no {path}')
                bad += 1
        for name in re.findall(r'``(\w+)\(\)``', item):
            if not any(re.search(rf'^\w[^;=\n]*\b{name}\([^;]*?\)\s*{{', source,
                                 re.M) for source in sources):
                print(f'{PAGE}: {name}() is not defined in a file named with it')
                bad += 1
    return bool(bad)


sys.exit(main(sys.argv[1]))
