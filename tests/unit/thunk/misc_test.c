// SPDX-License-Identifier: GPL-2.0-only
/* Hash table, notifier, debugfs, profiler hooks, log; memory that runs out. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock.h"

/* The n-th allocation from now on fails; 0: none. Linked with --wrap. */
static int fail_at;

void *__real_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return fail_at && !--fail_at ? NULL : __real_calloc(n, size);
}

void *__wrap_malloc(size_t size)
{
	return fail_at && !--fail_at ? NULL : __real_malloc(size);
}

MOCK_TEST(hash_basics)
{
	void *t = hlthunk_hash_create();
	unsigned long key;
	void *val = NULL;

	assert_non_null(t);
	assert_int_equal(hlthunk_hash_lookup(t, 5, &val), 1);
	assert_int_equal(hlthunk_hash_insert(t, 5, &key), 0);
	assert_int_equal(hlthunk_hash_insert(t, 5, t), 1);
	assert_int_equal(hlthunk_hash_lookup(t, 5, &val), 0);
	assert_ptr_equal(val, &key);
	assert_int_equal(hlthunk_hash_first(t, &key, &val), 1);
	assert_int_equal(key, 5);
	assert_int_equal(hlthunk_hash_next(t, &key, &val), 0);
	assert_int_equal(hlthunk_hash_delete(t, 5), 0);
	assert_int_equal(hlthunk_hash_delete(t, 5), 1);
	assert_int_equal(hlthunk_hash_first(t, &key, &val), 0);
	assert_int_equal(hlthunk_hash_destroy(t), 0);
	assert_int_equal(hlthunk_hash_insert(NULL, 1, NULL), -1);
	assert_int_equal(hlthunk_hash_lookup(NULL, 1, &val), -1);
	assert_int_equal(hlthunk_hash_delete(NULL, 1), -1);
	assert_int_equal(hlthunk_hash_destroy(NULL), -1);
	assert_int_equal(hlthunk_hash_next(NULL, &key, &val), -1);
}

#define KEYS	20000

static unsigned long nth_key(unsigned int i)
{
	return i * 0x10000ul;		/* addresses: low bits all zero */
}

MOCK_TEST(hash_many)
{
	static unsigned char seen[KEYS];
	void *t = hlthunk_hash_create();
	unsigned int count = 0;
	unsigned long key;
	void *val;
	int rc;

	memset(seen, 0, sizeof(seen));
	for (unsigned int i = 0; i < KEYS; i++)
		assert_int_equal(hlthunk_hash_insert(t, nth_key(i), &seen[i]),
				 0);
	for (unsigned int i = 0; i < KEYS; i += 2)
		assert_int_equal(hlthunk_hash_delete(t, nth_key(i)), 0);
	for (unsigned int i = 0; i < KEYS; i++)
		assert_int_equal(hlthunk_hash_lookup(t, nth_key(i), &val),
				 !(i % 2));
	/* Every entry once, and deleting the one just seen is allowed. */
	for (rc = hlthunk_hash_first(t, &key, &val); rc == 1;
	     rc = hlthunk_hash_next(t, &key, &val)) {
		(*(unsigned char *)val)++;
		assert_ptr_equal(val, &seen[key / 0x10000]);
		assert_int_equal(hlthunk_hash_delete(t, key), 0);
		count++;
	}
	assert_int_equal(count, KEYS / 2);
	for (unsigned int i = 0; i < KEYS; i++)
		assert_int_equal(seen[i], i % 2);
	hlthunk_hash_destroy(t);
}

MOCK_TEST(hash_without_memory)
{
	void *t;

	for (int n = 1; n <= 2; n++) {
		fail_at = n;
		assert_null(hlthunk_hash_create());
	}
	fail_at = 0;
	t = hlthunk_hash_create();
	fail_at = 1;
	assert_int_equal(hlthunk_hash_insert(t, 1, t), -1);
	/* The table that cannot grow keeps working. */
	for (unsigned int i = 0; i < 200; i++) {
		fail_at = 2;
		assert_int_equal(hlthunk_hash_insert(t, nth_key(i), t), 0);
	}
	fail_at = 0;
	for (unsigned int i = 0; i < 200; i++) {
		void *val;

		assert_int_equal(hlthunk_hash_lookup(t, nth_key(i), &val), 0);
	}
	hlthunk_hash_destroy(t);
}

