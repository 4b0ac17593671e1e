// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: a user is told when his work goes wrong, reads afterwards what it
 * was, and gets the time for that before the card is reset.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "lib/fixture.h"

#define STUCK_SECONDS	1

GAUDI_FIXTURE(event)

static int set_eventfd(int fd, uint32_t op, int efd)
{
	struct hl_info_args args = { .op = op, .eventfd = efd };

	return gt_ioctl(fd, DRM_IOCTL_HL_INFO, &args);
}

/* A CS that waits for a fence that nobody sends, with a timeout of its own. */
static int submit_stuck(int fd, struct gt_cb *cb, uint32_t flags, uint64_t *seq)
{
	struct hl_cs_chunk chunk = { .cb_handle = cb->handle };
	union hl_cs_args args = { .in = {
		.chunks_execute = (uintptr_t)&chunk,
		.num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_CUSTOM_TIMEOUT | flags,
		.timeout = STUCK_SECONDS,
	} };
	int ret;

	chunk.cb_size = gt_pkt_fence(cb->map, 2, 1, 1);
	ret = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
	*seq = args.out.seq;
	return ret;
}

/* Notifications until there is one; 10 s at most. */
static uint64_t await_events(int fd)
{
	uint64_t mask = 0;
	int i;

	for (i = 0; i < 1000 && !mask; i++) {
		usleep(i ? 10000 : 0);
		mask = gt_events(fd);
	}
	return mask;
}

TEST_F(event, eventfd_is_registered_once)
{
	int efd = eventfd(0, EFD_NONBLOCK);

	ASSERT_GE(efd, 0);
	EXPECT_EQ(-EINVAL, set_eventfd(self->fd, HL_INFO_UNREGISTER_EVENTFD, 0));
	EXPECT_EQ(-EBADF, set_eventfd(self->fd, HL_INFO_REGISTER_EVENTFD, 9999));
	EXPECT_EQ(0, set_eventfd(self->fd, HL_INFO_REGISTER_EVENTFD, efd));
	EXPECT_EQ(-EINVAL, set_eventfd(self->fd, HL_INFO_REGISTER_EVENTFD, efd));
	EXPECT_EQ(0, set_eventfd(self->fd, HL_INFO_UNREGISTER_EVENTFD, 0));
	close(efd);
}

TEST_F(event, user_with_an_eventfd_sees_the_timeout)
{
	struct hl_info_cs_timeout_event timeout = { 0 };
	uint32_t status, resets = gt_resets(self->fd);
	uint64_t seq, mask = 0, count = 0;
	int efd = eventfd(0, EFD_NONBLOCK);

	ASSERT_EQ(0, set_eventfd(self->fd, HL_INFO_REGISTER_EVENTFD, efd));
	ASSERT_EQ(0, submit_stuck(self->fd, &self->cb, 0, &seq));
	EXPECT_EQ(-EIO, gt_wait(self->fd, seq, 20000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_ABORTED, status);

	EXPECT_EQ(0, gt_info(self->fd, HL_INFO_GET_EVENTS, &mask, sizeof(mask)));
	EXPECT_EQ(HL_NOTIFIER_EVENT_CS_TIMEOUT | HL_NOTIFIER_EVENT_DEVICE_RESET,
		  mask);
	EXPECT_EQ(8, read(efd, &count, sizeof(count)));
	EXPECT_EQ(0, gt_info(self->fd, HL_INFO_CS_TIMEOUT_EVENT, &timeout,
			     sizeof(timeout)));
	EXPECT_EQ(seq, timeout.seq);

	/* The card still answers, but there is nothing to wait for. */
	EXPECT_EQ(-EBUSY, gt_wait(self->fd, seq, 0, &status));
	EXPECT_EQ(resets, gt_resets(self->fd));

	/* The reset follows the close. */
	gt_cb_destroy(self->fd, &self->cb);
	close(self->fd);
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(resets + 1, gt_resets(self->fd));
	ASSERT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));
	close(efd);
}

static int set_patience(const char *seconds)
{
	return gt_debugfs_write("device_release_watchdog_timeout", seconds);
}

