#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A ResNet-20 tells shapes in generated pictures apart, on the CPU or on the card.

    python3 examples/torch/resnet.py --device hpu --steps 50
"""

import torch
from torch import nn

import steps

NAME, STEPS, BATCH, SIDE = 'resnet-20', 50, 16, 32


class Block(nn.Module):
    """Two convolutions beside what goes past them."""

    def __init__(self, before, width, stride):
        super().__init__()
        self.first = nn.Conv2d(before, width, 3, stride, padding=1, bias=False)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(width), nn.BatchNorm2d(width)])
        self.past = nn.Identity() if before == width else nn.Sequential(
            nn.Conv2d(before, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        y = self.norms[0](self.first(x)).relu()
        return (self.norms[1](self.second(y)) + self.past(x)).relu()


def network():
    layers = [nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
    before = 16
    for width in (16, 32, 64):
        for i in range(3):
            layers.append(Block(before, width, 2 if width > before and i == 0 else 1))
            before = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(64, len(SHAPES)))


def optimizer(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=1e-4)


loss = nn.functional.cross_entropy

# Of the distance from the centre, sideways and down, and of the size.
SHAPES = (lambda x, y, r: x * x + y * y < r * r,                    # a disc
          lambda x, y, r: (x.abs() < r) & (y.abs() < r),            # a square
          lambda x, y, r: (x.abs() < r / 3) | (y.abs() < r / 3),    # a cross
          lambda x, y, r: (y > -r) & (y < r) & (x.abs() < (y + r) / 2),     # a triangle
          lambda x, y, r: ((x * x + y * y).sqrt() - r).abs() < r / 4,       # a ring
          lambda x, y, r: torch.remainder(x + y, r) < r / 2)        # stripes


def batches(count):
    draw = torch.Generator().manual_seed(2)
    row = torch.arange(SIDE, dtype=torch.float32)
    for _ in range(count):
        labels = torch.randint(len(SHAPES), (BATCH,), generator=draw)
        pictures = torch.randn(BATCH, 3, SIDE, SIDE, generator=draw) * 0.2
        for picture, label in zip(pictures, labels.tolist()):
            place, colour = (torch.rand(n, generator=draw) for n in (3, 3))
            centre = SIDE * (0.35 + 0.3 * place)
            inside = SHAPES[label](row - centre[0], (row - centre[1])[:, None],
                                   SIDE * (0.15 + 0.15 * place[2]))
            picture += inside * (0.5 + colour)[:, None, None]
        yield pictures, labels


if __name__ == '__main__':
    steps.main(steps.this(__name__))
