// SPDX-License-Identifier: GPL-2.0-only
/*
 * INFO opcodes that are answered by the embedded CPU: each is one message of
 * gaudi_cpucp.h and the translation of its reply.
 */
#include <linux/math64.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../core/gaudi_device.h"
#include "../firmware/gaudi_cpucp.h"
#include "gaudi_info.h"

/* The one request that the uAPI lets pass; mainline does not export its name. */
#define PASSTHROUGH_VERSIONS	0

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

int gaudi_info_pci_counters(struct gaudi_info *info)
{
	return gaudi_cpucp_pci_counters_get(info->gdev, info->out);
}

int gaudi_info_total_energy(struct gaudi_info *info)
{
	struct hl_info_energy *out = info->out;
	u64 mj;
	int rc = gaudi_cpucp_total_energy_get(info->gdev, &mj);

	if (!rc)
		out->total_energy_consumption = mj;
	return rc;
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
	u64 mw;
	int rc = gaudi_cpucp_power_get(info->gdev, &mw);

	if (!rc)
		out->power = mw;
	return rc;
}

int gaudi_info_replaced_rows(struct gaudi_info *info)
{
	return gaudi_cpucp_replaced_rows_get(info->gdev, info->out,
					     sizeof(u64));
}

int gaudi_info_pending_rows(struct gaudi_info *info)
{
	return gaudi_cpucp_pending_rows_get(info->gdev, info->out);
}

int gaudi_info_attestation(struct gaudi_info *info)
{
	struct fw_attestation *fw;
	struct hl_info_sec_attest *out;
	int rc = -ENOMEM;

	if (!info->args->return_size || !info->args->return_pointer)
		return -EINVAL;
	fw = kzalloc(sizeof(*fw), GFP_KERNEL);
	out = kzalloc(sizeof(*out), GFP_KERNEL);
	if (!fw || !out)
		goto free;
	rc = gaudi_cpucp_attest_get(info->gdev, GAUDI_CPUCP_SEC_ATTEST_GET, fw,
				    sizeof(*fw), info->args->sec_attest_nonce);
	if (rc)
		goto free;
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
	rc = gaudi_info_answer(info, out, sizeof(*out));
free:
	info->to_free = out;
	kfree(fw);
	return rc;
}

int gaudi_info_dev_signed(struct gaudi_info *info)
{
	struct fw_signed_info *fw;
	struct hl_info_signed *out;
	int rc = -ENOMEM;

	if (!info->args->return_size || !info->args->return_pointer)
		return -EINVAL;
	fw = kzalloc(sizeof(*fw), GFP_KERNEL);
	out = kzalloc(sizeof(*out), GFP_KERNEL);
	if (!fw || !out)
		goto free;
	rc = gaudi_cpucp_attest_get(info->gdev, GAUDI_CPUCP_INFO_SIGNED_GET, fw,
				    sizeof(*fw), info->args->sec_attest_nonce);
	if (rc)
		goto free;
	out->nonce = le32_to_cpu(fw->nonce);
	out->info_sig_len = fw->info_sig_len;
	out->pub_data_len = le16_to_cpu(fw->pub_data_len);
	out->certificate_len = le16_to_cpu(fw->certificate_len);
	out->dev_info_len = sizeof(fw->info);
	memcpy(out->info_sig, fw->info_sig, sizeof(out->info_sig));
	memcpy(out->public_data, fw->public_data, sizeof(out->public_data));
	memcpy(out->certificate, fw->certificate, sizeof(out->certificate));
	memcpy(out->dev_info, &fw->info, sizeof(fw->info));
	rc = gaudi_info_answer(info, out, sizeof(*out));
free:
	info->to_free = out;
	kfree(fw);
	return rc;
}

int gaudi_info_fw_generic(struct gaudi_info *info)
{
	u32 size = info->args->return_size, out_size = 0;
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
	rc = gaudi_cpucp_generic(info->gdev, buf, size,
				 info->args->fw_sub_opcode, &out_size);
	if (rc)
		return rc;
	/* As mainline: whatever the pointer is. */
	info->answer = buf;
	info->answer_len = min(size, out_size);
	return 0;
}
