// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Which initiator may reach which address: the range registers at the routers
 * and DMA interfaces, the protection bits of the register blocks, and the report
 * of an access that was refused or that nothing answers (RAZWI).
 *
 * All of it concerns unprivileged accesses of engines only. Nothing is refused
 * until a driver has set up the ranges.
 *
 * Source: gaudi_security.c and gaudi_masks.h of mainline's habanalabs driver,
 * Linux 6.12 (facts).
 */
#include "bus_state.h"
#include "../../../uapi/hw/gaudi_fw_if.h"
#include "../../../uapi/hw/regs/gaudi_mmu_regs.h"
#include "../../../uapi/hw/regs/gaudi_rtr_regs.h"

#define NUM_RANGES		16
#define ALL_RANGES		((1u << NUM_RANGES) - 1)

/* --- where initiators sit --------------------------------------------------- */

/* Place in the mesh, as RAZWI ids name it. */
struct place {
	uint8_t x, y, axi;
};

enum {
	AXI_MME, AXI_TPC, AXI_DMA, AXI_NIC, AXI_PCI, AXI_CPU, AXI_PSOC,
	AXI_MMU, AXI_NIC_FT
};

static const struct place dma_place[GAUDI_NUM_DMA] = {
	{ 0, 1, AXI_DMA }, { 9, 1, AXI_DMA }, { 0, 2, AXI_DMA },
	{ 9, 2, AXI_DMA }, { 0, 3, AXI_DMA }, { 9, 3, AXI_DMA },
	{ 0, 4, AXI_DMA }, { 9, 4, AXI_DMA },
};

static const struct place tpc_place[GAUDI_NUM_TPC] = {
	{ 1, 1, AXI_TPC }, { 2, 1, AXI_TPC }, { 7, 1, AXI_TPC },
	{ 8, 1, AXI_TPC }, { 1, 6, AXI_TPC }, { 2, 6, AXI_TPC },
	{ 7, 6, AXI_TPC }, { 8, 6, AXI_TPC },
};

static const struct place mme_place[GAUDI_NUM_MME] = {
	{ 3, 1, AXI_MME }, { 5, 1, AXI_MME },
	{ 3, 6, AXI_MME }, { 5, 6, AXI_MME },
};

static const struct place nic_place[GAUDI_NUM_NIC_MACRO] = {
	{ 1, 1, AXI_NIC }, { 1, 6, AXI_NIC }, { 1, 6, AXI_NIC_FT },
	{ 8, 6, AXI_NIC }, { 8, 6, AXI_NIC_FT },
};

/* At the interfaces that carry DMA 0, 1, 4 and 5. */
static const struct place sync_place[GAUDI_NUM_SYNC_MNGR] = {
	{ 0, 1, AXI_DMA }, { 9, 1, AXI_DMA }, { 0, 3, AXI_DMA },
	{ 9, 3, AXI_DMA },
};

static struct place qman_place(unsigned int qman)
{
	if (qman < GAUDI_QMAN_MME0)
		return dma_place[qman - GAUDI_QMAN_DMA];
	if (qman < GAUDI_QMAN_NIC)
		return mme_place[2 * (qman - GAUDI_QMAN_MME0)];
	if (qman < GAUDI_QMAN_TPC)
		return nic_place[(qman - GAUDI_QMAN_NIC) / 2];
	return tpc_place[(qman - GAUDI_QMAN_TPC) % GAUDI_NUM_TPC];
}

static struct place place_of(const struct gaudi_txn *txn)
{
	struct place p = { 8, 1, AXI_PCI };

	switch (txn->initiator) {
	case GAUDI_INIT_DMA:
		return dma_place[txn->unit % GAUDI_NUM_DMA];
	case GAUDI_INIT_TPC:
		return tpc_place[txn->unit % GAUDI_NUM_TPC];
	case GAUDI_INIT_MME:
		return mme_place[txn->unit % GAUDI_NUM_MME];
	case GAUDI_INIT_NIC:
		return nic_place[txn->unit / 2 % GAUDI_NUM_NIC_MACRO];
	case GAUDI_INIT_QMAN:
		return qman_place(txn->unit);
	case GAUDI_INIT_SYNC:
		return sync_place[txn->unit % GAUDI_NUM_SYNC_MNGR];
	case GAUDI_INIT_CPU:
		p.axi = AXI_CPU;
		return p;
	default:
		return p;
	}
}

/* --- RAZWI ------------------------------------------------------------------- */

