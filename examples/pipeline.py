#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Blocks of a large array go through the card on two streams side by side: one
takes them there, the other one takes back what the first has brought. Memory is
pinned, so nothing waits but the end."""

import sys

import gaudi
import numpy

BLOCK = 1 << 20
BLOCKS = 16


def main():
    arrived = []
    with gaudi.open(timeout=60) as device:
        up, down = device.stream(), device.stream()
        into = device.alloc_host(BLOCKS * BLOCK)
        out = device.alloc_host(BLOCKS * BLOCK)
        # The same memory, as arrays.
        source = into.to_numpy(numpy.uint64, (BLOCKS, -1))
        result = out.to_numpy(numpy.uint64, (BLOCKS, -1))
        source.flat = numpy.arange(source.size)

        begun = up.record()
        for i in range(BLOCKS):
            block = up.alloc(BLOCK)
            up.copy(block, source[i])
            down.wait(up.record(timing=False))
            down.copy(result[i], block)
            down.call(arrived.append)
            block.close(down)
        ended = down.record()
        ended.synchronize()

        wrong = numpy.count_nonzero(result != source)
        print(f'{arrived.count(None)} blocks of {BLOCK // 1024} KiB, {wrong} '
              f'wrong, {device.memory_stats().allocations} allocations')
        seconds = begun.elapsed_ns(ended) / 1e9
        print(f'{2 * BLOCKS * BLOCK / 1048576 / seconds:.1f} MiB/s',
              file=sys.stderr)
        return int(wrong != 0)


if __name__ == '__main__':
    sys.exit(main())
