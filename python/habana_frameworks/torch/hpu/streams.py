# SPDX-License-Identifier: MIT
from torch_gaudi.streams import *                       # noqa: F401,F403
