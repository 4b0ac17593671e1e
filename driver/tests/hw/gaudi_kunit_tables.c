// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of constants: what they write into a card that is open, judged by
 * what must come out of it rather than by the same tables again.
 */
#include <linux/random.h>
#include <linux/string.h>

#include "../../../uapi/hw/gaudi_fw_if.h"
#include "../../../uapi/hw/regs/gaudi_rtr_regs.h"
#include "../../events/gaudi_events.h"
#include "../../hw/gaudi_blocks.h"
#include "../../hw/gaudi_hw.h"
#include "../gaudi_kunit.h"

static int gaudi_kunit_tables_init(struct kunit *test)
{
	struct gaudi_device *gdev = gaudi_fake_device(test);

	gaudi_fake_regs(test, gdev);
	test->priv = gdev;
	return 0;
}

/* --- Protection bits --- */

/* Bit r of the words at the end of a block: its register r is open. */
static bool gaudi_closed(struct gaudi_device *gdev, u32 reg)
{
	u32 word = (reg & ~0xfffu) + 0xf80 + (reg & 0xfff) / 128 * 4;

	return !(gaudi_fake_reg(gdev, word) & BIT(reg % 128 / 4));
}

static void gaudi_queue_managers_are_protected(struct kunit *test)
{
	/* Ranges of registers that a user must not set. */
	static const u16 must_close[][2] = {
		{ 0x000, 0x038 },	/* GLBL_CFG0 .. GLBL_STS0 */
		{ 0x070, 0x10c },	/* rings: address, size, indices */
		{ 0x174, 0x1b0 },	/* CQ pointers */
		{ 0x228, 0x2c4 },	/* bases of messages */
		{ 0x3f4, 0x440 },	/* barriers, debug, user bits of buses */
		{ 0xb44, 0xb50 },	/* arbiter's messages */
		{ 0xf80, 0xffc },	/* the bits themselves */
	};
	/* FENCE_RDATA, fence counters, weights of arbitration */
	static const u16 must_open[] = { 0x308, 0x344, 0x358, 0xa00, 0xa08 };
	struct gaudi_device *gdev = test->priv;
	u32 base[28], n = 0, i, j, reg;

	for (i = 0; i < 8; i++) {
		base[n++] = 0x508000 + i * 0x20000;	/* DMA */
		base[n++] = 0xe08000 + i * 0x40000;	/* TPC */
	}
	for (i = 0; i < 5; i++) {
		base[n++] = 0xce0000 + i * 0x40000;	/* NIC */
		base[n++] = 0xce2000 + i * 0x40000;
	}
	base[n++] = 0x068000;				/* MME */
	base[n++] = 0x168000;
	KUNIT_ASSERT_EQ(test, n, 28);

	for (i = 0; i < n; i++)
		for (reg = base[i]; reg < base[i] + 0x1000; reg += 4)
			KUNIT_ASSERT_FALSE(test, gaudi_closed(gdev, reg));
	gaudi_security_init(gdev);
	for (i = 0; i < n; i++) {
		for (j = 0; j < ARRAY_SIZE(must_close); j++)
			for (reg = must_close[j][0]; reg <= must_close[j][1];
			     reg += 4)
				KUNIT_EXPECT_TRUE_MSG(test,
						      gaudi_closed(gdev, base[i] +
								   reg),
						      "%#x", base[i] + reg);
		for (j = 0; j < ARRAY_SIZE(must_open); j++)
			KUNIT_EXPECT_FALSE_MSG(test, gaudi_closed(gdev, base[i] +
								  must_open[j]),
					       "%#x", base[i] + must_open[j]);
	}
}

static void gaudi_engines_are_protected(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;
	u32 i, reg;

	gaudi_security_init(gdev);
	for (i = 0; i < 8; i++) {
		u32 dma = 0x500000 + i * 0x20000, tpc = 0xe06000 + i * 0x40000;

		/* DMA: switch, privileges, error messages; but not the job. */
		KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, dma + 0x000));
		KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, dma + 0x0b8));
		KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, dma + 0x0f0));
		KUNIT_EXPECT_FALSE(test, gaudi_closed(gdev, dma + 0x014));
		KUNIT_EXPECT_FALSE(test, gaudi_closed(gdev, dma + 0x078));
		/* TPC: the block of its credits as a whole, and the bits. */
		for (reg = 0; reg < 0x1000; reg += 4)
			KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, tpc + 0x1000 +
							     reg));
		KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, tpc + 0xf80));
	}
	for (i = 0; i < 4; i++) {
		/* MME: accumulator, SBAB, PRTN; of the control block, reset. */
		for (reg = 0; reg < 0x1000; reg += 4) {
			u32 mme = i * 0x80000 + reg;

			KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, 0x020000 + mme));
			KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, 0x040000 + mme));
			KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, 0x041000 + mme));
		}
		KUNIT_EXPECT_TRUE(test, gaudi_closed(gdev, 0x060f80 + i * 0x80000));
	}
}

