// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every function of libhl-thunk without a card: descriptors that are none, then
 * pointers that lead nowhere. Each says so by a negative errno, or by 0 where it
 * returns an address, and sets errno; none crashes. Prints how many were called.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <hlthunk.h>

static unsigned int calls, bad;

static void check(const char *call, long long rc, int address)
{
	calls++;
	if ((address ? !rc : rc < 0 && errno == -rc) && errno > 0)
		return;
	printf("%s returns %lld, errno %d\n", call, rc, errno);
	bad++;
}

#define FAILS(call)	(errno = 0, check(#call, (call), 0))
#define NOTHING(call)	(errno = 0, check(#call, (long long)(call), 1))

/* What takes a descriptor, with all else in order. */
static void without_a_card(int fd)
{
	static uint64_t u64[512];
	static uint32_t u32[512];
	static struct hl_info_cs_counters counters;
	struct hlthunk_hw_ip_info ip;
	struct hlthunk_open_stats_info stats;
	struct hlthunk_hw_asic_status asic;
	struct hlthunk_dram_usage_info usage;
	struct hlthunk_engines_idle_info idle;
	struct hlthunk_pll_frequency_info pll;
	struct hlthunk_reset_count_info resets;
	struct hlthunk_time_sync_info sync;
	struct hlthunk_sync_manager_info manager;
	struct hlthunk_pci_counters_info pci;
	struct hlthunk_clk_throttle_info throttle;
	struct hlthunk_energy_info energy;
	struct hlthunk_power_info power;
	struct hl_info_args info = {};

	FAILS(hlthunk_get_pci_bus_id_from_fd(fd, (char *)u64, 20));
	FAILS(hlthunk_get_hw_ip_info(fd, &ip));
	FAILS(hlthunk_get_open_stats(fd, &stats));
	FAILS(hlthunk_get_hw_asic_status(fd, &asic));
	FAILS(hlthunk_get_dram_usage(fd, &usage));
	FAILS((int)hlthunk_get_device_status_info(fd));
	NOTHING(hlthunk_get_device_id_from_fd(fd));
	NOTHING(hlthunk_is_device_idle(fd));
	NOTHING(hlthunk_get_device_name_from_fd(fd) !=
		HLTHUNK_DEVICE_INVALID);
	FAILS(hlthunk_get_busy_engines_mask(fd, &idle));
	FAILS(hlthunk_get_pll_frequency(fd, 0, &pll));
	FAILS(hlthunk_get_device_utilization(fd, 100, u32));
	FAILS(hlthunk_get_hw_events_arr(fd, true, sizeof(u32), u32));
	FAILS(hlthunk_get_clk_rate(fd, u32, u32 + 1));
	FAILS(hlthunk_get_reset_count_info(fd, &resets));
	FAILS(hlthunk_get_time_sync_info(fd, &sync));
	FAILS(hlthunk_get_sync_manager_info(fd, 0, &manager));
	FAILS(hlthunk_get_cs_counters_info(fd, &counters));
	FAILS(hlthunk_get_pci_counters_info(fd, &pci));
	FAILS(hlthunk_get_clk_throttle_info(fd, &throttle));
	FAILS(hlthunk_get_total_energy_consumption_info(fd, &energy));
	FAILS(hlthunk_get_power_info(fd, &power));
	FAILS(hlthunk_get_info(fd, &info));
}

static void records_without_a_card(int fd)
{
	static uint64_t u64[512];
	static struct hlthunk_dram_replaced_rows_info rows;
	static struct hlthunk_sec_attest_info attest;
	struct hlthunk_page_fault_info fault = {};
	struct hl_debug_args debug = {};
	struct hlthunk_debugfs debugfs;
	uint32_t n;
	int size;

	FAILS(hlthunk_get_dram_replaced_rows_info(fd, &rows));
	FAILS(hlthunk_get_dram_pending_rows_info(fd, &n));
	FAILS(hlthunk_get_sec_attest_info(fd, 1, &attest));
	FAILS(hlthunk_get_page_fault_info(fd, &fault, 0));
	FAILS(hlthunk_get_event_record(fd, HLTHUNK_CS_TIMEOUT, u64));
	FAILS(hlthunk_get_event_record(fd, HLTHUNK_RAZWI_EVENT, u64));
	FAILS(hlthunk_get_engine_status(fd, (char *)u64, sizeof(u64), &size));
	FAILS(hlthunk_get_dev_memalloc_page_orders(fd, u64));
	FAILS(hlthunk_fw_send_generic_request(fd, u64, 8, 1));
	FAILS(hlthunk_debug(fd, &debug));
	FAILS(hlthunk_debugfs_open(fd, &debugfs));
	FAILS(hlthunk_profiler_start(fd));
	FAILS(hlthunk_profiler_stop(fd));
	FAILS(hlthunk_profiler_get_trace(fd, u64, u64, u64));
	FAILS(hlthunk_notifier_create(fd));
	FAILS(hlthunk_notifier_release(fd, -1));
	FAILS(hlthunk_notifier_recv(fd, -1, u64, u64 + 1, 0, 0));
	FAILS(hlthunk_get_hw_block(fd, 0, &n, u64));
}

