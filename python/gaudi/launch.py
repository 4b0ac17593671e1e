# SPDX-License-Identifier: MIT
"""Recipes on a card."""

import contextlib
import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from . import errors
from ._bind import Key, bindings_of, release
from ._handle import Closable, Handle, close_forgotten, number, text
from ._native import HANDLE, lib
from ._span import Span
from .graph import note
from .recipe import Recipe, Tensor
from .stream import Event, Stream

if TYPE_CHECKING:
    from .device import Device
    from .link import Link


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
        self._links: Dict[str, Optional['Link']] = {}
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
        release(self._bound)
        for name in list(self._events):
            self._forget(name)

    def _bindings(self, tensors: Mapping[Key, Any], held: Dict[int, Any]) \
            -> Any:
        return bindings_of(tensors, self._tensors, self._device, held)

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
            release(held)
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

    def bind_link(self, name: str, link: Optional['Link'], to: int = 0) -> None:
        """What the recipe calls name is this link, and its writes go to what begins
        at this address of the peer's. None: no link any more. It must not be closed
        before."""
        with contextlib.ExitStack() as stack:
            pointer = stack.enter_context(self.handle)
            what = stack.enter_context(link.handle) if link else None
            errors.check(lib.gaudi_launcher_bind_link(
                pointer, text(name, 'name'), what, number(to, 'to')))
        self._links[name] = link

    def _forget(self, name: str) -> None:
        event = self._events.pop(name, None)
        if event:
            event.bound[:] = [one for one in event.bound
                              if one[0]() is not self or one[1] != name]

    def launch(self, stream: Stream,
               tensors: Optional[Mapping[Key, Any]] = None) -> None:
        """Run the recipe once, as one piece of work of the stream; with some
        tensors bound otherwise, for this launch only. On a stream that is captured
        it becomes a node of the graph."""
        held: Dict[int, Any] = {}
        try:
            bindings = self._bindings(tensors or {}, held)
            with self.handle as pointer, stream.handle as where:
                errors.check(lib.gaudi_launch(pointer, bindings,
                                              len(tensors or {}), where))
            note(self._device, *{**self._bound, **held}.values())
        finally:
            # Whoever frees it waits for the launch.
            release(held)
