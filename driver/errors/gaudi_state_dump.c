// SPDX-License-Identifier: GPL-2.0-only
/*
 * State dumps, of what waits for what when a submission is stuck: sync objects
 * that are not zero, monitors that are armed, streams that wait for a fence.
 * The lines are mainline's, for tools that parse them. The newest few are kept
 * for debugfs; a device coredump has them, too (gaudi_coredump.c).
 *
 * Submissions end only after this, and reclaim may wait for them: so there is
 * one buffer for all text, which is made in probe.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/uaccess.h>

#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_mme_regs.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../../uapi/hw/regs/gaudi_tpc_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_errors.h"

#define GAUDI_NUM_DUMPS		5
/* Every sync object, monitor and fence at once, and registers. */
#define GAUDI_DUMP_SIZE		(SZ_2M + SZ_128K)
#define GAUDI_SOBS_PER_GROUP	8
#define GAUDI_MASTER_MMES	2

struct gaudi_state_dumps {
	struct mutex text_lock;		/* text, unless there is a reset */
	struct seq_file text;
	struct mutex lock;		/* all that follows */
	char *kept[GAUDI_NUM_DUMPS];	/* a ring; kept[newest] may be NULL */
	unsigned int newest;
};

static const struct {
	const char *name;
	u32 base;
} gaudi_managers[GAUDI_NUM_SYNC_MNGR] = {
	{ "SYNC_MGR_E_N", GAUDI_SYNC_MNGR_E_N_BASE },
	{ "SYNC_MGR_W_N", GAUDI_SYNC_MNGR_W_N_BASE },
	{ "SYNC_MGR_E_S", GAUDI_SYNC_MNGR_E_S_BASE },
	{ "SYNC_MGR_W_S", GAUDI_SYNC_MNGR_W_S_BASE },
};

/* Engines in the order of the dump; sob holds what they write when done. */
static const struct {
	const char *name;
	unsigned int count;
	u32 qman, step;
	u32 sob;
} gaudi_dumped[] = {
	{ "TPC", GAUDI_NUM_TPC, GAUDI_TPC_QM_BASE(0),
	  GAUDI_TPC_QM_BASE(1) - GAUDI_TPC_QM_BASE(0),
	  GAUDI_TPC_CFG_BASE(0) + TPC_CFG_QM_SYNC_OBJECT_ADDR },
	{ "MME", GAUDI_MASTER_MMES, GAUDI_MME_QM_BASE(0),
	  GAUDI_MME_QM_BASE(2) - GAUDI_MME_QM_BASE(0),
	  GAUDI_MME_CTRL_BASE(0) + MME_CTRL_ARCH_DESC_SO_ADDR_LOW_LOCAL },
	{ "DMA", GAUDI_NUM_DMA, GAUDI_DMA_QM_BASE(0),
	  GAUDI_DMA_QM_BASE(1) - GAUDI_DMA_QM_BASE(0),
	  GAUDI_DMA_CORE_BASE(0) + DMA_CORE_WR_COMP_ADDR_LO },
};

#define GAUDI_DUMPED_ENGINES	(GAUDI_NUM_TPC + 2 * GAUDI_MASTER_MMES + \
				 GAUDI_NUM_DMA)

/* The CFG offset of each engine's sync object. */
struct gaudi_dumped_sob {
	u32 off;
	const char *name;
	unsigned int index;
};

static unsigned int gaudi_dump_find_sobs(struct gaudi_device *gdev,
					 struct gaudi_dumped_sob *sobs)
{
	unsigned int t, i, part, parts, n = 0;

	for (t = 0; t < ARRAY_SIZE(gaudi_dumped); t++) {
		/* An MME has a slave, whose address follows its own. */
		parts = gaudi_dumped[t].count == GAUDI_MASTER_MMES ? 2 : 1;
		for (i = 0; i < gaudi_dumped[t].count * parts; i++) {
			part = i % parts;
			sobs[n].off = gaudi_rd(gdev, gaudi_dumped[t].sob +
					       gaudi_dumped[t].step *
					       (i / parts) + 4 * part) -
				      lower_32_bits(GAUDI_CFG_BASE);
			sobs[n].name = gaudi_dumped[t].name;
			sobs[n++].index = i;
		}
	}
	return n;
}

