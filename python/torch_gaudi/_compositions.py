# SPDX-License-Identifier: MIT
"""Operators said by simpler ones, where PyTorch has no such decomposition, or none that is right
for the card."""

import functools

import torch
from torch._decomp.decompositions import apply_loss_reduction


class Unsupported(Exception):
    """What an operator that is said here lacks: the CPU does the call."""


def wide(t):
    """What several steps are computed in."""
    return t if t.dtype == torch.float64 else t.float()


@functools.lru_cache(maxsize=1024)
def _constant(values, dtype, device):
    # One that is made in inference mode could not be used beside those that learn.
    with torch.inference_mode(False):
        return torch.tensor(values, dtype=dtype).to(device)


def on_the_card(t, values, dtype=torch.int64):
    """A list of numbers as a tensor where @t is. It stays, for the next call, and for graphs, in
    which nothing can be copied from the host: what is captured has run before."""
    return _constant(tuple(values), dtype, t.device)


def check_index(name, index, size, low=0, also=0):
    """Notes what of @index is not from @low to before @size, nor @also: an IndexError of operator
    @name when the host waits for the card next (csrc/launch/outside.h)."""
    torch.ops.torch_gaudi.check_index(name, index, low, size, also)


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


def prelu_kernel_backward(grad_output, self, weight):
    """The slopes' gradient has the sizes of @self, which PyTorch sums."""
    zero = torch.zeros_like(grad_output)
    return (torch.where(self > 0, grad_output, grad_output * weight),
            torch.where(self > 0, zero, grad_output * self))


def prelu_backward(grad_output, self, weight):
    """PyTorch 1.13's: slopes of all, or of each channel."""
    shape = [1] * self.dim()
    if weight.numel() > 1:
        shape[1] = -1
    by_self, by_weight = prelu_kernel_backward(grad_output, self, weight.reshape(shape))
    others = [d for d in range(self.dim()) if shape[d] == 1]
    return by_self, (by_weight.sum(others) if others else by_weight).view(weight.shape)


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
    check_index('take', index, self.numel(), -self.numel())
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
        t = t.index_select(dim, on_the_card(t, at))
    return t


def _put_back(gradient, sizes, places):
    """The gradient of _picked() of a tensor of these sizes."""
    for dim, at in reversed(places):
        shape = list(gradient.shape)
        shape[dim] = sizes[dim]
        gradient = gradient.new_zeros(shape).index_add_(
            dim, on_the_card(gradient, at), gradient)
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


def _nearest(inner, sizes, scales, exact=False):
    """Which element of @inner sizes is the nearest, by dim; a scale counts only if it was given.
    @exact: to the middle of an element, not to its begin."""
    places = []
    for i, (size, scale) in enumerate(zip(sizes, scales or (None,) * len(sizes))):
        dim = i - len(sizes)
        inside = inner[dim]
        by = torch.tensor(1 / scale if scale else inside / size, dtype=torch.float32)
        here = torch.arange(size) + (0.5 if exact else 0)
        at = torch.clamp((here * by).floor().long(), max=inside - 1)
        places.append((dim, at.tolist()))
    return places


def _pads(kind):
    def forward(self, padding):
        return _picked(self, _padded(kind, self, padding))

    def backward(grad_output, self, padding):
        return _put_back(grad_output, self.shape, _padded(kind, self, padding))
    return forward, backward


def _upsamples(exact):
    def forward(self, output_size, *scales):
        return _picked(self, _nearest(self.shape, output_size, scales, exact))

    def backward(grad_output, output_size, input_size, *scales):
        return _put_back(grad_output, input_size,
                         _nearest(input_size, output_size, scales, exact))
    return forward, backward


def _of_sizes_or_scales(forward, backward):
    """As PyTorch 1.13 calls those of three dims."""
    def sizes(shape, output_size, scale_factors):
        if output_size is not None:
            return output_size, ()
        return [int(n * by) for n, by in zip(shape[2:], scale_factors)], scale_factors

    def up(input, output_size, scale_factors):
        output_size, scales = sizes(input.shape, output_size, scale_factors)
        return forward(input, output_size, *scales)

    def back(grad_output, output_size, input_size, scale_factors):
        output_size, scales = sizes(input_size, output_size, scale_factors)
        return backward(grad_output, output_size, input_size, *scales)
    return up, back


def cdist_forward(x1, x2, p, compute_mode):
    distances = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).abs()
    if p in (0, 1, 2, float('inf')):
        return torch.linalg.vector_norm(distances, p, -1)
    return distances.pow(p).sum(-1).pow(1 / p)


