// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles only if every member of the table of functions has the type of its
 * function, and what abidiff does not see has its value and place; and prints
 * how many functions there are.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

#define EQUAL(a, b)	_Static_assert((a) == (b), #a)
#define SIZE(type, size) \
	_Static_assert(sizeof(struct type) == (size), #type)
#define AT(type, member, offset) \
	_Static_assert(offsetof(struct type, member) == (offset), \
		       #type "." #member)

/* The layouts that no function's type shows, as the facts have them. */
SIZE(hlthunk_functions_pointers, 53 * 8);
SIZE(hlthunk_wait_for_signal_data, 32);
AT(hlthunk_wait_for_signal_data, signal_seq_arr, 0);
AT(hlthunk_wait_for_signal_data, encaps_signal_seq, 0);
AT(hlthunk_wait_for_signal_data, signal_seq_nr, 8);
AT(hlthunk_wait_for_signal_data, queue_index, 12);
AT(hlthunk_wait_for_signal_data, flags, 16);
AT(hlthunk_wait_for_signal_data, collective_engine_id, 20);
AT(hlthunk_wait_for_signal_data, encaps_signal_offset, 24);
SIZE(hlthunk_event_record_open_dev_time, 8);
SIZE(hlthunk_event_record_cs_timeout, 16);
AT(hlthunk_event_record_cs_timeout, seq, 8);
SIZE(hlthunk_event_record_razwi_event, 280);
AT(hlthunk_event_record_razwi_event, addr, 8);
AT(hlthunk_event_record_razwi_event, engine_id, 16);
AT(hlthunk_event_record_razwi_event, num_of_possible_engines, 272);
AT(hlthunk_event_record_razwi_event, flags, 274);
SIZE(hlthunk_event_record_undefined_opcode, 288);
AT(hlthunk_event_record_undefined_opcode, cb_addr_streams, 8);
AT(hlthunk_event_record_undefined_opcode, cq_addr, 264);
AT(hlthunk_event_record_undefined_opcode, cq_size, 272);
AT(hlthunk_event_record_undefined_opcode, cb_addr_streams_len, 276);
AT(hlthunk_event_record_undefined_opcode, engine_id, 280);
AT(hlthunk_event_record_undefined_opcode, stream_id, 284);
SIZE(hlthunk_event_record_critical_hw_err, 16);
AT(hlthunk_event_record_critical_hw_err, event_id, 8);
SIZE(hlthunk_event_record_critical_fw_err, 16);
AT(hlthunk_event_record_critical_fw_err, err_type, 8);
AT(hlthunk_event_record_critical_fw_err, reported_err_id, 12);
SIZE(hlthunk_dram_row_info, 8);
SIZE(hlthunk_user_mapping, 16);

/* Enumerators and constants, which no library's symbols show either. */
EQUAL(HLTHUNK_NODE_PRIMARY, 0);
EQUAL(HLTHUNK_NODE_CONTROL, 1);
EQUAL(HLTHUNK_NODE_MAX, 2);
EQUAL(HLTHUNK_DEVICE_GOYA, 0);
EQUAL(HLTHUNK_DEVICE_PLACEHOLDER1, 1);
EQUAL(HLTHUNK_DEVICE_GAUDI, 2);
EQUAL(HLTHUNK_DEVICE_INVALID, 3);
EQUAL(HLTHUNK_DEVICE_DONT_CARE, 4);
EQUAL(HLTHUNK_DEVICE_GAUDI2, 5);
EQUAL(HLTHUNK_DEVICE_PLACEHOLDER2, 6);
EQUAL(HLTHUNK_DEVICE_PLACEHOLDER3, 7);
EQUAL(HLTHUNK_DEVICE_PLACEHOLDER4, 8);
EQUAL(HLTHUNK_DEVICE_MAX, 9);
EQUAL(HLTHUNK_OPEN_DEV, 0);
EQUAL(HLTHUNK_CS_TIMEOUT, 1);
EQUAL(HLTHUNK_RAZWI_EVENT, 2);
EQUAL(HLTHUNK_UNDEFINED_OPCODE, 3);
EQUAL(HLTHUNK_HW_ERR_OPCODE, 4);
EQUAL(HLTHUNK_FW_ERR_OPCODE, 5);
EQUAL(HLTHUNK_ROW_REPLACE_CAUSE_DOUBLE_ECC_ERR, 0);
EQUAL(HLTHUNK_ROW_REPLACE_CAUSE_MULTI_SINGLE_ECC_ERR, 1);
EQUAL(HLTHUNK_MAX_MINOR, 256);
EQUAL(HLTHUNK_BUSY_ENGINES_MASK_SIZE, 4);
EQUAL(HLTHUNK_CLK_THROTTLE_POWER, 1);
EQUAL(HLTHUNK_CLK_THROTTLE_THERMAL, 2);
EQUAL(DRAM_ROW_REPLACE_MAX, 32);
EQUAL(SEC_PCR_DATA_BUF_SZ, 256);
EQUAL(SEC_PCR_QUOTE_BUF_SZ, 510);
EQUAL(SEC_SIGNATURE_BUF_SZ, 255);
EQUAL(SEC_PUB_DATA_BUF_SZ, 510);
EQUAL(SEC_CERTIFICATE_BUF_SZ, 2046);

static const char * const paths[][2] = {
	{ HLTHUNK_DEV_NAME_PRIMARY, "/dev/accel/accel%d" },
	{ HLTHUNK_DEV_NAME_CONTROL, "/dev/accel/accel_controlD%d" },
	{ HLTHUNK_DEV_NAME_PRIMARY_LEGACY, "/dev/hl%d" },
	{ HLTHUNK_DEV_NAME_CONTROL_LEGACY, "/dev/hl_controlD%d" },
};

int main(void)
{
	printf("%zu\n", sizeof(table) / sizeof(void *));
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (strcmp(paths[i][0], paths[i][1]))
			return 2;

	return table.fp_hlthunk_open != hlthunk_open;
}
