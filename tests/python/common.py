# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of the Python module share."""

import ctypes
import errno
import os
import random
import unittest

import gaudi
from gaudi._native import lib

MOCK = hasattr(lib, 'mock_hold')
needs_mock = unittest.skipUnless(MOCK, 'needs the card of threads')
# Enough for any machine; nothing should take as long.
LONG = 300


class Mock:
    """Knobs of the card of threads."""

    def __init__(self):
        for name in ('hold', 'release', 'fail_waits', 'fail_pin', 'cards',
                     'fail_open', 'busy_opens', 'submissions', 'waits', 'deaf'):
            function = getattr(lib, 'mock_' + name)
            function.restype = ctypes.c_uint
            setattr(self, name, function)


mock = Mock() if MOCK else None


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


__all__ = ['CardTest', 'LONG', 'MOCK', 'errno', 'gaudi', 'mock', 'needs_mock',
           'numpy_or_skip', 'pattern']
