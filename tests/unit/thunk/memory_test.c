// SPDX-License-Identifier: GPL-2.0-only
/* MEMORY, and the book of device memory for drivers that keep none. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock.h"

#define BASE	0x20000000ull
#define PAGE	0x200000ull
#define PAGES	8

static const struct hl_info_hw_ip_info gaudi = {
	.device_id = 0x1000,
	.dram_base_address = BASE,
	.dram_size = PAGES * PAGE,
	.dram_page_size = PAGE,
	.device_mem_alloc_default_page_size = PAGE,
};

static void expect_alloc(uint64_t size, uint64_t page, uint32_t flags, int rc,
			 uint64_t handle)
{
	expect_mem(IN(mem, .op = HL_MEM_OP_ALLOC, .alloc.mem_size = size,
		      .alloc.page_size = page, .flags = flags),
		   rc, OUT(mem, .handle = handle));
}

static void expect_free(uint64_t handle, int rc)
{
	expect_mem(IN(mem, .op = HL_MEM_OP_FREE, .free.handle = handle), rc,
		   NULL);
}

static void expect_hw_ip(void)
{
	expect_info_of(HL_INFO_HW_IP_INFO, gaudi);
}

/* What the thunk allocates itself, after the driver has counted it. */
static uint64_t alloc(uint64_t size, uint64_t page)
{
	expect_alloc(size, page, 0, 0, 0);
	return hlthunk_device_memory_alloc(FD, size, page, false, false);
}

/* The same for the first time: it asks where memory is. */
static uint64_t first_alloc(uint64_t size, uint64_t page)
{
	expect_alloc(size, page, 0, 0, 0);
	expect_hw_ip();
	return hlthunk_device_memory_alloc(FD, size, page, false, false);
}

/* There is no room; the driver is to count it off again. */
static void no_alloc(uint64_t size, uint64_t page)
{
	expect_alloc(size, page, 0, 0, 0);
	expect_free(size, 0);
	errno = 0;
	assert_int_equal(hlthunk_device_memory_alloc(FD, size, page, false,
						     false), 0);
	assert_int_equal(errno, ENOMEM);
}

static void give_back(uint64_t handle, uint64_t size)
{
	expect_free(size, 0);
	WORKS(hlthunk_device_memory_free(FD, handle));
}

MOCK_TEST(driver_with_handles)
{
	expect_alloc(4096, PAGE, HL_MEM_CONTIGUOUS | HL_MEM_SHARED, 0, 77);
	assert_int_equal(hlthunk_device_memory_alloc(FD, 4096, PAGE, true,
						     true), 77);
	expect_mem(IN(mem, .op = HL_MEM_OP_MAP, .map_device.handle = 77,
		      .map_device.hint_addr = 0x1234000),
		   0, OUT(mem, .device_virt_addr = 0x20400000));
	assert_int_equal(hlthunk_device_memory_map(FD, 77, 0x1234000),
			 0x20400000);
	expect_mem(IN(mem, .op = HL_MEM_OP_UNMAP,
		      .unmap.device_virt_addr = 0x20400000), 0, NULL);
	WORKS(hlthunk_memory_unmap(FD, 0x20400000));
	expect_free(77, 0);
	WORKS(hlthunk_device_memory_free(FD, 77));
}

MOCK_TEST(driver_without_handles)
{
	uint64_t a, b;

	a = first_alloc(100, 0);
	assert_int_equal(a, BASE + (PAGES - 1) * PAGE);
	b = alloc(PAGE + 1, 0);
	assert_int_equal(b, BASE + (PAGES - 3) * PAGE);

	/* Neither mapping nor unmapping is any of the driver's business. */
	assert_int_equal(hlthunk_device_memory_map(FD, a, 0), a);
	WORKS(hlthunk_memory_unmap(FD, a));

	/* It is told the size that it was told before. */
	give_back(a, 100);
	give_back(b, PAGE + 1);
}

/*
 * Such a driver would take any number for a size, and count it off: what the
 * book does not know does not get there.
 */
MOCK_TEST(wrong_handles)
{
	uint64_t a;

	a = first_alloc(PAGE, 0);
	errno = 0;
	assert_int_equal(hlthunk_device_memory_free(FD, a + 1), -EINVAL);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_int_equal(hlthunk_device_memory_map(FD, a + 1, 0), 0);
	assert_int_equal(errno, EINVAL);
	give_back(a, PAGE);
	assert_int_equal(hlthunk_device_memory_free(FD, a), -EINVAL);
	expect_free(0, 0);
	WORKS(hlthunk_device_memory_free(FD, 0));
}

