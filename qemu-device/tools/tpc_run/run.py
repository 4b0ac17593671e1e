# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a kernel, core by core; the exit status."""
import sys
import time
from typing import List, NoReturn, Optional

from tpc_run import coverage
from tpc_run.debugger import Debugger
from tpc_run.errors import HAZARD, LIMIT, STOPPED, USED_WRONGLY, Failure, \
    as_a_program, fail, tell
from tpc_run.kernel import WORD, Kernel
from tpc_run.machine import CODE, Machine
from tpc_run.native import BAD_MEMORY, BAD_TIMING, BREAK, ENDED, GOES_ON, \
    KILLED, MANY, TENSORS, library
from tpc_run.options import Options

def at_break(machine: Machine) -> None:
    if machine.show_watches():
        return
    print('breakpoint')
    print(machine.word_text(machine.pc, '=> '))
    for what in machine.options.prints:
        machine.show_registers(what)


def trace(machine: Machine) -> int:
    """Words one by one. What one changed is told behind it; a breakpoint there
    too."""
    changes = 'trace' in machine.options.flags
    while True:
        # At the start run_core() has told it.
        if machine.at('words') and machine.pc in machine.breaks:
            at_break(machine)
        old = machine.snapshot() if changes else {}
        print(machine.word_text(machine.pc))
        why = machine.go(1)
        machine.show_changes(old)
        machine.show_watches()
        if why not in (GOES_ON, BREAK) or not machine.left:
            return why


def tell_stop(machine: Machine, why: int) -> int:
    """Why the kernel was ended, and where; an exit status."""
    text = machine.text
    machine.lib.why(machine.run, text, len(text))
    tell(f'{machine.kernel.name}: core {machine.core}: {text.value.decode()}')
    print(machine.word_text((machine.at('stop_pc') - CODE) & MANY, '  '),
          file=sys.stderr)
    if why == BAD_MEMORY:
        addr = machine.at('stop_addr')
        below = [n for n, tensor in enumerate(machine.tensors)
                 if tensor.addr <= addr]
        if below:
            tensor = machine.tensors[below[-1]]
            tell(f'  the address is byte {addr - tensor.addr} of tensor '
                 f'{below[-1]}, which has {tensor.data.size}')
        else:
            tell('  the address is in no tensor')
    return HAZARD if why == BAD_TIMING else STOPPED


def run_core(machine: Machine) -> Optional[int]:
    """The exit status so far; None: the user has left."""
    flags = machine.options.flags
    if 'debug' in flags:
        end = Debugger(machine).run()
        if end is None:
            return None
        why = end
    elif machine.gdb:
        why = machine.go_by_gdb()
        if why == KILLED:
            return None
    else:
        if machine.pc in machine.breaks:
            at_break(machine)
        if 'steps' in flags or 'trace' in flags:
            why = trace(machine)
        else:
            while (why := machine.go(MANY)) == BREAK:
                at_break(machine)
    machine.show_watches()
    for what in machine.options.prints:
        machine.show_registers(what)
    machine.show_causes()
    if why in (GOES_ON, BREAK):
        tell(f'{machine.kernel.name}: core {machine.core}: no end after '
             f'{machine.at("words")} words')
        print(machine.word_text(machine.pc, '  '), file=sys.stderr)
        return LIMIT
    return 0 if why == ENDED else tell_stop(machine, why)


def run_cores(machine: Machine) -> int:
    flags = machine.options.flags
    start = time.monotonic()
    status: Optional[int] = 0
    for core in range(machine.options.cores):
        if not status and machine.launch(core):
            status = run_core(machine)
            if status is None:
                return 0
    if 'stats' in flags:
        machine.show_stats(0 if 'debug' in flags or machine.gdb else
                           time.monotonic() - start)
    if 'coverage' in flags:
        coverage.show(machine)
    if not status:
        for tensor in machine.tensors:
            if tensor.out:
                tensor.write()
    return status or 0


def run_all(machine: Machine) -> int:
    status = USED_WRONGLY
    try:
        status = run_cores(machine)
    finally:
        machine.end_gdb(status)
    return status


def warn(machine: Machine) -> None:
    """Of what is not given; of tensors nothing else tells."""
    kernel, given = machine.kernel, len(machine.options.scalars)
    if kernel.scalars > given:
        tell(f'{kernel.name}: warning: it takes {kernel.scalars} scalars, '
             f'{given} are given')
    named = 0
    for offset in range(0, len(kernel.code), WORD):
        word, _ = machine.decode(offset)
        named |= word.tensors if word else 0
    for n in range(len(machine.tensors), TENSORS):
        if named >> n & 1:
            tell(f'{kernel.name}: warning: it uses tensor {n}, '
                 f'{len(machine.tensors)} are given: loads read the padding, '
                 'stores are dropped')


def main(args: List[str]) -> int:
    """The exit status."""
    options = Options()
    try:
        options.read(args)
        if not options.kernel:
            return 0
        kernel = Kernel(options.kernel)
        machine = Machine(library(), options, kernel)
        warn(machine)
        try:
            for text in options.watches:
                machine.add_watch(text)
            for text in options.breaks:
                machine.add_break(kernel.find(text))
        except Failure as error:
            fail(f'{kernel.name}: {error}')
        if options.gdb is not None:
            machine.wait_for_gdb(options.gdb)
        return run_all(machine)
    except Failure as failure:
        if str(failure):
            tell(str(failure))
        return failure.status


def start() -> NoReturn:
    as_a_program(main)
