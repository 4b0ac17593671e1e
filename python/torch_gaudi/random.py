# SPDX-License-Identifier: MIT
"""torch.hpu.random. The card makes random numbers of a seed, which each call draws from the
CPU's generator: its state is the device's, too."""

from typing import Any, List

import torch

default_generators = (torch.default_generator,)


def _check(device: Any) -> None:
    index = device if isinstance(device, int) else torch.device(device).index
    if index:
        raise ValueError(f'hpu: a process has one card, hpu:0, not {device}')


def get_rng_state(device: Any = 'hpu') -> torch.Tensor:
    _check(device)
    return torch.default_generator.get_state()


def set_rng_state(new_state: torch.Tensor, device: Any = 'hpu') -> None:
    _check(device)
    torch.default_generator.set_state(new_state.cpu())


def get_rng_state_all() -> List[torch.Tensor]:
    return [get_rng_state()]


def set_rng_state_all(new_states: List[torch.Tensor]) -> None:
    for state in new_states:
        set_rng_state(state)


def manual_seed(seed: int) -> None:
    torch.default_generator.manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    manual_seed(seed)


def seed() -> int:
    return torch.default_generator.seed()


def seed_all() -> int:
    return seed()


def initial_seed() -> int:
    return torch.default_generator.initial_seed()


_plain = torch.Generator


class _Kind(type(_plain)):                              # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _plain)


class Generator(_plain, metaclass=_Kind):               # type: ignore[misc,valid-type]
    """torch.Generator, which knows hpu as well. In PyTorch 1, which has none of other devices,
    that is one of the CPU's: the card takes it, too."""

    def __new__(cls, device: Any = 'cpu') -> Any:
        if torch.device(device).type != 'hpu':
            return _plain(device=device)
        _check(device)
        if not hasattr(torch, 'accelerator'):
            return _plain()
        return torch.ops.torch_gaudi.generator()


def patch() -> None:
    torch.Generator = Generator                         # type: ignore[misc]
