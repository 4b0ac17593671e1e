#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""qmp.py SOCKET COMMAND [NAME=VALUE]... [-- COMMAND...]

Give QEMU commands, one after the other, and print what they return. A value is
JSON, or else a string. "wait EVENT" waits for an event instead, 60 s at most;
events that came earlier count. Status 1, and the reason, if a command fails.
"""

import json
import socket
import sys


class Monitor:
    """The monitor at a socket's path."""

    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(path)
        self.file = self.sock.makefile('rw', encoding='utf-8')
        self.events = []
        self.file.readline()
        self.run('qmp_capabilities', {})

    def answer(self):
        """The next message that is no event, or None after an event."""
        line = self.file.readline()
        if not line:
            sys.exit('qmp: QEMU has gone')
        message = json.loads(line)
        if 'event' in message:
            self.events.append(message['event'])
            return None
        return message

    def run(self, name, arguments):
        json.dump({'execute': name, 'arguments': arguments}, self.file)
        self.file.write('\n')
        self.file.flush()
        message = None
        while message is None:
            message = self.answer()
        if 'error' in message:
            sys.exit(f"qmp: {name}: {message['error']['desc']}")
        return message['return']

    def wait(self, event):
        while event not in self.events:
            self.answer()


def value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def main():
    monitor = Monitor(sys.argv[1])
    words = sys.argv[2:] + ['--']
    while words:
        end = words.index('--')
        name, *arguments = words[:end]
        del words[:end + 1]
        if name == 'wait':
            monitor.wait(arguments[0])
            continue
        pairs = (argument.split('=', 1) for argument in arguments)
        result = monitor.run(name, {key: value(text) for key, text in pairs})
        if result:
            print(json.dumps(result))


if __name__ == '__main__':
    main()
