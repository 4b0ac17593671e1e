// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the card reports: the table of event ids, and what is done about them. Error
 * registers are read in gaudi_error.c, and users are told in gaudi_reports.c.
 *
 * Source of ids and reactions: gaudi_async_events.h, _ids_map_extended.h and
 * gaudi_handle_eqe() of mainline's driver, Linux 6.12 (facts).
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/seq_file.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../core/gaudi_shared_ops.h"
#include "../core/gaudi_trace.h"
#include "../errors/gaudi_errors.h"
#include "../errors/gaudi_reports.h"
#include "../firmware/gaudi_cpucp.h"
#include "../hw/gaudi_blocks.h"
#include "../nic/gaudi_ports.h"
#include "../submission/gaudi_submission.h"
#include "gaudi_events.h"

/* What is done about an event. */
#define EV_RAZWI	BIT(0)	/* look for refused accesses and MMU faults */
#define EV_UNMASK	BIT(1)	/* firmware may report it again */
#define EV_RESET	BIT(2)	/* the card cannot go on */
#define EV_FW_ERR	BIT(3)	/* captured as a firmware error */
#define EV_QUIET	BIT(4)	/* its handler has its own words */
#define EV_IGNORED	BIT(5)	/* valid id, but the driver never gets it */
#define EV_SNAKE	BIT(6)	/* every second group of four counts down */
#define EV_FATAL	BIT(7)	/* twice in a row: the card is broken */

#define N_HW		HL_NOTIFIER_EVENT_GENERAL_HW_ERR
#define N_ENGINE	HL_NOTIFIER_EVENT_USER_ENGINE_ERR
#define N_RESET		HL_NOTIFIER_EVENT_DEVICE_RESET
#define N_ASSERT	HL_NOTIFIER_EVENT_TPC_ASSERT

enum gaudi_event_kind {
	EV_PLAIN,
	EV_ECC,
	EV_HBM,
	EV_QMAN,
	EV_TPC_DEC,
	EV_TPC_KRN,
	EV_NIC_SEI,
	EV_NIC_QP,		/* these two: if there is such a port */
	EV_NIC_LINK,
	EV_SM_SEI,
	EV_CLK,
	EV_TEMP,
	EV_OUT_OF_SYNC,
	EV_FW_ALIVE,
	EV_DMA_CORE,
	EV_ACCESS,		/* all there is to see is the refused access */
};

/* count ids from first on, step apart; "%u" in the name is the index. */
struct gaudi_event_row {
	u16 first;
	u8 count;
	u8 step;
	const char *name;
	u8 kind;
	u8 flags;
	u32 notify;
};

#define EV(_first, _count, _step, _name, _kind, _flags, _notify) \
	{ .first = (_first), .count = (_count), .step = (_step), \
	  .name = (_name), .kind = (_kind), .flags = (_flags), \
	  .notify = (_notify) }
/* Kinds of rows that occur often. */
#define SERR(first, count, step, name) \
	EV(first, count, step, name, EV_ECC, EV_RAZWI | EV_UNMASK, N_HW)
#define DERR(first, count, step, name) \
	EV(first, count, step, name, EV_ECC, \
	   EV_RAZWI | EV_RESET | EV_FATAL, N_HW)
#define FATAL(first, count, step, name) \
	EV(first, count, step, name, EV_PLAIN, EV_RESET | EV_FATAL, N_HW)
#define BUS(first, count, step, name) \
	EV(first, count, step, name, EV_PLAIN, EV_RAZWI | EV_UNMASK, N_HW)
#define ENGINE(first, count, step, name) \
	EV(first, count, step, name, EV_PLAIN, EV_RAZWI | EV_UNMASK, \
	   N_ENGINE | N_RESET)
#define QMAN(first, count, step, name) \
	EV(first, count, step, name, EV_QMAN, EV_RAZWI | EV_UNMASK, \
	   N_ENGINE | N_RESET)
#define PERF(first, count, step, name) \
	EV(first, count, step, name, EV_PLAIN, EV_UNMASK, N_ENGINE)
