# SPDX-License-Identifier: MIT
"""Optimizers with fused=True (_fused_adam_ and the others of PyTorch 2): a step of all parameters
in one call, of operators for each."""

import torch

from . import _optimizers
from ._native import together


def _scaled(grads, grad_scale):
    """As GradScaler leaves it to the optimizer; the caller sees the gradients that are used."""
    if grad_scale is not None:
        for g in grads:
            g.div_(grad_scale)
    return grads


def _skips(found_inf):
    """A step with gradients that are not finite changes nothing."""
    return found_inf is not None and bool(found_inf)


def _adam(decoupled):
    def step(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, *, lr, beta1, beta2,
             weight_decay, eps, amsgrad, maximize, grad_scale=None, found_inf=None):
        if _skips(found_inf) or not self:
            return
        numbers = beta1, beta2, eps, weight_decay if decoupled else 0
        grads = _scaled(grads, grad_scale)
        if maximize:
            grads = torch._foreach_neg(grads)
        rates = _optimizers.rates_by(state_steps, lr, *numbers)
        l2 = 0 if decoupled else weight_decay
        if not amsgrad:
            _optimizers.adamw(self, grads, exp_avgs, exp_avg_sqs, rates, l2)
            return
        for p, g, m, v, most, rate in zip(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs,
                                          rates):
            first, second = 1 - rate[5], (1 - rate[6]).sqrt()
            if l2:
                g = g.add(p, alpha=l2)
            p.mul_(1 - rate[0] * rate[4])
            m.lerp_(g, 1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            most.copy_(torch.maximum(most, v))
            p.sub_(m / ((most.sqrt() / second).add_(eps)) * (rate[0] / first))
    return step


def _sgd(self, grads, momentum_buffer_list, *, weight_decay, momentum, lr, dampening, nesterov,
         maximize, is_first_step, grad_scale=None, found_inf=None):
    if _skips(found_inf):
        return
    for i, (p, g) in enumerate(zip(self, _scaled(grads, grad_scale))):
        g = -g if maximize else g
        if weight_decay:
            g = g.add(p, alpha=weight_decay)
        if momentum:
            buffer = momentum_buffer_list[i]
            if is_first_step:
                buffer.copy_(g)
            else:
                buffer.mul_(momentum).add_(g, alpha=1 - dampening)
            g = g.add(buffer, alpha=momentum) if nesterov else buffer
        p.sub_(g * lr)


def register(library):
    """What this PyTorch has of them, for numbers and tensors as rates."""
    done = []
    for name, function in (('_fused_adam_', _adam(False)), ('_fused_adamw_', _adam(True)),
                           ('_fused_sgd_', _sgd)):
        packet = getattr(torch.ops.aten, name, None)
        for overload in packet.overloads() if packet is not None else ():
            if overload not in ('default', 'tensor_lr'):
                continue
            op = getattr(packet, overload)
            library.impl(op, together()(function))
            done.append(str(op))
    return done
