#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small GPT learns a text, character by character, on the CPU or on the card, and goes on
with it.

    python3 examples/torch/gpt.py --device hpu --steps 500 --save gpt.pt
    python3 examples/torch/gpt.py --device cpu --load gpt.pt --steps 0 --write 'This License'

What is saved on one device goes on on the other one. The text is the GPL, of Debian's
base-files; --text names another one.
"""

import torch
from torch import nn

import steps

NAME, STEPS, BATCH, LENGTH, WIDTH, HEADS, LAYERS = 'gpt', 500, 16, 64, 64, 4, 2
TEXT = '/usr/share/common-licenses/GPL-3'


class Block(nn.Module):
    """Attention to what came before, and a layer for each place."""

    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.each = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                  nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, later):
        size, length, _ = x.shape
        q, k, v = (part.view(size, length, HEADS, -1).transpose(1, 2)
                   for part in self.qkv(self.norms[0](x)).split(WIDTH, dim=2))
        scores = q @ k.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5
        weights = scores.masked_fill(later, float('-inf')).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(size, length, WIDTH))
        return x + self.each(self.norms[1](x))


class GPT(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.letters, self.places = nn.Embedding(letters, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, letters, bias=False)
        self.register_buffer('later', torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1))
        self.register_buffer('order', torch.arange(LENGTH))

    def forward(self, x):
        length = x.shape[1]
        y = self.letters(x) + self.places(self.order[:length])
        for block in self.blocks:
            y = block(y, self.later[:length, :length])
        return self.head(self.norm(y))


class Text:
    """A text as numbers of its letters, and batches of pieces of it."""
    NAME = NAME

    def __init__(self, path=TEXT):
        with open(path, encoding='utf-8') as file:
            self.text = ' '.join(file.read().split())
        if len(self.text) <= LENGTH:
            raise SystemExit(f'{path} is shorter than {LENGTH} letters')
        self.letters = sorted(set(self.text))
        self.numbers = torch.tensor(self.encode(self.text))

    def encode(self, text):
        unknown = set(text) - set(self.letters)
        if unknown:
            raise SystemExit(f'not in the text that was learned: {" ".join(sorted(unknown))}')
        return [self.letters.index(letter) for letter in text]

    def network(self):
        return GPT(len(self.letters))

    @staticmethod
    def optimizer(parameters):
        return torch.optim.AdamW(parameters, lr=3e-3)

    @staticmethod
    def loss(outputs, wanted):
        return nn.functional.cross_entropy(outputs.flatten(0, 1), wanted.flatten())

    def batches(self, count):
        draw = torch.Generator().manual_seed(2)
        for _ in range(count):
            begins = torch.randint(len(self.numbers) - LENGTH, (BATCH, 1), generator=draw)
            pieces = self.numbers[begins + torch.arange(LENGTH + 1)]
            yield pieces[:, :-1], pieces[:, 1:]

    @torch.no_grad()
    def write(self, model, device, begin, count):
        """@count letters after @begin, drawn by what the model expects. All calls have the
        same sizes, so that no recipe is built for each letter."""
        draw, numbers = torch.Generator().manual_seed(3), self.encode(begin)
        model.eval()
        for _ in range(count):
            seen = numbers[-LENGTH:]
            padded = torch.tensor([seen + [0] * (LENGTH - len(seen))])
            expects = model(padded.to(device))[0].cpu()[len(seen) - 1]
            chosen = torch.multinomial((expects / 0.5).softmax(0), 1, generator=draw)
            numbers.append(int(chosen))
        return ''.join(self.letters[number] for number in numbers)


def main():
    made = steps.parser(__doc__, STEPS, 0)
    made.add_argument('--text', default=TEXT)
    made.add_argument('--save', metavar='FILE')
    made.add_argument('--load', metavar='FILE')
    made.add_argument('--write', metavar='BEGIN', default='The licen')
    made.add_argument('--letters', type=steps.at_least(0), default=200)
    options = made.parse_args()
    if options.device == 'hpu':
        import torch_gaudi                              # noqa: F401 - registers the device
    text = Text(options.text)
    torch.manual_seed(1)
    model = text.network().to(options.device)
    if options.load:
        model.load_state_dict(torch.load(options.load, map_location=options.device))
    run = steps.train(text, options.device, options.steps, model, options.show) \
        if options.steps else None
    if options.save:
        torch.save(model.state_dict(), options.save)
    print(text.write(model, options.device, options.write, options.letters))
    if run:
        steps.table([run])


if __name__ == '__main__':
    main()
