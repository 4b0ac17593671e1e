# SPDX-License-Identifier: MIT
"""PyTorch's optimizers: what they do for all parameters goes to the card together, and a step of
Adam and AdamW is a kernel for each parameter."""

import functools
import inspect
import sys

import torch

from ._native import together

TYPES = (torch.float32, torch.float64, torch.bfloat16)


def is_plain(*lists):
    """Real numbers on the card, and no tensor that means something else, as a DTensor does."""
    return all(type(t) in (torch.Tensor, torch.nn.Parameter) and t.device.type == 'hpu' and
               t.dtype in TYPES for tensors in lists for t in tensors)


def adamw(params, grads, means, squares, rates, l2=0.0):
    """A step by rows of the kernel's eight numbers, one for each parameter; see rates_of() and
    rates_by(). @l2: decay that is a part of the gradient."""
    if l2:
        grads = torch._foreach_add(grads, params, alpha=l2)
    torch.ops.torch_gaudi.adamw_(params, grads, means, squares, rates)


def rates_of(steps, *numbers):
    """Of steps that the host knows; @numbers: rate, betas, epsilon, decay."""
    b1, b2 = numbers[1:3]
    rows = {t: torch.ops.torch_gaudi.eight([*numbers, b1 ** t, b2 ** t]) for t in set(steps)}
    return [rows[t] for t in steps]


def rates_by(steps, lr, b1, b2, eps, decay):
    """Of steps, and perhaps a rate, that the card knows."""
    given = isinstance(lr, torch.Tensor)
    eight = torch.ops.torch_gaudi.eight
    row = eight([0 if given else lr, b1, b2, eps, decay, b1, b2])
    powers = eight([0, 0, 0, 0, 0, 1, 1])
    if given:
        row[:1].copy_(lr)
    exponents = (torch.stack([t.reshape(()) for t in steps]).float() - 1)[:, None] * powers + 1
    return list(torch.pow(row, exponents).unbind(0))


def _adam(decoupled, params, grads, means, squares, steps, options):
    """False: what the kernel does not do."""
    lr, b1, b2 = (options[key] for key in ('lr', 'beta1', 'beta2'))
    if options['amsgrad'] or options['maximize'] or options.get('differentiable') or \
            any(isinstance(v, torch.Tensor) for v in (lr, b1, b2)) or \
            not is_plain(params, grads, means, squares):
        return False
    decay = options['weight_decay']
    numbers = lr, b1, b2, options['eps'], decay if decoupled else 0
    if options.get('capturable'):
        torch._foreach_add_(steps, 1)
        rates = rates_by(steps, *numbers)
    else:
        for t in steps:
            t += 1
        rates = rates_of([t.item() for t in steps], *numbers)
    adamw(params, grads, means, squares, rates, 0 if decoupled else decay)
    return True


def _of_adam(decoupled, plain):
    signature = inspect.signature(plain)

    def step(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        if given.get('grad_scale') is not None or given.get('found_inf') is not None or \
                not _adam(decoupled, given['params'], given['grads'], given['exp_avgs'],
                          given['exp_avg_sqs'], given['state_steps'], given):
            plain(*args, **kwargs)
    return step


def _together(plain, step):
    """@step instead of @plain for parameters of the card. TorchScript compiles @plain."""
    @functools.wraps(plain)
    def call(params, *args, **kwargs):
        if not params or params[0].device.type != 'hpu':
            return plain(params, *args, **kwargs)
        with together():
            return step(params, *args, **kwargs)

    call.__script_if_tracing_wrapper = True
    call.__original_fn = plain
    return call


def patch():
    """Every optimizer's loops over parameters, by their names in its module."""
    for module in [m for name, m in sys.modules.items() if name.startswith('torch.optim.')]:
        for name, plain in list(vars(module).items()):
            if not name.startswith(('_single_tensor_', '_multi_tensor_')):
                continue
            kind = name.split('_tensor_')[1]
            step = _of_adam(kind == 'adamw', plain) if kind in ('adam', 'adamw') else plain
            setattr(module, name, _together(plain, step))
