// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: in shared mode eight processes work side by side, each with its own
 * host memory, HBM, sync objects and SRAM; one that dies, faults or does not
 * get any further harms nobody else; turns are fair; a reset is told to all.
 *
 * Needs the module's shared=1 (and shared_hold=2), else it skips; for other
 * drivers too.
 */
#include <stdatomic.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/sync_file.h>

#include "../../uapi/gaudi_accel.h"
#include "lib/fixture.h"

#define HBM_USER_SIZE	0x7e0000000ull
#define USERS		8
#define MAX_USERS	16
#define LEN		(256 << 10)
#define ROUNDS		12
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

static int64_t mem(int fd, union hl_mem_args *args)
{
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, args);

	return ret < 0 ? ret : (int64_t)args->out.handle;
}

static int64_t hbm_alloc(int fd, uint64_t size, uint64_t *addr)
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

static int user_open(struct user *u)
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
static int user_copy(struct user *u, uint32_t queue, uint32_t seed)
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

static void meet(int n)
{
	board->ready++;
	while (board->ready < n)
		usleep(1000);
}

/* fn in n processes; returns how many did not end with 0. */
static int in_children(int n, int (*fn)(int))
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

static int copy_rounds(int n)
{
	struct user u;
	int i, ret = user_open(&u);

	if (ret)
		return 10;
	board->slot[n].hbm = u.hbm;
	meet(USERS);
	for (i = 0; i < ROUNDS; i++) {
		ret = user_copy(&u, n + i, 1000 * n + i + 1);
		if (ret)
			return ret < 0 ? 11 : 12;
	}
	return 0;
}

TEST_F_TIMEOUT(share, eight_side_by_side, 300)
{
	int i, k;

	EXPECT_EQ(0, in_children(USERS, copy_rounds));
	for (i = 0; i < USERS; i++)
		for (k = 0; k < i; k++)
			EXPECT_NE(board->slot[i].hbm, board->slot[k].hbm);
}

static uint64_t events(int fd)
{
	uint64_t mask = 0;

	gt_info(fd, HL_INFO_GET_EVENTS, &mask, sizeof(mask));
	return mask;
}

/* Two processes have different pages at one address, 1 has one more. */
static int same_address(int n)
{
	struct hl_page_fault_info pf = {};
	struct user u;
	uint64_t more, seq;
	uint32_t status;
	void *p;
	int i, ret;

	if (user_open(&u))
		return 10;
	board->slot[n].done = u.src_va;
	if (n == 1) {
		p = gt_alloc(LEN);
		memset(p, 0x5a, LEN);
		if (gt_map_host(u.fd, p, LEN, &more))
			return 11;
		board->slot[2].done = more;
	}
	meet(2);
	if (board->slot[0].done != board->slot[1].done)
		return 12;
	for (i = 0; i < 8; i++)
		if (user_copy(&u, i, 77 * n + i + 1))
			return 13;
	if (n == 0) {
		/* What 1 has there is no memory of 0's. */
		u.cb.len = gt_pkt_lin_dma(u.cb.map, board->slot[2].done,
					  u.hbm, LEN, EB | MB);
		if (gt_submit(u.fd, 0, &u.cb, &seq))
			return 14;
		ret = gt_wait(u.fd, seq, 60 * SECOND, &status);
		if (ret != -EIO)
			return 15;
		/* The event comes by another way than the end. */
		for (i = 0; i < 100 && !pf.timestamp; i++) {
			gt_info(u.fd, HL_INFO_PAGE_FAULT_EVENT, &pf,
				sizeof(pf));
			usleep(20000);
		}
		if (pf.addr < board->slot[2].done ||
		    pf.addr >= board->slot[2].done + LEN)
			return 16;
		if (!(events(u.fd) & HL_NOTIFIER_EVENT_PAGE_FAULT))
			return 17;
		board->go = 1;
	}
	/* Both work on, before, while and after. */
	for (i = 0; i < 8 || !board->go; i++)
		if (user_copy(&u, i, 99 * n + i + 1))
			return 18;
	if (n == 1 && events(u.fd))
		return 19;
	gt_info(u.fd, HL_INFO_PAGE_FAULT_EVENT, &pf, sizeof(pf));
	return n == 1 && pf.timestamp ? 20 : 0;
}

