// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The catalogue of faults: their names, the keys that each takes, and what is
 * done when one strikes. Documentation/faults.rst explains it; a test compares
 * the two.
 *
 * Not here: how a text is read (fault_spec.c), and what the faults do.
 */
#include "catalogue.h"
#include "../../../firmware-stub/gaudi_fw_stub.h"
#include "../../../uapi/hw/gaudi_fw_if.h"
#include "../../../uapi/hw/regs/gaudi_dma_core_regs.h"

#define K(key)		(1ull << GAUDI_FK_##key)
#define OCCUR		(K(AFTER) | K(EVERY) | K(PPM) | K(SEED))
#define RANGE		(K(ADDR) | K(SIZE))
#define IN_STREAM	(K(QUEUE) | K(STREAM))
/* Which packets of a port. */
#define PACKETS		(K(UNIT) | K(OPCODE) | OCCUR)
/* What an action may wait for: an access or a job. */
#define ON_JOB		(K(QUEUE) | K(STREAM) | K(JOB) | K(EVERY_MS))
#define WHEN		(ON_JOB | RANGE | OCCUR)

const struct gaudi_fault_key_desc gaudi_fault_keys[GAUDI_FAULT_KEYS] = {
	[GAUDI_FK_AT_MS] = { "at-ms", "so many milliseconds after arming",
		GAUDI_FT_NUMBER, 0, 86400000 },
	[GAUDI_FK_AFTER] = { "after", "lets so many pass first",
		GAUDI_FT_NUMBER, 0, UINT32_MAX },
	[GAUDI_FK_COUNT] = { "count", "strikes so often, or all; default 1",
		GAUDI_FT_COUNT, 1, UINT32_MAX },
	[GAUDI_FK_EVERY] = { "every", "strikes each Nth that matches",
		GAUDI_FT_NUMBER, 1, UINT32_MAX },
	[GAUDI_FK_EVERY_MS] = { "every-ms", "time between two of count",
		GAUDI_FT_NUMBER, 1, 86400000 },
	[GAUDI_FK_PPM] = { "ppm", "strikes so many of a million, by chance",
		GAUDI_FT_NUMBER, 1, 1000000 },
	[GAUDI_FK_SEED] = { "seed", "of that chance; default 0",
		GAUDI_FT_NUMBER, 0, UINT64_MAX },
	[GAUDI_FK_ADDR] = { "addr", "address as the access names it",
		GAUDI_FT_NUMBER, 0, UINT64_MAX },
	[GAUDI_FK_SIZE] = { "size", "bytes from addr on; default 1",
		GAUDI_FT_NUMBER, 1, UINT64_MAX },
	[GAUDI_FK_QUEUE] = { "queue", "dma0..7 mme0 mme2 nic0..9 tpc0..7",
		GAUDI_FT_QUEUE, 0, GAUDI_NUM_QMAN - 1 },
	[GAUDI_FK_STREAM] = { "stream", "0..3, 4: the lower CP",
		GAUDI_FT_NUMBER, 0, 4 },
	[GAUDI_FK_JOB] = { "job", "Nth command buffer from arming, 1 first",
		GAUDI_FT_NUMBER, 1, UINT32_MAX },
	[GAUDI_FK_BLOCK] = { "block", "whose memory", GAUDI_FT_WORD },
	[GAUDI_FK_BYTES] = { "bytes", "that are not copied",
		GAUDI_FT_NUMBER, 1, UINT32_MAX },
	[GAUDI_FK_CHANNEL] = { "channel", "pseudo channel of the HBM",
		GAUDI_FT_NUMBER, 0, 15 },
	[GAUDI_FK_DATA] = { "data", "first word of the payload",
		GAUDI_FT_NUMBER, 0, UINT64_MAX },
	[GAUDI_FK_ERROR] = { "error", "which one", GAUDI_FT_WORD },
	[GAUDI_FK_FENCE] = { "fence", "counter 0..3",
		GAUDI_FT_NUMBER, 0, 3 },
	[GAUDI_FK_ID] = { "id", "number of the event",
		GAUDI_FT_NUMBER, 0, 662 },
	[GAUDI_FK_MASK] = { "mask", "bits to turn over; default 1",
		GAUDI_FT_NUMBER, 1, UINT64_MAX },
	[GAUDI_FK_MS] = { "ms", "milliseconds that it lasts",
		GAUDI_FT_NUMBER, 1, 86400000 },
	[GAUDI_FK_NS_PER_KIB] = { "ns-per-kib", "extra time",
		GAUDI_FT_NUMBER, 1, 1000000000 },
	[GAUDI_FK_OPCODE] = { "opcode", "of command or packet; default: any",
		GAUDI_FT_NUMBER, 1, UINT16_MAX },
	[GAUDI_FK_RC] = { "rc", "return code", GAUDI_FT_NUMBER, 1, 15 },
	[GAUDI_FK_REPORT] = { "report", "address to be reported",
		GAUDI_FT_NUMBER, 0, UINT64_MAX },
	[GAUDI_FK_RESULT] = { "result", "in place of the right one",
		GAUDI_FT_NUMBER, 0, (1ull << 48) - 1 },
	[GAUDI_FK_STAGE] = { "stage", "boot status", GAUDI_FT_WORD },
	[GAUDI_FK_SYNDROME] = { "syndrome", "of the ECC",
		GAUDI_FT_NUMBER, 0, UINT32_MAX },
	[GAUDI_FK_UNIT] = { "unit", "which; default: 0, of what passes: any",
		GAUDI_FT_NUMBER, 0, 31 },
	[GAUDI_FK_US] = { "us", "microseconds that it takes",
		GAUDI_FT_NUMBER, 1, 86400000000 },
	[GAUDI_FK_VECTOR] = { "vector", "MSI 0..31; default: any",
		GAUDI_FT_NUMBER, 0, GAUDI_NUM_MSI - 1 },
	[GAUDI_FK_WAY] = { "way", "out or in; default: both", GAUDI_FT_WAY },
	[GAUDI_FK_WRITE] = { "write", "1: a write, 0: a read",
		GAUDI_FT_NUMBER, 0, 1 },
};

