/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every function of libhl-thunk, called so that it fails. Whoever includes this says
 * what is expected of it, and which descriptor it gets, fd:
 *
 *	DRIVER(call)	all is in order, and the driver decides
 *	ADDRESS(call)	the same, and 0 is what the caller gets
 *	INVALID(call)	-EINVAL, without asking anybody
 */
#ifndef THUNK_CALLS_H
#define THUNK_CALLS_H

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

static void submissions_fail(int fd)
{
	uint32_t id[1] = { 0 }, status;

	DRIVER(hlthunk_command_submission(fd, &cs, &cs_out));
	DRIVER(hlthunk_command_submission_timeout(fd, &cs, &cs_out, 1));
	DRIVER(hlthunk_staged_command_submission(fd, 1, &cs, &cs_out));
	DRIVER(hlthunk_staged_command_submission_timeout(fd, 1, &cs, &cs_out,
							 1));
	DRIVER(hlthunk_staged_command_submission_encaps_signals(fd, 1, &cs,
								&cs_out));
	DRIVER(hlthunk_signal_submission(fd, &sig, &sig_out));
	DRIVER(hlthunk_signal_submission_timeout(fd, &sig, &sig_out, 1));
	DRIVER(hlthunk_wait_for_signal(fd, &win, &wout));
	DRIVER(hlthunk_wait_for_signal_timeout(fd, &win, &wout, 1));
	DRIVER(hlthunk_wait_for_collective_signal(fd, &win, &wout));
	DRIVER(hlthunk_wait_for_collective_signal_timeout(fd, &win, &wout, 1));
	DRIVER(hlthunk_wait_for_reserved_encaps_signals(fd, &win, &wout));
	DRIVER(hlthunk_wait_for_reserved_encaps_collective_signals(fd, &win,
								   &wout));
	DRIVER(hlthunk_reserve_encaps_signals(fd, &res, &res_out));
	DRIVER(hlthunk_unreserve_encaps_signals(fd, &res_out.handle, &status));
	DRIVER(hlthunk_cs_flush_pci_hbw_writes(fd));
	DRIVER(hlthunk_engine_cores_set_mode(fd, id, 1, HL_ENGINE_CORE_RUN));
	DRIVER(hlthunk_engines_command(fd, id, 1, HL_ENGINE_CORE_RUN));
}

static void waits_fail(int fd)
{
	uint64_t value = 0, stamp;
	uint32_t status;

	DRIVER(hlthunk_wait_for_cs(fd, 1, 1, &status));
	DRIVER(hlthunk_wait_for_cs(fd, 1, 1, NULL));
	DRIVER(hlthunk_wait_for_cs_with_timestamp(fd, 1, 1, &status, &stamp));
	DRIVER(hlthunk_deprecated_func1(fd, 1, 1, &status, &stamp));
	DRIVER(hlthunk_wait_for_multi_cs(fd, &many, &many_out));
	DRIVER(hlthunk_wait_for_multi_cs_with_timestamp(fd, &many, &many_out,
							&stamp));
	DRIVER(hlthunk_wait_for_interrupt(fd, &value, 1, 0, 1, &status));
	DRIVER(hlthunk_wait_for_interrupt_with_timestamp(fd, &value, 1, 0, 1,
							 &status, &stamp));
	DRIVER(hlthunk_wait_for_interrupt_by_handle(fd, 1, 0, 1, 0, 1,
						    &status));
	DRIVER(hlthunk_wait_for_interrupt_by_handle_with_timestamp(fd, 1, 0, 1,
							0, 1, &status, &stamp));
	DRIVER(hlthunk_register_timestamp_interrupt(fd, 0, 1, 0, 1, 1, 0));
	DRIVER(hlthunk_deprecated_func2(fd, 0, 1, 0, 1, 1, 0));
}

/* What no failure is to change */
static uint64_t untouched = 7;
static uint32_t untouched_n = 7;

