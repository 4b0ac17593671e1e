# SPDX-License-Identifier: GPL-2.0-only
"""Recipes launched."""

import gc
import queue
import struct
import threading
import weakref

from common import LONG, CardTest, errno, gaudi, knobs, needs_knobs, pattern
from gaudi import Kind, Place, Type

N = 4096


def simple():
    """out = in, in bytes; event 'done'."""
    with gaudi.Builder('simple') as b:
        source = b.tensor('in', Kind.INPUT, Type.U8, (N,))
        out = b.tensor('out', Kind.OUTPUT, Type.U8, (N,))
        b.copy(out, source)
        b.signal('done', out)
        return b.build()


def hosts():
    """out = in with a constant in the middle; both on the host, through
    workspace."""
    with gaudi.Builder('hosts') as b:
        source = b.tensor('in', Kind.INPUT, Type.U8, (N,), place=Place.HOST)
        out = b.tensor('out', Kind.OUTPUT, Type.U8, (N,), place=Place.HOST)
        work = b.tensor('work', Kind.WORKSPACE, Type.U8, (N,))
        mark = b.tensor('mark', Kind.CONSTANT, Type.U8, (16,),
                        data=b'0123456789abcdef')
        b.copy(work, source)
        b.copy_bytes(work, mark, 16, to_offset=2000)
        b.copy(out, work)
        return b.build()


