# SPDX-License-Identifier: GPL-2.0-only
"""Devices, memory, copies of all shapes, streams and events."""

import contextlib
import os
import unittest

from common import (LONG, CardTest, errno, gaudi, knobs, needs_knobs,
                    numpy_or_skip, pattern)


class Opening(unittest.TestCase):
    fails = CardTest.fails

    def test_each_name_finds_the_same_card(self):
        with gaudi.open(timeout=LONG) as device:
            info = device.info
        self.assertEqual(info.index, 0)
        self.assertGreater(info.memory_size, 0)
        self.assertGreater(info.sram_size, 0)
        if 'DRIVER' in os.environ:
            self.assertEqual(info.driver, os.environ['DRIVER'])
        for way in ({'index': 0}, {'module_id': info.module_id},
                    {'pci_address': info.pci_address},
                    {'pci_address': info.pci_address[5:]}):
            with self.subTest(way), gaudi.open(timeout=LONG, **way) as device:
                self.assertEqual(device.info, info)

    def test_no_such_card(self):
        number = gaudi.count()
        self.assertGreaterEqual(number, 1)
        error = self.fails(-errno.ENODEV, gaudi.open, number)
        self.assertIn('index', error.message)
        self.assertEqual(error.name, 'ENODEV')
        self.fails(-errno.ENODEV, gaudi.open, module_id=4711)
        self.fails(-errno.EINVAL, gaudi.open, pci_address='x')
        self.fails(-errno.ENODEV, gaudi.open, pci_address='0000:ff:1f.7')

    def test_wrong_arguments(self):
        for bad, kind in (({'index': -1}, ValueError),
                          ({'index': 1 << 32}, ValueError),
                          ({'index': 'one'}, TypeError),
                          ({'index': 0.0}, TypeError),
                          ({'module_id': -1}, ValueError),
                          ({'pci_address': 7}, TypeError),
                          ({'pci_address': b'0000:3b:00.0'}, TypeError),
                          ({'pci_address': 'a\0b'}, ValueError),
                          ({'index': 0, 'module_id': 0}, TypeError),
                          ({'timeout': -1}, ValueError),
                          ({'timeout': 'soon'}, TypeError)):
            with self.subTest(bad), self.assertRaises(kind):
                gaudi.open(**bad)

    def test_visible_devices(self):
        number = gaudi.count()
        with gaudi.open(timeout=LONG) as device:
            module = device.info.module_id

        def seen(**variables):
            with contextlib.ExitStack() as stack:
                for name, value in variables.items():
                    os.environ[name] = value
                    stack.callback(os.environ.pop, name)
                return gaudi.count()
        self.assertEqual(seen(HABANA_VISIBLE_MODULES='4711'), 0)
        self.assertEqual(seen(HABANA_VISIBLE_MODULES=f'4711,{module}'), 1)
        self.assertEqual(seen(HABANA_VISIBLE_DEVICES='200'), 0)
        self.assertEqual(seen(HABANA_VISIBLE_DEVICES='all'), number)
        with self.assertRaises(gaudi.Error):
            seen(HABANA_VISIBLE_DEVICES='0,')

    def test_closed_is_closed(self):
        device = gaudi.open(timeout=LONG)
        stream, event = device.stream(), device.event()
        buffer = device.alloc(4096)
        device.close()
        device.close()
        self.assertTrue(device.closed)
        for call in (device.synchronize, device.stream, device.event,
                     device.memory_stats, device.fileno, stream.query,
                     stream.synchronize, event.query,
                     lambda: device.info, lambda: device.alloc(1),
                     lambda: device.alloc_host(1), lambda: stream.alloc(1),
                     lambda: stream.call(print), buffer.read,
                     lambda: event.record(stream)):
            with self.assertRaisesRegex(ValueError, 'closed'):
                call()
        stream.close()
        event.close()
        buffer.close()
        self.assertEqual(repr(device), '<Device closed>')
        with gaudi.open(timeout=LONG) as again:
            self.assertFalse(again.closed)

    @needs_knobs
    def test_busy(self):
        knobs.fail_open(-errno.EBUSY)
        try:
            with self.assertRaises(gaudi.BusyError):
                gaudi.open()
        finally:
            knobs.fail_open(0)
        # In reset, once; then it opens.
        knobs.busy_opens(1)
        gaudi.open(timeout=LONG).close()
        knobs.busy_opens(1)
        error = self.fails(-errno.EAGAIN, gaudi.open)
        self.assertEqual(error.name, 'EAGAIN')


