# SPDX-License-Identifier: GPL-2.0-only
"""Training steps as graphs: make_graphed_callables() and ModuleCacher, beside the same model
without."""

import copy
import unittest

import torch
from torch import nn
from torch.nn import functional as F

import habana_frameworks.torch as ht
import habana_frameworks.torch.core as htcore

import gpt


def network():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4)).to('hpu')


def batch(seed=2, rows=16):
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 20, generator=draw)
    return x.to('hpu'), (x[:, 0] > 0).long().to('hpu')


def steps(model, count=6, clear=True, rows=(16,)):
    """Losses and the last gradients of a training."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for i in range(count):
        x, y = batch(i, rows[i % len(rows)])
        loss = F.cross_entropy(model(x), y)
        if clear:
            optimizer.zero_grad(set_to_none=i % 2 == 0)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.grad.cpu() for p in model.parameters()]


class Graphed(unittest.TestCase):
    def same(self, got, want):
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-6)

    def test_module(self):
        for clear in (True, False):
            want = steps(network(), clear=clear)
            model = ht.hpu.make_graphed_callables(network(), (batch()[0],))
            self.same(steps(model, clear=clear), want)

    def test_nothing_is_launched_again(self):
        model = ht.hpu.make_graphed_callables(network(), (batch()[0],))
        x, before = batch()[0], torch.hpu.launch_stats()['launches']
        model(x)
        self.assertLessEqual(torch.hpu.launch_stats()['launches'] - before, 2)

    def test_windows(self):
        """Whose places are the host's numbers, which were copied to the card when it captured."""
        x = torch.randn(2, 3, 8, 8)
        at = torch.rand(2, 5, 5, 2) * 2 - 1
        for function in (lambda t: F.interpolate(t, scale_factor=2),
                         lambda t: F.interpolate(t, scale_factor=2, mode='bilinear'),
                         lambda t: F.grid_sample(t, at.to(t.device) if t.is_cpu else there),
                         lambda t: F.pad(t, (1, 2, 3, 0), mode='reflect'),
                         lambda t: F.adaptive_max_pool2d(t, 3)):
            there = at.to('hpu')
            graphed = ht.hpu.make_graphed_callables(
                function, (torch.zeros(2, 3, 8, 8, device='hpu', requires_grad=True),))
            for _ in range(2):
                mine, theirs = x.to('hpu').requires_grad_(), x.clone().requires_grad_()
                got, want = graphed(mine), function(theirs)
                got.square().sum().backward()
                want.square().sum().backward()
                self.same(got.cpu(), want)
                torch.testing.assert_close(mine.grad.cpu(), theirs.grad, rtol=1e-4, atol=1e-4)
        with torch.inference_mode():
            F.interpolate(x.to('hpu'), size=(5, 7))
        F.interpolate(x.to('hpu').requires_grad_(), size=(5, 7)).sum().backward()

    def test_function(self):
        def function(a, b):
            return {'product': a @ b, 'sum': a.sum()}

        a, b = (torch.randn(4, 4) for _ in range(2))
        graphed = ht.hpu.make_graphed_callables(
            function, (torch.zeros(4, 4, device='hpu', requires_grad=True),
                       torch.zeros(4, 4, device='hpu')))
        for scale in (1, 3):
            mine = (a * scale).to('hpu').requires_grad_()
            theirs = (a * scale).requires_grad_()
            got, want = graphed(mine, b.to('hpu')), function(theirs, b)
            (got['product'].sum() * 2 + got['sum']).backward()
            (want['product'].sum() * 2 + want['sum']).backward()
            self.same(got['sum'].cpu(), want['sum'])
            self.same(mine.grad.cpu(), theirs.grad)

    def test_several(self):
        first, second = nn.Linear(20, 8).to('hpu'), nn.Linear(8, 4).to('hpu')
        plain = nn.Sequential(copy.deepcopy(first), copy.deepcopy(second))
        graphed = ht.hpu.make_graphed_callables(
            (first, second), ((batch()[0],),
                              (torch.zeros(16, 8, device='hpu', requires_grad=True),)))
        self.same(steps(nn.Sequential(*graphed)), steps(plain))

    def test_modes(self):
        model = ht.hpu.make_graphed_callables(nn.Sequential(
            nn.Linear(20, 4), nn.BatchNorm1d(4)).to('hpu'), (batch()[0],))
        self.same(model[1].running_var.cpu(), torch.ones(4))
        x = batch()[0]
        model(x)
        self.assertEqual(model[1].num_batches_tracked.item(), 1)
        got = model.eval()(x)
        want = F.batch_norm(model[0](x), model[1].running_mean, model[1].running_var)
        self.same(got.cpu(), want.cpu())

    def test_gpt(self):
        text, results = gpt.Text(), []
        for graphs in (False, True):
            torch.manual_seed(1)
            model = text.network().to('hpu')
            optimizer, losses = text.optimizer(model.parameters()), []
            if graphs:
                model = htcore.hpu.ModuleCacher(max_graphs=1)(model=model, inplace=True)
            for x, y in text.batches(3):
                loss = text.loss(model(x.to('hpu')), y.to('hpu'))
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            results.append(losses)
        self.same(*results)

    def test_what_cannot_be(self):
        model = network()
        handle = model[0].register_forward_hook(lambda *a: None)
        with self.assertRaisesRegex(RuntimeError, 'hooks'):
            ht.hpu.make_graphed_callables(model, (batch()[0],))
        handle.remove()
        with self.assertRaisesRegex(TypeError, 'only be tensors'):
            ht.hpu.make_graphed_callables(model, (batch()[0], 3))
        with self.assertRaisesRegex(ValueError, '1 sample_args for 2'):
            ht.hpu.make_graphed_callables((model, model), ((batch()[0],),))
        with self.assertRaisesRegex(RuntimeError, 'captur'):
            ht.hpu.make_graphed_callables(lambda x: x * x.sum().item(), (batch()[0],))
        self.assertEqual((torch.ones(3).to('hpu') + 1).sum().item(), 6)
        graphed = ht.hpu.make_graphed_callables(model, (batch()[0],))
        loss = graphed(batch()[0]).sum()
        graphed(batch(3)[0])
        with self.assertRaisesRegex(RuntimeError, 'replayed again'):
            loss.backward()


