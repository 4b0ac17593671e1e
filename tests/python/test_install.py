# SPDX-License-Identifier: GPL-2.0-only
"""What "make install" and pyproject.toml make, and the examples of the manual."""

import os
import re
import shutil
import site
import subprocess
import sys
import tarfile
import tempfile
import unittest

import gaudi

ROOT = os.environ['GAUDI_ROOT']
BUILD = os.environ['GAUDI_BUILD']


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_it(self, *command, **env):
        clean = {name: value for name, value in os.environ.items()
                 if name not in ('GAUDI_LIBRARY', 'PYTHONPATH', 'MAKEFLAGS',
                                 'MAKELEVEL')}
        return subprocess.run(command, env={**clean, **env},
                              cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True,
                              check=False)

    def install(self, prefix, destdir=''):
        done = self.run_it(
            'make', '--no-print-directory', '-C', ROOT + '/thunk',
            f'O={BUILD}/thunk', 'install', f'PREFIX={prefix}',
            f'DESTDIR={destdir}', *([f'UAPI_INC={os.environ["UAPI_INC"]}']
                                    if 'UAPI_INC' in os.environ else []))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_found_below_a_prefix(self):
        prefix = self.folder + '/prefix'
        self.install(prefix)
        path = prefix + '/lib/python3/dist-packages'
        done = self.run_it(
            sys.executable, '-B', '-c',
            'import gaudi, gaudi._native\nprint(gaudi.__file__, '
            'gaudi._native.lib._name, gaudi.version())', PYTHONPATH=path)
        self.assertEqual(done.stdout.split(), [
            path + '/gaudi/__init__.py',
            os.path.realpath(prefix + '/lib/libgaudi.so.0'),
            gaudi.__version__])
        self.assertTrue(os.path.exists(path + '/gaudi/py.typed'))
        done = self.run_it(sys.executable, '-B', '-m', 'gaudi', '--version',
                           PYTHONPATH=path)
        self.assertEqual(done.stdout, f'gaudi {gaudi.__version__}, libgaudi '
                         f'{gaudi.version()}\n')
        done = self.run_it(sys.executable, '-B', '-m', 'gaudi',
                           PYTHONPATH=path, HABANA_VISIBLE_DEVICES='200')
        self.assertEqual((done.returncode, done.stdout),
                         (1, 'gaudi: no card\n'))
        done = self.run_it(sys.executable, '-B', '-m', 'gaudi',
                           PYTHONPATH=path, HABANA_VISIBLE_DEVICES='x')
        self.assertEqual(done.returncode, 1)
        self.assertIn('HABANA_VISIBLE_DEVICES', done.stdout)

    def test_where_debian_looks(self):
        for prefix, version in (
                ('/usr', '3'), ('/usr/local', '%d.%d' % sys.version_info[:2])):
            folder = self.folder + prefix.replace('/', '_')
            self.install(prefix, folder)
            path = f'{prefix}/lib/python{version}/dist-packages'
            self.assertTrue(os.path.exists(f'{folder}{path}/gaudi/device.py'))
            self.assertIn(path, site.getsitepackages())

    def test_package(self):
        shutil.copytree(ROOT + '/python', self.folder + '/python')
        done = self.run_it(
            sys.executable, '-B', '-c', 'import os, setuptools.build_meta\n'
            'os.chdir("python")\nsetuptools.build_meta.build_sdist("..")')
        name = f'gaudi-{gaudi.__version__}'
        self.assertEqual(done.returncode, 0, done.stdout)
        with tarfile.open(f'{self.folder}/{name}.tar.gz') as tar:
            names = tar.getnames()
        for file in os.listdir(ROOT + '/python/gaudi'):
            if file != '__pycache__':
                self.assertIn(f'{name}/gaudi/{file}', names)

    def test_one_version(self):
        self.assertEqual(gaudi.version(), gaudi.__version__)
        with open(ROOT + '/python/pyproject.toml', encoding='utf-8') as file:
            self.assertIn(f'version = "{gaudi.__version__}"', file.read())


def examples(path):
    """The blocks of Python in a manual, in order."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for block in re.findall(r'::\n\n((?:    .*\n|\n)+)', text):
        lines = [line[4:] for line in block.split('\n')]
        if any(re.match(r'(import|from|try|with)\b', line) for line in lines):
            yield '\n'.join(lines)
