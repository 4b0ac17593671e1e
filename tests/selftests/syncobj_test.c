// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: DRM_IOCTL_GAUDI_CS waits for and signals sync objects, timelines and
 * sync_files without blocking its caller, refuses what nobody will signal, and
 * every fence it gave out ends: at close, kill, reset and removal too.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <linux/sync_file.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

/* DMA 1, stream 0, waits; DMA 0, stream 0, opens; DMA 0, stream 1, works. */
#define Q_BLOCK		4
#define Q_OPEN		0
#define Q_WORK		1
#define QUEUE_LEN	4096
/* Long enough for any machine; every use expects an earlier end. */
#define LONG_MS		120000

GAUDI_FIXTURE(syncobj)

struct job {
	struct drm_gaudi_sync in[2], out[2];
	struct drm_gaudi_cs cs;
};

static int submit(int fd, uint32_t queue, struct gt_cb *cb, struct job *job)
{
	struct hl_cs_chunk chunk = { .cb_handle = cb->handle,
				     .queue_index = queue,
				     .cb_size = cb->len };

	job->cs.chunks = (uintptr_t)&chunk;
	job->cs.num_chunks = 1;
	job->cs.in_syncs = (uintptr_t)job->in;
	job->cs.out_syncs = (uintptr_t)job->out;
	return gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &job->cs);
}

static int nop(int fd, struct gt_cb *cb, struct job *job)
{
	cb->len = gt_pkt_nop(cb->map, 0);
	return submit(fd, Q_WORK, cb, job);
}

/* A job that ends when open_gate() has run. */
static int block(int fd, struct gt_cb *cb, struct job *job)
{
	cb->len = gt_pkt_fence(cb->map, 2, 1, 1);
	return submit(fd, Q_BLOCK, cb, job);
}

static int open_gate(int fd, struct gt_cb *cb)
{
	cb->len = gt_pkt_msg_long(cb->map, DMA_FENCE2(1, 0), 1, 0);
	return gt_run(fd, Q_OPEN, cb);
}

static uint32_t create(int fd)
{
	struct drm_syncobj_create args = {};

	return gt_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args) ? 0 : args.handle;
}

/* Of a timeline if point is not 0. flags: DRM_SYNCOBJ_WAIT_FLAGS_*. */
static int wait_sync(int fd, uint32_t handle, uint64_t point, uint32_t flags,
		     bool now)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.flags = flags,
		.timeout_nsec = now ? 0 : INT64_MAX,
	};

	return gt_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

static uint64_t reached(int fd, uint32_t handle)
{
	uint64_t point = ~0ull;
	struct drm_syncobj_timeline_array args = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
	};

	return gt_ioctl(fd, DRM_IOCTL_SYNCOBJ_QUERY, &args) ? ~0ull : point;
}

static uint32_t cs_status(int fd, uint64_t seq)
{
	uint32_t status;

	return gt_wait(fd, seq, 0, &status) ? ~0u : status;
}

#define REQUIRE_SYNCOBJ()						\
	do {								\
		if (!gt_has(self->fd, GAUDI_CAP_SYNCOBJ))		\
			SKIP(return, "no fences in and out");		\
	} while (0)

TEST_F(syncobj, absent_or_announced)
{
	struct drm_get_cap cap = { .capability = DRM_CAP_SYNCOBJ_TIMELINE };
	struct drm_gaudi_cs cs = {};
	int ret = gt_ioctl(self->fd, DRM_IOCTL_GET_CAP, &cap);

	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_GAUDI_CS, &cs));
	if (gt_has(self->fd, GAUDI_CAP_SYNCOBJ)) {
		EXPECT_EQ(0, ret);
		EXPECT_EQ(1, cap.value);
	} else {
		EXPECT_EQ(0, create(self->fd));
	}
}

