# SPDX-License-Identifier: MIT
"""Why engines, ports and the card as a whole do not go on; see why.py."""

from . import state, work
from .past import INTERRUPTS, MESSAGE
from .reason import Reason, root
from .record import several_processes

BOOT = {0: 'nothing', 3: 'running', 4: 'in the boot loader', 5: 'in preboot',
        7: 'in the boot monitor', 9: 'an image that is damaged', 15: 'ready to boot',
        16: 'waiting for an image', 18: 'shutting down'}
RUNNING = 3
# Bits of a DMA core's ERR_CAUSE.
CAUSES = ('HBW_RD, a read has failed', 'HBW_WR, a write has failed',
          'LBW_WR, a write of a register has failed', 'DESC_OVF, more copies than it takes')
# A kernel that has executed so many instruction words is said to have run for long.
LONG = 1 << 20
# A host that runs has taken a completion by then.
UNTAKEN_NS = 1_000_000_000


def engine(explainer, card, number):
    """Why an engine has not finished."""
    row = card.engines.get(number)
    name = card.record.engines[number]
    who = explainer.who(card, name)
    if row is None or not row['busy']:
        return Reason(f'{who} has finished', 'moves')
    if row.get('failed'):
        return root(failed(who, row))
    if row.get('held'):
        return root(f'{who} does not end its copy: a fault on demand holds it')
    if row.get('off'):
        return root(f'{who} is not enabled: CFG_0')
    if row.get('halted'):
        return root(f'{who} is halted: CFG_1')
    if row.get('stalled'):
        return root(f'{who} is stalled by its register')
    if name.startswith('TPC'):
        return kernel(who, row, explainer.past(card), explainer.job(card, number))
    if name.startswith('DMA'):
        source, to, size, done = row['jobs'][0]
        return Reason(f'{who} copies from {source:#x} to {to:#x}: {done} of {size} bytes',
                          'moves')
    return Reason(f'{who} computes{explainer.job(card, number)}', 'moves')


def failed(who, row):
    """Of a DMA core."""
    text = f'{who} has stopped at an error, ERR_CAUSE {row["errors"]:#x}'
    causes = [cause for bit, cause in enumerate(CAUSES) if row['errors'] >> bit & 1]
    if causes:
        text += f' ({"; ".join(causes)})'
    for source, to, _, _ in row['jobs'][:1]:
        text += f', copying from {source:#x} to {to:#x}'
    return text


def kernel(who, row, past, of_recipe):
    name = past.kernels.name(row['kernel'], past.end)
    text = (f'{who} runs the kernel {name + " " if name else ""}at {row["kernel"]:#x}'
            f'{of_recipe}: it is '
            f'at {row["pc"]:#x} and has executed {row["words"]} instruction words')
    if row['words'] < LONG:
        return Reason(text, 'moves')
    return root(text + ', which may be a loop without an end')


def port(explainer, card, number):
    """Why a port's entries are not acknowledged."""
    row = card.ports[number]
    who = explainer.who(card, f'port {number}')
    broken = link(explainer, card, who, row)
    if broken:
        return broken
    for pair in row['pairs']:
        if pair['error']:
            return root(f'{who}: queue pair {pair["qp"]} is in error, and sends nothing')
    pair = row['pairs'][0] if row['pairs'] else None
    if pair and pair['sent'] != pair['ci']:
        return root(f'{who}: queue pair {pair["qp"]} has sent up to entry {pair["sent"]} '
                        f'and got acknowledgements up to {pair["ci"]}: the peer does not '
                        'answer' + away(explainer, card, row))
    return Reason(f'{who} goes on', 'moves')


def link(explainer, card, who, row):
    """A root if it is down, else None."""
    if row['up']:
        return None
    if row['broken']:
        return root(f'the link of {who} is down: its wire is broken')
    if row['wire'] == 'none':
        return root(f'the link of {who} is down: nothing is plugged in')
    if not row['plugged']:
        return root(f'the link of {who} is down: its wire is pulled')
    if not row['on']:
        return root(f'the link of {who} is down: the port is off, it has no tables')
    if not row['peer_on']:
        return root(f'the link of {who} is down: the other end is off' +
                    other_end(explainer, card, row))
    return root(f'the link of {who} is down')


def away(explainer, card, row):
    """Of a peer whose process has not told of its card: who has not, or ''."""
    is_told = row['wire'] != 'process' or any(card.peers(row, explainer.cards))
    return '' if is_told else explainer.silent


