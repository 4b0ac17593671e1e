// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the error registers of the MMU, the QMANs and the TPCs when an event
 * says so, puts them into words, and captures what INFO can be asked for.
 *
 * With errors set to stop (gaudi_qman.c), a QMAN's status stays set until the
 * next reset, or until recovery in shared mode takes it away. One error may
 * make two events, and what the second one is about may be gone by then; so the
 * code that clears a status prints it, unless an event's handler has done so.
 */

#include "../../uapi/hw/gaudi_packets.h"
#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_mmu_regs.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../../uapi/hw/regs/gaudi_tpc_regs.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_reg_io.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_errors.h"
#include "gaudi_errors_priv.h"
#include "gaudi_reports.h"

/* Offsets in packets: the QMAN's own registers are from here on. */
#define GAUDI_QM_WINDOW		0x8000

#define MMU_UP(reg)	(GAUDI_MMU_UP_BASE + MMU_UP_##reg)

/* --- Refused accesses (RAZWI) and MMU faults --- */

/* Bus masters behind one stop of the mesh; the AXI id says which. */
enum gaudi_axi_id {
	AXI_MME, AXI_TPC, AXI_DMA, AXI_NIC, AXI_PCI, AXI_CPU, AXI_PSOC,
	AXI_MMU, AXI_NIC_FT,
	AXI_ANY = 0xff,
};

#define NO_ENGINE	HL_RAZWI_NA_ENG_ID
#define ENG(e, n)	(GAUDI_ENGINE_ID_##e##_0 + (n))

struct gaudi_initiator {
	u8 x, y, axi;
	const char *name;
	u16 engine[2];
};

static const struct gaudi_initiator gaudi_initiators[] = {
	{ 1, 1, AXI_TPC, "TPC0", { ENG(TPC, 0), NO_ENGINE } },
	{ 1, 1, AXI_NIC, "NIC0", { ENG(NIC, 0), NO_ENGINE } },
	{ 2, 1, AXI_ANY, "TPC1", { ENG(TPC, 1), NO_ENGINE } },
	{ 3, 1, AXI_ANY, "MME0", { ENG(MME, 0), NO_ENGINE } },
	{ 4, 1, AXI_ANY, "MME0", { ENG(MME, 0), NO_ENGINE } },
	{ 5, 1, AXI_ANY, "MME1", { ENG(MME, 1), NO_ENGINE } },
	{ 6, 1, AXI_ANY, "MME1", { ENG(MME, 1), NO_ENGINE } },
	{ 7, 1, AXI_ANY, "TPC2", { ENG(TPC, 2), NO_ENGINE } },
	{ 8, 1, AXI_TPC, "TPC3", { ENG(TPC, 3), NO_ENGINE } },
	{ 8, 1, AXI_PCI, "PCI", { NO_ENGINE, NO_ENGINE } },
	{ 8, 1, AXI_CPU, "CPU", { NO_ENGINE, NO_ENGINE } },
	{ 8, 1, AXI_PSOC, "PSOC", { NO_ENGINE, NO_ENGINE } },
	{ 0, 1, AXI_ANY, "DMA0 or DMA2", { ENG(DMA, 0), ENG(DMA, 2) } },
	{ 0, 2, AXI_ANY, "DMA0 or DMA2", { ENG(DMA, 0), ENG(DMA, 2) } },
	{ 9, 1, AXI_ANY, "DMA1 or DMA3", { ENG(DMA, 1), ENG(DMA, 3) } },
	{ 9, 2, AXI_ANY, "DMA1 or DMA3", { ENG(DMA, 1), ENG(DMA, 3) } },
	{ 0, 3, AXI_ANY, "DMA4 or DMA6", { ENG(DMA, 4), ENG(DMA, 6) } },
	{ 0, 4, AXI_ANY, "DMA4 or DMA6", { ENG(DMA, 4), ENG(DMA, 6) } },
	{ 9, 3, AXI_ANY, "DMA5 or DMA7", { ENG(DMA, 5), ENG(DMA, 7) } },
	{ 9, 4, AXI_ANY, "DMA5 or DMA7", { ENG(DMA, 5), ENG(DMA, 7) } },
	{ 1, 6, AXI_TPC, "TPC4", { ENG(TPC, 4), NO_ENGINE } },
	{ 1, 6, AXI_NIC, "NIC1", { ENG(NIC, 1), NO_ENGINE } },
	{ 1, 6, AXI_NIC_FT, "NIC2", { ENG(NIC, 2), NO_ENGINE } },
	{ 2, 6, AXI_ANY, "TPC5", { ENG(TPC, 5), NO_ENGINE } },
	{ 3, 6, AXI_ANY, "MME2", { ENG(MME, 2), NO_ENGINE } },
	{ 4, 6, AXI_ANY, "MME2", { ENG(MME, 2), NO_ENGINE } },
	{ 5, 6, AXI_ANY, "MME3", { ENG(MME, 3), NO_ENGINE } },
	{ 6, 6, AXI_ANY, "MME3", { ENG(MME, 3), NO_ENGINE } },
	{ 7, 6, AXI_ANY, "TPC6", { ENG(TPC, 6), NO_ENGINE } },
	{ 8, 6, AXI_TPC, "TPC7", { ENG(TPC, 7), NO_ENGINE } },
	{ 8, 6, AXI_NIC, "NIC4", { ENG(NIC, 4), NO_ENGINE } },
	{ 8, 6, AXI_NIC_FT, "NIC5", { ENG(NIC, 5), NO_ENGINE } },
};

