// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Tables by number, and ranges of addresses. Who uses them locks them. */
#include "../kernel.h"

void xa_init_flags(struct xarray *xa, unsigned int flags)
{
	memset(xa, 0, sizeof(*xa));
	spin_lock_init(&xa->xa_lock);
	xa->first = flags;
}

void xa_destroy(struct xarray *xa)
{
	free(xa->entries);
	xa->entries = NULL;
	xa->count = 0;
	xa->room = 0;
}

/* Where the first entry is that is not below @index. */
static size_t xa_place(const struct xarray *xa, unsigned long index)
{
	size_t low = 0, high = xa->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (xa->entries[mid].index < index)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool xa_has(const struct xarray *xa, size_t place, unsigned long index)
{
	return place < xa->count && xa->entries[place].index == index;
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	size_t place = xa_place(xa, index);

	return xa_has(xa, place, index) ? xa->entries[place].entry : NULL;
}

static int xa_insert_at(struct xarray *xa, size_t place, unsigned long index,
			void *entry)
{
	struct sim_xa_entry *entries = xa->entries;

	if (xa->count == xa->room) {
		size_t room = xa->room ? 2 * xa->room : 16;

		entries = reallocarray(entries, room, sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		xa->entries = entries;
		xa->room = room;
	}
	memmove(entries + place + 1, entries + place,
		(xa->count - place) * sizeof(*entries));
	entries[place] = (struct sim_xa_entry) { index, entry };
	xa->count++;
	return 0;
}

/*
 * The lowest free number: up to it each number has its own place. Entries are in
 * order, so that place is found by halving.
 */
static size_t xa_first_free(const struct xarray *xa, unsigned long lowest)
{
	size_t base = xa_place(xa, lowest), low = base, high = xa->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (xa->entries[mid].index - lowest == mid - base)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int __xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit,
	       gfp_t gfp)
{
	unsigned long lowest = max_t(unsigned long, limit.min, xa->first);
	size_t place = xa_first_free(xa, lowest);
	unsigned long index = lowest + place - xa_place(xa, lowest);
	int rc;

	if (index > limit.max)
		return -EBUSY;
	rc = xa_insert_at(xa, place, index, entry);
	if (!rc)
		*id = index;
	return rc;
}

int xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit,
	     gfp_t gfp)
{
	int rc;

	xa_lock(xa);
	rc = __xa_alloc(xa, id, entry, limit, gfp);
	xa_unlock(xa);
	return rc;
}

void *__xa_erase(struct xarray *xa, unsigned long index)
{
	size_t place = xa_place(xa, index);
	void *entry;

	if (!xa_has(xa, place, index))
		return NULL;
	entry = xa->entries[place].entry;
	xa->count--;
	memmove(xa->entries + place, xa->entries + place + 1,
		(xa->count - place) * sizeof(*xa->entries));
	return entry;
}

void *xa_erase(struct xarray *xa, unsigned long index)
{
	void *entry;

	xa_lock(xa);
	entry = __xa_erase(xa, index);
	xa_unlock(xa);
	return entry;
}

void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	void *old = NULL;
	size_t place;
	int rc = 0;

	xa_lock(xa);
	place = xa_place(xa, index);
	if (xa_has(xa, place, index)) {
		old = xa->entries[place].entry;
		xa->entries[place].entry = entry;
	} else {
		rc = xa_insert_at(xa, place, index, entry);
	}
	xa_unlock(xa);
	return rc ? ERR_PTR(rc) : old;
}

void *sim_xa_next(struct xarray *xa, unsigned long *index)
{
	size_t place;

	for (place = xa_place(xa, *index); place < xa->count; place++) {
		if (!xa->entries[place].entry)
			continue;
		*index = xa->entries[place].index;
		return xa->entries[place].entry;
	}
	return NULL;
}

int ida_alloc_range(struct ida *ida, unsigned int min, unsigned int max,
		    gfp_t gfp)
{
	u32 id;
	int rc = xa_alloc(&ida->xa, &id, ida, XA_LIMIT(min, max), gfp);

	return rc == -EBUSY ? -ENOSPC : rc ?: (int)id;
}

/* --- ranges ------------------------------------------------------------------ */

void drm_mm_init(struct drm_mm *mm, u64 start, u64 size)
{
	INIT_LIST_HEAD(&mm->nodes);
	mm->start = start;
	mm->size = size;
}

void drm_mm_takedown(struct drm_mm *mm)
{
}

struct drm_mm_node *sim_mm_hole(const struct drm_mm *mm,
				const struct drm_mm_node *pos, u64 *start,
				u64 *end)
{
	/* The list's head stands for what is before the first range. */
	const struct list_head *node = pos ? pos->node.next : &mm->nodes;
	const struct list_head *next;

	if (pos && node == &mm->nodes)
		return NULL;
	for (;; node = next) {
		const struct drm_mm_node *this =
			list_entry(node, struct drm_mm_node, node);

		next = node->next;
		*start = node == &mm->nodes ? mm->start :
					      this->start + this->size;
		*end = next == &mm->nodes ?
			       mm->start + mm->size :
			       list_entry(next, struct drm_mm_node, node)->start;
		if (*start < *end)
			return (struct drm_mm_node *)(uintptr_t)this;
		if (next == &mm->nodes)
			return NULL;
	}
}

int drm_mm_reserve_node(struct drm_mm *mm, struct drm_mm_node *node)
{
	struct drm_mm_node *pos;
	u64 start, end;

	drm_mm_for_each_hole(pos, mm, start, end) {
		if (node->start < start)
			break;
		if (node->start >= end || node->size > end - node->start)
			continue;
		list_add(&node->node, &pos->node);
		node->mm = mm;
		return 0;
	}
	return -ENOSPC;
}

int drm_mm_insert_node_generic(struct drm_mm *mm, struct drm_mm_node *node,
			       u64 size, u64 align, unsigned long color,
			       enum drm_mm_insert_mode mode)
{
	u64 start, end, first, least = U64_MAX;
	struct drm_mm_node *pos;

	/* Not only powers of two. */
	align = align ?: 1;
	drm_mm_for_each_hole(pos, mm, start, end) {
		first = (start + align - 1) / align * align;
		if (first >= end || end - first < size || end - start >= least)
			continue;
		least = end - start;
		node->start = first;
	}
	if (least == U64_MAX)
		return -ENOSPC;
	node->size = size;
	return drm_mm_reserve_node(mm, node);
}

void drm_mm_remove_node(struct drm_mm_node *node)
{
	list_del(&node->node);
}