void gaudi_razwi(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		 uint64_t addr, bool write, const char *why)
{
	uint32_t vld = GAUDI_MMU_UP_BASE +
		       (write ? MMU_UP_RAZWI_WRITE_VLD : MMU_UP_RAZWI_READ_VLD);
	struct place p = place_of(txn);

	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "%s of device address 0x%llx refused: %s",
		  write ? "write" : "read", (unsigned long long)addr, why);
	/* The first one stays until the driver releases it. */
	if (gaudi_store_read(chip, vld))
		return;
	gaudi_store_write(chip, vld, 1);
	gaudi_store_write(chip, vld + 4, FIELD_PREP(MMU_UP_RAZWI_ID_AXI, p.axi) |
			  FIELD_PREP(MMU_UP_RAZWI_ID_X, p.x) |
			  FIELD_PREP(MMU_UP_RAZWI_ID_Y, p.y));
	/* Firmware's own mistakes are not told to the driver. */
	if (txn->initiator != GAUDI_INIT_CPU)
		gaudi_cpu_spi(chip, GAUDI_SPI_RAZWI_OR_ADC);
}

/* --- range registers ---------------------------------------------------------- */

/* Registers of the low-bandwidth ranges, of one page; a hit is min < offset < max. */
struct lbw_set {
	uint32_t hit;		/* bit n: range n counts */
	uint32_t min;
	uint32_t max;
};

/* Whose ranges, in a DMA interface. */
enum { USER_SOB, USER_DMA0 };

/* The interface of a DMA core: west or east, south or north; and its channel. */
static unsigned int dma_if_of(struct place p)
{
	return !!p.x + 2 * (p.y >= 3);
}

static unsigned int dma_if_channel(struct place p)
{
	return (p.y - 1) & 1;
}

static struct lbw_set dma_if_set(unsigned int dma_if, unsigned int user, bool write)
{
	uint32_t base = GAUDI_DMA_IF_BASE(dma_if);
	struct lbw_set s = {
		.min = base + (write ? DMA_IF_MIN_WPROT(user, 0) : DMA_IF_MIN_RPROT(user, 0)),
		.max = base + (write ? DMA_IF_MAX_WPROT(user, 0) : DMA_IF_MAX_RPROT(user, 0)),
	};

	if (user == USER_SOB)
		s.hit = base + (write ? DMA_IF_SOB_HIT_WPROT : DMA_IF_SOB_HIT_RPROT);
	else
		s.hit = base + (write ? DMA_IF_DMA_HIT_WPROT(user - USER_DMA0) :
					DMA_IF_DMA_HIT_RPROT(user - USER_DMA0));
	return s;
}

static struct lbw_set lbw_of(const struct gaudi_txn *txn, bool write)
{
	struct place p = place_of(txn);
	uint32_t base;

	if (txn->initiator == GAUDI_INIT_SYNC)
		return dma_if_set(txn->unit % GAUDI_NUM_SYNC_MNGR, USER_SOB, write);
	if (p.axi == AXI_DMA)
		return dma_if_set(dma_if_of(p), USER_DMA0 + dma_if_channel(p), write);
	base = p.y == 1 ? GAUDI_SIF_RTR(p.x - 1) : GAUDI_NIF_RTR(p.x - 1);
	if (write)
		return (struct lbw_set){ base + RTR_LBW_RANGE_PROT_HIT_AW,
					 base + RTR_LBW_RANGE_PROT_MIN_AW_0,
					 base + RTR_LBW_RANGE_PROT_MAX_AW_0 };
	return (struct lbw_set){ base + RTR_LBW_RANGE_PROT_HIT_AR,
				 base + RTR_LBW_RANGE_PROT_MIN_AR_0,
				 base + RTR_LBW_RANGE_PROT_MAX_AR_0 };
}

static bool lbw_refused(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint32_t cfg_off, bool write)
{
	struct lbw_set s = lbw_of(txn, write);
	const struct gaudi_reg_values *page = gaudi_store_page(chip, s.hit);
	unsigned int i;
	uint32_t hit;

	if (!page)
		return false;
	hit = gaudi_page_reg(page, s.hit) & ALL_RANGES;
	for (; hit; hit &= hit - 1) {
		i = __builtin_ctz(hit);
		if (cfg_off > gaudi_page_reg(page, s.min + 4 * i) &&
		    cfg_off < gaudi_page_reg(page, s.max + 4 * i))
			return true;
	}
	return false;
}

/* Offsets of the high-bandwidth ranges, for reads and for writes. */
static const struct {
	uint16_t hit, base_lo, base_hi, mask_lo, mask_hi;
} hbw_regs[2] = {
	{ RTR_CTRL_RANGE_SEC_HIT_AR,
	  RTR_CTRL_RANGE_SEC_BASE_LOW_AR_0, RTR_CTRL_RANGE_SEC_BASE_HIGH_AR_0,
	  RTR_CTRL_RANGE_SEC_MASK_LOW_AR_0, RTR_CTRL_RANGE_SEC_MASK_HIGH_AR_0 },
	{ RTR_CTRL_RANGE_SEC_HIT_AW,
	  RTR_CTRL_RANGE_SEC_BASE_LOW_AW_0, RTR_CTRL_RANGE_SEC_BASE_HIGH_AW_0,
	  RTR_CTRL_RANGE_SEC_MASK_LOW_AW_0, RTR_CTRL_RANGE_SEC_MASK_HIGH_AW_0 },
};

