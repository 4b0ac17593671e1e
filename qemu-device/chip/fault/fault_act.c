// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Faults that happen by themselves: error events with the registers that
 * belong to them, reports of accesses, interrupts without a cause, throttling,
 * firmware that goes wrong, and what only the slot can do.
 *
 * Source: how gaudi.c of Linux 6.12 decodes them, its register offsets, and the
 * payloads of cpucp_if.h (facts). Inferred: which HBM and which pseudo channel
 * an address belongs to; real controllers interleave in a way of their own.
 */
#include "catalogue.h"
#include "../bus/bus.h"
#include "../queues/queues.h"
#include "../soc/soc.h"
#include "../../../firmware-stub/gaudi_fw_stub.h"
#include "../../../uapi/hw/gaudi_fw_if.h"
#include "../../../uapi/hw/regs/gaudi_qman_regs.h"

/* An event of no consequence to a driver, for an overflow. */
#define EVENT_HARMLESS		GAUDI_EVENT_STATUS_NIC0_ENG0

/* ECC registers of TPC and MME blocks. */
#define ECC_ADDRESS		0xf1cu
#define ECC_SYNDROME		0xf20u
#define ECC_SERR		0xf30u
#define ECC_DERR		0xf40u
#define ECC_WORDS		4

/* HBM controllers: one page for two pseudo channels. */
#define HBM_CFG_BASE(n)		(0x600000u + (n) * 0x80000u)
#define HBM_CHANNEL(c)		((c) / 2 * 0x1000u + (c) % 2 * 0x10u)
#define HBM_ECC_COUNTS		0x60u
#define HBM_ECC_ADDRESS		0x64u
#define HBM_INTERRUPTS		0x6cu
#define HBM_INT_SERR		BIT(3)
#define HBM_INT_DERR		BIT(4)
#define HBM_COUNT_ONE(derr)	((derr) ? 1u << 24 : 1u << 16)
/* hbm_ecc_info of the event */
#define HBM_INFO_DERR		BIT(3)
#define HBM_INFO_SERR		BIT(4)
#define HBM_INFO_TYPE_DERR	BIT(5)
#define HBM_INFO_CHANNEL	GENMASK(10, 6)

#define HBM_CHANNELS		16

static uint64_t value(const struct gaudi_fault *f, enum gaudi_fault_key key,
		      uint64_t otherwise)
{
	return gaudi_fault_given(f, key) ? f->value[key] : otherwise;
}

/* Full means that it is lost, as others are; only "not yet" is worth a retry. */
static int post(struct gaudi_chip *chip, unsigned int id,
		const uint64_t *payload, unsigned int words)
{
	return gaudi_cpu_post_event(chip, id, payload, words) == -EAGAIN ?
	       -EAGAIN : 0;
}

/* --- memory ------------------------------------------------------------------- */

/* Rows have the order of the words of block= in fault_table.c. */
static const struct {
	uint16_t serr, derr;	/* event of unit 0 */
	uint8_t step;
	uint8_t units;
	bool has_regs;
	uint32_t base, stride;	/* where the driver reads what happened */
} ecc_blocks[] = {
	{ 32, 33, 2, 1 }, { 34, 35, 2, 1 }, { 36, 37, 2, 1 },
	{ 38, 46, 1, 8, true, GAUDI_TPC_CFG_BASE(0), 0x40000 },
	{ 54, 55, 4, 4, true, GAUDI_MME_ACC_BASE(0), 0x80000 },
	{ 56, 57, 4, 4, true, GAUDI_MME_SBAB_BASE(0), 0x80000 },
	{ 70, 78, 1, 8 }, { 86, 87, 2, 1 }, { 88, 90, 1, 2 },
	{ 92, 124, 1, 32 }, { 156, 166, 1, 5 }, { 176, 180, 1, 4 },
	{ 185, 189, 1, 4 }, { 193, 194, 1, 1 },
};

