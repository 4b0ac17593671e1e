// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs that shows what the user of the card has: command buffers,
 * submissions, their jobs, host memory (by the user's address as well), device
 * addresses. Columns are mainline's.
 */
#include <linux/debugfs.h>
#include <linux/highmem.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../memory/gaudi_buf.h"
#include "../memory/gaudi_hbm.h"
#include "../memory/gaudi_memory.h"
#include "../submission/gaudi_cs.h"
#include "gaudi_debugfs.h"

static void gaudi_debugfs_head(struct seq_file *s, bool *first,
			       const char *columns)
{
	if (*first)
		seq_printf(s, "\n%s\n%.*s\n", columns, (int)strlen(columns),
			   "----------------------------------------------------------------------------------------------------");
	*first = false;
}

static void gaudi_debugfs_tail(struct seq_file *s, bool first)
{
	if (!first)
		seq_putc(s, '\n');
}

static const char gaudi_cb_columns[] =
	" CB ID   CTX ID   CB size    CB RefCnt    mmap?   CS counter";

/* The checked copies that the queues run; they have no handles. */
static void gaudi_debugfs_cb_show_copies(struct seq_file *s,
					 struct gaudi_device *gdev, bool *first)
{
	struct gaudi_cs *cs;
	unsigned int n = 0;
	u32 i;

	spin_lock(&gdev->cs_mgr->lock);
	list_for_each_entry(cs, &gdev->cs_mgr->active, node) {
		for (i = 0; i < cs->num_jobs; i++) {
			if (!cs->jobs[i].kcb)
				continue;
			gaudi_debugfs_head(s, first, gaudi_cb_columns);
			seq_printf(s,
				   "   %03u        0    0x%08x      1          0          1\n",
				   n++, cs->jobs[i].size);
		}
	}
	spin_unlock(&gdev->cs_mgr->lock);
}

static void gaudi_debugfs_cb_show_ctx(struct seq_file *s, struct gaudi_ctx *ctx,
				      bool *first)
{
	struct gaudi_buf *buf;
	unsigned long id;

	xa_lock(&ctx->bufs->xa);
	xa_for_each(&ctx->bufs->xa, id, buf) {
		if (buf->type != GAUDI_BUF_CB)
			continue;
		gaudi_debugfs_head(s, first, gaudi_cb_columns);
		seq_printf(s,
			   "   %03u        %u    0x%08zx      %u          %d          %d\n",
			   buf->id, ctx->asid, buf->size,
			   kref_read(&buf->refs), !!atomic_read(&buf->mapped),
			   atomic_read(&buf->cs_count));
	}
	xa_unlock(&ctx->bufs->xa);
}

static int gaudi_debugfs_cb_show(struct seq_file *s, void *unused)
{
	struct gaudi_device *gdev = s->private;
	struct gaudi_ctx *ctx;
	bool first = true;

	gaudi_debugfs_cb_show_copies(s, gdev, &first);
	gaudi_for_each_ctx(gdev, ctx)
		gaudi_debugfs_cb_show_ctx(s, ctx, &first);
	gaudi_debugfs_tail(s, first);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(gaudi_debugfs_cb);

static int gaudi_debugfs_cs_show(struct seq_file *s, void *unused)
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
DEFINE_SHOW_ATTRIBUTE(gaudi_debugfs_cs);

static int gaudi_debugfs_cs_jobs_show(struct seq_file *s, void *unused)
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
DEFINE_SHOW_ATTRIBUTE(gaudi_debugfs_cs_jobs);

/* --- userptr, userptr_lookup, and words of host memory --- */

struct gaudi_userptr_show {
	struct seq_file *s;
	struct gaudi_ctx *ctx;
	u64 addr;			/* userptr_lookup */
	bool first;
};

static void gaudi_debugfs_userptr_show_one(void *arg, u64 dev_addr,
					   const struct gaudi_userptr *host)
{
	struct gaudi_userptr_show *show = arg;

	gaudi_debugfs_head(show->s, &show->first,
			   " pid      user virtual address     size             dma dir");
	seq_printf(show->s, " %-7d  0x%-14llx      %-10llu    %-30s\n",
		   pid_nr(show->ctx->pid), host->addr, host->size,
		   "DMA_BIDIRECTIONAL");
}

static void gaudi_debugfs_userptr_lookup_one(void *arg, u64 dev_addr,
					     const struct gaudi_userptr *host)
{
	struct gaudi_userptr_show *show = arg;
	u64 offset = show->addr - host->addr;
	u64 skip = offset + offset_in_page(host->addr);
	struct scatterlist *sg;
	unsigned int i;

	if (show->addr < host->addr || offset >= host->size)
		return;
	/* Segments begin at a page but for the first. */
	for_each_sgtable_dma_sg(&host->pages.sgt, sg, i) {
		u64 lead = i ? 0 : offset_in_page(host->addr);
		u64 len = sg_dma_len(sg) + lead;

		if (skip >= len) {
			skip -= len;
			continue;
		}
		gaudi_debugfs_head(show->s, &show->first,
				   " user virtual address         dma address       pid        region start     region size");
		seq_printf(show->s,
			   " 0x%-18llx  0x%-16llx  %-8u  0x%-16llx %-12llu\n",
			   show->addr, sg_dma_address(sg) - lead + skip,
			   pid_nr(show->ctx->pid), host->addr, host->size);
		return;
	}
}

static void gaudi_debugfs_userptrs(struct seq_file *s, struct gaudi_device *gdev,
				   u64 addr,
				   gaudi_vm_host_fn one)
{
	struct gaudi_userptr_show show = { .s = s, .addr = addr, .first = true };

	gaudi_for_each_ctx(gdev, show.ctx)
		gaudi_vm_walk_host(show.ctx, one, &show);
	gaudi_debugfs_tail(s, show.first);
}

static int gaudi_debugfs_userptr_show(struct seq_file *s, void *unused)
{
	gaudi_debugfs_userptrs(s, s->private, 0,
			       gaudi_debugfs_userptr_show_one);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(gaudi_debugfs_userptr);

struct gaudi_userptr_lookup {
	struct gaudi_device *gdev;
	u64 addr;
};

static int gaudi_debugfs_userptr_lookup_show(struct seq_file *s, void *unused)
{
	struct gaudi_userptr_lookup *lookup = s->private;

	gaudi_debugfs_userptrs(s, lookup->gdev, READ_ONCE(lookup->addr),
			       gaudi_debugfs_userptr_lookup_one);
	return 0;
}

static ssize_t gaudi_debugfs_userptr_lookup_write(struct file *file,
						  const char __user *buf,
						  size_t count, loff_t *ppos)
{
	struct gaudi_userptr_lookup *lookup =
		((struct seq_file *)file->private_data)->private;
	u64 addr;
	int ret;

	ret = kstrtou64_from_user(buf, count, 16, &addr);
	if (ret)
		return ret;
	WRITE_ONCE(lookup->addr, addr);
	return count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(gaudi_debugfs_userptr_lookup);

struct gaudi_host_word {
	u64 va;
	size_t size;
	bool write, found;
	u64 *val;
};

static void gaudi_debugfs_host_word_one(void *arg, u64 dev_addr,
					const struct gaudi_userptr *host)
{
	struct gaudi_host_word *word = arg;
	u64 offset = word->va - dev_addr;
	struct page *host_page;
	void *page;

	if (word->found || word->va < dev_addr || offset >= host->size ||
	    host->size - offset < word->size)
		return;
	offset += offset_in_page(host->addr);
	/* An aligned word of a user's aligned memory is in one page. */
	if (offset_in_page(offset) > PAGE_SIZE - word->size)
		return;
	host_page = gaudi_userptr_page(host, offset >> PAGE_SHIFT);
	if (!host_page)
		return;
	page = kmap_local_page(host_page);
	if (word->write)
		memcpy(page + offset_in_page(offset), word->val, word->size);
	else
		memcpy(word->val, page + offset_in_page(offset), word->size);
	kunmap_local(page);
	word->found = true;
}

int gaudi_debugfs_host_word(struct gaudi_device *gdev, u64 va, size_t size,
			    bool write, u64 *val)
{
	struct gaudi_host_word word = {
		.va = va, .size = size, .write = write, .val = val,
	};
	struct gaudi_ctx *ctx;

	if (!write)
		*val = 0;
	gaudi_for_each_ctx(gdev, ctx)
		gaudi_vm_walk_host(ctx, gaudi_debugfs_host_word_one, &word);
	return word.found ? 0 : -EINVAL;
}

/* --- vm --- */

static void gaudi_debugfs_vm_show_mapping(void *arg, u64 dev_addr,
					  const struct gaudi_userptr *host)
{
	seq_printf(arg, "    0x%-14llx      %-10llu\n", dev_addr, host->size);
}

static void gaudi_debugfs_vm_show_head(struct seq_file *s, u32 asid)
{
	static const char line[] =
		"----------------------------------------------------\n";

	seq_printf(s, "\n\n%s%s\nctx asid: %u\n\nmappings:\n\n", line, line,
		   asid);
	seq_printf(s, "    virtual address        size          handle\n%s",
		   line);
}

static void gaudi_debugfs_vm_show_ranges(struct seq_file *s,
					 struct gaudi_vm *vm)
{
	struct drm_mm_node *node;
	u64 start, end;

	seq_puts(s, "\nVA ranges:\n\n   va_range 0\n---------------------\n");
	drm_mm_for_each_hole(node, &vm->va, start, end)
		seq_printf(s, "%#16llx - %#16llx (%#llx)\n", start, end - 1,
			   end - start);
}

static void gaudi_debugfs_vm_show_ctx(struct seq_file *s, struct gaudi_ctx *ctx)
{
	struct gaudi_hbm_block *block;
	unsigned long handle;

	gaudi_debugfs_vm_show_head(s, ctx->asid);
	gaudi_vm_walk_host(ctx, gaudi_debugfs_vm_show_mapping, s);
	mutex_lock(&ctx->vm->blocks_lock);
	if (ctx->vm->hbm_bytes)
		seq_puts(s, "\n\nallocations:\n");
	xa_for_each(&ctx->vm->blocks, handle, block)
		seq_printf(s, "\nhandle: %u\nsize: %llu\n\n   physical address\n---------------------\n    0x%-14llx\n",
			   block->handle, block->size, block->node.start);
	mutex_unlock(&ctx->vm->blocks_lock);
	guard(mutex)(&ctx->vm->lock);
	gaudi_debugfs_vm_show_ranges(s, ctx->vm);
}

static int gaudi_debugfs_vm_show(struct seq_file *s, void *unused)
{
	struct gaudi_ctx *ctx;

	gaudi_for_each_ctx((struct gaudi_device *)s->private, ctx)
		gaudi_debugfs_vm_show_ctx(s, ctx);
	/* The kernel's own address space maps nothing. */
	gaudi_debugfs_vm_show_head(s, 0);
	seq_putc(s, '\n');
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(gaudi_debugfs_vm);

void gaudi_debugfs_user_add(struct gaudi_device *gdev, struct dentry *root)
{
	struct gaudi_userptr_lookup *lookup;

	debugfs_create_file("command_buffers", 0644, root, gdev,
			    &gaudi_debugfs_cb_fops);
	debugfs_create_file("command_submission", 0644, root, gdev,
			    &gaudi_debugfs_cs_fops);
	debugfs_create_file("command_submission_jobs", 0644, root, gdev,
			    &gaudi_debugfs_cs_jobs_fops);
	debugfs_create_file("vm", 0644, root, gdev, &gaudi_debugfs_vm_fops);
	debugfs_create_file("userptr", 0644, root, gdev,
			    &gaudi_debugfs_userptr_fops);
	lookup = devm_kzalloc(gdev->drm.dev, sizeof(*lookup), GFP_KERNEL);
	if (!lookup)
		return;
	lookup->gdev = gdev;
	debugfs_create_file("userptr_lookup", 0644, root, lookup,
			    &gaudi_debugfs_userptr_lookup_fops);
}
