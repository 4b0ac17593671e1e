// SPDX-License-Identifier: GPL-2.0-only
/* Proves: INFO answers what it must, and refuses what it must. */
#include <time.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

GAUDI_FIXTURE(info)

TEST_F(info, refuses_bad_arguments)
{
	struct hl_info_hw_ip_info hw;

	EXPECT_EQ(-EINVAL, gt_info(self->fd, HL_INFO_HW_IP_INFO, NULL,
				   sizeof(hw)));
	EXPECT_EQ(-EINVAL, gt_info(self->fd, HL_INFO_HW_IP_INFO, &hw, 0));
	EXPECT_EQ(-EFAULT, gt_info(self->fd, HL_INFO_HW_IP_INFO,
				   (void *)0x1000, sizeof(hw)));
	EXPECT_EQ(-EINVAL, gt_info(self->fd, 0xfff, &hw, sizeof(hw)));
}

TEST_F(info, short_buffer_gets_the_front)
{
	unsigned char buf[sizeof(self->hw)];

	memset(buf, 0x5a, sizeof(buf));
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_HW_IP_INFO, buf, 8));
	EXPECT_EQ(0, memcmp(buf, &self->hw, 8));
	EXPECT_EQ(0x5a, buf[8]);
}

TEST_F(info, idle_card_is_idle)
{
	struct hl_info_hw_idle idle;
	unsigned int i;

	memset(&idle, 0xff, sizeof(idle));
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_HW_IDLE, &idle, sizeof(idle)));
	EXPECT_EQ(1, idle.is_idle);
	for (i = 0; i < HL_BUSY_ENGINES_MASK_EXT_SIZE; i++)
		EXPECT_EQ(0, idle.busy_engines_mask_ext[i]);
}

TEST_F(info, waiting_queue_is_busy)
{
	struct hl_info_hw_idle idle;
	struct gt_cb release;
	uint64_t seq;
	uint32_t status;
	int i;

	self->cb.len = gt_pkt_fence(self->cb.map, 2, 1, 1);
	ASSERT_EQ(0, gt_submit(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb,
			       &seq));
	/* The card begins when it comes to it. */
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, gt_info(self->fd, HL_INFO_HW_IDLE, &idle,
				     sizeof(idle)));
		if (!idle.is_idle)
			break;
		usleep(10000);
	}
	EXPECT_EQ(0, idle.is_idle);
	EXPECT_NE(0, idle.busy_engines_mask_ext[0] &
		  1ull << GAUDI_ENGINE_ID_DMA_0);

	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &release));
	release.len = gt_pkt_msg_long(release.map, DMA_FENCE2(0, 0), 1, MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &release));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 10000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
	gt_cb_destroy(self->fd, &release);
}

TEST_F(info, time_runs)
{
	struct hl_info_time_sync a, b;

	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_TIME_SYNC, &a, sizeof(a)));
	usleep(10000);
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_TIME_SYNC, &b, sizeof(b)));
	EXPECT_GT(b.device_time, a.device_time);
	EXPECT_GT(b.host_time, a.host_time);
}

TEST_F(info, sync_manager_starts_behind_the_drivers)
{
	static const struct { uint32_t sob, mon; } want[] = {
		[HL_GAUDI_WS_DCORE] = { 144, 72 },
		[HL_GAUDI_WN_DCORE] = { 0, 0 },
		[HL_GAUDI_EN_DCORE] = { 0, 0 },
		[HL_GAUDI_ES_DCORE] = { 0, 0 },
	};
	struct hl_info_sync_manager sm;
	struct hl_info_args args = {
		.op = HL_INFO_SYNC_MANAGER,
		.return_pointer = (uintptr_t)&sm,
		.return_size = sizeof(sm),
	};
	unsigned int i;

	if (gt_has(self->fd, GAUDI_CAP_SHARED))
		SKIP(return, "each process has a range of its own: share_test");
	for (i = 0; i < 4; i++) {
		args.dcore_id = i;
		ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_INFO, &args));
		EXPECT_EQ(want[i].sob, sm.first_available_sync_object);
		EXPECT_EQ(want[i].mon, sm.first_available_monitor);
	}
	args.dcore_id = 8;
	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_INFO, &args));
}

TEST_F(info, dram_usage)
{
	struct hl_info_dram_usage usage;

	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &usage,
			     sizeof(usage)));
	EXPECT_GT(usage.dram_free_mem, 1ull << 30);
	EXPECT_LE(usage.dram_free_mem, self->hw.dram_size);
}

TEST_F(info, events_array)
{
	uint32_t *events = calloc(self->hw.num_of_events, sizeof(*events));

	ASSERT_NE(NULL, events);
	EXPECT_EQ(663, self->hw.num_of_events);
	EXPECT_EQ(0, gt_info(self->fd, HL_INFO_HW_EVENTS, events,
			     self->hw.num_of_events * sizeof(*events)));
	EXPECT_EQ(0, gt_info(self->fd, HL_INFO_HW_EVENTS_AGGREGATE, events,
			     self->hw.num_of_events * sizeof(*events)));
	free(events);
}

/* The numbers are those of firmware-stub/board/hl205.dts. */
TEST_F(info, plls_of_the_board)
{
	static const struct {
		uint32_t pll;
		uint16_t mhz[HL_PLL_NUM_OUTPUTS];
	} want[] = {
		{ HL_GAUDI_CPU_PLL, { 1600, 800, 800, 400 } },
		{ HL_GAUDI_PCI_PLL, { 500, 250, 250, 125 } },
		{ HL_GAUDI_HBM_PLL, { 1000, 500, 500, 250 } },
		{ HL_GAUDI_NIC_PLL, { 850, 425, 425, 212 } },
	};
	struct hl_pll_frequency_info pll;
	struct hl_info_args args = {
		.op = HL_INFO_PLL_FREQUENCY,
		.return_pointer = (uintptr_t)&pll,
		.return_size = sizeof(pll),
	};
	unsigned int i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		args.pll_index = want[i].pll;
		memset(&pll, 0, sizeof(pll));
		ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_INFO, &args));
		EXPECT_EQ(0, memcmp(pll.output, want[i].mhz,
				    sizeof(pll.output)));
	}
}

