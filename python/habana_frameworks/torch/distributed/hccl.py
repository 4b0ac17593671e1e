# SPDX-License-Identifier: MIT
"""The backend hccl of torch.distributed, and ranks of a job."""

import os

from torch_gaudi import collectives


def initialize_distributed_hpu(world_size=None, rank=None, local_rank=None):
    """(world_size, rank, local_rank), of the launcher's variables: 1, -1, -1 without one."""
    env = os.environ

    def first(given, default, *names):
        if given is not None:
            return int(given)
        return next((int(env[name]) for name in names if name in env), default)

    world_size = first(world_size, 1, 'WORLD_SIZE', 'OMPI_COMM_WORLD_SIZE')
    rank = first(rank, -1, 'RANK', 'OMPI_COMM_WORLD_RANK')
    local_rank = first(local_rank, -1, 'LOCAL_RANK', 'OMPI_COMM_WORLD_LOCAL_RANK')
    env.setdefault('MASTER_ADDR', 'localhost')
    env.setdefault('MASTER_PORT', '12345')
    if local_rank >= 0:
        env.setdefault('HLS_MODULE_ID', str(local_rank))
        env.setdefault('ID', str(rank))
    return world_size, rank, local_rank


collectives.register()
initialize_distributed_hpu()
