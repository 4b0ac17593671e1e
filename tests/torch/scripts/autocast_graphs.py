# SPDX-License-Identifier: GPL-2.0-only
"""A script of the second era: autocast, streams and events, a step as a graph, inference in
graphs, memory, checkpoints with generators, attention by its fused names."""

import os
import tempfile

import torch
from torch import nn

import habana_frameworks.torch as ht
import habana_frameworks.torch.core as htcore
import habana_frameworks.torch.hpu as hthpu
from habana_dataloader import HabanaDataLoader
from habana_frameworks.torch.hpex.kernels import FusedSDPA
from habana_frameworks.torch.hpex.kernels import RotaryPosEmbeddingHelperV2 as FusedRoPE
from habana_frameworks.torch.hpex.normalization import FusedRMSNorm
from habana_frameworks.torch.hpex.optimizers import FusedSGD
from habana_frameworks.torch.hpu.metrics import metric_global


class Attention(nn.Module):
    def __init__(self, width=16, heads=2, groups=1):
        super().__init__()
        self.heads, self.groups = heads, groups
        size = width // heads
        self.q = nn.Linear(width, width)
        self.kv = nn.Linear(width, 2 * groups * size)
        self.gamma = nn.Parameter(torch.ones(width))
        angles = torch.arange(8)[:, None] / 100 ** (torch.arange(size // 2) / size)
        self.register_buffer('places', torch.arange(8).unsqueeze(0), persistent=False)
        self.register_buffer('cos', torch.cat((angles, angles), -1).cos(), persistent=False)
        self.register_buffer('sin', torch.cat((angles, angles), -1).sin(), persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        x = FusedRMSNorm.apply(x, self.gamma, 1e-6)
        places = self.places[:, :length]
        q = self.q(x).view(batch, length, self.heads, -1).transpose(1, 2)
        k, v = self.kv(x).view(batch, length, 2, self.groups, -1).permute(2, 0, 3, 1, 4)
        q = FusedRoPE.apply(q, self.cos, self.sin, places)
        k = FusedRoPE.apply(k, self.cos, self.sin, places)
        with hthpu.sdp_kernel(enable_recompute=False):
            out = FusedSDPA.apply(q, k, v, None, 0.0, True)
        return out.transpose(1, 2).reshape(batch, length, width).mean(1)


def training(device):
    ht.hpu.random.manual_seed_all(7)
    torch.manual_seed(7)
    model = nn.Sequential(Attention(), nn.Linear(16, 3)).to(device)
    optimizer = FusedSGD(model.parameters(), lr=0.5, momentum=0.9)
    x = torch.randn(48, 8, 16)
    data = torch.utils.data.TensorDataset(x, (x[:, 0, 0] > 0).long() + (x[:, 1, 1] > 1).long())
    start = torch.hpu.Event(enable_timing=True)
    end = torch.hpu.Event(enable_timing=True)
    start.record()
    for epoch in range(6):
        for x, y in HabanaDataLoader(data, batch_size=16, shuffle=True, drop_last=True):
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            with torch.autocast(device_type='hpu', dtype=torch.bfloat16, enabled=True):
                loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            htcore.mark_step()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            htcore.mark_step()
        print(f'epoch {epoch} loss {loss.item():.4f}')
    end.record()
    end.synchronize()
    print('time is measured', start.elapsed_time(end) > 0)
    return model


def whole_step():
    """A whole step of a training is one graph."""
    model = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 8)).to('hpu')
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    static_input = torch.randn(16, 32, device='hpu')
    static_target = torch.randn(16, 8, device='hpu')
    loss_fn = nn.MSELoss()
    s = ht.hpu.Stream()
    s.wait_stream(ht.hpu.current_stream())
    g = ht.hpu.HPUGraph()
    with ht.hpu.stream(s):
        optimizer.zero_grad(set_to_none=True)
        g.capture_begin()
        loss = loss_fn(model(static_input), static_target)
        loss.backward()
        optimizer.step()
        g.capture_end()
    ht.hpu.current_stream().wait_stream(s)
    losses = []
    for _ in range(8):
        g.replay()
        ht.hpu.synchronize()
        losses.append(loss.item())
    print('graph learns', losses == sorted(losses, reverse=True) and losses[-1] < losses[0])


def inference(model):
    model = ht.hpu.wrap_in_hpu_graph(model.eval(), disable_tensor_cache=True)
    htcore.hpu_initialize(model)
    with torch.no_grad(), torch.autocast('hpu'):
        first = model(torch.ones(4, 8, 16, device='hpu')).float().cpu()
        again = model(torch.ones(4, 8, 16, device='hpu')).float().cpu()
    print('inference', tuple(first.shape), torch.equal(first, again))


def checkpoint(model):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'checkpoint.pt')
        torch.save({'model': model.state_dict(),
                    'rng': ht.hpu.random.get_rng_state_all()}, path)
        state = torch.load(path, map_location=torch.device('hpu'))
    model.load_state_dict(state['model'])
    ht.hpu.random.set_rng_state_all(state['rng'])
    a = torch.rand(4, device='hpu').cpu()
    ht.hpu.random.set_rng_state_all(state['rng'])
    print('random repeats', torch.equal(a, torch.rand(4, device='hpu').cpu()))


def main():
    if not ht.hpu.is_available():
        raise SystemExit('no hpu')
    htcore.hpu_set_env()
    hthpu.enable_dynamic_shape()
    hthpu.setDeterministic(True)
    print('device', ht.hpu.get_device_name(), ht.hpu.current_device(), torch.hpu.device_count())
    model = training(torch.device('hpu'))
    whole_step()
    inference(model)
    checkpoint(model)
    s = hthpu.Stream()
    t = torch.ones(4, device='hpu')
    t.record_stream(s)
    print('memory', hthpu.memory_allocated() <= hthpu.max_memory_allocated(),
          hthpu.memory_usage() < 100, hthpu.memory.mem_get_info()[0] > 0)
    print('recipes', metric_global('graph_compilation').stats()[0][1] > 0)


if __name__ == '__main__':
    main()
