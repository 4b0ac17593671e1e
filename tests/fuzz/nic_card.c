// SPDX-License-Identifier: GPL-2.0-only
/* The victim's ports, and the other card's; see nic_card.h. */
#include <sys/mman.h>

#include "nic_card.h"

#define KEY		0x5eed0000u
#define RING_LOG2	4
#define RAW_LOG2	12
#define QUEUE_SEL	15	/* bit of a queue's number: the driver's array */
#define SECRET		0xa5a5d15eu	/* of queue pairs that reach everything */
#define TIMER		6

static bool victim_alone;

static struct world_card *victim(void)
{
	return &world.card[0];
}

/* --- queue pairs ---------------------------------------------------------- */

#define USER		.valid = true
/* Numbers are around the end of what they have. */
#define NEAR_END	.psn = 0xfffffa

/* What a queue pair is, by its number; many are users'. */
static const struct {
	bool valid, error;
	uint8_t trust, state, transport;
	uint32_t psn;
} kinds[NIC_QPS] = {
	{ USER }, { USER }, { USER }, { USER }, { USER, NEAR_END },
	{ USER, NEAR_END }, { USER, NEAR_END },
	{ USER, .trust = NIC_TRUST_SECURED },
	{ USER, .trust = NIC_TRUST_SECURED, NEAR_END },
	{ USER, .state = NIC_CONN_RESYNC },
	{ USER, .trust = NIC_TRUST_PRIVILEGE },
	{ USER, .trust = NIC_TRUST_PRIVILEGE, .state = NIC_CONN_RESYNC },
	{ USER, .state = NIC_CONN_CLOSE },
	{ USER, .transport = NIC_TRANSPORT_RAW },
	{ USER, .state = NIC_CONN_ERROR, .error = true },
	{ .valid = false },
};

uint32_t nic_key(unsigned int port, unsigned int qpn)
{
	return KEY | port << 8 | qpn;
}

bool nic_is_users(unsigned int qpn)
{
	return kinds[qpn % NIC_QPS].trust != NIC_TRUST_PRIVILEGE;
}

uint32_t *nic_req(struct world_card *card, unsigned int port, unsigned int qpn)
{
	return (uint32_t *)(void *)(card->hbm + NIC_REQ_TABLE(port) +
				    4 * NIC_REQ_QPC_WORDS * qpn);
}

uint32_t *nic_res(struct world_card *card, unsigned int port, unsigned int qpn)
{
	return (uint32_t *)(void *)(card->hbm + NIC_RES_TABLE(port) +
				    4 * NIC_RES_QPC_WORDS * qpn);
}

void nic_open(struct world_card *card, unsigned int port, unsigned int qpn)
{
	uint32_t *req = nic_req(card, port, qpn), *res = nic_res(card, port, qpn);
	const uint8_t mac[] = NIC_MAC(!card->id, port);
	unsigned int kind = qpn % NIC_QPS;
	uint32_t psn = kinds[kind].psn;

	memset(req, 0, 4 * NIC_REQ_QPC_WORDS);
	memset(res, 0, 4 * NIC_RES_QPC_WORDS);
	if (!kinds[kind].valid)
		return;
	gaudi_nic_set(req, NIC_REQ_DST_QP, qpn);
	gaudi_nic_set(req, NIC_REQ_RKEY, nic_key(port, qpn));
	gaudi_nic_set(req, NIC_REQ_DST_IP, 0x0a000002 - card->id);
	gaudi_nic_set(req, NIC_REQ_SRC_IP, 0x0a000001 + card->id);
	memcpy(req + 4, mac, sizeof(mac));
	gaudi_nic_set(req, NIC_REQ_NEXT_PSN, psn);
	gaudi_nic_set(req, NIC_REQ_OLDEST_UNACKED, psn);
	gaudi_nic_set(req, NIC_REQ_TIMER_GRANULARITY, TIMER);
	gaudi_nic_set(req, NIC_REQ_LAST_INDEX, NIC_RING - 1);
	gaudi_nic_set(req, NIC_REQ_WQ_BASE,
		      card->id || nic_is_users(qpn) ? qpn :
						      qpn | 1u << QUEUE_SEL);
	gaudi_nic_set(req, NIC_REQ_TRUST, kinds[kind].trust);
	gaudi_nic_set(req, NIC_REQ_ERROR, kinds[kind].error);
	gaudi_nic_set(req, NIC_REQ_VALID, 1);

	gaudi_nic_set(res, NIC_RES_DST_QP, qpn);
	gaudi_nic_set(res, NIC_RES_CONN_STATE, kinds[kind].state);
	gaudi_nic_set(res, NIC_RES_LKEY,
		      kinds[kind].trust == NIC_TRUST_PRIVILEGE ?
			      SECRET : nic_key(port, qpn));
	gaudi_nic_set(res, NIC_RES_DST_IP, 0x0a000002 - card->id);
	gaudi_nic_set(res, NIC_RES_SRC_IP, 0x0a000001 + card->id);
	memcpy(res + 4, mac, sizeof(mac));
	gaudi_nic_set(res, NIC_RES_TRANSPORT, kinds[kind].transport);
	gaudi_nic_set(res, NIC_RES_EXPECTED_PSN, psn);
	gaudi_nic_set(res, NIC_RES_LOG_BUF_SIZE, RAW_LOG2);
	gaudi_nic_set(res, NIC_RES_TRUST, kinds[kind].trust);
	gaudi_nic_set(res, NIC_RES_VALID, 1);
	/* An error that is to be found: users write past all protection. */
#ifdef PLANTED
	gaudi_nic_set(res, NIC_RES_TRUST, NIC_TRUST_PRIVILEGE);
#endif
}

