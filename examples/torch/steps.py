# SPDX-License-Identifier: MIT
"""What the examples share: a device by its name, a training, and the table of how it went."""

import argparse
import sys
import time
from typing import Any, List, NamedTuple

import torch


class Run(NamedTuple):
    """A training that has ended. The first step, which builds recipes, is not in @rate."""
    name: str
    device: str
    losses: List[float]
    rate: float
    fallbacks: int


def fallbacks(device: str) -> int:
    """How many operators of the device's the CPU has done."""
    return sum(f.count for f in torch.hpu.fallbacks().values()) if device == 'hpu' else 0


def train(example: Any, device: str, steps: int, model: Any = None, show: int = 0,
          graphs: bool = False) -> Run:
    """@example is one of the modules here: network(), batches(steps), optimizer(parameters),
    loss(outputs, wanted). The weights begin the same on each device. @graphs: both passes are
    captured by the first step."""
    if device == 'hpu':
        import torch_gaudi                              # noqa: F401 - registers the device
    torch.manual_seed(1)
    model = (model or example.network()).to(device).train()
    if graphs:
        from torch_gaudi.graphed import ModuleCacher
        model = ModuleCacher()(model)
    optimizer = example.optimizer(model.parameters())
    before, losses, start = fallbacks(device), [], 0.0
    for step, (inputs, wanted) in enumerate(example.batches(steps)):
        loss = example.loss(model(inputs.to(device)), wanted.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())                    # does not wait for the device
        if step == 0:
            loss.item()
            start = time.monotonic()
        if show and (step + 1) % show == 0:
            print(f'step {step + 1}: loss {loss.item():.4f}', flush=True)
    values = [loss.item() for loss in losses]
    seconds = time.monotonic() - start
    return Run(example.NAME, device + ', graphs' * graphs, values, (steps - 1) / seconds, fallbacks(device) - before)


def table(runs: List[Run]) -> None:
    print(f'{"model":12} {"device":11} {"steps/s":>8} {"first loss":>11} {"last loss":>10} '
          f'{"fallbacks":>10}')
    for run in runs:
        print(f'{run.name:12} {run.device:11} {run.rate:8.2f} {run.losses[0]:11.5f} '
              f'{run.losses[-1]:10.5f} {run.fallbacks:10}')


def parser(about: str, steps: int, least: int = 1) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=about.split('\n')[0])
    made.add_argument('--device', choices=('cpu', 'hpu'), default='hpu')
    made.add_argument('--steps', type=at_least(least), default=steps)
    made.add_argument('--show', type=at_least(0), default=20, metavar='N',
                      help='the loss of each N-th step; 0: none')
    return made


def at_least(least: int) -> Any:
    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f'at least {least}')
        return value
    return number


def main(example: Any) -> None:
    """The program of an example that has no arguments of its own."""
    options = parser(example.__doc__, example.STEPS).parse_args()
    table([train(example, options.device, options.steps, show=options.show)])


def this(name: str) -> Any:
    """The module that is run as a program."""
    return sys.modules[name]
