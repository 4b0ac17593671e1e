// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs that shows what the user of the card has: command buffers,
 * submissions, their jobs, memory. Columns are mainline's.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "gaudi_buf.h"
#include "gaudi_cs.h"
#include "gaudi_debugfs.h"
#include "gaudi_device.h"
#include "gaudi_hbm.h"
#include "gaudi_user.h"
#include "gaudi_vm.h"

#define GAUDI_DEBUGFS_MAX_MAPS	4096

static void gaudi_debugfs_head(struct seq_file *s, bool *first,
			       const char *columns)
{
	if (*first)
		seq_printf(s, "\n%s\n%.*s\n", columns, (int)strlen(columns),
			   "--------------------------------------------------------------------------------");
	*first = false;
}

static void gaudi_debugfs_tail(struct seq_file *s, bool first)
{
	if (!first)
		seq_putc(s, '\n');
}

static int command_buffers_show(struct seq_file *s, void *unused)
{
	struct gaudi_ctx *ctx = gaudi_ctx_current(s->private);
	struct gaudi_buf *buf;
	unsigned long id;
	bool first = true;

	if (!ctx)
		return 0;
	xa_lock(&ctx->bufs.xa);
	xa_for_each(&ctx->bufs.xa, id, buf) {
		if (buf->type != GAUDI_BUF_CB)
			continue;
		gaudi_debugfs_head(s, &first,
				   " CB ID   CTX ID   CB size    CB RefCnt    mmap?   CS counter");
		seq_printf(s,
			   "   %03u        %u    0x%08zx      %u          %d          %d\n",
			   buf->id, ctx->asid, buf->size,
			   kref_read(&buf->refs), !!atomic_read(&buf->mapped),
			   atomic_read(&buf->cs_count));
	}
	xa_unlock(&ctx->bufs.xa);
	gaudi_debugfs_tail(s, first);
	gaudi_ctx_put(ctx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(command_buffers);

static int command_submission_show(struct seq_file *s, void *unused)
{
	struct gaudi_device *gdev = s->private;
	struct gaudi_cs *cs;
	bool first = true;

	spin_lock(&gdev->cs_mgr->lock);
	list_for_each_entry(cs, &gdev->cs_mgr->active, node) {
		gaudi_debugfs_head(s, &first,
				   " CS ID   CS TYPE   CTX ASID   CS RefCnt   Submitted    Completed");
		seq_printf(s,
			   "   %llu        %d          %u          %u           %d            %d\n",
			   cs->seq, cs->type, cs->ctx->asid,
			   refcount_read(&cs->refs), cs->submitted,
			   dma_fence_is_signaled(&cs->fence->base));
	}
	spin_unlock(&gdev->cs_mgr->lock);
	gaudi_debugfs_tail(s, first);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(command_submission);

static int command_submission_jobs_show(struct seq_file *s, void *unused)
{
	struct gaudi_device *gdev = s->private;
	struct gaudi_cs *cs;
	bool first = true;
	u32 i;

	spin_lock(&gdev->cs_mgr->lock);
	list_for_each_entry(cs, &gdev->cs_mgr->active, node) {
		for (i = 0; i < cs->num_jobs; i++) {
			gaudi_debugfs_head(s, &first,
					   " JOB ID   CS ID    CS TYPE    CTX ASID   JOB RefCnt   H/W Queue");
			seq_printf(s,
				   "   %02u      %llu        %d        %u          %d           %u\n",
				   i, cs->seq, cs->type, cs->ctx->asid,
				   !cs->jobs[i].done, cs->jobs[i].qid);
		}
	}
	spin_unlock(&gdev->cs_mgr->lock);
	gaudi_debugfs_tail(s, first);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(command_submission_jobs);

static void gaudi_debugfs_maps(struct seq_file *s, struct gaudi_ctx *ctx)
{
	struct hl_user_mapping *maps;
	u32 i, n;

	maps = kvcalloc(GAUDI_DEBUGFS_MAX_MAPS, sizeof(*maps), GFP_KERNEL);
	if (!maps)
		return;
	n = gaudi_vm_list(ctx, maps, GAUDI_DEBUGFS_MAX_MAPS);
	seq_puts(s, "\nmappings:\n\n    virtual address        size          handle\n");
	seq_puts(s, "----------------------------------------------------\n");
	for (i = 0; i < min(n, GAUDI_DEBUGFS_MAX_MAPS); i++)
		seq_printf(s, "    0x%-14llx      %-10llu\n", maps[i].dev_va,
			   maps[i].size);
	kvfree(maps);
}

static int vm_show(struct seq_file *s, void *unused)
{
	struct gaudi_ctx *ctx = gaudi_ctx_current(s->private);
	struct gaudi_hbm_block *block;
	unsigned long handle;

	if (!ctx)
		return 0;
	seq_printf(s, "\nctx asid: %u\n", ctx->asid);
	gaudi_debugfs_maps(s, ctx);
	seq_puts(s, "\nallocations:\n");
	mutex_lock(&ctx->vm.lock);
	xa_for_each(&ctx->vm.blocks, handle, block)
		seq_printf(s, "\nhandle: %u\nsize: %llu\nphysical address: 0x%llx\n",
			   block->handle, block->size, block->node.start);
	mutex_unlock(&ctx->vm.lock);
	gaudi_ctx_put(ctx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vm);

void gaudi_debugfs_user_add(struct gaudi_device *gdev, struct dentry *root)
{
	debugfs_create_file("command_buffers", 0444, root, gdev,
			    &command_buffers_fops);
	debugfs_create_file("command_submission", 0444, root, gdev,
			    &command_submission_fops);
	debugfs_create_file("command_submission_jobs", 0444, root, gdev,
			    &command_submission_jobs_fops);
	debugfs_create_file("vm", 0444, root, gdev, &vm_fops);
}
