// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event queue: a ring that firmware fills and we empty. What an event means
 * is decided by the function given to gaudi_eq_init().
 *
 * Entries are copied before they are parsed, since firmware may write to the
 * ring at any time.
 */
#include <linux/workqueue.h>

#include "../../uapi/hw/regs/gaudi_cpu_if_regs.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_firmware.h"
#include "gaudi_fw.h"

struct gaudi_eq {
	struct gaudi_device *gdev;
	struct gaudi_eq_entry *ring;
	void (*handle)(struct gaudi_device *gdev,
		       const struct gaudi_eq_entry *entry);
	struct workqueue_struct *wq;	/* ordered: events keep their order */
	struct work_struct work;
	bool running;			/* READ_ONCE; cleared by stop */

	/* The worker's own. */
	u32 ci;
	u16 last_index;			/* firmware counts 1, 2, ... */
};

static bool gaudi_eq_peek(struct gaudi_eq *eq, struct gaudi_eq_entry *copy)
{
	struct gaudi_eq_entry *e = &eq->ring[eq->ci];
	u32 ctl = le32_to_cpu(READ_ONCE(e->ctl));

	if (!(ctl & GAUDI_EQ_CTL_READY))
		return false;
	/* READY is written last: the payload only after it. */
	dma_rmb();

	if (eq->gdev->boot_sts0 & GAUDI_BOOT_STS0_EQ_INDEX_EN) {
		u16 index = FIELD_GET(GAUDI_EQ_CTL_INDEX, ctl);

		/* An old entry, which was handled before. */
		if (index != (u16)(eq->last_index + 1)) {
			drm_dbg(&eq->gdev->drm,
				"event index %u after %u\n", index,
				eq->last_index);
			return false;
		}
		eq->last_index = index;
	}
	*copy = *e;
	copy->ctl = cpu_to_le32(ctl);
	/* Free the slot before firmware learns of it by the index. */
	WRITE_ONCE(e->ctl, cpu_to_le32(ctl & ~GAUDI_EQ_CTL_READY));
	WRITE_ONCE(eq->ci, (eq->ci + 1) % GAUDI_CPU_EQ_ENTRIES);
	gaudi_wr(eq->gdev, GAUDI_CPU_IF_BASE + CPU_IF_EQ_RD_OFFS, eq->ci);
	return true;
}

static void gaudi_eq_work(struct work_struct *work)
{
	struct gaudi_eq *eq = container_of(work, struct gaudi_eq, work);
	struct gaudi_eq_entry entry;
	unsigned int n;

	for (n = 0; n < GAUDI_CPU_EQ_ENTRIES; n++) {
		if (!READ_ONCE(eq->running) || !gaudi_eq_peek(eq, &entry))
			return;
		eq->handle(eq->gdev, &entry);
	}
	/* A flood of events must not keep this worker for ever. */
	queue_work(eq->wq, &eq->work);
}

static void gaudi_eq_free(void *wq)
{
	destroy_workqueue(wq);
}

int gaudi_eq_init(struct gaudi_device *gdev,
		  void (*handle)(struct gaudi_device *gdev,
				 const struct gaudi_eq_entry *entry))
{
	struct gaudi_eq *eq;

	eq = devm_kzalloc(&gdev->pdev->dev, sizeof(*eq), GFP_KERNEL);
	if (!eq)
		return -ENOMEM;
	eq->gdev = gdev;
	eq->handle = handle;
	eq->ring = gaudi_cpucp_eq(gdev);
	INIT_WORK(&eq->work, gaudi_eq_work);
	eq->wq = alloc_ordered_workqueue("gaudi-eq-%s", WQ_MEM_RECLAIM,
					 dev_name(&gdev->pdev->dev));
	if (!eq->wq)
		return -ENOMEM;
	gdev->eq = eq;
	return devm_add_action_or_reset(&gdev->pdev->dev, gaudi_eq_free, eq->wq);
}

void gaudi_eq_reset(struct gaudi_device *gdev)
{
	struct gaudi_eq *eq = gdev->eq;

	memset(eq->ring, 0, GAUDI_CPU_EQ_ENTRIES * sizeof(*eq->ring));
	eq->ci = 0;
	eq->last_index = 0;
}

void gaudi_eq_enable(struct gaudi_device *gdev)
{
	WRITE_ONCE(gdev->eq->running, true);
	gaudi_wr(gdev, gdev->cpu_irq_reg[GAUDI_CPU_IRQ_EVENTS],
		 GAUDI_SPI_INTS_REGISTER);
}

void gaudi_eq_kick(struct gaudi_device *gdev)
{
	struct gaudi_eq *eq = gdev->eq;
	u32 ctl;

	if (!READ_ONCE(eq->running))
		return;
	/*
	 * A hint only, since the worker owns ci: a wrong one wakes the worker
	 * early.
	 */
	ctl = le32_to_cpu(READ_ONCE(eq->ring[READ_ONCE(eq->ci) %
				    GAUDI_CPU_EQ_ENTRIES].ctl));
	if (ctl & GAUDI_EQ_CTL_READY)
		queue_work(eq->wq, &eq->work);
}

void gaudi_eq_stop(struct gaudi_device *gdev)
{
	WRITE_ONCE(gdev->eq->running, false);
	cancel_work_sync(&gdev->eq->work);
}
