# SPDX-License-Identifier: GPL-2.0-only
"""Scripts as they are written for the vendor's bridge, of both eras."""

import contextlib
import copy
import importlib
import io
import os
import pickle
import tempfile
import unittest
from unittest import mock

import torch
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import habana_frameworks.torch as ht
import habana_frameworks.torch.core as htcore
import habana_frameworks.torch.hpu as hthpu
from habana_frameworks.torch.distributed.hccl import initialize_distributed_hpu
from habana_frameworks.torch.hpex import hmp
from habana_frameworks.torch.hpex.kernels import FusedSDPA
from habana_frameworks.torch.hpex.movingavrg import FusedEMA
from habana_frameworks.torch.hpex.normalization import FusedClipNorm, FusedRMSNorm
from habana_frameworks.torch.hpex.optimizers import (FusedAdamW, FusedLamb, FusedLars,
                                                     FusedSGD)
from habana_frameworks.torch.utils.experimental import _get_device_type, synDeviceType
from habana_frameworks.torch.utils.library_loader import load_habana_module


def network():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))


def batch():
    torch.manual_seed(2)
    x = torch.randn(64, 20)
    return x, (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()


class FirstEra(unittest.TestCase):
    """load_habana_module(), hmp and mark_step()."""

    def tearDown(self):
        from torch_gaudi import autocast
        if autocast._hmp is not None:
            autocast._hmp.enabled = False

    def test_script(self):
        load_habana_module()
        device = torch.device('hpu')
        hmp.convert(opt_level='O1', isVerbose=False)
        model = network().to(device)
        optimizer = FusedAdamW(model.parameters(), lr=0.01)
        clip = FusedClipNorm(model.parameters(), 1.0)
        x, y = (t.to(device, non_blocking=True) for t in batch())
        losses = []
        for _ in range(30):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            htcore.mark_step()
            clip.clip_norm(model.parameters())
            with hmp.disable_casts():
                optimizer.step()
            htcore.mark_step()
            losses.append(loss.item())
        self.assertIs(model(x).dtype, torch.bfloat16)
        self.assertLess(losses[-1], losses[0] * 0.5)
        with hmp.disable_casts():
            self.assertIs(model(x).dtype, torch.float32)

    def test_lists_of_files(self):
        with tempfile.NamedTemporaryFile('w', suffix='.txt') as lower:
            lower.write('mul\n')
            lower.flush()
            hmp.convert('O1', bf16_file_path=lower.name)
            x = torch.ones(2, 2).to('hpu')
            self.assertIs(torch.mul(x, x).dtype, torch.bfloat16)
            self.assertIs(torch.mm(x, x).dtype, torch.float32)
        with self.assertRaisesRegex(ValueError, 'O7'):
            hmp.convert('O7')

    def test_step_closures(self):
        found = []
        htcore.add_step_closure(lambda a, b: found.append(a + b), (1, 2))
        self.assertEqual(found, [])
        htcore.mark_step()
        htcore.mark_step(sync=True)
        self.assertEqual(found, [3])


class SecondEra(unittest.TestCase):
    def test_autocast(self):
        model = network().to('hpu')
        x, y = (t.to('hpu') for t in batch())
        optimizer = FusedSGD(model.parameters(), lr=0.5, momentum=0.9)
        losses = []
        for _ in range(30):
            with torch.autocast(device_type='hpu', dtype=torch.bfloat16):
                out = model(x)
                loss = F.cross_entropy(out, y)
            self.assertEqual((out.dtype, loss.dtype), (torch.bfloat16, torch.float32))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        self.assertIs(model[0].weight.grad.dtype, torch.float32)
        self.assertLess(losses[-1], losses[0] * 0.5)
        with torch.autocast('hpu', enabled=False):
            self.assertIs(model(x).dtype, torch.float32)
        with torch.autocast('cpu', dtype=torch.bfloat16):
            self.assertIs((batch()[0] @ batch()[0].t()).dtype, torch.bfloat16)
        with self.assertRaisesRegex(ValueError, 'bfloat16 only'):
            torch.autocast('hpu', dtype=torch.float16)

    def test_autocast_within(self):
        x = torch.ones(2, 2).to('hpu')
        with torch.autocast('hpu'):
            with torch.autocast('hpu', enabled=False):
                self.assertIs((x @ x).dtype, torch.float32)
            self.assertIs((x @ x).dtype, torch.bfloat16)
        hthpu.set_autocast_hpu_enabled(True)
        try:
            self.assertTrue(hthpu.is_autocast_hpu_enabled())
            self.assertIs((x @ x).dtype, torch.bfloat16)
            with torch.autocast('hpu', enabled=False):
                self.assertIs((x @ x).dtype, torch.float32)
        finally:
            hthpu.set_autocast_hpu_enabled(False)
        self.assertIs((x @ x).dtype, torch.float32)
        with self.assertRaisesRegex(ValueError, 'bfloat16 only'):
            hthpu.set_autocast_hpu_dtype(torch.float16)

    def test_autocast_leaves_what_is_written(self):
        """Running means, results in `out` and tensors written in place are no copies."""
        x = torch.randn(4, 3, 5, generator=torch.Generator().manual_seed(0)).add_(2)
        norm, plain = (torch.nn.BatchNorm1d(3).to(device) for device in ('hpu', 'cpu'))
        out, plus = torch.zeros(3, 3, device='hpu'), torch.ones(3, device='hpu')
        with torch.autocast('hpu'):
            y = norm(x.to('hpu'))
            torch.mm(x[0, :, :3].to('hpu'), torch.eye(3, device='hpu'), out=out)
            plus.index_add_(0, torch.tensor([1]).to('hpu'), plus[:1].bfloat16())
        plain(x)
        self.assertIs(y.dtype, torch.bfloat16)
        torch.testing.assert_close(norm.running_mean.cpu(), plain.running_mean, rtol=0.01,
                                   atol=0.01)
        torch.testing.assert_close(out.cpu(), x[0, :, :3])
        self.assertEqual(plus.tolist(), [1, 2, 1])

    def test_autocast_in_python(self):
        """Functions of PyTorch that are written in Python call others, which are cast, too."""
        torch.manual_seed(0)
        attention = torch.nn.MultiheadAttention(8, 2, batch_first=True).to('hpu')
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).to('hpu')
        x = torch.randn(2, 3, 8, device='hpu')
        exact = attention(x, x, x)[0]
        with torch.autocast('hpu'):
            y = attention(x, x, x)[0]
            found = {y.dtype, attention(x.bfloat16(), x, x)[0].dtype, layer(x).dtype,
                     layer.eval()(x).dtype, torch.einsum('bij,bkj->bik', x, x).dtype}
            y.sum().backward()
        self.assertEqual(found, {torch.bfloat16})
        torch.testing.assert_close(y.float(), exact, rtol=0.05, atol=0.05)
        self.assertIs(attention.in_proj_weight.grad.dtype, torch.float32)

    def test_autocast_of_mixed_types(self):
        x = torch.ones(2, 3, 8, device='hpu')
        with torch.autocast('hpu'):
            self.assertIs(torch.where(x > 0, x, x.bfloat16()).dtype, torch.float32)
            self.assertIs(torch.nn.LSTM(8, 4).to('hpu')(x.bfloat16())[0].dtype, torch.float32)
            self.assertIs(torch.einsum('bij,bkj->bik', x, x.bfloat16()).dtype, torch.bfloat16)

    def test_casts_of_checkpoints(self):
        """What is computed again in the backward pass is what was computed before."""
        x = torch.randn(4, 20, generator=torch.Generator().manual_seed(3))
        for casts in (lambda: torch.autocast('hpu'), self.hmp):
            for reentrant in (True, False, None):
                model, at = network().to('hpu'), x.to('hpu').requires_grad_()
                with casts():
                    seen = []
                    model[0].register_forward_hook(
                        lambda module, args, out, s=seen: s.append(out.dtype))
                    y = model(at) if reentrant is None else checkpoint(
                        model, at, use_reentrant=reentrant)
                    loss = y.float().sum()
                loss.backward()
                self.assertEqual(seen, [torch.bfloat16] * (1 if reentrant is None else 2))
                self.assertIs(model[0].weight.grad.dtype, torch.float32)

    @contextlib.contextmanager
    def hmp(self):
        from torch_gaudi import autocast
        hmp.convert('O1')
        yield
        autocast._hmp.enabled = False

    def test_autocast_lists(self):
        x = torch.ones(2, 2, device='hpu')
        with tempfile.NamedTemporaryFile('w', suffix='.txt') as file, mock.patch.dict(
                os.environ, {'PT_HPU_AUTOCAST_LOWER_PRECISION_OPS_LIST': file.name}):
            file.write('truediv\nmatmul\n')
            file.flush()
            with torch.autocast('hpu'):
                self.assertEqual([v.dtype for v in (x / x, x @ x, x * x, torch.mm(x, x))],
                                 2 * [torch.bfloat16] + 2 * [torch.float32])

    def test_backward_on_a_stream(self):
        """It is on the stream of who calls it, and so can be captured there."""
        x, y = (t.to('hpu') for t in batch())
        gradients = []
        for stream in (hthpu.default_stream(), hthpu.Stream()):
            model = network().to('hpu')
            hthpu.synchronize()
            with hthpu.stream(stream):
                F.cross_entropy(model(x), y).backward()
                model.zero_grad(set_to_none=True)
                graph = hthpu.HPUGraph()
                with hthpu.graph(graph):
                    F.cross_entropy(model(x), y).backward()
                for p in model.parameters():
                    p.grad.zero_()
                graph.replay()
                gradients.append(model[0].weight.grad.cpu())
        self.assertGreater(gradients[0].abs().max().item(), 0)
        torch.testing.assert_close(*gradients)

    def test_graph_keeps_what_caches_lose(self):
        """Constants of the bridge's own, which other calls push out."""
        from habana_frameworks.torch.hpex.kernels import Fsdpa
        q = torch.randn(1, 2, 16, 8)
        x, y = torch.randn(16, 4), torch.arange(16) % 4
        mine, labels, rows = q.to('hpu'), y.to('hpu'), x.to('hpu')
        graph = hthpu.HPUGraph()

        def both():
            return FusedSDPA.apply(mine, mine, mine, is_causal=True), \
                F.cross_entropy(rows, labels)

        both()
        with hthpu.graph(graph):
            attention, loss = both()
        Fsdpa._places.cache_clear()
        for n in range(20, 90):
            F.cross_entropy(torch.zeros(n, 4, device='hpu'), torch.zeros(n).long().to('hpu'))
        taken = [torch.full((n,), float('nan'), device='hpu') for n in (16, 256) * 20]
        graph.replay()
        torch.testing.assert_close(loss.cpu(), F.cross_entropy(x, y))
        torch.testing.assert_close(attention.cpu(), FusedSDPA.apply(q, q, q, is_causal=True),
                                   rtol=1e-4, atol=1e-5)
        self.assertEqual(len(taken), 40)

    def test_loader_pins(self):
        data = torch.utils.data.TensorDataset(torch.arange(8.).view(8, 1))
        for workers in (0, 1):
            loader = torch.utils.data.DataLoader(data, 4, num_workers=workers, pin_memory=True,
                                                 pin_memory_device='hpu')
            got = [(x.is_pinned('hpu'), x.to('hpu', non_blocking=True)) for x, in loader]
            self.assertEqual([pinned for pinned, _ in got], [True, True])
            self.assertTrue(torch.equal(torch.cat([x for _, x in got]).cpu(), data.tensors[0]))

    def test_graph(self):
        model = network().to('hpu').eval()
        x = batch()[0].to('hpu')
        with torch.no_grad():
            model(x)
            graph = hthpu.HPUGraph()
            with hthpu.graph(graph):
                out = model(x)
            for scale in (1, -2):
                new = batch()[0] * scale
                x.copy_(new)
                graph.replay()
                torch.testing.assert_close(out.cpu(), network()(new))

    def test_graph_of_the_cpu(self):
        graph, x = hthpu.HPUGraph(), torch.ones(3).to('hpu')
        with self.assertRaisesRegex(RuntimeError, 'captur'):
            with hthpu.graph(graph):
                x.sum().item()
        self.assertEqual((x + 1).sum().item(), 6)

    def test_wrap_in_hpu_graph(self):
        model = hthpu.wrap_in_hpu_graph(network().to('hpu').eval(), max_graphs=2)
        with torch.no_grad():
            for rows in (3, 5, 3, 7, 5):
                x = torch.randn(rows, 20)
                torch.testing.assert_close(model(x.to('hpu')).cpu(), network()(x))
            first = model(torch.ones(3, 20).to('hpu'))
            self.assertIs(first, model(torch.zeros(3, 20).to('hpu')))
        model.clear_cache()

    def test_module_cacher(self):
        model = htcore.hpu.ModuleCacher(max_graphs=3)(network().to('hpu'), inplace=True)
        model.set_iteration_count(1)
        x = batch()[0]
        torch.testing.assert_close(model(x.to('hpu')).cpu(), network()(x))

    def test_metrics(self):
        from habana_frameworks.torch.hpu.metrics import metric_global, metric_localcontext
        with metric_localcontext('graph_compilation') as metric:
            torch.ones(13, 7).to('hpu') + 1
        self.assertEqual(metric.stats(), [('TotalNumber', 1)])
        self.assertGreaterEqual(metric_global('graph_compilation').stats()[0][1], 1)
        with self.assertRaises(ValueError):
            metric_global('nothing')

    def test_filters_are_in_order(self):
        """Scripts of the first era permute them, unless the bridge says that it does so."""
        from habana_frameworks.torch.utils import debug
        conv, x = torch.nn.Conv2d(2, 3, 3), torch.randn(1, 2, 5, 5)
        want = conv(x)
        conv.to('hpu')
        for is_done in (htcore.is_enabled_weight_permute_pass,
                        debug._is_enabled_weight_permute_pass):
            if is_done() is not True:
                conv.weight.data = conv.weight.data.permute(2, 3, 1, 0)
        torch.testing.assert_close(conv(x.to('hpu')).cpu(), want)

    def test_environment(self):
        model = htcore.hpu_set_env(network()).to('hpu')
        htcore.hpu_initialize(model)
        self.assertTrue(ht.hpu.is_available())
        self.assertEqual(_get_device_type(), synDeviceType.synDeviceGaudi)
        self.assertEqual(initialize_distributed_hpu(), (1, -1, -1))
        self.assertEqual(os.environ['MASTER_PORT'], '12345')


