// SPDX-License-Identifier: GPL-2.0-only
/*
 * INFO opcodes that are answered by the embedded CPU: each is a message or two
 * (gaudi_cpucp.h) and the translation of the reply.
 */
#include <linux/math64.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../core/gaudi_device.h"
#include "../firmware/gaudi_cpucp.h"
#include "gaudi_info.h"

/* The one request that the uAPI lets pass; mainline does not export its name. */
#define PASSTHROUGH_VERSIONS	0

#define PCIE_THROUGHPUT_TX	0
#define PCIE_THROUGHPUT_RX	1

/* Replies as they lie in memory: 1-byte and 2-byte fields, little endian. */
struct fw_attestation {
	u8 pcr_data[SEC_PCR_DATA_BUF_SZ];
	u8 pcr_num_reg;
	u8 pcr_reg_len;
	__le16 pad;
	__le32 nonce;
	__le16 pcr_quote_len;
	u8 pcr_quote[SEC_PCR_QUOTE_BUF_SZ];
	u8 quote_sig_len;
	u8 quote_sig[SEC_SIGNATURE_BUF_SZ];
	__le16 pub_data_len;
	u8 public_data[SEC_PUB_DATA_BUF_SZ];
	__le16 certificate_len;
	u8 certificate[SEC_CERTIFICATE_BUF_SZ];
};

struct fw_signed_info {
	struct gaudi_cpucp_info info;
	__le32 nonce;
	__le32 pad;
	u8 info_sig_len;
	u8 info_sig[SEC_SIGNATURE_BUF_SZ];
	__le16 pub_data_len;
	u8 public_data[SEC_PUB_DATA_BUF_SZ];
	__le16 certificate_len;
	u8 certificate[SEC_CERTIFICATE_BUF_SZ];
};

static_assert(sizeof(struct fw_attestation) == 3592);
static_assert(sizeof(struct fw_signed_info) == 4592);
static_assert(sizeof(struct gaudi_cpucp_info) <= SEC_DEV_INFO_BUF_SZ);

/* Power above idle, in percent of the range up to the limit. */
int gaudi_info_utilization(struct gaudi_info *info)
{
	struct hl_info_device_utilization *out = info->out;
	struct gaudi_device *gdev = info->gdev;
	u64 idle = gdev->dc_power_default_mw, max = gdev->max_power_mw, power;

	if (max <= idle || gaudi_cpucp_power_get(gdev, &power))
		return -EINVAL;
	power = clamp(power, idle, max);
	out->utilization = div64_u64((power - idle) * 100, max - idle);
	return 0;
}

int gaudi_info_clk_rate(struct gaudi_info *info)
{
	struct hl_info_clk_rate *out = info->out;
	u64 max, cur;
	int rc;

	rc = gaudi_cpucp_frequency_get(info->gdev, HL_GAUDI_MME_PLL, false,
				       &max);
	if (!rc)
		rc = gaudi_cpucp_frequency_get(info->gdev, HL_GAUDI_MME_PLL,
					       true, &cur);
	if (rc)
		return rc;
	out->max_clk_rate_mhz = div_u64(max, 1000000);
	out->cur_clk_rate_mhz = div_u64(cur, 1000000);
	return 0;
}

/* Firmware measures the throughput, which takes a while. */
int gaudi_info_pci_counters(struct gaudi_info *info)
{
	struct gaudi_cpucp_packet *ask[] = {
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_PCIE_THROUGHPUT_GET,
				.index = cpu_to_le32(PCIE_THROUGHPUT_RX)),
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_PCIE_THROUGHPUT_GET,
				.index = cpu_to_le32(PCIE_THROUGHPUT_TX)),
		GAUDI_CPUCP_PKT(GAUDI_CPUCP_PCIE_REPLAY_CNT_GET),
	};
	struct hl_info_pci_counters *out = info->out;
	u64 answers[ARRAY_SIZE(ask)];
	unsigned int i;
	int rc = 0;

	for (i = 0; i < ARRAY_SIZE(ask) && !rc; i++)
		rc = gaudi_cpucp_send(info->gdev, ask[i],
				      GAUDI_CPUCP_INFO_TIMEOUT_MS, &answers[i]);
	if (rc)
		return rc;
	out->rx_throughput = answers[0];
	out->tx_throughput = answers[1];
	out->replay_cnt = answers[2];
	return 0;
}

int gaudi_info_total_energy(struct gaudi_info *info)
{
	struct hl_info_energy *out = info->out;

	return gaudi_cpucp_send(info->gdev,
				GAUDI_CPUCP_PKT(GAUDI_CPUCP_TOTAL_ENERGY_GET),
				GAUDI_CPUCP_INFO_TIMEOUT_MS,
				&out->total_energy_consumption);
}

int gaudi_info_pll_frequency(struct gaudi_info *info)
{
	struct hl_pll_frequency_info *out = info->out;

	return gaudi_cpucp_pll_info_get(info->gdev, info->args->pll_index,
					out->output);
}

int gaudi_info_power(struct gaudi_info *info)
{
	struct hl_power_info *out = info->out;

	return gaudi_cpucp_power_get(info->gdev, &out->power);
}

