# SPDX-License-Identifier: GPL-2.0-only
"""What came of the trainings of the suite "train": FOLDER DIGITS, or "same FOLDER
FOLDER" of first epochs on two drivers. What NumPy comes to is found here."""

import os
import sys
from collections import Counter

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'examples', 'train'))

import learn  # noqa: E402
from cnn import Convolutional  # noqa: E402
from mlp import Perceptron  # noqa: E402
from results import curve, load, near  # noqa: E402

NETWORKS = {'mlp': Perceptron(), 'cnn': Convolutional()}
# Enough of the held-out fifth, and how much less it may be with bf16.
RIGHT, LESS = 0.96, 0.01


def check(run, name, kind, digits):
    """Against NumPy's."""
    network, epochs = NETWORKS[name], len(run['losses'])
    want, accuracy, _ = learn.reference(
        network, learn.Digits(digits, network, 1),
        learn.rates(network, epochs), 1, kind == 'bf16')
    print(f'{name} {kind}: {run}\nNumPy: {accuracy}, {want}')
    print(f'at most {near(kind, run["losses"], want):.1e} apart')
    assert run['losses'][-1] < run['losses'][0] / 5


def rows(pixels):
    return Counter(row.tobytes() for row in pixels)


def held_out(path):
    """A fifth, and four others, whatever the seed; epochs have none of that fifth."""
    whole, network = None, Perceptron()
    for seed in range(3):
        digits = learn.Digits(path, network, seed)
        asked = rows(digits.test_x[:, :learn.PIXELS])
        learnt = rows(digits.x[-1, :, :learn.PIXELS])
        whole = whole or asked + learnt
        assert asked + learnt == whole and not asked & learnt
        assert sum(asked.values()) == sum(whole.values()) // 5
        for _ in range(3):
            x, _ = digits.epoch(np.random.default_rng(seed))
            seen = rows(x[..., :learn.PIXELS].reshape(-1, learn.PIXELS))
            assert not asked & seen
            # Where it has not been moved it is one of those to learn.
            assert 0.4 < sum((seen & learnt).values()) / x[..., 0].size < 0.6


def same(folder, other):
    """Two drivers, and the same bits."""
    for name in (network + kind for network in NETWORKS
                 for kind in ('-again', '-bf16-again', '-other')):
        assert load(folder, name) == load(other, name), name


def whole(folder, digits):
    held_out(digits)
    for name, network in NETWORKS.items():
        exact = load(folder, name)
        narrow = load(folder, name + '-bf16')
        assert len(exact['losses']) == network.epochs
        check(exact, name, 'f32', digits)
        check(narrow, name, 'bf16', digits)
        assert exact['accuracy'] >= RIGHT, exact
        assert narrow['accuracy'] >= exact['accuracy'] - LESS, narrow
        curve(os.path.join(folder, name + '.png'), exact['losses'])
        for run, kind in ((exact, ''), (narrow, '-bf16')):
            again = load(folder, f'{name}{kind}-again')
            assert again['crc'] == run['crc'][:1], 'other bits with the same seed'
            assert again['losses'] == run['losses'][:1]
        other = load(folder, name + '-other')
        assert other['crc'] != exact['crc'][:1], 'the seed counts for nothing'


def main():
    if sys.argv[1] == 'same':
        same(*sys.argv[2:])
    else:
        whole(*sys.argv[1:])


main()
