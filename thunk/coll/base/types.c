// SPDX-License-Identifier: MIT
/* Element types, and which of them can be reduced. */
#include "types.h"

uint32_t coll_type_size(hcclDataType_t type)
{
	switch (type) {
	case hcclFloat32:
	case hcclInt32:
	case hcclUint32:
		return 4;
	case hcclFloat16:
	case hcclBfloat16:
		return 2;
	default:
		return 0;
	}
}

const char *coll_type_name(hcclDataType_t type)
{
	static const char * const names[hcclNumTypes] = {
		"int8", "uint8", "int32", "uint32", "int64", "uint64",
		"float16", "float32", "float64", "bfloat16",
	};

	return (unsigned int)type < hcclNumTypes ? names[type] : NULL;
}

bool coll_can_reduce(hcclDataType_t type, hcclRedOp_t op)
{
	bool can = op == hcclSum || op == hcclMin || op == hcclMax;

	/* The card's processors have no arithmetic of float16. */
	return can && coll_type_size(type) && type != hcclFloat16;
}
