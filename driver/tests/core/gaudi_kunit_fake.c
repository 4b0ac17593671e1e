// SPDX-License-Identifier: GPL-2.0-only
/* The fake device, and the module that the tests are. */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/vmalloc.h>

#include "../../core/gaudi_compat.h"
#include "../gaudi_kunit.h"

static void gaudi_fake_pdev_release(struct device *dev)
{
	kfree(to_pci_dev(dev));
}

static void gaudi_fake_put(void *dev)
{
	put_device(dev);
}

static void gaudi_fake_vfree(void *mem)
{
	vfree(mem);
}

struct gaudi_device *gaudi_fake_device(struct kunit *test)
{
	struct gaudi_device *gdev = kunit_kzalloc(test, sizeof(*gdev),
						  GFP_KERNEL);
	struct pci_dev *pdev = kzalloc(sizeof(*pdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pdev);
	device_initialize(&pdev->dev);
	pdev->dev.release = gaudi_fake_pdev_release;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, gaudi_fake_put,
							   &pdev->dev));
	KUNIT_ASSERT_NOT_NULL(test, gdev);
	KUNIT_ASSERT_EQ(test, 0, dev_set_name(&pdev->dev, "gaudi-fake"));
	pdev->dev.dma_mask = &pdev->dma_mask;
	pdev->dma_mask = DMA_BIT_MASK(48);
	pdev->dev.coherent_dma_mask = DMA_BIT_MASK(48);
	pdev->error_state = pci_channel_io_normal;
	gdev->pdev = pdev;
	gdev->drm.dev = &pdev->dev;
	return gdev;
}

static void *gaudi_fake_memory(struct kunit *test, size_t size)
{
	void *mem = vzalloc(size);

	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test,
							   gaudi_fake_vfree,
							   mem));
	return mem;
}

void gaudi_fake_regs(struct kunit *test, struct gaudi_device *gdev)
{
	void *mem = gaudi_fake_memory(test, GAUDI_FAKE_REGS_SIZE);

	memset(mem, 0xff, GAUDI_FAKE_REGS_SIZE);
	gdev->regs = (void __iomem *)mem;
	gdev->sram = (void __iomem *)gaudi_fake_memory(test, PAGE_SIZE);
}

u64 *gaudi_fake_pgt(struct kunit *test, struct gaudi_device *gdev)
{
	u64 *mem = gaudi_fake_memory(test, GAUDI_FAKE_PGT_SIZE);

	gdev->hbm = (void __iomem *)((unsigned long)mem - GAUDI_HBM_PGT_BASE);
	return mem;
}

GAUDI_IMPORT_KUNIT;
MODULE_DESCRIPTION("KUnit tests of gaudi.ko");
MODULE_LICENSE("GPL");