#define ECC_BLOCK_SRAM		9
/* Banks 4..7 of each eight have their events in the opposite order. */
#define SRAM_EVENT(bank)	((bank) & 4 ? (bank) ^ 3 : (bank))
#define ECC_WRAPPER		1	/* number of the memory in its block */

unsigned int gaudi_fault_ecc_units(unsigned int block)
{
	return ecc_blocks[block].units;
}

static void ecc_registers(struct gaudi_chip *chip, uint32_t base, bool derr,
			  uint64_t addr, uint32_t syndrome)
{
	uint32_t word = base + (derr ? ECC_DERR : ECC_SERR);
	unsigned int i;

	for (i = 0; i < ECC_WORDS; i++)
		gaudi_store_write(chip, word + 4 * i, i ? 0 :
				  1u << ECC_WRAPPER);
	gaudi_store_write(chip, base + ECC_ADDRESS, addr);
	gaudi_store_write(chip, base + ECC_SYNDROME, syndrome);
}

int gaudi_fault_do_ecc(struct gaudi_chip *chip, const struct gaudi_fault *f,
		       const struct gaudi_fault_place *at)
{
	bool derr = f->desc->arg;
	unsigned int b = value(f, GAUDI_FK_BLOCK, ECC_BLOCK_SRAM);
	unsigned int unit = value(f, GAUDI_FK_UNIT, 0);
	uint64_t addr = value(f, GAUDI_FK_REPORT, at->addr);
	uint32_t syndrome = value(f, GAUDI_FK_SYNDROME, derr ? 0x3 : 0x1);
	/* address, syndrome, then memory wrapper, critical, block */
	const uint64_t payload[3] = {
		addr, syndrome, ECC_WRAPPER | (uint64_t)derr << 8,
	};

	if (ecc_blocks[b].has_regs)
		ecc_registers(chip, ecc_blocks[b].base +
			      unit * ecc_blocks[b].stride, derr, addr,
			      syndrome);
	if (b == ECC_BLOCK_SRAM)
		unit = SRAM_EVENT(unit);
	return post(chip, (derr ? ecc_blocks[b].derr : ecc_blocks[b].serr) +
		    unit * ecc_blocks[b].step, payload, 3);
}

/* Told in the event, and for drivers that look there, in the controller. */
int gaudi_fault_do_hbm_ecc(struct gaudi_chip *chip,
			   const struct gaudi_fault *f,
			   const struct gaudi_fault_place *at)
{
	bool derr = f->desc->arg;
	uint64_t addr = value(f, GAUDI_FK_REPORT, at->addr);
	uint64_t part = GAUDI_HBM_SIZE / 4;
	unsigned int unit = value(f, GAUDI_FK_UNIT, addr / part % 4);
	unsigned int ch = value(f, GAUDI_FK_CHANNEL,
				addr / (part / HBM_CHANNELS) % HBM_CHANNELS);
	uint32_t reg = HBM_CFG_BASE(unit) + HBM_CHANNEL(ch);
	uint32_t first = addr % part;
	uint32_t info = FIELD_PREP(HBM_INFO_CHANNEL, ch) |
			(derr ? HBM_INFO_DERR | HBM_INFO_TYPE_DERR :
				HBM_INFO_SERR);
	/* single count, double count; info, address; same address */
	const uint64_t payload[3] = {
		derr ? 1ull << 32 : 1, info | (uint64_t)first << 32, 0,
	};

	gaudi_store_write(chip, reg + HBM_INTERRUPTS,
			  derr ? HBM_INT_DERR : HBM_INT_SERR);
	gaudi_store_write(chip, reg + HBM_ECC_COUNTS, HBM_COUNT_ONE(derr));
	gaudi_store_write(chip, reg + HBM_ECC_ADDRESS, first);
	return post(chip, (derr ? GAUDI_EVENT_HBM0_SPI_0 :
			   GAUDI_EVENT_HBM0_SPI_1) +
		    4 * unit, payload, 3);
}