def other_end(explainer, card, row):
    """Whose the end is that is off, in words."""
    if 'peer' not in row:
        return ''
    module, port = row['peer']
    text = f', port {port} of module {module}'
    if row['wire'] == 'process' and not any(card.peers(row, explainer.cards)):
        text += ', which no process has open: who had has ended, or has not begun'
    return text


def wrote(other, offset):
    """Whether a port is who writes the peer's register there, by what its queue pairs last wrote:
    2: it alone, as it has set it; 1: it has added to it, or nobody knows; 0: each of its queue
    pairs has written another one."""
    pairs = other.get('wrote') or [[0, 0]]	# records of old do not say
    if [offset, True] in [[sob, not data & state.ADDS] for sob, data in pairs]:
        return 2
    return int(any(sob in (0, offset) for sob, _ in pairs))


def candidates(explainer, card, address):
    """Ports by which a peer may write there: (row, peers, whether they have written elsewhere, and
    others may have been meant)."""
    # Without a queue pair nothing comes in. Records of old do not say.
    rows = [row for row in card.ports.values()
            if (row['on'] or row['broken']) and row.get('paired', 1)]
    found = []
    for row in rows:
        peers = list(card.peers(row, explainer.cards))
        found.append((row, peers, max([wrote(other, address - state.CFG_BASE)
                                       for _, other in peers], default=1)))
    best = max([by for *_, by in found], default=0)
    # Who sets it is no other one's to wait for.
    return [(row, peers, by < min(best, 1)) for row, peers, by in found if best < 2 or by == 2]


def senders(explainer, card, address, lacks, path):
    """Whose ports might still write here: down links, and peers that have not sent. lacks: what
    is said of the value."""
    found, waiting, elsewhere = [], [], []
    for row, peers, is_elsewhere in candidates(explainer, card, address):
        who = explainer.who(card, f'port {row["port"]}')
        if is_elsewhere:
            elsewhere += [Reason(explainer.who(peer, f'port {other["port"]}') + ', the peer at '
                                 f'{who}, has written other objects') for peer, other in peers]
            continue
        down = link(explainer, card, who, row)
        if down:
            found.append(down)
            continue
        for peer, other in peers:
            reasons = sender(explainer, who, peer, other, path)
            waits = not other['pairs'] and any(map(explainer.is_stuck, peer.streams.values()))
            (waiting if waits and reasons[0].kind == 'root' else found).extend(reasons)
        found += unseen(explainer, card, row, peers)
    if any(end.kind in ('root', 'cycle') for reason in found for end in reason.ends()):
        # Who waits itself may have sent; why it waits is said where its streams are.
        waiting = [Reason(reason.text + '; that card waits itself') for reason in waiting]
    found += waiting + elsewhere
    what = state.sync_place(address)
    return [Reason(f'no queue of this card is going to write object {what[2]}; by ports '
                   f'a peer may{lacks}', '', found)] if found else []


def unseen(explainer, card, row, peers):
    """A peer that is not in the record."""
    who = explainer.who(card, f'port {row["port"]}')
    if row['wire'] in ('process', 'card') and not peers:
        yield root(f'the peer at {who} has not sent; it is not in this record' + (
            away(explainer, card, row) or (
                ': its process has written none yet, was stopped before, or keeps another'
                if row['wire'] == 'process' else '')))
    if row['wire'] == 'network':
        yield root(f'the network at {who} has not sent')


def sender(explainer, who, peer, other, path):
    """The port at the other end has nothing for us: why."""
    name = explainer.who(peer, f'port {other["port"]}')
    found = []
    for pair in other['pairs']:
        if pair['error']:
            found.append(root(f'{name}: queue pair {pair["qp"]} is in error, and sends '
                                  'nothing'))
    queue = f'NIC{other["port"]} '
    for stream in peer.streams.values():
        if stream.name.startswith(queue) and explainer.is_stuck(stream):
            found.append(Reason(f'{name} has not sent; {explainer.who(peer, stream.name)} '
                                    'feeds it', '', [explainer.stream(stream, path)]))
    process = peer.record.process
    of = f'; its process is {process}' + explainer.state_of(process) if several_processes(
        [card.record for card in explainer.cards]) else ''
    return found or [root(f'{name}, the peer at {who}, has nothing to send: no work is left '
                          f'that has been given to it{of}')]


