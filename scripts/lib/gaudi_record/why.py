# SPDX-License-Identifier: MIT
"""Why streams do not move: what each waits for, who was to bring that about, and what
that one waits for, to the root.

An answer is a tree of Reasons. One without children is a root, or an end that needs
none: something that is under way.
"""

from . import engines, state, work
from .past import MESSAGE, Past
from .reason import Reason, root
from .work import place

MOVES = ('', 'a WAIT packet', 'room for messages')
ERRORS = ('PQF_RD_ERR', 'CQF_RD_ERR', 'CP_RD_ERR', 'CP_UNDEF_CMD_ERR', 'CP_STOP_OP',
          'CP_MSG_WR_ERR', 'CP_WREG_ERR', '', 'CP_FENCE0_OVF_ERR', 'CP_FENCE1_OVF_ERR',
          'CP_FENCE2_OVF_ERR', 'CP_FENCE3_OVF_ERR', 'CP_FENCE0_UDF_ERR',
          'CP_FENCE1_UDF_ERR', 'CP_FENCE2_UDF_ERR', 'CP_FENCE3_UDF_ERR')
STOP_OP = 1 << 4
UNITS = ((4, 'command processor'), (2, 'fetcher of command buffers'),
         (1, 'fetcher of its ring'))
MOST_HINTS = 2
FENCES = 4
RAISES = 0xf		# of what is written to a fence
NEAR = 16		# so far away an object may be meant that was written instead


def names(errors):
    return ', '.join(name for bit, name in enumerate(ERRORS) if errors >> bit & 1 and name)


def amount(value):
    """What a write does to an object."""
    number = value & 0x7fff
    if value & state.ADDS:
        return f'adds {number} to it'
    return f'sets it to {number}'


def once_each(writes):
    """Of a stream's writes of the same value the first one, as all wait for the stream: (write,
    what is to be said of the others)."""
    found = {}
    for write in writes:
        key = (write.by, write.value) if isinstance(write.by, state.Stream) else id(write)
        found.setdefault(key, []).append(write)
    return [(same[0], f' {len(same)} times' if len(same) > 1 else '') for same in found.values()]


def unknown(_process):
    """Of a process that is not looked at."""
    return ''


