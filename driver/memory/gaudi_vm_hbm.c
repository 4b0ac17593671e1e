// SPDX-License-Identifier: GPL-2.0-only
/*
 * The HBM that a user has, by handle. gaudi_hbm.c chooses the addresses.
 *
 * Programs allocate and free the same size all the time, so there is a fast
 * path: see gaudi_memory_ioctl_fast().
 */
#include <linux/log2.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "gaudi_hbm.h"
#include "gaudi_memory.h"
#include "gaudi_vm.h"

/* Blocks that are checked with the lock held; there may be millions. */
#define WALK_STEP	256

/*
 * The first block of which match() is true, or NULL. The blocks' lock is held
 * then as before, but was open in between.
 */
static struct gaudi_hbm_block *
gaudi_vm_block_find(struct gaudi_vm *vm,
		    bool (*match)(const struct gaudi_hbm_block *block, u64 a,
				  u64 b),
		    u64 a, u64 b)
{
	struct gaudi_hbm_block *block;
	unsigned long handle;
	unsigned int n = 0;

	xa_for_each(&vm->blocks, handle, block) {
		if (match(block, a, b))
			return block;
		if (++n % WALK_STEP)
			continue;
		gaudi_vm_blocks_unlock(vm);
		cond_resched();
		gaudi_vm_blocks_lock(vm);
	}
	return NULL;
}

/* The block of a handle, or NULL. The blocks' lock is held. */
static struct gaudi_hbm_block *gaudi_vm_block_lookup(struct gaudi_vm *vm,
						     u32 handle)
{
	struct gaudi_hbm_block *block = xa_load(&vm->blocks, handle);

	return block && !block->idle ? block : NULL;
}

struct gaudi_hbm_block *gaudi_vm_block_map(struct gaudi_ctx *ctx, u64 handle)
{
	struct gaudi_vm *vm = ctx->vm;
	struct gaudi_hbm_block *block;

	gaudi_vm_blocks_lock(vm);
	block = gaudi_vm_block_lookup(vm, lower_32_bits(handle));
	if (!block)
		block = ERR_PTR(-EINVAL);
	else if (block->maps)
		block = ERR_PTR(-EBUSY);
	else
		block->maps++;
	gaudi_vm_blocks_unlock(vm);
	return block;
}

void gaudi_vm_block_unmap(struct gaudi_ctx *ctx, struct gaudi_hbm_block *block)
{
	gaudi_vm_blocks_lock(ctx->vm);
	block->maps--;
	gaudi_vm_blocks_unlock(ctx->vm);
}

/*
 * The block that was freed last is cached with its handle, since programs often
 * allocate the same size again. It counts as free: see
 * gaudi_vm_free_all_cached(). It is freed when another size is allocated, which
 * gets the address and the handle that it would get without the cache. The
 * blocks' lock is held.
 */
static struct gaudi_hbm_block *gaudi_vm_cached_block(struct gaudi_vm *vm)
{
	return vm->recent && vm->recent->idle ? vm->recent : NULL;
}

/*
 * Remove the cached block, if there is one; the caller frees it. The blocks'
 * lock is held.
 */
static struct gaudi_hbm_block *gaudi_vm_block_uncache(struct gaudi_vm *vm)
{
	struct gaudi_hbm_block *block = gaudi_vm_cached_block(vm);

	if (!block)
		return NULL;
	vm->recent = NULL;
	return xa_erase(&vm->blocks, block->handle);
}

static void gaudi_vm_free_cached(struct gaudi_ctx *ctx)
{
	struct gaudi_hbm_block *block;

	gaudi_vm_blocks_lock(ctx->vm);
	block = gaudi_vm_block_uncache(ctx->vm);
	gaudi_vm_blocks_unlock(ctx->vm);
	if (block)
		gaudi_hbm_free(ctx->gdev, block);
}

/* HBM is short: free what is cached. */
static void gaudi_vm_free_all_cached(struct gaudi_device *gdev)
{
	struct gaudi_ctx *ctx;

	gaudi_for_each_ctx(gdev, ctx)
		gaudi_vm_free_cached(ctx);
}

/* Where pages of this size begin; of no size, and of no power of two, anywhere. */
static __always_inline bool
gaudi_vm_block_begins_page(const struct gaudi_hbm_block *block, u64 page_size)
{
	return !(block->node.start & (page_size - 1)) ||
	       !is_power_of_2(page_size);
}

