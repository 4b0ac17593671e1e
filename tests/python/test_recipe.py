# SPDX-License-Identifier: GPL-2.0-only
"""Recipes without a card: builders, files, caches."""

import os
import struct
import tempfile
import threading
import unittest
from fractions import Fraction

from common import CardTest, errno, gaudi, numpy_or_skip, pattern
from gaudi import Kind, Place, Type


def make(name='demo', rows=16, value=1):
    """in -> work -> out, with a constant and a fill."""
    with gaudi.Builder(name) as b:
        source = b.tensor('in', Kind.INPUT, Type.F32, (rows, 32),
                          place=Place.HOST)
        out = b.tensor('out', Kind.OUTPUT, Type.F32, (rows, 32))
        work = b.tensor('work', Kind.WORKSPACE, Type.F32, (rows, 32))
        scale = b.tensor('scale', Kind.CONSTANT, Type.U8, (256,),
                         data=bytes(range(256)))
        b.copy(work, source)
        b.fill(out, value)
        b.copy_bytes(out, scale, 100, to_offset=4, from_offset=7)
        b.copy_2d(out, 128, work, 128, 64, rows, to_offset=64)
        b.signal('done', out)
        return b.build()


class Recipes(unittest.TestCase):
    fails = CardTest.fails

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_what_is_in_it(self):
        recipe = make()
        info = recipe.info
        self.assertEqual((info.name, recipe.name), ('demo', 'demo'))
        self.assertEqual(info.num_tensors, 4)
        self.assertEqual(info.constants_size, 256)
        self.assertGreaterEqual(info.workspace_size, 16 * 32 * 4)
        self.assertEqual(recipe.events, ['done'])
        self.assertEqual([t.name for t in recipe.tensors],
                         ['in', 'out', 'work', 'scale'])
        tensor = recipe.tensor('in')
        self.assertEqual(tensor, gaudi.Tensor(
            0, 'in', Kind.INPUT, Type.F32, (16, 32), (128, 4), Place.HOST,
            2048, None))
        self.assertEqual(recipe.tensor('scale').data, bytes(range(256)))
        self.fails(-errno.ENOENT, recipe.tensor, 'none')
        text = recipe.disassemble()
        self.assertIn("from 'in' to 'work'", text)
        self.assertIn('LIN_DMA', text)

    def test_nodes_that_compute(self):
        with gaudi.Builder('compute') as b:
            x = b.tensor('x', Kind.INPUT, Type.BF16, (2, 30, 40))
            w = b.tensor('w', Kind.INPUT, Type.BF16, (50, 40))
            y = b.tensor('y', Kind.OUTPUT, Type.F32, (2, 30, 50))
            image = b.tensor('image', Kind.INPUT, Type.F32, (1, 8, 9, 3))
            taps = b.tensor('taps', Kind.INPUT, Type.F32, (3, 3, 3, 5))
            out = b.tensor('out', Kind.OUTPUT, Type.F32, (1, 4, 9, 5))
            dx = b.tensor('dx', Kind.OUTPUT, Type.F32, (1, 8, 9, 3))
            dw = b.tensor('dw', Kind.OUTPUT, Type.F32, (3, 3, 3, 5))
            self.assertEqual(b.matmul(
                y, x, w, gaudi.MatrixFlags.TRANSPOSE_B |
                gaudi.MatrixFlags.RELU), 0)
            window = {'stride': (2, 1), 'padding': 1}
            self.assertEqual(b.conv2d(out, image, taps, **window), 1)
            b.conv2d_data(dx, out, taps, **window)
            b.conv2d_weights(dw, image, out, **window)
            same = b.tensor('same', Kind.OUTPUT, Type.F32, (1, 8, 9, 6))
            each = b.tensor('each', Kind.INPUT, Type.F32, (2, 2, 1, 6))
            self.assertEqual(b.conv2d(same, image, each, groups=3,
                                      extra_padding=1), 4)
            self.fails(-errno.EINVAL, b.conv2d, same, image, each, groups=2,
                       extra_padding=1)
            self.fails(-errno.EINVAL, b.matmul, y, w, x)
            wide = b.tensor('wide', Kind.INPUT, Type.F32, (2, 30, 40))
            self.fails(-errno.EINVAL, b.matmul, y, wide, w,
                       gaudi.MatrixFlags.TRANSPOSE_B)
            self.fails(-errno.EINVAL, b.conv2d, out, image, taps)
            self.fails(-errno.EINVAL, b.kernel, 'none', b'no object',
                       [gaudi.KernelTensor(y, writes=True)], [1])
            self.assertRaises(ValueError, b.conv2d, out, image, taps,
                              stride=(1, 2, 3))
            recipe = b.build()
        self.assertEqual(recipe.info.num_kernels, 0)
        text = recipe.disassemble()
        self.assertIn("multiply reads S='x'", text)
        self.assertIn('relu', text)

    def test_kernels_of_the_library(self):
        names = gaudi.kernel_names()
        self.assertEqual(names, sorted(set(names)))
        self.assertIn('sgd_f32', names)
        with gaudi.Builder('library') as b:
            p = b.tensor('p', Kind.OUTPUT, Type.F32, (3, 5))
            g = b.tensor('g', Kind.INPUT, Type.F32, (3, 5))
            bias = b.tensor('bias', Kind.INPUT, Type.F32, (5,))
            self.assertEqual(b.library_kernel('add_f32', [p, bias, p]), 0)
            self.assertEqual(b.library_kernel('sgd_f32', [p, g], [0.5, 0]), 1)
            self.assertEqual(b.library_kernel('sgd_f32', [p, g], [0.5]), 2)
            self.fails(-errno.ENOENT, b.library_kernel, 'sgd', [p, g])
            self.fails(-errno.EINVAL, b.library_kernel, 'sgd_f32', [p, g])
            self.fails(-errno.EINVAL, b.library_kernel, 'sgd_f32', [p, bias],
                       [0.5, 0.0])
            self.assertRaises(TypeError, b.library_kernel, 'sgd_f32', [p, g],
                              [0.5, 'x'])
            recipe = b.build()
        # 0.5 as f32 is among the words of a launch.
        self.assertGreater(recipe.info.num_kernels, 1)
        self.assertIn(struct.pack('<f', 0.5), bytes(recipe))

    def saxpy(self, scalars):
        """A recipe with a kernel of the vendor's compiler, with two floats."""
        with open(os.path.join(os.environ['GAUDI_ROOT'], 'tests/unit/chip/tpc',
                               'kernels/saxpy_f32.o'), 'rb') as file:
            code = file.read()
        with gaudi.Builder('saxpy') as b:
            x, y = (b.tensor(name, Kind.INPUT, Type.F32, (2, 128))
                    for name in 'xy')
            out = b.tensor('out', Kind.OUTPUT, Type.F32, (2, 128))
            b.kernel('saxpy', code, [gaudi.KernelTensor(x, reads=True),
                                     gaudi.KernelTensor(y, reads=True),
                                     gaudi.KernelTensor(out, writes=True)],
                     (2, 2), scalars)
            return bytes(b.build())

    def test_scalars_of_kernels(self):
        bits = struct.unpack('<II', struct.pack('<ff', 2.5, -0.75))
        want = self.saxpy(bits)
        self.assertIn(struct.pack('<ff', 2.5, -0.75), want)
        self.assertEqual(self.saxpy([2.5, -0.75]), want)
        self.assertEqual(self.saxpy([Fraction(5, 2), bits[1]]), want)
        self.assertNotEqual(self.saxpy([2, bits[1]]), want)
        self.assertRaises(TypeError, self.saxpy, ['2.5', 1])
        self.assertRaises(OverflowError, self.saxpy, [1e39, 1])

    def test_scalars_of_numpy(self):
        numpy = numpy_or_skip()
        self.assertEqual(self.saxpy(numpy.array([2.5, -0.75], 'f')),
                         self.saxpy([2.5, -0.75]))
        self.assertEqual(self.saxpy(numpy.array([7, 9])), self.saxpy([7, 9]))

    def test_what_kernels_take(self):
        for name in gaudi.kernel_names():
            k = gaudi.kernel(name)
            self.assertEqual(k.name, name)
            self.assertTrue(k.computes and any(t.writes for t in k.tensors))
        norm = gaudi.kernel('layer_norm_bf16')
        self.assertEqual([t.name for t in norm.tensors],
                         ['X', 'GAMMA', 'BETA', 'OUT', 'MEAN', 'RSTD'])
        self.assertEqual(norm.tensors[4], gaudi.KernelOperand(
            'MEAN', False, True, Type.F32, 5, 'as OUT, but dim 0 is 1'))
        eps, = norm.scalars
        self.assertAlmostEqual(eps.default, 1e-5, places=9)
        self.assertEqual(gaudi.kernel('permute1_f32').scalars[0][1:3],
                         (Type.U32, None))
        self.fails(-errno.ENOENT, gaudi.kernel, 'layer_norm')
        self.assertRaises(TypeError, gaudi.kernel, 3)

    def test_what_the_card_cannot_do(self):
        with gaudi.Builder('doubles') as b:
            x = b.tensor('x', Kind.INPUT, Type.F64, (3, 5))
            y = b.tensor('y', Kind.OUTPUT, Type.F64, (3, 5))
            w = b.tensor('w', Kind.INPUT, Type.F64, (5, 5))
            error = self.fails(-errno.EINVAL, b.matmul, y, x, w)
            self.assertIn("node 0, matmul: tensor 'y' is f64", error.message)
            error = self.fails(-errno.ENOENT, b.library_kernel, 'mul_f64',
                               [x, x, y])
            self.assertIn("node 0: no built-in kernel 'mul_f64'",
                          error.message)

    def test_to_a_file_and_back(self):
        recipe = make()
        data = bytes(recipe)
        path = os.path.join(self.folder, 'demo.recipe')
        recipe.save(path)
        with open(path, 'rb') as file:
            self.assertEqual(file.read(), data)
        for again in (gaudi.Recipe.load(path), gaudi.Recipe.from_bytes(data),
                      gaudi.Recipe.from_bytes(bytearray(data))):
            self.assertEqual(bytes(again), data)
            self.assertEqual(again.tensors, recipe.tensors)
            self.assertEqual(again.disassemble(), recipe.disassemble())
        self.fails(-errno.ENOENT, recipe.save,
                   os.path.join(self.folder, 'none/demo'))
        self.fails(-errno.ENOENT, gaudi.Recipe.load,
                   os.path.join(self.folder, 'none'))

    def test_bad_files(self):
        data = bytearray(bytes(make()))
        for bad in (b'', b'ELF', data[:-1], data[:100]):
            error = self.fails(gaudi.errors.RECIPE, gaudi.Recipe.from_bytes,
                               bytes(bad))
            self.assertIsInstance(error, gaudi.RecipeError)
        for at in range(0, len(data), 37):
            data[at] ^= 0x55
            try:
                gaudi.Recipe.from_bytes(data)
            except gaudi.RecipeError as error:
                self.assertTrue(error.message)
            data[at] ^= 0x55
        data[300] ^= 1
        with self.assertRaises(gaudi.RecipeError):
            gaudi.Recipe.from_bytes(data)
        with self.assertRaises(TypeError):
            gaudi.Recipe.from_bytes('text')
        with self.assertRaises(TypeError):
            gaudi.Recipe.load(7)

    def test_wrong_arguments(self):
        b = gaudi.Builder('bad')
        add = b.tensor
        for arguments, kind in (
                (('x', Kind.INPUT, Type.F32, (-1,)), ValueError),
                (('x', Kind.INPUT, Type.F32, (1.5,)), TypeError),
                (('x', Kind.INPUT, Type.F32, (1,) * 9), ValueError),
                (('x', Kind.INPUT, 99, (1,)), ValueError),
                (('x', 99, Type.F32, (1,)), ValueError),
                ((7, Kind.INPUT, Type.F32, (1,)), TypeError),
                (('a\0b', Kind.INPUT, Type.F32, (1,)), ValueError)):
            with self.subTest(arguments), self.assertRaises(kind):
                add(*arguments)
        with self.assertRaises(ValueError):
            add('x', Kind.INPUT, Type.F32, (2, 2), strides=(8,))
        for data in (bytes(7), bytes(9), memoryview(bytes(16))[::2]):
            with self.assertRaisesRegex(ValueError, '8 contiguous bytes'):
                add('x', Kind.CONSTANT, Type.F32, (2,), data=data)
        self.fails(-errno.EINVAL, add, 'x', Kind.CONSTANT, Type.F32, (2,))
        one = add('one', Kind.INPUT, Type.F32, (2,))
        self.fails(-errno.EEXIST, add, 'one', Kind.INPUT, Type.F32, (2,))
        two = add('two', Kind.OUTPUT, Type.F32, (3,))
        self.fails(-errno.EINVAL, b.copy, two, one)
        self.fails(-errno.EINVAL, b.copy, one, two)
        self.fails(-errno.EINVAL, b.copy, 77, one)
        self.fails(-errno.EINVAL, b.signal, 'done', two)
        self.fails(-errno.EINVAL, b.build)
        with self.assertRaises(ValueError):
            b.copy(-1, one)
        with self.assertRaises(TypeError):
            b.fill(two, 0.5)
        first = b.fill(two, b'\0\0\x80\x3f')
        then = b.fill(two, -1)
        b.order(first, then)
        self.fails(-errno.EINVAL, b.order, then, first)
        b.build()
        b.close()
        with self.assertRaisesRegex(ValueError, 'closed'):
            b.build()

    def test_constants_by_numpy(self):
        np = numpy_or_skip()
        array = np.arange(12, dtype=np.float32).reshape(3, 4)
        b = gaudi.Builder('numpy')
        scale = b.tensor('scale', Kind.CONSTANT, Type.F32, array.shape,
                         data=array)
        # With gaps: rows of four floats, eight apart.
        wide = np.zeros((3, 8), np.float32)
        wide[:, :4] = array
        view = b.tensor('wide', Kind.CONSTANT, Type.F32, (3, 4),
                        strides=(32, 4), data=wide.ravel()[:20])
        # One element everywhere: strides of 0 are not the lack of strides.
        same = b.tensor('same', Kind.CONSTANT, Type.F32, (3, 4),
                        strides=(0, 0), data=array.ravel()[:1])
        out = b.tensor('out', Kind.OUTPUT, Type.F32, (3, 4))
        b.copy(out, scale)
        b.copy(out, view)
        b.copy(out, same)
        recipe = b.build()
        self.assertEqual(recipe.tensor('same').strides, (0, 0))
        self.assertEqual(recipe.tensor('same').data, array.tobytes()[:4])
        self.assertEqual(recipe.tensor('scale').data, array.tobytes())
        self.assertEqual(recipe.tensor('wide').data, wide.tobytes()[:80])

    def test_types(self):
        self.assertEqual([(t.short_name, t.itemsize) for t in Type], [
            ('u8', 1), ('i8', 1), ('u16', 2), ('i16', 2), ('u32', 4),
            ('i32', 4), ('u64', 8), ('i64', 8), ('bf16', 2), ('f16', 2),
            ('f32', 4), ('f64', 8)])

    def test_used_after_close(self):
        recipe = make()
        with recipe:
            self.assertEqual(recipe.name, 'demo')
        for call in (lambda: recipe.info, lambda: bytes(recipe),
                     recipe.disassemble, lambda: recipe.tensors):
            with self.assertRaisesRegex(ValueError, 'closed'):
                call()
        self.assertEqual(repr(recipe), '<Recipe closed>')

    def test_cache(self):
        path = os.path.join(self.folder, 'cache')
        built = []

        def build():
            built.append(1)
            return make()
        with gaudi.Cache(path, size_mb=1) as cache:
            self.assertIsNone(cache.get(b'key'))
            for _ in range(3):
                found = cache.get_or_build(b'key', build)
                self.assertEqual(found.name, 'demo')
            cache.put(b'other', make('other'))
            cache.flush()
            stats = cache.stats()
            self.assertEqual((stats.misses, stats.memory_hits, stats.puts,
                              stats.writes), (2, 2, 2, 2))
        self.assertEqual(built, [1])
        with gaudi.Cache(config=f'{path},0,1') as cache:
            self.assertEqual(cache.get(b'other').name, 'other')
            self.assertEqual(cache.stats().disk_hits, 1)
        with gaudi.Cache(path, clear=True) as cache:
            self.assertIsNone(cache.get(b'other'))
        with self.assertRaisesRegex(ValueError, 'closed'):
            cache.get(b'key')

    def test_cache_by_the_environment(self):
        path = os.path.join(self.folder, 'cache')
        os.environ['GAUDI_RECIPE_CACHE_CONFIG'] = path + ',false,7'
        try:
            with gaudi.Cache() as cache:
                cache.put(b'k', make())
        finally:
            del os.environ['GAUDI_RECIPE_CACHE_CONFIG']
        self.assertTrue(os.listdir(path))
        # In memory only, whatever it says.
        with gaudi.Cache('') as cache:
            self.assertIsNone(cache.get(b'k'))

    def test_cache_wrong_arguments(self):
        for bad, kind in (({'path': 'a,b'}, ValueError),
                          ({'path': 'a', 'config': 'a'}, TypeError),
                          ({'path': 'a', 'size_mb': -1}, ValueError),
                          ({'path': 7}, TypeError)):
            with self.subTest(bad), self.assertRaises(kind):
                gaudi.Cache(**bad)
        self.fails(-errno.EINVAL, gaudi.Cache, config=',maybe,')
        with gaudi.Cache('') as cache:
            for key, kind in ((b'', gaudi.Error), (b'x' * 5000, gaudi.Error),
                              ('text', TypeError)):
                with self.assertRaises(kind):
                    cache.get(key)
                with self.assertRaises(kind):
                    cache.put(key, make())

    def test_cache_with_threads(self):
        failures = []
        with gaudi.Cache(os.path.join(self.folder, 'cache')) as cache:
            def work(i):
                try:
                    for k in range(20):
                        key = b'%d' % (k % 5)
                        found = cache.get_or_build(
                            key, lambda key=key: make(key.decode()))
                        assert found.name == key.decode()
                        assert gaudi.Recipe.from_bytes(bytes(found))
                except BaseException as error:
                    failures.append(error)
            threads = [threading.Thread(target=work, args=(i,))
                       for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])

    def test_key_is_any_bytes(self):
        with gaudi.Cache('') as cache:
            cache.put(pattern(4096) + b'', make('long'))
            cache.put(b'\0', make('nul'))
            self.assertEqual(cache.get(pattern(4096)).name, 'long')
            self.assertEqual(cache.get(b'\0').name, 'nul')
            self.assertIsNone(cache.get(b'\0\0'))