static uint32_t hbw_block(const struct gaudi_txn *txn)
{
	struct place p = place_of(txn);

	if (p.axi == AXI_DMA)
		return GAUDI_DMA_IF_DOWN_CH(dma_if_of(p), dma_if_channel(p));
	return p.y == 1 ? GAUDI_SIF_RTR_CTRL(p.x - 1) : GAUDI_NIF_RTR_CTRL(p.x - 1);
}

static uint64_t two_words(const struct gaudi_reg_values *page, uint32_t lo,
			  uint32_t hi)
{
	return (uint64_t)gaudi_page_reg(page, hi) << 32 | gaudi_page_reg(page, lo);
}

/*
 * A range covers the addresses that agree with base where mask has ones.
 * *left is cut to where the answer may change. All registers are in one page.
 */
static bool hbw_refused(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint64_t addr, bool write, uint64_t *left)
{
	const struct gaudi_reg_values *page = gaudi_store_page(chip, hbw_block(txn));
	uint64_t base, mask, start;
	unsigned int i;
	uint32_t hit;

	/* Without memory for them no driver has set any up. */
	if (!page)
		return false;
	hit = gaudi_page_reg(page, hbw_regs[write].hit) & ALL_RANGES;
	for (; hit; hit &= hit - 1) {
		i = __builtin_ctz(hit);
		base = two_words(page, hbw_regs[write].base_lo + 4 * i,
				 hbw_regs[write].base_hi + 4 * i);
		mask = two_words(page, hbw_regs[write].mask_lo + 4 * i,
				 hbw_regs[write].mask_hi + 4 * i);
		if ((addr & mask) == (base & mask))
			return true;
		start = base & mask;
		if (addr < start && *left > start - addr)
			*left = start - addr;
	}
	return false;
}

/* --- protection bits ------------------------------------------------------------ */

/* The word of 32 registers, which has a one for each that everybody may write. */
static uint32_t prot_bits(struct gaudi_chip *chip, uint32_t cfg_off)
{
	uint32_t in_page = cfg_off & (GAUDI_PAGE_SIZE - 1);

	return gaudi_store_read(chip, cfg_off - in_page + GAUDI_PROT_BITS_OFFSET +
				(in_page >> 7) * 4);
}

static uint32_t prot_bit(uint32_t cfg_off)
{
	return 1u << (cfg_off & 0x7f) / 4;
}

static bool reg_protected(struct gaudi_chip *chip, uint32_t cfg_off)
{
	/* Nearly all that is accessed lets everybody in: that is looked at first. */
	return !(prot_bits(chip, cfg_off) & prot_bit(cfg_off)) &&
	       gaudi_has_prot_bits(chip, cfg_off);
}

/* --- the checks ------------------------------------------------------------------- */

static bool is_privileged(const struct gaudi_txn *txn)
{
	return txn->secure || txn->initiator == GAUDI_INIT_PCI ||
	       txn->initiator == GAUDI_INIT_CPU;
}

bool gaudi_mem_allowed(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		       uint64_t addr, bool write, uint64_t *left)
{
	return is_privileged(txn) || !hbw_refused(chip, txn, addr, write, left);
}

int gaudi_protect_mem(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, bool write, uint64_t *left)
{
	if (gaudi_mem_allowed(chip, txn, addr, write, left))
		return 0;
	gaudi_razwi(chip, txn, addr, write, "a protected range");
	return -EFAULT;
}

int gaudi_protect_reg(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint32_t cfg_off, bool write)
{
	char name[80];

	if (is_privileged(txn))
		return 0;
	if (!lbw_refused(chip, txn, cfg_off, write) &&
	    !reg_protected(chip, cfg_off))
		return 0;
	gaudi_razwi(chip, txn, GAUDI_CFG_BASE + cfg_off, write,
		    gaudi_reg_name(chip, cfg_off, name, sizeof(name)));
	return -EFAULT;
}

int gaudi_protect_local(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint32_t cfg_off)
{
	char name[80];

	/* The engine's bus has nothing but its blocks on it. */
	if (gaudi_has_prot_bits(chip, cfg_off) &&
	    (is_privileged(txn) || !reg_protected(chip, cfg_off)))
		return 0;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "QMAN %u: write to the protected register %s refused",
		  txn->unit, gaudi_reg_name(chip, cfg_off, name, sizeof(name)));
	return -EPERM;
}

unsigned int gaudi_local_open(struct gaudi_chip *chip, uint32_t cfg_off,
			      unsigned int count)
{
	uint32_t bits = 0;
	unsigned int n;

	if (!gaudi_has_prot_bits(chip, cfg_off))
		return 0;
	for (n = 0; n < count; n++, cfg_off += 4) {
		if (!n || prot_bit(cfg_off) == 1)
			bits = prot_bits(chip, cfg_off);
		if (!(bits & prot_bit(cfg_off)))
			break;
	}
	return n;
}
