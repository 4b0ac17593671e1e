// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Queue pairs in memory: contexts in the tables of a port, and entries of their
 * queues. The model has no cache of contexts; each access is to the table, so that
 * an invalidation has nothing to do.
 *
 * Source: see gaudi_nic_regs.h.
 */
#include <stdlib.h>

#include "nic_port.h"
#include "../bus/bus.h"

#define USER_ASID	1	/* of queues and data of what is not privileged */

struct gaudi_txn gaudi_nic_txn(const struct gaudi_nic_port *port,
			       unsigned int trust)
{
	return (struct gaudi_txn) {
		.initiator = GAUDI_INIT_NIC,
		.unit = port->id,
		.secure = trust >= NIC_TRUST_PRIVILEGE,
		.bypass = trust >= NIC_TRUST_PRIVILEGE,
		.asid = trust >= NIC_TRUST_PRIVILEGE ? 0 : USER_ASID,
	};
}

struct gaudi_nic_qp *gaudi_nic_qp(struct gaudi_nic_port *port, uint32_t qpn)
{
	struct gaudi_nic_qp **group = &port->qp[qpn / 64 % NIC_QP_WORDS];
	unsigned int i;

	if (!*group) {
		*group = calloc(64, sizeof(**group));
		if (!*group)
			return NULL;
		for (i = 0; i < 64; i++)
			(*group)[i].last_opcode = GAUDI_ROCE_NONE;
	}
	return &(*group)[qpn % 64];
}

/* --- contexts ----------------------------------------------------------- */

/* Where a context is; 0: nowhere. */
static uint64_t context_addr(struct gaudi_chip *chip,
			     const struct gaudi_nic_port *port, uint32_t qpn,
			     bool requester)
{
	uint32_t reg = requester ? NIC_QPC_REQ_BASE_ADDRESS_49_18 :
				   NIC_QPC_RES_BASE_ADDRESS_49_18;
	unsigned int words = requester ? NIC_REQ_QPC_WORDS : NIC_RES_QPC_WORDS;
	uint64_t base;

	base = (uint64_t)gaudi_reg(chip, port->qpc, reg) << 18 |
	       (uint64_t)(gaudi_reg(chip, port->qpc, reg + 4) & 0x7ff) << 7;
	return base && qpn < NIC_MAX_QP ? base + 4ull * words * qpn : 0;
}

static int load(struct gaudi_chip *chip, const struct gaudi_nic_port *port,
		uint32_t qpn, struct gaudi_nic_ctx *ctx, bool requester)
{
	struct gaudi_txn txn = gaudi_nic_txn(port, NIC_TRUST_PRIVILEGE);
	uint64_t addr = context_addr(chip, port, qpn, requester);

	ctx->qpn = qpn;
	return addr ? gaudi_bus_read(chip, &txn, addr, ctx->word,
				     requester ? 4 * NIC_REQ_QPC_WORDS :
						 4 * NIC_RES_QPC_WORDS) :
		      -EFAULT;
}

static void store(struct gaudi_chip *chip, const struct gaudi_nic_port *port,
		  const struct gaudi_nic_ctx *ctx, bool requester)
{
	struct gaudi_txn txn = gaudi_nic_txn(port, NIC_TRUST_PRIVILEGE);
	uint64_t addr = context_addr(chip, port, ctx->qpn, requester);

	if (addr)
		gaudi_bus_write(chip, &txn, addr, ctx->word,
				requester ? 4 * NIC_REQ_QPC_WORDS :
					    4 * NIC_RES_QPC_WORDS);
}

int gaudi_nic_load_req(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       uint32_t qpn, struct gaudi_nic_ctx *ctx)
{
	return load(chip, port, qpn, ctx, true);
}

int gaudi_nic_load_res(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       uint32_t qpn, struct gaudi_nic_ctx *ctx)
{
	return load(chip, port, qpn, ctx, false);
}

void gaudi_nic_store_req(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			 const struct gaudi_nic_ctx *ctx)
{
	store(chip, port, ctx, true);
}

void gaudi_nic_store_res(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			 const struct gaudi_nic_ctx *ctx)
{
	store(chip, port, ctx, false);
}

