# SPDX-License-Identifier: MIT
from torch_gaudi.graphs import *                        # noqa: F401,F403
