# SPDX-License-Identifier: MIT
"""What command buffers are going to do: packets as actions.

Layouts are those of uapi/hw/gaudi_packets.h; offsets of an engine's registers, of the
tables in uapi/hw/regs.
"""

import collections
import struct

OPCODES = {1: 'WREG_32', 2: 'WREG_BULK', 3: 'MSG_LONG', 4: 'MSG_SHORT', 5: 'CP_DMA',
           6: 'REPEAT', 7: 'MSG_PROT', 8: 'FENCE', 9: 'LIN_DMA', 10: 'NOP', 11: 'STOP',
           12: 'ARB_POINT', 13: 'WAIT', 15: 'LOAD_AND_EXE'}
SIZES = {'MSG_LONG': 16, 'MSG_PROT': 16, 'CP_DMA': 16, 'LOAD_AND_EXE': 16,
         'LIN_DMA': 24}

# kind: fence (number, at least), write (address, value), hand, ask, give, stop, wait
# (number), or other. at: the packet's place. n: how many packets stand before it.
Action = collections.namedtuple('Action', 'kind first second at name n')

# Of an engine's block: where it writes when it is done, what, and what starts it.
DMA_DATA, DMA_LOW, DMA_HIGH = 0x7c, 0x80, 0x84
TPC_DATA, TPC_LOW, TPC_HIGH, TPC_START = 0xd80, 0xd84, 0x92c, 0x938
MME_LOW, MME_LOW2, MME_HIGH, MME_DATA, MME_START = 0x1dc, 0x1e0, 0x1e4, 0x1e8, 0x280
WRITES_AT_END = 1		# of LIN_DMA
ARB_GIVES = 1 << 31
# Offsets that a queue's packets name: from here on its own registers, not its engine's.
OWN, OWN_END = 0x8000, 0xa000
# Of LOAD_AND_EXE. With the last one it executes what begins at the second half.
SCALARS, LOADS, EXECUTES, UPPER = 1, 1 << 8, 1 << 9, 1 << 10
SCALARS_HALF = 8


def packet(code, place):
    """The bytes of the packet that is there, or None: there is none, or not all of it."""
    if place + 8 > len(code):
        return None
    word, ctl = struct.unpack_from('<II', code, place)
    name = OPCODES.get(ctl >> 24 & 0x1f)
    size = SIZES.get(name, 8)
    if name == 'WREG_BULK':
        size += 8 * (word & 0xffff)
    return code[place:place + size] if name and place + size <= len(code) else None


class Decoder:
    """Of one command processor: registers that it has set are remembered, as they say
    what its engine will write. own: where its queue's registers are, or None: not known.
    memory: what is loaded into scalars, by address. scalars: what they have."""

    def __init__(self, bases, engine, own=None, memory=None, scalars=b''):
        self.bases = bases
        self.engine = engine
        self.own = own
        self.memory = memory or {}
        self.scalars = scalars
        self.window = {}

    def decode(self, code, at):
        """Actions of the packets in these bytes, which may end within one."""
        place = number = 0
        while body := packet(code, place):
            word, ctl = struct.unpack_from('<II', body)
            name = OPCODES[ctl >> 24 & 0x1f]
            for kind, first, second in self.actions(name, word, ctl, body):
                yield Action(kind, first, second, at + place, name, number)
            if name == 'LOAD_AND_EXE':
                for action in self.load(word, body, at + place):
                    yield action._replace(n=number + 1)
            place += len(body)
            number += 1

    def load(self, word, body, at):
        """Of the packet that a LOAD_AND_EXE executes."""
        if word & LOADS and word & SCALARS:
            self.scalars = self.memory.get(struct.unpack_from('<Q', body, 8)[0], b'')
        return self.execute(SCALARS_HALF if word & UPPER else 0, at) if word & EXECUTES else []

    def execute(self, place, at):
        """Of the one packet that is there in the scalars; what that would load is left out."""
        body = packet(self.scalars, place)
        if not body:
            return []
        word, ctl = struct.unpack_from('<II', body)
        name = OPCODES[ctl >> 24 & 0x1f]
        return [Action(kind, first, second, at, name, 0)
                for kind, first, second in self.actions(name, word, ctl, body)]

    def actions(self, name, word, ctl, body):
        if name == 'FENCE':
            return [('fence', word >> 30, word >> 16 & 0xff)]
        if name in ('MSG_LONG', 'MSG_PROT'):
            return [('write', struct.unpack_from('<Q', body, 8)[0], word)]
        if name == 'MSG_SHORT':
            return [('write', self.bases[ctl >> 22 & 3] + (ctl & 0xffff), word)]
        if name == 'CP_DMA':
            return [('hand', struct.unpack_from('<Q', body, 8)[0], word)]
        if name == 'ARB_POINT':
            return [('give' if word & ARB_GIVES else 'ask', word & 0xff, 0)]
        if name == 'WAIT':
            return [('wait', word >> 28 & 3, word >> 24 & 0xf)]
        if name == 'STOP':
            return [('stop', 0, 0)]
        return self.engine_actions(name, word, ctl, body)

    def engine_actions(self, name, word, ctl, body):
        if name == 'LIN_DMA':
            return self.signals(DMA_HIGH, [DMA_LOW], DMA_DATA) \
                if ctl & WRITES_AT_END else [('other', 0, 0)]
        if name == 'WREG_32':
            return self.wreg(ctl >> 8 & 0xffff, word)
        if name == 'WREG_BULK':
            done = []
            off = ctl >> 8 & 0xffff
            for value in struct.unpack_from(f'<{(len(body) - 8) // 4}I', body, 8):
                done += self.wreg(off, value)
                off += 4
            return done or [('other', 0, 0)]
        return [('other', 0, 0)]

    def wreg(self, off, value):
        if OWN <= off < OWN_END and self.own is not None:
            return [('write', self.own + off - OWN, value)]
        self.window[off] = value
        if self.engine.startswith('TPC') and off == TPC_START:
            return self.signals(TPC_HIGH, [TPC_LOW], TPC_DATA)
        if self.engine.startswith('MME') and off == MME_START:
            return self.signals(MME_HIGH, [MME_LOW, MME_LOW2], MME_DATA)
        return [('other', 0, 0)]

    def signals(self, high, lows, data):
        upper = self.window.get(high, 0x7f)
        return [('write', upper << 32 | self.window[low], self.window.get(data, 0))
                for low in lows if low in self.window] or [('other', 0, 0)]