void gaudi_nic_forget_res(struct gaudi_nic_port *port, uint32_t qpn)
{
	struct gaudi_nic_qp *qp = gaudi_nic_qp(port, qpn);

	if (qp)
		qp->last_opcode = GAUDI_ROCE_NONE;
}

void gaudi_nic_forget_invalid(struct gaudi_chip *chip,
			      struct gaudi_nic_port *port, bool requester)
{
	struct gaudi_nic_ctx ctx;
	uint32_t qpn;

	for (qpn = 0; qpn < NIC_MAX_QP; qpn++) {
		if (!port->qp[qpn / 64]) {
			qpn |= 63;
			continue;
		}
		if (requester && (gaudi_nic_load_req(chip, port, qpn, &ctx) ||
				  !gaudi_nic_get(ctx.word, NIC_REQ_VALID)))
			gaudi_nic_forget_req(port, qpn);
		if (!requester && (gaudi_nic_load_res(chip, port, qpn, &ctx) ||
				   !gaudi_nic_get(ctx.word, NIC_RES_VALID)))
			gaudi_nic_forget_res(port, qpn);
	}
}

/* --- queues ------------------------------------------------------------- */

static uint64_t low_mask(unsigned int bits)
{
	return bits < 64 ? BIT_ULL(bits) - 1 : UINT64_MAX;
}

/*
 * A queue is one of many that follow each other in an array: the lower bits of the
 * context's WQ base say which, those above which array.
 */
static uint64_t queue_entry(uint64_t base, unsigned int log_entries,
			    uint64_t queue, uint32_t index, unsigned int size)
{
	return base + ((queue << (log_entries & 31)) + index) * size;
}

void gaudi_nic_send_queue(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			  const struct gaudi_nic_ctx *req,
			  struct gaudi_nic_queue *q)
{
	uint64_t queue = gaudi_nic_get(req->word, NIC_REQ_WQ_BASE), base;
	uint32_t sel = gaudi_reg(chip, port->txe, NIC_TXE_SQ_BASE_SEL) & 31;
	unsigned int array = queue >> sel & 3;
	uint32_t size = gaudi_reg(chip, port->txe, NIC_TXE_SQ_LOG_SIZE_0 +
							   4 * array);

	base = gaudi_reg(chip, port->txe,
			 NIC_TXE_SQ_BASE_ADDRESS_31_0_0 + 4 * array) |
	       (uint64_t)gaudi_reg(chip, port->txe,
				   NIC_TXE_SQ_BASE_ADDRESS_49_32_0 +
					   4 * array) << 32;
	q->txn = gaudi_nic_txn(port, gaudi_nic_get(req->word, NIC_REQ_TRUST));
	q->size = NIC_WQE_SIZE;
	q->first = 0;
	q->num = 0;
	q->exists = true;
	q->base = queue_entry(base, size + NIC_TXE_SQ_LOG_SIZE_BIAS,
			      queue & low_mask(sel), 0, NIC_WQE_SIZE);
}

void gaudi_nic_recv_queue(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			  const struct gaudi_nic_ctx *req,
			  struct gaudi_nic_queue *q)
{
	uint64_t queue = gaudi_nic_get(req->word, NIC_REQ_WQ_BASE), base;
	uint32_t sel = gaudi_reg(chip, port->rxe, NIC_RXE_WIN_SEL) & 31;
	uint32_t window = sel ? queue >> sel & 3 : 0, hi;

	hi = gaudi_reg(chip, port->rxe, NIC_RXE_WIN0_WQ_BASE_HI + 8 * window);
	base = gaudi_reg(chip, port->rxe,
			 NIC_RXE_WIN0_WQ_BASE_LO + 8 * window) |
	       FIELD_GET(NIC_RXE_WIN_WQ_BASE_49_32, (uint64_t)hi) << 32;
	q->txn = gaudi_nic_txn(port, gaudi_nic_get(req->word, NIC_REQ_TRUST));
	q->size = NIC_RECV_WQE_SIZE;
	q->first = 0;
	q->num = 0;
	q->exists = base;
	q->base = queue_entry(base, FIELD_GET(NIC_RXE_WIN_LOG_SIZE, hi) +
					    NIC_RXE_LOG_SIZE_BIAS,
			      sel ? queue & low_mask(sel) : queue, 0,
			      NIC_RECV_WQE_SIZE);
}