int gaudi_fault_do_flip(struct gaudi_chip *chip, const struct gaudi_fault *f,
			const struct gaudi_fault_place *at)
{
	uint64_t addr = f->value[GAUDI_FK_ADDR];
	uint64_t mask = f->value[GAUDI_FK_MASK];
	uint8_t *ptr = NULL;
	unsigned int i;

	(void)at;
	if (addr <= chip->hbm.size - sizeof(mask))
		ptr = chip->hbm.ptr + addr;
	else if (addr >= GAUDI_SRAM_BASE && addr - GAUDI_SRAM_BASE <=
		 chip->sram.size - sizeof(mask))
		ptr = chip->sram.ptr + (addr - GAUDI_SRAM_BASE);
	if (!ptr) {
		gaudi_log(chip, GAUDI_LOG_INFO, "fault %s: no memory there",
			  f->spec);
		return 0;
	}
	/* Bits turn over one by one: what an engine writes beside them stays. */
	for (i = 0; i < sizeof(mask); i++)
		if (mask >> 8 * i & 0xff)
			__atomic_fetch_xor(ptr + i, mask >> 8 * i & 0xff,
					   __ATOMIC_RELAXED);
	return 0;
}

/* --- reports ---------------------------------------------------------------------- */

int gaudi_fault_do_razwi(struct gaudi_chip *chip, const struct gaudi_fault *f,
			 const struct gaudi_fault_place *at)
{
	const struct gaudi_txn txn = {
		.initiator = GAUDI_INIT_QMAN,
		.unit = f->value[GAUDI_FK_QUEUE],
	};

	(void)at;
	gaudi_razwi(chip, &txn, f->value[GAUDI_FK_ADDR],
		    f->value[GAUDI_FK_WRITE], "a fault on demand");
	return 0;
}

int gaudi_fault_do_qman_error(struct gaudi_chip *chip,
			      const struct gaudi_fault *f,
			      const struct gaudi_fault_place *at)
{
	(void)at;
	gaudi_qman_fail(chip, f->value[GAUDI_FK_QUEUE],
			f->value[GAUDI_FK_STREAM],
			1u << f->value[GAUDI_FK_ERROR]);
	return 0;
}

/* --- interrupts and events ----------------------------------------------------------- */

int gaudi_fault_do_msi(struct gaudi_chip *chip, const struct gaudi_fault *f,
		       const struct gaudi_fault_place *at)
{
	(void)at;
	gaudi_msi_pend(chip, f->value[GAUDI_FK_VECTOR]);
	return 0;
}

static int overflow(struct gaudi_chip *chip)
{
	unsigned int n = 2 * GAUDI_CPU_EQ_ENTRIES;
	int err = 0;

	while (n-- && !err)
		err = gaudi_cpu_post_event(chip, EVENT_HARMLESS, NULL, 0);
	return err == -EAGAIN ? err : 0;
}

int gaudi_fault_do_event(struct gaudi_chip *chip, const struct gaudi_fault *f,
			 const struct gaudi_fault_place *at)
{
	uint64_t payload[3] = { f->value[GAUDI_FK_DATA] };
	unsigned int id = value(f, GAUDI_FK_ID, f->desc->arg);

	(void)at;
	if (f->desc->arg == 1)
		return overflow(chip);
	id += f->value[GAUDI_FK_UNIT];
	if (id == GAUDI_EVENT_FW_ALIVE_S) {
		/* uptime in s; process and thread; severity */
		payload[0] = gaudi_now_ns(chip) / 1000000000;
		payload[1] = 1 | 1ull << 32;
		payload[2] = f->value[GAUDI_FK_ERROR];
	}
	return post(chip, id, payload, 3);
}

/* --- firmware -------------------------------------------------------------------------- */

