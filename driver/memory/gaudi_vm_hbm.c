// SPDX-License-Identifier: GPL-2.0-only
/* The HBM that a user has, by handle. gaudi_hbm.c chooses the addresses. */
#include "../core/gaudi_ctx.h"
#include "gaudi_hbm.h"
#include "gaudi_memory.h"
#include "gaudi_vm.h"

struct gaudi_hbm_block *gaudi_vm_block_map(struct gaudi_ctx *ctx, u64 handle)
{
	struct gaudi_vm *vm = ctx->vm;
	struct gaudi_hbm_block *block;

	guard(mutex)(&vm->blocks_lock);
	block = xa_load(&vm->blocks, lower_32_bits(handle));
	if (!block)
		return ERR_PTR(-EINVAL);
	if (block->maps)
		return ERR_PTR(-EBUSY);
	block->maps++;
	return block;
}

void gaudi_vm_block_unmap(struct gaudi_ctx *ctx, struct gaudi_hbm_block *block)
{
	guard(mutex)(&ctx->vm->blocks_lock);
	block->maps--;
}

int gaudi_vm_alloc_hbm(struct gaudi_ctx *ctx, u64 size, u64 page_size,
		       u32 *handle)
{
	struct gaudi_vm *vm = ctx->vm;
	struct gaudi_hbm_block *block;
	int rc;

	block = gaudi_hbm_alloc(ctx->gdev, size, page_size);
	if (IS_ERR(block))
		return PTR_ERR(block);
	guard(mutex)(&vm->blocks_lock);
	rc = xa_alloc(&vm->blocks, &block->handle, block, xa_limit_31b,
		      GFP_KERNEL_ACCOUNT);
	if (rc) {
		gaudi_hbm_free(ctx->gdev, block);
		return rc;
	}
	vm->hbm_bytes += size;
	*handle = block->handle;
	return 0;
}

/*
 * Mainline's FREE on this chip takes the number of bytes that were allocated,
 * because there is nothing else to name them by. So a value that is no handle
 * may be a size. The lock is held.
 */
static struct gaudi_hbm_block *gaudi_vm_block_by_size(struct gaudi_vm *vm,
						      u64 size)
{
	struct gaudi_hbm_block *block;
	unsigned long handle;

	xa_for_each(&vm->blocks, handle, block) {
		if (block->size == size && !block->maps)
			return block;
		/* There may be millions. */
		cond_resched();
	}
	return NULL;
}

int gaudi_vm_free_hbm(struct gaudi_ctx *ctx, u64 handle_or_size)
{
	struct gaudi_vm *vm = ctx->vm;
	struct gaudi_hbm_block *block = NULL;

	/* The handle that mainline returns on this chip; it names no block. */
	if (!handle_or_size)
		return 0;
	guard(mutex)(&vm->blocks_lock);
	if (handle_or_size <= U32_MAX)
		block = xa_load(&vm->blocks, handle_or_size);
	if (!block)
		block = gaudi_vm_block_by_size(vm, handle_or_size);
	if (!block || block->maps)
		return -EINVAL;
	xa_erase(&vm->blocks, block->handle);
	vm->hbm_bytes -= block->size;
	gaudi_hbm_free(ctx->gdev, block);
	return 0;
}

bool gaudi_vm_owns_hbm(struct gaudi_ctx *ctx, u64 addr, u64 size)
{
	struct gaudi_hbm_block *block;
	unsigned long handle;

	guard(mutex)(&ctx->vm->blocks_lock);
	xa_for_each(&ctx->vm->blocks, handle, block) {
		u64 off = addr - block->node.start;

		if (off <= block->node.size && size <= block->node.size - off)
			return true;
		cond_resched();
	}
	return false;
}

u64 gaudi_vm_hbm_bytes(struct gaudi_ctx *ctx)
{
	guard(mutex)(&ctx->vm->blocks_lock);
	return ctx->vm->hbm_bytes;
}

void gaudi_vm_init_hbm(struct gaudi_ctx *ctx)
{
	mutex_init(&ctx->vm->blocks_lock);
	xa_init_flags(&ctx->vm->blocks, XA_FLAGS_ALLOC1);
}

void gaudi_vm_fini_hbm(struct gaudi_ctx *ctx)
{
	struct gaudi_hbm_block *block;
	unsigned long handle;

	xa_for_each(&ctx->vm->blocks, handle, block)
		gaudi_hbm_free(ctx->gdev, block);
	xa_destroy(&ctx->vm->blocks);
	mutex_destroy(&ctx->vm->blocks_lock);
}
