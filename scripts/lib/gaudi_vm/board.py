# SPDX-License-Identifier: MIT
"""Profiles of boxes: which cards they have (firmware-stub/board/profiles)."""

import os
import re
import subprocess


class Bad(Exception):
    """No such profile, or not one."""


def find(name, build):
    """A profile's file by its name, or a file by its path."""
    folder = os.path.join(build, 'firmware/boards')
    if '/' in name:
        path = os.path.realpath(name)
    else:
        path = os.path.join(folder, name + '.dtb')
    if os.path.isfile(path):
        return path
    known = sorted(file[:-4] for file in os.listdir(folder)
                   if file.endswith('.dtb')) if os.path.isdir(folder) else []
    raise Bad(f'no board {name}; there are: ' +
              (' '.join(known) or 'none, run: make firmware'))


def slots(path):
    """The numbers of its cards, in order."""
    try:
        out = subprocess.run(['fdtget', '-l', path, '/cards'], check=True,
                             capture_output=True, text=True).stdout
    except OSError as error:
        raise Bad(f'fdtget: {error.strerror}') from error
    except subprocess.CalledProcessError as error:
        raise Bad(f'{path}: {error.stderr.strip()}') from error
    found = sorted(int(slot)
                   for slot in re.findall(r'^card@(\d+)$', out, re.M))
    if not found:
        raise Bad(f'{path}: no card below /cards')
    return found
