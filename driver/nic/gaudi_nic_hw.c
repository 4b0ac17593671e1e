// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of a port: tables, FIFO, queues, the gateway to contexts, counters.
 *
 * A port is on while it has a table of responders, so that is written last, and
 * cleared first.
 */
#include <linux/log2.h>

#include "../core/gaudi_device.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_nic_priv.h"

#define GAUDI_NIC_TIMEOUT_US	100000

static u32 gaudi_nic_qpc(unsigned int port, u32 reg)
{
	return GAUDI_NIC_QPC_BASE(port) + reg;
}

static u32 gaudi_nic_rxe(unsigned int port, u32 reg)
{
	return GAUDI_NIC_RXE_BASE(port) + reg;
}

static u32 gaudi_nic_txe(unsigned int port, u32 reg)
{
	return GAUDI_NIC_TXE_BASE(port) + reg;
}

static struct gaudi_nic_port *gaudi_nic_port(struct gaudi_device *gdev,
					     unsigned int port)
{
	lockdep_assert_held(&gdev->nic->lock);
	return &gdev->nic->port[port];
}

/* --- On and off --- */

/* In two registers: bits 17:7, then those from 18 on, which are below it. */
static void gaudi_nic_write_base(struct gaudi_device *gdev, u32 reg_49_18,
				 u64 addr)
{
	gaudi_wr(gdev, reg_49_18 + 4, FIELD_GET(GENMASK(17, 7), addr));
	gaudi_wr(gdev, reg_49_18, addr >> 18);
}

void gaudi_nic_port_on(struct gaudi_device *gdev, unsigned int port)
{
	struct gaudi_nic_port *p = gaudi_nic_port(gdev, port);
	u32 irq = lower_32_bits(GAUDI_CFG_BASE +
				gdev->cpu_irq_reg[GAUDI_CPU_IRQ_NIC_QM]);

	p->fifo_ci = 0;
	gaudi_nic_write_base(gdev, gaudi_nic_qpc(port, NIC_QPC_REQ_BASE_ADDRESS_49_18),
			     GAUDI_NIC_REQ_TABLE(port));
	gaudi_wr(gdev, gaudi_nic_qpc(port, NIC_QPC_ERR_FIFO_MASK),
		 GAUDI_NIC_FIFO_LEN - 1);
	gaudi_nic_write_base(gdev, gaudi_nic_qpc(port, NIC_QPC_ERR_FIFO_BASE_ADDR_49_18),
			     gaudi_host_dev_addr(p->fifo_dma));
	/* Users' queue managers, and the first pair of registers, have no rights. */
	gaudi_wr(gdev, gaudi_nic_qpc(port, NIC_QPC_DOORBELL_SECURITY),
		 FIELD_PREP(NIC_QPC_DOORBELL_SECURITY_QMAN,
			    NIC_TRUST_UNSECURED) |
		 FIELD_PREP(NIC_QPC_DOORBELL_SECURITY_UNSECURED,
			    NIC_TRUST_UNSECURED) |
		 FIELD_PREP(NIC_QPC_DOORBELL_SECURITY_SECURED,
			    NIC_TRUST_SECURED) |
		 FIELD_PREP(NIC_QPC_DOORBELL_SECURITY_PRIVILEGE,
			    NIC_TRUST_PRIVILEGE));
	/* An overrun is told as errors are, by an interrupt of the embedded CPU. */
	gaudi_wr(gdev, gaudi_nic_rxe(port, GAUDI_NTH(NIC_RXE_MSI_ADDR_0,
						     NIC_RXE_MSI_OVERRUN)), irq);
	gaudi_wr(gdev, gaudi_nic_rxe(port, GAUDI_NTH(NIC_RXE_MSI_DATA_0,
						     NIC_RXE_MSI_OVERRUN)),
		 GAUDI_SPI_NIC_QP_BASE + port);
	gaudi_nic_write_params(gdev, port);
	gaudi_nic_write_base(gdev, gaudi_nic_qpc(port, NIC_QPC_RES_BASE_ADDRESS_49_18),
			     GAUDI_NIC_RES_TABLE(port));
}

void gaudi_nic_port_off(struct gaudi_device *gdev, unsigned int port)
{
	int ret;

	gaudi_nic_write_base(gdev, gaudi_nic_qpc(port, NIC_QPC_RES_BASE_ADDRESS_49_18), 0);
	gaudi_nic_write_base(gdev, gaudi_nic_qpc(port, NIC_QPC_REQ_BASE_ADDRESS_49_18), 0);
	ret = gaudi_nic_drain(gdev, port);
	if (ret == -ETIMEDOUT)
		drm_err(&gdev->drm, "NIC%u does not come to an end\n", port);
	gaudi_nic_write_base(gdev, gaudi_nic_qpc(port, NIC_QPC_ERR_FIFO_BASE_ADDR_49_18),
			     0);
}

