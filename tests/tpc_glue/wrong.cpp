// SPDX-License-Identifier: GPL-2.0-only
/*
 * Glue code that answers wrongly, in one way for each of its kernels: "right" copies an
 * input of 64 columns a vector, and the others change something of its answer.
 */
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

#include "tpc_kernel_lib_interface.h"

using namespace tpc_lib_api;
typedef HabanaKernelParams In;
typedef HabanaKernelInstantiation Out;

extern "C" {
extern const unsigned char _binary_copy_o_start, _binary_copy_o_end;
extern const unsigned char _binary_back_o_start, _binary_back_o_end;
extern const unsigned char _binary_scaled_o_start, _binary_scaled_o_end;
extern const unsigned char _binary_lost_o_start, _binary_lost_o_end;
}

static GlueCodeReturn load(Out *out, const unsigned char *start, const unsigned char *end)
{
	uint32_t given = out->kernel.elfSize;

	out->kernel.elfSize = end - start;
	if (given < out->kernel.elfSize)
		return GLUE_INSUFFICIENT_ELF_BUFFER;
	memcpy(out->kernel.kernelElf, start, out->kernel.elfSize);
	return GLUE_SUCCESS;
}

#define LOAD(out, name) load(out, &_binary_##name##_o_start, &_binary_##name##_o_end)

static void describe(In *in, Out *out)
{
	const TensorGeometry &shape = in->inputTensors[0].geometry;

	out->indexSpaceRank = 2;
	out->indexSpaceGeometry[0] = (shape.maxSizes[0] + 63) / 64;
	out->indexSpaceGeometry[1] = shape.maxSizes[1];
	for (auto pattern : { out->inputTensorAccessPattern, out->outputTensorAccessPattern }) {
		pattern->mapping[0] = { 0, 64, 0, 63 };
		pattern->mapping[1] = { 1, 1, 0, 0 };
	}
}

static GlueCodeReturn right(In *in, Out *out)
{
	describe(in, out);
	return LOAD(out, copy);
}

/* An auxiliary tensor that the kernel does not use. */
static GlueCodeReturn with_aux(In *in, Out *out, uint64_t elements, uint32_t bytes, int kind)
{
	AuxTensor &aux = out->auxiliaryTensors[0];
	uint32_t given = aux.bufferSize;

	out->auxiliaryTensorNr = 1;
	aux.geometry.dims = 1;
	aux.geometry.maxSizes[0] = elements;
	aux.geometry.dataType = (TensorDataType)kind;
	aux.bufferSize = bytes;
	if (given < bytes)
		return GLUE_INSUFFICIENT_AUX_BUFFER_SIZE;
	memset(aux.pData, 0, bytes);
	return right(in, out);
}

