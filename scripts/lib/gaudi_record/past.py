# SPDX-License-Identifier: MIT
"""What the events of a record say of the past: who has written an object, what a
monitor has done, and signals that were sent and did not arrive."""

import collections

from . import packets, state, work
from .names import Kernels

Sent = collections.namedtuple('Sent', 'ns who')
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
        # The lower half of a register: monitors that were to write it, and when.
        self.pointed = collections.defaultdict(dict)
        # For an interrupt, [Sent, number, CP]; None: it has been raised.
        self.asked = None
        self.interrupts = {off for off, name in record.registers.items() if name == INTERRUPTS}
        self.engines = record.engines
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

    def on_msi(self, _event):
        self.asked = None

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
