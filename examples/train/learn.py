# SPDX-License-Identifier: MIT
"""How networks learn handwritten digits: what mlp.py and cnn.py have in common.

    NETWORK.py DIGITS [--bf16] [--epochs N] [--seed N] [--numpy-epochs N]
               [--json FILE] [--png FILE]

DIGITS: digits.csv.gz of Debian's python3-sklearn, as "scripts/setup digits" finds it.

One recipe is one step: forward, backward and the optimiser. Its launches, one for
each place of a batch in the card's memory, are captured as graphs, which are replayed
(card.py). What the host does is to shuffle, and to show the loss. With the same seed,
all bits are the same. reference() does the same in NumPy.
"""

import argparse
import gzip
import json
import time
import zlib

import numpy as np

import card
import curve
import gaudi

SIDE, CLASSES = 8, 10
PIXELS = SIDE * SIDE


class Network:
    """Layers, ReLU between them, and a bias behind the last one."""
    layers = []
    batch = 64
    rate, momentum = 0.1, 0.9
    epochs = 30

    @staticmethod
    def inputs(pixels):
        """What the first layer sees: of each sample, at last a 1 or a channel of
        ones, whose weights begin as 0."""
        raise NotImplementedError

    def input_shape(self, samples):
        return self.inputs(np.zeros((samples, PIXELS), np.float32)).shape

    @property
    def parameters(self):
        shapes = {f'w{i}': layer.weights for i, layer in enumerate(self.layers)}
        return {**shapes, 'b': (CLASSES,)}

    def start(self, seed):
        random = np.random.default_rng(seed)
        start = {'b': np.zeros(CLASSES, np.float32)}
        for i, layer in enumerate(self.layers):
            w = random.standard_normal(layer.weights)
            w *= np.sqrt(2 / layer.fan_in)
            if i == 0:
                w[..., -1, :] = 0
            start[f'w{i}'] = w.astype(np.float32)
        return start


class Digits:
    """Four fifths to learn, one to be asked."""

    def __init__(self, path, network, seed):
        with gzip.open(path, 'rt') as file:
            table = np.loadtxt(file, delimiter=',', dtype=np.float32)
        if table.ndim != 2 or table.shape[1] != PIXELS + 1:
            raise SystemExit(f'{path}: {table.shape}, not rows of 65 numbers')
        table = table[np.random.default_rng(seed).permutation(len(table))]
        pixels = table[:, :PIXELS] / np.float32(16)
        label = table[:, PIXELS].astype(np.int32)
        held = len(table) // 5
        self.batch, self.label = network.batch, label[held:]
        # [way, sample, ...]: moved in each of the ways, and last as they are.
        self.x = np.stack([network.inputs(one) for one in moved(pixels[held:])])
        self.test_x = np.ascontiguousarray(network.inputs(pixels[:held]))
        self.test_label = label[:held].copy()

    @property
    def steps(self):
        """Whole batches of an epoch."""
        return len(self.label) // self.batch

    def epoch(self, random):
        """Batches in a new order: x[step, sample, ...], label[step, sample]. Every
        other digit, by chance, is moved by a pixel."""
        chosen = random.permutation(len(self.label))[:self.steps * self.batch]
        way = np.minimum(random.integers(0, 8, len(chosen)), len(self.x) - 1)
        x = self.x[way, chosen]
        shape = (self.steps, self.batch)
        return (x.reshape(shape + x.shape[1:]),
                self.label[chosen].reshape(shape))


def moved(pixels):
    """All digits up, down, left and right by one, and as they are."""
    image = pixels.reshape(-1, SIDE, SIDE)
    wide = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    return [wide[:, down:down + SIDE, right:right + SIDE].reshape(pixels.shape)
            for down, right in ((1, 0), (1, 2), (0, 1), (2, 1), (1, 1))]


def rates(network, epochs):
    """Of each epoch: a tenth in the last fifth of them."""
    last = epochs // 5
    return (epochs - last) * [network.rate] + last * [network.rate / 10]


def to_bf16(value):
    """Rounded to the nearest, ties to even, and f32 again."""
    word = np.ascontiguousarray(value, np.float32).view(np.uint32)
    word = word + np.uint32(0x7fff) + (word >> np.uint32(16) & np.uint32(1))
    return (word & np.uint32(0xffff0000)).view(np.float32)