TEST_F(info, power_and_rows_of_hbm)
{
	struct hl_power_info power;
	uint64_t replaced = ~0ull;
	uint32_t pending = ~0u;

	/* In mW: an idle card's, up to what the board allows. */
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_POWER, &power, sizeof(power)));
	EXPECT_GE(power.power, 62000);
	EXPECT_LE(power.power, 350000);
	/* No row has failed; the driver hands on the first eight bytes. */
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_REPLACED_ROWS, &replaced,
			     sizeof(replaced)));
	EXPECT_EQ(0, replaced);
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_PENDING_ROWS, &pending,
			     sizeof(pending)));
	EXPECT_EQ(0, pending);
}

TEST_F(info, plain_answers)
{
#define PLAIN(op, type)	{ HL_INFO_##op, sizeof(type), #op }
	static const struct {
		uint32_t op, size;
		const char *name;
	} all[] = {
		PLAIN(DEVICE_STATUS, struct hl_info_device_status),
		PLAIN(CLK_RATE, struct hl_info_clk_rate),
		PLAIN(RESET_COUNT, struct hl_info_reset_count),
		PLAIN(CS_COUNTERS, struct hl_info_cs_counters),
		PLAIN(PCI_COUNTERS, struct hl_info_pci_counters),
		PLAIN(CLK_THROTTLE_REASON, struct hl_info_clk_throttle),
		PLAIN(TOTAL_ENERGY, struct hl_info_energy),
		PLAIN(POWER, struct hl_power_info),
		PLAIN(OPEN_STATS, struct hl_open_stats_info),
		PLAIN(LAST_ERR_OPEN_DEV_TIME, struct hl_info_last_err_open_dev_time),
		PLAIN(CS_TIMEOUT_EVENT, struct hl_info_cs_timeout_event),
		PLAIN(RAZWI_EVENT, struct hl_info_razwi_event),
		PLAIN(DRAM_REPLACED_ROWS, uint64_t),
		PLAIN(DRAM_PENDING_ROWS, uint32_t),
		PLAIN(DEV_MEM_ALLOC_PAGE_SIZES, struct hl_info_dev_memalloc_page_sizes),
		PLAIN(UNDEFINED_OPCODE_EVENT, struct hl_info_undefined_opcode_event),
	};
	unsigned char buf[4096];
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ASSERT_LE(all[i].size, sizeof(buf));
		EXPECT_EQ(0, gt_info(self->fd, all[i].op, buf, all[i].size))
			TH_LOG("%s", all[i].name);
		EXPECT_EQ(-EINVAL, gt_info(self->fd, all[i].op, buf, 0));
		EXPECT_EQ(-EINVAL, gt_info(self->fd, all[i].op, NULL, 8));
	}
}

/* The control node: who has the other one open is killed by a reset. */
FIXTURE(control) { int fd; };

FIXTURE_SETUP(control)
{
	self->fd = gt_open();
	if (self->fd == -ENODEV)
		SKIP(return, "no Gaudi card");
	ASSERT_GE(self->fd, 0);
	close(self->fd);
	self->fd = gt_open_control();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(control)
{
	if (self->fd >= 0)
		close(self->fd);
}

static uint32_t status_of(int fd)
{
	struct hl_info_device_status out = { .status = ~0u };

	gt_info(fd, HL_INFO_DEVICE_STATUS, &out, sizeof(out));
	return out.status;
}

/* What is answered from registers; 0, or the answer to all three. */
static int ask_registers(int fd)
{
	static char text[1 << 16];
	struct hl_info_time_sync times;
	struct hl_info_hw_idle idle;
	int rc = gt_info(fd, HL_INFO_HW_IDLE, &idle, sizeof(idle));

	if (gt_info(fd, HL_INFO_TIME_SYNC, &times, sizeof(times)) != rc ||
	    gt_info(fd, HL_INFO_ENGINE_STATUS, text, sizeof(text)) != rc)
		return -EPROTO;
	return rc;
}

/* From the request on, until the card is back, nobody reads its registers. */
TEST_F_TIMEOUT(control, no_registers_in_a_reset, 300)
{
	uint32_t resets = gt_resets(self->fd), status;
	time_t end = time(NULL) + 120;
	unsigned int asked = 0;
	int rc;

	ASSERT_EQ(0, ask_registers(self->fd));
	ASSERT_EQ(0, gt_sysfs_write("hard_reset", "1"));
	while (time(NULL) < end) {
		status = status_of(self->fd);
		rc = ask_registers(self->fd);
		if (status_of(self->fd) != status)
			continue;
		if (status == HL_DEVICE_STATUS_OPERATIONAL)
			break;
		ASSERT_EQ(-EBUSY, rc);
		asked++;
		usleep(1000);
	}
	EXPECT_GT(asked, 0);
	/* Mainline counts it when it is over. */
	while (gt_resets(self->fd) == resets && time(NULL) < end)
		usleep(1000);
	EXPECT_EQ(resets + 1, gt_resets(self->fd));
	EXPECT_EQ(0, ask_registers(self->fd));
}

TEST_HARNESS_MAIN
