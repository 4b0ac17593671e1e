/* SPDX-License-Identifier: MIT */
/*
 * Recipes: work prepared once and launched many times. A builder takes tensors
 * and nodes and makes a recipe; a recipe can be written to a file and loaded
 * again (Documentation/recipe-format.rst), and kept in a cache.
 *
 * The conventions of gaudi.h hold, with two exceptions: a builder is for one
 * thread at a time; builders and recipes, but no caches, may be used in a child
 * after fork(), since they are memory and nothing else. Nothing here needs a
 * card; gaudi_launch.h launches recipes.
 */
#ifndef GAUDI_RECIPE_H
#define GAUDI_RECIPE_H

#include <stdio.h>

#include "gaudi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gaudi_builder;
struct gaudi_recipe;
struct gaudi_cache;

/*
 * Tensors
 */
#define GAUDI_MAX_RANK		8
#define GAUDI_MAX_NAME		255	/* bytes of UTF-8, without the NUL */

/* Numbers of the file format. */
enum gaudi_type {
	GAUDI_TYPE_U8		= 1,
	GAUDI_TYPE_I8		= 2,
	GAUDI_TYPE_U16		= 3,
	GAUDI_TYPE_I16		= 4,
	GAUDI_TYPE_U32		= 5,
	GAUDI_TYPE_I32		= 6,
	GAUDI_TYPE_U64		= 7,
	GAUDI_TYPE_I64		= 8,
	GAUDI_TYPE_BF16		= 9,
	GAUDI_TYPE_F16		= 10,
	GAUDI_TYPE_F32		= 11,
	GAUDI_TYPE_F64		= 12,
};

enum gaudi_tensor_kind {
	GAUDI_TENSOR_INPUT	= 1,	/* bound at launch, only read */
	GAUDI_TENSOR_OUTPUT	= 2,	/* bound at launch */
	GAUDI_TENSOR_CONSTANT	= 3,	/* contents in the recipe, only read */
	GAUDI_TENSOR_WORKSPACE	= 4,	/* memory of the launch's */
};

/* Where an input or output will be. */
enum gaudi_tensor_place {
	GAUDI_PLACE_DEVICE	= 0,
	GAUDI_PLACE_HOST	= 1,	/* pinned */
};

struct gaudi_tensor_desc {
	size_t size;
	const char *name;		/* unique within the recipe */
	uint32_t kind;
	uint32_t type;
	uint32_t place;
	uint32_t rank;			/* 0: a single element */
	uint64_t dims[GAUDI_MAX_RANK];	/* outermost first */
	/* Bytes from one element to the next; see @num_strides. */
	uint64_t strides[GAUDI_MAX_RANK];
	/*
	 * From the first byte to behind the last. Read by nobody; set by
	 * gaudi_recipe_get_tensor().
	 */
	uint64_t bytes;
	/* CONSTANT: its bytes, gaps included, copied by the builder. Else NULL. */
	const void *data;
	/*
	 * @rank: @strides are what they say, all 0 as well: the same element
	 * everywhere. 0: as before there was this field, and not to be relied on
	 * where strides come from elsewhere: if all are 0, dense, the last dim's
	 * elements next to each other. -EINVAL: another number.
	 * gaudi_recipe_get_tensor() sets @rank.
	 */
	uint32_t num_strides;
	uint32_t reserved;		/* 0 */
};

/* Bytes of an element; 0 if there is no such type. */
gaudi_public uint32_t gaudi_type_size(uint32_t type);
/* "bf16"; NULL if there is no such type. */
gaudi_public const char *gaudi_type_name(uint32_t type);

/*
 * Builders (builder.c)
 *
 * Nodes behave as if they ran one after the other in the order in which they
 * were added. What does not depend on each other by tensors runs side by side on
 * several engines. Different inputs and outputs must not overlap in memory
 * when launched, unless both are only read.
 */
gaudi_public int gaudi_builder_create(const char *name,
				      struct gaudi_builder **builder);
