// SPDX-License-Identifier: GPL-2.0-only
/*
 * DRM_IOCTL_GAUDI_CS: a submission with fences in and out, as sync objects
 * (binary and timeline) and sync_files.
 *
 * All that can fail comes before the submission; what others can see changes
 * after it. From then on the fence must signal, and nothing on its way there
 * allocates memory: see gaudi_deferred.c.
 */
#include <linux/dma-fence-chain.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sync_file.h>

#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

#define CS_FLAGS	(GAUDI_CS_TIMESTAMP | GAUDI_CS_IN_FENCE_FD | \
			 GAUDI_CS_OUT_FENCE_FD)

struct out_sync {
	struct drm_syncobj *obj;
	struct dma_fence_chain *chain;	/* timelines only */
	u64 point;
};

/* What one call works with; zeroed, and released in the end. */
struct cs_sync {
	struct dma_fence *in;		/* all in-fences as one, or NULL */
	int in_error;			/* one has ended with it already */
	struct out_sync *outs;
	u32 num_outs;
	struct sync_file *out_file;
	int out_fd;
};

static void gaudi_syncobj_release(struct cs_sync *s)
{
	u32 i;

	for (i = 0; i < s->num_outs; i++) {
		drm_syncobj_put(s->outs[i].obj);
		dma_fence_chain_free(s->outs[i].chain);
	}
	kvfree(s->outs);
	dma_fence_put(s->in);
	if (s->out_file)
		fput(s->out_file->file);
	if (s->out_fd >= 0)
		put_unused_fd(s->out_fd);
}

static struct drm_gaudi_sync *gaudi_syncobj_copy_syncs(u64 user, u32 num)
{
	struct drm_gaudi_sync *syncs;
	u32 i;

	if (!num)
		return NULL;
	syncs = vmemdup_array_user(u64_to_user_ptr(user), num, sizeof(*syncs));
	if (IS_ERR(syncs))
		return syncs;
	for (i = 0; i < num; i++) {
		if (syncs[i].flags) {
			kvfree(syncs);
			return ERR_PTR(-EINVAL);
		}
	}
	return syncs;
}

/*
 * What chains and arrays contain, with references. An exported fence of this
 * driver is replaced by the internal one: what depends on a failed submission
 * never runs, and its waits end at once.
 */
static struct dma_fence **gaudi_syncobj_unwrap_fences(struct dma_fence **fences,
						      u32 *num)
{
	struct dma_fence **leaves, *f;
	struct dma_fence_unwrap iter;
	u32 i, n = 0, room = 0;

	for (i = 0; i < *num; i++)
		dma_fence_unwrap_for_each(f, &iter, fences[i])
			room++;
	leaves = kvmalloc_array(room, sizeof(*leaves), GFP_KERNEL);
	if (!leaves)
		return NULL;
	/* By now there may be fewer; stopping early would leak a reference. */
	for (i = 0; i < *num; i++)
		dma_fence_unwrap_for_each(f, &iter, fences[i])
			if (n < room)
				leaves[n++] =
					dma_fence_get(gaudi_cs_own_fence(f));
	*num = n;
	return leaves;
}

/* One fence for all. */
static int gaudi_syncobj_merge_fences(struct cs_sync *s,
				      struct dma_fence **fences, u32 num)
{
	struct dma_fence **leaves = gaudi_syncobj_unwrap_fences(fences, &num);
	struct dma_fence_unwrap *iters;
	u32 i;

	if (!leaves)
		return -ENOMEM;
	iters = kvmalloc_array(num, sizeof(*iters), GFP_KERNEL);
	if (iters)
		s->in = __dma_fence_unwrap_merge(num, leaves, iters);
	kvfree(iters);
	/* After the merge, which drops those that have ended by then. */
	for (i = 0; i < num; i++) {
		s->in_error = s->in_error ?:
			      min(dma_fence_get_status(leaves[i]), 0);
		dma_fence_put(leaves[i]);
	}
	kvfree(leaves);
	return s->in ? 0 : -ENOMEM;
}

