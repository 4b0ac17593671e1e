# SPDX-License-Identifier: MIT
"""torch.hpu.metrics: counts of the process, or of a block of code, by the vendor's names."""

import contextlib
from typing import Any, Iterator, List, Tuple

import torch


def _count(name: str) -> int:
    if name == 'graph_compilation':
        return torch.hpu.launch_stats()['recipes'] + torch.hpu.lazy_stats()['graphs']
    if name == 'recipe_cache':
        stats = torch.hpu.launch_stats()
        return stats['launches'] - stats['recipes'] + torch.hpu.lazy_stats()['hits']
    if name == 'cpu_fallback':
        return sum(f.count for f in torch.hpu.fallbacks().values())
    if name == 'memory_defragmentation':
        return 0
    raise ValueError(f'there is no metric {name!r}')


class Metric:
    def __init__(self, name: str, begun: int = 0) -> None:
        self.name, self._begun = name, begun
        self._end: Any = None

    def stats(self) -> List[Tuple[str, int]]:
        now = _count(self.name) if self._end is None else self._end
        return [('TotalNumber', now - self._begun)]


def metric_global(name: str) -> Metric:
    _count(name)
    return Metric(name)


@contextlib.contextmanager
def metric_localcontext(name: str) -> Iterator[Metric]:
    metric = Metric(name, _count(name))
    yield metric
    metric._end = _count(name)
