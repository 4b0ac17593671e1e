# SPDX-License-Identifier: GPL-2.0-only
"""What trainings wrote: results in JSON, and pictures of the loss."""

import json
import os

from PIL import Image

# What the card's line is drawn with.
CARD = (0, 90, 181)

# How far the mean losses of an epoch may be from a reference's, the first epoch's and
# later ones': the sign of a ReLU's input that is nearly 0, or a number between two of
# bf16, is not the same everywhere, which grows.
BOUNDS = {'f32': (1e-4, 1e-2), 'bf16': (2e-2, 5e-2)}


def near(kind, losses, reference):
    """How far apart they are."""
    assert len(losses) == len(reference)
    apart = [abs(a - b) for a, b in zip(losses, reference)]
    first, later = BOUNDS[kind]
    assert apart[0] <= first, apart
    assert max(apart) <= later, apart
    return max(apart)


def load(folder, name):
    with open(os.path.join(folder, name + '.json'), encoding='utf-8') as file:
        return json.load(file)


def curve(path, losses):
    """The picture: its line falls from the first loss to the last one, without a gap."""
    image = Image.open(path).convert('RGB')
    assert image.size == (640, 360), image.size
    columns = [[y for y in range(360) if image.getpixel((x, y)) == CARD]
               for x in range(61, 620)]
    assert all(columns), 'a gap'
    top = max(losses)
    for column, loss in ((columns[0], losses[0]), (columns[-1], losses[-1])):
        want = 310 - loss / top * 270
        assert min(abs(y - want) for y in column) <= 4, (column, want)
