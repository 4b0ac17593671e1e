# SPDX-License-Identifier: MIT
"""Records of cards: what Documentation/record.rst says of the file, as objects."""
