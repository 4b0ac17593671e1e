# SPDX-License-Identifier: MIT
"""Training steps as graphs: a forward pass and its backward pass are captured each, and replayed
as one node of autograd.

Inputs are copied into those of the capture; results, and gradients, are the same tensors each
time. Parameters are read where they are, so that an optimizer's steps are seen."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from . import autocast
from .capture import HPUGraph, graph, input_hash, is_capturable

Tensors = Sequence[torch.Tensor]


class _Capture:
    """@function's call with @inputs, and the gradients of both these and @parameters."""

    def __init__(self, function: Callable[..., Any], inputs: Tensors, parameters: Tensors,
                 allow_unused: bool) -> None:
        self.inputs = [t.detach().clone().requires_grad_(t.requires_grad) for t in inputs]
        self.parameters = [p for p in parameters if p.requires_grad]
        self.forward, self.backward, self.turn = HPUGraph(), HPUGraph(), 0
        with torch.enable_grad(), graph(self.forward):
            outputs = function(*self.inputs)
        self.outputs, self.nesting = tree_flatten(outputs)
        self.wanted = [t for t in self.inputs if t.requires_grad] + self.parameters
        results = [t for t in self.outputs if isinstance(t, torch.Tensor) and t.requires_grad]
        self.grad_outputs = [torch.zeros_like(t) for t in results]
        self.grads: List[Optional[torch.Tensor]] = [None] * len(self.wanted)
        if self.wanted and results:
            with graph(self.backward):
                self.grads = list(torch.autograd.grad(results, self.wanted, self.grad_outputs,
                                                      allow_unused=allow_unused))
        self.outputs = [t.detach() if isinstance(t, torch.Tensor) else t for t in self.outputs]
        self.needs_grad = [any(t is r for r in results) for t in tree_flatten(outputs)[0]]

    def replay(self, inputs: Tensors) -> Tuple[Any, ...]:
        with torch.no_grad():
            for mine, theirs in zip(self.inputs, inputs):
                mine.copy_(theirs)
        self.forward.replay()
        self.turn += 1
        return tuple(t.detach() for t in self.outputs if isinstance(t, torch.Tensor))

    def replay_backward(self, grads: Sequence[Optional[torch.Tensor]]) -> Tuple[Any, ...]:
        """Gradients of all inputs and parameters. Those of the last time, which a parameter
        may have kept to add to, are not overwritten."""
        for p, mine in zip(self.parameters, self.grads[-len(self.parameters):]):
            if mine is not None and p.grad is not None and p.grad.data_ptr() == mine.data_ptr():
                p.grad = p.grad.clone()
        given = [g for g, needs in zip(grads, self._needs_of_tensors()) if needs]
        for to, source in zip(self.grad_outputs, given):
            to.zero_() if source is None else to.copy_(source)
        self.backward.replay()
        found = iter(self.grads)
        return tuple(_detached(next(found)) if t.requires_grad else None
                     for t in [*self.inputs, *self.parameters])

    def _needs_of_tensors(self) -> List[bool]:
        return [needs for t, needs in zip(self.outputs, self.needs_grad)
                if isinstance(t, torch.Tensor)]

    def __call__(self, *inputs: torch.Tensor) -> Any:
        tensors = iter(_Replay.apply(self, len(inputs), *inputs, *self.parameters))
        return tree_unflatten([next(tensors) if isinstance(t, torch.Tensor) else t
                               for t in self.outputs], self.nesting)


def _detached(t: Optional[torch.Tensor]) -> Optional[torch.Tensor]:
    return None if t is None else t.detach()


class _Replay(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, capture: _Capture, count: int, *tensors: torch.Tensor) -> Any:
        results = capture.replay(tensors[:count])
        ctx.capture, ctx.turn = capture, capture.turn
        ctx.mark_non_differentiable(*(t for t, needs in zip(
            results, capture._needs_of_tensors()) if not needs))
        return results

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Optional[torch.Tensor]) -> Any:
        if ctx.turn != ctx.capture.turn:
            raise RuntimeError('hpu: backward() of a captured forward pass that has been replayed '
                               'again since; its tensors are overwritten')
        return (None, None, *ctx.capture.replay_backward(grads))


def _capture(function: Callable[..., Any], inputs: Tensors, module: Optional[torch.nn.Module],
             allow_unused: bool, warmups: int = 1) -> _Capture:
    """After runs that build recipes, of which buffers (means of a normalisation) see nothing."""
    parameters = list(module.parameters()) if module is not None else []
    buffers = list(module.buffers()) if module is not None else []
    kept = [b.detach().clone() for b in buffers]
    for _ in range(max(warmups, 1)):
        with torch.enable_grad():
            ours = [t.detach().clone().requires_grad_(t.requires_grad) for t in inputs]
            results = [t for t in tree_flatten(function(*ours))[0]
                       if isinstance(t, torch.Tensor) and t.requires_grad]
            wanted = [t for t in (*ours, *parameters) if t.requires_grad]
            if results and wanted:
                torch.autograd.grad(results, wanted, [torch.zeros_like(t) for t in results],
                                    allow_unused=True)
    torch.hpu.synchronize()
    with torch.no_grad():
        for buffer, before in zip(buffers, kept):
            buffer.copy_(before)
    return _Capture(function, inputs, parameters, allow_unused)


