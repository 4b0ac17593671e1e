# SPDX-License-Identifier: GPL-2.0-only
"""Sixteen threads, and host functions that need Python meanwhile."""

import queue
import threading
import unittest

from common import LONG, CardTest, gaudi, knobs, needs_knobs, pattern

THREADS = 16


class Threads(CardTest):
    def together(self, function, number=THREADS):
        """Call it on many threads; the first failure of any of them."""
        failures, start = [], threading.Barrier(number)

        def run(i):
            try:
                start.wait(LONG)
                function(i)
            except BaseException as error:
                failures.append(error)
        threads = [threading.Thread(target=run, args=(i,))
                   for i in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
            self.assertFalse(thread.is_alive(), 'a thread hangs')
        if failures:
            raise failures[0]

    def test_streams_side_by_side(self):
        def work(i):
            size = 10000 + 1000 * i
            data = pattern(size, i)
            with self.device.stream() as stream:
                for _ in range(10):
                    buffer, host = stream.alloc(size), self.device.alloc_host(
                        size)
                    host[:] = data
                    stream.copy(buffer, host)
                    host = self.device.alloc_host(size)
                    stream.copy(host, buffer)
                    event = stream.record()
                    event.synchronize()
                    self.assertEqual(host[:], data)
                    buffer.close(stream)
        self.together(work)

    def test_one_stream_for_all(self):
        called = []
        with self.device.stream() as stream:
            def work(i):
                buffer = self.device.alloc(64)
                for k in range(20):
                    stream.fill(buffer, k)
                    stream.call(lambda error: called.append((i, k, error)))
                    stream.synchronize()
                    self.assertEqual(buffer.read(), bytes([k]) * 64)
            self.together(work, 8)
        self.assertEqual(len(called), 160)
        self.assertTrue(all(error is None for _, _, error in called))

    def test_errors_are_each_threads_own(self):
        def work(i):
            for _ in range(50):
                try:
                    gaudi.open(1000 + i)
                except gaudi.Error as error:
                    self.assertIn(str(1000 + i), error.message)
        self.together(work)

    @needs_knobs
    def test_waiting_lets_others_run(self):
        """Else nobody could release the card, and this would hang."""
        with self.device.stream() as stream:
            buffer = self.device.alloc(64)
            knobs.hold()
            stream.fill(buffer, 1)
            event = stream.record()
            thread = threading.Thread(target=knobs.release)
            timer = threading.Timer(0.1, thread.start)
            timer.start()
            event.synchronize()
            timer.join()
            thread.join()

    def test_a_host_function_feeds_a_thread(self):
        """As a data loader does."""
        done = queue.Queue()
        with self.device.stream() as stream:
            buffer = self.device.alloc(4096)
            hosts = [self.device.alloc_host(4096) for _ in range(4)]

            def feed():
                for i in range(40):
                    host = hosts[i % 4]
                    if i >= 4:
                        self.assertEqual(done.get(timeout=LONG), i - 4)
                    host[:] = bytes([i]) * 4096
                    stream.copy(buffer, host)
                    stream.call(lambda error, i=i: done.put(i))
            thread = threading.Thread(target=feed)
            thread.start()
            thread.join(LONG)
            self.assertFalse(thread.is_alive())
            stream.synchronize()
        self.assertEqual(buffer.read(), bytes([39]) * 4096)

    def test_one_closes_what_others_use(self):
        """Whoever comes too late is told so; nothing else may happen."""
        for _ in range(10):
            stream = self.device.stream()
            buffer = self.device.alloc(64)

            def work(i):
                try:
                    for k in range(50):
                        if i == 3 and k == 20:
                            stream.close()
                        stream.fill(buffer, i)
                        stream.query()
                    self.assertNotEqual(i, 3)
                except ValueError as error:
                    self.assertIn('closed', str(error))
            self.together(work, 8)


class Devices(unittest.TestCase):
    def test_device_closed_under_threads(self):
        for _ in range(3):
            device = gaudi.open(timeout=LONG)
            told = []

            def work(device=device, told=told):
                try:
                    while True:
                        with device.stream() as stream:
                            stream.copy(device.alloc(256), bytes(256))
                            device.alloc_host(4096)
                            stream.record().query()
                except ValueError as error:
                    told.append(str(error))
            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            threading.Event().wait(0.05)
            device.close()
            for thread in threads:
                thread.join(LONG)
                self.assertFalse(thread.is_alive())
            self.assertEqual(len(told), 8)
            self.assertTrue(all('closed' in text for text in told), told)
