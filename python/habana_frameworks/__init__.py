# SPDX-License-Identifier: MIT
"""The names that scripts for the vendor's bridge import, over torch_gaudi."""