/* As many as are in a row, fit, and share a page: of these one fault tells all. */
static int read_ahead(struct gaudi_chip *chip, struct gaudi_nic_queue *q,
		      uint32_t index, uint32_t num)
{
	uint64_t addr = q->base + (uint64_t)index * q->size;
	uint32_t in_page = (uint32_t)(4096 - addr % 4096) / q->size;

	if (num > sizeof(q->word) / q->size)
		num = sizeof(q->word) / q->size;
	if (num > in_page)
		num = in_page ? in_page : 1;
	q->first = index;
	q->num = 0;
	if (gaudi_bus_read(chip, &q->txn, addr, q->word, num * q->size))
		return -EFAULT;
	q->num = num;
	return 0;
}

const uint32_t *gaudi_nic_entry(struct gaudi_chip *chip,
				const struct gaudi_nic_ctx *req,
				struct gaudi_nic_queue *q, uint32_t index,
				uint32_t end)
{
	static const uint32_t nothing[NIC_WQE_WORDS];
	uint32_t last = gaudi_nic_get(req->word, NIC_REQ_LAST_INDEX);

	if (!q->exists)
		return nothing;
	if ((index < q->first || index - q->first >= q->num) &&
	    read_ahead(chip, q, index,
		       end > index ? end - index : last + 1 - index))
		return NULL;
	return q->word + (index - q->first) * q->size / 4;
}

/* --- data of packets ---------------------------------------------------- */

/*
 * Packets of a message follow each other in memory, so what lies behind one is mapped with
 * it, as much as a batch has: to check each packet's address takes a tenth of the time that
 * its data take.
 */
#define AHEAD_BYTES	((size_t)GAUDI_NIC_BATCH * GAUDI_NIC_MTU)

/* The host's memory is mapped piece by piece, and each access may be one to be struck. */
static bool may_map_ahead(const struct gaudi_chip *chip, uint64_t addr)
{
	return addr < GAUDI_HOST_BASE && !gaudi_fault_armed(chip, GAUDI_FAULT_ACCESS);
}

int gaudi_nic_map(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		  struct gaudi_nic_ahead *ahead, uint64_t addr, uint32_t len,
		  bool write, struct gaudi_span *span)
{
	bool more = may_map_ahead(chip, addr);
	int err;

	if (more && ahead->span.len && ahead->addr == addr) {
		*span = ahead->span;
	} else {
		err = gaudi_bus_map(chip, txn, addr, more ? AHEAD_BYTES : len,
				    write, span);
		if (err)
			return err;
	}
	ahead->span.len = 0;
	if (!more || span->len <= len)
		return 0;
	ahead->addr = addr + len;
	ahead->span = *span;
	ahead->span.ptr += len;
	ahead->span.len -= len;
	span->len = len;
	return 0;
}

/* Gives back the spans of the packet that is being built. */
static void detach(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	unsigned int n = port->num_batch, i;

	for (i = 0; i < 2; i++) {
		if (port->span[n][i].len)
			gaudi_bus_unmap(chip, &port->span[n][i], 0);
		port->batch[n].part_len[i] = 0;
	}
}

int gaudi_nic_attach(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		     const struct gaudi_txn *txn, uint64_t addr, uint32_t len)
{
	unsigned int n = port->num_batch, i;
	struct gaudi_nic_packet *p = &port->batch[n];
	int err = 0;

	for (i = 0; len && i < 2 && !err; i++) {
		err = gaudi_nic_map(chip, txn, &port->ahead, addr, len, false,
				    &port->span[n][i]);
		if (err)
			break;
		p->part[i] = port->span[n][i].ptr;
		p->part_len[i] = port->span[n][i].len;
		addr += p->part_len[i];
		len -= p->part_len[i];
	}
	if (!len)
		return 0;
	/* In more pieces, or not memory: all of it is copied. */
	addr -= gaudi_nic_packet_len(p);
	len += gaudi_nic_packet_len(p);
	detach(chip, port);
	if (err == -EFAULT)
		return err;
	if (!port->copy)
		port->copy = calloc(GAUDI_NIC_BATCH, GAUDI_NIC_MTU);
	if (!port->copy)
		return -EFAULT;
	p->part[0] = port->copy[n];
	p->part_len[0] = len;
	return gaudi_bus_read(chip, txn, addr, port->copy[n], len);
}
