# SPDX-License-Identifier: GPL-2.0-only
"""What came of the trainings in C of the suite "train": FOLDER of their files,
"same FOLDER FOLDER" of first epochs on two drivers, or "cards FOLDER" of a search on
eight cards and the same training alone."""

import os
import sys

from results import curve, load, near


MODELS, KINDS = ('mlp', 'cnn'), ('f32', 'bf16')


def first(folder, model, kind, name):
    """A short training, without what depends on the host."""
    run = load(folder, f'{model}-{kind}-{name}')
    del run['speed']
    return run


def same(folder, other):
    """Two drivers, and the same bits."""
    for model in MODELS:
        for kind in KINDS:
            assert first(folder, model, kind, '2') == \
                first(other, model, kind, '2'), (model, kind)


def trained(folder, model):
    run = load(folder, f'{model}-1')
    short = load(folder, f'{model}-bf16')
    for kind, one in (('f32', run), ('bf16', short)):
        reference = load(folder, f'{model}-{kind}-reference')
        apart = near(kind, one['losses'], reference['losses'])
        print(f'{model} {kind}: {one["accuracy"]:.1%}, in plain C '
              f'{reference["accuracy"]:.1%}; losses at most {apart:.1e} apart')
    assert run['accuracy'] >= 0.96, run['accuracy']
    assert run['losses'][-1] < run['losses'][0] / 5
    for kind in KINDS:
        one = first(folder, model, kind, '2')
        assert one == first(folder, model, kind, '2b'), \
            f'{kind}: other bits with the same seed'
        # The rate is the same in the first epoch, whatever follows.
        assert one['losses'][0] != (run if kind == 'f32' else short)['losses'][0], \
            'the seed counts for nothing'
    assert short['crc'] != run['crc'], 'bf16 is f32'
    assert short['accuracy'] >= run['accuracy'] - 0.01
    curve(os.path.join(folder, f'{model}-1.png'), run['losses'])


def cards(folder):
    found, alone = load(folder, 'search'), load(folder, 'alone')
    print([(one['card'], one['rate'], one['hidden']) for one in found])
    assert sorted(one['card'] for one in found) == list(range(8))
    assert len({one['crc'] for one in found}) == 8
    same = [one for one in found
            if (one['rate'], one['hidden']) == (alone['rate'], alone['hidden'])]
    assert [one['crc'] for one in same] == [alone['crc']], \
        'beside others it is not the same'


def main():
    if sys.argv[1] == 'cards':
        cards(sys.argv[2])
    elif sys.argv[1] == 'same':
        same(*sys.argv[2:])
    else:
        for model in MODELS:
            trained(sys.argv[1], model)


main()
