// SPDX-License-Identifier: MIT
/* Element types, and which of them can be reduced. */
#include "types.h"

uint32_t coll_type_size(hcclDataType_t type)
{
	static const uint8_t sizes[hcclNumTypes] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };

	return (unsigned int)type < hcclNumTypes ? sizes[type] : 0;
}

const char *coll_type_name(hcclDataType_t type)
{
	static const char * const names[hcclNumTypes] = {
		"int8", "uint8", "int32", "uint32", "int64", "uint64",
		"float16", "float32", "float64", "bfloat16",
	};

	return (unsigned int)type < hcclNumTypes ? names[type] : NULL;
}

const char *coll_op_name(hcclRedOp_t op)
{
	static const char * const names[hcclOpNone] = {
		"sum", "prod", "min", "max", "avg",
	};

	return (unsigned int)op < hcclOpNone ? names[op] : NULL;
}

bool coll_can_reduce(hcclDataType_t type, hcclRedOp_t op)
{
	bool usual = op == hcclSum || op == hcclMin || op == hcclMax;

	switch (type) {
	case hcclFloat32:
	case hcclBfloat16:
	case hcclFloat16:
		return usual || op == hcclProd || op == hcclAvg;
	case hcclInt8:
	case hcclUint8:
	case hcclInt32:
	case hcclUint32:
		return usual;
	default:
		/* The card's processors have no arithmetic of 64 bits. */
		return false;
	}
}
