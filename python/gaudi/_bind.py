# SPDX-License-Identifier: MIT
"""Tensors of recipes and the memory that they are bound to."""

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Union

from ._handle import number, text
from ._native import BindingStruct
from ._span import Span
from .memory import DeviceMemory, owner
from .recipe import Kind, Tensor

if TYPE_CHECKING:
    from .device import Device

# A tensor's name, or its number in the recipe.
Key = Union[str, int]


def release(bound: Dict[int, Any]) -> None:
    for thing in bound.values():
        if isinstance(thing, Span):
            thing.release()
    bound.clear()


def bindings_of(tensors: Mapping[Key, Any], known: Mapping[Key, Tensor],
                device: 'Device', held: Dict[int, Any]) -> Any:
    """For C. What they refer to is added to @held, by number."""
    bindings = (BindingStruct * max(len(tensors), 1))()
    for binding, (key, memory) in zip(bindings, tensors.items()):
        tensor: Optional[Tensor] = None
        if isinstance(key, str):
            binding.name = text(key, 'the name of a tensor')
            tensor = known.get(key)
        else:
            binding.tensor = number(key, 'the number of a tensor', 0,
                                    0xffffffff)
            tensor = known.get(binding.tensor)
        where = tensor.number if tensor else -1 - len(held)
        if where in held:
            raise ValueError(f'tensor {key!r} is bound twice')
        if isinstance(memory, DeviceMemory):
            held[where] = memory
            binding.address = owner(memory, device)
            binding.bytes = memory.nbytes
        else:
            span = Span(memory, tensor is not None and
                        tensor.kind == Kind.OUTPUT)
            held[where] = span
            if not span.contiguous:
                raise ValueError(f'the memory for tensor {key!r} is not '
                                 'contiguous')
            binding.memory = span.address
            binding.bytes = span.nbytes
        if not binding.bytes:
            raise ValueError(f'there is no memory for tensor {key!r}')
    return bindings