static uint64_t command_value(const struct gaudi_fault *f)
{
	switch (f->desc->arg) {
	case GAUDI_FW_FAULT_CMD_LATE:
		return f->value[GAUDI_FK_MS];
	case GAUDI_FW_FAULT_CMD_RC:
		return f->value[GAUDI_FK_RC];
	case GAUDI_FW_FAULT_CMD_RESULT:
		return f->value[GAUDI_FK_RESULT];
	case GAUDI_FW_FAULT_CMD_GARBAGE:
		return f->value[GAUDI_FK_DATA] & 0xffffffffffffull;
	default:
		return 0;
	}
}

static uint64_t firmware_arg(const struct gaudi_fault *f)
{
	switch (f->desc->arg) {
	case GAUDI_FW_FAULT_BOOT_ERR0:
	case GAUDI_FW_FAULT_DESC:
	case GAUDI_FW_FAULT_COMMS_STATUS:
		return f->value[GAUDI_FK_ERROR];
	case GAUDI_FW_FAULT_BOOT_STUCK:
		return f->value[GAUDI_FK_STAGE];
	case GAUDI_FW_FAULT_BOOT_LATE:
		return f->value[GAUDI_FK_MS];
	case GAUDI_FW_FAULT_CMD_SILENT:
		/* Of the two names one is of the heartbeat alone. */
		if (!(f->desc->keys & GAUDI_FKB(OPCODE)))
			return GAUDI_FW_FAULT_CMD(GAUDI_CPUCP_TEST, 0);
		break;
	}
	return GAUDI_FW_FAULT_CMD(f->value[GAUDI_FK_OPCODE],
				  command_value(f));
}

/* From now on it is the firmware's: it counts, 0 means always. */
int gaudi_fault_do_firmware(struct gaudi_chip *chip,
			    const struct gaudi_fault *f,
			    const struct gaudi_fault_place *at)
{
	uint64_t count = f->value[GAUDI_FK_COUNT];

	(void)at;
	gaudi_fw_fault(gaudi_cpu_firmware(chip), f->desc->arg, firmware_arg(f),
		       count == GAUDI_FAULT_ALL ? 0 : count);
	return 0;
}

int gaudi_fault_do_throttle(struct gaudi_chip *chip,
			    const struct gaudi_fault *f,
			    const struct gaudi_fault_place *at)
{
	unsigned int heat = f->desc->arg;
	int err = gaudi_fw_throttle(gaudi_cpu_firmware(chip), heat, true);

	(void)at;
	if (err)
		return err;
	chip->faults->throttle_end_ns[heat] =
		gaudi_fault_given(f, GAUDI_FK_MS) ? gaudi_now_ns(chip) +
		f->value[GAUDI_FK_MS] * 1000000 : UINT64_MAX;
	return 0;
}

/* --- the slot ------------------------------------------------------------------------------ */

int gaudi_fault_do_host(struct gaudi_chip *chip, const struct gaudi_fault *f,
			const struct gaudi_fault_place *at)
{
	(void)at;
	chip->outbox.host_faults |= 1u << f->desc->arg;
	return 0;
}

int gaudi_fault_do_aer(struct gaudi_chip *chip, const struct gaudi_fault *f,
		       const struct gaudi_fault_place *at)
{
	/* One of a kind at a time, and each is to be seen. */
	if (chip->outbox.host_faults >> f->desc->arg & 1)
		return -EAGAIN;
	chip->outbox.aer_status[f->desc->arg - GAUDI_HOST_AER_COR] =
		f->value[GAUDI_FK_ERROR];
	return gaudi_fault_do_host(chip, f, at);
}

int gaudi_fault_do_link(struct gaudi_chip *chip, const struct gaudi_fault *f,
			const struct gaudi_fault_place *at)
{
	chip->faults->link_up_ns = gaudi_now_ns(chip) +
				  f->value[GAUDI_FK_MS] * 1000000;
	chip->fault_sites |= 1u << GAUDI_FAULT_LINK;
	return gaudi_fault_do_host(chip, f, at);
}
