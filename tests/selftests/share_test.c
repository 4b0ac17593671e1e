// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: in shared mode eight processes work side by side, each with its own
 * host memory, HBM, sync objects and SRAM; one that dies, faults or does not
 * get any further does not harm the others; time slices are fair; all are
 * notified of a reset.
 *
 * Needs the module's shared=1 (and shared_hold=2), else it skips; for other
 * drivers too.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/share.h"

#define ROUNDS		12

static int copy_rounds(int n)
{
	struct user u;
	int i;

	MUST(!user_open(&u));
	board->slot[n].hbm = u.hbm;
	meet(USERS);
	for (i = 0; i < ROUNDS; i++)
		MUST(!user_copy(&u, n + i, 1000 * n + i + 1));
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

/* Two processes have different pages at one address, 1 has one more. */
static int same_address(int n)
{
	struct hl_page_fault_info pf = {};
	struct user u;
	uint64_t more, seq, events = 0;
	uint32_t status;
	void *p;
	int i, ret;

	MUST(!user_open(&u));
	board->slot[n].done = u.src_va;
	if (n == 1) {
		p = gt_alloc(LEN);
		memset(p, 0x5a, LEN);
		MUST(!gt_map_host(u.fd, p, LEN, &more));
		board->slot[2].done = more;
	}
	meet(2);
	MUST(board->slot[0].done == board->slot[1].done);
	for (i = 0; i < 8; i++)
		MUST(!user_copy(&u, i, 77 * n + i + 1));
	if (n == 0) {
		/* What 1 has there is no memory of 0's. */
		u.cb.len = gt_pkt_lin_dma(u.cb.map, board->slot[2].done,
					  u.hbm, LEN, EB | MB);
		MUST(!gt_submit(u.fd, 0, &u.cb, &seq));
		ret = gt_wait(u.fd, seq, 60 * SECOND, &status);
		MUST(ret == -EIO);
		/* The event comes by another way than the end, and is told last. */
		while (!(events & HL_NOTIFIER_EVENT_PAGE_FAULT)) {
			usleep(20000);
			events |= gt_events(u.fd);
		}
		MUST(!gt_info(u.fd, HL_INFO_PAGE_FAULT_EVENT, &pf, sizeof(pf)));
		MUST(pf.addr >= board->slot[2].done);
		MUST(pf.addr < board->slot[2].done + LEN);
		board->go = 1;
	}
	/* Both work on, before, while and after. */
	for (i = 0; i < 8 || !board->go; i++)
		MUST(!user_copy(&u, i, 99 * n + i + 1));
	MUST(n != 1 || !gt_events(u.fd));
	gt_info(u.fd, HL_INFO_PAGE_FAULT_EVENT, &pf, sizeof(pf));
	return n == 1 && pf.timestamp ? 20 : 0;
}

TEST_F_TIMEOUT(share, host_memory_is_ones_own, 300)
{
	EXPECT_EQ(0, in_children(2, same_address));
	EXPECT_EQ(self->resets, gt_resets_now());
}

static int copy_until_stop(int n)
{
	struct user u;

	MUST(!user_open(&u));
	board->ready++;
	while (!board->stop) {
		MUST(!user_copy(&u, n + board->slot[n].done,
				1000 * n + board->slot[n].done + 1));
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

	MUST(!user_open(&u));
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
	int i, status;

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
	/* Else the test's own time limit ends it. */
	for (i = 0; i < USERS - 1; i++)
		while (!board->slot[i].done && !waitpid(pid[i], &status, WNOHANG))
			usleep(1000);
	board->stop = 1;
	for (i = 0; i < USERS - 1; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(self->resets, gt_resets_now());
}

/* A fence that nobody serves: the work is taken away, the process lives on. */
static int stuck(int n)
{
	struct user u;
	uint64_t seq, next;
	uint32_t status;
	int i, ret;

	MUST(!user_open(&u));
	for (i = 0; i < 2; i++) {
		u.cb.len = gt_pkt_fence(u.cb.map, 1, 1, 1);
		MUST(!gt_submit(u.fd, 3 * i, &u.cb, &seq));
		ret = gt_wait(u.fd, seq, 120 * SECOND, &status);
		MUST(ret == -ETIMEDOUT);
	}
	u.cb.len = gt_pkt_fence(u.cb.map, 1, 1, 1);
	MUST(!gt_submit(u.fd, 0, &u.cb, &seq));
	u.cb.len = gt_pkt_nop(u.cb.map, 0);
	MUST(!gt_submit(u.fd, 4, &u.cb, &next));
	MUST(gt_wait(u.fd, seq, 120 * SECOND, &status) == -ETIMEDOUT);
	gt_wait(u.fd, next, 120 * SECOND, &status);
	for (i = 0; i < 8; i++)
		MUST(!user_copy(&u, i, i + 5));
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

	MUST(!user_open(&u));
	u.cb.len = gt_pkt_fence(u.cb.map, 1, 1, 1);
	chunk.cb_handle = u.cb.handle;
	chunk.cb_size = u.cb.len;
	chunk.queue_index = 4;
	args.in.chunks_execute = (uintptr_t)&chunk;
	args.in.num_chunks_execute = 1;
	args.in.cs_flags = HL_CS_FLAGS_CUSTOM_TIMEOUT;
	args.in.timeout = 1;
	MUST(!gt_ioctl(u.fd, DRM_IOCTL_HL_CS, &args));
	seq = args.out.seq;
	MUST(gt_wait(u.fd, seq, 120 * SECOND, &status) == -ETIMEDOUT);
	MUST(gt_events(u.fd) & HL_NOTIFIER_EVENT_CS_TIMEOUT);
	gt_info(u.fd, HL_INFO_CS_TIMEOUT_EVENT, &ev, sizeof(ev));
	MUST(ev.seq == seq);
	return user_copy(&u, 2, 9) ? 15 : 0;
}

static void others_go_on(struct __test_metadata *_metadata, uint64_t before,
			 int (*fn)(int))
{
	pid_t pid[3];
	int i, status;

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
	EXPECT_EQ(before, gt_resets_now());
}

TEST_F_TIMEOUT(share, who_holds_the_card_loses_it, 300)
{
	others_go_on(_metadata, self->resets, stuck);
}

TEST_F_TIMEOUT(share, a_timeout_is_ones_own, 300)
{
	others_go_on(_metadata, self->resets, stuck_with_timeout);
}

/* As much as it gets; 0 has sixteen times as much in flight as the others. */
static int greedy(int n)
{
	uint64_t seq[512], end, i = 0;
	uint32_t status, depth = n ? 32 : 512;
	struct user u;

	MUST(!user_open(&u));
	u.cb.len = gt_pkt_memset(u.cb.map, n, u.hbm, 4096, EB);
	meet(USERS);
	end = gt_now_ms() + 6000;
	while (gt_now_ms() < end) {
		MUST(!gt_submit(u.fd, n, &u.cb, &seq[i % depth]));
		if (++i < depth)
			continue;
		MUST(!gt_wait(u.fd, seq[i % depth], 60 * SECOND, &status));
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
	/* A slice is 64 submissions at most, of the others 32. */
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

	MUST(!user_open(&u));
	MUST(!gt_ioctl(u.fd, DRM_IOCTL_HL_INFO, &info));
	board->slot[n].sob = sm.first_available_sync_object;
	board->slot[n].mon = sm.first_available_monitor;
	MUST(!gt_cb_create(u.fd, 4096, &cb[0]));
	MUST(!gt_cb_create(u.fd, 4096, &cb[1]));
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
		MUST(!gt_submit(u.fd, q, &cb[0], &seq[0]));
		usleep(1000 * n);
		MUST(!gt_submit(u.fd, 4 + q, &cb[1], &seq[1]));
		MUST(!gt_wait(u.fd, seq[0], 60 * SECOND, &status));
		MUST(!gt_wait(u.fd, seq[1], 60 * SECOND, &status));
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

	MUST(!user_open(&u));
	meet(USERS);
	for (i = 0; i < ROUNDS; i++) {
		chunk = (struct hl_cs_chunk){ .queue_index = i % 4 };
		args = (union hl_cs_args){ .in = {
			.chunks_execute = (uintptr_t)&chunk,
			.num_chunks_execute = 1,
			.cs_flags = HL_CS_FLAGS_SIGNAL } };
		MUST(!gt_ioctl(u.fd, DRM_IOCTL_HL_CS, &args));
		signals = args.out.seq;
		chunk = (struct hl_cs_chunk){ .queue_index = 4 + i % 4,
			.num_signal_seq_arr = 1,
			.signal_seq_arr = (uintptr_t)&signals };
		args = (union hl_cs_args){ .in = {
			.chunks_execute = (uintptr_t)&chunk,
			.num_chunks_execute = 1,
			.cs_flags = HL_CS_FLAGS_WAIT } };
		MUST(!gt_ioctl(u.fd, DRM_IOCTL_HL_CS, &args));
		waits = args.out.seq;
		MUST(!gt_wait(u.fd, signals, 60 * SECOND, &status));
		MUST(waits == UINT64_MAX ||
		     !gt_wait(u.fd, waits, 60 * SECOND, &status));
	}
	return 0;
}

TEST_F_TIMEOUT(share, signals_of_each_process, 300)
{
	EXPECT_EQ(0, in_children(USERS, signal_and_wait));
}

/* One short submission after the other, and a wait now and then. */
static int flood(int n)
{
	uint32_t status;
	uint64_t seq;
	struct user u;
	int i, ret;

	MUST(!user_open(&u));
	u.cb.len = gt_pkt_nop(u.cb.map, 0);
	for (i = 0; !board->stop; i++) {
		do
			ret = gt_submit(u.fd, 4, &u.cb, &seq);
		while (ret == -EAGAIN);
		MUST(!ret);
		board->ready = 1;
		MUST(i % 500 || !gt_wait(u.fd, seq, 60 * SECOND, &status));
	}
	return 0;
}

/* A process that polls memory, and is not seen to wait, gets its slice too. */
TEST_F_TIMEOUT(share, looks_at_memory_only, 300)
{
	int status, pid = start(0, flood);
	volatile uint64_t *word;
	uint64_t seq, value;
	struct user u;

	ASSERT_EQ(0, user_open(&u));
	while (!board->ready)
		usleep(1000);
	word = (uint64_t *)u.dst;
	for (value = 1; value <= 100; value++) {
		u.cb.len = gt_pkt_memset(u.cb.map, value, u.dst_va, 8, 0);
		ASSERT_EQ(0, gt_submit(u.fd, 0, &u.cb, &seq));
		/* Else the test's own time limit ends it. */
		while (*word != value)
			sched_yield();
	}
	board->stop = 1;
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(u.fd);
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
	MUST(!user_open(&u));
	MUST(!gt_ioctl(u.fd, DRM_IOCTL_HL_INFO, &info));
	board->ready++;
	for (i = 0; !ret; i++)
		ret = user_copy(&u, i, n + i + 1);
	MUST(ret == -EIO || ret == -EBUSY || ret == -ENODEV || ret == -EPERM);
	MUST(poll(&p, 1, 20000) == 1);
	MUST(gt_events(u.fd) & HL_NOTIFIER_EVENT_DEVICE_RESET);
	return 0;
}

TEST_F_TIMEOUT(share, a_reset_is_told_to_all, 300)
{
	pid_t pid[USERS];
	int i, status;

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
	EXPECT_EQ(self->resets + 1, gt_resets_now());
	board->ready = 0;
	EXPECT_EQ(0, in_children(USERS, copy_rounds));
}

/* Holds the card, and again when others waited and its work was taken away. */
static int hold(int n)
{
	struct user u;
	uint32_t status;
	uint64_t seq;

	MUST(!user_open(&u));
	for (;;) {
		u.cb.len = gt_pkt_fence(u.cb.map, 1, 1, 1);
		MUST(!gt_submit(u.fd, 0, &u.cb, &seq));
		board->ready = 1;
		MUST(gt_wait(u.fd, seq, 600 * SECOND, &status) == -ETIMEDOUT);
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
	struct gt_cb cb;
	int fd = gt_open(), status;

	if (fd < 0 || gt_cb_create(fd, 4096, &cb))
		return -1000;
	chunk.cb_handle = cb.handle;
	chunk.cb_size = gt_pkt_nop(cb.map, 0);
	if (gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &cs))
		return -1001;
	munmap(cb.map, cb.size);
	close(fd);
	status = gt_sync_file(cs.out_fence_fd, 120000);
	close(cs.out_fence_fd);
	return status ?: -1002;
}

/* What is pending goes with the file, and does no harm to the slice's owner. */
TEST_F_TIMEOUT(share, what_waits_goes_with_its_file, 300)
{
	int i, ret = 1, status, pid = start(0, hold);

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
	EXPECT_EQ(self->resets, gt_resets_now());
}

TEST_HARNESS_MAIN
