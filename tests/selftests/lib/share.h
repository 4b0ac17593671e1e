/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that share the card: a board that they and the test see, one user's
 * files and buffers, and a fixture that skips unless the card is shared.
 */
#ifndef GAUDI_SHARE_H
#define GAUDI_SHARE_H

#include <stdatomic.h>
#include <sys/wait.h>

#include "../../../uapi/drm/gaudi_accel.h"
#include "fixture.h"

#define USERS		8
#define MAX_USERS	16
#define LEN		(256 << 10)
#define SECOND		1000000ull

/* What a process and the test share. */
struct slot {
	uint64_t hbm, sram;
	uint32_t sob, mon;
	atomic_ullong done;
};

static struct board {
	atomic_int ready, go, stop;
	struct slot slot[MAX_USERS];
} *board;

/* One process at work. */
struct user {
	int fd;
	struct gt_cb cb;
	char *src, *dst;
	uint64_t src_va, dst_va, hbm;
};

FIXTURE(share)
{
	uint64_t resets;
};

FIXTURE_SETUP(share)
{
	int fd = gt_open();

	if (fd == -ENODEV)
		SKIP(return, "no Gaudi card");
	ASSERT_GE(fd, 0);
	self->resets = gt_resets(fd);
	if (!gt_has(fd, GAUDI_CAP_SHARED)) {
		close(fd);
		SKIP(return, "the card is not shared");
	}
	close(fd);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, board);
}

FIXTURE_TEARDOWN(share)
{
	if (board)
		munmap(board, sizeof(*board));
}

static inline int64_t mem(int fd, union hl_mem_args *args)
{
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, args);

	return ret < 0 ? ret : (int64_t)args->out.handle;
}

static inline int64_t hbm_alloc(int fd, uint64_t size, uint64_t *addr)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_ALLOC,
					   .alloc.mem_size = size } };
	int64_t handle = mem(fd, &args);

	if (handle < 0)
		return handle;
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_MAP,
					    .map_device.handle = handle } };
	if (mem(fd, &args) < 0)
		return -EINVAL;
	*addr = args.out.device_virt_addr;
	return handle;
}

static inline int user_open(struct user *u)
{
	int ret;

	u->fd = gt_open();
	if (u->fd < 0)
		return u->fd;
	u->src = gt_alloc(LEN);
	u->dst = gt_alloc(LEN);
	if (!u->src || !u->dst)
		return -ENOMEM;
	ret = gt_cb_create(u->fd, 4096, &u->cb);
	if (!ret)
		ret = gt_map_host(u->fd, u->src, LEN, &u->src_va);
	if (!ret)
		ret = gt_map_host(u->fd, u->dst, LEN, &u->dst_va);
	if (!ret && hbm_alloc(u->fd, LEN, &u->hbm) < 0)
		ret = -ENOMEM;
	return ret;
}

/* There and back by two queues; 1: what came back is not what went. */
static inline int user_copy(struct user *u, uint32_t queue, uint32_t seed)
{
	int ret;

	gt_fill(u->src, LEN, seed);
	memset(u->dst, 0, LEN);
	u->cb.len = gt_pkt_lin_dma(u->cb.map, u->src_va, u->hbm, LEN, EB | MB);
	ret = gt_run(u->fd, queue % 8, &u->cb);
	if (ret)
		return ret;
	u->cb.len = gt_pkt_lin_dma(u->cb.map, u->hbm, u->dst_va, LEN, EB | MB);
	ret = gt_run(u->fd, (queue + 5) % 8, &u->cb);
	if (ret)
		return ret;
	return gt_check(u->dst, LEN, seed) == -1 ? 0 : 1;
}

/* In a process of in_children(): it ends where this does not hold, and says so. */
#define MUST(condition)							\
	do {								\
		if (!(condition)) {					\
			printf("# line %d: %s\n", __LINE__, #condition); \
			fflush(stdout);					\
			return 1;					\
		}							\
	} while (0)

static inline void meet(int n)
{
	board->ready++;
	while (board->ready < n)
		usleep(1000);
}

/* fn in n processes; returns how many did not end with 0. */
static inline int in_children(int n, int (*fn)(int))
{
	pid_t pid[MAX_USERS + 1];
	int i, status, bad = 0;

	fflush(NULL);
	for (i = 0; i < n; i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(fn(i));
	}
	for (i = 0; i < n; i++) {
		if (waitpid(pid[i], &status, 0) != pid[i] || status) {
			printf("# process %d: status %#x\n", i, status);
			bad++;
		}
	}
	return bad;
}

#endif /* GAUDI_SHARE_H */
