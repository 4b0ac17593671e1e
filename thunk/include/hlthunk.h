/* SPDX-License-Identifier: MIT */
/*
 * libhl-thunk: user-space access to Habana accelerators.
 *
 * The names, types and values here are the vendor library's, so that programs
 * written for it compile against this header and run with this library, and
 * the other way round. The implementation is Open Gaudi's own.
 *
 * Conventions, unless a function says otherwise:
 *  - it returns 0, or a negative errno value, to which errno is set as well;
 *  - @fd is an open compute node; functions that only ask for information
 *    take a control node as well;
 *  - functions that return a handle or an address return 0 on failure, with
 *    errno set;
 *  - every function may be called from any thread. What the kernel cannot do
 *    at once for one @fd (for instance waiting while the fd is being closed)
 *    remains the caller's to order;
 *  - system calls that a signal interrupts are continued;
 *  - nothing is printed, except to standard error when the environment
 *    variable HLTHUNK_DEBUG_LEVEL is a number above 0.
 */
#ifndef HLTHUNK_H
#define HLTHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's header: the copy that came with this one, else the system's. */
#ifdef __has_include
#if __has_include("hl-thunk/drm/habanalabs_accel.h")
#include "hl-thunk/drm/habanalabs_accel.h"
#endif
#endif
#ifndef HABANALABS_H_
#include <drm/habanalabs_accel.h>
#endif
#ifndef HL_INFO_FW_ERR_EVENT
#error "the kernel's header before <hlthunk.h> is too old: see pkg-config hl-thunk"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define hlthunk_public __attribute__((visibility("default")))
#define hlthunk_extension __extension__	/* C99 has no unnamed unions */
#else
#define hlthunk_public
#define hlthunk_extension
#endif

#define HLTHUNK_MAX_MINOR		256
#define HLTHUNK_DEV_NAME_PRIMARY	"/dev/accel/accel%d"
#define HLTHUNK_DEV_NAME_CONTROL	"/dev/accel/accel_controlD%d"
#define HLTHUNK_DEV_NAME_PRIMARY_LEGACY	"/dev/hl%d"
#define HLTHUNK_DEV_NAME_CONTROL_LEGACY	"/dev/hl_controlD%d"

#define HLTHUNK_BUSY_ENGINES_MASK_SIZE	4

#define HLTHUNK_CLK_THROTTLE_POWER	(1 << HL_CLK_THROTTLE_TYPE_POWER)
#define HLTHUNK_CLK_THROTTLE_THERMAL	(1 << HL_CLK_THROTTLE_TYPE_THERMAL)

#define DRAM_ROW_REPLACE_MAX		32

/* The kernel's header has these five too, with the same values. */
#ifndef SEC_PCR_DATA_BUF_SZ
#define SEC_PCR_DATA_BUF_SZ		256
#define SEC_PCR_QUOTE_BUF_SZ		510
#define SEC_SIGNATURE_BUF_SZ		255
#define SEC_PUB_DATA_BUF_SZ		510
#define SEC_CERTIFICATE_BUF_SZ		2046
#endif

enum hlthunk_node_type {
	HLTHUNK_NODE_PRIMARY,
	HLTHUNK_NODE_CONTROL,
	HLTHUNK_NODE_MAX
};

enum hlthunk_device_name {
	HLTHUNK_DEVICE_GOYA,
	HLTHUNK_DEVICE_PLACEHOLDER1,
	HLTHUNK_DEVICE_GAUDI,
	HLTHUNK_DEVICE_INVALID,
	HLTHUNK_DEVICE_DONT_CARE,
	HLTHUNK_DEVICE_GAUDI2,
	HLTHUNK_DEVICE_PLACEHOLDER2,
	HLTHUNK_DEVICE_PLACEHOLDER3,
	HLTHUNK_DEVICE_PLACEHOLDER4,
	HLTHUNK_DEVICE_MAX
};

/* What hlthunk_get_event_record() can be asked for; the structure it fills. */
enum hlthunk_event_record_id {
	HLTHUNK_OPEN_DEV,	  /* hlthunk_event_record_open_dev_time */
	HLTHUNK_CS_TIMEOUT,	  /* hlthunk_event_record_cs_timeout */
	HLTHUNK_RAZWI_EVENT,	  /* hlthunk_event_record_razwi_event */
	HLTHUNK_UNDEFINED_OPCODE, /* hlthunk_event_record_undefined_opcode */
	HLTHUNK_HW_ERR_OPCODE,	  /* hlthunk_event_record_critical_hw_err */
	HLTHUNK_FW_ERR_OPCODE	  /* hlthunk_event_record_critical_fw_err */
};

enum hlthunk_dram_row_replace_cause {
	HLTHUNK_ROW_REPLACE_CAUSE_DOUBLE_ECC_ERR,
	HLTHUNK_ROW_REPLACE_CAUSE_MULTI_SINGLE_ECC_ERR
};

