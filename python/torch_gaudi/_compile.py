# SPDX-License-Identifier: MIT
"""torch.compile() of PyTorch 2. There is no generator of code for the card: by the vendor's names
of backends a model runs operator by operator, as it is. It is not traced, as nothing is gained by
it, and tracing does not come through what autocast does in Python."""

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
    """Nothing is imported before the first compilation, as that takes seconds."""
    plain = getattr(torch, 'compile', None)
    if plain is None:
        return

    @functools.wraps(plain)
    def compile(model: Any = None, **kwargs: Any) -> Any:           # noqa: A001 - PyTorch's name
        backend = kwargs.get('backend', 'inductor')
        if backend in NAMES:
            from torch import _dynamo
            register_names()
            return _dynamo.disable if model is None else _dynamo.disable(model)
        if backend == 'inductor':
            _register_refusal()
        return plain(model, **kwargs)

    torch.compile = compile
