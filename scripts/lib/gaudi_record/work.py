# SPDX-License-Identifier: MIT
"""What engines did and what command processors waited for, of one card's events."""

import bisect
import collections
import re

from . import state

ENGINE, LOWER, FENCE = 'the engine', 'the lower CP', 'a fence'
# Of a register write, who: uapi/hw calls them initiators.
HOST, CPU, QMAN, DMA, TPC, MME, NIC, SYNC = range(8)
INITIATORS = ('the host', 'the embedded CPU', 'a queue', 'a DMA core', 'a TPC', 'an MME',
              'a port', 'a monitor')
LOWER_CP = 4		# of a QMAN
MEM_SET = 1 << 4	# of a DMA core's COMMIT
# Kinds of a DMA core's jobs; the last one is of those that were begun before the record.
EITHER = 'copy or fill'
MOVES = 'copy', 'fill', EITHER
CTX_ID = 0xff << 56	# of its destination

HBM_END, SRAM, SRAM_END, HOST_MEMORY = 0x800000000, 0x7ff0000000, 0x7ff1400000, 0x8000000000

CORE = re.compile(r'DMA(\d)_CORE_(COMMIT|DST_BASE_LO|DST_BASE_HI)$')
LAUNCH = re.compile(r'(TPC\d)_CFG_TPC_EXECUTE$|(MME\d)_CTRL_CMD$')
QUEUE = re.compile(r'([A-Z]+)(\d+)_QM(\d?)_(?:PQ_PI|CP_FENCE(\d)_RDATA)_(\d)$')


def place(address):
    """Which memory of the card's view that is, in a word."""
    if address >= HOST_MEMORY:
        return 'host'
    if address < HBM_END:
        return 'HBM'
    return 'SRAM' if SRAM <= address < SRAM_END else 'registers'


class Job:
    """What an engine did at a stretch. kind: one of MOVES, 'kernel', 'job' of an MME.
    source: of a copy, a fill's pattern, or a kernel's address. asked: when its packet gave
    it to the engine; packet: that one's (unit, ns); None: it was no packet."""

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
        self.at = None		# that one's address
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


class Message:
    """An entry that a port has sent, or one that has come in: that of port, pair (of whom it came to)
    and number (of its last packet). bell: when the port was told of it, packet: by which (unit, ns);
    None: the record does not say."""

    def __init__(self, event, bell=None):
        self.ns = event.ns
        self.port = event.unit
        self.number = event.addr & 0xffffff
        self.pair = event.addr >> 24 & 0xffffff
        self.to = event.value
        self.bytes = event.size
        self.bell = bell
        self.begin = event.ns		# of its slice


class Bell:
    """A port was told of entries. packet: the (unit, ns) of the one that did; None: it was none."""

    def __init__(self, event):
        self.ns = event.ns
        self.port = event.unit
        self.packet = None


class Buffer:
    """A command buffer that a command processor has executed, up to the end of its last
    packet. doorbell: when the host told of it; sender: the (unit, ns) of the CP_DMA that gave
    it to a lower one. Each is None if it was not so, or the record does not say."""

    def __init__(self, event, doorbell, sender):
        self.unit = event.unit
        self.begin = self.end = event.ns
        self.address = event.addr
        self.bytes = event.size
        self.index = event.value & 0xffffffff if event.value else None
        self.doorbell = doorbell
        self.sender = sender


class Interrupt:
    """An MSI. packet: the (unit, ns) of the packet that wrote it; None: it was none. begun:
    when that wrote it."""

    def __init__(self, event, begun):
        self.ns = event.ns
        self.vector = event.value
        self.packet = None
        self.begun = begun


class Signal:
    """What raised a fence: who wrote an object (manager, number, value) whose monitor
    fired. Both are None if a fence was written directly. engine: the writer's, as far as
    the record says; who: its name; source: the Job, the Message that came, or the (unit, ns) of
    a packet that wrote at begun; None if the record does not say."""

    def __init__(self, ns, initiator):
        self.ns = self.begun = ns
        self.initiator = initiator
        self.source = None
        self.engine = None
        self.who = INITIATORS[initiator] if initiator is not None else 'somebody'
        self.object = None
        self.monitor = None
        self.manager = None


