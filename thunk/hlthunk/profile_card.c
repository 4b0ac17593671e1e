// SPDX-License-Identifier: MIT
/*
 * What a profile has of a card besides calls: its counter beside the host's clock, and how
 * much of its memory is in use. Both are asked of the driver, the stock one as well.
 */
#include <stdatomic.h>

#include "internal.h"
#include "profile.h"

#define TRIES		3
#define AGAIN_NS	1000000000ull

static bool find_module(int fd, uint32_t *module)
{
	int index = hlt_card_from_fd(fd);

	return index >= 0 && !hlt_card_module_id(index, module);
}

/* The quickest answer of some says it best. */
static void put_clock(int fd, uint32_t module)
{
	uint64_t before, after, best[3] = { 0, 0, UINT64_MAX };
	struct hl_info_time_sync sync;
	unsigned int i;
	int rc;

	for (i = 0; i < TRIES; i++) {
		before = profile_now();
		rc = hlt_info_get(fd, HL_INFO_TIME_SYNC, &sync, sizeof(sync));
		after = profile_now();
		if (rc)
			return;
		if (after - before < best[2] - best[0]) {
			best[0] = before;
			best[1] = sync.device_time;
			best[2] = after;
		}
	}
	profile_clock(module, best[0], best[1], best[2]);
}

void hlt_profile_memory(int fd)
{
	struct hl_info_dram_usage usage;
	uint32_t module;

	if (find_module(fd, &module) &&
	    !hlt_info_get(fd, HL_INFO_DRAM_USAGE, &usage, sizeof(usage)))
		profile_count("HBM of the process", module, "bytes",
			      usage.ctx_dram_mem);
}

void hlt_profile_card(int fd)
{
	uint32_t module;

	if (find_module(fd, &module))
		put_clock(fd, module);
}

void hlt_profile_now_and_then(int fd)
{
	static _Atomic uint64_t last_ns;
	uint64_t now = profile_now(), last = last_ns;

	if (now - last > AGAIN_NS &&
	    atomic_compare_exchange_strong(&last_ns, &last, now))
		hlt_profile_card(fd);
}