/* --- Range registers --- */

/* Refused if strictly between the bounds of an enabled range. */
static bool gaudi_lbw_refuses(struct gaudi_device *gdev, u32 hit, u32 min, u32 max,
			      u32 reg)
{
	u32 enabled = gaudi_fake_reg(gdev, hit), i;

	for (i = 0; i < 16; i++)
		if (enabled & BIT(i) &&
		    reg > gaudi_fake_reg(gdev, min + 4 * i) &&
		    reg < gaudi_fake_reg(gdev, max + 4 * i))
			return true;
	return false;
}

static void gaudi_expect_lbw(struct kunit *test, u32 hit, u32 min, u32 max)
{
	static const struct {
		u32 reg;
		bool refused;
	} regs[] = {
		{ 0x060000, false },	/* MME 0 */
		{ 0x068000, false },
		{ 0x300000, true },	/* routers */
		{ 0x386000, true },
		{ 0x442000, true },	/* the embedded CPU's interface */
		{ 0x490000, false },	/* sync managers */
		{ 0x4f2000, false },
		{ 0x500000, false },	/* DMA 0, DMA 7 */
		{ 0x5e8000, false },
		{ 0x800040, true },	/* GIC */
		{ 0xc01000, true },	/* PCIE: wrapper, DBI, core, MSI */
		{ 0xc02000, true },
		{ 0xc04000, true },
		{ 0xc13000, true },
		{ 0xc11000, true },	/* MMU, STLB */
		{ 0xc12000, true },
		{ 0xc49000, false },	/* the timestamp is everybody's */
		{ 0xc4a000, true },	/* fuses, global configuration, PLL */
		{ 0xc4b000, true },
		{ 0xc70000, true },
		{ 0xce0000, false },	/* NIC 0 */
		{ 0xe06000, false },	/* TPC 0, TPC 7 */
		{ 0xfc8000, false },
		{ 0xfc9000, true },
		{ 0x3fffffc, true },	/* CoreSight's end */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		KUNIT_EXPECT_EQ_MSG(test, gaudi_lbw_refuses(test->priv, hit, min, max,
							    regs[i].reg),
				    regs[i].refused, "checker %#x, register %#x",
				    hit, regs[i].reg);
}

static void gaudi_registers_of_the_system_are_refused(struct kunit *test)
{
	u32 i, u;

	gaudi_security_init(test->priv);
	for (i = 0; i < 16; i++) {
		u32 rtr = (i < 8 ? 0x300000 : 0x380000) + i % 8 * 0x10000;

		gaudi_expect_lbw(test, rtr + 0x400, rtr + 0x410, rtr + 0x450);
		gaudi_expect_lbw(test, rtr + 0x490, rtr + 0x4a0, rtr + 0x4e0);
	}
	for (i = 0; i < 4; i++) {
		u32 dif = 0x480000 + i * 0x20000;

		/* sync manager, first and second DMA core of a corner */
		for (u = 0; u < 3; u++) {
			u32 rd = u ? 0x71c + 0x14 * (u - 1) : 0x700;

			gaudi_expect_lbw(test, dif + rd, dif + 0x100 + 0x200 * u,
					 dif + 0x140 + 0x200 * u);
			gaudi_expect_lbw(test, dif + rd + 4, dif + 0x180 + 0x200 * u,
					 dif + 0x1c0 + 0x200 * u);
		}
	}
}

static bool gaudi_hbw_refuses(struct gaudi_device *gdev, u32 ctrl, bool read,
			      u64 addr)
{
	u32 enabled = gaudi_fake_reg(gdev, ctrl + (read ? 0xa68 : 0xa64)), i;
	u32 at = ctrl + (read ? 0x824 : 0x5e4);

	for (i = 0; i < 16; i++) {
		u64 base, mask;

		if (!(enabled & BIT(i)))
			continue;
		base = gaudi_fake_reg(gdev, at + 4 * i) |
		       (u64)gaudi_fake_reg(gdev, at + 0x40 + 4 * i) << 32;
		mask = gaudi_fake_reg(gdev, at + 0x80 + 4 * i) |
		       (u64)gaudi_fake_reg(gdev, at + 0xc0 + 4 * i) << 32;
		if ((addr & mask) == base)
			return true;
	}
	return false;
}

static void gaudi_memory_of_the_system_is_refused(struct kunit *test)
{
	static const struct {
		u64 addr;
		bool write, read;	/* refused */
	} mem[] = {
		{ 0x0, true, true },		/* firmware and page tables */
		{ 0x10000000, true, true },
		{ 0x1ffffff8, true, true },
		{ 0x20000000, false, false },	/* what users get */
		{ 0x7ffffffff, false, false },
		{ 0x7ff0000000, true, false },	/* zeroes for padding */
		{ 0x7ff0000078, true, false },
		{ 0x7ff0000080, false, false },
		{ 0x7ff13ffff8, false, false },
		{ 0x8000000000, false, false },	/* host: the MMU's work */
		{ 0x1000000000000, false, false },
		{ GAUDI_FLASH_BASE, true, true },
		{ GAUDI_PSOC_SCRATCHPAD_BASE, true, true },
		{ GAUDI_PCIE_FW_SRAM_BASE, true, true },
	};
	struct gaudi_device *gdev = test->priv;
	u32 i, j, ctrl;

	gaudi_security_init(gdev);
	for (i = 0; i < 24; i++) {
		if (i < 16)
			ctrl = (i < 8 ? 0x306000 : 0x386000) + i % 8 * 0x10000;
		else
			ctrl = GAUDI_DMA_IF_DOWN_CH((i - 16) / 2, i % 2);
		for (j = 0; j < ARRAY_SIZE(mem); j++) {
			KUNIT_EXPECT_EQ_MSG(test, mem[j].write,
					    gaudi_hbw_refuses(gdev, ctrl, false,
							      mem[j].addr),
					    "%#x, write to %#llx", ctrl,
					    mem[j].addr);
			KUNIT_EXPECT_EQ_MSG(test, mem[j].read,
					    gaudi_hbw_refuses(gdev, ctrl, true,
							      mem[j].addr),
					    "%#x, read of %#llx", ctrl,
					    mem[j].addr);
		}
	}
}

/* --- Golden settings --- */

/* All get credits, and what firmware has set is left alone. */
static void gaudi_firmware_goes_first(struct kunit *test)
{
	static const struct {
		u32 bit, reg;
	} does[] = {
		{ GAUDI_BOOT_STS0_SRAM_SCR_EN, 0x26c },
		{ GAUDI_BOOT_STS0_DRAM_SCR_EN, 0x284 },
		{ GAUDI_BOOT_STS0_E2E_CRED_EN, 0x2ec },
		{ GAUDI_BOOT_STS0_E2E_CRED_EN, 0x2f0 },
		{ GAUDI_BOOT_STS0_E2E_CRED_EN, 0x2f4 },
		{ GAUDI_BOOT_STS0_E2E_CRED_EN, 0x2f8 },
		{ GAUDI_BOOT_STS0_E2E_CRED_EN, 0x41c },
		{ GAUDI_BOOT_STS0_E2E_CRED_EN, 0x420 },
	};
	struct gaudi_device *gdev = test->priv;
	unsigned int i, r;
	u32 ctrl, val;

	for (i = 0; i < ARRAY_SIZE(does); i++) {
		memset((__force void *)gdev->regs, 0xff, GAUDI_FAKE_REGS_SIZE);
		gdev->boot_sts0 = does[i].bit;
		gaudi_golden_hbm_scrambler(gdev);
		gaudi_golden_init(gdev);
		for (r = 0; r < 16; r++) {
			ctrl = (r < 8 ? 0x306000 : 0x386000) + r % 8 * 0x10000;
			KUNIT_EXPECT_EQ(test, ~0u,
					gaudi_fake_reg(gdev, ctrl +
						       does[i].reg));
		}
		gdev->boot_sts0 = ~does[i].bit;
		gaudi_golden_hbm_scrambler(gdev);
		gaudi_golden_init(gdev);
		for (r = 0; r < 16; r++) {
			ctrl = (r < 8 ? 0x306000 : 0x386000) + r % 8 * 0x10000;
			val = gaudi_fake_reg(gdev, ctrl + does[i].reg);
			KUNIT_EXPECT_GT(test, val, 0);
			KUNIT_EXPECT_LT(test, val, 512);
		}
	}
}

/* --- Instances and events --- */

static void gaudi_queue_managers(struct kunit *test)
{
	unsigned int i, j, qid;

	for (i = 0; i < GAUDI_NUM_QMAN; i++) {
		const struct gaudi_qman_desc *a = &gaudi_qmans[i];

		KUNIT_EXPECT_EQ(test, a->first_qid & 3, a->first_qid < 8 ? 0 :
				1);
		KUNIT_EXPECT_TRUE(test, is_power_of_2(a->pq_len));
		KUNIT_EXPECT_PTR_EQ(test, gaudi_qman_of_event(a->event_id), a);
		for (qid = 0; qid < 4; qid++)
			KUNIT_EXPECT_PTR_EQ(test, a,
					    gaudi_qman_of_queue(a->first_qid +
								qid));
		for (j = 0; j < i; j++) {
			const struct gaudi_qman_desc *b = &gaudi_qmans[j];

			KUNIT_EXPECT_NE(test, a->base, b->base);
			KUNIT_EXPECT_NE(test, a->engine_id, b->engine_id);
			KUNIT_EXPECT_NE(test, a->err_spi, b->err_spi);
			KUNIT_EXPECT_NE(test, a->event_id, b->event_id);
			KUNIT_EXPECT_GE(test, abs(a->first_qid - b->first_qid),
					4);
		}
	}
	KUNIT_EXPECT_NULL(test, gaudi_qman_of_queue(GAUDI_QUEUE_CPU));
	KUNIT_EXPECT_NULL(test, gaudi_qman_of_queue(GAUDI_NUM_QUEUES));
	KUNIT_EXPECT_NULL(test, gaudi_qman_of_queue(~0u));
	KUNIT_EXPECT_NULL(test, gaudi_qman_of_event(0));
}

static void gaudi_event_names(struct kunit *test)
{
	static const struct {
		u16 id;
		const char *name;
	} some[] = {
		{ 31, "N/A" }, { 32, "PCIE_CORE_SERR" }, { 45, "TPC7_SERR" },
		{ 66, "MME3_ACC_SERR" }, { 67, "MME3_ACC_DERR" },
		{ 69, "MME3_SBAB_DERR" }, { 92, "SRAM0_SERR" },
		{ 96, "SRAM7_SERR" }, { 99, "SRAM4_SERR" },
		{ 100, "SRAM8_SERR" }, { 199, "N/A" }, { 201, "TPC0_DEC" },
		{ 202, "N/A" }, { 215, "TPC7_DEC" }, { 343, "TPC7_KRN_ERR" },
		{ 590, "DMA7_QM" }, { 591, "N/A" }, { 662, "RAZWI_OR_ADC_SW" },
		{ 663, "N/A" }, { 65535, "N/A" },
	};
	unsigned int i, size;
	char name[32], cut[32];

	for (i = 0; i < ARRAY_SIZE(some); i++) {
		gaudi_event_name(some[i].id, name, sizeof(name));
		KUNIT_EXPECT_STREQ(test, name, some[i].name);
	}
	for (i = 0; i < GAUDI_NUM_EVENTS + 10; i++) {
		gaudi_event_name(i, name, sizeof(name));
		KUNIT_EXPECT_LT(test, strlen(name), sizeof(name) - 1);
		KUNIT_EXPECT_NULL(test, strchr(name, '%'));
		size = get_random_u32_inclusive(1, sizeof(cut));
		memset(cut, 'x', sizeof(cut));
		gaudi_event_name(i, cut, size);
		KUNIT_EXPECT_EQ(test, strlen(cut),
				min_t(size_t, strlen(name), size - 1));
		KUNIT_EXPECT_TRUE(test, strstarts(name, cut));
		if (size < sizeof(cut))
			KUNIT_EXPECT_EQ(test, cut[size], 'x');
	}
}

static struct kunit_case gaudi_kunit_tables_cases[] = {
	KUNIT_CASE(gaudi_queue_managers_are_protected),
	KUNIT_CASE(gaudi_engines_are_protected),
	KUNIT_CASE(gaudi_registers_of_the_system_are_refused),
	KUNIT_CASE(gaudi_memory_of_the_system_is_refused),
	KUNIT_CASE(gaudi_firmware_goes_first),
	KUNIT_CASE(gaudi_queue_managers),
	KUNIT_CASE(gaudi_event_names),
	{ }
};

static struct kunit_suite gaudi_kunit_tables_suite = {
	.name = "gaudi_tables",
	.init = gaudi_kunit_tables_init,
	.test_cases = gaudi_kunit_tables_cases,
};

kunit_test_suite(gaudi_kunit_tables_suite);
