#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Simulate collectives at scale, and write the table and the picture of the result.

usage: scale.py TABLE.inc PICTURE.svg
"""

import json
import math
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get('GAUDI_BUILD') or os.path.join(ROOT, 'build')
PROGRAM = os.path.join(BUILD, 'tests', 'scale', 'gaudi-scale')

ALGORITHMS = ('direct', 'ring', 'halving', 'tree', 'hierarchical')
CARDS = (8, 64, 512, 4096, 65536)
SIZES = (1 << 10, 32 << 10, 1 << 20, 32 << 20, 1 << 30)
# Which algorithms there are for a collective.
KINDS = {
    'allreduce': ALGORITHMS,
    'reducescatter': ('direct', 'ring', 'hierarchical'),
    'allgather': ('direct', 'ring', 'hierarchical'),
    'broadcast': ('direct', 'tree', 'hierarchical'),
}
# A port has connections 1 to 1023, and a card needs one to each peer.
MOST_DIRECT = 1023
# Trees, whose cards differ: so many cards, and passes, take too long.
MOST_BY_ITSELF = (4096, 1 << 20)
# Of the emulated box, in a table of its own.
HERE_CARDS = (8, 64)
# Where each card and message has to be simulated by itself.
LOST_CARDS = (8, 64, 512, 4096)
LOST_SIZE = 1 << 20
# Up to which each message of each pair, or of each step of a ring, is one more.
LOST_DENSE = 64


def simulate(kind, algorithm, cards, size, *more):
    """The program's answer for one case."""
    command = [PROGRAM, '--kind', kind, '--algorithm', algorithm,
               '--cards', str(cards), '--bytes', str(size), *more]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(command)}: {done.stderr}')
    return json.loads(done.stdout)


def can(algorithm, cards):
    """Is there such a case?"""
    if algorithm == 'direct':
        return cards - 1 <= MOST_DIRECT
    return algorithm != 'hierarchical' or cards > 8


def takes_too_long(kind, algorithm, cards, size):
    """Has each card of a large machine to be simulated by itself, and more than once?"""
    if cards <= MOST_BY_ITSELF[0]:
        return False
    return ((kind, algorithm) == ('broadcast', 'hierarchical') or
            algorithm == 'tree' and size > MOST_BY_ITSELF[1])


def duration(seconds):
    """Three digits, with a unit."""
    for unit, name in ((1, 's'), (1e-3, 'ms')):
        if seconds >= unit:
            return f'{seconds / unit:.3g} {name}'
    return f'{seconds / 1e-6:.3g} us'


def size_name(size):
    """1 MiB."""
    for unit, name in ((1 << 30, 'GiB'), (1 << 20, 'MiB')):
        if size >= unit:
            return f'{size // unit} {name}'
    return f'{size >> 10} KiB'


