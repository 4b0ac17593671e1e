# SPDX-License-Identifier: GPL-2.0-only
"""Frames of a capture file, as Scapy reads them: all are RoCE v2, and their CRC is
what Scapy computes. Prints TAP.

Usage: read_frames.py FILE
"""

import sys

from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.utils import rdpcap

# The test writes 13 opcodes with 8 sizes each.
FRAMES = 104


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
    found = [text for text in map(wrong, range(len(frames)), frames) if text]
    if len(frames) != FRAMES:
        found.append(f'{len(frames)} frames, not {FRAMES}')
    print('1..1')
    print('not ok 1 - frames' if found else 'ok 1 - frames')
    for text in found[:9]:
        print(f'# {text}')
    return bool(found)


sys.exit(main())
