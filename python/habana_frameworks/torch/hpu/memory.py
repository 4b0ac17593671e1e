# SPDX-License-Identifier: MIT
from torch_gaudi.hpu import (empty_cache, max_memory_allocated, max_memory_reserved,    # noqa: F401
                             mem_get_info, memory_allocated, memory_reserved, memory_stats,
                             memory_summary, reset_accumulated_memory_stats,
                             reset_peak_memory_stats)
