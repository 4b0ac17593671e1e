# SPDX-License-Identifier: GPL-2.0-only
"""Frames of a capture file, as Scapy reads them: those of RoCE v2 have the CRC that
Scapy computes. Prints TAP.

Usage: read_frames.py FILE [COUNT]

COUNT: so many frames are there, and all are RoCE v2. Without it others may be, too.
"""

import sys

from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.utils import rdpcap

UDP_PORT = 4791


def wrong(number, frame):
    """What is wrong with a frame, or an empty text."""
    if BTH not in frame:
        return f'frame {number} is not RoCE'
    header = bytes(frame[IP])[:20]
    again = IP(header)
    del again.chksum
    if IP(bytes(again)).chksum != frame[IP].chksum:
        return f'frame {number}: the checksum of IP'
    if frame[UDP].len != len(bytes(frame[UDP])):
        return f'frame {number}: the length of UDP'
    packet = bytes(frame[BTH])
    if frame[BTH].compute_icrc(packet[:-4]) != packet[-4:]:
        return f'frame {number}: the invariant CRC'
    return ''


def main():
    frames = rdpcap(sys.argv[1])
    if len(sys.argv) == 2:
        frames = [f for f in frames if UDP in f and f[UDP].dport == UDP_PORT]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else len(frames) or 1
    found = [text for text in map(wrong, range(len(frames)), frames) if text]
    if len(frames) != count:
        found.append(f'{len(frames)} frames, not {count}')
    print('1..1')
    print('not ok 1 - frames' if found else 'ok 1 - frames')
    for text in found[:9]:
        print(f'# {text}')
    return bool(found)


sys.exit(main())