/* NULL is allowed. */
gaudi_public int gaudi_builder_destroy(struct gaudi_builder *builder);
/*
 * @desc->size is set by the caller. @tensor is for the calls below; it is the
 * number in the recipe, too. -EEXIST: the name is taken.
 */
gaudi_public int gaudi_builder_add_tensor(struct gaudi_builder *builder,
					  const struct gaudi_tensor_desc *desc,
					  uint32_t *tensor);
/*
 * Nodes. @node, for gaudi_builder_add_order(), may be NULL in all of them. Those
 * that write: -EINVAL for an input or a constant, and for bytes beyond the
 * tensor; -EOVERFLOW for too many rows that are not next to each other.
 *
 * Element by element; equal types' sizes and dims, any strides, but no two elements
 * of @to have a byte in common. Within one tensor: -EINVAL where both regions overlap.
 */
gaudi_public int gaudi_builder_add_copy(struct gaudi_builder *builder,
					uint32_t to, uint32_t from,
					uint32_t *node);
/* @size bytes, whatever they are. */
gaudi_public int gaudi_builder_add_copy_bytes(struct gaudi_builder *builder,
					      uint32_t to, uint64_t to_offset,
					      uint32_t from,
					      uint64_t from_offset,
					      uint64_t size, uint32_t *node);
/*
 * @height rows of @width bytes, each beginning a pitch behind the one before;
 * @to_pitch is @width or more.
 */
gaudi_public int gaudi_builder_add_copy_2d(struct gaudi_builder *builder,
					   uint32_t to, uint64_t to_offset,
					   uint64_t to_pitch, uint32_t from,
					   uint64_t from_offset,
					   uint64_t from_pitch, uint64_t width,
					   uint64_t height, uint32_t *node);
/* @value, as many of its low bytes as the type has, into each element. */
gaudi_public int gaudi_builder_add_fill(struct gaudi_builder *builder,
					uint32_t to, uint64_t value,
					uint32_t *node);
/*
 * When all nodes so far that use @tensor have ended, signal @event, which can be
 * bound to one of the program's at launch (gaudi_launcher_bind_event()). The same
 * event may be signalled by several nodes. -EINVAL: no node has used @tensor.
 */
gaudi_public int gaudi_builder_add_signal(struct gaudi_builder *builder,
					  const char *event, uint32_t tensor,
					  uint32_t *node);
/*
 * Nodes of the matrix engines (builder_mme.c)
 *
 * Tensors are on the device, of bf16 or f32, both that are read alike. Sums are
 * f32; a bf16 result is rounded to nearest even. @to is none of the others. -EINVAL
 * names what a matrix engine cannot do, -EOVERFLOW what is too large for it
 * (2^31 elements from the first to the last).
 */
enum gaudi_matrix_flags {
	GAUDI_TRANSPOSE_A	= 1,	/* matmul: the last two dims change places */
	GAUDI_TRANSPOSE_B	= 2,
	GAUDI_RELU		= 4,	/* what is below 0 becomes 0, and a NaN */
	/*
	 * Add to what @to has, where it stands. Gaudi does this in SRAM; the
	 * device model does it in all of the card's memory.
	 */
	GAUDI_ACCUMULATE	= 8,
};

/*
 * @to = @a * @b. The last two dims are the matrices, up to three before are
 * batches; those of @a and @b may be missing or 1 where those of @to are not. Of
 * each matrix rows or columns are next to each other, whatever the other stride.
 */
gaudi_public int gaudi_builder_add_matmul(struct gaudi_builder *builder,
					  uint32_t to, uint32_t a, uint32_t b,
					  uint32_t flags, uint32_t *node);

#define GAUDI_CONV_MAX		255u	/* of each of these, and of a filter */

struct gaudi_conv2d {
	size_t size;
	uint32_t stride[2];		/* down, right; at least 1 */
	uint32_t padding[2];		/* zeros at both ends */
	uint32_t dilation[2];		/* at least 1 */
	uint32_t groups;		/* of depths, each by itself; 0 is 1 */
	uint32_t extra_padding[2];	/* more zeros below, to the right */
	uint32_t reserved;		/* 0 */
};

