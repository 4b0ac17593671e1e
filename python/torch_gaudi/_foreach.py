# SPDX-License-Identifier: MIT
"""Operators of lists of tensors (_foreach_add_ and the others): that of one, for each of them, and
all of these go to the card together."""

import torch

from ._native import together


def _one(name):
    """PyTorch's function of one tensor; not all have one that works in place."""
    if name == 'norm':
        return torch.linalg.vector_norm
    if hasattr(torch.Tensor, name):
        return getattr(torch.Tensor, name)
    fresh = getattr(torch.Tensor, name.rstrip('_'))
    return lambda t, *others: t.copy_(fresh(t, *others))


def _each(one, takes_value):
    """Of a list each takes its element, and what is no list. @takes_value: a fourth argument
    is a keyword of @one."""
    def run(*args, **kwargs):
        count = next(len(v) for v in args if isinstance(v, (list, tuple)))
        lists = [v if isinstance(v, (list, tuple)) else [v] * count for v in args]
        named = {key: [v] * count for key, v in kwargs.items()}
        if takes_value and len(lists) > 3:
            values = args[3]
            # Of PyTorch 2: a number for each, as a tensor of the CPU.
            named['value'] = values.tolist() if isinstance(values, torch.Tensor) else lists[3]
            lists.pop()
        with together():
            return [one(*(v[i] for v in lists), **{key: v[i] for key, v in named.items()})
                    for i in range(count)]
    return run


def _in_place(run):
    def without_result(*args, **kwargs):
        run(*args, **kwargs)
    return without_result


def register(library):
    """All that this PyTorch has; what has an output goes to the CPU."""
    done = []
    for name in dir(torch._C._VariableFunctions):
        if not name.startswith('_foreach_'):
            continue
        short = name[len('_foreach_'):]
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            if overload.endswith('out'):
                continue
            one = torch.pow if overload == 'ScalarAndTensor' else _one(short)
            run = _each(one, short.startswith('addc'))
            op = getattr(packet, overload)
            library.impl(op, _in_place(run) if name.endswith('_') else run)
            done.append(str(op))
    return done
