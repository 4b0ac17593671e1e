#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All models, a few steps on each device: how fast, how well, and what the card left to the
CPU.

    python3 examples/torch/table.py
"""

import torch_gaudi                  # noqa: F401 - before the first backward pass of any device

import digits
import gpt
import resnet
import steps


def main():
    runs = [steps.train(example, device, count, graphs=graphs)
            for example, count in ((digits, 40), (gpt.Text(), 10), (resnet, 4))
            for device, graphs in (('cpu', False), ('hpu', False), ('hpu', True))]
    steps.table(runs)


if __name__ == '__main__':
    main()
