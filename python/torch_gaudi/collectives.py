# SPDX-License-Identifier: MIT
"""torch.distributed's backend `hccl`: the collectives of libSynapse, between the cards of so many
processes.

A group has a communicator and a stream. What a call reads is waited for by the stream and not
by the program, and so is the result by whoever uses it behind Work.wait(): sums of gradients are
under way while the backward pass goes on. Tensors of the CPU go by way of the card."""

import ctypes
import os
import weakref
from ctypes import c_char_p, c_int, c_size_t, c_uint8, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
import torch.distributed as dist
from torch.distributed import ProcessGroup, ReduceOp
from torch._C._distributed_c10d import _create_work_from_future as _work

from . import _functional, _native
from .streams import Stream, current_stream

Tensors = List[torch.Tensor]

# hcclDataType_t of what an element is on the card, and how many of these it is.
INT32, FLOAT16, FLOAT32, BFLOAT16 = 2, 6, 7, 9
HELD: Dict[torch.dtype, Tuple[int, int]] = {
    torch.float32: (FLOAT32, 1), torch.float64: (FLOAT32, 1),
    torch.bfloat16: (BFLOAT16, 1), torch.float16: (FLOAT16, 1),
    torch.complex64: (FLOAT32, 2), torch.complex128: (FLOAT32, 2),
    **{dtype: (INT32, 1) for dtype in (torch.int64, torch.int32, torch.int16, torch.int8,
                                       torch.uint8, torch.bool)}}
# hcclRedOp_t.
SUM, PRODUCT, MIN, MAX, AVG = range(5)
REDUCTIONS = {'SUM': SUM, 'PRODUCT': PRODUCT, 'MIN': MIN, 'MAX': MAX, 'AVG': AVG}
NARROW = (torch.int16, torch.int8, torch.uint8)


class UniqueId(ctypes.Structure):
    """hcclUniqueId."""
    _fields_ = [('internal', c_uint8 * 1024), ('length', c_size_t)]


def _function(name: str, *arguments: Any) -> Callable[..., None]:
    """A call of hccl.h, which raises what it says."""
    function = getattr(_native.lib, name)
    function.argtypes = arguments

    def call(*values: Any) -> None:
        result = function(*values)
        if result:
            words = _message() or _native.lib.hcclGetErrorString(result)
            raise RuntimeError(f'hccl: {words.decode()}')
    return call


_message = _native.lib.hcclGetLastErrorMessage
_message.restype = _native.lib.hcclGetErrorString.restype = c_char_p
_get_id = _function('hcclGetUniqueId', ctypes.POINTER(UniqueId))
_init = _function('hcclCommInitRank', ctypes.POINTER(c_void_p), c_int, UniqueId, c_int)
_destroy = _function('hcclCommDestroy', c_void_p)
_allreduce = _function('hcclAllReduce', c_void_p, c_void_p, c_size_t, c_int, c_int,
                       c_void_p, c_void_p)
_reduce = _function('hcclReduce', c_void_p, c_void_p, c_size_t, c_int, c_int, c_int,
                    c_void_p, c_void_p)
_broadcast = _function('hcclBroadcast', c_void_p, c_void_p, c_size_t, c_int, c_int,
                       c_void_p, c_void_p)
_reduce_scatter = _function('hcclReduceScatter', c_void_p, c_void_p, c_size_t, c_int, c_int,
                            c_void_p, c_void_p)
_allgather = _function('hcclAllGather', c_void_p, c_void_p, c_size_t, c_int, c_void_p,
                       c_void_p)
_send = _function('hcclSend', c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p)
_recv = _function('hcclRecv', c_void_p, c_size_t, c_int, c_int, c_void_p, c_void_p)
_group_start = _function('hcclGroupStart')
_group_end = _function('hcclGroupEnd')


def _sized(t: torch.Tensor) -> Tuple[int, int]:
    """How many elements of which type HCCL is to move."""
    kind, words = HELD[t.dtype]
    return t.numel() * words, kind


