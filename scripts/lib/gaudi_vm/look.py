# SPDX-License-Identifier: MIT
"""What a machine is doing that does not go on, for its log.

QEMU says what its CPUs and their timers do, and the guest's kernel, asked by the
keyboard it has for that, writes what its CPUs run, which tasks are blocked, and
which timers it waits for.
"""

import re
import time

from . import inject

# l: what each CPU runs; w: blocked tasks; q: timers.
SYSRQ_KEYS = 'lwq'
# How the kernel begins to answer the last one.
LAST_ANSWER = 'sysrq: Show clockevent devices'
# QEMU holds a key for 0.1 s.
KEY_SECONDS = 0.3
# Where a CPU is and whether it sleeps; its timer, and interrupts that wait.
TELLING = re.compile('RIP=|LVTT|Timer|ISR|IRR')


def look(sock, cpus):
    """What QEMU says over the monitor at sock, as lines; the guest is asked to
    write its own to its log."""
    sock.settimeout(10)
    lines = []
    try:
        qmp = inject.Qmp(sock)
        for cpu in range(cpus):
            for what in ('registers', f'lapic {cpu}'):
                text = qmp.command('human-monitor-command', **{
                    'command-line': f'info {what}', 'cpu-index': cpu})
                lines += [f'CPU {cpu}: {line}' for line in text.splitlines()
                          if TELLING.match(line)]
        for key in SYSRQ_KEYS:
            qmp.command('send-key', keys=[
                {'type': 'qcode', 'data': name}
                for name in ('alt', 'sysrq', key)])
            time.sleep(KEY_SECONDS)
    except (inject.Failed, OSError, ValueError) as error:
        lines.append(f'it does not say what it does: {error}')
    return lines
