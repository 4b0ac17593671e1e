# SPDX-License-Identifier: GPL-2.0-only
"""Links between two cards: ports, writes, notifications, copies, and failures."""

import gc
import ipaddress
import os
import pickle
import unittest

from common import LONG, gaudi, knobs, needs_knobs, pattern
from gaudi import LinkState, NodeKind, PortFlags, Wait, Write, WriteRows
from test_install import ROOT, examples

SIZE = (1 << 20) + 24


class Links(unittest.TestCase):
    def setUp(self):
        self.cards = [gaudi.open(i, timeout=LONG) for i in range(2)]
        for card in self.cards:
            self.addCleanup(card.close)
        self.streams = [card.stream() for card in self.cards]
        other = self.cards[1].info.module_id
        self.ports = next((info.port, info.peer_port) for info in
                          (self.cards[0].port(i) for i in range(10))
                          if info.peer_module == other)

    def pair(self):
        links = [card.link(port)
                 for card, port in zip(self.cards, self.ports)]
        # As if they had come by a socket.
        addresses = [pickle.loads(pickle.dumps(link.address))
                     for link in links]
        links[0].connect(addresses[1])
        links[1].connect(addresses[0])
        return links

    def test_ports(self):
        for card, port in zip(self.cards, self.ports):
            self.assertIn(port, card.ports)
            info = card.port(port)
            self.assertEqual(info.flags, PortFlags.ENABLED | PortFlags.UP |
                             PortFlags.PEER)
            self.assertRegex(info.mac, '^[0-9a-f]{2}(:[0-9a-f]{2}){5}$')
            self.assertEqual(info.ip, ipaddress.IPv4Address(
                bytes([10]) + bytes.fromhex(info.mac.replace(':', ''))[3:]))
        outside = self.cards[0].port(1)
        self.assertTrue(outside.flags & PortFlags.EXTERNAL)
        self.assertIsNone(outside.peer_module)
        with self.assertRaisesRegex(gaudi.Error, 'port 10'):
            self.cards[0].port(10)
        self.cards[0].open_port(self.ports[0], max_links=2, entries=64)
        self.assertEqual(self.cards[0].port(self.ports[0]).max_links, 2)
        with self.assertRaisesRegex(gaudi.Error, 'open already'):
            self.cards[0].open_port(self.ports[0])

    def test_write_and_wait(self):
        here, there = self.streams
        ours, theirs = self.pair()
        self.assertEqual(len(ours.address), 64)
        for turn in range(3):
            data = pattern(SIZE, turn)
            source = self.cards[0].put(data)
            to = self.cards[1].alloc(SIZE + 8)
            here.write(ours, to.address + 8, source, notify=True)
            there.await_peer(theirs)
            there.synchronize()
            self.assertEqual(to[8:].read(), data)
        here.synchronize()
        info = ours.info
        self.assertEqual((info.state, info.port, info.writes, info.bytes,
                          info.notified, info.under_way),
                         (LinkState.CONNECTED, self.ports[0], 3, 3 * SIZE, 3,
                          0))
        self.assertEqual(theirs.info.waited, 3)
        for link in ours, theirs:
            link.close()
            link.close()
        with self.assertRaisesRegex(ValueError, 'closed'):
            here.await_peer(ours)

    def test_exchange(self):
        """Two links, both ways, one call for each side."""
        pairs = [self.pair(), self.pair()]
        out = [card.put(pattern(2 * SIZE, i))
               for i, card in enumerate(self.cards)]
        into = [card.alloc(2 * SIZE) for card in self.cards]
        for i, stream in enumerate(self.streams):
            stream.post([
                Write(pairs[0][i], into[1 - i].address, out[i][:SIZE], True),
                Write(pairs[1][i], into[1 - i].address + SIZE, out[i][SIZE:],
                      True),
                Wait(pairs[0][i]), Wait(pairs[1][i], 1)])
        for i, stream in enumerate(self.streams):
            stream.synchronize()
            self.assertEqual(into[i].read(), pattern(2 * SIZE, 1 - i))
        self.streams[0].post([])

    def test_recipes(self):
        """One writes what it has made, the other waits for it and moves it on."""
        ours, theirs = self.pair()
        launchers, out = [], [card.alloc(100) for card in self.cards]
        into = self.cards[1].alloc(104)
        for i, card in enumerate(self.cards):
            with gaudi.Builder('half') as builder:
                source = builder.tensor('in', gaudi.Kind.INPUT, gaudi.Type.U8,
                                        [100])
                to = builder.tensor('out', gaudi.Kind.OUTPUT, gaudi.Type.U8,
                                    [100])
                builder.copy(to, source)
                if i:
                    builder.link_wait('peer')
                else:
                    builder.link_write('peer', to, 96, offset=4, to_offset=8,
                                       notify=True)
                with self.assertRaisesRegex(gaudi.Error, 'too many'):
                    builder.link_wait('peer', 8193)
                with builder.build() as recipe:
                    self.assertEqual(recipe.links, ['peer'])
                    self.assertEqual(recipe.info.num_links, 1)
                    launchers.append(card.launcher(recipe))
        launchers[0].bind({'in': self.cards[0].put(pattern(100, 3)),
                           'out': out[0]})
        launchers[1].bind({'in': into[4:], 'out': out[1]})
        with self.assertRaisesRegex(gaudi.Error, "'peer'"):
            launchers[0].launch(self.streams[0])
        launchers[0].bind_link('peer', ours, into.address)
        launchers[1].bind_link('peer', theirs)
        for launcher, stream in zip(launchers, self.streams):
            launcher.launch(stream)
        self.streams[1].synchronize()
        self.assertEqual(out[1].read()[4:], pattern(100, 3)[4:])
        launchers[0].bind_link('peer', None)
        with self.assertRaisesRegex(gaudi.Error, 'not bound'):
            launchers[0].launch(self.streams[0])

    def exchange(self, card):
        """A launcher: what a part sends is awaited by the next one, which has what the first
        left in workspace. Last, who was sent to says that it has read."""
        size = [4096]
        with gaudi.Builder('exchange') as builder:
            source = builder.tensor('in', gaudi.Kind.INPUT, gaudi.Type.U8, size)
            sent = builder.tensor('sent', gaudi.Kind.OUTPUT, gaudi.Type.U8, size)
            come = builder.tensor('come', gaudi.Kind.INPUT, gaudi.Type.U8, size)
            kept = builder.tensor('kept', gaudi.Kind.WORKSPACE, gaudi.Type.U8, size)
            both = [builder.tensor(name, gaudi.Kind.OUTPUT, gaudi.Type.U8, size)
                    for name in ('mine', 'theirs')]
            first = builder.copy(sent, source)
            builder.copy(kept, source)
            builder.link_write('peer', sent, 4096, notify=True)
            builder.begin_part()
            builder.link_wait('peer')
            last = builder.copy(both[0], kept)
            builder.copy(both[1], come)
            builder.order(first, last)
            builder.link_write('peer', sent, 0, notify=True)
            builder.begin_part()
            builder.link_wait('peer')
            builder.signal('done', both[1])
            with builder.build() as recipe:
                again = gaudi.Recipe.from_bytes(bytes(recipe))
                self.assertEqual(again.disassemble(), recipe.disassemble())
                self.assertIn('part 2', again.disassemble())
                return card.launcher(again)

    def test_recipe_in_parts(self):
        """Both exchange what they have in the middle of a launch, again and again: from two
        streams in turn, and as a graph."""
        ends = self.pair()
        launchers = [self.exchange(card) for card in self.cards]
        come = [card.alloc(4096) for card in self.cards]
        sources = [card.alloc(4096) for card in self.cards]
        out = [[card.alloc(4096) for _ in range(2)] for card in self.cards]
        streams = [(self.streams[i], self.cards[i].stream()) for i in range(2)]
        done = [card.event() for card in self.cards]
        graphs = []
        for i in range(2):
            launchers[i].bind({
                'in': sources[i], 'come': come[i], 'mine': out[i][0],
                'theirs': out[i][1], 'sent': self.cards[i].alloc(4096)})
            launchers[i].bind_link('peer', ends[i], come[1 - i].address)
            with streams[i][0].capture() as capture:
                launchers[i].launch(streams[i][0])
            graphs.append(capture.graph)
            launchers[i].bind_event('done', done[i])
        for turn in range(12):
            for i in range(2):
                sources[i].write(pattern(4096, 10 * turn + i))
            for i in range(2):
                stream = streams[i][turn % 2]
                if turn % 3 == 2:
                    graphs[i].launch(stream)
                else:
                    launchers[i].launch(stream)
            for i in range(2):
                if turn % 3 != 2:
                    done[i].synchronize()
                streams[i][turn % 2].synchronize()
                self.assertEqual(out[i][0].read(), pattern(4096, 10 * turn + i))
                self.assertEqual(out[i][1].read(),
                                 pattern(4096, 10 * turn + 1 - i))

    def test_launches_in_parts_share_their_workspace(self):
        """Two launches of one launcher are given to two streams at once: each one has what
        it left in workspace, since the second waits for the first."""
        ours, theirs = self.pair()
        card, (one, two) = self.cards[0], (self.streams[0], self.cards[0].stream())
        with gaudi.Builder('kept') as builder:
            source = builder.tensor('in', gaudi.Kind.INPUT, gaudi.Type.U8, [100])
            kept = builder.tensor('kept', gaudi.Kind.WORKSPACE, gaudi.Type.U8, [100])
            to = builder.tensor('out', gaudi.Kind.OUTPUT, gaudi.Type.U8, [100])
            builder.copy(kept, source)
            builder.begin_part()
            builder.link_wait('peer')
            builder.copy(to, kept)
            for _ in range(14):
                builder.begin_part()
            with self.assertRaisesRegex(gaudi.Error, 'more than 16 parts'):
                builder.begin_part()
            with builder.build() as recipe:
                launcher = card.launcher(recipe)
        launcher.bind_link('peer', ours)
        outs = [card.alloc(100) for _ in range(2)]
        for i, stream in enumerate((one, two)):
            launcher.bind({'in': card.put(pattern(100, i)), 'out': outs[i]})
            launcher.launch(stream)
        for _ in range(2):
            self.streams[1].write(theirs, 0, notify=True)
        for i, stream in enumerate((one, two)):
            stream.synchronize()
            self.assertEqual(outs[i].read(), pattern(100, i))

    def test_nothing_but_a_notification(self):
        ours, theirs = self.pair()
        self.streams[0].write(ours, 0, notify=True)
        self.streams[1].await_peer(theirs)
        self.streams[1].synchronize()

    def test_rows(self):
        """Columns of a matrix, into one without gaps, and back into another one."""
        ours, theirs = self.pair()
        data = pattern(100 * 37)
        source = self.cards[0].put(data)
        to = self.cards[1].alloc(100 * 5)
        back = self.cards[0].put(bytes(100 * 37))
        self.streams[0].post([WriteRows(ours, to.address, source[3:], 5, 100, 37,
                                        notify=True)])
        self.streams[1].await_peer(theirs)
        self.streams[1].post([WriteRows(theirs, back.address + 3, to, 5, 100, 37,
                                        apart_there=True, notify=True)])
        self.streams[0].await_peer(ours)
        self.streams[0].synchronize()
        rows = [data[i * 37 + 3:i * 37 + 8] for i in range(100)]
        self.assertEqual(to.read(), b''.join(rows))
        self.assertEqual(back.read(), b''.join(
            bytes(3) + row + bytes(29) for row in rows))
        with self.assertRaisesRegex(ValueError, '100 rows need 3668 bytes'):
            self.streams[0].post([WriteRows(ours, to.address, source[37:], 5,
                                            100, 37)])

    def test_copies(self):
        first, last = self.cards
        data = pattern(SIZE, 9)
        here, there = first.put(data), last.alloc(SIZE)
        first.copy_peer(there, here)
        self.assertEqual(there.read(), data)
        # There and back, in order by events.
        self.streams[0].copy_peer(there[:4096], here[100:4196])
        self.streams[1].wait(self.streams[0].record())
        self.streams[1].copy_peer(here[:4096], there[:4096])
        self.streams[1].synchronize()
        self.assertEqual(here[:4096].read(), data[100:4196])
        self.streams[0].copy_peer(here[:100], here[5000:], size=100)
        self.streams[0].copy_peer(there, here, size=0)
        with self.assertRaisesRegex(ValueError, 'do not fill'):
            self.streams[0].copy_peer(there, here[1:])
        with self.assertRaisesRegex(ValueError, 'another device'):
            self.streams[1].copy_peer(here, here)

    def test_aborted(self):
        """A peer that says nothing."""
        ours, _ = self.pair()
        stream = self.cards[0].stream()
        stream.await_peer(ours)
        self.assertFalse(stream.query())
        with self.assertRaisesRegex(TypeError, 'why is a int, not a str'):
            ours.abort(1)
        ours.abort('the peer has gone')
        with self.assertRaisesRegex(gaudi.LinkError, 'the peer has gone') as caught:
            stream.synchronize()
        self.assertEqual(caught.exception.name, 'GAUDI_ERR_LINK')
        self.assertEqual(ours.info.state, LinkState.FAILED)
        with self.assertRaises(gaudi.LinkError):
            self.streams[0].write(ours, 0, notify=True)
        with self.assertRaises(gaudi.LinkError):
            stream.close()
        ours.close()

    def test_captured(self):
        """Once written down, launched with other work of the links in between."""
        here, there = self.streams
        ours, theirs = self.pair()
        source = self.cards[0].put(pattern(SIZE, 0))
        to = self.cards[1].alloc(2 * SIZE)
        with here.capture() as capture:
            here.write(ours, to.address, source, notify=True)
            here.await_peer(ours)
        graph = capture.graph
        self.assertEqual([node.kind for node in graph.nodes],
                         [NodeKind.LINK, NodeKind.LINK])
        self.assertEqual(graph.link_ops(0), [
            gaudi.LinkOp(to.address, source.address, SIZE, True, 0)])
        self.assertEqual(graph.link_ops(1), [gaudi.LinkOp(0, 0, 0, False, 1)])
        for i in range(3):
            source.write(pattern(SIZE, i))
            graph.launch(here)
            there.await_peer(theirs)
            there.write(theirs, 0, notify=True)
            here.synchronize()
            self.assertEqual(to[:SIZE].read(), pattern(SIZE, i))
        with self.assertRaisesRegex(gaudi.Error, 'EBUSY'):
            ours.close()
        graph.set_write(0, 0, to.address + SIZE, source[:100])
        self.cards[1].fill(to, 0)
        # The graph has all that it needs.
        first = source[:100].read()
        source = capture = None
        gc.collect()
        graph.launch(here)
        there.await_peer(theirs)
        there.write(theirs, 0, notify=True)
        here.synchronize()
        self.assertEqual(to[SIZE - 1:SIZE + 101].read(), b'\0' + first + b'\0')
        with self.assertRaisesRegex(ValueError, 'set_write'):
            graph.set_node(0, to=self.cards[0].alloc(SIZE))
        with self.assertRaisesRegex(gaudi.Error, 'is a wait'):
            graph.set_write(1, 0, 5)
        graph.close()
        ours.close()

    def test_bad_arguments(self):
        ours, _ = self.pair()
        with self.assertRaisesRegex(ValueError, '64 bytes, not 3'):
            ours.connect(b'abc')
        with self.assertRaisesRegex(gaudi.Error, 'EINVAL'):
            self.cards[0].link(self.ports[0]).connect(bytes(64))
        with self.assertRaisesRegex(gaudi.Error, 'EISCONN'):
            ours.connect(ours.address)
        with self.assertRaises(TypeError):
            self.streams[0].post(['?'])
        with self.assertRaisesRegex(gaudi.Error, 'EINVAL'):
            self.streams[0].await_peer(ours, 0)
        with self.assertRaisesRegex(ValueError, 'another device'):
            self.streams[0].write(ours, 512, self.cards[1].alloc(8))
        with self.assertRaisesRegex(gaudi.Error, 'ENOTCONN'):
            self.streams[0].await_peer(self.cards[0].link(self.ports[0]))

    def test_captured_copy(self):
        here, there = self.cards[0].alloc(8), self.cards[1].alloc(8)
        with self.streams[0].capture() as capture:
            self.streams[0].copy_peer(there, here)
        for data in b'12345678', b'abcdefgh':
            here.write(data)
            capture.graph.launch(self.streams[0])
            self.streams[0].synchronize()
            self.assertEqual(there.read(), data)

    def test_manual(self):
        """Its example, which opens the cards itself."""
        block, = (block for block in
                  examples(ROOT + '/Documentation/python.rst')
                  if 'link(' in block)
        for card in self.cards:
            card.close()
        really_open = gaudi.open
        gaudi.open = lambda *a: really_open(*a, timeout=LONG)
        try:
            exec(compile(block, 'the manual', 'exec'), {'gaudi': gaudi})
        finally:
            gaudi.open = really_open

    def test_no_wire(self):
        here, there = self.cards[0].alloc(8), self.cards[1].alloc(8)
        os.environ['GAUDI_CABLING'] = 'none'
        try:
            with self.assertRaisesRegex(gaudi.UnsupportedError, 'no wire'):
                self.cards[0].copy_peer(there, here)
        finally:
            del os.environ['GAUDI_CABLING']

    @needs_knobs
    def test_nobody_answers(self):
        ours, _ = self.pair()
        stream = self.cards[0].stream()
        knobs.deaf(1)
        try:
            stream.write(ours, 512, self.cards[0].alloc(8))
            with self.assertRaisesRegex(gaudi.LinkError, 'syndrome 0x40'):
                stream.synchronize()
        finally:
            knobs.deaf(0)
