# SPDX-License-Identifier: MIT
"""A network on a card: its recipes, and its training by replayed graphs."""

import numpy as np

from gaudi import Builder, Kind, MatrixFlags, Type


class Nodes:
    """A network's nodes, put into a recipe's builder.

    In bf16 the operands of all products are bf16: copies of the parameters, made at
    each step, and what goes from layer to layer. Sums within products, what comes
    behind the last layer, slopes and parameters are f32.
    """

    def __init__(self, builder, network, samples, bf16):
        self.builder, self.network = builder, network
        self.samples, self.bf16 = samples, bf16
        self.narrow = Type.BF16 if bf16 else Type.F32
        self.kernel = builder.library_kernel
        self.shapes = {}

    def tensor(self, name, shape, kind=Kind.WORKSPACE, type=Type.F32):
        found = self.builder.tensor(name, kind, type, shape)
        self.shapes[found] = shape
        return found

    def operand(self, name, tensor):
        """As a product takes it."""
        if not self.bf16:
            return tensor
        narrow = self.tensor(name + ' in bf16', self.shapes[tensor],
                             type=Type.BF16)
        self.kernel('cast_f32_bf16', [tensor, narrow])
        return narrow

    def forward(self, kind):
        """Up to what the network says. The parameters are of a kind."""
        layers = self.network.layers
        self.p = {name: self.tensor(name, shape, kind)
                  for name, shape in self.network.parameters.items()}
        x = self.tensor('x', self.network.input_shape(self.samples), Kind.INPUT)
        self.seen = [self.operand('x', x)]
        self.w = [self.operand(f'w{i}', self.p[f'w{i}'])
                  for i in range(len(layers))]
        for i, layer in enumerate(layers):
            last = i == len(layers) - 1
            y = self.tensor(f'h{i}', layer.shape(self.samples),
                            type=Type.F32 if last else self.narrow)
            layer.node(self.builder, y, self.seen[-1], self.w[i],
                       MatrixFlags.NONE if last else MatrixFlags.RELU)
            self.seen.append(y)
        z = self.tensor('z', layers[-1].shape(self.samples))
        self.kernel('add_f32', [y, self.p['b'], z])
        # A row is a sample: one label, one loss.
        self.row = self.shapes[z][:-1] + (1,)
        self.label = self.tensor('label', self.row, Kind.INPUT, Type.I32)
        return z

    def slopes(self, z):
        """The loss, and gradients of all parameters."""
        layers, slopes = self.network.layers, {}
        loss = self.tensor('loss', self.row, Kind.OUTPUT)
        d = self.tensor('d', self.shapes[z])
        self.kernel('cross_entropy_f32', [z, self.label, loss])
        self.kernel('cross_entropy_grad_f32', [z, self.label, d],
                    [1 / self.samples])
        slopes['b'] = self.tensor('db', (1,) + self.shapes[z][1:])
        self.kernel('sum_columns_f32' if len(self.row) == 2 else 'sum_dim3_f32',
                    [d, slopes['b']])
        d = self.operand('d', d)
        for i in reversed(range(len(layers))):
            came = self.seen[i]
            slopes[f'w{i}'] = self.tensor(f'dw{i}', layers[i].weights)
            layers[i].weights_node(self.builder, slopes[f'w{i}'], came, d)
            if i == 0:
                return slopes
            back = self.tensor(f'back{i}', self.shapes[came], type=self.narrow)
            layers[i].data_node(self.builder, back, d, self.w[i])
            d = self.tensor(f'd{i}', self.shapes[came], type=self.narrow)
            self.kernel('relu_grad_bf16' if self.bf16 else 'relu_grad_f32',
                        [came, back, d])

    def optimise(self, slopes, rate, momentum):
        for name, slope in slopes.items():
            speed = self.tensor('speed of ' + name,
                                self.network.parameters[name], Kind.OUTPUT)
            self.kernel('momentum_f32', [self.p[name], slope, speed],
                        [rate, momentum, 0.0])


def step_recipe(network, rate, bf16):
    with Builder('step') as builder:
        nodes = Nodes(builder, network, network.batch, bf16)
        # Read and written: outputs.
        slopes = nodes.slopes(nodes.forward(Kind.OUTPUT))
        nodes.optimise(slopes, rate, network.momentum)
        return builder.build()


def ask_recipe(network, samples, bf16):
    with Builder('ask') as builder:
        nodes = Nodes(builder, network, samples, bf16)
        z = nodes.forward(Kind.INPUT)
        right = nodes.tensor('right', nodes.row, Kind.OUTPUT)
        nodes.kernel('correct_rows_f32', [z, nodes.label, right])
        return builder.build()


class Trainer:
    """A network on a card."""

    def __init__(self, device, network, digits, seed, bf16):
        self.device, self.network, self.digits = device, network, digits
        self.random = np.random.default_rng(seed + 1)
        self.stream = device.stream()
        self.theirs = {name: device.put(value)
                       for name, value in network.start(seed).items()}
        speed = {'speed of ' + name: device.put(np.zeros(shape, np.float32))
                 for name, shape in network.parameters.items()}
        steps, batch = digits.steps, network.batch
        self.sizes = {'x': 4 * int(np.prod(network.input_shape(batch))),
                      'label': 4 * batch, 'loss': 4 * batch}
        self.host = {name: device.alloc_host(steps * size)
                     for name, size in self.sizes.items()}
        self.card = {name: device.alloc(steps * size)
                     for name, size in self.sizes.items()}
        self.tensors = {**self.theirs, **speed}
        self.bf16, self.graphs = bf16, {}
        self.prepare_to_ask(bf16)

    def steps_of(self, rate):
        """Captured once, when an epoch first goes so far with a step."""
        if rate not in self.graphs:
            launcher = self.device.launcher(
                step_recipe(self.network, rate, self.bf16))
            launcher.bind(self.tensors)
            self.graphs[rate] = [self.capture(launcher, step)
                                 for step in range(self.digits.steps)]
        return self.graphs[rate]

    def capture(self, launcher, step):
        """The launch for one place of a batch in the card's memory."""
        with self.stream.capture() as capture:
            launcher.launch(self.stream, {
                name: self.card[name][step * size:(step + 1) * size]
                for name, size in self.sizes.items()})
        return capture.graph

    def prepare_to_ask(self, bf16):
        samples = len(self.digits.test_x)
        self.asker = self.device.launcher(
            ask_recipe(self.network, samples, bf16))
        self.right = self.device.alloc(4 * samples)
        self.asker.bind({**self.theirs, 'right': self.right,
                         'x': self.device.put(self.digits.test_x),
                         'label': self.device.put(self.digits.test_label)})

    def epoch(self, graphs):
        """The mean loss."""
        x, label = self.digits.epoch(self.random)
        self.host['x'].to_numpy(np.float32)[:] = x.reshape(-1)
        self.host['label'].to_numpy(np.int32)[:] = label.reshape(-1)
        for name in ('x', 'label'):
            self.stream.copy(self.card[name], self.host[name])
        for graph in graphs:
            graph.launch(self.stream)
        self.stream.copy(self.host['loss'], self.card['loss'])
        self.stream.synchronize()
        return float(self.host['loss'].to_numpy(np.float32).mean())

    def accuracy(self):
        """Of the held-out fifth."""
        self.asker.launch(self.stream)
        self.stream.synchronize()
        return float(self.right.to_numpy(np.float32).mean())

    def parameters(self):
        return b''.join(one.read() for one in self.theirs.values())
