// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The event queue, and what interrupts of the engines become in it.
 *
 * An engine's interrupt is masked when its event has been sent, until the
 * driver unmasks it; what came in between is sent then, once. Events are lost,
 * and counted, when the driver has not enabled them or does not empty its
 * queue.
 */
#include <stddef.h>
#include <string.h>

#include "fw.h"
#include "../uapi/hw/regs/gaudi_sync_mngr_regs.h"

#define NUM_SM			4
#define EVENT_DMA_IF_SEI(n)	((unsigned int)GAUDI_EVENT_DMA_IF_SEI_0 + (n))
#define SM_BASE(n)		(GAUDI_SYNC_MNGR_W_S_BASE + 0x20000u * (n))

/*
 * The driver marks its initialization as done only after it has enabled
 * events, and drops a request for a reset that comes before. Such events wait
 * for this long.
 */
#define EVENTS_GRACE_NS		(50 * NSEC_PER_MSEC)

/*
 * Interrupts (cpu_id) and events of gaudi_async_ids_map_extended.h, Linux 6.12
 * (facts). Interrupt first + i * step is event + i * step. Where several
 * sources share an interrupt, the event is that of the first: finding the
 * source is the job of the engine's error registers.
 */
static const struct {
	uint16_t spi;
	uint16_t count;
	uint16_t step;
	uint16_t event;
} event_map[] = {
	{ 32, 6, 1, 32 },		/* PCIE_{CORE,IF,PHY}_{S,D}ERR */
	{ 38, 1, 1, 38 },		/* TPC*_SERR */
	{ 39, 1, 1, 46 },		/* TPC*_DERR */
	{ 40, 16, 1, 54 },		/* MME*_{ACC,SBAB}_{S,D}ERR */
	{ 56, 1, 1, 70 },		/* DMA*_SERR_ECC */
	{ 57, 1, 1, 78 },		/* DMA*_DERR_ECC */
	{ 58, 2, 1, 86 },		/* CPU_IF_ECC_{S,D}ERR */
	{ 60, 2, 2, 88 },		/* PSOC_MEM_{S,D}ERR */
	{ 64, 1, 1, 92 },		/* SRAM*_SERR */
	{ 65, 1, 1, 124 },		/* SRAM*_DERR */
	{ 66, 1, 1, 156 },		/* NIC*_SERR */
	{ 67, 1, 1, 166 },		/* NIC*_DERR */
	{ 68, 1, 1, 176 },		/* DMA_IF*_SERR */
	{ 69, 1, 1, 180 },		/* DMA_IF*_DERR */
	{ 70, 1, 1, 184 },		/* GIC500 */
	{ 71, 1, 1, 185 },		/* HBM_*_SERR */
	{ 72, 1, 1, 189 },		/* HBM_*_DERR */
	{ 73, 2, 1, 193 },		/* MMU_{S,D}ERR */
	{ 80, 1, 1, 200 },		/* PCIE_DEC */
	{ 81, 8, 2, 201 },		/* TPC*_DEC */
	{ 97, 2, 1, 217 },		/* AXI_ECC, L2_RAM_ECC */
	{ GAUDI_SPI_MME_WBC_RSP, 4, 5, 219 },
	{ GAUDI_SPI_MME_SBAB_RSP, 4, 5, 220 },
	{ 119, 1, 1, 239 },		/* PLL* */
	{ 125, 2, 1, 262 },		/* PSOC_AXI_DEC, PSOC_PRSTN_FALL */
	{ 127, 1, 1, 264 },		/* NIC_SEI_* */
	{ 139, 1, 1, 290 },		/* PCIE_FLR */
	{ 149, 8, 6, 300 },		/* TPC*_BMON_SPMU */
	{ GAUDI_SPI_TPC_KRN_ERR, 8, 6, 301 },
	{ GAUDI_SPI_MMU_PAGE_FAULT, 2, 1, 380 },
	{ 232, 8, 1, 383 },		/* DMA_BM_CH* */
	{ 244, 4, 4, GAUDI_EVENT_HBM0_SPI_0 },
	{ 245, 4, 4, GAUDI_EVENT_HBM0_SPI_1 },
	{ 270, 1, 1, 421 },		/* PSOC_GPIO_U16_0 */
	{ GAUDI_SPI_RAZWI_OR_ADC, 1, 1, 548 },
	{ GAUDI_SPI_TPC_QM_BASE, 8, 1, GAUDI_EVENT_TPC0_QM },
	{ GAUDI_SPI_MME0_QM, 2, 1, GAUDI_EVENT_MME0_QM },
	{ GAUDI_SPI_DMA_QM_BASE, 8, 1, GAUDI_EVENT_DMA0_QM },
	{ GAUDI_SPI_NIC_QM_BASE, 10, 1, GAUDI_EVENT_NIC0_QM0 },
	{ GAUDI_SPI_DMA_CORE_BASE, 8, 1, 604 },
	{ GAUDI_SPI_NIC_QP_BASE, 10, 1, 612 },
	{ 494, 3, 1, GAUDI_EVENT_FW_ALIVE_S }, /* DEV_RESET_REQ, OUT_SYNC */
	{ GAUDI_SPI_NIC_STATUS_BASE, 10, 1, GAUDI_EVENT_STATUS_NIC0_ENG0 },
	{ 511, 1, 1, 662 },		/* RAZWI_OR_ADC_SW */
};

