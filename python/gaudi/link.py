# SPDX-License-Identifier: MIT
"""Links to other cards: ports, queue pairs, writes and notifications."""

import ctypes
import enum
import ipaddress
from typing import (TYPE_CHECKING, Dict, Iterable, NamedTuple, Optional,
                    Union)

from . import errors
from ._handle import Closable, Handle, close_forgotten, number, text
from ._native import (HANDLE, LinkAddressStruct, LinkInfoStruct, LinkOpStruct,
                      LinkParamsStruct, PortInfoStruct, PortParamsStruct, lib)
from .graph import keep
from .memory import DeviceMemory, owner

if TYPE_CHECKING:
    from .device import Device
    from .stream import Stream

# As in gaudi_link.h.
WRITE, WAIT, WRITE_STRIDED = 1, 2, 3
NOTIFY, STRIDE_FROM, STRIDE_TO = 1, 2, 4
MAX_AHEAD = 8192

_U32 = 0xffffffff


class PortFlags(enum.IntFlag):
    """How a port is."""

    ENABLED = 1 << 0    # the driver has it on
    UP = 1 << 1         # and so is the other end
    EXTERNAL = 1 << 2   # leads out of the box
    PEER = 1 << 3       # what is at the other end is known


class PortInfo(NamedTuple):
    """What there is to know of a port; counters since the card's last reset."""

    port: int
    flags: PortFlags
    mac: str
    ip: ipaddress.IPv4Address   # of its links, if they do not say otherwise
    speed_mbps: int
    peer_module: Optional[int]  # what it is cabled to, None: it is not known
    peer_port: Optional[int]
    links: int                  # of this device
    max_links: int              # 0: not opened yet
    link_changes: int           # how often it went up or down
    errors: int                 # of queue pairs
    tx_packets: int
    tx_bytes: int               # of data
    rx_packets: int
    rx_bytes: int
    retries: int                # packets were sent again
    out_of_order: int
    duplicates: int
    dropped: int
    timeout_retries: int        # as it was opened with; 0: not opened yet


class LinkState(enum.IntEnum):
    """How a link is."""

    NEW = 0
    CONNECTED = 1
    FAILED = 2          # or aborted


class LinkInfo(NamedTuple):
    """What a link is, and has been given."""

    port: int
    conn_id: int
    state: LinkState
    syndrome: int       # what the card said when it failed
    writes: int
    bytes: int
    notified: int       # notifications for the peer
    waited: int         # and of the peer, waits for
    under_way: int      # pieces of work


class Link(Closable):
    """A queue pair on a port. Both sides make one, tell each other its address,
    and connect, before either is given work."""

    handle: Handle

    def __init__(self, device: 'Device', port: int, ip: int = 0,
                 priority: int = 0, timeout_log2: int = 0) -> None:
        close_forgotten()
        self._device = device
        params = LinkParamsStruct()
        params.port = number(port, 'port', 0, _U32)
        params.ip = number(int(ip), 'ip', 0, _U32)
        params.priority = number(priority, 'priority', 0, _U32)
        params.timeout_log2 = number(timeout_log2, 'timeout_log2', 0, _U32)
        pointer = HANDLE()
        with device.handle as parent:
            errors.check(lib.gaudi_link_create(parent, ctypes.byref(params),
                                               ctypes.byref(pointer)))
        self.handle = Handle('link', pointer.value, device.handle)

    @property
    def device(self) -> 'Device':
        return self._device

    @property
    def address(self) -> bytes:
        """What the other side has to know: 64 bytes, to be sent as they are."""
        found = LinkAddressStruct()
        with self.handle as pointer:
            errors.check(lib.gaudi_link_get_address(pointer,
                                                    ctypes.byref(found)))
        return bytes(found)

    def connect(self, peer: bytes) -> None:
        """The other side's address. From now on it may write to all memory of
        this device."""
        data = bytes(peer)
        if len(data) != ctypes.sizeof(LinkAddressStruct):
            raise ValueError(f'an address has '
                             f'{ctypes.sizeof(LinkAddressStruct)} bytes, not '
                             f'{len(data)}')
        address = LinkAddressStruct.from_buffer_copy(data)
        with self.handle as pointer:
            errors.check(lib.gaudi_link_connect(pointer,
                                                ctypes.byref(address)))

    @property
    def info(self) -> LinkInfo:
        found = LinkInfoStruct()
        with self.handle as pointer:
            errors.check(lib.gaudi_link_get_info(pointer, ctypes.byref(found)))
        return LinkInfo(found.port, found.conn_id, LinkState(found.state),
                        found.syndrome, found.writes, found.bytes,
                        found.notified, found.waited, found.under_way)

    def abort(self, why: str = 'aborted by the program') -> None:
        """It has failed, whatever it is doing: for a peer that is gone. why
        is for whoever is told so."""
        with self.handle as pointer:
            errors.check(lib.gaudi_link_abort_because(pointer, text(why, 'why')))

    def close(self) -> None:
        """Blocks until its work has ended, or failed. The peer cannot write to
        this side any more."""
        errors.check(self.handle.close(lib.gaudi_link_destroy))