static __always_inline u32 gaudi_vm_alloc_cached(struct gaudi_ctx *ctx,
						 u64 size, u64 page_size)
{
	struct gaudi_vm *vm = ctx->vm;
	struct gaudi_hbm_block *block;
	u32 handle = 0;

	gaudi_vm_blocks_lock(vm);
	block = gaudi_vm_cached_block(vm);
	if (block && block->size == size &&
	    gaudi_vm_block_begins_page(block, page_size)) {
		gaudi_hbm_set_idle(ctx->gdev, block, false);
		vm->hbm_bytes += size;
		handle = block->handle;
	}
	gaudi_vm_blocks_unlock(vm);
	return handle;
}

/* A new block gets its handle; only then another thread may free it. */
static int gaudi_vm_block_add(struct gaudi_vm *vm,
			      struct gaudi_hbm_block *block, u32 *handle)
{
	int rc;

	/* Lookups find nothing yet. */
	rc = xa_alloc(&vm->blocks, &block->handle, NULL, xa_limit_31b,
		      GFP_KERNEL_ACCOUNT);
	if (rc)
		return rc;
	*handle = block->handle;
	gaudi_vm_blocks_lock(vm);
	xa_store(&vm->blocks, *handle, block, GFP_NOWAIT);
	vm->hbm_bytes += block->size;
	gaudi_vm_blocks_unlock(vm);
	return 0;
}

int gaudi_vm_alloc_hbm(struct gaudi_ctx *ctx, u64 size, u64 page_size,
		       u32 *handle)
{
	struct gaudi_hbm_block *block;
	int rc;

	*handle = gaudi_vm_alloc_cached(ctx, size, page_size);
	if (*handle)
		return 0;
	gaudi_vm_free_cached(ctx);
	block = gaudi_hbm_alloc(ctx->gdev, size, page_size);
	if (IS_ERR(block)) {
		gaudi_vm_free_all_cached(ctx->gdev);
		block = gaudi_hbm_alloc(ctx->gdev, size, page_size);
	}
	if (IS_ERR(block))
		return PTR_ERR(block);
	rc = gaudi_vm_block_add(ctx->vm, block, handle);
	if (rc)
		gaudi_hbm_free(ctx->gdev, block);
	return rc;
}

/*
 * Mainline's FREE on this chip takes the number of bytes that were allocated,
 * because there is nothing else to name them by. So a value that is no handle
 * may be a size.
 */
static bool gaudi_vm_block_may_free_by_size(const struct gaudi_hbm_block *block,
					    u64 size, u64 unused)
{
	return block->size == size && !block->maps && !block->idle;
}

/* The blocks' lock is held. */
static void gaudi_vm_block_cache(struct gaudi_ctx *ctx,
				 struct gaudi_hbm_block *block)
{
	ctx->vm->hbm_bytes -= block->size;
	gaudi_hbm_set_idle(ctx->gdev, block, true);
	ctx->vm->recent = block;
}

static bool gaudi_vm_free_recent(struct gaudi_ctx *ctx, u64 handle)
{
	struct gaudi_vm *vm = ctx->vm;
	struct gaudi_hbm_block *block;
	bool found;

	gaudi_vm_blocks_lock(vm);
	block = vm->recent;
	found = block && block->handle == handle && !block->idle &&
		!block->maps;
	if (found)
		gaudi_vm_block_cache(ctx, block);
	gaudi_vm_blocks_unlock(vm);
	return found;
}

int gaudi_vm_free_hbm(struct gaudi_ctx *ctx, u64 handle_or_size)
{
	struct gaudi_vm *vm = ctx->vm;
	struct gaudi_hbm_block *block = NULL, *old;

	/* The handle that mainline returns on this chip; it names no block. */
	if (!handle_or_size)
		return 0;
	gaudi_vm_blocks_lock(vm);
	if (handle_or_size <= U32_MAX)
		block = gaudi_vm_block_lookup(vm, handle_or_size);
	if (!block)
		block = gaudi_vm_block_find(vm, gaudi_vm_block_may_free_by_size,
					    handle_or_size, 0);
	if (!block || block->maps) {
		gaudi_vm_blocks_unlock(vm);
		return -EINVAL;
	}
	old = gaudi_vm_block_uncache(vm);
	gaudi_vm_block_cache(ctx, block);
	gaudi_vm_blocks_unlock(vm);
	if (old)
		gaudi_hbm_free(ctx->gdev, old);
	return 0;
}

