// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages to the embedded CPU, one function each. What comes back is
 * firmware's word: sizes are bounded and strings terminated here.
 */
#include <linux/nospec.h>
#include <linux/slab.h>

#include "../core/gaudi_device.h"
#include "gaudi_cpucp.h"
#include "gaudi_cpucp_priv.h"

#define GAUDI_CPUCP_PKT(op) \
	{ .ctl = cpu_to_le32(FIELD_PREP(GAUDI_CPUCP_CTL_OPCODE, (op))) }

#define GAUDI_PCIE_THROUGHPUT_TX	0
#define GAUDI_PCIE_THROUGHPUT_RX	1
/* Sensor attribute of POWER_GET: what the card draws now. */
#define GAUDI_POWER_INPUT		8

int gaudi_cpucp_test(struct gaudi_device *gdev)
{
	struct gaudi_cpucp_packet pkt = GAUDI_CPUCP_PKT(GAUDI_CPUCP_TEST);
	u64 result;
	int ret;

	pkt.value = cpu_to_le64(GAUDI_CPUCP_FENCE_VAL);
	ret = gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, &result);
	if (ret)
		return ret;
	return result == GAUDI_CPUCP_FENCE_VAL ? 0 : -EIO;
}

static void gaudi_cpucp_terminate(struct gaudi_cpucp_info *info)
{
	u8 *strings[] = {
		info->kernel_version, info->fuse_version,
		info->thermal_version, info->cpucp_version,
		info->fw_os_version,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(strings); i++)
		strings[i][GAUDI_FW_VERSION_LEN - 1] = '\0';
	info->card_name[GAUDI_CARD_NAME_LEN - 1] = '\0';
}

int gaudi_cpucp_info_get(struct gaudi_device *gdev)
{
	struct gaudi_cpucp_packet pkt = GAUDI_CPUCP_PKT(GAUDI_CPUCP_INFO_GET);
	struct gaudi_cpucp_info *info __free(kfree) =
		kzalloc(sizeof(*info), GFP_KERNEL);
	int ret;

	if (!info)
		return -ENOMEM;
	pkt.data_max_size = cpu_to_le32(sizeof(*info));
	ret = gaudi_cpucp_xfer(gdev, &pkt, sizeof(pkt),
			       GAUDI_CPUCP_INFO_TIMEOUT_MS, NULL, info,
			       sizeof(*info));
	if (ret)
		return ret;
	gaudi_cpucp_terminate(info);
	if (!info->card_name[0])
		strscpy(info->card_name, "HL205");
	scoped_guard(rwsem_write, &gdev->fw_sem)
		gdev->info = *info;
	return 0;
}

/* What a message brings, at most size bytes of it; result may be NULL. */
static int gaudi_cpucp_fetch(struct gaudi_device *gdev,
			     struct gaudi_cpucp_packet pkt, u64 *result,
			     void *data, size_t size)
{
	memset(data, 0, size);
	pkt.data_max_size = cpu_to_le32(size);
	return gaudi_cpucp_xfer(gdev, &pkt, sizeof(pkt),
				GAUDI_CPUCP_INFO_TIMEOUT_MS, result, data,
				size);
}

int gaudi_cpucp_nic_info_get(struct gaudi_device *gdev,
			     struct gaudi_cpucp_nic_info *info)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_NIC_INFO_GET);

	return gaudi_cpucp_fetch(gdev, pkt, NULL, info, sizeof(*info));
}

/* Registers of all monitors, also of those that PCI may not read. */
int gaudi_cpucp_monitor_dump(struct gaudi_device *gdev, void *data, size_t size)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_MONITOR_DUMP_GET);

	return gaudi_cpucp_fetch(gdev, pkt, NULL, data, size);
}

int gaudi_cpucp_pci_access(struct gaudi_device *gdev, bool enable)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(enable ? GAUDI_CPUCP_ENABLE_PCI_ACCESS :
					 GAUDI_CPUCP_DISABLE_PCI_ACCESS);

	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, NULL);
}

/*
 * Firmware's number of one of the uAPI's PLLs (enum hl_gaudi_pll_index). Old
 * firmware counts as the uAPI does; newer says so and also which PLLs exist.
 */
