# SPDX-License-Identifier: MIT
"""Mixed precision: torch.autocast('hpu'), and the vendor's older hmp. Functions are taken by
their names, as they are called from Python."""

import contextlib
import functools
import os
from types import FunctionType
from typing import Any, Callable, Dict, Iterator, Optional, Set, Tuple

import torch
import torch.utils.checkpoint
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

PRODUCTS = {'addmm', 'addbmm', 'addmv', 'baddbmm', 'bilinear', 'bmm', 'chain_matmul', 'conv1d',
            'conv2d', 'conv3d', 'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d',
            'dot', 'einsum', 'linear', 'matmul', 'mm', 'multi_dot', 'mv', 'tensordot'}
AUTOCAST_LOWER = PRODUCTS | {'scaled_dot_product_attention', 'softmax', 'log_softmax',
                             'layer_norm', 'batch_norm', 'dropout', 'mean', 'mul',
                             'gelu', 'relu', 'max_pool2d', 'avg_pool2d', 'embedding'}
AUTOCAST_FP32 = {'cross_entropy', 'cross_entropy_loss', 'nll_loss', 'mse_loss', 'l1_loss',
                 'smooth_l1_loss', 'binary_cross_entropy', 'binary_cross_entropy_with_logits',
                 'exp', 'log', 'pow', 'cumsum', 'norm', 'topk', 'sqrt', 'rsqrt'}
HMP_FP32 = {'batch_norm', 'cross_entropy', 'log_softmax', 'softmax', 'nll_loss', 'topk'}
# Of these all tensors have to be of one type, which casts of some would break: the widest.
ALIKE = {'addcdiv', 'addcmul', 'atan2', 'cdist', 'cross', 'grid_sample', 'gru', 'gru_cell',
         'index_add', 'index_copy', 'index_put', 'lerp', 'lstm', 'lstm_cell', 'masked_scatter',
         'rnn_relu', 'rnn_relu_cell', 'rnn_tanh', 'rnn_tanh_cell', 'scatter', 'scatter_add',
         'where'}
# The rest of their tensors is of float32 for inputs of either type, and written, too.
FIRST_ONLY = {'batch_norm', 'instance_norm'}
# What lists of files call in another way than PyTorch calls the function.
_CALLED = {'truediv': 'div', 'rtruediv': 'rdiv', 'iadd': 'add_', 'isub': 'sub_', 'imul': 'mul_',
           'itruediv': 'div_'}


def _name(func: Callable) -> str:
    """matmul of __matmul__, which is what `@` calls."""
    name = getattr(func, '__name__', '')
    return name[2:-2] if name.startswith('__') and name.endswith('__') else name


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type == 'hpu' and \
        value.is_floating_point() and value.dtype is not torch.float64


def _cast(value: Any, dtype: torch.dtype) -> Any:
    return value.to(dtype) if _is_float(value) and value.dtype is not dtype else value


def _widest(values: Any) -> Optional[torch.dtype]:
    """The type for all floating-point tensors of @values, or None if they are of one."""
    found: Set[torch.dtype] = set()
    tree_map(lambda v: found.add(v.dtype) if _is_float(v) else None, values)
    return torch.float32 if len(found) > 1 else None


def _cast_all(name: str, args: tuple, kwargs: dict, dtype: torch.dtype) -> tuple:
    """But what the function writes to, which a cast would be a copy of."""
    if kwargs.get('out') is not None:
        return args, kwargs
    if name.endswith('_') and args and isinstance(args[0], torch.Tensor):
        dtype = args[0].dtype
        if not _is_float(args[0]):
            return args, kwargs
    if name in FIRST_ONLY:
        return (*(_cast(v, dtype) for v in args[:1]), *args[1:]), \
            {k: _cast(v, dtype) if k == 'input' else v for k, v in kwargs.items()}
    return tree_map(lambda v: _cast(v, dtype), (args, kwargs))


class _Globals(dict):
    """A module's names as they are at the time, but that its functions do not ask whether there
    are modes."""

    def __init__(self, module: Dict[str, Any]) -> None:
        super().__init__((name, lambda *args: False) for name in module
                         if name.startswith('has_torch_function'))
        self['__builtins__'], self._module = module['__builtins__'], module

    def __missing__(self, name: str) -> Any:
        return self._module[name]


