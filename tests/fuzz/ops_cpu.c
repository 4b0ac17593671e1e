// SPDX-License-Identifier: GPL-2.0-only
/*
 * Things that a guest can do with the embedded CPU: the boot protocol's
 * registers, firmware images, its command queue, and events.
 */
#include <errno.h>

#include "../../uapi/hw/gaudi_fw_if.h"
#include "../../uapi/hw/regs/gaudi_cpu_if_regs.h"
#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "ops.h"

/* The area that driver and CPU share, as an offset in RAM. */
#define AREA		0x200000
#define AREA_PQ		AREA
#define AREA_EQ		(AREA + 0x10000)
#define AREA_PACKET	(AREA + 0x20000)
#define PQ_ENTRIES	64

static const char *const image_names[] = {
	"gaudi-boot-fit.itb", "gaudi-fit.itb",
};

static struct {
	uint8_t data[16384];
	size_t size;
} images[ARRAY_LEN(image_names)];

static uint32_t pi[NUM_CARDS];

void cpu_begin(void)
{
	memset(pi, 0, sizeof(pi));
}

int load_images(void)
{
	const char *dir = getenv("GAUDI_FIRMWARE");
	char path[512];
	unsigned int i;
	FILE *f;

	for (i = 0; i < ARRAY_LEN(images); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".",
			 image_names[i]);
		f = fopen(path, "rb");
		if (!f) {
			fprintf(stderr, "no %s: set GAUDI_FIRMWARE\n", path);
			return -ENOENT;
		}
		images[i].size = fread(images[i].data, 1,
				       sizeof(images[i].data), f);
		fclose(f);
	}
	return 0;
}

/* --- boot ------------------------------------------------------------------- */

void op_boot_reg(struct world_card *card, const struct rec *r)
{
	static const uint32_t regs[] = {
		GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_KMD_MSG_TO_CPU,
		GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_CPU_CMD_STATUS_TO_HOST,
		GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_CPU_BOOT_STATUS,
		GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_HW_STATE,
		GAUDI_GIC_BASE + GIC_DISTRIBUTOR_GICD_SETSPI_NSR,
		GAUDI_CPU_IF_BASE + CPU_IF_QUEUE_INIT,
		GAUDI_CPU_IF_BASE + CPU_IF_CPU_MSB_ADDR,
		GAUDI_PSOC_GLOBAL_CONF_BASE,
	};
	uint32_t reg = regs[r->sel % ARRAY_LEN(regs)];
	uint32_t value = r->value;

	if (r->sel % ARRAY_LEN(regs) == 7)
		reg += r->addr % 0x1000 & ~3u;
	if (r->flags & 1)
		value %= 32;
	else if (r->flags & 2)
		value = 484 + value % 4;
	else if (r->flags & 4)
		value %= 700;
	else if (r->flags & 8)	/* the dynamic loader: a command and a length */
		value = value % 12 << 27 | (r->addr >> 32 & 0x1ffff);
	reg_wr(card, reg, value);
}

/*
 * The image that belongs there, with one dword changed: unit: which (bit 0),
 * and whether in the other's place (bit 1); flags: bit 0: change it; addr:
 * where; value: to what. Then says that it is there.
 */
void op_image(struct world_card *card, const struct rec *r)
{
	unsigned int i = r->unit & 1, place = i ^ (r->unit >> 1 & 1);
	uint8_t *to = place ? card->hbm + GAUDI_HBM_FIT_OFFSET :
			      card->sram + GAUDI_SRAM_BOOT_FIT_OFFSET;

	card->used = true;
	memcpy(to, images[i].data, images[i].size);
	if (r->flags & 1)
		memcpy(to + r->addr % images[i].size, &r->value,
		       r->flags & 2 ? 4 : 1);
	if (r->flags & 4)
		return;
	reg_wr(card, GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_KMD_MSG_TO_CPU, 2);
	reg_wr(card, GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_KMD_MSG_TO_CPU, 0);
}

/*
 * A command of the dynamic loader: sel: which; value: length; flags: bit 0: the
 * descriptor's magic and version stand where one is often put.
 */
void op_comms(struct world_card *card, const struct rec *r)
{
	uint32_t desc[] = { GAUDI_COMMS_DESC_MAGIC, r->value, r->addr,
			    GAUDI_COMMS_DESC_VERSION };
	uint32_t reg = GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_KMD_MSG_TO_CPU;
	uint32_t code = r->sel % 12;

	card->used = true;
	if (r->flags & 1)
		memcpy(card->sram + r->addr % 0x1000 * 4, desc, sizeof(desc));
	reg_wr(card, reg, code << 27 | (r->value & 0x1ffffff));
	if (r->flags & 2)	/* the way of drivers: clear, then the next */
		reg_wr(card, reg, GAUDI_COMMS_CLR_STS << 27);
	world_run(8);
}