def cdist_backward(grad, x1, x2, p, cdist):
    """Of x1; nothing where a distance is 0, whose slope is no number."""
    if p not in (1, 2):
        raise Unsupported('gradients of this norm')
    steps = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    if p == 1:
        return (grad.unsqueeze(-1) * steps.sign()).sum(-2)
    each = torch.where(cdist == 0, torch.zeros_like(grad), grad / cdist)
    return (each.unsqueeze(-1) * steps).sum(-2)


def check_and_unscale_(self, found_inf, inv_scale):
    """GradScaler's: whether all gradients are finite, which are scaled."""
    for t in self:
        found_inf.copy_(torch.maximum(found_inf, (~torch.isfinite(t)).any().to(found_inf.dtype)))
        t.mul_(inv_scale)


def update_scale_(self, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor,
                  growth_interval):
    """Down by what was not finite, up after so many steps without, all without the host."""
    is_bad = found_inf > 0
    steps = torch.where(is_bad, torch.zeros_like(growth_tracker), growth_tracker + 1)
    grows, larger = steps == growth_interval, self * scale_growth_factor
    larger = torch.where(torch.isfinite(larger), larger, self)
    growth_tracker.copy_(torch.where(grows, torch.zeros_like(steps), steps))
    return self.copy_(torch.where(is_bad, self * scale_backoff_factor,
                                  torch.where(grows, larger, self)))


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
    check_index('nll_loss2d', target, self.size(1), also=ignore_index)
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


def _margins(self, target, p, margin, weight):
    """How much each element but the wanted one is within the margin, and its weight."""
    rows = self.reshape(-1, self.size(-1) if self.dim() else 1)
    number = target.reshape(-1, 1)
    if number.size(0) != rows.size(0):
        raise RuntimeError(f'inconsistent target size, expected {rows.size(0)} but got '
                           f'{list(target.shape)}')
    if p not in (1, 2):
        raise RuntimeError('only p == 1 and p == 2 supported')
    check_index('multi_margin_loss', number, rows.size(1))
    within = (margin - rows.gather(1, number) + rows).clamp(min=0).scatter(1, number, 0)
    share = 1 / rows.size(1)
    by = share if weight is None else weight.index_select(0, number.view(-1))[:, None] * share
    return within, by, number


def multi_margin_loss(self, target, p=1, margin=1, weight=None, reduction=1):
    within, by, _ = _margins(self, target, p, margin, weight)
    loss = (within ** p * by).sum(1)
    return (loss.view(target.shape), loss.mean(), loss.sum())[reduction]


def multi_margin_loss_backward(grad_output, self, target, p, margin, weight=None, reduction=1):
    within, by, number = _margins(self, target, p, margin, weight)
    slope = (2 * within if p == 2 else (within > 0).to(within.dtype)) * by
    slope = slope.scatter(1, number, -slope.sum(1, keepdim=True))
    if reduction == 1:
        slope = slope / number.size(0)
    return (slope * grad_output.reshape(-1, 1)).view(self.shape)


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None,
                  pin_memory=None):
    """PyTorch's own has code for the CPU and CUDA only; the host makes it."""
    return torch.kaiser_window(window_length, periodic, beta, dtype=dtype).to(device)


def index_fill_(self, dim, index, value):
    if index.dtype != torch.int64:
        raise IndexError('index_fill_(): Expected dtype int64 for index.')
    if index.dim() > 1:
        raise RuntimeError('Index is supposed to be a vector')
    rows = self.movedim(dim, 0) if self.dim() else self.view(1)
    check_index('index_fill', index, rows.size(0), -rows.size(0))
    index = index.reshape(-1)
    for d in range(rows.dim()):
        # What expand() has repeated is there once.
        if rows.stride(d) == 0 and rows.size(d) > 1:
            rows = rows.narrow(d, 0, 1)
            index = index if d else index * 0
    rows.index_put_((index,), self.new_full((), value))
    return self


def index_fill_by_tensor_(self, dim, index, value):
    if value.dim():
        raise RuntimeError('index_fill_ only supports a 0-dimensional value tensor, but got tensor '
                           f'with {value.dim()} dimension(s).')
    return index_fill_(self, dim, index, value.item())


def rsub(self, other, *, alpha=1):
    return torch.sub(other, self, alpha=alpha)


