# SPDX-License-Identifier: MIT
"""Records of cards that run, of a process or, by QMP, of a machine."""

import os
import socket
import sys
import tempfile
import time

from . import asked, host, record
from .asked import Failed
from .threads import ranks_of, threads

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from gaudi_vm import inject  # noqa: E402

PERIPHERALS = '/machine/peripheral'
SECONDS = 30
BETWEEN = 1.2
MOST_THREADS = 4	# of a process that are told of


def own_record_of(pid):
    """Where a process has its cards' record, or None. OSError."""
    with open(f'/proc/{pid}/environ', 'rb') as file:
        for variable in file.read().split(b'\0'):
            name, _, path = variable.partition(b'=')
            if name == b'GAUDI_SIM_RECORD' and path:
                return os.path.join(f'/proc/{pid}/cwd', os.fsdecode(path))
    return None


def record_of(pid):
    """The same; else of a process that it has started, as timeout(1) does."""
    for one in asked.family(pid):
        try:
            path = own_record_of(one)
        except OSError:
            # It has ended meanwhile, or is another user's.
            continue
        if path:
            return path
    return None


def process_state(pid):
    """What is to be said of a process beside its number: which rank it is, that it does not run,
    or what its threads do."""
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as file:
            state = file.read().rpartition(')')[2].split()[0]
    except OSError:
        return ', which has ended'
    halted = {'T': ', which is stopped', 't': ', which stands in a debugger',
              'Z': ', which has ended'}.get(state)
    if halted:
        return ranks_of(pid) + halted
    found = threads(pid)
    more = f'; and {len(found) - MOST_THREADS} more' if len(found) > MOST_THREADS else ''
    return ranks_of(pid) + ''.join(f'{"; " if n else ": "}{text}'
                                   for n, text in enumerate(found[:MOST_THREADS])) + more


def load(paths, pid, tell):
    """What host.load() says of files; or the same of a process as it is now. OSError,
    BadRecord, Failed."""
    return host.load(paths) if pid is None else now(pid, record_of(pid), tell)[:2]


def from_pid(pid, tell):
    """Of the cards of a process, and of those that share its record or its box, twice: while
    something happens they write it anew in less than the time between. And what the host did,
    by the second look; each with the record's bytes. tell() is given a line for each process
    that does not answer. OSError, BadRecord, Failed."""
    path = record_of(pid)
    data = take(pid, path, tell)
    yield record.parse(data, path or f'process {pid}'), None, data
    time.sleep(BETWEEN)
    yield now(pid, path, lambda _: None)


def now(pid, path, tell):
    """(records, what the host did, the record's bytes). As above."""
    data = take(pid, path, tell)
    records = record.parse(data, path or f'process {pid}')
    return records, profile_of(records), data


def take(pid, path, tell):
    """Of what a process has written, or of what it says. As above."""
    if path is None:
        return asked.record_of(pid, tell)
    if os.stat(path).st_mtime < began(pid) - 1:
        raise Failed(f'{path} is of an earlier run: process {pid} has written none yet')
    with open(path, 'rb') as file:
        return file.read()


def profile_of(records):
    """What the processes of a record write by GAUDI_PROFILE; None: nothing that helps."""
    found = host.Host()
    try:
        for path in {profile_path(one.process) for one in records if one.process}:
            with open(path, encoding='utf-8', errors='replace') as file:
                found.read(file.read(), path)
        found.join(records)
    except (OSError, record.BadRecord):
        return None
    return found


def profile_path(pid):
    """OSError."""
    with open(f'/proc/{pid}/environ', 'rb') as file:
        for variable in file.read().split(b'\0'):
            name, _, path = variable.partition(b'=')
            if name == b'GAUDI_PROFILE_FILE' and path:
                return os.path.join(f'/proc/{pid}/cwd', os.fsdecode(path))
    return f'/proc/{pid}/cwd/gaudi-profile.{pid}.json'


def began(pid):
    """When a process did, by the clock of files, to a second. OSError."""
    with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as file:
        ticks = int(file.read().rpartition(')')[2].split()[19])
    with open('/proc/uptime', encoding='ascii') as file:
        up = float(file.read().split()[0])
    return time.time() - up + ticks / os.sysconf('SC_CLK_TCK')


def from_qmp(path, profiles):
    """Of all cards of a gaudi-vm --qmp PATH, which is to be on this host, twice. And what the
    guest's processes did, by files that they write; each with the record's bytes. OSError,
    BadRecord, Failed."""
    data = ask(path)
    yield record.parse(data, path), None, data
    data = ask(path)
    records = record.parse(data, path)
    if not profiles:
        yield records, None, data
        return
    found = host.Host()
    for name in profiles:
        with open(name, encoding='utf-8', errors='replace') as file:
            found.read(file.read(), name)
    found.join(records)
    yield records, found, data


def ask(path):
    """Of all cards now, as bytes."""
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(SECONDS)
    try:
        sock.connect(path)
        return by_qmp(inject.Qmp(sock))
    except TimeoutError as error:
        raise Failed(f'{path}: no answer; does another program use this monitor?') from error
    except (ValueError, KeyError) as error:
        raise Failed(f"{path}: not QEMU's monitor") from error
    except inject.Failed as failed:
        raise Failed(f'{path}: {failed}') from failed
    except OSError as error:
        raise Failed(f'{path}: {error.strerror or error}') from error
    finally:
        sock.close()


def by_qmp(qmp):
    cards = sorted(row['name'] for row in qmp.command('qom-list', path=PERIPHERALS)
                   if row['type'] == 'child<gaudi>')
    if not cards:
        raise Failed('the machine has no card')
    data = b''
    with tempfile.TemporaryDirectory(prefix='gaudi-why.') as folder:
        file = os.path.join(folder, 'record')
        for card in cards:
            qmp.command('qom-set', path=f'{PERIPHERALS}/{card}', property='record',
                        value=file)
            with open(file, 'rb') as written:
                data += written.read()
    return data
