# SPDX-License-Identifier: MIT
"""A record as a timeline, in the JSON that Perfetto and Chrome's viewer read.

Each card is a process; its threads are doorbells, command processors, engines, sync
managers, interrupts, ports, and the registers. So is each process of the host's, if
there is a profile of it. Times are microseconds.

An arrow begins and ends within slices of its tracks, and no earlier than it begins: viewers
leave out others. Begins and ends are rounded to nanoseconds before one is taken from the
other: viewers count these, and a packet that ends with its buffer stays within it.
"""

import bisect
import collections

from . import counters, host as hosts, state, work
from .names import Kernels
from .owners import Owners
from .record import several_processes

THREADS = 64		# that submit at a time, at most


class Tracks:
    """Threads of one card, made when something is to be shown there."""

    def __init__(self, pid, name, out):
        self.pid = pid
        self.out = out
        self.tids = {}
        self.meta('process_name', 0, name=name)
        self.meta('process_sort_index', 0, sort_index=pid)

    def meta(self, what, tid, **args):
        self.out.append({'ph': 'M', 'pid': self.pid, 'tid': tid, 'name': what,
                         'args': args})

    def tid(self, name):
        if name not in self.tids:
            self.tids[name] = len(self.tids) + 1
            self.meta('thread_name', self.tids[name], name=name)
        return self.tids[name]

    def add(self, phase, track, ns, name, **more):
        event = {'ph': phase, 'pid': self.pid, 'tid': self.tid(track),
                 'ts': round(ns) / 1000, 'name': name}
        event.update(more)
        self.out.append(event)

    def slice(self, track, begin, end, name, **args):
        self.add('X', track, begin, name, dur=max(round(end) - round(begin), 0) / 1000, args=args)

    def instant(self, track, ns, name, scope='t', **args):
        self.add('i', track, ns, name, s=scope, args=args)

    def counter(self, name, ns, unit, value):
        self.out.append({'ph': 'C', 'pid': self.pid, 'tid': 0, 'ts': round(ns) / 1000,
                         'name': name,
                         'args': {unit: round(value, 3)}})


def flow(number, begin, end):
    """An arrow from one (tracks, track, ns) to another."""
    for phase, (tracks, track, ns) in (('s', begin), ('f', end)):
        tracks.add(phase, track, ns, 'flow', id=number, cat='flow',
                   **({'bp': 'e'} if phase == 'f' else {}))