static const struct gaudi_initiator *gaudi_initiator_find(u32 id)
{
	u32 axi = FIELD_GET(MMU_UP_RAZWI_ID_AXI, id);
	u32 x = FIELD_GET(MMU_UP_RAZWI_ID_X, id);
	u32 y = FIELD_GET(MMU_UP_RAZWI_ID_Y, id);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gaudi_initiators); i++) {
		const struct gaudi_initiator *in = &gaudi_initiators[i];

		if (in->x == x && in->y == y &&
		    (in->axi == AXI_ANY || in->axi == axi))
			return in;
	}
	return NULL;
}

/* Two DMAs share a stop; the one that noticed an error did it. */
static void gaudi_initiator_pick_dma(struct gaudi_device *gdev, bool write,
				     u16 engine[2])
{
	u32 mask = write ? DMA_CORE_ERR_CAUSE_HBW_WR :
			   DMA_CORE_ERR_CAUSE_HBW_RD;
	bool hit[2];
	unsigned int i;

	for (i = 0; i < 2; i++)
		hit[i] = gaudi_rd(gdev, GAUDI_DMA_CORE_BASE(engine[i]) +
				  DMA_CORE_ERR_CAUSE) & mask;
	if (hit[0] == hit[1])
		return;
	if (hit[1])
		engine[0] = engine[1];
	engine[1] = NO_ENGINE;
}

/* Returns true if there was one, and adds to rec what is known of it. */
static bool gaudi_error_razwi_one(struct gaudi_device *gdev, bool write,
				  struct hl_info_razwi_event *rec)
{
	u32 vld = write ? MMU_UP(RAZWI_WRITE_VLD) : MMU_UP(RAZWI_READ_VLD);
	u32 id_reg = write ? MMU_UP(RAZWI_WRITE_ID) : MMU_UP(RAZWI_READ_ID);
	const struct gaudi_initiator *in;
	u16 engine[2];
	unsigned int i;
	u32 id;

	if (!gaudi_rd(gdev, vld))
		return false;
	id = gaudi_rd(gdev, id_reg);
	gaudi_wr(gdev, vld, 0);
	rec->flags |= write ? HL_RAZWI_WRITE : HL_RAZWI_READ;

	in = gaudi_initiator_find(id);
	drm_err_ratelimited(&gdev->drm, "illegal %s by %s (initiator %#x)\n",
			    write ? "write" : "read",
			    in ? in->name : "unknown", id);
	if (!in)
		return true;
	memcpy(engine, in->engine, sizeof(engine));
	if (engine[1] != NO_ENGINE)
		gaudi_initiator_pick_dma(gdev, write, engine);
	for (i = 0; i < 2; i++)
		if (engine[i] != NO_ENGINE && rec->num_of_possible_engines < 2)
			rec->engine_id[rec->num_of_possible_engines++] =
				engine[i];
	return true;
}

