# SPDX-License-Identifier: MIT
"""habana_frameworks.torch.core: steps and set-up of training and inference.

In lazy mode (PT_HPU_LAZY_MODE=1) mark_step() gives the card what was collected; in eager mode
each operator runs when it is called, and nothing is left. Closures run that wait for it."""

import threading
from typing import Any, Callable

import torch
import torch_gaudi                                      # noqa: F401 - registers the device

from .. import hpu                                      # noqa: F401
from . import hccl, quantization                        # noqa: F401

_waiting = threading.local()


def mark_step(device_str: str = '', sync: bool = False) -> None:
    """The end of a step."""
    if sync:
        torch.hpu.synchronize()
    else:
        torch.hpu.mark_step()
    closures, _waiting.closures = getattr(_waiting, 'closures', []), []
    for closure, args in closures:
        closure(*args)


def iter_mark_step(device_str: str = '') -> None:
    mark_step(device_str)


def add_step_closure(closure: Callable, args: tuple = ()) -> None:
    """Call it once, at the next mark_step()."""
    if not hasattr(_waiting, 'closures'):
        _waiting.closures = []
    _waiting.closures.append((closure, args))


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
    return False


def get_device_count() -> int:
    return torch.hpu.device_count()
