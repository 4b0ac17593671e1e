# SPDX-License-Identifier: GPL-2.0-only
"""Lazy mode: the numbers of eager mode to the bit, and no graph is made twice."""

import os
import subprocess
import sys
import threading
import unittest

import torch
from torch import nn
from torch.nn import functional as F

import habana_frameworks.torch.core as htcore
from habana_frameworks.torch.hpex.optimizers import FusedAdamW
from habana_frameworks.torch.hpu.metrics import metric_localcontext

from test_training import GPT, cnn, mlp


def train(make, optimizer, batches, mark=True, schedule=None):
    """Losses and parameters of a training, as they are on the card."""
    torch.manual_seed(1)
    model = make().to('hpu')
    optimizer = optimizer(model.parameters())
    losses = []
    for i, (x, y) in enumerate(batches):
        x, y = x.to('hpu'), y.to('hpu')
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        if mark:
            htcore.mark_step()
        optimizer.step()
        if mark:
            htcore.mark_step()
        losses.append(loss.detach())
        if schedule:
            schedule(i)
    return [t.detach().cpu() for t in losses + list(model.state_dict().values())]


def rows(count, classes=5):
    draw = torch.Generator().manual_seed(2)
    return [(torch.randn(8, 20, generator=draw),
             torch.randint(classes, (8,), generator=draw)) for _ in range(count)]


def pictures(count):
    draw = torch.Generator().manual_seed(3)
    return [(torch.randn(8, 1, 8, 8, generator=draw),
             torch.randint(5, (8,), generator=draw)) for _ in range(count)]


def texts(count):
    draw = torch.Generator().manual_seed(4)
    return [(torch.randint(20, (2, 16), generator=draw),
             torch.randint(20, (2, 16), generator=draw)) for _ in range(count)]


def with_dropout():
    return nn.Sequential(nn.Linear(20, 64), nn.Dropout(0.3), nn.ReLU(), nn.Linear(64, 5))


def program(text, **variables):
    return subprocess.run([sys.executable, '-c', 'import torch, torch_gaudi\n' + text],
                          env={**os.environ, **variables}, capture_output=True, text=True)