/* Events that the driver answers with a reset, first and last. */
static const struct {
	uint16_t first;
	uint16_t last;
	uint16_t step;
} fatal_events[] = {
	{ 33, 37, 2 },			/* PCIE_*_DERR */
	{ 46, 53, 1 },			/* TPC*_DERR */
	{ 55, 69, 2 },			/* MME*_DERR */
	{ 78, 85, 1 },			/* DMA*_DERR_ECC */
	{ 87, 87, 1 }, { 90, 90, 1 },	/* CPU_IF, PSOC_MEM */
	{ 124, 155, 1 },		/* SRAM*_DERR */
	{ 166, 170, 1 },		/* NIC*_DERR */
	{ 180, 184, 1 },		/* DMA_IF*_DERR, GIC500 */
	{ 189, 192, 1 },		/* HBM_*_DERR */
	{ 194, 194, 1 },		/* MMU_DERR */
	{ 217, 218, 1 },		/* AXI_ECC, L2_RAM_ECC */
	{ 239, 256, 1 },		/* PLL* */
	{ 395, 407, 4 },		/* HBM*_SPI_0 */
	{ 483, 499, 4 },		/* NIC*_CS_DBG_DERR */
	{ 645, 647, 1 },		/* FW_ALIVE, DEV_RESET_REQ, OUT_SYNC */
	{ 662, 662, 1 },		/* RAZWI_OR_ADC_SW */
};

/* Event that an engine's interrupt stands for; -1: none. */
static int event_from_spi(uint32_t spi)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_map); i++) {
		uint32_t off = spi - event_map[i].spi;

		if (spi >= event_map[i].spi && off % event_map[i].step == 0 &&
		    off / event_map[i].step < event_map[i].count)
			return (int)(event_map[i].event + off);
	}
	return -1;
}

static bool event_is_fatal(unsigned int id)
{
	for (size_t i = 0; i < ARRAY_SIZE(fatal_events); i++)
		if (id >= fatal_events[i].first && id <= fatal_events[i].last &&
		    (id - fatal_events[i].first) % fatal_events[i].step == 0)
			return true;
	return false;
}

static bool bit_test(const uint8_t *map, unsigned int n)
{
	return map[n / 8] & 1u << n % 8;
}

static void bit_set(uint8_t *map, unsigned int n, bool on)
{
	if (on)
		map[n / 8] |= (uint8_t)(1u << n % 8);
	else
		map[n / 8] &= (uint8_t)~(1u << n % 8);
}

/* --- the queue ----------------------------------------------------------- */

