# SPDX-License-Identifier: MIT
"""Operators that PyTorch itself can say by simpler ones (torch._decomp): where the card has no
kernel, these run there, and the CPU is not needed."""

import torch
import torch._decomp
import torch._refs

# What the C++ tables have not, and all parts of which may be the card's.
NAMES = '''
_euclidean_dist addr binary_cross_entropy binary_cross_entropy_backward celu col2im
elu elu_backward glu glu_backward hardshrink hardsigmoid hardsigmoid_backward
hardswish hardswish_backward hardtanh_backward huber_loss huber_loss_backward
im2col logit logit_backward log_sigmoid_backward log_sigmoid_forward mish mse_loss
mse_loss_backward native_dropout native_dropout_backward native_group_norm
native_group_norm_backward nll_loss2d_backward nll_loss2d_forward
smooth_l1_loss smooth_l1_loss_backward softplus softplus_backward softshrink
softshrink_backward hardshrink_backward threshold upsample_bilinear2d
upsample_nearest2d logaddexp logaddexp2 xlogy nan_to_num trace frac
isposinf isneginf
'''.split()


def _norm(x, p=2, dim=(), keepdim=False):
    return torch.linalg.vector_norm(x, 2 if p is None else p, tuple(dim) or None, keepdim)


# The same by other names.
OTHERS = {'norm.Scalar': _norm, 'norm.ScalarOpt_dim': _norm}


def _accepts(op):
    """Of tensors, and those that return new ones: PyTorch, or the CPU, does the others."""
    arguments = op._schema.arguments
    return str(arguments[0].type) == 'Tensor' and \
        not any(a.alias_info and a.alias_info.is_write for a in arguments)


def rrelu_with_noise(self, noise, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    """@noise takes the slopes, which the operator's schema does not say."""
    if not training:
        return torch.nn.functional.leaky_relu(self, (lower + upper) / 2)
    slopes = torch.empty_like(self).uniform_(lower, upper, generator=generator)
    noise.copy_(torch.where(self <= 0, slopes, torch.ones_like(self)))
    return self * noise


def floor_divide(self, other):
    return torch.div(self, other, rounding_mode='floor')


def floor_divide_(self, other):
    return self.div_(other, rounding_mode='floor')


OWN = {'rrelu_with_noise': rrelu_with_noise, 'floor_divide': floor_divide,
       'floor_divide_.Tensor': floor_divide_}


def register():
    """The library object, which must stay for as long as they are wanted."""
    library = torch.library.Library('aten', 'IMPL', 'HPU')
    table = torch._decomp.decomposition_table
    done = []
    for name in NAMES:
        packet = getattr(torch.ops.aten, name, None)
        for overload in packet.overloads() if packet is not None else ():
            op = getattr(packet, overload)
            if op in table and _accepts(op):
                library.impl(op, table[op])
                done.append(str(op))
    for name, function in OWN.items():
        library.impl(name, function)
        done.append(name)
    for name, function in OTHERS.items():
        library.impl(name, function)
        done.append('aten.' + name)
    return library, done