/* Who only has memory counted frees it by its size. */
MOCK_TEST(counted_memory)
{
	uint64_t a;

	assert_true(first_alloc(3 * PAGE + 5, 0));
	a = alloc(PAGE, 0);
	assert_int_equal(hlthunk_device_memory_free(FD, 2 * PAGE), -EINVAL);
	give_back(3 * PAGE + 5, 3 * PAGE + 5);
	assert_int_equal(hlthunk_device_memory_free(FD, 3 * PAGE + 5), -EINVAL);
	/* The other one is still there, and is not given out again. */
	no_alloc((PAGES - 1) * PAGE, 0);
	give_back(a, PAGE);
}

/* Mainline's answer to a map of device memory has no address. */
MOCK_TEST(map_without_address)
{
	expect_mem(IN(mem, .op = HL_MEM_OP_MAP, .map_device.handle = 9), 0,
		   OUT(mem));
	errno = 0;
	assert_int_equal(hlthunk_device_memory_map(FD, 9, 0), 0);
	assert_int_equal(errno, EINVAL);
}

MOCK_TEST(full_memory)
{
	uint64_t a, b, c;

	a = first_alloc(6 * PAGE, 0);
	assert_int_equal(a, BASE + 2 * PAGE);
	no_alloc(3 * PAGE, 0);
	b = alloc(2 * PAGE, 0);
	assert_int_equal(b, BASE);
	/* A hole in the middle is found again. */
	give_back(a, 6 * PAGE);
	c = alloc(5 * PAGE, 0);
	assert_int_equal(c, BASE + 3 * PAGE);
	/* ... with an alignment that leaves a gap. */
	assert_int_equal(alloc(1, PAGE), BASE + 2 * PAGE);
	no_alloc(UINT64_MAX, 0);
}

MOCK_TEST(alignment)
{
	uint64_t a;

	a = first_alloc(4096, 4096);
	assert_int_equal(a, BASE + PAGES * PAGE - 4096);
	no_alloc(4096, 8 * PAGE);
	a = alloc(4096, 4 * PAGE);
	assert_int_equal(a % (4 * PAGE), 0);
	a = alloc(4096, 1ull << 40);
	assert_int_equal(a % PAGE, 0);
	assert_int_not_equal(a, 0);
	errno = 0;
	assert_int_equal(hlthunk_device_memory_alloc(FD, 4096, 3, false, false),
			 0);
	assert_int_equal(errno, EINVAL);
}

MOCK_TEST(opening_forgets)
{
	int fd;

	assert_true(first_alloc(1, 0));
	/* It may have been a duplicate: nothing is given out twice. */
	hlthunk_close(FD);
	no_alloc(PAGES * PAGE, 0);
	/* Opened anew, the card has everything free again. */
	mock_card(0, "../../../0000:01:00.0", "0x1000", "0", 0);
	fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL);
	assert_true(fd >= 0);
	hlthunk_close(fd);
	assert_int_equal(first_alloc(PAGES * PAGE, 0), BASE);
}

MOCK_TEST(other_chips_get_nothing)
{
	struct hl_info_hw_ip_info ip = gaudi;

	ip.device_id = 0x1020;
	expect_alloc(1, 0, 0, 0, 0);
	expect_info_of(HL_INFO_HW_IP_INFO, ip);
	expect_free(1, 0);
	assert_int_equal(hlthunk_device_memory_alloc(FD, 1, 0, false, false),
			 0);
	assert_int_equal(errno, ENOTSUP);
	expect_alloc(1, 0, 0, -EBUSY, 0);
	assert_int_equal(hlthunk_device_memory_alloc(FD, 1, 0, false, false),
			 0);
	assert_int_equal(errno, EBUSY);
}

MOCK_TEST(host_memory)
{
	int x;
	union hl_mem_args in = { .in = {
		.op = HL_MEM_OP_MAP, .flags = HL_MEM_USERPTR,
		.map_host = { .host_virt_addr = (uintptr_t)&x,
			      .hint_addr = 0x1000, .mem_size = sizeof(x) },
	} };

	expect_mem(&in, 0, OUT(mem, .device_virt_addr = 0x1000000200000));
	assert_int_equal(hlthunk_host_memory_map(FD, &x, 0x1000, sizeof(x)),
			 0x1000000200000);
	in.in.flags = HL_MEM_USERPTR | HL_MEM_FORCE_HINT;
	expect_mem(&in, -EINTR, OUT(mem, .handle = 1));
	expect_mem(&in, -ENOMEM, NULL);
	assert_int_equal(hlthunk_host_memory_map_flags(FD, &x, 0x1000,
						       sizeof(x),
						       HL_MEM_FORCE_HINT), 0);
	assert_int_equal(errno, ENOMEM);
}

