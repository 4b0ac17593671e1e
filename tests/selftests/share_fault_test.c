// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: in shared mode, what an error of one process leaves in the engines
 * reaches nobody else: no fence is raised, no stopped queue is left to the next
 * one, signals count on, and nobody keeps the card by a submission without end.
 *
 * Needs the module's shared=1 (and shared_hold=2), else it skips; for other
 * drivers too. Two files of one process are two users of the card.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

#define SECOND		1000000ull
#define LONG		(100 * SECOND)
#define SOB_ADD		(1u << 31)
/* A device virtual address that nobody has mapped. */
#define NOWHERE		0x1000400000000ull
#define GAUDI_EVENTS	1024
#define DMA1_QM		584	/* an event */

struct user {
	int fd;
	struct gt_cb cb[2];
	uint32_t sob, mon;
};

FIXTURE(share_fault)
{
	struct user a, b;
	uint32_t resets;
};

static int user_open(struct user *u)
{
	struct hl_info_sync_manager sm = {};
	struct hl_info_args info = {
		.op = HL_INFO_SYNC_MANAGER,
		.return_pointer = (uintptr_t)&sm, .return_size = sizeof(sm),
		.dcore_id = HL_GAUDI_EN_DCORE,
	};
	int ret;

	u->fd = gt_open();
	if (u->fd < 0)
		return u->fd;
	ret = gt_ioctl(u->fd, DRM_IOCTL_HL_INFO, &info);
	u->sob = sm.first_available_sync_object;
	u->mon = sm.first_available_monitor;
	if (!ret)
		ret = gt_cb_create(u->fd, 4096, &u->cb[0]);
	if (!ret)
		ret = gt_cb_create(u->fd, 4096, &u->cb[1]);
	return ret;
}

static void user_close(struct user *u)
{
	if (u->fd < 0)
		return;
	gt_cb_destroy(u->fd, &u->cb[0]);
	gt_cb_destroy(u->fd, &u->cb[1]);
	close(u->fd);
}

FIXTURE_SETUP(share_fault)
{
	int ret;

	self->a.fd = -1;
	self->b.fd = -1;
	ret = user_open(&self->a);
	if (ret == -ENODEV)
		SKIP(return, "no Gaudi card");
	ASSERT_EQ(0, ret);
	if (!gt_has(self->a.fd, GAUDI_CAP_SHARED))
		SKIP(return, "the card is not shared");
	ASSERT_EQ(0, user_open(&self->b));
	self->resets = gt_resets(self->a.fd);
}

FIXTURE_TEARDOWN(share_fault)
{
	user_close(&self->a);
	user_close(&self->b);
}

/* A fault of Documentation/faults.rst. 0, or -ENODEV: nobody takes it. */
static int inject(const char *fault)
{
	char line[128] = "", path[128];
	int fd, ret = -ENODEV;
	glob_t names;
	size_t i;

	if (glob("/sys/class/virtio-ports/*/name", 0, NULL, &names))
		return ret;
	for (i = 0; i < names.gl_pathc && ret; i++) {
		fd = open(names.gl_pathv[i], O_RDONLY);
		if (fd < 0)
			continue;
		ret = read(fd, line, sizeof(line) - 1) < 0 ||
		      strncmp(line, "gaudi.inject", 12) ? -ENODEV : 0;
		close(fd);
		if (ret)
			continue;
		*strrchr(names.gl_pathv[i], '/') = 0;
		snprintf(path, sizeof(path), "/dev/%s",
			 strrchr(names.gl_pathv[i], '/') + 1);
		fd = open(path, O_RDWR);
		if (fd < 0)
			return -errno;
		dprintf(fd, "inject gaudi0 %s\n", fault);
		memset(line, 0, sizeof(line));
		if (read(fd, line, sizeof(line) - 1) < 2 ||
		    strncmp(line, "ok", 2))
			ret = -EINVAL;
		close(fd);
	}
	globfree(&names);
	return ret;
}

static int nop(struct user *u, uint32_t queue)
{
	u->cb[0].len = gt_pkt_nop(u->cb[0].map, 0);
	return gt_run(u->fd, queue, &u->cb[0]);
}

/*
 * Queue 0 waits for the end of a copy on queue 4, which fails. When the error is
 * cleared, the copy's queue says that it is done, so that nobody else needs to.
 */
