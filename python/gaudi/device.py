# SPDX-License-Identifier: MIT
"""Cards."""

import atexit
import ctypes
import enum
import weakref
from typing import Any, Iterator, List, NamedTuple, Optional

from . import _copy, errors
from ._handle import (Closable, Handle, close_forgotten, number, text,
                      timeout_ms)
from ._native import (HANDLE, DeviceInfoStruct, MemoryStatsStruct, lib)
from .memory import (DeviceBuffer, DeviceMemory, HostBuffer, MemoryStats, Pin,
                     amount, owner)
from .graph import Used
from .launch import Launcher
from .link import Link, PortInfo, open_port, port_info
from .recipe import Recipe
from .stream import Event, Stream, fill_pattern


class Caps(enum.IntFlag):
    """What a driver has beyond the least."""

    SHARED = 1 << 0     # several processes may hold the card
    SYNCOBJ = 1 << 1    # fences of the kernel's
    DMABUF = 1 << 2     # imports buffers of others


class DeviceInfo(NamedTuple):
    """What a card is."""

    # It hides tuple.index().
    index: int  # type: ignore[assignment]  # among the visible ones
    accel: int          # the N of /dev/accel/accelN
    module_id: int      # the slot in the server
    pci_address: str
    name: str           # of the product, or '' if unknown
    driver: str         # 'gaudi', 'habanalabs'
    memory_size: int    # of HBM that users may have
    sram_size: int
    tpc_mask: int       # TPCs that work
    caps: Caps


_open: 'weakref.WeakSet[Device]' = weakref.WeakSet()


class Device(Closable):
    """A card, opened for computing; see open().

    Everything made on it ends with close(). Memory that views of host buffers
    show stays.
    """

    handle: Handle

    def __init__(self, pointer: int) -> None:
        self.handle = Handle('device', pointer)
        # What captures under way have used.
        self.captures: List[List[Used]] = []
        _open.add(self)

    @property
    def mine(self) -> bool:
        """False in a child of the process that opened it."""
        return self.handle.mine

    @property
    def closed(self) -> bool:
        return self.handle.closed

    def close(self) -> None:
        """Blocks until the work under way has ended. Always closes; the exception
        says that work had failed."""
        close_forgotten()
        errors.check(self.handle.close(lib.gaudi_device_close))

    @property
    def info(self) -> DeviceInfo:
        found = DeviceInfoStruct()
        with self.handle as pointer:
            errors.check(lib.gaudi_device_get_info(pointer,
                                                   ctypes.byref(found)))
        return DeviceInfo(
            found.index, found.accel, found.module_id,
            found.pci_address.decode(), found.name.decode(),
            found.driver.decode(), found.memory_size, found.sram_size,
            found.tpc_mask, Caps(found.caps))

    def fileno(self) -> int:
        """The file descriptor, for calls of libhl-thunk; it stays the
        library's."""
        with self.handle as pointer:
            return errors.check(lib.gaudi_device_fd(pointer))

    def synchronize(self) -> None:
        """Blocks until all work submitted so far has ended."""
        with self.handle as pointer:
            errors.check(lib.gaudi_device_synchronize(pointer))

    def give_up(self, why: str) -> None:
        """For who watches work that does not end: the card is lost, and who
        waits for it is told why. Closing ends what is under way."""
        with self.handle as pointer:
            errors.check(lib.gaudi_device_give_up(pointer, text(why, 'why')))

    def alloc(self, size: int) -> DeviceBuffer:
        """Device memory; what is in it is undefined."""
        size = number(size, 'size')
        close_forgotten()
        address = ctypes.c_uint64()
        with self.handle as pointer:
            errors.check(lib.gaudi_malloc(pointer, size,
                                          ctypes.byref(address)))
        return DeviceBuffer(self, address.value, size)

    def put(self, data: Any) -> DeviceBuffer:
        """Device memory that holds a copy of an object with the buffer protocol,
        for example an array of NumPy's. Blocks until it is done."""
        buffer = self.alloc(memoryview(data).nbytes)
        buffer.write(data)
        return buffer

    def range(self, address: int, size: int) -> DeviceMemory:
        """A range that is known by its address, for example of SRAM."""
        return DeviceMemory(self, number(address, 'address'),
                            number(size, 'size'))

    def alloc_host(self, size: int) -> HostBuffer:
        """Host memory that the card reaches."""
        return HostBuffer(self, size)

    def pin(self, thing: Any) -> Pin:
        """Let the card reach the memory of a writable object with the buffer
        protocol, for example a contiguous array of NumPy's."""
        return Pin(self, thing)

    def stream(self) -> Stream:
        return Stream(self)

    def event(self, timing: bool = True) -> Event:
        return Event(self, timing)

    def launcher(self, recipe: Recipe) -> Launcher:
        """A recipe made ready for this device."""
        return Launcher(self, recipe)

    @property
    def ports(self) -> List[int]:
        """Numbers of the network ports that are on."""
        mask = ctypes.c_uint32()
        with self.handle as pointer:
            errors.check(lib.gaudi_device_get_ports(pointer,
                                                    ctypes.byref(mask)))
        return [port for port in range(32) if mask.value >> port & 1]

    def port(self, number_of_it: int) -> PortInfo:
        """What there is to know of a port, 0 to 9, also if it is off."""
        return port_info(self, number_of_it)

    def open_port(self, number_of_it: int, max_links: int = 0, entries: int = 0,
                  timeout_retries: int = 0, nack_retries: int = 0) -> None:
        """Have queues on a port for other numbers than the usual ones, before its
        first link; see gaudi_port_open(3). 0: the usual number."""
        open_port(self, number_of_it, max_links, entries, timeout_retries,
                  nack_retries)

    def link(self, port: int, ip: int = 0, priority: int = 0,
             timeout_log2: int = 0) -> Link:
        """A new link on a port."""
        return Link(self, port, ip, priority, timeout_log2)

    def copy_peer(self, to: DeviceMemory, source: DeviceMemory,
                  size: Optional[int] = None) -> None:
        """Copy from this device to another one that this process has open, over
        the wire between the two. Blocks until it is done."""
        size = amount(to, source, to.nbytes, source.nbytes, size)
        with self.handle as pointer, to.device.handle as other:
            errors.check(lib.gaudi_copy_peer(
                other, to.address, pointer, owner(source, self), size))

    def copy(self, to: Any, source: Any, size: Optional[int] = None) -> None:
        """Copy between device memory and device memory, or anything with the
        buffer protocol. Blocks until it is done."""
        _copy.sync(self, to, source, size)

    def fill(self, to: DeviceMemory, value: Any, value_size: int = 1) -> None:
        """Fill memory with a value: an integer of 1, 2, 4 or 8 bytes, or that
        many bytes. Blocks until it is done."""
        value, value_size, count = fill_pattern(to, value, value_size)
        with self.handle as pointer:
            errors.check(lib.gaudi_fill(pointer, owner(to, self), value,
                                        value_size, count))

    def memory_stats(self) -> MemoryStats:
        found = MemoryStatsStruct()
        with self.handle as pointer:
            errors.check(lib.gaudi_memory_get_stats(pointer,
                                                    ctypes.byref(found)))
        return MemoryStats(*(getattr(found, name)
                             for name in MemoryStats._fields))

    def reset_peak(self) -> None:
        """Begin anew with the peaks of memory_stats()."""
        with self.handle as pointer:
            errors.check(lib.gaudi_memory_reset_peak(pointer))

    def trim(self, keep: int = 0) -> None:
        """Return unused memory to the driver until at most that much is
        reserved."""
        keep = number(keep, 'keep')
        with self.handle as pointer:
            errors.check(lib.gaudi_memory_trim(pointer, keep))

    def __repr__(self) -> str:
        if self.closed:
            return '<Device closed>'
        try:
            info = self.info
        except errors.Error as error:
            return f'<Device {error.name}>'
        return (f'<Device {info.index}: {info.name or "Gaudi"}, module '
                f'{info.module_id}, {info.pci_address}>')


