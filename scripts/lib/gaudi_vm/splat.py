# SPDX-License-Identifier: MIT
"""Finds in a kernel log what the kernel itself calls wrong."""

import re

# Each is the kernel's own wording, at the start of a message.
SPLAT = re.compile(r'''
    BUG: | WARNING: | UBSAN: | KCSAN: | KASAN: | KFENCE: | KMSAN:
  | kernel\ BUG\ at | Oops | Kernel\ panic | general\ protection\ fault
  | Unable\ to\ handle | INFO:\ task\ .*\ blocked\ for\ more\ than
  | INFO:\ rcu | rcu:\ INFO: | watchdog:\ BUG: | INFO:\ possible\ | INFO:\ suspicious
  | INFO:\ trying\ to\ register | possible\ circular\ locking
  | INFO:\ lockdep | refcount_t: | list_add\ corruption | list_del\ corruption
  | list_add\ double | ODEBUG: | DMA-API:.*: | stack\ segment
  | Internal\ error | .*:\ Unhandled\ fault
  | stack-protector | kmemleak:\ [0-9]+\ new
''', re.VERBOSE)

# What stands in front of a message on the console.
PREFIX = re.compile(r'^(<\d+>)?\[ *\d+\.\d+\](\[ *[TC]\d+\])? ?')


def find(line):
    """The message if a line of the log is a splat's first, else None."""
    match = PREFIX.match(line)
    if not match:
        return None
    text = line[match.end():].rstrip()
    return text if SPLAT.match(text) else None