class Memory(CardTest):
    def test_statistics(self):
        device = self.device
        device.trim()
        before = device.memory_stats()
        buffer = device.alloc(1000)
        stats = device.memory_stats()
        self.assertEqual(stats.in_use, before.in_use + 1000)
        self.assertEqual(stats.allocations, before.allocations + 1)
        self.assertGreaterEqual(stats.allocated, 1024)
        buffer.close()
        stats = device.memory_stats()
        self.assertEqual(stats.in_use, before.in_use)
        self.assertEqual(stats.in_use_peak, before.in_use + 1000)
        device.alloc(512).close()
        self.assertEqual(device.memory_stats().pool_hits, stats.pool_hits + 1)
        device.reset_peak()
        stats = device.memory_stats()
        self.assertEqual(stats.in_use_peak, stats.in_use)
        self.assertGreater(stats.reserved, 0)
        device.trim()
        self.assertLess(device.memory_stats().reserved, stats.reserved)

    def test_forgotten_memory_is_given_back(self):
        used = self.device.memory_stats().in_use
        buffer = self.device.alloc(4096)
        part = buffer[1024:2048]
        del buffer
        self.assertEqual(self.device.memory_stats().in_use, used + 4096)
        part.write(b'x' * 1024)
        del part
        self.assertEqual(self.device.memory_stats().in_use, used)

    def test_slices(self):
        buffer = self.device.alloc(1000)
        buffer.write(pattern(1000))
        for key in (slice(None), slice(10, 20), slice(-5, None),
                    slice(990, 2000), slice(7, 7)):
            with self.subTest(key):
                self.assertEqual(buffer[key].read(), pattern(1000)[key])
        self.assertEqual(buffer[100:200][10:20].read(),
                         pattern(1000)[110:120])
        with self.assertRaises(TypeError):
            buffer[0]
        with self.assertRaises(ValueError):
            buffer[::2]

    def test_use_after_close(self):
        buffer = self.device.alloc(100)
        part = buffer[:10]
        buffer.close()
        buffer.close()
        for call in (buffer.read, part.read, lambda: buffer[:1],
                     lambda: part.write(b'0123456789'),
                     lambda: self.device.fill(buffer, 0)):
            with self.assertRaisesRegex(ValueError, 'closed'):
                call()

    def test_in_the_order_of_a_stream(self):
        with self.device.stream() as stream:
            buffer = stream.alloc(4096)
            stream.fill(buffer, 7)
            found = bytearray(4096)
            stream.copy(found, buffer)
            where = buffer.address
            buffer.close(stream)
            again = stream.alloc(4096)
            self.assertEqual(again.address, where)
            self.assertEqual(found, bytes([7]) * 4096)

    def test_sizes_that_are_none(self):
        for bad, kind in ((-1, ValueError), (1 << 64, ValueError),
                          (1.5, TypeError), ('1', TypeError),
                          (None, TypeError)):
            for call in (self.device.alloc, self.device.alloc_host):
                with self.subTest(bad), self.assertRaises(kind):
                    call(bad)
        self.fails(-errno.EINVAL, self.device.alloc, 0)
        with self.assertRaises(ValueError):
            self.device.alloc_host(0)

    def test_too_much(self):
        error = self.fails(-errno.ENOMEM, self.device.alloc, 1 << 50)
        self.assertIsInstance(error, gaudi.OutOfMemoryError)
        self.assertIsInstance(error, MemoryError)
        with self.assertRaises(gaudi.OutOfMemoryError):
            self.device.alloc_host(1 << 62)

    def test_memory_that_is_not_ours(self):
        wild = self.device.range(0x1234, 64)
        error = self.fails(gaudi.errors.ADDRESS, wild.read)
        self.assertIsInstance(error, gaudi.AddressError)
        self.assertEqual(error.name, 'GAUDI_ERR_ADDRESS')


