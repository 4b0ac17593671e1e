# SPDX-License-Identifier: MIT
"""python3 -m gaudi: which cards there are."""

import argparse
import sys

import gaudi


def row(index: int) -> str:
    """A card in one line; who has it is said, not waited for."""
    try:
        with gaudi.open(index) as device:
            info = device.info
            caps = ', '.join(cap.name.lower() for cap in gaudi.Caps
                             if cap in info.caps and cap.name) or 'none'
            return (f'{index}: {info.name or "Gaudi"}, module '
                    f'{info.module_id}, {info.pci_address}, accel{info.accel}, '
                    f'{info.memory_size >> 20} MiB of HBM, driver '
                    f'{info.driver}, caps {caps}')
    except gaudi.Error as error:
        return f'{index}: {error}'


def main() -> int:
    parser = argparse.ArgumentParser(
        prog='python3 -m gaudi', description='Print the cards that this '
        'process may see, each in a line. To ask a card, it is opened.')
    parser.add_argument('--version', action='version',
                        version=f'gaudi {gaudi.__version__}, libgaudi '
                        f'{gaudi.version()}')
    parser.parse_args()
    try:
        number = gaudi.count()
    except gaudi.Error as error:
        print(f'gaudi: {error}', file=sys.stderr)
        return 1
    for index in range(number):
        print(row(index), flush=True)
    if not number:
        print('gaudi: no card', file=sys.stderr)
    return 0 if number else 1


if __name__ == '__main__':
    sys.exit(main())
