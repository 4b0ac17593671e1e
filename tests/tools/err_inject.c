// SPDX-License-Identifier: GPL-2.0-only
/*
 * libhl-thunk-err_injection on a real driver and card, and what a program sees
 * of each fault. The last ones reset the card. Prints TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <hlthunk.h>
#include <hlthunk_err_inject.h>

#include "../unit/unit.h"

#define EVENTS	1024
/* A reset takes seconds; a busy machine makes minutes of them. */
#define PATIENCE_S	240

static int fd = -1;

static void open_card(void)
{
	for (int i = 0; i < PATIENCE_S * 10; i++) {
		fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL);
		if (fd >= 0)
			return;
		usleep(100000);
	}
	fail_msg("the card does not come back: %d", fd);
}

static int set_up(void **state)
{
	(void)state;
	open_card();

	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hlthunk_close(fd);

	return 0;
}

#define CARD_TEST(fn) TEST_WITH(fn, set_up, tear_down)

static uint32_t count_of(int event)
{
	static uint32_t counts[EVENTS];

	assert_in_range(event, 0, EVENTS - 1);
	assert_int_equal(hlthunk_get_hw_events_arr(fd, true, sizeof(counts),
						   counts), 0);

	return counts[event];
}

static struct hlthunk_reset_count_info resets(int device)
{
	struct hlthunk_reset_count_info info = {};

	assert_int_equal(hlthunk_get_reset_count_info(device, &info), 0);

	return info;
}

CARD_TEST(non_fatal_event)
{
	uint32_t before = resets(fd).hard_reset_count, count;
	uint64_t events = 0, n = 0;
	int event = -1, handle;

	handle = hlthunk_notifier_create(fd);
	assert_true(handle >= 0);
	assert_int_equal(hlthunk_err_inject_non_fatal_event(fd, &event), 0);
	count = count_of(event);
	assert_true(count > 0);
	assert_int_equal(hlthunk_notifier_recv(fd, handle, &events, &n, 0,
					       PATIENCE_S * 1000), 0);
	assert_true(n > 0);
	assert_int_equal(events, HL_NOTIFIER_EVENT_GENERAL_HW_ERR);
	/* Each of them has been counted, and once, when the call returns. */
	for (uint32_t i = 1; i <= 3; i++) {
		assert_int_equal(hlthunk_err_inject_non_fatal_event(fd, NULL),
				 0);
		assert_int_equal(count_of(event), count + i);
	}
	assert_int_equal(resets(fd).hard_reset_count, before);
	assert_int_equal(hlthunk_get_device_status_info(fd),
			 HL_DEVICE_STATUS_OPERATIONAL);
	assert_int_equal(hlthunk_notifier_release(fd, handle), 0);
}

static uint32_t throttled(void)
{
	struct hlthunk_clk_throttle_info info;

	assert_int_equal(hlthunk_get_clk_throttle_info(fd, &info), 0);

	return info.clk_throttle_reason_bitmask & HLTHUNK_CLK_THROTTLE_THERMAL;
}

CARD_TEST(thermal_event)
{
	struct hlthunk_clk_throttle_info info;
	uint64_t start;

	assert_int_equal(throttled(), 0);
	assert_int_equal(hlthunk_err_inject_thermal_event(fd), 0);
	for (int i = 0; i < PATIENCE_S * 10 && !throttled(); i++)
		usleep(100000);
	assert_int_equal(throttled(), HLTHUNK_CLK_THROTTLE_THERMAL);
	assert_int_equal(hlthunk_get_clk_throttle_info(fd, &info), 0);
	start = info.clk_throttle_start_timestamp_us
		[HL_CLK_THROTTLE_TYPE_THERMAL];
	assert_true(start > 0);
	assert_int_equal(hlthunk_err_eject_thermal_event(fd), 0);
	for (int i = 0; i < PATIENCE_S * 10 && throttled(); i++)
		usleep(100000);
	assert_int_equal(throttled(), 0);
}

/*
 * The descriptor has been closed, the card reset, and a new user can work: when
 * the call returns, not some time later.
 */
static void card_is_back(int control, uint32_t before)
{
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(resets(control).hard_reset_count, before + 1);
	fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, NULL);
	assert_true(fd >= 0);
	assert_int_equal(hlthunk_get_device_status_info(fd),
			 HL_DEVICE_STATUS_OPERATIONAL);
	assert_true(hlthunk_is_device_idle(fd));
}

/* Has the card open as well, until it is told that a reset is due. */
struct user {
	int fd, handle, rc;
	uint64_t events;
	struct hlthunk_event_record_critical_hw_err record;
};

