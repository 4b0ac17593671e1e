# SPDX-License-Identifier: GPL-2.0-only
"""Order, and what follows from it: beside the CPU's, without a fallback."""

import unittest

import torch

import torch_gaudi                                      # noqa: F401 - registers hpu

TYPES = (torch.float32, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool)


def sample(*shape, dtype=torch.float32):
    """Few different numbers, and of floats those that order is special for."""
    values = (torch.randn(*shape) * 2).round()
    if dtype is torch.bool:
        return values > 0
    if not dtype.is_floating_point:
        return values.abs().to(dtype)
    flat = values.view(-1)
    for i, special in enumerate((0., -0., float('nan'), float('inf'), float('-inf'), 1e-40)):
        flat[i::11] = special
    return values.to(dtype)


class Sorting(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(13)

    def same(self, function, *inputs):
        want = function(*inputs)
        with torch.hpu.fallback_mode('error'):
            got = function(*(t.to('hpu') if isinstance(t, torch.Tensor) else t for t in inputs))
        if isinstance(want, torch.Tensor):
            want, got = (want,), (got,)
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
            torch.testing.assert_close(a.cpu(), b, rtol=0, atol=0, equal_nan=True)
            if b.is_floating_point():
                self.assertTrue(torch.equal(torch.signbit(a.cpu()[~b.isnan()]),
                                            torch.signbit(b[~b.isnan()])))

    def slopes(self, function, x, *others):
        """And the gradient by the first one."""
        found = []
        for device in ('cpu', 'hpu'):
            mode = 'silent' if device == 'cpu' else 'error'
            leaf = x.clone().to(device).requires_grad_()
            with torch.hpu.fallback_mode(mode):
                out = function(leaf, *(t.to(device) for t in others))
                weights = torch.linspace(0.5, 1.5, out.numel()).view(out.shape).to(device)
                out.backward(weights)
            found.append(leaf.grad.cpu())
        torch.testing.assert_close(found[1], found[0], rtol=1e-5, atol=1e-5)

    def test_sort(self):
        for dtype in TYPES:
            for shape in ((1,), (2,), (5,), (7, 3), (2, 65, 3), (40, 9), (300,), (3, 600)):
                x = sample(*shape, dtype=dtype)
                for dim in range(-1, len(shape)):
                    for down in (False, True):
                        with self.subTest(dtype=dtype, shape=shape, dim=dim, down=down):
                            self.same(lambda t, d=dim, k=down: torch.sort(
                                t, stable=True, dim=d, descending=k), x)
        self.same(lambda t: t.t().sort(0), sample(6, 9))
        self.same(lambda t: t.argsort(0), sample(6, 9, dtype=torch.int64))
        for shape in ((0, 4), (2, 0), ()):
            self.same(lambda t: t.sort(), torch.ones(shape))
        ends = torch.tensor([2 ** 31 - 1, -2 ** 31, 0, 2 ** 31 - 1, -1])
        for down in (False, True):
            self.same(lambda t, k=down: t.sort(descending=k, stable=True), ends)
        values, indices = (torch.zeros(0).to('hpu'), torch.zeros(0).long().to('hpu'))
        torch.sort(torch.tensor([3., 1.]).to('hpu'), out=(values, indices))
        self.assertEqual((values.tolist(), indices.tolist()), ([1, 3], [1, 0]))

    def test_long_rows(self):
        """Of which a part is moved between steps."""
        for shape in ((1500,), (2, 3000), (20, 700)):
            self.same(lambda t: t.sort(stable=True), sample(*shape))
            self.same(lambda t: t.sort(stable=True, descending=True),
                      sample(*shape, dtype=torch.int64))

    def test_topk(self):
        x = torch.randperm(6 * 70).view(6, 70)
        for dtype in (torch.float32, torch.int64, torch.int32):
            for dim in (0, 1):
                for largest in (True, False):
                    for k in (0, 1, 5):
                        self.same(lambda t, k=k, d=dim, up=largest: t.topk(k, d, up), x.to(dtype))
        with self.assertRaisesRegex(RuntimeError, 'out of range'):
            x.to('hpu').topk(71)
        y = x.float().to('hpu').requires_grad_()
        y.topk(2)[0].sum().backward()
        self.assertEqual(y.grad.sum(1).tolist(), [2.] * 6)
        self.assertTrue(torch.equal(y.grad.cpu() > 0, x >= x.topk(2)[0][:, 1:]))

    def test_extremes(self):
        """Kernels of floats see no subnormal numbers, and have 0 for the larger one of two zeros."""
        for dtype in TYPES:
            for shape in ((5,), (7, 3), (2, 65, 3), (1, 1)):
                x = sample(*shape, dtype=dtype)
                if dtype.is_floating_point:
                    x[x.abs() < 1] = 0
                for dim in range(-1, len(shape)):
                    for name in ('max', 'min', 'argmax', 'argmin'):
                        if dtype is torch.bool and name.startswith('arg'):
                            continue
                        for keep in (False, True):
                            with self.subTest(name=name, dtype=dtype, shape=shape, dim=dim):
                                self.same(lambda t, n=name, d=dim, k=keep:
                                          getattr(t, n)(d, keepdim=k), x)
        self.same(lambda t: t.argmax(), sample(5, 6, dtype=torch.int64))

    def test_middle(self):
        """What the CPU finds among equals is any of them."""
        distinct = torch.randperm(6 * 15).view(6, 15)
        for dtype in (torch.float32, torch.int64):
            x = distinct.to(dtype)
            for dim in (0, 1):
                for keep in (False, True):
                    self.same(lambda t, d=dim, k=keep: t.median(d, k), x)
                    self.same(lambda t, d=dim, k=keep: t.kthvalue(3, d, k), x)
            self.same(torch.median, x)
            self.slopes(lambda t: t.median(1)[0], distinct.float())
            self.slopes(lambda t: t.kthvalue(2, 0)[0], distinct.float())
        x = distinct.float()
        x[1, 3:9] = x[2, :] = x[4, 2] = float('nan')
        for name in ('median', 'nanmedian'):
            if name == 'nanmedian':
                self.assertTrue(torch.nanmedian(x.to('hpu'), 1)[0][2].isnan().item())
                x[2, 4] = 1
            self.same(lambda t, n=name: getattr(torch, n)(t), x)
            for dim in (0, 1):
                self.same(lambda t, n=name, d=dim: getattr(torch, n)(t, d), x)
        self.same(lambda t: t.quantile(0.3, 1), distinct.float())
        self.same(torch.median, torch.tensor(3.))
        with self.assertRaisesRegex(RuntimeError, 'out of range'):
            x.to('hpu').kthvalue(16)
        with self.assertRaisesRegex(IndexError, 'non-zero size'):
            x[:, :0].to('hpu').kthvalue(1)

    def test_unique(self):
        every = {'return_inverse': True, 'return_counts': True}
        for dtype in (torch.float32, torch.int64, torch.bool):
            for shape in ((1,), (40,), (6, 7)):
                x = sample(*shape, dtype=torch.int64).to(dtype)
                self.same(torch.unique, x)
                self.same(lambda t: torch.unique(t, **every), x)
                self.same(lambda t: torch.unique_consecutive(t, **every), x)
        x = torch.randint(0, 2, (9, 2, 3))
        for dim in (0, 1, 2):
            self.same(lambda t, d=dim: torch.unique(t, dim=d, **every), x)
            self.same(lambda t, d=dim: torch.unique_consecutive(t, dim=d, **every), x)
        self.same(lambda t: torch.unique(t, dim=0, **every), x[:, 0, 0])
        for shape in ((0,), (0, 3)):
            self.same(lambda t: torch.unique(t, **every), torch.zeros(shape))
            self.same(lambda t: torch.unique(t, dim=0, **every), torch.zeros(shape))
        with self.assertRaisesRegex(RuntimeError, '0 sized dimensions'):
            torch.unique(torch.zeros(3, 0, device='hpu'), dim=0)

    def test_randperm(self):
        for n in (0, 1, 2, 100):
            with torch.hpu.fallback_mode('error'):
                torch.manual_seed(3)
                first = torch.randperm(n, device='hpu')
                torch.manual_seed(3)
                again = torch.randperm(n, device='hpu')
            self.assertEqual(sorted(first.tolist()), list(range(n)))
            self.assertEqual(first.tolist(), again.tolist())
        self.assertNotEqual(first.tolist(), list(range(100)))

    def test_running_extremes(self):
        for dtype in (torch.float32, torch.int64, torch.bool):
            for shape in ((1,), (9,), (3, 70, 2)):
                x = sample(*shape, dtype=dtype)
                for dim in range(len(shape)):
                    if dtype.is_floating_point:
                        x[x.abs() < 1e-30] = 0
                    self.same(lambda t, d=dim: t.cummax(d), x)
                    self.same(lambda t, d=dim: t.cummin(d), x)
        self.slopes(lambda t: t.cummax(1)[0], torch.randn(4, 9))
        self.slopes(lambda t: t.cummin(0)[0], torch.randn(4, 9))

    def test_searchsorted(self):
        for dtype in (torch.float32, torch.int64):
            values = (torch.randn(5, 8) * 4).round().to(dtype)
            for n in (0, 1, 2, 7, 8, 9):
                row = torch.randn(5, n).mul(4).round().to(dtype).sort(1)[0]
                for right in (False, True):
                    self.same(lambda r, v, k=right: torch.searchsorted(r, v, right=k), row, values)
                    self.same(lambda r, v, k=right: torch.bucketize(v, r, right=k, out_int32=True),
                              row[0], values)
                    self.same(lambda r, k=right: torch.searchsorted(r, 1, right=k), row[0])
        self.same(lambda r, v: torch.searchsorted(r, v), torch.arange(3.),
                  torch.tensor([float('nan'), float('inf'), -1]))
        row = torch.arange(9)
        self.same(lambda r: torch.searchsorted(r, 2.5), row)
        self.same(lambda r: torch.bucketize(2.5, r), row)
        self.same(torch.searchsorted, row, torch.tensor([2.5, 3]))
        with self.assertRaisesRegex(RuntimeError, 'opposites'):
            torch.searchsorted(row.to('hpu'), 1, side='left', right=True)

    def test_counts(self):
        x = torch.randint(0, 9, (50,))
        self.same(torch.bincount, x)
        self.same(lambda t: torch.bincount(t, minlength=20), x.int())
        self.same(lambda t, w: torch.bincount(t, w), x, torch.randint(0, 9, (50,)).float())
        self.same(torch.bincount, torch.zeros(0).long())
        self.same(torch.bincount, torch.zeros(0).long(), torch.zeros(0))
        with self.assertRaisesRegex(RuntimeError, 'non-negative'):
            torch.bincount(torch.tensor([1, -1]).to('hpu'))

    def test_which_are_there(self):
        for dtype in (torch.float32, torch.int64):
            for n in (0, 1, 50):
                x, there = torch.randint(-4, 5, (3, 4)).to(dtype), torch.randint(-9, 5, (n,)).to(dtype)
                for invert in (False, True):
                    self.same(lambda t, u, i=invert: torch.isin(t, u, invert=i), x, there)
            self.same(lambda t: torch.isin(t, 2), x)
            self.same(lambda t: torch.isin(2, t), x)
        self.same(torch.isin, torch.tensor([1., 3]), torch.tensor([1, float('nan')]))

    def test_repeat_interleave(self):
        x = torch.randn(4, 3)
        self.same(lambda t: t.repeat_interleave(3, 1), x)
        self.same(lambda t, n: t.repeat_interleave(n, 0), x, torch.tensor([0, 2, 0, 3]))
        self.same(torch.repeat_interleave, torch.tensor([2, 0, 1]))
        self.same(torch.repeat_interleave, torch.tensor([0, 0]))
        self.slopes(lambda t, n: t.repeat_interleave(n, 0), x, torch.tensor([1, 2, 0, 3]))
        with self.assertRaisesRegex(RuntimeError, 'negative'):
            torch.repeat_interleave(torch.tensor([1, -1]).to('hpu'))

    def test_sums_of_numbers(self):
        x = torch.randn(4, 5)
        x[1, 2] = x[3] = float('nan')
        self.same(lambda t: t.nansum(0).round(), (x * 8).round())
        self.same(lambda t: t.nansum((0, 1), keepdim=True).round(), (x * 8).round())
        self.slopes(lambda t: t.nansum(1), x)

    def test_scatter_reduce(self):
        index = torch.randint(0, 5, (6, 7))
        for dtype in (torch.float32, torch.int64):
            x, src = (sample(6, 7, dtype=dtype) for _ in range(2))
            if dtype.is_floating_point:
                x, src = x.clamp(-9, 9), src.clamp(-9, 9)
                x[x.abs() < 1] = src[src.abs() < 1] = 0
            for how in ('amax', 'amin', 'sum', 'mean'):
                if how in ('sum', 'mean'):
                    x, src = x.nan_to_num(1), src.nan_to_num(1)
                for dim in (0, 1):
                    for old in (True, False):
                        with self.subTest(dtype=dtype, how=how, dim=dim, old=old):
                            self.same(lambda t, i, s: t.scatter_reduce(
                                dim, i[:5], s, how, include_self=old), x, index, src)
        for how in ('amax', 'mean'):
            self.slopes(lambda t, i, s: t.scatter_reduce(0, i, s, how), torch.randn(6, 7), index,
                        torch.randn(6, 7))

    def test_index_add_of_integers(self):
        index = torch.tensor([3, 0, 3, 1])
        for dtype in (torch.int64, torch.int32):
            x, rows = sample(5, 6, 7, dtype=dtype), sample(5, 6, 7, dtype=dtype)
            for dim in (0, 1, 2):
                self.same(lambda t, i, r, d=dim: t.index_add(d, i, r.narrow(d, 0, 4), alpha=-2),
                          x, index, rows)

    def test_narrow_casts(self):
        x = torch.tensor([0, 1, 127, 128, 255, 256, -1, -128, -129, 70000, -70000])
        for dtype in (torch.uint8, torch.int8, torch.int16):
            self.same(lambda t, d=dtype: t.to(d), x)
            self.same(lambda t, d=dtype: t.to(d), x[:3].float() + 0.75)
            self.same(lambda t, d=dtype: t.to(torch.int16).to(d).to(torch.int64), x)

    def test_means_of_uneven_windows(self):
        for size in (3, 7, (5, 2)):
            self.slopes(lambda t, s=size: torch.nn.functional.adaptive_avg_pool2d(t, s),
                        torch.randn(2, 3, 11, 8))


    def test_topk_of_long_rows(self):
        """Which are looked for in the pieces with the largest elements; the first of equals."""
        for shape, dim, counts in (((3, 9000), -1, (1, 9, 250, 300)), ((8300, 4), 0, (7,)),
                                   ((2, 8200, 3), 1, (3, 20)), ((9001,), 0, (10,))):
            noise = torch.randn(shape)
            for x in (noise, noise.round(), sample(*shape), torch.full(shape, float('-inf')),
                      (noise * 1e6).long(), noise.bfloat16(), noise.int() * 0 + 2 ** 31 - 1):
                for k in counts:
                    for down in (True, False):
                        want = [t.narrow(dim, 0, k) for t in
                                x.sort(stable=True, dim=dim, descending=down)]
                        with torch.hpu.fallback_mode('error'):
                            got = x.to('hpu').topk(k, dim, down)
                        for a, b in zip(got, want):
                            torch.testing.assert_close(a.cpu(), b, rtol=0, atol=0,
                                                       equal_nan=True)

    def test_mode(self):
        for dtype in (torch.float32, torch.int64, torch.bool):
            x = (torch.randn(4, 7, 5) * 1.5).round()
            x = x > 0 if dtype is torch.bool else x.to(dtype)
            for dim in (0, 1, -1):
                self.same(lambda t, d=dim: t.mode(d)[0], x)
                values, at = x.to('hpu').mode(dim, keepdim=True)
                self.assertTrue(torch.equal(x.gather(dim, at.cpu()), values.cpu()))
        self.same(lambda t: t.mode(), torch.tensor([3, 1, 1, 3, 2]))
        self.slopes(lambda t: t.mode(1)[0], torch.randn(3, 6))

    def test_histograms(self):
        x = torch.randn(500)
        for bins, low, high in ((10, -2, 2), (7, 0, 0), (100, -0.5, 3)):
            self.same(lambda t, b=bins, k=low, m=high: torch.histc(t, b, k, m), x)
        self.same(lambda t: torch.histc(t, 4), torch.ones(3))
        self.same(lambda t: torch.histc(t, 4), torch.ones(0))
        with torch.hpu.fallback_mode('silent'):
            with self.assertRaisesRegex(RuntimeError, 'bins'):
                torch.histc(x.to('hpu'), 0)


if __name__ == '__main__':
    unittest.main()
