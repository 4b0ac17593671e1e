# SPDX-License-Identifier: GPL-2.0-only
"""What PyTorch 2 asks of a device that PyTorch 1 did not."""

import copy
import io
import unittest

import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import torch_gaudi                                      # noqa: F401 - registers hpu

is_2 = unittest.skipUnless(hasattr(torch, 'accelerator'), 'this PyTorch has no torch.accelerator')


@is_2
class Accelerator(unittest.TestCase):
    def test_device(self):
        self.assertTrue(torch.accelerator.is_available())
        self.assertEqual(torch.accelerator.current_accelerator().type, 'hpu')
        self.assertEqual(torch.accelerator.device_count(), 1)
        self.assertEqual(torch.accelerator.current_device_index(), 0)
        torch.accelerator.set_device_index(0)
        with self.assertRaisesRegex(RuntimeError, 'a process has one card, hpu:0'):
            torch.accelerator.set_device_index(1)
        torch.ones(3, device=torch.accelerator.current_accelerator())
        torch.accelerator.synchronize()

    def test_streams(self):
        stream = torch.Stream(device='hpu')
        x = torch.arange(4., device='hpu')
        ready = torch.Event(device='hpu', enable_timing=True)
        ready.record()
        stream.wait_event(ready)
        before = torch.accelerator.current_stream()
        torch.accelerator.set_stream(stream)
        self.assertEqual(torch.hpu.current_stream().stream_id, stream.stream_id)
        y = x * 2
        done = stream.record_event(torch.Event(device='hpu', enable_timing=True))
        torch.accelerator.set_stream(before)
        self.assertEqual(torch.accelerator.current_stream(), before)
        done.synchronize()
        self.assertTrue(done.query())
        self.assertGreaterEqual(ready.elapsed_time(done), 0)
        stream.synchronize()
        self.assertEqual(y.tolist(), [0, 2, 4, 6])

    def test_generators(self):
        def draw(generator):
            return [torch.rand(5, device='hpu', generator=generator).tolist(),
                    torch.randperm(7, device='hpu', generator=generator).tolist()]

        g = torch.Generator('hpu')
        self.assertEqual(g.device.type, 'hpu')
        first = draw(g.manual_seed(3))
        state = g.get_state()
        second = draw(g)
        self.assertNotEqual(first, second)
        self.assertEqual(draw(g.manual_seed(3)), first)
        g.set_state(state)
        self.assertEqual(draw(g), second)
        self.assertEqual(g.initial_seed(), 3)
        with torch.random.fork_rng(device_type='hpu'):
            once = draw(None)
        self.assertEqual(draw(None), once)

    def test_pinned_memory_by_default(self):
        x = torch.arange(6.).pin_memory()
        self.assertTrue(x.is_pinned())
        self.assertEqual(x.to('hpu', non_blocking=True).tolist(), list(range(6)))
        self.assertTrue(torch.empty(3, pin_memory=True).is_pinned())
        self.assertFalse(torch.empty(3).is_pinned())


@is_2
class Storages(unittest.TestCase):
    """In files they are as those of any device, and at home on all of them."""

    VALUES = {'float': torch.arange(6.), 'long': torch.tensor([1, -2, 2**31 - 1]),
              'bool': torch.tensor([True, False, True]), 'half': torch.ones(3).bfloat16(),
              'double': torch.tensor([0.5, -1.5]), 'complex': torch.tensor([1 + 2j])}

    def saved(self, value):
        file = io.BytesIO()
        torch.save(value, file)
        return file.getvalue()

    def check(self, found, device):
        for name, value in self.VALUES.items():
            self.assertEqual(found[name].device.type, device, name)
            self.assertEqual(found[name].dtype, value.dtype)
            self.assertEqual(found[name].tolist(), value.tolist(), name)

    def test_from_each_to_each(self):
        for there in ('cpu', 'hpu'):
            file = self.saved({k: v.to(there) for k, v in self.VALUES.items()})
            self.check(torch.load(io.BytesIO(file)), there)
            for here in ('cpu', 'hpu'):
                self.check(torch.load(io.BytesIO(file), map_location=here), here)

    def test_shared(self):
        x = torch.arange(6., device='hpu')
        a, b = torch.load(io.BytesIO(self.saved([x, x[2:4]])))
        a.mul_(2)
        self.assertEqual(b.tolist(), [4, 6])

    def test_storages(self):
        x = torch.tensor([1, 2, 3], device='hpu')
        there = x.untyped_storage().cpu()
        self.assertEqual(torch.tensor([], dtype=torch.int64).set_(there).tolist(), [1, 2, 3])
        copied = torch.tensor([], dtype=torch.int64, device='hpu').set_(
            x.untyped_storage().clone(), 1, (2,))
        x.zero_()
        self.assertEqual((copied + 1).tolist(), [3, 4])
        x.untyped_storage().copy_(there)
        self.assertEqual(x.tolist(), [1, 2, 3])

    def test_parts_of_elements(self):
        x = torch.tensor([1, 2], device='hpu')
        parts = torch.tensor([], dtype=torch.uint8, device='hpu').set_(x.untyped_storage(), 3, (5,))
        with self.assertRaisesRegex(RuntimeError, 'only whole elements'):
            parts.cpu()

    def test_resized(self):
        x = torch.arange(4., device='hpu')
        storage = x.untyped_storage()
        storage.resize_(0)
        storage.resize_(16)
        x.copy_(torch.ones(4))
        self.assertEqual(x.tolist(), [1] * 4)
        self.assertEqual(torch.load(io.BytesIO(self.saved(x))).tolist(), [1] * 4)


