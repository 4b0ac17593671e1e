// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile card at the other end of the wire: contexts, entries and registers of its
 * ports are of any kind, the doorbells are rung, it is reset, the wire is pulled. The
 * other one has its driver's protection, and a user with entries of his own.
 */
#include "nic_card.h"

const unsigned int harness_unit = sizeof(struct rec);

/* --- what only the owner of a card can do ---------------------------------- */

/* flags: bit 0: the responder's. A field of some bits of a context. */
static void op_context(struct world_card *card, const struct rec *r)
{
	unsigned int port = NIC_UNIT_PORT(r->unit), qpn = NIC_UNIT_QP(r->unit);
	uint32_t *ctx = r->flags & 1 ? nic_res(card, port, qpn) :
				       nic_req(card, port, qpn);
	unsigned int bits = 32 * (r->flags & 1 ? NIC_RES_QPC_WORDS :
						 NIC_REQ_QPC_WORDS);
	unsigned int width = 1 + (r->flags >> 1) % 64, bit = r->sel * 2;

	if (r->value & 1)
		bit += 1;
	bit %= bits - width + 1;
	gaudi_nic_set(ctx, bit, width, r->addr);
	card->used = true;
}

/* Fields that say what a queue pair does. */
static void op_field(struct world_card *card, const struct rec *r)
{
	static const uint16_t fields[][2] = {
		{ NIC_REQ_DST_QP }, { NIC_REQ_RKEY }, { NIC_REQ_NEXT_PSN },
		{ NIC_REQ_OLDEST_UNACKED }, { NIC_REQ_TIMER_GRANULARITY },
		{ NIC_REQ_LAST_INDEX }, { NIC_REQ_EXECUTION_INDEX },
		{ NIC_REQ_CONSUMER_INDEX }, { NIC_REQ_PRODUCER_INDEX },
		{ NIC_REQ_WQ_BASE }, { NIC_REQ_TRUST }, { NIC_REQ_ERROR },
		{ NIC_REQ_SEQ_ERR_RETRIES }, { NIC_REQ_TIMEOUT_RETRIES },
	};
	static const uint16_t res_fields[][2] = {
		{ NIC_RES_DST_QP }, { NIC_RES_CONN_STATE }, { NIC_RES_LKEY },
		{ NIC_RES_NACK_SYNDROME }, { NIC_RES_EXPECTED_PSN },
		{ NIC_RES_LOG_BUF_SIZE }, { NIC_RES_CYCLIC_INDEX },
		{ NIC_RES_TRUST }, { NIC_RES_TRANSPORT },
	};
	unsigned int port = NIC_UNIT_PORT(r->unit), qpn = NIC_UNIT_QP(r->unit);
	const uint16_t *f = r->flags & 1 ?
			    res_fields[r->sel % ARRAY_LEN(res_fields)] :
			    fields[r->sel % ARRAY_LEN(fields)];
	uint32_t *ctx = r->flags & 1 ? nic_res(card, port, qpn) :
				       nic_req(card, port, qpn);

	gaudi_nic_set(ctx, f[0], f[1], r->flags & 2 ? r->addr : r->value % 32);
	card->used = true;
}

/* Any register of the port's blocks; tables and rings near the right ones. */
static void op_port_reg(struct world_card *card, const struct rec *r)
{
	unsigned int port = NIC_UNIT_PORT(r->unit);
	uint32_t base = r->sel % 3 == 0 ? NIC_QPC(port) :
			r->sel % 3 == 1 ? NIC_RXE(port) : NIC_TXE(port);
	uint32_t off = r->addr % 0x300 & ~3u, value = r->value;

	if (r->flags & 1)
		off = r->addr % 0x1000 & ~3u;
	if (r->flags & 2)
		value = reg_rd(card, base + off) ^ 1u << r->value % 32;
	reg_wr(card, base + off, value);
}

/* The window to contexts. */
static void op_gateway(struct world_card *card, const struct rec *r)
{
	uint32_t qpc = NIC_QPC(NIC_UNIT_PORT(r->unit));
	unsigned int word = r->sel % NIC_REQ_QPC_WORDS;
	uint32_t qpn = r->flags & 0x80 ? r->addr : NIC_UNIT_QP(r->unit);

	reg_wr(card, qpc + NIC_QPC_GW_DATA_0 + 4 * word, r->value);
	reg_wr(card, qpc + NIC_QPC_GW_MASK_0 + 4 * word,
	       r->flags & 8 ? r->addr >> 32 : 0);
	reg_wr(card, qpc + NIC_QPC_GW_CTRL,
	       (qpn & 0xffffff) | (uint32_t)(r->flags & 7) << 24);
	reg_wr(card, qpc + NIC_QPC_GW_BUSY, 1);
	reg_wr(card, qpc + NIC_QPC_GW_MASK_0 + 4 * word, 0);
}

static void op_other_reg(struct world_card *card, const struct rec *r)
{
	reg_wr(card, any_reg(r->sel, r->addr) & ~3u, r->value);
}

static void op_own_memory(struct world_card *card, const struct rec *r)
{
	memcpy(card->hbm + nic_own(r->sel & 1, r->addr) % (USER_HBM + HBM_SIZE - 8),
	       &r->value, 4);
	card->used = true;
}

/* --- the harness ---------------------------------------------------------- */

/* The victim's user, and what happens to its ports. */
static op_fn * const victims[] = {
	op_nic_wqe, op_nic_post, op_nic_any_wqe, op_nic_local, op_nic_ring,
	op_nic_post, op_nic_open, op_nic_fault, op_run, op_nic_wait,
};

static op_fn * const attackers[] = {
	op_nic_wqe, op_nic_post, op_nic_post, op_nic_any_wqe, op_nic_local,
	op_nic_ring, op_nic_ring, op_nic_ring, op_context, op_context, op_field,
	op_field, op_port_reg, op_port_reg, op_gateway, op_nic_open,
	op_nic_plug, op_nic_fault, op_nic_wait, op_run, op_own_memory,
	op_other_reg, op_reset,
};

/* Each port to the other's of its number. */
static void connect_wires(void)
{
	unsigned int p;

	for (p = 0; p < NIC_PORTS; p++)
		if (gaudi_chip_connect(world.card[0].chip, p,
				       world.card[1].chip, p))
			abort();
}

int harness_init(void)
{
	world_users();
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	struct rec r;
	size_t n;

	nic_begin(data, size, connect_wires, false);
	/* Rings that go round for ever find nothing new in more. */
	world_limit(64);
	for (n = 0; n < MAX_RECORDS && size >= sizeof(r); n++) {
		memcpy(&r, data, sizeof(r));
		data += sizeof(r);
		size -= sizeof(r);
		/* One in four is the victim's. */
		if (r.op >= 192)
			victims[r.op % ARRAY_LEN(victims)](&world.card[0], &r);
		else
			attackers[r.op % ARRAY_LEN(attackers)](&world.card[1],
							       &r);
	}
	for (n = 0; n < NIC_PORTS; n++)
		gaudi_chip_plug(world.card[0].chip, n, true);
	nic_end();
}
