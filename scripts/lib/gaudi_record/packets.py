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


class Decoder:
    """Of one command processor: registers that it has set are remembered, as they say
    what its engine will write."""

    def __init__(self, bases, engine):
        self.bases = bases
        self.engine = engine
        self.window = {}

    def decode(self, code, at):
        """Actions of the packets in these bytes, which may end within one."""
        place = number = 0
        while place + 8 <= len(code):
            word, ctl = struct.unpack_from('<II', code, place)
            name = OPCODES.get(ctl >> 24 & 0x1f)
            size = SIZES.get(name, 8)
            if name == 'WREG_BULK':
                size += 8 * (word & 0xffff)
            if name is None or place + size > len(code):
                return
            body = code[place:place + size]
            for kind, first, second in self.actions(name, word, ctl, body):
                yield Action(kind, first, second, at + place, name, number)
            place += size
            number += 1

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
