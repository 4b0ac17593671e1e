# SPDX-License-Identifier: MIT
"""torch.compile() of PyTorch 2. The graph that it finds runs operator by operator: there is no
generator of code for the card."""

import functools
from typing import Any, Callable, List

import torch

NAMES = ('hpu_backend', 'aot_hpu_inference_backend', 'aot_hpu_training_backend')


def _run_graph(graph: Any, inputs: List[torch.Tensor], **options: Any) -> Callable[..., Any]:
    return graph.forward


def _refuse(*args: Any, **kwargs: Any) -> None:
    raise NotImplementedError('hpu: the backend "inductor" has no code for the card; '
                              'take torch.compile(..., backend="hpu_backend")')


_refuse.create = _refuse                                # type: ignore[attr-defined]


@functools.lru_cache(maxsize=None)
def register_names() -> None:
    from torch._dynamo import register_backend
    for name in NAMES:
        register_backend(_run_graph, name=name)


@functools.lru_cache(maxsize=None)
def _register_refusal() -> None:
    from torch._inductor.codegen.common import register_backend_for_device
    register_backend_for_device('hpu', _refuse, _refuse)


def patch() -> None:
    """Backends are registered when the first compilation asks for one, as importing them
    takes seconds."""
    plain = getattr(torch, 'compile', None)
    if plain is None:
        return

    @functools.wraps(plain)
    def compile(*args: Any, **kwargs: Any) -> Any:      # noqa: A001 - PyTorch's name
        backend = kwargs.get('backend', 'inductor')
        if backend in NAMES:
            register_names()
        elif backend == 'inductor':
            _register_refusal()
        return plain(*args, **kwargs)

    torch.compile = compile
