// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What a port reports: completions in its queue, sync objects here and there, errors
 * of queue pairs.
 *
 * Source: see gaudi_nic_regs.h. The event of an error is GAUDI_EVENT_NICm_QPn of
 * gaudi_async_events.h, Linux 6.12.
 */
#include "nic_port.h"
#include "../bus/bus.h"
#include "../../../uapi/hw/gaudi_fw_if.h"

#define EVEN(port)		((port) & ~1u)

void gaudi_nic_post(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		    unsigned int trust, uint32_t lbw, uint32_t data)
{
	struct gaudi_txn txn = gaudi_nic_txn(port, trust);

	gaudi_post_write(chip, &txn, GAUDI_CFG_BASE + lbw, data);
}

static uint64_t base_18_7(struct gaudi_chip *chip, uint32_t hi)
{
	return (uint64_t)gaudi_store_read(chip, hi) << 18 |
	       (uint64_t)(gaudi_store_read(chip, hi + 4) & 0x7ff) << 7;
}

void gaudi_nic_error(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		     uint32_t qpn, enum nic_syndrome syndrome)
{
	struct gaudi_txn txn = gaudi_nic_txn(port, NIC_TRUST_PRIVILEGE);
	uint32_t mask = gaudi_reg(chip, port->qpc, NIC_QPC_ERR_FIFO_MASK);
	uint32_t index = gaudi_reg(chip, port->qpc,
				   NIC_QPC_ERR_FIFO_WRITE_INDEX);
	uint32_t taken = gaudi_reg(chip, port->qpc,
				   NIC_QPC_ERR_FIFO_CONSUMER_INDEX);
	uint64_t base = base_18_7(chip, port->qpc +
					NIC_QPC_ERR_FIFO_BASE_ADDR_49_18);
	uint32_t entry = FIELD_PREP(NIC_ERR_QPN, qpn) |
			 FIELD_PREP(NIC_ERR_SYNDROME, syndrome);

	if (syndrome >= NIC_SYN_TX_TIMEOUT_RETRIES)
		entry |= NIC_ERR_REQUESTER;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "NIC%u: queue pair %u: syndrome 0x%x", port->id, qpn, syndrome);
	if (!base || index - taken > mask) {
		port->counts.errors_lost++;
	} else {
		gaudi_bus_write(chip, &txn, base + 4ull * (index & mask), &entry,
				sizeof(entry));
		gaudi_store_write(chip, port->qpc + NIC_QPC_ERR_FIFO_WRITE_INDEX,
				  index + 1);
		gaudi_store_write(chip,
				  port->qpc + NIC_QPC_ERR_FIFO_PRODUCER_INDEX,
				  index + 1);
	}
	gaudi_cpu_spi(chip, GAUDI_SPI_NIC_QP_BASE + port->id);
}

/* --- completion queues -------------------------------------------------- */

static void raise_overrun(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	uint32_t cause = gaudi_reg(chip, port->rxe, NIC_RXE_MSI_CAUSE);
	uint32_t addr = gaudi_reg(chip, port->rxe, NIC_RXE_MSI_ADDR_0 +
					    4 * NIC_RXE_MSI_OVERRUN);
	struct gaudi_txn txn = gaudi_nic_txn(port, NIC_TRUST_PRIVILEGE);

	gaudi_store_write(chip, port->rxe + NIC_RXE_MSI_CAUSE,
			  cause | NIC_RXE_MSI_CAUSE_OVERRUN);
	if (!addr || gaudi_reg(chip, port->rxe, NIC_RXE_MSI_CAUSE_MASK) &
			     NIC_RXE_MSI_CAUSE_OVERRUN)
		return;
	gaudi_post_write(chip, &txn,
			 GAUDI_CFG_BASE + (addr & (GAUDI_CFG_SIZE - 1)),
			 gaudi_reg(chip, port->rxe, NIC_RXE_MSI_DATA_0 +
					    4 * NIC_RXE_MSI_OVERRUN));
}

static void push(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		 uint32_t *cqe)
{
	struct gaudi_txn txn = gaudi_nic_txn(port, NIC_TRUST_UNSECURED);
	uint32_t mask = gaudi_reg(chip, port->rxe, NIC_RXE_CQ_MASK_0);
	uint32_t index = gaudi_reg(chip, port->rxe, NIC_RXE_CQ_WRITE_INDEX_0);
	uint32_t taken = gaudi_reg(chip, port->rxe,
				   NIC_RXE_CQ_CONSUMER_INDEX_0);
	uint64_t base = gaudi_reg(chip, port->rxe,
				  NIC_RXE_CQ_BASE_ADDR_31_7_0) & ~0x7fu;

	base |= (uint64_t)gaudi_reg(chip, port->rxe,
				    NIC_RXE_CQ_BASE_ADDR_49_32_0) << 32;
	if (!base)
		return;
	if (index - taken > mask ||
	    (gaudi_fault_armed(chip, GAUDI_FAULT_CQ) &&
	     chip->fault_hooks->completion(chip, port->id))) {
		raise_overrun(chip, port);
		return;
	}
	gaudi_nic_set(cqe, NIC_CQE_VALID, 1);
	if (gaudi_bus_write(chip, &txn, base + (uint64_t)NIC_CQE_SIZE *
						(index & mask),
			    cqe, NIC_CQE_SIZE))
		return;
	gaudi_store_write(chip, port->rxe + NIC_RXE_CQ_WRITE_INDEX_0, index + 1);
	gaudi_store_write(chip, port->rxe + NIC_RXE_CQ_PRODUCER_INDEX_0,
			  index + 1);
}

void gaudi_nic_complete_req(struct gaudi_chip *chip,
			    struct gaudi_nic_port *port, uint32_t qpn,
			    uint32_t wqe_index)
{
	uint32_t cqe[2] = { 0 };

	gaudi_nic_set(cqe, NIC_CQE_QPN, qpn);
	gaudi_nic_set(cqe, NIC_CQE_WQE_INDEX, wqe_index);
	push(chip, port, cqe);
}

/* The two ports of a macro share the queue of the odd one for these. */
void gaudi_nic_complete_res(struct gaudi_chip *chip,
			    struct gaudi_nic_port *port, uint32_t imm)
{
	uint32_t cqe[2] = { 0 };

	gaudi_nic_set(cqe, NIC_CQE_RESPONDER, 1);
	gaudi_nic_set(cqe, NIC_CQE_ODD_PORT, port->id & 1);
	gaudi_nic_set(cqe, NIC_CQE_IMM_21_0, imm & NIC_INDEX_MASK);
	gaudi_nic_set(cqe, NIC_CQE_IMM_31_22, imm >> NIC_INDEX_BITS);
	push(chip, gaudi_nic_port(chip, EVEN(port->id) + 1), cqe);
}
