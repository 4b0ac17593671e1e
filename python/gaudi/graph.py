# SPDX-License-Identifier: MIT
"""Work of streams, captured once and launched as often as wanted."""

import ctypes
import enum
from types import TracebackType
from typing import (TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple,
                    Optional, Tuple, Type, Union)

from . import errors
from ._bind import Key, bindings_of, release
from ._handle import Closable, Handle, number
from ._native import (HANDLE, GraphNodeStruct, LinkOpStruct, RecipeInfoStruct,
                      lib)
from ._span import Span
from .memory import DeviceMemory, owner
from .recipe import Tensor, tensor_of

if TYPE_CHECKING:
    from .device import Device
    from .stream import Stream


# As in gaudi_link.h.
_NOTIFY = 1


class NodeKind(enum.IntEnum):
    """What a node of a graph does."""

    COPY_TO_DEVICE = 1
    COPY_TO_HOST = 2
    COPY_DEVICE = 3
    FILL = 4
    LAUNCH = 5
    LINK = 6
    HOST_FN = 7


class Node(NamedTuple):
    """A node of a graph: rows, of which a plain copy or fill has one; or a recipe's
    launch, work of links, or a host function, of which there is only the kind."""

    kind: NodeKind
    to: int             # addresses: of the device, or of the host
    source: int         # 0: a fill
    to_pitch: int
    from_pitch: int
    width: int          # bytes
    height: int
    pattern: int        # of a fill: 64 bits, repeated


class LinkOp(NamedTuple):
    """A write of a node of links; or a wait, which has a count and no addresses."""

    to: int             # an address of the peer's device
    source: int
    nbytes: int
    notify: bool
    # It hides tuple.count().
    count: int          # type: ignore[assignment]


class Used(NamedTuple):
    """Memory that captured work has used."""

    thing: Any
    low: int
    high: int
    host: bool


def _used(side: Union[DeviceMemory, Span]) -> Used:
    if isinstance(side, DeviceMemory):
        return Used(side, side.address, side.address + side.nbytes, False)
    return Used(side.thing, *side.extent, True)


