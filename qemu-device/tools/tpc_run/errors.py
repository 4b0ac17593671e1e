# SPDX-License-Identifier: GPL-2.0-or-later
"""What the user is told, numbers and files that a user gives."""
import re
import signal
import sys
from typing import Callable, List, NoReturn, Optional

FILES, USED_WRONGLY, STOPPED, LIMIT, HAZARD = 1, 2, 3, 4, 5     # exit status

NUMBER = '0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*'        # as C has them

program = 'gaudi-tpc-run'       # of another program that has this package: its name


class Failure(Exception):
    """What is told to the user, and the exit status if it is the end."""

    def __init__(self, text: str, status: int = USED_WRONGLY) -> None:
        super().__init__(text)
        self.status = status


def fail(text: str, status: int = USED_WRONGLY) -> NoReturn:
    raise Failure(text, status)


def tell(text: str) -> None:
    """A line on standard error, behind all that was printed."""
    sys.stdout.flush()
    print(f'{program}: {text}', file=sys.stderr)


def as_a_program(main: Callable[[List[str]], int]) -> NoReturn:
    """With the signals that other programs have: not Python's exceptions."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))


def whole(text: str) -> Optional[int]:
    """A number that begins with a digit."""
    if not re.fullmatch(NUMBER, text):
        return None
    if text[:2] in ('0x', '0X'):
        return int(text, 16)
    return int(text, 8 if text[0] == '0' else 10)


def read_file(path: str) -> bytes:
    try:
        if path == '-':
            return sys.stdin.buffer.read()
        with open(path, 'rb') as file:
            return file.read()
    except OSError as error:
        raise Failure(f'{path}: {error.strerror}', FILES) from error
