# SPDX-License-Identifier: MIT
"""Mixed precision by lists of operators: convert() for the whole program."""

from torch_gaudi.autocast import convert, disable_casts  # noqa: F401
