# SPDX-License-Identifier: GPL-2.0-or-later
"""gaudi-tpc-glue(1): what a library of glue code says of its TPC kernels, whether that is
true, and its kernels on cards. make puts these files, and those of gaudi-tpc-run, into
one program.

answers   what glue code is asked and answers, in either of its forms
newer     the form of thunk/glue/tpc_kernel_lib_interface.h, by ctypes
older     that of gc_interface.h
library   a library in a process of its own, which it may end
checks    whether answers can be true; which elements an index claims
touch     a kernel in the interpreter, index by index: what it touches
card      a kernel by libgaudi
options   the command line
run       all of it

Each uses those above it.
"""
