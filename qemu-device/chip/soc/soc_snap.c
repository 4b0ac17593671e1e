// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The room's part of a snapshot: what survives a reset, the counter, the embedded CPU. */
#include "soc_state.h"
#include "../snap/snap.h"
#include "../../../firmware-stub/gaudi_fw_stub.h"

static void fw_number(void *opaque, void *value, size_t size, size_t count)
{
	gaudi_snap_field(opaque, value, size, count);
}

static void fw_yes(void *opaque, bool *value)
{
	gaudi_snap_bool(opaque, value);
}

static void fw_time(void *opaque, uint64_t *ns)
{
	gaudi_snap_time(opaque, ns);
}

static bool fw_check(void *opaque, bool good, const char *what)
{
	return gaudi_snap_check(opaque, good, what);
}

static void fw_refuse(void *opaque, const char *what)
{
	gaudi_snap_refuse(opaque, "firmware: %s", what);
}

static const struct gaudi_fw_fields fields = {
	.number = fw_number,
	.yes = fw_yes,
	.time = fw_time,
	.check = fw_check,
	.refuse = fw_refuse,
};

void gaudi_soc_snap(struct gaudi_snap *s)
{
	struct gaudi_soc *soc = s->chip->soc;

	GAUDI_SNAP_ARRAY(s, soc->pcie.elbi);
	GAUDI_SNAP_ARRAY(s, soc->pcie.iatu);
	GAUDI_SNAP(s, soc->timestamp.base);
	gaudi_snap_time(s, &soc->timestamp.start_ns);
	gaudi_snap_bool(s, &soc->timestamp.running);
	GAUDI_SNAP_ARRAY(s, soc->kept_flops);
	gaudi_fw_snap(soc->cpu.fw, s->load, &fields, s);
}
