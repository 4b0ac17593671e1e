# SPDX-License-Identifier: MIT
"""A summary of a record: where the time went. What is counted, and the schema of what
summary() returns, are in Documentation/profile.rst."""

import bisect
import collections

from . import host as hosts, spans, state, work
from .names import Kernels
from .owners import Owners, is_operator

VERSION = 1
KINDS = ('DMA', 'MME', 'TPC', 'NIC')
COMPUTE = ('MME', 'TPC')
LONGEST = 3
# That an engine is at work is its own time, not a wait.
OWN = (work.ENGINE, work.LOWER)
# Why a wait has ended, where no signal and no job says so.
ENDERS = {'a WAIT packet': 'its time has passed',
          work.LOWER: 'its lower CP has taken the buffer'}
NOTES = (
    'Engines are busy from when they are given work until it has ended; ports, while the '
    'model works for them. The times are those of this host, not of the hardware.',
    'Kernels that are not of the library are named by the address of their code. Which recipe '
    'they, and jobs of MMEs, belong to is known of launches that the profile of the host has.',
    'Copies that could overlap are counted by the waits that are in the record. What a '
    'program does in order without such a wait may still need that order.',
    'How often code was written are the copies to where a kernel ran. It does not know of '
    'code that the host wrote by a BAR, nor of recipes and their cache.',
)
# Instead of the first one.
TIMING = (
    'The times are those of a model of time, not of this host nor measured on hardware. '
    'Engines are busy from when they are given work until it has ended; ports, while they '
    'send. What the host does takes no time, so there are no gaps of its.')


def name_of(job, kernels, work, owners):
    """What is summed up together."""
    node = owners.known(work, job)[1] if job.kind == 'job' else ''
    return owners.name(work, kernels, job) + (f': {node}' if node else '')


