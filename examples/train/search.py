#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trainings side by side, one on each card, each a process of its own: a search for
the parameters that learn best.

    search.py [OPTION ...] TRAIN DIGITS

TRAIN is examples/train's program in C. Each combination of --rate, --hidden and --seed
is trained once; when a card has done one it takes the next. A card that fails gets no
more, and another one does its part. A table follows.
"""

import argparse
import itertools
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading

LINE = re.compile(r'epoch (\d+) of \d+: ')
# TRAIN's status: it was the card, not what was asked for.
CARD_FAILED = 3


class CardFailed(Exception):
    """Another one may do it."""


def cards():
    """Numbers of /dev/accel/accelN, less those that are hidden from us."""
    try:
        names = os.listdir('/dev/accel')
    except FileNotFoundError:
        names = []
    found = sorted(int(name[5:]) for name in names
                   if re.fullmatch(r'accel\d+', name))
    wanted = os.environ.get('HABANA_VISIBLE_DEVICES', 'all')
    if wanted not in ('', 'all'):
        found = [one for one in found if str(one) in wanted.split(',')]
    if not found:
        raise SystemExit('search.py: no card in /dev/accel')
    return found


class Shown:
    """What is seen while it goes: a bar on a terminal, lines elsewhere."""

    def __init__(self, epochs):
        self.lock, self.done, self.epochs = threading.Lock(), 0, epochs
        self.terminal = sys.stdout.isatty()

    def epoch(self, card, name, line):
        with self.lock:
            self.done += 1
            if not self.terminal:
                print(f'card {card}, {name}: {line}', flush=True)
                return
            filled = 40 * self.done // self.epochs
            print(f'\r[{"#" * filled}{"." * (40 - filled)}] '
                  f'epoch {self.done} of {self.epochs}\033[K',
                  end='' if self.done < self.epochs else '\n', flush=True)


def named(combination):
    return 'rate {}, hidden {}, seed {}'.format(*combination)


class Search:
    """Combinations to try, and what came of them."""

    def __init__(self, args):
        self.args, self.waiting = args, queue.SimpleQueue()
        self.results, self.failed, self.dead = [], [], set()
        combinations = list(itertools.product(args.rate, args.hidden,
                                              args.seed))
        for one in combinations:
            self.waiting.put(one)
        self.shown = Shown(args.epochs * len(combinations))

    def train(self, card, combination, path):
        """One process, on one card."""
        rate, hidden, seed = combination
        name = named(combination)
        command = [self.args.train, self.args.digits, '--json', path,
                   '--model', self.args.model, '--type', self.args.type,
                   '--epochs', str(self.args.epochs), '--rate', rate,
                   '--hidden', hidden, '--seed', seed]
        environment = dict(os.environ, HABANA_VISIBLE_DEVICES=str(card))
        environment.pop('HABANA_VISIBLE_MODULES', None)
        with subprocess.Popen(command, env=environment, text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            for line in process.stdout:
                if LINE.match(line):
                    self.shown.epoch(card, name, line.rstrip())
            message = process.stderr.read().strip()
        if process.returncode:
            kind = CardFailed if process.returncode == CARD_FAILED else OSError
            raise kind(f'{name}: {message or process.returncode}')
        with open(path, encoding='utf-8') as file:
            return json.load(file)

    def work(self, card, folder):
        """What one card does."""
        path = os.path.join(folder, f'{card}.json')
        while True:
            try:
                combination = self.waiting.get_nowait()
            except queue.Empty:
                return
            try:
                result = self.train(card, combination, path)
                self.results.append((card, combination, result))
            except OSError as error:
                self.failed.append(f'card {card}: {error}')
            except CardFailed as error:
                self.failed.append(f'card {card}: {error}')
                self.dead.add(card)
                self.waiting.put(combination)
                return

    def run(self):
        alive = cards()
        with tempfile.TemporaryDirectory() as folder:
            # Again, if one failed when the others had nothing left to do.
            while alive and not self.waiting.empty():
                threads = [threading.Thread(target=self.work,
                                            args=(card, folder))
                           for card in alive]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                alive = [card for card in alive if card not in self.dead]
        while not self.waiting.empty():
            self.failed.append(f'{named(self.waiting.get())}: no card is left')

    def table(self):
        """The best first."""
        print('card      rate  hidden        seed     loss   right  steps/s')
        for card, (rate, hidden, seed), result in sorted(
                self.results, key=lambda one: (-one[2]['accuracy'],
                                               one[2]['losses'][-1])):
            print(f'{card:4}  {rate:>8}  {hidden:>6}  {seed:>10}  '
                  f'{result["losses"][-1]:7.4f}  {result["accuracy"]:6.1%}  '
                  f'{result["speed"]:7.0f}')


def listed(kind):
    """Of numbers with commas between them; as they were written."""
    def split(text):
        for one in text.split(','):
            kind(one)
        return text.split(',')
    split.__name__ = 'list of numbers'
    return split


def arguments():
    parser = argparse.ArgumentParser(
        description='Trains on all cards at once, each with other parameters.')
    parser.add_argument('train', metavar='TRAIN')
    parser.add_argument('digits', metavar='DIGITS')
    parser.add_argument('--model', choices=('mlp', 'cnn'), default='mlp')
    parser.add_argument('--type', choices=('f32', 'bf16'), default='f32')
    parser.add_argument('--epochs', type=int, default=10)
    parser.add_argument('--rate', type=listed(float),
                        default=['0.02', '0.05', '0.1', '0.2'])
    parser.add_argument('--hidden', type=listed(int), default=['32', '96'])
    parser.add_argument('--seed', type=listed(int), default=['1'])
    parser.add_argument('--json', help='the results')
    args = parser.parse_args()
    if args.epochs < 1:
        parser.error('--epochs: at least 1')
    if not shutil.which(args.train):
        parser.error(f'{args.train}: no program')
    return args


def main():
    args = arguments()
    search = Search(args)
    search.run()
    if search.results:
        search.table()
    for message in search.failed:
        print(f'search.py: {message}', file=sys.stderr)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as file:
            json.dump([{'card': card, **result}
                       for card, _, result in search.results], file)
    return 1 if search.failed else 0


if __name__ == '__main__':
    sys.exit(main())
