# SPDX-License-Identifier: MIT
"""Records of cards that run, of a machine by QMP."""

import os
import socket
import sys
import tempfile
import time

from . import record

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from gaudi_vm import inject  # noqa: E402

PERIPHERALS = '/machine/peripheral'
SECONDS = 30
BETWEEN = 1.2


class Failed(Exception):
    """There is nobody to ask, or the answer is no."""


def read_bytes(data, what):
    with tempfile.NamedTemporaryFile(prefix='gaudi-why.') as file:
        file.write(data)
        file.flush()
        try:
            return record.read(file.name)
        except record.BadRecord as error:
            raise Failed(f'{what}: {error}') from error


def own_record_of(pid):
    """Where a process has its cards' record, or None. OSError."""
    with open(f'/proc/{pid}/environ', 'rb') as file:
        for variable in file.read().split(b'\0'):
            name, _, path = variable.partition(b'=')
            if name == b'GAUDI_SIM_RECORD' and path:
                return os.path.join(f'/proc/{pid}/cwd', os.fsdecode(path))
    return None


def record_of(pid):
    """The same; else of a process that it has started, as timeout(1) does. OSError, Failed."""
    path = own_record_of(pid)
    left = [pid]
    while path is None and left:
        parent = left.pop(0)
        try:
            for thread in os.listdir(f'/proc/{parent}/task'):
                with open(f'/proc/{parent}/task/{thread}/children', encoding='ascii') as file:
                    left += file.read().split()
            path = own_record_of(parent)
        except OSError:
            # It has ended meanwhile, or is another user's.
            continue
    if path is None:
        raise Failed(f'process {pid} keeps no record of its cards; gaudi-sim --record FILE, '
                     'or GAUDI_SIM_RECORD, make it')
    return path


def process_state(pid):
    """What is to be said of a process that does not run; else ''."""
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as file:
            state = file.read().rpartition(')')[2].split()[0]
    except OSError:
        return ', which has ended'
    return {'T': ', which is stopped', 't': ', which stands in a debugger',
            'Z': ', which has ended'}.get(state, '')


def from_pid(pid):
    """Of the cards of a process, and of those that share its record, twice: while something
    happens they write it anew in less than the time between."""
    path = record_of(pid)
    yield record.read(path)
    time.sleep(BETWEEN)
    yield record.read(path)


def from_qmp(path):
    """Of all cards of a gaudi-vm --qmp PATH, which is to be on this host."""
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
    return read_bytes(data, 'the machine')
