# SPDX-License-Identifier: MIT
"""The vendor's loader by its name: PyTorch's own."""

import torch.utils.data


class HabanaDataLoader(torch.utils.data.DataLoader):
    """PyTorch's, with the same arguments."""
