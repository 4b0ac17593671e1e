# SPDX-License-Identifier: MIT
"""Fidelity reports: what a run asked of the cards, and how well they know it.

A card writes one as JSON when QEMU ends: {"card": {...}, "used": [{"kind",
"name", "count", "fidelity", ("registers")}...], "totals": {...}}. Here several
become one, a table, or a verdict.
"""

import json

# From best to worst.
LEVELS = ('exact', 'approximate', 'unimplemented')


class BadReport(Exception):
    """Not a fidelity report."""


def parse(text, name):
    """A report from its JSON text; name is for the error."""
    try:
        report = json.loads(text)
        for row in report['used']:
            LEVELS.index(row['fidelity'])
            row['kind'] + row['name'] + str(row['count'] + 0)
        report['totals']['uncounted'] + 0
    except (ValueError, KeyError, TypeError) as error:
        raise BadReport(f'{name} is no fidelity report ({error!r})') from error
    if 'cards' not in report:
        report['cards'] = [report.pop('card', {})]
    return report


def merge(reports):
    """One report of all: counts added up, fidelity that of the worst use."""
    cards, rows, uncounted = [], {}, 0
    for report in reports:
        cards += report['cards']
        uncounted += report['totals']['uncounted']
        for row in report['used']:
            old = rows.setdefault((row['kind'], row['name']),
                                  dict(row, count=0))
            old['count'] += row['count']
            old['fidelity'] = max(old['fidelity'], row['fidelity'],
                                  key=LEVELS.index)
            if 'registers' in row:
                old['registers'] = max(old['registers'], row['registers'])
    totals = {level: sum(row['fidelity'] == level for row in rows.values())
              for level in LEVELS}
    totals['uncounted'] = uncounted
    return {'cards': cards, 'used': list(rows.values()), 'totals': totals}


def at_least(report, level, allowed=()):
    """The rows that are as bad as level or worse, but for those allowed."""
    worst = LEVELS.index(level)
    return [row for row in report['used']
            if LEVELS.index(row['fidelity']) >= worst
            and f'{row["kind"]} {row["name"]}' not in allowed]


def table(rows):
    """Lines of a table, worst first, then by kind and name."""
    rows = sorted(rows, key=lambda row: (-LEVELS.index(row['fidelity']),
                                         row['kind'], row['name']))
    cells = [('fidelity', 'kind', 'name', 'count')]
    cells += [(row['fidelity'], row['kind'], row['name'], str(row['count']))
              for row in rows]
    width = [max(len(line[i]) for line in cells) for i in range(4)]
    return [f'{a:{width[0]}}  {b:{width[1]}}  {c:{width[2]}}  {d:>{width[3]}}'
            for a, b, c, d in cells]


def summary(report):
    """One line of numbers."""
    totals = report['totals']
    text = ', '.join(f'{totals[level]} {level}' for level in LEVELS)
    if totals['uncounted']:
        text += f', {totals["uncounted"]} uses uncounted (the table was full)'
    return text
