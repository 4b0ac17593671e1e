# SPDX-License-Identifier: GPL-2.0-only
"""Who keeps what alive: views, buffers, devices, the child after fork(), and the
end of Python. What goes wrong here is mostly a crash."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import weakref

from common import (LONG, CardTest, errno, gaudi, knobs, needs_knobs,
                    numpy_or_skip, pattern)

MIB = 1 << 20


def mapped(address):
    """Whether there is memory."""
    with open('/proc/self/maps', encoding='ascii') as file:
        for line in file:
            low, high = (int(x, 16) for x in line.split()[0].split('-'))
            if low <= address < high:
                return True
    return False


class HostMemory(CardTest):
    def test_memoryview_is_the_same_memory(self):
        host = self.device.alloc_host(10000)
        view = memoryview(host)
        self.assertEqual((view.nbytes, view.format, view.readonly),
                         (10000, 'B', False))
        self.assertEqual(len(host), 10000)
        view[17] = 99
        self.assertEqual(host[17], 99)
        host[5:8] = b'abc'
        self.assertEqual(bytes(view[5:8]), b'abc')
        self.assertEqual(bytes(view[8:17]), bytes(9))

    def test_numpy_is_the_same_memory(self):
        np = numpy_or_skip()
        host = self.device.alloc_host(4096)
        arrays = [np.asarray(host), np.frombuffer(host, np.uint8),
                  np.asarray(memoryview(host)), host.to_numpy(np.uint8),
                  host.to_numpy(np.uint8, (64, 64)).ravel()]
        for i, array in enumerate(arrays):
            array[i] = 100 + i
            self.assertTrue(array.flags.writeable)
            self.assertFalse(array.flags.owndata)
            self.assertTrue(np.shares_memory(array, arrays[0]))
        self.assertEqual(host[:5], bytes(range(100, 105)))
        # The card writes to it, and reads it.
        buffer = self.device.alloc(4096)
        with self.device.stream() as stream:
            stream.fill(buffer, 0x3f800000, 4)
            floats = host.to_numpy(np.float32)
            stream.copy(floats, buffer)
            stream.synchronize()
            self.assertTrue((floats == 1.0).all())
            floats *= 2
            stream.copy(buffer[:2048], floats[512:])
            stream.synchronize()
        self.assertEqual(buffer.to_numpy(np.float32)[0], 2.0)

    def test_views_keep_the_memory(self):
        host = self.device.alloc_host(3 * MIB)
        host[:] = data = pattern(3 * MIB)
        view = memoryview(host)[MIB:]
        host.close()
        self.assertFalse(host.pinned)
        self.assertEqual(bytes(view), data[MIB:])
        del host
        gc.collect()
        view[0:3] = b'xyz'
        self.assertEqual(bytes(view[:3]), b'xyz')

    def test_views_outlive_the_device(self):
        np = numpy_or_skip()
        host = self.device.alloc_host(3 * MIB)
        array = host.to_numpy(np.uint64)
        array[:] = 7
        self.device.close()
        self.assertFalse(host.pinned)
        self.assertTrue((array == 7).all())
        array[:] = 8
        del host
        gc.collect()
        self.assertTrue((array == 8).all())

    def test_memory_goes_with_the_last_view(self):
        host = self.device.alloc_host(3 * MIB)
        address = gaudi.memory.Span(host, True).address
        gone = weakref.ref(host)
        gc.collect()
        view = memoryview(host)
        del host
        self.assertIsNotNone(gone())
        self.assertTrue(mapped(address + MIB))
        view.release()
        del view
        gc.collect()
        self.assertIsNone(gone())
        # Not pinned any more: it can be pinned again at this place.
        self.fails(gaudi.errors.ADDRESS, lambda: gaudi.memory._device_address(
            self.device, address))

    def test_closed_without_views(self):
        host = self.device.alloc_host(4096)
        self.assertTrue(host.pinned)
        host.close()
        host.close()
        self.assertTrue(host.closed)
        with self.assertRaises(ValueError):
            memoryview(host)
        self.assertIn('closed', repr(host))

    def test_it_keeps_its_size(self):
        host = self.device.alloc_host(4096)
        with self.assertRaises(TypeError):
            host.resize(8192)
        self.assertEqual(len(host), 4096)

    def test_context_with_a_view_left(self):
        with self.device.alloc_host(4096) as host:
            view = memoryview(host)
            view[0] = 3
        self.assertFalse(host.pinned)
        self.assertEqual(view[0], 3)

    @needs_knobs
    def test_dropped_while_the_card_reads_it(self):
        """Its finalizer waits for the copy."""
        buffer = self.device.alloc(MIB)
        with self.device.stream() as stream:
            host = self.device.alloc_host(MIB)
            host[:] = data = pattern(MIB)
            knobs.hold()
            stream.copy(buffer, host)
            late = threading.Timer(0.2, knobs.release)
            late.start()
            del host
            # Now the memory is gone, so the copy must be done.
            self.assertTrue(stream.query())
            late.join()
        self.assertEqual(buffer.read(), data)

    @needs_knobs
    def test_pin_dropped_while_the_card_reads_it(self):
        buffer = self.device.alloc(MIB)
        data = bytearray(pattern(MIB))
        with self.device.stream() as stream:
            pin = self.device.pin(data)
            with self.assertRaises(BufferError):
                data.append(1)
            knobs.hold()
            stream.copy(buffer, data)
            late = threading.Timer(0.2, knobs.release)
            late.start()
            del pin
            self.assertTrue(stream.query())
            late.join()
        data.append(1)
        self.assertEqual(buffer.read(), data[:-1])

    @needs_knobs
    def test_pinning_fails(self):
        knobs.fail_pin(-errno.ENOMEM)
        try:
            for call in (lambda: self.device.alloc_host(4096),
                         lambda: self.device.pin(bytearray(4096))):
                error = self.fails(-errno.ENOMEM, call)
                self.assertIn('pin', error.message)
        finally:
            knobs.fail_pin(0)
        self.device.alloc_host(4096).close()

    def test_pinned_twice(self):
        data = bytearray(8192)
        with self.device.pin(data) as pin:
            self.fails(-errno.EEXIST, self.device.pin,
                       memoryview(data)[4096:])
        with self.assertRaises(ValueError):
            pin.device_address
        with self.device.pin(memoryview(data)[4096:]):
            pass

    def test_what_cannot_be_pinned(self):
        for bad, kind in ((bytes(10), BufferError), (7, TypeError),
                          ('text', TypeError),
                          (memoryview(bytearray(10))[::2], ValueError)):
            with self.subTest(bad), self.assertRaises(kind):
                self.device.pin(bad)
        self.fails(-errno.EINVAL, self.device.pin, bytearray())

    def test_dropped_in_a_host_function(self):
        """There nothing may wait, so it goes later; and never before it is
        unpinned."""
        things = [self.device.alloc_host(MIB), self.device.stream(),
                  self.device.pin(bytearray(100)), self.device.alloc(100)]
        gone = [weakref.ref(thing) for thing in things]
        address = things[0].device_address
        self.assertTrue(address)
        with self.device.stream() as stream:
            stream.call(lambda error: things.clear())
            stream.synchronize()
            self.assertEqual(things, [])
            self.device.alloc(1)
            gc.collect()
            self.assertEqual([ref() for ref in gone], [None] * 4)
        # Its memory is not left in the library's table.
        for _ in range(20):
            self.device.alloc_host(MIB)

    def test_no_reference_is_left(self):
        """A thousand buffers take no more room than one. Other things may: a thread that
        begins now has a stack, and an arena of its own; but not each time."""
        def rounds(number):
            for _ in range(number):
                host = self.device.alloc_host(65536)
                view = memoryview(host)
                self.device.pin(bytearray(4096))
                self.device.copy(view, self.device.put(bytes(65536)))
            gc.collect()
            with open('/proc/self/statm', encoding='ascii') as file:
                return int(file.read().split()[0])
        pages = [rounds(50)] + [rounds(150) for _ in range(4)]
        grown = [after - before for before, after in zip(pages, pages[1:])]
        self.assertLess(min(grown), 100, grown)


class Devices(unittest.TestCase):
    def test_forgotten_device_is_closed(self):
        """All that was made on it refers to it; then it can be opened again."""
        device = gaudi.open(timeout=LONG)
        stream, buffer = device.stream(), device.alloc(100)
        del device
        gc.collect()
        buffer.write(bytes(100))
        stream.close()
        del stream, buffer
        gc.collect()
        gaudi.open(timeout=LONG).close()

    def test_cycles(self):
        device = gaudi.open(timeout=LONG)
        stream = device.stream()
        ring = [device, stream, device.alloc_host(4096), device.event()]
        ring.append(ring)
        stream.call(lambda error: ring)
        stream.synchronize()
        del device, stream, ring
        gc.collect()
        gaudi.open(timeout=LONG).close()

    @needs_knobs
    def test_close_waits_for_calls_under_way(self):
        device = gaudi.open()
        stream, buffer = device.stream(), device.alloc(64)
        knobs.hold()
        stream.fill(buffer, 1)
        results, waits = [], knobs.waits()

        def wait():
            stream.synchronize()
            results.append('synchronized')
        threads = [threading.Thread(target=wait) for _ in range(4)]
        for thread in threads:
            thread.start()
        while knobs.waits() == waits:
            time.sleep(0.001)
        late = threading.Timer(0.3, knobs.release)
        late.start()
        try:
            device.close()
            closed = True
        finally:
            late.join()
        for thread in threads:
            thread.join()
        # Who came too late was told so; nobody crashed.
        self.assertTrue(closed and results)

    def run_python(self, program, status=0):
        done = subprocess.run(
            [sys.executable, '-B', '-X', 'faulthandler', '-W',
             'ignore::DeprecationWarning', '-c',
             textwrap.dedent(program)], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=LONG, check=False)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def test_end_of_python_with_work_under_way(self):
        """Host functions are still called, before Python goes."""
        text = self.run_python('''
            import gaudi, time
            device = gaudi.open(timeout=300)
            stream = device.stream()
            host = device.alloc_host(1 << 20)
            buffer = device.alloc(1 << 20)
            view = memoryview(host)
            def slow(error):
                time.sleep(0.2)
                print('called', error, flush=True)
            stream.call(slow)
            stream.copy(buffer, host)
            stream.call(slow)
            print('end', flush=True)
            ''')
        self.assertEqual(text.split('\n')[:-1],
                         ['end', 'called None', 'called None'])

    def test_child_after_fork(self):
        text = self.run_python('''
            import gaudi, os, sys
            device = gaudi.open(timeout=300)
            stream, event = device.stream(), device.event()
            buffer, host = device.alloc(4096), device.alloc_host(4096)
            pin = device.pin(bytearray(4096))
            host[:] = b'p' * 4096
            sys.stdout.flush()
            child = os.fork()
            if not child:
                for call in (device.synchronize, lambda: device.alloc(1),
                             lambda: device.alloc_host(1), device.stream,
                             stream.synchronize, stream.query, event.query,
                             lambda: stream.copy(buffer, host),
                             lambda: stream.call(print), buffer.read,
                             lambda: device.info):
                    try:
                        call()
                        print('not refused')
                    except gaudi.ForkedError as error:
                        assert error.code == gaudi.errors.FORKED
                        assert error.message, error
                # It is a copy, for the child to use.
                assert host[:] == b'p' * 4096
                host[:] = b'c' * 4096
                del pin, host, stream
                buffer.close()
                event.close()
                device.close()
                # Recipes are memory and nothing else.
                gaudi.Builder('of the child').close()
                print('child')
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            assert host[:] == b'p' * 4096
            stream.copy(buffer, host)
            stream.synchronize()
            assert buffer.read() == b'p' * 4096
            del pin, host
            device.close()
            gaudi.open(timeout=300).close()
            print('parent')
            ''')
        self.assertEqual(text.split(), ['child', 'parent'])

    def test_multiprocessing(self):
        """A child that is forked while threads work does not hang."""
        self.run_python('''
            import gaudi, multiprocessing, threading
            device = gaudi.open(timeout=300)
            stop = threading.Event()
            def work():
                with device.stream() as stream:
                    buffer = device.alloc(64)
                    while not stop.is_set():
                        stream.fill(buffer, 1)
                        stream.synchronize()
            def child(queue):
                try:
                    device.synchronize()
                except gaudi.ForkedError:
                    queue.put('refused')
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            context = multiprocessing.get_context('fork')
            for _ in range(5):
                queue = context.Queue()
                process = context.Process(target=child, args=(queue,))
                process.start()
                assert queue.get(timeout=200) == 'refused'
                process.join()
                assert process.exitcode == 0
            stop.set()
            for thread in threads:
                thread.join()
            device.close()
            ''')

    def test_what_it_says_without_a_library(self):
        env = dict(os.environ, GAUDI_LIBRARY='/nonexistent/libgaudi.so.0')
        done = subprocess.run([sys.executable, '-B', '-c', 'import gaudi'],
                              env=env, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, 'ImportError: libgaudi.so.0 cannot be '
                         'loaded: /nonexistent.*GAUDI_LIBRARY')