def _reduction(op: Any, t: torch.Tensor) -> int:
    name = next((name for name in REDUCTIONS if op == getattr(ReduceOp, name, None)), None)
    if name is None or t.is_complex() and name != 'SUM':
        raise NotImplementedError(f'hccl: the card has no reduction {op} of {t.dtype}')
    if t.dtype is torch.bool:
        # Of words of 0 and 1: or, and.
        return {'SUM': MAX, 'PRODUCT': MIN}.get(name, REDUCTIONS[name])
    if t.dtype in NARROW and name not in ('MIN', 'MAX'):
        raise NotImplementedError(f'hccl: {name} of {t.dtype}, which the card holds as 32 bits, '
                                  'might not fit; use int32')
    return REDUCTIONS[name]


def _single(tensors: Any, what: str) -> torch.Tensor:
    if isinstance(tensors, torch.Tensor):
        return tensors
    if len(tensors) != 1:
        raise ValueError(f'hccl: {what} of {len(tensors)} tensors; a process has one card')
    return tensors[0]


def _address(t: torch.Tensor) -> int:
    return torch.ops.torch_gaudi.address(t)


class _Call:
    """One collective: its tensors on the card, and what is to be copied when it has ended."""

    def __init__(self, group: 'HCCL', result: Any) -> None:
        self.group, self.result = group, result
        self.used: Tensors = []
        self.behind: List[Tuple[torch.Tensor, torch.Tensor]] = []
        self.todo: List[Callable[[], None]] = []
        self.future: Any = torch.futures.Future(devices=['hpu:0'])

    def reads(self, t: torch.Tensor) -> torch.Tensor:
        if t.dtype not in HELD:
            raise NotImplementedError(f'hccl: tensors of {t.dtype} cannot be on the card')
        return self._use(t.detach().to('hpu').contiguous())

    def writes(self, t: torch.Tensor) -> torch.Tensor:
        """@t itself, or new memory, that is copied to it afterwards."""
        if t.device.type == 'hpu' and t.is_contiguous():
            return self._use(t.detach())
        return self.later(t, self.new(t, t.shape))

    def updates(self, t: torch.Tensor) -> torch.Tensor:
        mine = self.reads(t)
        if t.device.type != 'hpu' or not t.is_contiguous():
            self.behind.append((t, mine))
        return mine

    def new(self, like: torch.Tensor, shape: Any) -> torch.Tensor:
        return self._use(torch.empty(shape, dtype=like.dtype, device='hpu'))

    def later(self, to: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        self.behind.append((to, source))
        return source

    def _use(self, t: torch.Tensor) -> torch.Tensor:
        self.used.append(t)
        return t

    def do(self, function: Callable[..., None], *arguments: Any) -> None:
        self.todo.append(lambda: function(*arguments, self.group.comm, self.group.handle))

    def start(self, together: bool = False) -> Any:
        """@together: sends and receives that wait for each other."""
        if self.group.collected is not None:
            self.group.collected.append(self)
        else:
            self.group.launch([self], together)
        return _work(self.future)

    def end(self) -> None:
        """On the group's stream, behind what has been done."""
        number = self.group.stream.stream_id
        for t in self.used:
            torch.ops.torch_gaudi.record_stream(t, number)
        for to, source in self.behind:
            to.copy_(source)
            if to.device.type == 'hpu':
                torch.ops.torch_gaudi.record_stream(to, number)
        self.future.set_result(self.result)


class HCCL(ProcessGroup):
    """The collectives of torch.distributed, in its own words."""

    def __init__(self, store: Any, rank: int, size: int, timeout: Any = None) -> None:
        super().__init__(rank, size)
        _before_first_group()
        self.comm, self.handle = c_void_p(), c_void_p()
        number = ctypes.c_int64()
        _native.call('gt_stream_create_shared', ctypes.byref(number),
                     ctypes.byref(self.handle))
        self.stream = Stream(stream_id=number.value)
        self.collected: Optional[List[_Call]] = None
        _init(ctypes.byref(self.comm), size, self._meet(store, rank), rank)
        # Ends it with the group, or with the program.
        weakref.finalize(self, _destroy, self.comm)

    @staticmethod
    def _meet(store: Any, rank: int) -> UniqueId:
        """Rank 0 says where; before that, nobody comes."""
        made = UniqueId()
        if rank == 0:
            _get_id(ctypes.byref(made))
            store.set('hccl', bytes(made).hex())
            return made
        return UniqueId.from_buffer_copy(bytes.fromhex(store.get('hccl').decode()))

    # PyTorch 2 keeps them with what is in C++ of a group, which this one has nothing of.
    group_name = group_desc = ''

    def _set_group_name(self, name: str) -> None:
        self.group_name = name

    def _set_group_desc(self, text: str) -> None:
        self.group_desc = text

    def getBackendName(self) -> str:                    # noqa: N802 - PyTorch's name
        return 'hccl'

    @property
    def _device_types(self) -> List[torch.device]:
        """Where PyTorch 2 puts what it sends of its own: FSDP's states, objects."""
        return [torch.device('hpu')]

    def launch(self, calls: List[_Call], together: bool) -> None:
        self.stream.wait_stream(current_stream())
        with self.stream, torch.no_grad():
            if together:
                _group_start()
            try:
                for call in calls:
                    for do in call.todo:
                        do()
            finally:
                if together:
                    _group_end()
            for call in calls:
                call.end()

    # As batch_isend_irecv() has it, and PyTorch 2's _coalescing_manager().
    def _start_coalescing(self, device: Any = None) -> None:
        self.collected = []

    def _end_coalescing(self, works: Any = None) -> Any:
        calls, self.collected = self.collected or [], None
        self.launch(calls, together=True)
        return _work(calls[-1].future) if calls else None

    def _parts(self, tensors: Tensors, what: str) -> Tensors:
        if len(tensors) != self.size():
            raise ValueError(f'hccl: {what} of {len(tensors)} tensors for {self.size()} ranks')
        return tensors

    def broadcast(self, tensors: Any, opts: Any = None) -> Any:
        t = _single(tensors, 'broadcast')
        call = _Call(self, [t])
        root = opts.rootRank if opts is not None else 0
        # What others have may be memory that nobody wrote, of which int64 need not fit.
        mine = call.reads(t) if self.rank() == root else call.writes(t)
        if t.numel():
            call.do(_broadcast, _address(mine), _address(mine), *_sized(mine), root)
        return call.start()

    def allreduce(self, tensors: Any, opts: Any = None) -> Any:
        t = _single(tensors, 'allreduce')
        op = _reduction(opts.reduceOp if opts is not None else ReduceOp.SUM, t)
        call = _Call(self, [t])
        mine = call.updates(t)
        if t.numel():
            call.do(_allreduce, _address(mine), _address(mine), *_sized(mine), op)
        return call.start()

    def allreduce_coalesced(self, tensors: Tensors, opts: Any = None) -> Any:
        call = _Call(self, list(tensors))
        for t in tensors:
            op = _reduction(opts.reduceOp if opts is not None else ReduceOp.SUM, t)
            mine = call.updates(t)
            if t.numel():
                call.do(_allreduce, _address(mine), _address(mine), *_sized(mine), op)
        return call.start()

    def reduce(self, tensors: Any, opts: Any) -> Any:
        t = _single(tensors, 'reduce')
        op = _reduction(opts.reduceOp, t)
        call = _Call(self, [t])
        mine = call.updates(t) if opts.rootRank == self.rank() else call.reads(t)
        if t.numel():
            call.do(_reduce, _address(mine), _address(mine), *_sized(mine), op, opts.rootRank)
        return call.start()

    def allgather(self, outputs: List[Tensors], inputs: Any, opts: Any = None) -> Any:
        mine, parts = _single(inputs, 'allgather'), self._parts(outputs[0], 'allgather')
        call = _Call(self, outputs)
        if parts[self.rank()].numel() != mine.numel():
            raise ValueError(f'hccl: {tuple(parts[self.rank()].shape)} cannot take this rank\'s '
                             f'{tuple(mine.shape)}')
        if len({part.numel() for part in parts}) > 1:
            return self._allgather_uneven(call, mine, parts)
        flat = call.new(mine, (self.size(), *mine.shape))
        if mine.numel():
            read = call.reads(mine)
            call.do(_allgather, _address(read), _address(flat), *_sized(read))
        for part, row in zip(parts, flat):
            call.later(part, row)
        return call.start()

    def _allgather_uneven(self, call: _Call, mine: torch.Tensor, parts: Tensors) -> Any:
        """A broadcast of each rank's."""
        for root, part in enumerate(parts):
            if root == self.rank():
                to = call.later(part, call.reads(mine).view(part.shape))
            else:
                to = call.writes(part)
            if part.numel():
                call.do(_broadcast, _address(to), _address(to), *_sized(to), root)
        return call.start()

    def _allgather_base(self, output: torch.Tensor, input: torch.Tensor,
                        opts: Any = None) -> Any:       # noqa: A002 - PyTorch's name
        if output.numel() != input.numel() * self.size() or output.dtype is not input.dtype:
            raise ValueError(f'hccl: {tuple(output.shape)} of {output.dtype} cannot take '
                             f'{self.size()} times {tuple(input.shape)} of {input.dtype}')
        call = _Call(self, [output])
        read, written = call.reads(input), call.writes(output)
        if input.numel():
            call.do(_allgather, _address(read), _address(written), *_sized(read))
        return call.start()

    def reduce_scatter(self, outputs: Any, inputs: List[Tensors], opts: Any = None) -> Any:
        out, parts = _single(outputs, 'reduce_scatter'), \
            self._parts(inputs[0], 'reduce_scatter')
        return self._reduce_scatter_base(out, torch.stack([p.detach() for p in parts]), opts)

    def _reduce_scatter_base(self, output: torch.Tensor, input: torch.Tensor,
                             opts: Any = None) -> Any:  # noqa: A002
        if input.numel() != output.numel() * self.size() or output.dtype is not input.dtype:
            raise ValueError(f'hccl: {tuple(input.shape)} of {input.dtype} is not {self.size()} '
                             f'times {tuple(output.shape)} of {output.dtype}')
        op = _reduction(opts.reduceOp if opts is not None else ReduceOp.SUM, input)
        call = _Call(self, [output])
        read, written = call.reads(input), call.writes(output)
        if output.numel():
            call.do(_reduce_scatter, _address(read), _address(written), *_sized(written), op)
        return call.start()

    # Several at once, which follow each other: the last one's end is that of all.

    def allgather_into_tensor_coalesced(self, outputs: Tensors, inputs: Tensors,
                                        opts: Any = None) -> Any:
        return [self._allgather_base(*pair) for pair in zip(outputs, inputs)][-1]

    def reduce_scatter_tensor_coalesced(self, outputs: Tensors, inputs: Tensors,
                                        opts: Any = None) -> Any:
        return [self._reduce_scatter_base(*pair, opts) for pair in zip(outputs, inputs)][-1]

    # Sends and receives, and what consists of them.

    def _exchange(self, result: Any, sends: List[Tuple[int, torch.Tensor]],
                  receives: List[Tuple[int, torch.Tensor]]) -> Any:
        """What a rank sends to itself is copied."""
        call, own = _Call(self, result), self.rank()
        here = [call.reads(t) for peer, t in sends if peer == own]
        for peer, t in sends:
            if peer != own:
                mine = call.reads(t)
                call.do(_send, _address(mine), *_sized(mine), peer)
        for peer, t in receives:
            if peer == own:
                call.later(t, here.pop(0).view(t.shape))
            else:
                mine = call.writes(t)
                call.do(_recv, _address(mine), *_sized(mine), peer)
        return call.start(together=True)

    def send(self, tensors: Any, dst: int, tag: int = 0) -> Any:
        return self._exchange(list(tensors), [(dst, _single(tensors, 'send'))], [])

    def recv(self, tensors: Any, src: int, tag: int = 0) -> Any:
        return self._exchange(list(tensors), [], [(src, _single(tensors, 'recv'))])

    def gather(self, outputs: List[Tensors], inputs: Any, opts: Any) -> Any:
        receives = list(enumerate(self._parts(outputs[0], 'gather'))) \
            if opts.rootRank == self.rank() else []
        return self._exchange(outputs, [(opts.rootRank, _single(inputs, 'gather'))], receives)

    def scatter(self, outputs: Any, inputs: List[Tensors], opts: Any) -> Any:
        out = _single(outputs, 'scatter')
        sends = list(enumerate(self._parts(inputs[0], 'scatter'))) \
            if opts.rootRank == self.rank() else []
        return self._exchange([out], sends, [(opts.rootRank, out)])

    def alltoall(self, outputs: Tensors, inputs: Tensors, opts: Any = None) -> Any:
        self._parts(inputs, 'alltoall')
        return self._exchange(outputs, list(enumerate(inputs)),
                              list(enumerate(self._parts(outputs, 'alltoall'))))

    def alltoall_base(self, output: torch.Tensor, input: torch.Tensor,
                      output_sizes: Optional[List[int]] = None,
                      input_sizes: Optional[List[int]] = None, opts: Any = None) -> Any:
        def split(t: torch.Tensor, sizes: Optional[List[int]]) -> Tensors:
            if not sizes and t.shape[0] % self.size():
                raise ValueError(f'hccl: {t.shape[0]} rows for {self.size()} ranks')
            return list(t.split(list(sizes) if sizes else t.shape[0] // self.size()))
        return self.alltoall(split(output, output_sizes), split(input, input_sizes))

    def barrier(self, opts: Any = None) -> Any:
        """All have come: the program waits."""
        work = self.allreduce([torch.zeros(1, device='hpu')])
        self.stream.synchronize()
        return work


def _without_libuv() -> None:
    """Debian's PyTorch 2 is built without libuv, which it takes by default."""
    try:
        dist.TCPStore('127.0.0.1', 0, is_master=True, wait_for_workers=False, use_libuv=True)
    except TypeError:
        pass
    except RuntimeError:
        os.environ.setdefault('USE_LIBUV', '0')


def _shards_keep_memory() -> None:
    """FSDP says which streams use its memory for the devices that it knows only; the card's would
    be given to others meanwhile."""
    from torch.distributed.fsdp import _common_utils as common, _flat_param, _runtime_utils
    plain = common._no_dispatch_record_stream

    def record_stream(t: torch.Tensor, stream: Any) -> None:
        if t.device.type != 'hpu':
            plain(t, stream)
            return
        with common.no_dispatch():
            t.record_stream(stream)

    for module in (common, _flat_param, _runtime_utils):
        module._no_dispatch_record_stream = record_stream


_kept: List[Any] = []


def register() -> None:
    """Once: dist.init_process_group('hccl')."""
    if not dist.is_available() or hasattr(dist.Backend, 'HCCL'):
        return
    if not hasattr(torch, 'accelerator'):
        dist.Backend.register_backend('hccl', HCCL)
        return
    dist.Backend.register_backend('hccl', HCCL, devices=['hpu', 'cpu'])
    _kept.append(_functional.register())
    _without_libuv()


def _before_first_group() -> None:
    """What is imported for it takes a moment, which an optimizer imports as well."""
    if hasattr(torch, 'accelerator') and _shards_keep_memory not in _kept:
        _kept.append(_shards_keep_memory)
        _shards_keep_memory()