TEST_F(syncobj, binary_in_and_out)
{
	struct job a = {}, b = {};
	int fd = self->fd;

	REQUIRE_SYNCOBJ();
	a.out[0].handle = b.in[0].handle = create(fd);
	b.out[0].handle = create(fd);
	b.out[1].handle = create(fd);
	a.cs.num_out_syncs = b.cs.num_in_syncs = 1;
	b.cs.num_out_syncs = 2;
	b.cs.flags = GAUDI_CS_TIMESTAMP;
	ASSERT_EQ(0, block(fd, &self->cb, &a));
	ASSERT_EQ(0, nop(fd, &self->cb, &b));
	EXPECT_EQ(a.cs.seq + 1, b.cs.seq);
	EXPECT_EQ(-1, b.cs.out_fence_fd);
	/* Others pass by meanwhile: on the same queue, b would be done. */
	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	ASSERT_EQ(0, gt_run(fd, Q_WORK, &self->cb));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, cs_status(fd, b.cs.seq));
	EXPECT_EQ(-ETIME, wait_sync(fd, b.out[0].handle, 0, 0, true));
	ASSERT_EQ(0, open_gate(fd, &self->cb));
	EXPECT_EQ(0, wait_sync(fd, b.out[0].handle, 0, 0, false));
	EXPECT_EQ(0, wait_sync(fd, b.out[1].handle, 0, 0, true));
	EXPECT_EQ(0, wait_sync(fd, a.out[0].handle, 0, 0, true));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, cs_status(fd, b.cs.seq));
	/* What has signalled is waited for no longer. */
	ASSERT_EQ(0, nop(fd, &self->cb, &b));
	EXPECT_EQ(0, wait_sync(fd, b.out[1].handle, 0, 0, false));
}

TEST_F(syncobj, timeline)
{
	struct job a = {}, b = {};
	int fd = self->fd;
	uint32_t t;

	REQUIRE_SYNCOBJ();
	t = create(fd);
	a.out[0] = (struct drm_gaudi_sync){ .handle = t, .point = 3 };
	b.in[0] = a.out[0];
	b.out[0] = (struct drm_gaudi_sync){ .handle = t, .point = 7 };
	a.cs.num_out_syncs = b.cs.num_in_syncs = b.cs.num_out_syncs = 1;
	ASSERT_EQ(0, block(fd, &self->cb, &a));
	/* A point between those that are there is the next one. */
	b.in[0].point = 2;
	ASSERT_EQ(0, nop(fd, &self->cb, &b));
	b.in[0].point = 8;
	EXPECT_EQ(-EINVAL, nop(fd, &self->cb, &b));
	EXPECT_EQ(0, reached(fd, t));
	EXPECT_EQ(-ETIME, wait_sync(fd, t, 3, 0, true));
	ASSERT_EQ(0, open_gate(fd, &self->cb));
	EXPECT_EQ(0, wait_sync(fd, t, 7, 0, false));
	EXPECT_EQ(7, reached(fd, t));
}

TEST_F(syncobj, sync_file_in_and_out)
{
	struct sync_merge_data merge = { .name = "both" };
	struct sync_fence_info fences[2] = {};
	struct sync_file_info info = { .num_fences = 2,
				       .sync_fence_info = (uintptr_t)fences };
	struct job a = {}, b = {}, c = {};
	int fd = self->fd;

	REQUIRE_SYNCOBJ();
	a.cs.flags = b.cs.flags = GAUDI_CS_OUT_FENCE_FD;
	ASSERT_EQ(0, block(fd, &self->cb, &a));
	ASSERT_EQ(0, block(fd, &self->cb, &b));
	ASSERT_GE(a.cs.out_fence_fd, 0);
	ASSERT_GE(b.cs.out_fence_fd, 0);
	EXPECT_EQ(FD_CLOEXEC, fcntl(a.cs.out_fence_fd, F_GETFD));
	merge.fd2 = b.cs.out_fence_fd;
	ASSERT_EQ(0, gt_ioctl(a.cs.out_fence_fd, SYNC_IOC_MERGE, &merge));
	ASSERT_EQ(0, gt_ioctl(merge.fence, SYNC_IOC_FILE_INFO, &info));
	EXPECT_EQ(2, info.num_fences);
	EXPECT_STREQ("gaudi", fences[0].driver_name);

	c.cs.flags = GAUDI_CS_IN_FENCE_FD | GAUDI_CS_OUT_FENCE_FD;
	c.cs.in_fence_fd = merge.fence;
	ASSERT_EQ(0, nop(fd, &self->cb, &c));
	/* One gate at a time: half of the merged fence is not enough. */
	ASSERT_EQ(0, open_gate(fd, &self->cb));
	EXPECT_EQ(1, gt_sync_file(a.cs.out_fence_fd, LONG_MS));
	EXPECT_EQ(0, gt_sync_file(c.cs.out_fence_fd, 0));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, cs_status(fd, c.cs.seq));
	ASSERT_EQ(0, open_gate(fd, &self->cb));
	EXPECT_EQ(1, gt_sync_file(c.cs.out_fence_fd, LONG_MS));
	EXPECT_EQ(1, gt_sync_file(merge.fence, 0));
}