static void work_without_a_card(int fd)
{
	static uint64_t u64[512];
	struct hl_cs_chunk chunk = {};
	struct hlthunk_cs_in cs = { .chunks_execute = &chunk,
				    .num_chunks_execute = 1 };
	struct hlthunk_cs_out cs_out;
	struct hlthunk_signal_in signal = {};
	struct hlthunk_signal_out signal_out;
	struct hlthunk_wait_for_signal_data data = {};
	struct hlthunk_wait_in wait = {
		.hlthunk_wait_for_signal = (uint64_t *)(void *)&data,
		.num_wait_for_signal = 1,
	};
	struct hlthunk_wait_out wait_out;
	struct hlthunk_sig_res_in res = {};
	struct hlthunk_sig_res_out res_out;
	struct reserve_sig_handle handle = {};
	uint32_t ids[1] = {}, n;

	FAILS(hlthunk_request_command_buffer(fd, 4096, u64));
	FAILS(hlthunk_request_mapped_command_buffer(fd, 4096, u64));
	FAILS(hlthunk_destroy_command_buffer(fd, 1));
	FAILS(hlthunk_get_mapped_cb_device_va_by_handle(fd, 1, u64));
	FAILS(hlthunk_get_cb_usage_count(fd, 1, &n));
	FAILS(hlthunk_command_submission(fd, &cs, &cs_out));
	FAILS(hlthunk_command_submission_timeout(fd, &cs, &cs_out, 1));
	FAILS(hlthunk_staged_command_submission(fd, 0, &cs, &cs_out));
	FAILS(hlthunk_staged_command_submission_timeout(fd, 0, &cs, &cs_out,
							1));
	FAILS(hlthunk_staged_command_submission_encaps_signals(fd, 1, &cs,
							       &cs_out));
	FAILS(hlthunk_cs_flush_pci_hbw_writes(fd));
	FAILS(hlthunk_engine_cores_set_mode(fd, ids, 1, 0));
	FAILS(hlthunk_engines_command(fd, ids, 1, 0));
	FAILS(hlthunk_signal_submission(fd, &signal, &signal_out));
	FAILS(hlthunk_signal_submission_timeout(fd, &signal, &signal_out, 1));
	FAILS(hlthunk_wait_for_signal(fd, &wait, &wait_out));
	FAILS(hlthunk_wait_for_signal_timeout(fd, &wait, &wait_out, 1));
	FAILS(hlthunk_wait_for_collective_signal(fd, &wait, &wait_out));
	FAILS(hlthunk_wait_for_collective_signal_timeout(fd, &wait, &wait_out,
							 1));
	FAILS(hlthunk_reserve_encaps_signals(fd, &res, &res_out));
	FAILS(hlthunk_unreserve_encaps_signals(fd, &handle, &n));
	FAILS(hlthunk_wait_for_reserved_encaps_signals(fd, &wait, &wait_out));
	FAILS(hlthunk_wait_for_reserved_encaps_collective_signals(fd, &wait,
								  &wait_out));
}

