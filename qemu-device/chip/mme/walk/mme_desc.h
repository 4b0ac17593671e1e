/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A descriptor of the matrix engine, unpacked. Layout: gaudi_mme_regs.h.
 */
#ifndef GAUDI_CHIP_MME_DESC_H
#define GAUDI_CHIP_MME_DESC_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../../uapi/hw/regs/gaudi_mme_regs.h"

#define GAUDI_MME_MAX_SIDE	MME_SIDE_BF16
#define GAUDI_MME_CORES		2	/* of a pair: local, remote */

struct gaudi_mme_tensor {
	uint32_t valid[MME_NUM_DIMS];
	int32_t loop_stride[MME_NUM_DIMS];
	uint32_t roi_size[MME_NUM_DIMS];	/* [4] is 0: no end */
	uint32_t spatial_stride[MME_NUM_DIMS];	/* [0] unused */
	uint64_t spatial_size;
};

struct gaudi_mme_agu {
	int32_t roi_base[MME_NUM_DIMS];
	uint32_t start[MME_NUM_DIMS];		/* [0] is 0 */
};

/* What S, L and O have alike. */
struct gaudi_mme_operand {
	uint64_t base;
	struct gaudi_mme_tensor tensor;
	struct gaudi_mme_agu agu[GAUDI_MME_CORES];	/* S: the first */
	uint8_t partial[GAUDI_MME_CORES];		/* masks of loops */
	uint8_t dim[MME_NUM_LOOPS];	/* that a loop moves */
	uint8_t skip;			/* loops that it does not know */
	bool trans;
	bool advance;
	bool lower;
	bool load;			/* S, L */
	uint32_t repeat;		/* S, L */
	uint32_t padding;		/* S, L */
};

struct gaudi_mme_desc {
	struct gaudi_mme_operand op[3];	/* MME_OP_* */
	uint64_t size[MME_NUM_LOOPS];
	uint8_t accum_mask;
	bool keep_partial;		/* accStoreIncDisable */
	bool accum;
	bool store;
	bool relu;
	bool signal;
	bool in_fp32;
	bool out_fp32;
	uint8_t signal_mask;
	uint8_t rounding;
	uint8_t roll;
	uint16_t user_first;
	uint16_t user_steady;
	uint8_t user_mask;
	uint64_t so_addr[GAUDI_MME_CORES];
	uint32_t so_data;
};

static inline unsigned int gaudi_mme_side(const struct gaudi_mme_desc *d)
{
	return d->in_fp32 ? MME_SIDE_FP32 : MME_SIDE_BF16;
}

static inline unsigned int gaudi_mme_size_in(const struct gaudi_mme_desc *d)
{
	return d->in_fp32 ? 4 : 2;
}

static inline unsigned int gaudi_mme_size_out(const struct gaudi_mme_desc *d)
{
	return d->out_fp32 ? 4 : 2;
}

/* The 136 words from MME_CTRL_ARCH on. */
void gaudi_mme_unpack(const uint32_t *words, struct gaudi_mme_desc *d);
/* Can this be done? NULL, or the name of the field that cannot. */
const char *gaudi_mme_check(const struct gaudi_mme_desc *d);

#endif /* GAUDI_CHIP_MME_DESC_H */
