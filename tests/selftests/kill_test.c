// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: a process that dies at any point leaves a card that works. The
 * child maps, allocates, submits (also work that never ends) and is killed
 * after a random time; the next user must find the card operational.
 */
#include <signal.h>
#include <sys/wait.h>

#include "lib/fixture.h"

static void work_until_killed(unsigned int kind)
{
	struct gt_cb cb;
	uint64_t va, seq;
	int fd = gt_open(), i;
	char *p;

	if (fd < 0)
		_exit(1);
	for (i = 0;; i++) {
		p = gt_alloc(1 << 20);
		if (!p || gt_map_host(fd, p, 1 << 20, &va) ||
		    gt_cb_create(fd, 4096, &cb))
			_exit(2);
		cb.len = gt_pkt_lin_dma(cb.map, va, 0x20000000, 1 << 20, EB);
		if (kind == 1 && i == 3)
			cb.len += gt_pkt_fence((char *)cb.map + cb.len, 1, 1,
					       1);
		if (gt_submit(fd, i % 8, &cb, &seq))
			_exit(3);
		if (kind == 2)
			continue;
		gt_cb_destroy(fd, &cb);
		gt_unmap(fd, va);
		munmap(p, 1 << 20);
		if (kind == 1 && i == 4)
			pause();
	}
}

static int killed_child(unsigned int kind, unsigned int after_us)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		work_until_killed(kind);
	usleep(after_us);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 0 : -ECHILD;
}

static int card_works(void)
{
	struct gt_cb cb;
	int fd = gt_open(), ret;

	if (fd < 0)
		return fd;
	ret = gt_cb_create(fd, 4096, &cb);
	if (!ret) {
		cb.len = gt_pkt_nop(cb.map, 0);
		ret = gt_run(fd, GAUDI_QUEUE_ID_DMA_0_0, &cb);
		gt_cb_destroy(fd, &cb);
	}
	close(fd);
	return ret;
}

FIXTURE(kill) { };

FIXTURE_SETUP(kill)
{
	if (access("/dev/accel/accel0", F_OK))
		SKIP(return, "no Gaudi card");
}

FIXTURE_TEARDOWN(kill) { }

TEST_F_TIMEOUT(kill, while_busy, 120)
{
	unsigned int x = 12345, i;

	for (i = 0; i < 8; i++) {
		x = x * 1103515245 + 12345;
		ASSERT_EQ(0, killed_child(0, 1000 + (x >> 8) % 300000));
		ASSERT_EQ(0, card_works())
			TH_LOG("after round %u", i);
	}
}

TEST_F_TIMEOUT(kill, with_work_that_never_ends, 120)
{
	ASSERT_EQ(0, killed_child(1, 800000));
	ASSERT_EQ(0, card_works());
	ASSERT_EQ(0, gt_wait_operational(60));
}

TEST_F_TIMEOUT(kill, with_leaks, 60)
{
	ASSERT_EQ(0, killed_child(2, 200000));
	ASSERT_EQ(0, card_works());
}

TEST_HARNESS_MAIN