/* --- commands and events ------------------------------------------------------ */

static void set_addr(struct world_card *card, uint32_t reg, uint64_t addr)
{
	reg_wr(card, GAUDI_CPU_IF_BASE + reg, addr);
	reg_wr(card, GAUDI_CPU_IF_BASE + reg + 4, addr >> 32);
}

/* flags: bit 0: as it should be; else with addr, value in place of something */
void op_cpu_queue(struct world_card *card, const struct rec *r)
{
	uint64_t pq = world_dev(AREA_PQ), eq = world_dev(AREA_EQ);
	uint32_t pq_len = PQ_ENTRIES * 16, eq_len = 4096;

	if (!(r->flags & 1)) {
		if (r->flags & 2)
			pq = any_addr(r->sel, r->addr);
		if (r->flags & 4)
			eq = any_addr(r->sel, r->addr);
		if (r->flags & 8)
			pq_len = 16u << r->value % 20;
		if (r->flags & 16)
			eq_len = 64u << r->value % 20;
		if (r->flags & 32)
			eq_len = r->value;
	}
	reg_wr(card, GAUDI_CPU_IF_BASE + CPU_IF_CPU_MSB_ADDR,
	       r->flags & 64 ? r->value : 1);
	set_addr(card, CPU_IF_PQ_BASE_ADDR_LOW, pq);
	set_addr(card, CPU_IF_EQ_BASE_ADDR_LOW, eq);
	reg_wr(card, GAUDI_CPU_IF_BASE + CPU_IF_PQ_LENGTH, pq_len);
	reg_wr(card, GAUDI_CPU_IF_BASE + CPU_IF_EQ_LENGTH, eq_len);
	reg_wr(card, GAUDI_CPU_IF_BASE + CPU_IF_PF_PQ_PI, 0);
	reg_wr(card, GAUDI_CPU_IF_BASE + CPU_IF_QUEUE_INIT,
	       r->flags & 128 ? 1 : 3);
	reg_wr(card, GAUDI_GIC_BASE + 0x40, 484);
	reg_wr(card, GAUDI_GIC_BASE + 0x40, 486);
	pi[card->id] = 0;
}

/*
 * unit: opcode; addr: the last eight bytes of the packet; value: its first
 * ones, or a length; flags: bit 0: they are an address; 1: no doorbell; 2, 3:
 * a strange length or place; 4: wrong index in the entry.
 */
void op_command(struct world_card *card, const struct rec *r)
{
	uint64_t addr = world_dev(AREA_PACKET + r->sel % 16 * 4096);
	uint64_t first = r->value, where = addr;
	uint32_t ctl = (r->unit & 0x3fu) << 16, fence = ~0u, len = 24, next;
	uint8_t *pkt = world_ram_write(AREA_PACKET + r->sel % 16 * 4096, 24);
	uint8_t *bd = world_ram_write(AREA_PQ +
				      pi[card->id] % PQ_ENTRIES * 16, 16);

	if (r->flags & 1)
		first = any_addr(r->sel, (uint64_t)r->value << 8);
	else if (r->flags & 32)
		first = addr + 256;
	memcpy(pkt, &first, 8);
	memcpy(pkt + 8, &ctl, 4);
	memcpy(pkt + 12, &fence, 4);
	memcpy(pkt + 16, &r->addr, 8);
	next = (pi[card->id] + 1) % (2 * PQ_ENTRIES);
	pi[card->id] = next;
	if (r->flags & 4)
		len = r->value % 10000;
	if (r->flags & 8)
		where = any_addr(r->sel, r->addr);
	if (r->flags & 16)
		next = r->value;
	memcpy(bd, &where, 8);
	memcpy(bd + 8, &len, 4);
	memcpy(bd + 12, &next, 4);
	if (r->flags & 2)
		return;
	reg_wr(card, GAUDI_CPU_IF_BASE + CPU_IF_PF_PQ_PI, pi[card->id]);
	reg_wr(card, GAUDI_GIC_BASE + 0x40, 484);
	world_run(16);
}

/* A word from the slot, an engine's interrupt, or the driver that has read */
void op_event(struct world_card *card, const struct rec *r)
{
	uint64_t payload[7] = { r->addr, r->value };

	card->used = true;
	if (r->flags & 1)
		reg_wr(card, GAUDI_CPU_IF_BASE + CPU_IF_EQ_RD_OFFS, r->value);
	else if (r->flags & 2)
		reg_wr(card, GAUDI_GIC_BASE + 0x40, r->value % 700);
	else
		gaudi_chip_post_event(card->chip, r->value % 0x1100, payload,
				      r->sel % 9);
}
