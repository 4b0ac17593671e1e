#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Migrates a machine into another QEMU while its cards write to each other.

migrate.py SOCKET FOLDER HOW: gaudi-vm's machine with QMP at SOCKET, by a socket or a file in
FOLDER as HOW says ("unix", "file"). It is stopped at a moment at which a port has sent what its
peer has not acknowledged, and goes on in the other QEMU, whose guest writes to FOLDER/out, until
there are two lines "round" in it: a round that began there has ended there. Prints what was under
way.
"""

import os
import re
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                '../../../scripts/lib'))

from gaudi_record import live, record  # noqa: E402
from gaudi_vm import inject, snapshot  # noqa: E402

SECONDS = 240


def until(what, found):
    """What found() says as soon as it says something."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        is_so = found()
        if is_so:
            return is_so
        time.sleep(0.01)
    raise inject.Failed(f'in {SECONDS} s there was never {what}')


def connect(path):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(path)
    return sock


def qemu_of(sock):
    """The machine's process, which listens at the socket, and its command line."""
    pid, _, _ = struct.unpack('3i', sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    with open(f'/proc/{pid}/cmdline', 'rb') as line:
        return pid, [os.fsdecode(word) for word in line.read().split(b'\0')[:-1]]


def arguments(qemu, words, folder):
    """The same machine, with files in place of what only the first QEMU has."""
    image = os.path.join(folder, 'initrd')
    number = re.search(r'/fd/(\d+)$', words[words.index('-initrd') + 1])[1]
    with open(f'/proc/{qemu}/fd/{number}', 'rb') as file, open(image, 'wb') as copy:
        copy.write(file.read())
    words[words.index('-initrd') + 1] = image
    for place, word in enumerate(words):
        channel = re.match(r'socket,id=(\w+),fd=', word)
        if channel:
            path = os.path.join(folder, channel[1])
            words[place] = f'file,id={channel[1]},path={path}' \
                if channel[1] in ('log', 'out', 'err') \
                else f'socket,id={channel[1]},path={path},server=on,wait=off'
        words[place] = re.sub('(fidelity-report|record-prefix)=[^,]*',
                              rf'\1={folder}/card-', words[place])
    return words


def under_way(qmp):
    """Entries of ports that are sent and not acknowledged, of each card."""
    return [sum(len(pair['entries']) for port in card.state['ports'] for pair in port['pairs'])
            for card in record.parse(live.by_qmp(qmp), 'the machine')]


def stop_amid(qmp):
    """Stopped while something is under way."""
    qmp.command('stop')
    entries = under_way(qmp)
    if any(entries):
        return entries
    qmp.command('cont')
    return None


def out(qmp, uri):
    """Whether it could be saved just now."""
    qmp.command('migrate', uri=uri)
    try:
        snapshot.wait(qmp)
    except snapshot.Failed as failed:
        print(f'again: {failed}')
        qmp.command('cont')
        return False
    return True


def run_on(other, folder, entries):
    """The machine is in the other QEMU."""
    qmp = inject.Qmp(connect(os.path.join(folder, 'monitor')))
    snapshot.wait(qmp)
    now = under_way(qmp)
    if now != entries:
        raise inject.Failed(f'{entries} entries were under way, {now} are')
    qmp.command('cont')

    def whole_round():
        if other.poll() is not None:
            raise inject.Failed('the other QEMU has ended')
        with open(os.path.join(folder, 'out'), encoding='utf-8') as file:
            return file.read().count('round\n') >= 2
    until('a whole round', whole_round)


def main(path, folder, how):
    sock = connect(path)
    qmp = inject.Qmp(sock)
    words = arguments(*qemu_of(sock), folder)
    uri = f'{how}:' + os.path.join(folder, 'state')
    qmp.command('migrate-set-parameters', **{'max-bandwidth': 1 << 40})
    other = None
    try:
        while True:
            entries = until('anything under way between the cards', lambda: stop_amid(qmp))
            if how == 'unix':
                other = subprocess.Popen(words + ['-incoming', uri])
                until('a socket of the other QEMU', lambda: os.path.exists(uri[5:]))
            if out(qmp, uri):
                break
            if other:
                other.kill()
                other.wait()
                os.unlink(uri[5:])
        if how == 'file':
            other = subprocess.Popen(words + ['-incoming', uri])
        until('a monitor of the other QEMU',
              lambda: os.path.exists(os.path.join(folder, 'monitor')))
        run_on(other, folder, entries)
        print(f'entries under way: {entries}')
    finally:
        if other:
            other.kill()
            other.wait()


try:
    main(*sys.argv[1:])
except (inject.Failed, snapshot.Failed, OSError) as error:
    sys.exit(f'migrate: {error}')
