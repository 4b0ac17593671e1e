# SPDX-License-Identifier: MIT
"""The guest's initramfs: made in memory, anew for each run.

It holds our static init, the kernel modules that the run needs, and the run's
configuration. guest/init.h describes the files.
"""

import lzma
import os
import re
import shutil
import subprocess


class Missing(Exception):
    """Something that must have been built or fetched before is not there."""


def cpio(files):
    """A newc archive of {path: (mode, bytes)}; folders are made as needed."""
    out = []
    folders = set()
    inode = 1

    def entry(path, mode, data):
        nonlocal inode
        name = path.encode() + b'\0'
        head = b'070701' + b''.join(b'%08x' % field for field in (
            inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0))
        inode += 1
        out.append(head + name + b'\0' * (-(len(head) + len(name)) % 4))
        out.append(data + b'\0' * (-len(data) % 4))

    for path, (mode, data) in files.items():
        parts = path.split('/')[:-1]
        for depth in range(1, len(parts) + 1):
            folder = '/'.join(parts[:depth])
            if folder not in folders:
                folders.add(folder)
                entry(folder, 0o040755, b'')
        entry(path, 0o100000 | mode, data)
    entry('TRAILER!!!', 0, b'')
    return b''.join(out)


def strings(items):
    """NUL-terminated strings, as the init reads them."""
    return b''.join(os.fsencode(item) + b'\0' for item in items)


def module_depends(data):
    """The modules that a module built outside the kernel's tree names."""
    for field in data.split(b'\0'):
        if field.startswith(b'depends='):
            return [name for name in field[8:].decode().split(',') if name]
    return []


class Modules:
    """Kernel modules of one release, by name, with what they depend on."""

    def __init__(self, kernel):
        with open(os.path.join(kernel, 'release'), encoding='ascii') as file:
            self.release = file.read().strip()
        self.folder = os.path.join(kernel, 'lib/modules', self.release)
        self.paths = {}
        self.needs = {}
        index = os.path.join(self.folder, 'modules.dep')
        with open(index, encoding='ascii') as file:
            for line in file:
                path, _, needs = line.partition(':')
                name = self.name(path)
                self.paths[name] = path
                self.needs[name] = [self.name(need) for need in needs.split()]

    @staticmethod
    def name(path):
        return os.path.basename(path).split('.')[0].replace('-', '_')

    def closure(self, names):
        """names and all they need, in an order in which they load."""
        order = []
        for name in names:
            # Built into the kernel: nothing to load.
            if name not in self.paths:
                continue
            for need in [*reversed(self.needs[name]), name]:
                if need not in order:
                    order.append(need)
        return order

    def read(self, name):
        path = os.path.join(self.folder, self.paths[name])
        with open(path, 'rb') as file:
            data = file.read()
        return lzma.decompress(data) if path.endswith('.xz') else data


EARLY = ('netfs', '9pnet_virtio', '9p', 'overlay')


def read_built(path, what):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except FileNotFoundError:
        raise Missing(f'{what} is not built ({path}); run: make {what}') \
            from None


class Image:
    """Collects modules and configuration, and makes the archive."""

    def __init__(self, kernel, build, ours):
        """ours: the folder with the modules of ours for this kernel."""
        self.modules = Modules(kernel)
        self.build = build
        self.config = []
        self.files = {'init': (0o755, read_built(
            os.path.join(build, 'guest/init'), 'guest'))}
        self.own = {
            'gaudi': os.path.join(ours, 'driver/gaudi.ko'),
            'habanalabs_open': os.path.join(ours, 'guest/habanalabs_open.ko'),
            'pm_restore': os.path.join(ours, 'guest/pm_restore.ko'),
        }
        # Helpers that could not be built for this kernel, and why.
        self.without = {}

    def early(self):
        """What the guest needs for the host's file system."""
        for name in self.modules.closure(EARLY):
            self.add_stock(name)
            self.config.append('early=' + name)

    def in_ram(self, programs, words, folders):
        """The guest's own file system: the programs, and those among words,
        with their libraries and the shells of scripts, and the folders
        {target: source}.
        """
        self.config.append('ram=1')
        self.load_helper('pm_restore')
        for program in programs:
            if not shutil.which(program) and not os.path.isfile(program):
                raise Missing(f'--ram {program}: no such program')
        for word in [*programs, *words]:
            path = shutil.which(word) or word
            if os.path.isfile(path):
                self.add_program(path)
        for target, source in folders.items():
            self.add_folder(target, source)

    def add_folder(self, target, source):
        """Its files, if there is such a folder."""
        for name in os.listdir(source) if os.path.isdir(source) else ():
            self.add_file(os.path.join(source, name),
                          os.path.join(target, name))

    def add_file(self, path, target=None):
        with open(path, 'rb') as file:
            data = file.read()
        self.files[(target or path).lstrip('/')] = (
            os.stat(path).st_mode & 0o777, data)
        return data

    def add_program(self, path):
        """Or a library, or data, which need nothing else."""
        path = os.path.abspath(path)
        if path.lstrip('/') in self.files:
            return
        data = self.add_file(path)
        if data[:2] == b'#!':
            shell = data[2:].split(b'\n', 1)[0].decode().split()
            for word in shell:
                if shutil.which(word):
                    self.add_program(shutil.which(word))
            return
        if data[:4] != b'\x7fELF':
            return
        # "NAME => PATH (ADDRESS)", or "PATH (ADDRESS)" for the loader
        out = subprocess.run(['ldd', path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False,
                             encoding='utf-8').stdout
        for line in out.splitlines():
            found = re.search(r'(/\S+) \(0x', line)
            if found:
                self.add_file(found[1])

    def add_stock(self, name):
        self.files[f'ko/{name}.ko'] = (0o644, self.modules.read(name))

    def add_own(self, name):
        """One of our modules; returns what it depends on."""
        data = read_built(self.own[name],
                          'driver' if name == 'gaudi' else 'guest')
        self.files[f'ko/{name}.ko'] = (0o644, data)
        return module_depends(data)

    def load(self, names, params=''):
        """Load modules after the change of root; params go to the last."""
        for name in names:
            if f'ko/{name}.ko' not in self.files:
                self.add_stock(name)
            last = params if name == names[-1] and params else ''
            self.config.append(f'load={name} {last}'.strip())

    def load_helper(self, name):
        """Load one of the guest's helpers, without which most works still."""
        unbuilt = self.own[name][:-len('.ko')] + '.unbuilt'
        if os.path.exists(unbuilt):
            with open(unbuilt, encoding='utf-8') as file:
                self.without[name] = file.read().strip()
            return
        self.add_own(name)
        self.config.append('load=?' + name)

    def use_driver(self, driver, params, helper):
        """Load the wanted driver of the card and what it needs."""
        for name in ('gaudi', 'habanalabs_open'):
            if os.path.exists(self.own[name]):
                self.add_own(name)
                self.config.append('keep=' + name)
        if driver == 'gaudi':
            self.load(self.modules.closure(self.add_own('gaudi')))
            self.load(['gaudi'], params)
        elif driver == 'habanalabs':
            needs = self.modules.closure(['habanalabs'])
            self.load(needs[:-1])
            if helper:
                self.load_helper('habanalabs_open')
            self.load(['habanalabs'], params)

    def archive(self, argv, env):
        files = dict(self.files)
        files['config'] = (0o644, strings(self.config))
        files['argv'] = (0o644, strings(argv))
        files['env'] = (0o644, strings(f'{k}={v}' for k, v in env.items()))
        return cpio(files)