static int gaudi_syncobj_find_fences(struct drm_file *file,
				     const struct drm_gaudi_cs *args,
				     const struct drm_gaudi_sync *syncs,
				     struct dma_fence **fences)
{
	u32 i;
	int rc;

	for (i = 0; i < args->num_in_syncs; i++) {
		rc = drm_syncobj_find_fence(file, syncs[i].handle,
					    syncs[i].point, 0, &fences[i]);
		if (rc) {
			/* It may leave one there that it has put. */
			fences[i] = NULL;
			return rc;
		}
	}
	if (args->flags & GAUDI_CS_IN_FENCE_FD) {
		fences[i] = sync_file_get_fence(args->in_fence_fd);
		if (!fences[i])
			return -EINVAL;
	}
	return 0;
}

static int gaudi_syncobj_get_in_fences(struct cs_sync *s, struct drm_file *file,
				       const struct drm_gaudi_cs *args)
{
	u32 i, num = args->num_in_syncs;
	struct drm_gaudi_sync *syncs;
	struct dma_fence **fences;
	int rc;

	if (args->flags & GAUDI_CS_IN_FENCE_FD)
		num++;
	if (!num)
		return 0;
	syncs = gaudi_syncobj_copy_syncs(args->in_syncs, args->num_in_syncs);
	if (IS_ERR(syncs))
		return PTR_ERR(syncs);
	fences = kvcalloc(num, sizeof(*fences), GFP_KERNEL);
	rc = fences ? gaudi_syncobj_find_fences(file, args, syncs, fences) :
		      -ENOMEM;
	if (!rc)
		rc = gaudi_syncobj_merge_fences(s, fences, num);
	for (i = 0; fences && i < num; i++)
		dma_fence_put(fences[i]);
	kvfree(fences);
	kvfree(syncs);
	return rc;
}

static int gaudi_syncobj_get_outs(struct cs_sync *s, struct drm_file *file,
				  const struct drm_gaudi_cs *args)
{
	struct drm_gaudi_sync *syncs;
	int rc = 0;

	if (!args->num_out_syncs)
		return 0;
	syncs = gaudi_syncobj_copy_syncs(args->out_syncs, args->num_out_syncs);
	if (IS_ERR(syncs))
		return PTR_ERR(syncs);
	s->outs = kvcalloc(args->num_out_syncs, sizeof(*s->outs), GFP_KERNEL);
	if (!s->outs)
		rc = -ENOMEM;
	while (!rc && s->num_outs < args->num_out_syncs) {
		const struct drm_gaudi_sync *sync = &syncs[s->num_outs];
		struct out_sync *out = &s->outs[s->num_outs];

		out->obj = drm_syncobj_find(file, sync->handle);
		if (!out->obj) {
			rc = -ENOENT;
			break;
		}
		s->num_outs++;
		out->point = sync->point;
		if (!out->point)
			continue;
		out->chain = dma_fence_chain_alloc();
		if (!out->chain)
			rc = -ENOMEM;
	}
	kvfree(syncs);
	return rc;
}

static int gaudi_syncobj_get_out_file(struct cs_sync *s,
				      struct dma_fence *fence)
{
	s->out_fd = get_unused_fd_flags(O_CLOEXEC);
	if (s->out_fd < 0)
		return s->out_fd;
	s->out_file = sync_file_create(fence);
	return s->out_file ? 0 : -ENOMEM;
}

/* Make the fence visible to others. */
static void gaudi_syncobj_publish(struct cs_sync *s, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < s->num_outs; i++) {
		struct out_sync *out = &s->outs[i];

		if (!out->chain) {
			drm_syncobj_replace_fence(out->obj, fence);
			continue;
		}
		drm_syncobj_add_point(out->obj, out->chain, fence, out->point);
		out->chain = NULL;
	}
	if (s->out_file) {
		fd_install(s->out_fd, s->out_file->file);
		s->out_file = NULL;
		s->out_fd = -1;
	}
}

