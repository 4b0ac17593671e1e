// SPDX-License-Identifier: GPL-2.0-only
/* INFO: the exact requests, and how answers arrive in the ABI's structures. */
#include <errno.h>

#include "mock.h"

static const struct hl_info_hw_ip_info k_ip = {
	.sram_base_address = 0x7ff0000080,
	.dram_base_address = 0x20000000,
	.dram_size = 0x7e0000000,
	.sram_size = 0x13fff80,
	.num_of_events = 768,
	.device_id = 0x1000,
	.module_id = 7,
	.decoder_enabled_mask = 0x11,
	.first_available_interrupt_id = 3,
	.server_type = HL_SERVER_GAUDI_HLS1,
	.cpld_version = 0x1a,
	.psoc_pci_pll_nr = 4,
	.psoc_pci_pll_nf = 5,
	.psoc_pci_pll_od = 6,
	.psoc_pci_pll_div_factor = 8,
	.tpc_enabled_mask = 0xfe,
	.dram_enabled = 1,
	.security_enabled = 1,
	.mme_master_slave_mode = 1,
	.cpucp_version = "cpucp",
	.card_name = "HL205",
	.tpc_enabled_mask_ext = 0x1fe,
	.dram_page_size = 0x200000,
	.edma_enabled_mask = 0x3f,
	.number_of_user_interrupts = 9,
	.device_mem_alloc_default_page_size = 0x400000,
	.revision_id = 2,
	.tpc_interrupt_id = 11,
	.rotator_enabled_mask = 12,
	.engine_core_interrupt_reg_addr = 13,
	.reserved_dram_size = 0x20000000,
};

MOCK_TEST(hw_ip)
{
	struct hlthunk_hw_ip_info ip;

	memset(&ip, 0xa5, sizeof(ip));
	expect_info_of(HL_INFO_HW_IP_INFO, k_ip);
	WORKS(hlthunk_get_hw_ip_info(FD, &ip));
	assert_int_equal(ip.sram_base_address, k_ip.sram_base_address);
	assert_int_equal(ip.dram_base_address, k_ip.dram_base_address);
	assert_int_equal(ip.dram_size, k_ip.dram_size);
	assert_int_equal(ip.sram_size, k_ip.sram_size);
	assert_int_equal(ip.num_of_events, k_ip.num_of_events);
	assert_int_equal(ip.device_id, k_ip.device_id);
	assert_int_equal(ip.module_id, k_ip.module_id);
	assert_int_equal(ip.decoder_enabled_mask, k_ip.decoder_enabled_mask);
	assert_int_equal(ip.first_available_interrupt_id, 3);
	assert_int_equal(ip.server_type, k_ip.server_type);
	assert_int_equal(ip.cpld_version, k_ip.cpld_version);
	assert_int_equal(ip.psoc_pci_pll_nr, 4);
	assert_int_equal(ip.psoc_pci_pll_nf, 5);
	assert_int_equal(ip.psoc_pci_pll_od, 6);
	assert_int_equal(ip.psoc_pci_pll_div_factor, 8);
	assert_int_equal(ip.tpc_enabled_mask, 0xfe);
	assert_int_equal(ip.tpc_enabled_mask_ext, 0x1fe);
	assert_int_equal(ip.dram_enabled, 1);
	assert_int_equal(ip.security_enabled, 1);
	assert_int_equal(ip.mme_master_slave_mode, 1);
	assert_string_equal((char *)ip.cpucp_version, "cpucp");
	assert_string_equal((char *)ip.card_name, "HL205");
	assert_int_equal(ip.dram_page_size, 0x200000);
	assert_int_equal(ip.edma_enabled_mask, 0x3f);
	assert_int_equal(ip.number_of_user_interrupts, 9);
	assert_int_equal(ip.device_mem_alloc_default_page_size, 0x400000);
	assert_int_equal(ip.revision_id, 2);
	assert_int_equal(ip.tpc_interrupt_id, 11);
	assert_int_equal(ip.rotator_enabled_mask, 12);
	assert_int_equal(ip.engine_core_interrupt_reg_addr, 13);
	assert_int_equal(ip.reserved_dram_size, 0x20000000);
	assert_int_equal(ip.reserved1 | ip.reserved2 | ip.reserved5, 0);
}