class Copies(CardTest):
    def test_bytes_of_any_size(self):
        for size in (1, 3, 127, 4096, 4097, 524289, (4 << 20) + 13):
            with self.subTest(size):
                data = pattern(size, size)
                buffer = self.device.put(data)
                other = self.device.alloc(size)
                self.device.copy(other, buffer)
                self.assertEqual(other.read(), data)

    def test_pinned_and_not(self):
        size = 100000
        data = pattern(size)
        device = self.device
        buffer, host = device.alloc(size), device.alloc_host(size)
        with device.stream() as stream:
            host[:] = data
            stream.copy(buffer, host)
            back = bytearray(size)
            stream.copy(back, buffer)
            self.assertEqual(back, data)
            host[:] = bytes(size)
            stream.copy(host, buffer)
            stream.synchronize()
            self.assertEqual(host[:], data)
            with device.pin(bytearray(data[::-1])) as pin:
                self.assertGreater(pin.device_address, 0)
            mine = bytearray(data[::-1])
            with device.pin(mine):
                stream.copy(buffer, mine)
                stream.copy(host, buffer)
            stream.synchronize()
            self.assertEqual(host[:], data[::-1])

    def test_a_part(self):
        buffer = self.device.put(b'0123456789')
        found = bytearray(10)
        self.device.copy(found, buffer, 4)
        self.assertEqual(found, b'0123\0\0\0\0\0\0')
        self.device.copy(memoryview(found)[6:], buffer[:4])
        self.assertEqual(found, b'0123\0\x000123')

    def test_sizes_must_agree(self):
        buffer = self.device.alloc(10)
        with self.device.stream() as stream:
            for copy in (self.device.copy, stream.copy):
                for to, source in ((buffer, b'123'), (bytearray(3), buffer),
                                   (buffer, buffer[:3])):
                    with self.assertRaisesRegex(ValueError, 'fill'):
                        copy(to, source)
                with self.assertRaises(ValueError):
                    copy(buffer, b'123', 4)
                with self.assertRaises(ValueError):
                    copy(bytearray(3), buffer, -1)
                with self.assertRaises(TypeError):
                    copy(bytearray(3), b'123')
                with self.assertRaises(TypeError):
                    copy(buffer, 'text')
                with self.assertRaises(TypeError):
                    copy(buffer, 7)
                with self.assertRaises(BufferError):
                    copy(b'0123456789', buffer)
                copy(buffer, b'', 0)

    def test_fills(self):
        buffer = self.device.alloc(64)
        with self.device.stream() as stream:
            for fill in (self.device.fill, stream.fill):
                for value, size, want in (
                        (7, 1, b'\7'), (-1, 1, b'\xff'),
                        (0x1234, 2, b'\x34\x12'),
                        (-2, 4, b'\xfe\xff\xff\xff'),
                        ((1 << 64) - 1, 8, b'\xff' * 8),
                        (b'\1\2\3\4', 1, b'\1\2\3\4')):
                    fill(buffer, value, size)
                    stream.synchronize()
                    self.assertEqual(buffer.read(), want * (64 // len(want)))
                for value, size in ((256, 1), (-129, 1), (1, 3),
                                    (b'123', 1), (1 << 64, 8)):
                    with self.assertRaises(ValueError):
                        fill(buffer, value, size)
                with self.assertRaises(TypeError):
                    fill(buffer, 0.5)
                with self.assertRaisesRegex(ValueError, 'multiple'):
                    fill(buffer[:63], 1, 8)

    def test_rows(self):
        width, height, pitch = 100, 7, 160
        data = pattern(pitch * height)
        buffer = self.device.alloc(width * height)
        wide = self.device.alloc(pitch * height)
        with self.device.stream() as stream:
            stream.copy_2d(buffer, width, data, pitch, width, height)
            want = b''.join(data[i * pitch:i * pitch + width]
                            for i in range(height))
            stream.synchronize()
            self.assertEqual(buffer.read(), want)
            stream.fill(wide, 0)
            stream.copy_2d(wide, pitch, buffer, width, width, height)
            found = bytearray(pitch * height)
            stream.copy_2d(found, pitch, wide, pitch, width, height)
            stream.synchronize()
            for i in range(height):
                row = found[i * pitch:(i + 1) * pitch]
                self.assertEqual(row[:width], want[i * width:][:width])
                self.assertEqual(row[width:], bytes(pitch - width))

    def test_rows_beyond_the_end(self):
        buffer = self.device.alloc(1000)
        with self.device.stream() as stream:
            for to, to_pitch, source, from_pitch, width, height in (
                    (buffer, 100, bytes(999), 100, 100, 10),
                    (buffer, 101, bytes(1000), 100, 100, 10),
                    (buffer, 99, bytes(1000), 100, 100, 5),
                    (bytearray(900), 100, buffer, 100, 100, 10),
                    (buffer[:500], 100, buffer[500:], 100, 100, 6)):
                with self.assertRaises(ValueError):
                    stream.copy_2d(to, to_pitch, source, from_pitch, width,
                                   height)
            with self.assertRaises(TypeError):
                stream.copy_2d(bytearray(9), 3, bytes(9), 3, 3, 3)
            with self.assertRaises(ValueError):
                stream.copy_2d(buffer, 4, memoryview(bytes(90))[::2], 4, 4, 4)


class NumPy(CardTest):
    def setUp(self):
        super().setUp()
        self.np = numpy_or_skip()

    def shapes(self):
        """Arrays that lie in memory in every which way."""
        np = self.np
        base = np.arange(6 * 32 * 512, dtype=np.float32).reshape(6, 32, 512)
        yield 'contiguous', base
        yield 'columns', base[:, :, 100:300]
        yield 'planes of rows', base[1:5, ::3, 64:]
        yield 'reversed', base[::-1]
        yield 'reversed rows', base[:, ::-1, :128]
        yield 'short rows', base[:, :, :5]
        yield 'every other', base[..., ::2]
        yield 'transposed', base.T
        yield 'swapped', base.swapaxes(0, 1)
        yield 'one element', base[3:4, 5:6, 7:8]
        yield 'no dimension', base[2, 3, 4, None][0:1].reshape(())
        yield 'empty', base[:, :0]
        yield 'one row again and again', np.broadcast_to(base[0, 0], (9, 512))
        yield 'rows upon each other', np.lib.stride_tricks.as_strided(
            base, (50, 512), (512, 4))
        yield 'fortran', np.asfortranarray(base[0])
        yield 'bytes', np.arange(1000, dtype=np.uint8)[::7]
        record = np.zeros(50, dtype=[('Object', 'i4'), ('b', 'f8')])
        record['Object'] = range(50)
        yield 'records', record[::3]

    def test_all_shapes_there_and_back(self):
        np = self.np
        with self.device.stream() as stream:
            for copy in (self.device.copy, stream.copy):
                for name, array in self.shapes():
                    with self.subTest(name):
                        buffer = self.device.alloc(max(array.nbytes, 1))
                        part = buffer[:array.nbytes]
                        copy(part, array)
                        stream.synchronize()
                        self.assertEqual(part.read(), array.tobytes())
                        # Into memory that lies in the same way.
                        room = np.zeros_like(array.base if array.base is not
                                             None else array)
                        target = np.lib.stride_tricks.as_strided(
                            room, array.shape, array.strides) \
                            if min(array.strides, default=0) > 0 and \
                            array.dtype == room.dtype else \
                            np.empty_like(array)[...]
                        copy(target, part)
                        stream.synchronize()
                        self.assertTrue((target == array).all())

    def test_what_lies_between_is_left_alone(self):
        np = self.np
        host = self.device.alloc_host(64 * 1024)
        for step, width in ((2, 512), (3, 100), (1, 1)):
            array = host.to_numpy(np.uint8, (64, 1024))
            array[:] = 9
            part = array[::step, :width]
            with self.device.stream() as stream:
                buffer = self.device.alloc(part.nbytes)
                stream.fill(buffer, 1)
                stream.copy(part, buffer)
                stream.synchronize()
            want = np.full((64, 1024), 9, np.uint8)
            want[::step, :width] = 1
            self.assertTrue((array == want).all())

    def test_backwards(self):
        np = self.np
        array = np.arange(40000, dtype=np.int64)
        for copied in (array[::-1], array.reshape(4, -1)[::-1]):
            buffer = self.device.put(copied)
            back = np.zeros_like(array)
            target = back[::-1] if copied.ndim == 1 else \
                back.reshape(4, -1)[::-1]
            self.device.copy(target, buffer)
            self.assertTrue((back == array).all())

    def test_without_numpys_help(self):
        data = bytearray(pattern(3000))
        buffer = self.device.put(memoryview(data)[::3])
        self.assertEqual(buffer.read(), data[::3])
        found = bytearray(3000)
        self.device.copy(memoryview(found)[::3], buffer)
        self.assertEqual(found[::3], data[::3])
        self.assertEqual(found[1::3], bytes(1000))

    def test_arrays_of_objects_are_refused(self):
        np = self.np
        for dtype in (object, [('a', 'i4'), ('b', object)]):
            array = np.zeros(4, dtype=dtype)
            buffer = self.device.alloc(array.nbytes)
            with self.assertRaises(TypeError):
                self.device.copy(array, buffer)
            with self.assertRaises(TypeError):
                self.device.copy(buffer, array)

    def test_a_part_of_what_is_scattered(self):
        np = self.np
        buffer = self.device.alloc(64)
        with self.assertRaisesRegex(ValueError, 'as a whole'):
            self.device.copy(buffer, np.zeros(32, np.uint8)[::2], 8)

    def test_read_only(self):
        np = self.np
        array = np.zeros(16, np.uint8)
        array.flags.writeable = False
        buffer = self.device.put(array)
        with self.assertRaises((ValueError, BufferError)):
            self.device.copy(array, buffer)
        with self.assertRaises((ValueError, BufferError)):
            self.device.pin(array)

    def test_to_numpy(self):
        np = self.np
        array = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
        buffer = self.device.put(array)
        self.assertTrue((buffer.to_numpy(np.float64, (2, 3, 4)) ==
                         array).all())
        self.assertTrue((buffer.to_numpy('f8') == array.ravel()).all())


class Streams(CardTest):
    def test_events(self):
        with self.device.stream() as stream, self.device.event() as never:
            buffer = self.device.alloc(1 << 20)
            self.assertTrue(never.query())
            start = stream.record()
            for value in range(20):
                stream.fill(buffer, value)
            end = stream.record()
            end.synchronize()
            self.assertTrue(end.query() and stream.query())
            self.assertGreater(start.elapsed_ns(end), 0)
            self.assertEqual(start.elapsed_ns(end), -end.elapsed_ns(start))
            self.fails(-errno.EINVAL, never.elapsed_ns, end)
            quick = stream.record(timing=False)
            quick.synchronize()
            self.fails(-errno.EINVAL, start.elapsed_ns, quick)

    @needs_knobs
    def test_not_ready(self):
        with self.device.stream() as stream, self.device.stream() as other:
            buffer = self.device.alloc(64)
            knobs.hold()
            try:
                stream.fill(buffer, 1)
                event = stream.record()
                self.assertFalse(event.query())
                self.assertFalse(stream.query())
                other.wait(event)
                other.fill(buffer, 2)
                self.assertFalse(other.query())
                with self.assertRaises(gaudi.NotReadyError):
                    event.elapsed_ns(event)
            finally:
                knobs.release()
            other.synchronize()
            self.assertEqual(buffer.read(), b'\2' * 64)
            self.assertTrue(event.query())

    def test_host_functions(self):
        called = []
        with self.device.stream() as stream:
            buffer, found = self.device.alloc(8), self.device.alloc_host(8)
            for i in range(10):
                stream.fill(buffer, i)
                stream.copy(found, buffer)
                stream.call(lambda error: called.append((error, found[0])))
            stream.synchronize()
        self.assertEqual(called, [(None, i) for i in range(10)])

    def test_host_functions_must_not_wait(self):
        codes = []

        def wait(_):
            for call in (stream.synchronize, stream.close,
                         self.device.synchronize, self.device.close):
                try:
                    call()
                    codes.append(0)
                except gaudi.Error as error:
                    codes.append(error.code)
        stream = self.device.stream()
        stream.call(wait)
        stream.synchronize()
        self.assertEqual(codes, [-errno.EDEADLK] * 4)
        # None of it was done.
        self.assertTrue(stream.query())
        self.assertFalse(self.device.closed)
        stream.close()

    def test_host_function_that_raises(self):
        import sys

        seen = []
        hook, sys.unraisablehook = sys.unraisablehook, seen.append
        try:
            with self.device.stream() as stream:
                stream.call(lambda error: 1 // 0)
                stream.call(lambda error: seen.append(error))
                stream.synchronize()
            self.assertIs(seen[0].exc_type, ZeroDivisionError)
            self.assertEqual(seen[1:], [None])
        finally:
            sys.unraisablehook = hook
            del seen

    def test_what_cannot_be_called(self):
        with self.device.stream() as stream:
            with self.assertRaises(TypeError):
                stream.call(7)
            with self.assertRaises(AttributeError):
                stream.wait(7)

    def test_batches(self):
        buffer = self.device.alloc(640)
        before = knobs.submissions() if knobs else 0
        with self.device.stream() as stream:
            with stream.batch(), stream.batch():
                for i in range(10):
                    stream.fill(buffer[64 * i:64 * i + 64], i)
            stream.synchronize()
            if knobs:
                self.assertLess(knobs.submissions() - before, 10)
                before = knobs.submissions()
                stream.fill(buffer[:1], 0)
                self.assertEqual(knobs.submissions() - before, 1)
            self.assertEqual(buffer.read()[::64], bytes(range(10)))
            # One that is left by an exception ends as well.
            with self.assertRaises(KeyError):
                with stream.batch():
                    stream.fill(buffer, 77)
                    raise KeyError
            event = stream.record()
            event.synchronize()
            self.assertEqual(buffer.read(), b'\x4d' * 640)
            if knobs:
                before = knobs.submissions()
                stream.fill(buffer, 0)
                self.assertEqual(knobs.submissions() - before, 1)

    @needs_knobs
    def test_a_lost_device(self):
        stream = self.device.stream()
        buffer = self.device.alloc(64)
        seen = []
        knobs.hold()
        stream.fill(buffer, 1)
        stream.call(seen.append)
        knobs.fail_waits(-errno.EIO)
        try:
            # Who hears of it first is told what the driver said.
            codes = {-errno.EIO, gaudi.errors.DEVICE_LOST}
            with self.assertRaises(gaudi.Error) as caught:
                stream.synchronize()
            self.assertIn(caught.exception.code, codes)
            error = self.fails(gaudi.errors.DEVICE_LOST, self.device.alloc, 1)
            self.assertIsInstance(error, gaudi.DeviceLostError)
            self.assertEqual(self.device.info.index, 0)
            with self.assertRaises(gaudi.Error):
                self.device.close()
            self.assertTrue(self.device.closed)
            self.assertEqual(len(seen), 1)
            self.assertIn(seen[0].code, codes)
        finally:
            knobs.fail_waits(0)

    def test_two_devices_do_not_mix(self):
        class Other:
            closed = False
        buffer = self.device.alloc(8)
        stolen = gaudi.DeviceMemory(Other(), buffer.address, 8)
        with self.device.stream() as stream:
            for call in (lambda: stream.copy(buffer, stolen),
                         lambda: stream.fill(stolen, 0),
                         lambda: self.device.copy(bytearray(8), stolen)):
                with self.assertRaisesRegex(ValueError, 'another device'):
                    call()
