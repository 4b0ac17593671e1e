# SPDX-License-Identifier: MIT
"""Operators said by simpler ones, where PyTorch has no such decomposition, or none that is right
for the card."""

import torch
from torch._decomp.decompositions import apply_loss_reduction


class Unsupported(Exception):
    """What an operator that is said here lacks: the CPU does the call."""


def wide(t):
    """What several steps are computed in."""
    return t if t.dtype == torch.float64 else t.float()


def norm(x, p=2, dim=(), keepdim=False):
    return torch.linalg.vector_norm(x, 2 if p is None else p, tuple(dim) or None, keepdim)


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


def _bounds(t, *bounds):
    """Of integers they are integers, and so the result is one."""
    return bounds if t.is_floating_point() else [int(bound) for bound in bounds]


def hardtanh(self, min_val=-1, max_val=1):
    return torch.clamp(self, *_bounds(self, min_val, max_val))


def hardtanh_(self, min_val=-1, max_val=1):
    return self.clamp_(*_bounds(self, min_val, max_val))


def elu_backward(grad_output, alpha, scale, input_scale, is_result, self_or_result):
    """PyTorch's own decomposition takes a result, as elu_() has it, for an input."""
    low = alpha * scale
    if is_result:
        below = grad_output * input_scale * (self_or_result + low)
    else:
        below = grad_output * input_scale * low * torch.exp(self_or_result * input_scale)
    return torch.where(self_or_result <= 0, below, grad_output * scale)


def prelu(self, weight):
    if weight.numel() > 1 and weight.dim() == 1:
        weight = weight.reshape([-1 if d == 1 else 1 for d in range(self.dim())])
    return torch.where(self > 0, self, self * weight)


def roll(self, shifts, dims=()):
    if not dims:
        return roll(self.flatten(), shifts, (0,)).view(self.shape)
    if len(shifts) != len(dims):
        raise RuntimeError(f'shifts and dimensions must align. shifts: {len(shifts)}, '
                           f'dims:{len(dims)}')
    out = self.clone(memory_format=torch.contiguous_format)
    for shift, dim in zip(shifts, dims):
        size = self.size(dim)
        at = -shift % size if size else 0
        if at:
            out = torch.cat((out.narrow(dim, at, size - at), out.narrow(dim, 0, at)), dim)
    return out


def lerp(self, end, weight):
    near = weight.abs() < 0.5
    difference = end - self
    return torch.where(near, self + weight * difference, end - difference * (1 - weight))


def clamp(self, min=None, max=None):
    if min is not None:
        self = torch.maximum(self, min)
    return self if max is None else torch.minimum(self, max)


def linalg_cross(self, other, dim=-1):
    self, other = torch.broadcast_tensors(self, other)
    if self.size(dim) != 3:
        raise RuntimeError(f'linalg.cross: inputs dimension {dim} must have length 3. Got '
                           f'{self.size(dim)} and {other.size(dim)}')

    def turned(t, by):
        return roll(t, (by,), (dim,))
    return turned(self, -1) * turned(other, 1) - turned(self, 1) * turned(other, -1)


def count_nonzero(self, dim):
    return (self != 0).sum(dim) if dim else (self != 0).sum()


def take(self, index):
    return self.flatten()[index]


def _numbers_first(function):
    """Of two, the one that is a number, if the other is NaN."""
    def call(self, other):
        self, other = torch.broadcast_tensors(self, other)
        return torch.where(other.isnan(), self,
                           torch.where(self.isnan(), other, function(self, other)))
    return call


def _picked(t, places):
    """Of the last dims, the elements at these places of each."""
    for dim, at in places:
        t = t.index_select(dim, torch.tensor(at).to(t.device))
    return t


def _put_back(gradient, sizes, places):
    """The gradient of _picked() of a tensor of these sizes."""
    for dim, at in reversed(places):
        shape = list(gradient.shape)
        shape[dim] = sizes[dim]
        gradient = gradient.new_zeros(shape).index_add_(
            dim, torch.tensor(at).to(gradient.device), gradient)
    return gradient


def _padded(kind, t, padding):
    """Where each element of a padded tensor comes from, by dim; @padding from the last dim on."""
    places = []
    for i, (before, behind) in enumerate(zip(padding[::2], padding[1::2])):
        size = t.size(-1 - i)
        at = range(-before, size + behind)
        if kind == 'reflection':
            if max(before, behind) >= size:
                raise RuntimeError(
                    'Padding size should be less than the corresponding input dimension, but '
                    f'got: padding ({before}, {behind}) at dimension {t.dim() - 1 - i} of input '
                    f'{list(t.shape)}')
            at = [size - 1 - abs(size - 1 - abs(j)) for j in at]
        else:
            at = [min(max(j, 0), size - 1) for j in at]
        places.append((-1 - i, at))
    return places