static void gaudi_dump_sobs(struct gaudi_device *gdev, struct seq_file *s)
{
	struct gaudi_dumped_sob sobs[GAUDI_DUMPED_ENGINES];
	unsigned int num = gaudi_dump_find_sobs(gdev, sobs);
	unsigned int m, i, e;

	seq_puts(s, "Non zero sync objects:\n");
	for (m = 0; m < ARRAY_SIZE(gaudi_managers); m++) {
		seq_printf(s, "%s\n", gaudi_managers[m].name);
		for (i = 0; i < SYNC_MNGR_NUM_SOB; i++) {
			u32 off = gaudi_managers[m].base + SYNC_MNGR_SOB_OBJ(i);
			u32 val = gaudi_rd(gdev, off);

			if (!val)
				continue;
			seq_printf(s, "sync id: %u, value: %u", i, val);
			for (e = 0; e < num && sobs[e].off != off; e++)
				;
			if (e < num)
				seq_printf(s, ", Engine: %s%u",
					       sobs[e].name, sobs[e].index);
			seq_putc(s, '\n');
		}
	}
}

/* "0b" and digits without leading zeros: none at all for 0. */
static void gaudi_dump_binary(struct seq_file *s, u32 val)
{
	int bit;

	seq_puts(s, "0b");
	for (bit = fls(val) - 1; bit >= 0; bit--)
		seq_putc(s, val & BIT(bit) ? '1' : '0');
}

static void gaudi_dump_monitor(struct gaudi_device *gdev, struct seq_file *s,
			       u32 base, unsigned int i, u32 status)
{
	u32 arm = gaudi_rd(gdev, base + SYNC_MNGR_MON_ARM(i));
	u32 group = FIELD_GET(SYNC_MNGR_MON_ARM_SID, arm);
	unsigned long mask = FIELD_GET(SYNC_MNGR_MON_ARM_MASK, arm);
	const char *comma = "";
	unsigned int bit;

	seq_printf(s, "Mon id: %u, wait for group id: %u mask ", i, group);
	gaudi_dump_binary(s, mask);
	seq_printf(s,
		       " to reach val: %lu and write %u to address 0x%llx. Pending: ",
		       FIELD_GET(SYNC_MNGR_MON_ARM_SOD, arm),
		       gaudi_rd(gdev, base + SYNC_MNGR_MON_PAY_DATA(i)),
		       (u64)gaudi_rd(gdev, base +
				     SYNC_MNGR_MON_PAY_ADDRH(i)) << 32 |
		       gaudi_rd(gdev, base + SYNC_MNGR_MON_PAY_ADDRL(i)));
	gaudi_dump_binary(s, FIELD_GET(SYNC_MNGR_MON_STATUS_PENDING, status));
	seq_puts(s, ". Means sync objects [");
	for_each_clear_bit(bit, &mask, fls(mask)) {
		seq_printf(s, "%s%u", comma,
			       group * GAUDI_SOBS_PER_GROUP + bit);
		comma = ", ";
	}
	seq_puts(s, "] are being monitored.\n");
}

static void gaudi_dump_monitors(struct gaudi_device *gdev, struct seq_file *s)
{
	unsigned int m, i;

	seq_puts(s, "Valid (armed) monitor objects:\n");
	for (m = 0; m < ARRAY_SIZE(gaudi_managers); m++) {
		u32 base = gaudi_managers[m].base;

		seq_printf(s, "%s\n", gaudi_managers[m].name);
		for (i = 0; i < SYNC_MNGR_NUM_MON; i++) {
			u32 sts = gaudi_rd(gdev, base +
					   SYNC_MNGR_MON_STATUS(i));

			if (sts & SYNC_MNGR_MON_STATUS_VALID)
				gaudi_dump_monitor(gdev, s, base, i, sts);
		}
	}
}

static void gaudi_dump_fence(struct gaudi_device *gdev, struct seq_file *s,
			     const char *engine, unsigned int index, u32 base,
			     unsigned int cp)
{
	u32 sts = gaudi_rd(gdev, base + QM_CP_STS(cp));
	u32 id = FIELD_GET(QM_CP_STS_FENCE_ID, sts);
	u32 cnt = base + QM_CP_FENCE_CNT(id, cp);

	if (!(sts & QM_CP_STS_FENCE_IN_PROGRESS))
		return;
	seq_printf(s,
		       "%s%u, stream %u: fence id %u cnt = 0x%llx (%s%u_QM.CP_FENCE%u_CNT_%u) rdata = 0x%llx (%s%u_QM.CP_FENCE%u_RDATA_%u) value = %u, cp_status = %u\n",
		       engine, index, cp, id, GAUDI_CFG_BASE + cnt, engine,
		       index, id, cp,
		       GAUDI_CFG_BASE + base + QM_CP_FENCE_RDATA(id, cp),
		       engine, index, id, cp, gaudi_rd(gdev, cnt), sts);
}

static void gaudi_dump_fences(struct gaudi_device *gdev, struct seq_file *s)
{
	unsigned int t, i, cp;

	seq_puts(s, "Valid (armed) fences:\n");
	for (t = 0; t < ARRAY_SIZE(gaudi_dumped); t++)
		for (i = 0; i < gaudi_dumped[t].count; i++)
			for (cp = 0; cp < GAUDI_NUM_CPS; cp++)
				gaudi_dump_fence(gdev, s, gaudi_dumped[t].name,
						 i, gaudi_dumped[t].qman +
						 i * gaudi_dumped[t].step, cp);
}

