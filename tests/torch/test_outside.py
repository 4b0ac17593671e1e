# SPDX-License-Identifier: GPL-2.0-only
"""Indexes that are outside: an IndexError with the operator's name where the host waits next; and
none where PyTorch's CPU takes the index."""

import os
import subprocess
import sys
import unittest

import torch
from torch.nn import functional as F

import torch_gaudi                                      # noqa: F401 - registers hpu


def index(*values):
    return torch.tensor(values, device='hpu')


def table(*shape):
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape).to('hpu')


def written(t, change):
    change(t)
    return t


# (what the error names, a function of an index, the least and the largest that the CPU takes)
CALLS = [
    ('embedding', lambda i: F.embedding(i, table(4, 3)), (0, 3)),
    ('embedding_bag', lambda i: F.embedding_bag(i, table(4, 3), index(0)), (0, 3)),
    ('index_select', lambda i: table(3, 4).index_select(1, i), (0, 3)),
    ('gather', lambda i: table(4).gather(0, i), (0, 3)),
    ('gather', lambda i: torch.take_along_dim(table(4), i, 0), (0, 3)),
    ('scatter', lambda i: table(4).scatter(0, i, table(2)), (0, 3)),
    ('scatter', lambda i: table(4).scatter_(0, i, 1.5), (0, 3)),
    ('scatter_add', lambda i: table(4).scatter_add(0, i, table(2)), (0, 3)),
    ('scatter_reduce', lambda i: table(4).scatter_reduce(0, i, table(2), 'amax'), (0, 3)),
    ('index_add', lambda i: table(4, 3).index_add(0, i, table(2, 3)), (0, 3)),
    ('index_add', lambda i: table(4).long().index_add(0, i, table(2).long()), (0, 3)),
    ('index_copy', lambda i: table(4, 3).index_copy(0, i, table(2, 3)), (0, 3)),
    ('index_fill', lambda i: table(4, 3).index_fill(0, i, 7), (-4, 3)),
    ('index', lambda i: table(4, 3)[i], (-4, 3)),
    ('index', lambda i: table(3, 4)[index(0, 2), i], (-4, 3)),
    ('index', lambda i: table(4, 3, 4)[:, 1, i], (-4, 3)),
    ('index_put', lambda i: table(4).index_put((i,), table(2)), (-4, 3)),
    ('index_put', lambda i: written(table(4, 3), lambda t: t.__setitem__(i, 0)), (-4, 3)),
    ('index_put', lambda i: table(4, 3).index_put((i,), table(2, 3), True), (-4, 3)),
    ('take', lambda i: table(2, 2).take(i), (-4, 3)),
    ('put', lambda i: table(2, 2).put_(i, table(2)), (-4, 3)),
    ('nll_loss', lambda i: F.cross_entropy(table(2, 4), i), (0, 3)),
    ('nll_loss', lambda i: F.nll_loss(table(2, 4), i, weight=table(4)), (0, 3)),
    ('nll_loss2d', lambda i: F.cross_entropy(table(2, 4, 1, 1), i.view(2, 1, 1)), (0, 3)),
    ('max_unpool', lambda i: F.max_unpool1d(table(1, 1, 2), i.view(1, 1, 2), 2), (0, 3)),
]


