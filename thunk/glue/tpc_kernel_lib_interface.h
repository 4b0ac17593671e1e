/* SPDX-License-Identifier: MIT */
/*
 * What a library of glue code for TPC kernels and the program that loads it say to each
 * other, in the names of the vendor's public custom-kernel examples: C++ sources written
 * like those compile against this header as they are, and gaudi-tpc-glue(1) runs their
 * kernels.
 *
 * What is promised is that sources compile. Layouts and the numbers of enumerators are this
 * header's own: they were written down from memory of the public examples, and a library
 * that was compiled against the vendor's header is refused, by the mark at the end. Names
 * that the examples do not use are not here.
 *
 * A library exports, as extern "C":
 *
 *	GlueCodeReturn GetKernelGuids(DeviceId device, uint32_t *kernelCount,
 *				      GuidInfo *guids);
 *	GlueCodeReturn InstantiateTpcKernel(HabanaKernelParams *in,
 *					    HabanaKernelInstantiation *out);
 * and may export
 *	GlueCodeReturn GetShapeInference(DeviceId device, ShapeInferenceParams *in,
 *					 ShapeInferenceOutput *out);
 *	uint64_t GetLibVersion();
 *
 * GetKernelGuids is asked twice: without guids for the count, then with an array of so many.
 * InstantiateTpcKernel is asked until its buffers are large enough: it sets
 * out->kernel.elfSize and the bufferSize of each auxiliary tensor to what it needs, and
 * answers GLUE_INSUFFICIENT_ELF_BUFFER or GLUE_INSUFFICIENT_AUX_BUFFER_SIZE if it was given
 * less. The kernel has its tensors in this order: inputs, outputs, auxiliary tensors.
 */
#ifndef TPC_KERNEL_LIB_INTERFACE_H
#define TPC_KERNEL_LIB_INTERFACE_H

#ifndef __cplusplus
#error "glue code is C++"
#endif

#include <stdint.h>

/* Which way an argument goes. */
#ifndef _IN_
#define _IN_
#endif
#ifndef _OUT_
#define _OUT_
#endif
#ifndef _INOUT_
#define _INOUT_
#endif

