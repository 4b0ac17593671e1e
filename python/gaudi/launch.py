# SPDX-License-Identifier: MIT
"""Recipes on a card."""

import contextlib
import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Union

from . import errors
from ._handle import Closable, Handle, close_forgotten, number, text
from ._native import HANDLE, BindingStruct, lib
from ._span import Span
from .memory import DeviceMemory, owner
from .recipe import Kind, Recipe, Tensor
from .stream import Event, Stream

if TYPE_CHECKING:
    from .device import Device

# A tensor's name, or its number in the recipe.
Key = Union[str, int]


class Launcher(Closable):
    """A recipe made ready for one device. What its tensors are bound to can change
    with each launch, and nothing is compiled.

    Inputs and outputs are bound to device memory, or to pinned memory of the host
    if the recipe has them there: DeviceMemory, or anything with the buffer protocol
    that lies in memory of alloc_host() or pin().
    """

    handle: Handle

    def __init__(self, device: 'Device', recipe: Recipe) -> None:
        """Blocks until the recipe's constants are on the device."""
        close_forgotten()
        self._device = device
        # What is bound for all launches may not go meanwhile.
        self._bound: Dict[int, Any] = {}
        self._events: Dict[str, Event] = {}
        pointer = HANDLE()
        with device.handle as parent, recipe.handle as what:
            errors.check(lib.gaudi_launcher_create(parent, what,
                                                   ctypes.byref(pointer)))
        self.handle = Handle('launcher', pointer.value, device.handle)
        self._tensors: Dict[Key, Tensor] = {}
        for tensor in recipe.tensors:
            self._tensors[tensor.name] = self._tensors[tensor.number] = tensor

    @property
    def device(self) -> 'Device':
        return self._device

    def close(self) -> None:
        """Blocks until its launches have ended."""
        errors.check(self.handle.close(lib.gaudi_launcher_destroy))
        self._release(self._bound)
        for name in list(self._events):
            self._forget(name)

    @staticmethod
    def _release(bound: Dict[int, Any]) -> None:
        for thing in bound.values():
            if isinstance(thing, Span):
                thing.release()
        bound.clear()

    def _bindings(self, tensors: Mapping[Key, Any], held: Dict[int, Any]) \
            -> Any:
        """For C. What they refer to is added to @held, by number."""
        bindings = (BindingStruct * max(len(tensors), 1))()
        for binding, (key, memory) in zip(bindings, tensors.items()):
            tensor: Optional[Tensor] = None
            if isinstance(key, str):
                binding.name = text(key, 'the name of a tensor')
                tensor = self._tensors.get(key)
            else:
                binding.tensor = number(key, 'the number of a tensor', 0,
                                        0xffffffff)
                tensor = self._tensors.get(binding.tensor)
            where = tensor.number if tensor else -1 - len(held)
            if where in held:
                raise ValueError(f'tensor {key!r} is bound twice')
            if isinstance(memory, DeviceMemory):
                held[where] = memory
                binding.address = owner(memory, self._device)
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

    def bind(self, tensors: Mapping[Key, Any]) -> None:
        """For all launches from now on, tensors by name or number. All of them, or
        none."""
        held: Dict[int, Any] = {}
        try:
            bindings = self._bindings(tensors, held)
            with self.handle as pointer:
                errors.check(lib.gaudi_launcher_bind(pointer, bindings,
                                                     len(tensors)))
        except BaseException:
            self._release(held)
            raise
        for which, thing in held.items():
            old = self._bound.get(which)
            self._bound[which] = thing
            if isinstance(old, Span):
                old.release()

    def bind_event(self, name: str, event: Optional[Event]) -> None:
        """The event is recorded by each launch from now on: when the recipe's nodes
        have signalled @name for the last time. None: no longer."""
        with contextlib.ExitStack() as stack:
            pointer = stack.enter_context(self.handle)
            what = stack.enter_context(event.handle) if event else None
            errors.check(lib.gaudi_launcher_bind_event(
                pointer, text(name, 'name'), what))
        self._forget(name)
        if event:
            self._events[name] = event
            event.bound.append((weakref.ref(self), name))

    def _forget(self, name: str) -> None:
        event = self._events.pop(name, None)
        if event:
            event.bound[:] = [one for one in event.bound
                              if one[0]() is not self or one[1] != name]

    def launch(self, stream: Stream,
               tensors: Optional[Mapping[Key, Any]] = None) -> None:
        """Run the recipe once, as one piece of work of the stream; with some
        tensors bound otherwise, for this launch only."""
        held: Dict[int, Any] = {}
        try:
            bindings = self._bindings(tensors or {}, held)
            with self.handle as pointer, stream.handle as where:
                errors.check(lib.gaudi_launch(pointer, bindings,
                                              len(tensors or {}), where))
        finally:
            # Whoever frees it waits for the launch.
            self._release(held)
