/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel for the thunk's unit tests: it stands in for thunk/hlthunk/os.c.
 *
 * System calls are expected one by one, with their exact arguments, and answer
 * what the test says. A call that differs from the next expected one fails the
 * test at once; mock_end() fails it if an expected call did not come, or a file
 * was left open. Files and links are a table that may be read in any order.
 */
#ifndef MOCK_H
#define MOCK_H

#include "../unit.h"
#include "internal.h"

#define FD	42		/* the device's fd in most tests */

/* cmocka group: each test begins and ends with these. */
int mock_begin(void **state);
int mock_end(void **state);
#define MOCK_TEST(fn) TEST_WITH(fn, mock_begin, mock_end)

/*
 * The next ioctl must be @request on FD with @size bytes equal to *@in; it
 * answers @rc, and, if @out is not NULL, leaves *@out in the argument.
 */
void expect_ioctl(unsigned long request, const void *in, size_t size, int rc,
		  const void *out);
#define expect_cb(in, rc, out) \
	expect_ioctl(DRM_IOCTL_HL_CB, in, sizeof(union hl_cb_args), rc, out)
#define expect_cs(in, rc, out) \
	expect_ioctl(DRM_IOCTL_HL_CS, in, sizeof(union hl_cs_args), rc, out)
#define expect_wait(in, rc, out) \
	expect_ioctl(DRM_IOCTL_HL_WAIT_CS, in, sizeof(union hl_wait_cs_args), \
		     rc, out)
#define expect_mem(in, rc, out) \
	expect_ioctl(DRM_IOCTL_HL_MEMORY, in, sizeof(union hl_mem_args), \
		     rc, out)
/* Such an argument, by what is not zero in it, and such an answer. */
#define IN(type, ...)	(&(union hl_##type##_args){ .in = { __VA_ARGS__ } })
#define OUT(type, ...)	(&(union hl_##type##_args){ .out = { __VA_ARGS__ } })

/*
 * The next ioctl must be INFO @op for @size bytes, with @extra in the union of
 * parameters. It copies *@data to the caller, if not NULL, and answers @rc.
 */
void expect_info(uint32_t op, uint32_t size, uint32_t extra, int rc,
		 const void *data);
/* The same of all of @data, a variable, without a parameter. */
#define expect_info_of(op, data) expect_info(op, sizeof(data), 0, 0, &(data))
/* The same, and @extra_out in the union afterwards. */
void expect_info_out(uint32_t op, uint32_t size, uint32_t extra, int rc,
		     const void *data, uint32_t extra_out);

/*
 * The next ioctl must be a CS equal to *@in, but for chunks_execute, which must
 * point at @num chunks equal to @chunks.
 */
void expect_cs_chunks(const union hl_cs_args *in,
		      const struct hl_cs_chunk *chunks, uint32_t num, int rc,
		      const union hl_cs_args *out);

/* Any number of ioctls, answered by @handler, instead of expected ones. */
typedef int (*mock_ioctl_fn)(int fd, unsigned long request, void *arg);
void mock_ioctls(mock_ioctl_fn handler);

/* What hlt_os_open() finds there: content, or (negative) why it cannot. */
void mock_file(const char *path, const char *content);
void mock_file_err(const char *path, int rc);
void mock_link(const char *path, const char *target);
/* Cards as sysfs shows them; @node_rc is what opening accelN gives (0: fd). */
void mock_card(int index, const char *busid, const char *device,
	       const char *module_id, int node_rc);
/* The device number of every fd. */
void mock_devnum(int rc, unsigned int major_nr, unsigned int minor_nr);
/* The next poll of the eventfd answers @rc; the next read gives @count. */
void mock_poll(int rc);
void mock_eventfd_count(uint64_t count);
/* Everything written to the file with this path since it was opened. */
const char *mock_written(const char *path);
/* The path of the last file opened. */
const char *mock_last_opened(void);
int mock_open_count(void);
/* Each look at the clock moves it by so much. */
void mock_clock_step(uint64_t us);
unsigned int mock_sleeps(void);

#endif /* MOCK_H */
