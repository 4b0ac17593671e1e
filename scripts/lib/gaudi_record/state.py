# SPDX-License-Identifier: MIT
"""The state in a record, as objects: streams, monitors, who is going to write what."""

import collections

from . import packets

CFG_BASE = 0x7ffc000000
MANAGERS = (('W_S', 0x490000), ('E_S', 0x4b0000), ('W_N', 0x4d0000), ('E_N', 0x4f0000))
OBJECTS, MONITORS = 2048, 512
SOB_BASE, MON_BASE = 0x2000, 0x4000
FENCE_BASE, FENCE_STEP, CPS = 0x308, 0x14, 5
CQ_CTL_BASE, CQ_STEP = 0x180, 0x10
ADDS = 1 << 31

# A write to come. by: a Stream, or (kind, which) of an engine, a port or a monitor. at: of the
# packet, or None.
Write = collections.namedtuple('Write', 'card by value at n')
Monitor = collections.namedtuple('Monitor',
                                 'manager number armed address data group mask equal value')


def object_address(manager, number):
    return CFG_BASE + MANAGERS[manager][1] + SOB_BASE + 4 * number


def arm_address(manager, number):
    return CFG_BASE + MANAGERS[manager][1] + MON_BASE + 3 * 4 * MONITORS + 4 * number


def pointed_monitor(offset):
    """(manager, monitor) of the register with the lower half of where it writes, or None."""
    place = sync_place(CFG_BASE + offset)
    if not place or place[1] != 'monitor':
        return None
    low = CFG_BASE + MANAGERS[place[0]][1] + MON_BASE + 4 * place[2]
    return (place[0], place[2]) if CFG_BASE + offset == low else None


def manager_name(manager):
    return 'sync manager ' + MANAGERS[manager][0]


def sync_place(address):
    """(manager, 'object' or 'monitor', number) of a register, or None."""
    for manager, (_, base) in enumerate(MANAGERS):
        off = address - CFG_BASE - base
        if 0 <= off - SOB_BASE < 4 * OBJECTS:
            return manager, 'object', (off - SOB_BASE) // 4
        if 0 <= off - MON_BASE < 5 * 4 * MONITORS:
            return manager, 'monitor', (off - MON_BASE) % (4 * MONITORS) // 4
    return None


class Stream:
    """A command processor that has work."""

    def __init__(self, card, row):
        self.card = card
        self.row = row
        self.unit = row['unit']
        self.engine, self.number = divmod(self.unit, 8)
        self.name = card.record.processor(self.unit)
        self.waits = card.record.waits[row['wait']] if row['busy'] else ''
        self.actions = list(self.decode())

    def decode(self):
        place, text = self.row.get('loaded', (0, ''))
        decoder = packets.Decoder(self.row['bases'], self.name, CFG_BASE + self.row['base'],
                                  {buffer['at']: bytes.fromhex(buffer['code'])
                                   for buffer in self.row['ahead']
                                   if buffer['where'] == 'scalars'}, bytes.fromhex(text))
        number = 0
        skip = 8 * self.row['values']	# of a WREG_BULK that is under way
        if self.row['busy'] and self.row['scalars']:
            yield from decoder.execute(place + skip, self.row['pc'])
            number, skip = 1, 0
        for buffer in self.row['ahead']:
            if buffer['where'] == 'scalars':
                continue
            code = bytes.fromhex(buffer['code'])[skip:]
            at = buffer['at'] + skip
            skip = 0
            for action in decoder.decode(code, at):
                yield action._replace(n=number + action.n)
            number += len(buffer['code'])	# only the order counts

    @property
    def packet(self):
        """The action where it stands; None: its code cannot be read."""
        if not self.row['busy'] or not self.actions:
            return None
        return self.actions[0]

    def fence_address(self, fence):
        return CFG_BASE + self.row['base'] + FENCE_BASE + FENCE_STEP * fence + 4 * self.number

    def key(self):
        return self.card.index, self.unit

    def position(self):
        """What differs if it has moved."""
        return tuple(self.row[key] for key in ('busy', 'wait', 'pi', 'ci', 'held', 'pc', 'left'))