/* Sizes and addresses in bytes; strings end with a zero byte if there is room */
struct hlthunk_hw_ip_info {
	uint64_t sram_base_address;	/* first byte that users may have */
	uint64_t dram_base_address;
	uint64_t dram_size;
	uint32_t sram_size;
	uint32_t num_of_events;
	uint32_t device_id;		/* PCI device id */
	uint32_t cpld_version;
	uint32_t psoc_pci_pll_nr;
	uint32_t psoc_pci_pll_nf;
	uint32_t psoc_pci_pll_od;
	uint32_t psoc_pci_pll_div_factor;
	uint16_t tpc_enabled_mask;
	uint8_t dram_enabled;
	uint8_t cpucp_version[HL_INFO_VERSION_MAX_LEN];
	uint32_t module_id;
	uint8_t card_name[HL_INFO_CARD_NAME_MAX_LEN];
	uint32_t decoder_enabled_mask;
	uint8_t mme_master_slave_mode;
	uint64_t tpc_enabled_mask_ext;
	uint64_t dram_page_size;
	uint16_t first_available_interrupt_id;
	uint32_t edma_enabled_mask;
	uint16_t server_type;		/* enum hl_server_type */
	uint64_t reserved1;
	uint16_t number_of_user_interrupts;
	uint64_t device_mem_alloc_default_page_size;
	uint64_t reserved2;
	uint8_t reserved3;
	uint8_t reserved4;
	uint64_t reserved5;
	uint32_t reserved6;
	uint8_t reserved7;
	uint8_t security_enabled;
	uint8_t revision_id;
	uint16_t tpc_interrupt_id;
	uint64_t engine_core_interrupt_reg_addr;
	uint32_t rotator_enabled_mask;
	uint32_t reserved8;
	uint64_t reserved_dram_size;
};

struct hlthunk_dram_usage_info {
	uint64_t dram_free_mem;
	uint64_t ctx_dram_mem;
};

struct hlthunk_engines_idle_info {
	uint32_t is_idle;
	uint32_t pad;
	uint64_t mask[HLTHUNK_BUSY_ENGINES_MASK_SIZE];
};

/* MHz, one per PLL output */
struct hlthunk_pll_frequency_info {
	uint16_t output[HL_PLL_NUM_OUTPUTS];
};

struct hlthunk_reset_count_info {
	uint32_t hard_reset_count;
	uint32_t soft_reset_count;
};

/* nanoseconds */
struct hlthunk_time_sync_info {
	uint64_t device_time;
	uint64_t host_time;
};

struct hlthunk_sync_manager_info {
	uint32_t first_available_sync_object;
	uint32_t first_available_monitor;
	uint32_t first_available_cq;
	uint32_t reserved;
};

/* KiB per second; replays since boot */
struct hlthunk_pci_counters_info {
	uint64_t rx_throughput;
	uint64_t tx_throughput;
	uint32_t replay_cnt;
};

struct hlthunk_clk_throttle_info {
	uint32_t clk_throttle_reason_bitmask;	/* HLTHUNK_CLK_THROTTLE_* */
	uint64_t clk_throttle_start_timestamp_us[HL_CLK_THROTTLE_TYPE_MAX];
	uint64_t clk_throttle_duration_ns[HL_CLK_THROTTLE_TYPE_MAX];
};

/* millijoule since the driver was loaded */
struct hlthunk_energy_info {
	uint64_t total_energy_consumption;
};

/* milliwatt */
struct hlthunk_power_info {
	uint64_t power;
};

/* chunks_*: arrays of struct hl_cs_chunk; flags: HL_CS_FLAGS_* */
struct hlthunk_cs_in {
	void *chunks_restore;
	void *chunks_execute;
	uint32_t num_chunks_restore;
	uint32_t num_chunks_execute;
	uint32_t flags;
};

struct hlthunk_cs_out {
	uint64_t seq;
	uint32_t status;
	uint16_t sob_count_before_submission;
};

struct hlthunk_signal_in {
	void *chunks_restore;
	uint32_t num_chunks_restore;
	uint32_t queue_index;
	uint32_t flags;
};

struct hlthunk_signal_out {
	uint64_t seq;
	uint32_t status;
	uint32_t sob_base_addr_offset;
	uint16_t sob_count_before_submission;
};

struct hlthunk_sig_res_in {
	uint32_t queue_index;
	uint32_t count;
};

struct reserve_sig_handle {
	uint32_t id;
	uint32_t sob_base_addr_offset;
	uint32_t count;
};

struct hlthunk_sig_res_out {
	struct reserve_sig_handle handle;
	uint32_t status;
};

struct hlthunk_wait_for_signal_data {
	hlthunk_extension union {
		uint64_t *signal_seq_arr;
		uint64_t encaps_signal_seq;
	};
	uint32_t signal_seq_nr;
	uint32_t queue_index;
	uint32_t flags;			/* HL_CS_CHUNK_FLAGS_* */
	uint32_t collective_engine_id;
	uint32_t encaps_signal_offset;
};

struct hlthunk_wait_in {
	void *chunks_restore;
	uint32_t num_chunks_restore;
	/* an array of struct hlthunk_wait_for_signal_data, by its address */
	uint64_t *hlthunk_wait_for_signal;
	uint32_t num_wait_for_signal;
	uint32_t flags;
};

struct hlthunk_wait_out {
	uint64_t seq;			/* ULLONG_MAX: nothing to wait for */
	uint32_t status;
};

struct hlthunk_open_stats_info {
	uint64_t open_counter;
	uint64_t last_open_period_ms;
	uint8_t is_compute_ctx_active;
	uint8_t compute_ctx_in_release;
};

struct hlthunk_hw_asic_status {
	struct hlthunk_clk_throttle_info throttle;
	struct hlthunk_open_stats_info open_stats;
	struct hlthunk_power_info power;
	enum hl_device_status status;
	uint64_t timestamp_sec;		/* CLOCK_REALTIME */
	uint8_t valid;			/* 1: every part could be read */
};