/*
 * @y = @x convolved with @w: x[image][row][column][in], w[row][column][in][out],
 * y[image][row][column][out]. The last dim's elements are next to each other.
 * In groups, x and y have the depths of all groups, and w's in is that of one.
 * @desc->size is set by the caller.
 */
gaudi_public int gaudi_builder_add_conv2d(struct gaudi_builder *builder,
					  uint32_t y, uint32_t x, uint32_t w,
					  const struct gaudi_conv2d *desc,
					  uint32_t flags, uint32_t *node);
/* Its gradients: @dx of the input, and @dw of the filter. */
gaudi_public int gaudi_builder_add_conv2d_data(struct gaudi_builder *builder,
					       uint32_t dx, uint32_t dy,
					       uint32_t w,
					       const struct gaudi_conv2d *desc,
					       uint32_t flags, uint32_t *node);
gaudi_public int
gaudi_builder_add_conv2d_weights(struct gaudi_builder *builder, uint32_t dw,
				 uint32_t x, uint32_t dy,
				 const struct gaudi_conv2d *desc,
				 uint32_t flags, uint32_t *node);

/*
 * Kernels of the TPCs (builder_tpc.c)
 */
#define GAUDI_KERNEL_TENSORS	16
#define GAUDI_KERNEL_SCALARS	32
#define GAUDI_KERNEL_TABLES	4

enum gaudi_kernel_access {
	GAUDI_KERNEL_READS	= 1,
	GAUDI_KERNEL_WRITES	= 2,
};

struct gaudi_kernel_tensor {
	uint32_t tensor;
	uint32_t access;		/* GAUDI_KERNEL_* or-ed */
	uint32_t padding;		/* what is read outside, as its bits */
};

struct gaudi_kernel {
	size_t size;
	const char *name;		/* for messages, and of its code */
	const void *object;		/* an ELF object, as the TPC compiler makes */
	size_t object_size;
	/* In the order of the kernel's arguments. Dims are innermost first there. */
	uint32_t num_tensors;
	struct gaudi_kernel_tensor tensors[GAUDI_KERNEL_TENSORS];
	/* The other arguments, as their bits; at least as many as the object names. */
	uint32_t num_scalars;
	uint32_t scalars[GAUDI_KERNEL_SCALARS];
	/* Index space, as the kernel counts its dims. */
	uint32_t rank;			/* 1 to 5 */
	uint32_t index_space[5];
	/*
	 * Constants with the tables of special functions, for 256, 128, 64 and 32
	 * intervals, or UINT32_MAX; NULL: none.
	 */
	const uint32_t *tables;
};

/*
 * @kernel->size is set by the caller. The index space is shared among up to eight
 * TPCs, along its largest dim, so its points must not depend on each other. -EINVAL:
 * not an object for this card, or arguments that it does not have. The kernel's
 * own instructions are not checked: it can reach all memory that the process can.
 */
gaudi_public int gaudi_builder_add_kernel(struct gaudi_builder *builder,
					  const struct gaudi_kernel *kernel,
					  uint32_t *node);
/*
 * A kernel of the library's own, which Documentation/kernels.rst lists: its
 * tensors and scalars (as their bits) in order; scalars with a default may be
 * missing at the end. It is shared among no more TPCs than its work is worth. -ENOENT: there
 * is none of this name. -EINVAL: types or dims that it does not take; it stays within its
 * tensors.
 */
gaudi_public int
gaudi_builder_add_library_kernel(struct gaudi_builder *builder,
				 const char *name, uint32_t num_tensors,
				 const uint32_t *tensors, uint32_t num_scalars,
				 const uint32_t *scalars, uint32_t *node);
/* The names in their order; NULL behind the last. */
gaudi_public const char *gaudi_kernel_name(uint32_t index);

struct gaudi_kernel_operand {
	const char *name;
	uint32_t access;		/* GAUDI_KERNEL_* or-ed */
	uint32_t type;			/* GAUDI_TYPE_* */
	uint32_t rank;			/* dims beyond these, from the innermost, are 1 */
	const char *shape;		/* in words; dim 0 is the innermost */
};