class Lazy(unittest.TestCase):
    def both(self, function, *args, **kwargs):
        """The function's tensors in both modes, which are the same."""
        found = []
        for lazy in (False, True):
            with torch.hpu.lazy_mode(lazy):
                torch.manual_seed(5)
                found.append([t.cpu() for t in function(*args, **kwargs)])
        eager, lazy = found
        self.assertEqual(len(eager), len(lazy))
        for one, other in zip(eager, lazy):
            self.assertTrue(torch.equal(one, other), (one, other))
        return lazy

    def test_is_collected(self):
        with torch.hpu.lazy_mode():
            x = torch.ones(4, device='hpu')
            htcore.mark_step()
            before = torch.hpu.lazy_stats()
            y = (x + 1) * 3
            self.assertEqual(torch.hpu.lazy_stats()['flushes'], before['flushes'])
            self.assertGreaterEqual(torch.hpu.lazy_stats()['collected'],
                                    before['collected'] + 2)
            self.assertEqual(y[0].item(), 6)
            self.assertEqual(torch.hpu.lazy_stats()['flushes'], before['flushes'] + 1)
            htcore.mark_step()
            self.assertEqual(torch.hpu.lazy_stats()['flushes'], before['flushes'] + 1)

    def test_sgd(self):
        self.both(train, mlp, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), rows(6))

    def test_without_mark_step(self):
        self.both(train, mlp, lambda p: torch.optim.SGD(p, lr=0.1), rows(4), mark=False)

    def test_cnn(self):
        self.both(train, cnn, lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9), pictures(5))

    def test_gpt(self):
        self.both(train, GPT, lambda p: torch.optim.AdamW(p, lr=1e-3), texts(4))

    def test_adam(self):
        self.both(train, mlp, lambda p: torch.optim.Adam(p, lr=1e-2), rows(12))

    def test_fused_adamw(self):
        self.both(train, mlp, lambda p: FusedAdamW(p, lr=1e-2, weight_decay=0.1), rows(11))

    def test_dropout(self):
        self.both(train, with_dropout, lambda p: torch.optim.SGD(p, lr=0.1), rows(5))

    def test_nothing_is_made_again(self):
        """Numbers that an optimizer computes of its step are no new recipe, nor graph."""
        counts = []

        def note(_):
            counts.append((torch.hpu.launch_stats()['recipes'],
                           torch.hpu.lazy_stats()['graphs'], torch.hpu.lazy_stats()['hits']))

        with torch.hpu.lazy_mode():
            train(mlp, lambda p: torch.optim.Adam(p, lr=1e-2), rows(24), schedule=note)
        settled, last = counts[14], counts[-1]
        self.assertEqual(last[:2], settled[:2], counts)
        self.assertGreaterEqual(last[2], settled[2] + 2 * 9)

    def test_views(self):
        def work(count):
            x = torch.arange(24., device='hpu').view(4, 6)
            for i in range(count):
                row, part = x[1], x[:, 1:4]
                row.add_(i)
                part.t()[0].mul_(2)
                part.view(-1) if part.is_contiguous() else part.reshape(-1)
                x.t()[2:5].sub_(row[:4])
                x[::2, ::3] = x[1::2, 1::3]
                x[1:].copy_(x[:-1].clone())
                x[:, 2:] += x[:, :-2]
                x.diagonal().fill_(i + 0.5)
                x = x.detach()
                htcore.mark_step()
            return [x, row, part]

        # The later ones come as graphs, with other addresses.
        for count in (1, 4):
            got = self.both(work, count)
            self.assertTrue(torch.equal(got[0][1], got[1]))
            self.assertTrue(torch.equal(got[0][:, 1:4], got[2]))

    def test_overlapping_copy(self):
        def work():
            x = torch.arange(64., device='hpu')
            for _ in range(3):
                x[1:].copy_(x[:-1])
                htcore.mark_step()
            return [x]
        got, = self.both(work)
        self.assertEqual(got[:5].tolist(), [0, 0, 0, 0, 1])

    def test_memory_that_goes(self):
        """What is freed, and given out again, before it was computed."""
        def work():
            total, kept = torch.zeros(100, device='hpu'), []
            for i in range(40):
                x = torch.full((100,), float(i), device='hpu')
                kept.append(x * 2)
                total += x
                del x
                if len(kept) > 3:
                    kept.pop(0)
                if i % 10 == 9:
                    htcore.mark_step()
            return [total, *kept]
        got = self.both(work)
        self.assertEqual(got[0].tolist(), [780] * 100)
        self.assertEqual([t[0].item() for t in got[1:]], [74, 76, 78] if len(got) == 4 else
                         [72, 74, 76, 78][-len(got) + 1:])

    def test_memory_is_given_back(self):
        with torch.hpu.lazy_mode():
            begun = torch.hpu.memory_allocated()
            x = torch.ones(1 << 20, device='hpu')
            y = x + 1
            self.assertEqual(y[-1].item(), 2)
            self.assertGreaterEqual(torch.hpu.memory_allocated() - begun, 8 << 20)
            del x, y
            self.assertLess(torch.hpu.memory_allocated() - begun, 1 << 20)
            for i in range(40):                         # it is not wanted again
                (torch.ones(4, device='hpu') + i).cpu()
            self.assertLess(torch.hpu.memory_allocated() - begun, 1 << 20)

    def test_autograd_on_threads(self):
        """A backward pass has a thread of its own, and so may have two trainings."""
        def work():
            found = {}

            def one(name):
                draw = torch.Generator().manual_seed(name)
                w = torch.randn(6, 6, generator=draw).to('hpu').requires_grad_()
                for _ in range(6):
                    (w @ w).tanh().sum().backward()
                    with torch.no_grad():
                        w -= 0.1 * w.grad
                    w.grad = None
                    htcore.mark_step()
                found[name] = w.detach()

            threads = [threading.Thread(target=one, args=(n,)) for n in (1, 2)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            return [found[1], found[2]]
        self.both(work)

    def test_streams(self):
        def work():
            x = torch.ones(1000, device='hpu')
            other = torch.hpu.Stream()
            for i in range(4):
                x.mul_(2)
                event = torch.hpu.current_stream().record_event()
                with torch.hpu.stream(other):
                    other.wait_event(event)
                    y = x + i
                    y.record_stream(torch.hpu.default_stream())
                    done = other.record_event()
                torch.hpu.current_stream().wait_event(done)
                x = y * 1
            return [x]
        got, = self.both(work)
        self.assertEqual(got[0].item(), 27)

    def test_fallback(self):
        """The CPU has an operator in between."""
        def work():
            x = torch.linspace(0.1, 2, 12, device='hpu').view(3, 4)
            for _ in range(3):
                x = torch.i0(x + 1) * 2 + x
                x[0] += 1
                htcore.mark_step()
            return [x]
        self.both(work)

    def test_exception(self):
        """What was right before and after an error is done."""
        def work():
            x = torch.ones(4, 4, device='hpu')
            x += 1
            with self.assertRaises(RuntimeError):
                x @ torch.ones(3, 3, device='hpu')
            x += 1
            with self.assertRaises(RuntimeError):
                with torch.hpu.fallback_mode('error'):
                    torch.i0(x)
            return [x * 2]
        got, = self.both(work)
        self.assertEqual(got.tolist(), [[6.] * 4] * 4)

    def test_fills(self):
        """Other values each time, in the same graph."""
        def work():
            x = torch.zeros(3, 5, device='hpu')
            for i in range(3000):
                x[1, 2] = i
                x[2].fill_(-i)
                if i % 1000 == 7:
                    htcore.mark_step()
            return [x]
        got, = self.both(work)
        self.assertEqual(got[1, 2].item(), 2999)
        self.assertEqual(got[2].tolist(), [-2999.] * 5)

    def test_graph_within(self):
        with torch.hpu.lazy_mode():
            x = torch.zeros(8, device='hpu')
            y = x + 1
            made = torch.hpu.HPUGraph()
            with torch.hpu.graph(made):
                y = x * 2 + 1
            for i in range(3):
                x.fill_(i)
                made.replay()
                self.assertEqual((y + 1)[0].item(), 2 * i + 2)
            del made, y
            x += 1
            self.assertEqual(x[3].item(), 3)

    def test_other_shapes(self):
        """Graphs of shapes that come and go are limited in number."""
        text = '''
for again in range(2):
    for n in range(1, 60):
        for _ in range(2):
            x = torch.ones(n, device="hpu")
            y = (x + 1) * 2 - 1
            assert y.sum().item() == 3 * n
stats = torch.hpu.lazy_stats()
print(stats["kept"], stats["evictions"] > 50, stats["hits"] > 0)'''
        done = program(text, PT_HPU_LAZY_MODE='1', GT_LAZY_GRAPHS='4')
        self.assertEqual(done.stdout, '4 True True\n', done.stderr)

    def test_memory_of_many_shapes(self):
        text = '''
def some(first, last):
    for n in range(first, last):
        for _ in range(3):
            x = torch.ones(n, device="hpu")
            assert (x + x).sum().item() == 2 * n
    torch.hpu.empty_cache()
    return torch.hpu.memory_allocated()
some(1, 60)
first = some(60, 120)
print(some(120, 300) <= first + (1 << 20))'''
        done = program(text, PT_HPU_LAZY_MODE='1', GT_LAZY_GRAPHS='8', GT_LAUNCHERS='16')
        self.assertEqual(done.stdout, 'True\n', done.stderr)

    def test_variables(self):
        text = 'x = torch.ones(3, device="hpu"); print(torch.hpu.is_lazy())'
        for value, want in (('1', 'True\n'), ('0', 'False\n'), ('2', 'False\n')):
            self.assertEqual(program(text, PT_HPU_LAZY_MODE=value).stdout, want)
        done = program(text, PT_HPU_LAZY_MODE='yes')
        self.assertIn('PT_HPU_LAZY_MODE is "yes"', done.stderr)
        text = '''
x = torch.ones(3, device="hpu")
for _ in range(9):
    x = x + 1
print(torch.hpu.lazy_stats()["flushes"])'''
        done = program(text, PT_HPU_LAZY_MODE='1', PT_HPU_MAX_COMPOUND_OP_SIZE='3')
        self.assertEqual(done.stdout, '3\n', done.stderr)
        done = program(text, PT_HPU_LAZY_MODE='1', PT_HPU_MAX_COMPOUND_OP_SIZE='none')
        self.assertIn('PT_HPU_MAX_COMPOUND_OP_SIZE is "none"', done.stderr)

    def test_closures_and_metrics(self):
        with torch.hpu.lazy_mode():
            said = []
            x = torch.ones(5, device='hpu')
            with metric_localcontext('recipe_cache') as used:
                for _ in range(4):
                    x = x * 2 - 1
                    htcore.add_step_closure(lambda t: said.append(t.sum().item()), (x,))
                    htcore.mark_step()
            self.assertEqual(said, [5.] * 4)
            self.assertGreaterEqual(dict(used.stats())['TotalNumber'], 2)

    def test_numbers_as_tensors(self):
        """From the ninth number on a kernel's scalar is a tensor: to the bit the same."""
        draw = torch.Generator().manual_seed(7)
        host = torch.randn(77, generator=draw)
        numbers = torch.randn(20, generator=draw).tolist()
        x = host.to('hpu')
        for work in (lambda t, n: t * n, lambda t, n: t + n, lambda t, n: t - n,
                     lambda t, n: n - t, lambda t, n: t / n, lambda t, n: n / t):
            got = torch.stack([work(x, n).cpu() for n in numbers])
            want = torch.stack([work(host[:70].to('hpu'), n).cpu() for n in numbers[:8]])
            self.assertTrue(torch.equal(got[:8, :70], want))
            want = torch.cat([torch.stack([work(host[:60 - k].to('hpu'), n).cpu()[:50]
                                           for n in numbers[8 * k:8 * k + 8]])
                              for k in range(3)])
            self.assertTrue(torch.equal(got[:, :50], want))


if __name__ == '__main__':
    unittest.main()