struct hlthunk_wait_multi_cs_in {
	uint64_t *seq;
	uint64_t timeout_us;
	uint32_t seq_len;		/* <= HL_WAIT_MULTI_CS_LIST_MAX_LEN */
};

struct hlthunk_wait_multi_cs_out {
	uint32_t status;
	uint32_t seq_set;		/* bit n: seq[n] is complete */
	uint8_t completed;		/* how many bits are set */
};

struct hlthunk_dram_row_info {
	uint8_t dram_idx;
	uint8_t pc;
	uint8_t sid;
	uint8_t bank_idx;
	uint16_t row_addr;
	uint8_t replaced_row_cause;	/* hlthunk_dram_row_replace_cause */
	uint8_t pad;
};

struct hlthunk_dram_replaced_rows_info {
	uint16_t num_replaced_rows;
	uint8_t pad[6];
	struct hlthunk_dram_row_info replaced_rows[DRAM_ROW_REPLACE_MAX];
};

/* Event records; timestamps are nanoseconds of CLOCK_MONOTONIC, 0: no event */
struct hlthunk_event_record_open_dev_time {
	int64_t timestamp;
};

struct hlthunk_event_record_cs_timeout {
	int64_t timestamp;
	uint64_t seq;
};

struct hlthunk_event_record_razwi_event {
	int64_t timestamp;
	uint64_t addr;
	uint16_t engine_id[HL_RAZWI_MAX_NUM_OF_ENGINES_PER_RTR];
	uint16_t num_of_possible_engines;
	uint8_t flags;			/* HL_RAZWI_* */
};

struct hlthunk_event_record_undefined_opcode {
	int64_t timestamp;
	uint64_t cb_addr_streams[MAX_QMAN_STREAMS_INFO]
				[OPCODE_INFO_MAX_ADDR_SIZE];
	uint64_t cq_addr;
	uint32_t cq_size;
	uint32_t cb_addr_streams_len;
	uint32_t engine_id;
	uint32_t stream_id;
};

struct hlthunk_event_record_critical_hw_err {
	int64_t timestamp;
	uint16_t event_id;
};

struct hlthunk_event_record_critical_fw_err {
	int64_t timestamp;
	enum hl_info_fw_err_type err_type;
	uint16_t reported_err_id;
};

struct hlthunk_sec_attest_info {
	uint32_t nonce;
	uint16_t pcr_quote_len;
	uint16_t pub_data_len;
	uint16_t certificate_len;
	uint8_t pcr_num_reg;
	uint8_t pcr_reg_len;
	uint8_t quote_sig_len;
	uint8_t pcr_data[SEC_PCR_DATA_BUF_SZ];
	uint8_t pcr_quote[SEC_PCR_QUOTE_BUF_SZ];
	uint8_t quote_sig[SEC_SIGNATURE_BUF_SZ];
	uint8_t public_data[SEC_PUB_DATA_BUF_SZ];
	uint8_t certificate[SEC_CERTIFICATE_BUF_SZ];
};

struct hlthunk_user_mapping {
	uint64_t dev_va;
	uint64_t size;
};

struct hlthunk_page_fault_info {
	int64_t timestamp;
	uint64_t addr;
	uint16_t engine_id;
	uint32_t num_of_mappings;	/* that the driver recorded */
	struct hlthunk_user_mapping *mappings_buf;	/* the caller's */
};

struct hlthunk_debugfs {
	int addr_fd;
	int data_fd;
	int clk_gate_fd;		/* -1: kernels since 5.13 have none */
	char clk_gate_val[32];
};

/*
 * Opening and finding devices (device.c)
 *
 * @busid: a PCI address, "0000:01:00.0" or "01:00.0", any case; "sim:N", N up to 15, a
 * card in this process, that libgaudi-sim.so.0 has (-ELIBACC: it is not there), and from
 * then on the process has no other cards to open; or NULL.
 * The compute node of a card belongs to one process at a time. -ENODEV: there
 * is no such card; -EBUSY: somebody else has it; -EAGAIN: it is in reset or
 * still being released, later it may work; -EPERM: the card is disabled;
 * -EACCES: the caller may not open the node.
 */

/*
 * Open the compute node of the card at @busid, or of the first card that can
 * be opened. @device_name restricts the search unless it is
 * HLTHUNK_DEVICE_DONT_CARE. Returns a file descriptor (close-on-exec).
 */
hlthunk_public int hlthunk_open(enum hlthunk_device_name device_name,
				const char *busid);
/* The same for the card with this module id (its slot in the server). */
hlthunk_public int hlthunk_open_by_module_id(uint32_t module_id);
/*
 * Open a control node: INFO only, any number of users, disturbs nobody.
 * @dev_id is the N of /dev/accel/accelN, used if @busid is NULL.
 */
hlthunk_public int hlthunk_open_control(int dev_id, const char *busid);
hlthunk_public int
hlthunk_open_control_by_name(enum hlthunk_device_name device_name,
			     const char *busid);
hlthunk_public int hlthunk_open_control_by_module_id(uint32_t module_id);
hlthunk_public int hlthunk_open_control_by_bus_id(const char *busid);
/* Close either kind. Everything the fd still owned is released. */
hlthunk_public int hlthunk_close(int fd);

