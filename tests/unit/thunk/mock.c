// SPDX-License-Identifier: GPL-2.0-only
/* The kernel of the thunk's unit tests; see mock.h. */
#include <errno.h>

#include "mock.h"

#define MAX_EXPECTED	64
#define MAX_FILES	128
#define FIRST_FD	100
#define MAX_FDS		64
#define EVENTFD_PATH	"eventfd"

struct expected {
	unsigned long request;
	size_t size;
	uint8_t in[128];
	uint8_t out[128];
	bool has_out;
	int rc;
	/* INFO */
	const void *data;
	/* CS with chunks */
	const struct hl_cs_chunk *chunks;
	uint32_t num_chunks;
};

struct file {
	char path[160];
	const char *content;
	bool is_link;
	int rc;
	char written[160];
};

static struct {
	struct expected expected[MAX_EXPECTED];
	unsigned int num, next;
	mock_ioctl_fn handler;
	struct file files[MAX_FILES];
	unsigned int num_files;
	struct file *fds[MAX_FDS];
	char last_opened[160];
	int opened;
	int devnum_rc;
	unsigned int major_nr, minor_nr;
	int poll_rc;
	uint64_t eventfd_count;
	uint64_t clock, clock_step;
	unsigned int sleeps;
} m;

int mock_begin(void **state)
{
	(void)state;
	memset(&m, 0, sizeof(m));
	hlt_hbm_forget(FD);

	return 0;
}

int mock_end(void **state)
{
	(void)state;
	if (m.next != m.num)
		fail_msg("%u expected calls did not come", m.num - m.next);
	for (int i = 0; i < MAX_FDS; i++)
		if (m.fds[i])
			fail_msg("%s was left open", m.fds[i]->path);
	hlt_hbm_forget(FD);

	return 0;
}

static struct expected *add_expected(unsigned long request, size_t size, int rc)
{
	struct expected *e = &m.expected[m.num++];

	assert_true(m.num <= MAX_EXPECTED && size <= sizeof(e->in));
	e->request = request;
	e->size = size;
	e->rc = rc;

	return e;
}

void expect_ioctl(unsigned long request, const void *in, size_t size, int rc,
		  const void *out)
{
	struct expected *e = add_expected(request, size, rc);

	memcpy(e->in, in, size);
	if (out) {
		memcpy(e->out, out, size);
		e->has_out = true;
	}
}

void expect_info_out(uint32_t op, uint32_t size, uint32_t extra, int rc,
		     const void *data, uint32_t extra_out)
{
	struct hl_info_args args = {
		.return_size = size,
		.op = op,
		.dcore_id = extra,
	};
	struct expected *e;

	e = add_expected(DRM_IOCTL_HL_INFO, sizeof(args), rc);
	memcpy(e->in, &args, sizeof(args));
	args.dcore_id = extra_out;
	memcpy(e->out, &args, sizeof(args));
	e->data = data;
}

void expect_info(uint32_t op, uint32_t size, uint32_t extra, int rc,
		 const void *data)
{
	expect_info_out(op, size, extra, rc, data, extra);
}

void expect_cs_chunks(const union hl_cs_args *in,
		      const struct hl_cs_chunk *chunks, uint32_t num, int rc,
		      const union hl_cs_args *out)
{
	struct expected *e;

	expect_cs(in, rc, out);
	e = &m.expected[m.num - 1];
	e->chunks = chunks;
	e->num_chunks = num;
}

void mock_ioctls(mock_ioctl_fn handler)
{
	m.handler = handler;
}

static int answer_info(const struct expected *e, struct hl_info_args *args)
{
	struct hl_info_args got = *args;
	void *out = (void *)(uintptr_t)args->return_pointer;

	got.return_pointer = 0;
	assert_memory_equal(&got, e->in, sizeof(got));
	if (args->return_size)
		assert_non_null(out);
	if (e->data)
		memcpy(out, e->data, args->return_size);
	memcpy(&got, e->out, sizeof(got));
	args->dcore_id = got.dcore_id;

	return e->rc;
}

static void check_chunks(const struct expected *e, union hl_cs_args *args)
{
	union hl_cs_args want;

	memcpy(&want, e->in, sizeof(want));
	assert_int_equal(args->in.num_chunks_execute, e->num_chunks);
	assert_memory_equal((void *)(uintptr_t)args->in.chunks_execute,
			    e->chunks, e->num_chunks * sizeof(*e->chunks));
	want.in.chunks_execute = args->in.chunks_execute;
	assert_memory_equal(args, &want, sizeof(want));
}

int hlt_os_ioctl(int fd, unsigned long request, void *arg)
{
	const struct expected *e;

	if (m.handler)
		return m.handler(fd, request, arg);
	if (m.next == m.num)
		fail_msg("unexpected ioctl 0x%lx", request);
	e = &m.expected[m.next++];
	assert_int_equal(fd, FD);
	assert_int_equal(request, e->request);

	if (request == DRM_IOCTL_HL_INFO)
		return answer_info(e, arg);
	if (e->chunks)
		check_chunks(e, arg);
	else
		assert_memory_equal(arg, e->in, e->size);
	if (e->has_out)
		memcpy(arg, e->out, e->size);

	return e->rc;
}

static struct file *find_file(const char *path)
{
	for (unsigned int i = 0; i < m.num_files; i++)
		if (!strcmp(m.files[i].path, path))
			return &m.files[i];

	return NULL;
}

static struct file *add_file(const char *path)
{
	struct file *f = &m.files[m.num_files++];

