# SPDX-License-Identifier: GPL-2.0-only
"""A rank of test_distributed: what its argument names, of the classes' methods below."""

import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import habana_frameworks.torch.core                     # noqa: F401 - registers hpu and hccl
from habana_frameworks.torch.distributed.hccl import initialize_distributed_hpu
from torch_gaudi import collectives

SIZE, RANK, _ = initialize_distributed_hpu()
TYPES = (torch.float32, torch.bfloat16, torch.int64, torch.int32)


def of(rank, dtype=torch.float32, shape=(3, 5)):
    """What a rank has: small whole numbers."""
    n = torch.arange(torch.Size(shape).numel()).view(shape)
    return ((n * (rank + 2)) % 7 + rank).to(dtype)


def same(got, want, what='', **tolerance):
    torch.testing.assert_close(got.detach().cpu(), want, **tolerance,
                               msg=lambda m: f'{what}: {m}')


def raises(kind, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as e:
        assert text in str(e), e
    else:
        raise AssertionError(f'{function.__name__} raises nothing')


def all_of(dtype=torch.float32, shape=(3, 5)):
    return [of(rank, dtype, shape) for rank in range(SIZE)]


def reductions():
    ops = {dist.ReduceOp.SUM: lambda t: t.sum(0), dist.ReduceOp.MAX: lambda t: t.amax(0),
           dist.ReduceOp.MIN: lambda t: t.amin(0)}
    for dtype in TYPES:
        for op, function in ops.items():
            want = function(torch.stack(all_of(dtype))).to(dtype)
            for t in (of(RANK, dtype).to('hpu'), of(RANK, dtype),
                      of(RANK, dtype).to('hpu').t().contiguous().t()):
                dist.all_reduce(t, op)
                same(t, want, f'all_reduce {op} {dtype}')
            t = of(RANK, dtype).to('hpu')
            dist.reduce(t, 1, op)
            same(t, want if RANK == 1 else of(RANK, dtype), 'reduce')
            out = torch.empty(3, 5, dtype=dtype, device='hpu')
            dist.reduce_scatter(out, [of(RANK + i, dtype).to('hpu') for i in range(SIZE)], op)
            same(out, function(torch.stack([of(i + RANK, dtype) for i in range(SIZE)]))
                 .to(dtype), 'reduce_scatter')
    t = of(RANK).to('hpu')
    dist.all_reduce(t, dist.ReduceOp.AVG)
    same(t, torch.stack(all_of()).mean(0), 'mean')
    for op, want in ((dist.ReduceOp.SUM, True), (dist.ReduceOp.PRODUCT, False)):
        t = torch.tensor([RANK == 0, True, False]).to('hpu')
        dist.all_reduce(t, op)
        same(t, torch.tensor([want, True, False]), 'bool')


def moves():
    for dtype in (*TYPES, torch.bool, torch.uint8, torch.complex64, torch.float16):
        t = of(RANK, dtype).to('hpu')
        dist.broadcast(t, 1)
        same(t, of(1, dtype), f'broadcast {dtype}')
        out = [torch.zeros(3, 5, dtype=dtype, device='hpu') for _ in range(SIZE)]
        dist.all_gather(out, of(RANK, dtype).to('hpu'))
        for got, want in zip(out, all_of(dtype)):
            same(got, want, 'all_gather')
        mine = torch.zeros(3, 5, dtype=dtype, device='hpu')
        dist.scatter(mine, [t.to('hpu') for t in all_of(dtype)] if RANK == 0 else None, 0)
        same(mine, of(RANK, dtype), 'scatter')
        out = [torch.zeros(3, 5, dtype=dtype, device='hpu') for _ in range(SIZE)]
        dist.gather(mine, out if RANK == 1 else None, 1)
        for got, want in zip(out, all_of(dtype)):
            same(got, want if RANK == 1 else torch.zeros_like(want), 'gather')
        flat = torch.zeros(3 * SIZE, 5, dtype=dtype, device='hpu')
        dist.all_to_all_single(flat, torch.cat([of(RANK + i, dtype) for i in range(SIZE)])
                               .to('hpu'))
        same(flat, torch.cat([of(i + RANK, dtype) for i in range(SIZE)]), 'all_to_all')
    uneven = torch.zeros(sum(range(1, SIZE + 1)), device='hpu')
    sizes = list(range(1, SIZE + 1))
    dist.all_to_all_single(uneven, torch.full(((RANK + 1) * SIZE,), float(RANK), device='hpu'),
                           sizes, [RANK + 1] * SIZE)
    same(uneven, torch.cat([torch.full((n,), float(i)) for i, n in enumerate(sizes)]))


def uneven():
    """Each rank has another number of rows, of 0 as well."""
    sizes = [3 * i for i in range(SIZE)]
    for device in ('hpu', 'cpu'):
        out = [torch.zeros(n, 2, device=device) for n in sizes]
        dist.all_gather(out, torch.full((sizes[RANK], 2), float(RANK), device=device))
        for rank, (n, got) in enumerate(zip(sizes, out)):
            same(got, torch.full((n, 2), float(rank)), 'all_gather')
    raises(ValueError, 'cannot take', dist.all_gather,
           [torch.zeros(5, device='hpu') for _ in sizes], torch.zeros(4, device='hpu'))


def coalesced():
    """Of PyTorch 2: one call of several collectives, in both of its ways."""
    from torch.distributed.distributed_c10d import _coalescing_manager
    for device in (None, torch.device('hpu')):
        a, b = of(RANK).to('hpu'), of(RANK + 1).to('hpu')
        with _coalescing_manager(device=device):
            dist.all_reduce(a)
            dist.all_reduce(b)
        same(a, torch.stack(all_of()).sum(0), 'a')
        same(b, torch.stack([of(rank + 1) for rank in range(SIZE)]).sum(0), 'b')
    whole = [torch.zeros(3 * SIZE, 5, device='hpu') for _ in range(2)]
    with _coalescing_manager(async_ops=True) as works:
        for i, t in enumerate(whole):
            dist.all_gather_into_tensor(t, of(RANK + i).to('hpu'))
    works.wait()
    for i, t in enumerate(whole):
        same(t, torch.cat([of(rank + i) for rank in range(SIZE)]), 'all_gather')
    parts = [torch.zeros(3, 5, device='hpu') for _ in range(2)]
    with _coalescing_manager():
        for part, t in zip(parts, whole):
            dist.reduce_scatter_tensor(part, t)
    for i, part in enumerate(parts):
        same(part, of(RANK + i) * SIZE, 'reduce_scatter')


def pairs():
    """Sends and receives, one by one and all together; objects, groups."""
    right, left = (RANK + 1) % SIZE, (RANK - 1) % SIZE
    got = torch.zeros(3, 5, device='hpu')
    if RANK % 2 == 0:
        dist.send(of(RANK).to('hpu'), right)
        dist.recv(got, left)
    else:
        dist.recv(got, left)
        dist.send(of(RANK).to('hpu'), right)
    same(got, of(left), 'recv')
    got = torch.zeros(3, 5)
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, of(RANK), right),
                                        dist.P2POp(dist.irecv, got, left)]):
        work.wait()
    same(got, of(left), 'batch_isend_irecv')
    found = [None] * SIZE
    dist.all_gather_object(found, {'rank': RANK, 'text': 'x' * RANK})
    assert found == [{'rank': i, 'text': 'x' * i} for i in range(SIZE)], found
    # Of which others say a size in memory that they have not written.
    for source in range(SIZE):
        found = [{'rank': RANK}, 'y' * RANK] if RANK == source else [None, None]
        dist.broadcast_object_list(found, source)
        assert found == [{'rank': source}, 'y' * source], found
    t = of(RANK, torch.int64) if RANK == 1 else torch.full((3, 5), 2 ** 40)
    dist.broadcast(t, 1)
    same(t, of(1, torch.int64), 'broadcast over what does not fit')
    groups = [dist.new_group([i]) for i in range(SIZE)] + [dist.new_group(list(range(SIZE)))]
    for group, want in ((groups[RANK], of(RANK)), (groups[-1], torch.stack(all_of()).sum(0))):
        t = of(RANK).to('hpu')
        work = dist.all_reduce(t, group=group, async_op=True)
        work.wait()
        same(t, want, 'group')
    dist.barrier()


