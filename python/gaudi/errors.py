# SPDX-License-Identifier: MIT
"""Failures of libgaudi as exceptions."""

import ctypes
import errno
import threading
from typing import Dict, NoReturn, Optional, Type

from ._native import lib

NOT_READY = -10001
DEVICE_LOST = -10002
FORKED = -10003
UNSUPPORTED = -10004
CAPTURE = -10005
CAPTURE_INVALID = -10006
RECIPE = -10007
RECIPE_VERSION = -10008
BINDING = -10009
ADDRESS = -10010
LINK = -10011

_NAMES = {
    NOT_READY: 'GAUDI_ERR_NOT_READY',
    DEVICE_LOST: 'GAUDI_ERR_DEVICE_LOST',
    FORKED: 'GAUDI_ERR_FORKED',
    UNSUPPORTED: 'GAUDI_ERR_UNSUPPORTED',
    CAPTURE: 'GAUDI_ERR_CAPTURE',
    CAPTURE_INVALID: 'GAUDI_ERR_CAPTURE_INVALID',
    RECIPE: 'GAUDI_ERR_RECIPE',
    RECIPE_VERSION: 'GAUDI_ERR_RECIPE_VERSION',
    BINDING: 'GAUDI_ERR_BINDING',
    ADDRESS: 'GAUDI_ERR_ADDRESS',
    LINK: 'GAUDI_ERR_LINK',
}


class Error(Exception):
    """A call of libgaudi failed.

    code     what the call returned: a negative errno, or a GAUDI_ERR_*
    name     its name, for example 'ENODEV' or 'GAUDI_ERR_FORKED'
    message  object, value and limit in words (gaudi_last_error)
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    @property
    def name(self) -> str:
        return _NAMES.get(self.code) or \
            errno.errorcode.get(-self.code) or str(self.code)

    def __str__(self) -> str:
        return f'{self.message} ({self.name})'


class NotReadyError(Error):
    """Work that the answer depends on has not ended yet."""


class DeviceLostError(Error):
    """The card was reset or is gone; close the device and open it again."""


class ForkedError(Error):
    """The object belongs to the process that this one was forked from."""


class UnsupportedError(Error):
    """The driver, or the card, has no such feature."""


class CaptureError(Error):
    """This cannot be captured, or an earlier call could not."""


class RecipeError(Error):
    """A file, or bytes, are no recipe that this library can use."""


class BindingError(Error):
    """What a tensor is bound to, or is not, does not fit it."""


class AddressError(Error):
    """The address is not one of this device's allocations."""


class LinkError(Error):
    """A link to another card has failed."""


class OutOfMemoryError(Error, MemoryError):
    """No memory of the host's, or of the device's."""


class BusyError(Error):
    """Another process has the card."""


_CLASSES: Dict[int, Type[Error]] = {
    NOT_READY: NotReadyError,
    DEVICE_LOST: DeviceLostError,
    FORKED: ForkedError,
    UNSUPPORTED: UnsupportedError,
    CAPTURE: CaptureError,
    CAPTURE_INVALID: CaptureError,
    RECIPE: RecipeError,
    RECIPE_VERSION: RecipeError,
    BINDING: BindingError,
    ADDRESS: AddressError,
    LINK: LinkError,
    -errno.ENOMEM: OutOfMemoryError,
    -errno.EBUSY: BusyError,
}


def make(code: int, message: Optional[str] = None) -> Error:
    """The exception for a code."""
    if message is None:
        message = lib.gaudi_strerror(code).decode()
    return _CLASSES.get(code, Error)(code, message)


def raise_last(code: int) -> NoReturn:
    """Raise what the call that has just failed on this thread was about."""
    of = ctypes.c_int()
    text = lib.gaudi_last_error(ctypes.byref(of)).decode(errors='replace')
    raise make(code, text if of.value == code and text else None)


def check(code: int) -> int:
    """Raise if a call of libgaudi failed."""
    if code < 0:
        raise_last(code)
    return code


# Which threads run a host function: what waits there may wait for itself.
callback = threading.local()


def in_host_function() -> bool:
    return getattr(callback, 'runs', False)
