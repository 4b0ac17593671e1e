# SPDX-License-Identifier: MIT
"""Whose jobs those of the engines are: the recipe that a call of the host launched, what the
job does in it, and PyTorch's operator that called it, as far as a profile of the host says
so."""

import bisect
import re

LAUNCH = 'gaudi_launch'
THREADS = 64		# that launch at a time, at most
# Of a card's engine in recipes; the other halves of pairs of matrix engines are in none.
ENGINES = {'MME0': 'MME_0', 'MME2': 'MME_1', **{f'TPC{n}': f'TPC_{n}' for n in range(8)}}
# What differs between engines that share a node: parts of tensors, sync objects.
PART = re.compile(r'\+0x[0-9a-f]+|, tells sob\d+|, when idle')
CODE = re.compile(r", runs 'kernel (.*?)'(?:$|,)")


def is_operator(name):
    """As in aten::mm."""
    return '::' in name


class Owners:
    def __init__(self, host):
        spans = host.spans if host else []
        self.jobs = host.jobs if host else {}
        self.launches = [span for span in spans if span.name == LAUNCH and span.args.get('of')]
        self.operators = [span for span in spans if is_operator(span.name)]
        self.begins = {id(found): [span.begin for span in found]
                       for found in (self.launches, self.operators)}

    def around(self, found, ns):
        """Those that a moment is within, the outermost first."""
        last = bisect.bisect(self.begins[id(found)], ns)
        return [span for span in found[max(last - THREADS, 0):last] if ns <= span.end]

    def recipe(self, work, job):
        """Its name, or '': nothing is known of it, or it may be one of several."""
        ns = work.doorbell_of(job)
        names = {span.args['of'] for span in self.around(self.launches, ns)} if ns else ()
        return names.pop() if len(names) == 1 else ''

    def node(self, work, job):
        """What it does there, in words, or ''."""
        recipe = self.recipe(work, job)
        known = self.jobs.get((recipe, ENGINES.get(work.record.engines[job.engine])))
        buffer = work.buffer_of(job) if known else None
        if buffer is None or job.at is None:
            return ''
        before = [offset for offset in known if offset <= job.at - buffer.address]
        does = known[max(before)] if before else ()
        return PART.sub('', min(does)) if len(does) == 1 else ''

    def kernel(self, work, job):
        """The name that a recipe has for a kernel, or ''."""
        found = CODE.search(self.node(work, job))
        return found[1] if found else ''

    def operator(self, work, job):
        """The innermost one's, or '' as above."""
        ns = work.doorbell_of(job)
        around = self.around(self.operators, ns) if ns else []
        threads = {(span.process, span.thread) for span in around}
        return around[-1].name if len(threads) == 1 else ''