class Card:
    """Turns one card's events into a timeline's."""

    def __init__(self, record, pid, out, flows, of, owners):
        """of: whose card it is, if that is to be said. owners: whose jobs."""
        self.record = record
        self.kernels = Kernels(record)
        self.tracks = Tracks(pid, f'card {pid}, module {record.module_id}{of}', out)
        self.flows = flows
        self.owners = owners
        self.work = None
        self.queues = {}
        self.doorbells = []
        self.raised = []
        self.ended = {}		# of a port: when it was sent a message last
        self.begun = {}		# of a packet's (unit, ns): when it began to act

    def convert(self):
        self.work = done = work.Work(self.record)
        self.queues = done.queues
        self.doorbells = done.doorbells
        self.raised = [interrupt.ns for interrupt in done.interrupts]
        for buffer in done.buffers:
            self.buffer(buffer)
        for job in done.jobs:
            self.job(job)
        for wait in done.waits:
            self.wait(wait)
        self.messages()
        for interrupt in done.interrupts:
            self.interrupt(interrupt)
        self.counters(done)
        for event in self.record.events():
            getattr(self, 'on_' + event.kind.replace('-', '_'), self.skip)(event)

    def skip(self, event):
        """Of jobs, waits, buffers, interrupts."""

    def flow(self, begin, end):
        """Between two (track, ns) of the card."""
        flow(next(self.flows), (self.tracks, *begin), (self.tracks, *end))

    def packet(self, packet, begun):
        """Where a packet, which acts from then on, is: (track, ns)."""
        begun = min(begun, self.begun.get(packet, begun))
        self.begun[packet] = begun
        return self.record.processor(packet[0]), begun

    def end_of(self, job):
        """(track, ns) within its slice."""
        return self.record.engines[job.engine] + ' jobs', max(job.begin, job.end - 1)

    def buffer(self, buffer):
        track = self.record.processor(buffer.unit)
        args = {} if buffer.index is None else {'index': buffer.index}
        self.tracks.slice(track, buffer.begin, buffer.end, 'command buffer',
                          address=hex(buffer.address), bytes=buffer.bytes, **args)
        if buffer.doorbell is not None:
            self.flow(('doorbells', buffer.doorbell), (track, buffer.begin))
        if buffer.sender:
            self.flow(self.packet(buffer.sender, buffer.sender[1]), (track, buffer.begin))

    def messages(self):
        """Those that have gone; those that have come are there when all cards are."""
        ended = {}
        for message in self.work.sent:
            track = f'port {message.port} sends'
            bell = message.bell
            message.begin = max(bell.ns if bell else message.ns, ended.get(message.port, 0))
            ended[message.port] = message.ns
            self.tracks.slice(track, message.begin, message.ns, f'write {message.bytes} bytes',
                              to=hex(message.to), bytes=message.bytes, pair=message.pair,
                              number=message.number)
            if bell and bell.packet:
                self.flow(self.packet(bell.packet, bell.ns), (track, message.begin))

    def receive(self, message, sender, sent):
        """sender: the Card whose Message it is, or None."""
        track = f'port {message.port} receives'
        message.begin = max(min(sent.ns if sent else message.begin, message.begin),
                            self.ended.get(message.port, 0))
        self.ended[message.port] = message.ns
        what = f'{sent.bytes} bytes' if sent else 'message'
        self.tracks.slice(track, message.begin, message.ns, what, pair=message.pair,
                          number=message.number)
        if sent and sent.ns <= message.ns:
            flow(next(self.flows), (sender.tracks, f'port {sent.port} sends',
                                    max(sent.begin, sent.ns - 1)),
                 (self.tracks, track, message.ns))

    def interrupt(self, interrupt):
        track = 'interrupts', interrupt.ns
        self.tracks.slice(*track, interrupt.ns, f'MSI {interrupt.vector}')
        if interrupt.packet:
            self.flow(self.packet(interrupt.packet, interrupt.begun), track)

    def counters(self, done):
        for name, parts in counters.rates(done):
            for ns, value in counters.steps(parts):
                self.tracks.counter(name, ns, 'MB/s', value)
        power = counters.power(self.record, done)
        if power and done.first is not None:
            parts, idle = power
            self.tracks.counter('power', done.first, 'W', idle)
            for ns, value in counters.steps(parts):
                self.tracks.counter('power', ns, 'W', idle + value)

    def wait(self, wait):
        args = {'open': True} if wait.open else {}
        if wait.what == work.FENCE:
            args['fence'], args['target'] = wait.fence, wait.target
        track = self.record.processor(wait.unit)
        self.tracks.slice(track, wait.begin, wait.end, 'waits for ' + wait.what, **args)
        if isinstance(wait.cause, work.Job):
            self.flow(self.end_of(wait.cause), (track, wait.cause.end))
        elif wait.cause and wait.cause.monitor is not None:
            fired = f'sync manager {wait.cause.manager}', wait.cause.ns
            self.flow(fired, (track, wait.cause.ns))
            self.cause(wait.cause, fired)

    def cause(self, signal, fired):
        """Whose write let the monitor fire."""
        if isinstance(signal.source, work.Job):
            self.flow(self.end_of(signal.source), fired)
        elif isinstance(signal.source, work.Message):
            self.flow((f'port {signal.source.port} receives', fired[1]), fired)
        elif signal.source:
            self.flow(self.packet(signal.source, signal.begun), fired)

    def job(self, job):
        args = {'open': True} if job.open else {}
        owners = (*self.owners.known(self.work, job), self.owners.operator(self.work, job))
        args.update((what, found)
                    for what, found in zip(('recipe', 'node', 'operator'), owners) if found)
        if job.kind == 'kernel':
            args['kernel'] = hex(job.source)
        if job.to is not None:
            args.update(to=hex(job.to), source=hex(job.source), bytes=job.bytes)
        track = self.record.engines[job.engine] + ' jobs'
        self.tracks.slice(track, job.begin, job.end,
                          self.owners.name(self.work, self.kernels, job), **args)
        if job.packet:
            self.flow(self.packet(job.packet, job.asked), (track, job.begin))

    def on_reg_read(self, event):
        self.tracks.instant('registers', event.ns, 'read '
                            + self.record.register(event.addr),
                            value=hex(event.value))

    def on_reg_write(self, event):
        name = self.record.register(event.addr)
        self.tracks.instant('registers', event.ns, 'write ' + name,
                            value=hex(event.value))
        queue = self.queues.get(event.addr)
        if event.unit == work.HOST and queue and queue[1] is None:
            self.tracks.slice('doorbells', event.ns, event.ns,
                              'doorbell of ' + self.record.processor(queue[0]),
                              index=event.value)

    def on_packet(self, event):
        begin = self.begun.get((event.unit, event.ns), event.ns)
        self.tracks.slice(self.record.processor(event.unit), begin, event.ns,
                          self.record.packet(event.value), address=hex(event.addr),
                          word=hex(event.value))

    def on_fence(self, event):
        self.tracks.instant(self.record.processor(event.unit), event.ns,
                            f'fence {event.addr} is {event.value}')

    def on_turn(self, event):
        name = self.record.actors[event.unit]
        if not name.startswith('qman'):
            self.tracks.slice(name, self.record.when(event.addr), event.ns,
                              'turn')

    def on_sob(self, event):
        self.tracks.instant(f'sync manager {event.unit}', event.ns,
                            f'object {event.addr} is {event.value}')

    def on_arm(self, event):
        self.tracks.instant(f'sync manager {event.unit}', event.ns,
                            f'monitor {event.addr} armed', arm=hex(event.value))

    def on_fire(self, event):
        name = self.record.register(event.value - state.CFG_BASE)
        track = f'sync manager {event.unit}'
        self.tracks.slice(track, event.ns, event.ns, f'monitor {event.addr} fires',
                          writes=name, data=hex(event.size))

    def on_event(self, event):
        self.tracks.instant('card', event.ns, f'event {event.value}', 'p')

    def on_fault(self, event):
        self.tracks.instant('card', event.ns, f'fault {self.record.fault(event)}', 'p',
                            at=hex(event.addr))

    def on_reset(self, event):
        self.tracks.instant('card', event.ns, 'reset', 'p')

    def on_link(self, event):
        self.tracks.instant(f'port {event.unit}', event.ns,
                            'link up' if event.value else 'link down')


