# SPDX-License-Identifier: MIT
"""Whose jobs those of the engines are: the recipe that a call of the host launched, also as a
part of a graph, what the job does in it, and PyTorch's operator that called it, as far as a
profile of the host says so. And by that what jobs are called, here and nowhere else."""

import bisect
import re

from .work import MOVES, place

# The last one may be of another thread than the second.
LAUNCHES = ('gaudi_launch', 'gaudi_graph_launch', 'gaudi_graph_step')
THREADS = 64		# that launch at a time, at most
# Of a card's engine in recipes; the other halves of pairs of matrix engines are in none.
ENGINES = {'MME0': 'MME_0', 'MME2': 'MME_1', **{f'TPC{n}': f'TPC_{n}' for n in range(8)}}
# What differs between engines that share a node: parts of tensors, sync objects.
PART = re.compile(r'\+0x[0-9a-f]+|, tells sob\d+|, when idle')
CODE = re.compile(r", runs 'kernel (.*?)'(?:$|,)")


def is_operator(name):
    """As in aten::mm."""
    return '::' in name


def named(does, launched):
    """(recipe, node), of what one job or several may do."""
    recipe, node = min(does) if len(does) == 1 else ('', '')
    return recipe or launched, PART.sub('', node)


class Owners:
    def __init__(self, host):
        spans = host.spans if host else []
        self.jobs = host.jobs if host else {}
        self.files = host.files if host else {}
        self.launches = [span for span in spans if span.name in LAUNCHES and span.args.get('of')]
        self.operators = [span for span in spans if is_operator(span.name)]
        self.begins = {id(found): [span.begin for span in found]
                       for found in (self.launches, self.operators)}

    def around(self, found, ns):
        """Those that a moment is within, the outermost first."""
        last = bisect.bisect(self.begins[id(found)], ns)
        return [span for span in found[max(last - THREADS, 0):last] if ns <= span.end]

    def launch(self, ns):
        """The (process, name) of the recipe or graph that is launched by the call that a doorbell
        is within, or None: nothing is known of it, or it may be one of several."""
        innermost = {(span.process, span.thread): (span.process, span.args['of'])
                     for span in self.around(self.launches, ns)} if ns else {}
        found = set(innermost.values())
        return found.pop() if len(found) == 1 else None

    def file_of(self, ns, recipe):
        """Where a recipe that was launched then comes from, or '': it is not known, or was
        built."""
        launch = self.launch(ns)
        found = self.files.get((launch[0], recipe), ()) if launch else ()
        return min(found) if len(found) == 1 else ''

    def jobs_of(self, work, launch, engine):
        """By offset in a command buffer of a launch, whose the jobs of an engine are from there
        on and what they do."""
        return self.jobs.get((*launch, ENGINES.get(work.record.engines[engine])), {})

    def known(self, work, job):
        """(recipe, node) of a job: the recipe's name, and what the job does there in words; each
        is '' if the host has not told it."""
        launch = self.launch(work.doorbell_of(job))
        if not launch:
            return '', ''
        known = self.jobs_of(work, launch, job.engine)
        buffer = work.buffer_of(job) if known else None
        if buffer is None or job.at is None:
            return launch[1], ''
        before = [offset for offset in known if offset <= job.at - buffer.address]
        return named(known[max(before)] if before else (), launch[1])

    def ahead(self, work, unit, address):
        """The same of the next job behind a packet at which a queue's stream stands, and when the
        host told of its command buffer."""
        found = work.by_unit.get(unit)
        buffer = found[-1] if found else None
        if not buffer or not buffer.address <= address < buffer.address + buffer.bytes:
            return '', '', None
        launch = self.launch(buffer.doorbell)
        if not launch:
            return '', '', None
        known = self.jobs_of(work, launch, unit // 8)
        behind = [offset for offset in known if offset >= address - buffer.address]
        return (*named(known[min(behind)] if behind else (), launch[1]), buffer.doorbell)

    def operator(self, work, job):
        """The name of the innermost one that called it, or ''."""
        ns = work.doorbell_of(job)
        around = self.around(self.operators, ns) if ns else []
        threads = {(span.process, span.thread) for span in around}
        return around[-1].name if len(threads) == 1 else ''

    def name(self, work, kernels, job):
        """What a job is called."""
        if job.kind in MOVES:
            if job.to is None:
                return f'{job.kind} without an end'
            return f'copy {place(job.source)} to {place(job.to)}' if job.kind == 'copy' else \
                f'{job.kind} {place(job.to)}'
        recipe, node = self.known(work, job)
        code = CODE.search(node)
        name = 'MME job' if job.kind == 'job' else 'kernel ' + (
            kernels.name(job.source, job.end) or (code[1] if code else hex(job.source)))
        return f'{name} of {recipe}' if recipe else name
