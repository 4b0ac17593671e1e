// SPDX-License-Identifier: MIT
/*
 * The INFO ioctl: state and measures of a card. What went wrong with it, and
 * when, is events.c's.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "internal.h"

int hlthunk_get_info(int fd, struct hl_info_args *info)
{
	return info ? hlt_info(fd, info) : hlt_ret(-EINVAL);
}

int hlthunk_get_hw_ip_info(int fd, struct hlthunk_hw_ip_info *hw_ip)
{
	struct hl_info_hw_ip_info k;
	int rc;

	if (!hw_ip)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_HW_IP_INFO, &k, sizeof(k));
	if (rc)
		return rc;

	*hw_ip = (struct hlthunk_hw_ip_info) {
		.sram_base_address = k.sram_base_address,
		.dram_base_address = k.dram_base_address,
		.dram_size = k.dram_size,
		.sram_size = k.sram_size,
		.num_of_events = k.num_of_events,
		.device_id = k.device_id,
		.cpld_version = k.cpld_version,
		.psoc_pci_pll_nr = k.psoc_pci_pll_nr,
		.psoc_pci_pll_nf = k.psoc_pci_pll_nf,
		.psoc_pci_pll_od = k.psoc_pci_pll_od,
		.psoc_pci_pll_div_factor = k.psoc_pci_pll_div_factor,
		.tpc_enabled_mask = k.tpc_enabled_mask,
		.dram_enabled = k.dram_enabled,
		.module_id = k.module_id,
		.decoder_enabled_mask = k.decoder_enabled_mask,
		.mme_master_slave_mode = k.mme_master_slave_mode,
		.tpc_enabled_mask_ext = k.tpc_enabled_mask_ext,
		.dram_page_size = k.dram_page_size,
		.first_available_interrupt_id = k.first_available_interrupt_id,
		.edma_enabled_mask = k.edma_enabled_mask,
		.server_type = k.server_type,
		.number_of_user_interrupts = k.number_of_user_interrupts,
		.device_mem_alloc_default_page_size =
			k.device_mem_alloc_default_page_size,
		.security_enabled = k.security_enabled,
		.revision_id = k.revision_id,
		.tpc_interrupt_id = k.tpc_interrupt_id,
		.engine_core_interrupt_reg_addr =
			k.engine_core_interrupt_reg_addr,
		.rotator_enabled_mask = k.rotator_enabled_mask,
		.reserved_dram_size = k.reserved_dram_size,
	};
	memcpy(hw_ip->cpucp_version, k.cpucp_version, sizeof(k.cpucp_version));
	memcpy(hw_ip->card_name, k.card_name, sizeof(k.card_name));

	return 0;
}

int hlthunk_get_open_stats(int fd, struct hlthunk_open_stats_info *open_stats)
{
	struct hl_open_stats_info k;
	int rc;

	if (!open_stats)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_OPEN_STATS, &k, sizeof(k));
	if (rc)
		return rc;
	open_stats->open_counter = k.open_counter;
	open_stats->last_open_period_ms = k.last_open_period_ms;
	open_stats->is_compute_ctx_active = k.is_compute_ctx_active;
	open_stats->compute_ctx_in_release = k.compute_ctx_in_release;

	return 0;
}

int hlthunk_get_hw_asic_status(int fd,
			       struct hlthunk_hw_asic_status *hw_asic_status)
{
	struct hlthunk_hw_asic_status *s = hw_asic_status;
	struct hl_info_device_status k;
	int rc;

	if (!s)
		return hlt_ret(-EINVAL);
	memset(s, 0, sizeof(*s));
	rc = hlt_info_get(fd, HL_INFO_DEVICE_STATUS, &k, sizeof(k));
	if (rc)
		return rc;

	s->status = k.status;
	s->timestamp_sec = time(NULL);
	s->valid = !hlthunk_get_clk_throttle_info(fd, &s->throttle) &&
		   !hlthunk_get_open_stats(fd, &s->open_stats) &&
		   !hlthunk_get_power_info(fd, &s->power);

	return 0;
}

int hlthunk_get_dram_usage(int fd, struct hlthunk_dram_usage_info *dram_usage)
{
	struct hl_info_dram_usage k;
	int rc;

	if (!dram_usage)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_DRAM_USAGE, &k, sizeof(k));
	if (rc)
		return rc;
	dram_usage->dram_free_mem = k.dram_free_mem;
	dram_usage->ctx_dram_mem = k.ctx_dram_mem;

	return 0;
}

enum hl_device_status hlthunk_get_device_status_info(int fd)
{
	struct hl_info_device_status k;
	int rc;

	rc = hlt_info_get(fd, HL_INFO_DEVICE_STATUS, &k, sizeof(k));

	return rc ? (enum hl_device_status)rc : (enum hl_device_status)k.status;
}

bool hlthunk_is_device_idle(int fd)
{
	struct hl_info_hw_idle k;

	return !hlt_info_get(fd, HL_INFO_HW_IDLE, &k, sizeof(k)) && k.is_idle;
}

int hlthunk_get_busy_engines_mask(int fd,
				  struct hlthunk_engines_idle_info *info)
{
	struct hl_info_hw_idle k;
	int rc;

	if (!info)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_HW_IDLE, &k, sizeof(k));
	if (rc)
		return rc;
	info->is_idle = k.is_idle;
	info->pad = 0;
	for (size_t i = 0; i < ARRAY_SIZE(info->mask); i++)
		info->mask[i] = k.busy_engines_mask_ext[i];

	return 0;
}

int hlthunk_get_pll_frequency(int fd, uint32_t index,
			      struct hlthunk_pll_frequency_info *frequency)
{
	struct hl_pll_frequency_info k = {};
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)&k,
		.return_size = sizeof(k),
		.op = HL_INFO_PLL_FREQUENCY,
		.pll_index = index,
	};
	int rc;

	if (!frequency)
		return hlt_ret(-EINVAL);
	rc = hlt_info(fd, &args);
	if (rc)
		return rc;
	memcpy(frequency->output, k.output, sizeof(k.output));

	return 0;
}

int hlthunk_get_device_utilization(int fd, uint32_t period_ms, uint32_t *rate)
{
	struct hl_info_device_utilization k = {};
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)&k,
		.return_size = sizeof(k),
		.op = HL_INFO_DEVICE_UTILIZATION,
		.period_ms = period_ms,
	};
	int rc;

	if (!rate)
		return hlt_ret(-EINVAL);
	rc = hlt_info(fd, &args);
	if (!rc)
		*rate = k.utilization;

	return rc;
}

int hlthunk_get_clk_rate(int fd, uint32_t *cur_clk_mhz, uint32_t *max_clk_mhz)
{
	struct hl_info_clk_rate k;
	int rc;

	if (!cur_clk_mhz || !max_clk_mhz)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_CLK_RATE, &k, sizeof(k));
	if (rc)
		return rc;
	*cur_clk_mhz = k.cur_clk_rate_mhz;
	*max_clk_mhz = k.max_clk_rate_mhz;

	return 0;
}

int hlthunk_get_reset_count_info(int fd, struct hlthunk_reset_count_info *info)
{
	struct hl_info_reset_count k;
	int rc;

	if (!info)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_RESET_COUNT, &k, sizeof(k));
	if (rc)
		return rc;
	info->hard_reset_count = k.hard_reset_cnt;
	info->soft_reset_count = k.soft_reset_cnt;

	return 0;
}

int hlthunk_get_time_sync_info(int fd, struct hlthunk_time_sync_info *info)
{
	struct hl_info_time_sync k;
	int rc;

	if (!info)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_TIME_SYNC, &k, sizeof(k));
	if (rc)
		return rc;
	info->device_time = k.device_time;
	info->host_time = k.host_time;

	return 0;
}

int hlthunk_get_sync_manager_info(int fd, int dcore_id,
				  struct hlthunk_sync_manager_info *info)
{
	struct hl_info_sync_manager k = {};
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)&k,
		.return_size = sizeof(k),
		.op = HL_INFO_SYNC_MANAGER,
		.dcore_id = (uint32_t)dcore_id,
	};
	int rc;

	if (!info || dcore_id < 0)
		return hlt_ret(-EINVAL);
	rc = hlt_info(fd, &args);
	if (rc)
		return rc;
	info->first_available_sync_object = k.first_available_sync_object;
	info->first_available_monitor = k.first_available_monitor;
	info->first_available_cq = k.first_available_cq;
	info->reserved = 0;

	return 0;
}

int hlthunk_get_cs_counters_info(int fd, struct hl_info_cs_counters *info)
{
	if (!info)
		return hlt_ret(-EINVAL);

	return hlt_info_get(fd, HL_INFO_CS_COUNTERS, info, sizeof(*info));
}

int hlthunk_get_pci_counters_info(int fd,
				  struct hlthunk_pci_counters_info *info)
{
	struct hl_info_pci_counters k;
	int rc;

	if (!info)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_PCI_COUNTERS, &k, sizeof(k));
	if (rc)
		return rc;
	info->rx_throughput = k.rx_throughput;
	info->tx_throughput = k.tx_throughput;
	info->replay_cnt = (uint32_t)k.replay_cnt;

	return 0;
}

int hlthunk_get_clk_throttle_info(int fd,
				  struct hlthunk_clk_throttle_info *info)
{
	struct hl_info_clk_throttle k;
	int rc;

	if (!info)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_CLK_THROTTLE_REASON, &k, sizeof(k));
	if (rc)
		return rc;
	info->clk_throttle_reason_bitmask = k.clk_throttling_reason;
	for (int i = 0; i < HL_CLK_THROTTLE_TYPE_MAX; i++) {
		info->clk_throttle_start_timestamp_us[i] =
			k.clk_throttling_timestamp_us[i];
		info->clk_throttle_duration_ns[i] =
			k.clk_throttling_duration_ns[i];
	}

	return 0;
}

int hlthunk_get_total_energy_consumption_info(int fd,
					      struct hlthunk_energy_info *info)
{
	struct hl_info_energy k;
	int rc;

	if (!info)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_TOTAL_ENERGY, &k, sizeof(k));
	if (!rc)
		info->total_energy_consumption = k.total_energy_consumption;

	return rc;
}

int hlthunk_get_power_info(int fd, struct hlthunk_power_info *info)
{
	struct hl_power_info k;
	int rc;

	if (!info)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_POWER, &k, sizeof(k));
	if (!rc)
		info->power = k.power;

	return rc;
}

int hlthunk_get_dev_memalloc_page_orders(int fd, uint64_t *page_order_bitmask)
{
	struct hl_info_dev_memalloc_page_sizes k;
	int rc;

	if (!page_order_bitmask)
		return hlt_ret(-EINVAL);
	rc = hlt_info_get(fd, HL_INFO_DEV_MEM_ALLOC_PAGE_SIZES, &k, sizeof(k));
	if (!rc)
		*page_order_bitmask = k.page_order_bitmask;

	return rc;
}

int hlthunk_get_sec_attest_info(int fd, uint32_t nonce,
				struct hlthunk_sec_attest_info *info)
{
	struct hl_info_sec_attest k = {};
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)&k,
		.return_size = sizeof(k),
		.op = HL_INFO_SECURED_ATTESTATION,
		.sec_attest_nonce = nonce,
	};
	int rc;

	if (!info)
		return hlt_ret(-EINVAL);
	rc = hlt_info(fd, &args);
	if (rc)
		return rc;
	info->nonce = k.nonce;
	info->pcr_quote_len = k.pcr_quote_len;
	info->pub_data_len = k.pub_data_len;
	info->certificate_len = k.certificate_len;
	info->pcr_num_reg = k.pcr_num_reg;
	info->pcr_reg_len = k.pcr_reg_len;
	info->quote_sig_len = k.quote_sig_len;
	memcpy(info->pcr_data, k.pcr_data, sizeof(info->pcr_data));
	memcpy(info->pcr_quote, k.pcr_quote, sizeof(info->pcr_quote));
	memcpy(info->quote_sig, k.quote_sig, sizeof(info->quote_sig));
	memcpy(info->public_data, k.public_data, sizeof(info->public_data));
	memcpy(info->certificate, k.certificate, sizeof(info->certificate));

	return 0;
}

int hlthunk_get_engine_status(int fd, char *status_buf,
			      uint32_t status_buf_size, int *actual_size)
{
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)status_buf,
		.return_size = status_buf_size,
		.op = HL_INFO_ENGINE_STATUS,
	};
	int rc;

	if (!status_buf || !actual_size)
		return hlt_ret(-EINVAL);
	rc = hlt_info(fd, &args);
	if (!rc)
		*actual_size = (int)args.user_buffer_actual_size;

	return rc;
}

int hlthunk_fw_send_generic_request(int fd, void *buff, uint32_t buff_size,
				    uint32_t sub_opcode)
{
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)buff,
		.return_size = buff_size,
		.op = HL_INFO_FW_GENERIC_REQ,
		.fw_sub_opcode = sub_opcode,
	};

	return hlt_info(fd, &args);
}
