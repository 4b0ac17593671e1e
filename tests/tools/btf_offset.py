#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""btf_offset.py MODULE STRUCT MEMBER: its offset in bytes, as the kernel's BTF has it.

Of structures that the module itself declares.
"""

import struct
import sys

STRUCT = 4
# What comes behind the three words of a type: once, and for each of its elements.
FIXED = {1: 4, 3: 12, 14: 4, 17: 4}
EACH = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}


def members(types):
    """(name of the structure, name of the member, bits) of all; names are places."""
    at = 0
    while at < len(types):
        name, info, _ = struct.unpack_from('<III', types, at)
        kind, count = info >> 24 & 31, info & 0xffff
        at += 12
        if kind == STRUCT:
            for i in range(count):
                member, _, bits = struct.unpack_from('<III', types, at + 12 * i)
                yield name, member, bits
        at += FIXED.get(kind, 0) + EACH.get(kind, 0) * count


def main():
    module, structure, member = sys.argv[1:]
    with open(f'/sys/kernel/btf/{module}', 'rb') as file:
        data = file.read()
    header, types, types_len, texts, texts_len = struct.unpack_from('<5I', data, 4)
    text = data[header + texts:header + texts + texts_len]
    # A module's texts count on from where vmlinux's end, by an amount that both share.
    apart = (text.index(b'\0' + member.encode() + b'\0') -
             text.index(b'\0' + structure.encode() + b'\0'))
    found = [bits for name, entry, bits
             in members(data[header + types:header + types + types_len])
             if entry - name == apart]
    if len(found) != 1:
        sys.exit(f'btf_offset: {structure}.{member}: found {len(found)} times')
    print(found[0] // 8)


if __name__ == '__main__':
    main()
