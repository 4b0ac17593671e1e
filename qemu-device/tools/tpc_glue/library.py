# SPDX-License-Identifier: GPL-2.0-or-later
"""A library of glue code. Each call is in a process of its own: the library may crash
it, end it, or never return."""
import ctypes
import os
import pickle
import signal
import sys
from typing import Any, Callable, List, NamedTuple, NoReturn, Optional, Tuple

from tpc_glue.answers import GLUE, SMALL_AUX, SMALL_ELF, SUCCESS, TENSORS, Answer, \
    GlueError, Question, status_name
from tpc_glue.newer import Newer
from tpc_glue.older import Older
from tpc_run.errors import FILES, Failure, fail

MOST_BYTES = 1 << 30    # of a buffer that a library may ask for
CALLS = 6


class Contents(NamedTuple):
    header: str
    version: Optional[int]
    guids: List[str]


def load(path: str) -> Any:
    """In the child."""
    lib = ctypes.CDLL(os.path.abspath(path))
    for form in (Newer, Older):
        has = [name for name in form.names if hasattr(lib, name)]
        if not has:
            continue
        missing = [name for name in form.names if name not in has]
        if missing:
            raise GlueError(f'it has {has[0]}, but no {missing[0]}; both must be '
                            'extern "C", and visible')
        try:
            layout = list((ctypes.c_uint32 * len(form.layout)).in_dll(lib, form.mark))
        except ValueError:
            layout = []
        if layout != form.layout:
            raise GlueError(
                f'it was not compiled against our {form.header}' + (
                    ' of this version' if layout else '') + ': compile its sources with -I '
                'and the folder of that header (only sources fit, no libraries)')
        return form(lib)
    raise GlueError('this is no library of glue code: it has neither '
                    f'{Newer.names[0]} nor {Older.names[0]}')


class Library:
    def __init__(self, path: str, seconds: int) -> None:
        """seconds: for each call"""
        self.path, self.seconds = path, seconds
        try:
            with open(path, 'rb') as file:
                if file.read(4) != b'\x7fELF':
                    self.refuse('this is no shared library', FILES)
        except OSError as error:
            raise Failure(f'{path}: {error.strerror}', FILES) from error

    def refuse(self, why: str, status: int = GLUE) -> NoReturn:
        fail(f'{self.path}: {why}', status)

    def in_child(self, what: str, work: Callable[[Any], Any]) -> Any:
        """work() is given the library's form."""
        sys.stdout.flush()
        sys.stderr.flush()
        back, out = os.pipe()
        child = os.fork()
        if not child:
            os.close(back)
            self.as_child(out, work)
        os.close(out)
        with os.fdopen(back, 'rb') as file:
            said = file.read()
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            self.refuse(f'{what} does not return within {self.seconds} s'
                        if number == signal.SIGALRM else
                        f'{what} crashes: {signal.Signals(number).name}')
        if not said:
            self.refuse(f'{what} ends the process, with status {os.WEXITSTATUS(status)}')
        well, result = pickle.loads(said)
        if not well:
            self.refuse(result)
        return result

    def as_child(self, out: int, work: Callable[[Any], Any]) -> NoReturn:
        result: Tuple[bool, Any]
        try:
            # Python's own would be of no help here.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(self.seconds)
            result = True, work(load(self.path))
        except (GlueError, OSError) as error:
            text = str(error)
            prefix = os.path.abspath(self.path) + ': '
            result = False, text[len(prefix):] if text.startswith(prefix) else text
        except BaseException as error:  # pylint: disable=broad-except
            result = False, f'{type(error).__name__}: {error}'
        with os.fdopen(out, 'wb') as file:
            file.write(pickle.dumps(result))
        os._exit(0)

    def contents(self) -> Contents:
        found = self.in_child('GetKernelGuids', lambda form: Contents(
            form.header, form.version(), form.guids()))
        assert isinstance(found, Contents)
        return found

    def shapes(self, question: Question) -> Optional[List[List[int]]]:
        found: Optional[List[List[int]]] = self.in_child(
            'GetShapeInference', lambda form: form.shapes(question))
        return found

    def ask(self, question: Question, elf_bytes: int, aux_bytes: List[int]) -> Answer:
        """Once."""
        answer = self.in_child(
            'the instantiation of ' + question.guid,
            lambda form: form.instantiate(question, elf_bytes, aux_bytes))
        assert isinstance(answer, Answer)
        if answer.beyond:
            self.refuse(f'{question.guid}: it writes behind the end of '
                        f'{", ".join(answer.beyond)}')
        return answer

    def instantiate(self, question: Question) -> Answer:
        """As long as it asks for larger buffers; twice with those that it wants."""
        elf, aux = 0, [0] * TENSORS
        for _ in range(CALLS):
            answer = self.ask(question, elf, aux)
            name = status_name(answer.status)
            if answer.status == SUCCESS:
                break
            if answer.status not in (SMALL_ELF, SMALL_AUX):
                self.refuse(f'{question.guid}: it answers {name}' + (
                    f'; it would take {answer.wanted}' if answer.wanted else ''))
            more_elf = max(elf, answer.elf_bytes)
            more_aux = [max(pair) for pair in zip(aux, answer.aux_bytes)]
            if (more_elf, more_aux) == (elf, aux):
                self.refuse(f'{question.guid}: it answers {name}, but it asks for no more '
                            'than it was given')
            elf, aux = more_elf, more_aux
            if max(elf, *aux) > MOST_BYTES:
                self.refuse(f'{question.guid}: it asks for a buffer of {max(elf, *aux)} bytes')
        else:
            self.refuse(f'{question.guid}: after {CALLS} calls it still answers {name}')
        if answer.elf_bytes > elf:
            self.refuse(f'{question.guid}: it answers GLUE_SUCCESS, but its kernel has '
                        f'{answer.elf_bytes} bytes, and it was given {elf}: '
                        'GLUE_INSUFFICIENT_ELF_BUFFER would be right')
        if not answer.elf:
            self.refuse(f'{question.guid}: it answers GLUE_SUCCESS without a kernel: elfSize '
                        'is 0')
        again = self.ask(question, elf, aux)
        for field, old, new in zip(Answer._fields, answer, again):
            if old != new:
                self.refuse(f'{question.guid}: asked the same twice, it answers otherwise '
                            f'({field})')
        return answer
