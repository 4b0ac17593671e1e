#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A convolutional network learns handwritten digits, wholly on the card.

What it is told, and how it learns: learn.py.
"""

import numpy as np

import learn
from layers import Convolution


class Convolutional(learn.Network):
    """Images of two channels, pixels and ones, whose weights are a bias; the second
    layer halves width and height; the last one sees the whole image."""
    layers = [Convolution(learn.SIDE, 3, 2, 16, padding=1),
              Convolution(learn.SIDE, 3, 16, 32, stride=2, padding=1),
              Convolution(learn.SIDE // 2, 4, 32, learn.CLASSES)]
    rate, epochs = 0.05, 10

    @staticmethod
    def inputs(pixels):
        images = pixels.reshape(-1, learn.SIDE, learn.SIDE, 1)
        return np.concatenate((images, np.ones_like(images)), axis=3)


if __name__ == '__main__':
    learn.main(Convolutional(), __doc__)
