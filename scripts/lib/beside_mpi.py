# SPDX-License-Identifier: MIT
"""A table of allreduce by gaudi-coll (a file of its JSON) beside Open MPI's (lines of
mpi_allreduce's): beside_mpi.py OURS THEIRS."""

import json
import sys


def ours(path):
    """{bytes: seconds} of one JSON object after the other."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    found, at, decoder = {}, 0, json.JSONDecoder()
    while text[at:].strip():
        at = text.index('{', at)
        one, at = decoder.raw_decode(text, at)
        for result in one['results']:
            found[result['bytes']] = result['seconds']
    return found


def theirs(path):
    """The same of lines."""
    with open(path, encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    return {one['bytes']: one['seconds'] for one in lines}


def main():
    cards, mpi = ours(sys.argv[1]), theirs(sys.argv[2])
    if not cards or set(cards) != set(mpi):
        sys.exit(f'beside_mpi.py: sizes {sorted(cards)} beside {sorted(mpi)}')
    print('allreduce of float32  eight cards       Open MPI, eight ranks')
    for size in sorted(cards):
        name = f'{size >> 20} MiB' if size >> 20 else f'{size >> 10} KiB'
        print(f'{name:<14} {cards[size] * 1e3:10.2f} ms {size / cards[size] / 1e9:6.3f} GB/s '
              f'{mpi[size] * 1e3:10.2f} ms {size / mpi[size] / 1e9:6.3f} GB/s')


if __name__ == '__main__':
    main()
