# SPDX-License-Identifier: MIT
"""Records of cards that run, of a machine by QMP."""

import os
import socket
import sys
import tempfile

from . import record

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from gaudi_vm import inject  # noqa: E402

PERIPHERALS = '/machine/peripheral'
SECONDS = 30


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
