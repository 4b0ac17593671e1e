// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Memory of the driver, of the process, and what of both the card reaches. */
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/raw.h"
#include "checker.h"
#include "kernel.h"
#include "nodes.h"

/*
 * Of this process, sparse: buffers for the card, at most. Less where there are not so
 * many addresses, as under valgrind.
 */
#define SHARED_MOST	(1ull << 36)
#define SHARED_LEAST	(1ull << 28)
#define SHARED_FROM	700

static struct {
	pthread_once_t once;
	struct mutex lock;	/* mm */
	struct drm_mm mm;	/* offsets in the file */
	char *base;
	u64 size;
	ino_t file;			/* its number: a program may close it */
	int fd;
} shared = { .once = PTHREAD_ONCE_INIT, .fd = -1 };

/* What it is to be given back by: its address is all that a caller has. */
struct shared_block {
	struct rb_node by_addr;
	struct drm_mm_node node;
};

static struct rb_root shared_blocks = { NULL };

static void shared_init(void)
{
	/* As with the card's own memory. */
	int fd = raw_move_up(memfd_create("gaudi-sim", MFD_CLOEXEC), SHARED_FROM);
	void *base = MAP_FAILED;
	struct stat st;
	u64 size;

	mutex_init(&shared.lock);
	for (size = SHARED_MOST; fd >= 0 && base == MAP_FAILED &&
	     size >= SHARED_LEAST; size /= 4) {
		shared.size = size;
		if (!ftruncate(fd, size))
			base = mmap(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_NORESERVE, fd, 0);
	}
	if (base == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return;
	}
	drm_mm_init(&shared.mm, 0, shared.size);
	madvise(base, shared.size, MADV_DONTFORK);
	raw_fstat(fd, &st);
	shared.file = st.st_ino;
	shared.base = base;
	shared.fd = fd;
}

/* False: the program has closed it, and the number may be another file's. */
static bool file_is_ours(void)
{
	struct stat st;

	return !raw_fstat(shared.fd, &st) && st.st_ino == shared.file;
}

static bool punch(u64 start, u64 size)
{
	return file_is_ours() &&
	       !fallocate(shared.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  start, size);
}

static int block_order(struct rb_node *node, const struct rb_node *other)
{
	const struct shared_block *a = rb_entry(node, struct shared_block,
						by_addr);
	const struct shared_block *b = rb_entry(other, struct shared_block,
						by_addr);

	return a->node.start < b->node.start ? -1 :
	       a->node.start > b->node.start;
}

static int block_find(const void *key, const struct rb_node *node)
{
	const struct shared_block *block = rb_entry(node, struct shared_block,
						    by_addr);
	u64 start = *(const u64 *)key;

	return start < block->node.start ? -1 : start > block->node.start;
}

/* Zeroed: a hole of the file. */
static void *shared_alloc(size_t size)
{
	struct shared_block *block;
	int rc;

	pthread_once(&shared.once, shared_init);
	block = calloc(1, sizeof(*block));
	if (!block || shared.fd < 0) {
		free(block);
		return NULL;
	}
	mutex_lock(&shared.lock);
	rc = drm_mm_insert_node_generic(&shared.mm, &block->node,
					PAGE_ALIGN(size), PAGE_SIZE, 0,
					DRM_MM_INSERT_BEST);
	if (!rc)
		rb_find_add(&block->by_addr, &shared_blocks, block_order);
	mutex_unlock(&shared.lock);
	if (rc) {
		free(block);
		return NULL;
	}
	return shared.base + block->node.start;
}

static void shared_free(void *p)
{
	u64 start = (char *)p - shared.base;
	struct shared_block *block;
	struct rb_node *node;

	mutex_lock(&shared.lock);
	node = rb_find(&start, &shared_blocks, block_find);
	block = rb_entry(node, struct shared_block, by_addr);
	/* Before others get it. */
	if (!punch(start, block->node.size))
		(memset)(p, 0, block->node.size);
	rb_erase(node, &shared_blocks);
	drm_mm_remove_node(&block->node);
	mutex_unlock(&shared.lock);
	free(block);
}