#define UNUSED(first, count, step, name) \
	EV(first, count, step, name, EV_PLAIN, EV_IGNORED, 0)

static const struct gaudi_event_row gaudi_event_rows[] = {
	SERR(32, 1, 1, "PCIE_CORE_SERR"),
	DERR(33, 1, 1, "PCIE_CORE_DERR"),
	SERR(34, 1, 1, "PCIE_IF_SERR"),
	DERR(35, 1, 1, "PCIE_IF_DERR"),
	SERR(36, 1, 1, "PCIE_PHY_SERR"),
	DERR(37, 1, 1, "PCIE_PHY_DERR"),
	SERR(38, 8, 1, "TPC%u_SERR"),
	DERR(46, 8, 1, "TPC%u_DERR"),
	SERR(54, 4, 4, "MME%u_ACC_SERR"),
	DERR(55, 4, 4, "MME%u_ACC_DERR"),
	SERR(56, 4, 4, "MME%u_SBAB_SERR"),
	DERR(57, 4, 4, "MME%u_SBAB_DERR"),
	SERR(70, 8, 1, "DMA%u_SERR_ECC"),
	DERR(78, 8, 1, "DMA%u_DERR_ECC"),
	SERR(86, 1, 1, "CPU_IF_ECC_SERR"),
	DERR(87, 1, 1, "CPU_IF_ECC_DERR"),
	SERR(88, 1, 1, "PSOC_MEM_SERR"),
	SERR(89, 1, 1, "PSOC_CORESIGHT_SERR"),
	DERR(90, 1, 1, "PSOC_MEM_DERR"),
	DERR(91, 1, 1, "PSOC_CORESIGHT_DERR"),
	EV(92, 32, 1, "SRAM%u_SERR", EV_ECC, EV_RAZWI | EV_UNMASK | EV_SNAKE,
	   N_HW),
	EV(124, 32, 1, "SRAM%u_DERR", EV_ECC,
	   EV_RAZWI | EV_RESET | EV_FATAL | EV_SNAKE, N_HW),
	SERR(156, 5, 1, "NIC%u_SERR"),
	DERR(166, 5, 1, "NIC%u_DERR"),
	SERR(176, 4, 1, "DMA_IF%u_SERR"),
	DERR(180, 4, 1, "DMA_IF%u_DERR"),
	FATAL(184, 1, 1, "GIC500"),
	SERR(185, 4, 1, "HBM_%u_SERR"),
	DERR(189, 4, 1, "HBM_%u_DERR"),
	SERR(193, 1, 1, "MMU_SERR"),
	DERR(194, 1, 1, "MMU_DERR"),
	BUS(200, 1, 1, "PCIE_DEC"),
	EV(201, 8, 2, "TPC%u_DEC", EV_TPC_DEC, EV_RAZWI | EV_UNMASK,
	   N_ASSERT | N_ENGINE | N_RESET),
	FATAL(217, 1, 1, "AXI_ECC"),
	FATAL(218, 1, 1, "L2_RAM_ECC"),
	ENGINE(219, 4, 5, "MME%u_WBC_RSP"),
	ENGINE(220, 4, 5, "MME%u_SBAB0_RSP"),
	FATAL(239, 18, 1, "PLL%u"),
	BUS(257, 1, 1, "CPU_AXI_SPLITTER"),
	BUS(262, 1, 1, "PSOC_AXI_DEC"),
	BUS(263, 1, 1, "PSOC_PRSTN_FALL"),
	EV(264, 5, 1, "NIC_SEI_%u", EV_NIC_SEI, EV_UNMASK, N_ENGINE),
	EV(GAUDI_EVENT_DMA_IF_SEI_0, 4, 1, "DMA_IF_SEI_%u", EV_SM_SEI, EV_UNMASK,
	   N_ENGINE),
	UNUSED(290, 1, 1, "PCIE_FLR"),
	PERF(300, 8, 6, "TPC%u_BMON_SPMU"),
	EV(301, 8, 6, "TPC%u_KRN_ERR", EV_TPC_KRN, EV_RAZWI | EV_UNMASK,
	   N_ENGINE | N_RESET),
	EV(380, 1, 1, "MMU_PAGE_FAULT", EV_ACCESS, EV_RAZWI | EV_UNMASK,
	   N_ENGINE),
	EV(381, 1, 1, "MMU_WR_PERM", EV_ACCESS, EV_RAZWI | EV_UNMASK,
	   N_ENGINE),
	PERF(383, 8, 1, "DMA_BM_CH%u"),
	EV(GAUDI_EVENT_HBM0_SPI_0, 4, 4, "HBM%u_SPI_0", EV_HBM,
	   EV_RESET | EV_FATAL, N_HW),
	EV(GAUDI_EVENT_HBM0_SPI_1, 4, 4, "HBM%u_SPI_1", EV_HBM, EV_UNMASK,
	   N_HW),
	EV(421, 1, 1, "PSOC_GPIO_U16_0", EV_TEMP, EV_QUIET, N_ENGINE),
	DERR(483, 5, 4, "NIC%u_CS_DBG_DERR"),
	EV(548, 1, 1, "RAZWI_OR_ADC", EV_ACCESS, EV_RAZWI | EV_UNMASK,
	   N_ENGINE | N_RESET),
	QMAN(GAUDI_EVENT_TPC0_QM, 8, 1, "TPC%u_QM"),
	QMAN(GAUDI_EVENT_MME0_QM, 1, 1, "MME0_QM"),
	QMAN(GAUDI_EVENT_MME2_QM, 1, 1, "MME2_QM"),
	QMAN(GAUDI_EVENT_DMA0_QM, 8, 1, "DMA%u_QM"),
	QMAN(GAUDI_EVENT_NIC0_QM0, 5, 2, "NIC%u_QM0"),
	QMAN(GAUDI_EVENT_NIC0_QM0 + 1, 5, 2, "NIC%u_QM1"),
	EV(604, 8, 1, "DMA%u_CORE", EV_DMA_CORE, EV_RAZWI | EV_UNMASK,
	   N_ENGINE | N_RESET),
	EV(612, 5, 2, "NIC%u_QP0", EV_NIC_QP, EV_QUIET | EV_UNMASK, 0),
	EV(613, 5, 2, "NIC%u_QP1", EV_NIC_QP, EV_QUIET | EV_UNMASK, 0),
	UNUSED(635, 1, 1, "PI_UPDATE"),
	UNUSED(636, 1, 1, "HALT_MACHINE"),
	UNUSED(637, 1, 1, "INTS_REGISTER"),
	UNUSED(638, 1, 1, "SOFT_RESET"),
	EV(GAUDI_EVENT_FW_ALIVE_S, 1, 1, "FW_ALIVE_S", EV_FW_ALIVE,
	   EV_RESET | EV_FW_ERR, 0),
	EV(646, 1, 1, "DEV_RESET_REQ", EV_PLAIN, EV_RESET, N_HW),
	EV(647, 1, 1, "PKT_QUEUE_OUT_SYNC", EV_OUT_OF_SYNC, EV_RESET, N_HW),
	EV(GAUDI_EVENT_STATUS_NIC0_ENG0, 5, 2, "STATUS_NIC%u_ENG0", EV_NIC_LINK,
	   EV_QUIET | EV_UNMASK, 0),
	EV(GAUDI_EVENT_STATUS_NIC0_ENG0 + 1, 5, 2, "STATUS_NIC%u_ENG1",
	   EV_NIC_LINK, EV_QUIET | EV_UNMASK, 0),
	EV(GAUDI_EVENT_FIX_POWER_ENV_S, 1, 1, "FIX_POWER_ENV_S", EV_CLK,
	   EV_QUIET | EV_UNMASK, 0),
	EV(GAUDI_EVENT_FIX_POWER_ENV_E, 1, 1, "FIX_POWER_ENV_E", EV_CLK,
	   EV_QUIET | EV_UNMASK, 0),
	EV(GAUDI_EVENT_FIX_THERMAL_ENV_S, 1, 1, "FIX_THERMAL_ENV_S", EV_CLK,
	   EV_QUIET | EV_UNMASK, N_ENGINE),
	EV(GAUDI_EVENT_FIX_THERMAL_ENV_E, 1, 1, "FIX_THERMAL_ENV_E", EV_CLK,
	   EV_QUIET | EV_UNMASK, N_ENGINE),
	EV(662, 1, 1, "RAZWI_OR_ADC_SW", EV_PLAIN, EV_RAZWI | EV_RESET,
	   N_ENGINE),
};

