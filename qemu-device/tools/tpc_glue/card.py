# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel by libgaudi: on a card, or on one in this process (GAUDI_SIM=1)."""
import importlib
from typing import Any, List

import numpy as np

from tpc_glue.touch import Found, Looker
from tpc_run.errors import FILES, Failure
from tpc_run.native import TENSORS

WAIT_SECONDS = 60


def binding() -> Any:
    try:
        return importlib.import_module('gaudi')
    except (ImportError, OSError) as error:
        raise Failure(f'{error}; PYTHONPATH must have the folder of the module gaudi, and '
                      'GAUDI_LIBRARY its library if it is elsewhere; or say "check" instead '
                      'of "run"', FILES) from error


def run(looker: Looker, image: bytes, found: Found, initial: List[Any]) -> List[Any]:
    """The bytes of the outputs, which were as initial before."""
    gaudi = binding()
    try:
        recipe = build(gaudi, looker, image, found)
        with gaudi.open(timeout=WAIT_SECONDS) as device:
            return launch(looker, device, recipe, initial)
    except gaudi.Error as error:
        raise Failure(f'{looker.kernel.name}: by libgaudi: {error}', FILES) from error


def launch(looker: Looker, device: Any, recipe: Any, initial: List[Any]) -> List[Any]:
    outputs, left = [], list(initial)
    with device.stream() as stream, device.launcher(recipe) as launcher:
        bound = {one.word: device.put(left.pop(0) if one.is_output else one.tensor.data)
                 for one in looker.operands if one.pattern is not None}
        launcher.launch(stream, bound)
        for one in looker.operands:
            if one.is_output:
                outputs.append(np.empty(one.tensor.data.size, np.uint8))
                stream.copy(outputs[-1], bound[one.word])
        stream.synchronize()
    return outputs


def build(gaudi: Any, looker: Looker, image: bytes, found: Found) -> Any:
    updates = list(found.updates)
    settings = looker.machine.options
    with gaudi.Builder(looker.kernel.name) as builder:
        tensors = []
        for one in looker.operands:
            kind = gaudi.Kind.CONSTANT if one.pattern is None else \
                gaudi.Kind.OUTPUT if one.is_output else gaudi.Kind.INPUT
            # No tensor of a recipe is without a dim.
            number = builder.tensor(one.word, kind, gaudi.Type[one.shape.kind.upper()],
                                    tuple(reversed(one.shape.sizes)) or (1,),
                                    data=one.tensor.data if one.pattern is None else None)
            tensors.append(gaudi.KernelTensor(
                number, reads=not one.is_output or updates.pop(0), writes=one.is_output))
        assert len(tensors) <= TENSORS
        tables = None
        if settings.luts:
            tables = [builder.tensor(f'tables {n}', gaudi.Kind.CONSTANT, gaudi.Type.U8,
                                     (settings.luts[n].size,), data=settings.luts[n])
                      if n in settings.luts else None for n in range(4)]
        builder.kernel(looker.kernel.name, image, tensors,
                       looker.answer.space[:looker.answer.rank], settings.scalars, tables)
        return builder.build()
