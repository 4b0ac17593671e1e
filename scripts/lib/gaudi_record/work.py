# SPDX-License-Identifier: MIT
"""What engines did and what command processors waited for, of one card's events."""

import collections
import re

from . import state

ENGINE, LOWER, FENCE = 'the engine', 'the lower CP', 'a fence'
# Of a register write, who: uapi/hw calls them initiators.
HOST, CPU, QMAN, DMA, TPC, MME, NIC, SYNC = range(8)
INITIATORS = ('the host', 'the embedded CPU', 'a queue', 'a DMA core', 'a TPC', 'an MME',
              'a port', 'a monitor')
MEM_SET = 1 << 4	# of a DMA core's COMMIT
CTX_ID = 0xff << 56	# of its destination

CORE = re.compile(r'DMA(\d)_CORE_(COMMIT|DST_BASE_LO|DST_BASE_HI)$')
QUEUE = re.compile(r'([A-Z]+)(\d+)_QM(\d?)_(?:PQ_PI|CP_FENCE(\d)_RDATA)_(\d)$')


class Job:
    """What an engine did at a stretch. kind: 'copy', 'fill', 'kernel', 'job' of an MME.
    source: of a copy, a fill's pattern, or a kernel's address. packet: when a LIN_DMA
    asked for it, and of which command processor; else None."""

    def __init__(self, engine, begin, kind, source=0):
        self.engine = engine
        self.begin = begin
        self.end = None
        self.kind = kind
        self.source = source
        self.to = None		# of a copy or fill: where to; None: not in the record
        self.bytes = 0
        self.asked = begin
        self.packet = None
        self.open = False	# it had not ended when the record, or the card's run, did


class Wait:
    """Of a command processor. word: its packet's first one. cause: a Signal or a Job."""

    def __init__(self, unit, begin, what, word):
        self.unit = unit
        self.begin = begin
        self.end = None
        self.what = what
        self.word = word
        self.cause = None
        self.open = False

    fence = property(lambda self: self.word >> 30)
    target = property(lambda self: self.word >> 16 & 0xff)


class Signal:
    """What raised a fence: who wrote an object (manager, number, value) whose monitor
    fired. Both are None if a fence was written directly. engine: the writer's, as far as
    the record says; who: its name."""

    def __init__(self, ns, initiator):
        self.ns = ns
        self.initiator = initiator
        self.engine = None
        self.who = INITIATORS[initiator] if initiator is not None else 'somebody'
        self.object = None
        self.monitor = None
        self.manager = None


