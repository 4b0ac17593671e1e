# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel's words with how often each was executed, and the slots it uses."""
from typing import List

from tpc_run.kernel import WORD
from tpc_run.machine import Machine

SLOTS = 4
LETTERS = 'LSVT'        # LOAD, SPU, VPU, STORE
NEVER = '#####'


def slots_of(text: str) -> List[bool]:
    """Which have an operation; a loop, and what is no instruction, is the SPU's."""
    parts = text.split('; ')
    if len(parts) != SLOTS:
        return [False, True, False, False]
    return [part != 'nop' for part in parts]


def show(machine: Machine) -> None:
    counts = [int(n) for n in machine.executed]
    total, used = sum(counts), [0] * SLOTS
    print(f'coverage of {machine.kernel.name}: '
          f'{sum(n > 0 for n in counts)} of {len(counts)} words, '
          f'{total} executed')
    for n, count in enumerate(counts):
        slots = slots_of(machine.decode(n * WORD)[1])
        used = [u + count * s for u, s in zip(used, slots)]
        marks = ''.join(letter if slot else '.'
                        for letter, slot in zip(LETTERS, slots))
        print(f'{count or NEVER:>12}  {marks}  {machine.word_text(n * WORD)}')
    for n, count in enumerate(used):
        name = machine.lib.slot_name(n).decode()
        print(f'{name}: in {count} of {total} words'
              + (f', {100 * count / total:.1f} %' if total else ''))
    issued = sum(used)
    if total:
        print(f'operations in a word: {issued / total:.2f} of {SLOTS}')
