#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recipe on the card: it turns a matrix of floats, twice with other memory."""

import gaudi
import numpy
from gaudi import Builder, Kind, Type

ROWS, COLUMNS = 3, 4


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
        for number in range(2):
            matrix = numpy.arange(ROWS * COLUMNS, dtype=numpy.float32)
            matrix += 100 * number
            source, out = device.put(matrix), device.alloc(matrix.nbytes)
            launcher.launch(stream, {'in': source, 'out': out})
            turned = numpy.empty((COLUMNS, ROWS), numpy.float32)
            stream.copy(turned, out)
            stream.synchronize()
            for row in turned:
                print(*(f'{value:g}' for value in row))


if __name__ == '__main__':
    main()
