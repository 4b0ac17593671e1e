// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host MMU's registers: page table roots, invalidation, and which address
 * space the user's engines live in. Page tables are gaudi_pgt.c's.
 *
 * Only accesses to the host go through it; HBM, SRAM and registers are
 * physical to every engine.
 */
#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_mme_regs.h"
#include "../../uapi/hw/regs/gaudi_mmu_regs.h"
#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../../uapi/hw/regs/gaudi_tpc_regs.h"
#include "../core/gaudi_device.h"
#include "gaudi_blocks.h"
#include "gaudi_mmu.h"
#include "gaudi_reg_io.h"

#define GAUDI_MMU_TIMEOUT_US	2000
/* Page sizes of the hops, from mainline (its only value). */
#define GAUDI_MMU_HOP_CONFIG	0x30440
/* ASID and bypass bit of every "who am I" register. */
#define GAUDI_PROPS_MASK	0x7ffu

#define STLB(reg)	(GAUDI_STLB_BASE + STLB_##reg)
#define MMU_UP(reg)	(GAUDI_MMU_UP_BASE + MMU_UP_##reg)

struct gaudi_mmu {
	/* Protects the invalidation sequence and its producer index. */
	struct mutex inv_lock;
	u8 inv_pi;
};

int gaudi_mmu_init(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;

	gdev->mmu = devm_kzalloc(dev, sizeof(*gdev->mmu), GFP_KERNEL);
	if (!gdev->mmu)
		return -ENOMEM;
	return devm_mutex_init(dev, &gdev->mmu->inv_lock);
}

static int gaudi_mmu_set_hop0(struct gaudi_device *gdev, u32 asid, u64 addr)
{
	int ret;

	gaudi_wr(gdev, STLB(ASID), asid);
	gaudi_wr(gdev, STLB(HOP0_PA43_12), addr >> 12);
	gaudi_wr(gdev, STLB(HOP0_PA49_44), addr >> 44);
	gaudi_wr(gdev, STLB(BUSY), STLB_BUSY_SET);
	ret = gaudi_wait_reg(gdev, STLB(BUSY), STLB_BUSY_SET, 0,
			     GAUDI_MMU_TIMEOUT_US, NULL);
	if (ret)
		drm_err(&gdev->drm, "MMU did not take the root of ASID %u: %d\n",
			asid, ret);
	return ret;
}

int gaudi_mmu_hw_init(struct gaudi_device *gdev, u64 (*hop0_addr)(u32 asid))
{
	u32 asid;
	int ret;

	for (asid = 0; asid < gaudi_num_asids(); asid++) {
		ret = gaudi_mmu_set_hop0(gdev, asid, hop0_addr(asid));
		if (ret)
			return ret;
	}
	gaudi_wr(gdev, STLB(CACHE_INV_BASE_39_8),
		 lower_32_bits(GAUDI_HBM_MMU_CACHE_BASE >> 8));
	gaudi_wr(gdev, STLB(CACHE_INV_BASE_49_40),
		 GAUDI_HBM_MMU_CACHE_BASE >> 40);
	gaudi_wr(gdev, STLB(MEM_CACHE_INVALIDATION), 1);

	gaudi_wr(gdev, MMU_UP(MMU_ENABLE), 1);
	gaudi_wr(gdev, MMU_UP(SPI_MASK), 0xf);
	gaudi_wr(gdev, STLB(HOP_CONFIGURATION), GAUDI_MMU_HOP_CONFIG);

	/* The hardware counts from 1 after a reset; 0 comes at the wrap. */
	guard(mutex)(&gdev->mmu->inv_lock);
	gdev->mmu->inv_pi = 1;
	return 0;
}

int gaudi_mmu_invalidate(struct gaudi_device *gdev)
{
	int ret;

	guard(mutex)(&gdev->mmu->inv_lock);
	gaudi_wr(gdev, STLB(INV_PS), 3);
	gaudi_wr(gdev, STLB(CACHE_INV), gdev->mmu->inv_pi++);
	gaudi_wr(gdev, STLB(INV_PS), 2);
	ret = gaudi_wait_reg(gdev, STLB(INV_PS), ~0u, 0, GAUDI_MMU_TIMEOUT_US,
			     NULL);
	gaudi_wr(gdev, STLB(INV_SET), 0);
	if (ret)
		drm_err_ratelimited(&gdev->drm, "MMU invalidation: %d\n", ret);
	return ret;
}