def count() -> int:
    """How many cards this process may see (HABANA_VISIBLE_DEVICES,
    HABANA_VISIBLE_MODULES)."""
    found = ctypes.c_uint32()
    errors.check(lib.gaudi_device_count(ctypes.byref(found)))
    return found.value


def open(index: Optional[int] = None,  # pylint: disable=redefined-builtin
         *, module_id: Optional[int] = None,
         pci_address: Optional[str] = None,
         timeout: Optional[float] = 0) -> Device:
    """Open a card: by its index among the visible ones (0 if nothing is said), by
    module id or by PCI address. The address 'sim:3' is a card in this process.

    timeout: how many seconds to wait while the card is in reset or still being
    released; None is for ever. BusyError: another process has it.
    """
    if sum(way is not None for way in (index, module_id, pci_address)) > 1:
        raise TypeError('open() takes one of index, module_id and pci_address')
    close_forgotten()
    limit = timeout_ms(timeout)
    pointer = HANDLE()
    if pci_address is not None:
        code = lib.gaudi_device_open_by_pci_address(
            text(pci_address, 'pci_address'), limit, ctypes.byref(pointer))
    elif module_id is not None:
        code = lib.gaudi_device_open_by_module_id(
            number(module_id, 'module_id', 0, 0xffffffff), limit,
            ctypes.byref(pointer))
    else:
        code = lib.gaudi_device_open(
            number(0 if index is None else index, 'index', 0, 0xffffffff), limit,
            ctypes.byref(pointer))
    errors.check(code)
    assert pointer.value is not None
    return Device(pointer.value)


def devices(timeout: Optional[float] = 0) -> Iterator[Device]:
    """Open one card after the other; each is closed before the next."""
    for index in range(count()):
        with open(index, timeout=timeout) as device:
            yield device


@atexit.register
def _close_all() -> None:
    """Host functions need Python, so none may come after it."""
    close_forgotten()
    for device in list(_open):
        try:
            device.close()
        except errors.Error:
            pass