class Work:
    """jobs and waits in the order of their ends; turns, of the model's threads; doorbells,
    (ns, unit) of the host; packets, when each command processor had executed one; buffers
    and interrupts, in their order."""

    def __init__(self, record):
        self.record = record
        self.jobs = []
        self.waits = []
        self.turns = []
        self.doorbells = []
        self.packets = collections.defaultdict(list)
        self.buffers = []
        self.by_unit = collections.defaultdict(list)	# the same buffers, when all are there
        self.interrupts = []
        self.sent = []		# Messages
        self.received = []
        self.bells = {}		# of (port, queue pair): the last Bell
        self.latest = {}	# of an engine: the last packet, if it is a WREG_BULK
        self.ringing = {}	# of a port's engine: a Bell whose packet the next event names
        self.executing = {}	# of a command processor: its last Buffer
        self.told = collections.defaultdict(collections.deque)	# (ns, index) of doorbells
        self.handed = collections.defaultdict(collections.deque)	# to lower ones: (bytes, packet)
        self.seen = set()	# of which command processors a doorbell has been used up
        self.raising = None	# an Interrupt whose packet the next event names
        self.first = self.last = None
        self.commits = collections.defaultdict(list)	# of a core: Jobs that have not ended
        self.launched = collections.defaultdict(collections.deque)	# ... that have not begun
        self.asked = {}		# of an engine: the last Job, until its packet is there
        self.running = {}	# of an engine: its Job, of a TPC or an MME
        self.ended = {}		# of an engine: its last Job
        self.waiting = {}	# of a command processor: its Wait
        self.fired = {}		# (unit, fence): the Signal whose monitor is to raise it
        self.raised = {}	# (unit, fence): the Signal that has
        self.unnamed = []	# Signals whose writer a later event names
        self.trigger = {}	# of a sync manager: the Signal after which monitors fire
        self.written = None	# the last event, if it is a write of a register
        self.cores = {}
        self.launchers = {}
        self.queues = {}
        self.came = None	# the last write of a register by a port
        self.nics = {}		# of a port: its engine
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
        self.nics = {int(name[3:]): number for name, number in engines.items()
                     if name.startswith('NIC')}
        for off, name in self.record.registers.items():
            core, queue, launch = CORE.match(name), QUEUE.match(name), LAUNCH.match(name)
            if core:
                self.cores[off] = int(core[1]), core[2]
            elif launch and (launch[1] or launch[2]) in engines:
                self.launchers[off] = engines[launch[1] or launch[2]]
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
        for buffer in self.buffers:
            self.by_unit[buffer.unit].append(buffer)
        self.jobs.sort(key=lambda job: job.end)
        self.waits.sort(key=lambda wait: wait.end)

    def buffer_at(self, packet):
        """The last one of a processor that had begun by then, or None."""
        unit, ns = packet
        found = self.by_unit.get(unit, [])
        place = bisect.bisect(found, ns, key=lambda buffer: buffer.begin)
        return found[place - 1] if place else None

    def buffer_of(self, job):
        """The command buffer of a ring that a job comes from; None if the record does not
        say."""
        buffer = self.buffer_at(job.packet) if job.packet else None
        return self.buffer_at(buffer.sender) if buffer and buffer.sender else buffer

    def doorbell_of(self, job):
        """When the host told of it; None as above."""
        buffer = self.buffer_of(job)
        return buffer.doorbell if buffer else None

    def stop(self):
        """All that goes on ends, without an end of its own."""
        for wait in list(self.waiting.values()):
            if wait.unit in self.executing:
                self.executing[wait.unit].end = self.last
            self.end_wait(wait.unit, self.last, open=True)
        for commits in self.commits.values():
            if commits:
                self.end_job(commits[0], self.last, open=True)
        for job in list(self.running.values()):
            self.end_job(job, self.last, open=True)
        self.commits.clear()
        self.running.clear()
        self.launched.clear()
        self.executing.clear()
        self.told.clear()
        self.handed.clear()

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
        if event.unit == NIC:
            self.came = event
            self.unnamed = [signal for signal in self.unnamed if signal.initiator != NIC]
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
        elif event.addr in self.launchers:
            engine = self.launchers[event.addr]
            job = Job(engine, event.ns, 'job')
            self.launched[engine].append(job)
            if event.unit == QMAN:
                self.asked[engine] = job
        elif event.unit == HOST and self.queues.get(event.addr, (0, 0))[1] is None:
            unit = self.queues[event.addr][0]
            self.doorbells.append((event.ns, unit))
            self.told[unit].append((event.ns, event.value))

    def on_dma(self, event):
        # Its own is the first that goes where it went: others have been refused, or it was
        # asked for before the record begins.
        commits = self.commits[event.unit]
        place = next((place for place, job in enumerate(commits)
                      if job.to in (None, event.addr)), None)
        if place is None:
            job = Job(event.unit, self.first, EITHER)
        else:
            job = commits[place]
            del commits[:place + 1]
        job.to, job.source, job.bytes = event.addr, event.value, event.size
        self.end_job(job, event.ns)

    def on_start(self, event):
        launched = self.launched[event.unit]
        job = launched.popleft() if launched else Job(event.unit, event.ns, 'job')
        job.begin = event.ns
        if event.value:
            job.kind, job.source = 'kernel', event.value
        self.running[event.unit] = job

    def on_end(self, event):
        job = self.running.pop(event.unit, None)
        if job:
            self.end_job(job, event.ns)
        name = self.record.engines[event.unit]
        self.name_writers(TPC if name.startswith('TPC') else MME, event.unit, name, job)

    def on_turn(self, event):
        self.turns.append((self.record.when(event.addr), event.ns,
                           self.record.actors[event.unit]))

    def on_reset(self, event):
        self.stop()

    def on_msi(self, event):
        interrupt = Interrupt(event, self.written.ns if self.written else event.ns)
        self.interrupts.append(interrupt)
        if self.written and self.written.unit == QMAN:
            self.raising = interrupt

    # --- ports ---

    def on_bell(self, event):
        bell = self.bells[event.unit, event.addr] = Bell(event)
        engine = self.nics.get(event.unit)
        if self.written:
            return
        # The writes of a WREG_BULK follow its event, those of other packets are before it.
        bell.packet = self.latest.get(engine)
        if not bell.packet:
            self.ringing[engine] = bell

    def on_send(self, event):
        self.sent.append(Message(event, self.bells.get((event.unit, event.addr >> 48))))

    def on_receive(self, event):
        message = Message(event)
        self.received.append(message)
        # What other writes of ports do, as when an entry is acknowledged, does not name them.
        if self.came and event.value == state.CFG_BASE + self.came.addr:
            message.begin = min(message.ns, self.came.ns)
            self.name_writers(NIC, self.nics.get(event.unit), f'port {event.unit}', message)

    # --- command processors ---

    def on_packet(self, event):
        if event.unit in self.waiting:
            self.end_wait(event.unit, event.ns)
        self.packets[event.unit].append(event.ns)
        packet = event.unit, event.ns
        if event.unit in self.executing:
            self.executing[event.unit].end = event.ns
        self.name_writers(QMAN, event.unit // 8, self.record.processor(event.unit), packet)
        if self.raising:
            self.raising.packet, self.raising = packet, None
        bell = self.ringing.pop(event.unit // 8, None)
        if bell:
            bell.packet = packet
        self.latest[event.unit // 8] = packet if self.record.packet(event.value) == 'WREG_BULK' \
            else None
        if self.record.packet(event.value) == 'CP_DMA':
            self.handed[event.unit // 8].append((event.value & 0xffffffff, packet))
        asked = self.asked.get(event.unit // 8)
        if asked and (asked.kind not in MOVES or
                      self.record.packet(event.value) == 'LIN_DMA'):
            asked.packet, asked.at = packet, event.addr
            del self.asked[event.unit // 8]

    def on_buffer(self, event):
        buffer = Buffer(event, self.doorbell(event) if event.value else None,
                        self.sender(event) if event.unit % 8 == LOWER_CP else None)
        self.executing[event.unit] = buffer
        self.buffers.append(buffer)

    def sender(self, event):
        handed = self.handed[event.unit // 8]
        while handed:
            size, packet = handed.popleft()
            if size == event.size:
                return packet
        return None

    def doorbell(self, event):
        """When the host told of what the ring has there."""
        told = self.told[event.unit]
        index, mask = event.value & 0xffffffff, event.value >> 32
        while told and (told[0][1] - index & mask) > mask // 2:
            told.popleft()
        if not told:
            return None
        ns, last = told[0]
        # Before the first doorbell that is left there may be one that is lost.
        known = event.unit in self.seen or not self.record.lost
        if last & mask == index:
            told.popleft()
            self.seen.add(event.unit)
            known = True
        return ns if known else None

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
        signal.begun = self.written.ns if self.written else event.ns
        if signal.initiator == DMA and self.ended:
            cores = [job for job in self.ended.values() if job.kind in MOVES]
            # Its completion follows its end at once.
            if cores:
                signal.source = max(cores, key=lambda job: job.end)
                signal.engine = signal.source.engine
                signal.who = self.record.engines[signal.engine]
        elif signal.initiator in (QMAN, TPC, MME, NIC):
            self.unnamed.append(signal)
        return signal

    def name_writers(self, initiator, engine, name, source):
        """The event of a message's packet, of a kernel's end, and of what came in, follows its
        writes."""
        for signal in self.unnamed:
            if signal.initiator == initiator:
                signal.engine, signal.who, signal.source = engine, name, source
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
            fired.source, fired.begun = signal.source, signal.begun
            fired.manager, fired.object = event.unit, signal.object
            fired.monitor = event.addr
            if signal in self.unnamed:
                self.unnamed.append(fired)

    def on_fence(self, event):
        key = event.unit, event.addr
        self.raised[key] = self.fired.pop(key, None) or self.signal(event)