TEST_F_TIMEOUT(share_fault, no_fence_stays_raised, 300)
{
	struct hl_cs_chunk chunk[2] = {};
	struct user *a = &self->a, *b = &self->b;
	char *p = a->cb[0].map;
	uint32_t status, i;
	uint64_t seq;

	p += gt_pkt_monitor(p, a->mon, a->sob, 1, DMA_FENCE2(0, 0));
	p += gt_pkt_fence(p, 2, 1, 1);
	chunk[0].cb_handle = a->cb[0].handle;
	chunk[0].cb_size = p - (char *)a->cb[0].map;
	p = a->cb[1].map;
	p += gt_pkt_lin_dma(p, NOWHERE, 0x20000000, 4096, EB | MB);
	/* Until this the error is known, and dealt with. */
	for (i = 0; i < 100; i++)
		p += gt_pkt_nop(p, 0);
	p += gt_pkt_msg_long(p, SOB_E_N(a->sob), SOB_ADD | 1, EB | MB);
	chunk[1].cb_handle = a->cb[1].handle;
	chunk[1].cb_size = p - (char *)a->cb[1].map;
	chunk[1].queue_index = 4;
	ASSERT_EQ(0, gt_submit_chunks(a->fd, chunk, 2, 0, &seq));
	EXPECT_EQ(-EIO, gt_wait(a->fd, seq, LONG, &status));

	/* Another one's fence holds until it is raised. */
	b->cb[0].len = gt_pkt_fence(b->cb[0].map, 2, 1, 1);
	ASSERT_EQ(0, gt_submit(b->fd, 0, &b->cb[0], &seq));
	EXPECT_EQ(0, gt_wait(b->fd, seq, SECOND / 2, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);
	b->cb[1].len = gt_pkt_msg_long(b->cb[1].map, DMA_FENCE2(0, 0), 1, MB);
	ASSERT_EQ(0, gt_run(b->fd, 5, &b->cb[1]));
	EXPECT_EQ(0, gt_wait(b->fd, seq, LONG, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	EXPECT_EQ(self->resets, gt_resets(b->fd));
}

static uint32_t event_count(int fd, unsigned int id)
{
	uint32_t count[GAUDI_EVENTS] = {};

	return gt_info(fd, HL_INFO_HW_EVENTS, count, sizeof(count)) ?
	       0 : count[id];
}

/* Until the driver has seen it: who is at an event may not see a second one. */
static int inject_event(int fd, const char *fault, unsigned int id)
{
	uint32_t before = event_count(fd, id);
	int ret = 0, i;

	for (i = 0; !ret && event_count(fd, id) == before; i++) {
		if (i % 20 == 0)
			ret = inject(fault);
		usleep(50000);
	}
	return ret;
}

/* A queue that stopped while it was nobody's works for the next one. */
TEST_F_TIMEOUT(share_fault, nobodys_error_is_nobodys, 300)
{
	/* With the third event, the second one has been dealt with. */
	const char *const faults[] = {
		"qman-error,queue=dma1,stream=1,error=cp-undef-cmd",
		"qman-error,queue=dma1,stream=2,error=pqf-rd",
		"qman-error,queue=dma1,stream=3,error=cp-stop-op",
	};
	struct user *a = &self->a, *b = &self->b;
	uint32_t status;
	uint64_t seq;
	int ret, i;

	/* b owns the time slice, with queue 0, until this fence is raised. */
	b->cb[0].len = gt_pkt_fence(b->cb[0].map, 2, 1, 1);
	ASSERT_EQ(0, gt_submit(b->fd, 0, &b->cb[0], &seq));
	for (i = 0; i < 3; i++) {
		ret = inject_event(b->fd, faults[i], DMA1_QM);
		if (ret == -ENODEV)
			SKIP(break, "nobody to inject faults");
		ASSERT_EQ(0, ret);
	}
	b->cb[1].len = gt_pkt_msg_long(b->cb[1].map, DMA_FENCE2(0, 0), 1, MB);
	ASSERT_EQ(0, gt_run(b->fd, 1, &b->cb[1]));
	EXPECT_EQ(0, gt_wait(b->fd, seq, LONG, &status));
	EXPECT_EQ(0, gt_events(b->fd));

	EXPECT_EQ(0, nop(a, 4 + 1));
	EXPECT_EQ(0, nop(a, 4 + 2));
	EXPECT_EQ(0, gt_events(a->fd));
	EXPECT_EQ(0, nop(b, 4 + 1));
	EXPECT_EQ(self->resets, gt_resets(a->fd));
}

/*
 * Signals of queue 0 behind a pause, a wait for the last of them on queue 4, of
 * at most so many seconds.
 */
static int signal_and_wait(struct user *u, int signals, uint32_t seconds)
{
	struct hl_cs_chunk s = {}, w = { .queue_index = 4 };
	union hl_cs_args args = { .in = {
		.chunks_execute = (uintptr_t)&w,
		.num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_WAIT | HL_CS_FLAGS_CUSTOM_TIMEOUT,
		.timeout = seconds,
	} };
	uint64_t seq = 0, pause;
	uint32_t status;
	int i, ret;

	u->cb[0].len = gt_pkt_fence(u->cb[0].map, 1, 1, 1);
	ret = gt_submit(u->fd, 0, &u->cb[0], &pause);
	for (i = 0; !ret && i < signals; i++)
		ret = gt_submit_chunks(u->fd, &s, 1, HL_CS_FLAGS_SIGNAL, &seq);
	w.num_signal_seq_arr = 1;
	w.signal_seq_arr = (uintptr_t)&seq;
	if (!ret)
		ret = gt_ioctl(u->fd, DRM_IOCTL_HL_CS, &args);
	if (ret)
		return ret;
	u->cb[1].len = gt_pkt_msg_long(u->cb[1].map,
				       DMA_FENCE2(0, 0) - 0x14, 1, MB);
	ret = gt_run(u->fd, 5, &u->cb[1]);
	return ret ? ret : gt_wait(u->fd, args.out.seq, LONG, &status);
}

/* The increment of a signal is lost: those after it are counted right. */
TEST_F_TIMEOUT(share_fault, signals_count_on, 300)
{
	int ret, i;

	EXPECT_EQ(0, signal_and_wait(&self->a, 3, 100));
	/* Sync objects of W_S: those of signals. */
	ret = inject("message-lost,queue=dma0,addr=0x7ffc492000,size=0x2000");
	if (ret == -ENODEV)
		SKIP(return, "nobody to inject faults");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(-ETIMEDOUT, signal_and_wait(&self->a, 1, 1));
	for (i = 1; i < 4; i++)
		EXPECT_EQ(0, signal_and_wait(&self->a, i, 100));
	EXPECT_EQ(self->resets, gt_resets(self->a.fd));
}

/* A staged submission that is never closed, and other work beside it. */
TEST_F_TIMEOUT(share_fault, an_open_end_keeps_nobody_out, 300)
{
	struct user *a = &self->a, *b = &self->b;
	struct hl_cs_chunk chunk = {};
	union hl_cs_args args = { .in = {
		.chunks_execute = (uintptr_t)&chunk,
		.num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_STAGED_SUBMISSION |
			    HL_CS_FLAGS_STAGED_SUBMISSION_FIRST |
			    HL_CS_FLAGS_CUSTOM_TIMEOUT,
		.timeout = 1000,
	} };
	uint32_t status = HL_WAIT_CS_STATUS_BUSY, unused;
	uint64_t seq, other, i;

	a->cb[0].len = gt_pkt_nop(a->cb[0].map, 0);
	chunk.cb_handle = a->cb[0].handle;
	chunk.cb_size = a->cb[0].len;
	ASSERT_EQ(0, gt_ioctl(a->fd, DRM_IOCTL_HL_CS, &args));
	b->cb[0].len = gt_pkt_nop(b->cb[0].map, 0);
	ASSERT_EQ(0, gt_submit(b->fd, 4, &b->cb[0], &seq));
	for (i = 0; i < 4000 && status == HL_WAIT_CS_STATUS_BUSY; i++) {
		ASSERT_EQ(0, gt_submit(a->fd, i % 4, &a->cb[0], &other));
		gt_wait(a->fd, other, 10000, &unused);
		EXPECT_EQ(0, gt_wait(b->fd, seq, 10000, &status));
	}
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	EXPECT_EQ(-ETIMEDOUT, gt_wait(a->fd, args.out.seq, LONG, &unused));
	EXPECT_EQ(self->resets, gt_resets(a->fd));
}

/*
 * A fence that nobody waits at is raised by work that is ended by force: with it
 * the next one's wait would end too early, so the card is reset.
 */
TEST_F_TIMEOUT(share_fault, a_fence_left_raised_reaches_nobody, 300)
{
	struct user *a = &self->a, *b = &self->b;
	struct hl_cs_chunk chunk = {};
	union hl_cs_args args = { .in = {
		.chunks_execute = (uintptr_t)&chunk,
		.num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_CUSTOM_TIMEOUT,
		.timeout = 1,
	} };
	uint32_t status, len;
	int i, ret;

	len = gt_pkt_msg_long(a->cb[0].map, DMA_FENCE2(0, 3), 1, MB);
	len += gt_pkt_fence((char *)a->cb[0].map + len, 1, 1, 1);
	chunk.cb_handle = a->cb[0].handle;
	chunk.cb_size = len;
	ASSERT_EQ(0, gt_ioctl(a->fd, DRM_IOCTL_HL_CS, &args));
	EXPECT_NE(0, gt_wait(a->fd, args.out.seq, LONG, &status));
	/* What b does ends well before the reset, or is told of it. */
	for (i = 0; i < 1000; i++) {
		ret = nop(b, 4);
		if (ret)
			break;
		usleep(20000);
	}
	EXPECT_NE(0, ret);
	user_close(a);
	a->fd = -1;
	user_close(b);
	b->fd = -1;
	ASSERT_EQ(0, gt_wait_operational(120));
	EXPECT_EQ(self->resets + 1, gt_resets_now());
}

/* The module's shared_hold in milliseconds; 0: there is none. */
static uint64_t hold_ms(void)
{
	FILE *f = fopen("/sys/module/gaudi/parameters/shared_hold", "r");
	unsigned int seconds = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%u", &seconds) != 1)
		seconds = 0;
	fclose(f);
	return seconds * 1000ull;
}

/*
 * Work that waits for later work of the same user while another one waits for
 * the card; after a time in which nobody wanted it. How the work ended, and
 * *ms: how long it took.
 */
static int work_after_idling(struct user *u, struct user *other,
			     uint64_t idle_ms, uint64_t *ms)
{
	uint64_t seq, theirs, start;
	uint32_t status;
	int ret;

	*ms = 0;
	ret = nop(u, 4);
	if (ret)
		return ret;
	usleep(idle_ms * 1000);
	start = gt_now_ms();
	u->cb[0].len = gt_pkt_fence(u->cb[0].map, 2, 1, 1);
	ret = gt_submit(u->fd, 0, &u->cb[0], &seq);
	other->cb[0].len = gt_pkt_nop(other->cb[0].map, 0);
	if (!ret)
		ret = gt_submit(other->fd, 0, &other->cb[0], &theirs);
	/* Some looks at who holds the card. */
	usleep(100000);
	u->cb[1].len = gt_pkt_msg_long(u->cb[1].map, DMA_FENCE2(0, 0), 1, MB);
	if (!ret)
		ret = gt_run(u->fd, 5, &u->cb[1]);
	if (!ret)
		ret = gt_wait(u->fd, seq, LONG, &status);
	*ms = gt_now_ms() - start;
	if (!ret)
		ret = gt_wait(other->fd, theirs, LONG, &status);
	return ret;
}

/* Who had the card alone for long, idle, has kept it from nobody. */
TEST_F_TIMEOUT(share_fault, idle_time_is_not_held_against_him, 300)
{
	uint64_t hold = hold_ms(), ms = hold;
	int ret = 0, i;

	if (!hold || hold > 10000)
		SKIP(return, "shared_hold is not short");
	/* A machine that is too slow for shared_hold proves nothing. */
	for (i = 0; i < 5 && ms >= hold; i++)
		ret = work_after_idling(&self->a, &self->b, hold + 500, &ms);
	if (ms >= hold)
		SKIP(return, "the machine is too slow");
	EXPECT_EQ(0, ret);
	EXPECT_EQ(self->resets, gt_resets(self->a.fd));
}

static int set_eventfd(int fd)
{
	struct hl_info_args args = { .op = HL_INFO_REGISTER_EVENTFD,
				     .eventfd = eventfd(0, EFD_NONBLOCK) };

	return gt_ioctl(fd, DRM_IOCTL_HL_INFO, &args);
}

/*
 * A reset that waits for users to close: who comes back at once does not get a
 * card that is about to go, and does not hold up the reset.
 */
TEST_F_TIMEOUT(share_fault, a_reset_to_come_lets_nobody_in, 300)
{
	const uint64_t reset = HL_NOTIFIER_EVENT_DEVICE_RESET;
	struct user *a = &self->a, *b = &self->b;
	uint64_t seen[2] = {};
	int fd, i, ret;

	ASSERT_EQ(0, set_eventfd(a->fd));
	ASSERT_EQ(0, set_eventfd(b->fd));
	ret = inject("sram-ecc-double,unit=1");
	if (ret == -ENODEV)
		SKIP(return, "nobody to inject faults");
	ASSERT_EQ(0, ret);
	for (i = 0; i < 1000 && !(seen[0] & seen[1] & reset); i++) {
		seen[0] |= gt_events(a->fd);
		seen[1] |= gt_events(b->fd);
		usleep(20000);
	}
	ASSERT_EQ(reset, seen[0] & seen[1] & reset);
	user_close(a);
	a->fd = -1;
	fd = gt_open_once();
	EXPECT_EQ(-EAGAIN, fd);
	user_close(b);
	b->fd = -1;
	EXPECT_EQ(self->resets + 1, gt_resets_now());
}

TEST_HARNESS_MAIN
