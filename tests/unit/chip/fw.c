// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a driver does to boot the embedded CPU and to talk to it.
 */
#include "fw.h"

uint32_t cpu_pi;

struct image image_load(const char *name)
{
	const char *dir = getenv("GAUDI_FIRMWARE");
	struct image image = { 0 };
	char path[512];
	FILE *f;
	long size;

	if (!dir)
		fail_msg("GAUDI_FIRMWARE is not set: where are the images?");
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("cannot open %s", path);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	rewind(f);
	assert_true(size > 0);
	/* The loader writes whole dwords, and refuses other sizes. */
	assert_int_equal(size % 4, 0);
	image.size = size;
	image.data = malloc(size);
	assert_int_equal(fread(image.data, 1, size, f), size);
	fclose(f);
	return image;
}

void image_free(struct image *image)
{
	free(image->data);
	image->data = NULL;
}

static uint32_t wait_status(struct card *card, uint32_t off, uint32_t want,
			    unsigned int ms)
{
	unsigned int i;

	card_settle(card);
	for (i = 0; rd(card, off) != want && i < ms / 10; i++)
		card_advance(card, 10000000);
	return rd(card, off);
}

uint32_t boot_load_fit(struct card *card, const struct image *image)
{
	size_t i;

	if (wait_status(card, BOOT_STATUS, 16, 4000) != 16)
		fail_msg("preboot shows %u", rd(card, BOOT_STATUS));
	for (i = 0; i < image->size; i += 4) {
		uint32_t v;

		memcpy(&v, image->data + i, 4);
		gaudi_chip_bar_write(card->chip, 0, 0x200000 + i, v, 4);
	}
	wr(card, CMD_STATUS, 0);
	wr(card, KMD_MSG, 2);
	wait_status(card, CMD_STATUS, 1, 4000);
	wr(card, KMD_MSG, 0);
	return wait_status(card, BOOT_STATUS, 15, 4000);
}

uint32_t boot_load_linux(struct card *card, const struct image *image)
{
	memcpy(card_hbm(card) + 0x800000, image->data, image->size);
	wr(card, KMD_MSG, 2);
	wait_status(card, BOOT_STATUS, 3, 4000);
	wr_settle(card, KMD_MSG, 0);
	return rd(card, BOOT_STATUS);
}

void boot(struct card *card)
{
	struct image fit = image_load("gaudi-boot-fit.itb");
	struct image linux_fit = image_load("gaudi-fit.itb");

	wr(card, 0x44212c, 1);		/* CPU_MSB_ADDR of the shared area */
	assert_int_equal(boot_load_fit(card, &fit), 15);
	assert_int_equal(boot_load_linux(card, &linux_fit), 3);
	assert_int_equal(rd(card, BOOT_ERR0) & 0x7fffffff, 0);
	assert_int_equal(rd(card, BOOT_ERR1) & 0x7fffffff, 0);
	image_free(&fit);
	image_free(&linux_fit);
}

static void set_addr(struct card *card, uint32_t lo, uint64_t addr)
{
	wr64(card, lo, addr);
}

void cpu_queues_init(struct card *card)
{
	set_addr(card, 0x442204, ram_dev(CPU_PQ));
	set_addr(card, 0x442220, ram_dev(CPU_EQ));
	set_addr(card, 0x442210, ram_dev(CPU_AREA));
	wr(card, 0x44220c, 0x10000);
	wr(card, 0x442228, 0x1000);
	wr(card, 0x442218, 0x200000);
	wr(card, 0x44222c, 0);
	wr(card, 0x442200, 0);
	wr(card, 0x442230, 3);
	wr(card, GIC, 484);
	assert_int_equal(wait_status(card, 0x442230, 2, 1000), 2);
	cpu_pi = 0;
}

void cpu_enable_events(struct card *card)
{
	wr_settle(card, GIC, 486);
}

struct cpu_reply cpu_send(struct card *card, unsigned int opcode,
			  uint64_t value, uint64_t data)
{
	uint8_t *pkt = card->ram + CPU_PKT;
	uint8_t *bd = card->ram + CPU_PQ + 16 * (cpu_pi & 4095);
	uint64_t addr = ram_dev(CPU_PKT);
	uint32_t ctl = opcode << 16, fence = 0xffffffff, len = 24, want;
	struct cpu_reply reply;

	memcpy(pkt, &value, 8);
	memcpy(pkt + 8, &ctl, 4);
	memcpy(pkt + 12, &fence, 4);
	memcpy(pkt + 16, &data, 8);
	cpu_pi = (cpu_pi + 1) & 8191;
	memcpy(bd, &addr, 8);
	memcpy(bd + 8, &len, 4);
	memcpy(bd + 12, &cpu_pi, 4);
	wr(card, 0x442200, cpu_pi);
	wr(card, GIC, 484);
	want = (rd(card, BOOT_STS0) & 0x80008000) == 0x80008000 ? cpu_pi :
								  0xfe8ce7a5;
	wait_status(card, BOOT_STATUS, 3, 0);
	if (ram32(card, CPU_PKT + 12) != want)
		card_advance(card, 1000000000);
	reply.answered = ram32(card, CPU_PKT + 12) == want;
	reply.rc = ram32(card, CPU_PKT + 8) >> 12 & 0xf;
	reply.result = ram64(card, CPU_PKT);
	return reply;
}
