# SPDX-License-Identifier: MIT
"""What the threads of a process are and do, by what Linux tells of them."""

import os
import re

# Where a thread stands in the kernel, by a part of the function's name.
PLACES = (('futex', 'waits for another thread'), ('nanosleep', 'sleeps'),
          ('poll', 'waits for descriptors'), ('select', 'waits for descriptors'),
          ('accept', 'waits for a connection'), ('skb', 'waits for data'),
          ('wait_woken', 'waits for data'), ('tcp', 'waits for data'),
          ('unix_stream', 'waits for data'), ('pipe', 'waits for data of a pipe'),
          ('do_wait', 'waits for a process'), ('sigtimedwait', 'waits for a signal'),
          ('sigsuspend', 'waits for a signal'), ('pause', 'waits for a signal'))
# Of libraries' threads names begin so; one is in a host function of a stream
# (thunk/runtime/streams/streams.h), one hears a communicator's other ranks (thunk/coll/control).
OURS, IN_CALL, RANK = 'gaudi-', 'gaudi-host-fn', 'gaudi-rank-'


def tasks(pid):
    """(number, name, where it stands in the kernel) of each thread of a process."""
    try:
        for thread in sorted(os.listdir(f'/proc/{pid}/task'), key=int):
            folder = f'/proc/{pid}/task/{thread}'
            with open(f'{folder}/comm', encoding='utf-8', errors='replace') as file:
                name = file.read().rstrip('\n')
            with open(f'{folder}/wchan', encoding='ascii') as file:
                yield thread, name, file.read()
    except OSError:
        # It has ended meanwhile, or is another user's.
        return


def threads(pid):
    """What the threads of a process do, in words; those of libraries left out."""
    found = []
    for thread, name, at in tasks(pid):
        if name.startswith(OURS) and name != IN_CALL:
            continue
        does = next((words for part, words in PLACES if part in at), '')
        if not does:
            does = 'runs' if at in ('', '0') else f'is in {at}'
        who = 'a stream is in a host function, which' if name == IN_CALL else \
            f'thread {thread}, {name},'
        found.append(f'{who} {does}')
    return found


def ranks_of(pid):
    """Which ranks of communicators a process is, in words; or ''."""
    names = [name for _, name, _ in tasks(pid)]
    ranks = sorted({int(name[len(RANK):]) for name in names if re.fullmatch(RANK + '[0-9]+', name)})
    return f', rank {" and ".join(map(str, ranks))}' if ranks else ''
