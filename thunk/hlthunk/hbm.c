// SPDX-License-Identifier: MIT
/*
 * The book of a Gaudi card's device memory, for drivers that keep none.
 *
 * HBM of Gaudi 1 is outside its MMU. Mainline's driver therefore only counts
 * what users say they allocate, and answers with handle 0; the compute node
 * belongs to one process, which is expected to divide the memory itself. This
 * file does it for that process. The address of an allocation is its handle.
 *
 * A book belongs to the card, not to the descriptor, of which there may be
 * duplicates. It ends when the card is opened anew: until then somebody may
 * still hold it.
 *
 * Memory is given out from the top downwards, because programs that divide it
 * themselves tend to start at the bottom.
 *
 * One mutex guards everything; nobody calls the kernel while holding it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "internal.h"

struct range {
	struct range *next;		/* lower addresses */
	uint64_t addr;
	uint64_t size;			/* whole pages */
	uint64_t asked;			/* by the user, and told the driver */
};

struct heap {
	struct heap *next;
	uint64_t card;			/* device number of its node */
	uint64_t base;
	uint64_t end;
	uint64_t page_size;		/* of the device, a power of two */
	struct range *ranges;
};

static pthread_mutex_t heaps_lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap *heaps;

/* Nobody has it when a child is made, which has only the thread that forked. */
static void before_fork(void)
{
	pthread_mutex_lock(&heaps_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&heaps_lock);
}

/*
 * Before those of what stands on this library, in programs that are linked with both archives,
 * too: whoever registers first is the last to lock, which is the order of all other calls.
 */
