# SPDX-License-Identifier: MIT
"""Documentation/walkthrough.rst names files, and functions in them: are they there?

A function must be defined in one of the files that its paragraph, or item, names.
The table of Documentation/driver.rst must name all of the driver's files, and no others.

Usage: check_walkthrough.py ROOT
"""

import fnmatch
import glob
import os
import re
import sys

PAGE = 'Documentation/walkthrough.rst'
DRIVER = 'Documentation/driver.rst'


def check_driver(root):
    """How many rows or files have no counterpart."""
    with open(os.path.join(root, DRIVER), encoding='utf-8') as page:
        rows = re.findall(r'``(\w+/gaudi_[\w*]+\.c)``', page.read())
    folder = os.path.join(root, 'driver')
    files = [os.path.relpath(path, folder)
             for path in glob.glob(os.path.join(folder, '*', 'gaudi_*.c'))]
    bad = [f'there is no driver/{row}' for row in rows
           if not fnmatch.filter(files, row)]
    bad += [f'no row has {file}' for file in files
            if not any(fnmatch.fnmatch(file, row) for row in rows)]
    for what in bad:
        print(f'{DRIVER}: {what}')
    return len(bad)


def main(root):
    with open(os.path.join(root, PAGE), encoding='utf-8') as page:
        items = re.split(r'\n\n|\n(?=\* )', page.read())
    bad = check_driver(root)
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