/* The time to read what happened ends, for who does not close. */
TEST_F_TIMEOUT(event, user_who_stays_is_killed, 120)
{
	uint32_t resets = gt_resets(self->fd);
	int status = 0;
	uint64_t seq;
	pid_t pid;

	gt_cb_destroy(self->fd, &self->cb);
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, set_patience("1"));
	pid = fork();
	if (!pid) {
		int fd = gt_open();
		struct gt_cb cb;

		if (fd < 0 || gt_cb_create(fd, 4096, &cb) ||
		    set_eventfd(fd, HL_INFO_REGISTER_EVENTFD,
				eventfd(0, EFD_NONBLOCK)) ||
		    submit_stuck(fd, &cb, 0, &seq))
			_exit(1);
		for (;;)
			pause();
	}
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	EXPECT_EQ(0, set_patience("30"));
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(resets + 1, gt_resets(self->fd));
	ASSERT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));
}

TEST_F(event, timeout_without_a_reset)
{
	uint32_t status, resets = gt_resets(self->fd);
	struct gt_cb cb;
	uint64_t seq;

	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &cb));
	ASSERT_EQ(0, submit_stuck(self->fd, &self->cb,
				  HL_CS_FLAGS_SKIP_RESET_ON_TIMEOUT, &seq));
	/* A busy machine's driver may come to it later than it is due. */
	EXPECT_EQ(HL_NOTIFIER_EVENT_CS_TIMEOUT, await_events(self->fd));
	EXPECT_EQ(0, gt_wait(self->fd, seq, 0, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);

	/* The fence comes late, from another queue; the CS ends well. */
	cb.len = gt_pkt_msg_long(cb.map, DMA_FENCE2(0, 0), 1, 0);
	EXPECT_EQ(0, gt_run(self->fd, 5, &cb));
	EXPECT_EQ(0, gt_wait(self->fd, seq, 5000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	EXPECT_EQ(resets, gt_resets(self->fd));
	gt_cb_destroy(self->fd, &cb);
}

#define UNMAPPED	0x1000300000000ull
#define MAPPED_SIZE	0x3000

/* Maps memory at *va and submits a copy from where none is; 0 or -errno. */
static int submit_faulty(int fd, struct gt_cb *cb, uint64_t *va, uint64_t *seq)
{
	void *buf = gt_alloc(MAPPED_SIZE);
	int ret = buf ? gt_map_host(fd, buf, MAPPED_SIZE, va) : -ENOMEM;

	if (ret)
		return ret;
	cb->len = gt_pkt_lin_dma(cb->map, UNMAPPED, 0x20000000, 4096, 0);
	return gt_submit(fd, 0, cb, seq);
}

/* What was mapped at the fault: *num, of which max fit into maps. */
static int captured_maps(int fd, struct hl_user_mapping *maps, uint32_t max,
			 uint32_t *num)
{
	struct hl_info_args args = {
		.op = HL_INFO_USER_MAPPINGS,
		.return_pointer = (uintptr_t)maps,
		.return_size = max * sizeof(*maps),
	};
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_INFO, &args);

	*num = args.array_size;
	return ret;
}

/* The fault that the driver has seen; it comes by an event, not with the job's end. */
static uint64_t await_fault(int fd)
{
	struct hl_page_fault_info fault = { 0 };
	int i;

	for (i = 0; i < 1000 && !fault.addr; i++) {
		usleep(i ? 10000 : 0);
		if (gt_info(fd, HL_INFO_PAGE_FAULT_EVENT, &fault, sizeof(fault)))
			break;
	}
	return fault.addr;
}

TEST_F(event, page_fault_is_captured)
{
	struct hl_user_mapping maps[4] = { 0 };
	uint64_t va, seq;
	uint32_t num;
	int control;

	ASSERT_EQ(0, submit_faulty(self->fd, &self->cb, &va, &seq));
	EXPECT_EQ(UNMAPPED, await_fault(self->fd));
	EXPECT_EQ(0, captured_maps(self->fd, maps, 4, &num));
	EXPECT_EQ(1, num);
	EXPECT_EQ(va, maps[0].dev_va);
	EXPECT_EQ(MAPPED_SIZE, maps[0].size);
	/* How many there are is said to who has no room for them. */
	EXPECT_EQ(-ENOMEM, captured_maps(self->fd, maps, 0, &num));
	EXPECT_EQ(1, num);

	/* Whoever watches the card sees them as well. */
	control = gt_open_control();
	ASSERT_GE(control, 0);
	memset(maps, 0, sizeof(maps));
	EXPECT_EQ(0, captured_maps(control, maps, 4, &num));
	EXPECT_EQ(1, num);
	EXPECT_EQ(va, maps[0].dev_va);
	close(control);
}

/* What went wrong for one user, and where his memory was, is not for the next. */
TEST_F(event, captured_errors_end_with_the_user)
{
	struct hl_page_fault_info fault = { 0 };
	struct hl_user_mapping maps[4] = { 0 };
	uint64_t va, seq;
	uint32_t num;

	ASSERT_EQ(0, submit_faulty(self->fd, &self->cb, &va, &seq));
	ASSERT_NE(0, await_fault(self->fd));

	gt_cb_destroy(self->fd, &self->cb);
	close(self->fd);
	self->fd = gt_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));
	EXPECT_EQ(0, gt_info(self->fd, HL_INFO_PAGE_FAULT_EVENT, &fault,
			     sizeof(fault)));
	EXPECT_EQ(0, fault.addr);
	EXPECT_EQ(0, fault.timestamp);
	EXPECT_EQ(0, captured_maps(self->fd, maps, 4, &num));
	EXPECT_EQ(0, num);
}

