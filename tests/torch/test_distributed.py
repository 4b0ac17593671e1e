# SPDX-License-Identifier: GPL-2.0-only
"""torch.distributed by hccl: so many processes, each with a card of one box, which ranks.py or
examples/torch/parallel.py runs in. TEST_TORCH_CARDS says how many."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import torch

import torch_gaudi                                      # noqa: F401 - registers hpu

import gpt
import steps

HERE = os.path.dirname(os.path.abspath(__file__))
PARALLEL = os.path.join(HERE, '..', '..', 'examples', 'torch', 'parallel.py')
CARDS = int(os.environ.get('TEST_TORCH_CARDS') or '2')
SECONDS = 240


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def torchrun(count, folder):
    """PyTorch 1.13's with Python 3.11 knows no "redirect nothing" but in a map. Debian's PyTorch 2
    lacks libuv, without which launchers meet by a file only."""
    meet = ['--rdzv_backend=c10d', '--rdzv_conf=store_type=file', '--local_addr=127.0.0.1',
            f'--rdzv_endpoint={folder}/meet'] if hasattr(torch, 'accelerator') else \
        ['--master_addr=127.0.0.1', f'--master_port={free_port()}']
    return [sys.executable, '-m', 'torch.distributed.run', f'--nproc_per_node={count}',
            '--redirects=9:1', '--tee=9:1', *meet]


def mpirun(count, folder):
    return ['mpirun', '--allow-run-as-root', '--oversubscribe', '-n', str(count), '-x',
            f'MASTER_PORT={free_port()}', sys.executable]


def environment(**more):
    return dict(os.environ, GAUDI_SIM=str(CARDS), HCCL_SOCKET_IFNAME='lo', USE_LIBUV='0',
                TORCH_DISABLE_SHARE_RDZV_TCP_STORE='1',
                GAUDI_SIM_BOX=f'torch-{os.getpid()}', PYTHONWARNINGS='ignore',
                GAUDI_COLL_TIMEOUT=str(SECONDS), HCL_HLCP_OPS_TIMEOUT=str(SECONDS), **more)


def run(launcher, *program, cards=CARDS):
    """What it prints, and how it ends; nothing is left of it."""
    env = environment()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([*launcher(cards, folder), *program], env=env, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            out, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            raise AssertionError(f'{program} has not ended after {SECONDS} s:\n{out}') from None
    return process.returncode, out


class Distributed(unittest.TestCase):
    def ranks(self, launcher, *names):
        status, out = run(launcher, os.path.join(HERE, 'ranks.py'), *names)
        self.assertEqual(status, 0, out)
        for name in names:
            for rank in range(CARDS):
                self.assertIn(f'{name}: rank {rank} of {CARDS} has ended', out)

    def test_collectives(self):
        self.ranks(torchrun, 'reductions', 'moves', 'uneven', 'pairs', 'refuses', 'recovers')

    def told(self, name):
        """What ranks say that nobody's launcher ends."""
        env = environment(MASTER_ADDR='127.0.0.1', MASTER_PORT=str(free_port()),
                          WORLD_SIZE=str(CARDS), LOCAL_WORLD_SIZE=str(CARDS))
        ranks = [subprocess.Popen([sys.executable, os.path.join(HERE, 'ranks.py'), name],
                                  env=dict(env, RANK=str(rank), LOCAL_RANK=str(rank)),
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                 for rank in range(CARDS)]
        try:
            return [rank.communicate(timeout=SECONDS)[0] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()

    def test_first_error_names_rank_and_call(self):
        """Whichever of PyTorch's calls meets it: here, that the result is read."""
        for told in self.told('one_dies')[:-1]:
            self.assertRegex(told, f'first: .*rank {CARDS - 1} has ended, while rank [0-9] is at '
                             'allreduce')
        for told in self.told('one_calls_another')[:-1]:
            self.assertRegex(told, f'first: .*rank {CARDS - 1} calls allgather .*allreduce|'
                             'first: .*rank [0-9] calls allreduce .*allgather')

    def test_buckets_and_zero(self):
        self.ranks(mpirun, 'overlap', 'zero', 'norms')

    @unittest.skipUnless(hasattr(torch, 'accelerator'), 'PyTorch 1 has none')
    def test_meshes_and_shards(self):
        self.ranks(torchrun, 'shards', 'meshes', 'coalesced')

    def losses(self, launcher):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'losses.json')
            status, out = run(launcher, PARALLEL, '--steps', '3', '--json', file)
            self.assertEqual(status, 0, out)
            with open(file, encoding='utf-8') as found:
                return json.load(found)

    def test_losses_of_one_process(self):
        want = steps.train(gpt.Text(), 'cpu', 3)
        for launcher in (torchrun, mpirun):
            got = self.losses(launcher)
            torch.testing.assert_close(got['losses'], want.losses, rtol=1e-3, atol=1e-4)
            self.assertEqual(got['fallbacks'], 0)

    def test_one_process_alone(self):
        status, out = run(torchrun, PARALLEL, cards=1)
        self.assertNotEqual(status, 0)
        self.assertIn('1 processes; the launcher is to start', out)


if __name__ == '__main__':
    unittest.main()