_bodies: Dict[Callable, Optional[Callable]] = {}
_modules: Dict[str, _Globals] = {}


def _body(func: Callable) -> Optional[Callable]:
    """@func for a mode that wants to see what it calls: PyTorch's functions that are written in
    Python ask the mode first, and when that calls them it is off, within them as well."""
    if func not in _bodies:
        made = None
        module = getattr(func, '__globals__', {})
        name = module.get('__name__')
        if isinstance(func, FunctionType) and name in ('torch.nn.functional', 'torch.functional'):
            if name not in _modules:
                _modules[name] = _Globals(module)
            made = FunctionType(func.__code__, _modules[name], func.__name__,
                                func.__defaults__, func.__closure__)
            made.__kwdefaults__ = func.__kwdefaults__
        _bodies[func] = made
    return _bodies[func]


class CastMode(TorchFunctionMode):
    """Arguments of functions in @lower become @dtype, those of functions in @full float32."""

    def __init__(self, dtype: torch.dtype, lower: Set[str], full: Set[str]) -> None:
        super().__init__()
        self.dtype, self.lower, self.full = dtype, lower, full
        self.enabled = True

    def __torch_function__(self, func: Callable, types: Any, args: Any = (),
                           kwargs: Optional[dict] = None) -> Any:
        kwargs = kwargs or {}
        if not (self.enabled and self is _innermost()):
            return func(*args, **kwargs)
        name, wanted = _name(func), None
        if name in self.lower:
            wanted = self.dtype
        elif name in self.full:
            wanted = torch.float32
        elif (name[:-1] if name.endswith('_') else name) in ALIKE:
            wanted = _widest((args, kwargs))
        if wanted is not None:
            args, kwargs = _cast_all(name, tuple(args), kwargs, wanted)
        body = _body(func)
        if body is None or not all(t in (torch.Tensor, torch.nn.Parameter) for t in types):
            return func(*args, **kwargs)
        with self:
            return body(*args, **kwargs)


_hmp: Optional[CastMode] = None
_switch: Optional[CastMode] = None
_active: list = []


def _innermost() -> Optional[CastMode]:
    """Whose word counts: a block's, before the program's."""
    if _active:
        return _active[-1]
    return _switch if _switch is not None and _switch.enabled else _hmp


def _names(path: str, default: Set[str]) -> Set[str]:
    if not path:
        return default
    with open(path, encoding='utf-8') as file:
        names = {line.strip() for line in file if line.strip()}
    return {_CALLED.get(name, name) for name in names}


def _autocast_names(which: str, default: Set[str]) -> Set[str]:
    """By a file of the environment, one name a line, which takes the place of the defaults."""
    for variable in (f'PT_HPU_AUTOCAST_{which}_OPS_LIST', which.split('_')[0] + '_LIST'):
        if os.environ.get(variable):
            return _names(os.environ[variable], default)
    return default


def _autocast_lists() -> Tuple[Set[str], Set[str]]:
    return (_autocast_names('LOWER_PRECISION', AUTOCAST_LOWER),
            _autocast_names('FP32', AUTOCAST_FP32))


def convert(opt_level: str = 'O1', bf16_file_path: str = '', fp32_file_path: str = '',
            isVerbose: bool = False) -> None:           # noqa: N803 - the vendor's names
    """From here on products run in bf16, and what loses by it in float32: by lists of files,
    one name a line, or the defaults. O2: products only."""
    global _hmp
    if opt_level not in ('O1', 'O2'):
        raise ValueError(f'opt_level is {opt_level!r}; it may be O1 or O2')
    full = set() if opt_level == 'O2' else _names(fp32_file_path, HMP_FP32)
    lower = PRODUCTS if opt_level == 'O2' else _names(bf16_file_path, PRODUCTS)
    if isVerbose:
        print(f'hmp: bf16: {" ".join(sorted(lower))}; fp32: {" ".join(sorted(full))}')
    if _hmp is None:
        _hmp = CastMode(torch.bfloat16, lower, full)
        _hmp.__enter__()
    _hmp.lower, _hmp.full, _hmp.enabled = lower, full, True


@contextlib.contextmanager
def disable_casts() -> Iterator[None]:
    """No casts within, as around an optimizer's step."""
    before = _hmp.enabled if _hmp else False
    if _hmp:
        _hmp.enabled = False
    try:
        yield
    finally:
        if _hmp:
            _hmp.enabled = before


