/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Tables by number (xarray, ida), trees, and ranges of addresses (drm_mm). */
#ifndef SIM_KERNEL_TABLE_H
#define SIM_KERNEL_TABLE_H

#include "list.h"
#include "lock.h"

/* --- by number: a sorted array --- */

struct xarray {
	spinlock_t xa_lock;
	struct sim_xa_entry { unsigned long index; void *entry; } *entries;
	size_t count, room;
	unsigned long first;	/* number that is given out */
};

struct xa_limit { u32 min, max; };

#define XA_FLAGS_ALLOC		0
#define XA_FLAGS_ALLOC1		1
#define XA_LIMIT(lo, hi)	((struct xa_limit) { lo, hi })
#define xa_limit_31b		XA_LIMIT(0, INT_MAX)
#define xa_lock(xa)		spin_lock(&(xa)->xa_lock)
#define xa_unlock(xa)		spin_unlock(&(xa)->xa_lock)
#define xa_init(xa)		xa_init_flags(xa, XA_FLAGS_ALLOC)

void xa_init_flags(struct xarray *xa, unsigned int flags);
void xa_destroy(struct xarray *xa);
/* No lock is taken; those without "__" that change it do take it. */
void *xa_load(struct xarray *xa, unsigned long index);
int __xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit,
	       gfp_t gfp);
int xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit,
	     gfp_t gfp);
void *__xa_erase(struct xarray *xa, unsigned long index);
void *xa_erase(struct xarray *xa, unsigned long index);
void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
#define xa_err(entry)		PTR_ERR_OR_ZERO(entry)
/* The first entry from *@index on, that is not NULL. */
void *sim_xa_next(struct xarray *xa, unsigned long *index);
#define xa_for_each(xa, index, entry)					\
	for ((index) = 0; ((entry) = sim_xa_next(xa, &(index))); (index)++)

struct ida { struct xarray xa; };

#define ida_init(ida)		xa_init(&(ida)->xa)
#define ida_destroy(ida)	xa_destroy(&(ida)->xa)
int ida_alloc_range(struct ida *ida, unsigned int min, unsigned int max,
		    gfp_t gfp);
#define ida_free(ida, id)	xa_erase(&(ida)->xa, id)

/* --- trees: a treap, whose shape does not depend on the order of keys --- */

struct rb_node {
	struct rb_node *parent, *left, *right;
	u32 priority;
};

struct rb_root { struct rb_node *rb_node; };

#define RB_ROOT			((struct rb_root) { NULL })
#define rb_entry(node, type, member)	container_of(node, type, member)
#define rb_entry_safe(node, type, member) \
	({ const struct rb_node *sim_n = (node);				\
	   sim_n ? rb_entry((struct rb_node *)(uintptr_t)sim_n, type,	\
			     member) : NULL; })

struct rb_node *rb_find_add(struct rb_node *node, struct rb_root *root,
			    int (*cmp)(struct rb_node *node,
				       const struct rb_node *other));
struct rb_node *rb_find(const void *key, const struct rb_root *root,
			int (*cmp)(const void *key, const struct rb_node *node));
void rb_erase(struct rb_node *node, struct rb_root *root);
struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *sim_rb_first_postorder(const struct rb_root *root);
struct rb_node *sim_rb_next_postorder(const struct rb_node *node);

#define rbtree_postorder_for_each_entry_safe(pos, n, root, member)	\
	for ((pos) = rb_entry_safe(sim_rb_first_postorder(root),	\
				   __typeof__(*(pos)), member);		\
	     (pos) && ((n) = rb_entry_safe(				\
				sim_rb_next_postorder(&(pos)->member),	\
				__typeof__(*(pos)), member), 1);	\
	     (pos) = (n))

/* --- ranges of addresses: what is taken, by address --- */

struct drm_mm_node {
	struct list_head node;	/* drm_mm.nodes */
	struct drm_mm *mm;
	u64 start, size;
};

struct drm_mm {
	struct list_head nodes;
	u64 start, size;
};

enum drm_mm_insert_mode { DRM_MM_INSERT_BEST };

void drm_mm_init(struct drm_mm *mm, u64 start, u64 size);
void drm_mm_takedown(struct drm_mm *mm);
int drm_mm_reserve_node(struct drm_mm *mm, struct drm_mm_node *node);
int drm_mm_insert_node_generic(struct drm_mm *mm, struct drm_mm_node *node,
			       u64 size, u64 align, unsigned long color,
			       enum drm_mm_insert_mode mode);
void drm_mm_remove_node(struct drm_mm_node *node);
/* The hole behind @node, or NULL for the first one; false: there are no more. */
struct drm_mm_node *sim_mm_hole(const struct drm_mm *mm,
				const struct drm_mm_node *pos, u64 *start,
				u64 *end);
#define drm_mm_for_each_hole(pos, mm, start, end)			\
	for ((pos) = sim_mm_hole(mm, NULL, &(start), &(end)); (pos);	\
	     (pos) = sim_mm_hole(mm, pos, &(start), &(end)))

#endif /* SIM_KERNEL_TABLE_H */
