// SPDX-License-Identifier: GPL-2.0-only
/*
 * gaudi.ko brings up the fuzzer's card: its own sources write the registers
 * (driver_env.h). What is here is what they call: registers, the places of
 * rings and page tables, and the page tables themselves.
 */
#include <stdlib.h>

#include "../../driver/core/gaudi_device.h"
#include "../../driver/hw/gaudi_blocks.h"
#include "../../driver/hw/gaudi_hw.h"
#include "../../driver/hw/gaudi_mmu.h"
#include "../../driver/hw/gaudi_reg_io.h"
#include "../../driver/jobs/gaudi_jobs.h"
#include "../../driver/jobs/gaudi_kjob.h"
#include "../../driver/queues/gaudi_cb_check.h"
#include "user_driver.h"

/* One page for each ring: no run fills more. */
#define RING_BYTES	4096
/* PTE: valid; and of the last hop. */
#define PTE_NEXT	0x1
#define PTE_LAST	0x801

/* Registers that keep users out, as they were written. */
static struct {
	uint32_t off[16384];
	uint32_t value[16384];
	unsigned int run[16384];	/* so many, from this on, lie in a row */
} locks;
static unsigned int num_locks;
static bool locking;

static struct gaudi_device device;
static struct pci_dev pdev;
static struct world_card *card;
/* Address spaces as in the driver's shared mode: few, so a run begins soon. */
bool gaudi_shared = true;

/* --- what the driver calls --------------------------------------------------- */

u32 gaudi_rd(struct gaudi_device *gdev, u32 off)
{
	(void)gdev;
	return reg_rd(card, off);
}

void gaudi_wr(struct gaudi_device *gdev, u32 off, u32 value)
{
	(void)gdev;
	reg_wr(card, off, value);
	if (!locking)
		return;
	if (num_locks == ARRAY_SIZE(locks.off))
		abort();
	locks.off[num_locks] = off;
	locks.value[num_locks++] = value;
}

static void find_runs(void)
{
	unsigned int i;

	for (i = num_locks; i--;)
		locks.run[i] = i + 1 < num_locks &&
			       locks.off[i + 1] == locks.off[i] + 4 &&
			       locks.off[i + 1] % 4096 ? locks.run[i + 1] + 1 : 1;
}

int gaudi_wait_reg(struct gaudi_device *gdev, u32 off, u32 mask, u32 want,
		   u32 timeout_us, u32 *val)
{
	u32 value = gaudi_rd(gdev, off);

	(void)timeout_us;
	if (val)
		*val = value;
	return (value & mask) == want ? 0 : -ETIMEDOUT;
}

void writeq(u64 value, void *to)
{
	memcpy(to, &value, sizeof(value));
}

void *devm_kzalloc(struct device *dev, size_t size, int gfp)
{
	(void)dev;
	(void)gfp;
	return calloc(1, size);
}

static u64 hop0_addr(u32 asid)
{
	return DRIVER_TABLES + 0x10000 * asid;
}

static u64 pq_addr(struct gaudi_device *gdev, u32 qid)
{
	(void)gdev;
	return world_dev(DRIVER_RINGS + RING_BYTES * qid);
}

/* All zeros already, after a reset. */
int gaudi_kjob_reg_fill(struct gaudi_device *gdev, u32 cfg_off, u32 value,
			u32 count)
{
	(void)gdev;
	(void)cfg_off;
	(void)count;
	return value ? -EINVAL : 0;
}

/* --- a user's address space ----------------------------------------------------- */

static void put_pte(uint64_t table, unsigned int entry, uint64_t pte)
{
	memcpy(card->hbm + table + 8 * entry, &pte, 8);
}

/* The buffers of packets at VA_HOST_START, in pages of 4 KiB; nothing else. */
static void map_user(void)
{
	uint64_t table = hop0_addr(GAUDI_USER_ASID);
	unsigned int i, shift;

	for (shift = 48; shift > 12; shift -= 9, table += 4096)
		put_pte(table, GAUDI_VA_HOST_START >> shift & 511,
			(table + 4096) | PTE_NEXT);
	for (i = 0; i < PACKETS_SIZE / 4096; i++)
		put_pte(table, i, world_dev(PACKETS + 4096 * i) | PTE_LAST);
}

/* --- for the harness --------------------------------------------------------------- */

void driver_protect(struct world_card *c)
{
	unsigned int i;

	card = c;
	device.pdev = &pdev;
	device.drm.dev = &pdev.dev;
	device.sram = c->sram;
	device.tunables.stop_on_err = false;
	for (i = 0; i < GAUDI_NUM_CPU_IRQS; i++)
		device.cpu_irq_reg[i] = GAUDI_GIC_BASE + 0x40;
	if (gaudi_mmu_init(&device))
		abort();
	gaudi_golden_init(&device);
	locking = true;
	gaudi_security_init(&device);
	locking = false;
	find_runs();
}

void driver_begin_mmu(void)
{
	map_user();
	if (gaudi_mmu_hw_init(&device, hop0_addr) || gaudi_mmu_invalidate(&device))
		abort();
}

void driver_begin(void)
{
	gaudi_engines_init(&device, pq_addr);
	driver_begin_mmu();
	gaudi_mmu_set_engines_asid(&device, GAUDI_USER_ASID);
	if (gaudi_sync_restore(&device))
		abort();
}

unsigned int driver_locks(void)
{
	return num_locks;
}

uint32_t driver_lock(unsigned int i)
{
	return locks.off[i];
}

bool driver_changed(unsigned int *i, uint32_t *off)
{
	uint32_t value[1024];
	unsigned int n, k;

	for (; *i < num_locks; *i += n) {
		n = locks.run[*i];
		world_registers(card, locks.off[*i], value, n);
		if (!memcmp(value, locks.value + *i, n * sizeof(value[0])))
			continue;
		for (k = 0; value[k] == locks.value[*i + k]; k++)
			;
		*i += k + 1;
		*off = locks.off[*i - 1];
		return true;
	}
	return false;
}

uint32_t driver_queue(unsigned int n, unsigned int stream, uint64_t *ring,
		      bool *external)
{
	const struct gaudi_qman_desc *qm =
		&gaudi_qmans[n % GAUDI_NUM_USED_QMANS];

	*ring = DRIVER_RINGS + RING_BYTES * (qm->first_qid + stream);
	*external = qm->kind == GAUDI_QMAN_PCI_DMA;
	return qm->base;
}

bool driver_takes(const void *packets, uint32_t len)
{
	bool dma;

	return !gaudi_cb_check(&device, packets, len, &dma);
}

void driver_looks(void)
{
	gaudi_engines_idle(&device, NULL, 0, NULL);
	gaudi_mmu_invalidate(&device);
}