class Scaled(torch.nn.Module):
    """With constants of Python, as rotary embeddings have them, and an argument to scale by."""

    def forward(self, x, scale):
        steps = 1 / 100 ** (torch.arange(0, 4, 2, device=x.device).float() / 4)
        return x * torch.tensor([3.], device=x.device) * scale.to(x.device) + steps.sum()


class ScaledResults(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = network()

    def forward(self, x, scale):
        return self.network(x) * scale


class Cached(torch.nn.Module):
    """Writes each call's rows to a cache that it is given, counts its calls, and takes an object
    that has a tensor."""

    def __init__(self):
        super().__init__()
        self.register_buffer('calls', torch.zeros(()))

    def forward(self, x, cache, at, options=None):
        self.calls += 1
        cache.index_copy_(0, at, x)
        return cache.sum(0) + (options.bias if options else 0), cache


class Options:
    def __init__(self, bias):
        self.bias = bias


class Wrapped(unittest.TestCase):
    def check(self, *scales):
        model = ht.hpu.wrap_in_hpu_graph(Scaled().eval())
        for i, scale in enumerate(scales):
            x = torch.full((2,), float(i))
            self.assertEqual(model(x.to('hpu'), scale).tolist(), Scaled()(x, scale.cpu()).tolist())

    def test_constants(self):
        with torch.no_grad():
            self.check(*(torch.tensor([2. + i]).to('hpu') for i in range(3)))

    def test_inputs_that_are_written(self):
        """As caches of keys and values are, whether a script goes on with its own or with what
        it got back."""
        def run(model, device, own):
            cache, found = torch.zeros(5, 3, device=device), []
            for i in range(5):
                x = torch.full((1, 3), i + 1., device=device)
                at = torch.tensor([i], device=device)
                total, given = model(x, cache, at)
                found.append(total.cpu())
                cache = cache if own else given
            return torch.cat(found), cache.cpu(), model.calls.cpu()

        with torch.no_grad():
            for own in (True, False):
                model = ht.hpu.wrap_in_hpu_graph(Cached().to('hpu').eval())
                for got, want in zip(run(model, 'hpu', own), run(Cached(), 'cpu', own)):
                    torch.testing.assert_close(got, want)

    def test_objects_with_tensors(self):
        """No graph has what was in the first one."""
        model, cache = ht.hpu.wrap_in_hpu_graph(Cached().to('hpu').eval()), torch.zeros(
            5, 3, device='hpu')
        x, at = torch.ones(1, 3, device='hpu'), torch.tensor([2], device='hpu')
        options = Options(None)
        with torch.no_grad():
            for bias in (1., 2., 3.):
                options.bias = torch.tensor(bias, device='hpu')
                self.assertEqual(model(x, cache, at, options)[0].tolist(), [1 + bias] * 3)

    def test_arguments_that_change_places(self):
        class Difference(torch.nn.Module):
            def forward(self, a, b):
                return a - 2 * b, a, b
        model = ht.hpu.wrap_in_hpu_graph(Difference().eval())
        a, b = torch.tensor([5.], device='hpu'), torch.tensor([1.], device='hpu')
        with torch.no_grad():
            for _ in range(2):
                got, a, b = model(a, b)
                self.assertEqual(got.item(), 3)
            self.assertEqual(model(b, a)[0].item(), -9)

    def test_arguments_of_the_cpu(self):
        """They are seen: no graph has the first ones."""
        with torch.no_grad():
            self.check(*(torch.tensor([2. + i]) for i in range(3)))
            self.check(*(torch.tensor(2. + i) for i in range(3)))
        model = htcore.hpu.ModuleCacher()(ScaledResults())
        x = batch()[0]
        once, twice = (model(x, torch.tensor(scale)) for scale in (1., 2.))
        torch.testing.assert_close(twice.cpu(), 2 * once.cpu())
        with self.assertRaisesRegex(ValueError, 'only be of hpu'):
            ht.hpu.make_graphed_callables(network(), (x.cpu(),))

    def test_modes(self):
        model = ht.hpu.wrap_in_hpu_graph(network().eval())
        x = batch()[0]
        with torch.inference_mode():
            first = model(x).cpu()
        with torch.no_grad():
            torch.testing.assert_close(model(x).cpu(), first)
            with torch.autocast('hpu'):
                self.assertIs(model(x).dtype, torch.bfloat16)
            self.assertIs(model(x).dtype, torch.float32)

    def test_what_the_cpu_does(self):
        x = torch.ones(3, device='hpu')
        for what, says in ((lambda: x.sum().item(), 'item'),
                           (lambda: torch.polygamma(2, x), 'polygamma.* runs on the CPU')):
            with self.assertRaisesRegex(RuntimeError, says), ht.hpu.graph(ht.hpu.HPUGraph()):
                what()
        self.assertEqual((x + 1).sum().item(), 6)


class Cacher(unittest.TestCase):
    def recipes(self, model, rows):
        """Which batches of so many rows had a graph: those launch less."""
        found = []
        for n in rows:
            x = batch(1, n)[0]
            before = torch.hpu.launch_stats()['launches']
            model(x)
            found.append(torch.hpu.launch_stats()['launches'] - before <= 2)
        return found

    def test_training(self):
        rows = (16, 8, 16, 12)
        want = steps(network(), 8, rows=rows)
        for arguments in ({}, {'inplace': False}, {'use_lfu': True}):
            model = htcore.hpu.ModuleCacher(max_graphs=2)(network(), **arguments)
            torch.testing.assert_close(steps(model, 8, rows=rows), want, rtol=1e-5, atol=1e-6)

    def test_limit(self):
        model = htcore.hpu.ModuleCacher(max_graphs=1)(network())
        self.recipes(model, (16, 8))
        self.assertEqual(self.recipes(model, (16, 8)), [True, False])
        model = htcore.hpu.ModuleCacher(max_graphs=1)(network(), use_lfu=True)
        self.recipes(model, (16, 8))
        self.assertEqual(self.recipes(model, (8,)), [True])
        model.capture_end()
        self.recipes(model, (4,))
        self.assertEqual(self.recipes(model, (4, 8)), [False, True])
        model.capture_start()
        self.recipes(model, (4,))
        self.assertEqual(self.recipes(model, (4,)), [True])

    def test_autocast(self):
        model = htcore.hpu.ModuleCacher()(network())
        x = batch()[0]
        for _ in range(2):
            self.assertIs(model(x).dtype, torch.float32)
            with torch.autocast('hpu', dtype=torch.bfloat16):
                self.assertIs(model(x).dtype, torch.bfloat16)

    def test_eval(self):
        model = htcore.hpu.ModuleCacher()(network())
        x = batch()[0]
        with torch.no_grad():
            self.assertFalse(model(x).requires_grad)
        self.assertTrue(model(x).requires_grad)


if __name__ == '__main__':
    unittest.main()
