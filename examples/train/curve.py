# SPDX-License-Identifier: MIT
"""A picture of how the loss of a training falls."""

import math

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 60, 620, 40, 310
BLACK, GRID, CARD, OTHER = (0, 0, 0), (221, 221, 221), (0, 90, 181), (220, 50, 32)


def step(most, parts):
    """1, 2 or 5 times a power of ten, at most so many of which are in most."""
    power = 10.0 ** math.floor(math.log10(most / parts))
    return next(power * k for k in (1, 2, 5, 10)
                if most / (power * k) <= parts)


def write(path, title, losses, other=None):
    """The mean loss of each epoch; other: of who else learnt, {name: losses}."""
    curves = [('the card', losses, CARD),
              *((name, values, OTHER) for name, values in (other or {}).items())]
    top = max((loss for _, values, _ in curves for loss in values
               if math.isfinite(loss)), default=0) or 1
    last = max(len(losses), 2)
    image = Image.new('RGB', (WIDTH, HEIGHT), 'white')
    draw = ImageDraw.Draw(image)

    def column(epoch):
        return LEFT + (epoch - 1) * (RIGHT - LEFT) / (last - 1)

    def row(loss):
        """What is no number, too, is at the top."""
        return BOTTOM - (loss if loss < top else top) * (BOTTOM - TOP) / top

    each = step(top, 6)
    for i in range(int(top / each) + 1):
        draw.line([(LEFT, row(i * each)), (RIGHT, row(i * each))], GRID)
        draw.text((LEFT - 40, row(i * each) - 5), f'{i * each:.4g}', BLACK)
    each = max(int(step(last, 10)), 1)
    for epoch in range(each, last + 1, each):
        draw.line([(column(epoch), TOP), (column(epoch), BOTTOM)], GRID)
        draw.text((column(epoch) - 4, BOTTOM + 8), str(epoch), BLACK)
    draw.line([(LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM)], BLACK)
    draw.text((LEFT, TOP - 25), title, BLACK)
    draw.text((RIGHT - 35, BOTTOM + 25), 'epoch', BLACK)
    # The card's is drawn last: where others are the same, it is seen.
    for i, (name, values, colour) in reversed(list(enumerate(curves))):
        draw.line([(column(at), row(loss))
                   for at, loss in enumerate(values, 1)], colour, 2)
        draw.text((RIGHT - 90, TOP + 10 + 15 * i), name, colour)
    image.save(path, 'PNG')
