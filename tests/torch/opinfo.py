#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""PyTorch's own operator database (op_db) on hpu beside the CPU: each operator, type and
sample, forward and gradients. One line of JSON for each operator and type.

usage: opinfo.py [--types float32,bfloat16] [--samples N] [--part K/N] [--no-grad] [NAME...]
       opinfo.py --into DIR     all of it, in parts; parts that DIR has of this build stay

A result is right if it is near the CPU's. Where it is not, the same is computed in a wider
type: the one that is further from that is wrong. Random results have to be as large, of the
same type, and the same again for the same seed.
"""

import argparse
import glob
import hashlib
import json
import os
import signal
import sys
import time
import traceback
import types
import unittest
import warnings
from unittest import mock

import torch

# PyTorch's test modules derive from its TestCase, which nothing here uses; Debian 12 lacks it.
try:
    import expecttest                                   # noqa: F401
except ImportError:
    sys.modules['expecttest'] = types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False)

from torch.testing._internal.common_device_type import toleranceOverride  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db    # noqa: E402
from torch.utils._pytree import tree_flatten, tree_map                  # noqa: E402

import torch_gaudi                                      # noqa: F401,E402 - registers hpu
from opinfo_exceptions import STABLE, UNINITIALISED, exception_for      # noqa: E402

TYPES = 'float32,bfloat16,int64,bool'
PARTS = 16
# Rounding is not the same in another order; float64 is held as f32. (relative, absolute)
TOLERANCE = {torch.float32: (3e-5, 3e-5), torch.float64: (3e-5, 3e-5),
             torch.bfloat16: (1.6e-2, 1e-2), torch.float16: (1e-2, 1e-2),
             torch.complex64: (3e-5, 3e-5)}
WIDER = {torch.float32: torch.float64, torch.bfloat16: torch.float64}
SECONDS = 120                                           # for one operator and type


class TooLong(Exception):
    pass


class Refused(Exception):
    """The CPU does not do it either."""


def name_of(op):
    return op.name + (f' ({op.variant_test_name})' if op.variant_test_name else '')


def moved(value, change):
    """Tensors, also in lists, changed; leaves stay leaves that want gradients."""
    def one(item):
        if isinstance(item, torch.Tensor):
            return change(item.detach()).requires_grad_(item.requires_grad)
        return item
    return tree_map(one, value)


def tensors(value):
    return [t for t in tree_flatten(value)[0] if isinstance(t, torch.Tensor)]


def with_storage(t):
    """On the card, a view of as much memory as here: as_strided() reads beyond the view."""
    whole = t.as_strided((t.storage().nbytes() // t.element_size(),), (1,), 0)
    return whole.to('hpu').as_strided(t.shape, t.stride(), t.storage_offset())


def to_card(op, sample):
    """The arguments, and what they say of the device, for the card."""
    def device(item):
        there = isinstance(item, torch.device) or isinstance(item, str) and item == 'cpu'
        return 'hpu' if there else item
    move = with_storage if op.name.startswith('as_strided') else lambda t: t.to('hpu')
    args, kwargs = moved(([sample.input, *sample.args], sample.kwargs), move)
    if op.name == 'tensor_split':                       # indexes are the host's
        args[1:], kwargs = sample.args, sample.kwargs
    args, kwargs = tree_map(device, (args, kwargs))
    if not tensors((args, kwargs)) and op.name != 'broadcast_shapes':
        kwargs.setdefault('device', 'hpu')
    return args, kwargs


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


class Case:
    """One sample of an operator."""

    def __init__(self, op, sample, dtype, grad):
        self.op, self.dtype, self.grad = op, dtype, grad
        self.sample = sample
        self.here = moved(([sample.input, *sample.args], sample.kwargs), lambda t: t)
        self.there = to_card(op, sample)
        self.allowed = dict(TOLERANCE)
        # What PyTorch's own tests allow between devices.
        for decorator in op.decorators:
            for inner in getattr(decorator, 'decorators', ()):
                if isinstance(inner, toleranceOverride) and dtype in inner.d and \
                        decorator.cls_name in (None, 'TestCommon'):
                    rtol, atol = self.allowed.get(dtype, (0, 0))
                    self.allowed[dtype] = (max(rtol, inner.d[dtype].rtol),
                                           max(atol, inner.d[dtype].atol))

    def run(self, arguments, seed=7):
        """Results, which the next run does not overwrite, and gradients. Some operators here
        set a seed of their own, and some write to their input."""
        args, kwargs = arguments
        on_cpu = not any(t.device.type == 'hpu' for t in tensors(arguments))
        set_seed = torch.manual_seed
        with mock.patch.object(torch, 'manual_seed', lambda given: set_seed(given + seed)):
            torch.manual_seed(0)
            function = STABLE.get(self.op.name, self.op) if on_cpu else self.op
            found = function(*args, **kwargs)
        results = [t.detach().clone() for t in tensors(found)]
        if self.grad:
            process = self.sample.output_process_fn_grad
            results += gradients(tensors(process(found)), tensors(arguments))
        return results

    def close(self, got, want, wide=None):
        """Raises if it is not, and further from @wide than the CPU's."""
        type_ = want.dtype
        if not want.is_floating_point() and not want.is_complex():
            rtol, atol = 0, 0
        else:
            rtol, atol = self.allowed.get(type_, (0, 0))
        got = got.cpu()
        if wide is not None and got.shape == wide.shape == want.shape and \
                got.dtype == want.dtype and want.is_floating_point():
            try:
                torch.testing.assert_close(got, wide.to(type_), rtol=rtol, atol=atol,
                                           equal_nan=True, check_stride=False)
                return
            except AssertionError:
                off = (got.to(wide.dtype) - wide).abs().max()
                # In bf16 chance has it who is nearer, by a factor.
                if off <= 4 * (want.to(wide.dtype) - wide).abs().max():
                    return
        torch.testing.assert_close(got, want, rtol=rtol, atol=atol, equal_nan=True,
                                   check_stride=False)

    def wide(self):
        to = WIDER.get(self.dtype)
        if to is None:
            return None
        def one(item):
            return to if item == self.dtype and isinstance(item, torch.dtype) else item
        arguments = moved(self.here, lambda t: t.to(to) if t.dtype == self.dtype else t)
        return self.run(tree_map(one, arguments))

    def check_results(self, found, wanted, wide=None):
        if len(wanted) != len(found):
            raise AssertionError(f'{len(found)} results, not {len(wanted)}')
        for i, (a, b) in enumerate(zip(found, wanted)):
            if (a is None) != (b is None):
                raise AssertionError('a gradient is missing')
            if b is None:
                continue
            if a.device.type != 'hpu':
                raise AssertionError(f'a result is on {a.device}')
            if self.op.name in UNINITIALISED or wide == 'random':
                a, b = torch.zeros_like(a), torch.zeros_like(b)
            self.close(a, b, wide[i] if isinstance(wide, list) else None)

    def is_random(self, wanted):
        """Another seed gives other results; of a few small integers not each seed does."""
        for seed in range(8, 24):
            again = [t if t is None else t.to('hpu') for t in self.run(self.here, seed)]
            try:
                self.check_results(again, wanted)
            except AssertionError:
                return True
        return False

    def check(self):
        """Raises where the devices differ."""
        try:
            wanted = self.run(self.here)
        except Exception as error:
            raise Refused(f'{type(error).__name__}: {error}') from error
        found = self.run(self.there)
        try:
            self.check_results(found, wanted)
            return
        except AssertionError:
            if self.is_random(wanted):
                self.check_results(found, wanted, 'random')
                self.check_results(found, [t if t is None else t.cpu()
                                           for t in self.run(self.there)])
                return
            self.check_results(found, wanted, self.wide())


