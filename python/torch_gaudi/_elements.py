# SPDX-License-Identifier: MIT
"""Functions of each element that the card has no kernel of, by those that it has."""

import math

import torch

from torch_gaudi._compositions import Unsupported, wide

# Of a series the terms that float32 can see, for arguments up to 0.5.
_TERMS = 16


def _zeta_1(n):
    """zeta(n) - 1: what is behind the 64 first terms is near to an integral."""
    return sum(k ** -n for k in range(2, 64)) + 63.5 ** (1 - n) / (n - 1)


EULER = 0.5772156649015329
# lgamma(2 + t) = t * sum of LGAMMA[n] t^n, and its slope is the sum of DIGAMMA[n] t^n.
DIGAMMA = [1 - EULER] + [(-1) ** (n + 1) * _zeta_1(n + 1) for n in range(1, _TERMS)]
LGAMMA = [slope / (n + 1) for n, slope in enumerate(DIGAMMA)]


def _polynomial(factors, t):
    out = torch.full_like(t, factors[-1])
    for factor in reversed(factors[:-1]):
        out = out * t + factor
    return out


def _pair(self, other):
    """Of one type and on the card, where a number is the CPU's or Python's."""
    dtype = torch.result_type(self, other)
    device = next(t.device for t in (self, other)
                  if isinstance(t, torch.Tensor) and t.device.type == 'hpu')
    return [t.to(device, dtype) if isinstance(t, torch.Tensor) else
            torch.full((), t, dtype=dtype, device=device) for t in (self, other)]


def _floats(*tensors):
    """Integers become what PyTorch makes of them."""
    return [t if t.is_floating_point() else t.to(torch.get_default_dtype()) for t in tensors]


def signbit(self):
    if not self.is_floating_point():
        return self < 0
    if self.dtype not in (torch.float32, torch.bfloat16):
        raise Unsupported('bits of this type')
    return self.float().contiguous().view(torch.int32) < 0


def copysign(self, other):
    self, other = _floats(*_pair(self, other))
    size = self.abs()
    return torch.where(signbit(other), -size, size)


def hypot(self, other):
    """Neither of the squares is too large, or both too small."""
    self, other = _pair(self, other)
    a, b = wide(self).abs(), wide(other).abs()
    longer, shorter = torch.maximum(a, b), torch.minimum(a, b)
    part = torch.where(longer > 0, shorter / longer, longer)
    out = longer * torch.sqrt(1 + part * part)
    infinite = a.isinf() | b.isinf()
    return torch.where(infinite, float('inf'), out).to(self.dtype)


def heaviside(self, values):
    if self.dtype != values.dtype:
        raise RuntimeError('heaviside is not yet implemented for tensors with different dtypes.')
    self, values = _pair(self, values)
    return torch.where(self == 0, values, (self > 0).to(self.dtype))


def _log_of_sum(exp, log1p):
    def call(self, other):
        self, other = _pair(self, other)
        a, b = wide(self), wide(other)
        far = log1p(exp(-(a - b).abs()))
        same = (a == b) & a.isinf()
        return torch.where(same, a, torch.maximum(a, b) + far).to(self.dtype)
    return call


def _exp2(t):
    return (t * math.log(2)).exp()


def _log2_of_1_and(t):
    return t.log1p() / math.log(2)


def sinc(self):
    self, = _floats(self)
    turns = wide(self) * math.pi
    return torch.where(turns == 0, 1.0, turns.sin() / turns).to(self.dtype)


def round_decimals(self, *, decimals):
    if not self.is_floating_point():
        raise Unsupported('decimals of integers')
    by = float(10 ** abs(decimals))
    if decimals < 0:
        return (wide(self) / by).round().mul(by).to(self.dtype)
    return (wide(self) * by).round().div(by).to(self.dtype)


def power_of_number(self, exponent):
    dtype = torch.result_type(self, exponent)
    exponent = exponent.to(dtype)
    return torch.pow(exponent.new_full((), self), exponent)


