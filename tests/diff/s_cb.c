// SPDX-License-Identifier: GPL-2.0-only
/* CB: create, destroy, info, mmap(). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "steps.h"

static uint64_t create(uint32_t size, uint32_t flags, const char *what)
{
	union hl_cb_args args = { .in = { .op = HL_CB_OP_CREATE,
					  .cb_size = size, .flags = flags } };

	step(&args, DRM_IOCTL_HL_CB, "create %s", what);
	return args.out.cb_handle;
}

static void destroy(uint64_t handle, const char *what)
{
	step(CB(.op = HL_CB_OP_DESTROY, .cb_handle = handle), "destroy %s",
	     what);
}

static void info(uint64_t handle, uint32_t flags, const char *what)
{
	step(CB(.op = HL_CB_OP_INFO, .cb_handle = handle, .flags = flags),
	     "info %s", what);
}

/* How mmap() ended; the mapping, or NULL. */
static void *map(uint64_t off, size_t size, int prot, int flags,
		 const char *what)
{
	void *p = mmap(NULL, size, prot, flags, fd, (off_t)off);
	char name[128];

	snprintf(name, sizeof(name), "mmap %s", what);
	say(name, "%s", p == MAP_FAILED ? errname(-errno) : "mapped");
	return p == MAP_FAILED ? NULL : p;
}

static const uint32_t sizes[] = { 0, 1, 31, 32, 4095, 4096, 4097, 8191, 12288,
				  0x10000, 0x10001, 0x100000,
				  HL_MAX_CB_SIZE - 1, HL_MAX_CB_SIZE };

static void sizes_script(void)
{
	static const uint32_t over[] = { HL_MAX_CB_SIZE + 1, 0x200000,
					 0x200001, 0x7fffffff, 0xffffffff };
	uint64_t handle;
	char what[64];
	unsigned int i;
	char *p;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i] < 4096 ? 4096 :
			      (sizes[i] + 4095) & ~4095u;
		size_t n = 0;

		snprintf(what, sizeof(what), "%#x bytes", sizes[i]);
		handle = create(sizes[i], 0, what);
		p = map(handle, size + 4096, PROT_READ, MAP_SHARED,
			"a page more");
		if (p)
			munmap(p, size + 4096);
		p = map(handle, size, PROT_READ | PROT_WRITE, MAP_SHARED, what);
		if (!p)
			continue;
		while (n < size && !p[n])
			n++;
		say("zeroed", "%#zx of %#zx", n, size);
		memset(p, 0xff, size);
		info(handle, 0, what);
		destroy(handle, what);
		p[0]++;
		munmap(p, size);
		destroy(handle, "once more");
	}
	for (i = 0; i < sizeof(over) / sizeof(over[0]); i++) {
		snprintf(what, sizeof(what), "%#x bytes", over[i]);
		create(over[i], 0, what);
	}
}

static void handles_script(void)
{
	static const uint64_t wrong[] = {
		0, 1, 0xfff, 0x1001, 0x7fffffff000ull, ~0ull, 1ull << 62,
		1ull << 61, 1ull << 60, 1ull << 63, 0x100000001000ull,
	};
	uint64_t a, b, c;
	char what[64];
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(what, sizeof(what), "%#llx",
			 (unsigned long long)wrong[i]);
		destroy(wrong[i], what);
		info(wrong[i], 0, what);
		info(wrong[i], HL_CB_FLAGS_GET_DEVICE_VA, what);
		map(wrong[i] & ~0xfffull, 4096, PROT_READ, MAP_SHARED, what);
	}
	a = create(4096, 0, "A");
	b = create(4096, 0, "B");
	c = create(4096, 0, "C");
	destroy(b, "B");
	b = create(4096, 0, "B again");
	info(a, HL_CB_FLAGS_GET_DEVICE_VA, "VA of one that has none");
	info(a, 4, "unknown flag");
	info(a, ~0u, "all flags");
	destroy(a | 1, "A with low bits");
	info(a ^ 1ull << 62, 0, "A of another type");
	info(a | 1ull << 59, 0, "A with a high bit");
	destroy(a, "A");
	destroy(a, "A again");
	info(a, 0, "A that is gone");
	step(CB(.op = 3), "op 3");
	step(CB(.op = ~0u), "op -1");
	step(CB(.op = HL_CB_OP_CREATE, .cb_size = 4096, .ctx_id = 7),
	     "create with a context id");
	step(CB(.op = HL_CB_OP_CREATE, .cb_size = 4096, .cb_handle = c),
	     "create with a handle");
	step(CB(.op = HL_CB_OP_CREATE, .cb_size = 4096, .flags = 4),
	     "create with flag 4");
	step(CB(.op = HL_CB_OP_CREATE, .cb_size = 4096, .flags = 0x80000000),
	     "create with flag 31");
	step(CB(.op = HL_CB_OP_CREATE, .cb_size = 4096,
		.flags = HL_CB_FLAGS_GET_DEVICE_VA), "create with GET_DEVICE_VA");
	step(CB(.op = HL_CB_OP_DESTROY, .cb_handle = c, .cb_size = 77,
		.flags = 77), "destroy with other fields set");
}

