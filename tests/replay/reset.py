#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Work until the card is reset under it, and once more on the card after that."""
import gaudi


def work(times):
    with gaudi.open(timeout=60) as device, device.stream() as stream:
        memory = device.alloc(1 << 20)
        for n in range(times):
            stream.fill(memory, n % 256)
            stream.synchronize()


try:
    work(1 << 20)
except gaudi.Error as error:
    print(error)
else:
    raise SystemExit('the card was not reset')
work(3)