MOCK_TEST(plain_values)
{
	const struct hl_info_dram_usage dram = { 100, 20 };
	const struct hl_info_clk_rate clk = { 1600, 2200 };
	const struct hl_info_reset_count reset = { 3, 4 };
	const struct hl_info_time_sync sync = { 5, 6, 7 };
	const struct hl_info_energy energy = { 8 };
	const struct hl_power_info power = { 9 };
	const struct hl_info_dev_memalloc_page_sizes pages = { 0x200000 };
	const uint32_t rows = 10;
	struct hlthunk_dram_usage_info udram;
	struct hlthunk_reset_count_info ureset;
	struct hlthunk_time_sync_info usync;
	struct hlthunk_energy_info uenergy;
	struct hlthunk_power_info upower;
	uint32_t cur, max, urows;
	uint64_t orders;

	expect_info_of(HL_INFO_DRAM_USAGE, dram);
	WORKS(hlthunk_get_dram_usage(FD, &udram));
	assert_int_equal(udram.dram_free_mem, 100);
	assert_int_equal(udram.ctx_dram_mem, 20);
	expect_info_of(HL_INFO_CLK_RATE, clk);
	WORKS(hlthunk_get_clk_rate(FD, &cur, &max));
	assert_int_equal(cur, 1600);
	assert_int_equal(max, 2200);
	expect_info_of(HL_INFO_RESET_COUNT, reset);
	WORKS(hlthunk_get_reset_count_info(FD, &ureset));
	assert_int_equal(ureset.hard_reset_count, 3);
	assert_int_equal(ureset.soft_reset_count, 4);
	expect_info_of(HL_INFO_TIME_SYNC, sync);
	WORKS(hlthunk_get_time_sync_info(FD, &usync));
	assert_int_equal(usync.device_time, 5);
	assert_int_equal(usync.host_time, 6);
	expect_info_of(HL_INFO_TOTAL_ENERGY, energy);
	WORKS(hlthunk_get_total_energy_consumption_info(FD, &uenergy));
	assert_int_equal(uenergy.total_energy_consumption, 8);
	expect_info_of(HL_INFO_POWER, power);
	WORKS(hlthunk_get_power_info(FD, &upower));
	assert_int_equal(upower.power, 9);
	expect_info_of(HL_INFO_DEV_MEM_ALLOC_PAGE_SIZES, pages);
	WORKS(hlthunk_get_dev_memalloc_page_orders(FD, &orders));
	assert_int_equal(orders, 0x200000);
	expect_info_of(HL_INFO_DRAM_PENDING_ROWS, rows);
	WORKS(hlthunk_get_dram_pending_rows_info(FD, &urows));
	assert_int_equal(urows, 10);
}

