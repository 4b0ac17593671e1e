# SPDX-License-Identifier: GPL-2.0-only
"""What came of the trainings of the suite "train"; arguments: their folder, and the
digits. What NumPy comes to is found here."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'examples', 'train'))

import learn  # noqa: E402
from cnn import Convolutional  # noqa: E402
from mlp import Perceptron  # noqa: E402
from results import load, pixels  # noqa: E402

NETWORKS = {'mlp': Perceptron(), 'cnn': Convolutional()}
# Of the mean loss of the first epoch, and of later ones: the sign of a ReLU's input
# that is nearly 0, or a number between two of bf16, is not the same everywhere, which
# grows.
BOUNDS = {'f32': (1e-4, 2e-3), 'bf16': (2e-2, 5e-2)}
# Enough of the held-out fifth, and how much less it may be with bf16.
RIGHT, LESS = 0.96, 0.01


def curve(path):
    """A line, no more."""
    rows = pixels(path)
    assert (len(rows[0]), len(rows)) == (600, 300)
    black = sum(row.count(0) for row in rows)
    assert 300 < black < 2400, black


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
        curve(os.path.join(folder, name + '.png'))
        for run, kind in ((exact, ''), (narrow, '-bf16')):
            again = load(folder, f'{name}{kind}-again')
            assert again['crc'] == run['crc'][:1], 'other bits with the same seed'
            assert again['losses'] == run['losses'][:1]
        other = load(folder, name + '-other')
        assert other['crc'] != exact['crc'][:1], 'the seed counts for nothing'


main()