/* How many cards of this kind the system has. */
hlthunk_public int
hlthunk_get_device_count(enum hlthunk_device_name device_name);
/* PCI device id, 0 on failure. */
hlthunk_public uint32_t hlthunk_get_device_id_from_fd(int fd);
/* HLTHUNK_DEVICE_INVALID on failure. */
hlthunk_public enum hlthunk_device_name
hlthunk_get_device_name_from_fd(int fd);
/* -ENOSPC if @len bytes, with the zero at the end, are too few (13 do). */
hlthunk_public int hlthunk_get_pci_bus_id_from_fd(int fd, char *pci_bus_id,
						  int len);
/* The N of /dev/accel/accelN. */
hlthunk_public int
hlthunk_get_device_index_from_pci_bus_id(const char *busid);

/*
 * Information (info.c). Control nodes do as well.
 * -EBUSY: the card does not answer this now (reset, or disabled).
 */
hlthunk_public int hlthunk_get_hw_ip_info(int fd,
					  struct hlthunk_hw_ip_info *hw_ip);
hlthunk_public int
hlthunk_get_open_stats(int fd, struct hlthunk_open_stats_info *open_stats);
/* Always fills status and time; see @valid for the rest. */
hlthunk_public int
hlthunk_get_hw_asic_status(int fd,
			   struct hlthunk_hw_asic_status *hw_asic_status);
hlthunk_public int
hlthunk_get_dram_usage(int fd, struct hlthunk_dram_usage_info *dram_usage);
/* A negative errno, cast to the enum, on failure. */
hlthunk_public enum hl_device_status hlthunk_get_device_status_info(int fd);
/* false on failure as well. */
hlthunk_public bool hlthunk_is_device_idle(int fd);
hlthunk_public int
hlthunk_get_busy_engines_mask(int fd, struct hlthunk_engines_idle_info *info);
/* @index: enum hl_gaudi_pll_index */
hlthunk_public int
hlthunk_get_pll_frequency(int fd, uint32_t index,
			  struct hlthunk_pll_frequency_info *frequency);
/* @period_ms: 100..1000; *@rate in percent */
hlthunk_public int hlthunk_get_device_utilization(int fd, uint32_t period_ms,
						  uint32_t *rate);
/* @hw_events_arr_size in bytes; @aggregate: since boot, else since reset */
hlthunk_public int hlthunk_get_hw_events_arr(int fd, bool aggregate,
					     uint32_t hw_events_arr_size,
					     uint32_t *hw_events_arr);
hlthunk_public int hlthunk_get_clk_rate(int fd, uint32_t *cur_clk_mhz,
					uint32_t *max_clk_mhz);
hlthunk_public int
hlthunk_get_reset_count_info(int fd, struct hlthunk_reset_count_info *info);
hlthunk_public int
hlthunk_get_time_sync_info(int fd, struct hlthunk_time_sync_info *info);
/* @dcore_id: enum gaudi_dcores */
hlthunk_public int
hlthunk_get_sync_manager_info(int fd, int dcore_id,
			      struct hlthunk_sync_manager_info *info);
hlthunk_public int
hlthunk_get_cs_counters_info(int fd, struct hl_info_cs_counters *info);
hlthunk_public int
hlthunk_get_pci_counters_info(int fd, struct hlthunk_pci_counters_info *info);
hlthunk_public int
hlthunk_get_clk_throttle_info(int fd, struct hlthunk_clk_throttle_info *info);
hlthunk_public int
hlthunk_get_total_energy_consumption_info(int fd,
					  struct hlthunk_energy_info *info);
hlthunk_public int hlthunk_get_power_info(int fd,
					  struct hlthunk_power_info *info);
/* Any INFO request, as the kernel's header defines it. */
hlthunk_public int hlthunk_get_info(int fd, struct hl_info_args *info);
hlthunk_public int
hlthunk_get_dram_replaced_rows_info(int fd,
				    struct hlthunk_dram_replaced_rows_info *info);
hlthunk_public int hlthunk_get_dram_pending_rows_info(int fd, uint32_t *out);
hlthunk_public int
hlthunk_get_sec_attest_info(int fd, uint32_t nonce,
			    struct hlthunk_sec_attest_info *info);
/*
 * @pf->mappings_buf has room for @num_of_allocated_mappings. -ENOMEM: there
 * are more, pf->num_of_mappings says how many; the rest of *@pf is valid. With
 * a buffer of NULL and room for 0 it says so too, and returns 0.
 */
hlthunk_public int
hlthunk_get_page_fault_info(int fd, struct hlthunk_page_fault_info *pf,
			    uint32_t num_of_allocated_mappings);
hlthunk_public int
hlthunk_get_event_record(int fd, enum hlthunk_event_record_id event_id,
			 void *buf);
/* Text, at most @status_buf_size (1 KiB..1 MiB) bytes, not zero-terminated */
hlthunk_public int hlthunk_get_engine_status(int fd, char *status_buf,
					     uint32_t status_buf_size,
					     int *actual_size);
hlthunk_public int hlthunk_get_dev_memalloc_page_orders(int fd,
					uint64_t *page_order_bitmask);
hlthunk_public int hlthunk_fw_send_generic_request(int fd, void *buff,
						   uint32_t buff_size,
						   uint32_t sub_opcode);

/*
 * Command buffers (cb.c). A CB is mapped with mmap(..., fd, cb_handle), is at
 * most HL_MAX_CB_SIZE bytes long, and lives until it is destroyed and unmapped
 * and no submission uses it, or @fd is closed.
 */
hlthunk_public int hlthunk_request_command_buffer(int fd, uint32_t cb_size,
						  uint64_t *cb_handle);
/* Also mapped for the device, see the next but one. */
hlthunk_public int hlthunk_request_mapped_command_buffer(int fd,
							 uint32_t cb_size,
							 uint64_t *cb_handle);
