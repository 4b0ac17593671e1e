/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card in a q35 machine without a guest: the test plays firmware and driver.
 *
 * All numbers are written by hand from the facts about the hardware, not taken
 * from the model's headers.
 */
#ifndef GAUDI_TEST_SLOT_H
#define GAUDI_TEST_SLOT_H

#include "libqtest.h"

#define MMCONFIG	0xb0000000ull
#define BAR0		0xc0000000ull
#define BAR2		0xc8000000ull
#define BAR4		0x1000000000ull		/* 64 GiB */
#define REGS		(BAR2 + 0x4000000)

#define SRAM		0x7ff0000000ull
#define CFG		0x7ffc000000ull
#define HOST		0x8000000000ull
#define USER_HBM	0x20000000ull

#define DMA_CORE(n)	(0x500000u + (n) * 0x20000u)
#define DMA_QM(n)	(0x508000u + (n) * 0x20000u)
#define SM_E_N		0x4f0000u
#define SOB(n)		(0x2000u + 4 * (n))

/* Where the test has its own things in guest memory. */
#define MSI_AT		0x300000
#define RING		0x400000
#define CBUF		0x500000
#define FENCE_AT	0x600000

struct slot {
	QTestState *qts;
	uint64_t cfg;		/* configuration space of the card */
	uint8_t msi, exp, pm;	/* capabilities */
};

/* Boots nothing. extra: more arguments, or "". The card is 00:04.0. */
struct slot slot_start(const char *card_properties, const char *extra);
void slot_stop(struct slot *slot);
/* Find capabilities, place BARs, enable memory and bus mastering. */
void slot_enable(struct slot *slot);
/* Let the card's workers go on until reg & mask == value; fails after 10 s. */
void slot_wait(struct slot *slot, uint32_t reg, uint32_t mask, uint32_t value);

uint32_t cfg_readl(struct slot *slot, unsigned int off);
void cfg_writel(struct slot *slot, unsigned int off, uint32_t value);
uint16_t cfg_readw(struct slot *slot, unsigned int off);
void cfg_writew(struct slot *slot, unsigned int off, uint16_t value);

uint32_t rd(struct slot *slot, uint32_t reg);
void wr(struct slot *slot, uint32_t reg, uint32_t value);

uint32_t elbi_read(struct slot *slot, uint32_t addr);
void elbi_write(struct slot *slot, uint32_t addr, uint32_t value);

/* MSI at MSI_AT, with so many vectors granted. */
void enable_msi(struct slot *s, unsigned int log2_vectors);

/*
 * DMA channel 0 with a ring at RING; packets at a guest address; job pi - 1 of
 * the ring, and the doorbell; wait up to 10 s for a word of guest memory.
 */
void queue_init(struct slot *s);
void msg_prot(struct slot *s, uint64_t at, uint64_t addr, uint32_t v);
void lin_dma(struct slot *s, uint64_t at, uint64_t src, uint64_t dst,
	     uint32_t size);
void submit(struct slot *s, unsigned int pi, uint64_t cb, uint32_t len);
void wait_memory(struct slot *s, uint64_t addr, uint32_t value);

/* A machine with a port 00:03.0 that has hot-plug of its own, and no card. */
#define PORT		(MMCONFIG + (3 << 15))
#define GAUDI_PORT	"gaudi-root-port"
struct slot port_start(const char *type);
/* device_add, and what a guest does then: the card is ready for use. */
void port_plug(struct slot *s);
/* What a guest's hot-plug driver does: indicator and power on, or off. */
void port_power(struct slot *s, bool on);
void port_wait_deleted(struct slot *s);
/* The port's PCI Express capability. */
uint64_t port_exp(struct slot *s);

/* Each of the file of its name. */
void life_tests(void);
void snapshot_tests(void);
void port_tests(void);
void fuzz_tests(void);
void icount_tests(void);

#endif /* GAUDI_TEST_SLOT_H */
