#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Work for TPCs and the matrix engines, which a journal is to have."""
import numpy

import gaudi
from gaudi import Builder, Kind, Type

SIZE = 64

with Builder('work') as builder:
    a, b = (builder.tensor(name, Kind.INPUT, Type.F32, (SIZE, SIZE))
            for name in 'ab')
    c, d = (builder.tensor(name, Kind.OUTPUT, Type.F32, (SIZE, SIZE))
            for name in 'cd')
    builder.library_kernel('add_f32', [a, b, c])
    builder.matmul(d, a, b)
    recipe = builder.build()
rng = numpy.random.default_rng(1)
x, y = (rng.standard_normal((SIZE, SIZE), dtype=numpy.float32) for _ in 'ab')
with gaudi.open(timeout=60) as device, device.stream() as stream:
    launcher = device.launcher(recipe)
    memory = {name: device.alloc(4 * SIZE * SIZE) for name in 'abcd'}
    memory['a'].write(x)
    memory['b'].write(y)
    for _ in range(3):
        launcher.launch(stream, memory)
    stream.synchronize()
    total = memory['c'].to_numpy(numpy.float32, (SIZE, SIZE))
    assert (total == x + y).all()
