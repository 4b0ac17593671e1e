# SPDX-License-Identifier: MIT
"""A profile.summary() as rows of words, as text and as a page."""

import html

PARTS = 400		# of a strip
MOST_ROWS = 30	# of what the host did
STRIP, LEFT = 14, 90	# its height; the names beside it

STYLE = '''body { font: 14px sans-serif; max-width: 75em; margin: 1em auto; padding: 0 1em }
table { border-collapse: collapse; margin: .5em 0 1.5em }
th, td { padding: .2em .8em; border-bottom: 1px solid #ccc; text-align: left }
td.number { text-align: right } th.sorts { cursor: pointer }
svg text { font: 11px sans-serif } .lane { fill: #eee } .busy { fill: #06c }'''

# A click on a column's head sorts by it.
SCRIPT = '''for (const table of document.querySelectorAll('table')) {
  const heads = table.querySelectorAll('th');
  heads.forEach((head, column) => {
    head.className = 'sorts';
    head.addEventListener('click', () => {
      const body = table.tBodies[0], sign = head.dataset.up === '1' ? -1 : 1;
      const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const rows = [...body.rows].sort((a, b) => {
        const x = key(a), y = key(b);
        return sign * (isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y);
      });
      heads.forEach(other => delete other.dataset.up);
      head.dataset.up = sign === 1 ? '1' : '0';
      body.append(...rows);
    });
  });
}'''


class Amount:
    """A number with the words for it."""

    def __init__(self, value, text):
        self.value = value
        self.text = text

    def __str__(self):
        return self.text


def time(ns):
    for unit, size in (('s', 1e9), ('ms', 1e6), ('us', 1e3)):
        if ns >= size:
            return Amount(ns, f'{ns / size:.3f} {unit}')
    return Amount(ns, f'{ns} ns')


def share(value):
    return Amount(value, f'{100 * value:.1f} %')


def number(value):
    return Amount(value, f'{value:,}')


def card_tables(card):
    """(title, heads, rows) of one card."""
    yield ('busy', ('engine', 'jobs', 'busy', 'share'),
           [(row['engine'], number(row['jobs']), time(row['busy_ns']), share(row['share']))
            for row in card['engines']] +
           [(f'any {row["kind"]}', '', time(row['busy_ns']), share(row['share']))
            for row in card['kinds']])
    yield ('operators, by time', ('name', 'count', 'all', 'longest', 'bytes', 'engines'),
           [(row['name'], number(row['count']), time(row['total_ns']),
             time(row['longest_ns']), number(row['bytes']), ' '.join(row['engines']))
            for row in card['operators']])
    copies = card['copies']
    yield ('copies beside compute', ('what', 'time'), [
        ('copies', time(copies['copy_ns'])),
        ('no MME and no TPC at work meanwhile', time(copies['alone_ns'])),
        ('and one of their queues waited for the copy', time(copies['needed_ns'])),
        ('MME or TPC at work without a copy', time(copies['compute_alone_ns'])),
        ('could overlap, at most', time(copies['could_overlap_ns']))])
    if copies['longest']:
        yield ('longest copies that nothing was beside, nor waited for',
               ('engine', 'what', 'bytes', 'at', 'alone'),
               [(row['engine'], row['name'], number(row['bytes']), time(row['begin_ns']),
                 time(row['alone_ns'])) for row in copies['longest']])
    if card['loads']:
        yield ('code of kernels', ('kernel', 'written'),
               [(row['kernel'], number(row['written'])) for row in card['loads']])
    yield ('waits of queues', ('for', 'count', 'all'),
           [(row['for'], number(row['count']), time(row['total_ns']))
            for row in card['waits']])


def tables(summary):
    """(title, heads, rows) of all cards together."""
    yield ('longest waits', ('queue', 'at', 'waited', 'for', 'why it ended'),
           [(f'card {row["card"]} {row["queue"]}', time(row['begin_ns']),
             time(row['duration_ns']), reason(row), row['why'])
            for row in summary['waits']])
    gaps = summary['gaps']
    known = 'meanwhile' in gaps
    yield (f'host gaps: {gaps["count"]:,}, together {time(gaps["total_ns"])}, '
           f'{share(gaps["share"])}; the longest',
           ('at', 'gap', 'after', 'before') + (('the host meanwhile',) if known else ()),
           [(time(row['begin_ns']), time(row['duration_ns']), row['after'], row['before'])
            + ((what_else(row['meanwhile']),) if known else ())
            for row in gaps['longest']])
    if known:
        yield ('the host in all gaps', ('in', 'time'),
               [(row['name'], time(row['ns'])) for row in gaps['meanwhile'][:MOST_ROWS]])
    if summary['host']:
        yield from host_tables(summary['host'])


def what_else(rows):
    return ', '.join(f'{row["name"]} {time(row["ns"])}' for row in rows)


