# SPDX-License-Identifier: GPL-2.0-or-later
"""What an object file has."""
import struct
from typing import List, NoReturn, Optional, Tuple

from tpc_run.errors import FILES, fail, read_file, whole

WORD = 32               # bytes


class Kernel:
    """What an object file has: ELF32, .text, .tpc_metadata, symbols."""

    def __init__(self, path: str, image: Optional[bytes] = None) -> None:
        """image: what the file has, if it has been read."""
        image = read_file(path) if image is None else image
        self.name = path
        self.code = b''
        self.labels: List[Tuple[int, str]] = []
        self.scalars = 0
        self.special_functions = False
        try:
            self.parse(image)
        except (struct.error, IndexError):
            self.refuse('a section header is broken')

    def refuse(self, why: str) -> NoReturn:
        fail(f'{self.name}: {why}', FILES)

    def parse(self, image: bytes) -> None:
        if image[:6] != b'\x7fELF\x01\x01':
            self.refuse('this is no 32-bit ELF file')
        at, = struct.unpack_from('<I', image, 32)
        step, count, names = struct.unpack_from('<3H', image, 46)
        heads = [struct.unpack_from('<10I', image, at + n * step)
                 for n in range(count)]

        def content(n: int) -> bytes:
            return image[heads[n][4]:sum(heads[n][4:6])]

        def string(section: int, offset: int) -> str:
            return content(section)[offset:].split(b'\0')[0].decode(
                'utf-8', 'backslashreplace')

        sections = {string(names, head[0]): n
                    for n, head in reversed(list(enumerate(heads)))}
        text = sections.get('.text', 0)
        if not text:
            self.refuse('there is no section .text')
        self.code = content(text)
        if not self.code:
            self.refuse('section .text is empty')
        if len(self.code) % WORD or len(self.code) != heads[text][5]:
            self.refuse('the size of section .text is not a multiple of 32')
        metadata = content(sections.get('.tpc_metadata', 0))
        # Of version 12.
        if len(metadata) >= 262 and metadata[:4] == b'\x0c\0\0\0':
            self.special_functions = bool(metadata[4])
            self.scalars = metadata[12]
        for n, head in enumerate(heads):
            if head[1] == 2:
                symbols = content(n)
                for name, value, _, _, _, section in struct.iter_unpack(
                        '<IIIBBH', symbols[16:len(symbols) // 16 * 16]):
                    label = string(head[6], name)
                    if label and section == text and not value % WORD and \
                            value <= len(self.code):
                        self.labels.append((value, label))

    def place(self, offset: int) -> str:
        """main+0x40, or 0x40"""
        best = max((label for label in self.labels if label[0] <= offset),
                   key=lambda label: label[0], default=None)
        if not best or offset > len(self.code):
            return f'{offset:#x}'
        more = offset - best[0]
        return best[1] + (f'+{more:#x}' if more else '')

    def find(self, text: str) -> int:
        """0x40, 64, label or label+0x20, to bytes."""
        start, more = 0, text
        if not text[:1].isdigit():
            label, _, more = (text + ('' if '+' in text else '+0')
                              ).partition('+')
            start = next((at for at, name in self.labels if name == label),
                         len(self.code) + 1)
            if start <= len(self.code) and '+' not in text:
                return start
        offset = whole(more)
        if offset is None or offset >= len(self.code) - start or \
                (start + offset) % WORD:
            fail(f"there is no word '{text}'")
        return start + offset

    def word_at(self, offset: int) -> bytes:
        """Nothing outside of it."""
        return b'' if offset % WORD else self.code[offset:offset + WORD]