class Outside(unittest.TestCase):
    def setUp(self):
        torch.hpu.synchronize()

    def assert_outside(self, name, value, function):
        text = rf'hpu: \w*{name}\w*: index {value} is out of bounds for a dimension of size 4'
        with self.assertRaisesRegex(IndexError, text):
            function()
        # It is said once.
        torch.hpu.synchronize()

    def test_each(self):
        for name, function, (low, high) in CALLS:
            for value in (low, high):
                function(index(0, value)).cpu()
            ends = (1 << 30, -(1 << 31)) if name in ('index_select', 'index') else ()
            for value in (low - 1, high + 1, *ends):
                with self.subTest(name=name, value=value):
                    self.assert_outside(name, value, lambda: function(index(0, value)).cpu())

    def test_probabilities(self):
        for p in (1.5, -0.1, float('nan')):
            for draw in (torch.bernoulli, torch.zeros_like(table(2)).bernoulli_):
                with self.assertRaisesRegex(RuntimeError, 'bernoulli: a probability is not from 0'):
                    draw(table(2).fill_(p)).cpu()
        torch.bernoulli(table(2)).cpu()

    def test_offsets(self):
        def bags(*offsets, **more):
            return F.embedding_bag(index(0, 1, 2), table(4, 3), index(*offsets), **more).cpu()

        for mode in ('sum', 'mean', 'max'):
            bags(0, 3, mode=mode)
            bags(0, 1, 3, mode=mode, include_last_offset=True)
            for last, more in ((False, ()), (True, (0,))):
                for name, value, offsets in ((r'offsets\[0\]', 1, (1, *more, 2)),
                                             (r'offsets\[-1\]', 4, (0, *more, 4))):
                    with self.assertRaisesRegex(IndexError,
                                                f'embedding_bag: {name}: index {value} is out'):
                        bags(*offsets, mode=mode, include_last_offset=last)

    def test_ignored(self):
        for ignored in (-100, -1, 7, 3):
            F.cross_entropy(table(3, 4), index(0, ignored, 1), ignore_index=ignored).item()
        for ignored, wrong in ((-100, -1), (7, 4), (-1, -100), (3, 4)):
            self.assert_outside('nll_loss', wrong, lambda: F.cross_entropy(
                table(3, 4), index(ignored, wrong, 1), ignore_index=ignored).item())

    def test_who_waits(self):
        stream = torch.hpu.Stream()
        event = torch.hpu.Event()

        def on_stream(wait):
            with torch.hpu.stream(stream):
                table(4)[index(9)]
                event.record()
            wait()
        for wait in (torch.hpu.synchronize, stream.synchronize, event.synchronize):
            self.assert_outside('index', 9, lambda: on_stream(wait))
            torch.hpu.synchronize()
        # Another stream's work has no part in it.
        with torch.hpu.stream(stream):
            table(4)[index(9)]
        self.assert_outside('index', 9, torch.hpu.synchronize)

    def test_large_and_strided(self):
        large = torch.zeros(200, 33, dtype=torch.int64)
        for place in ((0, 0), (199, 32), (100, 7)):
            there = large.clone()
            there[place] = 4
            for t in (there.to('hpu'), there.to('hpu').t(), there.to('hpu')[:, ::2]):
                if (t == 4).any():
                    self.assert_outside('embedding', 4,
                                        lambda: F.embedding(t, table(4, 2)).sum().item())

    def test_backward_trusts_the_forward_pass(self):
        weight = table(4, 3).requires_grad_()
        before = torch.hpu.launch_stats()['launches']
        loss = F.embedding(index(1, 2), weight).sum()
        forward = torch.hpu.launch_stats()['launches'] - before
        loss.backward()
        self.assertGreater(forward, 1)
        weight.grad.cpu()

    def test_nothing_is_written(self):
        t = table(4)
        t.index_put_((index(1),), table(1))
        with self.assertRaises(IndexError):
            t.scatter_(0, index(5, -1), 9.).cpu()
        self.assertEqual(t.tolist(), [0, 0, 2, 3])

    def test_graph(self):
        i, t = index(0, 1), table(4)
        t[i]
        graph = torch.hpu.HPUGraph()
        with torch.hpu.graph(graph):
            found = t[i]
        graph.replay()
        self.assertEqual(found.tolist(), [0, 1])
        for _ in range(2):
            i.copy_(index(0, 4))
            graph.replay()
            self.assert_outside('index', 4, found.tolist)
        i.copy_(index(3, -1))
        graph.replay()
        self.assertEqual(found.tolist(), [3, 3])

    def run_with(self, value, source):
        env = {**os.environ, 'GT_INDEX_CHECKS': value}
        return subprocess.run([sys.executable, '-c', 'import torch, torch_gaudi\n' + source],
                              env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=300)

    def test_variable(self):
        source = ('t, i = torch.zeros(4, device="hpu"), torch.tensor([4], device="hpu")\n'
                  'try:\n    t[i]\n    print("called")\n'
                  'except IndexError as e:\n    print("raised")\n'
                  'torch.hpu.synchronize()\n')
        now = self.run_with('now', source)
        self.assertEqual((now.returncode, now.stdout), (0, 'raised\n'), now.stderr)
        off = self.run_with('off', source)
        self.assertEqual((off.returncode, off.stdout), (0, 'called\n'), off.stderr)
        later = self.run_with('later', source)
        self.assertEqual((later.returncode, later.stdout), (1, 'called\n'))
        self.assertIn('IndexError: hpu: index: index 4 is out of bounds', later.stderr)
        wrong = self.run_with('perhaps', source)
        self.assertIn('GT_INDEX_CHECKS is "perhaps"', wrong.stderr)


if __name__ == '__main__':
    unittest.main()
