# SPDX-License-Identifier: MIT
"""Records of the cards that come by themselves, beside the kernel's log: when the kernel
complains; and, which QEMU writes, when a card whose queues have work is reset, or when
the run ends."""

import glob
import os

from . import inject

SECONDS = 10


def prefix(log):
    """With what their names begin, of a log that is a file; else None."""
    if not os.path.isfile(log):
        return None
    return os.path.splitext(os.path.abspath(log))[0]


def card_prefix(begin, card):
    """QEMU's, for one card."""
    return f'{begin}.card{card}-'


def splat_path(begin):
    return begin + '.splat.rec'


def at_splat(sock, cards, begin):
    """What the cards have at this moment, in one file. A text if that goes wrong."""
    path = splat_path(begin)
    part = path + '.part'
    sock.settimeout(SECONDS)
    try:
        qmp = inject.Qmp(sock)
        with open(path, 'wb') as file:
            for card in range(cards):
                qmp.command('qom-set', path=f'gaudi{card}', property='record', value=part)
                with open(part, 'rb') as written:
                    file.write(written.read())
                os.unlink(part)
    except (inject.Failed, OSError, ValueError) as error:
        return f'no record of the cards: {error}'
    return ''


def found(begin):
    """Those that there are."""
    begin = glob.escape(begin)
    return sorted(glob.glob(begin + '.splat.rec') +
                  glob.glob(begin + '.card[0-7]-reset[1-4].rec') +
                  glob.glob(begin + '.card[0-7]-end.rec'))


def forget(begin):
    """Those of a former run of the same name."""
    for path in found(begin):
        os.unlink(path)