static void waits_without_a_card(int fd)
{
	static uint64_t u64[512];
	struct hlthunk_wait_multi_cs_in multi = { u64, 0, 1 };
	struct hlthunk_wait_multi_cs_out multi_out;
	uint32_t n;

	FAILS(hlthunk_wait_for_cs(fd, 1, 0, &n));
	FAILS(hlthunk_wait_for_cs(fd, 1, 0, NULL));
	FAILS(hlthunk_wait_for_cs_with_timestamp(fd, 1, 0, &n, u64));
	FAILS(hlthunk_wait_for_cs_with_timestamp(fd, 1, 0, NULL, NULL));
	FAILS(hlthunk_deprecated_func1(fd, 1, 0, &n, u64));
	FAILS(hlthunk_wait_for_multi_cs(fd, &multi, &multi_out));
	FAILS(hlthunk_wait_for_multi_cs_with_timestamp(fd, &multi, &multi_out,
						       u64));
	FAILS(hlthunk_wait_for_interrupt(fd, u64, 1, 0, 0, &n));
	FAILS(hlthunk_wait_for_interrupt_with_timestamp(fd, u64, 1, 0, 0, &n,
							u64));
	FAILS(hlthunk_wait_for_interrupt_by_handle(fd, 0, 0, 1, 0, 0, &n));
	FAILS(hlthunk_wait_for_interrupt_by_handle_with_timestamp(fd, 0, 0, 1,
								  0, 0, &n,
								  u64));
	FAILS(hlthunk_register_timestamp_interrupt(fd, 0, 0, 0, 1, 0, 0));
	FAILS(hlthunk_deprecated_func2(fd, 0, 0, 0, 1, 0, 0));
	FAILS(hlthunk_allocate_timestamp_elements(fd, 1, u64));
	FAILS(hlthunk_deprecated_func3(fd, 1, u64));
	NOTHING(hlthunk_device_memory_alloc(fd, 4096, 0, true, false));
	FAILS(hlthunk_device_memory_free(fd, 1));
	NOTHING(hlthunk_device_memory_map(fd, 1, 0));
	NOTHING(hlthunk_host_memory_map(fd, u64, 0, sizeof(u64)));
	NOTHING(hlthunk_host_memory_map_flags(fd, u64, 0, sizeof(u64), 0));
	FAILS(hlthunk_memory_unmap(fd, 1));
	FAILS(hlthunk_device_memory_export_dmabuf_fd(fd, 0, 4096, 0));
	FAILS(hlthunk_device_mapped_memory_export_dmabuf_fd(fd, 0, 4096, 0, 0));
}

static void pointers_to_nowhere(int fd)
{
	struct hlthunk_page_fault_info fault = {};
	uint64_t n;

	FAILS(hlthunk_get_pci_bus_id_from_fd(fd, NULL, 20));
	FAILS(hlthunk_get_hw_ip_info(fd, NULL));
	FAILS(hlthunk_get_open_stats(fd, NULL));
	FAILS(hlthunk_get_hw_asic_status(fd, NULL));
	FAILS(hlthunk_get_dram_usage(fd, NULL));
	FAILS(hlthunk_get_busy_engines_mask(fd, NULL));
	FAILS(hlthunk_get_pll_frequency(fd, 0, NULL));
	FAILS(hlthunk_get_device_utilization(fd, 100, NULL));
	FAILS(hlthunk_get_hw_events_arr(fd, true, 4, NULL));
	FAILS(hlthunk_get_clk_rate(fd, NULL, NULL));
	FAILS(hlthunk_get_reset_count_info(fd, NULL));
	FAILS(hlthunk_get_time_sync_info(fd, NULL));
	FAILS(hlthunk_get_sync_manager_info(fd, 0, NULL));
	FAILS(hlthunk_get_cs_counters_info(fd, NULL));
	FAILS(hlthunk_get_pci_counters_info(fd, NULL));
	FAILS(hlthunk_get_clk_throttle_info(fd, NULL));
	FAILS(hlthunk_get_total_energy_consumption_info(fd, NULL));
	FAILS(hlthunk_get_power_info(fd, NULL));
	FAILS(hlthunk_get_info(fd, NULL));
	FAILS(hlthunk_get_dram_replaced_rows_info(fd, NULL));
	FAILS(hlthunk_get_dram_pending_rows_info(fd, NULL));
	FAILS(hlthunk_get_sec_attest_info(fd, 1, NULL));
	FAILS(hlthunk_get_page_fault_info(fd, NULL, 0));
	FAILS(hlthunk_get_page_fault_info(fd, &fault, 1));
	FAILS(hlthunk_get_event_record(fd, HLTHUNK_OPEN_DEV, NULL));
	FAILS(hlthunk_get_event_record(fd, 99, &n));
	FAILS(hlthunk_get_engine_status(fd, NULL, 0, NULL));
	FAILS(hlthunk_get_dev_memalloc_page_orders(fd, NULL));
	FAILS(hlthunk_fw_send_generic_request(fd, NULL, 0, 1));
	FAILS(hlthunk_debug(fd, NULL));
	FAILS(hlthunk_debugfs_open(fd, NULL));
	FAILS(hlthunk_debugfs_read(NULL, 0, NULL));
	FAILS(hlthunk_debugfs_write(NULL, 0, 0));
	FAILS(hlthunk_debugfs_close(NULL));
	FAILS(hlthunk_notifier_recv(fd, fd, NULL, NULL, 0, 0));
	FAILS(hlthunk_notifier_recv(fd, fd, &n, &n, 1, 0));
	FAILS(hlthunk_get_hw_block(fd, 0, NULL, NULL));
}

