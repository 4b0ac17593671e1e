# SPDX-License-Identifier: MIT
"""Random numbers of distributions that the card has no kernel of, by uniform and normal ones."""

import math

import torch

from torch_gaudi._compositions import wide


def _uniform(self, generator):
    """Of float32, 0 <= u < 1, whatever @self is of."""
    return torch.empty_like(self, dtype=torch.float32).uniform_(generator=generator)


def geometric_(self, p, *, generator=None):
    if not 0 < p < 1:
        raise RuntimeError(f'geometric_ expects p to be in (0, 1), but got p={p}')
    # Between the numbers that there are, so that neither end has a logarithm that is none.
    u = _uniform(self, generator) + 2 ** -25
    return self.copy_((u.log() / math.log1p(-p)).ceil().clamp(min=1))


def cauchy_(self, median=0.0, sigma=1.0, *, generator=None):
    if sigma <= 0:
        raise RuntimeError(f'cauchy_ expects sigma > 0.0, but found sigma={sigma}')
    angle = (_uniform(self, generator) - (0.5 - 2 ** -25)) * math.pi
    return self.copy_(torch.tan(angle) * sigma + median)


def log_normal_(self, mean=1.0, std=2.0, *, generator=None):
    if std <= 0:
        raise RuntimeError(f'log_normal_ expects std > 0.0, but found std={std}')
    return self.copy_(wide(torch.empty_like(self)).normal_(mean, std, generator=generator).exp())


OWN = {'geometric_': geometric_, 'cauchy_': cauchy_, 'log_normal_': log_normal_}
OWN_OUT: dict = {}
