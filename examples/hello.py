#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A text goes to the card, within it, and back."""

import gaudi

with gaudi.open(timeout=60) as device:
    a = device.put(b'Hello from HBM!')
    b = device.alloc(a.nbytes)
    device.copy(b, a)
    print(f'module {device.info.module_id} on {device.info.driver}: '
          f'{b.read().decode()}')
