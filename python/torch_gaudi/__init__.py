# SPDX-License-Identifier: MIT
"""PyTorch's device `hpu` on libgaudi: importing this makes tensors on `hpu` possible and
torch.hpu there. Documentation/torch.rst has modes, variables and limits.

    import torch, torch_gaudi

    x = torch.randn(3, 4, device='hpu')
    print((x @ x.t()).cpu())
"""

from . import _decompositions, _foreach, _fused, _native, hpu
from ._patches import apply as _apply

_apply(hpu)
_library, _decomposed = _decompositions.register()
_wrapped = _decompositions.register_wrapped()
_decomposed += _foreach.register(_library)
_decomposed += _fused.register(_library)

fallbacks = hpu.fallbacks
__all__ = ['fallbacks', 'hpu']