/* Numbers of fault_act.c's table of blocks with ECC. */
static const struct gaudi_fault_word ecc_blocks[] = {
	{ "pcie-core", 0 }, { "pcie-if", 1 }, { "pcie-phy", 2 },
	{ "tpc", 3 }, { "mme-acc", 4 }, { "mme-sbab", 5 }, { "dma", 6 },
	{ "cpu-if", 7 }, { "psoc", 8 }, { "sram", 9 }, { "nic", 10 },
	{ "dma-if", 11 }, { "hbm-mc", 12 }, { "mmu", 13 }, { NULL },
};

static const struct gaudi_fault_word qman_errors[] = {
	{ "pqf-rd", 0 }, { "cqf-rd", 1 }, { "cp-rd", 2 },
	{ "cp-undef-cmd", 3 }, { "cp-stop-op", 4 }, { "cp-msg-wr", 5 },
	{ "cp-wreg", 6 }, { "fence0-ovf", 8 }, { "fence1-ovf", 9 },
	{ "fence2-ovf", 10 }, { "fence3-ovf", 11 }, { "fence0-udf", 12 },
	{ "fence1-udf", 13 }, { "fence2-udf", 14 }, { "fence3-udf", 15 },
	{ NULL },
};

static const struct gaudi_fault_word dma_errors[] = {
	{ "hbw-rd", DMA_CORE_ERR_CAUSE_HBW_RD },
	{ "hbw-wr", DMA_CORE_ERR_CAUSE_HBW_WR },
	{ "lbw-wr", DMA_CORE_ERR_CAUSE_LBW_WR },
	{ "desc-ovf", DMA_CORE_ERR_CAUSE_DESC_OVF }, { NULL },
};