def refuses():
    t = of(RANK, torch.uint8).to('hpu')
    raises(NotImplementedError, 'use int32', dist.all_reduce, t)
    raises(RuntimeError, 'the card has no', dist.all_reduce, of(RANK, torch.int32).to('hpu'),
           dist.ReduceOp.PRODUCT)
    raises(NotImplementedError, 'no reduction', dist.all_reduce, of(RANK, torch.int32),
           dist.ReduceOp.BXOR)
    raises(ValueError, 'ranks', dist.all_gather, [t], t)
    raises(ValueError, 'cannot take', dist._all_gather_base, t, t)
    empty = torch.zeros(0, device='hpu')
    dist.all_reduce(empty)
    t = of(RANK).to('hpu')
    dist.all_reduce(t)                                  # nothing of that has harmed the group
    same(t, torch.stack(all_of()).sum(0))


def recovers():
    """Ranks call different sizes in a group: all are told, and what waited for it has failed, too.
    Behind recover() the streams, another group and a new one work."""
    broken = dist.new_group(list(range(SIZE)))
    t = torch.ones(RANK + 1, device='hpu')
    try:
        for _ in range(1000):
            dist.all_reduce(t, group=broken)
            torch.hpu.synchronize()
    except RuntimeError as error:
        text = str(error)
    else:
        raise AssertionError('other sizes are no error')
    assert 'allreduce' in text or 'failed' in text, text
    torch.hpu.recover()
    want = torch.stack(all_of()).sum(0)
    for group in (None, dist.new_group(list(range(SIZE)))):
        t = of(RANK).to('hpu')
        dist.all_reduce(t, group=group)
        same(t * 2, want * 2, 'behind a failure')