static void __attribute__((constructor(200))) set_up(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

static bool is_power_of_2(uint64_t n)
{
	return n && !(n & (n - 1));
}

static int card_of(int fd, uint64_t *card)
{
	unsigned int major_nr, minor_nr;
	int rc = hlt_os_devnum(fd, &major_nr, &minor_nr);

	*card = rc ? 0 : (uint64_t)major_nr << 32 | minor_nr;

	return rc;
}

/* -ENOENT without asking the kernel if there are no books at all */
static int card_with_book(int fd, uint64_t *card)
{
	bool any;

	pthread_mutex_lock(&heaps_lock);
	any = heaps;
	pthread_mutex_unlock(&heaps_lock);

	return any && !card_of(fd, card) ? 0 : -ENOENT;
}

static struct heap *heap_find(uint64_t card)
{
	struct heap *heap;

	for (heap = heaps; heap; heap = heap->next)
		if (heap->card == card)
			return heap;

	return NULL;
}

static void heap_destroy(struct heap *heap)
{
	struct range *r;

	while (heap && (r = heap->ranges)) {
		heap->ranges = r->next;
		free(r);
	}
	free(heap);
}

/* Ask the device what there is to divide. */
static int heap_create(int fd, uint64_t card, struct heap **out)
{
	struct hl_info_hw_ip_info info;
	struct heap *heap;
	int rc;

	rc = hlt_info_get(fd, HL_INFO_HW_IP_INFO, &info, sizeof(info));
	if (rc)
		return rc;
	if (hlt_name_from_pci(info.device_id) != HLTHUNK_DEVICE_GAUDI ||
	    !info.dram_size ||
	    info.dram_base_address + info.dram_size < info.dram_size)
		return -ENOTSUP;

	heap = calloc(1, sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	heap->card = card;
	heap->base = info.dram_base_address;
	heap->end = heap->base + info.dram_size;
	heap->page_size = info.device_mem_alloc_default_page_size;
	if (!is_power_of_2(heap->page_size))
		heap->page_size = info.dram_page_size;
	if (!is_power_of_2(heap->page_size))
		heap->page_size = 0x200000;
	*out = heap;

	return 0;
}

/* Find room for @size bytes aligned to @align, as high as possible. */
static int heap_take(struct heap *heap, uint64_t size, uint64_t align,
		     struct range *new_range)
{
	struct range **link = &heap->ranges;
	uint64_t top = heap->end;
	uint64_t bottom, addr;

	for (;;) {
		bottom = *link ? (*link)->addr + (*link)->size : heap->base;
		if (top - bottom >= size) {
			addr = (top - size) & ~(align - 1);
			if (addr >= bottom)
				break;
		}
		if (!*link)
			return -ENOMEM;
		top = (*link)->addr;
		link = &(*link)->next;
	}

	new_range->addr = addr;
	new_range->size = size;
	new_range->next = *link;
	*link = new_range;

	return 0;
}

int hlt_hbm_alloc(int fd, uint64_t size, uint64_t page_size, uint64_t *addr)
{
	struct heap *heap, *fresh = NULL;
	struct range *r;
	uint64_t card;
	int rc;

	if (!size)
		return -EINVAL;
	rc = card_of(fd, &card);
	if (rc)
		return rc;

	pthread_mutex_lock(&heaps_lock);
	heap = heap_find(card);
	pthread_mutex_unlock(&heaps_lock);
	if (!heap) {
		rc = heap_create(fd, card, &fresh);
		if (rc)
			return rc;
	}
	r = calloc(1, sizeof(*r));
	if (!r) {
		heap_destroy(fresh);
		return -ENOMEM;
	}

	pthread_mutex_lock(&heaps_lock);
	heap = heap_find(card);		/* another thread may have been faster */
	if (!heap && fresh) {
		fresh->next = heaps;
		heaps = fresh;
		heap = fresh;
		fresh = NULL;
	}
	rc = -EBADF;			/* closed and opened meanwhile */
	if (heap) {
		/* A page larger than all of it is none, as gaudi.ko has it. */
		if (!page_size || page_size > heap->end - heap->base)
			page_size = heap->page_size;
		r->asked = size;
		rc = -ENOMEM;
		if (size <= heap->end - heap->base) {
			size = (size + page_size - 1) & ~(page_size - 1);
			rc = heap_take(heap, size, page_size, r);
		}
	}
	if (!rc)
		*addr = r->addr;
	pthread_mutex_unlock(&heaps_lock);

	if (rc)
		free(r);
	heap_destroy(fresh);

	return rc;
}

int hlt_hbm_size(int fd, uint64_t addr, uint64_t *size)
{
	struct heap *heap;
	struct range *r;
	uint64_t card;
	int rc;

	rc = card_with_book(fd, &card);
	if (rc)
		return rc;
	pthread_mutex_lock(&heaps_lock);
	heap = heap_find(card);
	rc = heap ? -EINVAL : -ENOENT;
	for (r = heap ? heap->ranges : NULL; r; r = r->next) {
		if (r->addr == addr) {
			*size = r->asked;
			rc = 0;
			break;
		}
	}
	pthread_mutex_unlock(&heaps_lock);

	return rc;
}

/* What hlt_hbm_free() and hlt_hbm_free_size() share: @is decides. */
static int free_range(int fd, bool (*is)(const struct range *r, uint64_t key),
		      uint64_t key)
{
	struct range **link, *found = NULL;
	struct heap *heap;
	uint64_t card;

	if (card_with_book(fd, &card))
		return -ENOENT;
	pthread_mutex_lock(&heaps_lock);
	heap = heap_find(card);
	for (link = heap ? &heap->ranges : NULL; link && *link;
	     link = &(*link)->next) {
		if (is(*link, key)) {
			found = *link;
			*link = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&heaps_lock);
	free(found);

	return found ? 0 : -ENOENT;
}

static bool is_at(const struct range *r, uint64_t addr)
{
	return r->addr == addr;
}

static bool is_of_size(const struct range *r, uint64_t size)
{
	return r->asked == size;
}

int hlt_hbm_free(int fd, uint64_t addr)
{
	return free_range(fd, is_at, addr);
}

int hlt_hbm_free_size(int fd, uint64_t size)
{
	return free_range(fd, is_of_size, size);
}

void hlt_hbm_forget(int fd)
{
	struct heap **link, *found = NULL;
	uint64_t card;

	if (card_with_book(fd, &card))
		return;
	pthread_mutex_lock(&heaps_lock);
	for (link = &heaps; *link; link = &(*link)->next) {
		if ((*link)->card == card) {
			found = *link;
			*link = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&heaps_lock);
	heap_destroy(found);
}
