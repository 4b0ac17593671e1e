#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recipe that turns a matrix, from the cache or made anew, and what is in it.
Needs no card. The argument is the folder of the cache."""

import sys

from gaudi import Builder, Cache, Kind, Type


def build(rows, columns):
    """[rows][columns] to [columns][rows]: the same bytes by other strides."""
    with Builder('turn') as builder:
        source = builder.tensor('in', Kind.INPUT, Type.F32, (columns, rows),
                                strides=(4, 4 * columns))
        out = builder.tensor('out', Kind.OUTPUT, Type.F32, (columns, rows))
        builder.copy(out, source)
        return builder.build()


def main():
    with Cache(sys.argv[1] if len(sys.argv) > 1 else '') as cache:
        recipe = cache.get(b'turn 4x6')
        how = 'found' if recipe else 'built'
        if not recipe:
            recipe = build(4, 6)
            cache.put(b'turn 4x6', recipe)
        info = recipe.info
        print(f'{info.name}: {how}, {info.num_engines} engines, '
              f'{info.packets_size} bytes of packets')
        for tensor in recipe.tensors:
            shape = 'x'.join(str(n) for n in tensor.shape)
            print(f'{tensor.name}: {tensor.type.short_name} {shape}')


if __name__ == '__main__':
    main()