static const struct gaudi_event_row *gaudi_event_find(u32 id,
						      unsigned int *index)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gaudi_event_rows); i++) {
		const struct gaudi_event_row *r = &gaudi_event_rows[i];
		unsigned int off = id - r->first;

		if (id < r->first || off % r->step || off / r->step >= r->count)
			continue;
		*index = off / r->step;
		return r;
	}
	return NULL;
}

void gaudi_event_name(u32 event_id, char *buf, size_t size)
{
	unsigned int index;
	const struct gaudi_event_row *r = gaudi_event_find(event_id, &index);
	const char *pos;

	if (!r) {
		strscpy(buf, "N/A", size);
		return;
	}
	/* The SRAM banks are numbered back and forth over the chip. */
	if ((r->flags & EV_SNAKE) && (index & 4))
		index ^= 3;
	pos = strstr(r->name, "%u");
	if (pos)
		snprintf(buf, size, "%.*s%u%s", (int)(pos - r->name), r->name,
			 index, pos + 2);
	else
		strscpy(buf, r->name, size);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_event_name);

int gaudi_events_show(struct gaudi_device *gdev, bool aggregate,
		      struct seq_file *s)
{
	char name[32];
	u32 *count, i;

	count = kcalloc(GAUDI_NUM_EVENTS, sizeof(*count),
			GFP_NOWAIT | __GFP_NOWARN);
	if (!count)
		return -ENOMEM;
	gaudi_reports_counters(gdev, aggregate, count);
	for (i = 0; i < GAUDI_NUM_EVENTS; i++) {
		if (!count[i])
			continue;
		gaudi_event_name(i, name, sizeof(name));
		seq_printf(s, "%u %s: %u\n", i, name, count[i]);
	}
	kfree(count);
	return 0;
}

