# SPDX-License-Identifier: GPL-2.0-only
"""Tensors, views, copies, streams and what is said of fallbacks."""

import ast
import copy
import io
import os
import subprocess
import sys
import unittest
import warnings

import torch

import torch_gaudi                                      # noqa: F401 - registers hpu

TYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64,
         torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
         torch.complex64, torch.complex128)


def sample(shape, dtype):
    values = torch.arange(1, 1 + torch.Size(shape).numel()).reshape(shape) % 100
    return (values % 3 != 0) if dtype is torch.bool else values.to(dtype)


class Copies(unittest.TestCase):
    def test_there_and_back(self):
        for dtype in TYPES:
            for shape in ((), (1,), (0, 3), (5, 7), (2, 3, 4, 5)):
                x = sample(shape, dtype)
                h = x.to('hpu')
                self.assertEqual((h.dtype, h.shape, h.device.type), (dtype, x.shape, 'hpu'))
                self.assertTrue(torch.equal(h.cpu(), x), (dtype, shape))

    def test_views(self):
        views = {
            'transpose': lambda t: t.transpose(0, 2), 'slice': lambda t: t[1:, ::2],
            'step': lambda t: t[..., ::3], 'expand': lambda t: t[:, :1].expand(4, 6, 10),
            'permute': lambda t: t.permute(2, 0, 1)[3:], 'select': lambda t: t[:, 2],
            'diagonal': lambda t: t.diagonal(0, 1, 2),
            'unfold': lambda t: t.unfold(2, 3, 2),
        }
        for dtype in TYPES:
            x = sample((4, 6, 10), dtype)
            h = x.to('hpu')
            for name, view in views.items():
                with self.subTest(view=name, dtype=dtype):
                    self.assertTrue(torch.equal(view(h).cpu(), view(x)))
                    self.assertTrue(torch.equal(view(h).contiguous().cpu(),
                                                view(x).contiguous()))

    def test_views_of_nothing(self):
        """Which begin behind the storage's end."""
        x = torch.ones(1, 2).to('hpu')[:, 1:][1:]
        self.assertEqual((x + 1).shape, (0, 1))
        self.assertEqual(x.mul_(2).fill_(3).sum().item(), 0)

    def test_seven_dims(self):
        x = sample((2, 3, 2, 3, 2, 3, 2), torch.float32)
        order = (6, 4, 2, 0, 5, 3, 1)
        self.assertTrue(torch.equal(x.to('hpu').permute(order).contiguous().cpu(),
                                    x.permute(order)))

    def test_writes_to_views(self):
        for dtype in TYPES:
            x, y = sample((4, 6), dtype), sample((4, 2), dtype)
            h = x.to('hpu')
            h[:, 1::3] = y.to('hpu')
            x[:, 1::3] = y
            h.t()[0] = y[:, 1].to('hpu')
            x.t()[0] = y[:, 1]
            h[1:, 2] = y[0, 0]
            x[1:, 2] = y[0, 0]
            self.assertTrue(torch.equal(h.cpu(), x), dtype)

    def test_writes_to_shared_elements(self):
        """The last one stays, as on the CPU."""
        for dtype in TYPES:
            x, y = sample((5,), dtype), sample((2, 3), dtype)
            for source in (y, y.to('hpu')):
                h = x.to('hpu')
                h[1:].as_strided((2, 3), (1, 1)).copy_(source)
                c = x.clone()
                c[1:].as_strided((2, 3), (1, 1)).copy_(y)
                self.assertTrue(torch.equal(h.cpu(), c), dtype)

    def test_casts(self):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')             # complex to real
            for dtype in TYPES:
                x = sample((5, 7), dtype)
                for to in TYPES:
                    with self.subTest(dtype=dtype, to=to):
                        self.assertTrue(torch.equal(x.to('hpu').to(to).cpu(), x.to(to)))

    def test_narrow_casts_wrap(self):
        x = torch.tensor([-1, 255, 256, 1000, -129])
        for to in (torch.uint8, torch.int8, torch.int16, torch.bool):
            self.assertTrue(torch.equal(x.to('hpu').to(to).cpu(), x.to(to)), to)

    def test_range(self):
        for x in (torch.tensor([2**31]), torch.tensor([-2**31 - 1])):
            with self.assertRaisesRegex(RuntimeError, 'does not fit into the 32 bits'):
                x.to('hpu')
        with self.assertRaisesRegex(RuntimeError, '1e\\+300 does not fit'):
            torch.tensor([1e300], dtype=torch.float64).to('hpu')
        ends = torch.tensor([2**31 - 1, -2**31])
        self.assertTrue(torch.equal(ends.to('hpu').cpu(), ends))
        special = torch.tensor([float('inf'), float('-inf')], dtype=torch.float64)
        self.assertTrue(torch.equal(special.to('hpu').cpu(), special))

    def test_pinned(self):
        x = sample((100, 100), torch.float32)
        p = x.pin_memory('hpu')
        self.assertTrue(p.is_pinned('hpu') and not x.is_pinned('hpu'))
        h = p.to('hpu', non_blocking=True)
        back = torch.empty_like(x).pin_memory('hpu')
        back.copy_(h, non_blocking=True)
        torch.hpu.synchronize()
        self.assertTrue(torch.equal(back, x))

    def test_item(self):
        for value in (1.5, 7, True):
            self.assertEqual(torch.tensor([value]).to('hpu').item(), value)


