/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card without engines around the firmware: registers, SRAM, the low end of
 * HBM, a piece of host memory, a clock. The numbers here come from mainline's
 * driver headers, not from ours, so that a wrong header shows.
 */
#ifndef FW_TEST_HARNESS_H
#define FW_TEST_HARNESS_H

#include "../unit.h"
#include "../../../firmware-stub/gaudi_fw_stub.h"

#define R_HW_STATE		0xc4b100
#define R_STS0			0xc4b150
#define R_CMD_STATUS		0xc4b15c
#define R_ERR0			0xc4b160
#define R_ERR1			0xc4b164
#define R_PREBOOT_VER		0xc4b170
#define R_UBOOT_VER		0xc4b174
#define R_BOOT_STATUS		0xc4b300
#define R_KMD_MSG		0xc4b304
#define R_CPU_MSB		0x44212c
#define R_PQ_PI			0x442200
#define R_PQ_BASE_LO		0x442204
#define R_PQ_BASE_HI		0x442208
#define R_PQ_LEN		0x44220c
#define R_EQ_BASE_LO		0x442220
#define R_EQ_BASE_HI		0x442224
#define R_EQ_LEN		0x442228
#define R_EQ_RD			0x44222c
#define R_QUEUE_INIT		0x442230

/* Host memory at this PCI address; the card sees it at + 0x8000000000. */
#define HOST_ADDR		0x10000000ull
#define HOST_SIZE		0x400000ull
#define CPU_HOST(off)		(0x8000000000ull + HOST_ADDR + (off))

/* Where the harness keeps its queues and buffers in host memory. */
#define PQ_OFF			0x0u		/* 64 KiB */
#define EQ_OFF			0x10000u	/* 4 KiB */
#define PKT_OFF			0x20000u
#define BUF_OFF			0x30000u

struct card {
	struct gaudi_fw *fw;
	uint32_t *regs;
	uint8_t *sram;
	uint8_t *hbm;
	uint8_t *host;
	uint64_t now;
	uint64_t busy;
	unsigned int engines;		/* that are busy while time passes */
	uint64_t deadline;
	unsigned int msis;
	unsigned int resets;
	unsigned int logs;
	unsigned int guest_errors;
	char last_log[256];
	char last_used[64];
	int last_used_known;
	int last_used_exact;
	uint64_t tx_bytes, rx_bytes;
	uint32_t wired_ports;
	uint8_t port0_mac[6];	/* all 0: the board's */
	/* driver side */
	uint32_t pi;
	uint32_t eq_ci;
	uint32_t sts0;		/* of the running system */
};

/* A card after reset; config.hbm_size is filled in. */
struct card *card_new(const struct gaudi_fw_config *config);
void card_free(struct card *c);
/* What the card's reset does to the registers and the firmware. */
void card_reset(struct card *c);
/* Let time pass; the timer fires on its way. */
void card_pass_ms(struct card *c, unsigned int ms);

uint32_t reg(struct card *c, uint32_t off);
/* A driver's write: storage, then the firmware is told. */
void reg_set(struct card *c, uint32_t off, uint32_t value);

/* Images as the build made them; *size out. The caller frees. */
uint8_t *image_read(const char *name, size_t *size);
void card_put_boot_fit(struct card *c, const void *image, size_t size);
void card_put_fit(struct card *c, const void *image, size_t size);
/* Put the build's own there, and tell the card. */
void card_offer_boot_fit(struct card *c);
void card_offer_fit(struct card *c);

/* Load both images as mainline's driver does. */
void card_boot(struct card *c);
/* Where the queues are; then their set-up is asked for. */
void card_queues(struct card *c);
/* Boot, set up the queues, and enable events. */
void card_run(struct card *c);

/* Tests of a card after its reset, and of one that runs. */
int card_setup(void **state);
int card_running_setup(void **state);
int card_teardown(void **state);
#define CARD_TEST(fn) TEST_OF(fn, struct card *c, card_setup, card_teardown)
#define RUNNING_TEST(fn) \
	TEST_OF(fn, struct card *c, card_running_setup, card_teardown)

/* The driver's index of the command queue, and its interrupt. */
void card_ring(struct card *c, uint32_t pi);

/* Queue a packet of len bytes and ring. The packet is replied in place. */
void *card_send(struct card *c, const void *packet, size_t len);

/* A 24-byte packet. */
struct packet {
	uint64_t value;
	uint32_t ctl;
	uint32_t fence;
	uint32_t arg;
	uint32_t arg2;
};

/* Send and check the fence. Returns rc (ctl[15:12]); result out. */
unsigned int card_command(struct card *c, unsigned int opcode, uint64_t value,
			  uint32_t arg, uint32_t arg2, uint64_t *result);
/* To card c: that is what its command, as card_command() has it, must return. */
#define REPLIES(rc, ...) assert_int_equal(card_command(c, __VA_ARGS__), rc)
/* The same of a command that must succeed; returns its result. */
uint64_t card_answer(struct card *c, unsigned int opcode, uint64_t value,
		     uint32_t arg, uint32_t arg2);

/* Next entry of the event queue, or -1; consumes it as the driver does. */
int card_event(struct card *c, uint32_t *ctl, uint64_t *payload);

#endif /* FW_TEST_HARNESS_H */