/* Bits of the AER status registers (PCI Express base specification). */
static const struct gaudi_fault_word aer_correctable[] = {
	{ "receiver", 1u << 0 }, { "bad-tlp", 1u << 6 },
	{ "bad-dllp", 1u << 7 }, { "replay-rollover", 1u << 8 },
	{ "replay-timeout", 1u << 12 }, { NULL },
};

static const struct gaudi_fault_word aer_uncorrectable[] = {
	{ "link-protocol", 1u << 4 }, { "poisoned-tlp", 1u << 12 },
	{ "flow-control", 1u << 13 }, { "completion-timeout", 1u << 14 },
	{ "completer-abort", 1u << 15 },
	{ "unexpected-completion", 1u << 16 },
	{ "receiver-overflow", 1u << 17 }, { "malformed-tlp", 1u << 18 },
	{ "ecrc", 1u << 19 }, { "unsupported-request", 1u << 20 }, { NULL },
};

/* Bits of CPU_BOOT_ERR0, hl_boot_if.h (facts). */
static const struct gaudi_fault_word boot_errors[] = {
	{ "dram-init-fail", 1u << 0 }, { "fit-corrupted", 1u << 1 },
	{ "ts-init-fail", 1u << 2 }, { "dram-skipped", 1u << 3 },
	{ "bmc-wait-skipped", 1u << 4 }, { "nic-data-not-rdy", 1u << 5 },
	{ "nic-fw-fail", 1u << 6 }, { "security-not-rdy", 1u << 7 },
	{ "security-fail", 1u << 8 }, { "efuse-fail", 1u << 9 },
	{ "pri-img-ver-fail", 1u << 10 }, { "sec-img-ver-fail", 1u << 11 },
	{ "pll-fail", 1u << 12 }, { "device-unusable-fail", 1u << 13 },
	{ "boot-fw-crit-err", 1u << 18 }, { "binning-fail", 1u << 19 },
	{ "tpm-fail", 1u << 20 }, { "tmp-thresh-init-fail", 1u << 21 },
	{ "eeprom-fail", 1u << 22 }, { "eng-arc-mem-scrub-fail", 1u << 23 },
	{ NULL },
};

static const struct gaudi_fault_word boot_stages[] = {
	{ "na", GAUDI_BOOT_STATUS_NA },
	{ "in-btl", GAUDI_BOOT_STATUS_IN_BTL },
	{ "in-preboot", GAUDI_BOOT_STATUS_IN_PREBOOT },
	{ "waiting-for-boot-fit", GAUDI_BOOT_STATUS_WAITING_FOR_BOOT_FIT },
	{ "in-uboot", GAUDI_BOOT_STATUS_IN_UBOOT },
	{ "dram-rdy", GAUDI_BOOT_STATUS_DRAM_RDY },
	{ "nic-fw-rdy", GAUDI_BOOT_STATUS_NIC_FW_RDY },
	{ "ready-to-boot", GAUDI_BOOT_STATUS_READY_TO_BOOT }, { NULL },
};

static const struct gaudi_fault_word descriptor_damages[] = {
	{ "crc", GAUDI_FW_DESC_CRC }, { "magic", GAUDI_FW_DESC_MAGIC },
	{ "version", GAUDI_FW_DESC_VERSION }, { "size", GAUDI_FW_DESC_SIZE },
	{ "image-address", GAUDI_FW_DESC_IMG_ADDR },
	{ "image-end", GAUDI_FW_DESC_IMG_END },
	{ "offset", GAUDI_FW_DESC_OFFSET },
	{ "ram-type", GAUDI_FW_DESC_RAM_TYPE },
	{ "irq-registers", GAUDI_FW_DESC_IRQS }, { NULL },
};

static const struct gaudi_fault_word comms_answers[] = {
	{ "noop", GAUDI_COMMS_STS_NOOP }, { "err", GAUDI_COMMS_STS_ERR },
	{ "valid-err", GAUDI_COMMS_STS_VALID_ERR },
	{ "timeout-err", GAUDI_COMMS_STS_TIMEOUT_ERR }, { "unknown", 15 },
	{ NULL },
};

static const struct gaudi_fault_word alive_severities[] = {
	{ "minor", 0 }, { "critical", 1 }, { NULL },
};

