// SPDX-License-Identifier: GPL-2.0-only
/*
 * Failure, the same for every function: what the driver answers is what the
 * caller gets, errno says it too, and nothing is taken from an answer that is
 * none. NULL where a pointer is needed is -EINVAL without asking anybody.
 */
#include <errno.h>

#include "mock.h"

static int driver_says;
static unsigned int calls;

/* A driver may leave anything in the argument of a call that fails. */
static int fails(int fd, unsigned long request, void *arg)
{
	(void)fd;
	memset(arg, 0xa5, (request >> 16) & 0x3fff);
	calls++;

	return driver_says;
}

/* One line for each function: @call gives @want and leaves it in errno. */
#define GIVES(want, call) do { \
	errno = 0; \
	assert_int_equal(call, want); \
	assert_int_equal(errno, -(want)); \
} while (0)
#define INVALID(call) GIVES(-EINVAL, call)
#define DRIVER(call) do { \
	calls = 0; \
	GIVES(driver_says, call); \
	assert_int_equal(calls, 1); \
} while (0)
/* Handles and addresses are 0 instead. */
#define ADDRESS(call) do { \
	errno = 0; \
	assert_true((call) == 0); \
	assert_int_equal(errno, -driver_says); \
} while (0)

#include "calls.h"

/* What a failure leaves behind */
static void nothing_is_told(void)
{
	uint64_t stamp = 1;
	uint32_t status = 99;

	assert_int_equal(cs_out.seq + sig_out.seq + wout.seq, 0);
	assert_int_equal(res_out.handle.id, 0);
	assert_int_equal(many_out.seq_set + many_out.completed, 0);
	assert_int_equal(untouched + untouched_n, 14);
	DRIVER(hlthunk_wait_for_cs_with_timestamp(FD, 1, 1, &status, &stamp));
	assert_int_equal(status, driver_says == -EIO ?
			 HL_WAIT_CS_STATUS_ABORTED : HL_WAIT_CS_STATUS_BUSY);
	assert_int_equal(stamp, 0);
	status = 99;
	DRIVER(hlthunk_wait_for_cs(FD, 1, 1, &status));
	assert_int_equal(status, driver_says == -EIO ?
			 HL_WAIT_CS_STATUS_ABORTED : HL_WAIT_CS_STATUS_BUSY);
	assert_false(hlthunk_is_device_idle(FD));
	assert_int_equal(hlthunk_get_device_id_from_fd(FD), 0);
	assert_int_equal(hlthunk_get_device_name_from_fd(FD),
			 HLTHUNK_DEVICE_INVALID);
}

static void notifiers_fail(void)
{
	uint64_t events, count;
	int fd;

	mock_poll(1);
	mock_eventfd_count(3);
	fd = hlt_os_eventfd();
	DRIVER(hlthunk_notifier_recv(FD, fd, &events, &count, 0, 1));
	assert_int_equal(events + count, 0);
	DRIVER(hlthunk_notifier_release(FD, fd));
	/* Whatever it was, it was no notifier: it stays open. */
	if (driver_says == -EINVAL)
		WORKS(hlt_os_close(fd));
}

/*
 * No such card, no such request (older and newer drivers), no such value, an
 * error of the card, and no memory.
 */
MOCK_TEST(the_driver_s_answer)
{
	static const int codes[] = {
		-ENODEV, -ENOTTY, -EINVAL, -EOPNOTSUPP, -EIO, -ENOMEM, -EBUSY,
		-EFAULT, -EBADF, -EPERM,
	};

	mock_ioctls(fails);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		driver_says = codes[i];
		submissions_fail(FD);
		waits_fail(FD);
		memory_fails(FD);
		information_fails(FD);
		records_fail(FD);
		nothing_is_told();
		notifiers_fail();
	}
}

MOCK_TEST(null_and_nonsense)
{
	null_submissions(FD);
	null_waits(FD);
	null_information(FD);
	null_memory(FD);
	null_names(FD);
}

/* Neither a card nor a descriptor of one. */
MOCK_TEST(no_card)
{
	struct hlthunk_debugfs d = { .addr_fd = -1, .data_fd = -1 };
	char busid[16];
	uint32_t val;

	GIVES(-ENODEV, hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, NULL));
	GIVES(-ENODEV, hlthunk_open(HLTHUNK_DEVICE_GAUDI2, NULL));
	GIVES(-ENODEV, hlthunk_open_by_module_id(0));
	GIVES(-ENODEV, hlthunk_open_control(0, NULL));
	GIVES(-ENODEV, hlthunk_open_control(0, "01:00.0"));
	GIVES(-ENODEV, hlthunk_open_control_by_bus_id("01:00.0"));
	GIVES(-ENODEV, hlthunk_open_control_by_module_id(0));
	GIVES(-ENODEV, hlthunk_open_control_by_name(HLTHUNK_DEVICE_GAUDI,
						    NULL));
	GIVES(-ENODEV, hlthunk_get_device_index_from_pci_bus_id("01:00.0"));
	assert_int_equal(hlthunk_get_device_count(HLTHUNK_DEVICE_GAUDI), 0);
	assert_int_equal(hlthunk_get_device_count(HLTHUNK_DEVICE_DONT_CARE), 0);
	GIVES(-EBADF, hlthunk_close(-1));
	GIVES(-EBADF, hlthunk_close(FD));
	mock_devnum(-EBADF, 0, 0);
	GIVES(-EBADF, hlthunk_get_pci_bus_id_from_fd(FD, busid, 16));
	GIVES(-EBADF, hlthunk_debugfs_open(FD, &d));
	mock_devnum(-ENOTTY, 0, 0);
	GIVES(-ENOTTY, hlthunk_get_pci_bus_id_from_fd(FD, busid, 16));
	mock_devnum(0, 1, 3);
	GIVES(-ENODEV, hlthunk_get_pci_bus_id_from_fd(FD, busid, 16));
	GIVES(-ENODEV, hlthunk_debugfs_open(FD, &d));
	GIVES(-EBADF, hlthunk_debugfs_read(&d, 0, &val));
	GIVES(-EBADF, hlthunk_debugfs_write(&d, 0, 0));
	GIVES(-EBADF, hlthunk_debugfs_close(&d));
	GIVES(-EBADF, hlthunk_notifier_recv(FD, -1, &(uint64_t){ 0 },
					    &(uint64_t){ 0 }, 0, 0));
}
