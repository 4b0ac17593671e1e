// SPDX-License-Identifier: GPL-2.0-only
/*
 * Things that a user does with the ports of a card, and what happens to them: entries
 * and doorbells, wires that are pulled, faults, time.
 */
#include "../../qemu-device/chip/fault/catalogue.h"
#include "nic_card.h"

/* --- addresses ------------------------------------------------------------ */

static uint32_t locked_reg(uint64_t off)
{
	return driver_lock(off % driver_locks());
}

uint64_t nic_named(unsigned int sel, uint64_t off)
{
	switch (sel % 16) {
	case 0:
	case 1:
	case 2:
		return USER_HBM + off % HBM_SIZE;
	case 3:
		return USER_HBM + off % 0x100000;	/* queues, too */
	case 4:
		return GAUDI_SRAM_BASE + off % (GAUDI_SRAM_SIZE + 256);
	case 5:
	case 6:
		return GAUDI_VA_HOST_START + off % PACKETS_SIZE;
	case 7:
		return GAUDI_VA_HOST_START + PACKETS_SIZE - 64 + off % 128;
	case 8:
		return GAUDI_CFG_BASE + any_reg(sel >> 4, off);
	case 9:
		return GAUDI_CFG_BASE + locked_reg(off);
	case 10:
		return GAUDI_CFG_BASE + GAUDI_SYNC_MNGR_W_S_BASE +
		       off % 4 * 0x20000 + 0x2000 + (off >> 8) % 0x4800;
	case 11:	/* the driver's, or nobody's */
		return off % USER_HBM;
	case 12:
		return NIC_REQ_TABLE(off % NIC_PORTS) + (off >> 8) % 0x400000;
	case 13:
		return USER_HBM + HBM_SIZE - 64 + off % 128;
	case 14:	/* around the MMU? */
		return world_dev(off);
	default:
		return off;
	}
}

uint64_t nic_own(unsigned int sel, uint64_t off)
{
	switch (sel % 8) {
	case 0:
	case 1:
		return USER_HBM + off % HBM_SIZE;
	case 2:
		return off % (USER_HBM + HBM_SIZE + 64);
	case 3:
		return GAUDI_SRAM_BASE + off % (GAUDI_SRAM_SIZE + 256);
	case 4:
		return GAUDI_CFG_BASE + any_reg(sel >> 3, off);
	case 5:
		return world_dev(off);
	case 6:
		return GAUDI_CFG_BASE + NIC_QPC(off % NIC_PORTS) +
		       (off >> 8) % 0x2000;
	default:
		return off % GAUDI_HOST_BASE;
	}
}

static uint64_t addr_of(const struct world_card *card, unsigned int sel,
			uint64_t off)
{
	return card->id ? nic_own(sel, off) : nic_named(sel, off);
}

/* --- entries -------------------------------------------------------------- */

static uint8_t *entry(struct world_card *card, unsigned int unit,
		      uint32_t index, uint64_t base, unsigned int size)
{
	static uint8_t nowhere[NIC_WQE_SIZE];

	card->used = true;
	/* What may do anything is not for users, nor are its queues. */
	if (!card->id && !nic_is_users(NIC_UNIT_QP(unit)))
		return nowhere;
	return card->hbm + base +
	       (NIC_UNIT_QP(unit) * NIC_RING + index % NIC_RING) * size;
}

static uint8_t *wqe_at(struct world_card *card, unsigned int unit,
		       uint32_t index)
{
	return entry(card, unit, index, NIC_WQS(NIC_UNIT_PORT(unit)),
		     NIC_WQE_SIZE);
}

/* Mostly a packet or some; sizes have 14 bits. */
static uint32_t size_of(uint32_t value)
{
	static const uint16_t most[] = { 0, 1, 4, 64, 300, 4096, 4097, 16383 };

	return value & 8 ? value >> 4 & 0x3fff : most[value % 8];
}

/*
 * value: index, size, strides, messages; sel, addr: where from and to. flags: opcode,
 * whether there is a message, an acknowledgement asked for, how strides are.
 */