/* --- ports ---------------------------------------------------------------- */

static void wr_base(struct world_card *card, uint32_t reg, uint64_t addr)
{
	reg_wr(card, reg, addr >> 18);
	reg_wr(card, reg + 4, addr >> 7 & 0x7ff);
}

static void port_on(struct world_card *card, unsigned int port)
{
	uint32_t qpc = NIC_QPC(port), rxe = NIC_RXE(port), txe = NIC_TXE(port);

	wr_base(card, qpc + NIC_QPC_REQ_BASE_ADDRESS_49_18, NIC_REQ_TABLE(port));
	reg_wr(card, qpc + NIC_QPC_RETRY_COUNT_MAX, 4 << 8 | 2);
	reg_wr(card, qpc + NIC_QPC_ERR_FIFO_MASK, 63);
	wr_base(card, qpc + NIC_QPC_ERR_FIFO_BASE_ADDR_49_18, NIC_ERRORS(port));
	/* Whoever rings by the registers of higher trust has it. */
	reg_wr(card, qpc + NIC_QPC_DOORBELL_SECURITY, 2 << 6 | 1 << 4);
	reg_wr(card, txe + NIC_TXE_SQ_LOG_SIZE_0,
	       RING_LOG2 - NIC_TXE_SQ_LOG_SIZE_BIAS);
	reg_wr(card, txe + NIC_TXE_SQ_BASE_ADDRESS_31_0_0, NIC_WQS(port));
	reg_wr(card, rxe + NIC_RXE_WIN0_WQ_BASE_LO, NIC_RECV_WQS(port));
	reg_wr(card, txe + NIC_TXE_SQ_BASE_SEL, QUEUE_SEL);
	reg_wr(card, txe + NIC_TXE_SQ_LOG_SIZE_0 + 4,
	       RING_LOG2 - NIC_TXE_SQ_LOG_SIZE_BIAS);
	reg_wr(card, txe + NIC_TXE_SQ_BASE_ADDRESS_31_0_0 + 4,
	       NIC_DRIVER_WQS(port));
	reg_wr(card, rxe + NIC_RXE_WIN_SEL, QUEUE_SEL);
	reg_wr(card, rxe + NIC_RXE_WIN0_WQ_BASE_LO + 8, NIC_DRIVER_WQS(port));
	reg_wr(card, rxe + NIC_RXE_RAW_BASE_LO, NIC_RAW(port));
	reg_wr(card, rxe + NIC_RXE_CQ_BASE_ADDR_31_7_0, NIC_CQ(port));
	reg_wr(card, rxe + NIC_RXE_CQ_MASK_0, NIC_CQ_RING - 1);
	reg_wr(card, rxe + NIC_RXE_MSI_ADDR_0 + 4 * NIC_RXE_MSI_OVERRUN,
	       GAUDI_SYNC_MNGR_E_N_BASE + 0x2000);
	wr_base(card, qpc + NIC_QPC_RES_BASE_ADDRESS_49_18, NIC_RES_TABLE(port));
}

/* --- what is whose -------------------------------------------------------- */

static void allow(uint8_t *at, uint64_t size, int prot)
{
	if (mprotect(at, size, prot))
		abort();
}

