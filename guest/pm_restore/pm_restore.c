// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives the machine its ACPI timer and interrupt back after suspend to RAM.
 *
 * QEMU resets the q35's LPC bridge when it wakes up, and SeaBIOS 1.16 sets up
 * again only the one of the older machine. Then the ACPI registers are at no
 * address: the timer reads as all ones, the kernel takes it for the better
 * clock, and time stands still before the first driver has resumed. On real
 * machines that is the firmware's work; here this module does it, before any
 * device resumes. It knows nothing of the card.
 */
#include <linux/acpi.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/syscore_ops.h>

/* ICH9 LPC bridge: ACPI base and control, interrupt routes, RCBA */
static const u8 pm_restore_regs[] = { 0x40, 0x44, 0x60, 0x68, 0xf0 };

static struct pci_dev *pm_restore_lpc;
static u32 pm_restore_saved[ARRAY_SIZE(pm_restore_regs)];

static int pm_restore_suspend(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pm_restore_regs); i++)
		pci_read_config_dword(pm_restore_lpc, pm_restore_regs[i],
				      &pm_restore_saved[i]);
	return 0;
}

static void pm_restore_resume(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pm_restore_regs); i++)
		pci_write_config_dword(pm_restore_lpc, pm_restore_regs[i],
				       pm_restore_saved[i]);
	acpi_write_bit_register(ACPI_BITREG_SCI_ENABLE, 1);
}

static struct syscore_ops pm_restore_ops = {
	.suspend = pm_restore_suspend,
	.resume = pm_restore_resume,
};

static int __init pm_restore_init(void)
{
	pm_restore_lpc = pci_get_device(PCI_VENDOR_ID_INTEL, 0x2918, NULL);
	if (!pm_restore_lpc)
		return -ENODEV;
	register_syscore_ops(&pm_restore_ops);
	return 0;
}

static void __exit pm_restore_exit(void)
{
	unregister_syscore_ops(&pm_restore_ops);
	pci_dev_put(pm_restore_lpc);
}

module_init(pm_restore_init);
module_exit(pm_restore_exit);

MODULE_DESCRIPTION("ACPI registers of a q35 after suspend to RAM");
MODULE_LICENSE("GPL");
