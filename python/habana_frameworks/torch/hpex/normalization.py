# SPDX-License-Identifier: MIT
import torch


class FusedClipNorm:
    """clip_norm(parameters): gradients are scaled in place; the norm of all of them."""

    def __init__(self, parameters, max_norm: float) -> None:
        self.max_norm = max_norm

    def clip_norm(self, parameters) -> torch.Tensor:
        return torch.nn.utils.clip_grad_norm_(parameters, self.max_norm)


class FusedRMSNorm:
    @staticmethod
    def apply(x, gamma, eps, use_stages: bool = True, bwd_mode: int = 0,
              fast_math: bool = False) -> torch.Tensor:
        mean = x.float().pow(2).mean(-1, keepdim=True)
        return (x.float() * torch.rsqrt(mean + eps)).to(x.dtype) * gamma