class Work:
    """jobs and waits in the order of their ends; turns, of the model's threads; doorbells,
    (ns, unit) of the host; packets, when each command processor had executed one."""

    def __init__(self, record):
        self.record = record
        self.jobs = []
        self.waits = []
        self.turns = []
        self.doorbells = []
        self.packets = collections.defaultdict(list)
        self.first = self.last = None
        self.commits = collections.defaultdict(list)	# of a core: Jobs that have not ended
        self.asked = {}		# of a core: the last Job, until its packet is there
        self.running = {}	# of an engine: its Job, of a TPC or an MME
        self.ended = {}		# of an engine: its last Job
        self.waiting = {}	# of a command processor: its Wait
        self.fired = {}		# (unit, fence): the Signal whose monitor is to raise it
        self.raised = {}	# (unit, fence): the Signal that has
        self.unnamed = []	# Signals whose writer a later event names
        self.trigger = {}	# of a sync manager: the Signal after which monitors fire
        self.written = None	# the last event, if it is a write of a register
        self.cores = {}
        self.queues = {}
        self.target = collections.defaultdict(dict)	# of a core: registers as written
        self.name_registers()
        for event in record.events():
            if self.first is None:
                self.first = self.last = event.ns
            self.last = max(self.last, event.ns)
            getattr(self, 'on_' + event.kind.replace('-', '_'), self.skip)(event)
            self.written = event if event.kind == 'reg-write' else None
        self.finish()

    def skip(self, event):
        pass

    def name_registers(self):
        engines = {name: number for number, name in enumerate(self.record.engines)}
        for off, name in self.record.registers.items():
            core, queue = CORE.match(name), QUEUE.match(name)
            if core:
                self.cores[off] = int(core[1]), core[2]
            elif queue:
                # Two ports share a block: NIC2_QM1 is NIC5's.
                kind, number, second, fence, processor = queue.groups()
                number = int(number) * 2 + int(second) if second else int(number)
                if f'{kind}{number}' in engines:
                    unit = engines[f'{kind}{number}'] * 8 + int(processor)
                    self.queues[off] = unit, None if fence is None else int(fence)

    def finish(self):
        """What goes on when the record ends."""
        # A copy that the card has refused has no end either.
        if self.record.state is not None:
            busy = {row['engine'] for row in self.record.state['dma'] if row['busy']}
            self.commits = {core: commits for core, commits in self.commits.items()
                            if core in busy}
        self.stop()
        self.jobs.sort(key=lambda job: job.end)
        self.waits.sort(key=lambda wait: wait.end)

    def stop(self):
        """All that goes on ends, without an end of its own."""
        for wait in list(self.waiting.values()):
            self.end_wait(wait.unit, self.last, open=True)
        for commits in self.commits.values():
            if commits:
                self.end_job(commits[0], self.last, open=True)
        for job in list(self.running.values()):
            self.end_job(job, self.last, open=True)
        self.commits.clear()
        self.running.clear()

    # --- engines ---

    def end_job(self, job, ns, open=False):
        job.end = ns
        job.open = open
        before = self.ended.get(job.engine)
        if before:
            job.begin = min(max(job.begin, before.end), ns)
        self.ended[job.engine] = job
        self.jobs.append(job)

    def on_reg_write(self, event):
        if event.addr in self.cores:
            core, what = self.cores[event.addr]
            if what != 'COMMIT':
                self.target[core][what] = event.value
                return
            job = Job(core, event.ns, 'fill' if event.value & MEM_SET else 'copy')
            low, high = (self.target[core].get(f'DST_BASE_{half}') for half in ('LO', 'HI'))
            if low is not None and high is not None:
                job.to = (high << 32 | low) & ~CTX_ID
            self.commits[core].append(job)
            if event.unit == QMAN:
                self.asked[core] = job
        elif event.unit == HOST and self.queues.get(event.addr, (0, 0))[1] is None:
            self.doorbells.append((event.ns, self.queues[event.addr][0]))

    def on_dma(self, event):
        # Its own is the first that goes where it went: others have been refused, or it was
        # asked for before the record begins.
        commits = self.commits[event.unit]
        place = next((place for place, job in enumerate(commits)
                      if job.to in (None, event.addr)), None)
        if place is None:
            job = Job(event.unit, self.first, 'copy')
        else:
            job = commits[place]
            del commits[:place + 1]
        job.to, job.source, job.bytes = event.addr, event.value, event.size
        self.end_job(job, event.ns)

    def on_start(self, event):
        self.running[event.unit] = Job(event.unit, event.ns,
                                       'kernel' if event.value else 'job', event.value)

    def on_end(self, event):
        job = self.running.pop(event.unit, None)
        if job:
            self.end_job(job, event.ns)
        name = self.record.engines[event.unit]
        self.name_writers(TPC if name.startswith('TPC') else MME, event.unit, name)

    def on_turn(self, event):
        self.turns.append((self.record.when(event.addr), event.ns,
                           self.record.actors[event.unit]))

    def on_reset(self, event):
        self.stop()

    # --- command processors ---

    def on_packet(self, event):
        if event.unit in self.waiting:
            self.end_wait(event.unit, event.ns)
        self.packets[event.unit].append(event.ns)
        self.name_writers(QMAN, event.unit // 8, self.record.processor(event.unit))
        if self.record.packet(event.value) == 'LIN_DMA':
            job = self.asked.pop(event.unit // 8, None)
            if job:
                job.packet = event.unit, event.ns

    def on_wait(self, event):
        what = self.record.waits[event.value]
        since = self.waiting.get(event.unit)
        if since and since.what != what:
            self.end_wait(event.unit, event.ns)
        self.waiting.setdefault(event.unit,
                                Wait(event.unit, event.ns, what, event.size))

    def end_wait(self, unit, ns, open=False):
        wait = self.waiting.pop(unit)
        wait.end = ns
        wait.open = open
        self.waits.append(wait)
        if open:
            return
        if wait.what == FENCE:
            cause = self.raised.pop((unit, wait.fence), None)
            if cause and wait.begin <= cause.ns <= ns:
                wait.cause = cause
        elif wait.what == ENGINE:
            job = self.ended.get(unit // 8)
            if job and wait.begin <= job.end <= ns:
                wait.cause = job

    # --- signals ---

    def signal(self, event):
        """By the write of a register that this event follows from."""
        signal = Signal(event.ns, self.written.unit if self.written else None)
        if signal.initiator == DMA and self.ended:
            cores = [job for job in self.ended.values() if job.kind in ('copy', 'fill')]
            # Its completion follows its end at once.
            if cores:
                signal.engine = max(cores, key=lambda job: job.end).engine
                signal.who = self.record.engines[signal.engine]
        elif signal.initiator in (QMAN, TPC, MME):
            self.unnamed.append(signal)
        return signal

    def name_writers(self, initiator, engine, name):
        """The event of a message's packet, and of a kernel's end, follows its writes."""
        for signal in self.unnamed:
            if signal.initiator == initiator:
                signal.engine, signal.who = engine, name
        self.unnamed = [signal for signal in self.unnamed if signal.initiator != initiator]

    def on_sob(self, event):
        signal = self.signal(event)
        signal.manager, signal.object = event.unit, event.addr
        self.trigger[event.unit] = signal

    def on_arm(self, event):
        signal = self.signal(event)
        signal.manager = event.unit
        self.trigger[event.unit] = signal

    def on_fire(self, event):
        queue = self.queues.get(event.value - state.CFG_BASE)
        signal = self.trigger.get(event.unit)
        if queue and queue[1] is not None and signal:
            # One write may fire several.
            fired = self.fired[queue] = Signal(event.ns, signal.initiator)
            fired.engine, fired.who = signal.engine, signal.who
            fired.manager, fired.object = event.unit, signal.object
            fired.monitor = event.addr
            if signal in self.unnamed:
                self.unnamed.append(fired)

    def on_fence(self, event):
        key = event.unit, event.addr
        self.raised[key] = self.fired.pop(key, None) or self.signal(event)