struct gaudi_kernel_scalar {
	const char *name;
	uint32_t type;			/* GAUDI_TYPE_* */
	uint32_t has_default;		/* it may be missing, if all behind it are */
	uint32_t default_value;		/* as its bits */
	const char *meaning;
};

/* All of it stays as it is as long as the library is loaded. */
struct gaudi_kernel_description {
	size_t size;
	const char *name;
	const char *computes;		/* a sentence */
	uint32_t num_tensors;
	uint32_t num_scalars;
	const struct gaudi_kernel_operand *tensors;
	const struct gaudi_kernel_scalar *scalars;
};

/* @description->size is set by the caller. -ENOENT: no such built-in kernel. */
gaudi_public int
gaudi_kernel_describe(const char *name,
		      struct gaudi_kernel_description *description);
/*
 * Work of links (gaudi_link.h, builder_links.c). Which link it is, and where at its peer's
 * the writes go, is bound at launch (gaudi_launcher_bind_link()). All waits of a launch
 * come before its nodes, and all writes after them: they read what the nodes have written.
 * Waits, and writes of one link, are in the order in which they were added. The stream goes
 * on when the peers have acknowledged. -EOVERFLOW: more than 256 of both.
 *
 * In the middle of a recipe they stand between parts, of which each has waits before its
 * nodes and writes after them. All that is added after gaudi_builder_begin_part() comes after
 * all that was added before; what is in workspace tensors stays there. -EOVERFLOW: more than 16
 * parts. Launches of one launcher whose recipe has parts and workspace come one after the
 * other, whichever streams they are on.
 */
gaudi_public int gaudi_builder_begin_part(struct gaudi_builder *builder);
/*
 * A wait for @count notifications of the peer, 1 to GAUDI_LINK_MAX_AHEAD.
 */
gaudi_public int gaudi_builder_add_link_wait(struct gaudi_builder *builder,
					     const char *link, uint32_t count);
/*
 * @size bytes of an input or output on the device, @to_offset behind the address that is
 * bound. @flags: GAUDI_LINK_NOTIFY, or 0. With @size 0 it may be to notify alone.
 */
gaudi_public int gaudi_builder_add_link_write(struct gaudi_builder *builder,
					      const char *link,
					      uint64_t to_offset,
					      uint32_t from,
					      uint64_t from_offset,
					      uint64_t size, uint32_t flags);
/* @then begins after @first, added before it, has ended. Else -EINVAL. */
gaudi_public int gaudi_builder_add_order(struct gaudi_builder *builder,
					 uint32_t first, uint32_t then);
/*
 * The builder stays as it is. -EINVAL: a workspace tensor is read before it is
 * written, an output is never written. -EOVERFLOW: too much for one recipe.
 */
gaudi_public int gaudi_builder_build(struct gaudi_builder *builder,
				     struct gaudi_recipe **recipe);

/*
 * Recipes (recipe.c)
 *
 * They never change. Each has a count of its users: functions that return one
 * return a use of it.
 */
gaudi_public int gaudi_recipe_retain(struct gaudi_recipe *recipe);
/* NULL is allowed. */
gaudi_public int gaudi_recipe_release(struct gaudi_recipe *recipe);

struct gaudi_recipe_info {
	size_t size;
	const char *name;		/* valid as long as the recipe */
	uint32_t num_tensors;
	uint32_t num_events;
	uint32_t num_engines;
	uint32_t num_sync_objects;
	uint64_t workspace_size;
	uint64_t constants_size;
	uint64_t packets_size;		/* of all engines */
	uint64_t num_patches;
	uint16_t revision_min;		/* PCI revisions of the cards it runs on */
	uint16_t revision_max;
	uint32_t num_kernels;		/* launches of TPC kernels: code in it */
	uint32_t num_links;		/* that it works with */
};

/* @info->size is set by the caller. */
gaudi_public int gaudi_recipe_get_info(struct gaudi_recipe *recipe,
				       struct gaudi_recipe_info *info);
/*
 * @desc->size is set by the caller; name and data are valid as long as the
 * recipe. -EINVAL: no such tensor.
 */
