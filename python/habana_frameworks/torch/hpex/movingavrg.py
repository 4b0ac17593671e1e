# SPDX-License-Identifier: MIT
import copy
import math

import torch


class FusedEMA:
    """A copy of the model whose weights follow it: ema = d ema + (1 - d) weight."""

    def __init__(self, model, decay: float = 0.9999, updates: int = 0) -> None:
        self.ema = copy.deepcopy(model).eval()
        self.updates = updates
        self.decay = lambda n: decay * (1 - math.exp(-n / 2000))
        for p in self.ema.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model) -> None:
        self.updates += 1
        d = self.decay(self.updates)
        theirs = model.state_dict()
        for name, value in self.ema.state_dict().items():
            if value.is_floating_point():
                value.mul_(d).add_(theirs[name].detach(), alpha=1 - d)
