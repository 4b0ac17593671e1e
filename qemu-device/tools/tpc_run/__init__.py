# SPDX-License-Identifier: GPL-2.0-or-later
"""gaudi-tpc-run(1): execute a TPC kernel on arrays in files of NumPy's, as the
card's TPC would, without a card. make puts these files into one program.

errors    what the user is told
native    the TPC, which is libgaudi-chip.so.0's (qemu-device/lib/gaudi_run.h)
kernel    object files
tensor    arrays
machine   a TPC with a kernel and its tensors, and what it shows
options   the command line
debugger  --debug
run       all of it

Each uses those above it.
"""
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(f'gaudi-tpc-run: {sys.executable} has no NumPy; it is in '
             "Debian's package python3-numpy")
