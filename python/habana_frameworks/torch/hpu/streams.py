# SPDX-License-Identifier: MIT
from torch_gaudi.streams import Event, Stream           # noqa: F401
