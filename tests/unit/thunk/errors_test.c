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
#define NOTHING(want, call) do { \
	errno = 0; \
	assert_true((call) == 0); \
	assert_int_equal(errno, -(want)); \
} while (0)

static struct hl_cs_chunk chunk;
static struct hlthunk_cs_in cs = {
	.chunks_execute = &chunk, .num_chunks_execute = 1,
};
static struct hlthunk_cs_out cs_out;
static struct hlthunk_signal_in sig;
static struct hlthunk_signal_out sig_out;
static struct hlthunk_wait_for_signal_data data;
static struct hlthunk_wait_in win = {
	.hlthunk_wait_for_signal = (uint64_t *)&data, .num_wait_for_signal = 1,
};
static struct hlthunk_wait_out wout;
static struct hlthunk_sig_res_in res;
static struct hlthunk_sig_res_out res_out;
static uint64_t seqs[2];
static struct hlthunk_wait_multi_cs_in many = { .seq = seqs, .seq_len = 2 };
static struct hlthunk_wait_multi_cs_out many_out;

static void submissions_fail(void)
{
	uint32_t id[1] = { 0 }, status;

	DRIVER(hlthunk_command_submission(FD, &cs, &cs_out));
	DRIVER(hlthunk_command_submission_timeout(FD, &cs, &cs_out, 1));
	DRIVER(hlthunk_staged_command_submission(FD, 1, &cs, &cs_out));
	DRIVER(hlthunk_staged_command_submission_timeout(FD, 1, &cs, &cs_out,
							 1));
	DRIVER(hlthunk_staged_command_submission_encaps_signals(FD, 1, &cs,
								&cs_out));
	DRIVER(hlthunk_signal_submission(FD, &sig, &sig_out));
	DRIVER(hlthunk_signal_submission_timeout(FD, &sig, &sig_out, 1));
	DRIVER(hlthunk_wait_for_signal(FD, &win, &wout));
	DRIVER(hlthunk_wait_for_signal_timeout(FD, &win, &wout, 1));
	DRIVER(hlthunk_wait_for_collective_signal(FD, &win, &wout));
	DRIVER(hlthunk_wait_for_collective_signal_timeout(FD, &win, &wout, 1));
	DRIVER(hlthunk_wait_for_reserved_encaps_signals(FD, &win, &wout));
	DRIVER(hlthunk_wait_for_reserved_encaps_collective_signals(FD, &win,
								   &wout));
	DRIVER(hlthunk_reserve_encaps_signals(FD, &res, &res_out));
	DRIVER(hlthunk_unreserve_encaps_signals(FD, &res_out.handle, &status));
	DRIVER(hlthunk_cs_flush_pci_hbw_writes(FD));
	DRIVER(hlthunk_engine_cores_set_mode(FD, id, 1, HL_ENGINE_CORE_RUN));
	DRIVER(hlthunk_engines_command(FD, id, 1, HL_ENGINE_CORE_RUN));
	assert_int_equal(cs_out.seq + sig_out.seq + wout.seq, 0);
	assert_int_equal(res_out.handle.id, 0);
}

static void waits_fail(void)
{
	uint64_t value = 0, stamp = 1;
	uint32_t status = 99;

	DRIVER(hlthunk_wait_for_cs(FD, 1, 1, &status));
	assert_int_equal(status, driver_says == -EIO ?
			 HL_WAIT_CS_STATUS_ABORTED : HL_WAIT_CS_STATUS_BUSY);
	DRIVER(hlthunk_wait_for_cs(FD, 1, 1, NULL));
	DRIVER(hlthunk_wait_for_cs_with_timestamp(FD, 1, 1, &status, &stamp));
	assert_int_equal(stamp, 0);
	DRIVER(hlthunk_deprecated_func1(FD, 1, 1, &status, &stamp));
	DRIVER(hlthunk_wait_for_multi_cs(FD, &many, &many_out));
	assert_int_equal(many_out.seq_set + many_out.completed, 0);
	DRIVER(hlthunk_wait_for_multi_cs_with_timestamp(FD, &many, &many_out,
							&stamp));
	DRIVER(hlthunk_wait_for_interrupt(FD, &value, 1, 0, 1, &status));
	DRIVER(hlthunk_wait_for_interrupt_with_timestamp(FD, &value, 1, 0, 1,
							 &status, &stamp));
	DRIVER(hlthunk_wait_for_interrupt_by_handle(FD, 1, 0, 1, 0, 1,
						    &status));
	DRIVER(hlthunk_wait_for_interrupt_by_handle_with_timestamp(FD, 1, 0, 1,
							0, 1, &status, &stamp));
	DRIVER(hlthunk_register_timestamp_interrupt(FD, 0, 1, 0, 1, 1, 0));
	DRIVER(hlthunk_deprecated_func2(FD, 0, 1, 0, 1, 1, 0));
}