/* The driver that only counts memory, while memory runs out. */
static int counting_driver(int fd, unsigned long request, void *arg)
{
	const struct hl_info_hw_ip_info ip = {
		.device_id = 0x1000, .dram_size = 0x10000000,
		.dram_base_address = 0x20000000, .dram_page_size = 0x200000,
	};
	struct hl_info_args *info = arg;
	union hl_mem_args *mem = arg;
	static int64_t used;

	(void)fd;
	if (request == DRM_IOCTL_HL_INFO) {
		memcpy((void *)(uintptr_t)info->return_pointer, &ip,
		       sizeof(ip));
	} else if (mem->in.op == HL_MEM_OP_ALLOC) {
		used += (int64_t)mem->in.alloc.mem_size;
		memset(mem, 0, sizeof(*mem));
	} else {
		used -= (int64_t)mem->in.free.handle;
		assert_true(used >= 0);
	}

	return 0;
}

MOCK_TEST(calls_without_memory)
{
	struct hlthunk_wait_for_signal_data data = { .queue_index = 1 };
	struct hlthunk_wait_in in = {
		.hlthunk_wait_for_signal = (uint64_t *)&data,
		.num_wait_for_signal = 1,
	};
	struct hlthunk_wait_out out;

	mock_ioctls(counting_driver);
	for (int n = 1; n <= 2; n++) {
		fail_at = n;
		errno = 0;
		assert_int_equal(hlthunk_device_memory_alloc(FD, 4096, 0, false,
							     false), 0);
		assert_int_equal(errno, ENOMEM);
	}
	fail_at = 0;
	assert_true(hlthunk_device_memory_alloc(FD, 4096, 0, false, false));
	fail_at = 1;
	assert_int_equal(hlthunk_wait_for_signal(FD, &in, &out), -ENOMEM);
	fail_at = 1;
	assert_null(hlthunk_malloc(10));
	fail_at = 0;
}

MOCK_TEST(notifier)
{
	const uint64_t events = HL_NOTIFIER_EVENT_DEVICE_RESET;
	uint64_t got, count;
	int handle;

	expect_info(HL_INFO_REGISTER_EVENTFD, 0, 100, 0, NULL);
	handle = hlthunk_notifier_create(FD);
	assert_int_equal(handle, 100);

	mock_poll(1);
	mock_eventfd_count(3);
	expect_info_of(HL_INFO_GET_EVENTS, events);
	WORKS(hlthunk_notifier_recv(FD, handle, &got, &count, 0, 100));
	assert_int_equal(got, events);
	assert_int_equal(count, 3);
	/* Somebody else was faster. */
	WORKS(hlthunk_notifier_recv(FD, handle, &got, &count, 0, 100));
	assert_int_equal(count, 0);
	/* A signal, then the end of the time. */
	mock_poll(-EINTR);
	mock_clock_step(1000);
	WORKS(hlthunk_notifier_recv(FD, handle, &got, &count, 0, 2));
	assert_int_equal(count, 0);
	assert_int_equal(hlthunk_notifier_recv(FD, 55, &got, &count, 0, 2),
			 -EBADF);

	expect_info(HL_INFO_UNREGISTER_EVENTFD, 0, 100, 0, NULL);
	WORKS(hlthunk_notifier_release(FD, handle));

	/* One per fd, says the driver; the eventfd does not stay open. */
	expect_info(HL_INFO_REGISTER_EVENTFD, 0, 100, -EINVAL, NULL);
	assert_int_equal(hlthunk_notifier_create(FD), -EINVAL);
}

#define DIR_612	"/sys/kernel/debug/accel/0000:01:00.0/"
#define DIR_OLD	"/sys/kernel/debug/accel/0/"

static void debugfs_with(const char *addr, const char *data)
{
	struct hlthunk_debugfs d;
	uint32_t val = 0;

	mock_card(0, "0000:01:00.0", "0x1000\n", "0\n", 0);
	mock_devnum(0, 261, 0);
	mock_link("/sys/dev/char/261:0", "../accel/accel0");
	mock_file(addr, "");
	mock_file(data, "0xcafe0001\n");
	WORKS(hlthunk_debugfs_open(FD, &d));
	assert_int_equal(d.clk_gate_fd, -1);
	WORKS(hlthunk_debugfs_read(&d, 0x7ffc508000, &val));
	assert_int_equal(val, 0xcafe0001);
	assert_string_equal(mock_written(addr), "0x7ffc508000\n");
	WORKS(hlthunk_debugfs_write(&d, 0x20000000, 0x55));
	assert_string_equal(mock_written(addr), "0x7ffc508000\n0x20000000\n");
	assert_string_equal(mock_written(data), "0x55\n");
	WORKS(hlthunk_debugfs_close(&d));
	assert_int_equal(hlthunk_debugfs_close(&d), -EBADF);
}

MOCK_TEST(debugfs_by_parent)
{
	mock_file("/sys/class/accel/accel0/device/parent_device",
		  "0000:01:00.0\n");
	debugfs_with(DIR_612 "addr", DIR_612 "data32");
}