hlthunk_public int hlthunk_destroy_command_buffer(int fd, uint64_t cb_handle);
hlthunk_public int hlthunk_get_mapped_cb_device_va_by_handle(int fd,
							     uint64_t cb_handle,
							     uint64_t *device_va);
hlthunk_public int hlthunk_get_cb_usage_count(int fd, uint64_t cb_handle,
					      uint32_t *usage_cnt);

/*
 * Submission (cs.c). A full queue makes the call wait; it does not return
 * -EAGAIN. @timeout in seconds replaces the driver's own. On success out->seq
 * is what the wait functions take. -EBUSY: reset, or disabled.
 */
hlthunk_public int hlthunk_command_submission(int fd, struct hlthunk_cs_in *in,
					      struct hlthunk_cs_out *out);
hlthunk_public int hlthunk_command_submission_timeout(int fd,
						      struct hlthunk_cs_in *in,
						      struct hlthunk_cs_out *out,
						      uint32_t timeout);
/* in->flags says which stage; @sequence: of the first stage (0 for it). */
hlthunk_public int hlthunk_staged_command_submission(int fd, uint64_t sequence,
						     struct hlthunk_cs_in *in,
						     struct hlthunk_cs_out *out);
hlthunk_public int
hlthunk_staged_command_submission_timeout(int fd, uint64_t sequence,
					  struct hlthunk_cs_in *in,
					  struct hlthunk_cs_out *out,
					  uint32_t timeout);
/* The first stage of a CS that raises the signals reserved as @handle_id. */
hlthunk_public int
hlthunk_staged_command_submission_encaps_signals(int fd, uint64_t handle_id,
						 struct hlthunk_cs_in *in,
						 struct hlthunk_cs_out *out);
/* Wait until the card's writes towards the host have arrived. */
hlthunk_public int hlthunk_cs_flush_pci_hbw_writes(int fd);
/* @mode: HL_ENGINE_CORE_HALT or _RUN. Gaudi 1 has no such cores: -EPERM. */
hlthunk_public int hlthunk_engine_cores_set_mode(int fd,
						 const uint32_t *core_ids,
						 uint32_t num_cores,
						 uint32_t mode);
hlthunk_public int hlthunk_engines_command(int fd, const uint32_t *engine_ids,
					   uint32_t num_engines,
					   enum hl_engine_command command);

/*
 * Signal and wait submissions (signal.c): a signal CS raises a sync object
 * when its queue gets there, a wait CS holds its queue until then.
 */
hlthunk_public int hlthunk_signal_submission(int fd,
					     struct hlthunk_signal_in *in,
					     struct hlthunk_signal_out *out);
hlthunk_public int hlthunk_signal_submission_timeout(int fd,
						struct hlthunk_signal_in *in,
						struct hlthunk_signal_out *out,
						uint32_t timeout);
hlthunk_public int hlthunk_wait_for_signal(int fd, struct hlthunk_wait_in *in,
					   struct hlthunk_wait_out *out);
hlthunk_public int hlthunk_wait_for_signal_timeout(int fd,
						   struct hlthunk_wait_in *in,
						   struct hlthunk_wait_out *out,
						   uint32_t timeout);
hlthunk_public int
hlthunk_wait_for_collective_signal(int fd, struct hlthunk_wait_in *in,
				   struct hlthunk_wait_out *out);
hlthunk_public int
hlthunk_wait_for_collective_signal_timeout(int fd, struct hlthunk_wait_in *in,
					   struct hlthunk_wait_out *out,
					   uint32_t timeout);
hlthunk_public int
hlthunk_reserve_encaps_signals(int fd, struct hlthunk_sig_res_in *in,
			       struct hlthunk_sig_res_out *out);
hlthunk_public int
hlthunk_unreserve_encaps_signals(int fd, struct reserve_sig_handle *handle,
				 uint32_t *status);
hlthunk_public int
hlthunk_wait_for_reserved_encaps_signals(int fd, struct hlthunk_wait_in *in,
					 struct hlthunk_wait_out *out);
hlthunk_public int
hlthunk_wait_for_reserved_encaps_collective_signals(int fd,
					struct hlthunk_wait_in *in,
					struct hlthunk_wait_out *out);

/*
 * Waiting (wait.c). @timeout_us: 0 only looks. *@status is HL_WAIT_CS_STATUS_*
 * and also written when the function fails: -ETIMEDOUT (the CS, not the wait,
 * ran out of time) gives _TIMEDOUT, -EIO gives _ABORTED. A wait that ends too
 * early returns 0 and _BUSY. Timestamps: nanoseconds of CLOCK_MONOTONIC, 0 if
 * unknown.
 */
hlthunk_public int hlthunk_wait_for_cs(int fd, uint64_t seq,
				       uint64_t timeout_us, uint32_t *status);
hlthunk_public int hlthunk_wait_for_cs_with_timestamp(int fd, uint64_t seq,
						      uint64_t timeout_us,
						      uint32_t *status,
						      uint64_t *timestamp);
/* Until at least one of the list is complete. */
hlthunk_public int
hlthunk_wait_for_multi_cs(int fd, struct hlthunk_wait_multi_cs_in *in,
			  struct hlthunk_wait_multi_cs_out *out);
hlthunk_public int
hlthunk_wait_for_multi_cs_with_timestamp(int fd,
					 struct hlthunk_wait_multi_cs_in *in,
					 struct hlthunk_wait_multi_cs_out *out,
					 uint64_t *timestamp);
