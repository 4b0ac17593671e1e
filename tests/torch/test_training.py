# SPDX-License-Identifier: GPL-2.0-only
"""The same training on both devices: the losses of each step are the same."""

import unittest

import torch
from torch import nn
from torch.nn import functional as F

import torch_gaudi                                      # noqa: F401 - registers hpu


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


if __name__ == '__main__':
    unittest.main()
