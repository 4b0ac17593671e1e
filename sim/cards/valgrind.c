// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Under valgrind, at the end, and in a child, which may end without destructors: the memory of
 * cards, tens of gigabytes of holes, holds no pointer of the program. Its search for leaks
 * would read all of it.
 */
#include <pthread.h>

#include "../../qemu-device/chip/gaudi_chip.h"
#include "../host/slots.h"
#include "../kernel/checker.h"
#include "../kernel/kernel.h"
#include "cards.h"

static void __attribute__((destructor)) hide_memory(void)
{
	struct gaudi_chip *chip;
	unsigned int n;
	uint64_t hbm;
	u64 shared;
	void *at;

	if (!RUNNING_ON_VALGRIND)
		return;
	for (n = 0; (chip = sim_card_chip(n)); n++) {
		at = gaudi_chip_hbm(chip, &hbm, NULL);
		VALGRIND_MAKE_MEM_NOACCESS(at, hbm);
	}
	at = sim_dma_memory(&shared);
	if (at)
		VALGRIND_MAKE_MEM_NOACCESS(at, shared);
}

static void __attribute__((constructor)) set_up(void)
{
	pthread_atfork(NULL, NULL, hide_memory);
}