/*
 * Until the 64-bit value at @addr (or in a counters CB) is >= @target_value,
 * looked at whenever the user interrupt fires. Gaudi 1 has no user
 * interrupts: -EPERM.
 */
hlthunk_public int hlthunk_wait_for_interrupt(int fd, void *addr,
					      uint64_t target_value,
					      uint32_t interrupt_id,
					      uint64_t timeout_us,
					      uint32_t *status);
hlthunk_public int
hlthunk_wait_for_interrupt_by_handle(int fd, uint64_t cq_counters_handle,
				     uint64_t cq_counters_offset,
				     uint64_t target_value,
				     uint32_t interrupt_id,
				     uint64_t timeout_us, uint32_t *status);
hlthunk_public int
hlthunk_wait_for_interrupt_with_timestamp(int fd, void *addr,
					  uint64_t target_value,
					  uint32_t interrupt_id,
					  uint64_t timeout_us, uint32_t *status,
					  uint64_t *timestamp);
hlthunk_public int
hlthunk_wait_for_interrupt_by_handle_with_timestamp(int fd,
					uint64_t cq_counters_handle,
					uint64_t cq_counters_offset,
					uint64_t target_value,
					uint32_t interrupt_id,
					uint64_t timeout_us, uint32_t *status,
					uint64_t *timestamp);
/* Have the time of that moment written to a timestamp element instead. */
hlthunk_public int
hlthunk_register_timestamp_interrupt(int fd, uint32_t interrupt_id,
				     uint64_t cq_counters_handle,
				     uint64_t cq_counters_offset,
				     uint64_t target_value,
				     uint64_t timestamps_handle,
				     uint64_t timestamps_offset);
/* *@handle: for mmap(), an array of @elements_num (not 0) 64-bit timestamps */
hlthunk_public int hlthunk_allocate_timestamp_elements(int fd,
						       uint32_t elements_num,
						       uint64_t *handle);

/*
 * Memory (memory.c). Device memory of Gaudi 1 is outside its MMU: mapping an
 * allocation gives its physical address, whatever the hint. A driver that only
 * counts allocations (mainline's) is helped out by the library: it keeps the
 * book of the device memory itself, from the top downwards, for as long as the
 * fd is open. @page_size: a power of two, or 0 for the default; the address is a
 * multiple of it, unless it is larger than HBM. A driver that keeps a book (gaudi.ko) does not go below 2 MiB
 * for allocations of as much, else 4 KiB. What is mapped is to be unmapped before
 * it is freed: gaudi.ko says -EINVAL, mainline's driver does not mind.
 */
hlthunk_public uint64_t hlthunk_device_memory_alloc(int fd, uint64_t size,
						    uint64_t page_size,
						    bool contiguous,
						    bool shared);
hlthunk_public int hlthunk_device_memory_free(int fd, uint64_t handle);
hlthunk_public uint64_t hlthunk_device_memory_map(int fd, uint64_t handle,
						  uint64_t hint_addr);
/*
 * Pin host memory and give it a device address. It stays the caller's, and
 * must not be freed before it is unmapped. flags: HL_MEM_*
 */
hlthunk_public uint64_t hlthunk_host_memory_map(int fd, void *host_virt_addr,
						uint64_t hint_addr,
						uint64_t host_size);
hlthunk_public uint64_t hlthunk_host_memory_map_flags(int fd,
						      void *host_virt_addr,
						      uint64_t hint_addr,
						      uint64_t host_size,
						      uint32_t flags);
/* Takes the addresses of all the map functions. */
hlthunk_public int hlthunk_memory_unmap(int fd, uint64_t device_virt_addr);
/* Return a dma-buf file descriptor that the caller closes. */
hlthunk_public int hlthunk_device_memory_export_dmabuf_fd(int fd,
							  uint64_t addr,
							  uint64_t size,
							  uint32_t flags);
hlthunk_public int
hlthunk_device_mapped_memory_export_dmabuf_fd(int fd, uint64_t addr,
					      uint64_t size, uint64_t offset,
					      uint32_t flags);
/* *@handle: for mmap(), *@block_size bytes of registers */
hlthunk_public int hlthunk_get_hw_block(int fd, uint64_t block_address,
					uint32_t *block_size, uint64_t *handle);

/*
 * Notifier (notifier.c): what happened to the device, one per fd.
 * _create returns the notifier's handle, which is an eventfd. _recv waits for
 * at most @timeout milliseconds (UINT32_MAX: for ever) and then returns 0 with
 * *@notifier_cnt = 0; else *@notifier_events is a set of HL_NOTIFIER_EVENT_*
 * and *@notifier_cnt how many events came. @flags must be 0.
 */
hlthunk_public int hlthunk_notifier_create(int fd);
hlthunk_public int hlthunk_notifier_release(int fd, int handle);
hlthunk_public int hlthunk_notifier_recv(int fd, int handle,
					 uint64_t *notifier_events,
					 uint64_t *notifier_cnt, uint32_t flags,
					 uint32_t timeout);

/* The DEBUG ioctl (debugfs.c): trace components, see hl_debug_args. */
hlthunk_public int hlthunk_debug(int fd, struct hl_debug_args *debug);

/*
 * Registers and memory by debugfs (debugfs.c); needs root and CONFIG_DEBUG_FS.
 * Every fd of *@debugfs is valid after success. One access is two system
 * calls: threads that share *@debugfs, or the device, must take turns.
 */
