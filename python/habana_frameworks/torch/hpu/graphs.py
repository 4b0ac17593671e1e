# SPDX-License-Identifier: MIT
from torch_gaudi.graphed import ModuleCacher, make_graphed_callables                # noqa: F401
from torch_gaudi.graphs import (CachedParams, HPUGraph, copy_to, graph, input_hash, # noqa: F401
                                wrap_in_hpu_graph)