MOCK_TEST(with_parameter)
{
	const struct hl_info_sync_manager sm = { 144, 72, 5, 0 };
	const struct hl_pll_frequency_info pll = { { 1, 2, 3, 4 } };
	const struct hl_info_device_utilization util = { .utilization = 55 };
	const struct hl_info_sec_attest sec = {
		.nonce = 99, .pcr_num_reg = 3, .certificate_len = 4,
		.certificate = { 1, 2, 3, 4 },
	};
	struct hlthunk_sync_manager_info usm;
	struct hlthunk_pll_frequency_info upll;
	struct hlthunk_sec_attest_info usec;
	uint32_t rate, events[3] = {};
	const uint32_t kevents[3] = { 1, 2, 3 };
	char text[8], buf[1024];
	int size;

	expect_info(HL_INFO_SYNC_MANAGER, sizeof(sm), HL_GAUDI_EN_DCORE, 0,
		    &sm);
	WORKS(hlthunk_get_sync_manager_info(FD, HL_GAUDI_EN_DCORE, &usm));
	assert_int_equal(usm.first_available_sync_object, 144);
	assert_int_equal(usm.first_available_monitor, 72);
	assert_int_equal(usm.first_available_cq, 5);
	assert_int_equal(hlthunk_get_sync_manager_info(FD, -1, &usm), -EINVAL);
	expect_info(HL_INFO_PLL_FREQUENCY, sizeof(pll), HL_GAUDI_MME_PLL, 0,
		    &pll);
	WORKS(hlthunk_get_pll_frequency(FD, HL_GAUDI_MME_PLL, &upll));
	assert_memory_equal(upll.output, pll.output, sizeof(pll.output));
	expect_info(HL_INFO_DEVICE_UTILIZATION, sizeof(util), 500, 0, &util);
	WORKS(hlthunk_get_device_utilization(FD, 500, &rate));
	assert_int_equal(rate, 55);
	expect_info(HL_INFO_SECURED_ATTESTATION, sizeof(sec), 99, 0, &sec);
	WORKS(hlthunk_get_sec_attest_info(FD, 99, &usec));
	assert_int_equal(usec.nonce, 99);
	assert_int_equal(usec.pcr_num_reg, 3);
	assert_memory_equal(usec.certificate, sec.certificate, 4);
	expect_info(HL_INFO_HW_EVENTS_AGGREGATE, sizeof(events), 0, 0, kevents);
	WORKS(hlthunk_get_hw_events_arr(FD, true, sizeof(events), events));
	assert_memory_equal(events, kevents, sizeof(events));
	expect_info(HL_INFO_HW_EVENTS, 4, 0, 0, kevents);
	WORKS(hlthunk_get_hw_events_arr(FD, false, 4, events));
	expect_info(HL_INFO_FW_GENERIC_REQ, 8, 4, -EINVAL, NULL);
	assert_int_equal(hlthunk_fw_send_generic_request(FD, text, 8, 4),
			 -EINVAL);
	expect_info_out(HL_INFO_ENGINE_STATUS, sizeof(buf), 0, 0, NULL, 17);
	WORKS(hlthunk_get_engine_status(FD, buf, sizeof(buf), &size));
	assert_int_equal(size, 17);
}

MOCK_TEST(status_and_idle)
{
	const struct hl_info_device_status st = {
		.status = HL_DEVICE_STATUS_NEEDS_RESET,
	};
	struct hl_info_hw_idle idle = {
		.is_idle = 0,
		.busy_engines_mask = 1,
		.busy_engines_mask_ext = { 1, 2, 3, 4 },
	};
	struct hlthunk_engines_idle_info info;

	expect_info_of(HL_INFO_DEVICE_STATUS, st);
	assert_int_equal(hlthunk_get_device_status_info(FD),
			 HL_DEVICE_STATUS_NEEDS_RESET);
	expect_info(HL_INFO_DEVICE_STATUS, sizeof(st), 0, -ENODEV, NULL);
	assert_int_equal((int)hlthunk_get_device_status_info(FD), -ENODEV);
	expect_info_of(HL_INFO_HW_IDLE, idle);
	assert_false(hlthunk_is_device_idle(FD));
	expect_info_of(HL_INFO_HW_IDLE, idle);
	WORKS(hlthunk_get_busy_engines_mask(FD, &info));
	assert_int_equal(info.is_idle, 0);
	assert_memory_equal(info.mask, idle.busy_engines_mask_ext,
			    sizeof(info.mask));
	idle.is_idle = 1;
	expect_info_of(HL_INFO_HW_IDLE, idle);
	assert_true(hlthunk_is_device_idle(FD));
	expect_info(HL_INFO_HW_IDLE, sizeof(idle), 0, -EBUSY, &idle);
	assert_false(hlthunk_is_device_idle(FD));
}