bool sim_dma_is_coherent(u64 addr, size_t size)
{
	u64 base = (uintptr_t)shared.base;

	return base && addr >= base && addr - base < shared.size &&
	       size <= shared.size - (addr - base);
}

/*
 * Whole pages of the file become holes again: a ring that is empty takes none. Nor does other
 * memory that nobody has written to.
 */
void sim_dma_clear(void *p, size_t size)
{
	u64 start = (uintptr_t)p - (uintptr_t)shared.base;
	bool coherent = sim_dma_is_coherent((uintptr_t)p, size);

	if (coherent && !(start % PAGE_SIZE) && !(size % PAGE_SIZE) &&
	    punch(start, size))
		return;
	if (coherent || memchr_inv(p, 0, size))
		(memset)(p, 0, size);
}

void sim_dma_walk(void (*fn)(void *arg, u64 addr, u64 size), void *arg)
{
	const struct shared_block *block;
	struct rb_node *node;

	if (!shared.base)
		return;
	mutex_lock(&shared.lock);
	for (node = rb_first(&shared_blocks); node; node = rb_next(node)) {
		block = rb_entry(node, struct shared_block, by_addr);
		fn(arg, (uintptr_t)shared.base + block->node.start,
		   block->node.size);
	}
	mutex_unlock(&shared.lock);
}

bool sim_dma_read(u64 addr, void *to, size_t size)
{
	return sim_dma_is_coherent(addr, size) && file_is_ours() &&
	       raw_pread(shared.fd, to, size,
			 addr - (uintptr_t)shared.base) == (ssize_t)size;
}

void *sim_dma_memory(u64 *size)
{
	*size = shared.size;
	return shared.base;
}

struct page *alloc_page(gfp_t gfp)
{
	return shared_alloc(PAGE_SIZE);
}

void __free_page(struct page *page)
{
	shared_free(page);
}

unsigned long get_zeroed_page(gfp_t gfp)
{
	unsigned long page = __get_free_page(gfp);

	if (page)
		memset((void *)page, 0, PAGE_SIZE);
	return page;
}

void *dma_alloc_coherent(struct device *dev, size_t size, dma_addr_t *dma,
			 gfp_t gfp)
{
	void *p = shared_alloc(size);

	*dma = (uintptr_t)p;
	return p;
}

void dma_free_coherent(struct device *dev, size_t size, void *p, dma_addr_t dma)
{
	shared_free(p);
}

void *dmam_alloc_coherent(struct device *dev, size_t size, dma_addr_t *dma,
			  gfp_t gfp)
{
	void *p = dma_alloc_coherent(dev, size, dma, gfp);

	return p && !devm_add_action_or_reset(dev, shared_free, p) ? p : NULL;
}

/* A part of the file, a second time. */
static int map_shared(struct vm_area_struct *vma, unsigned long at, void *p,
		      size_t size)
{
	void *to = MAP_FAILED;

	if (file_is_ours())
		to = raw_mmap((void *)at, size, vma->prot,
			      MAP_SHARED | MAP_FIXED, shared.fd,
			      (char *)p - shared.base);
	else	/* What has no size is mapped a second time. */
		to = raw_mremap(p, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED,
				(void *)at);
	if (to == MAP_FAILED || mprotect(to, size, vma->prot))
		return -errno;
	madvise(to, size, MADV_DONTFORK);
	madvise(to, size, MADV_DONTDUMP);
	return 0;
}

int dma_mmap_coherent(struct device *dev, struct vm_area_struct *vma, void *p,
		      dma_addr_t dma, size_t size)
{
	return map_shared(vma, vma->vm_start, p, PAGE_ALIGN(size));
}

int vm_map_pages(struct vm_area_struct *vma, struct page **pages,
		 unsigned long count)
{
	unsigned long i;
	int rc = 0;

	for (i = 0; i < count && !rc; i++)
		rc = map_shared(vma, vma->vm_start + i * PAGE_SIZE, pages[i],
				PAGE_SIZE);
	return rc;
}

/* --- segments ---------------------------------------------------------------- */

