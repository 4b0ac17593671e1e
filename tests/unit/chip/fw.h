/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's side of the boot protocol and of the command queue, for tests.
 */
#ifndef TEST_FW_H
#define TEST_FW_H

#include "card.h"

#define BOOT_STATUS	0xc4b300
#define KMD_MSG		0xc4b304
#define CMD_STATUS	0xc4b15c
#define BOOT_ERR0	0xc4b160
#define BOOT_ERR1	0xc4b164
#define BOOT_STS0	0xc4b150
#define HW_STATE	0xc4b100
#define GIC		0x800040

/* The shared area, as an offset in RAM: PQ, EQ, then room for packets. */
#define CPU_AREA	0x3000000
#define CPU_PQ		CPU_AREA
#define CPU_EQ		(CPU_AREA + 0x10000)
#define CPU_PKT		(CPU_AREA + 0x20000)
#define CPU_DATA	(CPU_AREA + 0x21000)

struct image {
	uint8_t *data;
	size_t size;
};

/* Reads a firmware file, which the environment's GAUDI_FIRMWARE holds. */
struct image image_load(const char *name);
void image_free(struct image *image);

/* Steps of the static loader; each returns the status that it ended with. */
uint32_t boot_load_fit(struct card *card, const struct image *image);
uint32_t boot_load_linux(struct card *card, const struct image *image);
/* All of it; fails the test if the card does not come up. */
void boot(struct card *card);

/* The queues of the embedded CPU; boot() first. */
void cpu_queues_init(struct card *card);
void cpu_enable_events(struct card *card);

struct cpu_reply {
	bool answered;
	unsigned int rc;
	uint64_t result;
};

/* data: bytes 16..23 of the packet */
struct cpu_reply cpu_send(struct card *card, unsigned int opcode,
			  uint64_t value, uint64_t data);
/* Next PI of the command queue, 0..8191. */
extern uint32_t cpu_pi;

#endif /* TEST_FW_H */
