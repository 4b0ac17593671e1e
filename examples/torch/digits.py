#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A convolutional network learns handwritten digits, on the CPU or on the card.

    python3 examples/torch/digits.py --device hpu --steps 200

The digits are those of Debian's python3-sklearn; GAUDI_DIGITS names their file.
"""

import os

import numpy as np
import torch
from torch import nn

import steps

NAME, STEPS, BATCH = 'digits', 200, 64
PLACE = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'),
                     'open-gaudi', 'digits', 'digits.csv.gz')


def network():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32),
                         nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(128, 10))


def optimizer(parameters):
    return torch.optim.SGD(parameters, lr=0.05, momentum=0.9)


loss = nn.functional.cross_entropy


def batches(count):
    rows = np.loadtxt(os.environ.get('GAUDI_DIGITS', PLACE), delimiter=',', dtype=np.float32)
    pixels = torch.from_numpy(rows[:, :-1] / 16).view(-1, 1, 8, 8)
    labels = torch.from_numpy(rows[:, -1]).long()
    draw = torch.Generator().manual_seed(2)
    for _ in range(count):
        chosen = torch.randint(len(labels), (BATCH,), generator=draw)
        yield pixels[chosen], labels[chosen]


if __name__ == '__main__':
    steps.main(steps.this(__name__))
