# SPDX-License-Identifier: GPL-2.0-only
"""What came of the trainings of the suite "train"; arguments: their folder, and the
digits. What NumPy comes to is found here."""

import json
import os
import struct
import sys
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'examples', 'train'))

import learn  # noqa: E402
from cnn import Convolutional  # noqa: E402
from mlp import Perceptron  # noqa: E402

NETWORKS = {'mlp': Perceptron(), 'cnn': Convolutional()}
# Of the mean loss of the first epoch, and of later ones: the sign of a ReLU's input
# that is nearly 0, or a number between two of bf16, is not the same everywhere, which
# grows.
BOUNDS = {'f32': (1e-4, 5e-3), 'bf16': (2e-2, 5e-2)}
# Enough of the held-out fifth, and how much less it may be with bf16.
RIGHT, LESS = 0.96, 0.01


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


def load(folder, name):
    with open(os.path.join(folder, name + '.json'), encoding='utf-8') as file:
        return json.load(file)


def check(run, name, kind, digits):
    """Against NumPy's."""
    network, epochs = NETWORKS[name], len(run['losses'])
    want, accuracy, _ = learn.reference(
        network, learn.Digits(digits, network, 1), epochs, 1, kind == 'bf16')
    apart = [abs(a - b) for a, b in zip(run['losses'], want)]
    print(f'{name} {kind}: {run}\nNumPy: {accuracy}, {want}\napart: {apart}')
    first, later = BOUNDS[kind]
    assert apart[0] <= first, apart
    assert max(apart) <= later, apart
    assert run['losses'][-1] < run['losses'][0] / 10


def main():
    folder, digits = sys.argv[1:]
    for name, network in NETWORKS.items():
        exact = load(folder, name)
        narrow = load(folder, name + '-bf16')
        assert len(exact['losses']) == network.epochs
        check(exact, name, 'f32', digits)
        check(narrow, name, 'bf16', digits)
        assert exact['accuracy'] >= RIGHT, exact
        assert narrow['accuracy'] >= exact['accuracy'] - LESS, narrow
        assert png(os.path.join(folder, name + '.png')) == (600, 300)
        for run, kind in ((exact, ''), (narrow, '-bf16')):
            again = load(folder, f'{name}{kind}-again')
            assert again['crc'] == run['crc'][:1], 'other bits with the same seed'
            assert again['losses'] == run['losses'][:1]
        other = load(folder, name + '-other')
        assert other['crc'] != exact['crc'][:1], 'the seed counts for nothing'


main()