/* A sync object's fence leaves as a sync_file, and one comes in. */
TEST_F(syncobj, export_and_import)
{
	struct drm_syncobj_handle args = {};
	struct job a = {}, b = {};
	int fd = self->fd;

	REQUIRE_SYNCOBJ();
	a.out[0].handle = create(fd);
	a.cs.num_out_syncs = 1;
	ASSERT_EQ(0, block(fd, &self->cb, &a));
	args.handle = a.out[0].handle;
	args.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
	ASSERT_EQ(0, gt_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args));
	EXPECT_EQ(0, gt_sync_file(args.fd, 0));
	b.in[0].handle = create(fd);
	b.cs.num_in_syncs = 1;
	EXPECT_EQ(-EINVAL, nop(fd, &self->cb, &b));
	args.handle = b.in[0].handle;
	args.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE;
	ASSERT_EQ(0, gt_ioctl(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args));
	ASSERT_EQ(0, nop(fd, &self->cb, &b));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, cs_status(fd, b.cs.seq));
	ASSERT_EQ(0, open_gate(fd, &self->cb));
	EXPECT_EQ(1, gt_sync_file(args.fd, LONG_MS));
	EXPECT_EQ(0, wait_sync(fd, b.in[0].handle, 0, 0, false));
}

static int refused(int fd, struct gt_cb *cb, struct job job)
{
	return nop(fd, cb, &job);
}

TEST_F(syncobj, what_is_refused)
{
	const struct job good = { .out[0].handle = create(self->fd),
				  .cs.num_out_syncs = 1 };
	struct hl_cs_chunk chunk = { .cb_handle = ~0ull, .cb_size = 8 };
	uint32_t empty = create(self->fd);
	int pipes[2], fd = self->fd;
	struct job j;

	REQUIRE_SYNCOBJ();
	ASSERT_EQ(0, pipe(pipes));
#define REFUSED(error, member, value)					\
	do {								\
		j = good;						\
		j.member = value;					\
		EXPECT_EQ(error, refused(fd, &self->cb, j));		\
	} while (0)
	REFUSED(-EINVAL, cs.pad, 1);
	REFUSED(-EINVAL, cs.flags, 1u << 31);
	REFUSED(-EINVAL, cs.num_in_syncs, GAUDI_CS_MAX_SYNCS + 1);
	REFUSED(-EINVAL, cs.num_out_syncs, GAUDI_CS_MAX_SYNCS + 1);
	REFUSED(-EINVAL, out[0].flags, 1);
	REFUSED(-ENOENT, out[0].handle, 0);
	REFUSED(-ENOENT, out[0].handle, 12345);
#undef REFUSED
	j = good;
	j.cs.num_in_syncs = 1;
	EXPECT_EQ(-ENOENT, refused(fd, &self->cb, j));
	j.in[0].handle = empty;
	EXPECT_EQ(-EINVAL, refused(fd, &self->cb, j));
	j.in[0].point = 1;
	EXPECT_EQ(-EINVAL, refused(fd, &self->cb, j));
	j = good;
	j.cs.flags = GAUDI_CS_IN_FENCE_FD;
	j.cs.in_fence_fd = -1;
	EXPECT_EQ(-EINVAL, refused(fd, &self->cb, j));
	j.cs.in_fence_fd = pipes[0];
	EXPECT_EQ(-EINVAL, refused(fd, &self->cb, j));

	j = good;
	j.cs.out_syncs = 8;
	j.cs.chunks = (uintptr_t)&chunk;
	EXPECT_EQ(-EINVAL, gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &j.cs));
	j.cs.num_chunks = 1;
	EXPECT_EQ(-EFAULT, gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &j.cs));
	j.cs.out_syncs = (uintptr_t)j.out;
	/* A bad command buffer, when the sync objects have been found. */
	EXPECT_EQ(-EINVAL, gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &j.cs));
	j.cs.chunks = 8;
	EXPECT_EQ(-EFAULT, gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &j.cs));

	/* None of it has touched the sync object: it has no fence. */
	EXPECT_EQ(-EINVAL, wait_sync(fd, good.out[0].handle, 0, 0, true));
	j = good;
	EXPECT_EQ(0, refused(fd, &self->cb, j));
	EXPECT_EQ(0, wait_sync(fd, good.out[0].handle, 0, 0, false));
}

