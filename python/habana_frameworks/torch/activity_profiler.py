# SPDX-License-Identifier: MIT
"""What the vendor's torch.profiler can trace of its bridge, which PyTorch's own does not take."""

from ._absent import absent

__getattr__ = absent(__name__)
