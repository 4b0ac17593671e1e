// SPDX-License-Identifier: GPL-2.0-only
/*
 * The one MSI vector that the driver uses. Its handler checks all completion
 * queues and the event queue; a thread and a worker empty them.
 */
#include <linux/dma-fence.h>
#include <linux/interrupt.h>
#include <linux/pci.h>

#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "../firmware/gaudi_firmware.h"
#include "gaudi_queue.h"

struct gaudi_irq {
	int irq;
	/* disable_irq() nests; this does not. Bring-up and reset only. */
	bool enabled;
};

/*
 * A thread that submits, or waits, may have polled the completion before: then the
 * interrupt thread is not needed.
 */
static irqreturn_t gaudi_irq_handler(int irq, void *arg)
{
	struct gaudi_device *gdev = arg;

	gaudi_eq_kick(gdev);
	if (gaudi_queues_cq_ready(gdev) && !gaudi_queues_polled(gdev))
		return IRQ_WAKE_THREAD;
	return IRQ_HANDLED;
}

/* Ending a job takes locks that sleep. */
static irqreturn_t gaudi_irq_thread(int irq, void *arg)
{
	struct gaudi_device *gdev = arg;
	bool cookie = dma_fence_begin_signalling();

	gaudi_queues_handle_cq(gdev);
	dma_fence_end_signalling(cookie);
	return IRQ_HANDLED;
}

static void gaudi_irq_free(void *arg)
{
	struct gaudi_device *gdev = arg;

	free_irq(gdev->irq->irq, gdev);
	pci_free_irq_vectors(gdev->pdev);
}

int gaudi_irq_init(struct gaudi_device *gdev)
{
	struct pci_dev *pdev = gdev->pdev;
	struct gaudi_irq *irq;
	int ret;

	irq = devm_kzalloc(&pdev->dev, sizeof(*irq), GFP_KERNEL);
	if (!irq)
		return -ENOMEM;
	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0)
		return dev_err_probe(&pdev->dev, ret, "no MSI vector\n");
	irq->irq = pci_irq_vector(pdev, 0);
	ret = request_threaded_irq(irq->irq, gaudi_irq_handler,
				   gaudi_irq_thread, IRQF_NO_AUTOEN,
				   GAUDI_DRV_NAME, gdev);
	if (ret) {
		pci_free_irq_vectors(pdev);
		return ret;
	}
	gdev->irq = irq;
	return devm_add_action_or_reset(&pdev->dev, gaudi_irq_free, gdev);
}

void gaudi_irq_enable(struct gaudi_device *gdev)
{
	if (gdev->irq->enabled)
		return;
	gdev->irq->enabled = true;
	enable_irq(gdev->irq->irq);
}

void gaudi_irq_disable(struct gaudi_device *gdev)
{
	if (!gdev->irq->enabled)
		return;
	gdev->irq->enabled = false;
	disable_irq(gdev->irq->irq);
}