MOCK_TEST(asic_status_survives_parts)
{
	const struct hl_info_device_status st = {
		.status = HL_DEVICE_STATUS_IN_RESET,
	};
	const struct hl_open_stats_info stats = {
		.open_counter = 12, .is_compute_ctx_active = 1,
	};
	const struct hl_info_clk_throttle thr = {
		.clk_throttling_reason = HL_CLK_THROTTLE_THERMAL,
		.clk_throttling_timestamp_us = { 1, 2 },
		.clk_throttling_duration_ns = { 3, 4 },
	};
	const struct hl_power_info power = { 55000 };
	struct hlthunk_hw_asic_status s;

	expect_info_of(HL_INFO_DEVICE_STATUS, st);
	expect_info_of(HL_INFO_CLK_THROTTLE_REASON, thr);
	expect_info_of(HL_INFO_OPEN_STATS, stats);
	expect_info(HL_INFO_POWER, sizeof(power), 0, -EBUSY, NULL);
	WORKS(hlthunk_get_hw_asic_status(FD, &s));
	assert_int_equal(s.status, HL_DEVICE_STATUS_IN_RESET);
	assert_int_equal(s.valid, 0);
	assert_int_equal(s.open_stats.open_counter, 12);
	assert_int_equal(s.throttle.clk_throttle_duration_ns[1], 4);
	assert_true(s.timestamp_sec > 1600000000);

	expect_info_of(HL_INFO_DEVICE_STATUS, st);
	expect_info_of(HL_INFO_CLK_THROTTLE_REASON, thr);
	expect_info_of(HL_INFO_OPEN_STATS, stats);
	expect_info_of(HL_INFO_POWER, power);
	WORKS(hlthunk_get_hw_asic_status(FD, &s));
	assert_int_equal(s.valid, 1);
	assert_int_equal(s.power.power, 55000);

	expect_info(HL_INFO_DEVICE_STATUS, sizeof(st), 0, -EBADF, NULL);
	assert_int_equal(hlthunk_get_hw_asic_status(FD, &s), -EBADF);
}

MOCK_TEST(event_records)
{
	const struct hl_info_razwi_event razwi = {
		.timestamp = 1, .addr = 2, .engine_id = { 3 },
		.num_of_possible_engines = 4, .flags = 5,
	};
	const struct hl_info_undefined_opcode_event op = {
		.timestamp = 1, .cq_addr = 2, .cq_size = 3, .engine_id = 4,
		.stream_id = 5, .cb_addr_streams = { { 6 } },
		.cb_addr_streams_len = 7,
	};
	const struct hl_info_hw_err_event hw = { .timestamp = 1,
						 .event_id = 2 };
	const struct hl_info_fw_err_event fw = {
		.timestamp = 1, .err_type = HL_INFO_FW_REPORTED_ERR,
		.event_id = 3,
	};
	const struct hl_info_cs_timeout_event to = { 1, 2 };
	const struct hl_info_last_err_open_dev_time od = { 5 };
	struct hlthunk_event_record_razwi_event urazwi;
	struct hlthunk_event_record_undefined_opcode uop;
	struct hlthunk_event_record_critical_hw_err uhw;
	struct hlthunk_event_record_critical_fw_err ufw;
	struct hlthunk_event_record_cs_timeout uto;
	struct hlthunk_event_record_open_dev_time uod;

	expect_info_of(HL_INFO_RAZWI_EVENT, razwi);
	WORKS(hlthunk_get_event_record(FD, HLTHUNK_RAZWI_EVENT, &urazwi));
	assert_int_equal(urazwi.engine_id[0], 3);
	assert_int_equal(urazwi.num_of_possible_engines, 4);
	assert_int_equal(urazwi.flags, 5);
	expect_info_of(HL_INFO_UNDEFINED_OPCODE_EVENT, op);
	WORKS(hlthunk_get_event_record(FD, HLTHUNK_UNDEFINED_OPCODE, &uop));
	assert_int_equal(uop.cq_addr, 2);
	assert_int_equal(uop.cb_addr_streams[0][0], 6);
	assert_int_equal(uop.stream_id, 5);
	expect_info_of(HL_INFO_HW_ERR_EVENT, hw);
	WORKS(hlthunk_get_event_record(FD, HLTHUNK_HW_ERR_OPCODE, &uhw));
	assert_int_equal(uhw.event_id, 2);
	expect_info_of(HL_INFO_FW_ERR_EVENT, fw);
	WORKS(hlthunk_get_event_record(FD, HLTHUNK_FW_ERR_OPCODE, &ufw));
	assert_int_equal(ufw.err_type, HL_INFO_FW_REPORTED_ERR);
	assert_int_equal(ufw.reported_err_id, 3);
	expect_info_of(HL_INFO_CS_TIMEOUT_EVENT, to);
	WORKS(hlthunk_get_event_record(FD, HLTHUNK_CS_TIMEOUT, &uto));
	assert_int_equal(uto.seq, 2);
	expect_info_of(HL_INFO_LAST_ERR_OPEN_DEV_TIME, od);
	WORKS(hlthunk_get_event_record(FD, HLTHUNK_OPEN_DEV, &uod));
	assert_int_equal(uod.timestamp, 5);
	assert_int_equal(hlthunk_get_event_record(FD, 6, &uod), -EINVAL);
}

