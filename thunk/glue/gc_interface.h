/* SPDX-License-Identifier: MIT */
/*
 * The older form of tpc_kernel_lib_interface.h, of which all that is said there holds:
 * namespace gcapi, arrays instead of pointers, and some spellings of its own, one of
 * them wrong in the original (GLUE_INSUFICIENT_).
 *
 * A library exports, as extern "C":
 *
 *	GlueCodeReturn_t GetKernelNames(char **names, unsigned int *kernelCount,
 *					DeviceId_t device);
 *	GlueCodeReturn_t HabanaKernel(HabanaKernelParams_t *in,
 *				      HabanaKernelInstantiation_t *out);
 *
 * Each of names is an array of MAX_NODE_NAME.
 */
#ifndef GC_INTERFACE_H
#define GC_INTERFACE_H

#ifndef __cplusplus
#error "glue code is C++"
#endif

#include <stdint.h>

#ifndef _IN_
#define _IN_
#endif
#ifndef _OUT_
#define _OUT_
#endif
#ifndef _INOUT_
#define _INOUT_
#endif

namespace gcapi {

static const unsigned int MAX_NODE_NAME = 64;
static const unsigned int MAX_TENSOR_DIM = 5;
static const unsigned int MAX_TENSOR_NR = 16;
static const unsigned int MAX_SCALAR_PARAMS = 32;

typedef enum _DeviceId_t {
	DEVICE_ID_GOYA = 0,
	DEVICE_ID_GRECO,
	DEVICE_ID_GAUDI,
	DEVICE_ID_GAUDI2,
	DEVICE_ID_MAX,
} DeviceId_t;

typedef enum _GlueCodeReturn_t {
	GLUE_SUCCESS = 0,
	GLUE_NODE_NOT_FOUND,
	GLUE_INSUFICIENT_ELF_BUFFER,
	GLUE_INCOMPATIBLE_INPUT_COUNT,
	GLUE_INCOMPATIBLE_INPUT_SIZE,
	GLUE_INCOMPATIBLE_OUTPUT_COUNT,
	GLUE_INCOMPATIBLE_OUTPUT_SIZE,
	GLUE_INCOMPATIBLE_DATA_TYPE,
	GLUE_UNSUPPORTED_LAYER_CONFIGURATION,
	GLUE_INSUFICIENT_AUX_BUFFER_SIZE,
	GLUE_UNSUPPORTED_QUANT_PARAMS,
	GLUE_UNSUPPORTED_BROADCAST_MODE,
	GLUE_UNSUPPORTED_API_VERSION,
	GLUE_NON_STATIC_INPUT_TENSOR,
	GLUE_KERNEL_REQUIRE_REDUCIBLE_TENSOR,
	GLUE_FAILED = 400,
} GlueCodeReturn_t;

typedef enum _TensorDataType_t {
	DATA_I8 = 1 << 2,
	DATA_U8 = 1 << 3,
	DATA_I16 = 1 << 6,
	DATA_U16 = 1 << 7,
	DATA_BF16 = 1 << 8,
	DATA_F16 = 1 << 9,
	DATA_I32 = 1 << 10,
	DATA_U32 = 1 << 11,
	DATA_F32 = 1 << 12,
} TensorDataType_t;

/* Of a tensor, and of the index space. */
typedef struct _TensorGeometry_t {
	unsigned int dims;
	unsigned int sizes[MAX_TENSOR_DIM];
} TensorGeometry_t;

typedef struct _Tensor_t {
	TensorGeometry_t geometry;
	TensorDataType_t dataType;
	const void *pData;
} Tensor_t;

typedef struct _HabanaKernelParams_t {
	int apiVersion;
	char nodeName[MAX_NODE_NAME];
	DeviceId_t deviceId;
	void *NodeParams;
	Tensor_t inputTensors[MAX_TENSOR_NR];
	unsigned int inputTensorNr;
	Tensor_t outputTensors[MAX_TENSOR_NR];
	unsigned int outputTensorNr;
} HabanaKernelParams_t;

/* From start_a * i + start_b to end_a * i + end_b. */
typedef struct _DimTransform_t {
	unsigned int dim;		/* of the index space */
	float start_a;
	float end_a;
	int start_b;
	int end_b;
} DimTransform_t;

typedef struct _TensorAccessPattern_t {
	bool allRequired;
	bool memsetBeforeExecution;
	DimTransform_t dim[MAX_TENSOR_DIM];
} TensorAccessPattern_t;

typedef struct _AuxTensor_t {
	TensorGeometry_t geometry;
	TensorDataType_t dataType;
	void *pData;
	unsigned int bufferSize;
} AuxTensor_t;

typedef struct _DeviceKernel_t {
	unsigned int paramsNr;
	unsigned int scalarParams[MAX_SCALAR_PARAMS];
} DeviceKernel_t;

typedef struct _HabanaKernelInstantiation_t {
	TensorGeometry_t indexSpaceGeometry;
	TensorAccessPattern_t inputTensorAccessPattern[MAX_TENSOR_NR];
	TensorAccessPattern_t outputTensorAccessPattern[MAX_TENSOR_NR];
	AuxTensor_t auxiliaryTensors[MAX_TENSOR_NR];
	unsigned int auxiliaryTensorCount;
	void *kernelElf;
	unsigned int elfSize;
	DeviceKernel_t kernel;
} HabanaKernelInstantiation_t;

} // namespace gcapi

extern "C" {
extern const uint32_t gaudi_glue_gcapi[3] __attribute__((weak, visibility("default")));
const uint32_t gaudi_glue_gcapi[3] = {
	1, sizeof(gcapi::HabanaKernelParams_t), sizeof(gcapi::HabanaKernelInstantiation_t),
};
}

#endif /* GC_INTERFACE_H */
