# SPDX-License-Identifier: GPL-2.0-only
"""What trainings wrote: results in JSON, and pictures of the loss."""

import json
import os
import struct
import zlib


# How far the mean losses of an epoch may be from a reference's, the first epoch's and
# later ones': the sign of a ReLU's input that is nearly 0, or a number between two of
# bf16, is not the same everywhere, which grows.
BOUNDS = {'f32': (1e-4, 1e-2), 'bf16': (2e-2, 5e-2)}


def near(kind, losses, reference):
    """How far apart they are."""
    assert len(losses) == len(reference)
    apart = [abs(a - b) for a, b in zip(losses, reference)]
    first, later = BOUNDS[kind]
    assert apart[0] <= first, apart
    assert max(apart) <= later, apart
    return max(apart)


def load(folder, name):
    with open(os.path.join(folder, name + '.json'), encoding='utf-8') as file:
        return json.load(file)


def chunks(data):
    """Kind and body, if the checksums are right."""
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at, found = 8, {}
    while at < len(data):
        size, = struct.unpack_from('>I', data, at)
        body = data[at + 4:at + 8 + size]
        assert struct.unpack_from('>I', data, at + 8 + size)[0] == \
            zlib.crc32(body)
        found[body[:4]] = found.get(body[:4], b'') + body[4:]
        at += size + 12
    return found


def paeth(left, up, corner):
    near = {abs(up - corner): left}
    for one, distance in ((up, abs(left - corner)),
                          (corner, abs(left + up - 2 * corner))):
        if distance < min(near):
            near = {distance: one}
    return min(near.values())


def pixels(path):
    """Rows of a grey picture of 8 bits."""
    with open(path, 'rb') as file:
        found = chunks(file.read())
    width, height, depth, kind = struct.unpack_from('>IIBB', found[b'IHDR'])
    assert (depth, kind) == (8, 0)
    data = zlib.decompress(found[b'IDAT'])
    assert len(data) == (width + 1) * height
    rows, above = [], bytes(width)
    for number in range(height):
        line = data[number * (width + 1):(number + 1) * (width + 1)]
        row = bytearray()
        for i, value in enumerate(line[1:]):
            left, up = row[i - 1] if i else 0, above[i]
            corner = above[i - 1] if i else 0
            row.append((value + (0, left, up, (left + up) // 2,
                                 paeth(left, up, corner))[line[0]]) & 255)
        rows.append(bytes(row))
        above = bytes(row)
    return rows