/* Each waits for the one before it, on changing queues. */
TEST_F_TIMEOUT(syncobj, long_chain, 300)
{
	const uint64_t len = 600;
	struct job a = {}, b = {};
	int fd = self->fd;
	uint64_t i;
	uint32_t t;

	REQUIRE_SYNCOBJ();
	t = create(fd);
	a.out[0] = (struct drm_gaudi_sync){ .handle = t, .point = 1 };
	a.cs.num_out_syncs = b.cs.num_in_syncs = b.cs.num_out_syncs = 1;
	ASSERT_EQ(0, block(fd, &self->cb, &a));
	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	for (i = 2; i <= len; i++) {
		b.in[0] = (struct drm_gaudi_sync){ .handle = t,
						   .point = i - 1 };
		b.out[0] = (struct drm_gaudi_sync){ .handle = t, .point = i };
		ASSERT_EQ(0, submit(fd, i % 8, &self->cb, &b));
	}
	EXPECT_EQ(0, reached(fd, t));
	ASSERT_EQ(0, open_gate(fd, &self->cb));
	EXPECT_EQ(0, wait_sync(fd, t, len, 0, false));
	EXPECT_EQ(len, reached(fd, t));
}

/*
 * Fill Q_BLOCK with jobs behind one that waits for the gate, by these 512
 * chunks, and submit b, whose fences then signal, but which finds no room. With
 * late_ms, another job is stuck, and too late so long after that.
 */
static int wait_for_room(int fd, struct gt_cb *cb, struct hl_cs_chunk *chunks,
			 uint32_t late_ms, struct job *b)
{
	union hl_cs_args over = { .in = { .chunks_execute = (uintptr_t)chunks,
					  .num_chunks_execute = 1 } };
	struct job a = { .cs = { .num_out_syncs = 1 } };
	struct job late = { .cs = { .timeout_ms = late_ms } };
	uint64_t seq;
	int i, ret;

	a.out[0].handle = b->in[0].handle = create(fd);
	b->cs.num_in_syncs = 1;
	/* The oldest: other streams of the engine have gates of their own. */
	cb->len = gt_pkt_fence(cb->map, 2, 1, 1);
	ret = submit(fd, Q_BLOCK + 1, cb, &a);
	if (!ret && late_ms)
		ret = submit(fd, Q_BLOCK + 2, cb, &late);
	ret = ret ?: block(fd, cb, &(struct job){});
	cb->len = gt_pkt_nop(cb->map, 0);
	for (i = 0; i < 512; i++)
		chunks[i] = (struct hl_cs_chunk){ .cb_handle = cb->handle,
						  .queue_index = Q_BLOCK,
						  .cb_size = cb->len };
	for (i = 1; !ret && i < QUEUE_LEN / 512; i++)
		ret = gt_submit_chunks(fd, chunks, 512, 0, &seq);
	ret = ret ?: gt_submit_chunks(fd, chunks, 511, 0, &seq);
	if (!ret && gt_ioctl(fd, DRM_IOCTL_HL_CS, &over) != -EAGAIN)
		ret = -EINVAL;
	ret = ret ?: submit(fd, Q_BLOCK, cb, b);
	cb->len = gt_pkt_msg_long(cb->map, DMA_FENCE2(1, 1), 1, 0);
	ret = ret ?: gt_run(fd, Q_OPEN, cb);
	return ret ?: wait_sync(fd, a.out[0].handle, 0, 0, false);
}

/* A queue that is full when the fence comes: the job takes its turn later. */
TEST_F(syncobj, full_queue)
{
	struct job b = { .cs = { .num_out_syncs = 1 } };
	struct hl_cs_chunk chunks[512];
	int fd = self->fd;
	uint64_t seq;

	REQUIRE_SYNCOBJ();
	b.out[0].handle = create(fd);
	ASSERT_EQ(0, wait_for_room(fd, &self->cb, chunks, 0, &b));
	EXPECT_EQ(-ETIME, wait_sync(fd, b.out[0].handle, 0, 0, true));
	ASSERT_EQ(0, open_gate(fd, &self->cb));
	EXPECT_EQ(0, wait_sync(fd, b.out[0].handle, 0, 0, false));
	/* Nothing is kept free for it any more. */
	self->cb.len = gt_pkt_nop(self->cb.map, 0);
	EXPECT_EQ(0, gt_submit_chunks(fd, chunks, 512, 0, &seq));
	EXPECT_EQ(0, gt_run(fd, Q_BLOCK, &self->cb));
}