static void memory_fails(void)
{
	uint64_t handle = 7;
	uint32_t n = 7;

	DRIVER(hlthunk_request_command_buffer(FD, 4096, &handle));
	DRIVER(hlthunk_request_mapped_command_buffer(FD, 4096, &handle));
	DRIVER(hlthunk_destroy_command_buffer(FD, 1));
	DRIVER(hlthunk_get_cb_usage_count(FD, 1, &n));
	DRIVER(hlthunk_get_mapped_cb_device_va_by_handle(FD, 1, &handle));
	DRIVER(hlthunk_device_memory_free(FD, 1));
	DRIVER(hlthunk_memory_unmap(FD, 0x1000));
	DRIVER(hlthunk_device_memory_export_dmabuf_fd(FD, 1, 1, 0));
	DRIVER(hlthunk_device_mapped_memory_export_dmabuf_fd(FD, 1, 1, 0, 0));
	DRIVER(hlthunk_get_hw_block(FD, 1, &n, &handle));
	DRIVER(hlthunk_allocate_timestamp_elements(FD, 1, &handle));
	DRIVER(hlthunk_deprecated_func3(FD, 1, &handle));
	NOTHING(driver_says, hlthunk_device_memory_alloc(FD, 1, 0, 0, 0));
	NOTHING(driver_says, hlthunk_device_memory_map(FD, 1, 0));
	NOTHING(driver_says, hlthunk_host_memory_map(FD, &n, 0, 1));
	NOTHING(driver_says, hlthunk_host_memory_map_flags(FD, &n, 0, 1, 0));
	assert_int_equal(handle + n, 14);
}

static void information_fails(void)
{
	static union {
		struct hlthunk_hw_ip_info ip;
		struct hlthunk_open_stats_info open;
		struct hlthunk_hw_asic_status asic;
		struct hlthunk_dram_usage_info dram;
		struct hlthunk_engines_idle_info idle;
		struct hlthunk_pll_frequency_info pll;
		struct hlthunk_reset_count_info resets;
		struct hlthunk_time_sync_info time;
		struct hlthunk_sync_manager_info sm;
		struct hl_info_cs_counters counters;
		struct hlthunk_pci_counters_info pci;
		struct hlthunk_clk_throttle_info throttle;
		struct hlthunk_energy_info energy;
		struct hlthunk_power_info power;
		struct hlthunk_dram_replaced_rows_info rows;
		struct hlthunk_sec_attest_info attest;
	} u;
	uint64_t orders;
	uint32_t a, b;

	memset(&u, 0, sizeof(u));
	DRIVER(hlthunk_get_hw_ip_info(FD, &u.ip));
	DRIVER(hlthunk_get_open_stats(FD, &u.open));
	DRIVER(hlthunk_get_hw_asic_status(FD, &u.asic));
	DRIVER(hlthunk_get_dram_usage(FD, &u.dram));
	DRIVER((int)hlthunk_get_device_status_info(FD));
	DRIVER(hlthunk_get_busy_engines_mask(FD, &u.idle));
	DRIVER(hlthunk_get_pll_frequency(FD, 0, &u.pll));
	DRIVER(hlthunk_get_device_utilization(FD, 100, &a));
	DRIVER(hlthunk_get_hw_events_arr(FD, true, 4, &a));
	DRIVER(hlthunk_get_clk_rate(FD, &a, &b));
	DRIVER(hlthunk_get_reset_count_info(FD, &u.resets));
	DRIVER(hlthunk_get_time_sync_info(FD, &u.time));
	DRIVER(hlthunk_get_sync_manager_info(FD, 0, &u.sm));
	DRIVER(hlthunk_get_cs_counters_info(FD, &u.counters));
	DRIVER(hlthunk_get_pci_counters_info(FD, &u.pci));
	DRIVER(hlthunk_get_clk_throttle_info(FD, &u.throttle));
	DRIVER(hlthunk_get_total_energy_consumption_info(FD, &u.energy));
	DRIVER(hlthunk_get_power_info(FD, &u.power));
	DRIVER(hlthunk_get_dram_replaced_rows_info(FD, &u.rows));
	DRIVER(hlthunk_get_dram_pending_rows_info(FD, &a));
	DRIVER(hlthunk_get_sec_attest_info(FD, 0, &u.attest));
	DRIVER(hlthunk_get_dev_memalloc_page_orders(FD, &orders));
	assert_false(hlthunk_is_device_idle(FD));
	assert_int_equal(hlthunk_get_device_id_from_fd(FD), 0);
	assert_int_equal(hlthunk_get_device_name_from_fd(FD),
			 HLTHUNK_DEVICE_INVALID);
}