/* Now, or when the fences have signalled. Takes over cs. */
static int gaudi_syncobj_submit_or_defer(struct cs_sync *s, struct gaudi_cs *cs)
{
	/* 1: has signalled. */
	int status = s->in ? dma_fence_get_status(s->in) : 1;
	int rc;

	if (status < 0 || s->in_error) {
		/* As if the fence had signalled a moment later. */
		cs->error = s->in_error ?: status;
		rc = 0;
	} else if (!status) {
		rc = gaudi_deferred_add(cs, s->in);
		if (!rc) {
			s->in = NULL;
			return 0;
		}
	} else {
		rc = gaudi_cs_submit(cs);
	}
	gaudi_cs_put(cs);
	return rc;
}

static int gaudi_syncobj_submit_cs(struct cs_sync *s, struct gaudi_ctx *ctx,
				   const struct hl_cs_chunk *chunks,
				   struct drm_gaudi_cs *args)
{
	bool file = args->flags & GAUDI_CS_OUT_FENCE_FD;
	unsigned long timeout = gaudi_cs_default_timeout(ctx->gdev);
	struct dma_fence *out = NULL;
	struct gaudi_cs *cs;
	int rc = 0;

	if (args->timeout_ms)
		timeout = min(timeout, msecs_to_jiffies(args->timeout_ms));
	cs = gaudi_cs_prepare(ctx, chunks, args->num_chunks,
			      args->flags & GAUDI_CS_TIMESTAMP ?
			      HL_CS_FLAGS_TIMESTAMP : 0, timeout);
	if (IS_ERR(cs))
		return PTR_ERR(cs);
	args->seq = cs->seq;
	if (file || s->num_outs)
		rc = gaudi_cs_export(cs);
	if (cs->out)
		out = dma_fence_get(&cs->out->base);
	if (file && !rc)
		rc = gaudi_syncobj_get_out_file(s, out);
	if (rc)
		gaudi_cs_put(cs);
	else
		rc = gaudi_syncobj_submit_or_defer(s, cs);
	if (!rc) {
		args->out_fence_fd = s->out_fd;
		gaudi_syncobj_publish(s, out);
	}
	dma_fence_put(out);
	return rc;
}

/* All user memory has been read: from here on nothing waits for the user. */
static int gaudi_syncobj_submit_chunks(struct cs_sync *s, struct gaudi_ctx *ctx,
				       struct drm_gaudi_cs *args)
{
	struct hl_cs_chunk *chunks;
	int rc = -ENODEV, idx;

	chunks = gaudi_cs_dup_chunks(ctx, args->chunks, args->num_chunks);
	if (IS_ERR(chunks))
		return PTR_ERR(chunks);
	if (gaudi_device_enter(ctx->gdev, &idx)) {
		rc = gaudi_syncobj_submit_cs(s, ctx, chunks, args);
		gaudi_device_exit(ctx->gdev, idx);
	}
	kvfree(chunks);
	return rc;
}

int gaudi_cs_sync_ioctl(struct drm_device *drm, void *data,
			struct drm_file *file)
{
	struct gaudi_ctx *ctx = file->driver_priv;
	struct cs_sync s = { .out_fd = -1 };
	struct drm_gaudi_cs *args = data;
	int rc;

	if (args->pad || args->flags & ~CS_FLAGS || !args->num_chunks ||
	    args->num_in_syncs > GAUDI_CS_MAX_SYNCS ||
	    args->num_out_syncs > GAUDI_CS_MAX_SYNCS)
		return -EINVAL;
	if (!gaudi_device_operational(ctx->gdev))
		return -EBUSY;
	rc = gaudi_syncobj_get_in_fences(&s, file, args);
	if (!rc)
		rc = gaudi_syncobj_get_outs(&s, file, args);
	if (!rc)
		rc = gaudi_syncobj_submit_chunks(&s, ctx, args);
	gaudi_syncobj_release(&s);
	return rc;
}
