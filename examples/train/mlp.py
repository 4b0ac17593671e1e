#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A multilayer perceptron learns handwritten digits, wholly on the card.

    mlp.py DIGITS KERNELS [--epochs N] [--seed N] [--json FILE] [--png FILE]

DIGITS: digits.csv.gz of Debian's python3-sklearn, as "scripts/setup digits" finds it.
KERNELS: a folder with the objects of relu_grad.s, sgd.s and softmax.s.

One recipe is one step: forward, backward and the optimiser. Its launches, one for
each place of a batch in the card's memory, are captured as graphs, which are replayed.
What the host does is to shuffle, and to show the loss. With the same seed, all bits
are the same. reference() does the same in NumPy.
"""

import argparse
import gzip
import json
import os
import struct
import time
import zlib

import numpy as np

import gaudi
from gaudi import Builder, KernelTensor, Kind, MatrixFlags, Type

PIXELS, HIDDEN, CLASSES = 64, 96, 10
INPUTS = PIXELS + 1     # and a 1, whose weights are the first layer's bias
BATCH = 64
RATE, MOMENTUM = 0.1, 0.9
LANES = 64
PARAMETERS = {'w1': (INPUTS, HIDDEN), 'w2': (HIDDEN, CLASSES), 'b2': (CLASSES, 1)}


class Digits:
    """Four fifths to learn, one to be asked. One-hot labels are columns."""

    def __init__(self, path, seed):
        with gzip.open(path, 'rt') as file:
            table = np.loadtxt(file, delimiter=',', dtype=np.float32)
        if table.ndim != 2 or table.shape[1] != PIXELS + 1:
            raise SystemExit(f'{path}: {table.shape}, not rows of 65 numbers')
        table = table[np.random.default_rng(seed).permutation(len(table))]
        x = np.ones((len(table), INPUTS), np.float32)
        x[:, :PIXELS] = table[:, :PIXELS] / 16
        labels = table[:, PIXELS].astype(int)
        held = len(table) // 5
        self.x, self.labels = x[held:], labels[held:]
        self.test_x, self.test_labels = x[:held], labels[:held]

    @property
    def steps(self):
        """Whole batches of an epoch."""
        return len(self.x) // BATCH

    def epoch(self, random):
        """Batches in a new order: x[step, sample, input], y[step, class, sample]."""
        chosen = random.permutation(len(self.x))[:self.steps * BATCH]
        labels = self.labels[chosen].reshape(self.steps, 1, BATCH)
        y = labels == np.arange(CLASSES).reshape(1, CLASSES, 1)
        return (self.x[chosen].reshape(self.steps, BATCH, INPUTS),
                np.ascontiguousarray(y, np.float32))

    def accuracy(self, p):
        """Of what was said about the held-out fifth: p[class, sample]."""
        return float((p.argmax(axis=0) == self.test_labels).mean())


def parameters(seed):
    random = np.random.default_rng(seed)
    start = {name: random.standard_normal(shape) * np.sqrt(2 / shape[0])
             for name, shape in PARAMETERS.items()}
    start['w1'][PIXELS] = 0
    start['b2'][:] = 0
    return {name: value.astype(np.float32) for name, value in start.items()}


def reference(digits, epochs, seed):
    """In NumPy: (losses of the epochs, accuracy)."""
    now, random = parameters(seed), np.random.default_rng(seed + 1)
    speed = {name: np.zeros_like(value) for name, value in now.items()}
    losses = []

    def forward(x):
        h = np.maximum(x @ now['w1'], 0)
        z = now['w2'].T @ h.T + now['b2']
        z -= z.max(axis=0)
        return h, z - np.log(np.exp(z).sum(axis=0))

    for _ in range(epochs):
        total = []
        for x, y in zip(*digits.epoch(random)):
            h, logp = forward(x)
            total.append(-(y * logp).sum(axis=0))
            d = (np.exp(logp) - y) * np.float32(1 / BATCH)
            dh = np.where(h > 0, d.T @ now['w2'].T, np.float32(0))
            slope = {'w1': x.T @ dh, 'w2': h.T @ d.T,
                     'b2': d.sum(axis=1, keepdims=True)}
            for name, value in slope.items():
                speed[name] = speed[name] * np.float32(MOMENTUM) + value
                now[name] = now[name] - speed[name] * np.float32(RATE)
        losses.append(float(np.mean(total)))
    return losses, digits.accuracy(forward(digits.test_x)[1])


def bits(value):
    return struct.unpack('<I', struct.pack('<f', value))[0]


class Network:
    """Its nodes, put into a recipe's builder."""

    def __init__(self, builder, kernels):
        self.builder, self.kernels = builder, kernels

    def tensor(self, name, shape, kind=Kind.WORKSPACE, data=None):
        return self.builder.tensor(name, kind, Type.F32, shape, data=data)

    def kernel(self, name, reads, writes, space, scalars=()):
        """Arguments that are read and written are given once, in both."""
        every = reads + [one for one in writes if one not in reads]
        self.builder.kernel(
            name, self.kernels[name],
            [KernelTensor(one, one in reads, one in writes) for one in every],
            space, scalars)

    def forward(self, samples, kind):
        """Up to the loss. The parameters are of a kind."""
        tensor, matmul = self.tensor, self.builder.matmul
        self.p = {name: tensor(name, shape, kind)
                  for name, shape in PARAMETERS.items()}
        self.x = tensor('x', (samples, INPUTS), Kind.INPUT)
        y = tensor('y', (CLASSES, samples), Kind.INPUT)
        self.h = tensor('h', (samples, HIDDEN))
        z = tensor('z', (CLASSES, samples))
        self.d = tensor('d', (CLASSES, samples), Kind.OUTPUT)
        loss = tensor('loss', (samples,), Kind.OUTPUT)
        matmul(self.h, self.x, self.p['w1'], MatrixFlags.RELU)
        matmul(z, self.p['w2'], self.h,
               MatrixFlags.TRANSPOSE_A | MatrixFlags.TRANSPOSE_B)
        self.kernel('softmax', [z, self.p['b2'], y], [self.d, loss],
                    [-(-samples // LANES)], [CLASSES, bits(1 / BATCH)])

    def backward(self):
        tensor, matmul = self.tensor, self.builder.matmul
        back = tensor('back', (BATCH, HIDDEN))
        dh = tensor('dh', (BATCH, HIDDEN))
        ones = tensor('ones', (BATCH, 1), Kind.CONSTANT,
                      np.ones((BATCH, 1), np.float32))
        slope = {name: tensor('d' + name, shape)
                 for name, shape in PARAMETERS.items()}
        matmul(back, self.d, self.p['w2'],
               MatrixFlags.TRANSPOSE_A | MatrixFlags.TRANSPOSE_B)
        self.kernel('relu_grad', [self.h, back], [dh],
                    [-(-HIDDEN // LANES), BATCH])
        matmul(slope['w2'], self.h, self.d,
               MatrixFlags.TRANSPOSE_A | MatrixFlags.TRANSPOSE_B)
        matmul(slope['b2'], self.d, ones)
        matmul(slope['w1'], self.x, dh, MatrixFlags.TRANSPOSE_A)
        return slope

    def optimise(self, slope):
        for name, shape in PARAMETERS.items():
            speed = self.tensor('speed of ' + name, shape, Kind.OUTPUT)
            self.kernel('sgd', [self.p[name], speed, slope[name]],
                        [self.p[name], speed],
                        [-(-shape[1] // LANES), shape[0]],
                        [bits(-RATE), bits(MOMENTUM)])


def step_recipe(kernels):
    with Builder('step') as builder:
        network = Network(builder, kernels)
        # Read and written: outputs.
        network.forward(BATCH, Kind.OUTPUT)
        network.optimise(network.backward())
        return builder.build()


def ask_recipe(kernels, samples):
    with Builder('ask') as builder:
        Network(builder, kernels).forward(samples, Kind.INPUT)
        return builder.build()


class Trainer:
    """A network on a card."""

    def __init__(self, device, digits, kernels, seed):
        self.device, self.digits = device, digits
        self.random = np.random.default_rng(seed + 1)
        self.stream = device.stream()
        put = device.put
        self.theirs = {name: put(value)
                       for name, value in parameters(seed).items()}
        speed = {'speed of ' + name: put(np.zeros(shape, np.float32))
                 for name, shape in PARAMETERS.items()}
        steps = digits.steps
        self.sizes = {'x': BATCH * INPUTS * 4, 'y': BATCH * CLASSES * 4,
                      'loss': BATCH * 4}
        self.host = {name: device.alloc_host(steps * size)
                     for name, size in self.sizes.items()}
        self.card = {name: device.alloc(steps * size)
                     for name, size in self.sizes.items()}
        self.launcher = device.launcher(step_recipe(kernels))
        self.launcher.bind({**self.theirs, **speed,
                            'd': device.alloc(BATCH * CLASSES * 4)})
        self.graphs = [self.capture(step) for step in range(steps)]
        self.prepare_to_ask(kernels)

    def capture(self, step):
        with self.stream.capture() as capture:
            self.launcher.launch(self.stream, {
                name: self.card[name][step * size:(step + 1) * size]
                for name, size in self.sizes.items()})
        return capture.graph

    def prepare_to_ask(self, kernels):
        samples = len(self.digits.test_x)
        self.asker = self.device.launcher(ask_recipe(kernels, samples))
        # Nothing is known: the gradient is the probability, but for a factor.
        nothing = np.zeros((CLASSES, samples), np.float32)
        self.answer = self.device.alloc(nothing.nbytes)
        self.asker.bind({**self.theirs, 'y': self.device.put(nothing),
                         'x': self.device.put(self.digits.test_x),
                         'd': self.answer,
                         'loss': self.device.alloc(samples * 4)})

    def epoch(self):
        """The mean loss."""
        for name, data in zip('xy', self.digits.epoch(self.random)):
            self.host[name].to_numpy(np.float32)[:] = data.reshape(-1)
            self.stream.copy(self.card[name], self.host[name])
        for graph in self.graphs:
            graph.launch(self.stream)
        self.stream.copy(self.host['loss'], self.card['loss'])
        self.stream.synchronize()
        return float(self.host['loss'].to_numpy(np.float32).mean())

    def accuracy(self):
        self.asker.launch(self.stream)
        self.stream.synchronize()
        return self.digits.accuracy(self.answer.to_numpy(
            np.float32, (CLASSES, len(self.digits.test_x))))

    def parameters(self):
        return b''.join(one.read() for one in self.theirs.values())


def png(path, losses):
    """The curve of the losses, 600 x 300 grey pixels."""
    width, height, margin = 600, 300, 20
    image = np.full((height, width), 255, np.uint8)
    image[height - margin, margin:-margin] = 160
    image[margin:-margin, margin] = 160
    at = np.linspace(0, len(losses) - 1, 4 * width)
    column = margin + at / max(len(losses) - 1, 1) * (width - 2 * margin - 1)
    row = height - margin - np.interp(at, np.arange(len(losses)), losses) / \
        max(losses) * (height - 2 * margin)
    image[row.astype(int), column.astype(int)] = 0
    rows = b''.join(b'\0' + line.tobytes() for line in image)

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + \
            struct.pack('>I', zlib.crc32(kind + data))

    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(
            b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def load_kernels(folder):
    kernels = {}
    for name in ('relu_grad', 'sgd', 'softmax'):
        try:
            with open(os.path.join(folder, name + '.o'), 'rb') as file:
                kernels[name] = file.read()
        except OSError as error:
            raise SystemExit(f'no kernel: {error.filename}: '
                             f'{error.strerror}') from None
    return kernels


def arguments():
    parser = argparse.ArgumentParser(description='Train on handwritten digits.')
    parser.add_argument('digits')
    parser.add_argument('kernels')
    parser.add_argument('--epochs', type=int, default=15)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--json', help='what came of it')
    parser.add_argument('--png', help='the loss curve')
    args = parser.parse_args()
    if args.epochs < 1:
        parser.error('--epochs: at least 1')
    return args


def main():
    args = arguments()
    digits = Digits(args.digits, args.seed)
    kernels = load_kernels(args.kernels)
    with gaudi.open(timeout=60) as device:
        trainer = Trainer(device, digits, kernels, args.seed)
        losses = []
        for epoch in range(args.epochs):
            begin = time.monotonic()
            losses.append(trainer.epoch())
            speed = digits.steps / (time.monotonic() - begin)
            accuracy = trainer.accuracy()
            print(f'epoch {epoch + 1}: loss {losses[-1]:.4f}, '
                  f'{accuracy:.1%} right, {speed:.0f} steps/s', flush=True)
        crc = zlib.crc32(trainer.parameters())
    want, want_accuracy = reference(digits, args.epochs, args.seed)
    apart = [abs(a - b) for a, b in zip(losses, want)]
    print(f'NumPy: loss {want[-1]:.4f}, {want_accuracy:.1%} right; '
          f'losses at most {max(apart):.1e} apart')
    if args.png:
        png(args.png, losses)
    if args.json:
        with open(args.json, 'w', encoding='utf-8') as file:
            json.dump({'losses': losses, 'accuracy': accuracy, 'apart': apart,
                       'reference': want_accuracy, 'crc': crc}, file)


if __name__ == '__main__':
    main()