static void work_to_nowhere(int fd)
{
	struct hlthunk_wait_multi_cs_in multi = { NULL, 0, 1 };
	struct hlthunk_wait_multi_cs_out multi_out;
	struct hlthunk_wait_in wait = { .num_wait_for_signal = 1 };
	struct hlthunk_wait_out wait_out;

	FAILS(hlthunk_request_command_buffer(fd, 4096, NULL));
	FAILS(hlthunk_request_mapped_command_buffer(fd, 4096, NULL));
	FAILS(hlthunk_get_mapped_cb_device_va_by_handle(fd, 1, NULL));
	FAILS(hlthunk_get_cb_usage_count(fd, 1, NULL));
	FAILS(hlthunk_command_submission(fd, NULL, NULL));
	FAILS(hlthunk_command_submission_timeout(fd, NULL, NULL, 1));
	FAILS(hlthunk_staged_command_submission(fd, 0, NULL, NULL));
	FAILS(hlthunk_staged_command_submission_timeout(fd, 0, NULL, NULL, 1));
	FAILS(hlthunk_staged_command_submission_encaps_signals(fd, 1, NULL,
							       NULL));
	FAILS(hlthunk_signal_submission(fd, NULL, NULL));
	FAILS(hlthunk_wait_for_signal(fd, NULL, NULL));
	FAILS(hlthunk_wait_for_signal(fd, &wait, &wait_out));
	FAILS(hlthunk_reserve_encaps_signals(fd, NULL, NULL));
	FAILS(hlthunk_unreserve_encaps_signals(fd, NULL, NULL));
	FAILS(hlthunk_wait_for_multi_cs(fd, NULL, NULL));
	FAILS(hlthunk_wait_for_multi_cs(fd, &multi, &multi_out));
	FAILS(hlthunk_allocate_timestamp_elements(fd, 1, NULL));
	NOTHING(hlthunk_device_memory_alloc(fd, 4096, 3, true, false));
}

static void names(void)
{
	FAILS(hlthunk_open(HLTHUNK_DEVICE_INVALID, NULL));
	FAILS(hlthunk_open(HLTHUNK_DEVICE_MAX, NULL));
	FAILS(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "no address"));
	FAILS(hlthunk_open(HLTHUNK_DEVICE_GAUDI, "ffff:ff:1f.7"));
	FAILS(hlthunk_open_by_module_id(UINT32_MAX));
	FAILS(hlthunk_open_control(-1, NULL));
	FAILS(hlthunk_open_control(HLTHUNK_MAX_MINOR, NULL));
	FAILS(hlthunk_open_control(0, ""));
	FAILS(hlthunk_open_control_by_name(HLTHUNK_DEVICE_GAUDI, "1"));
	FAILS(hlthunk_open_control_by_module_id(UINT32_MAX));
	FAILS(hlthunk_open_control_by_bus_id(NULL));
	FAILS(hlthunk_get_device_count(HLTHUNK_DEVICE_INVALID));
	FAILS(hlthunk_get_device_index_from_pci_bus_id(NULL));
	FAILS(hlthunk_get_device_index_from_pci_bus_id("ffff:ff:1f.7"));
	FAILS(hlthunk_close(-1));
}

static void all(int fd)
{
	without_a_card(fd);
	records_without_a_card(fd);
	work_without_a_card(fd);
	waits_without_a_card(fd);
	pointers_to_nowhere(fd);
	work_to_nowhere(fd);
}

int main(void)
{
	int file = open("/dev/null", O_RDWR);

	all(-1);
	all(file);
	names();
	/* What takes no card at all. */
	hlthunk_free(NULL);
	hlthunk_profiler_destroy();
	printf("%u\n", calls);
	close(file);

	return bad != 0;
}
