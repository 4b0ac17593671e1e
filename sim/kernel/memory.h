/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Memory: of the driver, of the process, and what the card reaches of both.
 *
 * A bus address is an address of this process. What the driver allocates for the
 * card (dma_alloc_coherent() and pages) lies in one shared file, so that a part of
 * it can be mapped a second time, for mmap(). All other memory of the process is
 * read and written by calls that fail, and do not crash, if it is not there.
 */
#ifndef SIM_KERNEL_MEMORY_H
#define SIM_KERNEL_MEMORY_H

#include <signal.h>
#include <sys/mman.h>

#include "base/bits.h"

#define GFP_KERNEL		0u
#define GFP_NOWAIT		0u
#define GFP_ATOMIC		0u
#define GFP_USER		0u
#define GFP_KERNEL_ACCOUNT	0u
#define __GFP_ACCOUNT		0u
#define __GFP_NOWARN		0u
#define __GFP_RETRY_MAYFAIL	0u
#define __GFP_NORETRY		0u
#define __GFP_ZERO		1u

#define kmalloc(size, gfp)	malloc(size)
#define kzalloc(size, gfp)	calloc(1, size)
#define kcalloc(count, size, gfp) calloc(count, size)
#define kvmalloc(size, gfp)	malloc(size)
#define kvzalloc(size, gfp)	calloc(1, size)
#define kvcalloc(count, size, gfp) calloc(count, size)
#define kvmalloc_array(count, size, gfp) reallocarray(NULL, count, size)
#define vmalloc(size)		malloc(size)
#define vzalloc(size)		calloc(1, size)
#define kfree(p)		free((void *)(uintptr_t)(p))
#define kvfree(p)		kfree(p)
#define vfree(p)		kfree(p)
/* Readers of what is freed so hold a lock here. */
#define kfree_rcu(p, member)	kfree(p)

static inline void sim_free_kfree(void *p)
{
	free(*(void **)p);
}

static inline void *kmemdup(const void *from, size_t size, gfp_t gfp)
{
	void *to = malloc(size);

	(void)gfp;
	return to ? memcpy(to, from, size) : NULL;
}

/* --- pages: their address, as a pointer of a type of its own --- */

struct page;

#define page_to_phys(page)	((phys_addr_t)(uintptr_t)(page))
#define page_to_pfn(page)	((uintptr_t)(page) >> PAGE_SHIFT)
#define pfn_to_page(pfn)	((struct page *)((pfn) << PAGE_SHIFT))
#define virt_to_page(p)		((struct page *)((uintptr_t)(p) & PAGE_MASK))
#define is_vmalloc_addr(p)	false
#define vmalloc_to_pfn(p)	((uintptr_t)(p) >> PAGE_SHIFT)

struct page *alloc_page(gfp_t gfp);
void __free_page(struct page *page);
#define __get_free_page(gfp)	((unsigned long)aligned_alloc(PAGE_SIZE, PAGE_SIZE))
#define free_page(addr)		free((void *)(addr))
unsigned long get_zeroed_page(gfp_t gfp);

/* The page itself; one of zeros if the program has unmapped it. */
void *kmap_local_page(struct page *page);
#define kunmap_local(p)		((void)(p))

/* 0 and more: so many pages from @start on are there and writable. */
long pin_user_pages_fast(unsigned long start, int count, unsigned int flags,
			 struct page **pages);
#define FOLL_WRITE		1
#define FOLL_LONGTERM		2
#define unpin_user_pages(pages, count) ((void)(pages), (void)(count))
#define unpin_user_page_range_dirty_lock(page, count, dirty) \
	((void)(page), (void)(count), (void)(dirty))

/* --- the process --- */

struct mm_struct { atomic64_t pinned_vm; };
struct task_struct { struct mm_struct *mm; };
extern struct task_struct sim_task;
#define current			(&sim_task)
#define mmgrab(mm)		((void)(mm))
#define mmdrop(mm)		((void)(mm))
#define CAP_IPC_LOCK		14
bool capable(int capability);
#define RLIMIT_MEMLOCK		8
unsigned long rlimit(unsigned int which);
#define fatal_signal_pending(task) false

typedef uid_t kuid_t;
#define INVALID_UID		((kuid_t)-1)
#define uid_eq(a, b)		((a) == (b))
#define uid_valid(uid)		((uid) != INVALID_UID)
kuid_t current_euid(void);
#define current_fsuid()		current_euid()

struct pid;
#define task_tgid(task)		((struct pid *)(void *)(task))
#define get_pid(pid)		(pid)
#define put_pid(pid)		((void)(pid))
int pid_nr(const struct pid *pid);
/* Of this process, whose cards they are: as by the driver, it ends; sim_killed() comes first. */
extern void (*sim_killed)(void);
void kill_pid(struct pid *pid, int sig, int priv);

/*
 * Memory of the process, theirs, which need not be there: the bytes that were copied from
 * or to mine before what is not; -1 if it is none.
 */
ssize_t sim_process_copy(void *mine, void *theirs, size_t size, bool write);
/* So many bytes were not copied. */
unsigned long copy_from_user(void *to, const void *from, unsigned long size);
unsigned long copy_to_user(void *to, const void *from, unsigned long size);
unsigned long clear_user(void *to, unsigned long size);
/* Of these bytes, too. As the process's own threads do not see, only if they can be read. */
size_t fault_in_safe_writeable(const char *to, size_t size);
int copy_struct_from_user(void *to, size_t size, const void *from,
			  size_t user_size);
