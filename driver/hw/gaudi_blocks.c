// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instance table. Chip facts only; nothing here touches hardware.
 *
 * Source of the numbers: gaudi_blocks.h, gaudi_async_ids_map_extended.h and
 * the queue numbering of mainline's driver, Linux 6.12.
 */
#include <kunit/visibility.h>
#include <linux/array_size.h>
#include <linux/export.h>
#include <uapi/drm/habanalabs_accel.h>

#include "../../uapi/hw/gaudi_fw_if.h"
#include "../../uapi/hw/gaudi_map.h"
#include "gaudi_blocks.h"

#define PCI_DMA(n) \
	{ .name = "DMA_QM" #n, .base = GAUDI_DMA_QM_BASE(n), \
	  .kind = GAUDI_QMAN_PCI_DMA, \
	  .first_qid = GAUDI_QUEUE_ID_DMA_##n##_0, \
	  .engine_id = GAUDI_ENGINE_ID_DMA_##n, \
	  .event_id = GAUDI_EVENT_DMA0_QM + (n), \
	  .err_spi = GAUDI_SPI_DMA_QM_BASE + (n), .pq_len = 4096, \
	  .sync_stream = true }

#define HBM_DMA(n) \
	{ .name = "DMA_QM" #n, .base = GAUDI_DMA_QM_BASE(n), \
	  .kind = GAUDI_QMAN_HBM_DMA, \
	  .first_qid = GAUDI_QUEUE_ID_DMA_##n##_0, \
	  .engine_id = GAUDI_ENGINE_ID_DMA_##n, \
	  .event_id = GAUDI_EVENT_DMA0_QM + (n), \
	  .err_spi = GAUDI_SPI_DMA_QM_BASE + (n), .pq_len = 4096, \
	  .sync_stream = (n) == 5 }

/*
 * MME queue 0 is the northern pair, whose master is MME 2; queue 1 is the
 * southern one with MME 0.
 */
#define MME(n, q) \
	{ .name = "MME_QM" #n, .base = GAUDI_MME_QM_BASE(n), \
	  .kind = GAUDI_QMAN_MME, \
	  .first_qid = GAUDI_QUEUE_ID_MME_##q##_0, \
	  .engine_id = GAUDI_ENGINE_ID_MME_##n, \
	  .event_id = GAUDI_EVENT_MME##n##_QM, \
	  .err_spi = GAUDI_SPI_MME##n##_QM, .pq_len = 1024 }

/*
 * Mainline means to give TPC 7 the W_S message bases (it owns that queue's
 * fence in sync streams) but its index is one short; kept as it is, so that
 * both drivers leave the card in the same state.
 */
#define TPC(n) \
	{ .name = "TPC_QM" #n, .base = GAUDI_TPC_QM_BASE(n), \
	  .kind = GAUDI_QMAN_TPC, \
	  .first_qid = GAUDI_QUEUE_ID_TPC_##n##_0, \
	  .engine_id = GAUDI_ENGINE_ID_TPC_##n, \
	  .event_id = GAUDI_EVENT_TPC0_QM + (n), \
	  .err_spi = GAUDI_SPI_TPC_QM_BASE + (n), .pq_len = 1024, \
	  .sync_stream = (n) == 6 }

#define NIC(n) \
	{ .name = "NIC_QM" #n, .base = GAUDI_NIC_QM_BASE(n), \
	  .kind = GAUDI_QMAN_NIC, \
	  .first_qid = GAUDI_QUEUE_ID_NIC_##n##_0, \
	  .engine_id = GAUDI_ENGINE_ID_NIC_##n, \
	  .event_id = GAUDI_EVENT_NIC0_QM0 + (n), \
	  .err_spi = GAUDI_SPI_NIC_QM_BASE + (n), .pq_len = 4096, \
	  .sync_stream = true }

const struct gaudi_qman_desc gaudi_qmans[GAUDI_NUM_QMAN] = {
	PCI_DMA(0), PCI_DMA(1),
	HBM_DMA(2), HBM_DMA(3), HBM_DMA(4), HBM_DMA(5), HBM_DMA(6), HBM_DMA(7),
	MME(2, 0), MME(0, 1),
	TPC(0), TPC(1), TPC(2), TPC(3), TPC(4), TPC(5), TPC(6), TPC(7),
	NIC(0), NIC(1), NIC(2), NIC(3), NIC(4),
	NIC(5), NIC(6), NIC(7), NIC(8), NIC(9),
};
EXPORT_SYMBOL_IF_KUNIT(gaudi_qmans);

const struct gaudi_qman_desc *gaudi_qman_of_queue(u32 qid)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gaudi_qmans); i++) {
		u32 first = gaudi_qmans[i].first_qid;

		if (qid >= first && qid < first + GAUDI_NUM_STREAMS)
			return &gaudi_qmans[i];
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_qman_of_queue);

int gaudi_nic_port_of_queue(u32 qid)
{
	if (qid < GAUDI_QUEUE_ID_NIC_0_0 || qid > GAUDI_QUEUE_ID_NIC_9_3)
		return -1;
	return (qid - GAUDI_QUEUE_ID_NIC_0_0) / GAUDI_NUM_STREAMS;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_port_of_queue);

const struct gaudi_qman_desc *gaudi_qman_of_event(u32 event_id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gaudi_qmans); i++)
		if (gaudi_qmans[i].event_id == event_id)
			return &gaudi_qmans[i];
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_qman_of_event);

const struct gaudi_qman_desc *gaudi_qman_of_engine(u32 engine_id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gaudi_qmans); i++)
		if (gaudi_qmans[i].engine_id == engine_id)
			return &gaudi_qmans[i];
	return NULL;
}
