# SPDX-License-Identifier: MIT
"""The parts of scripts/gaudi-vm."""