/*
 * Below a user's memory there is the driver's. Contexts and errors are written
 * by ports, tables are read; whoever touches anything else is not theirs.
 */
static void guard_once(void)
{
	uint8_t *hbm = victim()->hbm;
	unsigned int p;

	allow(hbm, USER_HBM, PROT_NONE);
	for (p = 0; p < NIC_PORTS; p++) {
		allow(hbm + NIC_REQ_TABLE(p), 0x300000, PROT_READ);
		allow(hbm + NIC_REQ_TABLE(p), 4096, PROT_READ | PROT_WRITE);
		allow(hbm + NIC_RES_TABLE(p), 4096, PROT_READ | PROT_WRITE);
		allow(hbm + NIC_ERRORS(p), 4096, PROT_READ | PROT_WRITE);
	}
	if (!victim_alone)
		return;
	allow(world.ram, RAM_SIZE, PROT_NONE);
	allow(world.ram + PACKETS, PACKETS_SIZE, PROT_READ | PROT_WRITE);
}

/* What the driver writes at the start of each run. */
static void guard_driver(int prot)
{
	uint8_t *hbm = victim()->hbm;
	unsigned int p;

	allow(hbm + DRIVER_TABLES, DRIVER_TABLES_SIZE, prot);
	for (p = 0; p < NIC_PORTS; p++)
		allow(hbm + NIC_DRIVER_WQS(p), 8192, prot);
}

/* Entries that the driver sends, of a user's data to a user's memory. */
static void fill_driver_queues(unsigned int port)
{
	uint8_t *at = victim()->hbm + NIC_DRIVER_WQS(port);
	uint32_t w[NIC_WQE_WORDS] = { 0 };
	unsigned int qpn, i;

	gaudi_nic_set(w, NIC_WQE_OPCODE, NIC_WQE_LINEAR);
	gaudi_nic_set(w, NIC_WQE_LOCAL_ADDR, USER_HBM + 0x100000);
	gaudi_nic_set(w, NIC_WQE_REMOTE_ADDR, USER_HBM + 0x180000);
	gaudi_nic_set(w, NIC_WQE_SIZE_BYTES, 5000);
	for (qpn = 0; qpn < NIC_QPS; qpn++)
		for (i = 0; i < NIC_RING && !nic_is_users(qpn); i++)
			memcpy(at + (qpn * NIC_RING + i) * sizeof(w), w,
			       sizeof(w));
}

static void fail(const char *what, uint64_t where)
{
	fprintf(stderr, "nic_card: %s (0x%llx)\n", what,
		(unsigned long long)where);
	abort();
}

/* Registers that keep users out have what the driver wrote last. */
static void check_locks(void)
{
	unsigned int i = 0;
	uint32_t off;

	if (driver_changed(&i, &off))
		fail("protection has changed", off);
}

/* Once: what a reset leaves. */
static void set_up(void (*connect)(void), bool alone)
{
	unsigned int p;

	victim_alone = alone;
	connect();
	driver_protect(victim());
	for (p = 0; p < NIC_PORTS; p++) {
		port_on(&world.card[0], p);
		port_on(&world.card[1], p);
	}
	world_keep_registers(&world.card[0]);
	world_keep_registers(&world.card[1]);
	guard_once();
}

/* Cards after a reset. */
static void begin_anew(void (*connect)(void), bool alone)
{
	static bool ready;
	unsigned int p;

	world_begin();
	queues_begin();
	if (!ready)
		set_up(connect, alone);
	ready = true;
	guard_driver(PROT_READ | PROT_WRITE);
	driver_begin_mmu();
	for (p = 0; p < NIC_PORTS; p++)
		fill_driver_queues(p);
	guard_driver(PROT_READ);
}

void nic_begin(const uint8_t *data, size_t size, void (*connect)(void),
	       bool alone)
{
	bool goes_on = history_add(data, size);
	struct world_card *card;
	unsigned int p, qpn;

	if (goes_on)
		world_go_on();
	else
		begin_anew(connect, alone);
	for (p = 0; goes_on && p < NIC_PORTS; p++)
		nic_take_all(victim(), p);
	for (card = world.card; card < world.card + NUM_CARDS; card++)
		for (p = 0; p < NIC_PORTS; p++)
			for (qpn = 0; qpn < NIC_QPS && (!alone || !card->id);
			     qpn++)
				nic_open(card, p, qpn);
	world_run(64);
}

void nic_end(void)
{
	world_run(64);
	if (!history_is_full())
		return;
	check_locks();
	world_end();
}
