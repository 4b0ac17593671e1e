# SPDX-License-Identifier: MIT
import torch

from .Fsdpa import FusedSDPA                            # noqa: F401
from .RotaryPosEmbeddingHelper import (RotaryPosEmbeddingHelperV1, RotaryPosEmbeddingHelperV2,  # noqa: F401
                                       RotaryPosEmbeddingHelperV3, RotaryPosEmbeddingMode,
                                       apply_rotary_pos_emb)


class CTCLoss:
    @staticmethod
    def apply(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean',
              zero_infinity=False):
        return torch.nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths,
                                            blank, reduction, zero_infinity)


class CustomSoftmax:
    @staticmethod
    def apply(x, flavor=0):
        return x.softmax(-1)
