# SPDX-License-Identifier: GPL-2.0-only
"""All of PyTorch's operator database beside the CPU, and that the page is not wrong. Parts that an
earlier run has of this build stay, so that one that was stopped is gone on with."""

import os
import unittest
import warnings

import opinfo
import operators_page as pages
from test_opinfo import ON_PAGE, text_of_page

FOLDER = os.path.join(os.environ['GAUDI_BUILD'], 'torch', 'opinfo')


class All(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter('ignore')
        opinfo.run_into(FOLDER)

    def test_all_are_right(self):
        wrong = [f'{found["op"]} {found["type"]}: {found.get("error")}'
                 for found in pages.load(FOLDER) if pages.state(found) == 'wrong']
        self.assertEqual(wrong, [])

    def test_enough_is_on_the_card(self):
        states, _ = pages.tables(pages.load(FOLDER))
        for dtype, least in (('float32', 250), ('bfloat16', 150)):
            cells = [row.get(dtype) for row in states.values()]
            self.assertGreaterEqual(cells.count('device'), least)

    @unittest.skipUnless(ON_PAGE, 'the page is of another version of PyTorch')
    def test_page(self):
        """It says no more than is true. What has become better it need not say yet."""
        states, reasons = pages.tables(pages.load(FOLDER))
        said, said_reasons = pages.read(text_of_page())
        late = 0
        for op, row in states.items():
            self.assertEqual(set(row), set(said.get(op, ())), op)
            for dtype, state in row.items():
                by = pages.STATES.index(state) - pages.STATES.index(said[op][dtype])
                self.assertLessEqual(by, 0, f'{op} {dtype} is {state}, not {said[op][dtype]}')
                late += by < 0
        self.assertLessEqual(set(reasons), set(said_reasons))
        if late:
            print(f'# the page is late by {late} entries: operators_page.py makes it anew')


if __name__ == '__main__':
    unittest.main()
