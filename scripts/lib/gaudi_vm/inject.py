# SPDX-License-Identifier: MIT
"""Faults on demand in a running machine, by QMP.

A request is one line of text: "inject CARD FAULT", "status CARD", "clear CARD"
or "list CARD"; CARD is the id of a device. The answer is text and whether it
went well. Programs in the guest send such lines through a port
(scripts/gaudi-inject), which Run serves; beside the guest this file is run with
the path of a QMP socket (gaudi-vm --qmp).
"""

import json
import socket
import sys


class Failed(Exception):
    """QEMU said no; the text says why."""


class Qmp:
    """A QMP session over a connected socket."""

    def __init__(self, sock):
        # Why the machine ended, in QEMU's words, as soon as that was read.
        self.shutdown = ''
        self.file = sock.makefile('rw', encoding='utf-8')
        self.receive()
        self.command('qmp_capabilities')

    def receive(self):
        line = self.file.readline()
        if not line:
            raise Failed('QEMU has ended')
        message = json.loads(line)
        if message.get('event') == 'SHUTDOWN':
            self.shutdown = message['data']['reason']
        return message

    def command(self, name, **arguments):
        self.file.write(json.dumps({'execute': name,
                                    'arguments': arguments}) + '\n')
        self.file.flush()
        while True:
            answer = self.receive()
            if 'error' in answer:
                raise Failed(answer['error']['desc'])
            if 'return' in answer:
                return answer['return']


def request(qmp, line):
    """The answer's text; raises Failed."""
    word, _, rest = line.strip().partition(' ')
    card, _, fault = rest.partition(' ')
    if word == 'inject' and fault:
        qmp.command('qom-set', path=card, property='inject', value=fault)
        return ''
    if word == 'clear' and card:
        qmp.command('qom-set', path=card, property='clear-faults', value=True)
        return ''
    if word in ('status', 'list') and card:
        return qmp.command('qom-get', path=card, property='faults'
                           if word == 'status' else 'fault-catalogue')
    raise Failed(f'not understood: {line.strip()}')


def answer(qmp, lines):
    """Requests of programs in the guest, as long as there is one."""
    for line in lines:
        try:
            text = request(qmp, line)
            end = 'ok'
        except Failed as failed:
            text, end = '', f'error {failed}'
        lines.write(f'{text}{end}\n')
        lines.flush()


def serve(port, sock, said):
    """Answer what programs in the guest ask for, until the machine ends; said()
    gets QEMU's reason for that."""
    try:
        qmp = Qmp(sock)
        try:
            answer(qmp, port.makefile('rw', encoding='utf-8',
                                      errors='replace'))
        except (OSError, ValueError):
            pass
        while not qmp.shutdown:
            qmp.receive()
        said(qmp.shutdown)
    except (Failed, OSError, ValueError):
        pass


def by_card(specs, cards):
    """Texts of --inject to the lines for each card: [[line, ...], ...].

    Raises ValueError for a card that there is not, OSError for a file.
    """
    if specs and not cards:
        raise ValueError('there is no card')
    lines = [[] for _ in range(cards)]
    for spec in specs:
        chosen = range(cards)
        if spec.startswith('card='):
            number, colon, spec = spec[5:].partition(':')
            if not colon or not number.isdigit() or int(number) >= cards:
                raise ValueError(f'card={number}: there is no such card')
            chosen = [int(number)]
        if spec.startswith('@'):
            with open(spec[1:], encoding='utf-8') as file:
                text = file.read()
        else:
            text = spec + '\n'
        for card in chosen:
            lines[card].append(text)
    return [''.join(card) for card in lines]


def main(path, *requests):
    sock = socket.socket(socket.AF_UNIX)
    # A monitor serves one at a time, and lets others wait.
    sock.settimeout(30)
    try:
        sock.connect(path)
        qmp = Qmp(sock)
        for line in requests:
            sys.stdout.write(request(qmp, line))
    except TimeoutError:
        sys.exit(f'gaudi-inject: {path}: no answer; does another program use '
                 'this monitor?')
    except ValueError:
        sys.exit(f"gaudi-inject: {path}: not QEMU's monitor")
    except OSError as error:
        sys.exit(f'gaudi-inject: {path}: {error.strerror or error}')
    except Failed as failed:
        sys.exit(f'gaudi-inject: {failed}')


if __name__ == '__main__':
    main(*sys.argv[1:])
