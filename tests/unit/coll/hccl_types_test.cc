// SPDX-License-Identifier: MIT
// The vendor's numbers and layouts, in C++; hccl_test.c has them in C.
#include "hccl.h"

static_assert(sizeof(hcclUniqueId) == 1032 && alignof(hcclUniqueId) == 8,
	      "an id is copied as bytes");
static_assert(offsetof(hcclUniqueId, length) == 1024, "its length behind it");
static_assert(sizeof(hcclDataType_t) == 4 && sizeof(hcclRedOp_t) == 4 &&
	      sizeof(hcclResult_t) == 4, "enums have four bytes");

hcclResult_t (*const all_reduce)(const void *, void *, size_t, hcclDataType_t,
				 hcclRedOp_t, void *, void *) = hcclAllReduce;
