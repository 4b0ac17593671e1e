# SPDX-License-Identifier: MIT
"""Optimizers with fused=True (_fused_adam_ and the others of PyTorch 2): a step of all parameters
in one call, of operators for each."""

import math

import torch


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
        # 1 - beta^t, without the digits that a difference loses.
        steps = torch.stack(state_steps)
        first = -torch.expm1(steps * math.log(beta1)) if beta1 else torch.ones_like(steps)
        second = (-torch.expm1(steps * math.log(beta2))).sqrt() if beta2 else torch.ones_like(steps)
        rates = lr / first
        for i, (p, g, m, v) in enumerate(zip(self, _scaled(grads, grad_scale), exp_avgs,
                                             exp_avg_sqs)):
            g = -g if maximize else g
            if weight_decay and decoupled:
                p.mul_(1 - lr * weight_decay)
            elif weight_decay:
                g = g.add(p, alpha=weight_decay)
            m.lerp_(g, 1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            if amsgrad:
                v = max_exp_avg_sqs[i].copy_(torch.maximum(max_exp_avg_sqs[i], v))
            p.sub_(m / ((v.sqrt() / second[i]).add_(eps)) * rates[i])
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
            library.impl(op, function)
            done.append(str(op))
    return done
