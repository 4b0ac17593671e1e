// SPDX-License-Identifier: GPL-2.0-only
/* WRONG: 1: more names than were counted; 2: a name without an end; 3: an empty one;
 * 4: no names; 5: any name is a kernel. */
#include <cstring>

#include "tpc_kernel_lib_interface.h"

using namespace tpc_lib_api;

extern "C" {

GlueCodeReturn GetKernelGuids(DeviceId, uint32_t *count, GuidInfo *guids)
{
	*count = WRONG == 1 && guids ? 2 : 1;
	if (WRONG == 4)
		return GLUE_UNSUPPORTED_API_VERSION;
	for (uint32_t i = 0; guids && i < *count; i++) {
		memset(guids[i].name, WRONG == 2 ? 'a' : 0, MAX_NODE_NAME);
		if (WRONG == 5)
			strcpy(guids[i].name, "any");
	}
	return GLUE_SUCCESS;
}

GlueCodeReturn InstantiateTpcKernel(HabanaKernelParams *, HabanaKernelInstantiation *out)
{
	out->kernel.elfSize = 64;
	memset(out->kernel.kernelElf, 0, 64);
	return GLUE_SUCCESS;
}

GlueCodeReturn GetShapeInference(DeviceId, ShapeInferenceParams *, ShapeInferenceOutput *out)
{
	out->outputTensors[0]->geometry.dims = 2;
	out->outputTensors[0]->geometry.maxSizes[0] = 5;
	out->outputTensors[0]->geometry.maxSizes[1] = WRONG == 5 ? 0 : 6;
	return GLUE_SUCCESS;
}

}
