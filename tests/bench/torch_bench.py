# SPDX-License-Identifier: MIT
"""What the part torch measures: PyTorch's device hpu, beside PyTorch on the CPU of the same place.

    torch_bench.py add | steps | lazy | shapes

Each prints a JSON object of what it has seen. Both devices are measured in turns, in this
process.
"""

import json
import os
import sys
import time

import torch
from torch import nn

import torch_gaudi                  # noqa: F401 - before the first backward pass of any device
from torch_gaudi.graphed import ModuleCacher

import digits
import gpt


class MLP:
    """Two hidden layers learn the digits as the example's CNN does."""
    NAME = 'mlp'
    optimizer = staticmethod(digits.optimizer)
    loss = staticmethod(digits.loss)
    batches = staticmethod(digits.batches)

    @staticmethod
    def network():
        return nn.Sequential(nn.Flatten(), nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256),
                             nn.ReLU(), nn.Linear(256, 10))


class Training:
    """A model of the examples on a device, with graphs there; batches are on the device."""

    def __init__(self, example, device, graphs):
        torch.manual_seed(1)
        self.example = example
        self.model = example.network().to(device).train()
        if graphs:
            self.model = ModuleCacher()(self.model)
        self.optimizer = example.optimizer(self.model.parameters())
        self.batches = [(x.to(device), y.to(device)) for x, y in example.batches(4)]

    def step(self, i):
        inputs, wanted = self.batches[i % len(self.batches)]
        loss = self.example.loss(self.model(inputs), wanted)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        torch.hpu.mark_step()
        return loss

    def rate(self, count):
        """Steps a second; all work has been done when it returns."""
        start = time.perf_counter()
        for i in range(count):
            loss = self.step(i)
        loss.item()
        return count / (time.perf_counter() - start)


def turns(measure, ours, peer, count):
    """Of @count turns, what measure() says of each side."""
    seen = {'ours': [], 'peer': []}
    for _ in range(count):
        seen['ours'].append(measure(ours))
        seen['peer'].append(measure(peer))
    return seen


def add():
    """Microseconds of c = a + b, of 64 elements."""
    def measure(tensors):
        a, b = tensors
        start = time.perf_counter()
        for _ in range(1000):
            a + b                   # noqa: B018 - the result is dropped, as c = a + b does
        if a.device.type == 'hpu':
            torch.hpu.synchronize()
        return (time.perf_counter() - start) * 1e3

    ours, peer = ([torch.randn(64, device=device) for _ in range(2)]
                  for device in ('hpu', 'cpu'))
    measure(ours)
    return turns(measure, ours, peer, 9)


def steps():
    """Steps a second of each model; numbers of Adam's step are tensors from the ninth on."""
    seen = {}
    for example, count in ((MLP, 40), (digits, 10), (gpt.Text(), 3)):
        ours, peer = Training(example, 'hpu', True), Training(example, 'cpu', False)
        ours.rate(12)
        peer.rate(12)
        seen[example.NAME] = turns(lambda training: training.rate(count), ours, peer, 5)
    return seen


def lazy():
    """What is built in the second and third epoch, of 28 steps each: all the digits."""
    def built():
        return torch.hpu.launch_stats()['recipes'] + torch.hpu.lazy_stats()['graphs']

    seen = {}
    with torch.hpu.lazy_mode(True):
        for example, epoch in ((digits, 28), (gpt.Text(), 14)):
            training = Training(example, 'hpu', False)
            training.rate(epoch)
            before = built()
            training.rate(2 * epoch)
            seen[example.NAME] = built() - before
    return seen


def resident():
    with open('/proc/self/statm', encoding='utf-8') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') / 2 ** 20


def shapes():
    """MiB that the process has grown by after additions of 10,000 shapes."""
    def add_of(rows, columns):
        torch.ones(rows, columns, device='hpu') + 1

    add_of(1, 1)
    torch.hpu.synchronize()
    before = resident()
    for i in range(10000):
        add_of(i // 100 + 1, i % 100 + 1)
    torch.hpu.synchronize()
    return resident() - before


if __name__ == '__main__':
    print(json.dumps({f.__name__: f for f in (add, steps, lazy, shapes)}[sys.argv[1]]()))
