# SPDX-License-Identifier: MIT
"""What the parts of the bench share: rows, medians, dialogues with guests.

A row is what run-bench reads from a part, one JSON object per line:
name, ours, peer (or null), unit, goal, and less (true for times and sizes,
where less is better; default false). The ratio is worked out by run-bench.
"""

import ctypes
import json
import mmap
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.dirname(os.path.realpath(__file__)))))
BUILD = os.environ.get('GAUDI_BUILD', os.path.join(ROOT, 'build'))
CACHE = os.path.join(os.environ.get('XDG_CACHE_HOME') or
                     os.path.expanduser('~/.cache'), 'open-gaudi')
GUEST_BENCH = os.path.join(BUILD, 'bench/guest_bench')
# "Not slower", with room for what a busy machine does to a median: copies compete for the
# memory's bandwidth, too.
NOT_SLOWER_BULK = 0.8

median = statistics.median


def digits():
    """The file of digits to learn; without it the part ends."""
    path = os.path.join(CACHE, 'digits/digits.csv.gz')
    if not os.path.exists(path):
        sys.exit(f'{os.path.basename(sys.argv[0])}: no digits; '
                 '"scripts/setup digits" fetches them')
    return path


def row(name, ours, peer, unit, goal, less=False):
    """Print a row: against a peer, or (peer None) against a limit, goal."""
    print(json.dumps({'name': name, 'ours': ours, 'peer': peer, 'unit': unit,
                      'goal': goal, 'less': less}), flush=True)


def note(text):
    """Tell the user how far we are."""
    print(f'bench: {text}', file=sys.stderr, flush=True)


class HostCopy:
    """memcpy() by one thread of this machine, for comparison."""

    AREA = 64 << 20

    def __init__(self):
        self.memcpy = ctypes.CDLL(None).memcpy
        self.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p,
                                ctypes.c_size_t]
        self.memcpy.restype = ctypes.c_void_p
        private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.areas = [mmap.mmap(-1, self.AREA, flags=private)
                      for _ in range(2)]
        self.at = [ctypes.addressof(ctypes.c_char.from_buffer(area))
                   for area in self.areas]
        for at in self.at:
            ctypes.memset(at, 0x5a, self.AREA)

    def measure(self, block=1 << 20, repeat=4):
        """GB/s over repeat times 64 MiB, as the legs move."""
        start = time.monotonic()
        for _ in range(repeat):
            for off in range(0, self.AREA, block):
                self.memcpy(self.at[1] + off, self.at[0] + off, block)
        return repeat * self.AREA / (time.monotonic() - start) / 1e9


class Guest:
    """A guest that runs one command and speaks with us line by line.

    Use it in a with statement. .vm is QEMU's process ID.
    """

    def __init__(self, options, command):
        self.process = subprocess.Popen(
            [os.path.join(ROOT, 'scripts/gaudi-vm'), *options, '--', *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=BUILD)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()

    def lines(self):
        """What the guest prints; ends with it."""
        for line in self.process.stdout:
            yield line.rstrip('\n')

    def line(self):
        """The next line; RuntimeError if there is none."""
        for line in self.lines():
            return line
        raise RuntimeError('the guest ended early')

    def go(self, text=''):
        """Answer the guest."""
        self.process.stdin.write(text + '\n')
        self.process.stdin.flush()

    def end(self):
        """Let the command end; its status."""
        self.process.stdin.close()
        return self.process.wait()

    @property
    def vm(self):
        children = f'/proc/{self.process.pid}/task'
        for task in os.listdir(children):
            with open(f'{children}/{task}/children', encoding='ascii') as file:
                for pid in file.read().split():
                    return int(pid)
        raise RuntimeError('no QEMU')


def cpu_seconds(pid):
    """CPU time that a process has used."""
    with open(f'/proc/{pid}/stat', encoding='ascii') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def resident_mib(pid):
    """Memory of a process that is resident, in MiB."""
    with open(f'/proc/{pid}/status', encoding='ascii') as file:
        for line in file:
            if line.startswith('VmRSS:'):
                return int(line.split()[1]) / 1024
    raise RuntimeError(f'process {pid} has ended')