def on_time(signum, frame):
    raise TooLong(f'more than {SECONDS} seconds')


def check_sample(op, sample, dtype, grad, found):
    found['samples'] += 1
    try:
        Case(op, sample, dtype, grad).check()
    except TooLong:
        raise
    except Exception as error:                          # noqa: BLE001 - all are findings
        text = f'{type(error).__name__}: {" ".join(str(error).split())}'[:300]
        reason = exception_for(name_of(op), found['type'], text)
        if reason:
            found.setdefault('exceptions', {})[reason] = text
            return
        found['failed'] += 1
        found.setdefault('error', text)
        if os.environ.get('OPINFO_TRACE'):
            traceback.print_exc()


def check(op, dtype, limit=0, grad=True):
    """All samples of an operator in one type, as a dict to print."""
    found = {'op': name_of(op), 'type': str(dtype).partition('.')[2], 'samples': 0, 'failed': 0}
    grad = grad and op.supports_autograd and dtype.is_floating_point and \
        dtype in op.supported_backward_dtypes('cpu')
    torch.hpu.reset_fallbacks()
    signal.signal(signal.SIGALRM, on_time)
    signal.alarm(SECONDS)
    begun = time.monotonic()
    try:
        # Some draw their samples with the library that they are of.
        torch.manual_seed(11)
        for i, sample in enumerate(op.sample_inputs('cpu', dtype, requires_grad=grad)):
            if limit and i >= limit:
                break
            check_sample(op, sample, dtype, grad, found)
    except Exception as error:                          # noqa: BLE001
        found['failed'] += 1
        found.setdefault('error', f'{type(error).__name__}: {error}'[:300])
    finally:
        signal.alarm(0)
    found['seconds'] = round(time.monotonic() - begun, 2)
    found['fallbacks'] = {name: f.why for name, f in torch.hpu.fallbacks().items()}
    return found


