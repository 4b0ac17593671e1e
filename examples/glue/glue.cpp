// SPDX-License-Identifier: MIT
/*
 * Glue code of two kernels: which there are, and for tensors of given sizes their index
 * space, what each index of it accesses, their scalars, and their code.
 */
#include <cmath>
#include <cstring>

#include "tpc_kernel_lib_interface.h"

using namespace tpc_lib_api;

/* As "ld -r -b binary" names what it makes of a file. */
extern "C" {
extern const unsigned char _binary_blend_f32_o_start, _binary_blend_f32_o_end;
extern const unsigned char _binary_window_f32_o_start, _binary_window_f32_o_end;
}

namespace
{

const unsigned int VECTOR = 64;		/* elements of f32 */

/* Two dims, f32, and all of the same sizes. */
GlueCodeReturn check_tensors(HabanaKernelParams *in, uint32_t inputs)
{
	if (in->inputTensorNr != inputs) {
		in->inputTensorNr = inputs;
		return GLUE_INCOMPATIBLE_INPUT_COUNT;
	}
	if (in->outputTensorNr != 1) {
		in->outputTensorNr = 1;
		return GLUE_INCOMPATIBLE_OUTPUT_COUNT;
	}
	TensorGeometry &out = in->outputTensors[0].geometry;
	if (out.dims != 2)
		return GLUE_INCOMPATIBLE_OUTPUT_SIZE;
	if (out.dataType != DATA_F32) {
		out.dataType = DATA_F32;
		return GLUE_INCOMPATIBLE_DATA_TYPE;
	}
	for (uint32_t i = 0; i < inputs; i++) {
		TensorGeometry &a = in->inputTensors[i].geometry;
		if (a.dataType != DATA_F32) {
			a.dataType = DATA_F32;
			return GLUE_INCOMPATIBLE_DATA_TYPE;
		}
		if (a.dims != 2 || a.maxSizes[0] != out.maxSizes[0] ||
		    a.maxSizes[1] != out.maxSizes[1])
			return GLUE_INCOMPATIBLE_INPUT_SIZE;
	}
	return GLUE_SUCCESS;
}

/* Index (i, j) has elements 64 i to 64 i + 63 of row j. */
void set_pattern(TensorAccessPattern &pattern)
{
	pattern.mapping[0].indexSpaceDim = 0;
	pattern.mapping[0].a = VECTOR;
	pattern.mapping[0].start_b = 0;
	pattern.mapping[0].end_b = VECTOR - 1;
	pattern.mapping[1].indexSpaceDim = 1;
	pattern.mapping[1].a = 1;
	pattern.mapping[1].start_b = 0;
	pattern.mapping[1].end_b = 0;
}

void set_index_space(const HabanaKernelParams *in, HabanaKernelInstantiation *out)
{
	const TensorGeometry &geometry = in->outputTensors[0].geometry;

	out->indexSpaceRank = 2;
	out->indexSpaceGeometry[0] = (geometry.maxSizes[0] + VECTOR - 1) / VECTOR;
	out->indexSpaceGeometry[1] = geometry.maxSizes[1];
	for (uint32_t i = 0; i < in->inputTensorNr; i++)
		set_pattern(out->inputTensorAccessPattern[i]);
	set_pattern(out->outputTensorAccessPattern[0]);
}

GlueCodeReturn load(HabanaKernelInstantiation *out, const unsigned char *start,
		    const unsigned char *end)
{
	uint32_t given = out->kernel.elfSize;

	out->kernel.elfSize = end - start;
	if (given < out->kernel.elfSize)
		return GLUE_INSUFFICIENT_ELF_BUFFER;
	memcpy(out->kernel.kernelElf, start, out->kernel.elfSize);
	return GLUE_SUCCESS;
}

struct BlendParams {
	float of_a, of_b;
};

GlueCodeReturn blend_f32(HabanaKernelParams *in, HabanaKernelInstantiation *out)
{
	GlueCodeReturn ret = check_tensors(in, 2);

	if (ret != GLUE_SUCCESS)
		return ret;
	if (!in->nodeParams.nodeParams || in->nodeParams.nodeParamsSize != sizeof(BlendParams))
		return GLUE_UNSUPPORTED_LAYER_CONFIGURATION;
	set_index_space(in, out);
	out->kernel.paramsNr = sizeof(BlendParams) / sizeof(float);
	memcpy(out->kernel.scalarParams, in->nodeParams.nodeParams, sizeof(BlendParams));
	return load(out, &_binary_blend_f32_o_start, &_binary_blend_f32_o_end);
}

/* Hann's window, as an auxiliary tensor. */
GlueCodeReturn window_f32(HabanaKernelParams *in, HabanaKernelInstantiation *out)
{
	GlueCodeReturn ret = check_tensors(in, 1);

	if (ret != GLUE_SUCCESS)
		return ret;
	set_index_space(in, out);
	uint64_t count = in->outputTensors[0].geometry.maxSizes[0];
	AuxTensor &window = out->auxiliaryTensors[0];
	uint32_t given = window.bufferSize;
	out->auxiliaryTensorNr = 1;
	window.geometry.dims = 1;
	window.geometry.maxSizes[0] = window.geometry.minSizes[0] = count;
	window.geometry.dataType = DATA_F32;
	window.bufferSize = count * sizeof(float);
	if (given < window.bufferSize)
		return GLUE_INSUFFICIENT_AUX_BUFFER_SIZE;
	for (uint64_t i = 0; i < count; i++)
		static_cast<float *>(window.pData)[i] =
			0.5 - 0.5 * std::cos(2 * M_PI * (i + 0.5) / count);
	return load(out, &_binary_window_f32_o_start, &_binary_window_f32_o_end);
}

const struct {
	const char *name;
	GlueCodeReturn (*instantiate)(HabanaKernelParams *in, HabanaKernelInstantiation *out);
} kernels[] = {
	{ "blend_f32", blend_f32 },
	{ "window_f32", window_f32 },
};
const uint32_t NUM_KERNELS = sizeof(kernels) / sizeof(kernels[0]);

} // namespace

extern "C" {

GlueCodeReturn GetKernelGuids(DeviceId deviceId, uint32_t *kernelCount, GuidInfo *guids)
{
	*kernelCount = deviceId == DEVICE_ID_GAUDI ? NUM_KERNELS : 0;
	for (uint32_t i = 0; guids && i < *kernelCount; i++)
		strcpy(guids[i].name, kernels[i].name);
	return GLUE_SUCCESS;
}

GlueCodeReturn InstantiateTpcKernel(HabanaKernelParams *in, HabanaKernelInstantiation *out)
{
	for (const auto &kernel : kernels)
		if (!strcmp(in->guid.name, kernel.name))
			return kernel.instantiate(in, out);
	return GLUE_NODE_NOT_FOUND;
}

/* The output has the sizes of the first input. */
GlueCodeReturn GetShapeInference(DeviceId, ShapeInferenceParams *in, ShapeInferenceOutput *out)
{
	if (in->inputTensorsNr < 1 || in->outputTensorsNr < 1)
		return GLUE_INCOMPATIBLE_INPUT_COUNT;
	const TensorGeometry &from = in->inputTensors[0]->geometry;
	TensorGeometry &to = out->outputTensors[0]->geometry;
	to.dims = from.dims;
	memcpy(to.maxSizes, from.maxSizes, sizeof(to.maxSizes));
	memcpy(to.minSizes, from.minSizes, sizeof(to.minSizes));
	return GLUE_SUCCESS;
}

uint64_t GetLibVersion()
{
	return 1;
}

}
