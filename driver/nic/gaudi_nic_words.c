// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of queue pairs in the hardware's layout, and what else can be decided
 * without the card. Nothing here touches hardware.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "gaudi_nic_priv.h"

/* The first byte of an address is the lowest of the field. */
static u64 gaudi_nic_mac(const __u8 *mac)
{
	return get_unaligned_le32(mac) | (u64)get_unaligned_le16(mac + 4) << 32;
}

void gaudi_nic_pack_req(u32 *words, const struct drm_gaudi_nic_req_ctx *in,
			u32 entries)
{
	memset(words, 0, 4 * NIC_REQ_QPC_WORDS);
	gaudi_nic_set(words, NIC_REQ_DST_QP, in->dst_conn_id);
	gaudi_nic_set(words, NIC_REQ_PORT, in->port);
	gaudi_nic_set(words, NIC_REQ_PRIORITY, in->priority);
	gaudi_nic_set(words, NIC_REQ_RKEY, in->rkey);
	gaudi_nic_set(words, NIC_REQ_DST_IP, in->dst_ip);
	gaudi_nic_set(words, NIC_REQ_SRC_IP, in->src_ip);
	gaudi_nic_set(words, NIC_REQ_DST_MAC, gaudi_nic_mac(in->dst_mac));
	gaudi_nic_set(words, NIC_REQ_NEXT_PSN, in->psn);
	gaudi_nic_set(words, NIC_REQ_OLDEST_UNACKED, in->psn);
	gaudi_nic_set(words, NIC_REQ_TIMER_GRANULARITY,
		      in->timer_log2 ?: GAUDI_NIC_TIMER_LOG2);
	gaudi_nic_set(words, NIC_REQ_SOB_EN, 1);
	gaudi_nic_set(words, NIC_REQ_TRANSPORT, NIC_TRANSPORT_RC);
	gaudi_nic_set(words, NIC_REQ_LAST_INDEX, entries - 1);
	gaudi_nic_set(words, NIC_REQ_WQ_BASE, in->conn_id);
	gaudi_nic_set(words, NIC_REQ_TRUST, NIC_TRUST_UNSECURED);
	gaudi_nic_set(words, NIC_REQ_VALID, 1);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_pack_req);

void gaudi_nic_pack_res(u32 *words, const struct drm_gaudi_nic_res_ctx *in,
			u32 lkey, unsigned int ring_log2)
{
	memset(words, 0, 4 * NIC_RES_QPC_WORDS);
	gaudi_nic_set(words, NIC_RES_DST_QP, in->dst_conn_id);
	gaudi_nic_set(words, NIC_RES_PORT, in->port);
	gaudi_nic_set(words, NIC_RES_PRIORITY, in->priority);
	gaudi_nic_set(words, NIC_RES_CONN_STATE,
		      in->flags & GAUDI_NIC_RES_ANY_PSN ? NIC_CONN_RESYNC :
							  NIC_CONN_OPEN);
	gaudi_nic_set(words, NIC_RES_LKEY, lkey);
	gaudi_nic_set(words, NIC_RES_DST_IP, in->dst_ip);
	gaudi_nic_set(words, NIC_RES_SRC_IP, in->src_ip);
	gaudi_nic_set(words, NIC_RES_DST_MAC, gaudi_nic_mac(in->dst_mac));
	gaudi_nic_set(words, NIC_RES_TRANSPORT, NIC_TRANSPORT_RC);
	gaudi_nic_set(words, NIC_RES_EXPECTED_PSN, in->psn);
	gaudi_nic_set(words, NIC_RES_LOG_BUF_SIZE, ring_log2);
	gaudi_nic_set(words, NIC_RES_SOB_EN, 1);
	gaudi_nic_set(words, NIC_RES_TRUST, NIC_TRUST_UNSECURED);
	gaudi_nic_set(words, NIC_RES_VALID, 1);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_pack_res);

bool gaudi_nic_req_is_busy(const u32 *words)
{
	if (!gaudi_nic_get(words, NIC_REQ_VALID) ||
	    gaudi_nic_get(words, NIC_REQ_ERROR))
		return false;
	return gaudi_nic_get(words, NIC_REQ_CONSUMER_INDEX) !=
		       gaudi_nic_get(words, NIC_REQ_PRODUCER_INDEX) ||
	       gaudi_nic_get(words, NIC_REQ_NEXT_PSN) !=
		       gaudi_nic_get(words, NIC_REQ_OLDEST_UNACKED);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_req_is_busy);

static bool gaudi_nic_is_within(u64 addr, u64 end, u64 first, u64 last)
{
	return addr >= first && end - 1 <= last;
}

bool gaudi_nic_range_is_good(u64 addr, u64 bytes)
{
	u64 end;

	if (!bytes || check_add_overflow(addr, bytes, &end))
		return false;
	return gaudi_nic_is_within(addr, end, GAUDI_HBM_USER_BASE,
				   GAUDI_HBM_BASE + GAUDI_HBM_SIZE - 1) ||
	       gaudi_nic_is_within(addr, end, GAUDI_VA_HOST_START,
				   GAUDI_VA_HOST_END);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_range_is_good);

u32 gaudi_nic_error_flags(u32 entry)
{
	switch (FIELD_GET(NIC_ERR_SYNDROME, entry)) {
	case NIC_SYN_TX_TIMEOUT_RETRIES:
	case NIC_SYN_TX_NACK_RETRIES:
	case NIC_SYN_TX_BAD_QP:
		return GAUDI_NIC_ERR_REQUESTER;
	case NIC_SYN_RX_RKEY:
		return GAUDI_NIC_ERR_RESPONDER;
	default:
		return 0;
	}
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_error_flags);
