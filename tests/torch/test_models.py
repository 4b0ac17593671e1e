# SPDX-License-Identifier: GPL-2.0-only
"""examples/torch: the losses are the CPU's, and nothing runs there; checkpoints go from one
device to the other."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

import torch

import torch_gaudi                                      # noqa: F401 - registers hpu

import digits
import gpt
import resnet
import steps


def program(*arguments):
    """What gpt.py prints."""
    out = io.StringIO()
    with mock.patch.object(sys, 'argv', ['gpt.py', *arguments]), \
            contextlib.redirect_stdout(out):
        gpt.main()
    return out.getvalue()


class Models(unittest.TestCase):
    def compare(self, example, count, falls):
        cpu, hpu = (steps.train(example, device, count) for device in ('cpu', 'hpu'))
        self.assertEqual(len(hpu.losses), count)
        torch.testing.assert_close(hpu.losses, cpu.losses, rtol=1e-3, atol=1e-4)
        self.assertLess(hpu.losses[-1], hpu.losses[0] * falls)
        self.assertEqual(hpu.fallbacks, 0, torch.hpu.fallbacks())

    def test_digits(self):
        self.compare(digits, 15, 0.7)

    def test_gpt(self):
        self.compare(gpt.Text(), 4, 0.95)

    def test_resnet(self):
        self.compare(resnet, 2, 1)

    def test_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'gpt.pt')
            common = ('--write', 'This Li', '--letters', '5')
            text = program('--device', 'hpu', '--steps', '2', '--save', file, *common)
            self.assertRegex(text, '(?m)^This Li.{5}$')
            self.assertRegex(text, r'(?m)^gpt +hpu +[0-9.]+ .* 0$')
            for device in ('cpu', 'hpu'):
                again = program('--device', device, '--steps', '0', '--load', file, *common)
                self.assertEqual(again, text.split('\n')[0] + '\n')

    def test_unknown_letters(self):
        with self.assertRaisesRegex(SystemExit, 'not in the text that was learned: é'):
            program('--device', 'hpu', '--steps', '0', '--write', 'é')

    def test_short_text(self):
        with tempfile.NamedTemporaryFile('w') as file, \
                self.assertRaisesRegex(SystemExit, 'is shorter than 64 letters'):
            program('--steps', '0', '--text', file.name)


if __name__ == '__main__':
    unittest.main()