static int event_write(struct gaudi_fw *fw, const struct fw_event *event)
{
	struct fw_events *ev = &fw->events;
	uint32_t ci = fw_cpu_if_read(fw, CPU_IF_EQ_RD_OFFS);
	uint32_t next = (ev->pi + 1) & (ev->entries - 1);
	uint64_t slot = ev->base + ev->pi * sizeof(struct gaudi_eq_entry);
	uint32_t index = (ev->index + 1) & GAUDI_EQ_CTL_INDEX, ctl;
	struct gaudi_eq_entry entry;

	/* One entry stays free: full and empty must not look alike. */
	if (next == (ci & (ev->entries - 1))) {
		ev->dropped++;
		fw_log(fw, true, "event queue full: event %u lost, %llu so far",
		       event->id, (unsigned long long)ev->dropped);
		return -ENOSPC;
	}
	if (fw_fault(fw, GAUDI_FW_FAULT_EVENT_LOST, NULL)) {
		ev->index = index;
		return 0;
	}
	memset(&entry, 0, sizeof(entry));
	memcpy(entry.data, event->payload, sizeof(event->payload));
	ctl = FIELD_PREP(GAUDI_EQ_CTL_EVENT_TYPE, (uint32_t)event->id) |
	      (uint32_t)GAUDI_EQ_CTL_READY;
	if (fw->sts0 & GAUDI_BOOT_STS0_EQ_INDEX_EN)
		ctl |= index;
	if (fw->bus.mem_write(fw->opaque, slot, &entry, sizeof(entry)) ||
	    fw->bus.mem_write(fw->opaque,
			      slot + offsetof(struct gaudi_eq_entry, ctl),
			      &ctl, sizeof(ctl))) {
		fw_log(fw, true, "cannot write to the event queue");
		return -EFAULT;
	}
	/* A gap would tell the driver that entries were lost on their way. */
	ev->index = index;
	ev->pi = next;
	if (fw->bus.event)
		fw->bus.event(fw->opaque, event->id);
	fw->bus.msi(fw->opaque);
	return 0;
}

static int event_hold(struct gaudi_fw *fw, const struct fw_event *event)
{
	struct fw_events *ev = &fw->events;

	if (ev->num_held == FW_MAX_HELD) {
		ev->dropped++;
		return -ENOSPC;
	}
	ev->held[ev->num_held++] = *event;
	fw->events_deadline = ev->grace_end_ns;
	return 0;
}

int gaudi_fw_post_event(struct gaudi_fw *fw, unsigned int event_id,
			const uint64_t *payload, unsigned int words)
{
	struct fw_events *ev = &fw->events;
	struct fw_event event = { .id = (uint16_t)event_id };
	int rc;

	if (event_id >= GAUDI_NUM_EVENTS || words > ARRAY_SIZE(event.payload))
		return -EINVAL;
	if (!fw->dead)
		fw_rows_event(fw, event_id, payload, words);
	if (!ev->queue_ready || !ev->enabled || fw->dead) {
		ev->dropped++;
		return -EAGAIN;
	}
	if (words)
		memcpy(event.payload, payload, words * sizeof(*payload));
	if (event_is_fatal(event_id) &&
	    fw->bus.now_ns(fw->opaque) < ev->grace_end_ns) {
		rc = event_hold(fw, &event);
		fw_timer_update(fw);
		return rc;
	}
	return event_write(fw, &event);
}

void fw_events_timer(struct gaudi_fw *fw)
{
	struct fw_events *ev = &fw->events;
	unsigned int n = ev->num_held;

	ev->num_held = 0;
	for (unsigned int i = 0; i < n; i++)
		event_write(fw, &ev->held[i]);
}

void fw_events_reset(struct gaudi_fw *fw)
{
	memset(&fw->events, 0, sizeof(fw->events));
	fw->events_deadline = UINT64_MAX;
}

/* --- sync managers -------------------------------------------------------- */