static bool gaudi_vm_block_has_range(const struct gaudi_hbm_block *block,
				     u64 addr, u64 size)
{
	return !block->idle && addr >= block->node.start &&
	       addr - block->node.start <= block->node.size &&
	       size <= block->node.start + block->node.size - addr;
}

bool gaudi_vm_owns_hbm(struct gaudi_ctx *ctx, u64 addr, u64 size)
{
	bool owns;

	gaudi_vm_blocks_lock(ctx->vm);
	owns = gaudi_vm_block_find(ctx->vm, gaudi_vm_block_has_range, addr,
				   size);
	gaudi_vm_blocks_unlock(ctx->vm);
	return owns;
}

u64 gaudi_vm_hbm_bytes(struct gaudi_ctx *ctx)
{
	u64 bytes;

	gaudi_vm_blocks_lock(ctx->vm);
	bytes = ctx->vm->hbm_bytes;
	gaudi_vm_blocks_unlock(ctx->vm);
	return bytes;
}

int gaudi_vm_init_hbm(struct gaudi_ctx *ctx)
{
	struct xarray *blocks = &ctx->vm->blocks;

	xa_init_flags(blocks, XA_FLAGS_ALLOC1);
	/*
	 * A node that is never empty: else each first handle of a user makes it,
	 * and to free the last one frees it under RCU.
	 */
	return xa_reserve(blocks, XA_CHUNK_MASK, GFP_KERNEL_ACCOUNT);
}

void gaudi_vm_fini_hbm(struct gaudi_ctx *ctx)
{
	struct gaudi_hbm_block *block;
	unsigned long handle;

	xa_for_each(&ctx->vm->blocks, handle, block)
		gaudi_hbm_free(ctx->gdev, block);
	xa_destroy(&ctx->vm->blocks);
}

/* --- fast path ---------------------------------------------------------- */

/* As words: first is a size or a handle, second a page size, last padding. */
struct fast_args {
	u64 first, second, third, op, last;
};

static_assert(sizeof(struct fast_args) == sizeof(union hl_mem_args));
static_assert(offsetof(struct fast_args, op) ==
	      offsetof(union hl_mem_args, in.op));
static_assert(offsetof(struct fast_args, second) ==
	      offsetof(union hl_mem_args, in.alloc.page_size));

/*
 * All of the argument can be read if its ends can, so these are. FREE gives
 * back what it got: that all can be written is seen in the same way.
 */
static bool gaudi_memory_read_fast_args(struct fast_args __user *user, u32 *op,
					u64 *first, u64 *second)
{
	u64 last;

	if (!user_access_begin(user, sizeof(*user)))
		return false;
	unsafe_get_user(*op, (u32 __user *)&user->op, fault);
	unsafe_get_user(*first, &user->first, fault);
	unsafe_get_user(*second, &user->second, fault);
	unsafe_get_user(last, &user->last, fault);
	if (*op == HL_MEM_OP_FREE) {
		unsafe_put_user(*first, &user->first, fault);
		unsafe_put_user(last, &user->last, fault);
	}
	user_access_end();
	return true;

fault:
	user_access_end();
	return false;
}

static long gaudi_memory_write_fast_handle(struct fast_args __user *user,
					   u32 handle)
{
	if (!user_access_begin(user, sizeof(*user)))
		return -EFAULT;
	unsafe_put_user(handle, &user->first, fault);
	unsafe_put_user(0, &user->second, fault);
	unsafe_put_user(0, &user->third, fault);
	unsafe_put_user(0, &user->op, fault);
	unsafe_put_user(0, &user->last, fault);
	user_access_end();
	return 0;

fault:
	user_access_end();
	return -EFAULT;
}

long gaudi_memory_ioctl_fast(struct drm_file *file, void __user *arg)
{
	struct gaudi_ctx *ctx = file->driver_priv;
	u64 first, second;
	u32 op, handle;

	/* The card is not used, and leaves the status before it goes away. */
	if (!gaudi_device_operational(ctx->gdev) ||
	    !gaudi_memory_read_fast_args(arg, &op, &first, &second))
		return GAUDI_NOT_DONE;
	switch (op) {
	case HL_MEM_OP_ALLOC:
		handle = gaudi_vm_alloc_cached(ctx, first, second);
		return handle ? gaudi_memory_write_fast_handle(arg, handle) :
				GAUDI_NOT_DONE;
	case HL_MEM_OP_FREE:
		return gaudi_vm_free_recent(ctx, first) ? 0 : GAUDI_NOT_DONE;
	default:
		return GAUDI_NOT_DONE;
	}
}