MOCK_TEST(the_rest)
{
	uint64_t handle;
	uint32_t size;

	expect_mem(IN(mem, .op = HL_MEM_OP_MAP_BLOCK,
		      .map_block.block_addr = 0x7ffc508000),
		   0, OUT(mem, .block_handle = 9, .block_size = 4096));
	WORKS(hlthunk_get_hw_block(FD, 0x7ffc508000, &size, &handle));
	assert_int_equal(size, 4096);
	assert_int_equal(handle, 9);
	expect_mem(IN(mem, .op = HL_MEM_OP_EXPORT_DMABUF_FD, .flags = 2,
		      .export_dmabuf_fd = { .addr = BASE, .mem_size = PAGE,
					    .offset = 3 }),
		   0, OUT(mem, .fd = 12));
	assert_int_equal(hlthunk_device_mapped_memory_export_dmabuf_fd(FD, BASE,
							PAGE, 3, 2), 12);
	expect_mem(IN(mem, .op = HL_MEM_OP_EXPORT_DMABUF_FD, .flags = 2,
		      .export_dmabuf_fd = { .addr = BASE, .mem_size = PAGE }),
		   -EINVAL, NULL);
	assert_int_equal(hlthunk_device_memory_export_dmabuf_fd(FD, BASE, PAGE,
								2), -EINVAL);
	for (int i = 0; i < 2; i++) {
		expect_mem(IN(mem, .op = HL_MEM_OP_TS_ALLOC,
			      .num_of_elements = 100),
			   0, OUT(mem, .handle = 5 + i));
		WORKS(i ? hlthunk_deprecated_func3(FD, 100, &handle) :
			  hlthunk_allocate_timestamp_elements(FD, 100, &handle));
		assert_int_equal(handle, 5 + i);
	}
}

/* A driver that only counts, for many threads at once. */
static int counting_driver(int fd, unsigned long request, void *arg)
{
	struct hl_info_hw_ip_info ip = gaudi;
	struct hl_info_args *info = arg;
	union hl_mem_args *mem = arg;

	(void)fd;
	if (request == DRM_IOCTL_HL_INFO) {
		ip.dram_size = 4096 * PAGE;
		memcpy((void *)(uintptr_t)info->return_pointer, &ip,
		       sizeof(ip));
	} else if (mem->in.op == HL_MEM_OP_ALLOC) {
		memset(mem, 0, sizeof(*mem));
	}

	return 0;
}

#define THREADS	16
#define ROUNDS	50
#define HELD	8

static void *allocate(void *arg)
{
	uint64_t *held = arg;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t *h = &held[i % HELD];

		if (*h)
			hlthunk_device_memory_free(FD, *h);
		*h = hlthunk_device_memory_alloc(FD, PAGE, 0, false, false);
	}

	return NULL;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

MOCK_TEST(many_threads)
{
	static uint64_t held[THREADS][HELD];
	uint64_t *all = &held[0][0];
	pthread_t threads[THREADS];

	memset(held, 0, sizeof(held));
	mock_ioctls(counting_driver);
	for (int i = 0; i < THREADS; i++)
		WORKS(pthread_create(&threads[i], NULL, allocate, held[i]));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	qsort(all, THREADS * HELD, sizeof(*all), by_value);
	assert_true(all[0] >= BASE);
	for (int i = 1; i < THREADS * HELD; i++)
		assert_true(all[i] >= all[i - 1] + PAGE);
	for (int i = 0; i < THREADS * HELD; i++)
		WORKS(hlthunk_device_memory_free(FD, all[i]));
}

/*
 * Not with AddressSanitizer: its own allocator is locked in a child for ever if
 * another thread was in it (GCC 12 and 14). ThreadSanitizer's is not.
 */
#ifndef __SANITIZE_ADDRESS__
static atomic_bool stop;

/* At the end of a long book. */
static void *allocate_and_free(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop))
		hlthunk_device_memory_free(FD, hlthunk_device_memory_alloc(FD,
					   PAGE, 0, false, false));

	return NULL;
}

/* The book's lock is free in a child, whoever had it. */
MOCK_TEST(children_allocate)
{
	uint64_t all[1000], more[HELD] = {};
	pthread_t thread;

	mock_ioctls(counting_driver);
	for (int i = 0; i < 1000; i++)
		all[i] = hlthunk_device_memory_alloc(FD, PAGE, 0, false, false);
	atomic_store(&stop, false);
	WORKS(pthread_create(&thread, NULL, allocate_and_free, NULL));
	for (int i = 0; i < 50; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid) {
			/* Longer than anything that comes to an end. */
			alarm(60);
			allocate(more);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	for (int i = 0; i < 1000; i++)
		WORKS(hlthunk_device_memory_free(FD, all[i]));
}
#endif