class Launches(CardTest):
    def setUp(self):
        super().setUp()
        self.stream = self.device.stream()
        self.launcher = self.device.launcher(simple())

    def check(self, out, data):
        self.stream.synchronize()
        self.assertEqual(out.read(), data)

    def test_bound_for_one_launch(self):
        for i in range(5):
            source, out = self.device.put(pattern(N, i)), self.device.alloc(N)
            self.launcher.launch(self.stream, {'in': source, 1: out})
            self.check(out, pattern(N, i))

    def test_bound_for_all(self):
        source, out = self.device.put(pattern(N)), self.device.alloc(N)
        other = self.device.put(pattern(N, 2))
        self.launcher.bind({'in': source, 'out': out})
        self.launcher.launch(self.stream)
        self.check(out, pattern(N))
        self.launcher.launch(self.stream, {'in': other})
        self.check(out, pattern(N, 2))
        self.launcher.launch(self.stream)
        self.check(out, pattern(N))

    def test_matrices(self):
        if knobs:
            self.skipTest('needs a card that multiplies')
        with gaudi.Builder('product') as b:
            x = b.tensor('x', Kind.INPUT, Type.F32, (3, 5))
            w = b.tensor('w', Kind.INPUT, Type.F32, (4, 5))
            b.matmul(b.tensor('y', Kind.OUTPUT, Type.F32, (3, 4)), x, w,
                     gaudi.MatrixFlags.TRANSPOSE_B)
            recipe = b.build()
        x, w = list(range(15)), [i - 7 for i in range(20)]
        want = [sum(x[5 * i + k] * w[5 * j + k] for k in range(5))
                for i in range(3) for j in range(4)]
        out = self.device.alloc(48)
        with self.device.launcher(recipe) as launcher:
            launcher.launch(self.stream, {
                'x': self.device.put(struct.pack('15f', *x)),
                'w': self.device.put(struct.pack('20f', *w)), 'y': out})
            self.check(out, struct.pack('12f', *want))

    def test_host_tensors(self):
        source, out = self.device.alloc_host(N), bytearray(N)
        source[:] = data = bytearray(pattern(N))
        data[2000:2016] = b'0123456789abcdef'
        with self.device.launcher(hosts()) as launcher, \
                self.device.pin(out):
            launcher.launch(self.stream, {'in': source, 'out': out})
            self.stream.synchronize()
            self.assertEqual(out, data)

    def test_wrong_bindings(self):
        launch, stream = self.launcher.launch, self.stream
        a, b = self.device.alloc(N), self.device.alloc(N)
        error = self.fails(gaudi.errors.BINDING, launch, stream)
        self.assertIsInstance(error, gaudi.BindingError)
        self.assertIn("'in'", error.message)
        self.fails(gaudi.errors.BINDING, launch, stream, {'in': a})
        self.fails(gaudi.errors.BINDING, launch, stream,
                   {'in': a, 'out': b[:-1]})
        self.fails(gaudi.errors.BINDING, launch, stream,
                   {'in': a, 'out': self.device.alloc_host(N)})
        self.fails(gaudi.errors.BINDING, launch, stream, {'in': a, 'out': a})
        self.fails(-errno.ENOENT, launch, stream, {'none': a})
        self.fails(-errno.EINVAL, launch, stream, {9: a})
        self.fails(gaudi.errors.ADDRESS, launch, stream,
                   {'in': self.device.range(0x1000, N), 'out': b})
        for bad, kind in (({'in': 7}, TypeError), ({-1: a}, ValueError),
                          ({'in': a, 0: b}, ValueError),
                          ({None: a}, TypeError), ({'a\0': a}, ValueError),
                          ({'in': a[:0]}, ValueError),
                          ({'out': bytes(N)}, BufferError),
                          ({'in': memoryview(bytes(2 * N))[::2]},
                           ValueError)):
            for call in (lambda: launch(stream, bad),
                         lambda: self.launcher.bind(bad)):
                with self.subTest(bad), self.assertRaises(kind):
                    call()
        # Nothing of it was kept.
        self.fails(gaudi.errors.BINDING, launch, stream)
        with self.device.launcher(hosts()) as launcher:
            self.fails(gaudi.errors.BINDING, launcher.bind,
                       {'in': bytes(N)})
            self.fails(gaudi.errors.BINDING, launcher.bind, {'work': a})

    def test_freed_memory_is_not_launched(self):
        source, out = self.device.alloc(N), self.device.alloc(N)
        self.launcher.bind({'in': source, 'out': out})
        out.close()
        self.fails(gaudi.errors.ADDRESS, self.launcher.launch, self.stream)
        with self.assertRaisesRegex(ValueError, 'closed'):
            self.launcher.bind({'out': out})

    def test_what_is_bound_stays(self):
        source = self.device.put(pattern(N))
        gone = weakref.ref(source)
        out = self.device.alloc(N)
        self.launcher.bind({'in': source[:], 'out': out})
        del source
        gc.collect()
        self.launcher.launch(self.stream)
        self.check(out, pattern(N))
        other = self.device.put(pattern(N, 3))
        self.launcher.bind({0: other})
        gc.collect()
        self.assertIsNone(gone())
        del other
        self.launcher.launch(self.stream)
        self.check(out, pattern(N, 3))
        self.launcher.close()
        with self.assertRaisesRegex(ValueError, 'closed'):
            self.launcher.launch(self.stream)

    def test_host_memory_that_is_bound_stays(self):
        with self.device.launcher(hosts()) as launcher:
            source, out = self.device.alloc_host(N), self.device.alloc_host(N)
            view = memoryview(out)
            source[:] = pattern(N)
            launcher.bind({'in': source, 'out': out})
            del source, out
            gc.collect()
            launcher.launch(self.stream)
            self.stream.synchronize()
            self.assertEqual(view[:2000], pattern(N)[:2000])
            self.assertEqual(bytes(view[2000:2016]), b'0123456789abcdef')

    @needs_knobs
    def test_dropped_at_once(self):
        """Memory of one launch need not be kept for it."""
        out = self.device.alloc(N)
        hosts_out = self.device.alloc_host(N)
        launcher = self.device.launcher(hosts())
        knobs.hold()
        late = threading.Timer(0.2, knobs.release)
        late.start()
        self.launcher.launch(self.stream, {
            'in': self.device.alloc(N), 'out': out})
        source = self.device.alloc_host(N)
        source[:] = data = bytearray(pattern(N))
        launcher.launch(self.stream, {'in': source, 'out': hosts_out})
        del source
        late.join()
        self.stream.synchronize()
        data[2000:2016] = b'0123456789abcdef'
        self.assertEqual(hosts_out[:], data)
        launcher.close()

    def test_events(self):
        source, out = self.device.put(pattern(N)), self.device.alloc(N)
        done = self.device.event()
        self.launcher.bind({'in': source, 'out': out})
        self.launcher.bind_event('done', done)
        self.fails(-errno.ENOENT, self.launcher.bind_event, 'none', done)
        start = self.stream.record()
        self.launcher.launch(self.stream)
        done.synchronize()
        self.assertEqual(out.read(), pattern(N))
        self.assertGreaterEqual(start.elapsed_ns(done), 0)
        # Closed while it is bound; then another one, which nobody keeps.
        done.close()
        self.assertEqual(self.launcher._events, {})
        self.launcher.launch(self.stream)
        self.launcher.bind_event('done', self.device.event())
        gc.collect()
        self.launcher.launch(self.stream)
        self.launcher.bind_event('done', None)
        self.launcher.launch(self.stream)
        self.check(out, pattern(N))

    def test_in_the_order_of_the_stream(self):
        source, out = self.device.alloc(N), self.device.alloc(N)
        host = self.device.alloc_host(N)
        seen = queue.Queue()
        for i in range(10):
            self.stream.fill(source, i)
            self.launcher.launch(self.stream, {'in': source, 'out': out})
            self.stream.copy(host, out)
            self.stream.call(lambda error: seen.put((error, host[N - 1])))
        for i in range(10):
            self.assertEqual(seen.get(timeout=LONG), (None, i))

    def test_threads(self):
        failures = []

        def work(i):
            try:
                with self.device.stream() as stream:
                    for k in range(10):
                        source = self.device.put(pattern(N, 100 * i + k))
                        out = self.device.alloc(N)
                        self.launcher.launch(stream, {'in': source,
                                                      'out': out})
                        stream.synchronize()
                        assert out.read() == pattern(N, 100 * i + k)
            except BaseException as error:
                failures.append(error)
        threads = [threading.Thread(target=work, args=(i,))
                   for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
            self.assertFalse(thread.is_alive())
        self.assertEqual(failures, [])

    def test_forgotten_in_a_host_function(self):
        box = [self.launcher]
        gone = weakref.ref(self.launcher)
        del self.launcher
        self.stream.call(lambda error: box.clear())
        self.stream.synchronize()
        self.device.alloc(1)
        gc.collect()
        self.assertIsNone(gone())

    def test_closed_with_the_device(self):
        self.device.close()
        with self.assertRaisesRegex(ValueError, 'closed'):
            self.launcher.bind({})
        with self.assertRaisesRegex(ValueError, 'closed'):
            self.launcher.launch(self.stream)
        self.launcher.close()