/* Texts, requests handed on, and what the driver records and reports. */
static void records_fail(void)
{
	static union {
		struct hlthunk_page_fault_info fault;
		struct hlthunk_event_record_undefined_opcode record;
		struct hl_info_args info;
		struct hl_debug_args debug;
	} u;
	uint64_t events, count;
	char text[1024];
	int size;

	memset(&u, 0, sizeof(u));
	DRIVER(hlthunk_get_engine_status(FD, text, sizeof(text), &size));
	DRIVER(hlthunk_fw_send_generic_request(FD, text, 4, 0));
	for (int id = HLTHUNK_OPEN_DEV; id <= HLTHUNK_FW_ERR_OPCODE; id++)
		DRIVER(hlthunk_get_event_record(FD, id, &u.record));
	memset(&u, 0, sizeof(u));
	DRIVER(hlthunk_get_page_fault_info(FD, &u.fault, 0));
	DRIVER(hlthunk_get_info(FD, &u.info));
	DRIVER(hlthunk_debug(FD, &u.debug));
	DRIVER(hlthunk_notifier_create(FD));
	mock_poll(1);
	mock_eventfd_count(3);
	size = hlt_os_eventfd();
	DRIVER(hlthunk_notifier_recv(FD, size, &events, &count, 0, 1));
	assert_int_equal(events + count, 0);
	DRIVER(hlthunk_notifier_release(FD, size));
	/* Whatever it was, it was no notifier: it stays open. */
	if (driver_says == -EINVAL)
		WORKS(hlt_os_close(size));
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
		submissions_fail();
		waits_fail();
		memory_fails();
		information_fails();
		records_fail();
	}
}

static void null_submissions(void)
{
	struct hlthunk_wait_in none = win;

	INVALID(hlthunk_command_submission(FD, NULL, &cs_out));
	INVALID(hlthunk_command_submission(FD, &cs, NULL));
	INVALID(hlthunk_command_submission_timeout(FD, NULL, &cs_out, 1));
	INVALID(hlthunk_staged_command_submission(FD, 1, NULL, &cs_out));
	INVALID(hlthunk_staged_command_submission_timeout(FD, 1, &cs, NULL, 1));
	INVALID(hlthunk_staged_command_submission_encaps_signals(FD, 1, NULL,
								 &cs_out));
	INVALID(hlthunk_staged_command_submission_encaps_signals(FD, 1ull << 32,
								 &cs, &cs_out));
	INVALID(hlthunk_signal_submission(FD, NULL, &sig_out));
	INVALID(hlthunk_signal_submission(FD, &sig, NULL));
	INVALID(hlthunk_signal_submission_timeout(FD, NULL, &sig_out, 1));
	INVALID(hlthunk_wait_for_signal(FD, NULL, &wout));
	INVALID(hlthunk_wait_for_signal(FD, &win, NULL));
	none.hlthunk_wait_for_signal = NULL;
	INVALID(hlthunk_wait_for_collective_signal(FD, &none, &wout));
	INVALID(hlthunk_wait_for_signal_timeout(FD, &none, &wout, 1));
	none = win;
	none.num_wait_for_signal = 0;
	INVALID(hlthunk_wait_for_reserved_encaps_signals(FD, &none, &wout));
	none.num_wait_for_signal = UINT32_MAX;
	INVALID(hlthunk_wait_for_signal(FD, &none, &wout));
	INVALID(hlthunk_reserve_encaps_signals(FD, NULL, &res_out));
	INVALID(hlthunk_reserve_encaps_signals(FD, &res, NULL));
	INVALID(hlthunk_unreserve_encaps_signals(FD, NULL, NULL));
}

static void null_waits(void)
{
	struct hlthunk_wait_multi_cs_in none = many;

	INVALID(hlthunk_wait_for_multi_cs(FD, NULL, &many_out));
	INVALID(hlthunk_wait_for_multi_cs(FD, &many, NULL));
	none.seq_len = HL_WAIT_MULTI_CS_LIST_MAX_LEN + 1;
	INVALID(hlthunk_wait_for_multi_cs(FD, &none, &many_out));
	none.seq_len = 0;
	INVALID(hlthunk_wait_for_multi_cs_with_timestamp(FD, &none, &many_out,
							 NULL));
	none.seq_len = 1;
	none.seq = NULL;
	INVALID(hlthunk_wait_for_multi_cs(FD, &none, &many_out));
	INVALID(hlthunk_wait_for_interrupt(FD, NULL, 1, 0x1000, 1, NULL));
	INVALID(hlthunk_register_timestamp_interrupt(FD, 0x1000, 1, 0, 1, 1,
						     0));
}

