# SPDX-License-Identifier: MIT
"""Recipes: work prepared once; builders that make them, caches that keep them.
No card is needed for any of it."""

import ctypes
import enum
import errno
import numbers
import os
import struct
from typing import (Any, Callable, List, NamedTuple, Optional, Sequence, Tuple,
                    Union)

from . import errors
from ._handle import Closable, Handle, number, text
from ._native import (HANDLE, MAX_RANK, CacheStatsStruct,
                      Conv2dStruct, KernelStruct, RecipeInfoStruct,
                      TensorDescStruct, lib, libc)
from ._span import Span

Path = Union[str, 'os.PathLike[str]']
Pair = Union[int, Sequence[int]]


class Type(enum.IntEnum):
    """Of a tensor's elements."""

    U8 = 1
    I8 = 2
    U16 = 3
    I16 = 4
    U32 = 5
    I32 = 6
    U64 = 7
    I64 = 8
    BF16 = 9
    F16 = 10
    F32 = 11
    F64 = 12

    @property
    def itemsize(self) -> int:
        return int(lib.gaudi_type_size(self))

    @property
    def short_name(self) -> str:
        """For example 'bf16'."""
        return str(lib.gaudi_type_name(self).decode())


class Kind(enum.IntEnum):
    """What a tensor is for."""

    INPUT = 1       # bound at launch, only read
    OUTPUT = 2      # bound at launch
    CONSTANT = 3    # contents in the recipe, only read
    WORKSPACE = 4   # memory of the launch's


class Place(enum.IntEnum):
    """Where an input or output will be."""

    DEVICE = 0
    HOST = 1        # pinned


class MatrixFlags(enum.IntFlag):
    """Of nodes of the matrix engines."""

    NONE = 0
    TRANSPOSE_A = 1     # products: the last two dims change places
    TRANSPOSE_B = 2
    RELU = 4            # what is below 0 becomes 0
    ACCUMULATE = 8      # add to what the tensor has, where it stands


class KernelTensor(NamedTuple):
    """A tensor as an argument of a kernel."""

    tensor: int
    reads: bool = False
    writes: bool = False
    padding: int = 0    # what is read outside, as its bits


class Tensor(NamedTuple):
    """A tensor of a recipe."""

    number: int
    name: str
    kind: Kind
    type: Type
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]    # in bytes
    place: Place
    nbytes: int                 # from the first byte to behind the last
    data: Optional[bytes]       # of a constant


class RecipeInfo(NamedTuple):
    """What a recipe is made of, and needs."""

    name: str
    num_tensors: int
    num_events: int
    num_engines: int
    num_sync_objects: int
    workspace_size: int
    constants_size: int
    packets_size: int
    num_patches: int
    revision_min: int
    revision_max: int
    num_kernels: int    # launches of TPC kernels
    num_links: int      # that it works with


def tensor_of(recipe: Any, which: int) -> Tensor:
    """Of what C has as a recipe."""
    desc = TensorDescStruct()
    errors.check(lib.gaudi_recipe_get_tensor(recipe, which,
                                             ctypes.byref(desc)))
    data = ctypes.string_at(desc.data, desc.bytes) if desc.data else None
    return Tensor(which, desc.name.decode(), Kind(desc.kind), Type(desc.type),
                  tuple(desc.dims[:desc.rank]),
                  tuple(desc.strides[:desc.rank]), Place(desc.place),
                  desc.bytes, data)


class CacheStats(NamedTuple):
    """What a cache has done since it was opened."""

    memory_hits: int
    disk_hits: int
    misses: int
    puts: int
    writes: int
    write_failures: int
    evictions: int
    memory_evictions: int
    damaged: int
    memory_recipes: int
    memory_bytes: int


