# SPDX-License-Identifier: GPL-2.0-or-later
"""The TPC of libgaudi-chip.so.0: lib/gaudi_run.h, by ctypes."""
import ctypes
import os
import sys
from typing import Any, Dict, List

from tpc_run.errors import FILES, Failure

DIMS = 5
TENSORS = 16
SCALARS = 32
MANY = 2 ** 64 - 1      # the largest number of words

# What execute() returns.
GOES_ON, ENDED, BREAK, _, BAD_MEMORY, BAD_TIMING, KILLED = range(7)


class Word(ctypes.Structure):
    """struct gaudi_run_word"""
    _fields_ = [('leads', ctypes.c_int64), ('loop_end', ctypes.c_int32),
                ('tensors', ctypes.c_uint32)]


# Functions by name: what they return, and take. Pointers, text, and numbers by
# their bits.
FUNCTIONS = {
    'new': 'p', 'free': ' p', 'memory': 'ipQpzb', 'kernel': ' pQpIb',
    'tensor': ' pIQIIp', 'lut': ' pIQ', 'round': 'ips', 'causes': ' pb',
    'hazards': 'ipb', 'launch': ' ppp', 'poison': ' pQ', 'execute': 'ipQpz',
    'why': ' psz', 'part': 'ppsp', 'slot_name': 'sI', 'op_name': 'sI',
    'decode': 'isqspsz', 'gdb_new': 'ppspz', 'gdb_where': 'sp',
    'coverage': ' ppz', 'marks': 'ipQp', 'gdb_execute': 'ipIQ', 'gdb_free': ' pi'}
LETTERS: Dict[str, Any] = {
    ' ': None, 'p': ctypes.c_void_p, 's': ctypes.c_char_p, 'i': ctypes.c_int,
    'I': ctypes.c_uint32, 'q': ctypes.c_int64, 'Q': ctypes.c_uint64,
    'z': ctypes.c_size_t, 'b': ctypes.c_bool}


def library() -> Any:
    """The one beside the folder of this program, or the system's."""
    name = 'libgaudi-chip.so.0'
    beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), '..',
                          'lib', name)
    try:
        lib = ctypes.CDLL(beside if os.path.exists(beside) else name)
    except OSError as error:
        raise Failure(str(error), FILES) from error
    for function, letters in FUNCTIONS.items():
        entry = lib['gaudi_run_' + function]
        entry.restype, *entry.argtypes = [LETTERS[c] for c in letters]
        setattr(lib, function, entry)
    return lib


def words32(values: List[int]) -> Any:
    return (ctypes.c_uint32 * len(values))(*values)
