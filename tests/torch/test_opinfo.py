# SPDX-License-Identifier: GPL-2.0-only
"""A selection of PyTorch's operator database beside the CPU, and the page of all of it."""

import copy
import os
import re
import unittest
import warnings

import torch

import opinfo
import operators_page as pages
from opinfo_exceptions import EXCEPTIONS

# The page is of this version; of others all must be right.
ON_PAGE = torch.__version__.startswith('1.13')
PAGE = os.path.join(os.environ['GAUDI_ROOT'], 'Documentation', 'torch-operators.rst')


def text_of_page():
    with open(PAGE, encoding='utf-8') as file:
        return file.read()


class Selection(unittest.TestCase):
    """The first sample of each operator; what the page says of it is not less than true."""

    def check_type(self, dtype, samples=1):
        states, _ = pages.read(text_of_page())
        warnings.simplefilter('ignore')
        worse = []
        for found in opinfo.run(dtype, samples=samples):
            now = pages.state(found)
            then = states.get(found['op'], {}).get(dtype, 'missing')
            if now == 'wrong' or ON_PAGE and (
                    then == 'missing' or pages.STATES.index(now) > pages.STATES.index(then)):
                worse.append(f'{found["op"]}: {now}, not {then} ({found.get("error", "")}'
                             f'{found["fallbacks"]})')
        self.assertEqual(worse, [])

    def test_float32(self):
        self.check_type('float32')

    def test_bfloat16(self):
        self.check_type('bfloat16')

    def test_int64(self):
        self.check_type('int64')

    def test_bool(self):
        self.check_type('bool')


class Page(unittest.TestCase):
    def test_is_made_by_the_script(self):
        text = text_of_page()
        self.assertEqual(pages.page(*pages.read(text)), text)

    def test_enough_is_on_the_card(self):
        states, _ = pages.read(text_of_page())
        for dtype, least in (('float32', 250), ('bfloat16', 150)):
            cells = [row.get(dtype) for row in states.values()]
            self.assertGreaterEqual(cells.count('device'), least)
            self.assertEqual(cells.count('wrong'), 0)


class Oracle(unittest.TestCase):
    """It says so if an operator is wrong."""

    def found(self, name, change, dtype=torch.float32):
        op = copy.copy(next(op for op in opinfo.op_db if op.name == name))
        real = op.op

        def broken(*args, **kwargs):
            result = real(*args, **kwargs)
            return change(result) if result.device.type == 'hpu' else result
        op.op = broken
        return opinfo.check(op, dtype)

    def test_wrong_values(self):
        self.assertEqual(self.found('exp', lambda t: t)['failed'], 0)
        for change in (lambda t: t * 1.001, lambda t: t.cpu(), lambda t: t.double(),
                       lambda t: t.unsqueeze(0), lambda t: t.detach()):
            self.assertGreater(self.found('exp', change)['failed'], 0)

    def test_wrong_gradient(self):
        self.assertGreater(self.found('exp', lambda t: t + (t - t.detach()))['failed'], 0)

    def test_bf16(self):
        self.assertEqual(self.found('mm', lambda t: t, torch.bfloat16)['failed'], 0)
        self.assertGreater(self.found('mm', lambda t: t * 1.1, torch.bfloat16)['failed'], 0)

    def test_random(self):
        self.assertEqual(self.found('bernoulli', lambda t: t)['failed'], 0)
        self.assertGreater(self.found('bernoulli', lambda t: t[:0])['failed'], 0)

        def never_the_same(t):
            never_the_same.calls += 1
            return t * 0 + never_the_same.calls
        never_the_same.calls = 0
        self.assertGreater(self.found('bernoulli', never_the_same)['failed'], 0)

    def test_exceptions_have_reasons(self):
        names = {opinfo.name_of(op) for op in opinfo.op_db}
        for pattern, types, text, reason in EXCEPTIONS:
            self.assertTrue(text and reason)
            self.assertTrue(any(re.fullmatch(pattern, name) for name in names), pattern)
            self.assertLessEqual(set(types.split()), set(opinfo.TYPES.split(',')))


if __name__ == '__main__':
    unittest.main()
