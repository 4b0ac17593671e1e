# SPDX-License-Identifier: MIT
"""The end of a step, and what waits for it."""

import threading
from typing import Callable

import torch
import torch_gaudi                                      # noqa: F401 - registers the device

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
