# SPDX-License-Identifier: MIT
from ..distributed.hccl import initialize_distributed_hpu                           # noqa: F401
