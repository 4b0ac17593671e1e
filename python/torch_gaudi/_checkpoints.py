# SPDX-License-Identifier: MIT
"""torch.save() and torch.load() of the card's tensors, in PyTorch's own format: bytes as the CPU
has them, and the device's name. PyTorch 2 knows how, PyTorch 1.13 does not."""

import collections
import functools
import threading
from typing import Any, Callable

import torch
from torch._namedtensor_internals import check_serializing_named_tensor

_now = threading.local()


def _knows_hpu() -> bool:
    return hasattr(torch.serialization, 'validate_hpu_device')


def _within(name: str, value: Callable[[], Any], function: Callable) -> Callable:
    """@function, in which _now has @name."""
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        before = getattr(_now, name, None)
        setattr(_now, name, value())
        try:
            return function(*args, **kwargs)
        finally:
            setattr(_now, name, before)
    return call


def _flat(t: torch.Tensor) -> torch.Tensor:
    """All elements of its storage."""
    whole = t.detach()
    return whole.as_strided((t.storage().nbytes() // t.element_size(),), (1,), 0)


def _host_storage(t: torch.Tensor) -> Any:
    """A storage of the CPU that is marked as the card's; of tensors that share one, the same
    within a torch.save()."""
    saved = getattr(_now, 'saved', None)
    key = (t.storage().data_ptr(), t.dtype)
    if saved is not None and key in saved:
        return saved[key][0]
    storage = _flat(t).cpu().storage()
    storage._storage.is_of_hpu = True
    if saved is not None and key[0]:
        saved[key] = storage, t                         # which keeps the address its own
    return storage


def _reduce(plain: Callable) -> Callable:
    @functools.wraps(plain)
    def reduce(self: torch.Tensor, proto: int) -> Any:
        if self.device.type != 'hpu':
            return plain(self, proto)
        check_serializing_named_tensor(self)
        torch.utils.hooks.warn_if_has_hooks(self)
        return torch._utils._rebuild_tensor_v2, (
            _host_storage(self), self.storage_offset(), tuple(self.size()), self.stride(),
            self.requires_grad, collections.OrderedDict())
    return reduce


def _rebuild(plain: Callable) -> Callable:
    """A tensor on what torch.load() says is the card's: all of a storage goes there once."""
    @functools.wraps(plain)
    def rebuild(storage: Any, offset: int, size: Any, stride: Any) -> torch.Tensor:
        host = storage._storage
        if not getattr(host, 'is_of_hpu', False):
            return plain(storage, offset, size, stride)
        if not hasattr(host, 'on_hpu'):
            host.on_hpu = {}
        if storage.dtype not in host.on_hpu:
            count = host.nbytes() // storage.element_size()
            flat = plain(storage, 0, (count,), (1,))
            # The old format has the elements behind all that are to be rebuilt.
            host.on_hpu[storage.dtype] = torch.empty_like(flat, device='hpu') \
                if getattr(_now, 'in_old_format', False) else flat.to('hpu')
        return host.on_hpu[storage.dtype].as_strided(size, stride, offset)
    return rebuild


def _read(plain: Callable) -> Callable:
    @functools.wraps(plain)
    def read(self: Any, *args: Any) -> Any:
        result = plain(self, *args)
        for dtype, there in getattr(self, 'on_hpu', {}).items():
            there.copy_(torch.empty(0, dtype=dtype).set_(self, 0, there.size(), (1,)))
        return result
    return read


def _tag(storage: Any) -> Any:
    return 'hpu:0' if getattr(storage, 'is_of_hpu', False) else None


def _restore(storage: Any, location: str) -> Any:
    """It stays with the CPU; tensors of it are rebuilt on the card."""
    if not location.startswith('hpu'):
        return None
    torch.empty(0, device=location)                     # is there such a card?
    storage.is_of_hpu = True
    return storage


def _clear(storage: Any, location: str) -> Any:
    """PyTorch 2 moves storages of the old format before it reads them: what memory happens to
    hold may be numbers that do not fit on the card."""
    if location.startswith('hpu') and getattr(_now, 'in_old_format', False):
        torch.empty(0, dtype=torch.uint8).set_(storage).zero_()
    return None


def patch() -> None:
    serialization = torch.serialization
    serialization._legacy_load = _within('in_old_format', lambda: True,
                                         serialization._legacy_load)
    if _knows_hpu():
        serialization.register_package(5, lambda storage: None, _clear)
        return
    serialization.register_package(5, _tag, _restore)
    torch.save = serialization.save = _within('saved', dict, serialization.save)
    torch.Tensor._reduce_ex_internal = _reduce(torch.Tensor._reduce_ex_internal)
    torch._utils._rebuild_tensor = _rebuild(torch._utils._rebuild_tensor)
    torch.UntypedStorage._set_from_file = _read(torch.UntypedStorage._set_from_file)
