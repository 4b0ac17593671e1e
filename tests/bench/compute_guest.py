#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In a guest: products and convolutions by recipes, as often as the host asks.

A line with a name comes in, a line with seconds goes out: what each node of the recipes
has taken, from the first launch to the end of the last one on the card, the best of three.
As in training, a recipe has several nodes, each with tensors of its own, and several
launches are under way.
"""

import sys
import time

import numpy as np

import gaudi
from gaudi import Builder, Kind, Type

N = 1024
NODES, LAUNCHES = 4, 4
SIDE, CHANNELS, FILTERS = 56, 64, 128


def product(kind):
    with Builder('products') as builder:
        for i in range(NODES):
            a = builder.tensor(f'a{i}', Kind.INPUT, kind, (N, N))
            b = builder.tensor(f'b{i}', Kind.INPUT, kind, (N, N))
            c = builder.tensor(f'c{i}', Kind.OUTPUT, Type.F32, (N, N))
            builder.matmul(c, a, b)
        return builder.build()


def convolution(kind):
    with Builder('convolutions') as builder:
        for i in range(NODES):
            x = builder.tensor(f'a{i}', Kind.INPUT, kind,
                               (1, SIDE, SIDE, CHANNELS))
            w = builder.tensor(f'b{i}', Kind.INPUT, kind,
                               (3, 3, CHANNELS, FILTERS))
            y = builder.tensor(f'c{i}', Kind.OUTPUT, Type.F32,
                               (1, SIDE, SIDE, FILTERS))
            builder.conv2d(y, x, w, padding=1)
        return builder.build()


def numbers(random, shape, kind):
    """Between -1 and 1. The upper half of an fp32 is a bf16."""
    data = (random.random(shape, np.float32) * 2 - 1).view(np.uint32)
    return data if kind == Type.F32 else (data >> 16).astype(np.uint16)


class Work:
    """A recipe and its tensors on the card."""

    def __init__(self, device, recipe, kind, shapes):
        random = np.random.default_rng(1)
        data = dict(zip('abc', (numbers(random, shapes[0], kind),
                                numbers(random, shapes[1], kind),
                                np.zeros(shapes[2], np.float32))))
        self.tensors = {f'{name}{i}': device.put(data[name])
                        for name in data for i in range(NODES)}
        self.stream = device.stream()
        self.launcher = device.launcher(recipe)
        self.launcher.bind(self.tensors)

    def run(self):
        begin = time.monotonic()
        for _ in range(LAUNCHES):
            self.launcher.launch(self.stream)
        self.stream.synchronize()
        return (time.monotonic() - begin) / NODES / LAUNCHES


def main():
    square = [(N, N)] * 3
    images = [(1, SIDE, SIDE, CHANNELS), (3, 3, CHANNELS, FILTERS),
              (1, SIDE, SIDE, FILTERS)]
    with gaudi.open(timeout=60) as device:
        works = {}
        for name, kind in ('fp32', Type.F32), ('bf16', Type.BF16):
            works[name] = Work(device, product(kind), kind, square)
            works['3x3 ' + name] = Work(device, convolution(kind), kind, images)
        print('ready', flush=True)
        for line in sys.stdin:
            work = works[line.strip()]
            print(min(work.run() for _ in range(3)), flush=True)


if __name__ == '__main__':
    main()
