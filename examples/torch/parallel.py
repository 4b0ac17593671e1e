#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The GPT of gpt.py on several cards: each process has one, and a part of each batch; gradients
are summed while the backward pass goes on. The losses are those of one process.

    export GAUDI_SIM=8 GAUDI_SIM_BOX=mine      # without cards, or a guest
    mpirun -n 4 python3 examples/torch/parallel.py
    python3 -m torch.distributed.run --nproc_per_node 4 examples/torch/parallel.py

Debian 12's PyTorch 1.13 and Python 3.11 need "--redirects 9:1 --tee 9:1" in the second one.
"""

import json
import os
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import habana_frameworks.torch.core as htcore
from habana_frameworks.torch.distributed.hccl import initialize_distributed_hpu

import gpt
import steps


def batches(text, count, rank, size):
    """This rank's part of each batch."""
    for inputs, wanted in text.batches(count):
        yield tuple(t.chunk(size)[rank].to('hpu') for t in (inputs, wanted))


def train(text, count, rank, size):
    torch.manual_seed(1)
    model = DistributedDataParallel(text.network().to('hpu'), bucket_cap_mb=0.1)
    optimizer = text.optimizer(model.parameters())
    losses, start = [], 0.0
    for step, (inputs, wanted) in enumerate(batches(text, count, rank, size)):
        optimizer.zero_grad(set_to_none=True)
        loss = text.loss(model(inputs), wanted)
        loss.backward()
        htcore.mark_step()
        optimizer.step()
        htcore.mark_step()
        mean = loss.detach()
        dist.all_reduce(mean, dist.ReduceOp.AVG)
        losses.append(mean)
        if step == 0:
            mean.item()
            start = time.monotonic()
    values = [loss.item() for loss in losses]
    return steps.Run(f'gpt x {size}', 'hpu', values, (count - 1) / (time.monotonic() - start),
                     steps.fallbacks('hpu'))


def main():
    made = steps.parser(__doc__, 20)
    made.add_argument('--json', metavar='FILE', help='the losses of each step')
    options = made.parse_args()
    size, rank, _ = initialize_distributed_hpu()
    if size < 2 or gpt.BATCH % size:
        raise SystemExit(f'{size} processes; the launcher is to start 2, 4, 8 or 16')
    dist.init_process_group('hccl', rank=rank, world_size=size)
    run = train(gpt.Text(), options.steps, rank, size)
    if rank == 0:
        steps.table([run])
        if options.json:
            with open(options.json, 'w', encoding='utf-8') as file:
                json.dump(run._asdict(), file)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == '__main__':
    os.environ.setdefault('GT_FALLBACK', 'silent')
    main()