static void null_information(void)
{
	uint64_t n;
	uint32_t a;
	char c;
	int i;

	INVALID(hlthunk_get_info(FD, NULL));
	INVALID(hlthunk_debug(FD, NULL));
	INVALID(hlthunk_get_hw_ip_info(FD, NULL));
	INVALID(hlthunk_get_open_stats(FD, NULL));
	INVALID(hlthunk_get_hw_asic_status(FD, NULL));
	INVALID(hlthunk_get_dram_usage(FD, NULL));
	INVALID(hlthunk_get_busy_engines_mask(FD, NULL));
	INVALID(hlthunk_get_pll_frequency(FD, 0, NULL));
	INVALID(hlthunk_get_device_utilization(FD, 100, NULL));
	INVALID(hlthunk_get_hw_events_arr(FD, true, 4, NULL));
	INVALID(hlthunk_get_hw_events_arr(FD, true, 0, &a));
	INVALID(hlthunk_get_clk_rate(FD, &a, NULL));
	INVALID(hlthunk_get_clk_rate(FD, NULL, &a));
	INVALID(hlthunk_get_reset_count_info(FD, NULL));
	INVALID(hlthunk_get_time_sync_info(FD, NULL));
	INVALID(hlthunk_get_sync_manager_info(FD, 0, NULL));
	INVALID(hlthunk_get_cs_counters_info(FD, NULL));
	INVALID(hlthunk_get_pci_counters_info(FD, NULL));
	INVALID(hlthunk_get_clk_throttle_info(FD, NULL));
	INVALID(hlthunk_get_total_energy_consumption_info(FD, NULL));
	INVALID(hlthunk_get_power_info(FD, NULL));
	INVALID(hlthunk_get_dram_replaced_rows_info(FD, NULL));
	INVALID(hlthunk_get_dram_pending_rows_info(FD, NULL));
	INVALID(hlthunk_get_sec_attest_info(FD, 0, NULL));
	INVALID(hlthunk_get_dev_memalloc_page_orders(FD, NULL));
	INVALID(hlthunk_get_engine_status(FD, NULL, 1024, &i));
	INVALID(hlthunk_get_engine_status(FD, &c, 1024, NULL));
	INVALID(hlthunk_get_event_record(FD, HLTHUNK_OPEN_DEV, NULL));
	INVALID(hlthunk_get_event_record(FD, 77, &n));
	INVALID(hlthunk_get_page_fault_info(FD, NULL, 0));
	INVALID(hlthunk_notifier_recv(FD, 1, NULL, &n, 0, 0));
	INVALID(hlthunk_notifier_recv(FD, 1, &n, NULL, 0, 0));
	INVALID(hlthunk_notifier_recv(FD, 1, &n, &n, 1, 0));
}

MOCK_TEST(null_and_nonsense)
{
	uint64_t n;
	uint32_t a;
	char c;

	null_submissions();
	null_waits();
	null_information();
	INVALID(hlthunk_request_command_buffer(FD, 1, NULL));
	INVALID(hlthunk_request_mapped_command_buffer(FD, 1, NULL));
	INVALID(hlthunk_get_cb_usage_count(FD, 1, NULL));
	INVALID(hlthunk_get_mapped_cb_device_va_by_handle(FD, 1, NULL));
	INVALID(hlthunk_get_hw_block(FD, 1, NULL, &n));
	INVALID(hlthunk_get_hw_block(FD, 1, &a, NULL));
	INVALID(hlthunk_allocate_timestamp_elements(FD, 1, NULL));
	INVALID(hlthunk_allocate_timestamp_elements(FD, 0, &n));
	INVALID(hlthunk_debugfs_open(FD, NULL));
	INVALID(hlthunk_debugfs_read(NULL, 0, &a));
	INVALID(hlthunk_debugfs_write(NULL, 0, 0));
	INVALID(hlthunk_debugfs_close(NULL));
	INVALID(hlthunk_open(HLTHUNK_DEVICE_INVALID, NULL));
	INVALID(hlthunk_open(HLTHUNK_DEVICE_MAX, NULL));
	INVALID(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, "gaudi"));
	INVALID(hlthunk_open_control(-1, NULL));
	INVALID(hlthunk_open_control(HLTHUNK_MAX_MINOR, NULL));
	INVALID(hlthunk_open_control_by_bus_id(NULL));
	INVALID(hlthunk_get_device_index_from_pci_bus_id(NULL));
	INVALID(hlthunk_get_device_count(HLTHUNK_DEVICE_MAX));
	INVALID(hlthunk_get_pci_bus_id_from_fd(FD, NULL, 13));
	INVALID(hlthunk_get_pci_bus_id_from_fd(FD, &c, 0));
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