#define THROTTLE_STARTS	658	/* FIX_POWER_ENV_S, _E */
#define THROTTLE_ENDS	659
#define CHANGES		32

static uint32_t events_of(int fd, unsigned int id)
{
	uint32_t count[1024] = { 0 };

	return gt_info(fd, HL_INFO_HW_EVENTS, count, sizeof(count)) ?
	       UINT32_MAX : count[id];
}

/* Waits until the count is there; a second event too many shows in the next. */
static uint32_t events_reach(int fd, unsigned int id, uint32_t want)
{
	uint32_t count = 0, i;

	for (i = 0; i < 1000 && (count = events_of(fd, id)) < want; i++)
		usleep(2000);
	return count;
}

/* A driver may count an event before it does what it tells. */
static uint32_t throttled_gets(int fd, uint32_t want)
{
	struct hl_info_clk_throttle why = { 0 };
	uint32_t now = ~want, i;

	for (i = 0; i < 1000 && now != want; i++) {
		usleep(i ? 2000 : 0);
		gt_info(fd, HL_INFO_CLK_THROTTLE_REASON, &why, sizeof(why));
		now = why.clk_throttling_reason & HL_CLK_THROTTLE_POWER;
	}
	return now;
}

/* An idle card needs more than a watt: each limit is told, and each end. */
TEST_F(event, power_limit_begins_and_ends_throttling)
{
	uint32_t starts = events_of(self->fd, THROTTLE_STARTS);
	uint32_t ends = events_of(self->fd, THROTTLE_ENDS);
	char limit[32], now[32];
	unsigned int i;

	ASSERT_NE(UINT32_MAX, starts);
	ASSERT_EQ(0, gt_sysfs_read("max_power", limit, sizeof(limit)));
	for (i = 1; i <= CHANGES; i++) {
		ASSERT_EQ(0, gt_sysfs_write("max_power", "1000"));
		ASSERT_EQ(starts + i, events_reach(self->fd, THROTTLE_STARTS,
						   starts + i));
		EXPECT_EQ(HL_CLK_THROTTLE_POWER,
			  throttled_gets(self->fd, HL_CLK_THROTTLE_POWER));
		ASSERT_EQ(0, gt_sysfs_read("max_power", now, sizeof(now)));
		EXPECT_STREQ("1000", now);
		ASSERT_EQ(0, gt_sysfs_write("max_power", limit));
		ASSERT_EQ(ends + i, events_reach(self->fd, THROTTLE_ENDS,
						 ends + i));
		EXPECT_EQ(0, throttled_gets(self->fd, 0));
	}
	EXPECT_EQ(starts + CHANGES, events_of(self->fd, THROTTLE_STARTS));
}

TEST_HARNESS_MAIN
