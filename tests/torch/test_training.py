# SPDX-License-Identifier: GPL-2.0-only
"""The same training on both devices: the losses of each step are the same."""

import unittest

import torch
from torch import nn
from torch.nn import functional as F

import torch_gaudi                                      # noqa: F401 - registers hpu
from habana_frameworks.torch.hpex.optimizers import FusedAdamW
from habana_frameworks.torch.hpu.graphs import HPUGraph, graph as capturing


def mlp():
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(8, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16),
                         nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(64, 5))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2)
                   for z in self.qkv(self.first(x)).split(w, dim=2))
        scores = q @ k.transpose(-2, -1) * (w // self.heads) ** -0.5
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        scores = scores.masked_fill(~mask, float('-inf')).softmax(-1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(b, t, w))
        return x + self.mlp(self.second(x))


class GPT(nn.Module):
    def __init__(self, letters=20, width=32, length=16):
        super().__init__()
        self.letters, self.places = nn.Embedding(letters, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(Block(width, 4), Block(width, 4))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters, bias=False)

    def forward(self, x):
        x = self.letters(x) + self.places(torch.arange(x.shape[1], device=x.device))
        return self.head(self.norm(self.blocks(x))).transpose(1, 2)


def losses(device, make, optimizer, batches):
    torch.manual_seed(1)
    model = make().to(device)
    optimizer = optimizer(model.parameters())
    found = []
    for x, y in batches:
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


class Training(unittest.TestCase):
    def compare(self, make, optimizer, batches, rtol=2e-4):
        cpu = losses('cpu', make, optimizer, batches)
        hpu = losses('hpu', make, optimizer, batches)
        print(f'# cpu {cpu[0]:.5f} to {cpu[-1]:.5f}, hpu {hpu[0]:.5f} to {hpu[-1]:.5f}')
        torch.testing.assert_close(hpu, cpu, rtol=rtol, atol=1e-5)
        self.assertLess(hpu[-1], hpu[0] * 0.8)

    def batches(self, steps, classes, *shape):
        torch.manual_seed(2)
        centres = torch.randn(classes, *shape)
        y = torch.randint(0, classes, (steps, 32))
        return [(centres[labels] + torch.randn(32, *shape) * 0.3, labels) for labels in y]

    def test_mlp(self):
        batches = self.batches(20, 5, 20)
        for optimizer in (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
                          lambda p: torch.optim.AdamW(p, lr=0.01)):
            self.compare(mlp, optimizer, batches)

    def test_cnn(self):
        self.compare(cnn, lambda p: torch.optim.SGD(p, lr=0.05), self.batches(10, 5, 1, 8, 8),
                     rtol=1e-3)

    def test_gpt(self):
        x = (torch.arange(17) + torch.randint(0, 20, (20, 8, 1))) * 3 % 20
        self.compare(GPT, lambda p: torch.optim.AdamW(p, lr=0.01),
                     [(row[:, :-1], row[:, 1:]) for row in x], rtol=1e-3)


class Optimizers(unittest.TestCase):
    """What a step costs: launches, and how often the card is given something."""

    def last_step(self, make, steps=6, dtype=torch.float32):
        torch.manual_seed(4)
        model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(5))).to('hpu', dtype)
        optimizer = make(model.parameters())
        for _ in range(steps):
            optimizer.zero_grad()
            model(torch.ones(3, 8, device='hpu', dtype=dtype)).square().mean().backward()
            before = self.counts()
            with torch.hpu.fallback_mode('error'):
                optimizer.step()
        return [b - a for a, b in zip(before, self.counts())]

    @staticmethod
    def counts():
        # In lazy mode, in which these tests run as well, a step waits for this.
        torch.hpu.mark_step()
        return torch.hpu.launch_stats()['launches'], torch.hpu.lazy_stats()['flushes']

    def test_adam_is_a_launch_for_each_parameter(self):
        """And all ten are one submission."""
        for make in (torch.optim.AdamW, torch.optim.Adam,
                     lambda p: torch.optim.AdamW(p, foreach=True),
                     lambda p: FusedAdamW(p, weight_decay=0.1)):
            self.assertEqual(self.last_step(make), [10, 1])

    def test_others_are_one_submission(self):
        for make in (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), torch.optim.RMSprop,
                     torch.optim.Adagrad, lambda p: torch.optim.Adam(p, amsgrad=True)):
            self.assertEqual(self.last_step(make)[1], 1)

    def test_a_captured_step(self):
        """By steps that the card counts: replayed it is the next one each time."""
        def train(captured):
            torch.manual_seed(6)
            model = nn.Linear(6, 3).to('hpu')
            for p in model.parameters():
                p.grad = torch.zeros_like(p)
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.05, capturable=True)
            x = torch.linspace(-1, 1, 24, device='hpu').view(4, 6)

            def step():
                for p in model.parameters():
                    p.grad.zero_()
                model(x).square().mean().backward()
                optimizer.step()

            step()
            again = step
            if captured:
                graph = HPUGraph()
                with capturing(graph):
                    step()
                again = graph.replay
            for _ in range(4):
                again()
            return [p.detach().cpu() for p in model.parameters()]

        for got, want in zip(train(True), train(False)):
            self.assertTrue(torch.equal(got, want))

    def test_adam_of_other_places_and_types(self):
        """What the kernel does not take as it lies: other orders of dims, bf16, a number."""
        def train(device, dtype, **options):
            torch.manual_seed(5)
            plain = [torch.randn(4, 3, 5, 5).to(memory_format=torch.channels_last),
                     torch.randn(6, 4)[:, ::2], torch.randn(()), torch.randn(7), torch.randn(0)]
            params = [t.to(device, dtype).requires_grad_() for t in plain]
            optimizer = torch.optim.AdamW(params, lr=0.01, **options)
            for step in range(4):
                for i, p in enumerate(params):
                    # One has a step less than the others.
                    p.grad = None if step == 1 and i == 3 else \
                        torch.linspace(-1, 1, p.numel()).view(p.shape).to(device, dtype)
                optimizer.step()
            return [p.detach().cpu() for p in params]

        for dtype in (torch.float32, torch.float64, torch.bfloat16):
            for options in ({}, {'weight_decay': 0.5, 'eps': 1e-3}, {'maximize': True}):
                rtol, atol = (5e-2, 2e-2) if dtype == torch.bfloat16 else (1e-5, 1e-6)
                with self.subTest(dtype=dtype, **options):
                    for got, want in zip(train('hpu', dtype, **options),
                                         train('cpu', dtype, **options)):
                        torch.testing.assert_close(got, want, rtol=rtol, atol=atol)


if __name__ == '__main__':
    unittest.main()
