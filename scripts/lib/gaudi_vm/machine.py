# SPDX-License-Identifier: MIT
"""One QEMU process and the sockets that join it to us.

QEMU gets everything as inherited descriptors: the initramfs is a memfd, each
port one end of a socket pair. So nothing has a name in the file system, but for
the monitor's socket that --qmp asks for, which we remove, and records of resets.
QEMU dies with us (parent-death signal).
"""

import ctypes
import mmap
import os
import signal
import socket
import stat
import subprocess
import time

from gaudi_vm import nics, records, snapshot

PORTS = ('ctl', 'in', 'out', 'err', 'inject')
# One for faults on demand, one for a look at a machine that does not go on, one for the
# cards' records when the kernel complains, one for snapshots.
MONITORS = ('qmp', 'look', 'record', 'snapshot')
FIRMWARE = ('/usr/share/qemu', '/usr/share/seabios')
# QEMU ends in 0.2 s, on a host that starves it in more than 1.5 s. What its cards have to
# say is lost if it is killed.
QUIT_SECONDS = 10
PR_SET_PDEATHSIG = 1


def memfd(name, data):
    fd = os.memfd_create(name, 0)
    with open(fd, 'wb', closefd=False) as file:
        file.write(data)
    return fd


def listen(path):
    """A listening socket at path: a new one, or in place of a dead one."""
    sock = socket.socket(socket.AF_UNIX)
    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            try:
                sock.connect(path)
            except ConnectionRefusedError:
                os.unlink(path)
            sock.close()
            sock = socket.socket(socket.AF_UNIX)
    except FileNotFoundError:
        pass
    try:
        sock.bind(path)
    except OSError as error:
        # Python does not name the file, and some errors have no number.
        raise OSError(error.errno, error.strerror or str(error),
                      path) from None
    sock.listen(1)
    return sock


def die_with_parent(parent):
    """For the child between fork and exec."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def tsc_khz():
    """How fast this machine's time stamp counter runs; None: not known."""
    # rdtsc; shl rdx, 32; or rax, rdx; ret
    code = bytes.fromhex('0f31 48c1e220 4809d0 c3')
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ |
                         mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        # A host may forbid memory that is written and run.
        return None
    page.write(code)
    read = ctypes.CFUNCTYPE(ctypes.c_uint64)(
        ctypes.addressof(ctypes.c_char.from_buffer(page)))
    tries = []
    for _ in range(5):
        start, before = time.monotonic_ns(), read()
        time.sleep(0.02)
        # Whatever comes between the two makes it look slower, or faster.
        tries.append((read() - before) * 1000000 //
                     (time.monotonic_ns() - start))
    return sorted(tries)[2]


def oom_kills():
    """How many processes this host has killed so far for lack of memory."""
    with open('/proc/vmstat', encoding='ascii') as file:
        for line in file:
            name, _, number = line.partition(' ')
            if name == 'oom_kill':
                return int(number)
    return 0


def read_all(fds):
    """What was written to each, which is closed."""
    texts = []
    while fds:
        with open(fds.pop(0), 'rb') as file:
            file.seek(0)
            texts.append(file.read())
    return texts