int gaudi_nic_drain(struct gaudi_device *gdev, unsigned int port)
{
	int ret;

	gaudi_wr(gdev, gaudi_nic_qpc(port, NIC_QPC_REQ_QPC_CACHE_INVALIDATE), 1);
	gaudi_wr(gdev, gaudi_nic_qpc(port, NIC_QPC_RES_QPC_CACHE_INVALIDATE), 1);
	ret = gaudi_wait_reg(gdev, gaudi_nic_qpc(port, NIC_QPC_REQ_QPC_CACHE_INV_STATUS),
			     NIC_QPC_INV_STATUS_DONE, NIC_QPC_INV_STATUS_DONE,
			     GAUDI_NIC_TIMEOUT_US, NULL);
	if (ret)
		return ret;
	return gaudi_wait_reg(gdev, gaudi_nic_qpc(port, NIC_QPC_RES_QPC_CACHE_INV_STATUS),
			      NIC_QPC_INV_STATUS_DONE, NIC_QPC_INV_STATUS_DONE,
			      GAUDI_NIC_TIMEOUT_US, NULL);
}

/* --- The gateway --- */

static unsigned int gaudi_nic_ctx_words(bool requester)
{
	return requester ? NIC_REQ_QPC_WORDS : NIC_RES_QPC_WORDS;
}

/* Masks of zeros: a read. data may be NULL then. */
static int gaudi_nic_gateway(struct gaudi_device *gdev, unsigned int port,
			     u32 qpn, bool requester, const u32 *data,
			     const u32 *mask)
{
	unsigned int i;

	for (i = 0; i < gaudi_nic_ctx_words(requester); i++) {
		gaudi_wr(gdev, gaudi_nic_qpc(port, GAUDI_NTH(NIC_QPC_GW_MASK_0, i)),
			 mask ? mask[i] : 0);
		if (mask)
			gaudi_wr(gdev,
				 gaudi_nic_qpc(port, GAUDI_NTH(NIC_QPC_GW_DATA_0, i)),
				 data[i]);
	}
	gaudi_wr(gdev, gaudi_nic_qpc(port, NIC_QPC_GW_CTRL),
		 FIELD_PREP(NIC_QPC_GW_CTRL_QPN, qpn) |
		 (requester ? NIC_QPC_GW_CTRL_REQUESTER : 0));
	gaudi_wr(gdev, gaudi_nic_qpc(port, NIC_QPC_GW_BUSY), 1);
	return gaudi_wait_reg(gdev, gaudi_nic_qpc(port, NIC_QPC_GW_BUSY), 1, 0,
			      GAUDI_NIC_TIMEOUT_US, NULL);
}

int gaudi_nic_read_ctx(struct gaudi_device *gdev, unsigned int port, u32 qpn,
		       bool requester, u32 *words)
{
	unsigned int i;
	int ret;

	ret = gaudi_nic_gateway(gdev, port, qpn, requester, NULL, NULL);
	if (ret)
		return ret;
	for (i = 0; i < gaudi_nic_ctx_words(requester); i++)
		words[i] = gaudi_rd(gdev, gaudi_nic_qpc(port, GAUDI_NTH(NIC_QPC_GW_DATA_0,
									i)));
	return 0;
}

int gaudi_nic_write_ctx(struct gaudi_device *gdev, unsigned int port, u32 qpn,
			bool requester, const u32 *words)
{
	u32 mask[NIC_REQ_QPC_WORDS];

	memset(mask, 0xff, sizeof(mask));
	return gaudi_nic_gateway(gdev, port, qpn, requester, words, mask);
}

int gaudi_nic_invalidate_ctx(struct gaudi_device *gdev, unsigned int port,
			     u32 qpn, bool requester)
{
	u32 data[NIC_REQ_QPC_WORDS] = {}, mask[NIC_REQ_QPC_WORDS] = {};

	if (requester)
		gaudi_nic_set(mask, NIC_REQ_VALID, 1);
	else
		gaudi_nic_set(mask, NIC_RES_VALID, 1);
	return gaudi_nic_gateway(gdev, port, qpn, requester, data, mask);
}

/* --- What users set --- */

void gaudi_nic_write_wq(struct gaudi_device *gdev, unsigned int port,
			enum drm_gaudi_nic_wq_type type)
{
	const struct gaudi_nic_queue *wq = &gaudi_nic_port(gdev, port)->wq[type];
	unsigned int log2 = wq->num_entries ? ilog2(wq->num_entries) : 0;

