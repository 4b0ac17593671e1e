# SPDX-License-Identifier: GPL-2.0-only
"""Random numbers that the card makes: their distribution, that seeds repeat them, and what
uses them, without a fallback."""

import math
import unittest

import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import habana_frameworks.torch.hpu as hthpu
import torch_gaudi                                      # noqa: F401 - registers hpu

COUNT = 20000


class Random(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(17)
        self.no_fallback = torch.hpu.fallback_mode('error')
        self.no_fallback.__enter__()

    def tearDown(self):
        self.no_fallback.__exit__(None, None, None)

    def moments(self, x, mean, deviation):
        """Within five deviations of what so many numbers have by chance."""
        x = x.cpu().double()
        self.assertLess(abs(x.mean().item() - mean), 5 * deviation / math.sqrt(x.numel()))
        self.assertLess(abs(x.std().item() / deviation - 1), 5 / math.sqrt(x.numel()))

    def test_made_of_others(self):
        """geometric_, log_normal_ and cauchy_, the last of which has no mean."""
        def drawn(name, *arguments, dtype=torch.float32):
            return getattr(torch.empty(COUNT, device='hpu', dtype=dtype), name)(*arguments)

        for dtype in (torch.float32, torch.int64):
            x = drawn('geometric_', 0.4, dtype=dtype)
            self.assertEqual((x.dtype, x.min().item()), (dtype, 1))
            self.moments(x.float(), 2.5, math.sqrt(0.6) / 0.4)
        self.moments(drawn('log_normal_', 0.5, 0.25).log(), 0.5, 0.25)
        x = drawn('cauchy_', 2, 3)
        self.moments(((x - 2).abs() < 3).float(), 0.5, 0.5)
        self.moments((x < 2).float(), 0.5, 0.5)
        for name, arguments in (('geometric_', (1,)), ('cauchy_', (0, 0)), ('log_normal_', (0, 0))):
            with self.assertRaisesRegex(RuntimeError, name + ' expects'):
                drawn(name, *arguments)

    def test_uniform(self):
        for dtype in (torch.float32, torch.bfloat16):
            x = torch.rand(COUNT, device='hpu', dtype=dtype)
            self.assertTrue(0 <= x.min().item() and x.max().item() < 1)
            self.moments(x, 0.5, 12 ** -0.5) if dtype is torch.float32 else None
            y = torch.empty(100, 200, device='hpu', dtype=dtype).uniform_(-3, 5)
            self.assertTrue(-3 <= y.min().item() and y.max().item() <= 5)
            self.moments(y, 1 - (0.5 / 32 if dtype is torch.bfloat16 else 0), 8 * 12 ** -0.5)

    def test_normal(self):
        self.moments(torch.randn(COUNT, device='hpu'), 0, 1)
        self.moments(torch.empty(COUNT, device='hpu').normal_(3, 0.5), 3, 0.5)
        x = torch.randn(COUNT, device='hpu').cpu()
        # The share within one deviation, and beyond two.
        self.assertAlmostEqual((x.abs() < 1).double().mean().item(), 0.6827, delta=0.02)
        self.assertAlmostEqual((x.abs() > 2).double().mean().item(), 0.0455, delta=0.01)
        mean, dev = torch.zeros(COUNT, device='hpu') + 2, torch.ones(COUNT, device='hpu') * 3
        self.moments(torch.normal(mean, dev), 2, 3)
        self.moments(torch.normal(mean, 4.0), 2, 4)
        self.moments(torch.normal(1.0, dev), 1, 3)
        with self.assertRaises((RuntimeError, NotImplementedError)):
            torch.empty(3, device='hpu').normal_(0, -1)

    def test_exponential(self):
        x = torch.empty(COUNT, device='hpu').exponential_(2)
        self.assertGreater(x.min().item(), 0)
        mean = x.cpu().mean().item()
        self.assertLess(abs(mean - 0.5), 5 * 0.5 / math.sqrt(COUNT))
        self.assertAlmostEqual((x.cpu() > 0.5).double().mean().item(), math.exp(-1), delta=0.02)

    def test_bernoulli(self):
        for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.bool):
            x = torch.empty(COUNT, device='hpu', dtype=dtype).bernoulli_(0.3).cpu().double()
            self.assertTrue(((x == 0) | (x == 1)).all())
            self.assertAlmostEqual(x.mean().item(), 0.3, delta=5 * 0.46 / math.sqrt(COUNT))
        p = torch.tensor([0., 0.5, 1.]).to('hpu').expand(10000, 3)
        for x in (torch.bernoulli(p), torch.empty(10000, 3, device='hpu').bernoulli_(p)):
            mean = x.cpu().mean(0)
            self.assertEqual((mean[0].item(), mean[2].item()), (0, 1))
            self.assertAlmostEqual(mean[1].item(), 0.5, delta=0.03)

    def test_whole_numbers(self):
        x = torch.randint(-3, 9, (COUNT,), device='hpu').cpu()
        counts = torch.bincount(x + 3, minlength=12).double()
        self.assertEqual(len(counts), 12)
        self.assertLess((counts - COUNT / 12).abs().max().item(), 5 * math.sqrt(COUNT / 12))
        self.assertEqual(torch.empty(9, device='hpu').random_(5, 6).tolist(), [5.] * 9)
        for dtype, top in ((torch.uint8, 255), (torch.int8, 127), (torch.bool, 1),
                           (torch.int64, 2 ** 31 - 1), (torch.float32, 2 ** 24)):
            x = torch.empty(COUNT, device='hpu', dtype=dtype).random_().cpu().double()
            self.assertTrue(0 <= x.min() and top * 0.99 <= x.max() <= top, dtype)

    def test_seeds_repeat(self):
        made = []
        for seed in (torch.manual_seed, torch.hpu.manual_seed, torch.hpu.manual_seed_all):
            seed(5)
            made.append([torch.rand(300, device='hpu').cpu(), torch.rand(300, device='hpu').cpu()])
        for a, b in made[1:]:
            self.assertTrue(torch.equal(a, made[0][0]) and torch.equal(b, made[0][1]))
        self.assertFalse(torch.equal(*made[0]))
        torch.manual_seed(6)
        self.assertFalse(torch.equal(torch.rand(300, device='hpu').cpu(), made[0][0]))

    def test_shapes_and_strides_do_not_matter(self):
        torch.manual_seed(5)
        flat = torch.randn(30 * 70, device='hpu').cpu()
        torch.manual_seed(5)
        self.assertTrue(torch.equal(torch.randn(30, 70, device='hpu').cpu().flatten(), flat))
        torch.manual_seed(5)
        wide = torch.zeros(30, 140, device='hpu')
        wide[:, ::2].normal_()
        self.assertTrue(torch.equal(wide.cpu()[:, ::2].flatten(), flat))
        self.assertEqual(wide.cpu()[:, 1::2].abs().max().item(), 0)

    def test_generators(self):
        g = torch.Generator().manual_seed(3)
        a = torch.rand(50, device='hpu', generator=g).cpu()
        b = torch.rand(50, device='hpu', generator=g).cpu()
        g.manual_seed(3)
        self.assertTrue(torch.equal(torch.rand(50, device='hpu', generator=g).cpu(), a))
        self.assertFalse(torch.equal(a, b))

    def test_dropout(self):
        x = torch.ones(100, 100, device='hpu', requires_grad=True)
        y = F.dropout(x, 0.25)
        y.sum().backward()
        kept = (y != 0).float()
        self.assertAlmostEqual(kept.mean().item(), 0.75, delta=0.03)
        self.assertTrue(torch.allclose(y.detach().cpu(), kept.cpu() / 0.75))
        self.assertTrue(torch.equal(x.grad.cpu(), y.detach().cpu()))
        self.assertTrue(torch.equal(F.dropout(x, 0.25, training=False).cpu(), x.cpu()))

    def test_checkpoint_drops_the_same(self):
        x = torch.ones(50, 50, device='hpu', requires_grad=True)
        y = checkpoint(lambda t: F.dropout(t, 0.5), x)
        y.sum().backward()
        self.assertTrue(torch.equal(x.grad.cpu(), y.detach().cpu()))

    def test_graphs(self):
        x = torch.ones(1000, device='hpu')
        graph, seen = hthpu.HPUGraph(), []
        with hthpu.graph(graph):
            a, b = F.dropout(x, 0.5), F.dropout(x, 0.5)
        for seed in (1, None, 1):
            if seed:
                torch.manual_seed(seed)
            graph.replay()
            seen.append(torch.stack([a, b]).cpu())
            self.assertFalse(torch.equal(a.cpu(), b.cpu()))
            self.assertAlmostEqual((seen[-1] != 0).double().mean().item(), 0.5, delta=0.06)
        self.assertFalse(torch.equal(seen[0], seen[1]))
        self.assertTrue(torch.equal(seen[0], seen[2]))

    def test_multinomial(self):
        p = torch.tensor([[0., 1., 3.], [2., 2., 0.]]).to('hpu')
        drawn = torch.stack([torch.multinomial(p, 1)[:, 0].cpu() for _ in range(200)])
        self.assertEqual(set(drawn[:, 0].tolist()), {1, 2})
        self.assertEqual(set(drawn[:, 1].tolist()), {0, 1})
        self.assertAlmostEqual((drawn[:, 0] == 2).double().mean().item(), 0.75, delta=0.15)

    def test_multinomial_with_replacement(self):
        p = torch.tensor([[0., 1., 3., 0.], [2., 2., 0., 0.]])
        with torch.hpu.fallback_mode('error'):
            for t in (p, p.bfloat16()):
                drawn = torch.multinomial(t.to('hpu'), 4000, replacement=True).cpu()
                self.assertEqual((drawn.dtype, drawn.shape), (torch.int64, (2, 4000)))
                for row, want in zip(drawn, p):
                    shares = torch.bincount(row, minlength=4) / 4000
                    torch.testing.assert_close(shares, want / want.sum(), rtol=0, atol=0.04)
                    self.assertEqual(set(row.tolist()), set(want.nonzero()[:, 0].tolist()))
            self.assertEqual(torch.multinomial(p[0].to('hpu'), 1, replacement=True).shape, (1,))
            self.assertEqual(torch.multinomial(p.to('hpu'), 1, True).shape, (2, 1))
            self.assertEqual(torch.multinomial(p[0].to('hpu'), 9, True,
                                               out=torch.empty(0).long().to('hpu')).shape, (9,))
            found = []
            for _ in range(2):
                torch.manual_seed(5)
                found.append(torch.multinomial(p.to('hpu'), 50, True).cpu())
            self.assertTrue(torch.equal(*found))
            choice = torch.distributions.Categorical(logits=torch.randn(5, 3).to('hpu'))
            self.assertEqual(choice.sample().shape, (5,))
            self.assertEqual(choice.sample((7, 2)).shape, (7, 2, 5))
            for wrong in ([0., 0.], [1., -1.], [1., float('nan')], [float('inf'), 1.]):
                with self.assertRaisesRegex(RuntimeError, 'prob'):
                    torch.multinomial(torch.tensor(wrong).to('hpu'), 3, replacement=True)
            with self.assertRaisesRegex(RuntimeError, 'n_sample'):
                torch.multinomial(p.to('hpu'), 0, replacement=True)

    def test_multinomial_in_a_graph(self):
        p = torch.tensor([0., 1., 3., 0.]).to('hpu')
        torch.multinomial(p, 20, True)
        graph = torch.hpu.HPUGraph()
        with torch.hpu.graph(graph):
            drawn = torch.multinomial(p, 20, True)
        found = []
        for _ in range(2):
            graph.replay()
            found.append(drawn.tolist())
            self.assertLessEqual(set(found[-1]), {1, 2})
        self.assertNotEqual(*found)

    def test_initial_weights(self):
        with torch.no_grad():
            w = torch.empty(200, 100, device='hpu')
            torch.nn.init.kaiming_uniform_(w)
            self.moments(w, 0, math.sqrt(2 / 100))
            torch.nn.init.trunc_normal_(w, std=0.02)
            self.assertLess(abs(w.cpu().std().item() / 0.02 - 1), 0.05)


if __name__ == '__main__':
    unittest.main()
