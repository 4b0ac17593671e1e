# SPDX-License-Identifier: MIT
"""The vendor's optimizers, with its defaults, which are not PyTorch's."""

import math

import torch
from torch_gaudi import _optimizers
from torch_gaudi._native import together


class FusedSGD(torch.optim.SGD):
    def __init__(self, params, lr, momentum=0, weight_decay=0, dampening=0, nesterov=False):
        super().__init__(params, lr=lr, momentum=momentum, weight_decay=weight_decay,
                         dampening=dampening, nesterov=nesterov)


class FusedResourceApplyMomentum(FusedSGD):
    def __init__(self, params, lr, momentum=0, weight_decay=0, nesterov=False):
        super().__init__(params, lr, momentum, weight_decay, 0, nesterov)


class FusedAdagrad(torch.optim.Adagrad):
    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0,
                 initial_accumulator_value=0, eps=1e-10):
        super().__init__(params, lr, lr_decay, weight_decay, initial_accumulator_value, eps)


class FusedAdamW(torch.optim.Optimizer):
    """Decay after the update, by the rate, as the vendor's; bias correction is optional."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0,
                 bias_correction=True, moments_dtype=None):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      bias_correction=bias_correction,
                                      moments_dtype=moments_dtype))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with together():
            for group in self.param_groups:
                self._update_all([p for p in group['params'] if p.grad is not None], group)
        return loss

    def _state_of(self, p, group):
        state = self.state[p]
        if not state:
            dtype = group['moments_dtype'] or p.dtype
            state.update(step=0, exp_avg=torch.zeros_like(p, dtype=dtype),
                         exp_avg_sq=torch.zeros_like(p, dtype=dtype))
        state['step'] += 1
        return state

    def _update_all(self, params, group):
        states = [self._state_of(p, group) for p in params]
        grads = [p.grad for p in params]
        means, squares = ([s[key] for s in states] for key in ('exp_avg', 'exp_avg_sq'))
        sizes = [self._size(s, group) for s in states]
        kept = 1 - group['lr'] * group['weight_decay']
        if not _optimizers.is_plain(params, grads, means, squares) or not kept or 0 in sizes:
            for p, m, v, size in zip(params, means, squares, sizes):
                self._update(p, m, v, size, group)
            return
        # The kernel's decay comes before its update, and is by its rate.
        rows = {size: torch.ops.torch_gaudi.eight(
            [size * kept, *group['betas'], group['eps'], (1 - kept) / (size * kept)])
            for size in set(sizes)}
        _optimizers.adamw(params, grads, means, squares, [rows[size] for size in sizes])

    @staticmethod
    def _size(state, group):
        if not group['bias_correction']:
            return group['lr']
        b1, b2 = group['betas']
        return group['lr'] * math.sqrt(1 - b2 ** state['step']) / (1 - b1 ** state['step'])

    @staticmethod
    def _update(p, m, v, size, group):
        (b1, b2), g = group['betas'], p.grad.to(m.dtype)
        m.mul_(b1).add_(g, alpha=1 - b1)
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        p.addcdiv_(m.to(p.dtype), v.sqrt().add_(group['eps']).to(p.dtype), value=-size)
        if group['weight_decay']:
            p.add_(p, alpha=-group['lr'] * group['weight_decay'])


class FusedLamb(FusedAdamW):
    """Adam's update, scaled for each tensor by its norm over the update's; gradients are
    clipped together first."""

    def __init__(self, params, lr=1e-3, bias_correction=True, betas=(0.9, 0.999), eps=1e-6,
                 weight_decay=0.01, amsgrad=False, adam_w_mode=True, grad_averaging=True,
                 set_grad_none=True, max_grad_norm=1.0, use_lamb=False, fused=False,
                 dtype=None):
        if amsgrad or not adam_w_mode:
            raise NotImplementedError('FusedLamb: amsgrad, adam_w_mode=False')
        super().__init__(params, lr, betas, eps, weight_decay, bias_correction, dtype)
        self.max_grad_norm, self.use_lamb = max_grad_norm, use_lamb
        self.averaging, self.set_grad_none = grad_averaging, set_grad_none

    def zero_grad(self, set_to_none=None):
        super().zero_grad(self.set_grad_none if set_to_none is None else set_to_none)

    @torch.no_grad()
    def step(self, closure=None):
        if self.max_grad_norm:
            torch.nn.utils.clip_grad_norm_(
                [p for group in self.param_groups for p in group['params']],
                self.max_grad_norm)
        return super().step(closure)

    def _update_all(self, params, group):
        for p in params:
            self._update_one(p, group)

    def _update_one(self, p, group):
        state, (b1, b2) = self._state_of(p, group), group['betas']
        m, v = state['exp_avg'], state['exp_avg_sq']
        g = p.grad.to(m.dtype)
        m.mul_(b1).add_(g, alpha=1 - b1 if self.averaging else 1)
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        c1, c2 = (1 - b1 ** state['step'], 1 - b2 ** state['step']) \
            if group['bias_correction'] else (1, 1)
        update = (m / c1) / ((v / c2).sqrt().add_(group['eps']))
        if group['weight_decay']:
            update = update.add(p, alpha=group['weight_decay'])
        if group['weight_decay'] or self.use_lamb:
            weight, size = p.norm(), update.norm()
            update = update * torch.where((weight > 0) & (size > 0), weight / size, 1.0)
        p.add_(update, alpha=-group['lr'])


class FusedLars(torch.optim.Optimizer):
    """Around another optimizer: gradients are scaled by the norm of the weights over theirs."""

    def __init__(self, optimizer, skip_mask, eeta=0.001, eps=1e-8):
        self.optim, self.skip_mask, self.eeta, self.eps = optimizer, skip_mask, eeta, eps
        self.param_groups, self.state = optimizer.param_groups, optimizer.state
        self.defaults = optimizer.defaults

    def state_dict(self):
        return self.optim.state_dict()

    def load_state_dict(self, state):
        self.optim.load_state_dict(state)

    def zero_grad(self, set_to_none=False):
        self.optim.zero_grad(set_to_none)

    @torch.no_grad()
    def step(self, closure=None):
        decays = [group['weight_decay'] for group in self.param_groups]
        i = 0
        for group, decay in zip(self.param_groups, decays):
            group['weight_decay'] = 0
            for p in group['params']:
                if p.grad is not None:
                    self._scale(p, decay, self.skip_mask[i])
                i += 1
        loss = self.optim.step(closure)
        for group, decay in zip(self.param_groups, decays):
            group['weight_decay'] = decay
        return loss

    def _scale(self, p, decay, adapts):
        weight, size = p.norm(), p.grad.norm()
        if decay:
            p.grad.add_(p, alpha=decay)
        if adapts:
            by = self.eeta * weight / (size + decay * weight + self.eps)
            p.grad.mul_(torch.where((weight > 0) & (size > 0), by, 1.0))
