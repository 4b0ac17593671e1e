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

    def test_narrow_casts(self):
        x = torch.tensor([0, 1, 127, 128, 255, 256, -1, -128, -129, 70000, -70000])
        for dtype in (torch.uint8, torch.int8, torch.int16):
            self.same(lambda t, d=dtype: t.to(d), x)
            self.same(lambda t, d=dtype: t.to(d), x[:3].float() + 0.75)
            self.same(lambda t, d=dtype: t.to(torch.int16).to(d).to(torch.int64), x)

if __name__ == '__main__':
    unittest.main()
