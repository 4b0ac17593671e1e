# SPDX-License-Identifier: GPL-2.0-only
"""Elements and rows by numbers, places and running sums: beside the CPU's, without a fallback."""

import unittest
import warnings

import torch
from torch.nn import functional as F

import torch_gaudi                                      # noqa: F401 - registers hpu

TYPES = (torch.float32, torch.bfloat16, torch.int64, torch.int32, torch.bool)


def sample(*shape, dtype=torch.float32):
    values = torch.randn(*shape) * 5
    return values > 0 if dtype is torch.bool else values.to(dtype)


def on(device, value):
    if isinstance(value, torch.Tensor):
        return value.clone().to(device)
    return type(value)(on(device, v) for v in value) if isinstance(value, (list, tuple)) else value


class Indexing(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(11)

    def same(self, function, *inputs, grad=(), tolerance=0):
        """On both devices, and the gradients by the inputs that @grad counts."""
        results = []
        for device in ('cpu', 'hpu'):
            args = [on(device, x) for x in inputs]
            for i in grad:
                args[i].requires_grad_()
            with torch.hpu.fallback_mode('error' if device == 'hpu' else 'warn'):
                y = function(*args)
                if grad:
                    weight = torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape)
                    y.backward(weight.to(y.dtype).to(device))
            results.append([y] + [args[i].grad for i in grad])
        for want, got in zip(*results):
            self.assertEqual((got.device.type, got.dtype, got.shape),
                             ('hpu', want.dtype, want.shape))
            torch.testing.assert_close(got.detach().cpu(), want.detach(), rtol=tolerance,
                                       atol=tolerance)

    def test_gather(self):
        for dtype in TYPES:
            x = sample(4, 5, 6, dtype=dtype)
            for dim, shape in ((0, (7, 5, 6)), (1, (3, 2, 6)), (-1, (4, 5, 9)), (2, (1, 1, 1))):
                index = torch.randint(0, x.shape[dim], shape)
                self.same(lambda x, i, d=dim: x.gather(d, i), x, index)
                self.same(lambda x, i, d=dim: x.permute(2, 0, 1).gather(d, i.permute(2, 0, 1)),
                          x, index % 4) if dim == 1 else None
        self.same(lambda x, i: x.gather(0, i), torch.tensor(3.), torch.tensor(0))
        self.same(lambda x, i: x.gather(1, i), sample(2, 3), torch.zeros(2, 0, dtype=torch.int64))
        self.same(lambda x, i: x.gather(1, i), sample(4, 5), torch.randint(0, 5, (4, 8)),
                  grad=[0], tolerance=1e-5)

    def test_scatter(self):
        for dtype in TYPES:
            x, src = sample(4, 5, 6, dtype=dtype), sample(4, 5, 6, dtype=dtype)
            for dim in (0, 1, 2):
                # Each place once: in which order is nobody's.
                index = torch.rand(4, 5, 6).argsort(dim)
                for cut in (index, index[:2, :3], index[..., :2]):
                    self.same(lambda x, i, s, d=dim: x.scatter(d, i, s), x, cut, src)
                    self.same(lambda x, i, d=dim: x.scatter(d, i, 1), x, cut)
        self.same(lambda x, i, s: x.scatter_(1, i, s), sample(3, 4), torch.tensor([[3, 0]]),
                  sample(3, 4))
        self.same(lambda x, i, s: x.t().scatter_(1, i, s), sample(3, 4),
                  torch.tensor([[2, 0]]), sample(4, 4))

    def test_scatter_add(self):
        for dtype, tolerance in ((torch.float32, 1e-5), (torch.int64, 0), (torch.bfloat16, .1)):
            x, src = sample(4, 5, dtype=dtype), sample(4, 9, dtype=dtype)
            index = torch.randint(0, 5, (4, 9))
            self.same(lambda x, i, s: x.scatter_add(1, i, s), x, index, src, tolerance=tolerance)
            self.same(lambda x, i, s: x.scatter(1, i, s, reduce='add'), x, index, src,
                      tolerance=tolerance)
            self.same(lambda x, i, s: x.scatter_reduce(1, i, s, 'sum'), x, index, src,
                      tolerance=tolerance)
        self.same(lambda x, s, i: x.scatter_add(0, i, s), sample(4, 5), sample(3, 5),
                  torch.randint(0, 4, (3, 5)), grad=[0, 1], tolerance=1e-5)

    def test_index(self):
        i, j = torch.tensor([[2, -1], [0, 1]]), torch.tensor([1, -3])
        keys = {
            'first': lambda x, i, j: x[i], 'inner': lambda x, i, j: x[..., j],
            'two': lambda x, i, j: x[i, j], 'apart': lambda x, i, j: x[i, :, j],
            'middle': lambda x, i, j: x[:, j], 'none': lambda x, i, j: x[:, None, j],
            'all': lambda x, i, j: x[i, j, j], 'slice': lambda x, i, j: x[1:, ::2][:, j % 2],
        }
        for dtype in TYPES:
            x = sample(4, 5, 6, dtype=dtype)
            for name, key in keys.items():
                with self.subTest(key=name, dtype=dtype):
                    self.same(key, x, i, j)
        for key in keys.values():
            self.same(key, sample(4, 5, 6), i, j, grad=[0], tolerance=1e-5)
        self.same(lambda x: x[torch.tensor([1, 0])], sample(3, 2))
        self.same(lambda x: x[torch.zeros(0, dtype=torch.int64, device=x.device)], sample(3, 2))

    def test_masks(self):
        for dtype in TYPES:
            x = sample(7, 60, dtype=dtype)
            for mask in (x > 0 if dtype is not torch.bool else x, torch.zeros(7, 60).bool(),
                         torch.ones(7, 60).bool()):
                self.same(lambda x, m: x[m], x, mask)
                self.same(torch.masked_select, x, mask)
            row = torch.tensor([True, False, True, True, False, False, True])
            self.same(lambda x, m: x[m], x, row)
            self.same(lambda x, m: x.t()[:, m], x, row)
            self.same(torch.nonzero, x)
        self.same(lambda x, m: torch.masked_select(x, m), sample(3, 1, 4), sample(2, 1) > 0)
        self.same(torch.nonzero, torch.tensor([0, 0, 3]))
        for n in (1, 2, 63, 64, 65, 1000, 4097):
            self.same(torch.nonzero, torch.randint(0, 3, (n,)))
        self.same(lambda x: torch.where(x > 0)[1], sample(5, 6))
        with self.assertRaisesRegex(IndexError, 'shape of the mask'):
            sample(3, 4).to('hpu')[torch.ones(4, 3).bool().to('hpu')]

    def test_index_put(self):
        i, j = torch.tensor([2, -1, 0]), torch.tensor([4, 1, -3])

        def put(key, value):
            def f(x, i, j, v):
                x[key(i, j)] = v if value is None else value
                return x
            return f
        for dtype in TYPES:
            x = sample(4, 5, 6, dtype=dtype)
            for key, shape in ((lambda i, j: i, (3, 5, 6)), (lambda i, j: (i, j), (3, 6)),
                               (lambda i, j: (slice(None), i, j), (4, 3)),
                               (lambda i, j: (i, slice(None), j), (3, 5)),
                               (lambda i, j: (Ellipsis, j), (6, 1, 5, 3)[2:])):
                self.same(put(key, None), x, i, j, sample(*shape, dtype=dtype))
                self.same(put(key, 1), x, i, j, x)
            mask = torch.rand(4, 5) > 0.5
            self.same(put(lambda i, j: i, None), x, mask, j,
                      sample(int(mask.sum()), 6, dtype=dtype))
            self.same(put(lambda i, j: i, 0), x, mask, j, x)
            self.same(put(lambda i, j: (slice(None), i), 1), x.transpose(0, 1),
                      mask[:, 0], j, x)

    def test_index_put_adds(self):
        rows, other = torch.tensor([2, 0, 2, 2, -1]), torch.tensor([1, 1, 1, 3, 0])
        for dtype, tolerance in ((torch.float32, 1e-5), (torch.int64, 0)):
            for indices, shape in (((rows,), (5, 6)), ((rows, other), (5,))):
                self.same(lambda x, *a: x.index_put_(a[:-1], a[-1], accumulate=True),
                          sample(4, 6, dtype=dtype), *indices, sample(*shape, dtype=dtype),
                          tolerance=tolerance)

    def test_of_nothing(self):
        """As detection has it where nothing was found."""
        x, none = sample(4, 5), torch.zeros(0, dtype=torch.int64)
        self.same(lambda t, i: t[i], x, none, grad=[0])
        self.same(lambda t, i: t[:, i], x, none)
        self.same(lambda t, i: t[:0][i], x, none)
        self.same(lambda t, i: t[:, :0][i], x, none + 1)
        self.same(lambda t: t[t[:, 0] > 99], x)
        self.same(lambda t: t[:0].nonzero(), x)
        self.same(lambda t: t[:0].masked_select(t[:0] > 0), x)
        self.same(lambda t, i: t.index_select(0, i), x, none, grad=[0])
        self.same(lambda t, i: t[:0].index_select(1, i), x, torch.tensor([1, 1]))
        self.same(lambda t, i: t[:0].index_put_((i,), t[:0]), x, none)
        self.same(lambda t, i, r: t.index_add(0, i, r), x, none, x[:0])
        self.same(lambda t, i: F.embedding(i, t), x, none, grad=[0])

    def test_embedding(self):
        index = torch.randint(0, 10, (4, 7))
        self.same(lambda w, i: F.embedding(i, w, padding_idx=3), sample(10, 33), index,
                  grad=[0], tolerance=1e-5)
        self.same(lambda x, i: x.index_select(1, i), sample(4, 10, 3), index[0], grad=[0],
                  tolerance=1e-5)

    def test_embedding_bag(self):
        table = torch.randn(10, 4)
        indices, weights = torch.tensor([1, 2, 2, 5, 9, 0, 2, 1, 3]), torch.randn(9)
        for offsets in ([0, 3, 3, 7], [0], [0, 0, 9, 9]):
            bags = torch.tensor(offsets)
            for mode in ('sum', 'mean', 'max'):
                for padding in (None, 2):
                    for last in (False, True):
                        self.same(lambda t, i, o, m=mode, p=padding, e=last: F.embedding_bag(
                            i, t, torch.cat((o, o.new_full((1,), 9))) if e else o, mode=m,
                            padding_idx=p, include_last_offset=e), table, indices, bags,
                            grad=[0], tolerance=1e-5)
            for padding in (None, 2):
                self.same(lambda t, i, o, w, p=padding: F.embedding_bag(
                    i, t, o, mode='sum', per_sample_weights=w, padding_idx=p), table, indices,
                    bags, weights, grad=[0, 3], tolerance=1e-5)
        for mode in ('sum', 'mean', 'max'):
            self.same(lambda t, i, m=mode: F.embedding_bag(i, t, mode=m), table,
                      indices.view(3, 3), grad=[0], tolerance=1e-5)
            self.same(lambda t, i, o, m=mode: F.embedding_bag(i, t, o, mode=m), table,
                      indices[:0], torch.tensor([0, 0]), grad=[0])

    def test_losses(self):
        x, target = sample(9, 5), torch.tensor([0, 4, 2, 1, -100, 3, 3, 0, 2])
        for options in ({}, {'ignore_index': 3}, {'weight': torch.rand(5)},
                        {'weight': torch.rand(5), 'ignore_index': 0}):
            for reduction in ('none', 'mean', 'sum'):
                def loss(x, t, o=options, r=reduction):
                    o = {k: on(x.device, v) for k, v in o.items()}
                    return F.cross_entropy(x, t, reduction=r, **o)
                labels = target if 'ignore_index' not in options else target.clamp(min=0)
                self.same(loss, x, labels, grad=[0], tolerance=1e-5)
        many = torch.zeros(1100, 16000, device='hpu')
        many[:, 5] = torch.arange(1100., device='hpu')
        with torch.hpu.fallback_mode('error'):
            got = F.nll_loss(many, torch.full((1100,), 5, device='hpu'), reduction='none')
        self.assertTrue(torch.equal(got.cpu(), -torch.arange(1100.)))

    def test_losses_of_pictures(self):
        x, target = sample(2, 5, 3, 4), torch.randint(0, 5, (2, 3, 4))
        for options in ({}, {'ignore_index': 3}, {'weight': torch.rand(5)}):
            for reduction in ('none', 'mean', 'sum'):
                def loss(x, t, o=options, r=reduction):
                    o = {k: on(x.device, v) for k, v in o.items()}
                    return F.cross_entropy(x, t, reduction=r, **o)
                self.same(loss, x, target, grad=[0], tolerance=1e-5)

    def test_losses_of_boxes(self):
        x, y = sample(6, 4), sample(6, 4)
        for reduction in ('none', 'mean', 'sum'):
            for beta in (0., 0.5, 1.):
                options = {'reduction': reduction, 'beta': beta}
                self.same(lambda x, y, o=options: F.smooth_l1_loss(x, y, **o), x, y, grad=[0, 1],
                          tolerance=1e-5)

    def test_filling_what_is_repeated(self):
        """Each element that expand() has repeated is filled where one of its places is said."""
        mask = torch.tensor([[True, False, False, True], [False] * 4, [False, True, False, False]])
        index = torch.tensor([0, 2])

        def filled(function):
            def call(x, places):
                function(x.expand(3, 4), places)
                return x
            return call

        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            for dtype in (torch.float32, torch.bfloat16, torch.int64):
                x = sample(1, 4, dtype=dtype)
                self.same(filled(lambda t, m: t.masked_fill_(m, 7)), x, mask)
                self.same(filled(lambda t, m: t.masked_fill_(m[1], 7)), x, mask)
                self.same(filled(lambda t, i: t.index_fill_(0, i, 7)), x, index)
                self.same(filled(lambda t, i: t.index_fill_(1, i, 7)), x, index)
                self.same(filled(lambda t, i: t.index_fill_(0, i, 7)), x, index[:0])

    def test_index_fill(self):
        index = torch.tensor([3, 0, -2])
        for dtype in TYPES:
            x = sample(4, 5, 6, dtype=dtype)
            for dim in (0, 1, -1):
                self.same(lambda x, i, d=dim: x.index_fill(d, i, 7), x, index)
            self.same(lambda x, i: x.t().index_fill_(0, i, 7), x[0].clone(), index[0])
            self.same(lambda x, i, v: x.index_fill(1, i, v), x, index, x[0, 0, 0].clone())
        with self.assertRaisesRegex(IndexError, 'Expected dtype int64'):
            x.to('hpu').index_fill_(0, index.to('hpu').bool(), 7)

    def test_index_copy(self):
        index = torch.tensor([3, 0])
        for dtype in TYPES:
            x = sample(4, 5, 6, dtype=dtype)
            for dim in (0, 1, -1):
                rows = sample(4, 5, 6, dtype=dtype).narrow(dim, 0, 2)
                self.same(lambda x, i, y, d=dim: x.index_copy(d, i, y), x, index, rows)
                self.same(lambda x, i, y, d=dim: x.index_copy_(d, i, y), x, index, rows)
        cache = torch.zeros(2, 6, 4, device='hpu')
        rows = cache[:, 1:]
        self.assertIs(rows.index_copy_(1, index.to('hpu'), torch.ones(2, 2, 4, device='hpu')), rows)
        self.assertEqual(cache.sum((0, 2)).tolist(), [0, 8, 0, 0, 8, 0])

    def test_masked_scatter(self):
        x, source = sample(4, 6), sample(30)
        mask = x > 0
        for dtype in TYPES:
            self.same(lambda a, m, b: a.masked_scatter(m, b), x.to(dtype), mask, source.to(dtype))
        self.same(lambda a, m, b: a.masked_scatter(m, b), x, mask[:, :1], source, grad=(0, 2))
        # In PyTorch 1.13 the CPU takes the order of memory, not that of the dims.
        turned = x.clone().to('hpu').t()
        turned.masked_scatter_(mask.t().to('hpu'), source.to('hpu'))
        want = x.t().contiguous().masked_scatter_(mask.t().contiguous(), source)
        self.assertTrue(torch.equal(turned.cpu(), want))
        self.same(lambda a, m, b: a.masked_scatter(m, b), x, mask, source[:mask.sum()])
        self.same(lambda a, m, b: a.masked_scatter(m, b), x, mask & False, source[:0])
        with self.assertRaisesRegex(RuntimeError, 'as many elements'):
            x.to('hpu').masked_scatter_(mask.to('hpu'), source[:3].to('hpu'))

    def test_put(self):
        x, at = sample(3, 4), torch.tensor([[0, 11], [-2, 5]])
        for adds in (False, True):
            self.same(lambda a, i, v, k=adds: a.t().put_(i, v, k), x, at, sample(2, 2))
        self.same(lambda a, i, v: a.put(i, v), x, at, sample(4), grad=(0, 2))

    def test_diagonals(self):
        for x in (sample(4), sample(3, 5)):
            for diagonal in (0, 1, -2):
                self.same(lambda t, d=diagonal: torch.diag(t, d), x, grad=(0,))

    def test_index_reduce(self):
        x, at, rows = sample(3, 5), torch.tensor([0, 2, 0, 0]), sample(4, 5)
        for how in ('mean', 'amax', 'amin'):
            for with_self in (True, False):
                self.same(lambda a, i, b, h=how, w=with_self: a.index_reduce(
                    0, i, b, h, include_self=w), x, at, rows, tolerance=1e-6)
                self.same(lambda a, i, b, h=how, w=with_self: a.index_reduce(
                    1, i, b, h, include_self=w), x, at, sample(3, 4), tolerance=1e-6)

    def test_norms_of_rows(self):
        x = sample(4, 3, 2)
        for dim in (0, 1, -1):
            for p in (1, 2.0, float('inf')):
                self.same(lambda t, d=dim, k=p: torch.renorm(t, k, d, 3.0), x, tolerance=1e-5)
        table, at = sample(6, 3), torch.tensor([[1, 4], [4, 0]])
        self.same(lambda t, i: F.embedding(i, t.detach(), max_norm=2.0), table, at, tolerance=1e-5)
        for dim in (0, 2):
            def conv(t, v, g, d=dim):
                w = torch._weight_norm(v, g, d)
                return F.conv1d(t, w)
            self.same(conv, sample(2, 3, 8), sample(4, 3, 3), torch.rand(4, 1, 1)
                      if not dim else torch.rand(1, 1, 3), grad=(0, 1, 2), tolerance=2e-4)

    def test_unfolded(self):
        for size, step in ((3, 1), (2, 3), (4, 2)):
            self.same(lambda t, s=size, k=step: t.unfold(1, s, k) * 2, sample(3, 8, 2),
                      grad=(0,), tolerance=1e-5)

    def test_where_into(self):
        x, y = sample(3, 4), sample(4)
        if 'self_out' in torch.ops.aten.where.overloads():
            self.same(lambda a, b: torch.where(a > 0, a, b, out=a.new_empty(0)), x, y)
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True)
        masks = []
        with torch.hpu.fallback_mode('error'):
            for device in ('cpu', 'hpu'):
                left_out = torch.tensor([[0, 0, 1], [0, 1, 1]], dtype=torch.bool, device=device)
                masks.append(layer.to(device)(torch.linspace(0, 1, 48).view(2, 3, 8).to(device),
                                              src_key_padding_mask=left_out).cpu())
        torch.testing.assert_close(masks[1], masks[0], rtol=1e-4, atol=1e-4)

    def test_flip(self):
        self.same(lambda x: x.flip(0, 2), sample(3, 4, 5))

    def test_sequences(self):
        for args in ((7,), (2, 9), (3, -20, -4), (0, 1000, 3), (5, 5)):
            self.same(lambda x, a=args: torch.arange(*a, device=x.device), torch.zeros(1))
            self.same(lambda x, a=args: torch.arange(*a, device=x.device, dtype=torch.int32),
                      torch.zeros(1))
        # Of int64 the bounds are made whole first, of int32 they are not.
        for args in ((0, 3.5), (1, 4.5), (-7, 2.25, 2)):
            for dtype in (torch.int64, torch.int32):
                self.same(lambda x, a=args, t=dtype: torch.arange(*a, device=x.device, dtype=t),
                          torch.zeros(1))
        self.same(lambda x: torch.arange(0.5, 300, 0.25, device=x.device), torch.zeros(1))
        self.same(lambda x: torch.linspace(-3, 7, 101, device=x.device), torch.zeros(1),
                  tolerance=1e-6)
        for n, m in ((3, 3), (2, 5), (5, 2), (0, 4)):
            self.same(lambda x, n=n, m=m: torch.eye(n, m, device=x.device), torch.zeros(1))
        with self.assertRaisesRegex(RuntimeError, 'bound'):
            torch.arange(0, 5, -1, device='hpu')

    def test_triangles(self):
        for dtype in TYPES:
            for shape in ((5, 5), (3, 70), (70, 3), (2, 3, 4, 5)):
                x = sample(*shape, dtype=dtype)
                for k in (0, 1, -2, 100, -100):
                    self.same(lambda x, k=k: x.tril(k), x)
                    self.same(lambda x, k=k: x.transpose(-1, -2).triu(k), x)
        self.same(lambda x: x.tril(), sample(4, 4), grad=[0])
        self.same(lambda x: x.triu_(1), sample(4, 4))

    def test_running_sums(self):
        for dim in (0, 1, 2, -1):
            self.same(lambda x, d=dim: x.cumsum(d), sample(3, 100, 5), grad=[0], tolerance=1e-4)
            self.same(lambda x, d=dim: x.cumsum(d), sample(3, 100, 5, dtype=torch.int64))
            self.same(lambda x, d=dim: x.cumsum(d), sample(3, 100, 5, dtype=torch.bool))
            self.same(lambda x, d=dim: x.cumprod(d), sample(3, 4, 5), tolerance=1e-4)
        self.same(lambda x: x.cumsum(0), torch.tensor(2.))
        self.same(lambda x: x.cumsum(1), sample(2, 0))


if __name__ == '__main__':
    unittest.main()