@is_2
class Autocast(unittest.TestCase):
    def test_state(self):
        with torch.amp.autocast('hpu', dtype=torch.bfloat16):
            self.assertTrue(torch.is_autocast_enabled('hpu'))
            self.assertEqual(torch.get_autocast_dtype('hpu'), torch.bfloat16)
            x = torch.ones(2, 2, device='hpu')
            self.assertEqual((x @ x).dtype, torch.bfloat16)
            with torch.autocast('hpu', enabled=False):
                self.assertEqual((x @ x).dtype, torch.float32)
        self.assertFalse(torch.is_autocast_enabled('hpu'))

    def test_checkpoint(self):
        seen = []

        def part(x):
            seen.append((x @ x).dtype)
            return x @ x

        x = torch.ones(2, 2, device='hpu', requires_grad=True)
        with torch.autocast('hpu', dtype=torch.bfloat16):
            y = checkpoint(part, x, use_reentrant=False)
        y.float().sum().backward()
        self.assertEqual(seen, [torch.bfloat16] * 2)


@is_2
class Compiled(unittest.TestCase):
    def train(self, device, backend):
        torch.manual_seed(5)
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(),
                                    torch.nn.Linear(8, 2)).to(device)
        x = torch.randn(6, 4).to(device)
        run = torch.compile(model, backend=backend) if backend else model
        run(x).square().mean().backward()
        return [p.grad.cpu() for p in model.parameters()]

    def test_backends(self):
        wanted = self.train('cpu', None)
        for backend in ('eager', 'aot_eager', 'hpu_backend'):
            with torch.hpu.fallback_mode('error'):
                for a, b in zip(self.train('hpu', backend), wanted):
                    torch.testing.assert_close(a, b)

    def test_autocast(self):
        """Around the call and within it: types, results and gradients of what is not compiled."""
        def layer():
            torch.manual_seed(3)
            return torch.nn.TransformerEncoderLayer(16, 2, 32, 0, batch_first=True).to('hpu')

        def results(model, run):
            y = run(torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(1)).to('hpu'))
            y.float().square().mean().backward()
            return y, [p.grad for p in model.parameters()]

        def around(model, run):
            with torch.autocast('hpu', dtype=torch.bfloat16):
                return results(model, run)

        def within(model):
            def run(x):
                with torch.autocast('hpu', dtype=torch.bfloat16):
                    return model(x)
            return run

        plain, compiled = layer(), layer()
        run = torch.compile(compiled, backend='hpu_backend')
        self.assertIs(run._orig_mod, compiled)
        torch.testing.assert_close(around(compiled, run), around(plain, plain))
        plain, compiled = layer(), layer()
        run = torch.compile(backend='hpu_backend')(within(compiled))
        got = results(compiled, run)
        self.assertIs(got[0].dtype, torch.bfloat16)
        torch.testing.assert_close(got, results(plain, within(plain)))
        plain, compiled = layer(), layer()
        compiled.compile(backend='hpu_backend')
        torch.testing.assert_close(around(compiled, compiled), around(plain, plain))

    def test_inductor_is_refused(self):
        with self.assertRaisesRegex(Exception, 'hpu_backend'):
            self.train('hpu', 'inductor')