TEST_F_TIMEOUT(share, host_memory_is_ones_own, 300)
{
	int fd;

	EXPECT_EQ(0, in_children(2, same_address));
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(self->resets, gt_resets(fd));
	close(fd);
}

static int copy_until_stop(int n)
{
	struct user u;
	int ret;

	if (user_open(&u))
		return 10;
	board->ready++;
	while (!board->stop) {
		ret = user_copy(&u, n + board->slot[n].done,
				1000 * n + board->slot[n].done + 1);
		if (ret)
			return ret < 0 ? 11 : 12;
		board->slot[n].done++;
	}
	return 0;
}

static pid_t start(int n, int (*fn)(int))
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(fn(n));
	return pid;
}

/* Works without waiting, fills its queues, waits at fences: to be killed. */
static int careless(int n)
{
	struct user u;
	uint64_t seq;
	int i;

	if (user_open(&u))
		return 10;
	for (i = 0;; i++) {
		u.cb.len = gt_pkt_lin_dma(u.cb.map, u.src_va, u.hbm, LEN, EB);
		if (i % 16 == 15)
			u.cb.len += gt_pkt_fence((char *)u.cb.map + u.cb.len,
						 1, 1, 1);
		if (gt_submit(u.fd, i % 8, &u.cb, &seq))
			usleep(1000);
	}
	return 0;
}