/* MMU faults: 0 if there is none. */
static u64 gaudi_error_mmu_va(struct gaudi_device *gdev, u32 capture,
			      u32 capture_va, const char *what, bool *valid)
{
	u32 val = gaudi_rd(gdev, capture);
	u64 va;

	*valid = val & MMU_UP_PAGE_ERROR_ENTRY_VALID;
	if (!*valid)
		return 0;
	va = (u64)FIELD_GET(MMU_UP_PAGE_ERROR_VA_49_32, val) << 32 |
	     gaudi_rd(gdev, capture_va);
	drm_err_ratelimited(&gdev->drm, "MMU %s at %#llx\n", what, va);
	gaudi_wr(gdev, capture, 0);
	return va;
}

u64 gaudi_error_razwi(struct gaudi_device *gdev, bool *any)
{
	struct hl_info_razwi_event rec = {};
	bool write, read, fault, denied;
	u64 va, notify = 0;

	write = gaudi_error_razwi_one(gdev, true, &rec);
	read = gaudi_error_razwi_one(gdev, false, &rec);

	va = gaudi_error_mmu_va(gdev, MMU_UP(PAGE_ERROR_CAPTURE),
				MMU_UP(PAGE_ERROR_CAPTURE_VA), "page fault",
				&fault);
	if (fault) {
		struct hl_page_fault_info pf = {
			.timestamp = ktime_to_ns(ktime_get()),
			.addr = va,
			/* Not known; mainline leaves 0 here. */
			.engine_id = 0,
		};

		gaudi_reports_capture(gdev, GAUDI_CAPTURED_PAGE_FAULT, &pf);
		notify |= HL_NOTIFIER_EVENT_PAGE_FAULT;
		rec.addr = va;
	}
	va = gaudi_error_mmu_va(gdev, MMU_UP(ACCESS_ERROR_CAPTURE),
				MMU_UP(ACCESS_ERROR_CAPTURE_VA),
				"access error", &denied);
	if (denied)
		rec.addr = va;

	if (write || read) {
		rec.timestamp = ktime_to_ns(ktime_get());
		gaudi_reports_capture(gdev, GAUDI_CAPTURED_RAZWI, &rec);
		notify |= HL_NOTIFIER_EVENT_RAZWI;
	}
	*any = write || read || fault || denied;
	return notify;
}

int gaudi_error_init(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;

	gdev->errors = devm_kzalloc(dev, sizeof(*gdev->errors), GFP_KERNEL);
	if (!gdev->errors)
		return -ENOMEM;
	return devm_mutex_init(dev, &gdev->errors->lock);
}

void gaudi_error_reset(struct gaudi_device *gdev)
{
	guard(mutex)(&gdev->errors->lock);
	memset(gdev->errors->reported, 0, sizeof(gdev->errors->reported));
}

/* --- QMANs --- */

static const char * const gaudi_qman_causes[] = {
	"PQ read error", "CQ read error", "CP read error",
	"undefined opcode", "STOP packet", "CP message write error",
	"register write error", "bit 7",
	"fence 0 overflow", "fence 1 overflow", "fence 2 overflow",
	"fence 3 overflow", "fence 0 underflow", "fence 1 underflow",
	"fence 2 underflow", "fence 3 underflow",
};

static const char * const gaudi_arb_causes[] = {
	"choice pushed while full", "choice watchdog", "message write error",
};

static void gaudi_qman_cq(struct gaudi_device *gdev,
			  const struct gaudi_qman_desc *qm, unsigned int cp,
			  u64 *addr, u32 *size)
{
	*addr = (u64)gaudi_rd(gdev, qm->base + QM_CQ_PTR_HI(cp)) << 32 |
		gaudi_rd(gdev, qm->base + QM_CQ_PTR_LO(cp));
	*size = gaudi_rd(gdev, qm->base + QM_CQ_TSIZE(cp));
}

