# SPDX-License-Identifier: GPL-2.0-only
"""A client of GDB's remote protocol that can also do what GDB never would.

  gdb_client.py SOCKET hostile SEED ROUNDS   then detaches
  gdb_client.py SOCKET ask PACKET...         prints each answer, then detaches
  gdb_client.py SOCKET part PACKET           sends a part of it, and goes
"""
import random
import socket
import sys
import time

PACKET = 16384


class Client:
    def __init__(self, path):
        # The program may not be there yet.
        end = time.monotonic() + 60
        while True:
            self.sock = socket.socket(socket.AF_UNIX)
            try:
                self.sock.connect(path)
                break
            except OSError:
                self.sock.close()
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
        self.sock.settimeout(60)
        self.data = b''
        self.ack = True
        self.leaving = False    # the other end goes without waiting

    def byte(self):
        if not self.data:
            self.data = self.sock.recv(65536)
            if not self.data:
                raise EOFError
        first, self.data = self.data[:1], self.data[1:]
        return first

    def answer(self):
        """One packet; '-' if the last one was refused."""
        while True:
            c = self.byte()
            if c == b'-':
                return '-'
            if c == b'$':
                break
            assert c == b'+', c
        text = b''
        while (c := self.byte()) != b'#':
            if c == b'}':
                c = bytes([self.byte()[0] ^ 0x20])
            text += c
        self.byte()
        self.byte()
        if self.ack and not self.leaving:
            self.sock.sendall(b'+')
        return text.decode('latin-1')

    @staticmethod
    def frame(text):
        raw = text.encode('latin-1') if isinstance(text, str) else text
        return b'$' + raw + b'#%02x' % (sum(raw) & 255)

    def ask(self, text):
        self.sock.sendall(self.frame(text))
        return self.answer()

    def still_well(self):
        got = self.ask('qC')
        assert got.startswith('QC'), got


# What each must not be answered by: anything but an error, or that it is unknown.
REFUSED = [
    'm', 'm,', 'm0', 'm0,', 'm0,zz', 'm2000000000,ffffffffffffffff',
    'm2000000000,2001', 'mffffffffffffffff,10', 'mf000000000000000,401',
    'mf0000000000003ff,2', 'mf100000000013fff,2', 'mf200000000000000,1',
    'm2000000000,4x', 'm20000000000000000,4', 'M', 'M2000000000,4',
    'M2000000000,4:00', 'M2000000000,4:0000000g', 'M2000000000,4:00000000',
    'X2000000000,4:abc', 'Xf000000000000000,4:abcde', 'X,', 'p', 'pzz', 'p-1',
    'pffffffff', 'p3e8', 'p100000000000000000', 'P', 'P0', 'P0=', 'P28=00',
    'P0=0000000000000000', 'P10=0100000000000000', 'P10=ffffffffffffffff',
    'P28=' + '00' * 255, 'P28=' + '00' * 300, 'G', 'G00', 'G' + '0' * 9999,
    'Z', 'Z0', 'Z0,', 'Z0,0', 'Z9,0,1', 'Z2,0,0', 'Z2,0,41', 'Zx,0,1',
    'Z3,0,4', 'Z4,0,4', 'z', 'zz,0,0', 'Hx', 'Hg', 'Hg-3', 'Hg99', 'T', 'T99',
    'T0', 'c1234', 's1234', 'C05;1234', 'vCont', 'vCont;', 'vCont;x',
    'vCont;c:99', 'vCont;C', 'vCont;c;;c', 'vCont;s:-5', 'vFoo',
    'qXfer:features:read:other.xml:0,10', 'qXfer:features:read:target.xml:',
    'qXfer:features:read:target.xml:0', 'qXfer:features:read:target.xml:z,z',
    'qRcmd,', 'qRcmd,6', 'qRcmd,zz', 'qRcmd,' + '61' * 300,
    'qThreadExtraInfo,', 'qThreadExtraInfo,99', 'qThreadExtraInfo,-1', 'qFoo',
    '', '!', 'R00', 'b', '\0', '\xff' * 40]


