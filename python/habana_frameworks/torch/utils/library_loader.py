# SPDX-License-Identifier: MIT
import torch
import torch_gaudi                                      # noqa: F401 - registers the device


def load_habana_module() -> None:
    """Importing this has done it."""


def is_habana_available() -> bool:
    return torch.hpu.is_available()
