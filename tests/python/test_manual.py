# SPDX-License-Identifier: GPL-2.0-only
"""The examples of the manual, as they stand there."""

import os
import tempfile
import unittest

from common import LONG, gaudi
from test_install import ROOT, examples


class Manual(unittest.TestCase):
    def test_examples(self):
        # That of two cards is test_links'.
        blocks = [block for block in
                  examples(ROOT + '/Documentation/python.rst')
                  if 'link(' not in block]
        self.assertEqual(len(blocks), 6)
        names = {'print': lambda *words: said.append(words)}
        said = []
        before = os.getcwd()
        really_open = gaudi.open
        # A machine that is busy takes its time to let a card go.
        gaudi.open = lambda *a: really_open(*a, timeout=LONG)
        with tempfile.TemporaryDirectory() as folder:
            try:
                os.chdir(folder)
                for number, block in enumerate(blocks):
                    with self.subTest(block=number):
                        exec(compile(block, f'block {number}', 'exec'), names)
                gaudi.Recipe.load('halves.recipe').close()
            finally:
                os.chdir(before)
                gaudi.open = really_open
        self.assertGreater(said[0][0], 0)
        self.assertEqual(said[2], ((64, 64),))
        self.assertEqual(said[-1][0], 'ENODEV')