def host_tables(host):
    heads = ('name', 'count', 'of its own', 'all', 'longest')
    for title, rows in (("operators of the host's, by time of their own", host['operators']),
                        ("calls of the host's, by time of their own", host['calls'])):
        yield (title, heads,
               [(row['name'], number(row['count']), time(row['own_ns']), time(row['total_ns']),
                 time(row['longest_ns'])) for row in rows[:MOST_ROWS]])
    again = sum(row['count'] - 1 for row in host['builds'])
    yield (f'recipes built: {len(host["builds"]):,}, and {again:,} times again',
           ('recipe', 'built', 'all'),
           [(row['recipe'], number(row['count']), time(row['total_ns']))
            for row in host['builds'][:MOST_ROWS]])


def reason(row):
    if 'fence' in row:
        return f'{row["for"]}, {row["fence"]}, to be {row["target"]}'
    return row['for']


def title(card):
    lost = f'{card["lost"]:,} events before are lost' if card['lost'] else 'from the first on'
    return (f'card {card["card"]}, module {card["module_id"]}: {time(card["span_ns"])}, '
            f'{card["events"]:,} events, {lost}')


def text(summary, name):
    lines = [f'{name}: {time(summary["span_ns"])}']
    for card in summary['cards']:
        lines += ['', title(card)]
        for table in card_tables(card):
            lines += table_text(*table)
    for table in tables(summary):
        lines += table_text(*table)
    lines += [''] + [f'* {note}' for note in summary['notes']]
    return '\n'.join(lines) + '\n'


def table_text(head, heads, rows):
    if not rows:
        return ['', f'  {head}: none']
    cells = [heads] + [tuple(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    right = [any(isinstance(row[column], Amount) for row in rows)
             for column in range(len(heads))]
    return ['', f'  {head}'] + [
        '    ' + '  '.join(cell.rjust(width) if is_right else cell.ljust(width)
                           for cell, width, is_right in zip(row, widths, right)).rstrip()
        for row in cells]


def table_html(head, heads, rows):
    if not rows:
        return [f'<h3>{html.escape(head)}: none</h3>']
    out = [f'<h3>{html.escape(head)}</h3>', '<table><thead><tr>']
    out += [f'<th>{html.escape(column)}</th>' for column in heads]
    out.append('</tr></thead><tbody>')
    for row in rows:
        out.append('<tr>' + ''.join(
            f'<td class="number" data-value="{cell.value}">{html.escape(str(cell))}</td>'
            if isinstance(cell, Amount) else f'<td>{html.escape(cell)}</td>'
            for cell in row) + '</tr>')
    return out + ['</tbody></table>']


def strips(card, begin, end):
    """When which engine was busy."""
    lanes = list(card.strips(begin, end, PARTS))
    width, height = LEFT + 2 * PARTS, (STRIP + 2) * len(lanes)
    out = [f'<svg viewBox="0 0 {width} {height}" role="img">']
    for place, (name, parts) in enumerate(lanes):
        top = place * (STRIP + 2)
        out.append(f'<text x="0" y="{top + STRIP - 3}">{html.escape(name)}</text>'
                   f'<rect class="lane" x="{LEFT}" y="{top}" width="{2 * PARTS}" '
                   f'height="{STRIP}"/>')
        for part, busy in enumerate(parts):
            if busy > 0:
                # A little is to be seen, too.
                out.append(f'<rect class="busy" x="{LEFT + 2 * part}" y="{top}" width="2" '
                           f'height="{STRIP}" opacity="{0.2 + 0.8 * min(busy, 1):.2f}">'
                           f'<title>{html.escape(name)}: {100 * busy:.0f} %</title></rect>')
    return out + ['</svg>']


def page(summary, name, cards, begin, end):
    """cards: the profile's, for when engines were busy."""
    out = ['<!DOCTYPE html>', '<html lang="en"><head><meta charset="utf-8">',
           # Nothing is fetched, whatever a name in the record says.
           '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
           'style-src \'unsafe-inline\'; script-src \'unsafe-inline\'">',
           f'<title>gaudi-prof: {html.escape(name)}</title><style>{STYLE}</style></head>',
           f'<body><h1>{html.escape(name)}: {time(summary["span_ns"])}</h1>']
    for row, card in zip(summary['cards'], cards):
        out.append(f'<h2>{html.escape(title(row))}</h2>')
        out += strips(card, begin, end)
        for table in card_tables(row):
            out += table_html(*table)
    out.append('<h2>All cards</h2>')
    for table in tables(summary):
        out += table_html(*table)
    out += ['<ul>'] + [f'<li>{html.escape(note)}</li>' for note in summary['notes']]
    out += ['</ul>', f'<script>{SCRIPT}</script></body></html>']
    return '\n'.join(out) + '\n'
