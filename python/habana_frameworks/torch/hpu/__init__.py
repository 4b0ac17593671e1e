# SPDX-License-Identifier: MIT
"""habana_frameworks.torch.hpu: torch.hpu, and graphs, random and metrics."""

import contextlib

import torch
import torch_gaudi                                      # noqa: F401 - registers the device
from torch_gaudi.graphs import *                        # noqa: F401,F403
from torch_gaudi.hpu import *                           # noqa: F401,F403
from torch_gaudi.hpu import (current_device, device_count, is_available,            # noqa: F401
                             is_initialized, synchronize)

from . import events, graphs, memory, metrics, random, streams          # noqa: F401

_switches = {'dynamic_shape': False, 'inference_mode': False, 'quantization': False,
             'matmul3d_2d_reshape': False, 'optim_output_sif': False}


def _switch(name, value):
    def change():
        _switches[name] = value
    change.__name__ = ('enable_' if value else 'disable_') + name
    change.__doc__ = 'Accepted: results do not depend on it.'
    return change


for _name in _switches:
    globals()['enable_' + _name] = _switch(_name, True)
    globals()['disable_' + _name] = _switch(_name, False)


def enable_const_section_serialization(path, clear_path=False, use_compression=False):
    raise NotImplementedError('hpu: constants are not written to files')


_recompute = True


def enable_recompute_sdp(enabled):
    """Accepted: attention's results do not depend on it."""
    global _recompute
    _recompute = bool(enabled)


def recompute_sdp_enabled():
    return _recompute


@contextlib.contextmanager
def sdp_kernel(enable_recompute=True):
    before = _recompute
    enable_recompute_sdp(enable_recompute)
    try:
        yield
    finally:
        enable_recompute_sdp(before)


# For the vendor's scripts torch.hpu is this module.
for _name in [name for name in globals() if not name.startswith('_')]:
    if not hasattr(torch.hpu, _name):
        setattr(torch.hpu, _name, globals()[_name])
