# SPDX-License-Identifier: MIT
"""Events of the kernel's tracepoints, of gaudi.ko, habanalabs or any other: what trace-cmd
record(1) has written, which trace-cmd itself reads, or the text of trace-cmd report(1) or of
the kernel's own file."""

import collections
import re
import subprocess

from .record import BadRecord

# Of either form, how a file begins.
RECORDED = b'\x17\x08Dtracing'
REPORTS = (b'cpus=', b'trace', b'# tra', b'versi')
LONGEST = max(map(len, (RECORDED,) + REPORTS))
# CLOCK_MONOTONIC, as it is called there; with it times are those of a profile.
CLOCK = 'mono'
CHOSEN = re.compile(r'\[([^]]+)\]')

# As trace-cmd reports them, and the kernel's own file, which has flags before the time.
POINT = re.compile(r'\s*(.+-\d+)\s+\[\d+\]\s+(?:[^\s:]+\s+)?(\d+)\.(\d+):\s+(\w+):\s*(.*)')

# task: name and number of the thread.
Point = collections.namedtuple('Point', 'ns task name text')


def is_of(begin):
    """Whether a file with that beginning has points."""
    return begin.startswith((RECORDED,) + REPORTS)


def read(path, begin):
    """Of a file with that beginning. OSError, BadRecord."""
    if begin.startswith(RECORDED):
        return parse(recorded(path))
    with open(path, encoding='utf-8', errors='replace') as file:
        return parse(file.read())


def parse(text):
    """Lines that are no events are headers."""
    found = []
    for match in filter(None, map(POINT.match, text.split('\n'))):
        task, seconds, part, name, what = match.groups()
        ns = int(seconds) * 10 ** 9 + int(part.ljust(9, '0')[:9])
        found.append(Point(ns, task, name, what))
    return found


def recorded(path):
    """The text of what trace-cmd has recorded, to the nanosecond. BadRecord."""
    # All that the kernel has, and that one in brackets; some versions say that one alone.
    clocks = trace_cmd(path, 'dump', '--clock').strip()
    chosen = CHOSEN.search(clocks)
    clock = chosen[1] if chosen else clocks
    if clock != CLOCK:
        raise BadRecord(f"{path}: its clock is '{clock or 'not known'}'; what is to join a record "
                        f'is recorded with trace-cmd record -C {CLOCK}')
    return trace_cmd(path, 'report', '-t')


def trace_cmd(path, *words):
    try:
        done = subprocess.run(['trace-cmd', *words, '-i', path], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except FileNotFoundError as error:
        raise BadRecord(f'{path}: to read it takes trace-cmd (Debian: trace-cmd)') from error
    if done.returncode:
        lines = done.stderr.decode(errors='replace').strip().split('\n')
        raise BadRecord(f'{path}: trace-cmd says: {lines[-1].strip()}')
    return done.stdout.decode(errors='replace')