/* POWER start, end, THERMAL start, end: four ids in a row. */
static void gaudi_event_clk(struct gaudi_device *gdev, u32 id)
{
	unsigned int off = id - GAUDI_EVENT_FIX_POWER_ENV_S;
	unsigned int type = off / 2;
	bool start = !(off % 2);

	gaudi_reports_throttle(gdev, type, start);
	if (start)
		dev_info_ratelimited(&gdev->pdev->dev,
				     "clocks are throttled: %s\n",
				     type ? "too hot" : "too much power");
	else
		dev_info_ratelimited(&gdev->pdev->dev,
				     "%s is fine again, clocks are optimal\n",
				     type ? "temperature" : "power");
}

/* The port that an event names; -1: it is not used. */
static int gaudi_event_port(struct gaudi_device *gdev,
			    const struct gaudi_event_row *r, unsigned int index)
{
	unsigned int port = 2 * index + (r->first & 1);

	return gdev->nic_ports & BIT(port) ? port : -1;
}

static void gaudi_event_nic(struct gaudi_device *gdev,
			    const struct gaudi_event_row *r, unsigned int index)
{
	int port = gaudi_event_port(gdev, r, index);

	if (port < 0)
		return;
	if (r->kind == EV_NIC_QP)
		gaudi_nic_qp_event(gdev, port);
	else
		gaudi_nic_link_event(gdev, port);
}

/* Mainline knows no such event, and a card without ports sends none. */
static bool gaudi_event_is_known(struct gaudi_device *gdev,
				 const struct gaudi_event_row *r,
				 unsigned int index)
{
	if (!r || (r->flags & EV_IGNORED))
		return false;
	return r->kind != EV_NIC_QP || gaudi_event_port(gdev, r, index) >= 0;
}