hlthunk_public int hlthunk_debugfs_open(int fd, struct hlthunk_debugfs *debugfs);
hlthunk_public int hlthunk_debugfs_read(struct hlthunk_debugfs *debugfs,
					uint64_t full_address, uint32_t *val);
hlthunk_public int hlthunk_debugfs_write(struct hlthunk_debugfs *debugfs,
					 uint64_t full_address, uint32_t val);
hlthunk_public int hlthunk_debugfs_close(struct hlthunk_debugfs *debugfs);

/*
 * Profiler hooks (profiler.c). They call the functions of the same names in
 * the library that the environment variable HLTHUNK_PROFILER_LIB names;
 * without it, or if it cannot be loaded, -ENOTSUP.
 */
hlthunk_public int hlthunk_profiler_start(int fd);
hlthunk_public int hlthunk_profiler_stop(int fd);
hlthunk_public int hlthunk_profiler_get_trace(int fd, void *buffer,
					      uint64_t *size,
					      uint64_t *num_entries);
hlthunk_public void hlthunk_profiler_destroy(void);

/*
 * Odds and ends (misc.c, hash.c)
 */
/* Zeroed memory, or NULL; for hlthunk_free(). */
hlthunk_public void *hlthunk_malloc(size_t size);
hlthunk_public void hlthunk_free(void *pt);
/*
 * "1.10.0-open-gaudi-0.1.0": the release of the vendor's library that this one
 * stands in for, and its own. The caller passes it to hlthunk_free().
 */
hlthunk_public char *hlthunk_get_version(void);

/*
 * A hash table with libdrm's conventions: 0 found or done, 1 not found or (for
 * insert) there already, -1 not a table; first and next: 1 an entry, 0 none.
 * A table has no lock. Deleting the entry that first or next gave is allowed.
 */
hlthunk_public void *hlthunk_hash_create(void);
hlthunk_public int hlthunk_hash_destroy(void *t);
hlthunk_public int hlthunk_hash_lookup(void *t, unsigned long key,
				       void **value);
hlthunk_public int hlthunk_hash_insert(void *t, unsigned long key,
				       void *value);
hlthunk_public int hlthunk_hash_delete(void *t, unsigned long key);
hlthunk_public int hlthunk_hash_next(void *t, unsigned long *key,
				     void **value);
hlthunk_public int hlthunk_hash_first(void *t, unsigned long *key,
				      void **value);

/* Old names: wait_for_cs_with_timestamp, register_timestamp_interrupt, ... */
hlthunk_public int hlthunk_deprecated_func1(int fd, uint64_t seq,
					    uint64_t timeout_us,
					    uint32_t *status,
					    uint64_t *timestamp);
hlthunk_public int hlthunk_deprecated_func2(int fd, uint32_t interrupt_id,
					    uint64_t cq_counters_handle,
					    uint64_t cq_counters_offset,
					    uint64_t target_value,
					    uint64_t timestamp_handle,
					    uint64_t timestamp_offset);
/* ... and allocate_timestamp_elements. */
hlthunk_public int hlthunk_deprecated_func3(int fd, uint32_t num_elements,
					    uint64_t *handle);

/*
 * The table by which interposing libraries hand on these functions.
 * Each member has its function's type; three names are shortened.
 */