def _nearest(inner, sizes, scales):
    """Which element of @inner sizes is the nearest, by dim; a scale counts only if it was given."""
    places = []
    for i, (size, scale) in enumerate(zip(sizes, scales or (None,) * len(sizes))):
        dim = i - len(sizes)
        inside = inner[dim]
        by = torch.tensor(1 / scale if scale else inside / size, dtype=torch.float32)
        at = torch.clamp((torch.arange(size) * by).floor().long(), max=inside - 1)
        places.append((dim, at.tolist()))
    return places


def _pads(kind):
    def forward(self, padding):
        return _picked(self, _padded(kind, self, padding))

    def backward(grad_output, self, padding):
        return _put_back(grad_output, self.shape, _padded(kind, self, padding))
    return forward, backward


def upsample_nearest(self, output_size, *scales):
    return _picked(self, _nearest(self.shape, output_size, scales))


def upsample_nearest_backward(grad_output, output_size, input_size, *scales):
    return _put_back(grad_output, input_size, _nearest(input_size, output_size, scales))


def cdist_forward(x1, x2, p, compute_mode):
    distances = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).abs()
    if p in (0, 1, 2, float('inf')):
        return torch.linalg.vector_norm(distances, p, -1)
    return distances.pow(p).sum(-1).pow(1 / p)


def smooth_l1_loss(self, target, reduction=1, beta=1.0):
    far = (self - target).abs()
    if beta:
        far = torch.where(far < beta, 0.5 * far * far / beta, far - 0.5 * beta)
    return apply_loss_reduction(far, reduction)


def smooth_l1_loss_backward(grad_output, self, target, reduction, beta):
    slope = self - target
    slope = (slope / beta).clamp(-1, 1) if beta else slope.sign()
    return grad_output * (slope / slope.numel() if reduction == 1 else slope)


def nll_loss2d_forward(self, target, weight, reduction, ignore_index):
    """Each pixel is a row of classes."""
    rows = self.permute(0, 2, 3, 1).reshape(-1, self.size(1))
    loss, total = torch.ops.aten.nll_loss_forward(rows, target.reshape(-1), weight, reduction,
                                                  ignore_index)
    return (loss if reduction else loss.view(target.shape)), total


def nll_loss2d_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight):
    n, classes, height, width = self.shape
    rows = self.permute(0, 2, 3, 1).reshape(-1, classes)
    gradient = torch.ops.aten.nll_loss_backward(
        grad_output if reduction else grad_output.reshape(-1), rows, target.reshape(-1), weight,
        reduction, ignore_index, total_weight)
    return gradient.view(n, height, width, classes).permute(0, 3, 1, 2).contiguous()


def index_fill_(self, dim, index, value):
    if index.dtype != torch.int64:
        raise IndexError('index_fill_(): Expected dtype int64 for index.')
    if index.dim() > 1:
        raise RuntimeError('Index is supposed to be a vector')
    rows = self.movedim(dim, 0) if self.dim() else self.view(1)
    rows.index_put_((index.reshape(-1),), self.new_full((), value))
    return self


def index_copy(self, dim, index, source, out):
    """In place @out is @self, of which only the rows of @index are written."""
    if out is not self:
        out.resize_(self.shape).copy_(self)
    rows, source = (t.movedim(dim, 0) if t.dim() else t.view(1) for t in (out, source))
    rows.index_put_((index.reshape(-1),), source)
    return out


# By the operator's name. Of those that write to an output PyTorch makes the others.
OWN = {'rrelu_with_noise': rrelu_with_noise, 'floor_divide': floor_divide,
       'floor_divide_.Tensor': floor_divide_, 'hardtanh': hardtanh, 'hardtanh_': hardtanh_,
       'prelu': prelu, '_prelu_kernel': prelu, 'roll': roll, 'take': take,
       'count_nonzero.dim_IntList': count_nonzero, '_cdist_forward': cdist_forward,
       'norm.Scalar': norm, 'norm.ScalarOpt_dim': norm,
       'nll_loss2d_forward': nll_loss2d_forward, 'nll_loss2d_backward': nll_loss2d_backward,
       'index_fill_.int_Scalar': index_fill_, 'index_copy.out': index_copy}
OWN_OUT = {'elu_backward.grad_input': elu_backward, 'lerp.Tensor_out': lerp,
           'clamp.Tensor_out': clamp, 'linalg_cross.out': linalg_cross,
           'fmax.out': _numbers_first(torch.maximum), 'fmin.out': _numbers_first(torch.minimum),
           'smooth_l1_loss.out': smooth_l1_loss,
           'smooth_l1_loss_backward.grad_input': smooth_l1_loss_backward,
           'upsample_nearest2d.out': upsample_nearest,
           'upsample_nearest2d_backward.grad_input': upsample_nearest_backward}

for _kind in ('reflection', 'replication'):
    _forward, _backward = _pads(_kind)
    for _name in (_kind + '_pad1d', _kind + '_pad2d'):
        OWN_OUT[_name + '.out'] = _forward
        OWN_OUT[_name + '_backward.grad_input'] = _backward
    # PyTorch makes these of no other.
    OWN[_kind + '_pad2d'], OWN[_kind + '_pad2d_backward'] = _forward, _backward
