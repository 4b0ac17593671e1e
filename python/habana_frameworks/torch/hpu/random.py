# SPDX-License-Identifier: MIT
from torch_gaudi.random import *                        # noqa: F401,F403
