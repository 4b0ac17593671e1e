// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives the machine its ACPI timer and interrupt, and the memory-mapped access
 * to configuration space back after suspend to RAM.
 *
 * QEMU resets the q35's bridges when it wakes up, and SeaBIOS 1.16 sets up
 * again only the one of the older machine. Then the ACPI registers are at no
 * address: the timer reads as all ones, the kernel takes it for the better
 * clock, and time stands still before the first driver has resumed; and all
 * configuration space above 256 bytes reads as zeros. On real machines that is
 * the firmware's work; here this module does it, before any device resumes. It
 * knows nothing of the card.
 */
#include <linux/acpi.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/syscore_ops.h>

#include "gaudi_kernel.h"

/* What the kernel passes to the callbacks; here it is nothing. */
#if GAUDI_HAVE_SYSCORE_OPS
#define PM_RESTORE_DATA void
#else
#define PM_RESTORE_DATA void *data
#endif

/* A bridge, and which registers the firmware sets up there. */
struct pm_restore_bridge {
	u16 id;
	u8 num;
	u8 regs[5];
	u32 saved[5];
	struct pci_dev *pdev;
};

static struct pm_restore_bridge pm_restore_bridges[] = {
	/* ICH9 LPC: ACPI base and control, interrupt routes, RCBA */
	{ 0x2918, 5, { 0x40, 0x44, 0x60, 0x68, 0xf0 } },
	/* Q35 host bridge: PCIEXBAR, its upper half first */
	{ 0x29c0, 2, { 0x64, 0x60 } },
};

#define for_each_bridge(b)						\
	for (b = pm_restore_bridges;					\
	     b < pm_restore_bridges + ARRAY_SIZE(pm_restore_bridges); b++)

static int pm_restore_suspend(PM_RESTORE_DATA)
{
	struct pm_restore_bridge *b;
	unsigned int i;

	for_each_bridge(b)
		for (i = 0; i < b->num; i++)
			pci_read_config_dword(b->pdev, b->regs[i],
					      &b->saved[i]);
	return 0;
}

static void pm_restore_resume(PM_RESTORE_DATA)
{
	struct pm_restore_bridge *b;
	unsigned int i;

	for_each_bridge(b)
		for (i = 0; i < b->num; i++)
			pci_write_config_dword(b->pdev, b->regs[i],
					       b->saved[i]);
	acpi_write_bit_register(ACPI_BITREG_SCI_ENABLE, 1);
}

static struct syscore_ops pm_restore_ops = {
	.suspend = pm_restore_suspend,
	.resume = pm_restore_resume,
};

#if !GAUDI_HAVE_SYSCORE_OPS
static struct syscore pm_restore_core = {
	.ops = &pm_restore_ops,
};

#define register_syscore_ops(ops)	register_syscore(&pm_restore_core)
#define unregister_syscore_ops(ops)	unregister_syscore(&pm_restore_core)
#endif

static void pm_restore_put(void)
{
	struct pm_restore_bridge *b;

	for_each_bridge(b)
		pci_dev_put(b->pdev);
}

static int __init pm_restore_init(void)
{
	struct pm_restore_bridge *b;

	for_each_bridge(b) {
		b->pdev = pci_get_device(PCI_VENDOR_ID_INTEL, b->id, NULL);
		if (!b->pdev) {
			pm_restore_put();
			return -ENODEV;
		}
	}
	register_syscore_ops(&pm_restore_ops);
	return 0;
}

static void __exit pm_restore_exit(void)
{
	unregister_syscore_ops(&pm_restore_ops);
	pm_restore_put();
}

module_init(pm_restore_init);
module_exit(pm_restore_exit);

MODULE_DESCRIPTION("a q35's ACPI and PCI registers after suspend to RAM");
MODULE_LICENSE("GPL");