static const struct {
	const char *name;
	GlueCodeReturn (*answer)(In *in, Out *out);
} kernels[] = {
	{ "right", right },
	{ "zeroed", [](In *in, Out *out) {
		out->outputTensorAccessPattern[0].memsetBeforeExecution = 1;
		return right(in, out);
	} },
	{ "whole", [](In *in, Out *out) {
		out->inputTensorAccessPattern[0].allRequired = true;
		return right(in, out);
	} },
	{ "crashes", [](In *in, Out *) {
		*(volatile int *)0 = in->apiVersion;
		return GLUE_SUCCESS;
	} },
	{ "exits", [](In *, Out *) {
		exit(3);
		return GLUE_SUCCESS;
	} },
	{ "sleeps", [](In *, Out *) {
		for (;;)
			pause();
		return GLUE_SUCCESS;
	} },
	{ "fails", [](In *, Out *) { return GLUE_FAILED; } },
	{ "no_status", [](In *, Out *) { return (GlueCodeReturn)77; } },
	{ "wrong_type", [](In *in, Out *) {
		in->inputTensors[0].geometry.dataType = DATA_BF16;
		return GLUE_INCOMPATIBLE_DATA_TYPE;
	} },
	{ "overruns", [](In *in, Out *out) {
		right(in, out);
		memset(out->kernel.kernelElf, 1, out->kernel.elfSize);
		return GLUE_SUCCESS;
	} },
	{ "overruns_patterns", [](In *in, Out *out) {
		out->inputTensorAccessPattern[1].allRequired = 1;
		return right(in, out);
	} },
	{ "small_success", [](In *in, Out *out) {
		right(in, out);
		return GLUE_SUCCESS;
	} },
	{ "no_elf", [](In *in, Out *out) {
		right(in, out);
		out->kernel.elfSize = 0;
		return GLUE_SUCCESS;
	} },
	{ "garbage", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		if (ret == GLUE_SUCCESS)
			memset(out->kernel.kernelElf, 'x', out->kernel.elfSize);
		return ret;
	} },
	{ "never_enough", [](In *, Out *out) {
		out->kernel.elfSize = 100;
		return GLUE_INSUFFICIENT_ELF_BUFFER;
	} },
	{ "more_and_more", [](In *, Out *out) {
		out->kernel.elfSize++;
		return GLUE_INSUFFICIENT_ELF_BUFFER;
	} },
	{ "huge", [](In *, Out *out) {
		out->kernel.elfSize = 0xfffffff0;
		return GLUE_INSUFFICIENT_ELF_BUFFER;
	} },
	{ "changes", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->kernel.scalarParams[0] = getpid();
		return ret;
	} },
	{ "no_rank", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->indexSpaceRank = 0;
		return ret;
	} },
	{ "no_indices", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->indexSpaceGeometry[1] = 0;
		return ret;
	} },
	{ "no_such_dim", [](In *in, Out *out) {
		out->indexSpaceGeometry[2] = 7;
		GlueCodeReturn ret = right(in, out);
		out->inputTensorAccessPattern[0].mapping[1].indexSpaceDim = 2;
		return ret;
	} },
	{ "backwards", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->inputTensorAccessPattern[0].mapping[0].end_b = -1;
		return ret;
	} },
	{ "half_output", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->outputTensorAccessPattern[0].mapping[0].end_b = 31;
		return ret;
	} },
	{ "half_input", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->inputTensorAccessPattern[0].mapping[0].end_b = 31;
		return ret;
	} },
	{ "diagonal", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->outputTensorAccessPattern[0].mapping[0] = { 1, 1, 0, 0 };
		return ret;
	} },
	{ "twice", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->indexSpaceRank = 3;
		out->indexSpaceGeometry[2] = 2;
		return ret;
	} },
	{ "too_few", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->indexSpaceGeometry[0] = 1;
		out->outputTensorAccessPattern[0].mapping[0] = { 0, 0, 0, 1000 };
		return ret;
	} },
	{ "too_many", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->indexSpaceGeometry[0] = 9;
		return ret;
	} },
	{ "writes_input", [](In *in, Out *out) {
		describe(in, out);
		return LOAD(out, back);
	} },
	{ "lost", [](In *in, Out *out) {
		describe(in, out);
		return LOAD(out, lost);
	} },
	{ "no_scalars", [](In *in, Out *out) {
		describe(in, out);
		return LOAD(out, scaled);
	} },
	{ "many_scalars", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->kernel.paramsNr = 33;
		return ret;
	} },
	{ "aux", [](In *in, Out *out) { return with_aux(in, out, 8, 32, DATA_F32); } },
	{ "aux_size", [](In *in, Out *out) { return with_aux(in, out, 8, 40, DATA_F32); } },
	{ "aux_type", [](In *in, Out *out) { return with_aux(in, out, 8, 16, DATA_F16); } },
	{ "aux_many", [](In *in, Out *out) {
		GlueCodeReturn ret = right(in, out);
		out->auxiliaryTensorNr = 15;
		for (int i = 0; i < 15; i++)
			out->auxiliaryTensors[i].geometry = { 1, { 1 }, { 1 }, DATA_I8 };
		return ret;
	} },
};

extern "C" {

GlueCodeReturn GetKernelGuids(DeviceId, uint32_t *count, GuidInfo *guids)
{
	*count = 0;
	for (const auto &kernel : kernels) {
		if (guids)
			strcpy(guids[*count].name, kernel.name);
		++*count;
	}
	return GLUE_SUCCESS;
}

GlueCodeReturn InstantiateTpcKernel(In *in, Out *out)
{
	if (in->inputTensorNr != 1) {
		in->inputTensorNr = 1;
		return GLUE_INCOMPATIBLE_INPUT_COUNT;
	}
	if (in->outputTensorNr != 1)
		return GLUE_INCOMPATIBLE_OUTPUT_COUNT;
	for (const auto &kernel : kernels)
		if (!strcmp(in->guid.name, kernel.name))
			return kernel.answer(in, out);
	return GLUE_NODE_NOT_FOUND;
}

}