class Recipe(Closable):
    """Work that never changes. From Builder.build(), load(), from_bytes() or a
    Cache."""

    def __init__(self, pointer: int) -> None:
        self.handle = Handle('recipe', pointer)
        # Memory and nothing else: a child may use it.
        self.handle.everywhere()

    @classmethod
    def load(cls, path: Path) -> 'Recipe':
        """From a file; RecipeError says what is wrong with it."""
        pointer = HANDLE()
        errors.check(lib.gaudi_recipe_load(os.fsencode(path),
                                           ctypes.byref(pointer)))
        return cls(_made(pointer))

    @classmethod
    def from_bytes(cls, data: Any) -> 'Recipe':
        """From the bytes of a file."""
        pointer = HANDLE()
        with Span(data, False) as span:
            if not span.contiguous:
                raise ValueError('the bytes are not contiguous')
            errors.check(lib.gaudi_recipe_from_memory(
                span.address, span.nbytes, ctypes.byref(pointer)))
        return cls(_made(pointer))

    def close(self) -> None:
        errors.check(self.handle.close(lib.gaudi_recipe_release))

    def __bytes__(self) -> bytes:
        """The bytes of a file."""
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self.handle as pointer:
            errors.check(lib.gaudi_recipe_to_memory(
                pointer, ctypes.byref(data), ctypes.byref(size)))
        try:
            return ctypes.string_at(data.value or 0, size.value)
        finally:
            libc.free(data)

    def save(self, path: Path) -> None:
        """The file appears whole or not at all."""
        with self.handle as pointer:
            errors.check(lib.gaudi_recipe_save(pointer, os.fsencode(path)))

    @property
    def info(self) -> RecipeInfo:
        found = RecipeInfoStruct()
        with self.handle as pointer:
            errors.check(lib.gaudi_recipe_get_info(pointer,
                                                   ctypes.byref(found)))
            return RecipeInfo(found.name.decode(), *(
                getattr(found, name) for name in RecipeInfo._fields[1:]))

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def tensors(self) -> List[Tensor]:
        return [self._tensor(i) for i in range(self.info.num_tensors)]

    @property
    def events(self) -> List[str]:
        names = []
        with self.handle as pointer:
            for i in range(self.info.num_events):
                names.append(lib.gaudi_recipe_get_event(pointer, i).decode())
        return names

    @property
    def links(self) -> List[str]:
        names = []
        with self.handle as pointer:
            for i in range(self.info.num_links):
                names.append(lib.gaudi_recipe_get_link(pointer, i).decode())
        return names

    def tensor(self, name: str) -> Tensor:
        """By its name; Error (ENOENT) if there is none."""
        found = ctypes.c_uint32()
        with self.handle as pointer:
            errors.check(lib.gaudi_recipe_find_tensor(
                pointer, text(name, 'name'), ctypes.byref(found)))
        return self._tensor(found.value)

    def _tensor(self, which: int) -> Tensor:
        with self.handle as pointer:
            return tensor_of(pointer, which)

    def disassemble(self) -> str:
        """The packets of all engines, with what is patched into them."""
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        file = libc.open_memstream(ctypes.byref(data), ctypes.byref(size))
        if not file:
            raise MemoryError('no stream for the text')
        try:
            with self.handle as pointer:
                code = lib.gaudi_recipe_disassemble(pointer, file)
        finally:
            libc.fclose(file)
        try:
            errors.check(code)
            return ctypes.string_at(data.value or 0, size.value).decode()
        finally:
            libc.free(data)

    def __repr__(self) -> str:
        return '<Recipe closed>' if self.handle.closed else \
            f'<Recipe {self.name!r}>'


def _made(pointer: HANDLE) -> int:
    assert pointer.value is not None
    return pointer.value


