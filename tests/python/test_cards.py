# SPDX-License-Identifier: GPL-2.0-only
"""Several cards in one process: $CARDS of them."""

import os
import subprocess
import sys
import threading
import unittest

from common import LONG, gaudi, pattern

CARDS = int(os.environ['CARDS'])


class Cards(unittest.TestCase):
    def test_all_at_once(self):
        self.assertEqual(gaudi.count(), CARDS)
        devices = [gaudi.open(i, timeout=LONG) for i in range(CARDS)]
        infos = [device.info for device in devices]
        self.assertEqual([info.index for info in infos], list(range(CARDS)))
        self.assertEqual(len({info.module_id for info in infos}), CARDS)
        self.assertEqual(len({info.pci_address for info in infos}), CARDS)
        failures = []

        def work(i):
            try:
                device, data = devices[i], pattern(1 << 20, i)
                with device.stream() as stream:
                    host = device.alloc_host(1 << 20)
                    host[:] = data
                    buffer, other = stream.alloc(1 << 20), stream.alloc(
                        1 << 20)
                    stream.copy(buffer, host)
                    stream.copy(other, buffer)
                    stream.synchronize()
                assert other.read() == data
            except BaseException as error:
                failures.append(error)
        threads = [threading.Thread(target=work, args=(i,))
                   for i in range(CARDS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        for device in devices:
            device.close()

    @unittest.skipIf(CARDS < 2, 'needs two cards')
    def test_a_stream_waits_for_another_card(self):
        first, last = (gaudi.open(i, timeout=LONG) for i in (0, CARDS - 1))
        with first.stream() as one, last.stream() as two:
            host = first.alloc_host(4096)
            with last.pin(host):
                there = first.put(pattern(4096))
                here = last.alloc(4096)
                one.copy(host, there)
                two.wait(one.record())
                two.copy(here, host)
                two.synchronize()
            self.assertEqual(here.read(), pattern(4096))
            with self.assertRaisesRegex(ValueError, 'another device'):
                one.copy(here, there)
        first.close()
        last.close()

    def test_each_in_turn(self):
        self.assertEqual([device.info.index
                          for device in gaudi.devices(timeout=LONG)],
                         list(range(CARDS)))

    def test_main(self):
        done = subprocess.run([sys.executable, '-B', '-m', 'gaudi'],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), CARDS)
        for index, line in enumerate(lines):
            info = None
            with gaudi.open(index, timeout=LONG) as device:
                info = device.info
            self.assertTrue(line.startswith(f'{index}: '), line)
            self.assertIn(f'module {info.module_id}, {info.pci_address}',
                          line)
            self.assertIn(f'driver {info.driver}', line)
