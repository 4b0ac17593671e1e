# SPDX-License-Identifier: MIT
"""The vendor's own tracing of its graphs; torch.profiler has what PyTorch and the host do."""

from .._absent import absent

__getattr__ = absent(__name__)