/* Registers that say in whose name an engine accesses memory. */
struct gaudi_props_regs {
	u16 engine_id;		/* of the first */
	u32 first;
	u32 stride;
	u8 count;
	u8 regs;
	u8 reg_stride;
};

static const struct gaudi_props_regs gaudi_props_regs[] = {
	{ GAUDI_ENGINE_ID_DMA_0,
	  GAUDI_DMA_CORE_BASE(0) + DMA_CORE_NON_SECURE_PROPS, 0x20000,
	  GAUDI_NUM_DMA, 1, 4 },
	{ GAUDI_ENGINE_ID_TPC_0,
	  GAUDI_TPC_CFG_BASE(0) + TPC_CFG_ARUSER_LO, 0x40000,
	  GAUDI_NUM_TPC, 2, TPC_CFG_AWUSER_LO - TPC_CFG_ARUSER_LO },
	{ GAUDI_ENGINE_ID_MME_0,
	  GAUDI_MME_SBAB_BASE(0) + MME_SBAB_ARUSER0, 0x80000,
	  GAUDI_NUM_MME, 2, 4 },
	{ GAUDI_ENGINE_ID_MME_0,
	  GAUDI_MME_ACC_BASE(0) + MME_ACC_WBC, 0x80000, GAUDI_NUM_MME, 1, 4 },
	/* The trace unit is no engine with a queue. */
	{ GAUDI_ENGINE_ID_SIZE,
	  GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_TRACE_AWUSER, 0, 1, 2, 4 },
};

static void gaudi_mmu_set_engine(struct gaudi_device *gdev,
				 const struct gaudi_props_regs *p,
				 unsigned int n, u32 asid)
{
	unsigned int r;

	for (r = 0; r < p->regs; r++)
		gaudi_rmw(gdev, p->first + n * p->stride + r * p->reg_stride,
			  GAUDI_PROPS_MASK, asid);
}

static void gaudi_mmu_set_qman(struct gaudi_device *gdev,
			       const struct gaudi_qman_desc *qm, u32 asid)
{
	unsigned int n;

	for (n = 0; n < GAUDI_NUM_CPS; n++)
		gaudi_rmw(gdev, qm->base + QM_GLBL_NON_SECURE_PROPS(n),
			  GAUDI_PROPS_MASK, asid);
}

void gaudi_mmu_set_nic_asid(struct gaudi_device *gdev, u32 asid)
{
	unsigned int port;

	for_each_nic_port(gdev, port)
		gaudi_mmu_set_qman(gdev, gaudi_nic_qman(port), asid);
}

void gaudi_mmu_set_engines_asid(struct gaudi_device *gdev, u32 asid)
{
	unsigned int i, n;

	for (i = 0; i < GAUDI_NUM_USED_QMANS; i++)
		gaudi_mmu_set_qman(gdev, &gaudi_qmans[i], asid);
	for (i = 0; i < ARRAY_SIZE(gaudi_props_regs); i++)
		for (n = 0; n < gaudi_props_regs[i].count; n++)
			gaudi_mmu_set_engine(gdev, &gaudi_props_regs[i], n,
					     asid);
}

void gaudi_mmu_set_qman_asid(struct gaudi_device *gdev,
			     const struct gaudi_qman_desc *qm, unsigned int i,
			     u32 asid)
{
	const u32 core = GAUDI_DMA_CORE_BASE(i) + DMA_CORE_NON_SECURE_PROPS;
	unsigned int n, p;

	/* Nothing else is in these; so there is no need to read them. */
	for (n = 0; n < GAUDI_NUM_CPS; n++)
		gaudi_wr(gdev, qm->base + QM_GLBL_NON_SECURE_PROPS(n), asid);
	if (qm->engine_id == GAUDI_ENGINE_ID_DMA_0 + i) {
		gaudi_wr(gdev, core, asid);
		return;
	}
	for (p = 0; p < ARRAY_SIZE(gaudi_props_regs); p++) {
		if (gaudi_props_regs[p].engine_id + i != qm->engine_id)
			continue;
		gaudi_mmu_set_engine(gdev, &gaudi_props_regs[p], i, asid);
		/* A queue of the MMEs drives a pair. */
		if (qm->kind == GAUDI_QMAN_MME)
			gaudi_mmu_set_engine(gdev, &gaudi_props_regs[p], i + 1,
					     asid);
	}
}