void op_nic_wqe(struct world_card *card, const struct rec *r)
{
	uint8_t *at = wqe_at(card, r->unit, r->value);
	uint32_t w[NIC_WQE_WORDS] = { 0 };
	uint32_t opcode = r->flags & 7 ? r->flags & 3 : r->value >> 28;
	uint32_t size = size_of(r->value >> 4);

	gaudi_nic_set(w, NIC_WQE_OPCODE, opcode);
	gaudi_nic_set(w, NIC_WQE_ACK_REQ, r->flags >> 3);
	gaudi_nic_set(w, NIC_WQE_LOCAL_ADDR, addr_of(card, r->sel, r->addr));
	gaudi_nic_set(w, NIC_WQE_REMOTE_ADDR,
		      nic_named(r->sel >> 4, r->addr >> 20));
	gaudi_nic_set(w, opcode == NIC_WQE_STRIDED ? NIC_WQE_STRIDE_SIZE :
						     NIC_WQE_SIZE_BYTES, size);
	/* Many make a run long, and nothing else. */
	gaudi_nic_set(w, NIC_WQE_NUM_STRIDES, r->value >> 22 & 7);
	gaudi_nic_set(w, NIC_WQE_STRIDE, r->addr >> 40);
	gaudi_nic_set(w, NIC_WQE_STRIDE_TYPE, r->flags >> 4);
	gaudi_nic_set(w, NIC_WQE_REDUCTION, (r->flags & 0xe0) == 0xe0);
	gaudi_nic_set(w, NIC_WQE_REMOTE_SOB_VALID, r->flags >> 5);
	if (r->flags & 0x40)
		gaudi_nic_set(w, NIC_WQE_REMOTE_SOB,
			      nic_named(8 + r->addr % 3, r->addr >> 2) -
				      GAUDI_CFG_BASE);
	gaudi_nic_set(w, NIC_WQE_REMOTE_SOB_DATA, r->value);
	memcpy(at, w, sizeof(w));
}

/* Half of one, any bits. */
void op_nic_any_wqe(struct world_card *card, const struct rec *r)
{
	uint8_t *at = wqe_at(card, r->unit, r->value);

	memcpy(at + (r->flags & 1) * 16, &r->addr, 8);
	memcpy(at + (r->flags & 1) * 16 + 8 - (r->flags & 7), &r->value, 4);
}

/* What is done at this end when the entry is complete. */
void op_nic_local(struct world_card *card, const struct rec *r)
{
	uint8_t *at = entry(card, r->unit, r->value,
			    NIC_RECV_WQS(NIC_UNIT_PORT(r->unit)),
			    NIC_RECV_WQE_SIZE);
	uint32_t w[2] = { r->value };

	gaudi_nic_set(w, NIC_RECV_WQE_SOB,
		      nic_named(8 + r->sel % 3, r->addr) - GAUDI_CFG_BASE);
	gaudi_nic_set(w, NIC_RECV_WQE_CQ_VALID, r->flags);
	gaudi_nic_set(w, NIC_RECV_WQE_VALID, r->flags & 6);
	memcpy(at, w, sizeof(w));
}

/* A doorbell: sel: which; value: index; flags: a number of any kind. */
void op_nic_ring(struct world_card *card, const struct rec *r)
{
	uint32_t qpc = NIC_QPC(NIC_UNIT_PORT(r->unit)) + r->sel % 3 * 8;
	uint32_t qpn = r->flags == 0xff ? r->addr : NIC_UNIT_QP(r->unit);

	reg_wr(card, qpc + NIC_QPC_DOORBELL_UNSECURED_PI,
	       r->flags == 0xfe ? r->value : r->value % NIC_RING);
	reg_wr(card, qpc + NIC_QPC_DOORBELL_UNSECURED_QPN,
	       qpn | NIC_QPC_DOORBELL_BUSY);
	if (r->flags & 1)
		world_run(32);
}

/* One more entry that can be done, and the doorbell: value: size; flags: which kind. */
void op_nic_post(struct world_card *card, const struct rec *r)
{
	unsigned int port = NIC_UNIT_PORT(r->unit);
	uint32_t pi = gaudi_nic_get(nic_req(card, port, NIC_UNIT_QP(r->unit)),
				    NIC_REQ_PRODUCER_INDEX);
	uint32_t w[NIC_WQE_WORDS] = { 0 };

	gaudi_nic_set(w, NIC_WQE_OPCODE, r->flags & 1 ? NIC_WQE_SEND :
							NIC_WQE_LINEAR);
	gaudi_nic_set(w, NIC_WQE_ACK_REQ, r->flags >> 1);
	gaudi_nic_set(w, NIC_WQE_LOCAL_ADDR, USER_HBM + 0x100000);
	gaudi_nic_set(w, NIC_WQE_REMOTE_ADDR, nic_named(r->sel, r->addr));
	gaudi_nic_set(w, NIC_WQE_SIZE_BYTES, size_of(r->value));
	gaudi_nic_set(w, NIC_WQE_REMOTE_SOB_VALID, r->flags >> 2);
	gaudi_nic_set(w, NIC_WQE_REMOTE_SOB, r->flags & 8 ?
		      GAUDI_SYNC_MNGR_E_N_BASE + 0x2000 : 0);
	memcpy(wqe_at(card, r->unit, pi), w, sizeof(w));
	reg_wr(card, NIC_QPC(port) + NIC_QPC_DOORBELL_PRIVILEGE_PI,
	       (pi + 1) % NIC_RING);
	reg_wr(card, NIC_QPC(port) + NIC_QPC_DOORBELL_PRIVILEGE_QPN,
	       NIC_UNIT_QP(r->unit) | NIC_QPC_DOORBELL_BUSY);
	if (!(r->flags & 16))
		world_run(32);
}

