#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random programs of collectives, and what must come out of them, by NumPy.

    coll_model.py [--seed N] [--programs N] [--seconds N] [--faults P]
                  [--jobs N] [--matrix] PROGRAM...

PROGRAM (coll_programs.c) executes them, on up to 8 cards. A program is up to
twelve calls on two streams and two communicators, of which the second has some of
the ranks in another order: collectives of every kind, type, reduction, size and
root, in place and not, sends and receives, barriers, groups; results are what
later calls begin with. All of each rank's memory is compared, bit by bit. A tenth
of the programs have a fault: a rank calls something else, dies, loses its links,
never calls, or aborts; then all others have to be told who, and of what, and go on
without it. A program that fails is made again by its seed: --seed N --programs 1.
"""
import argparse
import concurrent.futures
import re
import subprocess
import sys
import threading
import time

import numpy as np

(ALLREDUCE, REDUCE_SCATTER, ALLGATHER, BROADCAST, REDUCE, ALLTOALL, BARRIER,
 PAIRS, WAIT, OPEN, CLOSE) = range(11)
NAMES = ('allreduce', 'reducescatter', 'allgather', 'broadcast', 'reduce',
         'alltoall', 'barrier', 'sends and receives', 'a send', 'a receive',
         'is at none')
SUM, PROD, MIN, MAX, AVG = range(5)
F16, F32, BF16 = 6, 7, 9
NUMPY = {0: np.int8, 1: np.uint8, 2: np.int32, 3: np.uint32, 4: np.int64,
         5: np.uint64, F16: np.uint16, F32: np.float32, 8: np.float64,
         BF16: np.uint16}
REDUCED = (0, 1, 2, 3, F16, F32, BF16)
FLOATS = (F16, F32, BF16)
FAULTS = ('other', 'dies', 'link', 'never', 'aborts')


def widen(kind, a):
    """What sums are made of."""
    if kind == F16:
        return a.view(np.float16).astype(np.float32)
    if kind == BF16:
        return (a.astype(np.uint32) << 16).view(np.float32)
    return a


def narrow(kind, a):
    """To the nearest, ties to even."""
    if kind == F16:
        return a.astype(np.float16).view(np.uint16)
    if kind == BF16:
        bits = a.view(np.uint32)
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return a


def reduced(kind, how, parts):
    """In the order of ranks, rounded once at the end."""
    total = widen(kind, parts[0])
    for part in parts[1:]:
        part = widen(kind, part)
        total = (total + part if how in (SUM, AVG) else
                 total * part if how == PROD else
                 np.minimum(total, part) if how == MIN else
                 np.maximum(total, part))
    if how == AVG:
        total = total / np.float32(len(parts))
    return narrow(kind, total)


def results(op, send, ranks):
    """What each rank receives of what all of them send; None: nothing."""
    kind, n = op['kind'], op['count']
    if kind in (ALLREDUCE, REDUCE, REDUCE_SCATTER):
        total = reduced(op['type'], op['how'], send)
        if kind == REDUCE_SCATTER:
            return [total[r * n:(r + 1) * n] for r in range(ranks)]
        return [total if kind == ALLREDUCE or r == op['root'] else None
                for r in range(ranks)]
    if kind == ALLGATHER:
        return [np.concatenate(send)] * ranks
    if kind == BROADCAST:
        return [send[op['root']]] * ranks
    if kind == ALLTOALL:
        return [np.concatenate([s[r * n:(r + 1) * n] for s in send])
                for r in range(ranks)]
    return [send[(r + 2 * ranks - 1 - op['root']) % ranks]
            for r in range(ranks)]


class Program:
    def __init__(self, seed, most, faults=.1, only=None):
        """only: of one call of this kind, with this fault."""
        rng = self.rng = np.random.default_rng(seed)
        self.ranks = int(rng.integers(2, most + 1))
        self.cards = rng.permutation(most)[:self.ranks]
        self.algorithm = str(rng.choice(
            ('direct', 'direct', 'direct', 'ring', 'halving', 'tree',
             'hierarchical')))
        self.row = int(rng.choice((1024, 4096, 65536)))
        several = self.ranks > 2 and rng.random() < .3
        self.second = rng.permutation(self.ranks)[
            :rng.integers(2, self.ranks) if several and not only else 0]
        self.bytes = 0
        self.lines, self.ops, self.regions, self.inputs = [], [], [], []
        for _ in range(1 if only else int(rng.integers(1, 13))):
            calls = [self.call(*only[:1])] if only else \
                [self.call() for _ in range(int(rng.choice(
                    (1, 1, 1, 1, 2, 4))))]
            for op in calls:
                op['from']['taken'] = False
            for stream in set(op['wait'] for op in calls) - {None}:
                self.lines.append((WAIT, 0, stream, 0, 0, 0, 0, 0, 0))
            if len(calls) > 1:
                self.lines.append((OPEN,) + 8 * (0,))
            for op in calls:
                op['line'] = len(self.lines)
                self.lines.append(op['words'])
                self.ops.append(op)
            if len(calls) > 1:
                self.lines.append((CLOSE,) + 8 * (0,))
        self.fault, self.broken = (-1, 0, 0), None
        # Nobody waits for who sends nothing, or to itself.
        able = [op for op in self.ops
                if op['kind'] == BARRIER or (op['count'] and not (
                    op['kind'] == PAIRS and op['root'] + 1 == len(op['who'])))]
        if rng.random() < faults and able:
            op = self.broken = able[rng.integers(len(able))]
            # Who is in one communicator only does not hear at once of what
            # ends the other, and waits for the time-out.
            kinds = only[1:] if only else (1, 3, 4) if len(self.second) else \
                range(len(FAULTS))
            self.fault = (op['line'], int(rng.choice(kinds)),
                          int(rng.choice(op['who'])))

    def place(self, kind, count):
        """Where such elements may be, at any address that their size allows."""
        size = np.dtype(NUMPY[kind]).itemsize
        at = (self.bytes + size - 1) // size * size
        at += int(self.rng.integers(0, 8)) * size
        self.bytes = at + count * size
        return {'at': at, 'type': kind, 'count': count, 'stream': None,
                'taken': True}

    def fill(self, kind, count, whole):
        """Numbers; whole ones whose sums are exact in any order."""
        rng = self.rng
        if kind in FLOATS:
            a = rng.integers(1, 17, count) if whole else \
                np.abs(rng.standard_normal(count)) * 8 + 1
            a = (a * rng.choice((-1, 1), count)).astype(np.float32)
            return narrow(kind, a)
        return rng.integers(0, 1 << 63, count, dtype=np.uint64).astype(
            NUMPY[kind])

    def source(self, kind, count, comm, whole):
        """An earlier result, or new numbers."""
        old = [r for r in self.regions
               if r['type'] == kind and r['count'] >= count and
               r['comm'] == comm and not r['taken']]
        if old and not whole and self.rng.random() < .6:
            region = self.rng.choice(old)
            region['taken'] = True
            return region
        region = self.place(kind, count)
        self.inputs.append((region['at'], [self.fill(kind, count, whole)
                                           for _ in range(self.ranks)]))
        return region

    def call(self, wanted=None):
        rng = self.rng
        comm = int(len(self.second) > 0 and rng.random() < .4)
        stream = int(rng.integers(2))
        who = list(self.second if comm else range(self.ranks))
        kind, ranks = int(rng.integers(PAIRS + 1)), len(who)
        kind = kind if wanted is None else wanted
        reduces = kind in (ALLREDUCE, REDUCE, REDUCE_SCATTER)
        how = int(rng.choice((SUM, MIN, MAX)))
        of = int(rng.choice(REDUCED if reduces else tuple(NUMPY)))
        if of in FLOATS and self.algorithm == 'direct' and rng.random() < .2:
            how = int(rng.choice((PROD, AVG)))
        count = 0 if kind == BARRIER else \
            int(rng.integers(wanted is not None,
                             rng.choice((2, 30, 300, 3000))))
        root = int(rng.integers(ranks))
        out = count * (ranks if kind in (REDUCE_SCATTER, ALLTOALL) else 1)
        back = count * (ranks if kind in (ALLGATHER, ALLTOALL) else 1)
        in_place = kind < ALLTOALL and rng.random() < .3
        whole = reduces and how == SUM and of in FLOATS and \
            self.algorithm != 'direct'
        send = self.source(of, max(out, back) if in_place else out, comm, whole)
        recv = send if in_place else self.place(of, back)
        wait = stream if send['stream'] not in (None, stream) else None
        send['stream'] = recv['stream'] = stream
        at = [send['at'], recv['at']]
        if in_place and kind in (ALLGATHER, REDUCE_SCATTER):
            at[kind == REDUCE_SCATTER] = -1
        recv['comm'] = comm
        # What only the root has is no source, nor what may be too large soon.
        if kind == REDUCE or (of in FLOATS and reduces and (
                how == PROD or of == F16)):
            recv['taken'] = True
            recv['type'] = None
        elif not any(recv is r for r in self.regions):
            self.regions.append(recv)
        return {'kind': kind, 'how': how, 'type': of, 'count': count,
                'root': root, 'out': out, 'in_place': in_place, 'who': who,
                'from': recv, 'send': send['at'], 'recv': recv['at'],
                'wait': wait, 'words': (kind, comm, stream, of, how, count,
                                        root, *at)}

    def text(self):
        lines = [('program', self.ranks, self.row, self.algorithm, self.bytes,
                  len(self.lines)), ('cards', *self.cards),
                 ('second', len(self.second), *self.second),
                 ('fault', *self.fault), *self.lines]
        return ''.join(' '.join(map(str, line)) + '\n' for line in lines)

    def begin(self):
        memory = np.full((self.ranks, self.bytes), 0xa5, np.uint8)
        for at, parts in self.inputs:
            for rank, a in enumerate(parts):
                memory[rank, at:at + a.nbytes] = a.view(np.uint8)
        return memory

    def run(self, memory):
        """What the memory of ranks is at the end."""
        for op in self.ops:
            size = np.dtype(NUMPY[op['type']]).itemsize
            part = op['count'] * size
            gathers = op['in_place'] and op['kind'] == ALLGATHER
            scatters = op['in_place'] and op['kind'] == REDUCE_SCATTER
            send = []
            for place, rank in enumerate(op['who']):
                at = op['send'] + gathers * place * part
                send.append(memory[rank, at:at + op['out'] * size].copy()
                            .view(NUMPY[op['type']]))
            got = results(op, send, len(op['who']))
            for place, (rank, a) in enumerate(zip(op['who'], got)):
                at = op['recv'] + scatters * place * part
                if a is not None:
                    memory[rank, at:at + a.nbytes] = a.view(np.uint8)


def check_fault(program, told):
    """All others are told who has failed, and of what."""
    op, (_, fault, culprit) = program.broken, program.fault
    names = [place for place, rank in enumerate(op['who'])
             if rank == culprit or FAULTS[fault] in ('other', 'link')]
    for rank in op['who']:
        if rank == culprit:
            continue
        code, text = told.get(rank, (0, ''))
        if not code:
            return 'rank %d has no error' % rank
        named = set(map(int, ','.join(
            re.findall(r'rank (\d+(?:, \d+)*)', text)).split(',')))
        # What fails in one communicator may keep a group from calling another, and a
        # time-out names who is behind only where that is known.
        if (named.isdisjoint(names) and not len(program.second) and
                'has not ended' not in text) or \
                not any(name in text for name in NAMES):
            return 'rank %d is told "%s"' % (rank, text)
    return None


def check(program, child):
    """None, or what is wrong."""
    memory = program.begin()
    child.stdin.write(program.text().encode() + memory.tobytes())
    child.stdin.flush()
    told, bad = {}, None
    while True:
        line = child.stdout.readline().decode()
        if not line or line == 'done\n':
            break
        words = line.rstrip().split(' ', 3)
        if words[0] == 'error':
            told[int(words[1])] = (int(words[2]), ' '.join(words[3:]))
        else:
            bad = bad or line.rstrip()
    if bad or not line:
        return bad or 'the program has ended'
    if program.broken:
        return check_fault(program, told)
    got = np.frombuffer(child.stdout.read(memory.size), np.uint8)
    got = got.reshape(memory.shape)
    program.run(memory)
    rank, at = np.nonzero(got != memory)
    return 'byte %d of rank %d is wrong, %d in all' % (
        at[0], rank[0], len(at)) if len(at) else None


class Work:
    """What threads, each with a child, share."""

    def __init__(self, args, matrix):
        self.args, self.matrix = args, matrix
        self.numbers = iter(range(args.programs))
        self.end = time.monotonic() + args.seconds
        self.lock = threading.Lock()
        self.done = self.calls = self.faults = self.failed = 0

    def next(self):
        """A number of a program that nobody else gets, or None."""
        with self.lock:
            if self.failed or time.monotonic() >= self.end:
                return None
            return next(self.numbers, None)

    def tell(self, number, program, wrong):
        with self.lock:
            self.done += 1
            self.calls += len(program.ops)
            self.faults += program.broken is not None
            if wrong:
                self.failed += 1
                print(program.text(), end='')
                print('# seed %d: %s' % (self.args.seed + number, wrong))

    def run(self):
        # Of this thread alone.
        with np.errstate(over='ignore', invalid='ignore'):
            self.run_child()

    def run_child(self):
        args = self.args
        with subprocess.Popen(args.command, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as child:
            most = int(child.stdout.readline().split()[1])
            while (number := self.next()) is not None:
                program = Program(args.seed + number, most, args.faults,
                                  self.matrix and self.matrix[number])
                wrong = check(program, child)
                self.tell(number, program, wrong)
                if wrong:
                    child.kill()
                    return
            child.stdin.close()
        if child.returncode:
            with self.lock:
                self.failed += 1
                print('# the program ends with %d' % child.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seed', type=int, default=time.time_ns() % 10**9)
    parser.add_argument('--programs', type=int, default=10**9)
    parser.add_argument('--seconds', type=float, default=10**9)
    parser.add_argument('--faults', type=float, default=.1)
    parser.add_argument('--jobs', type=int, default=1,
                        help='so many at the same time')
    parser.add_argument('--matrix', action='store_true',
                        help='each kind of call with each fault, once')
    parser.add_argument('command', nargs='+')
    args = parser.parse_args()
    matrix = [(kind, fault) for kind in range(PAIRS + 1)
              for fault in range(len(FAULTS))] if args.matrix else None
    if matrix:
        args.programs, args.faults = len(matrix), 1
    print('# seed %d' % args.seed, flush=True)
    work = Work(args, matrix)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for future in [pool.submit(work.run) for _ in range(args.jobs)]:
            future.result()
    print('# %d programs, %d calls, %d with a fault' % (
        work.done, work.calls, work.faults))
    print('1..1\n%sok 1 - programs' % ('not ' if work.failed else ''))
    sys.exit(bool(work.failed))


if __name__ == '__main__':
    main()