TEST_F_TIMEOUT(share, one_is_killed_again_and_again, 300)
{
	pid_t pid[USERS - 1], victim;
	int i, status, fd;

	for (i = 0; i < USERS - 1; i++)
		pid[i] = start(i, copy_until_stop);
	while (board->ready < USERS - 1)
		usleep(1000);
	srandom(4711);
	for (i = 0; i < 8; i++) {
		victim = start(USERS - 1, careless);
		usleep(20000 + random() % 200000);
		kill(victim, SIGKILL);
		ASSERT_EQ(victim, waitpid(victim, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	board->stop = 1;
	for (i = 0; i < USERS - 1; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
		EXPECT_GE(board->slot[i].done, 1);
	}
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(self->resets, gt_resets(fd));
	close(fd);
}

/* A fence that nobody serves: the work is taken away, the process lives on. */
static int stuck(int n)
{
	struct user u;
	uint64_t seq, next;
	uint32_t status;
	int i, ret;

	if (user_open(&u))
		return 10;
	for (i = 0; i < 2; i++) {
		u.cb.len = gt_pkt_fence(u.cb.map, 1, 1, 1);
		if (gt_submit(u.fd, 3 * i, &u.cb, &seq))
			return 11;
		ret = gt_wait(u.fd, seq, 120 * SECOND, &status);
		if (ret != -ETIMEDOUT)
			return 12;
	}
	u.cb.len = gt_pkt_fence(u.cb.map, 1, 1, 1);
	if (gt_submit(u.fd, 0, &u.cb, &seq))
		return 13;
	u.cb.len = gt_pkt_nop(u.cb.map, 0);
	if (gt_submit(u.fd, 4, &u.cb, &next))
		return 14;
	if (gt_wait(u.fd, seq, 120 * SECOND, &status) != -ETIMEDOUT)
		return 15;
	gt_wait(u.fd, next, 120 * SECOND, &status);
	for (i = 0; i < 8; i++)
		if (user_copy(&u, i, i + 5))
			return 16;
	return 0;
}

/* The same with a timeout of its own: it is told, and nobody else. */
static int stuck_with_timeout(int n)
{
	union hl_cs_args args = {};
	struct hl_info_cs_timeout_event ev = {};
	struct hl_cs_chunk chunk = {};
	struct user u;
	uint32_t status;
	uint64_t seq;

	if (user_open(&u))
		return 10;
	u.cb.len = gt_pkt_fence(u.cb.map, 1, 1, 1);
	chunk.cb_handle = u.cb.handle;
	chunk.cb_size = u.cb.len;
	chunk.queue_index = 4;
	args.in.chunks_execute = (uintptr_t)&chunk;
	args.in.num_chunks_execute = 1;
	args.in.cs_flags = HL_CS_FLAGS_CUSTOM_TIMEOUT;
	args.in.timeout = 1;
	if (gt_ioctl(u.fd, DRM_IOCTL_HL_CS, &args))
		return 11;
	seq = args.out.seq;
	if (gt_wait(u.fd, seq, 120 * SECOND, &status) != -ETIMEDOUT)
		return 12;
	if (!(events(u.fd) & HL_NOTIFIER_EVENT_CS_TIMEOUT))
		return 13;
	gt_info(u.fd, HL_INFO_CS_TIMEOUT_EVENT, &ev, sizeof(ev));
	if (ev.seq != seq)
		return 14;
	return user_copy(&u, 2, 9) ? 15 : 0;
}

static void others_go_on(struct __test_metadata *_metadata, uint64_t before,
			 int (*fn)(int))
{
	pid_t pid[3];
	int i, status, fd;

	for (i = 0; i < 3; i++)
		pid[i] = start(i, copy_until_stop);
	while (board->ready < 3)
		usleep(1000);
	i = start(USERS, fn);
	ASSERT_EQ(i, waitpid(i, &status, 0));
	EXPECT_EQ(0, status);
	board->stop = 1;
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(before, gt_resets(fd));
	close(fd);
}

TEST_F_TIMEOUT(share, who_holds_the_card_loses_it, 300)
{
	others_go_on(_metadata, self->resets, stuck);
}

TEST_F_TIMEOUT(share, a_timeout_is_ones_own, 300)
{
	others_go_on(_metadata, self->resets, stuck_with_timeout);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* As much as it gets; 0 has sixteen times as much in flight as the others. */
static int greedy(int n)
{
	uint64_t seq[512], end, i = 0;
	uint32_t status, depth = n ? 32 : 512;
	struct user u;

	if (user_open(&u))
		return 10;
	u.cb.len = gt_pkt_memset(u.cb.map, n, u.hbm, 4096, EB);
	meet(USERS);
	end = now_ms() + 6000;
	while (now_ms() < end) {
		if (gt_submit(u.fd, n, &u.cb, &seq[i % depth]))
			return 11;
		i++;
		if (i >= depth &&
		    gt_wait(u.fd, seq[i % depth], 60 * SECOND, &status))
			return 12;
		if (i >= depth)
			board->slot[n].done++;
	}
	return 0;
}

TEST_F_TIMEOUT(share, nobody_starves, 300)
{
	uint64_t least = UINT64_MAX, most = 0;
	int i;

	EXPECT_EQ(0, in_children(USERS, greedy));
	/* Of those that do the same. */
	for (i = 1; i < USERS; i++) {
		if (board->slot[i].done < least)
			least = board->slot[i].done;
		if (board->slot[i].done > most)
			most = board->slot[i].done;
	}
	printf("# deep queue %llu, others %llu to %llu\n",
	       (unsigned long long)board->slot[0].done,
	       (unsigned long long)least, (unsigned long long)most);
	EXPECT_GE(least, 5);
	EXPECT_LE(most, 4 * least);
	/* A turn is 64 submissions at most, of the others 32. */
	EXPECT_LE(board->slot[0].done, 8 * least);
}

/* A wait that an own, later submission on another queue ends. */
static int wait_for_later(int n)
{
	struct hl_info_sync_manager sm = {};
	struct hl_info_args info = {
		.op = HL_INFO_SYNC_MANAGER,
		.return_pointer = (uintptr_t)&sm, .return_size = sizeof(sm),
		.dcore_id = HL_GAUDI_EN_DCORE,
	};
	struct gt_cb cb[2];
	struct user u;
	uint64_t seq[2];
	uint32_t status;
	int i, q = n % 4;

	if (user_open(&u) || gt_ioctl(u.fd, DRM_IOCTL_HL_INFO, &info))
		return 10;
	board->slot[n].sob = sm.first_available_sync_object;
	board->slot[n].mon = sm.first_available_monitor;
	if (gt_cb_create(u.fd, 4096, &cb[0]) || gt_cb_create(u.fd, 4096, &cb[1]))
		return 11;
	meet(USERS);
	for (i = 1; i <= ROUNDS; i++) {
		cb[0].len = gt_pkt_monitor(cb[0].map,
					   sm.first_available_monitor,
					   sm.first_available_sync_object, i,
					   DMA_FENCE2(0, q));
		cb[0].len += gt_pkt_fence((char *)cb[0].map + cb[0].len, 2, 1,
					  1);
		cb[1].len = gt_pkt_msg_long(cb[1].map,
					    SOB_E_N(sm.first_available_sync_object),
					    (1u << 31) | 1, EB | MB);
		if (gt_submit(u.fd, q, &cb[0], &seq[0]))
			return 12;
		usleep(1000 * n);
		if (gt_submit(u.fd, 4 + q, &cb[1], &seq[1]))
			return 13;
		if (gt_wait(u.fd, seq[0], 60 * SECOND, &status) ||
		    gt_wait(u.fd, seq[1], 60 * SECOND, &status))
			return 14;
	}
	return 0;
}

TEST_F_TIMEOUT(share, waits_for_later_work_end, 300)
{
	int i, k;

	EXPECT_EQ(0, in_children(USERS, wait_for_later));
	for (i = 0; i < USERS; i++) {
		for (k = 0; k < i; k++) {
			EXPECT_NE(board->slot[i].sob, board->slot[k].sob);
			EXPECT_NE(board->slot[i].mon, board->slot[k].mon);
		}
	}
}

/* The driver's own signals, of several processes at a time. */
static int signal_and_wait(int n)
{
	union hl_cs_args args;
	uint64_t signals, waits;
	struct hl_cs_chunk chunk;
	uint32_t status;
	struct user u;
	int i;

	if (user_open(&u))
		return 10;
	meet(USERS);
	for (i = 0; i < ROUNDS; i++) {
		chunk = (struct hl_cs_chunk){ .queue_index = i % 4 };
		args = (union hl_cs_args){ .in = {
			.chunks_execute = (uintptr_t)&chunk,
			.num_chunks_execute = 1,
			.cs_flags = HL_CS_FLAGS_SIGNAL } };
		if (gt_ioctl(u.fd, DRM_IOCTL_HL_CS, &args))
			return 11;
		signals = args.out.seq;
		chunk = (struct hl_cs_chunk){ .queue_index = 4 + i % 4,
			.num_signal_seq_arr = 1,
			.signal_seq_arr = (uintptr_t)&signals };
		args = (union hl_cs_args){ .in = {
			.chunks_execute = (uintptr_t)&chunk,
			.num_chunks_execute = 1,
			.cs_flags = HL_CS_FLAGS_WAIT } };
		if (gt_ioctl(u.fd, DRM_IOCTL_HL_CS, &args))
			return 12;
		waits = args.out.seq;
		if (gt_wait(u.fd, signals, 60 * SECOND, &status))
			return 13;
		if (waits != UINT64_MAX &&
		    gt_wait(u.fd, waits, 60 * SECOND, &status))
			return 14;
	}
	return 0;
}

TEST_F_TIMEOUT(share, signals_of_each_process, 300)
{
	EXPECT_EQ(0, in_children(USERS, signal_and_wait));
}

static int account(int n)
{
	struct hl_info_dram_usage usage;
	struct hl_info_hw_ip_info hw;
	uint64_t addr;
	int fd = gt_open();

	if (fd < 0 || hbm_alloc(fd, (n + 1) << 20, &addr) < 0 ||
	    gt_info(fd, HL_INFO_HW_IP_INFO, &hw, sizeof(hw)))
		return 10;
	board->slot[n].hbm = addr;
	board->slot[n].sram = hw.sram_base_address;
	/* The slots are next to each other; the first has a gap in front. */
	if (hw.sram_size > (20 << 20) / 16 || hw.sram_size < 1 << 20)
		return 11;
	meet(MAX_USERS);
	if (gt_info(fd, HL_INFO_DRAM_USAGE, &usage, sizeof(usage)))
		return 12;
	if (usage.ctx_dram_mem != (uint64_t)(n + 1) << 20)
		return 13;
	/* 1 + 2 + ... + 16 MiB */
	if (hw.dram_size - usage.dram_free_mem != 136ull << 20)
		return 14;
	if (gt_open_once() != -EBUSY)
		return 15;
	board->go++;
	while (board->go < MAX_USERS)
		usleep(1000);
	close(fd);
	return 0;
}

TEST_F_TIMEOUT(share, sixteen_and_what_each_has, 300)
{
	struct hl_open_stats_info stats;
	int i, k, fd;

	EXPECT_EQ(0, in_children(MAX_USERS, account));
	for (i = 0; i < MAX_USERS; i++) {
		for (k = 0; k < i; k++) {
			EXPECT_NE(board->slot[i].hbm, board->slot[k].hbm);
			EXPECT_NE(board->slot[i].sram, board->slot[k].sram);
		}
	}
	fd = gt_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, gt_info(fd, HL_INFO_OPEN_STATS, &stats, sizeof(stats)));
	EXPECT_GE(stats.open_counter, MAX_USERS);
	EXPECT_EQ(1, stats.is_compute_ctx_active);
	close(fd);
}

static int of_another_user(int n)
{
	if (setuid(65534))
		return 10;
	return gt_open_once() == -EBUSY ? 0 : 11;
}

TEST_F_TIMEOUT(share, another_user_stays_out, 300)
{
	int fd;

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, chmod("/dev/accel/accel0", 0666));
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, in_children(1, of_another_user));
	close(fd);
}

/* HBM of another process cannot be named: not freed, mapped or exported. */
static int steal(int n)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_EXPORT_DMABUF_FD } };
	int fd = gt_open();

	if (fd < 0)
		return 10;
	args.in.export_dmabuf_fd.addr = board->slot[0].hbm;
	args.in.export_dmabuf_fd.mem_size = 1 << 20;
	if (mem(fd, &args) != -EINVAL)
		return 11;
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_FREE,
					    .free.handle = board->slot[0].sob } };
	if (mem(fd, &args) != -EINVAL)
		return 12;
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_MAP,
					    .map_device.handle =
						board->slot[0].sob } };
	return mem(fd, &args) == -EINVAL ? 0 : 13;
}