struct hlthunk_functions_pointers {
	int (*fp_hlthunk_command_submission)(int fd, struct hlthunk_cs_in *in,
					     struct hlthunk_cs_out *out);
	int (*fp_hlthunk_open)(enum hlthunk_device_name device_name,
			       const char *busid);
	int (*fp_hlthunk_close)(int fd);
	int (*fp_hlthunk_profiler_start)(int fd);
	int (*fp_hlthunk_profiler_stop)(int fd);
	int (*fp_hlthunk_profiler_get_trace)(int fd, void *buffer,
					     uint64_t *size,
					     uint64_t *num_entries);
	uint64_t (*fp_hlthunk_device_memory_alloc)(int fd, uint64_t size,
						   uint64_t page_size,
						   bool contiguous,
						   bool shared);
	int (*fp_hlthunk_device_memory_free)(int fd, uint64_t handle);
	uint64_t (*fp_hlthunk_device_memory_map)(int fd, uint64_t handle,
						 uint64_t hint_addr);
	uint64_t (*fp_hlthunk_host_memory_map)(int fd, void *host_virt_addr,
					       uint64_t hint_addr,
					       uint64_t host_size);
	int (*fp_hlthunk_memory_unmap)(int fd, uint64_t device_virt_addr);
	int (*fp_hlthunk_debug)(int fd, struct hl_debug_args *debug);
	int (*fp_hlthunk_request_command_buffer)(int fd, uint32_t cb_size,
						 uint64_t *cb_handle);
	int (*fp_hlthunk_destroy_command_buffer)(int fd, uint64_t cb_handle);
	int (*fp_hlthunk_wait_for_cs)(int fd, uint64_t seq, uint64_t timeout_us,
				      uint32_t *status);
	enum hlthunk_device_name (*fp_hlthunk_get_device_name_from_fd)(int fd);
	int (*fp_hlthunk_get_pci_bus_id_from_fd)(int fd, char *pci_bus_id,
						 int len);
	int (*fp_hlthunk_get_device_index_from_pci_bus_id)(const char *busid);
	void *(*fp_hlthunk_malloc)(size_t size);
	void (*fp_hlthunk_free)(void *pt);
	int (*fp_hlthunk_signal_submission)(int fd,
					    struct hlthunk_signal_in *in,
					    struct hlthunk_signal_out *out);
	int (*fp_hlthunk_wait_for_signal)(int fd, struct hlthunk_wait_in *in,
					  struct hlthunk_wait_out *out);
	int (*fp_hlthunk_get_time_sync_info)(int fd,
				struct hlthunk_time_sync_info *info);
	int (*fp_hlthunk_get_cs_counters_info)(int fd,
				struct hl_info_cs_counters *info);
	void (*fp_hlthunk_profiler_destroy)(void);
	int (*fp_hlthunk_request_mapped_command_buffer)(int fd,
							uint32_t cb_size,
							uint64_t *cb_handle);
	int (*fp_hlthunk_wait_for_collective_sig)(int fd,
						  struct hlthunk_wait_in *in,
						  struct hlthunk_wait_out *out);
	int (*fp_hlthunk_deprecated_func1)(int fd, uint64_t seq,
					   uint64_t timeout_us,
					   uint32_t *status,
					   uint64_t *timestamp);
	int (*fp_hlthunk_get_cb_usage_count)(int fd, uint64_t cb_handle,
					     uint32_t *usage_cnt);
	int (*fp_hlthunk_staged_command_submission)(int fd, uint64_t sequence,
						    struct hlthunk_cs_in *in,
						    struct hlthunk_cs_out *out);
	int (*fp_hlthunk_get_hw_block)(int fd, uint64_t block_address,
				       uint32_t *block_size, uint64_t *handle);
	int (*fp_hlthunk_wait_for_interrupt)(int fd, void *addr,
					     uint64_t target_value,
					     uint32_t interrupt_id,
					     uint64_t timeout_us,
					     uint32_t *status);
	int (*fp_hlthunk_device_memory_export_dmabuf_fd)(int fd, uint64_t addr,
							 uint64_t size,
							 uint32_t flags);
	int (*fp_hlthunk_command_submission_timeout)(int fd,
						     struct hlthunk_cs_in *in,
						     struct hlthunk_cs_out *out,
						     uint32_t timeout);
	int (*fp_hlthunk_signal_submission_timeout)(int fd,
						struct hlthunk_signal_in *in,
						struct hlthunk_signal_out *out,
						uint32_t timeout);
	int (*fp_hlthunk_wait_for_signal_timeout)(int fd,
						  struct hlthunk_wait_in *in,
						  struct hlthunk_wait_out *out,
						  uint32_t timeout);
	int (*fp_hlthunk_wait_for_collective_sig_timeout)(int fd,
						struct hlthunk_wait_in *in,
						struct hlthunk_wait_out *out,
						uint32_t timeout);
	int (*fp_hlthunk_staged_cs_timeout)(int fd, uint64_t sequence,
					    struct hlthunk_cs_in *in,
					    struct hlthunk_cs_out *out,
					    uint32_t timeout);
	int (*fp_hlthunk_reserve_signals)(int fd, struct hlthunk_sig_res_in *in,
					  struct hlthunk_sig_res_out *out);
	int (*fp_hlthunk_unreserve_signals)(int fd,
					    struct reserve_sig_handle *handle,
					    uint32_t *status);
	int (*fp_hlthunk_staged_cs_encaps_signals)(int fd, uint64_t handle_id,
						   struct hlthunk_cs_in *in,
						   struct hlthunk_cs_out *out);
	int (*fp_hlthunk_wait_for_reserved_encaps_signals)(int fd,
						struct hlthunk_wait_in *in,
						struct hlthunk_wait_out *out);
	int (*fp_hlthunk_wait_for_collective_reserved_encap_sig)(int fd,
						struct hlthunk_wait_in *in,
						struct hlthunk_wait_out *out);
	uint64_t (*fp_hlthunk_host_memory_map_flags)(int fd,
						     void *host_virt_addr,
						     uint64_t hint_addr,
						     uint64_t host_size,
						     uint32_t flags);
	int (*fp_get_dram_replaced_rows_info)(int fd,
				struct hlthunk_dram_replaced_rows_info *info);
	int (*fp_get_dram_pending_rows_info)(int fd, uint32_t *out);
	int (*fp_DEPRECATED1)(void);
	int (*fp_hlthunk_wait_for_interrupt_by_handle)(int fd,
						uint64_t cq_counters_handle,
						uint64_t cq_counters_offset,
						uint64_t target_value,
						uint32_t interrupt_id,
						uint64_t timeout_us,
						uint32_t *status);
	int (*fp_hlthunk_get_mapped_cb_device_va_by_handle)(int fd,
							uint64_t cb_handle,
							uint64_t *device_va);
	int (*fp_hlthunk_get_pll_frequency)(int fd, uint32_t index,
				struct hlthunk_pll_frequency_info *frequency);
	int (*fp_hlthunk_deprecated_func2)(int fd, uint32_t interrupt_id,
					   uint64_t cq_counters_handle,
					   uint64_t cq_counters_offset,
					   uint64_t target_value,
					   uint64_t timestamp_handle,
					   uint64_t timestamp_offset);
	int (*fp_hlthunk_deprecated_func3)(int fd, uint32_t num_elements,
					   uint64_t *handle);
	int (*fp_hlthunk_device_mapped_memory_export_dmabuf_fd)(int fd,
							uint64_t addr,
							uint64_t size,
							uint64_t offset,
							uint32_t flags);
};

#ifdef __cplusplus
}
#endif

#endif /* HLTHUNK_H */