def is_seen(card, unit):
    """Whether the host has given back the entry of a queue's last completion: it has seen that,
    without an interrupt."""
    return any(wrote != now for told, _, wrote, now in card.state.get('told', ())
               if told == unit)


# Of what a fault on demand took of the firmware's: what it means.
OF_FIRMWARE = {
    'event-lost': 'an event of the embedded CPU of {who}{ago}; at the next one the driver '
                  'finds the gap, and handles no more',
    'fw-never': 'the answer of the embedded CPU of {who} to command {at:#x}{ago}; the driver '
                'gives commands up then',
}


def lost_messages(explainer, card):
    """What faults on demand took of what was for the host: who waits for it waits for ever."""
    who = explainer.who(card, 'the card')
    past = explainer.past(card)
    told = set()
    for one in reversed(past.struck):
        ago = f', {past.ago(one.ns)}'
        text = OF_FIRMWARE.get(one.fault, '')
        by = explainer.who(card, one.who)
        if one.fault == MESSAGE and work.place(one.at) == 'host':
            text = 'what {by} has written to the host at {at:#x}{ago}: who waits for that ' \
                'completion does not know that the work has ended'
        elif one.fault == MESSAGE and card.record.registers.get(one.at - state.CFG_BASE) == \
                INTERRUPTS:
            text = 'what {by} has asked for an interrupt with{ago}: who waits for that work may ' \
                'not know that it has ended'
        # Of several of a kind the last one is told.
        if text and text not in told:
            told.add(text)
            yield root(f'the fault on demand {one.fault} took '
                       + text.format(who=who, by=by, at=one.at, ago=ago))


def untaken(explainer, card):
    """Completions of which the host was told, by an interrupt, and which it has not taken."""
    past = explainer.past(card)
    for unit, address, wrote, now in card.state.get('told', ()):
        ns, number = past.raised.get(unit, (None, None))
        if wrote != now or ns is None or card.record.ns - ns < UNTAKEN_NS:
            continue
        name = explainer.who(card, card.record.processor(unit))
        yield root(f'{name} has told the host at {address:#x} that its work has ended, and '
                   f'interrupt {number} was raised {(card.record.ns - ns) / 1e6:.0f} ms ago, '
                   'but the host has not taken it: it gets no interrupts, or does not run')


def card_reasons(explainer, card):
    """What holds all of it."""
    who = explainer.who(card, 'the card')
    firmware = card.state['firmware']
    if card.state['reset_pending']:
        yield root(f'{who} is about to be reset')
    elif card.state['paused'] and not any(
            explainer.is_stuck(stream) for stream in card.streams.values()):
        yield root(f'{who} stands still: its host is paused')
    if card.is_idle() and explainer.past(card).asked and \
       not is_seen(card, explainer.past(card).asked[2]):
        sent, number, _ = explainer.past(card).asked
        yield root(f'{explainer.who(card, sent.who)} has asked for interrupt {number}, '
                   f'{explainer.past(card).ago(sent.ns)}, and none has been raised: whoever '
                   'waits for that work may not know that it has ended' +
                   ('; the fault on demand msi-lost took it' if any(
                       one.fault == 'msi-lost' for one in explainer.past(card).struck) else ''))
    yield from lost_messages(explainer, card)
    if card.is_idle():
        yield from untaken(explainer, card)
    status = BOOT.get(firmware['boot'], f'status {firmware["boot"]}')
    if firmware['dead']:
        left = firmware['commands']
        yield root(f'the embedded CPU of {who} has stopped; its boot status says: {status}'
                       + (f'; {left} commands of the driver are not answered' if left else ''))
    elif firmware['commands']:
        yield root(f'the embedded CPU of {who} has not answered {firmware["commands"]} '
                       f'commands of the driver; its boot status says: {status}')


def others(explainer, card):
    """Engines and ports that no stream waits for, and that do not end."""
    found = []
    for number, row in card.engines.items():
        reason = engine(explainer, card, number)
        if row['busy'] and reason.kind == 'root':
            found.append(Reason(
                f'{explainer.who(card, card.record.engines[number])} does not finish', '',
                [reason]))
    for number, row in card.ports.items():
        if not row['pairs']:
            continue
        reason = port(explainer, card, number)
        if reason.kind == 'root':
            found.append(Reason(
                f'{explainer.who(card, f"port {number}")} has entries that are not '
                'acknowledged', '', [reason]))
    return found