namespace tpc_lib_api {

static const uint32_t MAX_NODE_NAME = 64;	/* with the zero at the end */
static const uint32_t MAX_TENSOR_DIM = 5;
static const uint32_t MAX_INDEX_SPACE_DIM_SIZE = 5;
static const uint32_t MAX_SCALAR_PARAMS = 32;
static const uint32_t MAX_TENSOR_NR = 16;	/* of all kinds together */

enum DeviceId {
	DEVICE_ID_GOYA = 0,
	DEVICE_ID_GRECO,
	DEVICE_ID_GAUDI,
	DEVICE_ID_GAUDI2,
	DEVICE_ID_GAUDI3,
	DEVICE_ID_MAX,
};

enum GlueCodeReturn {
	GLUE_SUCCESS = 0,
	GLUE_NODE_NOT_FOUND,
	GLUE_INSUFFICIENT_ELF_BUFFER,
	GLUE_INCOMPATIBLE_INPUT_COUNT,
	GLUE_INCOMPATIBLE_INPUT_SIZE,
	GLUE_INCOMPATIBLE_OUTPUT_COUNT,
	GLUE_INCOMPATIBLE_OUTPUT_SIZE,
	GLUE_INCOMPATIBLE_DATA_TYPE,
	GLUE_UNSUPPORTED_LAYER_CONFIGURATION,
	GLUE_INSUFFICIENT_AUX_BUFFER_SIZE,
	GLUE_UNSUPPORTED_QUANT_PARAMS,
	GLUE_UNSUPPORTED_BROADCAST_MODE,
	GLUE_UNSUPPORTED_API_VERSION,
	GLUE_NON_STATIC_INPUT_TENSOR,
	GLUE_KERNEL_REQUIRE_REDUCIBLE_TENSOR,
	GLUE_KERNEL_INVALID_SCALAR_ARGUMENT,
	GLUE_SHAPE_INFERENCE_NOT_SUPPORTED,
	GLUE_UNSUPPORTED_DYNAMIC_SHAPE,
	GLUE_UNSUPPORTED_HIGH_RANK_SHAPE,
	GLUE_FAILED = 400,
};

/* One bit each, so that a library may or them to say what it takes. */
enum TensorDataType {
	DATA_I4 = 1 << 0,
	DATA_U4 = 1 << 1,
	DATA_I8 = 1 << 2,
	DATA_U8 = 1 << 3,
	DATA_F8_152 = 1 << 4,
	DATA_F8_143 = 1 << 5,
	DATA_I16 = 1 << 6,
	DATA_U16 = 1 << 7,
	DATA_BF16 = 1 << 8,
	DATA_F16 = 1 << 9,
	DATA_I32 = 1 << 10,
	DATA_U32 = 1 << 11,
	DATA_F32 = 1 << 12,
	DATA_I64 = 1 << 13,
	DATA_U64 = 1 << 14,
};

struct GuidInfo {
	char name[MAX_NODE_NAME];
	uint64_t nameHash;		/* the library's own business */
};

/* What the layer of the network says: a structure that both sides know. */
struct UserParams {
	void *nodeParams;
	uint32_t nodeParamsSize;
};

/* Dim 0 is the one whose elements lie side by side. Without dynamic shapes both are equal. */
struct TensorGeometry {
	uint32_t dims;
	uint64_t maxSizes[MAX_TENSOR_DIM];
	uint64_t minSizes[MAX_TENSOR_DIM];
	TensorDataType dataType;
};

struct Tensor {
	TensorGeometry geometry;
	const void *pData;		/* contents, if they are constant; else NULL */
};

struct HabanaKernelParams {
	int apiVersion;
	GuidInfo guid;
	DeviceId deviceId;
	UserParams nodeParams;
	/* What does not fit may be set to what would. */
	Tensor *inputTensors;
	uint32_t inputTensorNr;
	Tensor *outputTensors;
	uint32_t outputTensorNr;
	uint32_t debugFlags;
	uint32_t maxAvailableTpc;
	uint32_t useDeterministic;
	uint64_t uniqueNodeId;
};

/*
 * Of one dim of a tensor: index i of dim indexSpaceDim of the index space has the elements
 * from a * i + start_b to a * i + end_b, both included. What lies beside the tensor is not
 * accessed.
 */
struct DimIndexSpaceMapping {
	uint32_t indexSpaceDim;
	float a;
	int32_t start_b;
	int32_t end_b;
};

struct TensorAccessPattern {
	uint32_t allRequired;		/* all of it for each index; mapping does not count */
	uint32_t memsetBeforeExecution;	/* an output is zero when the kernel begins */
	DimIndexSpaceMapping mapping[MAX_TENSOR_DIM];
};

/* A constant of the kernel's own. */
struct AuxTensor {
	TensorGeometry geometry;
	void *pData;			/* bufferSize bytes, to be filled */
	uint32_t bufferSize;		/* in: how many there are; out: how many it needs */
};

struct DeviceKernel {
	void *kernelElf;		/* elfSize bytes, for the compiler's object */
	uint32_t elfSize;		/* in: how many there are; out: how many it needs */
	uint32_t paramsNr;
	uint32_t scalarParams[MAX_SCALAR_PARAMS];
};

struct HabanaKernelInstantiation {
	uint32_t indexSpaceRank;
	uint64_t indexSpaceGeometry[MAX_INDEX_SPACE_DIM_SIZE];
	TensorAccessPattern *inputTensorAccessPattern;	/* one for each input */
	TensorAccessPattern *outputTensorAccessPattern;
	AuxTensor *auxiliaryTensors;			/* MAX_TENSOR_NR of them */
	uint32_t auxiliaryTensorNr;
	DeviceKernel kernel;
};

struct TensorShapeInfo {
	TensorGeometry geometry;
	const void *pData;
};

struct ShapeInferenceParams {
	int apiVersion;
	GuidInfo guid;
	UserParams nodeParams;
	TensorShapeInfo **inputTensors;
	uint32_t inputTensorsNr;
	uint32_t outputTensorsNr;
};

struct ShapeInferenceOutput {
	TensorShapeInfo **outputTensors;	/* dims and sizes are to be set */
};

} // namespace tpc_lib_api

/* By this a library says that it was compiled against this header, and with which layouts. */
extern "C" {
extern const uint32_t gaudi_glue_tpc_lib_api[8] __attribute__((weak, visibility("default")));
const uint32_t gaudi_glue_tpc_lib_api[8] = {
	1, sizeof(tpc_lib_api::GuidInfo), sizeof(tpc_lib_api::HabanaKernelParams),
	sizeof(tpc_lib_api::Tensor), sizeof(tpc_lib_api::HabanaKernelInstantiation),
	sizeof(tpc_lib_api::TensorAccessPattern), sizeof(tpc_lib_api::AuxTensor),
	sizeof(tpc_lib_api::ShapeInferenceParams),
};
}

#endif /* TPC_KERNEL_LIB_INTERFACE_H */
