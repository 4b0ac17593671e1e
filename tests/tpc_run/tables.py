#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Points for the tables of gaudi-tpc-lut, and whether what a kernel made of them is right.

	tables.py points TYPE FUNCTION X.npy
	tables.py check TYPE FUNCTION X.npy Y.npy ERROR
"""
import sys

import numpy as np

# Where each is asked, and what is right there.
FUNCTIONS = {
    'recip': (1, 2, lambda x: 1 / x),
    'tanh': (0, 8, np.tanh),
    'rsqrt': (1, 4, lambda x: 1 / np.sqrt(x)),
    'sin': (0, 1, np.sin),
    'log2': (.5, 2, np.log2),
    'general:x*x': (1, 2, np.square),
}


def upper(values):
    """Of f32: the bits of a bf16, its last ones cut off."""
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def main(what, kind, name, *files):
    low, high, function = FUNCTIONS[name]
    half = kind == 'bf16'
    if what == 'points':
        rng = np.random.default_rng(1)
        x = rng.uniform(low, high, 128 if half else 64).astype(np.float32)
        np.save(files[0], upper(x) if half else x)
        return
    x, y = (np.load(file) for file in files[:2])
    if half:
        x, y = ((v.view(np.uint16).astype(np.uint32) << 16).view(np.float32) for v in (x, y))
    want = function(x.astype(float))
    off = np.abs(y - want).max()
    # The tool has looked at other points; it may have missed the worst one.
    if not off <= 1.25 * float(files[2]) + 1e-12 or np.unique(y).size < 20:
        sys.exit(f'{off} from what is right, not {files[2]}')


main(*sys.argv[1:])