/* Pages that follow each other become one segment, up to the most. */
static bool sg_extend(struct sg_table *sgt, struct page *page, size_t len,
		      unsigned int most)
{
	struct scatterlist *last = sgt->nents ? &sgt->sgl[sgt->nents - 1] : NULL;

	if (!last || sg_dma_address(last) + last->length != page_to_phys(page) ||
	    last->length + len > most)
		return false;
	last->length += len;
	return true;
}

static int sg_append(struct sg_table *sgt, struct page *page,
		     unsigned int offset, size_t len)
{
	struct scatterlist *sgl = sgt->sgl;

	/* At 1, 2, 4, 8 .. there is no room for one more. */
	if (!(sgt->nents & (sgt->nents - 1))) {
		sgl = reallocarray(sgl, sgt->nents ? 2 * sgt->nents : 1,
				   sizeof(*sgl));
		if (!sgl)
			return -ENOMEM;
		sgt->sgl = sgl;
	}
	sgl[sgt->nents++] = (struct scatterlist) {
		page, offset, len, page_to_phys(page) + offset,
	};
	sgt->orig_nents = sgt->nents;
	return 0;
}

int sg_alloc_append_table_from_pages(struct sg_append_table *table,
				     struct page **pages, unsigned int count,
				     unsigned int offset, unsigned long size,
				     unsigned int max_segment,
				     unsigned int left, gfp_t gfp)
{
	unsigned int i;
	int rc;

	for (i = 0; i < count; i++) {
		size_t len = min(size, PAGE_SIZE - offset);

		if (offset || !sg_extend(&table->sgt, pages[i], len,
					 max_segment)) {
			rc = sg_append(&table->sgt, pages[i], offset, len);
			if (rc)
				return rc;
		}
		size -= len;
		offset = 0;
	}
	return 0;
}

void sg_free_append_table(struct sg_append_table *table)
{
	free(table->sgt.sgl);
	table->sgt = (struct sg_table) { NULL };
}

/* --- the process ------------------------------------------------------------- */

static struct mm_struct sim_mm;
struct task_struct sim_task = { .mm = &sim_mm };

bool capable(int capability)
{
	return !geteuid();
}

unsigned long rlimit(unsigned int which)
{
	struct rlimit limit;

	return getrlimit(which, &limit) ? 0 : limit.rlim_cur;
}

kuid_t current_euid(void)
{
	return geteuid();
}

int pid_nr(const struct pid *pid)
{
	return getpid();
}

void (*sim_killed)(void);

void kill_pid(struct pid *pid, int sig, int priv)
{
	sim_log(NULL, SIM_ERR,
		"the card was reset under its user: the process is killed, as by the driver\n");
	if (sim_killed)
		sim_killed();
	kill(getpid(), sig);
}

/*
 * Arguments of calls are mostly on the stack of the thread that makes them. What is
 * above the frame that we are in is there: as long as it is that stack, and no other that
 * the program has made for itself.
 */
static bool is_on_stack(const void *p, size_t size)
{
	static __thread char *low, *top;
	char *here = __builtin_frame_address(0);
	const char *from = p;
	pthread_attr_t attr;
	size_t bytes;

	if (!top) {
		if (pthread_getattr_np(pthread_self(), &attr))
			return false;
		pthread_attr_getstack(&attr, (void **)&low, &bytes);
		pthread_attr_destroy(&attr);
		top = low + bytes;
	}
	return here >= low && from >= here && from < top &&
	       size <= (size_t)(top - from);
}

/*
 * Through a pipe of its own, since one that stays would be shared with a child of fork().
 * Up to what is not there.
 */
static ssize_t copy_by_pipe(char *mine, char *theirs, size_t size, bool write)
{
	char *to = write ? theirs : mine;
	const char *from = write ? mine : theirs;
	size_t done = 0;
	ssize_t n = 0;
	int ends[2];

	if (raw_pipe(ends))
		return -1;
	while (done < size && n >= 0) {
		n = raw_write(ends[1], from + done,
			      min(size - done, (size_t)PIPE_BUF));
		if (n > 0)
			n = raw_read(ends[0], to + done, n);
		if (n > 0)
			done += n;
	}
	raw_close(ends[0]);
	raw_close(ends[1]);
	return done;
}