static u32 gaudi_qman_last_cbs(struct gaudi_device *gdev,
			       const struct gaudi_qman_desc *qm,
			       unsigned int stream, u64 *addrs)
{
	u32 ci = gaudi_rd(gdev, qm->base + QM_PQ_CI(stream));

	return gaudi_queue_peek_bds(gdev, qm->first_qid + stream, ci, addrs,
				    OPCODE_INFO_MAX_ADDR_SIZE);
}

static bool gaudi_qman_undef_opcode(struct gaudi_device *gdev,
				    const struct gaudi_qman_desc *qm,
				    unsigned int cp)
{
	struct hl_info_undefined_opcode_event rec = {
		.timestamp = ktime_to_ns(ktime_get()),
		.engine_id = qm->engine_id,
		.stream_id = cp,
	};
	unsigned int s;

	gaudi_qman_cq(gdev, qm, cp, &rec.cq_addr, &rec.cq_size);
	if (gaudi_queue_type(gdev, qm->first_qid) == GAUDI_QUEUE_EXT) {
		/* Kernel addresses are not for users. */
		rec.cq_addr = 0;
	} else if (cp < GAUDI_NUM_STREAMS) {
		gaudi_qman_last_cbs(gdev, qm, cp, rec.cb_addr_streams[0]);
		rec.cb_addr_streams_len = 1;
	} else {
		/*
		 * The lower CP serves all four: any of them may be the cause.
		 */
		for (s = 0; s < GAUDI_NUM_STREAMS; s++)
			gaudi_qman_last_cbs(gdev, qm, s,
					    rec.cb_addr_streams[s]);
		rec.cb_addr_streams_len = GAUDI_NUM_STREAMS;
	}
	return gaudi_reports_capture(gdev, GAUDI_CAPTURED_UNDEF_OPCODE, &rec);
}

/* A packet that writes registers: which, as the card's own address. */
static void gaudi_qman_wreg(struct gaudi_device *gdev,
			    const struct gaudi_qman_desc *qm, unsigned int cp)
{
	u32 ctl = gaudi_rd(gdev, qm->base + QM_CP_CURRENT_INST_HI(cp));
	u32 opcode = FIELD_GET(GAUDI_PKT_CTL_OPCODE, ctl);
	u32 offset = FIELD_GET(GAUDI_WREG32_CTL_REG_OFFSET, ctl);
	u32 base = qm->base - GAUDI_QM_WINDOW;

	if (opcode != GAUDI_PKT_WREG_32 && opcode != GAUDI_PKT_WREG_BULK)
		return;
	if (qm->kind == GAUDI_QMAN_TPC && offset - GAUDI_QM_WINDOW >= SZ_8K)
		base = GAUDI_TPC_CFG_BASE(qm->engine_id -
					  GAUDI_ENGINE_ID_TPC_0);
	drm_err_ratelimited(&gdev->drm,
			    "%s: %s to offset %#x, register %#llx%s\n",
			    qm->name, opcode == GAUDI_PKT_WREG_32 ?
			    "WREG_32" : "WREG_BULK", offset,
			    GAUDI_CFG_BASE + base + offset,
			    opcode == GAUDI_PKT_WREG_32 ? "" : " and on");
}

static u64 gaudi_error_cp(struct gaudi_device *gdev,
			  const struct gaudi_qman_desc *qm, unsigned int cp,
			  unsigned long causes)
{
	unsigned int bit;
	u64 addr;
	u32 size;

	gaudi_qman_cq(gdev, qm, cp, &addr, &size);
	for_each_set_bit(bit, &causes, ARRAY_SIZE(gaudi_qman_causes))
		drm_err_ratelimited(&gdev->drm,
				    "%s %s%u: %s; CB %#llx, %u bytes\n",
				    qm->name, cp < GAUDI_NUM_STREAMS ?
				    "stream " : "lower CP, ", cp,
				    gaudi_qman_causes[bit], addr, size);
	if (causes & QM_GLBL_STS1_CP_WREG_ERR)
		gaudi_qman_wreg(gdev, qm, cp);
	if ((causes & QM_GLBL_STS1_CP_UNDEF_CMD_ERR) &&
	    gaudi_qman_undef_opcode(gdev, qm, cp))
		return HL_NOTIFIER_EVENT_UNDEFINED_OPCODE;
	return 0;
}

