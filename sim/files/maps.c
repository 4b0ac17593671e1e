// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Mappings of nodes: command buffers. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../cards/cards.h"
#include "../gaudi_sim.h"
#include "../kernel/base/raw.h"
#include "files.h"

struct mapping {
	struct list_head node;	/* mappings */
	struct vm_area_struct vma;
	struct sim_file *file;
};

/* Of the list. The driver is not called with it held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(mappings);

static int map_file(struct mapping *m, void *addr, size_t size, int prot,
		    int flags, off_t offset)
{
	struct vm_area_struct *vma = &m->vma;
	void *at;
	int rc;

	/* Until the driver has put something there. */
	at = raw_mmap(addr, size, PROT_NONE,
		  (flags & ~(MAP_SHARED | MAP_SHARED_VALIDATE)) | MAP_PRIVATE |
		  MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -errno;
	vma->vm_start = (unsigned long)at;
	vma->vm_end = vma->vm_start + size;
	vma->vm_pgoff = (u64)offset >> PAGE_SHIFT;
	vma->vm_flags = flags & MAP_PRIVATE ? 0 : VM_MAYSHARE;
	vma->prot = prot;
	rc = m->file->file.f_op->mmap(&m->file->file, vma);
	if (rc)
		raw_munmap(at, size);
	return rc;
}

/* Of the file as it was opened. */
static bool may_map(const struct sim_file *f, int prot, int flags)
{
	int way = f->flags & O_ACCMODE;

	if ((flags & MAP_TYPE) != MAP_PRIVATE && prot & PROT_WRITE)
		return way == O_RDWR;
	return way != O_WRONLY;
}

void *gaudi_sim_mmap(void *addr, size_t size, int prot, int flags, int fd,
		     off_t offset)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f = sim_file_get(fd);
	struct mapping *m = calloc(1, sizeof(*m));
	int rc;

	if (!f)
		rc = -EBADF;
	else if (!may_map(f, prot, flags))
		rc = -EACCES;
	else if (!f->file.f_op || !f->file.f_op->mmap ||
		 !sim_file_is_here(f))
		rc = -ENODEV;
	else if (!m)
		rc = -ENOMEM;
	else if (!size || offset % PAGE_SIZE)
		rc = -EINVAL;
	else {
		m->file = f;
		rc = map_file(m, addr, PAGE_ALIGN(size), prot, flags, offset);
	}
	if (rc) {
		if (f)
			sim_file_put(f);
		free(m);
		errno = -rc;
		return MAP_FAILED;
	}
	pthread_mutex_lock(&lock);
	list_add(&m->node, &mappings);
	pthread_mutex_unlock(&lock);
	return (void *)m->vma.vm_start;
}

static void mapping_end(struct mapping *m)
{
	if (m->vma.vm_ops && m->vma.vm_ops->close)
		m->vma.vm_ops->close(&m->vma);
	sim_file_put(m->file);
	free(m);
}

/* A part of a mapping is left: what is behind the hole becomes one of its own. */
static int mapping_cut(struct mapping *m, unsigned long start,
		       unsigned long end)
{
	struct vm_area_struct *vma = &m->vma;
	struct mapping *rest;

	if (start > vma->vm_start && end < vma->vm_end) {
		rest = malloc(sizeof(*rest));
		if (!rest)
			return -ENOMEM;
		*rest = *m;
		kref_get(&m->file->refs);
		rest->vma.vm_pgoff += (end - vma->vm_start) >> PAGE_SHIFT;
		rest->vma.vm_start = end;
		if (vma->vm_ops && vma->vm_ops->open)
			vma->vm_ops->open(&rest->vma);
		list_add(&rest->node, &mappings);
		vma->vm_end = start;
	} else if (start > vma->vm_start) {
		vma->vm_end = start;
	} else {
		vma->vm_pgoff += (end - vma->vm_start) >> PAGE_SHIFT;
		vma->vm_start = end;
	}
	return 0;
}

int gaudi_sim_munmap(void *addr, size_t size)
{
	SIM_NOT_CANCELLED;
	unsigned long start = (unsigned long)addr;
	unsigned long end = start + PAGE_ALIGN(size);
	struct mapping *m, *next;
	LIST_HEAD(ended);
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (raw_munmap(addr, size)) {
		rc = -errno;
		pthread_mutex_unlock(&lock);
		return rc;
	}
	list_for_each_entry_safe(m, next, &mappings, node) {
		if (m->vma.vm_start >= end || m->vma.vm_end <= start)
			continue;
		if (m->vma.vm_start >= start && m->vma.vm_end <= end)
			list_move(&m->node, &ended);
		else
			rc = mapping_cut(m, start, end);
	}
	pthread_mutex_unlock(&lock);
	list_for_each_entry_safe(m, next, &ended, node)
		mapping_end(m);
	return rc;
}

/* The mapping that has something of these bytes. The lock is held. */
static struct mapping *mapping_at(unsigned long start, unsigned long end)
{
	struct mapping *m;

	list_for_each_entry(m, &mappings, node)
		if (m->vma.vm_start < end && m->vma.vm_end > start)
			return m;
	return NULL;
}

/* A card's mapping may move and shrink, as a whole, and does not grow. */
static void *move_mapping(struct mapping *m, void *old, size_t old_size,
			  size_t size, int flags, void *to)
{
	void *at;

	if ((unsigned long)old != m->vma.vm_start ||
	    (unsigned long)old + PAGE_ALIGN(old_size) != m->vma.vm_end ||
	    size > PAGE_ALIGN(old_size)) {
		errno = EFAULT;
		return MAP_FAILED;
	}
	at = raw_mremap(old, old_size, size, flags, to);
	if (at != MAP_FAILED) {
		m->vma.vm_start = (unsigned long)at;
		m->vma.vm_end = m->vma.vm_start + PAGE_ALIGN(size);
	}
	return at;
}

void *gaudi_sim_mremap(void *old, size_t old_size, size_t size, int flags,
		       void *to)
{
	SIM_NOT_CANCELLED;
	unsigned long start = (unsigned long)old;
	struct mapping *m;
	void *at;

	pthread_mutex_lock(&lock);
	m = mapping_at(start, start + PAGE_ALIGN(old_size));
	at = m ? move_mapping(m, old, old_size, size, flags, to) :
		 raw_mremap(old, old_size, size, flags, to);
	pthread_mutex_unlock(&lock);
	return at;
}