/*
 * Close with one job that never ends and one that waits for it. The second is
 * given up; the first ends with the reset that follows.
 */
TEST_F(syncobj, close_ends_them)
{
	struct job a = {}, b = {}, c = {};
	uint32_t status;

	REQUIRE_SYNCOBJ();
	a.cs.flags = GAUDI_CS_OUT_FENCE_FD;
	b.cs.flags = GAUDI_CS_OUT_FENCE_FD | GAUDI_CS_IN_FENCE_FD;
	ASSERT_EQ(0, block(self->fd, &self->cb, &a));
	b.cs.in_fence_fd = a.cs.out_fence_fd;
	ASSERT_EQ(0, nop(self->fd, &self->cb, &b));
	EXPECT_EQ(0, gt_sync_file(b.cs.out_fence_fd, 0));
	munmap(self->cb.map, self->cb.size);
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(-ECANCELED, gt_sync_file(b.cs.out_fence_fd, LONG_MS));
	EXPECT_EQ(-EIO, gt_sync_file(a.cs.out_fence_fd, LONG_MS));

	/* The error is passed on to who waits for it. */
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));
	c.cs.flags = GAUDI_CS_OUT_FENCE_FD | GAUDI_CS_IN_FENCE_FD;
	c.cs.in_fence_fd = b.cs.out_fence_fd;
	ASSERT_EQ(0, nop(self->fd, &self->cb, &c));
	EXPECT_EQ(-ECANCELED, gt_sync_file(c.cs.out_fence_fd, LONG_MS));
	EXPECT_EQ(-EIO, gt_wait(self->fd, c.cs.seq, 0, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_ABORTED, status);
}

/* Submits, sends a fence by the socket, and stays until it is killed. */
static pid_t start(void (*submit)(int fd, struct gt_cb *cb, int sock),
		   int *fence)
{
	int socks[2], fd;
	struct gt_cb cb;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, socks))
		return -1;
	pid = fork();
	if (pid) {
		close(socks[1]);
		*fence = gt_recv_fd(socks[0]);
		close(socks[0]);
		return pid;
	}
	close(socks[0]);
	fd = gt_open();
	if (fd < 0 || gt_cb_create(fd, 4096, &cb))
		_exit(1);
	submit(fd, &cb, socks[1]);
	for (;;)
		pause();
}

/* A job that never ends and one that waits for it, whose fence comes back. */
static void submit_waiter(int fd, struct gt_cb *cb, int sock)
{
	struct job a = { .cs = { .flags = GAUDI_CS_OUT_FENCE_FD } };
	struct job b = { .cs = { .flags = GAUDI_CS_OUT_FENCE_FD |
					  GAUDI_CS_IN_FENCE_FD } };

	if (block(fd, cb, &a))
		_exit(1);
	b.cs.in_fence_fd = a.cs.out_fence_fd;
	if (nop(fd, cb, &b))
		_exit(1);
	gt_send_fd(sock, b.cs.out_fence_fd);
}

/* A job that never ends, but for its own timeout. */
static void submit_late(int fd, struct gt_cb *cb, int sock)
{
	struct job job = { .cs = { .flags = GAUDI_CS_OUT_FENCE_FD,
				   .timeout_ms = 1000 } };

	if (block(fd, cb, &job))
		_exit(1);
	gt_send_fd(sock, job.cs.out_fence_fd);
}

/* The same, behind one that may take a day. */
static void submit_behind(int fd, struct gt_cb *cb, int sock)
{
	struct hl_cs_chunk chunk = { .cb_handle = cb->handle,
				     .queue_index = Q_BLOCK + 1 };
	union hl_cs_args args = { .in = {
		.chunks_execute = (uintptr_t)&chunk,
		.num_chunks_execute = 1,
		.cs_flags = HL_CS_FLAGS_CUSTOM_TIMEOUT,
		.timeout = 86400 } };

	chunk.cb_size = gt_pkt_fence(cb->map, 2, 1, 1);
	if (gt_ioctl(fd, DRM_IOCTL_HL_CS, &args))
		_exit(1);
	submit_late(fd, cb, sock);
}

