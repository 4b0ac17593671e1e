#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""PyTorch's own operator database (op_db) on hpu beside the CPU: each operator, type and
sample, forward and gradients. One line of JSON for each operator and type on standard output.

usage: opinfo.py [--types float32,bfloat16] [--samples N] [--part K/N] [--no-grad] [NAME...]
"""

import argparse
import json
import os
import signal
import sys
import time
import traceback
import types
import unittest
import warnings

import torch

# PyTorch's test modules derive from its TestCase, which nothing here uses; Debian 12 lacks it.
try:
    import expecttest                                   # noqa: F401
except ImportError:
    sys.modules['expecttest'] = types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False)

from torch.testing._internal.common_methods_invocations import op_db    # noqa: E402
from torch.utils._pytree import tree_flatten                            # noqa: E402

import torch_gaudi                                      # noqa: F401,E402 - registers hpu

# Rounding of f32 is not the same in another order; float64 is held as f32.
TOLERANCE = {torch.float32: (3e-5, 3e-5), torch.float64: (3e-5, 3e-5),
             torch.bfloat16: (3e-2, 3e-2), torch.float16: (1e-2, 1e-2),
             torch.complex64: (3e-5, 3e-5)}
SECONDS = 60                                            # for one operator and type


class TooLong(Exception):
    pass


def to_hpu(value):
    """Tensors, also in lists, on the card; leaves stay leaves that want gradients."""
    if isinstance(value, torch.Tensor):
        moved = value.detach().to('hpu')
        return moved.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        items = [to_hpu(item) for item in value]
        return type(value)(*items) if hasattr(value, '_fields') else type(value)(items)
    if isinstance(value, dict):
        return {key: to_hpu(item) for key, item in value.items()}
    if isinstance(value, torch.device) or value == 'cpu':
        return 'hpu'
    return value


def tensors(value):
    return [t for t in tree_flatten(value)[0] if isinstance(t, torch.Tensor)]


def close(got, want, dtype):
    rtol, atol = TOLERANCE.get(want.dtype, (0, 0))
    if not want.is_floating_point() and not want.is_complex():
        rtol, atol = TOLERANCE.get(dtype, (0, 0)) if want.is_complex() else (0, 0)
    torch.testing.assert_close(got.cpu(), want, rtol=rtol, atol=atol, equal_nan=True,
                               check_stride=False)


def gradients(outputs, inputs):
    """Of a weighted sum of what can be derived, by each input that wants it."""
    outputs = [t for t in outputs if t.requires_grad and
               (t.is_floating_point() or t.is_complex())]
    inputs = [t for t in inputs if t.requires_grad]
    if not outputs or not inputs:
        return []
    weights = [torch.linspace(0.5, 1.5, t.numel()).reshape(t.shape).to(t.dtype).to(t.device)
               for t in outputs]
    return torch.autograd.grad(outputs, inputs, weights, allow_unused=True)


def compare(op, sample, dtype, grad):
    """One sample; raises where the devices differ."""
    args, kwargs = (sample.input, *sample.args), sample.kwargs
    theirs = to_hpu(list(args)), to_hpu(kwargs)
    torch.manual_seed(7)
    want = op(*args, **kwargs)
    torch.manual_seed(7)
    got = op(*theirs[0], **theirs[1])
    process = sample.output_process_fn_grad
    wanted, found = tensors(want), tensors(got)
    if len(wanted) != len(found):
        raise AssertionError(f'{len(found)} results, not {len(wanted)}')
    for a, b in zip(found, wanted):
        if b.device.type == 'cpu' and a.device.type != 'hpu':
            raise AssertionError(f'a result is on {a.device}')
        close(a.detach(), b.detach(), dtype)
    if not grad:
        return
    want = gradients(tensors(process(want)), tensors([args, kwargs]))
    got = gradients(tensors(process(got)), tensors(theirs))
    for a, b in zip(got, want):
        if (a is None) != (b is None):
            raise AssertionError('a gradient is missing')
        if b is not None:
            close(a, b, dtype)


def on_time(signum, frame):
    raise TooLong(f'more than {SECONDS} seconds')


def check(op, dtype, limit, grad):
    """All samples of an operator in one type, as a dict to print."""
    found = {'op': op.name + (f' ({op.variant_test_name})' if op.variant_test_name else ''),
             'type': str(dtype).partition('.')[2], 'samples': 0, 'failed': 0}
    grad = grad and op.supports_autograd and dtype.is_floating_point and \
        dtype in op.supported_backward_dtypes('cpu')
    torch.hpu.reset_fallbacks()
    signal.alarm(SECONDS)
    begun = time.monotonic()
    try:
        for i, sample in enumerate(op.sample_inputs('cpu', dtype, requires_grad=grad)):
            if limit and i >= limit:
                break
            found['samples'] += 1
            try:
                compare(op, sample, dtype, grad)
            except TooLong:
                raise
            except Exception as error:                  # noqa: BLE001 - all are findings
                found['failed'] += 1
                text = str(error).strip().splitlines() or ['']
                found.setdefault('error', f'{type(error).__name__}: {" ".join(text)[:300]}')
                if os.environ.get('OPINFO_TRACE'):
                    traceback.print_exc()
    except Exception as error:                          # noqa: BLE001
        found['failed'] += 1
        found.setdefault('error', f'{type(error).__name__}: {error}'[:300])
    signal.alarm(0)
    found['seconds'] = round(time.monotonic() - begun, 2)
    found['fallbacks'] = {name: f.why for name, f in torch.hpu.fallbacks().items()}
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--types', default='float32,bfloat16')
    parser.add_argument('--samples', type=int, default=0)
    parser.add_argument('--part', default='0/1')
    parser.add_argument('--no-grad', action='store_true')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    dtypes = [getattr(torch, name) for name in options.types.split(',')]
    part, parts = map(int, options.part.split('/'))
    warnings.simplefilter('ignore')
    signal.signal(signal.SIGALRM, on_time)
    for i, op in enumerate(op_db):
        if i % parts != part or options.names and op.name not in options.names:
            continue
        for dtype in dtypes:
            if dtype in op.supported_dtypes('cpu'):
                print(json.dumps(check(op, dtype, options.samples, not options.no_grad)),
                      flush=True)


if __name__ == '__main__':
    sys.exit(main())
