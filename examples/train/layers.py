# SPDX-License-Identifier: MIT
"""Layers: what they are to the card, and the same in NumPy.

A layer has a shape of weights, what its result's shape is, and three products: the
result, the gradient of what came in, and the gradient of the weights.
"""

import numpy as np

from gaudi import MatrixFlags


class Dense:
    """Each of so many outputs is a sum over all inputs."""

    def __init__(self, inputs, outputs):
        self.weights = (inputs, outputs)
        self.fan_in = inputs

    def shape(self, samples):
        return samples, self.weights[1]

    @staticmethod
    def node(builder, y, x, w, flags):
        builder.matmul(y, x, w, flags)

    @staticmethod
    def data_node(builder, dx, dy, w):
        builder.matmul(dx, dy, w, MatrixFlags.TRANSPOSE_B)

    @staticmethod
    def weights_node(builder, dw, x, dy):
        builder.matmul(dw, x, dy, MatrixFlags.TRANSPOSE_A)

    @staticmethod
    def forward(x, w):
        return x @ w

    @staticmethod
    def data(dy, w, _shape):
        return dy @ w.T

    @staticmethod
    def weights_of(x, dy):
        return x.T @ dy


class Convolution:
    """A square filter over square images; channels are the last dim."""

    def __init__(self, size, filter_size, channels, outputs, *, stride=1, padding=0):
        self.weights = (filter_size, filter_size, channels, outputs)
        self.fan_in = filter_size * filter_size * channels
        self.stride, self.padding = stride, padding
        self.size = (size + 2 * padding - filter_size) // stride + 1

    def shape(self, samples):
        return samples, self.size, self.size, self.weights[3]

    @property
    def window(self):
        return {'stride': self.stride, 'padding': self.padding}

    def node(self, builder, y, x, w, flags):
        builder.conv2d(y, x, w, flags=flags, **self.window)

    def data_node(self, builder, dx, dy, w):
        builder.conv2d_data(dx, dy, w, **self.window)

    def weights_node(self, builder, dw, x, dy):
        builder.conv2d_weights(dw, x, dy, **self.window)

    def taps(self):
        """Of each tap of the filter: where it is, and which pixels meet it."""
        for i in range(self.weights[0]):
            for j in range(self.weights[1]):
                yield (i, j), tuple(slice(at, at + self.stride * self.size,
                                          self.stride) for at in (i, j))

    def columns(self, x):
        """A row for each pixel that comes out: all that it depends on."""
        pad = [(0, 0)] + 2 * [(self.padding, self.padding)] + [(0, 0)]
        x = np.pad(x, pad)
        parts = [x[:, down, right] for _, (down, right) in self.taps()]
        return np.concatenate(parts, axis=3).reshape(-1, self.fan_in)

    def forward(self, x, w):
        return (self.columns(x) @ w.reshape(self.fan_in, -1)).reshape(
            self.shape(len(x)))

    def data(self, dy, w, shape):
        side = shape[1] + 2 * self.padding
        dx = np.zeros((shape[0], side, side, shape[3]), np.float32)
        for tap, (down, right) in self.taps():
            dx[:, down, right] += dy @ w[tap].T
        end = side - self.padding
        return dx[:, self.padding:end, self.padding:end]

    def weights_of(self, x, dy):
        return (self.columns(x).T @ dy.reshape(-1, dy.shape[3])).reshape(
            self.weights)
