// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What a record says of the card's state: why it stands still, if it does. Each room
 * writes its own part.
 */
#include "card.h"
#include "../dma/dma.h"
#include "../mme/mme.h"
#include "../nic/nic.h"
#include "../queues/queues.h"
#include "../soc/soc.h"
#include "../sync/sync.h"
#include "../tpc/tpc.h"

void gaudi_card_state(struct gaudi_chip *chip, FILE *out)
{
	putc('{', out);
	gaudi_queues_state(chip, out);
	gaudi_sync_state(chip, out);
	gaudi_dma_state(chip, out);
	gaudi_tpc_state(chip, out);
	gaudi_mme_state(chip, out);
	gaudi_nic_state(chip, out);
	gaudi_cpu_state(chip, out);
	gaudi_psoc_state(chip, out);
	fprintf(out, "\"reset_pending\": %d, \"paused\": %d}",
		chip->reset_pending, chip->paused);
}