#define ACT(fn, number)	.act = gaudi_fault_do_##fn, .arg = (number)
#define PACKET(fate)	GAUDI_FAULT_FRAME, .units = GAUDI_NUM_NIC_ENGINE, \
			.arg = GAUDI_FRAME_##fate
#define FW(kind)	.act = gaudi_fault_do_firmware, \
			.arg = GAUDI_FW_FAULT_##kind, .firmware = true

const struct gaudi_fault_desc gaudi_fault_table[] = {
	/* memory */
	{ "hbm-ecc-single", "an error of one bit in HBM, corrected",
	  .keys = WHEN | K(UNIT) | K(CHANNEL) | K(REPORT), .units = 4,
	  .waits_for_addr = true, ACT(hbm_ecc, 0) },
	{ "hbm-ecc-double", "an error of two bits in HBM, fatal",
	  .keys = WHEN | K(UNIT) | K(CHANNEL) | K(REPORT), .units = 4,
	  .waits_for_addr = true, ACT(hbm_ecc, 1) },
	{ "sram-ecc-single", "an error of one bit in SRAM, corrected",
	  .keys = WHEN | K(UNIT) | K(REPORT) | K(SYNDROME), .units = 32,
	  .waits_for_addr = true, ACT(ecc, 0) },
	{ "sram-ecc-double", "an error of two bits in SRAM, fatal",
	  .keys = WHEN | K(UNIT) | K(REPORT) | K(SYNDROME), .units = 32,
	  .waits_for_addr = true, ACT(ecc, 1) },
	{ "ecc-single", "an error of one bit in a block's memory",
	  .keys = ON_JOB | K(BLOCK) | K(UNIT) | K(REPORT) | K(SYNDROME),
	  .needs = K(BLOCK), .words = ecc_blocks, .units = 32, ACT(ecc, 0) },
	{ "ecc-double", "an error of two bits in a block's memory, fatal",
	  .keys = ON_JOB | K(BLOCK) | K(UNIT) | K(REPORT) | K(SYNDROME),
	  .needs = K(BLOCK), .words = ecc_blocks, .units = 32, ACT(ecc, 1) },
	{ "mem-flip", "turns bits of HBM or SRAM over, and tells nobody",
	  .keys = ON_JOB | K(ADDR) | K(MASK), .needs = K(ADDR),
	  ACT(flip, 0) },

	/* accesses */
	{ "razwi", "reports an access of an engine as refused",
	  .keys = K(QUEUE) | K(ADDR) | K(WRITE) | K(EVERY_MS),
	  .needs = K(QUEUE), ACT(razwi, 0) },
	{ "access-refused", "an engine's access is refused",
	  GAUDI_FAULT_ACCESS, .keys = RANGE | K(QUEUE) | OCCUR },
	{ "page-fault", "the MMU finds no page",
	  GAUDI_FAULT_TRANSLATE, .keys = RANGE | K(QUEUE) | OCCUR },
	{ "mmu-access-error", "the MMU finds broken tables",
	  GAUDI_FAULT_TRANSLATE, .keys = RANGE | K(QUEUE) | OCCUR, .arg = 1 },
	{ "message-lost", "a 32-bit write of an engine never arrives",
	  GAUDI_FAULT_MESSAGE, .keys = RANGE | K(QUEUE) | OCCUR },

	/* queues */
	{ "bad-opcode", "a packet has an undefined opcode",
	  GAUDI_FAULT_PACKET, .keys = IN_STREAM | K(JOB) | OCCUR },
	{ "stuck-fence", "an increment of a fence counter is lost",
	  GAUDI_FAULT_FENCE, .keys = IN_STREAM | K(JOB) | K(FENCE) | OCCUR },
	{ "qman-error", "error bits of a queue manager",
	  .keys = IN_STREAM | K(ERROR) | K(EVERY_MS),
	  .needs = K(QUEUE) | K(ERROR), .words = qman_errors,
	  ACT(qman_error, 0) },

	/* DMA */
	{ "dma-slow", "a transfer takes longer",
	  GAUDI_FAULT_DMA_END, .keys = IN_STREAM | K(JOB) | OCCUR |
	  K(NS_PER_KIB) | K(MS) },
	{ "dma-short", "the last bytes of a transfer are not copied",
	  GAUDI_FAULT_COMMIT, .keys = IN_STREAM | K(JOB) | OCCUR | K(BYTES),
	  .needs = K(BYTES) },
	{ "dma-error", "a transfer fails",
	  GAUDI_FAULT_COMMIT, .keys = IN_STREAM | K(JOB) | OCCUR | K(ERROR),
	  .words = dma_errors },

	/* interrupts and events */
	{ "msi-lost", "an interrupt never arrives",
	  GAUDI_FAULT_MSI, .keys = K(VECTOR) | OCCUR, .arg = 0 },
	{ "msi-double", "an interrupt comes twice",
	  GAUDI_FAULT_MSI, .keys = K(VECTOR) | OCCUR, .arg = 1 },
	{ "msi-late", "an interrupt comes later",
	  GAUDI_FAULT_MSI, .keys = K(VECTOR) | K(MS) | OCCUR,
	  .needs = K(MS), .arg = 2 },
	{ "msi-storm", "interrupts without a cause",
	  .keys = K(VECTOR) | K(EVERY_MS), .every_ms = 1, ACT(msi, 0) },
	{ "event", "an event of any number; a storm with count",
	  .keys = ON_JOB | K(ID) | K(DATA), .needs = K(ID), ACT(event, 0) },
	{ "event-lost", "an event never arrives, its number is used up",
	  FW(EVENT_LOST) },
	{ "eq-overflow", "more events than the event queue takes",
	  .keys = K(EVERY_MS), ACT(event, 1) },

	/* heat, power, clocks */
	{ "thermal-throttle", "the card slows down, it is too hot",
	  .keys = K(MS) | K(EVERY_MS), ACT(throttle, 1) },
	{ "power-throttle", "the card slows down, it takes too much power",
	  .keys = K(MS) | K(EVERY_MS), ACT(throttle, 0) },
	{ "high-temperature", "the alarm of the temperature sensor",
	  .keys = K(DATA) | K(EVERY_MS), ACT(event, 421) },
	{ "pll-error", "a PLL loses its lock, fatal",
	  .keys = K(UNIT) | K(EVERY_MS), .units = 18, ACT(event, 239) },

	/* firmware */
	{ "heartbeat-lost", "firmware does not answer the test command",
	  FW(CMD_SILENT) },
	{ "fw-never", "firmware does not answer a command",
	  .keys = K(OPCODE), FW(CMD_SILENT) },
	{ "fw-late", "firmware answers a command late",
	  .keys = K(OPCODE) | K(MS), .needs = K(MS), FW(CMD_LATE) },
	{ "fw-rc", "firmware answers a command with an error",
	  .keys = K(OPCODE) | K(RC), .needs = K(RC), FW(CMD_RC) },
	{ "fw-result", "firmware gives a wrong result",
	  .keys = K(OPCODE) | K(RESULT), .needs = K(RESULT),
	  FW(CMD_RESULT) },
	{ "fw-garbage", "firmware answers with random words",
	  .keys = K(OPCODE) | K(DATA), FW(CMD_GARBAGE) },
	{ "fw-silent", "the embedded CPU stops",
	  FW(SILENT) },
	{ "fw-alive", "firmware reports a failure of its own",
	  .keys = K(ERROR), .words = alive_severities, ACT(event, 645) },
	{ "fw-reset-request", "firmware asks for a reset",
	  ACT(event, 646) },
	{ "boot-error", "firmware reports an error of its boot",
	  .keys = K(ERROR), .needs = K(ERROR), .words = boot_errors,
	  FW(BOOT_ERR0) },
	{ "boot-stuck", "firmware never leaves a boot status",
	  .keys = K(STAGE), .needs = K(STAGE), .words = boot_stages,
	  FW(BOOT_STUCK) },
	{ "boot-late", "each boot stage takes longer",
	  .keys = K(MS), .needs = K(MS), FW(BOOT_LATE) },
	{ "boot-descriptor", "the dynamic loader's descriptor is damaged",
	  .keys = K(ERROR), .needs = K(ERROR), .words = descriptor_damages,
	  FW(DESC) },
	{ "boot-answer", "the dynamic loader answers not OK but that",
	  .keys = K(ERROR), .needs = K(ERROR), .words = comms_answers,
	  FW(COMMS_STATUS) },

	/* ports and PCIe */
	{ "nic-link-loss", "a port reports that its link is down",
	  .keys = K(UNIT) | K(EVERY_MS), .units = 10, ACT(event, 648) },
	{ "nic-frame-lost", "a packet of a port never arrives",
	  PACKET(LOST), .keys = PACKETS | K(WAY) },
	{ "nic-frame-doubled", "a packet of a port comes twice",
	  PACKET(DOUBLED), .keys = PACKETS | K(WAY) },
	{ "nic-frame-reordered", "a packet is overtaken by the next one",
	  PACKET(LATE), .keys = PACKETS | K(US) },
	{ "nic-frame-corrupted", "a bit of a packet is turned over",
	  PACKET(DAMAGED), .keys = PACKETS | K(WAY) },
	{ "nic-bad-qp", "a packet is for a queue pair that nobody has",
	  PACKET(BAD_QP), .keys = PACKETS | K(WAY) },
	{ "nic-bad-key", "a packet has a wrong key",
	  PACKET(BAD_KEY), .keys = PACKETS | K(WAY) },
	{ "nic-slow", "packets of a port take time",
	  PACKET(SLOW), .keys = PACKETS | K(US) | K(NS_PER_KIB) },
	{ "nic-cq-overrun", "there is no room for a completion",
	  GAUDI_FAULT_CQ, .keys = K(UNIT) | OCCUR,
	  .units = GAUDI_NUM_NIC_ENGINE },
	{ "nic-link-down", "the link of a port is down for a time",
	  .keys = K(UNIT) | K(MS) | K(EVERY_MS),
	  .units = GAUDI_NUM_NIC_ENGINE, ACT(port_down, 0) },
	{ "nic-peer-gone", "nobody is at the other end of a port's link",
	  .keys = K(UNIT) | K(MS) | K(EVERY_MS),
	  .units = GAUDI_NUM_NIC_ENGINE, ACT(peer_gone, 0) },
	{ "link-down", "the PCIe link is down for a time",
	  .keys = K(MS), .needs = K(MS), ACT(link, 0) },
	{ "surprise-removal", "the card is pulled out",
	  ACT(host, GAUDI_HOST_SURPRISE_REMOVE) },
	{ "mmio-all-ones", "a register read gives all ones",
	  GAUDI_FAULT_REG_READ, .keys = RANGE | OCCUR },
	{ "completion-timeout", "a read of host memory gets no answer",
	  GAUDI_FAULT_HOST_READ, .keys = RANGE | OCCUR },
	{ "aer-correctable", "a correctable error of the link",
	  .keys = K(ERROR) | K(EVERY_MS), .needs = K(ERROR),
	  .words = aer_correctable, ACT(aer, GAUDI_HOST_AER_COR) },
	{ "aer-nonfatal", "an uncorrectable error, not fatal",
	  .keys = K(ERROR) | K(EVERY_MS), .needs = K(ERROR),
	  .words = aer_uncorrectable, ACT(aer, GAUDI_HOST_AER_NONFATAL) },
	{ "aer-fatal", "an uncorrectable error, fatal",
	  .keys = K(ERROR) | K(EVERY_MS), .needs = K(ERROR),
	  .words = aer_uncorrectable, ACT(aer, GAUDI_HOST_AER_FATAL) },
};

const size_t gaudi_fault_table_size = ARRAY_SIZE(gaudi_fault_table);

const char *gaudi_fault_name(unsigned int row)
{
	return gaudi_fault_table[row].name;
}
