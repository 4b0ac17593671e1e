# SPDX-License-Identifier: MIT
from torch_gaudi.graphs import (CachedParams, HPUGraph, ModuleCacher, copy_to,      # noqa: F401
                                graph, input_hash, make_graphed_callables,
                                wrap_in_hpu_graph)