def hostile(client, seed, rounds):
    rand = random.Random(seed)
    first = client.ask('qSupported:swbreak+;xmlRegisters=i386')
    assert 'PacketSize=4000' in first, first
    for text in REFUSED:
        got = client.ask(text)
        # qRcmd without a command says which there are.
        assert got == '' or got[0] == 'E' or text in ('qRcmd,',), (text, got)
        client.still_well()
    # A wrong sum is asked for again, also one that is no number.
    for sum_of in (b'00', b'zz', b'#$', b'\0\0'):
        client.sock.sendall(b'$qC#' + sum_of)
        assert client.answer() == '-', sum_of
        client.still_well()
    # The last answer again.
    last = client.ask('qC')
    client.sock.sendall(b'-')
    assert client.answer() == last
    # Too long: refused, and lost.
    assert client.ask('m' + '0' * PACKET)[0] == 'E'
    assert client.ask('X' + '}' * (3 * PACKET))[0] == 'E'
    client.still_well()
    # Just not too long.
    assert client.ask('m' + '0' * (PACKET - 1))[0] == 'E'
    # One that was broken off by the next.
    client.sock.sendall(b'$m2000')
    client.still_well()
    # Noise between packets, and Ctrl-C while nothing runs.
    client.sock.sendall(b'noise\x00\xff+++\x03')
    client.still_well()
    # As many breakpoints and watched places as there can be, and one more.
    got = [client.ask(f'Z0,{n:x},1') for n in range(257)]
    assert got == ['OK'] * 256 + [got[-1]] and got[-1][0] == 'E', got[-2:]
    assert [client.ask(f'z0,{n:x},1') for n in range(257)] == ['OK'] * 257
    got = [client.ask(f'Z2,{n:x},8') for n in range(17)]
    assert got == ['OK'] * 16 + [got[-1]] and got[-1][0] == 'E', got
    assert [client.ask(f'z2,{n:x},8') for n in range(17)] == ['OK'] * 17
    # The description comes in parts, of any size.
    for size in (1, 7, 4096, 1 << 40):
        text, n = '', 0
        while n < 9000:
            part = client.ask(f'qXfer:features:read:target.xml:{n:x},{size:x}')
            assert part[0] in 'ml' and len(part) <= PACKET, part[:20]
            text, n = text + part[1:], n + len(part) - 1
            if part[0] == 'l' or (size == 1 and n > 300):
                break
        assert text.startswith('<?xml'), text[:20]
        assert part[0] == 'm' or text.endswith('</target>'), text[-20:]
    assert client.ask('QStartNoAckMode') == 'OK'
    client.ack = False
    known = 'mMXpPGgZzHTqvDk?!cs'
    for _ in range(rounds):
        text = rand.choice(rand.choice([REFUSED, known]))
        raw = bytearray(text.encode('latin-1'))
        for _ in range(rand.randrange(4)):
            raw.insert(rand.randrange(len(raw) + 1), rand.choice(
                [*b'0123456789abcdef,;:=-}', rand.randrange(256)]))
        # Not what ends the session or lets the kernel go.
        if raw[:1] in b'Dkcs}' or raw[:1] == b'' or raw[:2] == b'vK' or \
                raw[:1] in (b'C', b'S') or raw[:5] == b'vCont' or \
                any(c in raw for c in b'#$\x03'):
            continue
        client.sock.sendall(client.frame(bytes(raw)))
        client.answer()
    client.sock.sendall(b'$qC#00')      # without answers it is just lost
    client.still_well()


def main():
    path, what, *args = sys.argv[1:]
    client = Client(path)
    if what == 'part':
        client.sock.sendall(client.frame(args[0])[:-4])
        return
    if what == 'hostile':
        hostile(client, int(args[0]), int(args[1]))
    for text in args if what == 'ask' else ():
        print(client.ask(text))
    client.leaving = True
    assert client.ask('D') == 'OK'


main()
