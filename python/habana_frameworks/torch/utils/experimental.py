# SPDX-License-Identifier: MIT
import enum

from .._absent import absent


class synDeviceType(enum.IntEnum):                      # noqa: N801 - the vendor's name
    synDeviceGaudi = 2
    synDeviceGaudi2 = 4
    synDeviceGaudi3 = 5


def _get_device_type() -> synDeviceType:
    return synDeviceType.synDeviceGaudi


def _is_fp16_supported() -> bool:
    return False


__getattr__ = absent(__name__)
