#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run unittest modules of this folder, named as arguments; TAP on standard output.

TEST_PYTHON_ONLY=WORD runs only tests with that in their name.
"""

import faulthandler
import os
import sys
import traceback
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
# Not beside the sources.
sys.dont_write_bytecode = not sys.pycache_prefix
sys.path[:0] = [HERE]


class Tap(unittest.TestResult):
    """Each test is a line, with what went wrong above it."""

    def __init__(self):
        super().__init__()
        self.number = 0

    def line(self, good, test, note=''):
        self.number += 1
        name = test.id().partition('.')[2] or test.id()
        print(f'{"ok" if good else "not ok"} {self.number} - {name[:120]}'
              f'{note}', flush=True)

    def bad(self, test, error):
        text = ''.join(traceback.format_exception(*error))
        print('\n'.join('# ' + row for row in text.splitlines()))
        self.line(False, test)

    def addSuccess(self, test):
        self.line(True, test)

    def addSkip(self, test, reason):
        self.line(True, test, f' # SKIP {reason}')

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.bad(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.bad(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.bad(subtest, err)


def flat(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def main():
    # Where a thread hangs is worth more than the time-out.
    faulthandler.enable()
    faulthandler.dump_traceback_later(850, exit=True)
    found = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:])
    only = os.environ.get('TEST_PYTHON_ONLY', '')
    tests = [test for test in flat(found) if only in test.id()]
    print(f'1..{len(tests)}', flush=True)
    result = Tap()
    unittest.TestSuite(tests).run(result)
    faulthandler.cancel_dump_traceback_later()
    return 0 if result.wasSuccessful() and tests else 1


if __name__ == '__main__':
    sys.exit(main())