static void *user_told_to_go(void *arg)
{
	struct user *user = arg;
	uint64_t events, n;

	do {
		user->rc = hlthunk_notifier_recv(user->fd, user->handle,
						 &events, &n, 0,
						 PATIENCE_S * 1000);
		user->events |= events;
	} while (!user->rc && n &&
		 !(user->events & HL_NOTIFIER_EVENT_DEVICE_RESET));
	/* The next user finds no record of it. */
	if (!user->rc)
		user->rc = hlthunk_get_event_record(user->fd,
						    HLTHUNK_HW_ERR_OPCODE,
						    &user->record);
	hlthunk_notifier_release(user->fd, user->handle);
	hlthunk_close(user->fd);

	return NULL;
}

/* The user is told, by notifier and by the record. */
CARD_TEST(fatal_event)
{
	int control = hlthunk_open_control(0, NULL), event = -1;
	uint32_t before = resets(control).hard_reset_count;
	struct user user = { .fd = dup(fd) };
	pthread_t thread;

	user.handle = hlthunk_notifier_create(user.fd);
	assert_true(user.handle >= 0);
	assert_int_equal(pthread_create(&thread, NULL, user_told_to_go, &user),
			 0);
	assert_int_equal(hlthunk_err_inject_fatal_event(fd, &event), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(user.rc, 0);
	assert_int_equal(user.events & (HL_NOTIFIER_EVENT_DEVICE_RESET |
					HL_NOTIFIER_EVENT_CRITICL_HW_ERR),
			 HL_NOTIFIER_EVENT_DEVICE_RESET |
			 HL_NOTIFIER_EVENT_CRITICL_HW_ERR);
	assert_int_equal(user.record.event_id, event);
	assert_true(user.record.timestamp > 0);
	card_is_back(control, before);
	hlthunk_close(control);
}

CARD_TEST(loss_of_heartbeat)
{
	int control = hlthunk_open_control(0, NULL);
	uint32_t before = resets(control).hard_reset_count;

	/* A control node does, and is closed as well. */
	hlthunk_close(fd);
	fd = dup(control);
	assert_int_equal(hlthunk_err_inject_loss_of_heartbeat(fd), 0);
	card_is_back(control, before);
	hlthunk_close(control);
}

static void debugfs_path(const char *file, char *path, size_t size)
{
	char busid[16];

	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(fd, busid,
							sizeof(busid)), 0);
	snprintf(path, size, "/sys/kernel/debug/accel/%s/%s", busid, file);
}

/* Gives up on submissions after @seconds; returns what was there before. */
static unsigned int set_timeout(unsigned int seconds)
{
	unsigned int before;
	char path[64];
	FILE *f;

	debugfs_path("timeout_locked", path, sizeof(path));
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &before), 1);
	fclose(f);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%u", seconds);
	assert_int_equal(fclose(f), 0);

	return before;
}

/* Ends when the driver has given up, and leaves the descriptor open. */
CARD_TEST(endless_command)
{
	int control = hlthunk_open_control(0, NULL);
	uint32_t before = resets(control).hard_reset_count;
	struct hlthunk_event_record_cs_timeout record = {};
	unsigned int seconds;

	assert_true(hlthunk_err_inject_endless_command(control) < 0);
	seconds = set_timeout(2);
	assert_int_equal(hlthunk_err_inject_endless_command(fd), 0);
	assert_int_equal(hlthunk_get_event_record(control, HLTHUNK_CS_TIMEOUT,
						  &record), 0);
	assert_true(record.timestamp > 0);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	set_timeout(seconds);
	hlthunk_close(fd);
	open_card();
	assert_int_equal(resets(control).hard_reset_count, before + 1);
	hlthunk_close(control);
}

/* What could not be injected leaves the descriptor as it was. */
CARD_TEST(without_debugfs)
{
	int event;

	assert_int_equal(umount2("/sys/kernel/debug", MNT_DETACH), 0);
	assert_int_equal(hlthunk_err_inject_non_fatal_event(fd, &event),
			 -ENOENT);
	errno = 0;
	assert_int_equal(hlthunk_err_inject_fatal_event(fd, &event), -ENOENT);
	assert_int_equal(errno, ENOENT);
	errno = 0;
	assert_int_equal(hlthunk_err_inject_loss_of_heartbeat(fd), -ENOENT);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(hlthunk_err_inject_thermal_event(fd), -ENOENT);
	assert_int_equal(mount("debugfs", "/sys/kernel/debug", "debugfs", 0,
			       NULL), 0);
	assert_int_equal(hlthunk_get_device_status_info(fd),
			 HL_DEVICE_STATUS_OPERATIONAL);
}

CARD_TEST(wrong_descriptors)
{
	int event;

	assert_true(hlthunk_err_inject_endless_command(-1) < 0);
	assert_true(hlthunk_err_inject_non_fatal_event(0, &event) < 0);
	assert_true(hlthunk_err_inject_fatal_event(-1, &event) < 0);
	assert_true(hlthunk_err_inject_loss_of_heartbeat(-1) < 0);
	assert_true(hlthunk_err_inject_thermal_event(-1) < 0);
	assert_true(hlthunk_err_eject_thermal_event(-1) < 0);
}