MOCK_TEST(page_faults)
{
	const struct hl_page_fault_info k = { .timestamp = 5, .addr = 6,
					      .engine_id = 7 };
	const struct hl_page_fault_info none = {};
	const struct hl_user_mapping maps[2] = { { 1, 2 }, { 3, 4 } };
	struct hlthunk_user_mapping buf[2];
	struct hlthunk_page_fault_info pf = { .mappings_buf = buf };

	expect_info(HL_INFO_PAGE_FAULT_EVENT, sizeof(k), 0, 0, &none);
	WORKS(hlthunk_get_page_fault_info(FD, &pf, 2));
	assert_int_equal(pf.timestamp, 0);
	assert_int_equal(pf.num_of_mappings, 0);

	expect_info_of(HL_INFO_PAGE_FAULT_EVENT, k);
	expect_info_out(HL_INFO_USER_MAPPINGS, sizeof(maps), 0, 0, maps, 2);
	WORKS(hlthunk_get_page_fault_info(FD, &pf, 2));
	assert_int_equal(pf.addr, 6);
	assert_int_equal(pf.engine_id, 7);
	assert_int_equal(pf.num_of_mappings, 2);
	assert_int_equal(buf[1].dev_va, 3);
	assert_int_equal(buf[1].size, 4);

	expect_info_of(HL_INFO_PAGE_FAULT_EVENT, k);
	expect_info_out(HL_INFO_USER_MAPPINGS, sizeof(maps[0]), 0, -ENOMEM,
			NULL, 2);
	assert_int_equal(hlthunk_get_page_fault_info(FD, &pf, 1), -ENOMEM);
	assert_int_equal(pf.num_of_mappings, 2);
	pf.mappings_buf = NULL;
	assert_int_equal(hlthunk_get_page_fault_info(FD, &pf, 1), -EINVAL);

	/* How many are there? */
	expect_info_of(HL_INFO_PAGE_FAULT_EVENT, k);
	expect_info_out(HL_INFO_USER_MAPPINGS, 0, 0, -ENOMEM, NULL, 2);
	WORKS(hlthunk_get_page_fault_info(FD, &pf, 0));
	assert_int_equal(pf.num_of_mappings, 2);
}

MOCK_TEST(retries_after_signals)
{
	const struct hl_power_info power = { 9 };
	struct hlthunk_power_info u;

	/* A driver that scribbles over the argument while it fails. */
	expect_info_out(HL_INFO_POWER, sizeof(power), 0, -EINTR, NULL, 0xdead);
	expect_info_out(HL_INFO_POWER, sizeof(power), 0, -EINTR, NULL, 0xdead);
	expect_info_of(HL_INFO_POWER, power);
	WORKS(hlthunk_get_power_info(FD, &u));
	assert_int_equal(u.power, 9);
	/* The card's CPU is off; that may last. */
	expect_info(HL_INFO_POWER, sizeof(power), 0, -EAGAIN, NULL);
	assert_int_equal(hlthunk_get_power_info(FD, &u), -EAGAIN);
}
