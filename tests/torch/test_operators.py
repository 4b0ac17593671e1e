# SPDX-License-Identifier: GPL-2.0-only
"""Operators that have kernels: values and gradients beside the CPU's, without a fallback."""

import unittest
import warnings

import torch
from torch.nn import functional as F

import torch_gaudi                                      # noqa: F401 - registers hpu

TOLERANCE = {torch.float32: (2e-5, 1e-5), torch.bfloat16: (2e-2, 4e-2)}


def labels(*shape, below):
    return torch.randint(0, below, shape)


class Operators(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def compare(self, function, *inputs, types=(torch.float32, torch.bfloat16), grad=True):
        """Forward and backward on both devices; no operator on the CPU."""
        for dtype in types:
            with self.subTest(dtype=dtype):
                self.compare_one(function, inputs, dtype, grad)

    def compare_one(self, function, inputs, dtype, grad):
        results = []
        for device in ('cpu', 'hpu'):
            args = [x.to(dtype) if x.is_floating_point() else x for x in inputs]
            args = [x.detach().to(device) for x in args]
            for x in args:
                x.requires_grad_(grad and x.is_floating_point())
            with torch.hpu.fallback_mode('error' if device == 'hpu' else 'warn'):
                y = function(*args)
                if grad:
                    weight = torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape)
                    y.backward(weight.to(dtype).to(device))
            results.append([y.detach().cpu()] +
                           [x.grad.cpu() for x in args if x.grad is not None])
        rtol, atol = TOLERANCE[dtype]
        for cpu, hpu in zip(*results):
            torch.testing.assert_close(hpu, cpu, rtol=rtol, atol=atol, equal_nan=True)

    def test_arithmetic(self):
        a, b = torch.randn(3, 4, 5), torch.randn(4, 1)
        self.compare(lambda x, y: x + y, a, b)
        self.compare(lambda x, y: torch.sub(x, y, alpha=3), a, b)
        self.compare(lambda x, y: x * y / 3 - 1.5 + 2 * x, a, b)
        self.compare(lambda x, y: 1 / (2 - x * x), a * 0.1, b)
        self.compare(lambda x, y: x / (y.abs() + 1), a, b, grad=False)

    def test_numbers_of_the_tensors_type(self):
        """Beside bf16 a number is bf16 where results leap by it."""
        x = torch.tensor([0.001, 0.3, -0.7, 5]).bfloat16()
        for f in (lambda t: t == 0.001, lambda t: t < 0.3, lambda t: 0.3 >= t,
                  lambda t: torch.fmod(t, 0.1), lambda t: torch.remainder(t, -0.1)):
            self.assertTrue(torch.equal(f(x.to('hpu')).cpu(), f(x)))

    def test_bool(self):
        a, b = torch.tensor([True, True, False, False]), torch.tensor([True, False] * 2)
        for alpha in (True, False):
            got = torch.add(a.to('hpu'), b.to('hpu'), alpha=alpha)
            self.assertTrue(torch.equal(got.cpu(), torch.add(a, b, alpha=alpha)))

    def compare_integers(self, function, *inputs):
        with torch.hpu.fallback_mode('error'):
            got = function(*(t.to('hpu') for t in inputs))
        want = function(*inputs)
        self.assertEqual(got.dtype, want.dtype)
        self.assertTrue(torch.equal(got.cpu(), want), f'{got.cpu()} is not {want}')

    def test_powers_of_integers(self):
        a = torch.tensor([[3, -2, 0, 1], [-1, 7, 2, -5]])
        for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
            for e in (0, 1, 2, 3, 5, 10):
                self.compare_integers(lambda t, e=e: t ** e, a.to(dtype))
        e = torch.tensor([[0, 3, 5, 29], [-3, 4, 30, 1]])
        self.compare_integers(torch.pow, a, e)
        self.compare_integers(torch.pow, a, -e)
        self.compare_integers(lambda t: 2 ** t, e)
        self.compare_integers(lambda t: (-3) ** t, e.clamp(max=19))
        self.compare_integers(lambda t: t[:, :2] ** t[:1, 2:], a)

    def test_products_of_integers(self):
        a = torch.randint(-4, 5, (3, 5, 7)) | 1
        self.compare_integers(lambda t: t[0, 0].prod(), a)
        self.compare_integers(lambda t: t[:, :2, :3].to(torch.int8).prod(), a)
        for dim in (0, 1, -1):
            self.compare_integers(lambda t, dim=dim: t.prod(dim), a)
            self.compare_integers(lambda t, dim=dim: t.prod(dim, keepdim=True, dtype=torch.int32), a)
        self.compare_integers(lambda t: t[0, 0, 0].prod(0), a)
        self.compare_integers(lambda t: (t > -1).prod(1), a)
        b = torch.randint(-9, 9, (3, 7, 4))
        self.compare_integers(torch.bmm, a, b)
        self.compare_integers(lambda s, t: s[0] @ t[0], a, b)
        self.compare_integers(lambda s, t: s[0, 0].dot(t[0, :, 0]), a, b)

    def test_narrow_integers(self):
        """As the CPU's run over, not as words."""
        a, b = torch.tensor([250, 3, 0, 128]), torch.tensor([9, 200, 1, 128])
        for dtype in (torch.uint8, torch.int8, torch.int16):
            self.compare_integers(lambda s, t: s + t, a.to(dtype), b.to(dtype))
            self.compare_integers(lambda s, t: torch.sub(s, t, alpha=3), a.to(dtype), b.to(dtype))
            self.compare_integers(lambda s, t: s * t, a.to(dtype), b.to(dtype))
            self.compare_integers(lambda s: 1 - s, a.to(dtype))
            self.compare_integers(lambda s: s.clone().mul_(100), a.to(dtype))

    def test_floor_division(self):
        a = torch.tensor([7, -7, 0.3, 1, 6, 0, -1, 5, 1e30])
        for b in (2., -3., 0.1, 0., float('inf'), -1e-3):
            self.compare(lambda t, b=b: torch.div(t, b, rounding_mode='floor'), a[:-1],
                         grad=False)
            self.compare(lambda t, b=b: t // b, a[:-1], grad=False)
            self.compare(lambda t, b=b: t.clone().floor_divide_(torch.full_like(t, b)), a[:-1],
                         grad=False)
        self.compare(lambda t: t // 2, a, grad=False)

    def test_quotients_of_any_size(self):
        """What remains is exact, and a quotient that is too large infinite."""
        a = torch.tensor([-8.4375, 8.4375, 0.5, 3e38, -1e30, 2.0 ** 100])
        b = torch.tensor([2.0 ** -126, -2.0 ** -126, 3., 0.1, 1e-20])
        for f in (lambda x, y: torch.div(x, y, rounding_mode='floor'),
                  lambda x, y: torch.div(x, y, rounding_mode='trunc'),
                  torch.floor_divide, torch.fmod, torch.remainder):
            self.compare(f, a[:, None], b, grad=False)
        for t in b.tolist():
            self.compare(lambda x, t=t: x % t, a)
            self.compare(lambda x, t=t: x // t, a, grad=False)

    def test_functions(self):
        x = torch.randn(4, 33)
        for f in (torch.exp, torch.tanh, torch.sigmoid, F.gelu, torch.relu, F.silu,
                  lambda t: F.gelu(t, approximate='tanh'), lambda t: t ** 2,
                  lambda t: t ** 3):
            self.compare(f, x, grad=f is not F.silu)
        for f in (torch.log, torch.sqrt, torch.rsqrt, torch.reciprocal):
            self.compare(f, x.abs() + 0.5)

    def test_functions_of_others(self):
        """Which the card has no kernels of."""
        x, y = torch.randn(4, 33), torch.randn(4, 33)
        for function in (torch.hypot, torch.copysign, torch.logaddexp, torch.logaddexp2):
            self.compare(function, x, y)
            self.compare(lambda t, f=function: f(t, t[0]), x)
        for function in (torch.lgamma, torch.sinc, torch.digamma):
            self.compare(function, x.abs() + 0.02, types=[torch.float32], grad=False)
            self.compare(function, (x - 0.3) * 4, types=[torch.float32], grad=False)
        for value in (0.3, 0.999, 1.001, 1.6, 2.0, 2.4, 7.9, 8.1, 300.0):
            self.compare(torch.lgamma, torch.tensor([value]), types=[torch.float32])
        special = torch.tensor([0.0, -0.0, float('inf'), float('-inf'), float('nan'), -3.0,
                                3e38, 1e-30])
        for function in (torch.lgamma, torch.digamma, torch.sinc, torch.signbit,
                         lambda t: torch.hypot(t, t.flip(0)),
                         lambda t: torch.copysign(torch.ones_like(t), t[:4]) if t.numel() == 4
                         else torch.signbit(t), lambda t: torch.logaddexp(t, t),
                         lambda t: torch.heaviside(t, torch.full_like(t, 0.5))):
            self.compare(function, special, types=[torch.float32], grad=False)
        for function in (lambda t: 2.0 ** t, lambda t: torch.round(t, decimals=1),
                         lambda t: torch.round(t * 1000, decimals=-2)):
            self.compare(function, x, types=[torch.float32])
        n = torch.randint(-50, 50, (20,))
        self.compare(lambda t: (t << 2) + (t >> 1), n, grad=False)
        self.compare(lambda t: torch.signbit(t), n, grad=False)

    def test_in_place(self):
        def f(x, y):
            z = x * 1
            z[1:].add_(y)
            z.mul_(2).tanh_()
            z = z + 0
            z[:, ::2] -= 1
            return z
        self.compare(f, torch.randn(4, 6), torch.randn(6))

    def test_matrices(self):
        a, b, c = torch.randn(7, 5), torch.randn(5, 9), torch.randn(9)
        self.compare(lambda x, y: x @ y, a, b)
        self.compare(lambda x, y, z: torch.addmm(z, x, y, beta=0.5, alpha=2), a, b, c)
        self.compare(lambda x, y, z: F.linear(x, y.t(), z), a, b, c)
        self.compare(lambda x, y: x.t() @ y.t(), torch.randn(5, 7), torch.randn(9, 5))
        self.compare(lambda x, y: torch.bmm(x, y.transpose(1, 2)), torch.randn(3, 7, 5),
                     torch.randn(3, 4, 5))
        self.compare(lambda x, y: x @ y, a, torch.randn(5))
        self.compare(lambda x, y: torch.dot(x, y), torch.randn(40), torch.randn(40))
        self.compare(lambda x, y: x @ y, torch.randn(2, 3, 4, 5), torch.randn(2, 3, 5, 6))

    def test_short_rows(self):
        """Dims inside of what fills a kernel's lanes, beside many outside."""
        add = lambda t, u: t * 0.5 + u                      # noqa: E731
        for shape, other in (((700, 3), (3,)), ((520, 16, 4), (16, 1)), ((64, 32, 16), (32, 1)),
                             ((521, 7), (7,)), ((2, 600, 5), (1, 600, 5)), ((600, 16, 4), (4,)),
                             ((300, 2, 3, 5), (2, 1, 5)), ((20, 40, 12), (20, 1, 12))):
            x, y = torch.randn(shape), torch.randn(other)
            self.compare(add, x, y)
            self.compare(lambda t, u: t.transpose(0, -1) + u.abs().sum(), x, y, grad=False,
                         types=[torch.float32])
            last = x.flatten(1).t().contiguous().t()
            self.compare(lambda t: t.clone().add_(t[:1]), last, grad=False)
        for shape, dims in (((900, 5), 0), ((3, 640, 7), 1), ((128, 24, 6), (0, 2)),
                            ((2, 97, 10), (0, 1)), ((1, 640, 1, 7), (0, 1)),
                            ((40, 3, 5, 2), (0, 2))):
            self.compare(lambda t, d=dims: t.sum(d), torch.randn(shape), types=[torch.float32])
            self.compare(lambda t, d=dims: t.amax(d), torch.randn(shape), grad=False)

    def test_reductions(self):
        x = torch.randn(3, 4, 5, 6)
        for dims in (0, 1, 3, (0, 2), (1, 3), (0, 1, 2, 3), (-1, -2)):
            self.compare(lambda t, d=dims: t.sum(d), x)
            self.compare(lambda t, d=dims: t.mean(d, keepdim=True), x)
            self.compare(lambda t, d=dims: t.amax(d), x, grad=False)
        self.compare(lambda t: t.sum() + t.mean(), x, types=[torch.float32])
        self.compare(lambda t: t.var((0, 2)), x)
        self.compare(lambda t: t.std(1, unbiased=False), x, grad=False)
        self.compare(lambda t: torch.linalg.vector_norm(t, dim=(1, 2)), x, grad=False)
        for d in (0, 2, 3):
            cpu, hpu = x.max(d), x.to('hpu').max(d)
            self.assertTrue(torch.equal(cpu.indices, hpu.indices.cpu()))
            self.assertTrue(torch.equal(cpu.values, hpu.values.cpu()))
            self.assertTrue(torch.equal(x.argmin(d), x.to('hpu').argmin(d).cpu()))

    def test_norms(self):
        x = torch.randn(3, 4, 5)
        x[0, 1, 2] = 0
        for order in (0, 1, 2, 3, 0.5, -1, -2.5, float('inf'), float('-inf')):
            for dim in (None, 1, (0, 2)):
                self.compare(lambda t, p=order, d=dim: torch.linalg.vector_norm(t, p, d), x,
                             types=[torch.float32], grad=order > 0.5)
        self.compare(lambda t: torch.linalg.vector_norm(t, 3), torch.tensor(-2.0),
                     types=[torch.float32])
        self.compare(lambda t: F.lp_pool2d(t, 3, 2), x, types=[torch.float32])
        self.compare(lambda t: torch.rsub(t, t[0], alpha=3), x)

    def test_softmax(self):
        x = torch.randn(3, 10, 5)
        for d in (0, 1, 2):
            self.compare(lambda t, d=d: F.softmax(t, d), x)
            self.compare(lambda t, d=d: F.log_softmax(t, d), x)

    def test_convolutions(self):
        x, w, b = torch.randn(2, 4, 9, 8), torch.randn(6, 4, 3, 3), torch.randn(6)
        for options in ({}, {'padding': 1}, {'stride': 2, 'padding': 1},
                        {'dilation': 2, 'padding': (2, 1)}):
            self.compare(lambda x, w, b, o=options: F.conv2d(x, w, b, **o), x, w, b,
                         types=[torch.float32])
        self.compare(lambda x, w: F.conv2d(x, w, groups=2), x, w[:, :2],
                     types=[torch.float32])
        for options in ({}, {'stride': 2, 'padding': 1, 'output_padding': 1}):
            self.compare(lambda x, w, b, o=options: F.conv_transpose2d(x, w, b, **o), x,
                         torch.randn(4, 6, 3, 3), b, types=[torch.float32])
        self.compare(lambda x, w, b: F.conv1d(x, w, b), x[0], w[:, 0][:, None].expand(6, 9, 3, 3)
                     [..., 0].contiguous(), b, types=[torch.float32])

    def test_compositions(self):
        """Operators that are said by others; also in place."""
        x, y = torch.randn(3, 4, 5), torch.randn(3, 4, 5)
        for f in (F.hardswish, F.hardsigmoid, F.elu, F.mish, F.hardtanh, F.relu6,
                  lambda t, inplace=False: F.threshold(t, 0.1, -2, inplace)):
            self.compare(f, x * 2, types=[torch.float32])
            self.compare(lambda t, f=f: f(t * 2, inplace=True), x, types=[torch.float32])
        for shifts, dims in ((2, 0), (-7, 2), ((1, -2), (1, 2)), (9, None)):
            self.compare(lambda t, s=shifts, d=dims: torch.roll(t, s, d), x)
        for sizes in ((1,), (4,)):
            self.compare(lambda t, w: F.prelu(t, w), x, torch.rand(sizes), grad=False)
        self.compare(torch.lerp, x, y, torch.rand(4, 5), types=[torch.float32])
        self.compare(lambda t, u: t.clamp(u - 1, u + 0.5), x, y, types=[torch.float32], grad=False)
        self.compare(lambda t, u: torch.cross(t[..., :3], u[..., 1:4], dim=-1), x, y)
        self.compare(torch.fmax, x, torch.where(y > 0, y, torch.tensor(float('nan'))), grad=False)
        self.compare(lambda t: t.relu().count_nonzero((0, 2)), x, grad=False)
        self.compare(lambda t: torch.take(t, torch.tensor([3, 17, 59], device=t.device)), x,
                     grad=False)
        for p in (1, 2, 3):
            self.compare(lambda t, u, p=p: torch.cdist(t, u, p), x, y, types=[torch.float32],
                         grad=False)
        self.assertTrue(torch.equal(F.hardtanh(torch.arange(-3, 4).to('hpu')).cpu(),
                                    F.hardtanh(torch.arange(-3, 4))))
        with self.assertRaisesRegex(RuntimeError, 'length 3'):
            torch.linalg.cross(x.to('hpu'), y.to('hpu'))
        with self.assertRaisesRegex(RuntimeError, 'shifts and dimensions must align'):
            x.to('hpu').roll((1, 2), (0,))

    def test_slopes(self):
        """prelu, of one slope and of one for each channel."""
        for weight in (torch.tensor([0.3]), torch.linspace(-1, 1, 4)):
            self.compare(F.prelu, torch.randn(3, 4, 5), weight)
        self.compare(F.prelu, torch.randn(6), torch.tensor([0.3]))

    def test_padding_of_three_dims(self):
        for mode in ('replicate', 'reflect'):
            self.compare(lambda t, mode=mode: F.pad(t, (1, 2, 0, 1, 2, 1), mode),
                         torch.randn(2, 3, 4, 3, 5), types=(torch.float32,))

    def test_padding_and_sizes(self):
        x = torch.randn(2, 3, 6, 5)
        for mode in ('reflect', 'replicate'):
            for pad in ((1, 2), (2, 1, 3, 1), (-1, 2, 0, 1)):
                self.compare(lambda t, m=mode, p=pad: F.pad(t[0] if len(p) == 2 else t, p, m), x,
                             types=[torch.float32])
        with self.assertRaisesRegex(RuntimeError, 'Padding size should be less'):
            F.pad(x.to('hpu'), (5, 0, 0, 0), 'reflect')
        for by in ({'scale_factor': 2}, {'size': (4, 9)}, {'scale_factor': (0.7, 1.3)}):
            self.compare(lambda t, b=by: F.interpolate(t, mode='nearest', **b), x)

    def test_pictures(self):
        """Pooling and normalisation, in both formats, and mixed ones."""
        plain, last = torch.contiguous_format, torch.channels_last
        weight, bias = torch.rand(5) + 0.5, torch.randn(5)
        calls = (
            lambda t: F.max_pool2d(t, 2),
            lambda t: F.max_pool2d(t, 3, 2, 1),
            lambda t: F.avg_pool2d(t, 2, ceil_mode=False),
            lambda t: F.avg_pool2d(t, (3, 2), 1, 1, count_include_pad=False),
            lambda t: F.adaptive_avg_pool2d(t, 2),
            lambda t: F.batch_norm(t, None, None, weight.to(t), bias.to(t), True),
            lambda t: F.batch_norm(t, bias.to(t), weight.to(t), weight.to(t), bias.to(t)))
        for sizes in ((16, 5, 6, 4), (70, 5, 4, 6), (104, 5, 4, 4), (1, 5, 8, 8), (3, 5, 8, 8)):
            x = torch.randn(sizes)
            for call in calls:
                for f in (lambda t, c=call: c(t.contiguous(memory_format=plain)),
                          lambda t, c=call: c(t.contiguous(memory_format=last)),
                          lambda t, c=call: c(t.transpose(2, 3)),
                          lambda t, c=call: c(t.contiguous(memory_format=last)).contiguous()):
                    self.compare(f, x, types=[torch.float32])
        cpu = F.batch_norm(x.contiguous(memory_format=last), bias, weight)
        hpu = F.batch_norm(x.contiguous(memory_format=last).to('hpu'), bias.to('hpu'),
                           weight.to('hpu'))
        self.assertEqual(hpu.stride(), cpu.stride())

    def test_convolutions_of_three_dims(self):
        x, w, b = torch.randn(2, 4, 6, 5, 4), torch.randn(6, 4, 3, 2, 3) * 0.3, torch.randn(6)
        for options in ({'padding': 1}, {'stride': (2, 1, 3), 'padding': (0, 1, 2)},
                        {'dilation': (2, 1, 1), 'padding': (1, 0, 1)}):
            self.compare(lambda x, w, b, o=options: F.conv3d(x, w, b, **o), x, w, b,
                         types=[torch.float32])
        self.compare(lambda x, w: F.conv3d(x[0], w, groups=2), x, w[:, :2],
                     types=[torch.float32])
        w = torch.randn(4, 6, 3, 2, 3) * 0.3
        for options in ({}, {'stride': 2, 'padding': 1, 'output_padding': 1},
                        {'stride': 3, 'output_padding': (2, 0, 1)}):
            self.compare(lambda x, w, b, o=options: F.conv_transpose3d(x, w, b, **o), x, w, b,
                         types=[torch.float32])
        self.compare(lambda x, w: F.conv_transpose3d(x, w, groups=2), x, w[:, :3],
                     types=[torch.float32])

    def test_convolutions_of_integers_are_the_cpus(self):
        x, w = torch.randint(0, 9, (2, 4, 5, 5)), torch.randint(0, 9, (6, 4, 3, 3))
        with torch.hpu.fallback_mode('silent'):
            got = F.conv2d(x.to('hpu'), w.to('hpu'))
        self.assertTrue(torch.equal(got.cpu(), F.conv2d(x, w)))

    def test_resizing(self):
        one, two, three = (torch.randn(2, 3, *s) for s in ((7,), (7, 5), (4, 3, 5)))
        for mode, x, sizes in (('linear', one, ((14,), (3,))),
                               ('bilinear', two, ((14, 10), (3, 9), (1, 2))),
                               ('bicubic', two, ((14, 10), (3, 9), (1, 1))),
                               ('trilinear', three, ((8, 6, 10), (2, 5, 1)))):
            calls = [{'size': size, 'align_corners': corners} for size in sizes
                     for corners in (True, False)]
            for call in (*calls, {'scale_factor': 1.7}, {'scale_factor': 0.5}):
                self.compare(lambda t, m=mode, c=call: F.interpolate(t, mode=m, **c), x,
                             types=[torch.float32])
        self.compare(lambda t: F.interpolate(t.contiguous(memory_format=torch.channels_last),
                                             scale_factor=2, mode='bilinear'), two,
                     types=[torch.float32])
        for mode in ('nearest', 'nearest-exact'):
            for x, sizes in ((one, ((14,), (3,))), (two, ((14, 10), (3, 9))),
                             (three, ((8, 6, 10), (2, 5, 1)))):
                for call in (*({'size': size} for size in sizes), {'scale_factor': 1.7},
                             {'scale_factor': 0.5}):
                    self.compare(lambda t, m=mode, c=call: F.interpolate(t, mode=m, **c), x,
                                 types=[torch.float32])
        x = two.bfloat16()
        got = F.interpolate(x.to('hpu'), scale_factor=2, mode='bicubic').cpu()
        want = F.interpolate(x.float(), scale_factor=2, mode='bicubic')
        torch.testing.assert_close(got.float(), want, rtol=1e-2, atol=1e-2)

    def test_pools_of_three_dims(self):
        x = torch.randn(2, 3, 7, 6, 5)
        for options in ({}, {'stride': 1, 'padding': 1, 'ceil_mode': True},
                        {'stride': (1, 2, 3), 'padding': (1, 0, 1)}, {'stride': 2}):
            self.compare(lambda t, o=options: F.max_pool3d(t, (2, 3, 2), **o), x,
                         types=[torch.float32])
            for more in ({}, {'count_include_pad': False}, {'divisor_override': 5}):
                self.compare(lambda t, o={**options, **more}: F.avg_pool3d(t, (2, 3, 2), **o), x,
                             types=[torch.float32])
        self.compare(lambda t: F.max_pool3d(t[0], 2, 1, 0, 2), x, types=[torch.float32])
        for size in (1, (3, 2, 4), (None, 5, 7)):
            self.compare(lambda t, s=size: F.adaptive_avg_pool3d(t, s), x, types=[torch.float32])
            self.compare(lambda t, s=size: F.adaptive_max_pool3d(t, s), x, types=[torch.float32])
        for size in (1, 2, (3, 4), (None, 5)):
            self.compare(lambda t, s=size: F.adaptive_max_pool2d(t, s), x[0],
                         types=[torch.float32])
        self.compare(lambda t: F.adaptive_max_pool1d(t, 3), x[0, 0], types=[torch.float32])
        x[0, 0, 1, 1, 1] = float('nan')
        x[1] = float('-inf')
        for call in (lambda t: F.max_pool3d(t, 3, 2, 1, return_indices=True)[1][1],
                     lambda t: F.max_pool3d(t, 3, 2, 1),
                     lambda t: F.adaptive_max_pool2d(t[:, 0], 3, return_indices=True)[1][1]):
            self.compare(call, x, types=[torch.float32], grad=False)
        with self.assertRaisesRegex(RuntimeError, 'pad should be at most half'):
            F.max_pool3d(x.to('hpu'), 2, padding=2)
        with self.assertRaisesRegex(RuntimeError, 'larger than a dim'):
            F.max_pool3d(x.to('hpu'), 9)

    def test_samples_of_grids(self):
        two, three = torch.randn(2, 3, 5, 4), torch.randn(2, 3, 3, 4, 5)
        at = torch.randn(2, 4, 6, 2)
        at[0, 0] = torch.tensor([1.0, -1.0])
        for mode in ('bilinear', 'nearest'):
            for padding in ('zeros', 'border', 'reflection'):
                for corners in (True, False):
                    for x, grid in ((two, at), (three, torch.randn(2, 2, 3, 2, 3))):
                        self.compare(lambda t, g, m=mode, p=padding, c=corners: F.grid_sample(
                            t, g, m, p, c), x, grid, types=[torch.float32])
        turned = torch.tensor([[[0.8, -0.6, 0.1], [0.6, 0.8, 0.0]]]).expand(2, 2, 3)
        self.compare(lambda t, m: F.grid_sample(t, F.affine_grid(m, t.shape, False),
                                                align_corners=False), two, turned,
                     types=[torch.float32])
        self.compare(lambda t: F.grid_sample(t, torch.full_like(t[:, 0, :, :2, None], 1e30)
                                             .expand(-1, -1, -1, 2), align_corners=False),
                     two, types=[torch.float32], grad=False)
        with torch.hpu.fallback_mode('silent'):
            got = F.grid_sample(two.to('hpu'), at.to('hpu'), 'bicubic', align_corners=True)
        want = F.grid_sample(two, at, 'bicubic', align_corners=True)
        torch.testing.assert_close(got.cpu(), want, rtol=1e-5, atol=1e-5)

    def test_unpooling(self):
        for dims, x in ((1, torch.randn(2, 3, 9)), (2, torch.randn(2, 3, 8, 9)),
                        (3, torch.randn(2, 3, 4, 5, 6))):
            pool, back = (getattr(F, f'max_{name}pool{dims}d') for name in ('', 'un'))
            size = x.shape[2:]
            self.compare(lambda t: back(*pool(t, 2, return_indices=True), 2, output_size=size),
                         x, types=[torch.float32])

    def test_windows_of_integers_are_the_cpus(self):
        """Python's operators fall back as others do."""
        x = torch.arange(48).view(1, 3, 4, 2, 2)
        torch.hpu.reset_fallbacks()
        with torch.hpu.fallback_mode('silent'):
            got = F.avg_pool3d(x.to('hpu'), 2)
        self.assertTrue(torch.equal(got.cpu(), F.avg_pool3d(x, 2)))
        self.assertIn('integers', torch.hpu.fallbacks()['aten::avg_pool3d.out'].why)
        with torch.hpu.fallback_mode('error'):
            with self.assertRaisesRegex(NotImplementedError, 'would run on the CPU'):
                F.avg_pool3d(x.to('hpu'), 2)

    def test_overlaps(self):
        x = torch.randn(5, 5)
        self.compare(lambda t: (t * 1).add_(t.t()), x)

        def shifted(t):
            t = t.clone()
            t[1:] = t[:-1].clone() * 2
            return t
        self.compare(shifted, x)

    def test_many_numbers_beside_one(self):
        """Of which the later ones are tensors: without dims, as the one is."""
        x, y = torch.tensor(2.0), torch.tensor(-3.0)
        for i in range(20):
            by = i + 0.25
            with torch.hpu.fallback_mode('error'):
                self.assertEqual(torch.add(x.to('hpu'), y.to('hpu'), alpha=by).item(), 2 - 3 * by)
                self.assertEqual((x.to('hpu') * by).item(), 2 * by)
                self.assertLess(abs(torch.empty((), device='hpu').normal_(by, 1e-6).item() - by),
                                1e-3)
        one = torch.tensor(True).to('hpu')
        self.assertEqual(one.fill_(torch.tensor(False).to('hpu')).item(), False)
        self.assertEqual(torch.fill(one, True).item(), True)

    def test_expanded(self):
        """All elements become one number, so that it does not matter that some share memory."""
        for fill in (torch.Tensor.zero_, lambda t: t.fill_(2.5)):
            results = []
            for device in ('cpu', 'hpu'):
                whole = torch.ones(3, 2, 5, device=device)
                result = fill(whole[:, 1:, ::2].expand(4, 3, 2, 3))
                results.append((result.shape, result.cpu().tolist(), whole.cpu().tolist()))
            self.assertEqual(*results)

    def test_sizes_that_do_not_match(self):
        """An error on both devices, and no result; what is written in place keeps its sizes."""
        def ones(*shape):
            return torch.ones(shape)

        for function, *inputs in (
                (torch.logical_and, ones(4, 8), ones(4, 4)),
                (torch.logical_or, ones(5, 3), ones(0, 3)),
                (torch.logical_xor, ones(2, 3), ones(7)),
                (torch.where, ones(4, 8) > 0, ones(4, 4), ones(4, 8)),
                (torch.Tensor.logical_and_, ones(3), ones(2, 3)),
                (torch.Tensor.masked_fill_, ones(4, 8), ones(3, 4, 8) > 0, 1.),
                (lambda a, b: torch.add(a, b, out=a), ones(3), ones(2, 3)),
                (torch.addmm, ones(7), ones(3, 4), ones(4, 4)),
                (F.linear, ones(3, 4), ones(5, 4), ones(3)),
                (F.layer_norm, ones(3, 4), (4,), ones(5)),
                (lambda a, b: a.index_add(0, labels(2, below=3).to(a.device), b), ones(3, 4),
                 ones(2, 5))):
            for device in ('cpu', 'hpu'):
                there = [x.to(device) if isinstance(x, torch.Tensor) else x for x in inputs]
                with self.assertRaisesRegex(RuntimeError, 'match|expand|Expected|expected'):
                    function(*there)
                self.assertEqual(there[0].shape, inputs[0].shape)

    def test_errors_hold_no_output(self):
        """Of PyTorch 1.13: an output that it has made is freed behind an error, whoever has it."""
        x = torch.ones(4, dtype=torch.int16).to('hpu')
        for mode in ('silent', 'error'):
            with torch.hpu.fallback_mode(mode):
                try:
                    torch.round(x, decimals=1)
                except (NotImplementedError, RuntimeError) as error:
                    frame, held = error.__traceback__.tb_next, []
                else:
                    self.fail('integers have no decimals')
                while frame is not None:
                    held += frame.tb_frame.f_locals.values()
                    frame = frame.tb_next
                for v in held:
                    self.assertFalse(isinstance(v, torch.Tensor) or
                                     isinstance(v, (tuple, dict)) and v, v)

    def test_distances(self):
        a, b = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
        for p in (1., 2.):
            self.compare(lambda x, y, p=p: torch.cdist(x, y, p), a, b, types=(torch.float32,))
        self.compare(lambda x: torch.cdist(x, x), a, types=(torch.float32,))

    def test_xlog1py(self):
        x, y = torch.tensor([0., 0, 1, 2, 0]), torch.tensor([1., float('nan'), .5, -1, -1])
        self.compare(torch.special.xlog1py, x, y, grad=False)
        self.compare(lambda t: torch.special.xlog1py(2, t), y, grad=False)
        self.compare(lambda t: torch.special.xlog1py(t, 2.), x + 1)

    def test_gradient_scaling(self):
        """What GradScaler does for each step: larger after two that were finite."""
        found = []
        for device in ('cpu', 'hpu'):
            scale, steps = torch.tensor(8., device=device), torch.tensor(0).to(device, torch.int32)
            with torch.hpu.fallback_mode('error'):
                for value in (1., float('inf'), 1., 2., 3.):
                    bad = torch.zeros((), device=device)
                    grads = [torch.full((3,), value, device=device), torch.ones(2, device=device)]
                    if device == 'hpu' or hasattr(torch.amp, 'GradScaler'):
                        torch._amp_foreach_non_finite_check_and_unscale_(grads, bad, 1 / scale)
                        torch._amp_update_scale_(scale, steps, bad, 2., 0.5, 2)
                    found.append((bad.item(), scale.item(), steps.item(),
                                  *(g.tolist() for g in grads)))
        got = found[5:]
        self.assertEqual([f[:3] for f in got], [(0, 8, 1), (1, 4, 0), (0, 4, 1), (0, 8, 0),
                                                (0, 8, 1)])
        self.assertEqual(got[3][3:], ([0.5] * 3, [0.25] * 2))
        if hasattr(torch.amp, 'GradScaler'):
            self.assertEqual(got, found[:5])

    def test_outputs_of_other_sizes(self):
        """What is given as out= gets the sizes of the result, whatever it had."""
        a, b, v = torch.randn(4, 5), torch.randn(5), torch.randn(5)
        for f in (lambda a, b, v, out: torch.cat([a, a[:, :1]], 1, out=out),
                  lambda a, b, v, out: torch.stack([a, a], out=out),
                  lambda a, b, v, out: torch.vstack([a, b], out=out),
                  lambda a, b, v, out: torch.mv(a, v, out=out),
                  lambda a, b, v, out: torch.addmv(b[:4], a, v, out=out),
                  lambda a, b, v, out: torch.addcmul(b, a, v, value=2, out=out),
                  lambda a, b, v, out: torch.addcdiv(a, b, v, out=out),
                  lambda a, b, v, out: torch.lerp(a, b, 0.3, out=out),
                  lambda a, b, v, out: torch.argmax(a, out=out),
                  lambda a, b, v, out: torch.argmin(a, 0, out=out)):
            dtype = torch.int64 if f(a, b, v, None).dtype == torch.int64 else torch.float32
            want = f(a, b, v, torch.empty(0, dtype=dtype))
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                for size in (0, 3):
                    out = torch.empty(size, dtype=dtype, device='hpu')
                    with torch.hpu.fallback_mode('error'):
                        f(*(t.to('hpu') for t in (a, b, v)), out)
                    self.assertEqual(out.shape, want.shape)
                    torch.testing.assert_close(out.cpu(), want)
        x = torch.randint(0, 3, (4, 5)).float().to('hpu')
        out = torch.empty(0, device='hpu'), torch.empty(0, dtype=torch.int64, device='hpu')
        torch.mode(x, 0, out=out)
        for got, want in zip(out, torch.mode(x.cpu(), 0)):
            self.assertTrue(torch.equal(got.cpu(), want))
        with self.assertRaisesRegex(RuntimeError, 'must match except in dimension 0'):
            torch.cat([x, x[:, :1]], out=out[0])

    def test_sizes_that_do_not_fit(self):
        x = torch.ones(2, 3, device='hpu')
        with self.assertRaisesRegex(RuntimeError, 'normalized_shape'):
            F.layer_norm(x, (4,))
        picture = torch.ones(2, 1, 3, 3, device='hpu')
        for shape in ((2, 2, 2, 3), (1, 2, 2, 2)):
            with self.assertRaisesRegex(RuntimeError, 'grid_sampler'):
                F.grid_sample(picture, torch.ones(*shape, device='hpu'), align_corners=False)

    def test_kaiser_window(self):
        for args in ((7,), (7, False), (6, True, 3.), (1,)):
            got = torch.kaiser_window(*args, device='hpu')
            self.assertEqual(got.device.type, 'hpu')
            self.assertTrue(torch.equal(got.cpu(), torch.kaiser_window(*args)))

    def test_multi_margin_loss(self):
        x, y, weight = torch.randn(6, 5), labels(6, below=5), torch.rand(5)
        for reduction in ('none', 'mean', 'sum'):
            for p in (1, 2):
                self.compare(lambda x, y, r=reduction, p=p: F.multi_margin_loss(
                    x, y, p=p, margin=0.7, reduction=r), x, y, types=[torch.float32])
            self.compare(lambda x, y, r=reduction: F.multi_margin_loss(
                x, y, weight=weight.to(x.device), reduction=r), x, y, types=[torch.float32])
        for x, y in ((x[0], y[0]), (x[0, 0], torch.tensor(0))):
            self.compare(lambda x, y: F.multi_margin_loss(x, y), x, y, types=[torch.float32])

    def test_launchers_are_kept(self):
        x = torch.randn(17, 3).to('hpu')
        x + x
        before = torch.hpu.launch_stats()
        for _ in range(5):
            x + x
        after = torch.hpu.launch_stats()
        self.assertEqual(after['launches'] - before['launches'], 5)
        self.assertEqual(after['recipes'], before['recipes'])


if __name__ == '__main__':
    unittest.main()
