// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Slots of cards; see slots.h. */
#include "../kernel/kernel.h"
#include "../kernel/nodes.h"
#include "slots.h"

static struct gaudi_chip *slots[SIM_MAX_CARDS];

struct gaudi_chip *sim_card_chip(unsigned int n)
{
	return n < SIM_MAX_CARDS ? __atomic_load_n(&slots[n], __ATOMIC_ACQUIRE) : NULL;
}

void sim_slot_set(unsigned int n, struct gaudi_chip *chip)
{
	__atomic_store_n(&slots[n], chip, __ATOMIC_RELEASE);
}