def index_copy(self, dim, index, source, out):
    """In place @out is @self, of which only the rows of @index are written."""
    if out is not self:
        out.resize_(self.shape).copy_(self)
    rows, source = (t.movedim(dim, 0) if t.dim() else t.view(1) for t in (out, source))
    check_index('index_copy', index, rows.size(0))
    rows.index_put_((index.reshape(-1),), source)
    return out


def masked_scatter_(self, mask, source):
    if self.dtype != source.dtype:
        raise RuntimeError('masked_scatter: expected self and source to have same dtypes but got '
                           f'{self.dtype} and {source.dtype}')
    if mask.dtype != torch.bool:
        raise Unsupported('a mask that is not bool')
    marked = mask.expand(self.shape).reshape(-1)
    number = marked.cumsum(0) - 1
    if source.numel() < self.numel() and \
            (int(number[-1]) + 1 if marked.numel() else 0) > source.numel():
        raise RuntimeError('masked_scatter_: expected source to have at least as many elements as '
                           f'the mask has ones, but it has {source.numel()}')
    if not source.numel():
        return self
    found = source.reshape(-1).index_select(0, number.clamp(0, source.numel() - 1))
    return self.copy_(torch.where(marked, found, self.reshape(-1)).view(self.shape))


def put_(self, index, source, accumulate=False):
    flat = self.reshape(-1)
    at = index.reshape(-1)
    if source.numel() != index.numel():
        raise RuntimeError('put_(): Expected source and index to have the same number of '
                           f'elements, but got source.numel() = {source.numel()}, index.numel() '
                           f'= {index.numel()}')
    check_index('put', at, flat.numel(), -flat.numel())
    flat.index_put_((torch.where(at < 0, at + flat.numel(), at),), source.reshape(-1), accumulate)
    return self.copy_(flat.view(self.shape))


def diag(self, diagonal=0):
    if self.dim() == 1:
        return torch.diag_embed(self, diagonal)
    if self.dim() == 2:
        return torch.diagonal(self, diagonal)
    raise RuntimeError(f'diag(): Supports 1D or 2D tensors. Got {self.dim()}D')


def index_reduce(self, dim, index, source, reduce, *, include_self=True):
    if reduce == 'prod' or not self.dim() or self.shape[:dim] != source.shape[:dim]:
        raise Unsupported('products, or of no dims')
    shape = [1] * source.dim()
    shape[dim] = -1
    check_index('index_reduce', index, self.size(dim))
    return self.scatter_reduce(dim, index.view(shape).expand(source.shape), source, reduce,
                               include_self=include_self)


def channel_shuffle(self, groups):
    if self.dim() < 3 or groups < 1 or self.size(1) % groups:
        raise Unsupported('such groups')
    parts = self.reshape(self.size(0), groups, -1, *self.shape[2:])
    return parts.transpose(1, 2).reshape(self.shape)


def _within(rows, p, most, dims):
    """Those whose norm is larger, made as long as @most."""
    norms = torch.linalg.vector_norm(wide(rows), p, dims, keepdim=True)
    return torch.where(norms > most, rows * (most / (norms + 1e-7)), rows).to(rows.dtype)


def renorm(self, p, dim, maxnorm):
    if self.dim() < 2 or not p > 0 or not maxnorm >= 0:
        raise Unsupported('such norms')
    dim %= self.dim()
    return _within(self, p, maxnorm, [d for d in range(self.dim()) if d != dim])


def embedding_renorm_(self, indices, max_norm, norm_type):
    """A row that is there twice is written twice, the same each time."""
    at = indices.reshape(-1)
    if at.numel():
        check_index('embedding_renorm', at, self.size(0))
        rows = _within(self.index_select(0, at), norm_type, max_norm, (1,))
        self.index_put_((at,), rows)
    return self


def _others(t, dim):
    return [d for d in range(t.dim()) if d != dim % t.dim()]


def weight_norm(v, g, dim=0):
    norms = torch.linalg.vector_norm(wide(v), 2, _others(v, dim), keepdim=True)
    return (v * (g / norms)).to(v.dtype), norms


def weight_norm_backward(grad_w, saved_v, saved_g, saved_norms, dim):
    along = (grad_w * saved_v).sum(_others(saved_v, dim), keepdim=True) / saved_norms
    by_v = saved_g / saved_norms * (grad_w - saved_v * (along / saved_norms))
    return by_v.to(saved_v.dtype), along.to(saved_g.dtype)