_stock = torch.autocast
# PyTorch 2 has a state for each device, which torch.utils.checkpoint takes along.
_STOCK_KNOWS = hasattr(torch, 'get_autocast_dtype')


def state() -> Any:
    """What casts are on: to be compared."""
    mode = _innermost()
    return mode is not None and mode.enabled and (mode.dtype, frozenset(mode.lower),
                                                  frozenset(mode.full))


def set_autocast_hpu_enabled(enabled: bool) -> None:
    """For the whole program, but where a block says otherwise."""
    global _switch
    if _switch is None and enabled:
        _switch = CastMode(torch.bfloat16, *_autocast_lists())
        _switch.__enter__()
    if _switch is not None:
        _switch.enabled = enabled


def is_autocast_hpu_enabled() -> bool:
    mode = _active[-1] if _active else _switch
    return mode is not None and mode.enabled


def set_autocast_hpu_dtype(dtype: torch.dtype) -> None:
    if dtype is not torch.bfloat16:
        raise ValueError(f'hpu: autocast to {dtype}: this card has bfloat16 only')


def get_autocast_hpu_dtype() -> torch.dtype:
    return torch.bfloat16


class autocast(_stock):                                 # noqa: N801 - PyTorch's name
    """torch.autocast, which knows hpu as well."""

    def __init__(self, device_type: str, dtype: Optional[torch.dtype] = None,
                 enabled: bool = True, cache_enabled: Optional[bool] = None) -> None:
        self._hpu = device_type == 'hpu'
        if self._hpu:
            dtype = dtype or torch.bfloat16
            if enabled and dtype is not torch.bfloat16:
                raise ValueError(f'hpu: autocast to {dtype}: this card has bfloat16 only')
        if not self._hpu or _STOCK_KNOWS:
            super().__init__(device_type, dtype, enabled, cache_enabled)
        if not self._hpu:
            return
        self.device, self.fast_dtype, self._enabled = 'hpu', dtype, enabled
        self._lower, self._full = _autocast_lists()
        self._entered: list = []

    def __enter__(self) -> Any:
        if not self._hpu or _STOCK_KNOWS:
            super().__enter__()
        if not self._hpu:
            return self
        mode = CastMode(self.fast_dtype, self._lower, self._full)
        mode.enabled = self._enabled
        mode.__enter__()
        self._entered.append(mode)
        _active.append(mode)
        return self

    def __exit__(self, *exc: Any) -> Any:
        if not self._hpu:
            return super().__exit__(*exc)
        _active.pop()
        self._entered.pop().__exit__(*exc)
        return super().__exit__(*exc) if _STOCK_KNOWS else None


def _with_casts(function: Callable, is_on: bool) -> Callable:
    """@function with the casts of now, too, when it is called later in a backward pass: there the
    modes of who called it are off. @is_on: its first call is in the forward pass."""
    mode = _innermost()
    if mode is None or not mode.enabled:
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal is_on
        if is_on:
            is_on = False
            return function(*args, **kwargs)
        again = CastMode(mode.dtype, mode.lower, mode.full)
        _active.append(again)
        try:
            with again:
                return function(*args, **kwargs)
        finally:
            _active.remove(again)
    return call


def _patch_checkpoint() -> None:
    """torch.utils.checkpoint computes again what it has not kept: with the same casts. PyTorch 2
    sees to that for its own autocast, and computes only again by the function that it is given."""
    module = torch.utils.checkpoint
    forward = module.CheckpointFunction.forward
    module.CheckpointFunction.forward = staticmethod(       # type: ignore[method-assign]
        lambda ctx, function, *args: forward(ctx, _with_casts(function, True), *args))
    for name in ('_checkpoint_without_reentrant', '_checkpoint_without_reentrant_generator'):
        plain = getattr(module, name, None)
        if plain is not None:
            setattr(module, name, functools.wraps(plain)(
                lambda function, *args, _plain=plain, _is_on='generator' not in name, **kwargs:
                _plain(_with_casts(function, _is_on), *args, **kwargs)))


def patch() -> None:
    """PyTorch's own casts nothing on hpu: put this in its place."""
    _patch_checkpoint()
    torch.autocast = torch.amp.autocast_mode.autocast = torch.amp.autocast = autocast
