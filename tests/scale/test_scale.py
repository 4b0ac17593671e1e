# SPDX-License-Identifier: GPL-2.0-only
"""Collectives at scale: what the simulation must hold to."""

import json
import subprocess
import unittest

from scale import ALGORITHMS, KINDS, PROGRAM, can, simulate

# As constants.cc has them.
WIRE, HOP, OVERHEAD, PORT = 1.5e-6, 0.5e-6, 0.1e-6, 12.5e9
MEMORY = 1e12


def cases(cards, sizes):
    for kind, algorithms in KINDS.items():
        for algorithm in algorithms:
            for n in cards:
                for size in sizes:
                    if can(algorithm, n):
                        yield kind, algorithm, n, size


class Scale(unittest.TestCase):
    def same(self, one, other, part=1e-9):
        self.assertLess(abs(one - other), part * other)

    def test_never_below_the_bound(self):
        """Whatever the algorithm, and as far as the gate's time goes."""
        count = 0
        for case in cases((8, 512), (1 << 10, 1 << 20, 1 << 30)):
            if case[1] == 'direct' and case[2] == 512 and case[3] < 1 << 30:
                continue
            result = simulate(*case)
            self.assertGreaterEqual(result['seconds'], result['bound'], case)
            count += 1
        self.assertGreater(count, 40)

    def test_one_box_stands_for_all(self):
        """As each card by itself, on SimGrid's fat tree of one level and of two."""
        for algorithm in ('direct', 'ring', 'halving', 'hierarchical'):
            for cards in (16, 64, 512):
                if (algorithm, cards) in (('direct', 512), ('ring', 512)):
                    continue
                # Whole chunks, so that all boxes have the same sizes.
                size = cards * 64 * 4 * 3
                folded = simulate('allreduce', algorithm, cards, size)
                full = simulate('allreduce', algorithm, cards, size, '--full')
                self.assertEqual(folded['cards_simulated'], 8)
                self.assertEqual(full['cards_simulated'], cards)
                self.same(folded['seconds'], full['seconds'])
        for kind in ('allgather', 'reducescatter'):
            for cards in (16, 64, 512):
                case = (kind, 'hierarchical', cards, cards * 64 * 4 * 3)
                folded, full = simulate(*case), simulate(*case, '--full')
                self.assertEqual(folded['cards_simulated'], 8)
                self.assertEqual(full['cards_simulated'], cards)
                self.same(folded['seconds'], full['seconds'])

    def test_chunks_that_differ(self):
        """A grain more or less makes no difference that matters."""
        for algorithm in ('ring', 'halving', 'hierarchical'):
            folded = simulate('allreduce', algorithm, 64, 10000)
            full = simulate('allreduce', algorithm, 64, 10000, '--full')
            self.assertEqual(folded['cards_simulated'], 8)
            self.same(folded['seconds'], full['seconds'], 0.02)
            self.assertGreaterEqual(folded['seconds'] * 1.000001, full['seconds'])

    def test_what_is_alike_is_left_out(self):
        """Exchanges and passes that are not simulated take what they would have."""
        for kind, algorithm in (('allreduce', 'ring'), ('allgather', 'ring'),
                                ('broadcast', 'tree'), ('allreduce', 'halving'),
                                ('allreduce', 'tree'), ('broadcast', 'hierarchical')):
            case = (kind, algorithm, 64, 200 << 20)
            short, whole = simulate(*case), simulate(*case, '--whole')
            self.assertLess(short['messages_simulated'],
                            whole['messages_simulated'])
            self.same(short['seconds'], whole['seconds'], 1e-3)

    def test_two_cards_by_hand(self):
        """A ring of eight: each exchange is a message, its sum and its overheads."""
        part = 1 << 20
        result = simulate('reducescatter', 'ring', 8, 8 * part)
        # Both neighbours are told, and both are heard; a sum is three of a part.
        one = part / PORT + WIRE + 4 * OVERHEAD + 3 * part / MEMORY
        self.same(result['seconds'], 7 * one)

    def test_rings_and_trees_cross(self):
        """Where LogGP says: there the tree gives way to the ring."""
        n, levels = 512, 9

        def by_model(algorithm, size):
            if algorithm == 'ring':
                part = size / n
                # The slowest neighbours are over the top of the tree.
                return 2 * (n - 1) * (WIRE + 3 * HOP + 4 * OVERHEAD +
                                      max(part / PORT / 3, part / PORT - 3 * HOP))
            # Three levels on a pair's cable, the others on three ports of the card.
            one = 3 * size / PORT + (levels - 3) * size / PORT / 3
            return 2 * (levels * (WIRE + 2 * OVERHEAD) + one)

        def crossing(time_of):
            low, high = 1 << 10, 1 << 30
            self.assertLess(time_of('tree', low), time_of('ring', low))
            self.assertLess(time_of('ring', high), time_of('tree', high))
            while high - low > low / 4:
                middle = (low + high) // 2
                if time_of('tree', middle) < time_of('ring', middle):
                    low = middle
                else:
                    high = middle
            return low

        model = crossing(by_model)
        def by_simulation(algorithm, size):
            # Whole chunks, so that one box stands for all.
            size = -(-size // (256 * n)) * 256 * n
            return simulate('allreduce', algorithm, n, size,
                            '--row', str(1 << 30))['seconds']

        simulated = crossing(by_simulation)
        self.assertLess(model / 1.5, simulated)
        self.assertLess(simulated, model * 1.5)

    def test_hierarchy_pays(self):
        """From two boxes on, and for all sizes but the smallest, nothing is faster."""
        for cards in (16, 64):
            for size in (1 << 20, 32 << 20):
                times = {a: simulate('allreduce', a, cards, size)['seconds']
                         for a in ALGORITHMS if can(a, cards) and
                         not (a == 'direct' and cards == 512)}
                self.assertEqual(min(times, key=times.get), 'hierarchical')

    def test_parts_by_boxes_pay(self):
        """From 32 MiB on; where parts are small, the ring of boxes costs its latencies."""
        for kind in ('allgather', 'reducescatter'):
            for cards, size in ((64, 32 << 20), (512, 32 << 20), (4096, 1 << 20)):
                times = {a: simulate(kind, a, cards, size)['seconds']
                         for a in KINDS[kind] if can(a, cards)}
                self.assertEqual(min(times, key=times.get), 'hierarchical')
            direct, boxes = (simulate(kind, a, 512, 1 << 10)['seconds']
                             for a in ('direct', 'hierarchical'))
            self.assertGreater(boxes, 2 * direct)

    def test_lost_cables(self):
        """The same ones are lost each time; what is lost costs time, if it is used."""
        for algorithm in ('hierarchical', 'halving'):
            case = ('allreduce', algorithm, 64, 1 << 20)
            lost = simulate(*case, '--lost', '0.01')
            self.assertEqual(lost, simulate(*case, '--lost', '0.01'))
            self.assertEqual(lost['lost'], 4)
            self.assertGreater(lost['seconds'], simulate(*case)['seconds'])
        self.assertNotEqual(lost['seconds'],
                            simulate(*case, '--lost', '0.01', '--seed', '5')['seconds'])

    def test_deterministic(self):
        for case in cases((64,), (1 << 20,)):
            self.assertEqual(simulate(*case), simulate(*case))

    def test_what_cannot_be(self):
        for words in (('--cards', '12'), ('--cards', '24'), ('--cards', '0'),
                      ('--bytes', '0'), ('--bytes', '-1'), ('--lost', 'x'),
                      ('--constants', 'none'), ('--algorithm', 'best'),
                      ('--kind', 'allgather', '--algorithm', 'tree'),
                      ('--kind', 'alltoall'), ('more',)):
            done = subprocess.run([PROGRAM, *words], check=False,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, '^gaudi-scale: [^\n]+\n$')
            self.assertEqual(done.stdout, '')

    def test_line_of_json(self):
        done = subprocess.run([PROGRAM], check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout)['cards'], 8)
