# SPDX-License-Identifier: MIT
"""A fabric: cards of several guests of this host are joined by its name.

Each guest is a box with a number, which is the name of an abstract Unix socket. We
bind it, so that the guest knows the number, and QEMU listens.
"""

import errno
import os
import re
import socket

BOXES = 16


class Fabric:
    """What --fabric says: NAME[,box=N][,cabling=TABLE]."""

    def __init__(self, spec):
        """Raises ValueError for what is none."""
        self.name, *rest = spec.split(',')
        if not re.fullmatch(r'[A-Za-z0-9._-]{1,64}', self.name):
            raise ValueError(f'{self.name}: a name has letters, digits, '
                             "'.', '_' and '-', 64 at most")
        self.box = None
        self.cabling = None
        for word in rest:
            key, _, value = word.partition('=')
            if key == 'box' and re.fullmatch(r'[0-9]{1,2}', value) and \
               int(value) < BOXES:
                self.box = int(value)
            elif key == 'cabling' and ('/' in value or
                                       value in ('mesh', 'pairs')):
                self.cabling = value
            else:
                raise ValueError(f'{word}: box=0 to box={BOXES - 1}, '
                                 'cabling=mesh, cabling=pairs, or '
                                 'cabling=FILE with a / in its name')
        self.sock = None

    def _bind(self, box):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            # The name is that of chip/fabric/fabric.c.
            sock.bind(f'\0open-gaudi/{os.geteuid()}/{self.name}/{box}')
        except OSError as error:
            sock.close()
            if error.errno == errno.EADDRINUSE:
                return False
            raise
        self.sock = sock
        self.box = box
        return True

    def join(self):
        """Become a box. Raises OSError if somebody else is it."""
        boxes = range(BOXES) if self.box is None else [self.box]
        if not self.sock and not any(self._bind(box) for box in boxes):
            who = 'all boxes are' if self.box is None else f'box {self.box} is'
            raise OSError(errno.EADDRINUSE, f'{who} taken by other processes',
                          f'--fabric {self.name}')

    def properties(self, first, pass_fds):
        """Of one card, for its -device argument; the first has the socket."""
        props = f',fabric={self.name},box={self.box}'
        if self.cabling:
            table = self.cabling
            if '/' in table:
                table = os.path.abspath(table).replace(',', ',,')
            props += f',fabric-cabling={table}'
        if first:
            self.join()
            pass_fds.append(self.sock.detach())
            self.sock = None
            props += f',fabric-fd={pass_fds[-1]}'
        return props
