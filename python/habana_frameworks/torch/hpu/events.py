# SPDX-License-Identifier: MIT
from torch_gaudi.streams import Event                   # noqa: F401
