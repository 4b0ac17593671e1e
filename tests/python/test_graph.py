# SPDX-License-Identifier: GPL-2.0-only
"""Streams captured into graphs."""

import gc
import weakref

from common import CardTest, errno, gaudi, numpy_or_skip, pattern
from gaudi import Builder, Kind, NodeKind, Type

N = 4096


class Graphs(CardTest):
    def setUp(self):
        super().setUp()
        self.stream = self.device.stream()
        self.source = self.device.alloc_host(N)
        self.out = self.device.alloc_host(N)
        self.a, self.b = self.device.alloc(N), self.device.alloc(N)

    def capture(self):
        """source -> a -> b -> out, whose first bytes are filled."""
        with self.stream.capture() as capture:
            self.assertTrue(self.stream.capturing)
            self.stream.copy(self.a, self.source)
            self.stream.copy(self.b, self.a)
            self.stream.fill(self.b[:64], 7)
            self.stream.copy(self.out, self.b)
        self.assertFalse(self.stream.capturing)
        return capture.graph

    def wanted(self, seed):
        return b'\7' * 64 + pattern(N, seed)[64:]

    def test_launched_again_and_again(self):
        self.out[:] = bytes(N)
        graph = self.capture()
        self.stream.synchronize()
        # Nothing was done meanwhile.
        self.assertEqual(self.out[:], bytes(N))
        with self.device.stream() as other:
            for i, stream in enumerate((self.stream, other, self.stream)):
                self.source[:] = pattern(N, i)
                graph.launch(stream)
                stream.synchronize()
                self.assertEqual(self.out[:], self.wanted(i))
        graph.close()
        with self.assertRaisesRegex(ValueError, 'closed'):
            graph.launch(self.stream)

    def test_nodes(self):
        nodes = self.capture().nodes
        self.assertEqual([node.kind for node in nodes], [
            NodeKind.COPY_TO_DEVICE, NodeKind.COPY_DEVICE, NodeKind.FILL,
            NodeKind.COPY_TO_HOST])
        self.assertEqual((nodes[1].to, nodes[1].source, nodes[1].width *
                          nodes[1].height),
                         (self.b.address, self.a.address, N))
        self.assertEqual((nodes[2].to, nodes[2].source, nodes[2].width),
                         (self.b.address, 0, 64))
        self.assertEqual(nodes[2].pattern & 0xff, 7)

    def test_streams_that_join(self):
        with self.device.stream() as other:
            with self.stream.capture() as capture:
                self.stream.copy(self.a, self.source)
                other.wait(self.stream.record())
                other.copy(self.b, self.a)
                self.stream.wait(other.record())
                self.stream.copy(self.out, self.b)
            self.source[:] = pattern(N, 5)
            capture.graph.launch(other)
            other.synchronize()
            self.assertEqual(self.out[:], pattern(N, 5))

    def test_launches_of_recipes(self):
        with Builder('copy') as builder:
            source = builder.tensor('in', Kind.INPUT, Type.U8, (N,))
            out = builder.tensor('out', Kind.OUTPUT, Type.U8, (N,))
            builder.copy(out, source)
            recipe = builder.build()
        with self.device.launcher(recipe) as launcher:
            launcher.bind({'in': self.a})
            with self.stream.capture() as capture:
                self.stream.copy(self.a, self.source)
                launcher.launch(self.stream, {'out': self.b})
                self.stream.copy(self.out, self.b)
        graph = capture.graph
        self.assertEqual([node.kind for node in graph.nodes], [
            NodeKind.COPY_TO_DEVICE, NodeKind.LAUNCH, NodeKind.COPY_TO_HOST])
        for seed in range(3):
            self.source[:] = pattern(N, seed)
            graph.launch(self.stream)
            self.stream.synchronize()
            self.assertEqual(self.out[:], pattern(N, seed))
        other = self.device.put(pattern(N, 9))
        gone = weakref.ref(other)
        graph.bind(1, {'in': other})
        del other
        gc.collect()
        self.assertIsNotNone(gone())
        graph.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(self.out[:], pattern(N, 9))
        with self.assertRaisesRegex(gaudi.Error, 'overlap'):
            graph.bind(1, {0: self.b})
        with self.assertRaisesRegex(ValueError, 'twice'):
            graph.bind(1, {0: self.b, 'in': self.a})
        with self.assertRaisesRegex(ValueError, 'no launch'):
            graph.bind(0, {'in': self.a})
        with self.assertRaisesRegex(ValueError, 'bind'):
            graph.set_node(1, to=self.a)
        graph.close()
        gc.collect()
        self.assertIsNone(gone())

    def test_it_keeps_its_memory(self):
        graph = self.capture()
        gone = [weakref.ref(x) for x in (self.source, self.a, self.b)]
        view = memoryview(self.source)
        view[:] = pattern(N, 3)
        a = self.a.address
        self.source = self.a = self.b = None
        gc.collect()
        self.assertFalse([ref for ref in gone if ref() is None])
        self.assertNotEqual(self.device.alloc(N).address, a)
        graph.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(self.out[:], self.wanted(3))
        view.release()
        del view
        graph.close()
        gc.collect()
        self.assertEqual([ref() for ref in gone], [None] * 3)

    def test_a_part_of_another_one(self):
        part = self.capture()
        with self.stream.capture() as capture:
            self.stream.fill(self.a, 1)
            part.launch(self.stream)
            part.launch(self.stream)
        graph = capture.graph
        self.assertEqual(len(graph.nodes), 9)
        self.assertEqual(graph.nodes[5:], part.nodes)
        # It is closed, and nothing but the new one keeps the memory.
        part.close()
        gone = [weakref.ref(x) for x in (self.source, self.a, self.b)]
        self.source[:] = pattern(N, 8)
        a = self.a.address
        self.source = self.a = self.b = part = capture = None
        gc.collect()
        self.assertFalse([ref for ref in gone if ref() is None])
        self.assertNotEqual(self.device.alloc(N).address, a)
        graph.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(self.out[:], self.wanted(8))
        graph.close()
        gc.collect()
        self.assertEqual([ref() for ref in gone], [None] * 3)

    def test_a_part_that_launches_keeps_its_memory(self):
        with Builder('copy') as builder:
            source = builder.tensor('in', Kind.INPUT, Type.U8, (N,))
            builder.copy(builder.tensor('out', Kind.OUTPUT, Type.U8, (N,)),
                         source)
            launcher = self.device.launcher(builder.build())
        self.a.write(pattern(N, 4))
        with self.stream.capture() as capture:
            launcher.launch(self.stream, {'in': self.a, 'out': self.b})
        with capture.graph as part, self.stream.capture() as capture:
            part.launch(self.stream)
        launcher.close()
        gone = weakref.ref(self.a)
        graph = capture.graph
        self.a = part = capture = None
        gc.collect()
        self.assertIsNotNone(gone())
        graph.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(self.b.read(), pattern(N, 4))
        graph.close()
        gc.collect()
        self.assertIsNone(gone())

    def test_other_memory(self):
        graph = self.capture()
        source, out = self.device.alloc_host(N), self.device.alloc_host(N)
        gone = weakref.ref(self.source)
        for i, (old, new) in enumerate(((self.source, source),
                                        (self.out, out),
                                        (self.a, self.device.alloc(N)))):
            graph.replace(old, new)
            source[:] = self.source[:] = pattern(N, i)
            graph.launch(self.stream)
            self.stream.synchronize()
            self.assertEqual((self.out if i < 1 else out)[:], self.wanted(i))
        self.source = old = None
        gc.collect()
        self.assertIsNone(gone())
        third = self.device.alloc_host(N)
        third[:] = pattern(N, 9)
        graph.set_node(0, source=third)
        graph.set_node(2, to=graph_memory(self.device, graph, 1)[64:128])
        graph.launch(self.stream)
        self.stream.synchronize()
        want = bytearray(pattern(N, 9))
        want[64:128] = b'\7' * 64
        self.assertEqual(out[:], want)

    def test_wrong_memory(self):
        graph = self.capture()
        host = self.device.alloc_host(N)
        for arguments, kind in (((0, host), ValueError),
                                ((0, None, self.a), ValueError),
                                ((0, None, host[:10]), ValueError),
                                ((1, self.a[:-1]), ValueError),
                                ((2, None, self.a), ValueError),
                                ((-1, self.a), ValueError),
                                ((0, 7), ValueError),
                                ((0, None, 7), TypeError),
                                ((3, bytes(N)), BufferError)):
            with self.subTest(arguments), self.assertRaises(kind):
                graph.set_node(*arguments)
        self.fails(-errno.EINVAL, graph.set_node, 99, self.a)
        self.fails(gaudi.errors.BINDING, graph.set_node, 0, None, bytes(N))
        for old, new in ((self.a, host), (host, self.a),
                         (self.a, self.b[:-1])):
            with self.assertRaises(ValueError):
                graph.replace(old, new)
        self.fails(-errno.ENOENT, graph.replace, self.device.alloc(N), self.a)
        # All is as it was.
        self.source[:] = pattern(N)
        graph.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(self.out[:], self.wanted(1))

    def test_what_cannot_be_captured(self):
        for call in (lambda: self.stream.copy(self.a, bytes(N)),
                     lambda: self.stream.alloc(N),
                     self.stream.synchronize, self.stream.query):
            error = None
            try:
                with self.stream.capture() as capture:
                    call()
            except gaudi.CaptureError as caught:
                error = caught
            self.assertIsNotNone(error)
            self.assertEqual(error.code, gaudi.errors.CAPTURE)
            self.assertTrue(error.message)
            self.assertFalse(self.stream.capturing)
            with self.assertRaises(ValueError):
                capture.graph
        # Who goes on is told again, and has no graph.
        with self.assertRaises(gaudi.CaptureError):
            with self.stream.capture():
                with self.assertRaises(gaudi.CaptureError):
                    self.stream.query()
                self.fails(gaudi.errors.CAPTURE_INVALID, self.stream.fill,
                           self.a, 0)
        self.capture().launch(self.stream)
        self.stream.synchronize()

    def test_host_functions(self):
        """Called with each launch, and kept for as long as there is the graph."""
        class Seen(list):
            pass

        seen = Seen()
        there = weakref.ref(seen)
        with self.stream.capture() as capture:
            self.stream.copy(self.a, self.source)
            self.stream.call(lambda error, seen=seen: seen.append(error))
            self.stream.copy(self.out, self.a)
        graph = capture.graph
        self.assertEqual([node.kind for node in graph.nodes][1],
                         gaudi.graph.NodeKind.HOST_FN)
        with self.assertRaises(ValueError):
            graph.set_node(1, self.a)
        for i in range(3):
            self.source[:] = pattern(N, i)
            graph.launch(self.stream)
            self.stream.synchronize()
            self.assertEqual(self.out[:], pattern(N, i))
        self.assertEqual(seen, [None] * 3)
        del seen
        gc.collect()
        self.assertIsNotNone(there())
        graph.close()
        gc.collect()
        self.assertIsNone(there())

    def test_an_exception_ends_it(self):
        with self.assertRaises(KeyError):
            with self.stream.capture():
                self.stream.fill(self.a, 1)
                raise KeyError
        self.assertFalse(self.stream.capturing)
        self.assertEqual(self.device.captures, [])
        self.stream.fill(self.a, 2)
        self.stream.synchronize()
        self.assertEqual(self.a.read(), b'\2' * N)

    def test_twice(self):
        with self.stream.capture():
            with self.assertRaises(gaudi.Error):
                with self.stream.capture():
                    pass
        self.assertFalse(self.stream.capturing)

    def test_rows(self):
        np = numpy_or_skip()
        host = self.device.alloc_host(16 * 1024)
        array = host.to_numpy(np.uint8, (16, 1024))
        array[:] = np.arange(16)[:, None]
        buffer, out = self.device.alloc(8 * 512), self.device.alloc_host(
            8 * 512)
        with self.stream.capture() as capture:
            self.stream.copy(buffer, array[::2, 512:])
            self.stream.copy_2d(out, 512, buffer, 512, 512, 8)
        graph = capture.graph
        del host, array, buffer
        gc.collect()
        graph.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(out[::512], bytes(range(0, 16, 2)))


def graph_memory(device, graph, node):
    """Where a node writes to."""
    found = graph.nodes[node]
    return device.range(found.to, found.width * found.height)