static void memory_fails(int fd)
{
	DRIVER(hlthunk_request_command_buffer(fd, 4096, &untouched));
	DRIVER(hlthunk_request_mapped_command_buffer(fd, 4096, &untouched));
	DRIVER(hlthunk_destroy_command_buffer(fd, 1));
	DRIVER(hlthunk_get_cb_usage_count(fd, 1, &untouched_n));
	DRIVER(hlthunk_get_mapped_cb_device_va_by_handle(fd, 1, &untouched));
	DRIVER(hlthunk_device_memory_free(fd, 1));
	DRIVER(hlthunk_memory_unmap(fd, 0x1000));
	DRIVER(hlthunk_device_memory_export_dmabuf_fd(fd, 1, 1, 0));
	DRIVER(hlthunk_device_mapped_memory_export_dmabuf_fd(fd, 1, 1, 0, 0));
	DRIVER(hlthunk_get_hw_block(fd, 1, &untouched_n, &untouched));
	DRIVER(hlthunk_allocate_timestamp_elements(fd, 1, &untouched));
	DRIVER(hlthunk_deprecated_func3(fd, 1, &untouched));
	ADDRESS(hlthunk_device_memory_alloc(fd, 1, 0, 0, 0));
	ADDRESS(hlthunk_device_memory_map(fd, 1, 0));
	ADDRESS(hlthunk_host_memory_map(fd, &untouched_n, 0, 1));
	ADDRESS(hlthunk_host_memory_map_flags(fd, &untouched_n, 0, 1, 0));
}

static void information_fails(int fd)
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
	DRIVER(hlthunk_get_hw_ip_info(fd, &u.ip));
	DRIVER(hlthunk_get_open_stats(fd, &u.open));
	DRIVER(hlthunk_get_hw_asic_status(fd, &u.asic));
	DRIVER(hlthunk_get_dram_usage(fd, &u.dram));
	DRIVER((int)hlthunk_get_device_status_info(fd));
	DRIVER(hlthunk_get_busy_engines_mask(fd, &u.idle));
	DRIVER(hlthunk_get_pll_frequency(fd, 0, &u.pll));
	DRIVER(hlthunk_get_device_utilization(fd, 100, &a));
	DRIVER(hlthunk_get_hw_events_arr(fd, true, 4, &a));
	DRIVER(hlthunk_get_clk_rate(fd, &a, &b));
	DRIVER(hlthunk_get_reset_count_info(fd, &u.resets));
	DRIVER(hlthunk_get_time_sync_info(fd, &u.time));
	DRIVER(hlthunk_get_sync_manager_info(fd, 0, &u.sm));
	DRIVER(hlthunk_get_cs_counters_info(fd, &u.counters));
	DRIVER(hlthunk_get_pci_counters_info(fd, &u.pci));
	DRIVER(hlthunk_get_clk_throttle_info(fd, &u.throttle));
	DRIVER(hlthunk_get_total_energy_consumption_info(fd, &u.energy));
	DRIVER(hlthunk_get_power_info(fd, &u.power));
	DRIVER(hlthunk_get_dram_replaced_rows_info(fd, &u.rows));
	DRIVER(hlthunk_get_dram_pending_rows_info(fd, &a));
	DRIVER(hlthunk_get_sec_attest_info(fd, 0, &u.attest));
	DRIVER(hlthunk_get_dev_memalloc_page_orders(fd, &orders));
}

/* Texts, requests handed on, and what the driver records and reports. */
static void records_fail(int fd)
{
	static union {
		struct hlthunk_page_fault_info fault;
		struct hlthunk_event_record_undefined_opcode record;
		struct hl_info_args info;
		struct hl_debug_args debug;
	} u;
	char text[1024];
	int size;

	memset(&u, 0, sizeof(u));
	DRIVER(hlthunk_get_engine_status(fd, text, sizeof(text), &size));
	DRIVER(hlthunk_fw_send_generic_request(fd, text, 4, 0));
	for (int id = HLTHUNK_OPEN_DEV; id <= HLTHUNK_FW_ERR_OPCODE; id++)
		DRIVER(hlthunk_get_event_record(fd, id, &u.record));
	memset(&u, 0, sizeof(u));
	DRIVER(hlthunk_get_page_fault_info(fd, &u.fault, 0));
	DRIVER(hlthunk_get_info(fd, &u.info));
	DRIVER(hlthunk_debug(fd, &u.debug));
	DRIVER(hlthunk_notifier_create(fd));
}