/* A buffer that internal queues run: extension, see the table. */
static void mapped_script(void)
{
	uint64_t handle = create(4096, HL_CB_FLAGS_MAP, "mapped");

	if (!handle)
		return;
	info(handle, HL_CB_FLAGS_GET_DEVICE_VA, "VA");
	info(handle, 0, "usage");
	destroy(handle, "mapped");
}

static void mmap_script(void)
{
	uint64_t handle = create(8192, 0, "2 pages");
	char *p, *q;

	map(handle, 4096, PROT_READ, MAP_SHARED, "half of it");
	map(handle + 4096, 4096, PROT_READ, MAP_SHARED, "the other half");
	map(handle, 16384, PROT_READ, MAP_SHARED, "twice as much");
	p = map(handle, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, "private");
	if (p)
		munmap(p, 8192);
	p = map(handle, 8192, PROT_READ | PROT_EXEC, MAP_SHARED, "executable");
	if (p)
		munmap(p, 8192);
	p = map(handle, 8192, PROT_NONE, MAP_SHARED, "no access");
	if (p)
		say("make it writable", "%s",
		    errname(mprotect(p, 8192, PROT_READ | PROT_WRITE) ? -errno :
			    0));
	q = map(handle, 8192, PROT_READ, MAP_SHARED, "a second time");
	if (q)
		munmap(q, 8192);
	if (!p)
		return;
	p[0] = 1;
	say("grow", "%s", mremap(p, 8192, 12288, 0) == MAP_FAILED ?
	    errname(-errno) : "grown");
	say("move", "%s", mremap(p, 8192, 12288, MREMAP_MAYMOVE) == MAP_FAILED ?
	    errname(-errno) : "moved");
	say("don't fork", "%s",
	    errname(madvise(p, 8192, MADV_DONTFORK) ? -errno : 0));
	say("do fork", "%s",
	    errname(madvise(p, 8192, MADV_DOFORK) ? -errno : 0));
	say("don't need", "%s",
	    errname(madvise(p, 8192, MADV_DONTNEED) ? -errno : 0));
	say("still there", "%d", p[0]);
	say("lock", "%s", errname(mlock(p, 8192) ? -errno : 0));
	say("sync", "%s", errname(msync(p, 8192, MS_SYNC) ? -errno : 0));
	/* Half a mapping keeps the buffer mapped. */
	munmap(p + 4096, 4096);
	q = map(handle, 8192, PROT_READ, MAP_SHARED, "while half is mapped");
	if (q)
		munmap(q, 8192);
	destroy(handle, "while half is mapped");
	info(handle, 0, "destroyed, half mapped");
	map(handle, 8192, PROT_READ, MAP_SHARED, "destroyed, half mapped");
	p[1] = 2;
	munmap(p, 4096);
	map(handle, 8192, PROT_READ, MAP_SHARED, "what is gone");
	handle = create(4096, 0, "the next");
	p = map(handle, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, "the next");
	say("zeroed", "%d %d", p ? p[0] : -1, p ? p[1] : -1);
	if (p)
		munmap(p, 4096);
	p = map(handle, 4096, PROT_READ, MAP_SHARED, "after munmap()");
	/* Left open: the close has to do the rest. */
}

static void many_script(void)
{
	uint64_t last = 0;
	unsigned int i, n = 0;

	for (i = 0; i < 3000; i++) {
		union hl_cb_args args = { .in = { .op = HL_CB_OP_CREATE,
						  .cb_size = 4096 } };

		if (gt_ioctl(fd, DRM_IOCTL_HL_CB, &args))
			break;
		last = args.out.cb_handle;
		n++;
	}
	say("buffers", "%u, the last %#llx", n, (unsigned long long)last);
}

const struct script s_cb[] = {
	{ "cb-sizes", sizes_script, true },
	{ "cb-handles", handles_script, true },
	{ "cb-mapped", mapped_script, true },
	{ "cb-mmap", mmap_script, true },
	{ "cb-many", many_script, true },
	{ .name = NULL },
};