/*
 * One event tells one error: the lowest that the manager has noted. While the
 * event is masked, what has been noted waits in the register.
 */
static void sm_error_send(struct gaudi_fw *fw, unsigned int n)
{
	struct fw_events *ev = &fw->events;
	uint32_t reg = SM_BASE(n) + SYNC_MNGR_SM_SEI_CAUSE;
	uint32_t value = fw->bus.reg_read(fw->opaque, reg);
	uint32_t log = FIELD_GET(SYNC_MNGR_SM_SEI_CAUSE_LOG, value);
	unsigned int id = EVENT_DMA_IF_SEI(n);
	uint64_t payload, cause = 0;

	if (!(value & SYNC_MNGR_SM_SEI_CAUSES) || bit_test(ev->masked, id))
		return;
	while (!(value & 1u << cause))
		cause++;
	payload = log | cause << 32;
	if (!gaudi_fw_post_event(fw, id, &payload, 1))
		bit_set(ev->masked, id, true);
	value &= ~(1u << cause);
	if (!(value & SYNC_MNGR_SM_SEI_CAUSES))
		value = 0;
	fw->bus.reg_write(fw->opaque, reg, value);
}

static void sm_errors_enable(struct gaudi_fw *fw)
{
	for (unsigned int n = 0; n < NUM_SM; n++) {
		fw->bus.reg_write(fw->opaque,
				  SM_BASE(n) + SYNC_MNGR_SM_SEI_MASK,
				  SYNC_MNGR_SM_SEI_CAUSES);
		sm_error_send(fw, n);
	}
}

/* --- engines ------------------------------------------------------------- */

void fw_events_enable(struct gaudi_fw *fw)
{
	struct fw_events *ev = &fw->events;

	if (fw->boot != FW_BOOT_RUNNING || !ev->queue_ready) {
		fw_log(fw, true, "events enabled without an event queue");
		return;
	}
	ev->enabled = true;
	ev->grace_end_ns = fw->bus.now_ns(fw->opaque) + EVENTS_GRACE_NS;
	sm_errors_enable(fw);
}

void fw_events_engine(struct gaudi_fw *fw, uint32_t spi)
{
	struct fw_events *ev = &fw->events;
	int id;

	if (spi == GAUDI_SPI_DMA_IF_SEI) {
		for (unsigned int n = 0; n < NUM_SM; n++)
			sm_error_send(fw, n);
		return;
	}
	if (spi >= GAUDI_SPI_THROTTLE && spi < GAUDI_SPI_THROTTLE + 4) {
		gaudi_fw_throttle(fw, spi >= GAUDI_SPI_THROTTLE + 2,
				  !((spi - GAUDI_SPI_THROTTLE) & 1));
		return;
	}
	id = event_from_spi(spi);
	if (id < 0) {
		fw->bus.used(fw->opaque, "unknown interrupt", GAUDI_FW_MISSING);
		fw_log(fw, true, "unknown interrupt %u", spi);
		return;
	}
	if (bit_test(ev->masked, (unsigned int)id)) {
		bit_set(ev->latched, (unsigned int)id, true);
		return;
	}
	if (!gaudi_fw_post_event(fw, (unsigned int)id, NULL, 0))
		bit_set(ev->masked, (unsigned int)id, true);
}

int fw_events_unmask(struct gaudi_fw *fw, uint32_t event_id)
{
	struct fw_events *ev = &fw->events;

	if (event_id >= GAUDI_NUM_EVENTS)
		return -EINVAL;
	bit_set(ev->masked, event_id, false);
	if (bit_test(ev->latched, event_id)) {
		bit_set(ev->latched, event_id, false);
		if (!gaudi_fw_post_event(fw, event_id, NULL, 0))
			bit_set(ev->masked, event_id, true);
	}
	if (event_id >= EVENT_DMA_IF_SEI(0) &&
	    event_id < EVENT_DMA_IF_SEI(NUM_SM))
		sm_error_send(fw, event_id - EVENT_DMA_IF_SEI(0));
	return 0;
}
