# SPDX-License-Identifier: GPL-2.0-only
"""PyTorch's modules (module_db), all optimizers, and derivatives beside differences (gradcheck)."""

import copy
import io
import unittest
import warnings

import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck
from torch.nn import functional as F
from torch.nn.parameter import is_lazy

import opinfo                                           # noqa: F401 - makes what follows load
from torch.testing._internal.common_modules import module_db

LARGE = {'rtol': 1e-4, 'atol': 1e-4}


def on(device, value):
    return opinfo.moved(value, lambda t: t.to(device))


class Modules(unittest.TestCase):
    def run_module(self, module, given, device):
        module = copy.deepcopy(module).to(device)
        args, kwargs = on(device, (given.args, given.kwargs))
        results = opinfo.tensors(module(*args, **kwargs))
        inputs = opinfo.tensors((args, kwargs)) + list(module.parameters())
        grads = opinfo.gradients(results, inputs)
        return [t.detach() for t in results] + list(grads) + list(module.buffers())

    def check(self, info, training):
        for given in info.module_inputs_func(info, device='cpu', dtype=torch.float32,
                                             requires_grad=True, training=training):
            made = given.constructor_input
            torch.manual_seed(2)
            module = info.module_cls(*made.args, **made.kwargs).float().train(training)
            if any(is_lazy(p) for p in module.parameters()):
                # They draw their parameters now, and each device has numbers of its own.
                module(*given.forward_input.args, **given.forward_input.kwargs)
            wanted = self.run_module(module, given.forward_input, 'cpu')
            found = self.run_module(module, given.forward_input, 'hpu')
            self.assertEqual(len(found), len(wanted))
            for a, b in zip(found, wanted):
                self.assertEqual(a is None, b is None)
                if b is not None:
                    self.assertEqual(a.device.type, 'hpu')
                    torch.testing.assert_close(a.cpu(), b, equal_nan=True, **LARGE)

    def test_all(self):
        warnings.simplefilter('ignore')
        self.assertGreater(len(module_db), 20)
        for info in module_db:
            for training in (True, False):
                with self.subTest(module=info.name, training=training):
                    self.check(info, training)


class Optimizers(unittest.TestCase):
    """Steps are the same on both devices, from a state that was saved on the way."""

    CHOICES = [
        ('Adadelta', {}), ('Adadelta', {'rho': 0.8, 'weight_decay': 0.1}),
        ('Adagrad', {'lr': 0.1}), ('Adagrad', {'lr': 0.1, 'lr_decay': 0.1}),
        ('Adam', {}), ('Adam', {'amsgrad': True, 'weight_decay': 0.1}),
        ('Adam', {'maximize': True}), ('AdamW', {}), ('AdamW', {'amsgrad': True}),
        ('Adamax', {}), ('Adamax', {'weight_decay': 0.1}),
        ('ASGD', {}), ('ASGD', {'t0': 2, 'weight_decay': 0.1}),
        ('NAdam', {}), ('NAdam', {'weight_decay': 0.1}), ('RAdam', {}), ('RAdam', {'eps': 1e-6}),
        ('RMSprop', {}), ('RMSprop', {'centered': True, 'momentum': 0.9}), ('Rprop', {}),
        ('SGD', {'lr': 0.1}), ('SGD', {'lr': 0.1, 'momentum': 0.9, 'dampening': 0.5}),
        ('SGD', {'lr': 0.1, 'momentum': 0.9, 'nesterov': True, 'weight_decay': 0.1}),
        ('LBFGS', {'max_iter': 3}), ('LBFGS', {'max_iter': 2, 'line_search_fn': 'strong_wolfe'}),
        ('Adafactor', {}), ('Adafactor', {'lr': 0.1, 'weight_decay': 0.1}),
    ]
    # What some version lacks.
    CHOICES = [choice for choice in CHOICES if hasattr(torch.optim, choice[0])]

    def train(self, device, name, options, foreach):
        torch.manual_seed(4)
        weights = [torch.randn(n, 3).to(device).requires_grad_() for n in (2, 4)]
        x, y = torch.randn(5, 2).to(device), torch.randn(5, 4).to(device)
        options = {**options, 'foreach': True} if foreach else options
        optimizer = getattr(torch.optim, name)(weights, **options)

        def closure():
            optimizer.zero_grad()
            loss = F.mse_loss(torch.tanh(x @ weights[0]) @ weights[1].t(), y)
            loss.backward()
            return loss
        for step in range(6):
            optimizer.step(closure)
            if step == 2:
                saved = io.BytesIO()
                torch.save(optimizer.state_dict(), saved)
                saved.seek(0)
                state = torch.load(saved)
                optimizer = getattr(torch.optim, name)(weights, **options)
                optimizer.load_state_dict(state)
        return [w.detach().cpu() for w in weights]

    def test_all(self):
        names = {name for name in dir(torch.optim) if name[0].isupper()}
        self.assertEqual(names - {name for name, _ in self.CHOICES},
                         {'Optimizer', 'SparseAdam'})
        for name, options in self.CHOICES:
            for foreach in (False, True)[:1 + (name != 'LBFGS')]:
                with self.subTest(optimizer=name, foreach=foreach, **options):
                    found = self.train('hpu', name, options, foreach)
                    for a, b in zip(found, self.train('cpu', name, options, foreach)):
                        torch.testing.assert_close(a, b, **LARGE)


