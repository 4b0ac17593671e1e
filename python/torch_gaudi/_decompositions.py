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
native_group_norm_backward nll_loss2d_backward nll_loss2d_forward rrelu_with_noise
smooth_l1_loss smooth_l1_loss_backward softplus softplus_backward softshrink
softshrink_backward hardshrink_backward threshold upsample_bilinear2d
upsample_nearest2d logaddexp logaddexp2 xlogy nan_to_num trace frac
isposinf isneginf
'''.split()


def _accepts(op):
    """Of tensors, and those that return new ones: PyTorch, or the CPU, does the others."""
    arguments = op._schema.arguments
    return str(arguments[0].type) == 'Tensor' and \
        not any(a.alias_info and a.alias_info.is_write for a in arguments)


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
    return library, done
