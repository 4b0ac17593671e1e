#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A graph: copies and a recipe that turns a matrix of floats, captured once and
launched for each of three inputs, with one submission each; then with other memory."""

import gaudi
import numpy
from gaudi import Builder, Kind, Type

ROWS, COLUMNS = 2, 3
BYTES = ROWS * COLUMNS * 4


def build():
    """[rows][columns] to [columns][rows]: the same bytes by other strides."""
    with Builder('turn') as builder:
        source = builder.tensor('in', Kind.INPUT, Type.F32, (COLUMNS, ROWS),
                                strides=(4, 4 * COLUMNS))
        out = builder.tensor('out', Kind.OUTPUT, Type.F32, (COLUMNS, ROWS))
        builder.copy(out, source)
        return builder.build()


def main():
    with gaudi.open(timeout=60) as device, device.stream() as stream:
        launcher = device.launcher(build())
        # Host memory of a graph is pinned.
        source, out = device.alloc_host(BYTES), device.alloc_host(BYTES)
        theirs = {'in': device.alloc(BYTES), 'out': device.alloc(BYTES)}
        with stream.capture() as capture:
            # Nothing of it is done now.
            stream.copy(theirs['in'], source)
            launcher.launch(stream, theirs)
            stream.copy(out, theirs['out'])
        graph = capture.graph

        def step(number):
            source.to_numpy(numpy.float32)[:] = \
                10 * number + numpy.arange(ROWS * COLUMNS)
            graph.launch(stream)
            stream.synchronize()
            print(*(f'{value:g}' for value in out.to_numpy(numpy.float32)))

        for number in range(3):
            step(number)
        # Each node that has it: the copy up, and the recipe's tensor.
        graph.replace(theirs['in'], device.alloc(BYTES))
        del theirs['in']
        step(3)


if __name__ == '__main__':
    main()
