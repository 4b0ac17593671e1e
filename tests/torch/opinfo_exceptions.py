# SPDX-License-Identifier: GPL-2.0-only
"""What of PyTorch's operator database is not on hpu as it is on the CPU, by name, and why."""

import re

import torch

# Memory as it was before: sizes and types are compared.
UNINITIALISED = {'empty', 'empty_like', 'empty_permuted', 'empty_strided', 'new_empty',
                 'new_empty_strided'}


def _sort(self, dim=-1, descending=False, stable=True):
    return torch.sort(self, stable=True, dim=dim, descending=descending)


def _argsort(*args, **kwargs):
    return _sort(*args, **kwargs)[1]


def _topk(self, k, dim=-1, largest=True, sorted=True):
    found = _sort(self, dim, largest)
    return [t.narrow(dim, 0, k) for t in found] if self.dim() else found


def _kthvalue(self, k, dim=-1, keepdim=False):
    found = _sort(self, dim)
    if not self.dim():
        return found
    found = [t.narrow(dim, k - 1, 1) for t in found]
    return found if keepdim else [t.squeeze(dim) for t in found]


def _unique(self, *args, **kwargs):
    """In which order without sorted is open, too."""
    return torch.unique(self, *args, **{**kwargs, 'sorted': True})


def _mode(self, dim=-1, keepdim=False):
    if not self.dim():
        return torch.mode(self, dim, keepdim)
    values, _ = torch.mode(self, dim, keepdim=True)
    place = torch.ones_like(self, dtype=torch.int64).cumsum(dim) - 1
    last = torch.where(self == values, place, -1).amax(dim, keepdim=True)
    found = [self.gather(dim, last), last]
    return found if keepdim else [t.squeeze(dim) for t in found]


# Which of equal elements they find is open, and the CPU's choice is none that one could know; the
# card's are the first ones, of mode() the last one. So these take the CPU's place: with the same
# indices and gradients.
STABLE = {'sort': _sort, 'argsort': _argsort, 'topk': _topk, 'kthvalue': _kthvalue,
          'unique': _unique, 'mode': _mode}

# (operators, types or '' for all, what the error says, the reason)
EXCEPTIONS = [
    (r'jiterator_.*', '', 'Refused: .*Jiterator is only supported on CUDA',
     'PyTorch has it for CUDA only'),
    (r'to_sparse|sparse\.(sampled_addmm|mm.*)', '',
     'no sparse tensors on the card|SparseCsr layout: hpu|new_compressed_tensor',
     'there are no sparse tensors on the card'),
    (r'chalf', '', 'ComplexHalf cannot be on the card',
     'there are no tensors of complex32 on the card'),
    (r'masked\.(amax|amin|argmax|argmin|logsumexp)|unravel_index', 'int64',
     'does not fit into the 32 bits',
     'bounds of int64, as numbers and sizes and where something is masked, are more than 32 bits'),
    (r'aminmax', '', r'torch\.Size\(\[\]\) != torch\.Size\(\[1\]\)',
     'of a tensor without dims PyTorch 1.13 has a result with one on the CPU, not elsewhere'),
    (r'as_strided_scatter', 'float32 bfloat16', 'not close',
     "its gradient is memory that PyTorch's formula does not initialise"),
    (r'nn\.functional\.hardswish', 'bfloat16', 'not close',
     "at 3, where the gradient leaps, the CPU's differs by the place in the tensor"),
    (r'remainder', 'bfloat16', 'difference: nan',
     "of a quotient beyond float32, as in its gradient, PyTorch 1.13's CPU has NaN"),
    (r'cov', 'bfloat16', r'absolute difference: \d\.\d+e-05',
     'a gradient that is 0 is what rounding, in float32, leaves of numbers near 60'),
    (r'svd_lowrank|pca_lowrank', 'float32', 'not close',
     'it starts from a random matrix, which is another one on the card'),
    (r'native_(layer|batch)_norm', 'bfloat16', "'dtype' do not match: torch.float32",
     'mean and deviation of bfloat16 are float32, as on CUDA'),
]


def exception_for(name, dtype, error):
    """The reason, or None: then it is a failure."""
    for names, types, text, reason in EXCEPTIONS:
        if re.fullmatch(names, name) and (not types or dtype in types.split()) and \
                re.search(text, error):
            return reason
    return None