class Machine:
    """Start with start(), end with kill(); sockets are in .socks by name."""

    def __init__(self, options, accel, kernel, initrd, shares):
        self.options = options
        self.faults = options.faults
        self.accel = accel
        self.kernel = kernel
        self.initrd = initrd
        self.shares = shares
        self.process = None
        self.socks = {}
        self.pass_fds = []
        # Where each card writes its fidelity report when QEMU ends.
        self.reports = []
        self.record_files = []
        self.stderr = None
        self.oom_kills = oom_kills()
        # The one thing of ours with a name in the file system: a socket.
        self.named = None

    def chardev(self, name):
        """A socket pair; QEMU's end as a -chardev argument."""
        ours, theirs = socket.socketpair()
        self.socks[name] = ours
        self.pass_fds.append(theirs.detach())
        return ['-chardev', f'socket,id={name},fd={self.pass_fds[-1]}']

    def card_arguments(self):
        props = ''.join(',' + prop for prop in self.options.device_prop)
        args = nics.netdevs(self.options.nic, self.options.pcap)
        for index in range(self.options.cards):
            card = f'gaudi,id=gaudi{index},'
            if self.options.board:
                path = self.options.board.replace(',', ',,')
                slot = self.options.board_slots[index]
                card += f'board={path},slot={slot}'
            else:
                card += f'module-id={index % 8},serial=OG{index + 1:08}'
            if 'fidelity-report=' not in props:
                self.reports.append(memfd('fidelity', b''))
                self.pass_fds.append(self.reports[-1])
                card += f',fidelity-report=/proc/self/fd/{self.reports[-1]}'
            if self.options.record:
                self.record_files.append(memfd('record', b''))
                self.pass_fds.append(self.record_files[-1])
                card += f',record-file=/proc/self/fd/{self.record_files[-1]}'
            if self.options.journal:
                card += ',journal=' + self.options.journal.replace(',', ',,')
            if self.options.record_prefix:
                path = records.card_prefix(self.options.record_prefix, index)
                card += ',record-prefix=' + path.replace(',', ',,')
            if self.faults[index]:
                self.pass_fds.append(memfd('faults',
                                           self.faults[index].encode()))
                card += f',fault-file=/proc/self/fd/{self.pass_fds[-1]}'
            if self.options.ports:
                args += ['-device', f'gaudi-root-port,id=slot{index},'
                         f'chassis={index + 1},slot={index + 1}']
                card += f',bus=slot{index}'
            card += nics.properties(index, self.options.nic,
                                    self.options.cabling)
            if self.options.fabric:
                card += self.options.fabric.properties(not index,
                                                       self.pass_fds)
            args += ['-device', card + props]
        if self.options.ports:
            # The ports' own hot-plug, as on a server; ACPI's asks first.
            args += ['-global',
                     'ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off']
        return args

    def share_arguments(self):
        if self.options.ram:
            return []
        args = ['-fsdev', 'local,id=root,path=/,security_model=none,'
                'readonly=on,multidevs=remap',
                '-device', 'virtio-9p-pci,fsdev=root,mount_tag=root']
        shares = [(tag, path, '') for tag, path in self.shares]
        if self.options.save or self.options.start_from:
            # Of a machine that goes on there are as many as it was saved with.
            shares += [(f'share{n}', '/', ',readonly=on')
                       for n in range(len(shares), snapshot.SHARES)]
        for tag, path, how in shares:
            path = path.replace(',', ',,')
            args += ['-fsdev', f'local,id={tag},path={path},'
                     f'security_model=none,multidevs=remap{how}',
                     '-device', f'virtio-9p-pci,fsdev={tag},mount_tag={tag}']
        return args

    def kernel_arguments(self):
        words = ['console=ttyS0', 'panic=-1', 'mitigations=off', 'audit=0',
                 'random.trust_cpu=on', 'no_timer_check', 'rdinit=/init',
                 # What the kernel would test or police at every boot.
                 'cryptomgr.notests', 'lsm=landlock,yama',
                 'initcall_blacklist=jent_mod_init',
                 # A busy host may keep an emulated CPU waiting for long; that
                 # is no fault of the guest's. (21 s is the default.)
                 'rcupdate.rcu_cpu_stall_timeout=180',
                 # For look.py.
                 'sysrq_always_enabled',
                 # Messages of programs to the log are never held back.
                 'printk.devkmsg=on', 'loglevel=7']
        if self.accel == 'tcg':
            # An emulated CPU's time stamp counter is the host's clock. On a
            # busy host the guest mistrusts it; what remains is ACPI's timer,
            # which turns over each 4.7 s: time stands still when all sleep.
            words.append('tsc=reliable')
            # What a guest measures by itself there is far off at times: its
            # clock has been seen to run eleven times too fast.
            khz = tsc_khz()
            if khz:
                words.append(f'tsc_early_khz={khz}')
        if self.options.gdb:
            words.append('nokaslr')
        return ' '.join(words + self.options.kernel_arg)

    def image(self):
        """The kernel's file. An emulated CPU takes seconds to unpack the usual one.

        QEMU writes an unpacked one to memory anew at each reset, of which waking up
        is one; so it is not for a guest that can suspend.
        """
        unpacked = os.path.join(self.kernel, 'vmlinux')
        if self.accel == 'tcg' and not self.options.ram and \
           os.path.exists(unpacked):
            return unpacked
        return os.path.join(self.kernel, 'vmlinuz')

    def arguments(self):
        args = [self.options.qemu]
        for folder in FIRMWARE:
            args += ['-L', folder]
        args += ['-name', 'gaudi-vm', '-nodefaults', '-no-user-config',
                 '-display', 'none', '-vga', 'none', '-no-reboot',
                 '-machine', 'q35', '-smp', str(self.options.cpus),
                 '-m', self.options.memory]
        if self.accel == 'kvm':
            args += ['-accel', 'kvm', '-cpu', 'host']
        else:
            # Five-level paging costs an emulated guest time, for nothing.
            args += ['-accel', 'tcg,thread=multi', '-cpu', 'max,la57=off']
        args += self.chardev('log') + ['-serial', 'chardev:log']
        for name in MONITORS:
            args += self.chardev(name)
            args += ['-mon', f'chardev={name},mode=control']
        if self.options.qmp:
            self.pass_fds.append(listen(self.options.qmp).detach())
            self.named = self.options.qmp
            args += ['-chardev', f'socket,id=monitor,fd={self.pass_fds[-1]},'
                     'server=on,wait=off', '-mon',
                     'chardev=monitor,mode=control']
        args += ['-device', 'virtio-serial-pci']
        for name in PORTS:
            args += self.chardev(name)
            args += ['-device',
                     f'virtserialport,chardev={name},name=gaudi.{name}']
        args += self.share_arguments() + self.card_arguments()
        self.pass_fds.append(self.initrd)
        args += ['-kernel', self.image(),
                 '-initrd', f'/proc/self/fd/{self.initrd}',
                 '-append', self.kernel_arguments()]
        if self.options.start_from:
            args += ['-incoming', 'defer']
        if self.options.gdb:
            args += ['-gdb', f'tcp:127.0.0.1:{self.options.gdb}', '-S']
        return args + self.options.qemu_arg

    def start(self):
        parent = os.getpid()
        try:
            self.process = subprocess.Popen(
                self.arguments(), pass_fds=self.pass_fds,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=lambda: die_with_parent(parent))
        finally:
            # The initramfs stays ours, for another attempt.
            for fd in self.pass_fds:
                if fd not in (self.initrd, *self.reports, *self.record_files):
                    os.close(fd)
        self.stderr = self.process.stdout

    def await_end(self):
        """QEMU is ending by itself: how, in words; '' if it does not after all.

        It may have a core to write first.
        """
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            return ''
        if status >= 0:
            return f'QEMU ended with status {status}'
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f'signal {-status}'
        if status == -signal.SIGKILL and oom_kills() != self.oom_kills:
            name += ', as the host was out of memory'
        return f'QEMU was ended by {name}'

    def kill(self):
        """End QEMU, whatever it is doing; its sockets then read as ended.

        Asked first, so that its devices can write what they have to say.
        """
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(QUIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.named:
            try:
                os.unlink(self.named)
            except OSError:
                pass
            self.named = None

    def fidelity_reports(self):
        """What the cards wrote; to be called once, after kill()."""
        return [text.decode() for text in read_all(self.reports)]

    def records(self):
        """The same, of what passed through them."""
        return read_all(self.record_files)
