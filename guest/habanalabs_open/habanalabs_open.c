// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets programs open the node of the stock habanalabs driver.
 *
 * Since Linux 6.12 the DRM core refuses to open a node whose file operations
 * lack FOP_UNSIGNED_OFFSET: drm_open_helper() warns and returns -EINVAL. The
 * operations of habanalabs lack it (in 7.3 still), so on such kernels nobody can
 * open /dev/accel/accelN of any Gaudi; the control node is not affected.
 *
 * The module must stay byte for byte what Debian ships, so the flag comes from
 * outside: a probe on drm_open_helper() points the file that is being opened at
 * a copy of the driver's operations with the flag set. Only files whose
 * operations belong to the module "habanalabs" are touched. The copy has the
 * same owner, so the reference that the DRM core took is dropped as usual.
 *
 * There is no way to unload this module: open files may point at the copy.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/spinlock.h>

/*
 * The operations last seen, and their copy. They change only when habanalabs
 * was loaded anew, and then no file of the old one is open any more.
 */
static const struct file_operations *seen;
static struct file_operations seen_content;
static struct file_operations copy;
static DEFINE_RAW_SPINLOCK(copy_lock);

static bool wants_flag(const struct file_operations *fops)
{
	return fops && fops->owner &&
	       !strcmp(module_name(fops->owner), "habanalabs") &&
	       !(fops->fop_flags & FOP_UNSIGNED_OFFSET);
}

/* int drm_open_helper(struct file *filp, struct drm_minor *minor) */
static int before_open(struct kprobe *probe, struct pt_regs *regs)
{
	struct file *file = (struct file *)regs_get_kernel_argument(regs, 0);
	const struct file_operations *fops = file->f_op;

	if (!wants_flag(fops))
		return 0;

	raw_spin_lock(&copy_lock);
	if (seen != fops || memcmp(&seen_content, fops, sizeof(*fops))) {
		seen = fops;
		seen_content = *fops;
		copy = *fops;
		copy.fop_flags |= FOP_UNSIGNED_OFFSET;
	}
	raw_spin_unlock(&copy_lock);
	file->f_op = &copy;
	return 0;
}
NOKPROBE_SYMBOL(before_open);

static struct kprobe probe = {
	.symbol_name = "drm_open_helper",
	.pre_handler = before_open,
};

static int __init habanalabs_open_init(void)
{
	int ret = register_kprobe(&probe);

	if (ret)
		pr_err("cannot probe drm_open_helper: %d\n", ret);
	return ret;
}
module_init(habanalabs_open_init);

MODULE_DESCRIPTION("Supplies FOP_UNSIGNED_OFFSET to the stock habanalabs");
MODULE_LICENSE("GPL");
MODULE_SOFTDEP("pre: drm");