gaudi_public int gaudi_recipe_get_tensor(struct gaudi_recipe *recipe,
					 uint32_t tensor,
					 struct gaudi_tensor_desc *desc);
/* -ENOENT: no such tensor. */
gaudi_public int gaudi_recipe_find_tensor(struct gaudi_recipe *recipe,
					  const char *name, uint32_t *tensor);
/* The name of an event; NULL if there is no such event. */
gaudi_public const char *gaudi_recipe_get_event(struct gaudi_recipe *recipe,
						uint32_t event);

/* The name of a link; NULL if there is no such link. */
gaudi_public const char *gaudi_recipe_get_link(struct gaudi_recipe *recipe,
					       uint32_t link);

/*
 * Check everything and load. GAUDI_ERR_RECIPE: not a valid recipe;
 * GAUDI_ERR_RECIPE_VERSION: for another chip, or of a format that this library
 * does not know, or before 1.2 and for a TPC, which is to be built again.
 * gaudi_last_error() says where. Nothing of @data is used later.
 */
gaudi_public int gaudi_recipe_from_memory(const void *data, size_t size,
					  struct gaudi_recipe **recipe);
gaudi_public int gaudi_recipe_load(const char *path,
				   struct gaudi_recipe **recipe);
/* The bytes of a file; *@data is the caller's to free(). */
gaudi_public int gaudi_recipe_to_memory(struct gaudi_recipe *recipe,
					void **data, size_t *size);
/* The file, readable by all, appears whole or not at all. */
gaudi_public int gaudi_recipe_save(struct gaudi_recipe *recipe,
				   const char *path);
/*
 * The packets of all engines as text, with what is patched into them. -EIO:
 * @file cannot be written.
 */
gaudi_public int gaudi_recipe_disassemble(struct gaudi_recipe *recipe,
					  FILE *file);

/*
 * Caches (cache.c)
 *
 * Recipes by keys: in memory, the last used ones, and in a folder that
 * processes may share. @config is "PATH,CLEAR,SIZE_MB": the folder, made if
 * need be ("": none); whether its recipes are removed first (1, true, 0, false);
 * how much it may hold, the longest unused going first (0: no limit). What is
 * empty or missing is "", false and 1024. In the folder each build of the library has
 * recipes of its own. NULL: the variable
 * GAUDI_RECIPE_CACHE_CONFIG, or else PT_HPU_RECIPE_CACHE_CONFIG, or else no
 * folder.
 */
gaudi_public int gaudi_cache_open(const char *config,
				  struct gaudi_cache **cache);
/* Blocks until the folder has what was put. NULL is allowed. */
gaudi_public int gaudi_cache_close(struct gaudi_cache *cache);
/*
 * -ENOENT: not there; build it and put it. @key: 1 to 4096 bytes. May read a
 * file.
 */
gaudi_public int gaudi_cache_get(struct gaudi_cache *cache, const void *key,
				 size_t key_size, struct gaudi_recipe **recipe);
/*
 * In place of one with the same key. The folder gets it later, by a thread of
 * the library; that it could not be written, or that too many were waiting, is
 * counted, not reported.
 */
gaudi_public int gaudi_cache_put(struct gaudi_cache *cache, const void *key,
				 size_t key_size, struct gaudi_recipe *recipe);
/* Blocks until the folder has what was put. */
gaudi_public int gaudi_cache_flush(struct gaudi_cache *cache);

struct gaudi_cache_stats {
	size_t size;
	uint64_t memory_hits;
	uint64_t disk_hits;
	uint64_t misses;		/* in neither */
	uint64_t puts;
	uint64_t writes;		/* files written */
	uint64_t write_failures;	/* puts without a file */
	uint64_t evictions;		/* files removed to keep the limit */
	uint64_t memory_evictions;
	uint64_t damaged;		/* files that were dropped */
	uint64_t memory_recipes;	/* at present */
	uint64_t memory_bytes;		/* about */
};

/* @stats->size is set by the caller. */
gaudi_public int gaudi_cache_get_stats(struct gaudi_cache *cache,
				       struct gaudi_cache_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* GAUDI_RECIPE_H */
