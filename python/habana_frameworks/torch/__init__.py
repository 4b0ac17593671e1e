# SPDX-License-Identifier: MIT
"""import habana_frameworks.torch: the device hpu, with core, hpu and distributed."""

import torch_gaudi                                      # noqa: F401 - registers the device

from . import core, hpu                                 # noqa: F401
from .distributed import hccl                           # noqa: F401
