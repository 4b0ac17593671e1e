// SPDX-License-Identifier: GPL-2.0-only
/* The older form: a copy of rows times two scalars, with an auxiliary tensor. */
#include <cstring>
#include <initializer_list>

#include "gc_interface.h"

extern "C" {
extern const unsigned char _binary_scaled_o_start, _binary_scaled_o_end;

gcapi::GlueCodeReturn_t GetKernelNames(_OUT_ char **names, unsigned int *kernelCount,
				       gcapi::DeviceId_t deviceId)
{
	*kernelCount = deviceId == gcapi::DEVICE_ID_GAUDI;
	if (names)
		strcpy(names[0], "scaled");
	return gcapi::GLUE_SUCCESS;
}

gcapi::GlueCodeReturn_t HabanaKernel(_IN_ gcapi::HabanaKernelParams_t *in,
				     _OUT_ gcapi::HabanaKernelInstantiation_t *out)
{
	unsigned int size = &_binary_scaled_o_end - &_binary_scaled_o_start;
	unsigned int given = out->elfSize;

	if (strcmp(in->nodeName, "scaled"))
		return gcapi::GLUE_NODE_NOT_FOUND;
	if (in->inputTensorNr != 1) {
		in->inputTensorNr = 1;
		return gcapi::GLUE_INCOMPATIBLE_INPUT_COUNT;
	}
	if (in->outputTensorNr != 1) {
		in->outputTensorNr = 1;
		return gcapi::GLUE_INCOMPATIBLE_OUTPUT_COUNT;
	}
	if (in->inputTensors[0].dataType != gcapi::DATA_F32) {
		in->inputTensors[0].dataType = gcapi::DATA_F32;
		return gcapi::GLUE_INCOMPATIBLE_DATA_TYPE;
	}
	if (!in->NodeParams)
		return gcapi::GLUE_UNSUPPORTED_LAYER_CONFIGURATION;
	out->indexSpaceGeometry.dims = 2;
	out->indexSpaceGeometry.sizes[0] = (in->inputTensors[0].geometry.sizes[0] + 63) / 64;
	out->indexSpaceGeometry.sizes[1] = in->inputTensors[0].geometry.sizes[1];
	for (auto pattern : { out->inputTensorAccessPattern, out->outputTensorAccessPattern }) {
		pattern->dim[0].dim = 0;
		pattern->dim[0].start_a = pattern->dim[0].end_a = 64;
		pattern->dim[0].end_b = 63;
		pattern->dim[1].dim = 1;
		pattern->dim[1].start_a = pattern->dim[1].end_a = 1;
	}
	out->auxiliaryTensorCount = 1;
	out->auxiliaryTensors[0].geometry.dims = 1;
	out->auxiliaryTensors[0].geometry.sizes[0] = 1;
	out->auxiliaryTensors[0].dataType = gcapi::DATA_F32;
	if (out->auxiliaryTensors[0].bufferSize < sizeof(float)) {
		out->auxiliaryTensors[0].bufferSize = sizeof(float);
		return gcapi::GLUE_INSUFICIENT_AUX_BUFFER_SIZE;
	}
	*(float *)out->auxiliaryTensors[0].pData = 4;
	out->kernel.paramsNr = 2;
	memcpy(out->kernel.scalarParams, in->NodeParams, 2 * sizeof(float));
	out->elfSize = size;
	if (given < size)
		return gcapi::GLUE_INSUFICIENT_ELF_BUFFER;
	memcpy(out->kernelElf, &_binary_scaled_o_start, size);
	return gcapi::GLUE_SUCCESS;
}

}