TEST_F_TIMEOUT(share, hbm_of_others_has_no_name, 300)
{
	int fd = gt_open();
	int64_t handle;

	ASSERT_GE(fd, 0);
	handle = hbm_alloc(fd, 1 << 20, &board->slot[0].hbm);
	ASSERT_GT(handle, 0);
	board->slot[0].sob = handle;
	EXPECT_EQ(0, in_children(1, steal));
	close(fd);
}

/* What one has given back is there for another, at once and all of it. */
TEST_F_TIMEOUT(share, freed_hbm_is_for_all, 300)
{
	union hl_mem_args args = { .in = {
		.op = HL_MEM_OP_ALLOC, .alloc.mem_size = HBM_USER_SIZE } };
	struct hl_info_dram_usage usage;
	int a = gt_open(), b = gt_open();
	uint64_t addr;
	int64_t handle;

	ASSERT_GE(a, 0);
	ASSERT_GE(b, 0);
	handle = mem(a, &args);
	ASSERT_GT(handle, 0);
	EXPECT_EQ(-ENOMEM, hbm_alloc(b, 1, &addr));
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_FREE,
					    .free.handle = handle } };
	EXPECT_GE(mem(a, &args), 0);
	EXPECT_EQ(0, gt_info(a, HL_INFO_DRAM_USAGE, &usage, sizeof(usage)));
	EXPECT_EQ(0, usage.ctx_dram_mem);
	EXPECT_EQ(HBM_USER_SIZE, usage.dram_free_mem);

	EXPECT_GT(hbm_alloc(b, HBM_USER_SIZE, &addr), 0);
	EXPECT_EQ(-ENOMEM, hbm_alloc(a, HBM_USER_SIZE, &addr));
	EXPECT_EQ(-ENOMEM, hbm_alloc(a, 1, &addr));
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_MAP,
					    .map_device.handle = handle } };
	EXPECT_EQ(-EINVAL, mem(a, &args));
	close(b);
	close(a);
}

