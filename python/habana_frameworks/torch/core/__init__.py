# SPDX-License-Identifier: MIT
"""habana_frameworks.torch.core: steps and set-up of training and inference.

In lazy mode (PT_HPU_LAZY_MODE=1) mark_step() gives the card what was collected; in eager mode
each operator runs when it is called, and nothing is left. Closures run that wait for it."""

from typing import Any

import torch
import torch_gaudi                                      # noqa: F401 - registers the device

from .. import hpu                                      # noqa: F401
from . import hccl, quantization, weight_sharing        # noqa: F401
from .step_closure import add_step_closure, iter_mark_step, mark_step               # noqa: F401


def hpu_inference_set_env(model: Any = None) -> Any:
    return model


def hpu_inference_initialize(model: Any = None, mark_only_scales_as_const: bool = False,
                             optimizer: Any = None, args: Any = None) -> None:
    """Parameters need no marks: each launch takes them from where they are."""


def hpu_reset_env() -> None:
    """Nothing was set."""


hpu_set_env = hpu_set_inference_env = hpu_inference_set_env
hpu_initialize = hpu_inference_initialize
hpu_teardown_inference_env = hpu_reset_env


def is_enabled_weight_permute_pass() -> bool:
    """Scripts put filters into the engines' order themselves, unless the bridge does it."""
    return True


def get_device_count() -> int:
    return torch.hpu.device_count()
