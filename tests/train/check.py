# SPDX-License-Identifier: GPL-2.0-only
"""What came of the trainings of the suite "train"; argument: their folder."""

import json
import os
import struct
import sys
import zlib

# Of the mean loss of the first epoch, and of later ones: the sign of a ReLU's input
# that is nearly 0 is not the same everywhere, which grows.
FIRST, LATER = 1e-4, 2e-3


def png(path):
    """Width and height, if all chunks and the rows are right."""
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at, chunks = 8, {}
    while at < len(data):
        size, = struct.unpack_from('>I', data, at)
        body = data[at + 4:at + 8 + size]
        assert struct.unpack_from('>I', data, at + 8 + size)[0] == \
            zlib.crc32(body)
        chunks[body[:4]] = body[4:]
        at += size + 12
    width, height = struct.unpack_from('>II', chunks[b'IHDR'])
    rows = zlib.decompress(chunks[b'IDAT'])
    assert len(rows) == (width + 1) * height
    # A line, no more.
    assert width // 2 < rows.count(0) - height < width * 4, rows.count(0)
    return width, height


def main():
    folder = sys.argv[1]
    runs = []
    for name in ('1', '1b', '2'):
        with open(os.path.join(folder, name + '.json'),
                  encoding='utf-8') as file:
            runs.append(json.load(file))
        assert png(os.path.join(folder, name + '.png')) == (600, 300)
    first, again, other = runs
    for run in runs:
        print(run)
        assert run['accuracy'] >= 0.96, run['accuracy']
        assert run['apart'][0] <= FIRST, run['apart']
        assert max(run['apart']) <= LATER, run['apart']
        assert run['losses'][-1] < run['losses'][0] / 10
    assert first == again, 'other bits with the same seed'
    assert first['crc'] != other['crc'], 'the seed counts for nothing'


main()
