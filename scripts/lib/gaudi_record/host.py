# SPDX-License-Identifier: MIT
"""What the host did: files that GAUDI_PROFILE writes, joined with records on one clock.

Each is an array of JSON, a line for each event, as Perfetto and Chrome read it; its closing
bracket may be missing. Documentation/profile.rst has the lines.
"""

import bisect
import collections
import json

from . import points, spans
from .record import BadRecord, read_all

SUBMIT, WAIT, BUILD = 'ioctl CS', 'ioctl WAIT_CS', 'gaudi_builder_build'
COUNTER = 'PSOC_TIMESTAMP_CNTCVL'
# The counter's steps, and what its reading takes beside the two looks at the clock.
SLACK_NS = 2000
OUTSIDE = 'outside of calls'

# begin, end: nanoseconds of the records' clock once they are joined.
Span = collections.namedtuple('Span', 'begin end name process thread args')
Count = collections.namedtuple('Count', 'ns process name unit value')
Look = collections.namedtuple('Look', 'process module before counter after')


class Host:
    """All processes that wrote into some files."""

    def __init__(self):
        self.spans = []
        self.counts = []
        self.looks = []		# at cards' counters
        # Of (process, recipe or graph, engine): offsets in its packets, and of jobs from there
        # on whose they are and what they do.
        self.jobs = collections.defaultdict(dict)
        # Of (process, recipe): the files that it was loaded from.
        self.files = collections.defaultdict(set)
        self.points = []	# of the kernel
        self.processes = {}	# names
        self.threads = {}	# names, by (process, thread)

    def read(self, text, path):
        """BadRecord."""
        lines = text.split('\n')
        for number, line in enumerate(lines):
            line = line.strip().rstrip(',')
            if line in ('', '[', ']'):
                continue
            try:
                self.add(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                # Who was killed while he wrote has left half a line.
                if number != len(lines) - 1:
                    raise BadRecord(f'{path}: line {number + 1} is no event') from error

    def add(self, event):
        process, args = event['pid'], event.get('args', {})
        if event['ph'] == 'M' and event['name'] == 'process_name':
            self.processes[process] = args['name']
        elif event['ph'] == 'M':
            self.threads[process, event['tid']] = args['name']
        elif event['ph'] == 'X':
            begin = event['ts'] * 1000
            self.spans.append(Span(begin, begin + event['dur'] * 1000, event['name'], process,
                                   event['tid'], args))
        elif event['ph'] == 'C':
            (unit, value), = args.items()
            self.counts.append(Count(event['ts'] * 1000, process, event['name'], unit, value))
        elif event['name'] == 'job':
            self.jobs[process, args['of'], args['engine']].setdefault(
                args['offset'], set()).add((args.get('recipe', args['of']), args['does']))
        elif event['name'] == 'recipe':
            self.files[process, args['of']].add(args['file'])
        elif event['name'] == 'clock':
            self.looks.append(Look(process, args['module'], args['before_ns'],
                                   args['counter'], args['after_ns']))

    def join(self, records):
        """From here on times are the records'. BadRecord: there is no way."""
        if any(record.timing for record in records):
            raise BadRecord('the record is of a model of time: what the host did is not on '
                            'its clock')
        when = clock(self.looks, records)
        self.spans = sorted((span._replace(begin=when(span.begin), end=when(span.end))
                             for span in self.spans), key=lambda span: (span.begin, -span.end))
        self.points = sorted((point._replace(ns=when(point.ns)) for point in self.points),
                             key=lambda point: point.ns)
        self.counts = sorted((count._replace(ns=when(count.ns)) for count in self.counts),
                             key=lambda count: count.ns)

    def by_thread(self):
        found = collections.defaultdict(list)
        for span in self.spans:
            found[span.process, span.thread].append(span)
        return found

    def leaves(self):
        """(begin, end, span) of what each thread was in and nothing within that."""
        for found in self.by_thread().values():
            stack, at = [], 0.0
            for span in found + [None]:
                begin = span.begin if span else float('inf')
                while stack and stack[-1].end <= begin:
                    top = stack.pop()
                    if at < top.end:
                        yield at, top.end, top
                        at = top.end
                if stack and at < begin:
                    yield at, begin, stack[-1]
                if span:
                    stack.append(span)
                    at = begin


class Counter:
    """When a card's counter was read: by the record's event of that if it has it, else by what
    the counter was at the record's moment, which errs by what a guest has been stopped
    since."""

    def __init__(self, record):
        self.last = record.state['counter']
        low = {off for off, name in record.registers.items() if name == COUNTER}
        self.read = {event.value: event.ns for event in record.events()
                     if event.kind == 'reg-read' and event.addr in low}

    def when(self, counter):
        behind = (self.last['value'] - counter) * 1e9 / self.last['hz']
        return self.read.get(counter & 0xffffffff, self.last['ns'] - behind)


def clock(looks, records):
    """A function from the host's nanoseconds to the records'."""
    pairs, seen = [], {}
    for look in looks:
        cards = [record for record in records if record.module_id == look.module
                 and record.state and 'counter' in record.state]
        # Each process of a simulation has such a card of its own.
        own = [record for record in cards if record.process == look.process]
        for record in own or cards[:1]:
            pairs.append((look, seen.setdefault(id(record), Counter(record)).when(look.counter)))
    if any(look.before - SLACK_NS <= ns <= look.after + SLACK_NS for look, ns in pairs):
        # It has no other clock: no guest's.
        return lambda ns: ns
    points = []
    # The counter begins anew when a card is reset: what does not fit in is from before.
    for look, ns in sorted(pairs, reverse=True):
        if not points or ns < points[-1][1]:
            points.append(((look.before + look.after) / 2, ns))
    points.sort()
    if not points:
        raise BadRecord('no card of the record is one whose clock the host has looked at')
    return lambda ns: between(points, ns)


def between(points, ns):
    """By the line through the two points beside it; beyond them time goes on as here."""
    place = bisect.bisect(points, (ns, 0))
    if place in (0, len(points)):
        near, to = points[0 if place == 0 else -1]
        return to + ns - near
    (first, to), (second, later) = points[place - 1], points[place]
    return to + (ns - first) * (later - to) / (second - first)


def calls(host):
    """Rows of names, longest time of their own first."""
    rows = {}
    for span in host.spans:
        row = rows.setdefault(span.name, {'name': span.name, 'count': 0, 'total_ns': 0,
                                          'own_ns': 0, 'longest_ns': 0})
        row['count'] += 1
        row['total_ns'] += span.end - span.begin
        row['longest_ns'] = max(row['longest_ns'], span.end - span.begin)
    for begin, end, span in host.leaves():
        rows[span.name]['own_ns'] += end - begin
    for row in rows.values():
        row.update({key: round(row[key]) for key in ('total_ns', 'own_ns', 'longest_ns')})
    return sorted(rows.values(), key=lambda row: (-row['own_ns'], row['name']))


def builds(host):
    """Of recipes, by name: how often they were built, and how long that took."""
    rows = {}
    for span in host.spans:
        if span.name == BUILD:
            name = span.args.get('of', '')
            row = rows.setdefault(name, {'recipe': name, 'count': 0, 'total_ns': 0})
            row['count'] += 1
            row['total_ns'] += span.end - span.begin
    for row in rows.values():
        row['total_ns'] = round(row['total_ns'])
    return sorted(rows.values(), key=lambda row: (-row['total_ns'], row['recipe']))


def meanwhile(host, gaps):
    """What the host did in these (begin, end)s, in their order: [{'name', 'ns'}], longest
    first. What several threads do at a time counts for each."""
    found = collections.defaultdict(float)
    covered = []
    begins = [begin for begin, _ in gaps]
    for first, last, span in host.leaves():
        place = max(bisect.bisect(begins, first) - 1, 0)
        while place < len(gaps) and gaps[place][0] < last:
            begin, end = max(first, gaps[place][0]), min(last, gaps[place][1])
            if begin < end:
                found[span.name] += end - begin
                covered.append((begin, end))
            place += 1
    outside = spans.total(spans.minus(gaps, spans.union(covered)))
    if outside > 0:
        found[OUTSIDE] = outside
    return [{'name': name, 'ns': round(ns)}
            for name, ns in sorted(found.items(), key=lambda pair: -pair[1])]


def load(paths):
    """(records, Host) of files of either kind, joined; None: nothing is known of the host.
    OSError, BadRecord."""
    records, texts, of_kernel = [], [], []
    for path in paths:
        with open(path, 'rb') as file:
            begin = file.read(points.LONGEST)
        if points.is_of(begin):
            of_kernel += points.read(path, begin)
            continue
        if begin.startswith(b'['):
            with open(path, encoding='utf-8', errors='replace') as file:
                texts.append((file.read(), path))
            continue
        more, inside = read_all(path)
        records += more
        texts += [(text, path) for text in inside]
    if not records:
        raise BadRecord(f'{paths[0]} has no card; a record has to be beside it')
    if not texts and not of_kernel:
        return records, None
    host = Host()
    host.points = of_kernel
    for text, path in texts:
        host.read(text, path)
    host.join(records)
    return records, host