class Builder(Closable):
    """Makes recipes from tensors and nodes. Nodes behave as if they ran one after
    the other in the order in which they were added. For one thread at a time.

    Tensors and nodes are known by the numbers that these methods return.
    """

    def __init__(self, name: str) -> None:
        pointer = HANDLE()
        errors.check(lib.gaudi_builder_create(text(name, 'name'),
                                              ctypes.byref(pointer)))
        self.handle = Handle('builder', pointer.value)
        self.handle.everywhere()

    def close(self) -> None:
        errors.check(self.handle.close(lib.gaudi_builder_destroy))

    def tensor(self, name: str, kind: Kind, type: Type,
               shape: Sequence[int] = (), *,
               strides: Optional[Sequence[int]] = None,
               place: Place = Place.DEVICE, data: Any = None) -> int:
        """shape and strides (in bytes) have the outermost dimension first;
        without strides it is dense, and a stride of 0 repeats an element.
        data: the contents of a constant, as an object with the buffer protocol,
        contiguous."""
        desc = TensorDescStruct()
        desc.name = text(name, 'name')
        desc.kind, desc.type, desc.place = Kind(kind), Type(type), Place(place)
        if len(shape) > MAX_RANK:
            raise ValueError(f'{len(shape)} dimensions, more than {MAX_RANK}')
        if strides is not None and len(strides) != len(shape):
            raise ValueError(f'{len(strides)} strides for {len(shape)} '
                             'dimensions')
        desc.rank = len(shape)
        for i, n in enumerate(shape):
            desc.dims[i] = number(n, f'shape[{i}]')
        for i, n in enumerate(strides or ()):
            desc.strides[i] = number(n, f'strides[{i}]')
            desc.num_strides = len(shape)
        if data is None:
            return self._add_tensor(desc)
        with Span(data, False) as span:
            need = self._bytes_of(desc)
            if not span.contiguous or span.nbytes != need:
                raise ValueError(f'{name}: the data must be {need} contiguous '
                                 f'bytes, not {span.nbytes}')
            desc.data = span.address
            return self._add_tensor(desc)

    @staticmethod
    def _bytes_of(desc: TensorDescStruct) -> int:
        """What the builder is going to read."""
        total: int = Type(desc.type).itemsize
        for i in range(desc.rank):
            if desc.num_strides:
                total += (desc.dims[i] - 1) * desc.strides[i]
            else:
                total *= desc.dims[i]
        return total

    def _add_tensor(self, desc: TensorDescStruct) -> int:
        found = ctypes.c_uint32()
        with self.handle as pointer:
            errors.check(lib.gaudi_builder_add_tensor(
                pointer, ctypes.byref(desc), ctypes.byref(found)))
        return found.value

    def _node(self, function: Any, *arguments: Any) -> int:
        found = ctypes.c_uint32()
        with self.handle as pointer:
            errors.check(function(pointer, *arguments, ctypes.byref(found)))
        return found.value

    def copy(self, to: int, source: int) -> int:
        """Element by element."""
        return self._node(lib.gaudi_builder_add_copy, _id(to, 'to'),
                          _id(source, 'source'))

    def copy_bytes(self, to: int, source: int, size: int, *,
                   to_offset: int = 0, from_offset: int = 0) -> int:
        """Bytes, whatever they are."""
        return self._node(
            lib.gaudi_builder_add_copy_bytes, _id(to, 'to'),
            number(to_offset, 'to_offset'), _id(source, 'source'),
            number(from_offset, 'from_offset'), number(size, 'size'))

    def copy_2d(self, to: int, to_pitch: int, source: int, from_pitch: int,
                width: int, height: int, *, to_offset: int = 0,
                from_offset: int = 0) -> int:
        """Rows of bytes, each beginning a pitch behind the one before."""
        return self._node(
            lib.gaudi_builder_add_copy_2d, _id(to, 'to'),
            number(to_offset, 'to_offset'), number(to_pitch, 'to_pitch'),
            _id(source, 'source'), number(from_offset, 'from_offset'),
            number(from_pitch, 'from_pitch'), number(width, 'width'),
            number(height, 'height'))

    def fill(self, to: int, value: Union[int, bytes]) -> int:
        """A value into each element: an integer, or the bytes of an element."""
        if isinstance(value, bytes):
            value = int.from_bytes(value, 'little')
        value = number(value, 'value', -(1 << 63)) & ((1 << 64) - 1)
        return self._node(lib.gaudi_builder_add_fill, _id(to, 'to'), value)

    def matmul(self, to: int, a: int, b: int,
               flags: int = MatrixFlags.NONE) -> int:
        """to = a * b. The last two dims are the matrices, up to three before are
        batches."""
        return self._node(lib.gaudi_builder_add_matmul, _id(to, 'to'),
                          _id(a, 'a'), _id(b, 'b'), _id(flags, 'flags'))

    def conv2d(self, y: int, x: int, w: int, *, stride: Pair = 1,
               padding: Pair = 0, dilation: Pair = 1, groups: int = 1,
               extra_padding: Pair = 0,
               flags: int = MatrixFlags.NONE) -> int:
        """x[image, row, column, depth] convolved with
        w[row, column, depth, output]. Pairs: down, right. groups: of depths,
        each convolved by itself. extra_padding: only below and to the right."""
        desc = _window(stride, padding, dilation, groups, extra_padding)
        return self._node(lib.gaudi_builder_add_conv2d, _id(y, 'y'),
                          _id(x, 'x'), _id(w, 'w'), ctypes.byref(desc),
                          _id(flags, 'flags'))

    def conv2d_data(self, dx: int, dy: int, w: int, *, stride: Pair = 1,
                    padding: Pair = 0, dilation: Pair = 1, groups: int = 1,
                    extra_padding: Pair = 0,
                    flags: int = MatrixFlags.NONE) -> int:
        """The gradient of the input."""
        desc = _window(stride, padding, dilation, groups, extra_padding)
        return self._node(lib.gaudi_builder_add_conv2d_data, _id(dx, 'dx'),
                          _id(dy, 'dy'), _id(w, 'w'), ctypes.byref(desc),
                          _id(flags, 'flags'))

    def conv2d_weights(self, dw: int, x: int, dy: int, *, stride: Pair = 1,
                       padding: Pair = 0, dilation: Pair = 1, groups: int = 1,
                       extra_padding: Pair = 0,
                       flags: int = MatrixFlags.NONE) -> int:
        """The gradient of the filter."""
        desc = _window(stride, padding, dilation, groups, extra_padding)
        return self._node(lib.gaudi_builder_add_conv2d_weights, _id(dw, 'dw'),
                          _id(x, 'x'), _id(dy, 'dy'), ctypes.byref(desc),
                          _id(flags, 'flags'))

    def kernel(self, name: str, code: Any, tensors: Sequence[KernelTensor],
               index_space: Sequence[int],
               scalars: Sequence[Union[int, float]] = (),
               tables: Optional[Sequence[Optional[int]]] = None) -> int:
        """A TPC kernel. code: the compiler's ELF object, with the buffer protocol.
        index_space: as the kernel counts its dims. scalars: floats as f32, integers
        as bits. tables: constants for 256, 128, 64 and 32 intervals."""
        k = KernelStruct()
        k.name = text(name, 'name')
        if len(tensors) > len(k.tensors) or len(scalars) > len(k.scalars) or \
                len(index_space) > len(k.index_space):
            raise ValueError(f'{len(tensors)} tensors, {len(scalars)} scalars, '
                             f'{len(index_space)} dimensions: at most 16, 32, 5')
        k.num_tensors, k.num_scalars = len(tensors), len(scalars)
        k.rank = len(index_space)
        for i, t in enumerate(tensors):
            k.tensors[i].tensor = _id(t.tensor, f'tensors[{i}]')
            k.tensors[i].access = (1 if t.reads else 0) | \
                (2 if t.writes else 0)
            k.tensors[i].padding = _id(t.padding, 'padding')
        for i, n in enumerate(scalars):
            k.scalars[i] = _bits(n, f'scalars[{i}]')
        for i, n in enumerate(index_space):
            k.index_space[i] = _id(n, f'index_space[{i}]')
        if tables is not None:
            if len(tables) != 4:
                raise ValueError(f'{len(tables)} tables, not 4')
            k.tables = (ctypes.c_uint32 * 4)(*(
                0xffffffff if t is None else _id(t, 'table') for t in tables))
        with Span(code, False) as span:
            if not span.contiguous:
                raise ValueError('the object is not contiguous')
            k.object, k.object_size = span.address, span.nbytes
            return self._node(lib.gaudi_builder_add_kernel, ctypes.byref(k))

    def library_kernel(self, name: str, tensors: Sequence[int],
                       scalars: Sequence[Union[int, float]] = ()) -> int:
        """A kernel of the library's own: kernel() tells what it takes. scalars: a float, or an integer as its bits; those
        with a default may be missing."""
        words = [_bits(s, f'scalars[{i}]') for i, s in enumerate(scalars)]
        ids = [_id(t, f'tensors[{i}]') for i, t in enumerate(tensors)]
        return self._node(
            lib.gaudi_builder_add_library_kernel, text(name, 'name'), len(ids),
            (ctypes.c_uint32 * len(ids))(*ids), len(words),
            (ctypes.c_uint32 * len(words))(*words))

    def signal(self, event: str, tensor: int) -> int:
        """When all nodes so far that use the tensor have ended, add one to the
        sync object that is bound to the event at launch."""
        return self._node(lib.gaudi_builder_add_signal, text(event, 'event'),
                          _id(tensor, 'tensor'))

    def link_wait(self, link: str, count: int = 1) -> None:
        """Before all nodes of the part, wait for notifications of the peer of the link
        that is bound to this name at launch."""
        with self.handle as pointer:
            errors.check(lib.gaudi_builder_add_link_wait(
                pointer, text(link, 'link'), _id(count, 'count')))

    def link_write(self, link: str, tensor: int, nbytes: int, *,
                   offset: int = 0, to_offset: int = 0,
                   notify: bool = False) -> None:
        """After all nodes of the part, write nbytes of an input or output, from offset
        on, to the peer, to_offset behind the address that is bound with the link."""
        with self.handle as pointer:
            errors.check(lib.gaudi_builder_add_link_write(
                pointer, text(link, 'link'), number(to_offset, 'to_offset'),
                _id(tensor, 'tensor'), number(offset, 'offset'),
                number(nbytes, 'nbytes'), int(bool(notify))))

    def begin_part(self) -> None:
        """All that is added from now on, work of links as well, comes after all that
        was added before."""
        with self.handle as pointer:
            errors.check(lib.gaudi_builder_begin_part(pointer))

    def order(self, first: int, then: int) -> None:
        """One node begins after another one has ended."""
        with self.handle as pointer:
            errors.check(lib.gaudi_builder_add_order(
                pointer, _id(first, 'first'), _id(then, 'then')))

    def build(self) -> Recipe:
        """The builder stays as it is."""
        recipe = HANDLE()
        with self.handle as pointer:
            errors.check(lib.gaudi_builder_build(pointer,
                                                 ctypes.byref(recipe)))
        return Recipe(_made(recipe))