/* False: the error was cleared, and its registers show nothing. */
static bool gaudi_event_detail(struct gaudi_device *gdev,
			       const struct gaudi_event_row *r, u32 id,
			       unsigned int index, u64 *notify,
			       const struct gaudi_eq_entry *entry)
{
	unsigned long stopped = 0;
	bool any = false;

	switch (r->kind) {
	case EV_ECC:
		gaudi_error_ecc(gdev, entry);
		break;
	case EV_HBM:
		gaudi_error_hbm(gdev, index, entry);
		break;
	case EV_QMAN:
		*notify |= gaudi_error_qman(gdev, id, &any, &stopped);
		if (stopped)
			gaudi_cs_fail_streams(gdev,
					      gaudi_qman_of_event(id)->first_qid,
					      stopped);
		return any;
	case EV_TPC_DEC:
	case EV_TPC_KRN:
		return gaudi_error_tpc(gdev, index);
	case EV_DMA_CORE:
		any = gaudi_error_dma(gdev, index);
		/* In shared mode it is recovered. */
		if (any && !gaudi_is_shared(gdev))
			gaudi_cs_engine_stopped(gdev);
		return any;
	case EV_ACCESS:
		return false;
	case EV_NIC_QP:
	case EV_NIC_LINK:
		gaudi_event_nic(gdev, r, index);
		break;
	case EV_NIC_SEI:
	case EV_SM_SEI:
		gaudi_error_sei(gdev, r->kind == EV_SM_SEI, index, entry);
		break;
	case EV_CLK:
		gaudi_event_clk(gdev, id);
		break;
	case EV_TEMP:
		drm_err(&gdev->drm, "high temperature, cause %u\n",
			(u8)le64_to_cpu(entry->data[0]));
		break;
	case EV_OUT_OF_SYNC:
	case EV_FW_ALIVE:
		gaudi_error_fw(gdev, r->kind == EV_FW_ALIVE, entry);
		break;
	}
	return true;
}

static void gaudi_event_fatal(struct gaudi_device *gdev,
			      const struct gaudi_event_row *r, u32 id,
			      u64 notify)
{
	if (r->flags & EV_FW_ERR) {
		struct hl_info_fw_err_event rec = {
			.timestamp = ktime_to_ns(ktime_get()),
			.err_type = HL_INFO_FW_REPORTED_ERR,
			.event_id = id,
		};

		gaudi_reports_capture(gdev, GAUDI_CAPTURED_FW_ERR, &rec);
		notify |= HL_NOTIFIER_EVENT_CRITICL_FW_ERR;
	} else if (notify & N_HW) {
		struct hl_info_hw_err_event rec = {
			.timestamp = ktime_to_ns(ktime_get()),
			.event_id = id,
		};

		gaudi_reports_capture(gdev, GAUDI_CAPTURED_HW_ERR, &rec);
		notify |= HL_NOTIFIER_EVENT_CRITICL_HW_ERR;
	}
	gaudi_reset_announce(gdev, r->flags & EV_FATAL ? GAUDI_RESET_FATAL :
							 GAUDI_RESET_EVENT,
			     notify | N_RESET);
}

/* Index of the QMAN that the event is about; -1: the event does not say, or a port's. */
static int gaudi_event_qman(const struct gaudi_event_row *r, u32 id,
			    unsigned int index)
{
	const struct gaudi_qman_desc *qm = NULL;

	if (r->kind == EV_QMAN)
		qm = gaudi_qman_of_event(id);
	else if (r->kind == EV_DMA_CORE)
		qm = gaudi_qman_of_engine(GAUDI_ENGINE_ID_DMA_0 + index);
	else if (r->kind == EV_TPC_DEC || r->kind == EV_TPC_KRN)
		qm = gaudi_qman_of_engine(GAUDI_ENGINE_ID_TPC_0 + index);
	return qm && qm->kind != GAUDI_QMAN_NIC ? qm - gaudi_qmans : -1;
}

/* What an event is about, in shared mode. */
struct guilty {
	struct gaudi_ctx *ctx;		/* with a reference; or NULL */
	struct gaudi_notifier *notifier;	/* to be notified; NULL: all */
	int qman;			/* -1: unknown */
};

