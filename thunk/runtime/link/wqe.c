// SPDX-License-Identifier: MIT
/* Queue entries; layouts are uapi/hw/regs/gaudi_nic_regs.h's. */
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

/* The card's entry has rows of up to @most bytes; longer ones are entries of their own. */
static bool is_strided(uint64_t bytes, uint32_t rows, uint32_t most)
{
	return rows > 1 && bytes <= most;
}

static uint64_t entries_of_row(uint64_t bytes, uint32_t most)
{
	return bytes ? (bytes - 1) / most + 1 : 1;
}

uint64_t gd_wqe_count(uint64_t bytes, uint32_t rows, uint32_t most)
{
	if (is_strided(bytes, rows, most))
		return (rows - 1) / GD_WQE_ROWS + 1;

	return rows * entries_of_row(bytes, most);
}

static void put_rows(uint32_t wqe[NIC_WQE_WORDS], const struct gd_write *write,
		     uint64_t i)
{
	uint64_t first = i * GD_WQE_ROWS, rows = write->rows - first;
	bool here = write->from_step != write->bytes;

	if (rows > GD_WQE_ROWS)
		rows = GD_WQE_ROWS;
	gaudi_nic_set(wqe, NIC_WQE_OPCODE, NIC_WQE_STRIDED);
	gaudi_nic_set(wqe, NIC_WQE_LOCAL_ADDR,
		      write->from + first * write->from_step);
	gaudi_nic_set(wqe, NIC_WQE_REMOTE_ADDR,
		      write->to + first * write->to_step);
	gaudi_nic_set(wqe, NIC_WQE_NUM_STRIDES, rows);
	gaudi_nic_set(wqe, NIC_WQE_STRIDE_SIZE, write->bytes);
	gaudi_nic_set(wqe, NIC_WQE_STRIDE_TYPE,
		      here ? NIC_STRIDE_LOCAL : NIC_STRIDE_REMOTE);
	gaudi_nic_set(wqe, NIC_WQE_STRIDE,
		      here ? write->from_step : write->to_step);
	gaudi_nic_set(wqe, NIC_WQE_ACK_REQ, 1);
}

static void put_bytes(uint32_t wqe[NIC_WQE_WORDS], const struct gd_write *write,
		      uint64_t i)
{
	uint64_t row = 0, offset, bytes;

	gaudi_nic_set(wqe, NIC_WQE_ACK_REQ, i == write->count - 1 ||
					    i % UNANSWERED == UNANSWERED - 1);
	if (write->rows > 1) {
		uint64_t each = entries_of_row(write->bytes, write->most);

		row = i / each;
		i %= each;
	}
	offset = i * write->most;
	bytes = write->bytes - offset;
	if (bytes > write->most)
		bytes = write->most;
	gaudi_nic_set(wqe, NIC_WQE_OPCODE, NIC_WQE_LINEAR);
	gaudi_nic_set(wqe, NIC_WQE_LOCAL_ADDR,
		      write->from + row * write->from_step + offset);
	gaudi_nic_set(wqe, NIC_WQE_REMOTE_ADDR,
		      write->to + row * write->to_step + offset);
	gaudi_nic_set(wqe, NIC_WQE_SIZE_BYTES, bytes);
}

void gd_wqe_write(uint32_t wqe[NIC_WQE_WORDS], const struct gd_write *write,
		  uint64_t i, const struct gd_notify *notify)
{
	memset(wqe, 0, NIC_WQE_SIZE);
	if (is_strided(write->bytes, write->rows, write->most))
		put_rows(wqe, write, i);
	else
		put_bytes(wqe, write, i);
	if (i != write->count - 1 || !notify || !notify->sob)
		return;
	gaudi_nic_set(wqe, NIC_WQE_REMOTE_SOB, notify->sob);
	gaudi_nic_set(wqe, NIC_WQE_REMOTE_SOB_VALID, 1);
	gaudi_nic_set(wqe, NIC_WQE_REMOTE_SOB_DATA, notify->value);
}

void gd_wqe_receive(uint32_t wqe[2], uint32_t sob)
{
	memset(wqe, 0, NIC_RECV_WQE_SIZE);
	if (!sob)
		return;
	gaudi_nic_set(wqe, NIC_RECV_WQE_SOB, gd_sob_register(sob));
	gaudi_nic_set(wqe, NIC_RECV_WQE_SOB_DATA, 1);
	gaudi_nic_set(wqe, NIC_RECV_WQE_VALID, 1);
}
