// SPDX-License-Identifier: GPL-2.0-only
/*
 * The HBM that a user has, by handle. The places are chosen by gaudi_hbm.c.
 *
 * Programs take and give back the same size all the time, so this has a short
 * way: see gaudi_memory_ioctl_fast().
 */
#include <linux/log2.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "gaudi_device.h"
#include "gaudi_hbm.h"
#include "gaudi_user.h"
#include "gaudi_vm.h"

/* Blocks that are looked at with preemption off; there may be millions. */
#define WALK_STEP	256

/*
 * The first block of which match() is true, or NULL. The blocks' lock is held
 * then as before, but was open in between.
 */
static struct gaudi_hbm_block *
block_find(struct gaudi_vm *vm,
	   bool (*match)(const struct gaudi_hbm_block *block, u64 a, u64 b),
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
static struct gaudi_hbm_block *block_get(struct gaudi_vm *vm, u32 handle)
{
	struct gaudi_hbm_block *block = xa_load(&vm->blocks, handle);

	return block && !block->idle ? block : NULL;
}

struct gaudi_hbm_block *gaudi_vm_block_map(struct gaudi_ctx *ctx, u64 handle)
{
	struct gaudi_vm *vm = &ctx->vm;
	struct gaudi_hbm_block *block;

	gaudi_vm_blocks_lock(vm);
	block = block_get(vm, lower_32_bits(handle));
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
	gaudi_vm_blocks_lock(&ctx->vm);
	block->maps--;
	gaudi_vm_blocks_unlock(&ctx->vm);
}

/*
 * What a user frees last he may ask for again at once, so one block stays his,
 * with its handle. To everybody it is free: see spares_free(). It goes when he
 * asks for another size, which gets the place and the handle that it would
 * have got without. The blocks' lock is held.
 */
static struct gaudi_hbm_block *spare(struct gaudi_vm *vm)
{
	return vm->recent && vm->recent->idle ? vm->recent : NULL;
}

/* Give the spare block up, if there is one; the caller frees it. Ditto. */
static struct gaudi_hbm_block *spare_forget(struct gaudi_vm *vm)
{
	struct gaudi_hbm_block *block = spare(vm);

	if (!block)
		return NULL;
	vm->recent = NULL;
	return xa_erase(&vm->blocks, block->handle);
}

static void spare_free(struct gaudi_ctx *ctx)
{
	struct gaudi_hbm_block *block;

	gaudi_vm_blocks_lock(&ctx->vm);
	block = spare_forget(&ctx->vm);
	gaudi_vm_blocks_unlock(&ctx->vm);
	if (block)
		gaudi_hbm_free(ctx->gdev, block);
}

/* HBM is short: what is nobody's any more goes back. */
static void spares_free(struct gaudi_device *gdev)
{
	struct gaudi_ctx *ctx;

	gaudi_for_each_ctx(gdev, ctx)
		spare_free(ctx);
}

/* Where pages of this size begin; of no size, and of no power of two, anywhere. */
static __always_inline bool begins_page(const struct gaudi_hbm_block *block,
					u64 page_size)
{
	return !(block->node.start & (page_size - 1)) ||
	       !is_power_of_2(page_size);
}

static __always_inline u32 alloc_again(struct gaudi_ctx *ctx, u64 size,
				       u64 page_size)
{
	struct gaudi_vm *vm = &ctx->vm;
	struct gaudi_hbm_block *block;
	u32 handle = 0;

	gaudi_vm_blocks_lock(vm);
	block = spare(vm);
	if (block && block->size == size && begins_page(block, page_size)) {
		gaudi_hbm_set_idle(ctx->gdev, block, false);
		vm->hbm_bytes += size;
		handle = block->handle;
	}
	gaudi_vm_blocks_unlock(vm);
	return handle;
}

/* A new block gets its handle; only then another thread may free it. */
static int block_add(struct gaudi_vm *vm, struct gaudi_hbm_block *block,
		     u32 *handle)
{
	int rc;

	/* Nothing is there to be found yet. */
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

	*handle = alloc_again(ctx, size, page_size);
	if (*handle)
		return 0;
	spare_free(ctx);
	block = gaudi_hbm_alloc(ctx->gdev, size, page_size);
	if (IS_ERR(block)) {
		spares_free(ctx->gdev);
		block = gaudi_hbm_alloc(ctx->gdev, size, page_size);
	}
	if (IS_ERR(block))
		return PTR_ERR(block);
	rc = block_add(&ctx->vm, block, handle);
	if (rc)
		gaudi_hbm_free(ctx->gdev, block);
	return rc;
}

/*
 * Mainline's FREE on this chip takes the number of bytes that were allocated,
 * because there is nothing else to name them by. So a value that is no handle
 * may be a size.
 */
static bool may_free_by_size(const struct gaudi_hbm_block *block, u64 size,
			     u64 unused)
{
	return block->size == size && !block->maps && !block->idle;
}

/* The blocks' lock is held. */
static void block_give_back(struct gaudi_ctx *ctx,
			    struct gaudi_hbm_block *block)
{
	ctx->vm.hbm_bytes -= block->size;
	gaudi_hbm_set_idle(ctx->gdev, block, true);
	ctx->vm.recent = block;
}

static bool free_again(struct gaudi_ctx *ctx, u64 handle)
{
	struct gaudi_vm *vm = &ctx->vm;
	struct gaudi_hbm_block *block;
	bool found;

	gaudi_vm_blocks_lock(vm);
	block = vm->recent;
	found = block && block->handle == handle && !block->idle &&
		!block->maps;
	if (found)
		block_give_back(ctx, block);
	gaudi_vm_blocks_unlock(vm);
	return found;
}

int gaudi_vm_free_hbm(struct gaudi_ctx *ctx, u64 handle_or_size)
{
	struct gaudi_vm *vm = &ctx->vm;
	struct gaudi_hbm_block *block = NULL, *old;

	/* The handle that mainline gives out here; it stands for nothing. */
	if (!handle_or_size)
		return 0;
	gaudi_vm_blocks_lock(vm);
	if (handle_or_size <= U32_MAX)
		block = block_get(vm, handle_or_size);
	if (!block)
		block = block_find(vm, may_free_by_size, handle_or_size, 0);
	if (!block || block->maps) {
		gaudi_vm_blocks_unlock(vm);
		return -EINVAL;
	}
	old = spare_forget(vm);
	block_give_back(ctx, block);
	gaudi_vm_blocks_unlock(vm);
	if (old)
		gaudi_hbm_free(ctx->gdev, old);
	return 0;
}

static bool has_range(const struct gaudi_hbm_block *block, u64 addr, u64 size)
{
	return !block->idle && addr >= block->node.start &&
	       addr - block->node.start <= block->node.size &&
	       size <= block->node.start + block->node.size - addr;
}

bool gaudi_vm_owns_hbm(struct gaudi_ctx *ctx, u64 addr, u64 size)
{
	bool owns;

	gaudi_vm_blocks_lock(&ctx->vm);
	owns = block_find(&ctx->vm, has_range, addr, size);
	gaudi_vm_blocks_unlock(&ctx->vm);
	return owns;
}

u64 gaudi_vm_hbm_bytes(struct gaudi_ctx *ctx)
{
	u64 bytes;

	gaudi_vm_blocks_lock(&ctx->vm);
	bytes = ctx->vm.hbm_bytes;
	gaudi_vm_blocks_unlock(&ctx->vm);
	return bytes;
}

int gaudi_vm_init_hbm(struct gaudi_ctx *ctx)
{
	struct xarray *blocks = &ctx->vm.blocks;

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

	xa_for_each(&ctx->vm.blocks, handle, block)
		gaudi_hbm_free(ctx->gdev, block);
	xa_destroy(&ctx->vm.blocks);
}

/* --- the short way ------------------------------------------------------ */

/* As words: first is a size or a handle, second a page size, last padding. */
struct hot_args {
	u64 first, second, third, op, last;
};

static_assert(sizeof(struct hot_args) == sizeof(union hl_mem_args));
static_assert(offsetof(struct hot_args, op) ==
	      offsetof(union hl_mem_args, in.op));
static_assert(offsetof(struct hot_args, second) ==
	      offsetof(union hl_mem_args, in.alloc.page_size));

/*
 * All of the argument can be read if its ends can, so these are. FREE gives
 * back what it got: that all can be written is seen in the same way.
 */
static bool get_hot(struct hot_args __user *user, u32 *op, u64 *first,
		    u64 *second)
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

static long put_hot_handle(struct hot_args __user *user, u32 handle)
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

	/* The card is not needed, and leaves the status before it goes away. */
	if (!gaudi_device_operational(ctx->gdev) ||
	    !get_hot(arg, &op, &first, &second))
		return GAUDI_NOT_DONE;
	switch (op) {
	case HL_MEM_OP_ALLOC:
		handle = alloc_again(ctx, first, second);
		return handle ? put_hot_handle(arg, handle) : GAUDI_NOT_DONE;
	case HL_MEM_OP_FREE:
		return free_again(ctx, first) ? 0 : GAUDI_NOT_DONE;
	default:
		return GAUDI_NOT_DONE;
	}
}
