// SPDX-License-Identifier: GPL-2.0-only
/* Connections as text, for debugfs: what their contexts say. Keys are left out. */
#include <linux/pid.h>
#include <linux/seq_file.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_blocks.h"
#include "gaudi_nic_priv.h"

static int gaudi_nic_show_req(struct gaudi_device *gdev, struct seq_file *s,
			      unsigned int port, unsigned int id)
{
	u32 words[NIC_REQ_QPC_WORDS];
	int ret;

	ret = gaudi_nic_read_ctx(gdev, port, id, true, words);
	if (ret)
		return ret;
	seq_printf(s, "  requester to %llu: %s, producer %llu, execution %llu, consumer %llu of %llu, psn %#llx, unacknowledged %#llx, retries %llu %llu\n",
		   gaudi_nic_get(words, NIC_REQ_DST_QP),
		   gaudi_nic_get(words, NIC_REQ_ERROR) ? "error" :
		   gaudi_nic_req_is_busy(words) ? "busy" : "idle",
		   gaudi_nic_get(words, NIC_REQ_PRODUCER_INDEX),
		   gaudi_nic_get(words, NIC_REQ_EXECUTION_INDEX),
		   gaudi_nic_get(words, NIC_REQ_CONSUMER_INDEX),
		   gaudi_nic_get(words, NIC_REQ_LAST_INDEX) + 1,
		   gaudi_nic_get(words, NIC_REQ_NEXT_PSN),
		   gaudi_nic_get(words, NIC_REQ_OLDEST_UNACKED),
		   gaudi_nic_get(words, NIC_REQ_TIMEOUT_RETRIES),
		   gaudi_nic_get(words, NIC_REQ_SEQ_ERR_RETRIES));
	return 0;
}

static int gaudi_nic_show_res(struct gaudi_device *gdev, struct seq_file *s,
			      unsigned int port, unsigned int id)
{
	static const char * const states[] = {
		[NIC_CONN_OPEN] = "open", [NIC_CONN_CLOSE] = "closed",
		[NIC_CONN_RESYNC] = "resync", [NIC_CONN_ERROR] = "error",
	};
	u32 words[NIC_RES_QPC_WORDS];
	int ret;

	ret = gaudi_nic_read_ctx(gdev, port, id, false, words);
	if (ret)
		return ret;
	seq_printf(s, "  responder to %llu: %s, psn %#llx\n",
		   gaudi_nic_get(words, NIC_RES_DST_QP),
		   states[gaudi_nic_get(words, NIC_RES_CONN_STATE)],
		   gaudi_nic_get(words, NIC_RES_EXPECTED_PSN));
	return 0;
}

int gaudi_nic_show_conns(struct gaudi_device *gdev, struct seq_file *s)
{
	struct gaudi_nic_conn *conn;
	unsigned int port;
	unsigned long id;
	int ret = 0;

	guard(mutex)(&gdev->nic->lock);
	for_each_nic_port(gdev, port) {
		xa_for_each(&gdev->nic->port[port].conns, id, conn) {
			seq_printf(s, "NIC%u connection %lu: pid %d, %u errors\n",
				   port, id, pid_nr(conn->ctx->pid),
				   conn->errors);
			if (conn->requester)
				ret = gaudi_nic_show_req(gdev, s, port, id);
			if (!ret && conn->responder)
				ret = gaudi_nic_show_res(gdev, s, port, id);
			if (ret)
				return ret;
		}
	}
	return 0;
}