class Graph(Closable):
    """What a capture has collected; from Stream.capture(). It keeps the memory
    that its nodes work with."""

    handle: Handle

    def __init__(self, device: 'Device', pointer: int,
                 used: List[Used]) -> None:
        self._device = device
        self.handle = Handle('graph', pointer, device.handle)
        # By node: what is at its ends.
        self._kept: Dict[Tuple[int, str], Any] = {}
        # Launches and work of links have more of them, and links.
        self._launched: List[Any] = []
        for i, node in enumerate(self.nodes):
            if node.kind in (NodeKind.LAUNCH, NodeKind.LINK):
                self._launched = [one.thing for one in used]
            for end, at in (('to', node.to), ('source', node.source)):
                for one in reversed(used):
                    if one.host == _on_host(node.kind, end) and \
                            one.low <= at < one.high:
                        self._kept[i, end] = one.thing
                        break

    @property
    def device(self) -> 'Device':
        return self._device

    def close(self) -> None:
        """Blocks until its launches have ended."""
        errors.check(self.handle.close(lib.gaudi_graph_destroy))
        self._kept.clear()
        self._launched.clear()

    def launch(self, stream: 'Stream') -> None:
        """Do it all, as one piece of work of any stream of the device. If the stream is
        captured, its nodes become a part of what is."""
        with self.handle as pointer, stream.handle as where:
            errors.check(lib.gaudi_graph_launch(pointer, where))
        if self._device.captures:
            for captured in self._device.captures:
                captured += self._memory()

    def _memory(self) -> List[Used]:
        nodes = self.nodes
        used = [Used(thing, 0, 0, True) for thing in self._launched]
        for (i, end), thing in self._kept.items():
            node = nodes[i]
            at = node.to if end == 'to' else node.source
            used.append(Used(thing, at, at + 1, _on_host(node.kind, end)))
        return used

    @property
    def nodes(self) -> List[Node]:
        """In the order in which they were captured."""
        found = ctypes.c_uint32()
        with self.handle as pointer:
            errors.check(lib.gaudi_graph_get_node_count(pointer,
                                                        ctypes.byref(found)))
            return [_node(self._get(i)) for i in range(found.value)]

    def _get(self, which: int) -> GraphNodeStruct:
        node = GraphNodeStruct()
        with self.handle as pointer:
            errors.check(lib.gaudi_graph_get_node(pointer, which,
                                                  ctypes.byref(node)))
        return node

    def set_node(self, which: int, to: Any = None, source: Any = None) -> None:
        """Other memory for a node, for all launches from now on: of the device, or
        pinned memory; None leaves it as it is. Sizes and pitches stay."""
        node = self._get(number(which, 'which', 0, 0xffffffff))
        if node.kind == NodeKind.LAUNCH:
            raise ValueError(f'node {which} is a launch: see bind()')
        if node.kind == NodeKind.LINK:
            raise ValueError(f'node {which} is work of links: see set_write()')
        if node.kind == NodeKind.HOST_FN:
            raise ValueError(f'node {which} is a host function')
        new: Dict[Tuple[int, str], Any] = {}
        for end, memory in (('to', to), ('source', source)):
            if memory is None:
                continue
            field = 'to' if end == 'to' else 'from_'
            if node.kind == NodeKind.FILL and end == 'source':
                raise ValueError(f'node {which} is a fill, and has no source')
            pitch = node.to_pitch if end == 'to' else node.from_pitch
            need = (node.height - 1) * pitch + node.width
            on_host = _on_host(node.kind, end)
            where, have = _where(memory, self._device, on_host,
                                 f'node {which}', end == 'to')
            if have < need:
                raise ValueError(f'node {which} needs {need} bytes, not {have}')
            setattr(node, field + ('_memory' if end == 'to' else 'memory')
                    if on_host else field, where)
            new[which, end] = memory
        with self.handle as pointer:
            errors.check(lib.gaudi_graph_set_node(pointer, which,
                                                  ctypes.byref(node)))
        self._kept.update(new)

    def bind(self, which: int, tensors: Mapping[Key, Any]) -> None:
        """Other memory for tensors of a launch, by name or number, for all launches
        of the graph from now on. All of them, or none."""
        node = self._get(number(which, 'which', 0, 0xffffffff))
        if node.kind != NodeKind.LAUNCH:
            raise ValueError(f'node {which} is no launch: see set_node()')
        held: Dict[int, Any] = {}
        try:
            with self.handle as pointer:
                bindings = bindings_of(tensors, _tensors(node.recipe),
                                       self._device, held)
                errors.check(lib.gaudi_graph_bind(pointer, which, bindings,
                                                  len(tensors)))
            self._launched += [thing.thing if isinstance(thing, Span) else thing
                               for thing in held.values()]
        finally:
            release(held)

    def _link_op(self, which: int, i: int) -> LinkOpStruct:
        op = LinkOpStruct()
        with self.handle as pointer:
            errors.check(lib.gaudi_graph_get_link_op(
                pointer, number(which, 'which', 0, 0xffffffff),
                number(i, 'i', 0, 0xffffffff), ctypes.byref(op)))
        return op

    def link_ops(self, which: int) -> List[LinkOp]:
        """Writes and waits of a node of links."""
        node = self._get(number(which, 'which', 0, 0xffffffff))
        ops = [self._link_op(which, i) for i in range(node.num_ops)]
        return [LinkOp(op.to, op.from_, op.bytes, bool(op.flags & _NOTIFY),
                       op.count)
                for op in ops]

    def set_write(self, which: int, i: int, to: Optional[int] = None,
                  source: Optional[DeviceMemory] = None) -> None:
        """Another address of the peer's, or other memory with its size, for write i of
        a node of links, for all launches from now on."""
        op = self._link_op(which, i)
        if to is not None:
            op.to = number(to, 'to')
        if source is not None:
            op.from_ = owner(source, self._device)
            op.bytes = source.nbytes
        with self.handle as pointer:
            errors.check(lib.gaudi_graph_set_link_op(pointer, which, i,
                                                     ctypes.byref(op)))
        if source is not None:
            self._launched.append(source)

    def replace(self, old: Any, new: Any) -> None:
        """What nodes have in one piece of memory they have in another one, of the
        same size, from now on: both of the device, or both pinned."""
        host = not isinstance(old, DeviceMemory)
        low, size = _where(old, self._device, host, 'the old memory', False)
        to, have = _where(new, self._device, host, 'the new memory', False)
        if size != have:
            raise ValueError(f'{have} bytes in place of {size}')
        before = self.nodes
        with self.handle as pointer:
            if host:
                errors.check(lib.gaudi_graph_replace_host(pointer, low, to,
                                                          size))
            else:
                errors.check(lib.gaudi_graph_replace(pointer, low, to, size))
        for i, node in enumerate(before):
            for end, at in (('to', node.to), ('source', node.source)):
                if _on_host(node.kind, end) == host and low <= at < low + size:
                    self._kept[i, end] = new
        if self._launched:
            self._launched.append(new)