# A module, or "module: names" of it.
NAMES = '''
torch.hpu: default_generators memory metrics graphs random StreamContext enable_dynamic_shape
torch.hpu.memory: memory_stats memory_allocated max_memory_allocated mem_get_info empty_cache
torch.hpu.metrics: metric_global metric_localcontext
torch.hpu.graphs: HPUGraph graph wrap_in_hpu_graph make_graphed_callables ModuleCacher input_hash
torch.hpu.random: manual_seed_all default_generators
habana_frameworks.torch.core: mark_step hccl quantization hpu hpu_set_env
habana_frameworks.torch.core.step_closure: add_step_closure mark_step iter_mark_step
habana_frameworks.torch.core.weight_sharing: enable_weight_sharing
habana_frameworks.torch.core.hccl: initialize_distributed_hpu
habana_frameworks.torch.core.quantization: _mark_params_as_const _check_params_as_const
habana_frameworks.torch.hpu.events: Event
habana_frameworks.torch.hpu.streams: Stream StreamContext stream current_stream
habana_frameworks.torch.hpu.graphs: HPUGraph ModuleCacher CachedParams copy_to input_hash
habana_frameworks.torch.hpu.memory: memory_stats reset_peak_memory_stats
habana_frameworks.torch.hpu.metrics: metric_global metric_localcontext
habana_frameworks.torch.hpu.random: get_rng_state set_rng_state_all default_generators
habana_frameworks.torch.hpex.kernels: FusedSDPA RotaryPosEmbeddingHelperV1 CTCLoss CustomSoftmax
habana_frameworks.torch.hpex.kernels: RotaryPosEmbeddingHelperV3 RotaryPosEmbeddingMode
habana_frameworks.torch.hpex.kernels: RotaryPosEmbeddingHelperV2 apply_rotary_pos_emb
habana_frameworks.torch.utils.internal: is_lazy
habana_frameworks.torch.hpex.kernels.Fsdpa: FusedSDPA
habana_frameworks.torch.hpex.kernels.RotaryPosEmbeddingHelper: RotaryPosEmbeddingHelperV2
habana_frameworks.torch.utils.library_loader: load_habana_module is_habana_available
habana_frameworks.torch.utils.debug: _enable_fuse_conv_bn_optimization
habana_frameworks.torch.dynamo.compile_backend
'''


