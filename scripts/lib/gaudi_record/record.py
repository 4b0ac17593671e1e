# SPDX-License-Identifier: MIT
"""Reads records: for each card a line of JSON and then its events, of 32 bytes.

The numbers of kinds, packets, engines and registers get their names from that line.
"""

import collections
import contextlib
import io
import json
import os
import struct
import traceback

VERSION = 1
EVENT = struct.Struct('<QQQIHH')
HOST = b'{"gaudi-host":'
KEYS = ('module_id', 'events', 'lost', 'clock', 'kinds', 'packets', 'waits',
        'engines', 'actors', 'registers')

# ns: of the host's clock. kind: its name.
Event = collections.namedtuple('Event', 'ns kind unit addr value size')


class BadRecord(Exception):
    """Not a record, or not all of one."""


@contextlib.contextmanager
def looked_at(what):
    """Around all that is done with a record: what cannot be worked out of it, since it is not as
    the card writes one, is a BadRecord, which says where."""
    try:
        yield
    except UnicodeEncodeError:
        # Of the terminal.
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        raise BadRecord(f'{what} is damaged: {type(error).__name__}, {error}, in '
                        f'{os.path.basename(at.filename)}:{at.lineno}') from error


class Record:
    """One card's."""

    def __init__(self, header, data):
        self.module_id = header['module_id']
        # Whose card it is; 0: an old record, which does not say.
        self.process = header.get('process', 0)
        self.lost = header['lost']
        self.num_events = header['events']
        self.kinds = header['kinds']
        self.packets = header['packets']
        self.waits = header['waits']
        self.engines = header['engines']
        # Records of old have no events of faults.
        self.faults = header.get('faults', [])
        self.actors = numbered(header['actors'])
        self.registers = {int(off): name
                          for off, name in header['registers'].items()}
        (self.ticks0, self.ns0), (ticks, ns) = header['clock']
        self.ns = ns		# of the record's moment
        self.scale = (ns - self.ns0) / max(ticks - self.ticks0, 1)
        # Of the moment of the record; None: an old record has none.
        self.state = header.get('state')
        # By address of a kernel that ran: digests of its code.
        self.kernels = {int(at): text for at, text in header.get('kernels', {}).items()}
        self.data = data
        # Of a model of time, by which what was done first need not be earlier.
        self.timing = header.get('timing', False)

    def when(self, ticks):
        return self.ns0 + (ticks - self.ticks0) * self.scale

    def events(self):
        rows = EVENT.iter_unpack(self.data)
        if self.timing:
            rows = sorted(rows, key=lambda row: row[0])
        for ticks, addr, value, size, unit, kind in rows:
            if kind >= len(self.kinds):
                raise BadRecord(f'there is an event of kind {kind}')
            yield Event(self.when(ticks), self.kinds[kind], unit, addr, value,
                        size)

    def packet(self, word):
        """Its name, by the opcode in its first 8 bytes."""
        return self.packets[word >> 32 + 24 & 0x1f]

    def register(self, off):
        return self.registers.get(off, f'{off:#x}')

    def fault(self, event):
        """The name of the fault on demand that has struck, by its event."""
        if event.unit >= len(self.faults):
            raise BadRecord(f'there is an event of fault {event.unit}')
        return self.faults[event.unit]

    def processor(self, unit):
        """'DMA0 stream 2', or 'DMA0 lower' for the CP behind the streams."""
        engine, cp = divmod(unit, 8)
        if engine >= len(self.engines):
            raise BadRecord(f'there is an event of queue {engine}')
        return self.engines[engine] + (f' stream {cp}' if cp < 4 else ' lower')


def numbered(names):
    """Actors of one name are its first, second, ...; a lone one has no number."""
    count = collections.Counter(names)
    seen = collections.Counter()
    result = []
    for name in names:
        result.append(f'{name}{seen[name]}' if count[name] > 1 else name)
        seen[name] += 1
    return result


def header_of(line, path):
    try:
        header = json.loads(line)
        version = header['gaudi-record']
    except (ValueError, KeyError, TypeError) as error:
        raise BadRecord(f'{path} is no record') from error
    if version != VERSION:
        raise BadRecord(f'{path} has version {version}, not {VERSION}')
    missing = [key for key in KEYS if key not in header]
    if missing:
        raise BadRecord(f'{path}: the header has no {missing[0]}')
    return header


def read(path):
    """All cards' of a file. OSError, BadRecord."""
    return read_all(path)[0]


def read_all(path):
    """All cards' of a file, and what gaudi-prof has put behind them of the host's, as text
    of the form that host.py reads. OSError, BadRecord."""
    with open(path, 'rb') as file:
        return read_from(file, path)


def parse(data, what):
    """All cards' of bytes. BadRecord."""
    return read_from(io.BytesIO(data), what)[0]


def read_from(file, path):
    """What read_all() says, of an open file."""
    records, texts = [], []
    for line in iter(file.readline, b''):
        if line.startswith(HOST):
            texts.append(file.read(json.loads(line)['bytes']).decode(errors='replace'))
            continue
        header = header_of(line, path)
        size = header['events'] * EVENT.size
        data = file.read(size)
        if len(data) != size:
            raise BadRecord(f'{path} ends within card {len(records)}')
        records.append(Record(header, data))
    if not records:
        raise BadRecord(f'{path} is empty')
    if several_processes(records):
        # As each writes its own anew the order differs from time to time.
        records.sort(key=lambda one: (one.module_id, one.process))
    return records, texts


def add_host(path, text):
    """Puts bytes that GAUDI_PROFILE wrote behind the cards of a record. OSError."""
    with open(path, 'ab') as file:
        file.write(HOST + b' 1, "bytes": %d}\n' % len(text) + text)


def several_processes(records):
    return len({one.process for one in records}) > 1
