// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Random contents for all that a kernel finds when it begins and that its launch
 * does not set. Here that is zero; hardware promises nothing of the kind.
 */
#include <string.h>

#include "tpc_exec.h"

/* xorshift64*: any state but 0. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static void words(uint64_t *state, uint32_t *to, size_t count)
{
	uint64_t two;

	for (; count > 1; count -= 2, to += 2) {
		two = draw(state);
		memcpy(to, &two, sizeof(two));
	}
	if (count)
		*to = draw(state) >> 32;
}

/* Each byte is 0x00 or 0xff. */
static void predicate(uint64_t *state, gaudi_tpc_vec *to)
{
	uint64_t bits = 0;
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_VBYTES; i++) {
		if (!(i % 64))
			bits = draw(state);
		to->b[i] = bits >> i % 64 & 1 ? 0xff : 0;
	}
}

void gaudi_tpc_poison(struct gaudi_tpc_core *core, uint64_t seed)
{
	unsigned int set = core->launch.desc[GAUDI_TPC_D_KCONFIG] >> 2 & 0x3f;
	uint64_t state = seed * 0x9e3779b97f4a7c15ull + 0xd1342543de82ef95ull;
	struct gaudi_tpc_regs *r = &core->r;
	unsigned int i;

	state = state ? state : 1;
	words(&state, r->v[0].w, sizeof(r->v) / 4);
	for (i = 1; i < GAUDI_TPC_VP_COUNT; i++)
		predicate(&state, &r->vp[i]);
	predicate(&state, &r->carry);
	for (i = set; i < GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS; i++)
		words(&state, &r->s[i], 1);
	r->div_step = draw(&state) >> 32 & 31;
	r->sp = (draw(&state) >> 32 & 0xfffe) | 1;
	r->s_carry = draw(&state) >> 63;
	words(&state, (uint32_t *)r->i[2],
	      sizeof(r->i) / 4 - 2 * GAUDI_TPC_DIMS);
	for (i = 0; i < GAUDI_TPC_AD_COUNT; i++)
		r->ad[i] = draw(&state);
	words(&state, (uint32_t *)core->vlm, sizeof(core->vlm) / 4);
	words(&state, core->slm, sizeof(core->slm) / 4);
}
