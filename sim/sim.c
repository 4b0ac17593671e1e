// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Files of the cards: descriptors, mappings, attributes.
 *
 * A node's descriptor is a real one (of an empty memory file), so that its number is
 * nobody else's, and close() of it is noticed when the number is seen again. Each file is
 * kept by its descriptor, by calls in progress and by mappings, as in a kernel.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cards.h"
#include "gaudi_sim.h"
#include "kernel/nodes.h"

/* Numbers as Linux has them for these nodes. */
#define ACCEL_MAJOR	261
#define CONTROL_MAJOR	240

struct node_file {
	struct list_head node;	/* files */
	struct file file;
	struct kref refs;
	int fd;
	dev_t dev;		/* of the memory file: is it still that? */
	ino_t ino;
	unsigned int major, minor;
};

struct mapping {
	struct list_head node;	/* mappings */
	struct vm_area_struct vma;
	struct node_file *file;
};

/* Of both lists. The driver is not called with it held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(files);
static LIST_HEAD(mappings);

/* A child of fork() finds the lists whole, and can ask whose a descriptor is. */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void __attribute__((constructor)) set_up(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

/* --- files ----------------------------------------------------------------------- */

static void file_release(struct kref *refs)
{
	struct node_file *f = container_of(refs, struct node_file, refs);

	if (f->file.f_op->release)
		f->file.f_op->release(NULL, &f->file);
	free(f);
}

static void file_put(struct node_file *f)
{
	kref_put(&f->refs, file_release);
}

static bool still_open(const struct node_file *f)
{
	struct stat st;

	return !fstat(f->fd, &st) && st.st_dev == f->dev && st.st_ino == f->ino;
}

/* The file of a descriptor, with a reference. Whose was closed behind us goes. */
static struct node_file *file_get(int fd)
{
	struct node_file *f, *found = NULL, *gone = NULL;

	pthread_mutex_lock(&lock);
	list_for_each_entry(f, &files, node)
		if (f->fd == fd) {
			found = f;
			break;
		}
	if (found && !still_open(found)) {
		gone = found;
		found = NULL;
		list_del(&gone->node);
	}
	if (found)
		kref_get(&found->refs);
	pthread_mutex_unlock(&lock);
	if (gone)
		file_put(gone);
	return found;
}

/* Descriptors that were closed without us keep no card from being opened. */
static void sweep_files(void)
{
	struct node_file *f, *next;
	LIST_HEAD(gone);

	pthread_mutex_lock(&lock);
	list_for_each_entry_safe(f, next, &files, node)
		if (!still_open(f))
			list_move(&f->node, &gone);
	pthread_mutex_unlock(&lock);
	list_for_each_entry_safe(f, next, &gone, node)
		file_put(f);
}

static int memory_file(const char *name, int flags)
{
	int fd = memfd_create(name, flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	return fd < 0 ? -errno : fd;
}

/* The file is open; it gets a descriptor, and is in the list. */
static int publish(struct node_file *f, const char *name, int flags)
{
	struct stat st;

	f->fd = memory_file(name, flags);
	if (f->fd < 0)
		return f->fd;
	fstat(f->fd, &st);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	kref_init(&f->refs);
	pthread_mutex_lock(&lock);
	list_add(&f->node, &files);
	pthread_mutex_unlock(&lock);
	return f->fd;
}

static int open_node(const char *name, unsigned int n, bool control, int flags)
{
	struct node_file *f;
	int rc = sim_card_boot(n);

	if (rc)
		return rc;
	sweep_files();
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->major = control ? CONTROL_MAJOR : ACCEL_MAJOR;
	f->minor = n;
	rc = control ? sim_open_cdev(name, &f->file) :
		       sim_open_accel(n, &f->file);
	if (rc) {
		free(f);
		return rc;
	}
	rc = publish(f, name, flags);
	if (rc < 0) {
		kref_init(&f->refs);
		file_put(f);
	}
	return rc;
}

/* --- attributes ------------------------------------------------------------------- */

static int text_file(const char *name, const char *text, size_t size, int flags)
{
	int fd = memory_file(name, flags);

	if (fd >= 0 && (pwrite(fd, text, size, 0) != (ssize_t)size)) {
		close(fd);
		return -ENOSPC;
	}
	return fd;
}

/* A file of an attribute that can be written; what is read is in the memory file. */
struct stored {
	struct device *dev;
	struct device_attribute *attr;
};

static ssize_t store_attribute(struct file *file, const char *from,
			       size_t count, loff_t *pos)
{
	struct stored *stored = file->private_data;
	char text[256];

	if (count >= sizeof(text))
		return -EINVAL;
	memcpy(text, from, count);
	text[count] = '\0';
	return stored->attr->store(stored->dev, stored->attr, text, count);
}

static int close_attribute(struct inode *inode, struct file *file)
{
	free(file->private_data);
	return 0;
}

static const struct file_operations attribute_fops = {
	.write = store_attribute,
	.release = close_attribute,
};

static int open_stored(struct device *dev, struct device_attribute *attr,
		       int flags)
{
	struct node_file *f = calloc(1, sizeof(*f));
	struct stored *stored = malloc(sizeof(*stored));
	int rc = -EACCES;

	if (f && stored && attr->store) {
		*stored = (struct stored) { dev, attr };
		f->file.f_op = &attribute_fops;
		f->file.private_data = stored;
		rc = publish(f, attr->attr.name, flags);
	}
	if (rc < 0) {
		free(stored);
		free(f);
	}
	return rc;
}

static int show_attribute(struct device *dev, struct attribute *attr, int flags)
{
	struct device_attribute *a = container_of(attr, struct device_attribute,
						  attr);
	ssize_t n = -EACCES;
	char *text;
	int rc;

	if (flags & (O_WRONLY | O_RDWR))
		return open_stored(dev, a, flags);
	text = calloc(1, PAGE_SIZE);
	if (!text)
		return -ENOMEM;
	if (a->show)
		n = a->show(dev, a, text);
	rc = n < 0 ? (int)n : text_file(attr->name, text, n, flags);
	free(text);
	return rc;
}

/* "NAME", or "GROUP/NAME" of a group that has a name. */
static int open_attribute(struct device *dev, const char *name, int flags)
{
	const struct attribute_group **group = dev->groups;
	const char *rest;
	unsigned int i;

	for (; group && *group; group++) {
		size_t n = (*group)->name ? strlen((*group)->name) : 0;

		if (n && (strncmp(name, (*group)->name, n) || name[n] != '/'))
			continue;
		rest = n ? name + n + 1 : name;
		for (i = 0; (*group)->attrs && (*group)->attrs[i]; i++)
			if (!strcmp((*group)->attrs[i]->name, rest))
				return show_attribute(dev, (*group)->attrs[i],
						      flags);
	}
	return -ENOENT;
}

static int open_card_attribute(unsigned int n, const char *name, int flags)
{
	char text[16];
	int rc;

	if (n >= sim_wanted_cards())
		return -ENOENT;
	/* The kernel knows these without the driver. */
	if (!strcmp(name, "vendor") || !strcmp(name, "device")) {
		rc = snprintf(text, sizeof(text), "0x%04x\n",
			      *name == 'v' ? CARD_VENDOR : CARD_DEVICE);
		return text_file(name, text, rc, flags);
	}
	rc = sim_card_boot(n);
	return rc ?: open_attribute(sim_card_device(n), name, flags);
}

static int open_parameter(const char *name, int flags)
{
	char text[32];
	int rc = sim_module_param_show(name, text, sizeof(text));

	return rc < 0 ? rc : text_file(name, text, rc, flags);
}

/* What is behind the number: its place, or 0. */
static int after_number(const char *path, const char *fmt, unsigned int *n)
{
	int used = 0;

	return sscanf(path, fmt, n, &used) == 1 ? used : 0;
}

#define PARAMETERS	"/sys/module/gaudi/parameters/"
#define NODE		"/dev/accel/accel%u%n"
#define CONTROL_NODE	"/dev/accel/accel_controlD%u%n"
#define DEVICE		"/sys/class/accel/accel%u/device%n"

bool gaudi_sim_exists(const char *path)
{
	unsigned int n;
	int at;

	at = after_number(path, NODE, &n) ?: after_number(path, CONTROL_NODE, &n);
	if (at)
		return !path[at] && n < sim_wanted_cards();
	at = after_number(path, DEVICE, &n);
	return at && n < sim_wanted_cards();
}

int gaudi_sim_open(const char *path, int flags)
{
	unsigned int n;
	int at;

	at = after_number(path, NODE, &n);
	if (at && !path[at])
		return open_node(strrchr(path, '/') + 1, n, false, flags);
	at = after_number(path, CONTROL_NODE, &n);
	if (at && !path[at])
		return open_node(strrchr(path, '/') + 1, n, true, flags);
	at = after_number(path, DEVICE, &n);
	if (at && path[at] == '/')
		return open_card_attribute(n, path + at + 1, flags);
	if (!strncmp(path, PARAMETERS, strlen(PARAMETERS)))
		return open_parameter(path + strlen(PARAMETERS), flags);
	return -ENOENT;
}

ssize_t gaudi_sim_readlink(const char *path, char *buf, size_t size)
{
	unsigned int major, n;
	char busid[16], target[64];
	int at, used = 0;

	at = after_number(path, DEVICE, &n);
	if (at && !path[at]) {
		sim_card_busid(n, busid);
		snprintf(target, sizeof(target), "../../../%s", busid);
	} else if (sscanf(path, "/sys/dev/char/%u:%u%n", &major, &n,
			  &used) == 2 && !path[used] &&
		   (major == ACCEL_MAJOR || major == CONTROL_MAJOR)) {
		snprintf(target, sizeof(target), "../../class/accel/accel%s%u",
			 major == ACCEL_MAJOR ? "" : "_controlD", n);
	} else {
		return -ENOENT;
	}
	if (n >= sim_wanted_cards())
		return -ENOENT;
	if (strlen(target) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, target);
	return strlen(target);
}

/* --- calls ------------------------------------------------------------------------ */

bool gaudi_sim_owns(int fd)
{
	struct node_file *f = file_get(fd);

	if (!f)
		return false;
	file_put(f);
	return true;
}

int gaudi_sim_devnum(int fd, unsigned int *major, unsigned int *minor)
{
	struct node_file *f = file_get(fd);

	if (!f)
		return -EBADF;
	*major = f->major;
	*minor = f->minor;
	file_put(f);
	return 0;
}

int gaudi_sim_close(int fd)
{
	struct node_file *f = file_get(fd);
	bool mine;

	if (!f)
		return -EBADF;
	pthread_mutex_lock(&lock);
	/* Another thread may close it, too. */
	mine = f->node.next;
	if (mine) {
		list_del(&f->node);
		close(fd);
	}
	pthread_mutex_unlock(&lock);
	if (mine)
		file_put(f);
	file_put(f);
	return mine ? 0 : -EBADF;
}

int gaudi_sim_ioctl(int fd, unsigned long request, void *arg)
{
	struct node_file *f = file_get(fd);
	int rc;

	if (!f)
		return -EBADF;
	if (!sim_cards_are_here())
		rc = -ENODEV;
	else if (!f->file.f_op->unlocked_ioctl)
		rc = -ENOTTY;
	else
		rc = (int)f->file.f_op->unlocked_ioctl(&f->file, request,
						       (unsigned long)arg);
	file_put(f);
	return rc == -ERESTARTSYS ? -EINTR : rc;
}

ssize_t gaudi_sim_write(int fd, const void *from, size_t size)
{
	struct node_file *f = file_get(fd);
	ssize_t rc;
	loff_t pos = 0;

	if (!f)
		return -EBADF;
	if (!sim_cards_are_here())
		rc = -ENODEV;
	else if (!f->file.f_op->write)
		rc = -EINVAL;
	else
		rc = f->file.f_op->write(&f->file, from, size, &pos);
	file_put(f);
	return rc;
}

static int map_file(struct mapping *m, void *addr, size_t size, int prot,
		    int flags, off_t offset)
{
	struct vm_area_struct *vma = &m->vma;
	void *at;
	int rc;

	/* Until the driver has put something there. */
	at = mmap(addr, size, PROT_NONE,
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
		munmap(at, size);
	return rc;
}

void *gaudi_sim_mmap(void *addr, size_t size, int prot, int flags, int fd,
		     off_t offset)
{
	struct node_file *f = file_get(fd);
	struct mapping *m = calloc(1, sizeof(*m));
	int rc;

	if (!f)
		rc = -EBADF;
	else if (!f->file.f_op->mmap || !sim_cards_are_here())
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
			file_put(f);
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
	file_put(m->file);
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
	unsigned long start = (unsigned long)addr;
	unsigned long end = start + PAGE_ALIGN(size);
	struct mapping *m, *next;
	LIST_HEAD(ended);
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (munmap(addr, size)) {
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
