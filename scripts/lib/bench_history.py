# SPDX-License-Identifier: MIT
"""The bench's ratios, a row for each commit that was measured, and their picture.

    bench_history.py CSV SVG        draws the one from the other

The table has a column for each row of the bench that has a ratio. The first line
below the heading has their goals, those of the last run. Who measures a commit
again replaces its row.
"""

import csv
import math
import os
import sys
from xml.sax.saxutils import escape

KEYS = ['date', 'commit']
GOAL = 'goal'
# Of a panel of the picture: one for each column, so many beside each other.
ACROSS, WIDTH, HEIGHT, PLOT = 2, 430, 78, 44
MARGIN, HEAD = 12, 34
INK, GREY, LINE, GOAL_INK = '#222', '#777', '#1f6fb4', '#c0392b'


class Bad(Exception):
    """No history."""


def read(path):
    """The names of columns, the goals, and the rows as {column: text}."""
    if not os.path.exists(path):
        return [], {}, []
    with open(path, encoding='utf-8', newline='') as file:
        table = list(csv.DictReader(file))
        names = list(table[0])[len(KEYS):] if table else []
    if not table or table[0]['date'] != GOAL:
        raise Bad(f'{path}: no line of goals')
    return names, table[0], table[1:]


def write(path, names, goals, rows):
    with open(path + '.new', 'w', encoding='utf-8', newline='') as file:
        out = csv.DictWriter(file, KEYS + names, restval='',
                             lineterminator='\n')
        out.writeheader()
        out.writerow({**goals, 'date': GOAL, 'commit': ''})
        out.writerows(rows)
    os.replace(path + '.new', path)


def record(path, date, commit, measured):
    """Add what was measured, rows of run-bench, of one commit."""
    names, goals, rows = read(path)
    ratios = {row['name']: row for row in measured if row['ratio'] is not None}
    names += [name for name in ratios if name not in names]
    goals = {**goals, **{name: f'{row["goal"]:.3g}'
                         for name, row in ratios.items()}}
    rows = [row for row in rows if row['commit'] != commit]
    rows.append({'date': date, 'commit': commit,
                 **{name: f'{row["ratio"]:.3g}' for name, row in
                    ratios.items()}})
    write(path, names, goals, rows)


def text(x, y, words, color=INK, anchor='start', size=11):
    return (f'<text x="{x:g}" y="{y:g}" fill="{color}" font-size="{size}" '
            f'text-anchor="{anchor}">{escape(words)}</text>')


def scale(values):
    """From a ratio to a height in the plot. Logarithmic: twice as good is as far
    up as half as good is down."""
    low, high = math.log(min(values)), math.log(max(values))
    room = max(0.1 * (high - low), 0.05)
    low, high = low - room, high + room
    return lambda value: PLOT * (high - math.log(value)) / (high - low)


def panel(x, y, name, goal, points, columns):
    """One column: points are pairs of a row's number and a ratio."""
    up = scale([ratio for _, ratio in points] + [goal])
    plot, top = WIDTH - 2 * MARGIN - 40, y + 22
    step = plot / max(columns - 1, 1)
    spots = [(x + at * step, top + up(ratio)) for at, ratio in points]
    line = ' '.join(f'{a:.1f},{b:.1f}' for a, b in spots)
    level, last = top + up(goal), points[-1][1]
    return [
        text(x, y + 12, name),
        f'<line x1="{x:g}" y1="{level:.1f}" x2="{x + plot:g}" '
        f'y2="{level:.1f}" stroke="{GOAL_INK}" stroke-dasharray="4 3"/>',
        f'<polyline points="{line}" fill="none" stroke="{LINE}" '
        'stroke-width="1.5"/>',
        *(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2" fill="{LINE}"/>'
          for a, b in spots),
        text(x + plot + 6, spots[-1][1] + 4, f'{last:.3g}',
             LINE if last >= goal else GOAL_INK)]


def draw(names, goals, rows):
    """An SVG."""
    panels = []
    for name in names:
        points = [(at, float(row[name])) for at, row in enumerate(rows)
                  if row.get(name)]
        # What is measured no more has no point in the last row.
        if points and points[-1][0] == len(rows) - 1:
            panels.append((name, float(goals[name]), points))
    if not panels:
        raise Bad('nothing to draw')
    height = HEAD + HEIGHT * math.ceil(len(panels) / ACROSS) + MARGIN
    width = MARGIN + ACROSS * WIDTH
    first, last = rows[0], rows[-1]
    when = f'{last["date"]}, {last["commit"]}'
    if first is not last:
        when = f'{first["date"]}, {first["commit"]}, to {when}'
    lines = [
        '<!-- SPDX-License-Identifier: MIT -->',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        text(MARGIN, 20, f'Ratios of the bench, more is better; dashed: the '
             f'goal. {when}', GREY, size=12)]
    for at, (name, goal, points) in enumerate(panels):
        lines += panel(MARGIN + at % ACROSS * WIDTH,
                       HEAD + at // ACROSS * HEIGHT, name, goal, points,
                       len(rows))
    return '\n'.join(lines) + '\n</svg>\n'


def picture(table, path):
    """Draw the table's picture."""
    drawn = draw(*read(table))
    with open(path, 'w', encoding='utf-8') as file:
        file.write(drawn)


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__.split('\n\n')[1])
    try:
        picture(*sys.argv[1:])
    except (Bad, OSError) as error:
        sys.exit(f'bench_history: {error}')