/*
 * The kernel copies: it knows what is there, and does not crash. Emulators of a process,
 * and filters of system calls, do not always know the calls for it.
 */
ssize_t sim_process_copy(void *mine, void *theirs, size_t size, bool write)
{
	struct iovec here = { mine, size }, there = { theirs, size };
	ssize_t n = write ? process_vm_writev(sim_pid, &here, 1, &there, 1, 0) :
			    process_vm_readv(sim_pid, &here, 1, &there, 1, 0);

	if (n < 0 && errno != EFAULT)
		n = copy_by_pipe(mine, theirs, size, write);
	if (write && n > 0)
		sim_was_written(theirs, n);
	return n;
}

static unsigned long copy(void *to, const void *from, size_t size, bool write)
{
	void *mine = write ? (void *)(uintptr_t)from : to;
	void *theirs = write ? to : (void *)(uintptr_t)from;
	ssize_t n;

	if (!size)
		return 0;
	if (is_on_stack(theirs, size)) {
		memcpy(to, from, size);
		return 0;
	}
	n = sim_process_copy(mine, theirs, size, write);
	return n < 0 ? size : size - n;
}

unsigned long copy_from_user(void *to, const void *from, unsigned long size)
{
	unsigned long left = copy(to, from, size, false);

	memset((char *)to + size - left, 0, left);
	return left;
}

unsigned long copy_to_user(void *to, const void *from, unsigned long size)
{
	return copy(to, from, size, true);
}

void *kmap_local_page(struct page *page)
{
	static char nothing[4096];
	char byte;

	return copy_from_user(&byte, page, 1) ? (void *)nothing : (void *)page;
}

unsigned long clear_user(void *to, unsigned long size)
{
	static const char zeros[4096];

	while (size) {
		unsigned long n = min(size, sizeof(zeros));

		if (copy_to_user(to, zeros, n))
			break;
		to = (char *)to + n;
		size -= n;
	}
	return size;
}

size_t fault_in_safe_writeable(const char *to, size_t size)
{
	char byte;

	return size && (copy_from_user(&byte, to, 1) ||
			copy_from_user(&byte, to + size - 1, 1)) ? size : 0;
}

int copy_struct_from_user(void *to, size_t size, const void *from,
			  size_t user_size)
{
	size_t n = min(size, user_size);
	char rest[256];
	size_t more;

	memset((char *)to + n, 0, size - n);
	for (; user_size > size; user_size -= more) {
		more = min(user_size - size, sizeof(rest));
		if (copy_from_user(rest, (const char *)from + user_size - more,
				   more))
			return -EFAULT;
		if (memchr_inv(rest, 0, more))
			return -E2BIG;
	}
	return copy_from_user(to, from, n) ? -EFAULT : 0;
}

void *vmemdup_array_user(const void *from, size_t count, size_t size)
{
	void *to = reallocarray(NULL, count, size);

	if (!to)
		return ERR_PTR(-ENOMEM);
	if (!copy_from_user(to, from, count * size))
		return to;
	free(to);
	return ERR_PTR(-EFAULT);
}

/* Such pages as the program has at this time: they are not kept from going. */
static int populate(unsigned long start, size_t size)
{
	int rc;

	do
		rc = madvise((void *)start, size, MADV_POPULATE_WRITE);
	while (rc && (errno == EAGAIN || errno == EINTR));
	return rc ? -errno : 0;
}

long pin_user_pages_fast(unsigned long start, int count, unsigned int flags,
			 struct page **pages)
{
	long n = count, i;

	if (populate(start, count * PAGE_SIZE))
		for (n = 0; n < count; n++)
			if (populate(start + n * PAGE_SIZE, PAGE_SIZE))
				break;
	if (!n)
		return -EFAULT;
	for (i = 0; i < n; i++)
		pages[i] = (struct page *)(start + i * PAGE_SIZE);
	return n;
}
