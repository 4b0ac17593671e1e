# SPDX-License-Identifier: GPL-2.0-only
"""Writes the records of the suite prof: one.rec, of one card, and two.rec, of that one and
another whose first events are lost. Ticks are nanoseconds, and begin at 1000. host.json is
what a guest's process did meanwhile, on a clock of its own; clocked.rec is one.rec with the
card's state, by which they are joined."""

import json
import struct

KINDS = ['reg-read', 'reg-write', 'packet', 'dma', 'event', 'msi', 'reset', 'turn', 'wait',
         'fence', 'sob', 'arm', 'fire', 'start', 'end', 'link']
PACKETS = {3: 'MSG_LONG', 8: 'FENCE', 9: 'LIN_DMA'}
WAITS = ['', 'a fence', 'the engine', 'the lower CP', 'room in a CQ', 'the arbiter',
         'a WAIT packet', 'room for messages']
ENGINES = [f'DMA{n}' for n in range(8)] + ['MME0', 'MME2'] + \
          [f'NIC{n}' for n in range(10)] + [f'TPC{n}' for n in range(8)]
ACTORS = ['qman', 'NIC1', 'NIC1 in']
REGISTERS = {0x100: 'DMA0_CORE_DST_BASE_LO', 0x104: 'DMA0_CORE_DST_BASE_HI',
             0x108: 'DMA0_CORE_COMMIT', 0x110: 'DMA1_CORE_DST_BASE_LO',
             0x114: 'DMA1_CORE_DST_BASE_HI', 0x118: 'DMA1_CORE_COMMIT',
             0x200: 'DMA0_QM_PQ_PI_0', 0x204: 'DMA1_QM_PQ_PI_0', 0x208: 'TPC0_QM_PQ_PI_0',
             0x300: 'TPC0_QM_CP_FENCE0_RDATA_0', 0x304: 'NIC0_QM1_CP_FENCE1_RDATA_2',
             0x500: 'PSOC_TIMESTAMP_CNTCVL',
             0x400: 'SYNC_MNGR_E_N_SYNC_MNGR_OBJS_SOB_OBJ_8'}
CFG = 0x7ffc000000
HOST, QMAN, DMA, SYNC = 0, 2, 3, 7
LIN, MEM_SET = 1 << 3, 1 << 4
DMA0, DMA1, MME0, NIC1, TPC0 = 0, 1, 8, 11, 20
CODE = 0x20000000


def packet(opcode):
    return opcode << 32 + 24


def write(ns, who, off, value=0):
    return ns, 'reg-write', who, off, value, 4


FIRST = [
    write(1000, HOST, 0x200, 1),
    # A copy over the code, and while it is under way another one, which begins at its end.
    write(1050, QMAN, 0x100, CODE), write(1050, QMAN, 0x104, 0),
    write(1100, QMAN, 0x108, LIN),
    (1110, 'packet', DMA0 * 8, 0x1000, packet(9), 24),
    write(1200, HOST, 0x208, 1),
    (1300, 'wait', TPC0 * 8, 0x2000, 1, 0 << 30 | 1 << 16),
    write(1600, QMAN, 0x108, LIN),
    (1610, 'packet', DMA0 * 8, 0x1018, packet(9), 24),
    (2100, 'dma', DMA0, CODE, 0x1000000000000, 4096),
    # Its completion raises the TPC's fence.
    write(2101, DMA, 0x400, 1), (2101, 'sob', 3, 8, 1, 0),
    (2102, 'fire', 3, 3, CFG + 0x300, 1),
    write(2103, SYNC, 0x300, 1), (2103, 'fence', TPC0 * 8, 0, 1, 0),
    (2110, 'packet', TPC0 * 8, 0x2000, packet(8), 8),
    (2200, 'start', TPC0, 0, CODE + 0x100, 0),
    (2700, 'end', TPC0, 0, 0, 0),
    (3000, 'dma', DMA0, CODE, 0x1000000000000, 4096),
    # Nothing, then a fill beside a job of the MME. A copy that the core has refused does
    # not count: none ended where it was to go.
    write(5000, HOST, 0x204, 1),
    write(5080, QMAN, 0x110, 0x40000000), write(5080, QMAN, 0x114, 0),
    write(5081, QMAN, 0x118, LIN),
    write(5085, QMAN, 0x110, 0x30000000),
    write(5090, QMAN, 0x118, LIN | MEM_SET),
    (5100, 'packet', DMA1 * 8, 0x3000, packet(9), 24),
    (5200, 'start', MME0, 0, 0, 0),
    (5500, 'dma', DMA1, 0x30000000, 0, 256),
    (5600, 'end', MME0, 0, 0, 0),
    (6000, 'msi', 0, 0, 1, 0),
]

