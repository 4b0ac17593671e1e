// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages to the embedded CPU that are sent from more than one place, or whose
 * answers need checks: what comes back is firmware's word.
 */
#include <linux/nospec.h>
#include <linux/slab.h>

#include "../core/gaudi_device.h"
#include "gaudi_cpucp.h"

/* Sensor attribute of POWER_GET: what the card draws now. */
#define GAUDI_POWER_INPUT		8

int gaudi_cpucp_test(struct gaudi_device *gdev)
{
	u64 result;
	int ret;

	ret = gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_TEST,
			       .value = cpu_to_le64(GAUDI_CPUCP_FENCE_VAL)),
			       0, &result);
	if (ret)
		return ret;
	return result == GAUDI_CPUCP_FENCE_VAL ? 0 : -EIO;
}

int gaudi_cpucp_fetch(struct gaudi_device *gdev, struct gaudi_cpucp_packet *pkt,
		      u64 *result, void *data, size_t size)
{
	memset(data, 0, size);
	pkt->data_max_size = cpu_to_le32(size);
	return gaudi_cpucp_xfer(gdev, pkt, GAUDI_CPUCP_INFO_TIMEOUT_MS, result,
				data, size);
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
	struct gaudi_cpucp_info *info __free(kfree) =
		kzalloc(sizeof(*info), GFP_KERNEL);
	int ret;

	if (!info)
		return -ENOMEM;
	ret = gaudi_cpucp_fetch(gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_INFO_GET),
				NULL, info, sizeof(*info));
	if (ret)
		return ret;
	gaudi_cpucp_terminate(info);
	if (!info->card_name[0])
		strscpy(info->card_name, "HL205");
	scoped_guard(rwsem_write, &gdev->fw_sem)
		gdev->info = *info;
	return 0;
}

int gaudi_cpucp_pci_access(struct gaudi_device *gdev, bool enable)
{
	return gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(enable ?
				GAUDI_CPUCP_ENABLE_PCI_ACCESS :
				GAUDI_CPUCP_DISABLE_PCI_ACCESS), 0, NULL);
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
	int index = gaudi_cpucp_pll(gdev, pll);

	if (index < 0)
		return index;
	return gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(current_ ?
				GAUDI_CPUCP_FREQUENCY_CURR_GET :
				GAUDI_CPUCP_FREQUENCY_GET,
				.pll_index = cpu_to_le32(index)), 0, hz);
}

int gaudi_cpucp_frequency_set(struct gaudi_device *gdev, u32 pll, u64 hz)
{
	int index = gaudi_cpucp_pll(gdev, pll);

	if (index < 0)
		return index;
	return gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_FREQUENCY_SET,
				.pll_index = cpu_to_le32(index),
				.value = cpu_to_le64(hz)), 0, NULL);
}

int gaudi_cpucp_max_power_set(struct gaudi_device *gdev, u64 mw)
{
	return gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_MAX_POWER_SET,
				.value = cpu_to_le64(mw)), 0, NULL);
}

int gaudi_cpucp_power_get(struct gaudi_device *gdev, u64 *mw)
{
	return gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_POWER_GET,
				.type = cpu_to_le16(GAUDI_POWER_INPUT)),
				GAUDI_CPUCP_INFO_TIMEOUT_MS, mw);
}

int gaudi_cpucp_pll_info_get(struct gaudi_device *gdev, u32 pll, u16 *mhz)
{
	int index = gaudi_cpucp_pll(gdev, pll);
	unsigned int i;
	u64 result;
	int ret;

	if (index < 0)
		return index;
	ret = gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_PLL_INFO_GET,
			       .pll_type = cpu_to_le16(index)),
			       GAUDI_CPUCP_INFO_TIMEOUT_MS, &result);
	if (ret)
		return ret;
	for (i = 0; i < HL_PLL_NUM_OUTPUTS; i++)
		mhz[i] = result >> (16 * i);
	return 0;
}