	assert_true(m.num_files <= MAX_FILES);
	snprintf(f->path, sizeof(f->path), "%s", path);

	return f;
}

void mock_file(const char *path, const char *content)
{
	add_file(path)->content = content;
}

void mock_file_err(const char *path, int rc)
{
	add_file(path)->rc = rc;
}

void mock_link(const char *path, const char *target)
{
	struct file *f = add_file(path);

	f->content = target;
	f->is_link = true;
}

void mock_card(int index, const char *busid, const char *device,
	       const char *module_id, int node_rc)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/accel/accel%d/device", index);
	mock_link(path, busid);
	snprintf(path, sizeof(path), "/sys/class/accel/accel%d/device/vendor",
		 index);
	mock_file(path, "0x1da3\n");
	snprintf(path, sizeof(path), "/sys/class/accel/accel%d/device/device",
		 index);
	mock_file(path, device);
	snprintf(path, sizeof(path),
		 "/sys/class/accel/accel%d/device/module_id", index);
	mock_file(path, module_id);
	snprintf(path, sizeof(path), "/dev/accel/accel%d", index);
	mock_file_err(path, node_rc);
	snprintf(path, sizeof(path), "/dev/accel/accel_controlD%d", index);
	mock_file(path, "");
}

static int new_fd(struct file *f)
{
	for (int i = 0; i < MAX_FDS; i++) {
		if (!m.fds[i]) {
			m.fds[i] = f;
			return FIRST_FD + i;
		}
	}

	return -EMFILE;
}

static struct file *file_of(int fd)
{
	int i = fd - FIRST_FD;

	return i >= 0 && i < MAX_FDS ? m.fds[i] : NULL;
}

int hlt_os_open(const char *path, int flags)
{
	struct file *f = find_file(path);

	(void)flags;
	if (!f || f->is_link)
		return -ENOENT;
	if (!strncmp(path, "/dev/", 5)) {
		snprintf(m.last_opened, sizeof(m.last_opened), "%s", path);
		m.opened++;
	}
	f->written[0] = '\0';

	return f->rc ? f->rc : new_fd(f);
}

int hlt_os_close(int fd)
{
	if (!file_of(fd))
		return -EBADF;
	m.fds[fd - FIRST_FD] = NULL;

	return 0;
}

ssize_t hlt_os_read(int fd, void *buf, size_t size)
{
	struct file *f = file_of(fd);

	if (!f)
		return -EBADF;
	assert_string_equal(f->path, EVENTFD_PATH);
	assert_true(size == sizeof(m.eventfd_count));
	if (!m.eventfd_count)
		return -EAGAIN;
	memcpy(buf, &m.eventfd_count, size);
	m.eventfd_count = 0;

	return (ssize_t)size;
}

ssize_t hlt_os_pread(int fd, void *buf, size_t size, off_t offset)
{
	struct file *f = file_of(fd);
	size_t len;

	if (!f)
		return -EBADF;
	len = f->content ? strlen(f->content) : 0;
	if ((size_t)offset >= len)
		return 0;
	len -= (size_t)offset;
	if (len > size)
		len = size;
	memcpy(buf, f->content + offset, len);

	return (ssize_t)len;
}

ssize_t hlt_os_write(int fd, const void *buf, size_t size)
{
	struct file *f = file_of(fd);

	if (!f)
		return -EBADF;
	strncat(f->written, buf, size);
	strcat(f->written, "\n");

	return (ssize_t)size;
}

int hlt_os_readlink(const char *path, char *buf, size_t size)
{
	struct file *f = find_file(path);

	if (!f)
		return -ENOENT;
	if (!f->is_link)
		return -EINVAL;
	if (strlen(f->content) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, f->content);

	return 0;
}

void mock_devnum(int rc, unsigned int major_nr, unsigned int minor_nr)
{
	m.devnum_rc = rc;
	m.major_nr = major_nr;
	m.minor_nr = minor_nr;
}

/* There is no such library here. */
int hlt_os_sim(unsigned int cards)
{
	(void)cards;
	return -ELIBACC;
}

int hlt_os_devnum(int fd, unsigned int *major_nr, unsigned int *minor_nr)
{
	(void)fd;
	*major_nr = m.major_nr;
	*minor_nr = m.minor_nr;

	return m.devnum_rc;
}

int hlt_os_eventfd(void)
{
	struct file *f = find_file(EVENTFD_PATH);

	return new_fd(f ? f : add_file(EVENTFD_PATH));
}

void mock_poll(int rc)
{
	m.poll_rc = rc;
}

void mock_eventfd_count(uint64_t count)
{
	m.eventfd_count = count;
}

int hlt_os_poll(int fd, int timeout_ms)
{
	int rc = m.poll_rc;

	(void)timeout_ms;
	if (!file_of(fd))
		return -EBADF;
	if (rc == -EINTR)	/* once */
		m.poll_rc = 0;

	return rc;
}

uint64_t hlt_os_now_us(void)
{
	return m.clock += m.clock_step;
}

void mock_clock_step(uint64_t us)
{
	m.clock_step = us;
}

void hlt_os_sleep_us(unsigned int us)
{
	assert_true(us > 0 && us <= 10000);
	m.sleeps++;
}

unsigned int mock_sleeps(void)
{
	return m.sleeps;
}

const char *mock_written(const char *path)
{
	struct file *f = find_file(path);

	return f ? f->written : "";
}

const char *mock_last_opened(void)
{
	return m.last_opened;
}

int mock_open_count(void)
{
	return m.opened;
}
