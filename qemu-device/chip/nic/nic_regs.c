// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Registers that do something: gateway to the contexts, doorbells, the cause of
 * interrupts; and counters. The rest is storage that the port reads.
 *
 * Source: see gaudi_nic_regs.h.
 */
#include "nic_port.h"

static struct gaudi_nic_port *port_of(struct gaudi_chip *chip,
				      unsigned int inst)
{
	return gaudi_nic_port(chip, inst);
}

/*
 * Bits of a context under the mask are written; a mask of zeros reads it into the
 * data instead. The doorbell's bits are kept from, or forced on, the requester.
 */
static void gateway(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	uint32_t ctrl = gaudi_reg(chip, port->qpc, NIC_QPC_GW_CTRL);
	bool requester = ctrl & NIC_QPC_GW_CTRL_REQUESTER;
	uint32_t qpn = FIELD_GET(NIC_QPC_GW_CTRL_QPN, ctrl), any = 0;
	unsigned int words = requester ? NIC_REQ_QPC_WORDS : NIC_RES_QPC_WORDS;
	uint32_t data[NIC_REQ_QPC_WORDS], mask[NIC_REQ_QPC_WORDS];
	struct gaudi_nic_ctx ctx;
	unsigned int i;
	int err;

	gaudi_store_read_run(chip, port->qpc + NIC_QPC_GW_DATA_0, data, words);
	gaudi_store_read_run(chip, port->qpc + NIC_QPC_GW_MASK_0, mask, words);
	for (i = 0; i < words; i++)
		any |= mask[i];
	err = requester ? gaudi_nic_load_req(chip, port, qpn, &ctx) :
			  gaudi_nic_load_res(chip, port, qpn, &ctx);
	if (err) {
		gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
			  "NIC%u: gateway to queue pair %u: there is no table",
			  port->id, qpn);
		return;
	}
	if (!any) {
		gaudi_store_write_run(chip, port->qpc + NIC_QPC_GW_DATA_0,
				      ctx.word, words);
		return;
	}
	for (i = 0; i < words; i++)
		ctx.word[i] = (ctx.word[i] & ~mask[i]) | (data[i] & mask[i]);
	port->paired |= requester ? gaudi_nic_get(ctx.word, NIC_REQ_VALID) :
				    gaudi_nic_get(ctx.word, NIC_RES_VALID);
	if (!requester) {
		gaudi_nic_store_res(chip, port, &ctx);
		if (!gaudi_nic_get(ctx.word, NIC_RES_VALID))
			gaudi_nic_forget_res(port, qpn);
		return;
	}
	gaudi_nic_store_req(chip, port, &ctx);
	if (!gaudi_nic_get(ctx.word, NIC_REQ_VALID))
		gaudi_nic_forget_req(port, qpn);
	if (ctrl & NIC_QPC_GW_CTRL_DB_FORCE && !(ctrl & NIC_QPC_GW_CTRL_DB_MASK))
		gaudi_nic_doorbell(chip, port, qpn,
				   gaudi_nic_get(ctx.word,
						 NIC_REQ_PRODUCER_INDEX),
				   NIC_TRUST_PRIVILEGE, true);
}

/* The PI has been written to the register behind it. */
static void doorbell(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		     uint32_t off, uint32_t value)
{
	unsigned int n = (off - NIC_QPC_DOORBELL_UNSECURED_QPN) / 8;
	uint32_t security = gaudi_reg(chip, port->qpc,
				      NIC_QPC_DOORBELL_SECURITY);

	if (value & NIC_QPC_DOORBELL_BUSY)
		gaudi_nic_doorbell(chip, port,
				   FIELD_GET(NIC_QPC_DOORBELL_QPN, value),
				   gaudi_reg(chip, port->qpc, off + 4),
				   security >> (2 * (n + 1)) & 3, false);
}

/* There is no cache, but packets may be under way. */
static void invalidate(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       bool requester)
{
	gaudi_nic_forget_invalid(chip, port, requester);
	if (requester)
		port->inv_turn = port->turn + !!port->num_batch;
	else
		port->rx_inv_turn = port->rx_turn + port->receiving;
}

static bool turn_has_come(uint32_t turn, uint32_t wanted)
{
	return (int32_t)(turn - wanted) >= 0;
}