	if (type == GAUDI_NIC_WQ_SEND) {
		gaudi_wr(gdev, gaudi_nic_txe(port, NIC_TXE_SQ_LOG_SIZE_0),
			 log2 ? log2 - NIC_TXE_SQ_LOG_SIZE_BIAS : 0);
		gaudi_wr(gdev, gaudi_nic_txe(port, NIC_TXE_SQ_BASE_ADDRESS_49_32_0),
			 upper_32_bits(wq->addr));
		gaudi_wr(gdev, gaudi_nic_txe(port, NIC_TXE_SQ_BASE_ADDRESS_31_0_0),
			 lower_32_bits(wq->addr));
		return;
	}
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_WIN0_WQ_BASE_LO),
		 lower_32_bits(wq->addr));
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_WIN0_WQ_BASE_HI),
		 FIELD_PREP(NIC_RXE_WIN_WQ_BASE_49_32, upper_32_bits(wq->addr)) |
		 FIELD_PREP(NIC_RXE_WIN_LOG_SIZE,
			    log2 ? log2 - NIC_RXE_LOG_SIZE_BIAS : 0));
}

void gaudi_nic_write_cq(struct gaudi_device *gdev, unsigned int port)
{
	const struct gaudi_nic_queue *cq = &gaudi_nic_port(gdev, port)->cq;

	/* No completion is written while half of it is set. */
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_BASE_ADDR_31_7_0), 0);
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_BASE_ADDR_49_32_0), 0);
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_WRITE_INDEX_0), 0);
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_PRODUCER_INDEX_0), 0);
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_CONSUMER_INDEX_0), 0);
	if (!cq->num_entries)
		return;
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_MASK_0), cq->num_entries - 1);
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_MSI_CLR), NIC_RXE_MSI_CAUSE_OVERRUN);
	if (upper_32_bits(cq->addr))
		gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_BASE_ADDR_49_32_0),
			 upper_32_bits(cq->addr));
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_BASE_ADDR_31_7_0),
		 lower_32_bits(cq->addr));
}

void gaudi_nic_write_cq_ci(struct gaudi_device *gdev, unsigned int port, u32 ci)
{
	gaudi_wr(gdev, gaudi_nic_rxe(port, NIC_RXE_CQ_CONSUMER_INDEX_0), ci);
}

void gaudi_nic_write_params(struct gaudi_device *gdev, unsigned int port)
{
	const struct gaudi_nic_port *p = gaudi_nic_port(gdev, port);

	gaudi_wr(gdev, gaudi_nic_qpc(port, NIC_QPC_RETRY_COUNT_MAX),
		 FIELD_PREP(NIC_QPC_RETRY_TIMEOUT,
			    p->timeout_retries ?: GAUDI_NIC_RETRIES) |
		 FIELD_PREP(NIC_QPC_RETRY_SEQ_ERR,
			    p->nack_retries ?: GAUDI_NIC_RETRIES));
	gaudi_wr_lo_hi(gdev, gaudi_nic_rxe(port, NIC_RXE_RAW_BASE_LO),
		       gaudi_nic_rxe(port, NIC_RXE_RAW_BASE_HI), p->ring_addr);
}

/* --- What there is to see --- */

static u32 gaudi_nic_stat(unsigned int port, u32 reg)
{
	return GAUDI_NIC_STAT_BASE(port) + reg +
	       port % 2 * NIC_STAT_LINK_0_STRIDE;
}

bool gaudi_nic_read_link(struct gaudi_device *gdev, unsigned int port)
{
	u32 link = gaudi_rd(gdev, gaudi_nic_stat(port, NIC_STAT_LINK_0));

	return link != GAUDI_REG_GONE && link & NIC_STAT_LINK_UP;
}

/* The upper half may have changed between the reads. */
static u64 gaudi_nic_read_counter(struct gaudi_device *gdev, unsigned int port,
				  u32 lo_reg)
{
	u32 lo, hi, again = gaudi_rd(gdev, gaudi_nic_stat(port, lo_reg + 4));

	do {
		hi = again;
		lo = gaudi_rd(gdev, gaudi_nic_stat(port, lo_reg));
		again = gaudi_rd(gdev, gaudi_nic_stat(port, lo_reg + 4));
	} while (hi != again);
	return (u64)hi << 32 | lo;
}

void gaudi_nic_read_counters(struct gaudi_device *gdev, unsigned int port,
			     struct drm_gaudi_nic_port_info *info)
{
	const struct {
		u64 *value;
		u32 lo_reg;
	} counters[] = {
		{ &info->tx_packets, NIC_STAT_TX_PACKETS_LO_0 },
		{ &info->tx_bytes, NIC_STAT_TX_BYTES_LO_0 },
		{ &info->rx_packets, NIC_STAT_RX_PACKETS_LO_0 },
		{ &info->rx_bytes, NIC_STAT_RX_BYTES_LO_0 },
		{ &info->retries, NIC_STAT_RETRIES_LO_0 },
		{ &info->out_of_order, NIC_STAT_OUT_OF_ORDER_LO_0 },
		{ &info->duplicates, NIC_STAT_DUPLICATES_LO_0 },
		{ &info->dropped, NIC_STAT_DROPPED_LO_0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		*counters[i].value = gaudi_nic_read_counter(gdev, port,
							    counters[i].lo_reg);
}