/* The same, and timeouts are turned off before it is the oldest. */
static void submit_before_off(int fd, struct gt_cb *cb, int sock)
{
	uint64_t seq;

	cb->len = gt_pkt_fence(cb->map, 2, 1, 1);
	if (gt_submit(fd, Q_BLOCK + 1, cb, &seq))
		_exit(1);
	submit_late(fd, cb, sock);
	cb->len = gt_pkt_msg_long(cb->map, DMA_FENCE2(1, 1), 1, 0);
	if (gt_debugfs_write("timeout_locked", "0") || gt_run(fd, Q_OPEN, cb))
		_exit(1);
}

/* The fixture's own file is in the way of the other process. */
#define LEAVE_TO(submit, pid, fence)					\
	do {								\
		gt_cb_destroy(self->fd, &self->cb);			\
		close(self->fd);					\
		self->fd = -1;						\
		(pid) = start(submit, fence);				\
		ASSERT_GT(pid, 0);					\
	} while (0)

/* The end of a process whose job is stuck: with a reset, or without (shared mode). */
#define KILL_STUCK(pid, fence)						\
	do {								\
		kill(pid, SIGKILL);					\
		EXPECT_EQ(pid, waitpid(pid, NULL, 0));			\
		close(fence);						\
		EXPECT_EQ(0, gt_wait_operational(60));			\
	} while (0)

/* Is this among what the kernel's log has said since it was opened? */
static bool log_said(int log, const char *text)
{
	char line[8192];
	ssize_t n;

	/* EPIPE: some of it is gone. */
	while ((n = read(log, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		line[n > 0 ? n : 0] = 0;
		if (strstr(line, text))
			return true;
	}
	return false;
}

TEST_F_TIMEOUT(syncobj, timeout_ends_them, 300)
{
	int fence = -1, log;
	pid_t pid;

	REQUIRE_SYNCOBJ();
	log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_GE(log, 0);
	lseek(log, 0, SEEK_END);
	LEAVE_TO(submit_late, pid, &fence);
	EXPECT_EQ(-ETIMEDOUT, gt_sync_file(fence, LONG_MS));
	/* Not the default. */
	EXPECT_TRUE(log_said(log, "has not finished in 1 seconds"));
	close(log);
	KILL_STUCK(pid, fence);
}

/* Whatever the process allows its other jobs, and root says later. */
TEST_F_TIMEOUT(syncobj, others_are_promised_an_end, 300)
{
	int fence = -1;
	pid_t pid;

	REQUIRE_SYNCOBJ();
	ASSERT_EQ(0, gt_debugfs_write("timeout_locked", "2"));
	LEAVE_TO(submit_behind, pid, &fence);
	EXPECT_EQ(-ETIMEDOUT, gt_sync_file(fence, LONG_MS));
	EXPECT_EQ(0, gt_debugfs_write("timeout_locked", "600"));
	KILL_STUCK(pid, fence);

	fence = -1;
	pid = start(submit_before_off, &fence);
	ASSERT_GT(pid, 0);
	EXPECT_EQ(-ETIMEDOUT, gt_sync_file(fence, LONG_MS));
	EXPECT_EQ(0, gt_debugfs_write("timeout_locked", "600"));
	KILL_STUCK(pid, fence);
}

/*
 * A process that listens is told at once, and may take its time to close: until
 * the reset that follows the job is not over for others.
 */
TEST_F_TIMEOUT(syncobj, others_wait_for_the_reset, 300)
{
	struct hl_info_args listen = { .op = HL_INFO_REGISTER_EVENTFD,
				       .eventfd = eventfd(0, 0) };
	struct job a = { .cs = { .flags = GAUDI_CS_OUT_FENCE_FD,
				 .timeout_ms = 1000 } };
	struct job b = { .cs = { .flags = GAUDI_CS_IN_FENCE_FD } };
	uint32_t status;

	REQUIRE_SYNCOBJ();
	if (gt_has(self->fd, GAUDI_CAP_SHARED))
		SKIP(return, "a timeout is no reason for a reset");
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_INFO, &listen));
	ASSERT_EQ(0, block(self->fd, &self->cb, &a));
	b.cs.in_fence_fd = a.cs.out_fence_fd;
	ASSERT_EQ(0, nop(self->fd, &self->cb, &b));
	EXPECT_EQ(-EIO, gt_wait(self->fd, b.cs.seq, LONG_MS * 1000ull,
				&status));
	EXPECT_EQ(0, gt_sync_file(a.cs.out_fence_fd, 0));
	gt_cb_destroy(self->fd, &self->cb);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(-ETIMEDOUT, gt_sync_file(a.cs.out_fence_fd, LONG_MS));
	EXPECT_EQ(0, gt_wait_operational(60));
}

