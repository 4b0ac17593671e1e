# SPDX-License-Identifier: MIT
"""Rotary embeddings: pairs of elements are turned by angles that depend on the place. Pairs are
of the two halves of a row, or of neighbours."""

import enum
from typing import Any

import torch


class RotaryPosEmbeddingMode(enum.Enum):
    BLOCKWISE = 0
    PAIRWISE = 1


def _rotated(x: torch.Tensor, mode: RotaryPosEmbeddingMode) -> torch.Tensor:
    """Each pair's second element, negative, before its first one."""
    if mode is RotaryPosEmbeddingMode.PAIRWISE:
        return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def _of_places(table: torch.Tensor, position_ids: torch.Tensor) -> torch.Tensor:
    """Rows of a table, beside (batch, heads, length, width)."""
    return torch.nn.functional.embedding(
        position_ids, table.reshape(table.shape[-2:])).unsqueeze(1)


def apply_rotary_pos_emb(p: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor,
                         position_ids: Any = None, offset: int = 0,
                         rope_mode: RotaryPosEmbeddingMode = RotaryPosEmbeddingMode.BLOCKWISE
                         ) -> torch.Tensor:
    """@position_ids: rows of @cos and @sin for each place of (batch, heads, length, width).
    Without: @cos and @sin are for all of @p; from row @offset on, if they have more."""
    if position_ids is not None:
        cos, sin = (_of_places(t, position_ids) for t in (cos, sin))
    elif offset or cos.shape[0] not in (1, p.shape[0]):
        cos, sin = (t[offset:offset + p.shape[0]] for t in (cos, sin))
    return p * cos + _rotated(p, rope_mode) * sin


class RotaryPosEmbeddingHelperV1:
    @staticmethod
    def apply(p, cos, sin, offset=0):
        """@p: (length, batch, heads, width); @cos, @sin: a row for each place, from @offset on."""
        return apply_rotary_pos_emb(p, cos, sin, None, offset)


class RotaryPosEmbeddingHelperV2:
    @staticmethod
    def apply(p, cos, sin, position_ids):
        """@p: (batch, heads, length, width); @cos, @sin: a row for each place."""
        return apply_rotary_pos_emb(p, cos, sin, position_ids)


class RotaryPosEmbeddingHelperV3:
    @staticmethod
    def apply(p, cos, sin, position_ids=None):
        """As the second, of neighbours."""
        return apply_rotary_pos_emb(p, cos, sin, position_ids, 0,
                                    RotaryPosEmbeddingMode.PAIRWISE)