static int gaudi_cpucp_pll(struct gaudi_device *gdev, u32 pll)
{
	static const u8 map[HL_GAUDI_PLL_MAX] = {
		[HL_GAUDI_CPU_PLL] = 0, [HL_GAUDI_PCI_PLL] = 1,
		[HL_GAUDI_NIC_PLL] = 2, [HL_GAUDI_DMA_PLL] = 3,
		[HL_GAUDI_MESH_PLL] = 4, [HL_GAUDI_MME_PLL] = 5,
		[HL_GAUDI_TPC_PLL] = 6, [HL_GAUDI_IF_PLL] = 7,
		[HL_GAUDI_SRAM_PLL] = 8, [HL_GAUDI_HBM_PLL] = 10,
	};

	/* Firmware with fixed numbers judges them itself. */
	if (!(gdev->boot_sts0 & GAUDI_BOOT_STS0_DYN_PLL_EN))
		return pll & U16_MAX;
	if (pll >= HL_GAUDI_PLL_MAX)
		return -EINVAL;
	pll = array_index_nospec(pll, HL_GAUDI_PLL_MAX);
	if (!(gdev->info.pll_map[map[pll] / 8] & BIT(map[pll] % 8)))
		return -EINVAL;
	return map[pll];
}

int gaudi_cpucp_frequency_get(struct gaudi_device *gdev, u32 pll, bool current_,
			      u64 *hz)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(current_ ? GAUDI_CPUCP_FREQUENCY_CURR_GET :
					   GAUDI_CPUCP_FREQUENCY_GET);
	int index = gaudi_cpucp_pll(gdev, pll);

	if (index < 0)
		return index;
	pkt.pll_index = cpu_to_le32(index);
	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, hz);
}

int gaudi_cpucp_frequency_set(struct gaudi_device *gdev, u32 pll, u64 hz)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_FREQUENCY_SET);
	int index = gaudi_cpucp_pll(gdev, pll);

	if (index < 0)
		return index;
	pkt.pll_index = cpu_to_le32(index);
	pkt.value = cpu_to_le64(hz);
	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, NULL);
}

int gaudi_cpucp_max_power_get(struct gaudi_device *gdev, u64 *mw)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_MAX_POWER_GET);

	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, mw);
}

int gaudi_cpucp_max_power_set(struct gaudi_device *gdev, u64 mw)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_MAX_POWER_SET);

	pkt.value = cpu_to_le64(mw);
	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, NULL);
}

int gaudi_cpucp_power_get(struct gaudi_device *gdev, u64 *mw)
{
	struct gaudi_cpucp_packet pkt = GAUDI_CPUCP_PKT(GAUDI_CPUCP_POWER_GET);

	pkt.type = cpu_to_le16(GAUDI_POWER_INPUT);
	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt),
				GAUDI_CPUCP_INFO_TIMEOUT_MS, mw);
}

int gaudi_cpucp_total_energy_get(struct gaudi_device *gdev, u64 *mj)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_TOTAL_ENERGY_GET);

	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt),
				GAUDI_CPUCP_INFO_TIMEOUT_MS, mj);
}

int gaudi_cpucp_pll_info_get(struct gaudi_device *gdev, u32 pll, u16 *mhz)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_PLL_INFO_GET);
	int index = gaudi_cpucp_pll(gdev, pll);
	unsigned int i;
	u64 result;
	int ret;

	if (index < 0)
		return index;
	pkt.pll_type = cpu_to_le16(index);
	ret = gaudi_cpucp_send(gdev, &pkt, sizeof(pkt),
			       GAUDI_CPUCP_INFO_TIMEOUT_MS, &result);
	if (ret)
		return ret;
	for (i = 0; i < HL_PLL_NUM_OUTPUTS; i++)
		mhz[i] = result >> (16 * i);
	return 0;
}

static int gaudi_cpucp_throughput(struct gaudi_device *gdev, u32 which,
				  u64 *result)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_PCIE_THROUGHPUT_GET);

	pkt.index = cpu_to_le32(which);
	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt),
				GAUDI_CPUCP_INFO_TIMEOUT_MS, result);
}

