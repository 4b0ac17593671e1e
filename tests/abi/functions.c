// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles only if every member of the table of functions has the type of its
 * function; and prints how many there are.
 */
#include <stdio.h>

#include <hlthunk.h>

static const struct hlthunk_functions_pointers table = {
	hlthunk_command_submission,
	hlthunk_open,
	hlthunk_close,
	hlthunk_profiler_start,
	hlthunk_profiler_stop,
	hlthunk_profiler_get_trace,
	hlthunk_device_memory_alloc,
	hlthunk_device_memory_free,
	hlthunk_device_memory_map,
	hlthunk_host_memory_map,
	hlthunk_memory_unmap,
	hlthunk_debug,
	hlthunk_request_command_buffer,
	hlthunk_destroy_command_buffer,
	hlthunk_wait_for_cs,
	hlthunk_get_device_name_from_fd,
	hlthunk_get_pci_bus_id_from_fd,
	hlthunk_get_device_index_from_pci_bus_id,
	hlthunk_malloc,
	hlthunk_free,
	hlthunk_signal_submission,
	hlthunk_wait_for_signal,
	hlthunk_get_time_sync_info,
	hlthunk_get_cs_counters_info,
	hlthunk_profiler_destroy,
	hlthunk_request_mapped_command_buffer,
	hlthunk_wait_for_collective_signal,
	hlthunk_deprecated_func1,
	hlthunk_get_cb_usage_count,
	hlthunk_staged_command_submission,
	hlthunk_get_hw_block,
	hlthunk_wait_for_interrupt,
	hlthunk_device_memory_export_dmabuf_fd,
	hlthunk_command_submission_timeout,
	hlthunk_signal_submission_timeout,
	hlthunk_wait_for_signal_timeout,
	hlthunk_wait_for_collective_signal_timeout,
	hlthunk_staged_command_submission_timeout,
	hlthunk_reserve_encaps_signals,
	hlthunk_unreserve_encaps_signals,
	hlthunk_staged_command_submission_encaps_signals,
	hlthunk_wait_for_reserved_encaps_signals,
	hlthunk_wait_for_reserved_encaps_collective_signals,
	hlthunk_host_memory_map_flags,
	hlthunk_get_dram_replaced_rows_info,
	hlthunk_get_dram_pending_rows_info,
	NULL,
	hlthunk_wait_for_interrupt_by_handle,
	hlthunk_get_mapped_cb_device_va_by_handle,
	hlthunk_get_pll_frequency,
	hlthunk_deprecated_func2,
	hlthunk_deprecated_func3,
	hlthunk_device_mapped_memory_export_dmabuf_fd,
};

/* The layouts that no function's type shows, as the facts have them. */
#define SIZE(type, size) \
	_Static_assert(sizeof(struct type) == (size), #type)

SIZE(hlthunk_functions_pointers, 53 * 8);
SIZE(hlthunk_wait_for_signal_data, 32);
SIZE(hlthunk_event_record_open_dev_time, 8);
SIZE(hlthunk_event_record_cs_timeout, 16);
SIZE(hlthunk_event_record_razwi_event, 280);
SIZE(hlthunk_event_record_undefined_opcode, 288);
SIZE(hlthunk_event_record_critical_hw_err, 16);
SIZE(hlthunk_event_record_critical_fw_err, 16);

int main(void)
{
	printf("%zu\n", sizeof(table) / sizeof(void *));

	return table.fp_hlthunk_open != hlthunk_open;
}