static uint32_t qpc_read(struct gaudi_chip *chip, unsigned int inst,
			 uint32_t off)
{
	struct gaudi_nic_port *port = port_of(chip, inst);

	switch (off) {
	case NIC_QPC_REQ_QPC_CACHE_INV_STATUS:
		return turn_has_come(port->turn, port->inv_turn);
	case NIC_QPC_RES_QPC_CACHE_INV_STATUS:
		return turn_has_come(port->rx_turn, port->rx_inv_turn);
	default:
		return gaudi_store_read(chip, port->qpc + off);
	}
}

static int qpc_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	struct gaudi_nic_port *port = port_of(chip, inst);

	(void)txn;
	switch (off) {
	case NIC_QPC_GW_BUSY:
		/* Reads as zero: done before the write ends. */
		if (value)
			gateway(chip, port);
		return 0;
	case NIC_QPC_DOORBELL_UNSECURED_QPN:
	case NIC_QPC_DOORBELL_SECURED_QPN:
	case NIC_QPC_DOORBELL_PRIVILEGE_QPN:
		gaudi_store_write(chip, port->qpc + off,
				  value & ~NIC_QPC_DOORBELL_BUSY);
		doorbell(chip, port, off, value);
		return 0;
	case NIC_QPC_REQ_QPC_CACHE_INVALIDATE:
	case NIC_QPC_RES_QPC_CACHE_INVALIDATE:
		gaudi_store_write(chip, port->qpc + off, value);
		invalidate(chip, port, off == NIC_QPC_REQ_QPC_CACHE_INVALIDATE);
		return 0;
	case NIC_QPC_RES_BASE_ADDRESS_49_18:
	case NIC_QPC_RES_BASE_ADDRESS_17_7:
		gaudi_store_write(chip, port->qpc + off, value);
		gaudi_link_changed(chip, port);
		return 0;
	default:
		gaudi_store_write(chip, port->qpc + off, value);
		return 0;
	}
}

const struct gaudi_block_ops gaudi_nic_qpc_ops = {
	.name = "NIC_QPC",
	.read = qpc_read,
	.write = qpc_write,
};

static int rxe_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	uint32_t rxe = port_of(chip, inst)->rxe;

	(void)txn;
	if (off == NIC_RXE_MSI_CLR)
		gaudi_store_write(chip, rxe + NIC_RXE_MSI_CAUSE,
				  gaudi_store_read(chip, rxe + NIC_RXE_MSI_CAUSE) &
					  ~value);
	else
		gaudi_store_write(chip, rxe + off, value);
	return 0;
}

const struct gaudi_block_ops gaudi_nic_rxe_ops = {
	.name = "NIC_RXE",
	.write = rxe_write,
};

/* Storage: the port reads it. */
const struct gaudi_block_ops gaudi_nic_txe_ops = {
	.name = "NIC_TXE",
};

/* --- what has happened -------------------------------------------------- */

/* One instance for both ports of a macro. The halves of a counter: lower, upper. */
static uint32_t stat_read(struct gaudi_chip *chip, unsigned int inst,
			  uint32_t off)
{
	unsigned int second = off >= GAUDI_NTH(NIC_STAT_LINK_0, 1);
	const struct gaudi_nic_port *port = port_of(chip, 2 * inst + second);
	const uint64_t counts[] = {
		port->counts.tx_packets, port->counts.tx_bytes,
		port->counts.rx_packets, port->counts.rx_bytes,
		port->counts.retries, port->counts.out_of_order,
		port->counts.duplicates, port->counts.dropped,
		port->counts.errors_lost,
	};
	uint32_t reg = off - GAUDI_NTH(NIC_STAT_LINK_0, second);
	unsigned int n = (reg - NIC_STAT_TX_PACKETS_LO_0) / 8;

	if (reg == NIC_STAT_LINK_0)
		return port->carrier ? NIC_STAT_LINK_UP : 0;
	if (reg < NIC_STAT_TX_PACKETS_LO_0 || n >= ARRAY_SIZE(counts))
		return gaudi_store_read(chip,
					gaudi_block_base(chip,
							 &gaudi_nic_stat_ops,
							 inst) + off);
	return counts[n] >> (reg & 4 ? 32 : 0);
}

const struct gaudi_block_ops gaudi_nic_stat_ops = {
	.name = "NIC_STAT",
	.read = stat_read,
};
