// SPDX-License-Identifier: MIT
/* Queue entries; layouts are uapi/hw/regs/gaudi_nic_regs.h's. */
#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "hw/gaudi_map.h"
#include "hw/regs/gaudi_sync_mngr_regs.h"
#include "wqe.h"

/* How many entries in a row may be without an answer of their own. */
#define UNANSWERED	16u

uint32_t gd_sob_register(uint32_t sob)
{
	return GAUDI_SYNC_MNGR_E_N_BASE + SYNC_MNGR_SOB_OBJ(sob);
}

uint64_t gd_wqe_count(uint64_t bytes, uint32_t most)
{
	return bytes ? (bytes - 1) / most + 1 : 1;
}

/* A field: its first bit and width, in little-endian words that were 0. */
static void set(uint32_t *words, unsigned int bit, unsigned int width,
		uint64_t value)
{
	while (width) {
		unsigned int n = 32 - bit % 32;

		if (n > width)
			n = width;
		words[bit / 32] |= htole32((uint32_t)(value &
						      ((1ull << n) - 1))
					   << bit % 32);
		value >>= n;
		bit += n;
		width -= n;
	}
}

void gd_wqe_write(uint32_t wqe[NIC_WQE_WORDS], const struct gd_write *write,
		  uint64_t i, const struct gd_notify *notify)
{
	uint64_t offset = i * write->most, bytes = write->bytes - offset;
	bool last = i == write->count - 1;

	if (bytes > write->most)
		bytes = write->most;
	memset(wqe, 0, NIC_WQE_SIZE);
	set(wqe, NIC_WQE_OPCODE, NIC_WQE_LINEAR);
	set(wqe, NIC_WQE_LOCAL_ADDR, write->from + offset);
	set(wqe, NIC_WQE_REMOTE_ADDR, write->to + offset);
	set(wqe, NIC_WQE_SIZE_BYTES, bytes);
	set(wqe, NIC_WQE_ACK_REQ, last || i % UNANSWERED == UNANSWERED - 1);
	if (!last || !notify || !notify->sob)
		return;
	set(wqe, NIC_WQE_REMOTE_SOB, notify->sob);
	set(wqe, NIC_WQE_REMOTE_SOB_VALID, 1);
	set(wqe, NIC_WQE_REMOTE_SOB_DATA, notify->value);
}

void gd_wqe_receive(uint32_t wqe[2], uint32_t sob)
{
	memset(wqe, 0, NIC_RECV_WQE_SIZE);
	if (!sob)
		return;
	set(wqe, NIC_RECV_WQE_SOB, gd_sob_register(sob));
	set(wqe, NIC_RECV_WQE_SOB_DATA, 1);
	set(wqe, NIC_RECV_WQE_VALID, 1);
}
