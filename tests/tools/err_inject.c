// SPDX-License-Identifier: GPL-2.0-only
/*
 * libhl-thunk-err_injection on a real driver and card, and what a program sees
 * of each fault. The last ones reset the card. Prints TAP.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <hlthunk.h>
#include <hlthunk_err_inject.h>

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

static void non_fatal_event(void **state)
{
	uint32_t before = resets(fd).hard_reset_count, count;
	uint64_t events = 0, n = 0;
	int event = -1, handle;

	(void)state;
	handle = hlthunk_notifier_create(fd);
	assert_true(handle >= 0);
	assert_int_equal(hlthunk_err_inject_non_fatal_event(fd, &event), 0);
	assert_int_equal(hlthunk_notifier_recv(fd, handle, &events, &n, 0,
					       PATIENCE_S * 1000), 0);
	assert_true(n > 0);
	assert_int_equal(events, HL_NOTIFIER_EVENT_GENERAL_HW_ERR);
	/* Again: the driver has unmasked it. */
	count = count_of(event);
	assert_true(count > 0);
	for (int i = 0; i < PATIENCE_S * 10 && count_of(event) == count; i++) {
		assert_int_equal(hlthunk_err_inject_non_fatal_event(fd, NULL),
				 0);
		usleep(100000);
	}
	assert_true(count_of(event) > count);
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

static void thermal_event(void **state)
{
	struct hlthunk_clk_throttle_info info;
	uint64_t start;

	(void)state;
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

/* The card has been reset, and a new user can work. */
static void wait_for_reset(int control, uint32_t before)
{
	for (int i = 0; i < PATIENCE_S * 10; i++) {
		if (resets(control).hard_reset_count > before &&
		    hlthunk_get_device_status_info(control) ==
		    HL_DEVICE_STATUS_OPERATIONAL)
			break;
		usleep(100000);
	}
	assert_int_equal(resets(control).hard_reset_count, before + 1);
	open_card();
	assert_true(hlthunk_is_device_idle(fd));
}

/*
 * The user is told, by notifier and by the record, and goes; a control node
 * watches what comes.
 */
static void fatal_event(void **state)
{
	struct hlthunk_event_record_critical_hw_err record = {};
	int control = hlthunk_open_control(0, NULL), event = -1, handle;
	uint32_t before = resets(control).hard_reset_count;
	uint64_t events = 0, n = 0, all = 0;

	(void)state;
	handle = hlthunk_notifier_create(fd);
	assert_true(handle >= 0);
	assert_int_equal(hlthunk_err_inject_fatal_event(fd, &event), 0);
	while (!(all & HL_NOTIFIER_EVENT_DEVICE_RESET)) {
		assert_int_equal(hlthunk_notifier_recv(fd, handle, &events, &n,
						0, PATIENCE_S * 1000), 0);
		assert_true(n > 0);
		all |= events;
	}
	assert_true(all & HL_NOTIFIER_EVENT_CRITICL_HW_ERR);
	assert_int_equal(hlthunk_get_event_record(control,
						  HLTHUNK_HW_ERR_OPCODE,
						  &record), 0);
	assert_int_equal(record.event_id, event);
	assert_true(record.timestamp > 0);
	hlthunk_notifier_release(fd, handle);
	hlthunk_close(fd);
	wait_for_reset(control, before);
	hlthunk_close(control);
}

static void loss_of_heartbeat(void **state)
{
	int control = hlthunk_open_control(0, NULL);
	uint32_t before = resets(control).hard_reset_count;

	(void)state;
	/* A control node does. */
	hlthunk_close(fd);
	assert_int_equal(hlthunk_err_inject_loss_of_heartbeat(control), 0);
	wait_for_reset(control, before);
	hlthunk_close(control);
}

static void endless_command(void **state)
{
	int control = hlthunk_open_control(0, NULL);
	uint32_t before = resets(control).hard_reset_count;

	(void)state;
	assert_true(hlthunk_err_inject_endless_command(control) < 0);
	assert_int_equal(hlthunk_err_inject_endless_command(fd), 0);
	for (int i = 0; i < PATIENCE_S * 10 && hlthunk_is_device_idle(fd); i++)
		usleep(100000);
	assert_false(hlthunk_is_device_idle(fd));
	hlthunk_close(fd);
	wait_for_reset(control, before);
	hlthunk_close(control);
}

static void wrong_descriptors(void **state)
{
	int event;

	(void)state;
	assert_true(hlthunk_err_inject_endless_command(-1) < 0);
	assert_true(hlthunk_err_inject_non_fatal_event(0, &event) < 0);
	assert_true(hlthunk_err_inject_fatal_event(-1, &event) < 0);
	assert_true(hlthunk_err_inject_loss_of_heartbeat(-1) < 0);
	assert_true(hlthunk_err_inject_thermal_event(-1) < 0);
	assert_true(hlthunk_err_eject_thermal_event(-1) < 0);
}

#define card_test(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		card_test(wrong_descriptors),
		card_test(non_fatal_event),
		card_test(thermal_event),
		card_test(fatal_event),
		card_test(loss_of_heartbeat),
		card_test(endless_command),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);

	return cmocka_run_group_tests_name("err_inject", tests, NULL, NULL);
}
