# SPDX-License-Identifier: MIT
"""A record as a timeline, in the JSON that Perfetto and Chrome's viewer read.

Each card is a process; its threads are command processors, engines, sync managers,
ports, and the registers. Times are microseconds.
"""

CFG_BASE = 0x7ffc000000
FENCE = 1		# of enum gaudi_cp_wait: the header's waits say so, too


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

    def __init__(self, record, pid, out, flows):
        self.record = record
        self.tracks = Tracks(pid, f'card {pid}, module {record.module_id}', out)
        self.flows = flows
        self.waits = {}		# of a CP: since when, for what
        self.jobs = {}		# of an engine: when it started, what
        self.copies = {}	# of a DMA core: packets that asked for them
        self.fired = {}		# by register: the monitor's track and time
        self.freed = {}		# of a CP: what last raised its fence
        self.last = 0

    def convert(self):
        for event in self.record.events():
            self.last = max(self.last, event.ns)
            getattr(self, 'on_' + event.kind.replace('-', '_'))(event)
        for unit in list(self.waits):
            self.end_wait(unit, self.last, open=True)
        for unit in list(self.jobs):
            self.end_job(unit, self.last, open=True)

    def end_wait(self, unit, ns, **args):
        since, wait, word = self.waits.pop(unit)
        name = 'waits for ' + self.record.waits[wait]
        if wait == FENCE:
            args['fence'], args['target'] = word >> 30, word >> 16 & 0xff
        track = self.record.processor(unit)
        self.tracks.slice(track, since, ns, name, **args)
        cause = self.freed.pop(unit, None)
        if cause and since <= cause[1] <= ns:
            self.tracks.flow(next(self.flows), cause, (track, ns))

    def end_job(self, unit, ns, **args):
        begin, name = self.jobs.pop(unit)
        self.tracks.slice(self.record.engines[unit] + ' jobs', begin, ns, name,
                          **args)

    def on_reg_read(self, event):
        self.tracks.instant('registers', event.ns, 'read '
                            + self.record.register(event.addr),
                            value=hex(event.value))

    def on_reg_write(self, event):
        name = self.record.register(event.addr)
        self.tracks.instant('registers', event.ns, 'write ' + name,
                            value=hex(event.value))

    def on_packet(self, event):
        name = self.record.packet(event.value)
        if event.unit in self.waits:
            self.end_wait(event.unit, event.ns)
        track = self.record.processor(event.unit)
        self.tracks.slice(track, event.ns, event.ns, name, address=hex(event.addr),
                          word=hex(event.value))
        if name == 'LIN_DMA':
            self.copies.setdefault(event.unit // 8, []).append((track, event.ns))

    def on_wait(self, event):
        since = self.waits.get(event.unit)
        if since and since[1] != event.value:
            self.end_wait(event.unit, event.ns)
        self.waits.setdefault(event.unit, (event.ns, event.value, event.size))

    def on_fence(self, event):
        engine, cp = divmod(event.unit, 8)
        name = f'{self.record.engines[engine]}_QM_CP_FENCE{event.addr}_RDATA_{cp}'
        track = self.record.processor(event.unit)
        self.tracks.instant(track, event.ns, f'fence {event.addr} is {event.value}')
        if name in self.fired:
            self.freed[event.unit] = self.fired.pop(name)

    def on_dma(self, event):
        track = self.record.engines[event.unit] + ' jobs'
        asked = self.copies.get(event.unit)
        begin = asked.pop(0) if asked else None
        self.tracks.slice(track, begin[1] if begin else event.ns, event.ns,
                          f'copy of {event.size} bytes', to=hex(event.addr),
                          source=hex(event.value), bytes=event.size)
        if begin:
            self.tracks.flow(next(self.flows), begin, (track, event.ns))

    def on_turn(self, event):
        name = self.record.actors[event.unit]
        if not name.startswith('qman'):
            self.tracks.slice(name, self.record.when(event.addr), event.ns,
                              'turn')

    def on_start(self, event):
        name = f'kernel {event.value:#x}' if event.value else 'job'
        self.jobs[event.unit] = event.ns, name

    def on_end(self, event):
        if event.unit in self.jobs:
            self.end_job(event.unit, event.ns)

    def on_sob(self, event):
        self.tracks.instant(f'sync manager {event.unit}', event.ns,
                            f'object {event.addr} is {event.value}')

    def on_arm(self, event):
        self.tracks.instant(f'sync manager {event.unit}', event.ns,
                            f'monitor {event.addr} armed', arm=hex(event.value))

    def on_fire(self, event):
        name = self.record.register(event.value - CFG_BASE)
        track = f'sync manager {event.unit}'
        self.tracks.slice(track, event.ns, event.ns, f'monitor {event.addr} fires',
                          writes=name, data=hex(event.size))
        self.fired[name] = track, event.ns

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
    for pid, record in enumerate(records):
        Card(record, pid, out, flows).convert()
    return {'traceEvents': out, 'displayTimeUnit': 'ns'}