def table(head, rows):
    """As reStructuredText."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    rule = ' '.join('=' * width for width in widths)
    lines = [' '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in [head, *rows]]
    return '\n'.join([rule, lines[0], rule, *lines[1:], rule]) + '\n'


def cell(result, best):
    """Time, and how many times the bound; the fastest one is bold."""
    text = f'{duration(result["seconds"])} ({result["seconds"] / result["bound"]:.3g})'
    return f'**{text}**' if result is best else text


def table_of(results, kind):
    """Sizes by cards."""
    rows = []
    for cards in CARDS:
        for size in SIZES:
            row = {a: results[kind, a, cards, size] for a in KINDS[kind]
                   if (kind, a, cards, size) in results}
            if not row:
                continue
            best = min(row.values(), key=lambda result: result['seconds'])
            rows.append([f'{cards}', size_name(size), duration(best['bound']),
                         *(cell(row[a], best) if a in row else '-'
                           for a in KINDS[kind])])
    return table(['cards', 'size', 'bound', *KINDS[kind]], rows)


def table_of_here(results):
    """Allreduce with the constants of the emulated box."""
    rows = []
    for cards in HERE_CARDS:
        for size in SIZES:
            row = {a: results['here'][a, cards, size] for a in ALGORITHMS
                   if can(a, cards)}
            best = min(row.values(), key=lambda result: result['seconds'])
            rows.append([f'{cards}', size_name(size), duration(best['bound']),
                         *(cell(row[a], best) if a in row else '-'
                           for a in ALGORITHMS)])
    return table(['cards', 'size', 'bound', *ALGORITHMS], rows)


def table_of_losses(results):
    """One size of allreduce, whole and with cables lost."""
    rows = []
    for (algorithm, cards), result in sorted(results['lost'].items(), key=lambda item: item[0][1]):
        whole = results['allreduce', algorithm, cards, LOST_SIZE]
        rows.append([f'{cards}', algorithm,
                     f'{result["lost"]} of {result["cables"]}',
                     duration(whole['seconds']), duration(result['seconds']),
                     f'{result["seconds"] / whole["seconds"]:.2f}'])
    return table(['cards', 'algorithm', 'lost', 'before', 'with them', 'times'], rows)


COLOURS = dict(zip(ALGORITHMS, ('#c0392b', '#2471a3', '#1e8449', '#af7ac5', '#000000')))
WIDTH, HEIGHT, LEFT, TOP = 300, 260, 56, 30


class Panel:
    """Time by cards, both logarithmic, for one size of allreduce."""

    def __init__(self, results, size, left):
        self.results, self.size, self.left = results, size, left
        times = [value for key, r in results.items()
                 if key[0] == 'allreduce' and key[3] == size
                 for value in (r['seconds'], r['bound'])]
        self.low = math.floor(math.log10(min(times)))
        self.high = math.ceil(math.log10(max(times)))

    def point(self, cards, seconds):
        """Where it is."""
        x = self.left + WIDTH * math.log2(cards / 8) / math.log2(CARDS[-1] / 8)
        part = (math.log10(seconds) - self.low) / (self.high - self.low)
        return f'{x:.1f},{TOP + HEIGHT * (1 - part):.1f}'

    def line(self, points, colour, more=''):
        """A line with its points."""
        return (f'<polyline fill="none" stroke="{colour}" stroke-width="1.8" {more} '
                f'points="{" ".join(points)}"/>')

    def draw(self):
        """All of it."""
        yield (f'<rect x="{self.left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" '
               'fill="none" stroke="#888"/>')
        yield (f'<text x="{self.left + WIDTH / 2}" y="{TOP - 10}" '
               f'text-anchor="middle">{size_name(self.size)}</text>')
        for power in range(self.low, self.high + 1):
            y = self.point(8, 10.0 ** power).split(',')[1]
            yield (f'<path d="M{self.left},{y}h{WIDTH}" stroke="#ddd"/>'
                   f'<text x="{self.left - 5}" y="{float(y) + 4:.1f}" '
                   f'text-anchor="end">{duration(10.0 ** power)}</text>')
        for cards in CARDS:
            x = self.point(cards, 10.0 ** self.low).split(',')[0]
            yield (f'<text x="{x}" y="{TOP + HEIGHT + 16}" '
                   f'text-anchor="middle">{cards}</text>')
        for algorithm in ALGORITHMS:
            mine = [(n, self.results['allreduce', algorithm, n, self.size])
                    for n in CARDS
                    if ('allreduce', algorithm, n, self.size) in self.results]
            yield self.line([self.point(n, r['seconds']) for n, r in mine],
                            COLOURS[algorithm])
        ring = [(n, self.results['allreduce', 'ring', n, self.size]) for n in CARDS]
        yield self.line([self.point(n, r['bound']) for n, r in ring], '#888',
                        'stroke-dasharray="5 4"')


def picture(results):
    """Three sizes side by side."""
    sizes = (SIZES[0], SIZES[2], SIZES[-1])
    total = len(sizes) * (WIDTH + LEFT) + 20
    lines = ['<!-- SPDX-License-Identifier: MIT -->',
             '<!-- Made by "make scale": do not edit. -->',
             '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" '
             f'font-size="11" viewBox="0 0 {total} {TOP + HEIGHT + 52}">',
             f'<rect width="{total}" height="{TOP + HEIGHT + 52}" fill="#fff"/>']
    for i, size in enumerate(sizes):
        lines += Panel(results, size, LEFT + i * (WIDTH + LEFT)).draw()
    for i, name in enumerate((*ALGORITHMS, 'bound')):
        x, y = LEFT + 130 * i, TOP + HEIGHT + 38
        dash = ' stroke-dasharray="5 4"' if name == 'bound' else ''
        lines.append(f'<path d="M{x},{y - 4}h24" stroke-width="1.8"{dash} '
                     f'stroke="{COLOURS.get(name, "#888")}"/>'
                     f'<text x="{x + 30}" y="{y}">{name}</text>')
    return '\n'.join([*lines, '</svg>']) + '\n'


def simulate_all():
    """All cases of the tables, as many at a time as there are CPUs."""
    todo = [(None, (kind, a, cards, size))
            for kind, algorithms in KINDS.items() for a in algorithms
            for cards in CARDS for size in SIZES
            if can(a, cards) and not takes_too_long(kind, a, cards, size)]
    todo += [('here', ('allreduce', a, cards, size, '--constants', 'here'))
             for a in ALGORITHMS for cards in HERE_CARDS for size in SIZES
             if can(a, cards)]
    todo += [('lost', ('allreduce', a, cards, LOST_SIZE, '--lost', '0.001'))
             for a in ALGORITHMS for cards in LOST_CARDS
             if can(a, cards) and (cards <= LOST_DENSE or a not in ('direct', 'ring'))]
    # Those that take longest begin.
    todo.sort(key=lambda job: -job[1][2])
    results = {'here': {}, 'lost': {}}
    start = time.monotonic()
    with ThreadPoolExecutor(int(os.environ.get('JOBS') or os.cpu_count() or 1)) as pool:
        answers = pool.map(lambda job: simulate(*job[1]), todo)
        for (where, case), answer in zip(todo, answers):
            if where == 'here':
                results[where][case[1:4]] = answer
            elif where == 'lost':
                results[where][case[1:3]] = answer
            else:
                results[case] = answer
    print(f'{len(todo)} cases: {time.monotonic() - start:.0f} s', flush=True)
    return results


def main():
    """Both files, or none."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    results = simulate_all()
    parts = ['.. SPDX-License-Identifier: MIT\n'
             '.. Made by "make scale": do not edit.\n\n']
    losses = table_of_losses(results)
    here = table_of_here(results)
    del results['lost'], results['here']
    for kind in KINDS:
        parts.append(f'``{kind}``:\n\n{table_of(results, kind)}\n')
    parts.append('``allreduce`` of '
                 f'{size_name(LOST_SIZE)}, one cable in a thousand lost:\n\n{losses}\n'
                 '``allreduce`` with the constants of the emulated box:\n\n'
                 f'{here}')
    image = picture(results)
    for path, text in ((sys.argv[1], ''.join(parts)), (sys.argv[2], image)):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    main()