void *vmemdup_array_user(const void *from, size_t count, size_t size);
#define u64_to_user_ptr(x)	((void *)(uintptr_t)(x))
#ifdef __x86_64__
#define TASK_SIZE		(1ull << 47)
#else
#define TASK_SIZE		(1ull << 48)
#endif
#define access_ok(p, size) \
	((u64)(uintptr_t)(p) + (size) <= TASK_SIZE && (u64)(size) <= TASK_SIZE)

/* --- mappings --- */

struct file;
struct vm_area_struct;
struct vm_fault { struct vm_area_struct *vma; };
typedef unsigned int vm_fault_t;
#define VM_FAULT_NOPAGE		0x100
#define VM_FAULT_SIGBUS		2

struct vm_operations_struct {
	void (*open)(struct vm_area_struct *vma);
	void (*close)(struct vm_area_struct *vma);
	vm_fault_t (*fault)(struct vm_fault *vmf);
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	int prot;
	const struct vm_operations_struct *vm_ops;
	void *vm_private_data;
};

#define VM_MAYSHARE		0x80
#define VM_PFNMAP		0x400
#define VM_DONTCOPY		0x20000
#define VM_DONTEXPAND		0x40000
#define VM_DONTDUMP		0x4000000
#define vm_flags_set(vma, flags) ((vma)->vm_flags |= (flags))
#define zap_vma_ptes(vma, addr, size) ((void)(vma))
#define vmf_insert_pfn(vma, addr, pfn) \
	((void)(vma), (void)(addr), (void)(pfn), VM_FAULT_SIGBUS)
/* All users of a card are in this process and close before it goes. */
#define unmap_mapping_range(mapping, start, size, cows) ((void)(mapping))
int vm_map_pages(struct vm_area_struct *vma, struct page **pages,
		 unsigned long count);

/* --- the card's view --- */

struct device;
enum dma_data_direction { DMA_BIDIRECTIONAL, DMA_TO_DEVICE, DMA_FROM_DEVICE };
#define DMA_ATTR_SKIP_CPU_SYNC	1
#define DMA_BIT_MASK(bits)	((1ull << (bits)) - 1)

void *dma_alloc_coherent(struct device *dev, size_t size, dma_addr_t *dma,
			 gfp_t gfp);
void dma_free_coherent(struct device *dev, size_t size, void *p,
		       dma_addr_t dma);
/* Until the device goes. */
void *dmam_alloc_coherent(struct device *dev, size_t size, dma_addr_t *dma,
			  gfp_t gfp);
int dma_mmap_coherent(struct device *dev, struct vm_area_struct *vma, void *p,
		      dma_addr_t dma, size_t size);
#define dma_set_mask_and_coherent(dev, mask) 0
#define dma_set_max_seg_size(dev, size) ((void)(dev))

/* Whether all of it is in the shared file: then it can be accessed directly. */
bool sim_dma_is_coherent(u64 addr, size_t size);
/* What is there is 0 afterwards. */
void sim_dma_clear(void *p, size_t size);
#define memset(p, value, size)						\
({									\
	void *sim_p = (p);						\
	size_t sim_size = (size);					\
	int sim_value = (value);					\
									\
	if (!sim_value && sim_size >= 4 * PAGE_SIZE)			\
		sim_dma_clear(sim_p, sim_size);				\
	else								\
		(memset)(sim_p, sim_value, sim_size);			\
	sim_p;								\
})
/* Calls fn for each piece of memory that the driver has for cards; it allocates none. */
void sim_dma_walk(void (*fn)(void *arg, u64 addr, u64 size), void *arg);
/* That of the shared file, with its holes left. False: it is not of it. */
bool sim_dma_read(u64 addr, void *to, size_t size);
/* The shared file, or NULL: nobody has allocated anything. */
void *sim_dma_memory(u64 *size);

struct scatterlist {
	struct page *page;
	unsigned int offset, length;
	u64 dma_address;
};

struct sg_table {
	struct scatterlist *sgl;
	unsigned int nents, orig_nents;
};

struct sg_append_table { struct sg_table sgt; };

#define sg_page(sg)		((sg)->page)
#define sg_dma_address(sg)	((sg)->dma_address)
#define sg_dma_len(sg)		((sg)->length)
#define sg_init_table(sg, count) memset(sg, 0, (count) * sizeof(*(sg)))
#define for_each_sgtable_sg(sgt, sg, i) \
	for ((i) = 0, (sg) = (sgt)->sgl; (i) < (sgt)->nents; (i)++, (sg)++)
#define for_each_sgtable_dma_sg(sgt, sg, i) for_each_sgtable_sg(sgt, sg, i)
#define dma_map_sgtable(dev, sgt, dir, attrs) ((void)(dev), (void)(sgt), 0)
#define dma_unmap_sgtable(dev, sgt, dir, attrs) ((void)(dev), (void)(sgt))
#define dma_sync_sgtable_for_device(dev, sgt, dir) ((void)(sgt))
#define dma_sync_sgtable_for_cpu(dev, sgt, dir) ((void)(sgt))

int sg_alloc_append_table_from_pages(struct sg_append_table *table,
				     struct page **pages, unsigned int count,
				     unsigned int offset, unsigned long size,
				     unsigned int max_segment,
				     unsigned int left, gfp_t gfp);
void sg_free_append_table(struct sg_append_table *table);

#endif /* SIM_KERNEL_MEMORY_H */