static void null_submissions(int fd)
{
	struct hlthunk_wait_in none = win;

	INVALID(hlthunk_command_submission(fd, NULL, &cs_out));
	INVALID(hlthunk_command_submission(fd, &cs, NULL));
	INVALID(hlthunk_command_submission_timeout(fd, NULL, &cs_out, 1));
	INVALID(hlthunk_staged_command_submission(fd, 1, NULL, &cs_out));
	INVALID(hlthunk_staged_command_submission_timeout(fd, 1, &cs, NULL, 1));
	INVALID(hlthunk_staged_command_submission_encaps_signals(fd, 1, NULL,
								 &cs_out));
	INVALID(hlthunk_staged_command_submission_encaps_signals(fd, 1ull << 32,
								 &cs, &cs_out));
	INVALID(hlthunk_signal_submission(fd, NULL, &sig_out));
	INVALID(hlthunk_signal_submission(fd, &sig, NULL));
	INVALID(hlthunk_signal_submission_timeout(fd, NULL, &sig_out, 1));
	INVALID(hlthunk_wait_for_signal(fd, NULL, &wout));
	INVALID(hlthunk_wait_for_signal(fd, &win, NULL));
	none.hlthunk_wait_for_signal = NULL;
	INVALID(hlthunk_wait_for_collective_signal(fd, &none, &wout));
	INVALID(hlthunk_wait_for_signal_timeout(fd, &none, &wout, 1));
	none = win;
	none.num_wait_for_signal = 0;
	INVALID(hlthunk_wait_for_reserved_encaps_signals(fd, &none, &wout));
	none.num_wait_for_signal = UINT32_MAX;
	INVALID(hlthunk_wait_for_signal(fd, &none, &wout));
	INVALID(hlthunk_reserve_encaps_signals(fd, NULL, &res_out));
	INVALID(hlthunk_reserve_encaps_signals(fd, &res, NULL));
	INVALID(hlthunk_unreserve_encaps_signals(fd, NULL, NULL));
}

static void null_waits(int fd)
{
	struct hlthunk_wait_multi_cs_in none = many;

	INVALID(hlthunk_wait_for_multi_cs(fd, NULL, &many_out));
	INVALID(hlthunk_wait_for_multi_cs(fd, &many, NULL));
	none.seq_len = HL_WAIT_MULTI_CS_LIST_MAX_LEN + 1;
	INVALID(hlthunk_wait_for_multi_cs(fd, &none, &many_out));
	none.seq_len = 0;
	INVALID(hlthunk_wait_for_multi_cs_with_timestamp(fd, &none, &many_out,
							 NULL));
	none.seq_len = 1;
	none.seq = NULL;
	INVALID(hlthunk_wait_for_multi_cs(fd, &none, &many_out));
	INVALID(hlthunk_wait_for_interrupt(fd, NULL, 1, 0x1000, 1, NULL));
	INVALID(hlthunk_register_timestamp_interrupt(fd, 0x1000, 1, 0, 1, 1,
						     0));
}