def run(types_, part=0, parts=1, names=(), samples=0, grad=True):
    """Each operator and type of a part, as check() has it."""
    for i, op in enumerate(op_db):
        if i % parts != part or names and op.name not in names:
            continue
        for name in types_.split(','):
            dtype = getattr(torch, name)
            if dtype in op.supported_dtypes('cpu'):
                yield check(op, dtype, samples, grad)


def build_id():
    """Of all that results depend on."""
    here = os.path.dirname(os.path.abspath(__file__))
    ours = os.path.dirname(torch_gaudi.__file__)
    thunk = os.path.join(os.environ.get('GAUDI_BUILD', ''), 'thunk', 'lib')
    paths = [torch_gaudi._native.path, *glob.glob(f'{thunk}/*.so.0'),
             *glob.glob(f'{ours}/*.py'), *glob.glob(f'{here}/opinfo*.py')]
    total = hashlib.sha256(torch.__version__.encode())
    for path in sorted(paths):
        with open(path, 'rb') as file:
            total.update(file.read())
    return total.hexdigest()


def run_into(folder):
    """Parts in files of their own, each with the build's id first; those that are there stay."""
    os.makedirs(folder, exist_ok=True)
    build = build_id()
    warnings.simplefilter('ignore')
    for part in range(PARTS):
        path = os.path.join(folder, f'{part:02}.jsonl')
        try:
            with open(path) as file:
                if json.loads(file.readline())['build'] == build:
                    continue
        except (OSError, ValueError, KeyError):
            pass
        with open(path + '.new', 'w') as file:
            print(json.dumps({'build': build}), file=file)
            for found in run(TYPES, part, PARTS):
                print(json.dumps(found), file=file, flush=True)
        os.rename(path + '.new', path)
        print(f'part {part + 1} of {PARTS}', file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n\n')[0])
    parser.add_argument('--types', default=TYPES)
    parser.add_argument('--samples', type=int, default=0)
    parser.add_argument('--part', default='0/1')
    parser.add_argument('--no-grad', action='store_true')
    parser.add_argument('--into')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    warnings.simplefilter('ignore')
    if options.into:
        return run_into(options.into)
    part, parts = map(int, options.part.split('/'))
    for found in run(options.types, part, parts, options.names, options.samples,
                     not options.no_grad):
        print(json.dumps(found), flush=True)
    return None


if __name__ == '__main__':
    sys.exit(main())
