# SPDX-License-Identifier: MIT
"""What the events of a record say of the past: who has written an object, what a
monitor has done, and signals that were sent and did not arrive."""

import collections

from . import packets, state, work
from .names import Kernels

Sent = collections.namedtuple('Sent', 'ns who')
# What a fault on demand took. at: an address, or which vector, fence, command.
Struck = collections.namedtuple('Struck', 'ns fault at unit who')
MESSAGE, INCREMENT = 'message-lost', 'stuck-fence'
NO_CP = 7		# of a fault's event: it does not say which
INTERRUPTS = 'PCIE_CORE_MSI_REQ'


class Past:
    """Of one card."""

    def __init__(self, card):
        record = card.record
        self.kernels = Kernels(record)
        self.end = 0
        self.objects = {}	# (manager, number): when it was last written
        self.values = {}	# the same: with what
        self.fired = {}		# register: when a monitor last wrote it, and which
        self.fences = {}	# (unit, number): when it was last raised
        self.counts = {}	# the same: what it was then
        self.sent = {}		# register: a DMA core's last completion
        self.armed = {}		# (manager, monitor): when
        self.struck = []	# since the last reset
        self.raising = None	# as below; the next packet's event names the unit
        self.raised = {}	# of a command processor: its last interrupt's (ns, number)
        # The lower half of a register: monitors that were to write it, and when.
        self.pointed = collections.defaultdict(dict)
        # For an interrupt, [Sent, number, CP]; None: it has been raised.
        self.asked = None
        self.interrupts = {off for off, name in record.registers.items() if name == INTERRUPTS}
        self.record = record
        self.bases = {unit: stream.row['bases'] for unit, stream in card.streams.items()}
        decoders = {}
        # Of a DMA core: completions whose copies have not ended, and the other way round,
        # as a short copy ends within its packet.
        asked = collections.defaultdict(list)
        early = collections.defaultdict(list)
        for event in record.events():
            self.end = event.ns
            getattr(self, 'on_' + event.kind.replace('-', '_'), self.skip)(event)
            if event.kind == 'packet':
                self.packet(record, event, decoders, asked)
            elif event.kind == 'dma':
                early[event.unit].append(event.ns)
            for core, ends in early.items():
                while ends and asked[core]:
                    ns = ends.pop(0)
                    for address in asked[core].pop(0):
                        self.sent[address] = Sent(ns, record.engines[core])

    def skip(self, event):
        pass

    def packet(self, record, event, decoders, asked):
        """A LIN_DMA's end writes where registers say that were set before."""
        unit = event.unit
        name = record.processor(unit)
        if self.raising:
            self.raised[unit] = self.raising
            self.raising = None
        if self.asked and not self.asked[0].who:
            self.asked[0] = self.asked[0]._replace(who=name)
            self.asked[2] = unit
        decoder = decoders.setdefault(unit, packets.Decoder([0] * 4, name))
        word, ctl = event.value & 0xffffffff, event.value >> 32
        what = record.packet(event.value)
        if what == 'WREG_32':
            decoder.wreg(ctl >> 8 & 0xffff, word)
        elif what == 'LIN_DMA' and name.startswith('DMA'):
            asked[unit // 8].append([write[1] for write in decoder.actions(
                what, word, ctl, b'') if write[0] == 'write'])

    def on_reg_write(self, event):
        if event.addr in self.interrupts and event.unit in (work.CPU, work.QMAN):
            # A queue is named by the packet, which is behind what it does.
            self.asked = [Sent(event.ns, 'the embedded CPU' if event.unit == work.CPU else ''),
                          event.value, None]
        monitor = state.pointed_monitor(event.addr)
        if monitor:
            self.pointed[event.value][monitor] = event.ns

    def on_msi(self, event):
        if self.asked and not self.asked[0].who:
            self.raising = event.ns, event.value
        self.asked = None

    def on_fault(self, event):
        unit = event.value - 1
        who = 'somebody' if not event.value else self.record.engines[unit // 8] \
            if unit % 8 == NO_CP else self.record.processor(unit)
        self.struck.append(Struck(event.ns, self.record.fault(event), event.addr, unit, who))

    def on_reset(self, _event):
        self.struck.clear()
        self.raised.clear()

    def on_sob(self, event):
        self.objects[event.unit, event.addr] = event.ns
        self.values[event.unit, event.addr] = event.value

    def on_arm(self, event):
        self.armed[event.unit, event.addr] = event.ns

    def on_fire(self, event):
        self.fired[event.value] = event.ns, event.unit, event.addr

    def on_fence(self, event):
        self.fences[event.unit, event.addr] = event.ns
        self.counts[event.unit, event.addr] = event.value

    def ago(self, when):
        """How long before its end, in words."""
        return f'{(self.end - when) / 1e6:.3f} ms before the record ends'

    def lost_message(self, address):
        """The last write to a register that a fault took, or None: none, or it was written
        since."""
        lost = next((one for one in reversed(self.struck)
                     if one.fault == MESSAGE and one.at & ~3 == address), None)
        place = state.sync_place(address)
        since = self.objects.get((place[0], place[2]), 0) \
            if place and place[1] == 'object' else 0
        return lost if lost and lost.ns > since else None

    def lost_increment(self, address, unit, fence):
        """What a fault took of what was to raise a fence, and it was not raised since; or
        None."""
        lost = next((one for one in reversed(self.struck)
                     if one.fault == INCREMENT and (one.unit, one.at) == (unit, fence)),
                    None) or self.lost_message(address)
        return lost if lost and lost.ns > self.fences.get((unit, fence), 0) else None

    def lost_signal(self, address):
        """A completion that was sent and did not arrive, or None."""
        sent = self.sent.get(address)
        place = state.sync_place(address)
        if sent and place and self.objects.get((place[0], place[2]), 0) < sent.ns:
            return sent
        return None

    def lost_raise(self, address, unit, fence):
        """(manager, monitor) that fired and whose write did not arrive, or None."""
        fired = self.fired.get(address)
        if fired and self.fences.get((unit, fence), 0) < fired[0]:
            return fired[1:]
        return None
