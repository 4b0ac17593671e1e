/* SPDX-License-Identifier: MIT */
/* Element types, and which of them can be reduced. */
#ifndef GAUDI_COLL_TYPES_H
#define GAUDI_COLL_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "habanalabs/hccl_types.h"

/* Bytes of an element; 0: this type is not sent. */
uint32_t coll_type_size(hcclDataType_t type);
/* "float32", "sum"; NULL: there is none. */
const char *coll_type_name(hcclDataType_t type);
const char *coll_op_name(hcclRedOp_t op);
/* Can elements of this type be reduced so? */
bool coll_can_reduce(hcclDataType_t type, hcclRedOp_t op);

#endif /* GAUDI_COLL_TYPES_H */