/* --- what happens --------------------------------------------------------- */

void nic_take_all(struct world_card *card, unsigned int port)
{
	reg_wr(card, NIC_QPC(port) + NIC_QPC_ERR_FIFO_CONSUMER_INDEX,
	       reg_rd(card, NIC_QPC(port) + NIC_QPC_ERR_FIFO_WRITE_INDEX));
	reg_wr(card, NIC_RXE(port) + NIC_RXE_CQ_CONSUMER_INDEX_0,
	       reg_rd(card, NIC_RXE(port) + NIC_RXE_CQ_WRITE_INDEX_0));
}

/* The driver opens it anew, as it was at first. */
void op_nic_open(struct world_card *card, const struct rec *r)
{
	unsigned int port = NIC_UNIT_PORT(r->unit);

	card->used = true;
	nic_open(card, port, NIC_UNIT_QP(r->unit));
	if (r->flags & 1)
		reg_wr(card, NIC_QPC(port) + (r->flags & 2 ?
				NIC_QPC_REQ_QPC_CACHE_INVALIDATE :
				NIC_QPC_RES_QPC_CACHE_INVALIDATE), 1);
	if (r->flags & 4)
		nic_take_all(card, port);
}

void op_nic_plug(struct world_card *card, const struct rec *r)
{
	card->used = true;
	world_call("a wire is pulled", r->unit);
	gaudi_chip_plug(card->chip, NIC_UNIT_PORT(r->unit), r->flags & 7);
	world_called();
}

static bool is_of_ports(const struct gaudi_fault_desc *f)
{
	return f->site == GAUDI_FAULT_FRAME || f->site == GAUDI_FAULT_CQ ||
	       f->act == gaudi_fault_do_port_down ||
	       f->act == gaudi_fault_do_peer_gone;
}

static const struct gaudi_fault_desc *any_fault(unsigned int sel)
{
	const struct gaudi_fault_desc *f, *last = gaudi_fault_table;
	unsigned int n = 0;

	for (f = gaudi_fault_table;
	     f < gaudi_fault_table + gaudi_fault_table_size; f++)
		if (is_of_ports(f) && n++ <= sel % 10)
			last = f;
	return last;
}

/* Those of the ports: what is wrong otherwise, is another harness's business. */
void op_nic_fault(struct world_card *card, const struct rec *r)
{
	const struct gaudi_fault_desc *f = any_fault(r->sel);
	char spec[200], why[200];
	unsigned int n;

	n = snprintf(spec, sizeof(spec), "%s,unit=%u,count=%u", f->name,
		     NIC_UNIT_PORT(r->unit), 1 + r->flags % 8);
	if (f->keys >> GAUDI_FK_AFTER & 1)
		n += snprintf(spec + n, sizeof(spec) - n, ",after=%u,every=%u",
			      r->value & 3, 1 + (r->value >> 2 & 3));
	if (f->keys >> GAUDI_FK_US & 1)
		n += snprintf(spec + n, sizeof(spec) - n, ",us=%u",
			      1 + (r->value >> 4 & 0xfff));
	if (f->keys >> GAUDI_FK_MS & 1)
		n += snprintf(spec + n, sizeof(spec) - n, ",ms=%u",
			      1 + (r->value >> 4 & 7));
	card->used = true;
	if (r->flags == 0x7f)
		gaudi_chip_faults_clear(card->chip);
	else if (gaudi_chip_inject(card->chip, spec, why, sizeof(why)) == -EINVAL)
		abort();
}

/* Up to a second; mostly around a queue pair's timer. */
void op_nic_wait(struct world_card *card, const struct rec *r)
{
	(void)card;
	world_advance(r->flags & 7 ? r->value % 1000000 :
				     r->value % 1000000000);
}
