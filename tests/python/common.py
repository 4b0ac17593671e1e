# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of the Python module share."""

import ctypes
import errno
import os
import random
import unittest

import gaudi
from gaudi._native import lib

KNOBS = hasattr(lib, 'knob_hold')
needs_knobs = unittest.skipUnless(KNOBS, 'needs a library with knobs')
# Enough for any machine; nothing should take as long.
LONG = 300


class Knobs:
    """What makes cards of the process fail or wait: tests/unit/runtime/card.h."""

    def __init__(self):
        for name in ('hold', 'release', 'fail_waits', 'fail_pin', 'cards',
                     'fail_open', 'busy_opens', 'submissions', 'waits', 'deaf'):
            function = getattr(lib, 'knob_' + name)
            function.restype = ctypes.c_uint
            setattr(self, name, function)


knobs = Knobs() if KNOBS else None


def pattern(size, seed=1):
    return random.Random(seed).randbytes(size)


class CardTest(unittest.TestCase):
    """Has a card, and hands it back."""

    def setUp(self):
        self.device = gaudi.open(timeout=LONG)
        self.addCleanup(self.device.close)

    def fails(self, code, call, *args, **kwargs):
        """The call fails with that code of libgaudi's, and says why."""
        with self.assertRaises(gaudi.Error) as caught:
            call(*args, **kwargs)
        self.assertEqual(caught.exception.code, code, caught.exception)
        self.assertTrue(caught.exception.message)
        return caught.exception


def numpy_or_skip():
    try:
        import numpy
    except ImportError:
        if os.environ.get('NUMPY_MUST'):
            raise
        raise unittest.SkipTest('NumPy is not installed') from None
    return numpy


__all__ = ['CardTest', 'LONG', 'KNOBS', 'errno', 'gaudi', 'knobs', 'needs_knobs',
           'numpy_or_skip', 'pattern']
