# SPDX-License-Identifier: MIT
import enum


class synDeviceType(enum.IntEnum):                      # noqa: N801 - the vendor's name
    synDeviceGaudi = 2
    synDeviceGaudi2 = 4
    synDeviceGaudi3 = 5


def _get_device_type() -> synDeviceType:
    return synDeviceType.synDeviceGaudi


def _is_fp16_supported() -> bool:
    return False


def _unavailable(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f'habana_frameworks.torch.utils.experimental.{name}')
    return function


for _name in ('detect_recompilation_auto_model', 'data_dynamicity', 'const_shape_dataloader'):
    globals()[_name] = _unavailable(_name)
