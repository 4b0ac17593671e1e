# SPDX-License-Identifier: GPL-2.0-or-later
"""thunk/glue/tpc_kernel_lib_interface.h, by ctypes."""
import ctypes
from ctypes import c_char, c_float, c_int, c_int32, c_uint32, c_uint64, c_void_p, sizeof
from typing import Any, List, Optional

from tpc_glue.answers import API_VERSION, DIMS, GAUDI, NAME_BYTES, NAMES_MOST, SCALARS, \
    SUCCESS, TENSORS, TYPES, Answer, Aux, Buffer, Form, GlueError, Mapping, Pattern, \
    Question, Shape, other_counts, other_types, status_name, text_of


class GuidInfo(ctypes.Structure):
    _fields_ = [('name', c_char * NAME_BYTES), ('nameHash', c_uint64)]


class Geometry(ctypes.Structure):
    _fields_ = [('dims', c_uint32), ('maxSizes', c_uint64 * DIMS),
                ('minSizes', c_uint64 * DIMS), ('dataType', c_int)]


class Tensor(ctypes.Structure):
    _fields_ = [('geometry', Geometry), ('pData', c_void_p)]


class Params(ctypes.Structure):
    _fields_ = [('apiVersion', c_int), ('guid', GuidInfo), ('deviceId', c_int),
                ('nodeParams', c_void_p), ('nodeParamsSize', c_uint32),
                ('inputTensors', c_void_p), ('inputTensorNr', c_uint32),
                ('outputTensors', c_void_p), ('outputTensorNr', c_uint32),
                ('debugFlags', c_uint32), ('maxAvailableTpc', c_uint32),
                ('useDeterministic', c_uint32), ('uniqueNodeId', c_uint64)]


class DimMapping(ctypes.Structure):
    _fields_ = [('indexSpaceDim', c_uint32), ('a', c_float), ('start_b', c_int32),
                ('end_b', c_int32)]


class AccessPattern(ctypes.Structure):
    _fields_ = [('allRequired', c_uint32), ('memsetBeforeExecution', c_uint32),
                ('mapping', DimMapping * DIMS)]


class AuxTensor(ctypes.Structure):
    _fields_ = [('geometry', Geometry), ('pData', c_void_p), ('bufferSize', c_uint32)]


class Instantiation(ctypes.Structure):
    _fields_ = [('indexSpaceRank', c_uint32), ('indexSpaceGeometry', c_uint64 * DIMS),
                ('inputTensorAccessPattern', c_void_p),
                ('outputTensorAccessPattern', c_void_p),
                ('auxiliaryTensors', c_void_p), ('auxiliaryTensorNr', c_uint32),
                ('kernelElf', c_void_p), ('elfSize', c_uint32), ('paramsNr', c_uint32),
                ('scalarParams', c_uint32 * SCALARS)]


class InferenceParams(ctypes.Structure):
    _fields_ = [('apiVersion', c_int), ('guid', GuidInfo), ('nodeParams', c_void_p),
                ('nodeParamsSize', c_uint32), ('inputTensors', c_void_p),
                ('inputTensorsNr', c_uint32), ('outputTensorsNr', c_uint32)]


class InferenceOutput(ctypes.Structure):
    _fields_ = [('outputTensors', c_void_p)]


def set_geometry(geometry: Any, shape: Shape) -> None:
    geometry.dims = len(shape.sizes)
    geometry.dataType = TYPES[shape.kind]
    for d, size in enumerate(shape.sizes):
        geometry.maxSizes[d] = geometry.minSizes[d] = size


def tensors_of(shapes: List[Shape]) -> Any:
    tensors = Buffer(sizeof(Tensor) * len(shapes))
    for tensor, shape in zip(tensors.view(Tensor, len(shapes)), shapes):
        set_geometry(tensor.geometry, shape)
    return tensors


def pattern_of(found: Any, rank: int) -> Pattern:
    return Pattern(bool(found.allRequired), bool(found.memsetBeforeExecution),
                   [Mapping(m.indexSpaceDim, m.a, m.a, m.start_b, m.end_b)
                    for m in found.mapping[:rank]])