/*
 * Shared mode: an engine that is in error works for the context that owns the
 * time slice, since the slice cannot end before the error is handled. Only that
 * context is notified, and its work ends. If the event names an engine, and
 * that was handed over to another context last, or to none, then that one is
 * notified, or none.
 *
 * An event without an error left to see is a late one, of an error that
 * recovery has handled: its owner was notified, and the present owner may be
 * another one, which is not affected.
 */
static void gaudi_events_find_guilty(struct gaudi_device *gdev,
				     struct guilty *c,
				     const struct gaudi_event_row *r, u32 id,
				     unsigned int index)
{
	*c = (struct guilty){ .qman = -1 };
	if (!gaudi_is_shared(gdev) || !(r->notify & N_ENGINE) ||
	    !(r->flags & EV_RAZWI) || (r->flags & EV_RESET))
		return;
	c->qman = gaudi_event_qman(r, id, index);
	c->ctx = gdev->shared->user(gdev, c->qman);
	if (c->qman >= 0)
		c->notifier = gaudi_reports_nobody(gdev);
	if (c->ctx)
		c->notifier = c->ctx->notifier;
}

/*
 * Notify the guilty context. If it owns the time slice, recovery clears the
 * error, else this does.
 */
static void gaudi_events_engine_error(struct gaudi_device *gdev,
				      struct guilty *c, bool any, u64 notify)
{
	bool is_owner = false;

	if (c->ctx && any) {
		gaudi_reports_notify_one(gdev, c->ctx->notifier,
					 notify & ~N_RESET);
		is_owner = gdev->shared->fail(c->ctx);
	}
	if (c->qman >= 0 && any && !is_owner) {
		gaudi_reports_begin_for(gdev, c->notifier);
		gdev->shared->clear_errors(gdev, c->qman);
		gaudi_reports_end_for(gdev);
	}
	if (c->ctx)
		gaudi_ctx_put(c->ctx);
}

void gaudi_events_handle(struct gaudi_device *gdev,
			 const struct gaudi_eq_entry *entry)
{
	struct guilty guilty;
	u32 ctl = le32_to_cpu(entry->ctl);
	u32 id = FIELD_GET(GAUDI_EQ_CTL_EVENT_TYPE, ctl);
	const struct gaudi_event_row *r;
	unsigned int index;
	bool access = false, any;
	char name[32];
	u64 notify;

	trace_gaudi_event(&gdev->pdev->dev, id, ctl);
	r = gaudi_event_find(id, &index);
	if (id >= GAUDI_NUM_EVENTS || !gaudi_event_is_known(gdev, r, index)) {
		drm_err_ratelimited(&gdev->drm, "firmware sent event %u, which does not exist\n",
				    id);
		return;
	}
	gaudi_reports_count(gdev, id);
	notify = r->notify;
	if (!(r->flags & EV_QUIET)) {
		gaudi_event_name(id, name, sizeof(name));
		drm_err_ratelimited(&gdev->drm, "event %u: %s\n", id, name);
	}
	/* What happens from here on makes another event. */
	if ((r->flags & EV_UNMASK) && !(r->flags & EV_RESET))
		gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(
				 GAUDI_CPUCP_UNMASK_RAZWI_IRQ,
				 .value = cpu_to_le64(id)), 0, NULL);
	gaudi_events_find_guilty(gdev, &guilty, r, id, index);
	gaudi_reports_begin_for(gdev, guilty.notifier);
	if (r->flags & EV_RAZWI)
		notify |= gaudi_error_razwi(gdev, &access);
	any = gaudi_event_detail(gdev, r, id, index, &notify, entry) || access;
	gaudi_reports_end_for(gdev);

	if (r->flags & EV_RESET) {
		gaudi_event_fatal(gdev, r, id, notify);
		return;
	}
	if (guilty.notifier)
		gaudi_events_engine_error(gdev, &guilty, any, notify);
	else if (notify)
		gaudi_reports_notify(gdev, notify);
}