def _check(module: torch.nn.Module) -> None:
    if any(getattr(m, hooks, None) for m in module.modules() for hooks in (
            '_backward_hooks', '_forward_hooks', '_forward_pre_hooks')):
        raise RuntimeError('hpu: a module with hooks cannot be captured; register them after')
    if any(b.requires_grad for b in module.buffers()):
        raise RuntimeError('hpu: a module with buffers that need gradients cannot be captured')


def _graphed(function: Any, args: Sequence[Any], warmups: int, allow_unused: bool) -> Any:
    if not all(isinstance(t, torch.Tensor) for t in args):
        raise TypeError('hpu: sample_args may only be tensors')
    if not is_capturable(args):
        raise ValueError('hpu: sample_args may only be of hpu: a replay does not see others')
    if not isinstance(function, torch.nn.Module):
        return _capture(function, args, None, allow_unused, warmups)
    _check(function)
    plain, training = function.forward, function.training
    captured = _capture(plain, args, function, allow_unused, warmups)

    def forward(*inputs: Any, **named: Any) -> Any:
        """As it is, if the mode is another one than that of the capture."""
        return captured(*inputs) if function.training == training and not named \
            else plain(*inputs, **named)

    function.forward = forward
    return function


def make_graphed_callables(callables: Any, sample_args: Any, warmups: int = 0,
                           allow_unused_input: bool = False, asynchronous: bool = False,
                           disable_tensor_cache: bool = False, dry_run: bool = False) -> Any:
    """Functions or modules, which are changed, whose forward and backward passes are graphs for
    tensors like those of @sample_args."""
    if not isinstance(callables, (tuple, list)):
        return _graphed(callables, sample_args, warmups, allow_unused_input)
    if len(callables) != len(sample_args):
        raise ValueError(f'hpu: {len(sample_args)} sample_args for {len(callables)} callables')
    return tuple(_graphed(function, args, warmups, allow_unused_input)
                 for function, args in zip(callables, sample_args))


class _Cached:
    """A module's forward(), captured for each kind of input."""

    def __init__(self, model: torch.nn.Module, most: int, by_use: bool,
                 allow_unused: bool) -> None:
        self.model, self.plain = model, model.forward
        self.most, self.by_use, self.allow_unused = most, by_use, allow_unused
        self.captures: Dict[Any, _Capture] = {}
        self.uses: Dict[Any, int] = {}
        self.capturing = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (self.model.training and torch.is_grad_enabled()
                and is_capturable([args, kwargs])):
            return self.plain(*args, **kwargs)
        key = (input_hash([args, kwargs]), autocast.state(), tuple(
            t.requires_grad for t in tree_flatten([list(args), kwargs])[0]
            if isinstance(t, torch.Tensor)))
        leaves, nesting = tree_flatten([list(args), kwargs])
        tensors = [t for t in leaves if isinstance(t, torch.Tensor)]
        if key not in self.captures and not self._add(key, leaves, nesting, tensors):
            return self.plain(*args, **kwargs)
        self.uses[key] = self.uses.get(key, 0) + 1
        return self.captures[key](*tensors)

    def _add(self, key: Any, leaves: list, nesting: Any, tensors: Tensors) -> bool:
        if not self.capturing:
            return False
        if len(self.captures) >= self.most:
            if not self.by_use:
                return False
            del self.captures[min(self.captures, key=lambda k: self.uses[k])]

        def flat(*inputs: torch.Tensor) -> Any:
            """The call, of its tensors; all else is as it was."""
            given = iter(inputs)
            args, kwargs = tree_unflatten([next(given) if isinstance(t, torch.Tensor) else t
                                           for t in leaves], nesting)
            return self.plain(*args, **kwargs)

        self.captures[key] = _capture(flat, tensors, self.model, self.allow_unused)
        leaves[:] = tree_map(lambda t: torch.empty(0) if isinstance(t, torch.Tensor) else t,
                             leaves)
        return True


class ModuleCacher:
    """ModuleCacher(max_graphs)(model): training steps of the model are captured for each kind of
    input, up to so many; more run as they are, or take the place of the one that was used
    least (use_lfu). Steps with tensors of the CPU run as they are."""

    def __init__(self, max_graphs: int = 10) -> None:
        self.max_graphs = max_graphs

    def __call__(self, model: torch.nn.Module, use_lfu: bool = False, inplace: bool = True,
                 allow_unused_input: bool = False, asynchronous: bool = False,
                 have_grad_accumulation: bool = False, log_frequency: int = 100,
                 verbose: bool = False, disable_tensor_cache: bool = False,
                 dry_run: bool = False) -> torch.nn.Module:
        if isinstance(model, torch.nn.parallel.DistributedDataParallel):
            raise ValueError('ModuleCacher takes a model before it is wrapped by DDP')
        _check(model)
        if not inplace:
            model = _Wrapper(model)
        cached = _Cached(model, self.max_graphs, use_lfu, allow_unused_input)
        model.forward = cached
        model.set_iteration_count = lambda count: None
        model.capture_start = lambda: setattr(cached, 'capturing', True)
        model.capture_end = lambda: setattr(cached, 'capturing', False)
        return model


class _Wrapper(torch.nn.Module):
    """A module around another one, which stays as it is."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self.module = module
        self.train(module.training)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)