MOCK_TEST(debugfs_by_index)
{
	debugfs_with(DIR_OLD "addr", DIR_OLD "data32");
}

MOCK_TEST(debugfs_failures)
{
	struct hlthunk_debugfs d;

	mock_card(0, "0000:01:00.0", "0x1000\n", "0\n", 0);
	mock_devnum(0, 261, 0);
	mock_link("/sys/dev/char/261:0", "../accel/accel0");
	assert_int_equal(hlthunk_debugfs_open(FD, &d), -ENOENT);
	mock_file(DIR_612 "addr", "");
	mock_file_err(DIR_612 "data32", -EACCES);
	assert_int_equal(hlthunk_debugfs_open(FD, &d), -EACCES);
}

MOCK_TEST(debug_ioctl)
{
	struct hl_debug_args args = { .op = HL_DEBUG_OP_SET_MODE, .enable = 1 };

	expect_ioctl(DRM_IOCTL_HL_DEBUG, &args, sizeof(args), -EINTR, NULL);
	expect_ioctl(DRM_IOCTL_HL_DEBUG, &args, sizeof(args), -EBUSY, NULL);
	assert_int_equal(hlthunk_debug(FD, &args), -EBUSY);
}

MOCK_TEST(profiler_hooks)
{
	uint64_t size = 0, entries = 0;

	unsetenv("HLTHUNK_PROFILER_LIB");
	assert_int_equal(hlthunk_profiler_start(FD), -ENOTSUP);
	setenv("HLTHUNK_PROFILER_LIB", "/nonexistent.so", 1);
	assert_int_equal(hlthunk_profiler_start(FD), -ENOTSUP);
	assert_int_equal(hlthunk_profiler_stop(FD), -ENOTSUP);
	assert_int_equal(hlthunk_profiler_get_trace(FD, NULL, &size, &entries),
			 -ENOTSUP);
	hlthunk_profiler_destroy();
	setenv("HLTHUNK_PROFILER_LIB", getenv("FAKE_PROFILER"), 1);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(hlthunk_profiler_start(FD), FD + 1);
		assert_int_equal(hlthunk_profiler_stop(FD), FD + 2);
		WORKS(hlthunk_profiler_get_trace(FD, NULL, &size, &entries));
		assert_int_equal(size, 64);
		assert_int_equal(entries, 2);
		hlthunk_profiler_destroy();
	}
	unsetenv("HLTHUNK_PROFILER_LIB");
}

static atomic_bool stop;

static void *call_hooks(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop)) {
		hlthunk_profiler_start(FD);
		hlthunk_profiler_destroy();
	}

	return NULL;
}

/* A child may use the library, whoever was in a hook, loaded or unloaded it. */
MOCK_TEST(children_unload_the_profiler)
{
	pthread_t thread;

	setenv("HLTHUNK_PROFILER_LIB", getenv("FAKE_PROFILER"), 1);
	WORKS(pthread_create(&thread, NULL, call_hooks, NULL));
	for (int i = 0; i < 50; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid) {
			/* Longer than anything that comes to an end. */
			alarm(60);
			hlthunk_profiler_destroy();
			_exit(hlthunk_profiler_stop(FD) != FD + 2);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	hlthunk_profiler_destroy();
	unsetenv("HLTHUNK_PROFILER_LIB");
}

/* What a failing call writes to stderr at this level. */
static size_t logged(const char *level, char *buf, size_t size)
{
	FILE *f = tmpfile();
	int saved = dup(2);
	size_t n;

	setenv("HLTHUNK_DEBUG_LEVEL", level, 1);
	dup2(fileno(f), 2);
	expect_info(HL_INFO_POWER, sizeof(struct hl_power_info), 0, -EBUSY,
		    NULL);
	hlthunk_get_power_info(FD, &(struct hlthunk_power_info){});
	dup2(saved, 2);
	close(saved);
	rewind(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
	unsetenv("HLTHUNK_DEBUG_LEVEL");

	return n;
}

MOCK_TEST(log_only_when_asked)
{
	char buf[256];

	assert_int_equal(logged("0", buf, sizeof(buf)), 0);
	assert_int_equal(logged("", buf, sizeof(buf)), 0);
	assert_true(logged("1", buf, sizeof(buf)) > 0);
	assert_non_null(strstr(buf, "INFO 17"));
	assert_non_null(strstr(buf, "busy"));
}

MOCK_TEST(version_and_memory)
{
	unsigned char *p = hlthunk_malloc(100);
	char *version = hlthunk_get_version();

	for (int i = 0; i < 100; i++)
		assert_int_equal(p[i], 0);
	hlthunk_free(p);
	hlthunk_free(NULL);
	assert_int_equal(strncmp(version, "1.10.0-open-gaudi-", 18), 0);
	hlthunk_free(version);
}