class Derivatives(unittest.TestCase):
    """Of f32, so that steps are large and functions smooth."""

    FUNCTIONS = {
        'exp': torch.exp, 'tanh': torch.tanh, 'sigmoid': torch.sigmoid, 'erf': torch.erf,
        'sin': torch.sin, 'log': lambda t: torch.log(t + 3), 'sqrt': lambda t: (t + 3).sqrt(),
        'rsqrt': lambda t: (t + 3).rsqrt(), 'reciprocal': lambda t: (t + 3).reciprocal(),
        'gelu': F.gelu, 'silu': F.silu, 'softplus': F.softplus, 'pow': lambda t: t ** 3,
        'sum': lambda t: t.sum(1) * t.sum(0).sum(), 'mean': lambda t: t.mean((0, 1)) * t,
        'var': lambda t: t.var(1), 'norm': lambda t: torch.linalg.vector_norm(t + 3, dim=1),
        'softmax': lambda t: F.softmax(t, 1), 'log_softmax': lambda t: F.log_softmax(t, 0),
        'matmul': lambda t: t @ t.t(), 'bmm': lambda t: torch.bmm(t[None], t.t()[None]),
        'layer_norm': lambda t: F.layer_norm(t, (4,)),
        'group_norm': lambda t: F.group_norm(t[None], 3),
        'batch_norm': lambda t: F.batch_norm(t, None, None, training=True),
        'conv1d': lambda t: F.conv1d(t[None], t[:2, None, :3].expand(2, 3, 3)),
        'conv2d': lambda t: F.conv2d(t[None, None], t[None, None, :2, :2], padding=1),
        'avg_pool': lambda t: F.avg_pool2d(t[None], 2),
        'cat': lambda t: torch.cat([t, t * t], 1), 'where': lambda t: torch.where(
            t.detach() > 0, t * t, t), 'gather': lambda t: t.gather(
            1, torch.tensor([[0, 2], [1, 1], [3, 0]], device=t.device)) ** 2,
        'embedding': lambda t: F.embedding(torch.tensor([0, 2, 2], device=t.device), t) ** 2,
        'cumsum': lambda t: t.cumsum(1) ** 2, 'prod': lambda t: (t + 2).prod(1),
        'mse_loss': lambda t: F.mse_loss(t, torch.ones_like(t)),
        'cross_entropy': lambda t: F.cross_entropy(
            t, torch.tensor([1, 0, 3], device=t.device)),
    }

    def test_gradcheck(self):
        torch.manual_seed(6)
        warnings.simplefilter('ignore')
        x = (torch.rand(3, 4) * 2 - 1).to('hpu').requires_grad_()
        for name, function in self.FUNCTIONS.items():
            with self.subTest(function=name):
                self.assertTrue(gradcheck(function, (x,), eps=1e-2, atol=1e-2, rtol=1e-2))

    def test_it_finds_a_wrong_one(self):
        class Wrong(torch.autograd.Function):
            @staticmethod
            def forward(ctx, t):
                ctx.save_for_backward(t)
                return t * t

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0] * 2.1
        x = torch.rand(3, 4).to('hpu').requires_grad_()
        with self.assertRaises(GradcheckError):
            gradcheck(Wrong.apply, (x,), eps=1e-2, atol=1e-2, rtol=1e-2)

    def test_second_order(self):
        for function in (torch.tanh, torch.exp, lambda t: (t @ t.t()).sum() ** 2,
                         lambda t: F.softmax(t, 1)):
            found = []
            for device in ('cpu', 'hpu'):
                x = torch.linspace(-1, 1, 12).view(3, 4).to(device).requires_grad_()
                first, = torch.autograd.grad(function(x).pow(2).sum(), x, create_graph=True)
                second, = torch.autograd.grad(first.pow(2).sum(), x)
                found.append(second.cpu())
            torch.testing.assert_close(*found, **LARGE)


if __name__ == '__main__':
    unittest.main()