class Card:
    """One card's part. begin and end are the span that its record covers."""

    def __init__(self, record, number, owners):
        self.record = record
        self.number = number
        self.owners = owners
        self.work = work.Work(record)
        self.kernels = Kernels(record)
        self.begin = self.end = 0
        engines = {name: engine for engine, name in enumerate(record.engines)}
        self.busy = collections.defaultdict(list)
        for job in self.work.jobs:
            self.busy[job.engine].append((job.begin, job.end))
        for begin, end, actor in self.work.turns:
            port = engines.get(actor.removesuffix(' in'))
            if actor.startswith('NIC') and port is not None:
                self.busy[port].append((begin, end))
        self.jobs = {engine: len(found) for engine, found in self.busy.items()}
        self.busy = {engine: spans.union(found) for engine, found in self.busy.items()}

    def set_span(self, begin, end):
        # Without its first events it is known from the first that is left.
        self.begin = self.work.first if self.record.lost else begin
        self.end = end

    def share(self, ns):
        return ns / (self.end - self.begin) if self.end > self.begin else 0.0

    def strips(self, begin, end, parts):
        """(engine's name, how busy it was in each of so many parts of a span)"""
        step = (end - begin) / parts
        for engine, found in sorted(self.busy.items()):
            yield self.record.engines[engine], [
                spans.within(found, begin + part * step, begin + (part + 1) * step) / step
                for part in range(parts)] if step else []

    def of_kind(self, kinds):
        """When any engine of these kinds is busy."""
        return spans.union(span for engine, found in self.busy.items() for span in found
                           if self.record.engines[engine].startswith(kinds))

    def engines(self):
        return [{'engine': self.record.engines[engine], 'jobs': self.jobs[engine],
                 'busy_ns': round(spans.total(found)),
                 'share': self.share(spans.total(found))}
                for engine, found in sorted(self.busy.items())]

    def kinds(self):
        found = {kind: spans.total(self.of_kind(kind)) for kind in KINDS}
        return [{'kind': kind, 'busy_ns': round(ns), 'share': self.share(ns)}
                for kind, ns in found.items()]

    def copies(self):
        """Of which compute might have been beside, and was not."""
        jobs = [job for job in self.work.jobs if job.kind == 'copy']
        copying = spans.union((job.begin, job.end) for job in jobs)
        compute = self.of_kind(COMPUTE)
        needed = self.needed()
        without = spans.minus(copying, compute)
        free = spans.minus(without, needed)
        compute_alone = spans.total(spans.minus(compute, copying))
        alone = [(spans.within(free, job.begin, job.end), job) for job in jobs]
        alone.sort(key=lambda pair: -pair[0])
        return {
            'copy_ns': round(spans.total(copying)),
            'alone_ns': round(spans.total(without)),
            'needed_ns': round(spans.total(spans.both(without, needed))),
            'compute_alone_ns': round(compute_alone),
            'could_overlap_ns': round(min(spans.total(free), compute_alone)),
            'longest': [{'engine': self.record.engines[job.engine], 'name': self.name_of(job),
                         'bytes': job.bytes, 'begin_ns': round(job.begin),
                         'alone_ns': round(ns)}
                        for ns, job in alone[:LONGEST] if ns > 0]}

    def needed(self):
        """When a core copied and a queue of MME or TPC waited for what it has signalled."""
        copying = collections.defaultdict(list)
        for job in self.work.jobs:
            if job.kind == 'copy':
                copying[job.engine].append((job.begin, job.end))
        waiting = collections.defaultdict(list)
        for wait in self.work.waits:
            if isinstance(wait.cause, work.Signal) and \
               self.record.engines[wait.unit // 8].startswith(COMPUTE):
                waiting[wait.cause.engine].append((wait.begin, wait.end))
        return spans.union(span for engine, found in waiting.items() for span in
                           spans.both(spans.union(found), spans.union(copying[engine])))

    def name_of(self, job):
        return name_of(job, self.kernels, self.work, self.owners)

    def operators(self):
        found = collections.defaultdict(list)
        for job in self.work.jobs:
            found[self.name_of(job)].append(job)
        rows = [{'name': name, 'kind': jobs[0].kind, 'count': len(jobs),
                 'total_ns': round(sum(job.end - job.begin for job in jobs)),
                 'longest_ns': round(max(job.end - job.begin for job in jobs)),
                 'bytes': sum(job.bytes for job in jobs),
                 'engines': sorted({self.record.engines[job.engine] for job in jobs})}
                for name, jobs in found.items()]
        return sorted(rows, key=lambda row: (-row['total_ns'], row['name']))

    def loads(self):
        """How often the code of each kernel that ran was written by a copy."""
        kernels = sorted({job.source for job in self.work.jobs if job.kind == 'kernel'})
        return [{'kernel': hex(kernel), 'written': sum(
                    job.kind == 'copy' and job.to is not None and
                    job.to <= kernel < job.to + job.bytes for job in self.work.jobs)}
                for kernel in kernels]

    def wait_row(self, wait):
        record = self.record
        row = {'card': self.number, 'queue': record.processor(wait.unit),
               'begin_ns': round(wait.begin), 'duration_ns': round(wait.end - wait.begin),
               'for': wait.what, 'ended': not wait.open, 'cause': None}
        if wait.what == work.FENCE:
            row['fence'], row['target'] = wait.fence, wait.target
        cause = wait.cause
        if wait.open:
            row['why'] = 'it goes on when the record ends; gaudi-why says more'
        elif isinstance(cause, work.Job):
            row['cause'] = record.engines[cause.engine]
            row['why'] = f'{row["cause"]} has ended: {self.name_of(cause)}'
        elif cause is None:
            row['why'] = ENDERS.get(wait.what, 'the record does not say')
        else:
            row['cause'] = cause.who
            row['why'] = self.signalled(cause)
        return row

    @staticmethod
    def signalled(signal):
        if signal.monitor is None:
            return f'{signal.who} raised it'
        manager = state.manager_name(signal.manager)
        if signal.object is None:
            return (f'{signal.who} armed monitor {signal.monitor} of {manager}, for objects '
                    'that were there')
        return (f'{signal.who} wrote object {signal.object} of {manager}, and monitor '
                f'{signal.monitor} raised it')

    def wait_kinds(self):
        found = collections.defaultdict(list)
        for wait in self.work.waits:
            found[wait.what].append(wait.end - wait.begin)
        return [{'for': what, 'count': len(found[what]), 'total_ns': round(sum(found[what]))}
                for what in sorted(found, key=lambda what: -sum(found[what]))]

    def activity(self):
        """(begin, end, what, says so) of all in which something is submitted or at work."""
        name = self.record.processor
        for job in self.work.jobs:
            yield (job.begin, job.end,
                   f'{self.record.engines[job.engine]}: {self.name_of(job)}', True)
        for begin, end, actor in self.work.turns:
            # A queue that looks and finds nothing has work all the same, but is no answer
            # to what was there last.
            yield begin, end, f'{actor} of the model', False
        for wait in self.work.waits:
            yield wait.begin, wait.end, f'{name(wait.unit)} waiting for {wait.what}', True
        for ns, unit in self.work.doorbells:
            taken = self.work.packets.get(unit, [])
            place = bisect.bisect_left(taken, ns)
            yield (ns, taken[place] if place < len(taken) else ns,
                   f'a doorbell of {name(unit)}', True)
        for unit, moments in self.work.packets.items():
            for ns in moments:
                yield ns, ns, f'a packet of {name(unit)}', True


def gaps(cards, begin, end, host):
    """Where nothing is submitted to any card and all engines are idle."""
    found = []
    at, after = begin, 'the beginning'
    names = [f'card {card.number} ' if len(cards) > 1 else '' for card in cards]
    active = sorted((first, last, name + what, says) for card, name in zip(cards, names)
                    for first, last, what, says in card.activity())
    for first, last, what, says in active + [(end, end, 'the end', True)]:
        if first > at:
            found.append({'begin_ns': round(at), 'duration_ns': round(first - at),
                          'after': after, 'before': what})
        if last > at:
            at = last
            after = what if says else after
    whole = sum(gap['duration_ns'] for gap in found)
    longest = sorted(found, key=lambda gap: -gap['duration_ns'])[:LONGEST]
    result = {'count': len(found), 'total_ns': whole,
              'share': whole / (end - begin) if end > begin else 0.0, 'longest': longest}
    if host:
        for gap in longest:
            gap['meanwhile'] = hosts.meanwhile(host, [span_of(gap)])[:LONGEST]
        result['meanwhile'] = hosts.meanwhile(host, [span_of(gap) for gap in found])
    return result


def span_of(gap):
    return gap['begin_ns'], gap['begin_ns'] + gap['duration_ns']


def relative(value, begin):
    """All begin_ns in it, since the record's beginning."""
    if isinstance(value, dict):
        return {key: part - round(begin) if key == 'begin_ns' else relative(part, begin)
                for key, part in value.items()}
    if isinstance(value, list):
        return [relative(part, begin) for part in value]
    return value


def read_cards(records, host=None):
    """Cards with their spans, and the whole record's (begin, end)."""
    owners = Owners(host)
    cards = [Card(record, number, owners) for number, record in enumerate(records)]
    known = [card for card in cards if card.work.first is not None]
    begin = min((card.work.first for card in known), default=0)
    end = max((card.work.last for card in known), default=0)
    for card in known:
        card.set_span(begin, end)
    return cards, begin, end


def host_part(host):
    """Calls of libraries, PyTorch's operators, and recipes that were built."""
    rows = hosts.calls(host)
    return {'calls': [row for row in rows if not is_operator(row['name'])],
            'operators': [row for row in rows if is_operator(row['name'])],
            'builds': hosts.builds(host)}


def notes(cards):
    """What is to be known of the numbers."""
    if any(card.record.timing for card in cards):
        return [TIMING, *NOTES[1:]]
    return list(NOTES)


def summary(cards, begin, end, host=None):
    # Of what all records cover: a lost doorbell is no gap.
    whole = max((card.begin for card in cards), default=begin)
    waits = sorted(((card, wait) for card in cards for wait in card.work.waits
                    if wait.what not in OWN),
                   key=lambda pair: pair[1].begin - pair[1].end)
    return relative({
        'gaudi-prof': VERSION,
        'span_ns': round(end - begin),
        'cards': [{
            'card': card.number, 'module_id': card.record.module_id,
            'events': card.record.num_events, 'lost': card.record.lost,
            'begin_ns': round(card.begin or begin),
            'span_ns': round(card.end - card.begin),
            'engines': card.engines(), 'kinds': card.kinds(), 'copies': card.copies(),
            'operators': card.operators(), 'loads': card.loads(),
            'waits': card.wait_kinds()} for card in cards],
        'waits': [card.wait_row(wait) for card, wait in waits[:LONGEST]],
        'gaps': gaps([card for card in cards if card.end], max(whole, begin), end, host),
        'host': host_part(host) if host else None,
        'notes': notes(cards)}, begin)