int gaudi_info_replaced_rows(struct gaudi_info *info)
{
	return gaudi_cpucp_fetch(info->gdev, GAUDI_CPUCP_PKT(
				 GAUDI_CPUCP_HBM_REPLACED_ROWS_INFO_GET), NULL,
				 info->out, sizeof(u64));
}

int gaudi_info_pending_rows(struct gaudi_info *info)
{
	u32 *out = info->out;
	u64 pending;
	int rc;

	rc = gaudi_cpucp_send(info->gdev, GAUDI_CPUCP_PKT(
			      GAUDI_CPUCP_HBM_PENDING_ROWS_STATUS), 0,
			      &pending);
	if (!rc)
		*out = pending;
	return rc;
}

/*
 * Get firmware's signed answer into fw, which may be NULL for want of memory, and
 * room for the user's, info->to_free.
 */
static int gaudi_info_get_signed(struct gaudi_info *info, u32 opcode, void *fw,
				 size_t fw_size, size_t out_size)
{
	if (!info->args->return_size || !info->args->return_pointer)
		return -EINVAL;
	info->to_free = kzalloc(out_size, GFP_KERNEL);
	if (!fw || !info->to_free)
		return -ENOMEM;
	return gaudi_cpucp_fetch(info->gdev, GAUDI_CPUCP_PKT(opcode,
				 .nonce = cpu_to_le32(info->args->sec_attest_nonce)),
				 NULL, fw, fw_size);
}

int gaudi_info_attestation(struct gaudi_info *info)
{
	struct fw_attestation *fw __free(kfree) =
		kzalloc(sizeof(*fw), GFP_KERNEL);
	struct hl_info_sec_attest *out;
	int rc;

	rc = gaudi_info_get_signed(info, GAUDI_CPUCP_SEC_ATTEST_GET, fw,
				   sizeof(*fw), sizeof(*out));
	if (rc)
		return rc;
	out = info->to_free;
	out->nonce = le32_to_cpu(fw->nonce);
	out->pcr_quote_len = le16_to_cpu(fw->pcr_quote_len);
	out->pub_data_len = le16_to_cpu(fw->pub_data_len);
	out->certificate_len = le16_to_cpu(fw->certificate_len);
	out->pcr_num_reg = fw->pcr_num_reg;
	out->pcr_reg_len = fw->pcr_reg_len;
	out->quote_sig_len = fw->quote_sig_len;
	memcpy(out->pcr_data, fw->pcr_data, sizeof(out->pcr_data));
	memcpy(out->pcr_quote, fw->pcr_quote, sizeof(out->pcr_quote));
	memcpy(out->quote_sig, fw->quote_sig, sizeof(out->quote_sig));
	memcpy(out->public_data, fw->public_data, sizeof(out->public_data));
	memcpy(out->certificate, fw->certificate, sizeof(out->certificate));
	return gaudi_info_answer(info, out, sizeof(*out));
}

int gaudi_info_dev_signed(struct gaudi_info *info)
{
	struct fw_signed_info *fw __free(kfree) =
		kzalloc(sizeof(*fw), GFP_KERNEL);
	struct hl_info_signed *out;
	int rc;

	rc = gaudi_info_get_signed(info, GAUDI_CPUCP_INFO_SIGNED_GET, fw,
				   sizeof(*fw), sizeof(*out));
	if (rc)
		return rc;
	out = info->to_free;
	out->nonce = le32_to_cpu(fw->nonce);
	out->info_sig_len = fw->info_sig_len;
	out->pub_data_len = le16_to_cpu(fw->pub_data_len);
	out->certificate_len = le16_to_cpu(fw->certificate_len);
	out->dev_info_len = sizeof(fw->info);
	memcpy(out->info_sig, fw->info_sig, sizeof(out->info_sig));
	memcpy(out->public_data, fw->public_data, sizeof(out->public_data));
	memcpy(out->certificate, fw->certificate, sizeof(out->certificate));
	memcpy(out->dev_info, &fw->info, sizeof(fw->info));
	return gaudi_info_answer(info, out, sizeof(*out));
}

int gaudi_info_fw_generic(struct gaudi_info *info)
{
	u32 size = info->args->return_size;
	u64 out_size;
	void *buf;
	int rc;

	if (info->args->fw_sub_opcode != PASSTHROUGH_VERSIONS ||
	    size > SZ_1M)
		return -EINVAL;
	if (!size)
		return -ENOMEM;
	buf = kvzalloc(size, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	info->to_free = buf;
	rc = gaudi_cpucp_xfer(info->gdev, GAUDI_CPUCP_PKT(
			      GAUDI_CPUCP_GENERIC_PASSTHROUGH,
			      .data_max_size = cpu_to_le32(size),
			      .pkt_subidx =
				cpu_to_le32(info->args->fw_sub_opcode)),
			      GAUDI_CPUCP_INFO_TIMEOUT_MS, &out_size, buf,
			      size);
	if (rc)
		return rc;
	/* As mainline: whatever the pointer is. */
	info->answer = buf;
	info->answer_len = min_t(u64, size, out_size);
	return 0;
}