def _read_sums(differ):
    """The last rank differs at one of them; the others say what they are told first."""
    t = torch.ones(1000, device='hpu')
    try:
        for i in range(100):
            if i == 5 and RANK == SIZE - 1:
                differ(t)
            dist.all_reduce(t)
            t.sum().item()
    except RuntimeError as error:
        print('first:', error, flush=True)
    os._exit(0)


def one_dies():
    _read_sums(lambda t: os._exit(0))


def one_calls_another():
    _read_sums(lambda t: dist.all_gather([torch.empty_like(t) for _ in range(SIZE)], t))


def network(outputs=5):
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(),
                         nn.Linear(64, outputs))


def norms():
    """SyncBatchNorm is BatchNorm of the whole batch: results, gradients, running values; of
    parts that differ in size, and of none."""
    def near(got, want, what):
        same(got, want.detach(), what, rtol=1e-4, atol=1e-4)

    for shape, kind, options in (((4 * SIZE + 1, 6), nn.BatchNorm1d, {}),
                                 ((2 * SIZE, 6, 5, 4), nn.BatchNorm2d, {'momentum': None}),
                                 ((1, 6, 7), nn.BatchNorm1d, {'affine': False}),
                                 ((2 * SIZE, 6, 3, 2, 2), nn.BatchNorm3d, {})):
        plain = kind(6, **options)
        norm = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(kind(6, **options)))
        norm.to('hpu')
        for step in range(2):
            x = torch.randn(shape, generator=torch.Generator().manual_seed(step)) + 3
            size = -(-shape[0] // SIZE)
            mine = x[size * RANK:size * (RANK + 1)].to('hpu').requires_grad_()
            x.requires_grad_()
            y, want = norm(mine), plain(x)
            near(y, want[size * RANK:size * (RANK + 1)], f'{kind} {step}')
            (y.pow(3).sum() / x.numel()).backward()
            want.pow(3).mean().backward()
            near(mine.grad, x.grad[size * RANK:size * (RANK + 1)], 'its gradient')
        for got, want in zip(norm.parameters(), plain.parameters()):
            dist.all_reduce(got.grad)
            near(got.grad, want.grad, 'gradients')
        for got, want in zip(norm.buffers(), plain.buffers()):
            near(got, want, 'running values')
        norm.eval(), plain.eval()
        near(norm(x.detach().to('hpu')), plain(x), 'inference')
    norm = nn.SyncBatchNorm(6).to('hpu')
    with torch.autocast('hpu', dtype=torch.bfloat16):
        assert norm(torch.randn(4, 6).to('hpu').bfloat16()).dtype is torch.bfloat16
    assert norm.running_var.dtype is torch.float32


def meshes():
    """Of PyTorch 2: tensors that are spread over the cards."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor

    mesh = init_device_mesh('hpu', (SIZE,))
    t = of(RANK).to('hpu')
    dist.all_reduce(t, group=mesh.get_group())
    same(t, torch.stack(all_of()).sum(0), 'group of a mesh')
    full = of(0, shape=(4 * SIZE, 6))
    spread = distribute_tensor(full.to('hpu'), mesh, [Shard(0)])
    same(spread.to_local(), full.chunk(SIZE)[RANK], 'shard')
    same((spread @ spread.redistribute(mesh, [Replicate()]).t()).full_tensor(), full @ full.t(),
         'product')


def shards():
    """Of PyTorch 2: each card has a part of the parameters; losses as those of one process."""
    from torch.distributed._composable.fsdp import fully_shard
    from torch.distributed.fsdp import FullyShardedDataParallel

    def losses(model, x, device):
        optimizer = torch.optim.Adam(model.parameters(), 1e-2)
        found = []
        for _ in range(3):
            loss = model(x.to(device)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.detach().cpu())
        return torch.stack(found)

    def halves(model):
        fully_shard(model[0])
        fully_shard(model)
        return model

    x = torch.randn(4 * SIZE, 20, generator=torch.Generator().manual_seed(3))
    want = losses(network(), x, 'cpu')
    for wrap in (lambda m: FullyShardedDataParallel(m, device_id=torch.device('hpu', 0)), halves):
        kept = [torch.full((n,), 1e3, device='hpu') for n in range(1, 5000, 50)]
        torch.hpu.synchronize()
        del kept                                        # what memory has that is read too early
        model = wrap(network().to('hpu'))
        got = losses(model, x.chunk(SIZE)[RANK], 'hpu').to('hpu')
        dist.all_reduce(got, dist.ReduceOp.AVG)
        same(got, want, 'losses')
    # What PyTorch sends of its own goes by the card: which parameters have a state.
    model = FullyShardedDataParallel(network().to('hpu'), device_id=torch.device('hpu', 0))
    optimizer = torch.optim.Adam(model.parameters())
    model(x.to('hpu')).sum().backward()
    optimizer.step()
    state = FullyShardedDataParallel.optim_state_dict(model, optimizer)['state']
    assert sorted(state) == sorted(dict(network().named_parameters())), state.keys()


def overlap():
    """Sums begin before the backward pass has come to the first layer."""
    log = []
    plain = collectives.HCCL.allreduce

    def allreduce(self, *arguments):
        log.append('sum')
        return plain(self, *arguments)

    # The first bucket is of 1 MiB.
    model = DistributedDataParallel(network(4500).to('hpu'), bucket_cap_mb=0.01)
    collectives.HCCL.allreduce = allreduce
    for _ in range(2):
        log.clear()
        handle = model.module[0].weight.register_hook(lambda grad: log.append('first layer'))
        model(torch.randn(8, 20).to('hpu')).sum().backward()
        handle.remove()
    assert log.count('sum') > 1 and log.index('sum') < log.index('first layer'), log
    assert log[-1] == 'sum', log


def zero():
    """Each rank has a part of the optimizer's state; weights are those of a whole one."""
    from torch.distributed.optim import ZeroRedundancyOptimizer
    batch = torch.randn(8 * SIZE, 20, generator=torch.Generator().manual_seed(2))
    alone = network()
    theirs = torch.optim.AdamW(alone.parameters(), lr=0.01)
    model = DistributedDataParallel(network().to('hpu'))
    ours = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=0.01)
    for _ in range(3):
        for net, optimizer, part in ((alone, theirs, batch),
                                     (model, ours, batch.chunk(SIZE)[RANK].to('hpu'))):
            optimizer.zero_grad()
            net(part).pow(2).mean().backward()
            optimizer.step()
    for got, want in zip(model.module.parameters(), alone.parameters()):
        torch.testing.assert_close(got.detach().cpu(), want.detach(), rtol=1e-3, atol=1e-4)
    assert len(ours.optim.state) < len(theirs.state)


def main():
    dist.init_process_group('hccl', rank=RANK, world_size=SIZE)
    assert dist.get_backend() == 'hccl'
    for name in sys.argv[1:]:
        globals()[name]()
        print(f'{name}: rank {RANK} of {SIZE} has ended', flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == '__main__':
    main()