def _on_host(kind: int, end: str) -> bool:
    return kind == (NodeKind.COPY_TO_HOST if end == 'to' else
                    NodeKind.COPY_TO_DEVICE)


def _tensors(recipe: int) -> Dict[Key, Tensor]:
    info = RecipeInfoStruct()
    errors.check(lib.gaudi_recipe_get_info(recipe, ctypes.byref(info)))
    known: Dict[Key, Tensor] = {}
    for i in range(info.num_tensors):
        tensor = tensor_of(recipe, i)
        known[i] = known[tensor.name] = tensor
    return known


def _node(node: GraphNodeStruct) -> Node:
    return Node(NodeKind(node.kind), node.to or node.to_memory or 0,
                node.from_ or node.from_memory or 0, node.to_pitch,
                node.from_pitch, node.width, node.height, node.pattern)


def _where(memory: Any, device: 'Device', host: bool, what: str,
           writable: bool) -> Tuple[int, int]:
    """(address, bytes) of memory that must be on one side."""
    if isinstance(memory, DeviceMemory):
        if host:
            raise ValueError(f'{what} is on the host')
        return owner(memory, device), memory.nbytes
    if not host:
        raise ValueError(f'{what} is on the device')
    with Span(memory, writable) as span:
        if not span.contiguous:
            raise ValueError(f'{what}: memory must be contiguous')
        return span.address, span.nbytes


class Capture:
    """Of a stream, by "with stream.capture() as capture"; afterwards the graph is
    capture.graph. An exception in between ends it without one."""

    def __init__(self, stream: 'Stream') -> None:
        self._stream = stream
        self._graph: Optional[Graph] = None
        self._used: List[Used] = []

    @property
    def graph(self) -> Graph:
        if self._graph is None:
            raise ValueError('nothing was captured yet')
        return self._graph

    def __enter__(self) -> 'Capture':
        with self._stream.handle as pointer:
            errors.check(lib.gaudi_stream_begin_capture(pointer))
        self._stream.device.captures.append(self._used)
        return self

    def _end(self) -> Tuple[int, Optional[int]]:
        graph = HANDLE()
        with self._stream.handle as pointer:
            code = lib.gaudi_stream_end_capture(pointer, ctypes.byref(graph))
        return code, graph.value

    def __exit__(self, kind: Optional[Type[BaseException]],
                 value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        captures = self._stream.device.captures
        captures[:] = [used for used in captures if used is not self._used]
        try:
            code, pointer = self._end()
        except ValueError:
            # The stream was closed meanwhile, which ended it.
            if kind is None:
                raise
            return
        if code < 0:
            if kind is None:
                errors.check(code)
            return
        assert pointer is not None
        graph = Graph(self._stream.device, pointer, self._used)
        if kind is None:
            self._graph = graph
        else:
            graph.close()


def keep(device: 'Device', *things: Any) -> None:
    """Captures under way have this, whatever it is."""
    for capture in device.captures:
        capture += [Used(thing, 0, 0, True) for thing in things]


def note(device: 'Device', *sides: Union[DeviceMemory, Span]) -> None:
    """Captures under way hear of memory that work has used."""
    if device.captures:
        for side in sides:
            used = _used(side)
            for capture in device.captures:
                capture.append(used)
