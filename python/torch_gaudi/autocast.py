# SPDX-License-Identifier: MIT
"""Mixed precision: torch.autocast('hpu'), and the vendor's older hmp. Functions are taken by
their names, as they are called from Python."""

import contextlib
from typing import Any, Callable, Iterator, Optional, Set

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

PRODUCTS = {'addmm', 'addbmm', 'baddbmm', 'bmm', 'conv1d', 'conv2d', 'conv3d',
            'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d', 'dot', 'linear',
            'matmul', '__matmul__', 'mm', 'mv'}
AUTOCAST_LOWER = PRODUCTS | {'scaled_dot_product_attention', 'softmax', 'log_softmax',
                             'layer_norm', 'batch_norm', 'dropout', 'mean', 'mul', '__mul__',
                             'gelu', 'relu', 'max_pool2d', 'avg_pool2d', 'embedding'}
AUTOCAST_FP32 = {'cross_entropy', 'nll_loss', 'mse_loss', 'l1_loss', 'smooth_l1_loss',
                 'binary_cross_entropy', 'binary_cross_entropy_with_logits', 'exp', 'log',
                 'pow', '__pow__', 'cumsum', 'norm', 'topk', 'sqrt', 'rsqrt'}
HMP_FP32 = {'batch_norm', 'cross_entropy', 'log_softmax', 'softmax', 'nll_loss', 'topk'}


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor) and value.device.type == 'hpu' and \
            value.is_floating_point() and value.dtype is not dtype and \
            value.dtype is not torch.float64:
        return value.to(dtype)
    return value


class CastMode(TorchFunctionMode):
    """Arguments of functions in @lower become @dtype, those of functions in @full float32."""

    def __init__(self, dtype: torch.dtype, lower: Set[str], full: Set[str]) -> None:
        super().__init__()
        self.dtype, self.lower, self.full = dtype, lower, full
        self.enabled = True

    def __torch_function__(self, func: Callable, types: Any, args: Any = (),
                           kwargs: Optional[dict] = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, '__name__', '')
        wanted = self.dtype if name in self.lower else \
            torch.float32 if name in self.full else None
        if wanted is not None and self.enabled and self is _innermost():
            args, kwargs = tree_map(lambda v: _cast(v, wanted), (tuple(args), kwargs))
        return func(*args, **kwargs)


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
        return {line.strip() for line in file if line.strip()}


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
        _switch = CastMode(torch.bfloat16, AUTOCAST_LOWER, AUTOCAST_FP32)
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
        self._lower, self._full = AUTOCAST_LOWER, AUTOCAST_FP32
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


def patch() -> None:
    """PyTorch's own casts nothing on hpu: put this in its place."""
    torch.autocast = torch.amp.autocast_mode.autocast = torch.amp.autocast = autocast