def unfold_backward(grad_in, input_sizes, dim, size, step):
    if not input_sizes:
        return grad_in.reshape(())
    dim %= len(input_sizes)
    at = torch.arange(grad_in.size(dim), device=grad_in.device)[:, None] * step + \
        torch.arange(size, device=grad_in.device)
    parts = grad_in.movedim(-1, dim + 1).flatten(dim, dim + 1)
    return grad_in.new_zeros(input_sizes).index_add_(dim, at.reshape(-1), parts)


def _triangle(function):
    """Indexes come from the host, as constants."""
    def call(row, col, offset=0, *, dtype=None, **where):
        return function(row, col, offset, dtype=dtype or torch.int64, device='cpu').to('hpu')
    return call


def is_left_aligned(t, mask):
    """Whether each row's ones are before its zeros, as TransformerEncoder asks."""
    if t.dim() != 3 or mask.dim() != 2 or mask.dtype != torch.bool:
        raise Unsupported('such a mask')
    return not bool((mask[:, 1:] & ~mask[:, :-1]).any())


# By the operator's name. Of those that write to an output PyTorch makes the others.
OWN = {'rrelu_with_noise': rrelu_with_noise, 'floor_divide': floor_divide,
       'floor_divide_.Tensor': floor_divide_, 'hardtanh': hardtanh, 'hardtanh_': hardtanh_,
       'prelu': prelu, '_prelu_kernel': prelu,
       'prelu_backward': prelu_backward, '_prelu_kernel_backward': prelu_kernel_backward,
       'roll': roll, 'take': take,
       'count_nonzero.dim_IntList': count_nonzero, '_cdist_forward': cdist_forward,
       '_cdist_backward': cdist_backward, '_amp_update_scale_': update_scale_,
       '_amp_foreach_non_finite_check_and_unscale_': check_and_unscale_,
       'norm.Scalar': norm, 'norm.ScalarOpt_dim': norm,
       'nll_loss2d_forward': nll_loss2d_forward, 'nll_loss2d_backward': nll_loss2d_backward,
       'multi_margin_loss': multi_margin_loss,
       'multi_margin_loss_backward': multi_margin_loss_backward,
       'kaiser_window': kaiser_window, 'kaiser_window.periodic': kaiser_window,
       'kaiser_window.beta': kaiser_window, 'index_fill_.int_Scalar': index_fill_,
       'index_fill_.int_Tensor': index_fill_by_tensor_, 'rsub.Tensor': rsub,
       'index_copy.out': index_copy,
       'masked_scatter_': masked_scatter_, 'put_': put_, 'channel_shuffle': channel_shuffle,
       'embedding_renorm_': embedding_renorm_, 'unfold_backward': unfold_backward,
       'tril_indices': _triangle(torch.tril_indices), 'triu_indices': _triangle(torch.triu_indices),
       '_nested_tensor_from_mask_left_aligned': is_left_aligned,
       '_weight_norm_interface': weight_norm,
       '_weight_norm_interface_backward': weight_norm_backward}
OWN_OUT = {'elu_backward.grad_input': elu_backward, 'lerp.Tensor_out': lerp,
           'clamp.Tensor_out': clamp, 'linalg_cross.out': linalg_cross,
           'fmax.out': _numbers_first(torch.maximum), 'fmin.out': _numbers_first(torch.minimum),
           'smooth_l1_loss.out': smooth_l1_loss,
           'smooth_l1_loss_backward.grad_input': smooth_l1_loss_backward,
           'renorm.out': renorm, 'index_reduce.out': index_reduce}
if 'out' in torch.ops.aten.diag.overloads():
    OWN_OUT['diag.out'] = diag

for _name, _exact in (('upsample_nearest', False), ('_upsample_nearest_exact', True)):
    _forward, _backward = _upsamples(_exact)
    for _dims in '123':
        OWN_OUT[f'{_name}{_dims}d.out'] = _forward
        OWN_OUT[f'{_name}{_dims}d_backward.grad_input'] = _backward
    if 'vec' in getattr(torch.ops.aten, _name + '3d_backward').overloads():
        OWN[_name + '3d.vec'], OWN[_name + '3d_backward.vec'] = _of_sizes_or_scales(
            _forward, _backward)

for _kind in ('reflection', 'replication'):
    _forward, _backward = _pads(_kind)
    for _name in (_kind + '_pad1d', _kind + '_pad2d', _kind + '_pad3d'):
        OWN_OUT[_name + '.out'] = _forward
        OWN_OUT[_name + '_backward.grad_input'] = _backward
    # PyTorch makes these of no other.
    OWN[_kind + '_pad2d'], OWN[_kind + '_pad2d_backward'] = _forward, _backward
    OWN[_kind + '_pad3d_backward'] = _backward
