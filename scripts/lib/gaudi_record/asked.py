# SPDX-License-Identifier: MIT
"""Asks processes that have cards of gaudi-sim for a record, over the socket of each
(sim/watch/asked.h), whose name has the process's number and its box."""

import errno
import json
import os
import socket
import struct

from .threads import ranks_of

NAME = 'open-gaudi-sim/'
SECONDS = 20
CREDENTIALS = struct.Struct('3i')	# pid, uid, gid


class Failed(Exception):
    """There is nobody to ask, or the answer is no."""


def listening():
    """{pid: (name, box)} of all processes that can be asked. OSError."""
    found = {}
    with open('/proc/net/unix', encoding='utf-8', errors='replace') as file:
        for line in file:
            name = line.split()[-1]
            pid, _, box = name.removeprefix('@' + NAME).partition('/')
            if name.startswith('@' + NAME) and pid.isdecimal():
                found[int(pid)] = name[1:], box
    return found


def family(pid):
    """A process and all that it has started, as timeout(1) and mpirun(1) do, as far as
    they are to be seen."""
    found = [pid]
    for parent in found:
        try:
            for thread in os.listdir(f'/proc/{parent}/task'):
                with open(f'/proc/{parent}/task/{thread}/children', encoding='ascii') as file:
                    found += map(int, file.read().split())
        except OSError:
            # It has ended meanwhile, or is another user's.
            continue
    return found


def owner(pid):
    """Failed."""
    try:
        return os.stat(f'/proc/{pid}').st_uid
    except OSError as error:
        raise Failed(f'there is no process {pid}') from error


def is_stopped(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as file:
            return file.read().rpartition(')')[2].split()[0] in 'Tt'
    except OSError:
        return False


def receive(sock, pid):
    """Failed, OSError."""
    with sock.makefile('rb') as file:
        line = file.readline()
        if not line:
            raise Failed(f'process {pid} has ended meanwhile, or does not answer this user')
        try:
            header = json.loads(line)
            error, size = header['error'], header['bytes']
        except (ValueError, KeyError, TypeError) as error:
            raise Failed(f'process {pid} answers what is no record') from error
        if error:
            raise Failed(f'process {pid} has no record to give: {os.strerror(error)}')
        data = file.read(size)
    if len(data) != size:
        raise Failed(f'process {pid} has ended meanwhile')
    return data


def ask(pid, name):
    """A record of the cards that it has opened, as bytes. Failed."""
    if is_stopped(pid):
        rank = ranks_of(pid)
        raise Failed(f'process {pid}{rank and rank + ","} is stopped, or stands in a debugger, '
                     'and cannot answer')
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(SECONDS)
        try:
            sock.connect('\0' + name)
            who, user, _ = CREDENTIALS.unpack(sock.getsockopt(
                socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))
            if os.geteuid() not in (0, user):
                raise Failed(f"process {pid} is another user's")
            if who != pid:
                raise Failed(f'it is not process {pid} that answers for it')
            return receive(sock, pid)
        except TimeoutError as error:
            raise Failed(f'process {pid} does not answer') from error
        except OSError as error:
            if error.errno in (errno.ECONNREFUSED, errno.ECONNRESET, errno.EPIPE):
                raise Failed(f'process {pid} has ended meanwhile') from error
            raise Failed(f'process {pid}: {error.strerror or error}') from error


def record_of(pid, tell):
    """Of the cards of a process, of those that it has started, and of all in a box with one of
    them, as bytes. tell() is given a line for each that does not answer, if others do.
    Failed, OSError."""
    user = owner(pid)
    names = listening()
    found = [one for one in family(pid) if one in names]
    if not found:
        raise Failed(f"process {pid} is another user's" if os.geteuid() not in (0, user) else
                     f'process {pid} has no card of gaudi-sim or GAUDI_SIM open, and has '
                     'started none that has')
    boxes = {names[one][1] for one in found} - {''}
    found += [one for one in sorted(names) if names[one][1] in boxes and one not in found
              and is_of(one, user)]
    data, failures = b'', []
    for one in found:
        try:
            data += ask(one, names[one][0])
        except Failed as failed:
            failures.append(failed)
    if not data:
        raise failures[0] if failures else Failed(f'process {pid} has closed its cards')
    for failed in failures:
        tell(str(failed))
    return data


def is_of(pid, user):
    try:
        return owner(pid) == user
    except Failed:
        return False
