# SPDX-License-Identifier: MIT
import os

from torch_gaudi import _native


def get_lib_dir() -> str:
    """Where the device's library is."""
    return os.path.dirname(_native.path)
