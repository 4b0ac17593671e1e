/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Lanes of 32 and 16 bits that change places, and the parts of f32, for
 * tpc_alu_hot.h: what tpc_alu_move.c and tpc_alu_float.c do for all types, with the
 * same bits, where kernels do it for each row.
 */
#ifndef GAUDI_TPC_ALU_HOT_PARTS_H
#define GAUDI_TPC_ALU_HOT_PARTS_H

#include "tpc_alu_hot_int.h"

/* GCC's name for lanes that a vector chooses; Clang has it as another form of this. */
#ifdef __clang__
#define CHOOSE_LANES	__builtin_shufflevector
#else
#define CHOOSE_LANES	__builtin_shuffle
#endif

/*
 * A group, of a dual group that its lanes come from. Bit 5 says from which group. That
 * is how a host with vectors of 32 bytes chooses; of 64 bytes it would take lane by lane.
 */
#define DEFINE_SHUFFLE(w, utype)						\
typedef utype group_##w __attribute__((vector_size(32), aligned(1),	\
				       may_alias));			\
									\
static inline void shuffle_##w(const struct gaudi_tpc_lanes *x)	\
{									\
	SRC(group_##w, a, x->a);					\
	SRC(group_##w, b, x->b);					\
	SRC(group_##w, old, x->old);					\
	DST(group_##w, r, x->r);					\
									\
	for (unsigned int i = 0; i < GAUDI_TPC_VBYTES / 32; i += 2) {	\
		const group_##w low = a[i], high = a[i + 1];		\
									\
		for (unsigned int j = i; j < i + 2; j++) {		\
			const group_##w on = (b[j] & 0x80) != 0;	\
			const group_##w from = (b[j] & 0x20) != 0;	\
									\
			r[j] = (CHOOSE_LANES(low, b[j]) & on & ~from) |	\
			       (CHOOSE_LANES(high, b[j]) & on & from) |	\
			       (old[j] & ~on);				\
		}							\
	}								\
}

DEFINE_SHUFFLE(32, uint32_t)
DEFINE_SHUFFLE(16, uint16_t)

static inline ALWAYS void exponent_f32(const struct gaudi_tpc_lanes *x)
{
	SRC(uint32_t, a, x->a);
	DST(uint32_t, r, x->r);
	uint32_t bias = x->sw & 1 ? 0 : 0x7f;

	LANES(GAUDI_TPC_VBYTES / 4)
		r[i] = (a[i] >> 23 & 0xff) - bias;
}

static inline ALWAYS void class_f32(const struct gaudi_tpc_lanes *x)
{
	SRC(uint32_t, a, x->a);
	DST(uint32_t, r, x->r);

	LANES(GAUDI_TPC_VBYTES / 4)
		r[i] = f32_class(a[i]);
}

/* FORM_FP_NUM of two floats, without a switch or with FORCE_SIGN0 (bit 1). */
static inline ALWAYS void form_f32(const struct gaudi_tpc_lanes *x)
{
	SRC(uint32_t, a, x->a);
	SRC(uint32_t, b, x->b);
	SRC(uint32_t, c, x->c);
	DST(uint32_t, r, x->r);
	uint32_t sign = x->sw & 2 ? 0 : F32_SIGN;

	LANES(GAUDI_TPC_VBYTES / 4)
		r[i] = (b[i] & sign) | (a[i] & F32_INF) | (c[i] & 0x7fffff);
}

#endif /* GAUDI_TPC_ALU_HOT_PARTS_H */