class Card:
    """One card's state, beside the others of the same record."""

    def __init__(self, record, index):
        self.record = record
        self.index = index
        self.state = record.state
        self.name = f'card {index}'
        self.streams = {row['unit']: Stream(self, row) for row in self.state['queues']}
        self.engines = {row['engine']: row
                        for kind in ('dma', 'tpc', 'mme') for row in self.state[kind]}
        self.ports = {row['port']: row for row in self.state['ports']}
        self.arbiters = {row['queue']: row for row in self.state['arbiters']}
        self.monitors = [Monitor(manager, number, armed, address, data, arm & 0xff,
                                 arm >> 8 & 0xff, arm >> 16 & 1, arm >> 17)
                         for manager, part in enumerate(self.state['sync'])
                         for number, armed, address, data, arm in part['monitors']]
        # (manager, object) that armed ones look at
        self.watched = {(one.manager, 8 * one.group + bit) for one in self.monitors
                        if one.armed for bit in range(8) if not one.mask >> bit & 1}
        self.writes = collections.defaultdict(list)

    def object(self, manager, number):
        return self.state['sync'][manager]['objects'].get(str(number), 0)

    def is_idle(self):
        return not (self.streams or any(row['busy'] for row in self.engines.values())
                    or any(row['pairs'] for row in self.ports.values()))

    def collect(self):
        """Who is going to write which register, of its own monitors, queues and engines."""
        for monitor in self.monitors:
            if monitor.armed:
                self.writes[monitor.address].append(
                    Write(self, ('monitor', monitor), monitor.data, None, 0))
        for stream in self.streams.values():
            for action in stream.actions:
                if action.kind == 'write':
                    self.writes[action.first].append(
                        Write(self, stream, action.second, action.at, action.n))
        for number, row in self.engines.items():
            for address, data in row['signals']:
                if data == ADDS:
                    # It adds nothing.
                    continue
                self.writes[address].append(Write(self, ('engine', number), data, None, 0))
        for row in self.ports.values():
            for pair in row['pairs']:
                for _, _, _, own, data in pair['entries']:
                    if own:
                        self.writes[CFG_BASE + own].append(
                            Write(self, ('port', row['port']), data, None, 0))

    def collect_from_peers(self, cards):
        """What entries of other cards' ports are going to write here."""
        for row in self.ports.values():
            for peer, other in self.peers(row, cards):
                for pair in other['pairs']:
                    for _, sob, data, _, _ in pair['entries']:
                        if sob:
                            self.writes[CFG_BASE + sob].append(
                                Write(peer, ('port', other['port']), data, None, 0))

    def peers(self, row, cards):
        """The port at the other end of this one's wire, if it is in the record: of a card of
        the same process, or for a wire that leads to another one, of another."""
        if 'peer' not in row:
            return
        module, port = row['peer']
        for card in cards:
            other = card.ports.get(port)
            if card is not self and card.record.module_id == module and other and \
               (card.record.process == self.record.process) == (row['wire'] == 'card') and \
               other.get('peer') == [self.record.module_id, row['port']]:
                yield card, other

    def fence_of(self, address):
        """(queue's base, number of the fence, CP) of a register, or None: no fence's."""
        for base in (address - CFG_BASE & ~0xfff, address - CFG_BASE & ~0x1fff):
            off = address - CFG_BASE - base - FENCE_BASE
            if 0 <= off < 4 * FENCE_STEP:
                return base, off // FENCE_STEP, off % FENCE_STEP // 4
        return None


def load(records):
    """Cards of a record, or None if one has no state."""
    if any(record.state is None for record in records):
        return None
    cards = [Card(record, index) for index, record in enumerate(records)]
    for card in cards:
        card.collect()
    for card in cards:
        card.collect_from_peers(cards)
    return cards
