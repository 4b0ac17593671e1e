# SPDX-License-Identifier: MIT
"""Importing it registers the backends of torch.compile(), also for those who ask PyTorch's
compiler for them themselves. PyTorch 1 has none."""

import torch
from torch_gaudi import _compile

if hasattr(torch, 'compile'):
    _compile.register_names()
