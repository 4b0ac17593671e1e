# SPDX-License-Identifier: MIT
import functools
import math

import torch


@functools.lru_cache(maxsize=16)
def _causal(rows: int, columns: int, device: torch.device) -> torch.Tensor:
    ones = torch.ones(rows, columns, dtype=torch.float32)
    return ones.tril().sub(1).mul(1e9).to(device)       # 0, or far below


class FusedSDPA:
    """Attention in one call; here by its parts, so that it takes the memory of S x S."""

    @staticmethod
    def apply(q, k, v, attn_mask=None, dropout_p: float = 0.0, is_causal: bool = False,
              scale=None, softmax_mode: str = 'None', recompute_mode=None,
              valid_seq_len=None, seq_padding_type: str = 'left',
              return_dropout_mask: bool = False, return_attn_probs: bool = False):
        if valid_seq_len is not None or return_dropout_mask:
            raise NotImplementedError('FusedSDPA: valid_seq_len and return_dropout_mask')
        if k.shape[-3] != q.shape[-3]:                  # groups of heads share one
            times = q.shape[-3] // k.shape[-3]
            k, v = (t.unsqueeze(-3).expand(*t.shape[:-2], times, *t.shape[-2:])
                    .flatten(-4, -3) for t in (k, v))
        scores = q @ k.transpose(-2, -1) * (scale or 1 / math.sqrt(q.shape[-1]))
        if is_causal:
            causal = _causal(q.shape[-2], k.shape[-2], q.device)
            if causal.device.type == 'hpu':
                torch.ops.torch_gaudi.keep_for_capture(causal)
            scores = scores + causal.to(q.dtype)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float('-inf')) \
                if attn_mask.dtype is torch.bool else scores + attn_mask
        probs = scores.softmax(-1)
        dropped = torch.nn.functional.dropout(probs, dropout_p) if dropout_p else probs
        out = dropped @ v
        return (out, probs) if return_attn_probs else out
