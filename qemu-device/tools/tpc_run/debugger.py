# SPDX-License-Identifier: GPL-2.0-or-later
"""A debugger of kernels that reads commands from standard input."""
import re
import sys
from typing import Optional

from tpc_run.errors import Failure, fail, whole
from tpc_run.kernel import WORD
from tpc_run.machine import PER_LINE, Machine, parse_print, rows
from tpc_run.native import BREAK, GOES_ON, MANY
from tpc_run.tensor import size_of

AROUND = 5              # words before and behind the one of a list


class Debugger:
    """Reads commands from standard input; the kernel is launched."""

    COMMANDS = {
        'step': '[N]  execute N words, or one',
        'next': '  the same with one word; a loop as a whole',
        'continue': '  to the next breakpoint, or the end',
        'break': '[PLACE]  stop before that word; or list such places',
        'delete': '[PLACE]  not there any more; or nowhere',
        'print': 'REG[:TYPE]  v3:f32 s0 i2 vp1 sp1 ad0 pc; v, all',
        'memory': 'PLACE[:TYPE] [N]  slm+0x10 vlm+256:f32 t0(3,0) 0x20...',
        'watch': '[PLACE[:TYPE]]  stop when it changes; or list',
        'unwatch': '[N]  not that one any more; or none',
        'list': '[PLACE]  words there, or at the PC',
        'quit': '  end; outputs are not written',
        'help': '  this text; names may be shortened'}

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.over = False
        self.why: Optional[int] = None

    def run(self) -> Optional[int]:
        """As Machine.go() at the kernel's end or limit; None: it was left."""
        prompt = sys.stdin.isatty()
        last = ''
        print(self.machine.word_text(self.machine.pc, '=> '))
        while not self.over:
            print('(tpc) ' if prompt else '', end='', flush=True)
            line = sys.stdin.readline()
            if not line:
                return None
            # An empty line at a terminal: the same again.
            last = last if prompt and line == '\n' else line
            self.obey(last.strip(' \t\n'))
        return self.why

    def obey(self, line: str) -> None:
        if not line:
            return
        word, text = (re.split('[ \t]+', line, maxsplit=1) + [''])[:2]
        name = next((name for name in self.COMMANDS if name.startswith(word)),
                    None)
        if not name:
            print(f"there is no command '{word}'; try help")
            return
        try:
            getattr(self, 'do_' + name)(text)
        except Failure as error:
            print(error)

    def go(self, words: int, *more: int) -> None:
        """Also to the places in more, which are no breakpoints."""
        machine = self.machine
        why = machine.go(words, more)
        watched = machine.show_watches()
        if why not in (GOES_ON, BREAK) or not machine.left:
            self.over = True
            self.why = why if why != BREAK else GOES_ON
            return
        if why == BREAK and not watched and machine.pc not in more:
            print('breakpoint')
        print(machine.word_text(machine.pc, '=> '))

    def do_step(self, text: str) -> None:
        words = whole(text or '1')
        if not words:
            fail('step takes a number of words')
        self.go(words)

    def do_next(self, _text: str) -> None:
        pc = self.machine.pc
        word, _ = self.machine.decode(pc)
        if not word or word.loop_end < 0:
            self.go(1)
        else:
            # With its delay slot.
            self.go(1 << 64, pc + word.loop_end + WORD)

    def do_continue(self, _text: str) -> None:
        self.go(MANY)

    def do_break(self, text: str) -> None:
        machine = self.machine
        if text:
            offset = machine.kernel.find(text)
            if not machine.add_break(offset):
                fail('this breakpoint exists, or there are too many')
        for offset in [offset] if text else machine.breaks:
            print(machine.word_text(offset, '   '))

    def do_delete(self, text: str) -> None:
        machine = self.machine
        if not text:
            machine.breaks.clear()
            return
        try:
            machine.breaks.remove(machine.kernel.find(text))
        except (Failure, ValueError):
            print(f"there is no breakpoint '{text}'")

    def do_print(self, text: str) -> None:
        self.machine.show_registers(parse_print(text))

    def do_memory(self, text: str) -> None:
        where, number = (text.split(maxsplit=1) + ['', ''])[:2]
        place = self.machine.find(where)
        count = whole(number) if number else PER_LINE
        if not count:
            fail('a number of elements is expected behind the place')
        most = len(place.data) // size_of(place.kind)
        print(place.name)
        texts = [place.text(place.element(n)) for n in range(min(count, most))]
        print('\n'.join(rows(texts, '4')))
        if count > most:
            print('  (here the memory ends)')

    def do_watch(self, text: str) -> None:
        if text:
            self.machine.add_watch(text)
            return
        for n, watch in enumerate(self.machine.watches, 1):
            print(f'{n}  {watch.name} = {watch.text(watch.element())}')

    def do_unwatch(self, text: str) -> None:
        watches = self.machine.watches
        if not text:
            watches.clear()
            return
        if not re.fullmatch('[0-9]+', text) or \
                not 1 <= int(text) <= len(watches):
            fail(f"no place has the number '{text}'; see watch")
        del watches[int(text) - 1]

    def do_list(self, text: str) -> None:
        machine = self.machine
        at = (machine.kernel.find(text) if text else machine.pc) // WORD
        for n in range(max(at - AROUND, 0),
                       min(at + AROUND + 1, len(machine.kernel.code) // WORD)):
            mark = '=> ' if n * WORD == machine.pc else '   '
            print(machine.word_text(n * WORD, mark))

    def do_quit(self, _text: str) -> None:
        self.over = True

    def do_help(self, _text: str) -> None:
        for name, what in self.COMMANDS.items():
            print(name, what)