class Processes:
    """Those of the host, behind the cards, and the kernel's tracepoints behind them."""

    def __init__(self, host, first, out, flows):
        self.host = host
        self.flows = flows
        self.tracks = {}
        self.out = out
        self.first = first
        for pid, process in enumerate(sorted({span.process for span in host.spans}), first):
            name = host.processes.get(process, 'process')
            self.tracks[process] = Tracks(pid, f'host: {name} {process}', out)

    def track(self, span):
        name = self.host.threads.get((span.process, span.thread), 'thread')
        return f'{name} {span.thread}'

    def convert(self, cards):
        for span in self.host.spans:
            self.tracks[span.process].slice(self.track(span), span.begin, span.end, span.name,
                                            **span.args)
        for count in self.host.counts:
            if count.process in self.tracks:
                self.tracks[count.process].counter(count.name, count.ns, count.unit,
                                                   count.value)
        self.submissions(cards)
        self.interrupts(cards)
        if self.host.points:
            kernel = Tracks(self.first + len(self.tracks), 'kernel', self.out)
            for point in self.host.points:
                kernel.instant(point.task, point.ns, point.name, text=point.text)

    def submissions(self, cards):
        """From the call that a doorbell is within, if it is but one."""
        calls = [span for span in self.host.spans if span.name == hosts.SUBMIT]
        begins = [span.begin for span in calls]
        for card in cards:
            for ns, _ in card.doorbells:
                # Of several threads some may have begun before and not ended.
                last = bisect.bisect(begins, ns)
                found = [span for span in calls[max(last - THREADS, 0):last] if ns <= span.end]
                if len(found) == 1:
                    span, = found
                    flow(next(self.flows), (self.tracks[span.process], self.track(span), ns),
                         (card.tracks, 'doorbells', ns))

    def interrupts(self, cards):
        """From the last one to the end of a wait."""
        raised = sorted((ns, number) for number, card in enumerate(cards)
                        for ns in card.raised)
        for span in self.host.spans:
            if span.name != hosts.WAIT:
                continue
            place = bisect.bisect(raised, (span.end, 0))
            if place and raised[place - 1][0] >= span.begin:
                ns, number = raised[place - 1]
                flow(next(self.flows), (cards[number].tracks, 'interrupts', ns),
                     (self.tracks[span.process], self.track(span), max(span.end - 1, ns)))


def deliver(cards):
    """Messages that have come, each from the last time that it was sent before, by the cards' wires."""
    if not any(card.work.sent or card.work.received for card in cards):
        return
    states = state.load([card.record for card in cards])
    sent = collections.defaultdict(list)
    for card, here in zip(cards, states or ()):
        ends = {port: [(peer.index, other['port']) for peer, other in here.peers(row, states)]
                for port, row in here.ports.items()}
        for message in card.work.sent:
            for end in ends.get(message.port, ()):
                sent[(*end, message.pair, message.number)].append((message.ns, card, message))
    for index, card in enumerate(cards):
        for message in card.work.received:
            found = sent[index, message.port, message.pair, message.number]
            before = [one for one in found if one[0] <= message.ns] or found[:1]
            card.receive(message, *(before[-1][1:] if before else (None, None)))


def chrome(records, host=None):
    """The whole as what json can write."""
    out = []
    cards = []
    flows = iter(range(1, 1 << 62))
    several = several_processes(records)
    owners = Owners(host)
    for pid, record in enumerate(records):
        of = f', process {record.process}' if several else ''
        cards.append(Card(record, pid, out, flows, of, owners))
        cards[-1].convert()
    deliver(cards)
    if host:
        Processes(host, len(cards), out, flows).convert(cards)
    return {'traceEvents': out, 'displayTimeUnit': 'ns'}