class Reference:
    """A network in NumPy, rounded where the card rounds."""

    def __init__(self, network, seed, bf16):
        self.layers, self.network = network.layers, network
        self.p = network.start(seed)
        self.speed = {name: np.zeros_like(p) for name, p in self.p.items()}
        self.narrow = to_bf16 if bf16 else lambda value: value

    def forward(self, x):
        """What each layer sees, and the logarithm of what the network says."""
        seen = [self.narrow(x)]
        self.w = [self.narrow(self.p[f'w{i}'])
                  for i in range(len(self.layers))]
        for i, layer in enumerate(self.layers):
            y = layer.forward(seen[-1], self.w[i])
            seen.append(self.narrow(np.maximum(y, 0)))
        z = y.reshape(len(x), CLASSES) + self.p['b']
        z -= z.max(axis=1, keepdims=True)
        return seen, z - np.log(np.exp(z).sum(axis=1, keepdims=True))

    def step(self, x, label, rate):
        """The loss of each sample."""
        seen, logp = self.forward(x)
        hit = label[:, None] == np.arange(CLASSES)
        d = (np.exp(logp) - hit) * np.float32(1 / len(x))
        slopes = {'b': d.sum(axis=0)}
        d = self.narrow(d).reshape(self.layers[-1].shape(len(x)))
        for i in reversed(range(len(self.layers))):
            layer = self.layers[i]
            slopes[f'w{i}'] = layer.weights_of(seen[i], d)
            if i:
                back = layer.data(d, self.w[i], seen[i].shape)
                d = np.where(seen[i] > 0, self.narrow(back), np.float32(0))
        for name, slope in slopes.items():
            self.speed[name] = self.speed[name] * \
                np.float32(self.network.momentum) + slope
            self.p[name] = self.p[name] - \
                self.speed[name] * np.float32(rate)
        return -logp[hit]

    def accuracy(self, digits):
        said = self.forward(digits.test_x)[1].argmax(axis=1)
        return float((said == digits.test_label).mean())


def reference(network, digits, rate_of, seed, bf16):
    """In NumPy, with the rate of each epoch: (mean losses of the epochs, accuracy,
    steps/s)."""
    random, numpy = np.random.default_rng(seed + 1), Reference(network, seed, bf16)
    losses, begin = [], time.monotonic()
    for rate in rate_of:
        losses.append(float(np.mean([numpy.step(x, label, rate) for x, label
                                     in zip(*digits.epoch(random))])))
    speed = len(losses) * digits.steps / (time.monotonic() - begin)
    return losses, numpy.accuracy(digits), speed


def arguments(network, description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('digits')
    parser.add_argument('--bf16', action='store_true',
                        help='operands of products in bf16')
    parser.add_argument('--epochs', type=int, default=network.epochs)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--numpy-epochs', type=int, metavar='N',
                        help='learn the same in NumPy, but only so far; 0: not '
                        'at all')
    parser.add_argument('--json', help='what came of it')
    parser.add_argument('--png', help='the loss curve')
    args = parser.parse_args()
    if args.epochs < 1:
        parser.error('--epochs: at least 1')
    if args.numpy_epochs is None:
        args.numpy_epochs = args.epochs
    if not 0 <= args.numpy_epochs <= args.epochs:
        parser.error(f'--numpy-epochs: 0 to {args.epochs}')
    return args


def train(network, digits, args):
    """On a card: the loss and what the parameters are after each epoch."""
    losses, crc = [], []
    with gaudi.open(timeout=60) as device:
        trainer = card.Trainer(device, network, digits, args.seed, args.bf16)
        for epoch, rate in enumerate(rates(network, args.epochs)):
            graphs = trainer.steps_of(rate)
            begin = time.monotonic()
            losses.append(trainer.epoch(graphs))
            speed = digits.steps / (time.monotonic() - begin)
            accuracy = trainer.accuracy()
            crc.append(zlib.crc32(trainer.parameters()))
            print(f'epoch {epoch + 1} of {args.epochs}: loss {losses[-1]:.4f}, '
                  f'{accuracy:.1%} right, {speed:.1f} steps/s', flush=True)
    return {'losses': losses, 'accuracy': accuracy, 'crc': crc}


def main(network, description):
    args = arguments(network, description)
    digits = Digits(args.digits, network, args.seed)
    result, other = train(network, digits, args), {}
    if args.numpy_epochs:
        rate_of = rates(network, args.epochs)[:args.numpy_epochs]
        want, accuracy, speed = reference(network, digits, rate_of, args.seed,
                                          args.bf16)
        apart = max(abs(a - b) for a, b in zip(result['losses'], want))
        print(f'NumPy, epoch {len(want)}: loss {want[-1]:.4f}, {accuracy:.1%} right, '
              f'{speed:.1f} steps/s; losses at most {apart:.1e} apart')
        other['NumPy'] = want
    if args.png:
        kind = 'bf16' if args.bf16 else 'f32'
        curve.write(args.png, f'{type(network).__name__}, {kind}, seed '
                    f'{args.seed}: mean loss of each epoch',
                    result['losses'], other)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as file:
            json.dump(result, file)