def _window(stride: Pair, padding: Pair, dilation: Pair, groups: int,
            extra_padding: Pair) -> Conv2dStruct:
    desc = Conv2dStruct()
    desc.groups = _id(groups, 'groups')
    for name, value in (('stride', stride), ('padding', padding),
                        ('dilation', dilation),
                        ('extra_padding', extra_padding)):
        pair = (value, value) if isinstance(value, int) else tuple(value)
        if len(pair) != 2:
            raise ValueError(f'{name}: {len(pair)} numbers, not 1 or 2')
        getattr(desc, name)[:] = [_id(n, name) for n in pair]
    return desc


def _id(value: int, name: str) -> int:
    return number(value, name, 0, 0xffffffff)


def _bits(value: Any, name: str) -> int:
    """A scalar of a kernel: whole numbers are bits, others (NumPy's, too) f32."""
    if isinstance(value, numbers.Real) and \
            not isinstance(value, numbers.Integral):
        return int.from_bytes(struct.pack('<f', float(value)), 'little')
    return number(value, name, 0, 0xffffffff)


class Cache(Closable):
    """Recipes by keys: in memory, and in a folder that processes may share."""

    def __init__(self, path: Optional[Path] = None, *, clear: bool = False,
                 size_mb: Optional[int] = None,
                 config: Optional[str] = None) -> None:
        """path: the folder, made if need be; '': in memory only. clear: remove
        what is in it. size_mb: how much it may hold (1024; 0: no limit). Or all
        of it as "PATH,CLEAR,SIZE_MB" by config. If nothing is said, the
        environment does: GAUDI_RECIPE_CACHE_CONFIG, or else
        PT_HPU_RECIPE_CACHE_CONFIG, or else there is no folder."""
        if config is not None and (path is not None or clear or
                                   size_mb is not None):
            raise TypeError('config says all of it')
        words: Optional[bytes] = None
        if config is not None:
            words = text(config, 'config')
        elif path is not None or clear or size_mb is not None:
            folder = os.fsencode(path) if path is not None else b''
            if b',' in folder:
                raise ValueError('the path of a cache has no comma')
            size = '' if size_mb is None else number(size_mb, 'size_mb')
            words = folder + f',{"1" if clear else "0"},{size}'.encode()
        pointer = HANDLE()
        errors.check(lib.gaudi_cache_open(words, ctypes.byref(pointer)))
        self.handle = Handle('cache', pointer.value)

    def close(self) -> None:
        """Blocks until the folder has what was put."""
        errors.check(self.handle.close(lib.gaudi_cache_close))

    def get(self, key: bytes) -> Optional[Recipe]:
        """None: it is not there; build it and put it. May read a file."""
        _key(key)
        recipe = HANDLE()
        with self.handle as pointer:
            code = lib.gaudi_cache_get(pointer, key, len(key),
                                       ctypes.byref(recipe))
        if code == -errno.ENOENT:
            return None
        errors.check(code)
        return Recipe(_made(recipe))

    def put(self, key: bytes, recipe: Recipe) -> None:
        """In place of one with the same key. The folder gets it later."""
        _key(key)
        with self.handle as pointer, recipe.handle as what:
            errors.check(lib.gaudi_cache_put(pointer, key, len(key), what))

    def get_or_build(self, key: bytes,
                     build: Callable[[], Recipe]) -> Recipe:
        """What is there, or what build() makes, which is put."""
        found = self.get(key)
        if found is None:
            found = build()
            self.put(key, found)
        return found

    def flush(self) -> None:
        """Blocks until the folder has what was put."""
        with self.handle as pointer:
            errors.check(lib.gaudi_cache_flush(pointer))

    def stats(self) -> CacheStats:
        found = CacheStatsStruct()
        with self.handle as pointer:
            errors.check(lib.gaudi_cache_get_stats(pointer,
                                                   ctypes.byref(found)))
        return CacheStats(*(getattr(found, name)
                            for name in CacheStats._fields))


def _key(key: bytes) -> None:
    if not isinstance(key, bytes):
        raise TypeError(f'a key is bytes, not {type(key).__name__}')