def left_shift(self, other):
    if self.is_floating_point():
        raise Unsupported('shifts that are products')
    return torch.bitwise_left_shift(self, other)


def right_shift(self, other):
    if self.is_floating_point():
        raise Unsupported('shifts that are quotients')
    return torch.bitwise_right_shift(self, other)


def _steps_to_2(x):
    """(how many steps of 1 away from 2 an @x from 0 to 8 is, what is left of it)"""
    steps = (x.clamp(0, 8) - 2).round()
    return steps, x.clamp(0, 8) - 2 - steps


def _lgamma_above_0(x):
    """By steps to 2, or for large numbers Stirling's series."""
    steps, t = _steps_to_2(x)
    near = t * _polynomial(LGAMMA, t)
    product = torch.ones_like(x)
    for k in range(6):
        product = torch.where(steps > k, product * (t + 2 + k), product)
    near = near + product.log()
    for k in range(2):
        near = torch.where(steps < -k, near - (t + 1 - k).log(), near)
    far = x.clamp(min=8)
    inverse = 1 / far
    series = inverse * (1 / 12 - inverse * inverse * (1 / 360 - inverse * inverse / 1260))
    stirling = (far - 0.5) * (far.log() - 1) + (0.5 * math.log(2 * math.pi) - 0.5) + series
    return torch.where(x < 8, near, stirling)


def lgamma(self):
    self, = _floats(self)
    x = wide(self)
    # Below a half by that of 1 - x, and the sine of what x has behind the point.
    low = x < 0.5
    out = _lgamma_above_0(torch.where(low, 1 - x, x))
    sine = (math.pi * (x - x.round())).sin().abs()
    out = torch.where(low, math.log(math.pi) - sine.log() - out, out)
    infinite = x.isinf() | ((x <= 0) & (x == x.round()))
    return torch.where(infinite, float('inf'), out).to(self.dtype)


def _digamma_above_0(x):
    steps, t = _steps_to_2(x)
    near = _polynomial(DIGAMMA, t)
    for k in range(6):
        near = torch.where(steps > k, near + 1 / (t + 2 + k), near)
    for k in range(2):
        near = torch.where(steps < -k, near - 1 / (t + 1 - k), near)
    far = x.clamp(min=8)
    square = 1 / (far * far)
    series = square * (1 / 12 - square * (1 / 120 - square / 252))
    return torch.where(x < 8, near, far.log() - 0.5 / far - series)


def digamma(self):
    self, = _floats(self)
    x = wide(self)
    low = x < 0.5
    out = _digamma_above_0(torch.where(low, 1 - x, x))
    turns = math.pi * (x - x.round())
    out = torch.where(low, out - math.pi * turns.cos() / turns.sin(), out)
    # A pole; at 0 it is known from which side.
    whole = (x < 0) & (x == x.round())
    out = torch.where(whole, float('nan'), out)
    return torch.where(x == 0, copysign(torch.full_like(x, float('inf')), -x), out).to(self.dtype)


def xlog1py(self, other):
    """0 where @self is, but beside what is no number."""
    self, other = _floats(*_pair(self, other))
    product = wide(self) * torch.log1p(wide(other))
    product = torch.where((self == 0) & ~torch.isnan(other), torch.zeros_like(product), product)
    return product.to(self.dtype)


OWN = {f'__{_name}__.{_kind}': _function for _kind in ('Scalar', 'Tensor')
       for _name, _function in (('lshift', left_shift), ('rshift', right_shift))}
OWN_OUT = {'signbit.out': signbit, 'copysign.out': copysign, 'hypot.out': hypot,
           'special_xlog1py.out': xlog1py, 'heaviside.out': heaviside, 'sinc.out': sinc,
           'round.decimals_out': round_decimals,
           'logaddexp.out': _log_of_sum(torch.exp, torch.log1p),
           'logaddexp2.out': _log_of_sum(_exp2, _log2_of_1_and),
           'pow.Scalar_out': power_of_number, 'lgamma.out': lgamma, 'digamma.out': digamma}
