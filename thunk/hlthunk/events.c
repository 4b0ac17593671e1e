// SPDX-License-Identifier: MIT
/*
 * INFO about what went wrong: event counters, the records of the last errors,
 * the page fault, replaced DRAM rows.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

int hlthunk_get_hw_events_arr(int fd, bool aggregate,
			      uint32_t hw_events_arr_size,
			      uint32_t *hw_events_arr)
{
	if (!hw_events_arr || !hw_events_arr_size)
		return hlt_ret(-EINVAL);

	return hlt_info_get(fd, aggregate ? HL_INFO_HW_EVENTS_AGGREGATE :
					    HL_INFO_HW_EVENTS,
			    hw_events_arr, hw_events_arr_size);
}

/* The rows in the form of the kernel's ABI, which its header leaves out. */
int hlthunk_get_dram_replaced_rows_info(int fd,
				struct hlthunk_dram_replaced_rows_info *info)
{
	if (!info)
		return hlt_ret(-EINVAL);

	return hlt_info_get(fd, HL_INFO_DRAM_REPLACED_ROWS, info,
			    sizeof(*info));
}

int hlthunk_get_dram_pending_rows_info(int fd, uint32_t *out)
{
	if (!out)
		return hlt_ret(-EINVAL);

	return hlt_info_get(fd, HL_INFO_DRAM_PENDING_ROWS, out, sizeof(*out));
}

static int mappings(int fd, struct hlthunk_page_fault_info *pf, uint32_t room)
{
	struct hlthunk_user_mapping none;
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)pf->mappings_buf,
		.return_size = room * sizeof(*pf->mappings_buf),
		.op = HL_INFO_USER_MAPPINGS,
	};
	int rc;

	/* Without a buffer the caller wants to know how large to make one. */
	if (!pf->mappings_buf)
		args.return_pointer = (uintptr_t)&none;
	rc = hlt_info(fd, &args);
	if (!rc || rc == -ENOMEM)
		pf->num_of_mappings = args.array_size;

	return rc == -ENOMEM && !pf->mappings_buf ? 0 : rc;
}

int hlthunk_get_page_fault_info(int fd, struct hlthunk_page_fault_info *pf,
				uint32_t num_of_allocated_mappings)
{
	struct hl_page_fault_info k;
	int rc;

	if (!pf || (num_of_allocated_mappings && !pf->mappings_buf) ||
	    num_of_allocated_mappings >
	    UINT32_MAX / sizeof(*pf->mappings_buf))
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_PAGE_FAULT_EVENT, &k, sizeof(k));
	if (rc)
		return rc;
	pf->timestamp = k.timestamp;
	pf->addr = k.addr;
	pf->engine_id = k.engine_id;
	pf->num_of_mappings = 0;

	/* Without a fault there is no list. */
	if (!k.timestamp)
		return 0;

	return mappings(fd, pf, num_of_allocated_mappings);
}

static int record_razwi(int fd, struct hlthunk_event_record_razwi_event *out)
{
	struct hl_info_razwi_event k;
	int rc;

	rc = hlt_info_get(fd, HL_INFO_RAZWI_EVENT, &k, sizeof(k));
	if (rc)
		return rc;
	out->timestamp = k.timestamp;
	out->addr = k.addr;
	memcpy(out->engine_id, k.engine_id, sizeof(out->engine_id));
	out->num_of_possible_engines = k.num_of_possible_engines;
	out->flags = k.flags;

	return 0;
}

static int record_opcode(int fd,
			 struct hlthunk_event_record_undefined_opcode *out)
{
	struct hl_info_undefined_opcode_event k;
	int rc;

	rc = hlt_info_get(fd, HL_INFO_UNDEFINED_OPCODE_EVENT, &k, sizeof(k));
	if (rc)
		return rc;
	out->timestamp = k.timestamp;
	memcpy(out->cb_addr_streams, k.cb_addr_streams,
	       sizeof(out->cb_addr_streams));
	out->cq_addr = k.cq_addr;
	out->cq_size = k.cq_size;
	out->cb_addr_streams_len = k.cb_addr_streams_len;
	out->engine_id = k.engine_id;
	out->stream_id = k.stream_id;

	return 0;
}

static int record_hw_err(int fd,
			 struct hlthunk_event_record_critical_hw_err *out)
{
	struct hl_info_hw_err_event k;
	int rc;

	rc = hlt_info_get(fd, HL_INFO_HW_ERR_EVENT, &k, sizeof(k));
	if (rc)
		return rc;
	out->timestamp = k.timestamp;
	out->event_id = k.event_id;

	return 0;
}

static int record_fw_err(int fd,
			 struct hlthunk_event_record_critical_fw_err *out)
{
	struct hl_info_fw_err_event k;
	int rc;

	rc = hlt_info_get(fd, HL_INFO_FW_ERR_EVENT, &k, sizeof(k));
	if (rc)
		return rc;
	out->timestamp = k.timestamp;
	out->err_type = k.err_type;
	out->reported_err_id = k.event_id;

	return 0;
}

/* Two of the structures are the kernel's own, member for member. */
_Static_assert(sizeof(struct hlthunk_event_record_open_dev_time) ==
	       sizeof(struct hl_info_last_err_open_dev_time), "open record");
_Static_assert(sizeof(struct hlthunk_event_record_cs_timeout) ==
	       sizeof(struct hl_info_cs_timeout_event), "timeout record");

int hlthunk_get_event_record(int fd, enum hlthunk_event_record_id event_id,
			     void *buf)
{
	if (!buf)
		return hlt_ret(-EINVAL);

	switch (event_id) {
	case HLTHUNK_OPEN_DEV:
		return hlt_info_get(fd, HL_INFO_LAST_ERR_OPEN_DEV_TIME, buf,
			sizeof(struct hlthunk_event_record_open_dev_time));
	case HLTHUNK_CS_TIMEOUT:
		return hlt_info_get(fd, HL_INFO_CS_TIMEOUT_EVENT, buf,
			sizeof(struct hlthunk_event_record_cs_timeout));
	case HLTHUNK_RAZWI_EVENT:
		return record_razwi(fd, buf);
	case HLTHUNK_UNDEFINED_OPCODE:
		return record_opcode(fd, buf);
	case HLTHUNK_HW_ERR_OPCODE:
		return record_hw_err(fd, buf);
	case HLTHUNK_FW_ERR_OPCODE:
		return record_fw_err(fd, buf);
	}

	return hlt_ret(-EINVAL);
}
