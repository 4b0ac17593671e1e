# SPDX-License-Identifier: MIT
"""Graphs: work that is written down once and launched as often as wanted, in one submission.

What is captured reads and writes the same memory each time: new inputs are copied into the
tensors of the capture, and results are the same tensors. What the CPU does cannot be captured."""

import ctypes
import enum
import functools
from typing import Any, Optional, Sequence

import torch
from torch.utils._pytree import tree_flatten, tree_map

from . import _native, autocast
from ._native import call as _call, lib as _lib


class HPUGraph:
    """capture_begin(), work, capture_end(); then replay()."""

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()
        self._inputs: list = []
        self._outputs: list = []

    def __del__(self) -> None:
        if getattr(self, '_handle', None):
            _lib.gt_graph_destroy(self._handle)

    def capture_begin(self, dry_run: bool = False) -> None:
        self.reset()
        _call('gt_capture_begin')

    def capture_end(self) -> None:
        _call('gt_capture_end', ctypes.byref(self._handle))

    def replay(self, asynchronous: bool = False) -> None:
        if not self._handle:
            raise RuntimeError('hpu: nothing has been captured')
        _call('gt_graph_launch', self._handle)

    def mark_user_inputs(self, inputs: list) -> None:
        self._inputs = list(inputs)

    def mark_user_outputs(self, outputs: list) -> None:
        self._outputs = list(outputs)

    def replayV2(self, inputs: list, asynchronous: bool = False) -> list:  # noqa: N802
        """With other inputs than those marked; returns the marked outputs."""
        for mine, theirs in zip(self._inputs, inputs):
            mine.copy_(theirs)
        self.replay(asynchronous)
        return self._outputs

    replayV3 = replayV2                                 # noqa: N815 - the vendor's name

    def clear_inputs(self) -> None:
        self._inputs = []

    def reset(self) -> None:
        if self._handle:
            _lib.gt_graph_destroy(self._handle)
            self._handle = ctypes.c_void_p()


class graph:                                            # noqa: N801 - as torch.cuda has it
    """A context: what is done within is captured."""

    def __init__(self, hpu_graph: HPUGraph, stream: Any = None, dry_run: bool = False) -> None:
        self.graph = hpu_graph
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.__enter__()
        try:
            self.graph.capture_begin()
        except BaseException:
            self._leave()
            raise

    def __exit__(self, kind: Any, *exc: Any) -> None:
        try:
            if kind is None:
                self.graph.capture_end()
            else:
                _lib.gt_capture_drop()
        finally:
            self._leave()

    def _leave(self) -> None:
        if self.stream is not None:
            self.stream.__exit__(None, None, None)


def input_hash(value: Any) -> Any:
    """What a captured graph depends on: nesting, shapes and views, other values."""
    if isinstance(value, torch.Tensor):
        return ('tensor', value.dtype, tuple(value.shape), value.stride(), value.device.type)
    if isinstance(value, dict):
        return tuple((k, input_hash(v)) for k, v in sorted(value.items(), key=str))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *(input_hash(v) for v in value))
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def _tensors(value: Any) -> list:
    return [t for t in tree_flatten(value)[0] if isinstance(t, torch.Tensor)]


# What a call may have beside tensors: the same of it is the same call.
CONSTANTS = (type(None), bool, int, float, complex, str, bytes, range, slice, enum.Enum,
             torch.dtype, torch.device, torch.layout, torch.memory_format)


def is_capturable(value: Any) -> bool:
    """Whether replays see what is in the tensors: of those of the CPU, and within objects that
    pytrees do not know, they have the values of the capture."""
    return all(t.device.type == 'hpu' if isinstance(t, torch.Tensor) else
               isinstance(t, CONSTANTS) for t in tree_flatten(value)[0])


@torch.no_grad()
def copy_to(to: Any, source: Any) -> None:
    """Tensors of one nest into those of another one, of which some may be the same ones."""
    pairs = [(mine, theirs) for mine, theirs in zip(_tensors(to), _tensors(source))
             if mine.data_ptr() != theirs.data_ptr()]
    written = {mine.data_ptr() for mine, _ in pairs}
    pairs = [(mine, theirs.clone() if theirs.data_ptr() in written else theirs)
             for mine, theirs in pairs]
    for mine, theirs in pairs:
        mine.copy_(theirs)


class CachedParams:
    """One captured call: its inputs, its outputs and its graph. @changed says of each tensor of
    the inputs whether the call writes to it."""

    def __init__(self, inputs: Any, outputs: Any, hpu_graph: HPUGraph,
                 changed: Sequence[bool] = ()) -> None:
        self.graph_inputs, self.graph_outputs, self.graph = inputs, outputs, hpu_graph
        self.changed = changed

    def replay(self, inputs: Any, asynchronous: bool = False) -> Any:
        copy_to(self.graph_inputs, inputs)
        self.graph.replay(asynchronous)
        if any(self.changed):
            copy_to(*([t for t, changed in zip(_tensors(nest), self.changed) if changed]
                      for nest in (inputs, self.graph_inputs)))
        return self.graph_outputs


def _capture(function: Any, args: tuple, kwargs: dict) -> CachedParams:
    """Of a call that has been made already: recipes are built, constants are there."""
    with torch.inference_mode(False), torch.no_grad():  # else they are for inference_mode() only
        inputs = tree_map(lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v,
                          [list(args), kwargs])
    versions = [t._version for t in _tensors(inputs)]
    made = HPUGraph()
    with graph(made):
        outputs = function(*inputs[0], **inputs[1])
    changed = [t._version != before for t, before in zip(_tensors(inputs), versions)]
    return CachedParams(inputs, outputs, made, changed)


def wrap_in_hpu_graph(module: torch.nn.Module, asynchronous: bool = False,
                      disable_tensor_cache: bool = False, dry_run: bool = False,
                      max_graphs: Optional[int] = None) -> torch.nn.Module:
    """The module with a forward() that is captured for each kind of input when that comes first,
    and replayed from then on; inputs that it writes to are written each time. With gradients
    enabled, or with tensors of the CPU, it runs as it is."""
    plain, cache = module.forward, {}

    @functools.wraps(plain)
    def forward(*args: Any, **kwargs: Any) -> Any:
        bypass = kwargs.pop('bypass_hpu_graphs', False)
        kwargs.pop('warmup_mode', None)
        kwargs.pop('cache_tensors_list', None)
        if bypass or torch.is_grad_enabled() or module.training or \
                not is_capturable([args, kwargs]):
            return plain(*args, **kwargs)
        key = input_hash([args, kwargs]), autocast.state()
        if key not in cache:
            result = plain(*args, **kwargs)
            if max_graphs is None or len(cache) < max_graphs:
                cache[key] = _capture(plain, args, kwargs)
            return result
        return cache[key].replay([list(args), kwargs], asynchronous)

    module.forward = forward
    module.clear_cache = cache.clear
    module.clear_inputs = lambda: None
    return module
