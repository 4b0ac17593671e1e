# SPDX-License-Identifier: GPL-2.0-or-later
"""thunk/glue/gc_interface.h, by ctypes."""
import ctypes
from ctypes import c_bool, c_char, c_float, c_int, c_uint, c_void_p, sizeof
from typing import Any, List, Optional

from tpc_glue.answers import API_VERSION, DIMS, GAUDI, NAME_BYTES, NAMES_MOST, SCALARS, \
    SUCCESS, TENSORS, TYPES, Answer, Aux, Buffer, Form, GlueError, Mapping, Pattern, \
    Question, Shape, other_counts, other_types, status_name, text_of


class Geometry(ctypes.Structure):
    _fields_ = [('dims', c_uint), ('sizes', c_uint * DIMS)]


class Tensor(ctypes.Structure):
    _fields_ = [('geometry', Geometry), ('dataType', c_int), ('pData', c_void_p)]


class Params(ctypes.Structure):
    _fields_ = [('apiVersion', c_int), ('nodeName', c_char * NAME_BYTES),
                ('deviceId', c_int), ('NodeParams', c_void_p),
                ('inputTensors', Tensor * TENSORS), ('inputTensorNr', c_uint),
                ('outputTensors', Tensor * TENSORS), ('outputTensorNr', c_uint)]


class Transform(ctypes.Structure):
    _fields_ = [('dim', c_uint), ('start_a', c_float), ('end_a', c_float),
                ('start_b', c_int), ('end_b', c_int)]


class AccessPattern(ctypes.Structure):
    _fields_ = [('allRequired', c_bool), ('memsetBeforeExecution', c_bool),
                ('dim', Transform * DIMS)]


class AuxTensor(ctypes.Structure):
    _fields_ = [('geometry', Geometry), ('dataType', c_int), ('pData', c_void_p),
                ('bufferSize', c_uint)]


class Instantiation(ctypes.Structure):
    _fields_ = [('indexSpaceGeometry', Geometry),
                ('inputTensorAccessPattern', AccessPattern * TENSORS),
                ('outputTensorAccessPattern', AccessPattern * TENSORS),
                ('auxiliaryTensors', AuxTensor * TENSORS),
                ('auxiliaryTensorCount', c_uint), ('kernelElf', c_void_p),
                ('elfSize', c_uint), ('paramsNr', c_uint),
                ('scalarParams', c_uint * SCALARS)]


def pattern_of(found: Any, rank: int) -> Pattern:
    return Pattern(found.allRequired, found.memsetBeforeExecution,
                   [Mapping(m.dim, m.start_a, m.end_a, m.start_b, m.end_b)
                    for m in found.dim[:rank]])


def set_tensors(tensors: Any, shapes: List[Shape]) -> None:
    for tensor, shape in zip(tensors, shapes):
        tensor.dataType = TYPES[shape.kind]
        tensor.geometry.dims = len(shape.sizes)
        tensor.geometry.sizes[:len(shape.sizes)] = shape.sizes


class Older(Form):
    names = ['GetKernelNames', 'HabanaKernel']
    header = 'gc_interface.h'
    mark = 'gaudi_glue_gcapi'
    layout = [1, sizeof(Params), sizeof(Instantiation)]

    def version(self) -> Optional[int]:
        return None

    def guids(self, device: int = GAUDI) -> List[str]:
        count = c_uint()
        status = self.lib.GetKernelNames(None, ctypes.byref(count), device)
        if status != SUCCESS:
            raise GlueError(f'GetKernelNames answers {status_name(status)}')
        if count.value > NAMES_MOST:
            raise GlueError(f'GetKernelNames says that there are {count.value} kernels')
        rooms = [Buffer(NAME_BYTES) for _ in range(count.value)]
        names = (c_void_p * count.value)(*(room.address for room in rooms))
        again = c_uint(count.value)
        status = self.lib.GetKernelNames(names, ctypes.byref(again), device)
        if status != SUCCESS:
            raise GlueError(f'GetKernelNames answers {status_name(status)} when it is '
                            'given names')
        if again.value != count.value or not all(room.is_whole() for room in rooms):
            raise GlueError(f'GetKernelNames says that there are {count.value} kernels, '
                            'then it names more or less, or with too long names')
        return [text_of(room.bytes(NAME_BYTES), f'the name of kernel {n}')
                for n, room in enumerate(rooms)]

    def instantiate(self, question: Question, elf_bytes: int,
                    aux_bytes: List[int]) -> Answer:
        ends = Buffer(sizeof(Params)), Buffer(sizeof(Instantiation))
        asked, got = ends[0].view(Params, 1)[0], ends[1].view(Instantiation, 1)[0]
        aux_room = [Buffer(size) for size in aux_bytes]
        elf, params = Buffer(elf_bytes), Buffer(len(question.params))
        ctypes.memmove(params.address, question.params, params.size)
        asked.apiVersion, asked.deviceId = API_VERSION, GAUDI
        asked.nodeName = question.guid.encode()
        asked.NodeParams = params.address if params.size else None
        asked.inputTensorNr = len(question.inputs)
        asked.outputTensorNr = len(question.outputs)
        set_tensors(asked.inputTensors, question.inputs)
        set_tensors(asked.outputTensors, question.outputs)
        got.kernelElf, got.elfSize = elf.address, elf.size
        for one, room in zip(got.auxiliaryTensors, aux_room):
            one.pData, one.bufferSize = room.address, room.size
        status = self.lib.HabanaKernel(ctypes.byref(asked), ctypes.byref(got))
        beyond = [name for name, room in (
            ('HabanaKernelParams_t', ends[0]), ('HabanaKernelInstantiation_t', ends[1]),
            ('kernelElf', elf), ('NodeParams', params),
            *((f'auxiliaryTensors[{n}].pData', room) for n, room in enumerate(aux_room)))
            if not room.is_whole()]
        wanted = other_counts(question, asked.inputTensorNr, asked.outputTensorNr)
        wanted += other_types('input', question.inputs,
                              [one.dataType for one in asked.inputTensors])
        wanted += other_types('output', question.outputs,
                              [one.dataType for one in asked.outputTensors])
        number = got.auxiliaryTensorCount
        return Answer(
            status, got.indexSpaceGeometry.dims, list(got.indexSpaceGeometry.sizes),
            [pattern_of(got.inputTensorAccessPattern[n], len(shape.sizes))
             for n, shape in enumerate(question.inputs)],
            [pattern_of(got.outputTensorAccessPattern[n], len(shape.sizes))
             for n, shape in enumerate(question.outputs)],
            number,
            [Aux(one.dataType, one.geometry.dims, list(one.geometry.sizes),
                 room.bytes(one.bufferSize))
             for one, room in zip(got.auxiliaryTensors[:number], aux_room)],
            got.paramsNr, list(got.scalarParams), got.elfSize, elf.bytes(got.elfSize),
            [one.bufferSize for one in got.auxiliaryTensors], ', '.join(wanted), beyond)

    def shapes(self, _question: Question) -> Optional[List[List[int]]]:
        return None