struct seq_file *gaudi_state_text(struct gaudi_device *gdev)
{
	/* Who has it already ends; the others find the gate closed. */
	guard(mutex)(&gdev->dumps->text_lock);
	gdev->dumps->text.count = 0;
	return &gdev->dumps->text;
}

void gaudi_state_waits(struct gaudi_device *gdev, struct seq_file *s)
{
	seq_printf(s, "Timestamp taken on: %llu\n\n", ktime_get_ns());
	gaudi_dump_sobs(gdev, s);
	seq_putc(s, '\n');
	gaudi_dump_monitors(gdev, s);
	seq_putc(s, '\n');
	gaudi_dump_fences(gdev, s);
	seq_putc(s, '\n');
}

void gaudi_state_dump(struct gaudi_device *gdev)
{
	struct gaudi_state_dumps *dumps = gdev->dumps;
	struct seq_file *s = &dumps->text;
	char *text = NULL;

	mutex_lock(&dumps->text_lock);
	/* Else a reset is under way: nothing of interest is left. */
	if (!gaudi_reset_enter(gdev)) {
		s->count = 0;
		gaudi_state_waits(gdev, s);
		seq_putc(s, '\0');
		gaudi_reset_exit(gdev);
		/* Nothing waits for memory, nor for a reader. */
		text = kmemdup(s->buf, s->count, GFP_NOWAIT | __GFP_NOWARN);
	}
	mutex_unlock(&dumps->text_lock);
	if (text && mutex_trylock(&dumps->lock)) {
		dumps->newest = (dumps->newest + 1) % GAUDI_NUM_DUMPS;
		swap(dumps->kept[dumps->newest], text);
		mutex_unlock(&dumps->lock);
	}
	kfree(text);
}

/* --- debugfs --- */

static ssize_t gaudi_state_dump_read(struct file *file, char __user *buf,
				     size_t count, loff_t *ppos)
{
	struct gaudi_state_dumps *dumps = file->private_data;
	const char *text;

	guard(mutex)(&dumps->lock);
	text = dumps->kept[dumps->newest];
	if (!text)
		return 0;
	return simple_read_from_buffer(buf, count, ppos, text, strlen(text));
}

/* Forget so many of the newest. */
static ssize_t gaudi_state_dump_write(struct file *file, const char __user *buf,
				      size_t count, loff_t *ppos)
{
	struct gaudi_state_dumps *dumps = file->private_data;
	unsigned int num;
	int ret;

	ret = kstrtouint_from_user(buf, count, 10, &num);
	if (ret)
		return ret;
	if (!num || num >= GAUDI_NUM_DUMPS)
		return -EINVAL;
	guard(mutex)(&dumps->lock);
	for (; num && dumps->kept[dumps->newest]; num--) {
		kfree(dumps->kept[dumps->newest]);
		dumps->kept[dumps->newest] = NULL;
		dumps->newest = (dumps->newest + GAUDI_NUM_DUMPS - 1) %
				GAUDI_NUM_DUMPS;
	}
	return count;
}

static const struct file_operations gaudi_state_dump_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = gaudi_state_dump_read,
	.write = gaudi_state_dump_write,
	.llseek = default_llseek,
};

void gaudi_debugfs_dump_add(struct gaudi_device *gdev, struct dentry *root)
{
	debugfs_create_file("state_dump", 0644, root, gdev->dumps,
			    &gaudi_state_dump_fops);
}

static void gaudi_state_dump_free(void *arg)
{
	struct gaudi_state_dumps *dumps = arg;
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_DUMPS; i++)
		kfree(dumps->kept[i]);
	vfree(dumps->text.buf);
}

int gaudi_state_dump_init(struct gaudi_device *gdev)
{
	struct device *dev = gdev->drm.dev;
	struct gaudi_state_dumps *dumps;
	int ret;

	dumps = devm_kzalloc(dev, sizeof(*dumps), GFP_KERNEL);
	if (!dumps)
		return -ENOMEM;
	ret = devm_mutex_init(dev, &dumps->lock) ?:
	      devm_mutex_init(dev, &dumps->text_lock);
	if (ret)
		return ret;
	dumps->text.size = GAUDI_DUMP_SIZE;
	dumps->text.buf = vmalloc(GAUDI_DUMP_SIZE);
	if (!dumps->text.buf)
		return -ENOMEM;
	gdev->dumps = dumps;
	return devm_add_action_or_reset(dev, gaudi_state_dump_free, dumps);
}