/* What waits for nothing but room gets none any more. */
TEST_F_TIMEOUT(syncobj, room_is_not_waited_for_before_a_reset, 300)
{
	struct hl_info_args listen = { .op = HL_INFO_REGISTER_EVENTFD,
				       .eventfd = eventfd(0, 0) };
	struct job b = { .cs = { .flags = GAUDI_CS_OUT_FENCE_FD } };
	struct hl_info_device_status now = {};
	struct hl_cs_chunk chunks[512];

	REQUIRE_SYNCOBJ();
	if (gt_has(self->fd, GAUDI_CAP_SHARED))
		SKIP(return, "a timeout is no reason for a reset");
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_INFO, &listen));
	ASSERT_EQ(0, wait_for_room(self->fd, &self->cb, chunks, 1000, &b));
	EXPECT_EQ(-EIO, gt_sync_file(b.cs.out_fence_fd, LONG_MS));
	/* It was not the reset, which leaves time to close. */
	EXPECT_EQ(0, gt_info(self->fd, HL_INFO_DEVICE_STATUS, &now,
			     sizeof(now)));
	EXPECT_EQ(HL_DEVICE_STATUS_OPERATIONAL, now.status);
	gt_cb_destroy(self->fd, &self->cb);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, gt_wait_operational(60));
}

/* Where nothing stops a stuck job, nobody is promised its end. */
TEST_F(syncobj, no_fence_without_an_end)
{
	struct job a = { .cs = { .flags = GAUDI_CS_OUT_FENCE_FD } }, b = {};
	int ret, inside;

	REQUIRE_SYNCOBJ();
	ASSERT_EQ(0, gt_debugfs_write("skip_reset_on_timeout", "1"));
	ret = nop(self->fd, &self->cb, &a);
	inside = nop(self->fd, &self->cb, &b);
	ASSERT_EQ(0, gt_debugfs_write("skip_reset_on_timeout", "0"));
	EXPECT_EQ(-EOPNOTSUPP, ret);
	EXPECT_EQ(0, inside);
	EXPECT_EQ(0, nop(self->fd, &self->cb, &a));
}

TEST_F(syncobj, kill_ends_them)
{
	int fence = -1, status;
	pid_t pid;

	REQUIRE_SYNCOBJ();
	LEAVE_TO(submit_waiter, pid, &fence);
	EXPECT_EQ(0, gt_sync_file(fence, 0));
	kill(pid, SIGKILL);
	EXPECT_EQ(-ECANCELED, gt_sync_file(fence, LONG_MS));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, gt_wait_operational(60));
}

TEST_F(syncobj, reset_ends_them)
{
	int fence = -1, status;
	pid_t pid;

	REQUIRE_SYNCOBJ();
	LEAVE_TO(submit_waiter, pid, &fence);
	EXPECT_EQ(0, gt_sysfs_write("hard_reset", "1"));
	EXPECT_EQ(-EIO, gt_sync_file(fence, LONG_MS));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	EXPECT_EQ(0, gt_wait_operational(60));
}

TEST_F(syncobj, removal_ends_them)
{
	char pci[64];
	int fence = -1, status;
	pid_t pid;

	REQUIRE_SYNCOBJ();
	ASSERT_EQ(0, gt_sysfs_read("pci_addr", pci, sizeof(pci)));
	LEAVE_TO(submit_waiter, pid, &fence);
	ASSERT_EQ(0, gt_write_file("/sys/bus/pci/drivers/gaudi/unbind", pci));
	EXPECT_EQ(-EIO, gt_sync_file(fence, LONG_MS));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	/* The fence needs no device, but the module's text. */
	EXPECT_NE(0, system("rmmod gaudi 2>/dev/null"));
	EXPECT_EQ(-EIO, gt_sync_file(fence, 0));
	close(fence);
	EXPECT_EQ(0, gt_write_file("/sys/bus/pci/drivers/gaudi/bind", pci));
	EXPECT_EQ(0, gt_wait_operational(60));
}

TEST_HARNESS_MAIN