/* Work until the reset; then: the event, and EIO or EBUSY. */
static int see_reset(int n)
{
	struct pollfd p = { .fd = eventfd(0, 0), .events = POLLIN };
	struct hl_info_args info = { .op = HL_INFO_REGISTER_EVENTFD,
				     .eventfd = p.fd };
	struct user u;
	int i, ret = 0;

	signal(SIGTERM, SIG_DFL);
	if (user_open(&u) || gt_ioctl(u.fd, DRM_IOCTL_HL_INFO, &info))
		return 10;
	board->ready++;
	for (i = 0; !ret; i++)
		ret = user_copy(&u, i, n + i + 1);
	if (ret > 0)
		return 11;
	if (ret != -EIO && ret != -EBUSY && ret != -ENODEV && ret != -EPERM)
		return 12;
	if (poll(&p, 1, 20000) != 1)
		return 13;
	if (!(events(u.fd) & HL_NOTIFIER_EVENT_DEVICE_RESET))
		return 14;
	return 0;
}

TEST_F_TIMEOUT(share, a_reset_is_told_to_all, 300)
{
	pid_t pid[USERS];
	int i, status, fd;

	for (i = 0; i < USERS; i++)
		pid[i] = start(i, see_reset);
	while (board->ready < USERS)
		usleep(1000);
	ASSERT_EQ(0, gt_sysfs_write("hard_reset", "1"));
	for (i = 0; i < USERS; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		/* Who has not closed after a second is killed. */
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
			EXPECT_EQ(0, status);
	}
	ASSERT_EQ(0, gt_wait_operational(120));
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(self->resets + 1, gt_resets(fd));
	close(fd);
	board->ready = 0;
	EXPECT_EQ(0, in_children(USERS, copy_rounds));
}