static void gaudi_error_arb(struct gaudi_device *gdev,
			    const struct gaudi_qman_desc *qm,
			    unsigned long causes)
{
	unsigned int bit;

	for_each_set_bit(bit, &causes, ARRAY_SIZE(gaudi_arb_causes))
		drm_err_ratelimited(&gdev->drm, "%s arbiter: %s\n", qm->name,
				    gaudi_arb_causes[bit]);
}

u64 gaudi_error_qman(struct gaudi_device *gdev, u32 event_id, bool *any,
		     unsigned long *stopped)
{
	const struct gaudi_qman_desc *qm = gaudi_qman_of_event(event_id);
	u32 *reported, causes;
	unsigned int cp;
	u64 notify = 0;

	if (!qm)
		return 0;
	reported = gdev->errors->reported[qm - gaudi_qmans];
	for (cp = 0; cp < GAUDI_NUM_CPS; cp++) {
		causes = gaudi_rd(gdev, qm->base + QM_GLBL_STS1(cp));
		if (!causes)
			continue;
		*any = true;
		/* A QMAN that goes on reports the next one only so. */
		if (!gdev->tunables.stop_on_err)
			gaudi_wr(gdev, qm->base + QM_GLBL_STS1(cp), causes);
		else
			reported[cp] |= causes;
		notify |= gaudi_error_cp(gdev, qm, cp, causes);
		/* In shared mode the work of its owner ends. */
		if (gdev->tunables.stop_on_err && !gaudi_is_shared(gdev))
			*stopped |= cp < GAUDI_NUM_STREAMS ? BIT(cp) :
							     GENMASK(3, 0);
	}
	causes = gaudi_rd(gdev, qm->base + QM_ARB_ERR_CAUSE);
	*any |= causes;
	reported[GAUDI_REPORTED_ARB] |= causes;
	gaudi_error_arb(gdev, qm, causes);
	return notify;
}

u64 gaudi_error_clear_qman(struct gaudi_device *gdev, unsigned int q)
{
	const struct gaudi_qman_desc *qm = &gaudi_qmans[q];
	u32 *reported = gdev->errors->reported[q];
	u32 causes, unreported;
	unsigned int cp;
	u64 notify = 0;

	lockdep_assert_held(&gdev->errors->lock);
	causes = gaudi_rd(gdev, qm->base + QM_ARB_ERR_CAUSE);
	unreported = causes & ~reported[GAUDI_REPORTED_ARB];
	if (unreported) {
		notify |= HL_NOTIFIER_EVENT_USER_ENGINE_ERR;
		gaudi_error_arb(gdev, qm, unreported);
	}
	if (causes)
		gaudi_wr(gdev, qm->base + QM_ARB_ERR_CAUSE, causes);
	reported[GAUDI_REPORTED_ARB] = 0;
	for (cp = 0; cp < GAUDI_NUM_CPS; cp++) {
		causes = gaudi_rd(gdev, qm->base + QM_GLBL_STS1(cp));
		unreported = causes & ~reported[cp];
		if (unreported)
			notify |= HL_NOTIFIER_EVENT_USER_ENGINE_ERR |
				  gaudi_error_cp(gdev, qm, cp, unreported);
		if (causes)
			gaudi_wr(gdev, qm->base + QM_GLBL_STS1(cp), causes);
		reported[cp] = 0;
	}
	return notify;
}

bool gaudi_error_dma(struct gaudi_device *gdev, unsigned int dma)
{
	return gaudi_rd(gdev, GAUDI_DMA_CORE_BASE(dma) + DMA_CORE_ERR_CAUSE);
}

/* --- TPC --- */

