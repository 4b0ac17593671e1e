# SPDX-License-Identifier: GPL-2.0-only
"""Scripts of both eras of the vendor's bridge (scripts/), as programs."""

import os
import re
import tempfile
import unittest

from test_distributed import HERE, mpirun, run


def alone(_count, folder):
    return mpirun(1, folder)[-1:]


class Scripts(unittest.TestCase):
    def script(self, name, *arguments, launcher=alone, cards=1):
        status, out = run(launcher, os.path.join(HERE, 'scripts', name), *arguments, cards=cards)
        self.assertEqual(status, 0, out)
        return out

    def learned(self, out):
        right, of = re.findall(r'Accuracy: (\d+)/(\d+)', out)[-1]
        self.assertEqual(of, '64')
        self.assertGreater(int(right), 56, out)

    def test_first_era(self):
        with tempfile.TemporaryDirectory() as folder:
            out = self.script('lazy_hmp.py', '--hmp', '--hmp-verbose', '--use_lazy_mode',
                              '--save-model', os.path.join(folder, 'model.pt'))
        self.learned(out)
        self.assertIn('hmp: bf16: ', out)
        self.assertIn("saved on {'", out)

    def test_first_era_on_two_cards(self):
        self.learned(self.script('lazy_hmp.py', '--epochs', '1', '--batch-size', '16',
                                 launcher=mpirun, cards=2))

    def test_second_era(self):
        out = self.script('autocast_graphs.py')
        losses = [float(text) for text in re.findall(r'epoch \d loss ([0-9.]+)', out)]
        self.assertEqual(len(losses), 6)
        self.assertLess(losses[-1], losses[0] * 0.5)
        for line in ('device GAUDI 0', 'time is measured True', 'graph learns True',
                     'inference (4, 3) True', 'random repeats True', 'memory True True True',
                     'recipes True'):
            self.assertIn(line, out)


if __name__ == '__main__':
    unittest.main()
