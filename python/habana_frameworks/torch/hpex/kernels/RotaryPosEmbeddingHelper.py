# SPDX-License-Identifier: MIT
import torch


def _rotated(x):
    """Its second half, negative, before its first one."""
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


class RotaryPosEmbeddingHelperV2:
    @staticmethod
    def apply(p, cos, sin, position_ids):
        """@p: (batch, heads, length, width); @cos, @sin: a row for each place."""
        cos, sin = (torch.nn.functional.embedding(position_ids, t.reshape(t.shape[-2:]))
                    .unsqueeze(1) for t in (cos, sin))
        return p * cos + _rotated(p) * sin