static const char * const gaudi_tpc_causes[] = {
	"address beyond local memory", "division by 0",
	"SPU MAC overflow", "SPU add/sub overflow", "SPU abs overflow",
	"SPU result NaN or infinite", "SPU result denormal",
	"VPU MAC overflow", "VPU add/sub overflow", "VPU abs overflow",
	"VPU result NaN or infinite", "VPU result denormal",
	"assertion", "illegal instruction", "PC wrap-around",
	"QM software error", "HBW read response", "HBW write response",
	"LBW read response", "LBW write response",
};

bool gaudi_error_tpc(struct gaudi_device *gdev, unsigned int tpc)
{
	u32 reg = GAUDI_TPC_CFG_BASE(tpc) + TPC_CFG_TPC_INTR_CAUSE;
	unsigned long causes = gaudi_rd(gdev, reg);
	unsigned int bit;

	for_each_set_bit(bit, &causes, ARRAY_SIZE(gaudi_tpc_causes))
		drm_err_ratelimited(&gdev->drm, "TPC %u: %s\n", tpc,
				    gaudi_tpc_causes[bit]);
	gaudi_wr(gdev, reg, 0);
	return causes;
}

/* --- Payloads of the events themselves --- */

void gaudi_error_ecc(struct gaudi_device *gdev,
		     const struct gaudi_eq_entry *entry)
{
	/* address, syndrome, number of the memory in the block */
	drm_err_ratelimited(&gdev->drm,
			    "ECC error: address %#llx, syndrome %#llx, memory %u\n",
			    le64_to_cpu(entry->data[0]),
			    le64_to_cpu(entry->data[1]),
			    (u8)le64_to_cpu(entry->data[2]));
}

void gaudi_error_hbm(struct gaudi_device *gdev, unsigned int index,
		     const struct gaudi_eq_entry *entry)
{
	u64 counts = le64_to_cpu(entry->data[0]);
	u64 where = le64_to_cpu(entry->data[1]);

	/* Older firmware leaves that to the registers of the controller. */
	if (!(gdev->boot_sts0 & GAUDI_BOOT_STS0_HBM_ECC_EN))
		return;
	drm_err_ratelimited(&gdev->drm,
			    "HBM %u ECC error: channel %llu, address %#x, of one bit %u, of two %u, parity %#llx\n",
			    index, FIELD_GET(GAUDI_EQ_HBM_CHANNEL, where),
			    (u32)FIELD_GET(GAUDI_EQ_HBM_ADDR, where),
			    lower_32_bits(counts),
			    upper_32_bits(counts),
			    FIELD_GET(GAUDI_EQ_HBM_PARITY, where));
}

void gaudi_error_sei(struct gaudi_device *gdev, bool sync_mngr,
		     unsigned int index, const struct gaudi_eq_entry *entry)
{
	static const char * const causes[] = {
		"SOB overflow or underflow", "unaligned access of a monitor",
		"bus response",
	};
	/* Events count the blocks in the other direction. */
	static const char * const blocks[] = { "W_S", "E_S", "W_N", "E_N" };
	u64 data = le64_to_cpu(entry->data[0]);
	u8 cause = data >> 32;

	if (sync_mngr)
		drm_err_ratelimited(&gdev->drm, "sync manager %s: %s (%#x)\n",
				    blocks[index & 3],
				    cause < ARRAY_SIZE(causes) ?
				    causes[cause] : "unknown",
				    lower_32_bits(data));
	else
		drm_err_ratelimited(&gdev->drm, "NIC %u: bus error %#llx\n",
				    index, data);
}

void gaudi_error_fw(struct gaudi_device *gdev, bool alive,
		    const struct gaudi_eq_entry *entry)
{
	u64 d0 = le64_to_cpu(entry->data[0]);
	u64 d1 = le64_to_cpu(entry->data[1]);

	if (alive)
		drm_err(&gdev->drm,
			"firmware trouble (%s): process %u, thread %u, up %llu s\n",
			(u8)le64_to_cpu(entry->data[2]) ? "critical" : "minor",
			lower_32_bits(d1), upper_32_bits(d1), d0);
	else
		drm_err(&gdev->drm,
			"command queue out of sync: firmware pi %u, ci %u\n",
			lower_32_bits(d0), upper_32_bits(d0));
}