class Tensors(unittest.TestCase):
    def test_resize_keeps(self):
        h = torch.arange(6.).to('hpu')
        h.resize_(4, 3)
        self.assertTrue(torch.equal(h.cpu().flatten()[:6], torch.arange(6.)))
        b = torch.tensor([True, False]).to('hpu')
        b.resize_(8)
        self.assertEqual(b[:2].cpu().tolist(), [True, False])

    def test_set(self):
        h, other = torch.zeros(2, device='hpu'), torch.arange(4.).to('hpu')
        h.set_(other)
        other.add_(1)
        self.assertEqual(h.cpu().tolist(), [1, 2, 3, 4])

    def test_no_view_as_another_width(self):
        h = torch.zeros(4, dtype=torch.int64, device='hpu')
        with self.assertRaisesRegex(RuntimeError, 'as another type'):
            h.view(torch.int16).cpu()

    def test_factories(self):
        for make in (torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn):
            self.assertEqual(make(2, 3, device='hpu').shape, (2, 3))
        self.assertEqual(torch.arange(5, device='hpu').cpu().tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(torch.full((2,), 3.5, device='hpu').cpu().tolist(), [3.5, 3.5])
        h = torch.eye(3, device='hpu')
        self.assertTrue(torch.equal(torch.zeros_like(h).cpu(), torch.zeros(3, 3)))

    def test_save_and_load(self):
        model = torch.nn.Linear(3, 2).to('hpu')
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        file.seek(0)
        state = torch.load(file, map_location='cpu')
        other = torch.nn.Linear(3, 2)
        other.load_state_dict(state)
        self.assertTrue(torch.equal(other.weight, model.weight.cpu()))
        again = copy.deepcopy(model)
        self.assertTrue(torch.equal(again.weight.cpu(), model.weight.cpu()))

    def test_load_elsewhere(self):
        file = io.BytesIO()
        torch.save({'x': torch.arange(3.).to('hpu'), 'y': torch.ones(2)}, file)
        for where, device in ((None, 'hpu'), ('cpu', 'cpu'), (torch.device('cpu'), 'cpu'),
                              ('hpu', 'hpu'), ({'hpu:0': 'cpu'}, 'cpu'), ({'cuda:0': 'cpu'}, 'hpu'),
                              (lambda storage, location: storage, 'cpu')):
            file.seek(0)
            x = torch.load(file, map_location=where)['x']
            self.assertEqual(x.device.type, device)
            self.assertEqual(x.tolist(), [0, 1, 2])

    def test_formats(self):
        """Both formats, from each device to each; what shares memory still does."""
        weight = torch.arange(6.).requires_grad_()
        values = {'long': torch.tensor([1, -2, 2**31 - 1]), 'bool': torch.tensor([True, False]),
                  'half': torch.ones(3).bfloat16(), 'double': torch.tensor([0.5, -1.5])}
        for there in ('cpu', 'hpu'):
            w = weight.detach().to(there)
            state = {'a': w.requires_grad_(), 'b': w.detach()[2:4], 'c': w * 2,
                     **{k: v.to(there) for k, v in values.items()}}
            for zipped in (True, False):
                file = io.BytesIO()
                torch.save(state, file, _use_new_zipfile_serialization=zipped)
                for here in ('cpu', 'hpu', None):
                    file.seek(0)
                    # What memory happens to hold is no number of the card's.
                    torch.full((3,), 2**62)
                    found = torch.load(file, map_location=here, weights_only=True)
                    self.assertEqual({v.device.type for v in found.values()}, {here or there})
                    self.assertEqual([found['a'].requires_grad, found['b'].requires_grad],
                                     [True, False])
                    found['a'].detach().mul_(3)
                    self.assertEqual(found['b'].tolist(), [6, 9])
                    self.assertEqual(found['c'].tolist(), [0, 2, 4, 6, 8, 10])
                    for name, value in values.items():
                        self.assertEqual(found[name].dtype, value.dtype)
                        self.assertEqual(found[name].tolist(), value.tolist())

    def test_modules_move(self):
        """Their parameters stay the same objects: tied ones, and an optimizer's."""
        a, b = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        b.weight = a.weight
        model = torch.nn.Sequential(a, b)
        wanted, x = a.weight.detach().clone(), torch.ones(2, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        model.to('hpu')
        self.assertIs(model[0].weight, model[1].weight)
        self.assertEqual(a.weight.device.type, 'hpu')
        model(x.to('hpu')).sum().backward()
        optimizer.step()
        self.assertFalse(torch.equal(a.weight.cpu(), wanted))
        stepped = a.weight.detach().cpu()
        model.cpu()
        self.assertIs(model[0].weight, model[1].weight)
        self.assertTrue(torch.equal(a.weight, stepped))
        model(x).sum().backward()
        lazy = torch.nn.LazyLinear(2).to('hpu')
        self.assertEqual(lazy(x.to('hpu')).shape, (2, 2))

    def test_printing(self):
        self.assertIn("device='hpu:0'", repr(torch.tensor([1.5, 2.5]).to('hpu')))

    def test_another_card(self):
        with self.assertRaisesRegex(RuntimeError, 'one card, hpu:0'):
            torch.zeros(1, device='hpu:1')

    def test_forgotten_on_the_host(self):
        x, host = torch.ones(2, 2, device='hpu'), torch.ones(2, 2)
        for f in (lambda: x @ host, lambda: x + host, lambda: host.mm(x),
                  lambda: torch.nn.functional.embedding(host.long(), x),
                  lambda: torch.nn.functional.linear(host, x),
                  lambda: torch.nn.functional.conv1d(host, x[:, :, None]),
                  lambda: torch.nn.functional.layer_norm(x, (2,), host[0])):
            with self.assertRaisesRegex(RuntimeError, 'same device.* cpu'):
                f()


class Module(unittest.TestCase):
    def test_device(self):
        self.assertTrue(torch.hpu.is_available())
        self.assertEqual(torch.hpu.device_count(), 1)
        self.assertEqual(torch.hpu.current_device(), 0)
        self.assertEqual(torch.hpu.get_device_name(), 'GAUDI')
        self.assertGreater(torch.hpu.get_device_properties().total_memory, 1 << 30)

    def test_memory(self):
        before = torch.hpu.memory_allocated()
        t = torch.zeros(1 << 20, device='hpu')
        self.assertEqual(torch.hpu.memory_allocated() - before, 4 << 20)
        del t
        self.assertEqual(torch.hpu.memory_allocated(), before)
        torch.hpu.reset_peak_memory_stats()
        self.assertEqual(torch.hpu.max_memory_allocated(), before)
        self.assertEqual(set(torch.hpu.memory_stats()), {
            'Limit', 'InUse', 'MaxInUse', 'NumAllocs', 'NumFrees', 'ActiveAllocs',
            'MaxAllocSize', 'TotalSystemAllocs', 'TotalSystemFrees', 'TotalActiveAllocs'})

    def test_too_much_memory(self):
        with self.assertRaisesRegex(RuntimeError, 'allocating memory'):
            torch.empty(1 << 40, device='hpu')

    def test_streams(self):
        x = torch.ones(1 << 16, device='hpu')
        side = torch.hpu.Stream()
        side.wait_stream(torch.hpu.current_stream())
        with torch.hpu.stream(side):
            self.assertEqual(torch.hpu.current_stream(), side)
            y = x + x
        torch.hpu.current_stream().wait_stream(side)
        self.assertEqual(torch.hpu.current_stream(), torch.hpu.default_stream())
        self.assertTrue(torch.equal((y + 1).cpu(), torch.full((1 << 16,), 3.)))
        side.synchronize()
        self.assertTrue(side.query())

    def test_masks_and_triangles(self):
        """Of common models, none of which the CPU does."""
        with torch.hpu.fallback_mode('error'):
            for function in (torch.tril_indices, torch.triu_indices):
                for arguments in ((4, 3), (3, 5, -1), (2, 2, 1)):
                    got = function(*arguments, device='hpu')
                    self.assertEqual(got.device.type, 'hpu')
                    self.assertTrue(torch.equal(got.cpu(), function(*arguments)))
                got = function(3, 3, dtype=torch.int32, device='hpu')
                self.assertIs(got.dtype, torch.int32)
            torch.manual_seed(3)
            model = torch.nn.TransformerEncoder(
                torch.nn.TransformerEncoderLayer(16, 2, 32, 0, batch_first=True), 1).eval()
            x, ends = torch.randn(2, 5, 16), torch.tensor([5, 3])
            places = torch.arange(5)
            for padding in (places >= ends[:, None], places == ends[:, None] - 2):
                with torch.no_grad():
                    want = model(x, src_key_padding_mask=padding)
                    got = model.to('hpu')(x.to('hpu'), src_key_padding_mask=padding.to('hpu'))
                    model.cpu()
                # What is padded PyTorch's own fast path has zeros for.
                torch.testing.assert_close(got.cpu()[~padding], want[~padding], rtol=1e-4,
                                           atol=1e-5)

    def test_backward_on_the_streams_of_the_forward_pass(self):
        """PyTorch 2 goes back to them, and gradients come from others that are still busy."""
        def gradient(stream):
            x = torch.ones(384, 384, device='hpu', requires_grad=True)
            stream.wait_stream(torch.hpu.current_stream())
            with torch.hpu.stream(stream):
                y = x * 3
            torch.hpu.current_stream().wait_stream(stream)
            for _ in range(6):
                y = y @ m
            y.sum().backward()
            return x.grad.clone()

        m = (torch.randn(384, 384) / 20).to('hpu')
        want, side = gradient(torch.hpu.current_stream()), torch.hpu.Stream()
        kept = [torch.full((384, 384), 1e3, device='hpu') for _ in range(20)]
        torch.hpu.synchronize()
        del kept                                        # what memory has that is not written yet
        for _ in range(3):
            torch.testing.assert_close(gradient(side), want)

    def test_no_sparse_or_quantized(self):
        """Their operators say what is not there."""
        at = torch.tensor([[0, 1], [1, 0]])
        bag = torch.nn.Embedding(4, 2, sparse=True).to('hpu')
        for make in (lambda: torch.sparse_coo_tensor(at.to('hpu'), torch.ones(2).to('hpu')),
                     lambda: torch.sparse_coo_tensor(at, torch.ones(2)).to('hpu'),
                     lambda: bag(at.to('hpu')).sum().backward()):
            with self.assertRaisesRegex(NotImplementedError, 'no sparse tensors on the card'):
                make()
        with torch.hpu.fallback_mode('silent'):
            with self.assertRaisesRegex(NotImplementedError, 'no quantized tensors on the card'):
                torch.quantize_per_tensor(torch.ones(2).to('hpu'), 0.1, 0, torch.qint8)

    def test_events_at_the_end(self):
        """One that lives until the module is gone says nothing."""
        program = ("import torch, torch_gaudi, sys; e = torch.hpu.Event(); e.record(); "
                   "torch_gaudi.streams._lib = None; del e")
        done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_events(self):
        start, end = (torch.hpu.Event(enable_timing=True) for _ in range(2))
        start.record()
        x = torch.ones(1000, device='hpu') + 1
        end.record()
        end.synchronize()
        self.assertTrue(end.query())
        self.assertGreaterEqual(start.elapsed_time(end), 0)
        del x

    def test_random_repeats(self):
        torch.manual_seed(5)
        a = torch.randn(10, device='hpu')
        state = torch.hpu.get_rng_state()
        b = torch.rand(10, device='hpu')
        torch.manual_seed(5)
        self.assertTrue(torch.equal(a.cpu(), torch.randn(10, device='hpu').cpu()))
        torch.hpu.set_rng_state(state)
        self.assertTrue(torch.equal(b.cpu(), torch.rand(10, device='hpu').cpu()))


class Fallbacks(unittest.TestCase):
    NAME = 'aten::i0.out'                               # no kernel for this one soon

    def test_counted(self):
        torch.hpu.reset_fallbacks()
        x = torch.rand(5) + 1
        for _ in range(3):
            got = torch.i0(x.to('hpu'))
        self.assertTrue(torch.equal(got.cpu(), torch.i0(x)))
        self.assertEqual(torch.hpu.fallbacks()[self.NAME].count, 3)

    def test_error(self):
        x = torch.rand(5).to('hpu')
        with torch.hpu.fallback_mode('error'):
            with self.assertRaisesRegex(NotImplementedError, 'i0.* would run on the CPU'):
                torch.i0(x)
        torch.i0(x)

    @classmethod
    def setUpClass(cls):
        """Programs with variables of their own; all begin as one that has imported PyTorch,
        which takes longer than the rest."""
        variables = [{}, {'GT_FALLBACK': 'silent'},
                     {'GT_FALLBACK': 'silent', 'GT_FALLBACK_TABLE': '1'},
                     {'GT_FALLBACK': 'error'}, {'GT_FALLBACK': 'loud'},
                     {'GT_FALLBACK': 'warn', 'GT_FALLBACK_TABLE': '1'}]
        each = ('import torch_gaudi\n'
                'x = torch.rand(5).to("hpu")\n'
                'for _ in range(3):\n'
                '    torch.i0(x)\n')
        code = ('import os, sys, tempfile, torch\n'
                f'for variables in {variables}:\n'
                '    said = tempfile.TemporaryFile()\n'
                '    pid = os.fork()\n'
                '    if not pid:\n'
                '        os.dup2(said.fileno(), 2)\n'
                '        os.environ.update(variables)\n'
                f'        exec({each!r})\n'
                '        sys.exit()\n'
                '    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n'
                '    said.seek(0)\n'
                '    print([variables, status, said.read().decode()], flush=True)\n')
        env = {**os.environ, 'GT_FALLBACK': '', 'GT_FALLBACK_TABLE': ''}
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                              env=env, check=True)
        cls.runs = [ast.literal_eval(line) for line in done.stdout.splitlines()]

    def run_with(self, **variables):
        """Status and standard error."""
        return next((status, said) for given, status, said in self.runs if given == variables)

    def test_said_once(self):
        status, said = self.run_with(GT_FALLBACK='warn', GT_FALLBACK_TABLE='1')
        self.assertEqual(status, 0)
        self.assertEqual(said.count('runs on the CPU'), 1, said)
        self.assertRegex(said, r'<string>:4|a thread of PyTorch')
        self.assertRegex(said, r'\b3 aten::i0.out')

    def test_variables(self):
        status, said = self.run_with()
        self.assertEqual((status, said.count('\n')), (0, 1), said)
        self.assertEqual(self.run_with(GT_FALLBACK='silent'), (0, ''))
        _, said = self.run_with(GT_FALLBACK='silent', GT_FALLBACK_TABLE='1')
        self.assertNotIn('runs on the CPU', said)
        self.assertRegex(said, r'\b3 aten::i0.out')
        status, said = self.run_with(GT_FALLBACK='error')
        self.assertNotEqual(status, 0)
        self.assertRegex(said, 'NotImplementedError: hpu: aten::i0.out would run')
        status, said = self.run_with(GT_FALLBACK='loud')
        self.assertNotEqual(status, 0)
        self.assertIn('"loud"; it may be warn, silent or error', said)

    def test_results_come_back(self):
        """Also lists of tensors, and those of a call that has no tensor."""
        x = torch.rand(20, 2)
        for device in ('cpu', 'hpu'):
            _, edges = torch.histogramdd(x.to(device), bins=[2, 3])
            self.assertEqual({e.device.type for e in edges}, {device})
            self.assertEqual(torch.triu_indices(3, 3, device=device).device.type, device)
        # What is written to in place; PyTorch 2 has no such masks.
        if not hasattr(torch, 'accelerator'):
            x, mask = torch.zeros(2, 4, device='hpu'), torch.tensor([[0, 1], [1, 1]])
            x[:, ::2].masked_scatter_(mask.to('hpu', torch.uint8), torch.ones(3, device='hpu'))
            self.assertEqual(x.tolist(), [[0, 0, 1, 0], [1, 0, 1, 0]])
        # Lists that are written to.
        out = [torch.zeros(3, device='hpu')]
        torch.ops.aten._foreach_exp.out([torch.zeros(3, device='hpu')], out=out)
        self.assertTrue(torch.equal(out[0].cpu(), torch.ones(3)))
        noise = torch.zeros(2, 10, device='hpu')
        x = torch.linspace(-1, 1, 20).view(2, 10)
        y = torch.ops.aten.rrelu_with_noise(x.to('hpu'), noise, 0.1, 0.3, True)
        noise, y = noise.cpu(), y.cpu()
        self.assertTrue(torch.equal(noise[1], torch.ones(10)))
        self.assertTrue(bool(((noise[0] >= 0.1) & (noise[0] <= 0.3)).all()))
        torch.testing.assert_close(y, x * noise)


if __name__ == '__main__':
    unittest.main()
