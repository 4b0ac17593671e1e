// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: any call of the uAPI may meet a reset, a removal, a close of its own
 * file, or any other call, without harm to the kernel. Threads call, each at
 * random; the main thread resets, unbinds and binds. What the calls answer does
 * not matter; that all of them return, and that the card works at the end, does.
 *
 * race SECONDS [SEED]
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gaudi_test.h"

#define THREADS	6

static int fd = -1;		/* everybody's, and anybody may close it */
static volatile bool stop;
static unsigned long calls[THREADS], good[THREADS];
static uint64_t handles[16];	/* of whatever kind; used by all */

static uint32_t next(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

static uint64_t *pick(uint32_t *x)
{
	return &handles[next(x) % 16];
}

static int one_cb(uint32_t *x)
{
	union hl_cb_args cb = { 0 };
	int ret;

	switch (next(x) % 3) {
	case 0:
		cb.in.op = HL_CB_OP_CREATE;
		cb.in.cb_size = 0x1000 << next(x) % 4;
		cb.in.flags = next(x) % 2 ? HL_CB_FLAGS_MAP : 0;
		ret = gt_ioctl(fd, DRM_IOCTL_HL_CB, &cb);
		if (!ret)
			*pick(x) = cb.out.cb_handle;
		return ret;
	case 1:
		cb.in.op = HL_CB_OP_INFO;
		break;
	default:
		cb.in.op = HL_CB_OP_DESTROY;
	}
	cb.in.cb_handle = *pick(x);
	return gt_ioctl(fd, DRM_IOCTL_HL_CB, &cb);
}

static int one_memory(uint32_t *x, void *mem)
{
	union hl_mem_args m = { 0 };
	int ret;

	m.in.op = next(x) % 7;
	switch (m.in.op) {
	case HL_MEM_OP_ALLOC:
		m.in.alloc.mem_size = 2 << 20;
		break;
	case HL_MEM_OP_MAP:
		if (next(x) % 2) {
			m.in.flags = HL_MEM_USERPTR;
			m.in.map_host.host_virt_addr = (uintptr_t)mem;
			m.in.map_host.mem_size = 0x1000 << next(x) % 6;
			break;
		}
		m.in.map_device.handle = *pick(x);
		break;
	case HL_MEM_OP_EXPORT_DMABUF_FD:
		m.in.export_dmabuf_fd.addr = *pick(x);
		m.in.export_dmabuf_fd.mem_size = 2 << 20;
		m.in.flags = O_RDWR | O_CLOEXEC;
		ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &m);
		if (!ret)
			close(m.out.fd);
		return ret;
	case HL_MEM_OP_TS_ALLOC:
		m.in.num_of_elements = 64;
		break;
	default:
		m.in.free.handle = *pick(x);
	}
	ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &m);
	if (!ret && (m.in.op == HL_MEM_OP_ALLOC || m.in.op == HL_MEM_OP_MAP ||
		     m.in.op == HL_MEM_OP_TS_ALLOC))
		*pick(x) = m.out.handle;
	return ret;
}

static int one_cs(uint32_t *x)
{
	static const uint32_t flags[] = {
		0, 0, HL_CS_FLAGS_TIMESTAMP, HL_CS_FLAGS_SIGNAL,
		HL_CS_FLAGS_FORCE_RESTORE, HL_CS_FLAGS_RESERVE_SIGNALS_ONLY,
	};
	struct hl_cs_chunk chunk = { .queue_index = next(x) % 8 };
	uint32_t kind = flags[next(x) % 6], status;
	uint64_t seq;
	int ret;

	chunk.cb_handle = *pick(x);
	chunk.cb_size = 8;
	ret = gt_submit_chunks(fd, &chunk, 1, kind, &seq);
	if (!ret && next(x) % 2)
		ret = gt_wait(fd, seq, next(x) % 20000, &status);
	return ret;
}

static int one_map(uint32_t *x)
{
	uint32_t len = 0x1000 << next(x) % 3;
	volatile char *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
				  fd, *pick(x));

	if (map == MAP_FAILED)
		return -errno;
	usleep(next(x) % 1000);
	return munmap((void *)map, len);
}

static void *work(void *arg)
{
	unsigned long id = (unsigned long)arg;
	void *mem = gt_alloc(1 << 20);
	uint32_t x = id * 7919 + time(NULL);
	char info[4096];
	int ret;

	while (!stop && mem) {
		switch (next(&x) % 6) {
		case 0:
			ret = one_cb(&x);
			break;
		case 1:
			ret = one_memory(&x, mem);
			break;
		case 2:
			ret = gt_info(fd, next(&x) % 40, info, sizeof(info));
			break;
		case 3:
			ret = one_map(&x);
			break;
		default:
			ret = one_cs(&x);
		}
		calls[id]++;
		good[id] += ret >= 0;
	}
	return NULL;
}

static void put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);

	if (file < 0)
		return;
	if (write(file, text, strlen(text)) < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	close(file);
}

/* A reset ends the process that has the card: so a child of us has it. */
static int child(unsigned int seconds, uint32_t x)
{
	pthread_t threads[THREADS];
	time_t end = time(NULL) + seconds;
	unsigned long i, n = 0, ok = 0;

	fd = gt_open();
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	while (time(NULL) < end) {
		int old = fd;

		usleep(next(&x) % 800000);
		/* Close it below everybody's feet. */
		if (next(&x) % 3) {
			close(old);
			fd = gt_open_once();
		}
	}
	stop = true;
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		n += calls[i];
		ok += good[i];
	}
	printf("# %lu calls, %lu of them good\n", n, ok);
	return 0;
}

static void disturb(uint32_t *x, const char *pci)
{
	char path[128];

	if (next(x) % 2) {
		gt_sysfs_write("hard_reset", "1");
	} else if (next(x) % 2) {
		put("/sys/bus/pci/drivers/gaudi/unbind", pci);
		put("/sys/bus/pci/drivers/gaudi/bind", pci);
	} else {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove",
			 pci);
		put(path, "1");
		put("/sys/bus/pci/rescan", "1");
	}
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 60, rounds = 0;
	uint32_t x = argc > 2 ? atoi(argv[2]) : time(NULL);
	time_t end = time(NULL) + seconds;
	char pci[32];
	struct gt_cb cb;
	pid_t pid;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (gt_sysfs_read("pci_addr", pci, sizeof(pci)) < 0) {
		printf("1..0 # SKIP no Gaudi card\n");
		return 4;
	}
	printf("1..1\n# seed %u\n", x);
	while (time(NULL) < end) {
		pid = fork();
		if (!pid)
			_exit(child(2 + next(&x) % 4, x));
		usleep(500000 + next(&x) % 2000000);
		if (next(&x) % 4)
			disturb(&x, pci);
		waitpid(pid, NULL, 0);
		rounds++;
	}
	printf("# %u rounds\n", rounds);
	fd = gt_wait_operational(120) ? -1 : gt_open();
	if (fd < 0 || gt_cb_create(fd, 4096, &cb)) {
		printf("not ok 1 the card works at the end\n");
		return 1;
	}
	cb.len = gt_pkt_nop(cb.map, 0);
	if (gt_run(fd, GAUDI_QUEUE_ID_DMA_0_0, &cb)) {
		printf("not ok 1 the card works at the end\n");
		return 1;
	}
	printf("ok 1 the card works at the end\n");
	return 0;
}
