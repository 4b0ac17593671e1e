#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A multilayer perceptron learns handwritten digits, wholly on the card.

What it is told, and how it learns: learn.py.
"""

import numpy as np

import learn
from layers import Dense

HIDDEN = 96


class Perceptron(learn.Network):
    """64 pixels and a 1, whose weights are the bias of the hidden units."""
    layers = [Dense(learn.PIXELS + 1, HIDDEN), Dense(HIDDEN, learn.CLASSES)]

    @staticmethod
    def inputs(pixels):
        return np.pad(pixels, ((0, 0), (0, 1)), constant_values=1)


if __name__ == '__main__':
    learn.main(Perceptron(), __doc__)
