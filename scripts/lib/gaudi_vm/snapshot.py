# SPDX-License-Identifier: MIT
"""Guests that go on from a snapshot: a folder with the state of a machine whose cards are
probed, and what the machine was.

The guest is saved before it mounts anything of the host's: QEMU does not save a 9p share
that is mounted. What it is to run, it is told afterwards, through its control port.
"""

import json
import os
import time

from . import inject, initrd

SECONDS = 120
# So many folders may be writable: the devices of a machine are those it was saved with.
SHARES = 4
STATE = 'state'
MACHINE = 'machine.json'
# What a machine is. It cannot be changed when it goes on.
FIXED = ('driver', 'kernel', 'cards', 'board', 'ports', 'cabling', 'cpus', 'memory',
         'no_helper', 'module_param', 'device_prop', 'kernel_arg', 'qemu_arg')
# What a snapshot does not go with.
NOT_WITH = (('ram', '--ram'), ('nic', '--nic'), ('fabric', '--fabric'), ('gdb', '--gdb'))


class Failed(Exception):
    """It could not be saved, or does not go on: why."""


def check(options, ap, given):
    """Options of --save and --from; given: names of those that are not as by default."""
    if not (options.save or options.start_from):
        return
    for name, flag in NOT_WITH:
        if getattr(options, name):
            ap.error(f'{flag}: not with --save or --from')
    if options.accel != 'tcg':
        ap.error('--accel: snapshots are of emulated guests')
    if options.save and (options.start_from or options.command or options.shell):
        ap.error('--save: makes a snapshot, and runs nothing')
    if options.save and options.inject:
        ap.error('--inject: no card is saved while a fault is armed; use it with --from')
    if options.start_from:
        for name in sorted(given & set(FIXED)):
            ap.error(f'--{name.replace("_", "-")}: is as it was with --save')
        try:
            with open(os.path.join(options.start_from, MACHINE),
                      encoding='utf-8') as file:
                saved = json.load(file)
            for name in FIXED:
                setattr(options, name, saved[name])
        except (OSError, ValueError, KeyError) as error:
            ap.error(f'--from {options.start_from}: no snapshot: {error!r}')


def machine_of(options):
    return {name: getattr(options, name) for name in FIXED}


def wait(qmp):
    """Until the migration is over."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        now = qmp.command('query-migrate')
        if now.get('status') == 'completed':
            return
        if now.get('status') in ('failed', 'cancelled'):
            raise Failed(now.get('error-desc') or 'QEMU does not say why')
        time.sleep(0.01)
    raise Failed(f'no end after {SECONDS} s')


def migrate(sock, command, path):
    """One of QEMU's two commands, with memory as it lies there, holes included."""
    sock.settimeout(SECONDS)
    try:
        qmp = inject.Qmp(sock)
        qmp.command('migrate-set-capabilities', capabilities=[
            {'capability': 'mapped-ram', 'state': True}])
        qmp.command('migrate-set-parameters', **{'max-bandwidth': 1 << 40})
        qmp.command(command, uri='file:' + os.path.abspath(path))
        wait(qmp)
    except (inject.Failed, OSError, ValueError) as error:
        raise Failed(str(error)) from None


def prepare(folder):
    """A new folder, or one with an older snapshot."""
    if os.path.isdir(folder) and os.listdir(folder) and \
       not os.path.exists(os.path.join(folder, MACHINE)):
        raise initrd.Missing(f'--save {folder}: there is something else in it')
    os.makedirs(folder, exist_ok=True)


def save(sock, options):
    """The machine as it is; the folder has the older snapshot, or the whole new one."""
    folder = options.save
    part = os.path.join(folder, STATE + '.part')
    try:
        migrate(sock, 'migrate', part)
    except Failed:
        if os.path.exists(part):
            os.unlink(part)
        raise
    with open(os.path.join(folder, MACHINE), 'w', encoding='utf-8') as file:
        json.dump(machine_of(options), file, indent=1)
        file.write('\n')
    os.replace(part, os.path.join(folder, STATE))


def load(sock, options):
    migrate(sock, 'migrate-incoming', os.path.join(options.start_from, STATE))


def message(config, argv, env):
    """What a guest that goes on is told to do."""
    now = time.time_ns()
    config = [line for line in config
              if not line.startswith(('early=', 'load=', 'snapshot='))]
    config += [f'time={now // 10**9}.{now % 10**9:09}', 'random=' + os.urandom(32).hex()]
    parts = [initrd.strings(part) for part in
             (config, argv, (f'{k}={v}' for k, v in env.items()))]
    return b'run %d %d %d\n' % tuple(map(len, parts)) + b''.join(parts)
