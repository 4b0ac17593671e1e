# SPDX-License-Identifier: MIT
"""Names of kernels: those of libgaudi are told by their code, of which a record has digests."""

import collections
import functools
import glob
import os
import struct
import zlib

STEP = 256		# bytes of code for each further digest
DIGITS = 8		# of a digest
BUILD = os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../../build')


def code_of(data):
    """What is in .text of a TPC's object, 32-bit ELF; or None."""
    if data[:5] != b'\x7fELF\x01':
        return None
    offset, = struct.unpack_from('<I', data, 32)
    number, names = struct.unpack_from('<HH', data, 48)
    sections = [struct.unpack_from('<10I', data, offset + 40 * n) for n in range(number)]
    strings = data[sections[names][4]:]
    for name, _, _, _, at, size, *_ in sections:
        if strings[name:].startswith(b'.text\0'):
            return data[at:at + size]
    return None


@functools.lru_cache(maxsize=None)
def library():
    """(how many digests, the last one): names of the kernels that have it. Of objects that
    the build has left; where there are none all kernels are known by address only."""
    found = collections.defaultdict(list)
    pattern = os.path.join(os.environ.get('GAUDI_BUILD') or BUILD, 'thunk/kernels/*.o')
    for path in sorted(glob.glob(pattern)):
        with open(path, 'rb') as file:
            code = code_of(file.read())
        steps = len(code) // STEP if code else 0
        if steps:
            found[steps, zlib.crc32(code[:steps * STEP])].append(
                os.path.basename(path).removesuffix('.o'))
    return dict(found)


class Kernels:
    """Of one card's record."""

    def __init__(self, record):
        self.found = {address: self.find(digests) for address, digests in record.kernels.items()}
        # The digests are of the record's moment.
        self.written = collections.defaultdict(float)
        known = [address for address, name in self.found.items() if name]
        for event in record.events() if known else ():
            if event.kind == 'dma':
                for address in known:
                    if event.addr <= address < event.addr + event.size:
                        self.written[address] = event.ns

    @staticmethod
    def find(digests):
        steps = len(digests) // DIGITS
        for count in range(steps, 0, -1):
            names = library().get((count, int(digests[(count - 1) * DIGITS:count * DIGITS], 16)))
            if names:
                return ' or '.join(names)
        return ''

    def name(self, address, ns):
        """Of the kernel that ran at an address until then: its name if that is known."""
        name = self.found.get(address)
        return name if name and ns >= self.written[address] else ''