SECOND = [
    (2500, 'wait', NIC1 * 8 + 2, 0x1000, 1, 1 << 30 | 1 << 16),
    (2800, 'turn', 1, 2600, 0, 0),
    (2900, 'turn', 2, 2700, 0, 0),
    # A message of a queue, whose packet is in the record after what it does.
    write(2940, QMAN, 0x400, 1), (2940, 'sob', 3, 8, 1, 0),
    (2941, 'fire', 3, 4, CFG + 0x304, 1),
    write(2942, SYNC, 0x304, 1), (2942, 'fence', NIC1 * 8 + 2, 1, 1, 0),
    (2945, 'packet', DMA0 * 8 + 1, 0x4000, packet(3), 16),
    (2950, 'packet', NIC1 * 8 + 2, 0x1000, packet(8), 8),
    # It goes on when the record ends.
    (3100, 'wait', NIC1 * 8 + 2, 0x1008, 5, 0),
    (5900, 'link', 1, 0, 1, 0),
]


def card(out, module_id, lost, events, **more):
    header = {'gaudi-record': 1, 'module_id': module_id, 'events': len(events),
              'lost': lost, 'clock': [[0, 0], [10000, 10000]], 'kinds': KINDS,
              'packets': [PACKETS.get(n, '') for n in range(32)], 'waits': WAITS,
              'engines': ENGINES, 'actors': ACTORS, 'registers': REGISTERS, **more}
    out.write(json.dumps(header).encode() + b'\n')
    for ns, kind, unit, addr, value, size in events:
        out.write(struct.pack('<QQQIHH', ns, addr, value, size, unit, KINDS.index(kind)))


def line(**event):
    return json.dumps(event) + ',\n'


def span(begin, end, name, thread=1, **args):
    """Of the host's: times are those of the record and 500,000, the guest's clock."""
    return line(ph='X', pid=7, tid=thread, ts=(begin + 500000) / 1000,
                dur=(end - begin) / 1000, name=name, args=args)


def look(ns, counter):
    return line(ph='i', s='t', pid=7, tid=1, ts=(ns + 500000) / 1000, name='clock',
                args={'module': 0, 'counter': counter, 'before_ns': ns + 500000 - 40,
                      'after_ns': ns + 500000 + 40})


# The counter has a rate of 500 MHz: 2 ns each. The first look is from before a reset; the
# record has the reading of the second, and it alone knows that the guest was stopped then.
READING = (2400, 'reg-read', HOST, 0x500, 777, 4)
STATE = {'dma': [], 'counter': {'value': 4000, 'hz': 500000000, 'ns': 10000},
         'firmware': {'power_mw': [62000, 302000]}}
HOST_SIDE = ['[\n', line(ph='M', pid=7, tid=7, name='process_name', args={'name': 'train'}),
             line(ph='M', pid=7, tid=1, name='thread_name', args={'name': 'main'}),
             look(900, 999999), look(2400, 777), look(9000, 3500),
             # Within each other, and a doorbell (1000) and an MSI (6000) within two of them.
             span(500, 2500, 'gaudi_launch', of='step'), span(900, 1150, 'ioctl CS', seq=1),
             span(2600, 3900, 'gaudi_builder_build', of='step'),
             span(3900, 4300, 'gaudi_builder_build', of='step'),
             span(4300, 4400, 'gaudi_builder_build', of='other'),
             span(4400, 4700, 'aten::mm', 2), span(4500, 4600, 'aten::add', 2),
             span(5000, 6400, 'ioctl WAIT_CS', seq=1),
             line(ph='C', pid=7, tid=0, ts=502, name='HBM in use, module 0',
                  args={'bytes': 4096})]

with open('host.json', 'w') as host:
    host.writelines(HOST_SIDE)
with open('clocked.rec', 'wb') as one:
    card(one, 0, 0, sorted(FIRST + [READING], key=lambda event: event[0]),
         state=STATE)
with open('one.rec', 'wb') as one:
    card(one, 0, 0, FIRST)
# From the end of the first copy on: how both of DMA0 began is lost.
with open('cut.rec', 'wb') as cut:
    card(cut, 0, 9, [event for event in FIRST if event[0] >= 2100])
with open('two.rec', 'wb') as two:
    card(two, 0, 0, FIRST)
    card(two, 1, 7, SECOND)