class Names(unittest.TestCase):
    def test_all(self):
        for line in NAMES.split('\n'):
            module, _, names = line.partition(':')
            if not module:
                continue
            found = importlib.import_module(module)
            for name in names.split():
                with self.subTest(module=module, name=name):
                    self.assertTrue(hasattr(found, name))
        self.assertIs(importlib.import_module('torch.hpu.memory'), torch.hpu.memory)

    def test_what_is_not_there(self):
        for module, name in (('activity_profiler', 'DebugActivity'), ('core.quantization', 'x'),
                             ('utils.profiler', 'setup'), ('utils.experimental', 'y')):
            module = 'habana_frameworks.torch.' + module
            function = getattr(importlib.import_module(module), name)
            with self.assertRaisesRegex(NotImplementedError, f'{module}.{name}'):
                function()
        with self.assertRaisesRegex(ImportError, 'gpu_migration.*torch.cuda'):
            importlib.import_module('habana_frameworks.torch.gpu_migration')

    def test_is_hpu(self):
        x = torch.ones(3)
        self.assertEqual((x.is_hpu, x.to('hpu').is_hpu), (False, True))
        self.assertTrue(torch.nn.Linear(2, 2).to('hpu').weight.is_hpu)

    def test_stream_context(self):
        stream = hthpu.Stream()
        with torch.hpu.StreamContext(stream):
            self.assertEqual(torch.hpu.current_stream(), stream)
            with torch.hpu.StreamContext(None):
                self.assertEqual(torch.hpu.current_stream(), stream)
        self.assertEqual(torch.hpu.current_stream(), torch.hpu.default_stream())

    def test_two_devices(self):
        """Refused as PyTorch refuses them; a number, and indexes, may be the host's."""
        x, here = torch.ones(3, 4).to('hpu'), torch.ones(3, 4)
        for call in (lambda: torch.cat([x, here]), lambda: torch.stack([here, x]),
                     lambda: x + here, lambda: x.index_put_((torch.tensor([1]),), here[1:2])):
            with self.assertRaisesRegex(RuntimeError, 'same device'):
                call()
        x[torch.tensor([1])] = torch.tensor(5.)
        self.assertEqual((x.sum().item(), x[torch.tensor([1])].sum().item()), (28, 20))

    def test_pin_memory(self):
        x = torch.arange(5.)
        pinned = x.pin_memory()
        self.assertEqual((x.is_pinned(), pinned.is_pinned(), pinned.is_pinned('hpu')),
                         (False, True, True))
        self.assertTrue(torch.equal(pinned, x))

    def test_pickle(self):
        def same(got, want):
            self.assertEqual((got.device, got.dtype), (want.device, want.dtype))
            self.assertTrue(torch.equal(got.cpu(), want.cpu()))
        for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.float64):
            x = torch.arange(12).reshape(3, 4).to(dtype).to('hpu')
            for t in (x, x.t(), x[1:, 2:], x[0, 0]):
                same(pickle.loads(pickle.dumps(t)), t)
                same(copy.deepcopy(t), t)
        model = network().to('hpu')
        again = pickle.loads(pickle.dumps(model))
        same(again[0].weight.detach(), model[0].weight.detach())
        file = io.BytesIO()
        torch.save(model.state_dict(), file, _use_new_zipfile_serialization=False)
        for where in ('hpu', 'cpu'):
            file.seek(0)
            got = torch.load(file, map_location=where)['0.weight']
            self.assertEqual(got.device.type, where)
            self.assertTrue(torch.equal(got.cpu(), model[0].weight.detach().cpu()))

    def test_profiler(self):
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.HPU]
        with torch.profiler.profile(activities=activities) as profile:
            torch.ones(3).to('hpu') + 1
        self.assertIn('aten::add', [event.key for event in profile.key_averages()])


