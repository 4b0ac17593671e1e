# SPDX-License-Identifier: GPL-2.0-only
"""What gaudi-prof says of a program for PyTorch: its operators, recipes built again."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = '''
import torch, torch_gaudi
from torch.autograd.profiler import record_function
a = torch.ones(64, 64, device='hpu')
with record_function('a step'):
    for _ in range(3):
        a = a @ a
# Another shape is another recipe of that name.
b = torch.ones(32, 32, device='hpu') @ torch.ones(32, 32, device='hpu')
print(a.cpu()[0, 0].item(), b.cpu()[0, 0].item())
'''


class Profile(unittest.TestCase):
    def test_operators(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'profile.json')
            # gaudi-sim counts the cards itself.
            environment = {key: value for key, value in os.environ.items()
                           if key != 'GAUDI_SIM'}
            done = subprocess.run(
                [os.path.join(os.environ['GAUDI_ROOT'], 'scripts/gaudi-prof'), 'run', '--json',
                 '-o', path, '--', sys.executable, '-c', PROGRAM], env=environment,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(path, encoding='utf-8') as file:
                host = json.load(file)['host']
        rows = {row['name']: row for row in host['operators']}
        self.assertEqual(rows['aten::matmul']['count'], 4, rows)
        # It is within the other, and is one however often it is dispatched.
        self.assertEqual(rows['aten::mm']['count'], 4, rows)
        self.assertGreaterEqual(rows['aten::matmul']['total_ns'], rows['aten::mm']['total_ns'])
        self.assertLess(rows['aten::matmul']['own_ns'], rows['aten::matmul']['total_ns'])
        calls = {row['name']: row for row in host['calls']}
        self.assertEqual(calls['a step']['count'], 1, calls)
        self.assertGreaterEqual(calls['gaudi_launch']['count'], 4, calls)
        self.assertTrue([row for row in host['builds'] if row['count'] > 1], host['builds'])

    def test_nothing_is_observed(self):
        program = ('import torch, torch_gaudi; torch.ones(2, device="hpu").cpu(); import os; '
                   'print(os.listdir())')
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, '-c', program], cwd=folder,
                                  stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, '[]\n')


if __name__ == '__main__':
    unittest.main()