int gaudi_cpucp_pci_counters_get(struct gaudi_device *gdev,
				 struct hl_info_pci_counters *counters)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_PCIE_REPLAY_CNT_GET);
	u64 rx, tx, replay;
	int ret;

	ret = gaudi_cpucp_throughput(gdev, GAUDI_PCIE_THROUGHPUT_RX, &rx);
	if (ret)
		return ret;
	ret = gaudi_cpucp_throughput(gdev, GAUDI_PCIE_THROUGHPUT_TX, &tx);
	if (ret)
		return ret;
	ret = gaudi_cpucp_send(gdev, &pkt, sizeof(pkt),
			       GAUDI_CPUCP_INFO_TIMEOUT_MS, &replay);
	if (ret)
		return ret;
	counters->rx_throughput = rx;
	counters->tx_throughput = tx;
	counters->replay_cnt = replay;
	return 0;
}

int gaudi_cpucp_replaced_rows_get(struct gaudi_device *gdev, void *rows,
				  size_t size)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_HBM_REPLACED_ROWS_INFO_GET);

	return gaudi_cpucp_fetch(gdev, pkt, NULL, rows, size);
}

int gaudi_cpucp_pending_rows_get(struct gaudi_device *gdev, u32 *pending)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_HBM_PENDING_ROWS_STATUS);
	u64 result;
	int ret;

	ret = gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, &result);
	if (!ret)
		*pending = result;
	return ret;
}

int gaudi_cpucp_eeprom_get(struct gaudi_device *gdev, void *data, size_t size)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_EEPROM_DATA_GET);
	u64 len;
	int ret;

	ret = gaudi_cpucp_fetch(gdev, pkt, &len, data, size);
	if (ret)
		return ret;
	/* Bytes beyond what firmware says it wrote are not the EEPROM's. */
	if (len < size)
		memset(data + len, 0, size - len);
	return 0;
}

int gaudi_cpucp_sensor_get(struct gaudi_device *gdev, u32 opcode, u32 index,
			   u32 attr, s64 *value)
{
	struct gaudi_cpucp_packet pkt = GAUDI_CPUCP_PKT(opcode);
	u64 result;
	int ret;

	pkt.sensor_index = cpu_to_le16(index);
	pkt.type = cpu_to_le16(attr);
	ret = gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, &result);
	if (!ret)
		*value = (s64)result;
	return ret;
}

int gaudi_cpucp_sensor_set(struct gaudi_device *gdev, u32 opcode, u32 index,
			   u32 attr, s64 value)
{
	struct gaudi_cpucp_packet pkt = GAUDI_CPUCP_PKT(opcode);

	pkt.sensor_index = cpu_to_le16(index);
	pkt.type = cpu_to_le16(attr);
	pkt.value = cpu_to_le64(value);
	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, NULL);
}

int gaudi_cpucp_unmask_event(struct gaudi_device *gdev, u32 event_id)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_UNMASK_RAZWI_IRQ);

	pkt.value = cpu_to_le64(event_id);
	return gaudi_cpucp_send(gdev, &pkt, sizeof(pkt), 0, NULL);
}

int gaudi_cpucp_attest_get(struct gaudi_device *gdev, u32 opcode, void *data,
			   size_t size, u32 nonce)
{
	struct gaudi_cpucp_packet pkt = GAUDI_CPUCP_PKT(opcode);

	pkt.nonce = cpu_to_le32(nonce);
	return gaudi_cpucp_fetch(gdev, pkt, NULL, data, size);
}

int gaudi_cpucp_generic(struct gaudi_device *gdev, void *data, size_t size,
			u32 subidx, u32 *out_size)
{
	struct gaudi_cpucp_packet pkt =
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_GENERIC_PASSTHROUGH);
	u64 result;
	int ret;

	pkt.data_max_size = cpu_to_le32(size);
	pkt.pkt_subidx = cpu_to_le32(subidx);
	ret = gaudi_cpucp_xfer(gdev, &pkt, sizeof(pkt),
			       GAUDI_CPUCP_INFO_TIMEOUT_MS, &result, data,
			       size);
	if (!ret)
		*out_size = min_t(u64, result, size);
	return ret;
}
