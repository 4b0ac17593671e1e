#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Saves a running machine into itself and goes back to that moment, again and again.

go_back.py SOCKET DISK TIMES: by QMP at SOCKET, with a new disk image at DISK. What cannot
be saved just now is tried again. Prints how often each was done.
"""
import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                '../../../scripts/lib'))

from gaudi_vm import inject  # noqa: E402

SECONDS = 60
# Between a snapshot and going back to it: what was done then is undone.
ONWARDS = 0.15


def job(qmp, command, **arguments):
    """Until it is over; what is wrong, or ''."""
    qmp.command(command, **{'job-id': 'job'}, **arguments)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for one in qmp.command('query-jobs'):
            if one['status'] == 'concluded':
                qmp.command('job-dismiss', id='job')
                return one.get('error', '')
        time.sleep(0.01)
    raise inject.Failed(f'{command}: no end')


def make_disk(qmp, path):
    """The node "disk", which has room for snapshots."""
    for wrong in (
            job(qmp, 'blockdev-create', options={
                'driver': 'file', 'filename': path, 'size': 0}),
            qmp.command('blockdev-add', **{
                'driver': 'file', 'node-name': 'file', 'filename': path}),
            job(qmp, 'blockdev-create', options={
                'driver': 'qcow2', 'file': 'file', 'size': 1 << 20}),
            qmp.command('blockdev-add', **{
                'driver': 'qcow2', 'node-name': 'disk', 'file': 'file'})):
        if wrong:
            raise inject.Failed(f'no disk: {wrong}')


def main(path, disk, times):
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(path)
    qmp = inject.Qmp(sock)
    make_disk(qmp, disk)
    refused = 0
    for n in range(int(times)):
        node = {'tag': f'at{n}', 'vmstate': 'disk', 'devices': ['disk']}
        wrong = job(qmp, 'snapshot-save', **node)
        while wrong:
            refused += 1
            if refused > 50:
                raise inject.Failed(f'it can never be saved: {wrong}')
            time.sleep(0.02)
            wrong = job(qmp, 'snapshot-save', **node)
        time.sleep(ONWARDS)
        wrong = job(qmp, 'snapshot-load', **node)
        if wrong:
            raise inject.Failed(f'it does not go back: {wrong}')
        time.sleep(ONWARDS / 2)
    print(f'{times} times, refused {refused} times')


try:
    main(*sys.argv[1:])
except (inject.Failed, OSError) as error:
    sys.exit(f'go_back: {error}')
