# SPDX-License-Identifier: MIT
"""torch.hpu.graphs: captures of code, and of modules' forward and backward passes."""

from .capture import (CachedParams, HPUGraph, copy_to, graph, input_hash,           # noqa: F401
                      wrap_in_hpu_graph)
from .graphed import ModuleCacher, make_graphed_callables                           # noqa: F401
