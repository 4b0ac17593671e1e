// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has the stock habanalabs driver use ports of the card, which it has code for, and a
 * mask that says which: 0, in each kernel. The mask is a member of the structure of a
 * card, whose offset (in bytes) is a parameter, as only the kernel's BTF says it
 * (tests/tools/btf_offset.py). It is written before a card is brought up: cards that
 * are bound already have to be bound again.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>

static uint offset;
module_param(offset, uint, 0);
MODULE_PARM_DESC(offset, "of the mask, in bytes");
static uint mask;
module_param(mask, uint, 0);
MODULE_PARM_DESC(mask, "ports to be used");

/* int hl_device_init(struct hl_device *hdev) */
static int before_init(struct kprobe *probe, struct pt_regs *regs)
{
	u64 *member = (void *)regs_get_kernel_argument(regs, 0) + offset;

	if (*member)
		pr_err("no mask of 0 is at offset %u\n", offset);
	else
		*member = mask;
	return 0;
}
NOKPROBE_SYMBOL(before_init);

static struct kprobe probe = {
	.symbol_name = "hl_device_init",
	.pre_handler = before_init,
};

static int __init stock_ports_init(void)
{
	if (!offset || offset % sizeof(u64))
		return -EINVAL;
	return register_kprobe(&probe);
}
module_init(stock_ports_init);

static void __exit stock_ports_exit(void)
{
	unregister_kprobe(&probe);
}
module_exit(stock_ports_exit);

MODULE_DESCRIPTION("Ports for the stock habanalabs, for comparisons");
MODULE_LICENSE("GPL");
