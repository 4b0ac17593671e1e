# SPDX-License-Identifier: MIT
"""Operators that PyTorch itself can say by simpler ones (torch._decomp): where the card has no
kernel, these run there, and the CPU is not needed."""

import traceback

import torch
import torch._decomp
import torch._refs
from torch.utils._pytree import tree_map

from torch_gaudi import (_bags, _compositions, _draws, _elements, _native, _ordered,
                         _windows)

# What the C++ tables have not, and all parts of which may be the card's.
NAMES = '''
_euclidean_dist addr binary_cross_entropy binary_cross_entropy_backward celu col2im
elu glu glu_backward hardshrink hardsigmoid hardsigmoid_backward
hardswish hardswish_backward hardtanh_backward huber_loss huber_loss_backward
im2col logit logit_backward log_sigmoid_backward log_sigmoid_forward mish mse_loss
mse_loss_backward native_dropout native_dropout_backward native_group_norm
native_group_norm_backward softplus softplus_backward softshrink
softshrink_backward hardshrink_backward threshold
upsample_nearest2d xlogy nan_to_num trace frac
isposinf isneginf
'''.split()


def _overload(name):
    base, _, overload = name.partition('.')
    return getattr(getattr(torch.ops.aten, base), overload or 'default')


def _written(op):
    return [a.name for a in op._schema.arguments if a.alias_info and a.alias_info.is_write]


def _accepts(op):
    """Of tensors, and those that return new ones: PyTorch, or the CPU, does the others."""
    arguments = op._schema.arguments
    return str(arguments[0].type) == 'Tensor' and not _written(op)


def _or_the_cpu(name, function):
    op = _overload(name)
    # A function looks at indexes that it is given (check_index), and not at its own.
    trust = _native.lib.gt_trust_indexes
    written = _written(op)

    def call(*args, **kwargs):
        trust(1)
        try:
            return function(*args, **kwargs)
        except _compositions.Unsupported as lack:
            why = str(lack)
        finally:
            trust(-1)
        torch.ops.torch_gaudi.note_fallback('aten::' + name, why)
        device = next(t.device for t in args if isinstance(t, torch.Tensor))
        there, here = tree_map(lambda t: t.cpu() if isinstance(t, torch.Tensor) else t,
                               (args, kwargs))
        found = op(*there, **here)
        if not written:
            return tree_map(lambda t: t.to(device) if isinstance(t, torch.Tensor) else t, found)
        names = [a.name for a in op._schema.arguments]
        given, here = {**dict(zip(names, args)), **kwargs}, {**dict(zip(names, there)), **here}
        outs = [given[key].resize_(here[key].shape).copy_(here[key]) for key in written]
        return outs[0] if len(outs) == 1 else tuple(outs)
    return call


def _into_output(function):
    def call(*args, out=None, grad_input=None, **kwargs):
        out = grad_input if out is None else out
        result = function(*args, **kwargs)
        if out.shape != result.shape:
            out.resize_(result.shape)
        return out.copy_(result)
    return call


def _in_place(function):
    def call(self, *args, **kwargs):
        return self.copy_(function(self, *args, **kwargs))
    return call


def _lets_go(function):
    """One that writes to an output: if it fails, no frame of the error's holds that. An output that
    PyTorch 1.13 has made for the call ends with it, whoever else has it."""
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            failed = error
            while failed is not None:
                traceback.clear_frames(failed.__traceback__)
                failed = failed.__context__
            del args, kwargs
            raise
    return call


def _variants(name, function):
    """What else there is of an operator that returns one tensor: (name, function)."""
    packet = getattr(torch.ops.aten, name)
    if len(packet.default._schema.returns) != 1:
        return
    if 'out' in packet.overloads():
        yield name + '.out', _into_output(function)
    in_place = getattr(torch.ops.aten, name + '_', None)
    if in_place is not None and 'default' in in_place.overloads():
        yield name + '_', _in_place(function)


def _is_the_cards(name):
    """What PyTorch makes of other operators, gradients too, is not; nor what this one lacks."""
    name = 'aten::' + name
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    try:
        return not has(name, 'CompositeImplicitAutograd')
    except RuntimeError:
        return False


# What PyTorch 2 says by others, but has a kernel of for Vulkan, too. The wrappers of torch.func have
# no key of the card's, so that these two are all that it sees, and it would not choose.
AMBIGUOUS = '''lstm.input gru.input expand_as var.dim layer_norm conv1d tile max_pool2d batch_norm'''


def register_wrapped():
    """As register(), of torch.func.grad() and the others of its kind."""
    library = torch.library.Library('aten', 'IMPL', 'AutogradOther')
    for name in AMBIGUOUS.split() if hasattr(torch, 'func') else ():
        library.impl(name, _overload(name).decompose)
    return library


def register():
    """The library object, which must stay for as long as they are wanted."""
    library = torch.library.Library('aten', 'IMPL', 'HPU')
    table = torch._decomp.decomposition_table
    done = []

    def add(name, function):
        if name not in done:
            library.impl(name, _lets_go(function) if _written(_overload(name)) else function)
            done.append(name)

    for ours in (_bags, _compositions, _draws, _elements, _ordered, _windows):
        own = {**ours.OWN,
               **{name: _into_output(function) for name, function in ours.OWN_OUT.items()}}
        for name, function in own.items():
            if _is_the_cards(name):
                add(name, _or_the_cpu(name, function))
    for name in NAMES:
        packet = getattr(torch.ops.aten, name, None)
        for overload in packet.overloads() if packet is not None else ():
            op = getattr(packet, overload)
            if op in table and _accepts(op):
                add(name if overload == 'default' else f'{name}.{overload}', table[op])
        if name in done:
            for variant, function in _variants(name, table[packet.default]):
                add(variant, function)
    return library, done