class Explainer:
    """moved: keys of streams that two looks showed at different places. state_of: of a
    process's number, what is to be said of it. owners: whose jobs engines do. silent: what
    was said of processes that have not told of their cards."""

    def __init__(self, cards, moved=(), state_of=unknown, owners=None, silent=()):
        self.cards = cards
        self.silent = ''.join(f'; {text}' for text in silent)
        self.owners = owners
        self.works = {}		# of cards by index
        self.moved = set(moved)
        self.state_of = state_of
        self.pasts = {}
        self.answers = {}	# of streams, by key: many may wait for one

    def past(self, card):
        if card.index not in self.pasts:
            self.pasts[card.index] = Past(card)
        return self.pasts[card.index]

    def work(self, card):
        if card.index not in self.works:
            self.works[card.index] = work.Work(card.record)
        return self.works[card.index]

    def is_told(self):
        """Has the host told of what it launches?"""
        return bool(self.owners and self.owners.launches)

    def recipe(self, name, ns):
        """Of what was launched then, "of RECIPE (FILE)" behind a comma."""
        file = self.owners.file_of(ns, name)
        # Graphs have numbers.
        kind = '' if name.startswith('graph ') else 'recipe '
        return f', of {kind}{name}' + (f' ({file})' if file else '')

    def job(self, card, number):
        """What an engine is at, as " of RECIPE (FILE): what it does there", or ''."""
        if not self.is_told():
            return ''
        done = self.work(card)
        jobs = [job for job in done.jobs if job.engine == number and job.open]
        recipe, node = self.owners.known(done, jobs[-1]) if jobs else ('', '')
        if not recipe:
            return ''
        return self.recipe(recipe, done.doorbell_of(jobs[-1])) + (f': {node}' if node else '')

    def before(self, stream):
        """What a stream stands before, as " of RECIPE (FILE), before: what is next there,"; or
        ''."""
        if not self.is_told():
            return ''
        recipe, node, ns = self.owners.ahead(self.work(stream.card), stream.unit,
                                             stream.row['pc'])
        if not recipe:
            return ''
        return self.recipe(recipe, ns) + (f', before: {node},' if node else ',')

    def who(self, card, name):
        return f'{card.name} {name}' if len(self.cards) > 1 else name

    # --- streams ---

    def is_stuck(self, stream):
        if stream.key() in self.moved:
            return False
        if self.halt_of(stream):
            return True
        return stream.row['busy'] and stream.waits not in MOVES

    def halt_of(self, stream):
        """Why none of its units goes on, whatever it would do; or ''."""
        row = stream.row
        if row['failed']:
            if row['errors'] & STOP_OP:
                return f'has stopped at a STOP packet at {row["pc"]:#x}'
            return (f'is stopped by an error, {names(row["errors"])}, packet '
                    f'{row["packet"]:#x} at {row["pc"]:#x}')
        if self.waits_for_fence(stream):
            return ''
        needed = 4 if row['busy'] else 2 if row['held'] else 1
        if not (row['busy'] or row['held'] or row['pi'] != row['ci']):
            return ''
        unit = dict(UNITS)[needed]
        if row['stopped'] & needed:
            return f'is stopped by software: GLBL_CFG1 stops its {unit}'
        if row['off'] & needed:
            return f'is not enabled: GLBL_CFG0 leaves its {unit} out'
        return ''

    def waits_for_fence(self, stream):
        if not stream.row['busy'] or stream.waits != 'a fence':
            return False
        fence, target = self.fence_packet(stream)
        return stream.row['fences'][fence] < target

    @staticmethod
    def fence_packet(stream):
        word = stream.row['packet'] & 0xffffffff
        return word >> 30, word >> 16 & 0xff

    def stream(self, stream, path=()):
        """Why it stands where it is."""
        who = self.who(stream.card, stream.name)
        if stream.key() in path:
            return self.cycle(path, stream.key())
        if stream.key() not in self.answers:
            self.answers[stream.key()] = self.reason_of(stream, who,
                                                        path + (stream.key(),))
        return self.answers[stream.key()]

    def cycle(self, path, key):
        """Of streams, or where none takes part, of monitors."""
        ring = path[path.index(key):]
        names = [self.who(self.cards[card], self.cards[card].record.processor(unit))
                 for card, unit in ring if isinstance(unit, int)] or \
            [self.who(self.cards[card], self.monitor_name(monitor)) for card, monitor in ring]
        return Reason('a cycle: ' + ' waits for '.join(names + names[:1]), 'cycle')

    def reason_of(self, stream, who, path):
        halt = self.halt_of(stream)
        if halt:
            return Reason(f'{who} does not move', '', [root(f'{who} {halt}')])
        if not stream.row['busy'] or stream.waits in MOVES or stream.key() in self.moved:
            why = f', held by {stream.waits}' if stream.waits else ''
            return Reason(f'{who} goes on{why}', 'moves')
        if stream.waits == 'a fence':
            return self.fence(stream, who, path)
        find = {'the engine': self.behind_engine, 'the lower CP': self.behind_lower,
                'room in a CQ': self.behind_queue, 'the arbiter': self.behind_arbiter}
        children = find[stream.waits](stream, path)
        return Reason(f'{who} waits for {stream.waits} at {stream.row["pc"]:#x}', '',
                      children or [Reason(f'{who} goes on in a moment', 'moves')])

    # --- fences and monitors ---

    def fence(self, stream, who, path):
        fence, target = self.fence_packet(stream)
        have = stream.row['fences'][fence]
        text = (f'{who} waits at {stream.row["pc"]:#x}{self.before(stream)} for its fence '
                f'{fence}, which is {have} and has to be {target}')
        if have >= target:
            return Reason(text, '', [Reason('the fence is there: it goes on in a moment',
                                            'moves')])
        return Reason(text, '', self.raisers(stream, fence, path))

    def raisers(self, stream, fence, path):
        """Who raises a fence of a stream, or was to."""
        card = stream.card
        address = stream.fence_address(fence)
        found = [self.writer(write, 'raises it', path) for write in card.writes[address]
                 if write.value & RAISES]
        if stream.row['timer']:
            found.append(Reason('the time of a WAIT packet raises it', 'moves'))
        if found:
            return found
        lost = self.past(card).lost_raise(address, stream.unit, fence)
        taken = self.past(card).lost_increment(address, stream.unit, fence)
        if lost:
            return [root(f'monitor {lost[1]} of {state.manager_name(lost[0])} has fired, but '
                         f'its write to the fence has not arrived' +
                         (f': {self.by_fault(card, taken)}' if taken else ''))]
        if taken:
            return [root('it would have been raised, but ' + self.by_fault(card, taken))]
        return self.unarmed(stream, address, path)

    def unarmed(self, stream, address, path):
        card = stream.card
        found = []
        for monitor in card.monitors:
            if monitor.address != address:
                continue
            name = self.monitor_name(monitor)
            if not monitor.data & RAISES:
                found.append(root(f'{name} {"is to write" if monitor.armed else "writes"} '
                                  f'{monitor.data:#x} to it, which raises it by 0'))
                continue
            arms = card.writes[state.arm_address(monitor.manager, monitor.number)]
            if arms:
                found += [self.writer(write, f'arms {name}, which raises it', path)
                          for write in arms]
                continue
            taken = self.past(card).lost_message(state.arm_address(monitor.manager,
                                                                   monitor.number))
            if taken:
                found.append(root(f'{name} would raise it but is not armed: '
                                  + self.by_fault(card, taken)))
                continue
            when = ('has fired before' if address in self.past(card).fired
                    else 'was never armed, as far as the record goes')
            found.append(root(f'{name} would raise it but is not armed ({when}), and nobody '
                              'is going to arm it'))
        for (low, writes) in list(card.writes.items()):
            place = state.sync_place(low)
            if place and place[1] == 'monitor':
                found += [self.writer(write, f'sets up monitor {place[2]} of '
                                      f'{state.manager_name(place[0])} for it', path)
                          for write in writes if write.value == address & 0xffffffff]
        return found or [root('; '.join([
            'no monitor and no packet is going to raise this fence: nothing in the card knows '
            'of it'] + self.too_few(stream) + self.turned_away(card, address) +
            self.other_fences(stream) + self.taken(card)) + self.hidden(card))]

    def by_fault(self, card, taken):
        """Of a write that a fault on demand took, in words."""
        what = 'it' if taken.fault != MESSAGE else \
            f'what {self.who(card, taken.who)} has written to {self.register(card, taken.at)}'
        return f'the fault on demand {taken.fault} took {what}, {self.past(card).ago(taken.ns)}'

    def taken(self, card):
        """Writes to registers that are lost: what somebody waits for may be because of one."""
        past = self.past(card)
        lost = [one for one in past.struck if one.fault == MESSAGE and place(one.at) ==
                'registers' and past.lost_message(one.at & ~3) is one]
        return [self.by_fault(card, one) for one in lost[-MOST_HINTS:]]

    def turned_away(self, card, address):
        """Monitors that were to raise it, and have been set up for something else."""
        before = self.past(card).pointed[address & 0xffffffff]
        return [f'{self.monitor_name(monitor)} was to write it, and has been set up since to '
                f'write {self.register(card, monitor.address)}'
                for monitor in card.monitors
                if (monitor.manager, monitor.number) in before and monitor.address != address]

    def register(self, card, address):
        """What is there, in words."""
        place = state.sync_place(address)
        if place:
            return f'{place[1]} {place[2]} of {state.manager_name(place[0])}'
        for other in card.streams.values():
            for fence in range(FENCES):
                if other.fence_address(fence) == address:
                    return f'fence {fence} of {self.who(card, other.name)}'
        return f'{address:#x}'

    def too_few(self, stream):
        """It has been raised, but not as often as is waited for."""
        fence, target = self.fence_packet(stream)
        have = stream.row['fences'][fence]
        when = self.past(stream.card).fences.get((stream.unit, fence))
        if not have:
            return []
        ago = '' if when is None else f', last {self.past(stream.card).ago(when)}'
        return [f'it has been raised to {have}{ago}, and lacks {target - have}: a signal is '
                'missing, or the value is wrong']

    def other_fences(self, stream):
        """Which may have been raised instead: nobody waits for them."""
        card = stream.card
        found = [f'fence {fence} of {self.who(card, card.record.processor(unit))} is {count}, '
                 'and nothing waits for it'
                 for (unit, fence), count in sorted(self.past(card).counts.items())
                 if count and not self.is_waited_for(card, unit, fence)]
        for monitor in card.monitors:
            place = card.fence_of(monitor.address) if monitor.armed else None
            engine = next((other.engine for other in card.streams.values()
                           if place and other.row['base'] == place[0]), None)
            if engine is None or self.is_waited_for(card, engine * 8 + place[2], place[1]):
                continue
            name = card.record.processor(engine * 8 + place[2])
            found.append(f'{self.monitor_name(monitor)} is armed to raise fence {place[1]} of '
                         f'{self.who(card, name)}, and nothing waits for it')
        return found[:MOST_HINTS]

    def is_waited_for(self, card, unit, fence):
        other = card.streams.get(unit)
        return bool(other and other.row['busy'] and other.waits == 'a fence'
                    and self.fence_packet(other)[0] == fence)

    @staticmethod
    def monitor_name(monitor):
        return f'monitor {monitor.number} of {state.manager_name(monitor.manager)}'

    def monitor(self, card, monitor, does, path):
        if (card.index, monitor) in path:
            return self.cycle(path, (card.index, monitor))
        path += ((card.index, monitor),)
        children = []
        texts = []
        for bit in range(8):
            if monitor.mask >> bit & 1:
                continue
            number = 8 * monitor.group + bit
            have = card.object(monitor.manager, number)
            wants = 'exactly ' if monitor.equal else 'at least '
            texts.append(f'object {number} to be {wants}{monitor.value}, and it is {have}')
            if have != monitor.value if monitor.equal else have < monitor.value:
                children += self.object(card, monitor, number, have, path)
        text = f'{self.monitor_name(monitor)} {does}; it waits for ' + '; '.join(texts)
        return Reason(text, '', children or [Reason('it fires in a moment', 'moves')])

    def object(self, card, monitor, number, have, path):
        """Who is going to write an object that a monitor waits for."""
        writes = card.writes[state.object_address(monitor.manager, number)]
        want = monitor.value
        sets = [write for write in writes if not write.value & state.ADDS]
        adds = [write for write in writes if write.value & state.ADDS]
        # By 0, a queue's writes are pushed ahead, and nothing is added.
        adds = [write for write in adds if write.value & 0x7fff] or adds
        writes = [write for write in writes if write in sets or write in adds]
        # Who prepares the object for its next use is no one to wait for, nor is who clears it.
        if want and (have <= want or not monitor.equal):
            sets = [write for write in sets if write.value & 0x7fff]
            writes = sets + adds
        enough = [write for write in sets if (write.value & 0x7fff) == want or
                  not monitor.equal and (write.value & 0x7fff) > want]
        if enough or have < want <= have + sum(write.value & 0x7fff for write in adds):
            sets = enough
            writes = enough + adds
        if monitor.equal and have > want and not sets:
            return [root(f'object {number} is {have}, past {want}, and additions do not bring '
                         'it back: the monitor wants exactly that value')]
        if not writes:
            return self.nobody(card, monitor, number, have, path)
        found = [self.writer(write, amount(write.value) + also, path)
                 for write, also in once_each(writes)]
        reach = have + sum(write.value & 0x7fff for write in writes)
        if not sets and reach < want:
            found.append(root(f'all that is still to come makes object {number} {reach}, and '
                              f'{want} is waited for: {want - reach} signals are missing, or '
                              'the value is wrong' + self.hidden(card)))
        elif sets and not adds and \
                max(write.value & 0x7fff for write in writes) < want:
            value = max(write.value & 0x7fff for write in writes)
            found.append(root(f'object {number} is going to be {value}, and {want} is waited '
                              'for: the value is wrong'))
        return found

    def nobody(self, card, monitor, number, have, path):
        """No queue, engine or port has a write to this object before it."""
        manager = monitor.manager
        address = state.object_address(manager, number)
        what = f'object {number} of {state.manager_name(manager)}'
        past = self.past(card)
        lost = past.lost_signal(address)
        if lost:
            taken = past.lost_message(address)
            return [root(f'{lost.who} has completed a copy whose completion was to write '
                         f'{what}, and that write has not arrived' +
                         (f': {self.by_fault(card, taken)}' if taken else ''))]
        lacks = (f'; it lacks {monitor.value - have}: a signal is missing, or the value is '
                 'wrong') if 0 < have < monitor.value else ''
        found = engines.senders(self, card, address, lacks, path)
        if found:
            return found
        taken = past.lost_message(address)
        if taken:
            return [root(f'{what} would have been written, but {self.by_fault(card, taken)}'
                         + lacks)]
        text = f'nobody is going to write {what}; ' + self.last_write(past, manager, number)
        return [root(text + lacks + ''.join('; ' + hint for hint in self.hints(
            card, manager, number)) + self.hidden(card))]

    def hidden(self, card):
        """Who may still write anything: a record has no more than so much of a stream."""
        found = [f'{stream.row["hidden"]} bytes of the command buffers of '
                 f'{self.who(card, stream.name)}' for stream in card.streams.values()
                 if stream.row.get('hidden')]
        return f'; but the record lacks {", ".join(found)}' if found else ''

    @staticmethod
    def last_write(past, manager, number):
        when = past.objects.get((manager, number))
        if not when:
            return 'it has not been written, as far as the record goes'
        ago = past.ago(when)
        if past.values[manager, number]:
            return f'it was last written {ago}'
        # So does the driver with all of them, before a program begins.
        return f'it was set to 0 {ago}, and not written since'

    def hints(self, card, manager, number):
        """What may have gone elsewhere."""
        near = sorted((abs(int(other) - number), int(other), value) for other, value in
                      card.state['sync'][manager]['objects'].items()
                      if (manager, int(other)) not in card.watched)
        for distance, other, value in near[:1]:
            if 0 < distance <= NEAR:
                yield f'object {other} is {value}, and no monitor looks at it'
        for other, part in enumerate(card.state['sync']):
            value = part['objects'].get(str(number))
            if other != manager and value and (other, number) not in card.watched:
                yield (f'object {number} of {state.manager_name(other)} is {value}, and no '
                       'monitor looks at it')
        yield from self.taken(card)
        for stream in card.streams.values():
            if stream.row['errors'] and not stream.row['failed']:
                yield (f'{self.who(card, stream.name)} has met {names(stream.row["errors"])} '
                       'and dropped the rest of its command buffer')

    # --- who writes ---

    def writer(self, write, does, path):
        if isinstance(write.by, state.Stream):
            who = self.who(write.card, write.by.name)
            reason = self.stream(write.by, path)
            behind = 'where it stands' if not write.n else 'behind where it stands'
            first = ' first' if does.endswith(' times') else ''
            return Reason(f'{who} {does},{first} by a packet at {write.at:#x} {behind}', '',
                          [reason])
        kind, number = write.by
        if kind == 'monitor':
            return self.monitor(write.card, number, does, path)
        if kind == 'engine':
            return Reason(f'{self.who(write.card, write.card.record.engines[number])} {does} '
                          'when it has finished', '', [engines.engine(self, write.card, number)])
        return Reason(f'{self.who(write.card, f"port {number}")} {does} when its entry is '
                      'sent', '', [engines.port(self, write.card, number)])

    # --- other waits ---

    def behind_engine(self, stream, path):
        card = stream.card
        found = []
        lower = card.streams.get(stream.engine * 8 + 4)
        if stream.number < 4 and lower:
            found.append(self.stream(lower, path))
        if stream.engine in card.engines and card.engines[stream.engine]['busy']:
            found.append(engines.engine(self, card, stream.engine))
        return found

    def behind_lower(self, stream, path):
        lower = stream.card.streams.get(stream.engine * 8 + 4)
        return [self.stream(lower, path)] if lower else []

    def behind_queue(self, stream, path):
        """A packet writes CQ_CTL of a command processor whose queue is full."""
        packet = stream.packet
        if packet is None or packet.kind != 'write':
            return self.behind_lower(stream, path)
        for other in stream.card.streams.values():
            if packet.first == (state.CFG_BASE + other.row['base'] + state.CQ_CTL_BASE +
                                state.CQ_STEP * other.number):
                return [self.stream(other, path)]
        return []

    def behind_arbiter(self, stream, path):
        card = stream.card
        who = self.who(card, f'the arbiter of {card.record.engines[stream.engine]}')
        arbiter = card.arbiters.get(stream.engine)
        if not arbiter:
            return []
        if arbiter['stop']:
            return [root(f'{who} is stopped by an error, {arbiter["errors"]:#x}')]
        if arbiter['owner'] >= 0:
            owner = card.streams.get(stream.engine * 8 + arbiter['owner'])
            if not owner:
                return [root(f'{who} has granted stream {arbiter["owner"]}, which has nothing '
                             'to do and has not given the grant back')]
            return [Reason(f'{who} has granted {owner.name}, which has not given it back', '',
                           [self.stream(owner, path)])]
        empty = [str(slave) for slave, credits in arbiter['credits'] if not credits]
        if empty:
            return [root(f'{who} has no credit left for slave {", ".join(empty)}')]
        if arbiter['masked'] >> stream.number & 1:
            return [root(f'{who} leaves {stream.name} out: ARB_CFG_0.MASK')]
        if not arbiter['master']:
            return [self.unchosen(arbiter, who, stream)]
        return []

    @staticmethod
    def unchosen(arbiter, who, stream):
        if not arbiter['choices']:
            return root(f'{who} is a slave, and its master has chosen no stream')
        first = arbiter['choices'][0]
        if first == stream.number:
            return Reason('it is granted in a moment', 'moves')
        return root(f'{who} is a slave whose master has chosen stream {first}, which has not '
                    'asked')

    # --- the whole ---

    def all(self):
        """For each card: (card, reasons)."""
        for card in self.cards:
            reasons = list(engines.card_reasons(self, card))
            reasons += [self.stream(stream) for stream in card.streams.values()
                        if self.is_stuck(stream)]
            reasons += engines.others(self, card)
            yield card, reasons