class Optimizers(unittest.TestCase):
    """The same steps on both devices; and beside PyTorch's own, where those are the same."""

    def steps(self, device, make):
        model = network().to(device)
        optimizer = make(list(model.parameters()))
        x, y = (t.to(device) for t in batch())
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        return [p.detach().cpu() for p in model.parameters()]

    def test_both_devices(self):
        for make in (lambda p: FusedAdamW(p, lr=0.01, weight_decay=0.1),
                     lambda p: FusedLamb(p, lr=0.01), lambda p: FusedSGD(p, 0.1, 0.9),
                     lambda p: FusedLars(torch.optim.SGD(p, lr=0.1, weight_decay=1e-3),
                                         [True, False] * 2)):
            for cpu, hpu in zip(self.steps('cpu', make), self.steps('hpu', make)):
                torch.testing.assert_close(hpu, cpu, rtol=1e-3, atol=1e-5)

    def test_moments_of_another_type(self):
        for device in 'cpu', 'hpu':
            for make, name in (FusedAdamW, 'moments_dtype'), (FusedLamb, 'dtype'):
                p = torch.ones(3, device=device, requires_grad=True)
                optimizer = make([p], **{name: torch.bfloat16})
                p.sum().backward()
                optimizer.step()
                self.assertEqual(optimizer.state[p]['exp_avg'].dtype, torch.bfloat16)
                self.assertEqual(optimizer.state[p]['exp_avg_sq'].dtype, torch.bfloat16)
                self.assertEqual(p.dtype, torch.float32)
                self.assertTrue((p < 1).all())

    def test_adamw_is_adam(self):
        ours = self.steps('cpu', lambda p: FusedAdamW(p, lr=0.01, eps=1e-15))
        theirs = self.steps('cpu', lambda p: torch.optim.Adam(p, lr=0.01, eps=1e-15))
        for a, b in zip(ours, theirs):
            torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-5)