@is_2
class Transforms(unittest.TestCase):
    """torch.func, whose wrappers have no key of the card's."""

    def test_no_operator_is_ambiguous(self):
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        for name in torch._C._dispatch_get_all_op_names():
            if name.startswith('aten::') and has(name, 'CompositeImplicitAutograd'):
                rows = torch._C._dispatch_dump_table(name).splitlines()
                row = next((r for r in rows if r.startswith('AutogradOther:')), '')
                self.assertNotIn('ambiguous', row, name)

    def test_gradients_of_samples(self):
        model = torch.nn.Sequential(
            torch.nn.Conv1d(2, 3, 3), torch.nn.LayerNorm(6), torch.nn.GELU(),
            torch.nn.Flatten(), torch.nn.Linear(18, 2))
        torch.manual_seed(6)
        x, y = torch.randn(4, 2, 8), torch.randint(0, 2, (4,))

        def gradients(device):
            there = copy.deepcopy(model).to(device)

            def loss(params, x, y):
                z = torch.func.functional_call(there, params, (x[None],))
                return F.cross_entropy(z, y[None])
            each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
            return each(dict(there.named_parameters()), x.to(device), y.to(device))

        want = gradients('cpu')
        for name, got in gradients('hpu').items():
            torch.testing.assert_close(got.cpu(), want[name], rtol=1e-4, atol=1e-5)


@is_2
class Fused(unittest.TestCase):
    def test_attention(self):
        torch.manual_seed(1)
        q, k, v = (torch.randn(2, 3, 5, 4) for _ in range(3))
        mask = torch.randn(5, 5)
        for options in ({}, {'is_causal': True}, {'attn_mask': mask}, {'scale': 0.3}):
            there = {n: o.to('hpu') if torch.is_tensor(o) else o for n, o in options.items()}
            found = F.scaled_dot_product_attention(*(t.to('hpu') for t in (q, k, v)), **there)
            torch.testing.assert_close(found.cpu(),
                                       F.scaled_dot_product_attention(q, k, v, **options))

    def test_optimizers_of_lists(self):
        def train(device, **options):
            torch.manual_seed(2)
            model = torch.nn.Linear(3, 2).to(device)
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, **options)
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.ones(4, 3, device=device)).square().sum().backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1., foreach=True)
                optimizer.step()
            return [p.detach().cpu() for p in model.parameters()]

        for a, b in zip(train('hpu', foreach=True), train('cpu')):
            torch.testing.assert_close(a, b)

    def test_optimizers(self):
        """fused=True, and what GradScaler leaves to it: steps as the CPU's, none on it."""
        def train(device, kind, scaled, **arguments):
            torch.manual_seed(4)
            model = torch.nn.Sequential(torch.nn.Linear(5, 6), torch.nn.Linear(6, 2)).to(device)
            optimizer = kind(model.parameters(), fused=True, **arguments)
            scaler = torch.amp.GradScaler(device, init_scale=8., enabled=scaled)
            for step in range(4):
                x = torch.linspace(-1, 1, 15).view(3, 5)
                # One that is not finite is left out.
                x = x / 0 if scaled and step == 1 else x
                optimizer.zero_grad()
                scaler.scale(model(x.to(device)).pow(2).sum()).backward()
                with torch.hpu.fallback_mode('error'):
                    scaler.step(optimizer)
                    scaler.update()
            return [p.detach().cpu() for p in model.parameters()] + [
                torch.tensor(float(state['step'])) for state in optimizer.state.values()
                if 'step' in state]

        adam = {'lr': 0.05, 'weight_decay': 0.1}
        for kind, arguments in (
                (torch.optim.Adam, adam), (torch.optim.AdamW, adam),
                (torch.optim.Adam, {'lr': 0.05, 'amsgrad': True, 'maximize': True}),
                (torch.optim.AdamW, {'lr': torch.tensor(0.05), 'betas': (0., 0.9)}),
                (torch.optim.SGD, {'lr': 0.05}),
                (torch.optim.SGD, {'lr': 0.05, 'momentum': 0.9, 'nesterov': True}),
                (torch.optim.SGD, {'lr': 0.05, 'momentum': 0.9, 'dampening': 0.2,
                                   'weight_decay': 0.1, 'maximize': True})):
            for scaled in (False, True):
                with self.subTest(kind=kind.__name__, scaled=scaled, **arguments):
                    for got, want in zip(train('hpu', kind, scaled, **arguments),
                                         train('cpu', kind, scaled, **arguments)):
                        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)

    def test_powers_of_lists(self):
        exponents = [torch.arange(3.), torch.ones(2)]
        got = torch._foreach_pow(2., [t.to('hpu') for t in exponents])
        for a, b in zip(got, exponents):
            torch.testing.assert_close(a.cpu(), 2. ** b)

    def test_lists_that_the_cpu_writes(self):
        parts = [torch.empty(2, device='hpu'), torch.empty(3, device='hpu')]
        with torch.hpu.fallback_mode('silent'):
            torch.split_with_sizes_copy(torch.arange(5., device='hpu'), [2, 3], out=parts)
        self.assertEqual([t.tolist() for t in parts], [[0, 1], [2, 3, 4]])


if __name__ == '__main__':
    unittest.main()
