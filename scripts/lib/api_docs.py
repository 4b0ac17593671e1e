# SPDX-License-Identifier: MIT
"""The headers' texts: what is missing in them, and pages for Sphinx.

Each house's rooms have a page with the text of their first header, and what they
offer (Documentation/architecture.rst says which headers these are). In the driver
every function that a room offers has kernel-doc, and the kernel's own script makes
the page; the other houses' comments are plain, and stand on the page as they do in
the header, as do those of the public headers.

Usage: api_docs.py check ROOT               what has no kernel-doc
       api_docs.py headers ROOT             the headers that have kernel-doc
       api_docs.py pages ROOT SCRIPT FOLDER   pages, by the kernel's script
"""

import os
import re
import subprocess
import sys

from check_rooms import COMMENT, HOUSES, read, read_table, sources

# Headers of others' making, as far as kernel-doc goes: macros alone.
NO_FUNCTIONS = ('gaudi_trace.h',)
# A function, declared or inline, with the comment before it if there is one.
FUNCTION = re.compile(r'(/\*(?:[^*]|\*(?!/))*\*/\n)?'
                      r'^(?!typedef\b)(?:static inline )?[a-z][\w \t*]*?'
                      r'\n?\b(\w+)\((?:[^;{}()]|\((?:[^()]|\([^()]*\))*\))*\)'
                      r'\s*(?:__\w+\([^()]*\)\s*)?[;{]', re.M)
PUBLIC = (
    ('libgaudi', 'thunk/include',
     ('gaudi.h', 'gaudi_launch.h', 'gaudi_graph.h', 'gaudi_recipe.h',
      'gaudi_link.h')),
    ('libSynapse', 'thunk/include/habanalabs', ('synapse_api.h', 'synapse_gaudi.h')),
    ('libhl-thunk', 'thunk/include', ('hlthunk.h', 'hlthunk_err_inject.h')),
    ('uapi', 'uapi/drm', ('gaudi_accel.h', 'gaudi_nic.h')),
)


def offered(root, house):
    """(room, paths of the headers that it offers), from the lowest room up."""
    paths = {}
    for path in sources(root, house.folder):
        paths.setdefault(os.path.dirname(path), []).append(path)
    for room, (headers, _) in read_table(root, house.section).items():
        folder = os.path.join(house.folder, room)
        yield room, [os.path.join(folder, name) for name in headers
                     if os.path.join(folder, name) in paths.get(folder, ())]


def driver_headers(root):
    house = next(house for house in HOUSES if house.folder == 'driver')
    for _, paths in offered(root, house):
        for path in paths:
            if os.path.basename(path) not in NO_FUNCTIONS and \
                    FUNCTION.search(COMMENT.sub('', read(root, path))):
                yield path


def check(root):
    for path in driver_headers(root):
        has = set()
        for match in FUNCTION.finditer(read(root, path)):
            comment, name = match[1] or '', match[2]
            if comment.startswith(f'/**\n * {name}() - '):
                has.add(name)
            # What stands in for it, behind #else, has the same text.
            elif name not in has:
                yield f'{path}: {name} has no kernel-doc'


def escape(text):
    text = re.sub(r'([\\*`|_])', r'\\\1', text)
    return re.sub(r'^(?=[^A-Za-z\\]|\w+[.)])', r'\\', text)


def prose(comment):
    """A plain comment's text as reStructuredText."""
    lines = re.sub(r'^/\*+ ?|\s*\*/$', '', comment.strip()).split('\n')
    lines = [re.sub(r'^\s*\* ?', '', line).rstrip() for line in lines]
    for block in re.split(r'\n{2,}', '\n'.join(lines).strip('\n')):
        items = re.split(r'\n(?=- )', '\n' + block)
        for item in items if items[0] == '' else [block]:
            if not item.strip():
                continue
            bullet = '- ' if item.startswith('- ') else ''
            body = item[len(bullet):].strip('\n')
            # A list in columns, or a drawing.
            if re.search(r'^ {3}|[^.\s] {2,}\S', body, re.M):
                yield '::\n\n' + re.sub('(?m)^', '    ', body) + '\n'
            else:
                yield bullet + escape(' '.join(body.split())) + '\n'


