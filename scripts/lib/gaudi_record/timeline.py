# SPDX-License-Identifier: MIT
"""A record as a timeline, in the JSON that Perfetto and Chrome's viewer read.

Each card is a process; its threads are command processors, engines, sync managers,
ports, and the registers. Times are microseconds.
"""

from . import state, work
from .names import Kernels
from .record import several_processes


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
                 'ts': ns / 1000, 'name': name}
        event.update(more)
        self.out.append(event)

    def slice(self, track, begin, end, name, **args):
        self.add('X', track, begin, name, dur=max(end - begin, 0) / 1000,
                 args=args)

    def instant(self, track, ns, name, scope='t', **args):
        self.add('i', track, ns, name, s=scope, args=args)

    def flow(self, number, begin, end):
        """An arrow from one (track, ns) to another."""
        for phase, (track, ns) in (('s', begin), ('f', end)):
            self.add(phase, track, ns, 'flow', id=number, cat='flow',
                     **({'bp': 'e'} if phase == 'f' else {}))


class Card:
    """Turns one card's events into a timeline's."""

    def __init__(self, record, pid, out, flows, of):
        """of: whose card it is, if that is to be said."""
        self.record = record
        self.kernels = Kernels(record)
        self.tracks = Tracks(pid, f'card {pid}, module {record.module_id}{of}', out)
        self.flows = flows
        self.asked = {}		# of a LIN_DMA's (unit, ns): when it gave the copy to its core

    def convert(self):
        done = work.Work(self.record)
        for job in done.jobs:
            self.job(job)
        for wait in done.waits:
            self.wait(wait)
        for event in self.record.events():
            getattr(self, 'on_' + event.kind.replace('-', '_'), self.skip)(event)

    def skip(self, event):
        """Of jobs and waits."""

    def wait(self, wait):
        args = {'open': True} if wait.open else {}
        if wait.what == work.FENCE:
            args['fence'], args['target'] = wait.fence, wait.target
        track = self.record.processor(wait.unit)
        self.tracks.slice(track, wait.begin, wait.end, 'waits for ' + wait.what, **args)
        if isinstance(wait.cause, work.Signal) and wait.cause.monitor is not None:
            fired = f'sync manager {wait.cause.manager}', wait.cause.ns
            self.tracks.flow(next(self.flows), fired, (track, wait.end))

    def job(self, job):
        args = {'open': True} if job.open else {}
        name = {'kernel': 'kernel ' + self.kernels.text(job.source, job.end), 'job': 'job'}.get(
            job.kind, f'{job.kind} of {job.bytes} bytes')
        if job.to is not None:
            args.update(to=hex(job.to), source=hex(job.source), bytes=job.bytes)
        track = self.record.engines[job.engine] + ' jobs'
        self.tracks.slice(track, job.begin, job.end, name, **args)
        if job.packet:
            self.asked[job.packet] = job.asked
            self.tracks.flow(next(self.flows), (self.record.processor(job.packet[0]),
                                                job.asked), (track, job.end))

    def on_reg_read(self, event):
        self.tracks.instant('registers', event.ns, 'read '
                            + self.record.register(event.addr),
                            value=hex(event.value))

    def on_reg_write(self, event):
        name = self.record.register(event.addr)
        self.tracks.instant('registers', event.ns, 'write ' + name,
                            value=hex(event.value))

    def on_packet(self, event):
        begin = self.asked.get((event.unit, event.ns), event.ns)
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

    def on_msi(self, event):
        self.tracks.instant('card', event.ns, f'MSI {event.value}', 'p')

    def on_reset(self, event):
        self.tracks.instant('card', event.ns, 'reset', 'p')

    def on_link(self, event):
        self.tracks.instant(f'port {event.unit}', event.ns,
                            'link up' if event.value else 'link down')


def chrome(records):
    """The whole as what json can write."""
    out = []
    flows = iter(range(1, 1 << 62))
    several = several_processes(records)
    for pid, record in enumerate(records):
        of = f', process {record.process}' if several else ''
        Card(record, pid, out, flows, of).convert()
    return {'traceEvents': out, 'displayTimeUnit': 'ns'}