class Write(NamedTuple):
    """A write to the peer's memory, as work of a stream."""

    link: Link
    to: int                     # an address of the peer's device
    source: Optional[DeviceMemory] = None   # None: nothing but to notify
    notify: bool = False        # the peer is told when the data are there


class WriteRows(NamedTuple):
    """A write of rows that are @stride bytes apart in @source, or, with @apart_there,
    at the peer's. On the other side they lie one behind the other."""

    link: Link
    to: int                     # an address of the peer's device
    source: DeviceMemory
    row_bytes: int
    rows: int
    stride: int
    apart_there: bool = False
    notify: bool = False


class Wait(NamedTuple):
    """A wait for notifications of the peer's, as work of a stream."""

    link: Link
    # It hides tuple.count().
    count: int = 1      # type: ignore[assignment]


LinkWork = Union[Write, WriteRows, Wait]


def _fill_rows(op: LinkOpStruct, work: WriteRows, device: 'Device') -> None:
    op.kind = WRITE_STRIDED
    op.flags = (STRIDE_TO if work.apart_there else STRIDE_FROM) | \
        (NOTIFY if work.notify else 0)
    op.to = number(work.to, 'to', 0, (1 << 64) - 1)
    op.from_ = owner(work.source, device)
    op.bytes = number(work.row_bytes, 'row_bytes')
    op.count = number(work.rows, 'rows', 1, _U32)
    op.stride = number(work.stride, 'stride', 0, _U32)
    step = op.bytes if work.apart_there else op.stride
    need = (op.count - 1) * step + op.bytes
    if need > work.source.nbytes:
        raise ValueError(f'{op.count} rows need {need} bytes, not '
                         f'{work.source.nbytes}')


def _fill(op: LinkOpStruct, work: LinkWork, device: 'Device',
          pointers: Dict[Link, int]) -> None:
    op.link = pointers[work.link]
    if isinstance(work, Wait):
        op.kind = WAIT
        op.count = number(work.count, 'count', 0, _U32)
        return
    if isinstance(work, WriteRows):
        _fill_rows(op, work, device)
        return
    op.kind = WRITE
    op.flags = NOTIFY if work.notify else 0
    if work.source is not None:
        op.to = number(work.to, 'to', 0, (1 << 64) - 1)
        op.from_ = owner(work.source, device)
        op.bytes = work.source.nbytes


def post(stream: 'Stream', work: Iterable[LinkWork]) -> None:
    """Stream.post()"""
    works = list(work)
    for one in works:
        if not isinstance(one, (Write, WriteRows, Wait)):
            raise TypeError(f'{one!r} is no Write, WriteRows or Wait')
    links = {one.link for one in works}
    pointers: Dict[Link, int] = {}
    ops = (LinkOpStruct * max(len(works), 1))()
    try:
        for link in links:
            # pylint: disable=unnecessary-dunder-call
            pointers[link] = link.handle.__enter__()
        for op, one in zip(ops, works):
            _fill(op, one, stream.device, pointers)
        with stream.handle as pointer:
            errors.check(lib.gaudi_link_post_async(pointer, ops, len(works)))
        keep(stream.device, *links, *(work.source for work in works
                                      if not isinstance(work, Wait)))
    finally:
        for link in pointers:
            link.handle.__exit__(None, None, None)


def port_info(device: 'Device', port: int) -> PortInfo:
    """Device.port()"""
    found = PortInfoStruct()
    with device.handle as pointer:
        errors.check(lib.gaudi_port_get_info(
            pointer, number(port, 'port', 0, _U32), ctypes.byref(found)))
    flags = PortFlags(found.flags)
    known = bool(flags & PortFlags.PEER)
    values = {name: getattr(found, name) for name in PortInfo._fields}
    values.update(
        flags=flags, mac=':'.join(f'{byte:02x}' for byte in found.mac),
        ip=ipaddress.IPv4Address(found.ip),
        peer_module=found.peer_module if known else None,
        peer_port=found.peer_port if known else None)
    return PortInfo(**values)


def open_port(device: 'Device', port: int, max_links: int, entries: int,
              timeout_retries: int, nack_retries: int) -> None:
    """Device.open_port()"""
    params = PortParamsStruct()
    params.max_links = number(max_links, 'max_links', 0, _U32)
    params.entries = number(entries, 'entries', 0, _U32)
    params.timeout_retries = number(timeout_retries, 'timeout_retries', 0, _U32)
    params.nack_retries = number(nack_retries, 'nack_retries', 0, _U32)
    with device.handle as pointer:
        errors.check(lib.gaudi_port_open(pointer, number(port, 'port', 0, _U32),
                                         ctypes.byref(params)))