def heading(text, line):
    return f'{text}\n{line * len(text)}\n'


def split_header(text):
    """(comment, code that follows it) of a header, without its guard."""
    text = re.sub(r'^#(ifndef|define) \w+_H\n|^#endif[^\n]*_H[^\n]*\n|'
                  r'^#ifdef __cplusplus\n[^#]*#endif\n', '', text,
                  flags=re.M)
    place, comment = 0, ''
    for match in re.finditer(r'^/\*.*?\*/\n', text, re.M | re.S):
        yield comment, text[place:match.start()].strip('\n')
        place, comment = match.end(), match[0]
    yield comment, text[place:].strip('\n')


def plain_page(root, path, without=''):
    """The header as it is: its comments as text, its code as code."""
    yield heading('``' + os.path.basename(path) + '``', '=')
    for comment, code in split_header(read(root, path)):
        if 'SPDX-License-Identifier' in comment:
            continue
        if comment.strip() == without:
            comment = ''
        section = re.match(r'/\*\n \* ([A-Z][^\n.]{2,50}(?: \([\w., ]+\))?)\n'
                           r' \*(\n|/)', comment)
        if section:
            yield heading(escape(section[1]), '-')
            comment = comment.replace(section[1], '', 1)
        yield from prose(comment)
        code = re.sub(r'^#include.*\n?', '', code, flags=re.M).strip('\n')
        if code:
            yield '.. code-block:: c\n\n' + \
                re.sub('(?m)^(?=.)', '    ', code.expandtabs()) + '\n'


def driver_page(root, path, script):
    yield heading('``' + os.path.basename(path) + '``', '=')
    done = subprocess.run(['perl', script, '-rst', '-sphinx-version', '5.0.0',
                           os.path.join(root, path)],
                          stdout=subprocess.PIPE, check=True)
    yield done.stdout.decode()


def first_comment(root, path):
    return next(match[0] for match in COMMENT.finditer(read(root, path))
                if 'SPDX-License-Identifier' not in match[0])


def house_pages(root, script):
    documented = set(driver_headers(root))
    for house in HOUSES:
        for room, paths in offered(root, house):
            if not paths:
                continue
            first = first_comment(root, paths[0])
            lines = [heading(f'{house.folder}/{room}', '*'), *prose(first)]
            for path in paths:
                lines += driver_page(root, path, script) \
                    if path in documented else plain_page(root, path, first)
            yield house, room, lines


def pages(root, script, folder):
    os.makedirs(folder, exist_ok=True)
    names = {house.section: [] for house in HOUSES}
    names['Public headers'] = []

    def write(section, name, lines):
        names[section].append(name)
        with open(os.path.join(folder, name + '.rst'), 'w',
                  encoding='utf-8') as file:
            file.write('\n'.join(lines))

    for title, where, headers in PUBLIC:
        write('Public headers', title,
              [heading(title, '*'),
               *(line for name in headers for line in
                 plain_page(root, os.path.join(where, name)))])
    for house, room, lines in house_pages(root, script):
        write(house.section,
              f'{house.folder}/{room}'.replace('/', '-'), lines)
    with open(os.path.join(folder, 'index.rst'), 'w',
              encoding='utf-8') as file:
        file.write(heading('Headers', '*') + '\nWhat the headers say, a page '
                   'for each room, and for what is public.\n')
        for section in reversed(names):
            file.write(f'\n{section}:\n\n.. toctree::\n   :maxdepth: 1\n\n')
            file.writelines(f'   {name}\n' for name in names[section])


def main():
    command, root, *rest = sys.argv[1:]
    if command == 'pages':
        pages(root, *rest)
        return
    found = [*(check if command == 'check' else driver_headers)(root)]
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if command == 'check' and found else 0)


main()
