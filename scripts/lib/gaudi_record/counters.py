# SPDX-License-Identifier: MIT
"""What a card's work amounts to at each moment: bytes a second, and power."""

from . import work

# Engines whose work counts for power, as in firmware-stub/sensors.c: an MME of the record
# is a pair of them.
LOAD = {'DMA': 1, 'TPC': 1, 'MME': 2}
LOAD_ENGINES = 20


def steps(parts):
    """parts: (begin, end, how much meanwhile). (ns, sum) at each moment at which it changes."""
    changes = {}
    for begin, end, much in parts:
        if begin < end:
            changes[begin] = changes.get(begin, 0) + much
            changes[end] = changes.get(end, 0) - much
    total = 0
    for ns, change in sorted(changes.items()):
        total += change
        # Sums of fractions that are as good as nothing are nothing.
        yield ns, total if abs(total) > 1e-6 else 0


def rates(done):
    """(name, [(begin, end, MB/s)]) of what DMA cores move, by where from and where to. Of what
    was begun before the record nobody knows how long it took."""
    found = {}
    for job in done.jobs:
        if job.to is None or not job.bytes or job.begin >= job.end or job.kind == work.EITHER:
            continue
        to = work.place(job.to)
        name = f'fill {to}' if job.kind == 'fill' else f'{work.place(job.source)} to {to}'
        found.setdefault(name, []).append(
            (job.begin, job.end, job.bytes * 1000 / (job.end - job.begin)))
    return sorted(found.items())


def power(record, done):
    """[(begin, end, W)] of what each job adds, and what an idle card draws; None: the record
    does not say."""
    mw = (record.state or {}).get('firmware', {}).get('power_mw')
    if not mw:
        return None
    idle, full = mw
    each = max(full - idle, 0) / LOAD_ENGINES / 1000
    return [(job.begin, job.end, each * LOAD[record.engines[job.engine][:3]])
            for job in done.jobs], idle / 1000