class Newer(Form):
    names = ['GetKernelGuids', 'InstantiateTpcKernel']
    header = 'tpc_kernel_lib_interface.h'
    mark = 'gaudi_glue_tpc_lib_api'
    layout = [1, *map(sizeof, (GuidInfo, Params, Tensor, Instantiation, AccessPattern,
                               AuxTensor, InferenceParams))]

    def version(self) -> Optional[int]:
        try:
            function = self.lib.GetLibVersion
        except AttributeError:
            return None
        function.restype = c_uint64
        return int(function())

    def guids(self, device: int = GAUDI) -> List[str]:
        count = c_uint32()
        status = self.lib.GetKernelGuids(device, ctypes.byref(count), None)
        if status != SUCCESS:
            raise GlueError(f'GetKernelGuids answers {status_name(status)}')
        if count.value > NAMES_MOST:
            raise GlueError(f'GetKernelGuids says that there are {count.value} kernels')
        room = Buffer(sizeof(GuidInfo) * count.value)
        again = c_uint32(count.value)
        status = self.lib.GetKernelGuids(device, ctypes.byref(again),
                                         c_void_p(room.address))
        if status != SUCCESS:
            raise GlueError(f'GetKernelGuids answers {status_name(status)} when it is '
                            'given an array')
        if again.value != count.value or not room.is_whole():
            raise GlueError(f'GetKernelGuids says that there are {count.value} kernels, '
                            'then it names more or less')
        raw = room.memory.raw
        return [text_of(raw[n * sizeof(GuidInfo):][:NAME_BYTES], f'the name of kernel {n}')
                for n in range(count.value)]

    def instantiate(self, question: Question, elf_bytes: int,
                    aux_bytes: List[int]) -> Answer:
        inputs, outputs = map(tensors_of, (question.inputs, question.outputs))
        of_in, of_out = (Buffer(sizeof(AccessPattern) * len(shapes))
                         for shapes in (question.inputs, question.outputs))
        aux = Buffer(sizeof(AuxTensor) * TENSORS)
        aux_room = [Buffer(size) for size in aux_bytes]
        elf, params = Buffer(elf_bytes), Buffer(len(question.params))
        ctypes.memmove(params.address, question.params, params.size)
        aux_view = aux.view(AuxTensor, TENSORS)
        for one, room in zip(aux_view, aux_room):
            one.pData, one.bufferSize = room.address, room.size
        asked = Params(apiVersion=API_VERSION, deviceId=GAUDI, maxAvailableTpc=8,
                       nodeParams=params.address if params.size else None,
                       nodeParamsSize=params.size,
                       inputTensors=inputs.address, inputTensorNr=len(question.inputs),
                       outputTensors=outputs.address,
                       outputTensorNr=len(question.outputs))
        asked.guid.name = question.guid.encode()
        got = Instantiation(inputTensorAccessPattern=of_in.address,
                            outputTensorAccessPattern=of_out.address,
                            auxiliaryTensors=aux.address, kernelElf=elf.address,
                            elfSize=elf.size)
        status = self.lib.InstantiateTpcKernel(ctypes.byref(asked), ctypes.byref(got))
        beyond = [name for name, room in (
            ('inputTensors', inputs), ('outputTensors', outputs),
            ('inputTensorAccessPattern', of_in), ('outputTensorAccessPattern', of_out),
            ('auxiliaryTensors', aux), ('kernel.kernelElf', elf), ('nodeParams', params),
            *((f'auxiliaryTensors[{n}].pData', room) for n, room in enumerate(aux_room)))
            if not room.is_whole()]
        wanted = other_counts(question, asked.inputTensorNr, asked.outputTensorNr)
        ins = inputs.view(Tensor, len(question.inputs))
        outs = outputs.view(Tensor, len(question.outputs))
        wanted += other_types('input', question.inputs,
                              [one.geometry.dataType for one in ins])
        wanted += other_types('output', question.outputs,
                              [one.geometry.dataType for one in outs])
        number = got.auxiliaryTensorNr
        return Answer(
            status, got.indexSpaceRank, list(got.indexSpaceGeometry),
            [pattern_of(one, len(shape.sizes)) for one, shape in zip(
                of_in.view(AccessPattern, len(question.inputs)), question.inputs)],
            [pattern_of(one, len(shape.sizes)) for one, shape in zip(
                of_out.view(AccessPattern, len(question.outputs)), question.outputs)],
            number,
            [Aux(one.geometry.dataType, one.geometry.dims, list(one.geometry.maxSizes),
                 room.bytes(one.bufferSize))
             for one, room in zip(aux_view[:number], aux_room)],
            got.paramsNr, list(got.scalarParams), got.elfSize, elf.bytes(got.elfSize),
            [one.bufferSize for one in aux_view], ', '.join(wanted), beyond)

    def shapes(self, question: Question) -> Optional[List[List[int]]]:
        """Sizes of the outputs; None: it says nothing of them."""
        try:
            function = self.lib.GetShapeInference
        except AttributeError:
            return None
        inputs = [Tensor() for _ in question.inputs]
        outputs = [Tensor() for _ in question.outputs]
        for tensor, shape in zip(inputs, question.inputs):
            set_geometry(tensor.geometry, shape)
        for tensor, shape in zip(outputs, question.outputs):
            tensor.geometry.dataType = TYPES[shape.kind]
        to_in, to_out = ((c_void_p * len(tensors))(*map(ctypes.addressof, tensors))
                         for tensors in (inputs, outputs))
        params = ctypes.create_string_buffer(question.params, max(len(question.params), 1))
        asked = InferenceParams(
            apiVersion=API_VERSION, nodeParamsSize=len(question.params),
            nodeParams=ctypes.addressof(params) if question.params else None,
            inputTensors=ctypes.addressof(to_in), inputTensorsNr=len(inputs),
            outputTensorsNr=len(outputs))
        asked.guid.name = question.guid.encode()
        got = InferenceOutput(ctypes.addressof(to_out))
        status = function(GAUDI, ctypes.byref(asked), ctypes.byref(got))
        if status != SUCCESS or not all(one.geometry.dims for one in outputs):
            return None
        if any(one.geometry.dims > DIMS for one in outputs):
            raise GlueError('GetShapeInference answers with more than 5 dims')
        return [list(one.geometry.maxSizes[:one.geometry.dims]) for one in outputs]
