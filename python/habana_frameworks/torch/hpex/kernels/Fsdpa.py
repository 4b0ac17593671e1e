# SPDX-License-Identifier: MIT
import functools
import math

import torch
from torch.utils.checkpoint import checkpoint

# How many scores are computed at once, if there are more: 16 MiB.
SCORES = 1 << 22


@functools.lru_cache(maxsize=16)
def _places(count: int, device: torch.device) -> torch.Tensor:
    return torch.arange(count, dtype=torch.int32).to(device)


def _attend(q, k, v, mask, seed, scale, dropout_p, first):
    """@first: which row the first one of @q is, if rows see only what is before them. @seed: of the
    numbers that tell what is dropped, if these have to be the same again."""
    scores = q @ k.transpose(-2, -1) * scale
    if first is not None:
        rows, columns = scores.shape[-2:]
        # Of few lengths, so that those of one part of the rows do for the next one.
        places = _places(1 << (max(first + rows, columns) - 1).bit_length(), q.device)
        if places.device.type == 'hpu':
            torch.ops.torch_gaudi.keep_for_capture(places)
        behind = places[:columns] > places[first:first + rows, None]
        scores = scores.masked_fill(behind, -1e9)       # a row that sees nothing is no NaN
    if mask is not None:
        scores = scores.masked_fill(~mask, float('-inf')) \
            if mask.dtype is torch.bool else scores + mask
    probs = scores.softmax(-1)
    if not dropout_p:
        dropped = probs
    elif seed is None:
        dropped = torch.nn.functional.dropout(probs, dropout_p)
    else:
        kept = torch.ops.torch_gaudi.bernoulli(probs, seed, 1 - dropout_p)
        dropped = probs * kept * (1 / (1 - dropout_p) if dropout_p < 1 else 0)
    return dropped @ v, probs


def _by_rows(q, k, v, mask, scale, dropout_p, is_causal):
    """Some rows of @q after the other, each with all of its scores; backward() computes these
    again, so that there is never a matrix of all."""
    length, heads = q.shape[-2], q.shape[:-2].numel()
    rows = max(SCORES // (heads * k.shape[-2]), 1)
    parts = []
    for first in range(0, length, rows):
        here = slice(first, min(first + rows, length))
        if mask is not None and mask.dim() > 1 and mask.shape[-2] > 1:
            some = mask[..., here, :]
        else:
            some = mask
        keys = k.shape[-2]
        if is_causal and mask is None:                  # none of what comes behind them
            keys = min(keys, here.stop)
        call = functools.partial(_attend, scale=scale, dropout_p=dropout_p,
                                 first=first if is_causal else None)
        seed = torch.ops.torch_gaudi.seed() if dropout_p else None
        arguments = q[..., here, :], k[..., :keys, :], v[..., :keys, :], some, seed
        if torch.is_grad_enabled() and any(t.requires_grad for t in arguments if t is not None):
            parts.append(checkpoint(lambda *a, call=call: call(*a)[0], *arguments,
                                    use_reentrant=False, preserve_rng_state=False))
        else:
            parts.append(call(*arguments)[0])
    return torch.cat(parts, -2)


class FusedSDPA:
    """Attention in one call; here by its parts. Where scores are many, rows follow each other."""

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
        scale = scale or 1 / math.sqrt(q.shape[-1])
        if q.shape[:-1].numel() * k.shape[-2] > SCORES and not return_attn_probs and \
                (q.device.type == 'hpu' or not dropout_p):
            return _by_rows(q, k, v, attn_mask, scale, dropout_p, is_causal)
        out, probs = _attend(q, k, v, attn_mask, None, scale, dropout_p,
                             0 if is_causal else None)
        return (out, probs) if return_attn_probs else out