class Functions(unittest.TestCase):
    def test_attention(self):
        q, k, v = (torch.randn(2, 3, 7, 8) for _ in range(3))
        want = torch.softmax(q @ k.transpose(-2, -1) / 8 ** 0.5, -1) @ v
        got = FusedSDPA.apply(q.to('hpu'), k.to('hpu'), v.to('hpu'))
        torch.testing.assert_close(got.cpu(), want, rtol=1e-4, atol=1e-5)
        mask = torch.ones(7, 7, dtype=torch.bool).tril()
        want = (q @ k.transpose(-2, -1) / 8 ** 0.5).masked_fill(~mask, float('-inf'))
        want = want.softmax(-1) @ v
        for arguments in ({'is_causal': True}, {'attn_mask': mask.to('hpu')}):
            got = FusedSDPA.apply(q.to('hpu'), k.to('hpu'), v.to('hpu'), **arguments)
            torch.testing.assert_close(got.cpu(), want, rtol=1e-4, atol=1e-5)

    def test_attention_by_rows(self):
        """As with all scores at once: results, gradients; and it takes less memory."""
        from habana_frameworks.torch.hpex.kernels import Fsdpa

        def run(most, shape, keys, **arguments):
            torch.manual_seed(5)
            q, k, v = (torch.randn(*shape[:-2], n, shape[-1]).to('hpu').requires_grad_()
                       for n in (shape[-2], keys, keys))
            torch.hpu.synchronize()
            torch.hpu.reset_peak_memory_stats()
            before = torch.hpu.memory_allocated()
            with mock.patch.object(Fsdpa, 'SCORES', most):
                out = FusedSDPA.apply(q, k, v, **arguments)
                out.sin().sum().backward()
            torch.hpu.synchronize()
            peak = torch.hpu.max_memory_allocated() - before
            return [t.detach().cpu() for t in (out, q.grad, k.grad, v.grad)], peak

        mask = torch.ones(50, 40, dtype=torch.bool).tril().to('hpu')
        for keys, arguments in ((50, {'is_causal': True}), (40, {'attn_mask': mask}),
                                (40, {'attn_mask': mask[:1].float() - 1, 'scale': 0.3}),
                                (60, {'is_causal': True}), (40, {})):
            few, many = (run(most, (2, 3, 50, 8), keys, **arguments)[0]
                         for most in (2 * 3 * 40 * 7, 1 << 22))
            for got, want in zip(few, many):
                torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
        for dropout in (0, 0.3):
            few, many = (run(most, (1, 4, 512, 16), 512, is_causal=True, dropout_p=dropout)[1]
                         for most in (1 << 16, 1 << 22))
            if not torch.hpu.is_lazy():                 # which keeps what is freed for a while
                self.assertLess(few, many / 4)

    def test_attention_by_rows_with_dropout(self):
        """What is computed again drops the same: the result is linear in v, by its gradient. In a
        graph it is so each time, and each time others are dropped."""
        from habana_frameworks.torch.hpex.kernels import Fsdpa

        class Attention(torch.nn.Module):
            def forward(self, q, k, v):
                return FusedSDPA.apply(q, k, v, None, 0.4, True)

        def check(call, q, k, v, weight):
            v.grad = None
            out = call(q, k, v)
            (out * weight).sum().backward()
            torch.testing.assert_close((v * v.grad).sum(), (out * weight).sum(), rtol=1e-3,
                                       atol=1e-3)
            return out.detach().cpu()

        tensors = [torch.randn(1, 2, 40, 8).to('hpu').requires_grad_() for _ in range(4)]
        with mock.patch.object(Fsdpa, 'SCORES', 2 * 40 * 7):
            outs = [check(Attention(), *tensors) for _ in range(2)]
            graphed = torch.hpu.make_graphed_callables(Attention(), tuple(tensors[:3]))
            outs += [check(graphed, *tensors) for _ in range(2)]
            ones = torch.ones_like(tensors[2])
            sums = [Attention()(*tensors[:2], ones) for _ in range(30)]
        for i, out in enumerate(outs):
            for other in outs[:i]:
                self.assertFalse(torch.equal(out, other))
        self.assertAlmostEqual(torch.stack(sums).mean().item(), 1, delta=0.05)
        self.assertTrue((FusedSDPA.apply(*tensors[:3], None, 1.0) == 0).all())

    def test_rotary(self):
        from habana_frameworks.torch.hpex.kernels import RotaryPosEmbeddingHelperV2
        x, angles = torch.randn(2, 3, 5, 4), torch.rand(7, 2)
        cos, sin = (f(torch.cat((angles, angles), -1)) for f in (torch.cos, torch.sin))
        places = torch.tensor([[0, 1, 2, 3, 4], [2, 3, 4, 5, 6]])
        c, s = angles.cos()[places].unsqueeze(1), angles.sin()[places].unsqueeze(1)
        a, b = x[..., :2], x[..., 2:]
        want = torch.cat((a * c - b * s, b * c + a * s), -1)
        for wrap in (lambda t: t, lambda t: t[None, None]):
            got = RotaryPosEmbeddingHelperV2.apply(x.to('hpu'), wrap(cos).to('hpu'),
                                                   wrap(sin).to('hpu'), places.to('hpu'))
            torch.testing.assert_close(got.cpu(), want, rtol=1e-4, atol=1e-5)

    def test_rotary_of_rows_and_neighbours(self):
        from habana_frameworks.torch.hpex.kernels import (
            RotaryPosEmbeddingHelperV1, RotaryPosEmbeddingHelperV3, RotaryPosEmbeddingMode,
            apply_rotary_pos_emb)
        x, angles = torch.randn(5, 2, 3, 4), torch.rand(9, 2)
        turned = torch.view_as_real(torch.view_as_complex(x.view(5, 2, 3, 2, 2)) * torch.polar(
            torch.ones(5, 2), angles[3:8])[:, None, None]).flatten(-2)
        neighbours = torch.cat((angles, angles), -1)[:, [0, 2, 1, 3]]
        cos, sin = neighbours.cos()[3:8, None, None], neighbours.sin()[3:8, None, None]
        for got in (apply_rotary_pos_emb(x.to('hpu'), cos.to('hpu'), sin.to('hpu'), None, 0,
                                         RotaryPosEmbeddingMode.PAIRWISE),
                    RotaryPosEmbeddingHelperV3.apply(x.to('hpu'), cos.to('hpu'), sin.to('hpu'))):
            torch.testing.assert_close(got.cpu(), turned, rtol=1e-4, atol=1e-5)
        halves = torch.cat((angles, angles), -1)[:, None, None].to('hpu')
        got = RotaryPosEmbeddingHelperV1.apply(x[..., [0, 2, 1, 3]].to('hpu'), halves.cos(),
                                               halves.sin(), 3)
        torch.testing.assert_close(got.cpu(), turned[..., [0, 2, 1, 3]], rtol=1e-4, atol=1e-5)

    def test_ctc_loss(self):
        from habana_frameworks.torch.hpex.kernels import CTCLoss
        rows, labels = torch.randn(6, 2, 4).log_softmax(-1), torch.tensor([[1, 2, 3], [3, 3, 0]])
        lengths = torch.tensor([6, 6]), torch.tensor([3, 2])
        got = CTCLoss.apply(rows.to('hpu'), labels.to('hpu'), *lengths, 0, 'sum', True)
        torch.testing.assert_close(got.cpu(), F.ctc_loss(rows, labels, *lengths, 0, 'sum'))

    def test_rms_norm(self):
        x, g = torch.randn(4, 16), torch.rand(16)
        want = x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * g
        got = FusedRMSNorm.apply(x.to('hpu'), g.to('hpu'), 1e-6)
        torch.testing.assert_close(got.cpu(), want, rtol=1e-4, atol=1e-5)

    def test_average(self):
        model = network().to('hpu')
        ema = FusedEMA(model, decay=0.9)
        with torch.no_grad():
            model[0].weight.add_(1)
        ema.update(model)
        d = ema.decay(1)
        want = network()[0].weight + (1 - d)
        torch.testing.assert_close(ema.ema[0].weight.cpu(), want.detach())

    def test_checkpoint(self):
        model, file = network().to('hpu'), io.BytesIO()
        torch.save({'model': model.state_dict(), 'rng': hthpu.random.get_rng_state()}, file)
        file.seek(0)
        state = torch.load(file, map_location='hpu')
        other = network().to('hpu')
        other.load_state_dict(state['model'])
        self.assertTrue(torch.equal(other[0].weight.cpu(), model[0].weight.cpu()))
        hthpu.random.set_rng_state(state['rng'])


if __name__ == '__main__':
    unittest.main()