/* Holds the card, and again when others waited and its work was taken away. */
static int hold(int n)
{
	struct user u;
	uint32_t status;
	uint64_t seq;

	if (user_open(&u))
		return 10;
	for (;;) {
		u.cb.len = gt_pkt_fence(u.cb.map, 1, 1, 1);
		if (gt_submit(u.fd, 0, &u.cb, &seq))
			return 11;
		board->ready = 1;
		if (gt_wait(u.fd, seq, 600 * SECOND, &status) != -ETIMEDOUT)
			return 12;
		board->ready = 0;
	}
}

/* Opens, submits, and closes; how the submission ended, 1: it ran. */
static int leave_work(void)
{
	struct hl_cs_chunk chunk = { .queue_index = 3 };
	struct drm_gaudi_cs cs = { .chunks = (uintptr_t)&chunk,
				   .num_chunks = 1,
				   .flags = GAUDI_CS_OUT_FENCE_FD };
	struct sync_file_info info = {};
	struct pollfd p = { .events = POLLIN };
	struct gt_cb cb;
	int fd = gt_open();

	if (fd < 0 || gt_cb_create(fd, 4096, &cb))
		return -1000;
	chunk.cb_handle = cb.handle;
	chunk.cb_size = gt_pkt_nop(cb.map, 0);
	if (gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &cs))
		return -1001;
	munmap(cb.map, cb.size);
	close(fd);
	p.fd = cs.out_fence_fd;
	if (poll(&p, 1, 120000) != 1 || ioctl(p.fd, SYNC_IOC_FILE_INFO, &info))
		return -1002;
	close(p.fd);
	return info.status;
}

/* What waits for its turn goes with the file, and harms not who has the turn. */
TEST_F_TIMEOUT(share, what_waits_goes_with_its_file, 300)
{
	int i, fd, ret = 1, status, pid = start(0, hold);

	/* The holder may lose the card just then: it runs, and proves nothing. */
	for (i = 0; i < 30 && ret == 1; i++) {
		while (!board->ready)
			usleep(1000);
		ret = leave_work();
	}
	EXPECT_EQ(-EIO, ret);
	/* Its own work is what it was. */
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	board->ready = 0;
	EXPECT_EQ(0, in_children(USERS, copy_rounds));
	fd = gt_open();
	ASSERT_GE(fd, 0);
	EXPECT_EQ(self->resets, gt_resets(fd));
	close(fd);
}

TEST_HARNESS_MAIN
