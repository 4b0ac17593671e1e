# SPDX-License-Identifier: MIT
from torch_gaudi.metrics import *                       # noqa: F401,F403