static void null_information(int fd)
{
	uint64_t n;
	uint32_t a;
	char c;
	int i;

	INVALID(hlthunk_get_info(fd, NULL));
	INVALID(hlthunk_debug(fd, NULL));
	INVALID(hlthunk_get_hw_ip_info(fd, NULL));
	INVALID(hlthunk_get_open_stats(fd, NULL));
	INVALID(hlthunk_get_hw_asic_status(fd, NULL));
	INVALID(hlthunk_get_dram_usage(fd, NULL));
	INVALID(hlthunk_get_busy_engines_mask(fd, NULL));
	INVALID(hlthunk_get_pll_frequency(fd, 0, NULL));
	INVALID(hlthunk_get_device_utilization(fd, 100, NULL));
	INVALID(hlthunk_get_hw_events_arr(fd, true, 4, NULL));
	INVALID(hlthunk_get_hw_events_arr(fd, true, 0, &a));
	INVALID(hlthunk_get_clk_rate(fd, &a, NULL));
	INVALID(hlthunk_get_clk_rate(fd, NULL, &a));
	INVALID(hlthunk_get_reset_count_info(fd, NULL));
	INVALID(hlthunk_get_time_sync_info(fd, NULL));
	INVALID(hlthunk_get_sync_manager_info(fd, 0, NULL));
	INVALID(hlthunk_get_cs_counters_info(fd, NULL));
	INVALID(hlthunk_get_pci_counters_info(fd, NULL));
	INVALID(hlthunk_get_clk_throttle_info(fd, NULL));
	INVALID(hlthunk_get_total_energy_consumption_info(fd, NULL));
	INVALID(hlthunk_get_power_info(fd, NULL));
	INVALID(hlthunk_get_dram_replaced_rows_info(fd, NULL));
	INVALID(hlthunk_get_dram_pending_rows_info(fd, NULL));
	INVALID(hlthunk_get_sec_attest_info(fd, 0, NULL));
	INVALID(hlthunk_get_dev_memalloc_page_orders(fd, NULL));
	INVALID(hlthunk_get_engine_status(fd, NULL, 1024, &i));
	INVALID(hlthunk_get_engine_status(fd, &c, 1024, NULL));
	INVALID(hlthunk_get_event_record(fd, HLTHUNK_OPEN_DEV, NULL));
	INVALID(hlthunk_get_event_record(fd, 77, &n));
	INVALID(hlthunk_get_page_fault_info(fd, NULL, 0));
	INVALID(hlthunk_notifier_recv(fd, fd, NULL, &n, 0, 0));
	INVALID(hlthunk_notifier_recv(fd, fd, &n, NULL, 0, 0));
	INVALID(hlthunk_notifier_recv(fd, fd, &n, &n, 1, 0));
}

static void null_memory(int fd)
{
	uint64_t n;
	uint32_t a;

	INVALID(hlthunk_request_command_buffer(fd, 1, NULL));
	INVALID(hlthunk_request_mapped_command_buffer(fd, 1, NULL));
	INVALID(hlthunk_get_cb_usage_count(fd, 1, NULL));
	INVALID(hlthunk_get_mapped_cb_device_va_by_handle(fd, 1, NULL));
	INVALID(hlthunk_get_hw_block(fd, 1, NULL, &n));
	INVALID(hlthunk_get_hw_block(fd, 1, &a, NULL));
	INVALID(hlthunk_allocate_timestamp_elements(fd, 1, NULL));
	INVALID(hlthunk_allocate_timestamp_elements(fd, 0, &n));
	INVALID(hlthunk_debugfs_open(fd, NULL));
	INVALID(hlthunk_debugfs_read(NULL, 0, &a));
	INVALID(hlthunk_debugfs_write(NULL, 0, 0));
	INVALID(hlthunk_debugfs_close(NULL));
}

static void null_names(int fd)
{
	char c;

	INVALID(hlthunk_open(HLTHUNK_DEVICE_INVALID, NULL));
	INVALID(hlthunk_open(HLTHUNK_DEVICE_MAX, NULL));
	INVALID(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, "gaudi"));
	INVALID(hlthunk_open_control(-1, NULL));
	INVALID(hlthunk_open_control(HLTHUNK_MAX_MINOR, NULL));
	INVALID(hlthunk_open_control_by_bus_id(NULL));
	INVALID(hlthunk_get_device_index_from_pci_bus_id(NULL));
	INVALID(hlthunk_get_device_count(HLTHUNK_DEVICE_MAX));
	INVALID(hlthunk_get_pci_bus_id_from_fd(fd, NULL, 13));
	INVALID(hlthunk_get_pci_bus_id_from_fd(fd, &c, 0));
}

#endif /* THUNK_CALLS_H */
