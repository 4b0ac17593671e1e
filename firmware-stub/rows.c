// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Rows of HBM that have failed: noted when an ECC error is reported, replaced
 * by spare ones when the card starts again. They outlive resets, as in the
 * card's own store; those that the board began with are in its description.
 *
 * Source: what the driver asks for (cpucp_if.h, Linux 6.12), and 16 pseudo
 * channels of 512 MiB with pages of 1 KiB in each HBM. Inferred: how an address
 * is divided into bank and row, and how many single errors condemn a row.
 */
#include <string.h>

#include "fw.h"

#define NUM_HBMS		4
#define SINGLE_ERRORS		3

/* hbm_ecc_info, in the event's second word below the address */
#define ECC_INFO_CHANNEL	GENMASK(10, 6)

enum { CAUSE_DOUBLE, CAUSE_MULTI_SINGLE };

static struct fw_hbm_row row_of(unsigned int hbm, uint64_t word,
				uint8_t cause)
{
	uint32_t addr = (uint32_t)(word >> 32);
	uint32_t row = addr >> 14 & 0x3fff;

	return (struct fw_hbm_row){ .bytes = {
		(uint8_t)hbm,
		(uint8_t)FIELD_GET(ECC_INFO_CHANNEL, (uint32_t)word),
		addr >> 28 & 1,			/* stack id */
		addr >> 10 & 0xf,		/* bank */
		(uint8_t)row, (uint8_t)(row >> 8),
		cause,
	} };
}

/* The cause aside. */
static bool same_row(const struct fw_hbm_row *a, const struct fw_hbm_row *b)
{
	return !memcmp(a->bytes, b->bytes, 6);
}

static bool is_known(const struct fw_rows *rows, const struct fw_hbm_row *row)
{
	for (unsigned int i = 0; i < rows->num_replaced; i++)
		if (same_row(&rows->replaced[i], row))
			return true;
	for (unsigned int i = 0; i < rows->num_pending; i++)
		if (same_row(&rows->pending[i], row))
			return true;
	return false;
}

/* Does this one make too many? The oldest row is forgotten for a new one. */
static bool count_single(struct fw_rows *rows, const struct fw_hbm_row *row)
{
	struct fw_weak_row *weak = NULL;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows->weak); i++)
		if (rows->weak[i].errors && same_row(&rows->weak[i].row, row))
			weak = &rows->weak[i];
	if (!weak) {
		weak = &rows->weak[rows->next_weak++ % ARRAY_SIZE(rows->weak)];
		weak->row = *row;
		weak->errors = 0;
	}
	if (++weak->errors < SINGLE_ERRORS)
		return false;
	weak->errors = 0;
	return true;
}

void fw_rows_event(struct gaudi_fw *fw, unsigned int event_id,
		   const uint64_t *payload, unsigned int words)
{
	unsigned int hbm = (event_id - GAUDI_EVENT_HBM0_SPI_0) / 4;
	bool single = (event_id - GAUDI_EVENT_HBM0_SPI_0) % 4 == 1;
	struct fw_rows *rows = &fw->rows;
	struct fw_hbm_row row;

	if (event_id < GAUDI_EVENT_HBM0_SPI_0 || hbm >= NUM_HBMS ||
	    (event_id - GAUDI_EVENT_HBM0_SPI_0) % 4 > 1 || words < 2)
		return;
	row = row_of(hbm, payload[1],
		     single ? CAUSE_MULTI_SINGLE : CAUSE_DOUBLE);
	if (is_known(rows, &row) || (single && !count_single(rows, &row)))
		return;
	if (rows->num_pending == FW_MAX_ROWS) {
		fw_log(fw, false, "no room to note another row of HBM");
		return;
	}
	rows->pending[rows->num_pending++] = row;
}

void fw_rows_replace(struct gaudi_fw *fw)
{
	struct fw_rows *rows = &fw->rows;

	/* Beyond the spare rows they stay pending. */
	while (rows->num_pending && rows->num_replaced < FW_MAX_ROWS) {
		rows->replaced[rows->num_replaced++] = rows->pending[0];
		memmove(rows->pending, rows->pending + 1,
			--rows->num_pending * sizeof(rows->pending[0]));
	}
}

unsigned int fw_rows_replaced(const struct gaudi_fw *fw,
			      struct fw_hbm_row rows[FW_MAX_ROWS])
{
	const struct fw_board *b = &fw->board;
	unsigned int n = b->num_replaced_rows, more = fw->rows.num_replaced;

	if (more > FW_MAX_ROWS - n)
		more = FW_MAX_ROWS - n;
	memcpy(rows, b->replaced_rows, n * sizeof(*rows));
	memcpy(rows + n, fw->rows.replaced, more * sizeof(*rows));
	return n + more;
}

unsigned int fw_rows_pending(const struct gaudi_fw *fw)
{
	return fw->board.num_pending_rows + fw->rows.num_pending;
}
