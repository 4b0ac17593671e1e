# SPDX-License-Identifier: MIT
from torch_gaudi.memory import *                        # noqa: F401,F403
