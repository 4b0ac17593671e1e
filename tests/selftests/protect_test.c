// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: a user's queue that reaches for what is the driver's is refused, the
 * user is told which engine it was, and the card goes on. Errors of the sync
 * managers are told too.
 */
#include "lib/fixture.h"

#define NONE		0xffff
/* HL_RAZWI_READ and _WRITE, which need the kernel's BIT() */
#define RAZWI_READ	1
#define RAZWI_WRITE	2
/* MMU_UP_SCRAMBLER; in HBM, where page tables may be */
#define CLOSED_REG	(CFG_BASE + 0xc11024)
#define DMA0_QM_GLBL_PROT	(CFG_BASE + 0x508008)
#define CLOSED_HBM	0x10000000ull

GAUDI_HOST_FIXTURE(razwi, 0x2000)

FIXTURE_VARIANT(razwi)
{
	uint32_t queue;
	uint16_t engine[2];
	bool dma;		/* by its transfers, else by a message */
	bool privileged;	/* the message is MSG_PROT */
	uint64_t reg;		/* to this register; 0: CLOSED_REG */
};

#define RAZWI(name, q, e0, e1, d) \
	FIXTURE_VARIANT_ADD(razwi, name) \
	{ .queue = q, .engine = { e0, e1 }, .dma = d }
#define MSG(name, q, e)		RAZWI(name, q, GAUDI_ENGINE_ID_##e, NONE, false)
/* Two cores share an interface; what queues send does not tell which it was. */
#define DMA_MSG(n, a, b) \
	RAZWI(message_dma##n, GAUDI_QUEUE_ID_DMA_##n##_0, \
	      GAUDI_ENGINE_ID_DMA_##a, GAUDI_ENGINE_ID_DMA_##b, false)
#define DMA(n) \
	RAZWI(transfer_dma##n, GAUDI_QUEUE_ID_DMA_##n##_0, \
	      GAUDI_ENGINE_ID_DMA_##n, NONE, true)

DMA_MSG(0, 0, 2);
DMA_MSG(3, 1, 3);
DMA_MSG(4, 4, 6);
DMA_MSG(7, 5, 7);
DMA(0);
DMA(1);
DMA(2);
DMA(3);
DMA(4);
DMA(5);
DMA(6);
DMA(7);
/* The first MME queue is that of engine 2. */
MSG(mme2, GAUDI_QUEUE_ID_MME_0_0, MME_2);
MSG(mme0, GAUDI_QUEUE_ID_MME_1_0, MME_0);
MSG(tpc0, GAUDI_QUEUE_ID_TPC_0_0, TPC_0);
MSG(tpc1, GAUDI_QUEUE_ID_TPC_1_1, TPC_1);
MSG(tpc2, GAUDI_QUEUE_ID_TPC_2_2, TPC_2);
MSG(tpc3, GAUDI_QUEUE_ID_TPC_3_3, TPC_3);
MSG(tpc4, GAUDI_QUEUE_ID_TPC_4_0, TPC_4);
MSG(tpc5, GAUDI_QUEUE_ID_TPC_5_1, TPC_5);
MSG(tpc6, GAUDI_QUEUE_ID_TPC_6_2, TPC_6);
MSG(tpc7, GAUDI_QUEUE_ID_TPC_7_3, TPC_7);
/* The driver's names for the five NIC engines are 0, 1, 2, 4 and 5. */
MSG(nic0, GAUDI_QUEUE_ID_NIC_0_0, NIC_0);
MSG(nic2, GAUDI_QUEUE_ID_NIC_2_2, NIC_1);
MSG(nic4, GAUDI_QUEUE_ID_NIC_4_0, NIC_2);
MSG(nic6, GAUDI_QUEUE_ID_NIC_6_0, NIC_4);
MSG(nic8, GAUDI_QUEUE_ID_NIC_8_0, NIC_5);

/* What asks for privileges has none on these queues. */
FIXTURE_VARIANT_ADD(razwi, privileged_dma7)
{
	.queue = GAUDI_QUEUE_ID_DMA_7_0, .privileged = true,
	.engine = { GAUDI_ENGINE_ID_DMA_5, GAUDI_ENGINE_ID_DMA_7 },
};

FIXTURE_VARIANT_ADD(razwi, privileged_mme2)
{
	.queue = GAUDI_QUEUE_ID_MME_0_0, .privileged = true,
	.engine = { GAUDI_ENGINE_ID_MME_2, NONE },
};

FIXTURE_VARIANT_ADD(razwi, privileged_tpc6)
{
	.queue = GAUDI_QUEUE_ID_TPC_6_3, .privileged = true,
	.engine = { GAUDI_ENGINE_ID_TPC_6, NONE },
};

/* A word of a block whose fence counters, a few words on, are open. */
FIXTURE_VARIANT_ADD(razwi, privileges_of_dma0)
{
	.queue = GAUDI_QUEUE_ID_DMA_0_0, .reg = DMA0_QM_GLBL_PROT,
	.engine = { GAUDI_ENGINE_ID_DMA_0, GAUDI_ENGINE_ID_DMA_2 },
};

FIXTURE_VARIANT_ADD(razwi, privileges_of_dma0_by_tpc1)
{
	.queue = GAUDI_QUEUE_ID_TPC_1_0, .reg = DMA0_QM_GLBL_PROT,
	.engine = { GAUDI_ENGINE_ID_TPC_1, NONE },
};

/*
 * Sends len bytes of packets to a queue, be it external or internal. Whether
 * they are ever done is another matter: the driver lets queues stop at errors.
 * The job's end is that of a job on DMA 1.
 */
static int send_packets(int fd, struct gt_cb *cb, char *host, uint64_t va,
			uint32_t queue, uint32_t len)
{
	struct hl_cs_chunk chunks[2] = { 0 };
	uint64_t seq;

	chunks[0].cb_handle = cb->handle;
	chunks[0].queue_index = GAUDI_QUEUE_ID_DMA_1_3;
	if (queue <= GAUDI_QUEUE_ID_DMA_1_3) {
		memcpy(cb->map, host, len);
		chunks[0].cb_size = len;
		chunks[0].queue_index = queue;
		return gt_submit_chunks(fd, chunks, 1, 0, &seq);
	}
	chunks[0].cb_size = gt_pkt_nop(cb->map, 0);
	chunks[1].cb_handle = va;
	chunks[1].cb_size = len;
	chunks[1].queue_index = queue;
	return gt_submit_chunks(fd, chunks, 2, 0, &seq);
}

/* The captured event; it arrives soon, but not with the job. */
static int await_razwi(int fd, struct hl_info_razwi_event *razwi)
{
	int i, ret = 0;

	for (i = 0; i < 1000 && !ret; i++) {
		memset(razwi, 0, sizeof(*razwi));
		ret = gt_info(fd, HL_INFO_RAZWI_EVENT, razwi, sizeof(*razwi));
		if (ret || razwi->flags)
			break;
		usleep(10000);
	}
	return ret;
}

/* Notifications until one of these is among them; 10 s at most. */
static uint64_t await_events(int fd, uint64_t want)
{
	uint64_t all = 0, events;
	int i;

	for (i = 0; i < 1000 && !(all & want); i++) {
		events = 0;
		if (gt_info(fd, HL_INFO_GET_EVENTS, &events, sizeof(events)))
			break;
		all |= events;
		usleep(10000);
	}
	return all;
}

/* MSG_LONG becomes MSG_PROT. */
static void make_privileged(void *packet)
{
	uint32_t *ctl = (uint32_t *)packet + 1;

	*ctl = (*ctl & ~(0x1fu << 24)) | 7u << 24;
}

TEST_F(razwi, engine_is_named)
{
	struct hl_info_razwi_event razwi;
	uint32_t len;
	int ret;

	if (!variant->dma) {
		len = gt_pkt_msg_long(self->host, variant->reg ?: CLOSED_REG,
				      1, MB);
		if (variant->privileged)
			make_privileged(self->host);
	} else if (variant->queue <= GAUDI_QUEUE_ID_DMA_1_3) {
		len = gt_pkt_lin_dma(self->host, CLOSED_HBM, self->va + 0x1000,
				     64, EB | MB);
	} else {
		len = gt_pkt_lin_dma(self->host + 0x800, CLOSED_HBM,
				     self->va + 0x1000, 64, EB | MB);
		len = gt_pkt_cp_dma(self->host, self->va + 0x800, len);
	}
	memset(self->host + 0x1000, 0x5a, 64);
	ret = send_packets(self->fd, &self->cb, self->host, self->va,
			   variant->queue, len);
	if (ret == -EINVAL && variant->queue >= GAUDI_QUEUE_ID_NIC_0_0)
		SKIP(return, "the driver does not enable this queue");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, await_razwi(self->fd, &razwi));
	EXPECT_EQ(variant->dma ? RAZWI_READ : RAZWI_WRITE, razwi.flags);
	EXPECT_EQ(variant->engine[1] == NONE ? 1 : 2,
		  razwi.num_of_possible_engines);
	EXPECT_EQ(variant->engine[0], razwi.engine_id[0]);
	if (variant->engine[1] != NONE)
		EXPECT_EQ(variant->engine[1], razwi.engine_id[1]);
	EXPECT_EQ(0x5a, self->host[0x1000]);
	EXPECT_NE(0, await_events(self->fd, HL_NOTIFIER_EVENT_RAZWI) &
		     HL_NOTIFIER_EVENT_RAZWI);

	/* Others go on. */
	self->cb.len = gt_pkt_msg_long(self->cb.map, SOB_E_N(61), 5, MB);
	EXPECT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_2, &self->cb));
}

GAUDI_FIXTURE(open)

/* SOBs, monitors and fences are the user's, and the fault is not repeated. */
TEST_F(open, user_registers)
{
	struct hl_info_razwi_event razwi = { 0 };
	char *p = self->cb.map;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		const uint64_t sm = CFG_BASE + 0x490000 + i * 0x20000;

		p += gt_pkt_msg_long(p, sm + 0x2000 + 4 * 1500, 3, 0);
		p += gt_pkt_msg_long(p, sm + 0x4000 + 4 * 400,
				     (uint32_t)(sm + 0x2000 + 4 * 1501), 0);
		p += gt_pkt_msg_long(p, sm + 0x4800 + 4 * 400, 0x7f, 0);
		p += gt_pkt_msg_long(p, sm + 0x5000 + 4 * 400, 9, 0);
		p += gt_pkt_msg_long(p, sm + 0x5800 + 4 * 400,
				     3u << 17 | 0xefu << 8 | 187, MB);
	}
	self->cb.len = p - (char *)self->cb.map;
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb));
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_RAZWI_EVENT, &razwi,
			     sizeof(razwi)));
	EXPECT_EQ(0, razwi.flags);
}

/* An SOB that leaves its range is told; the work goes on. */
TEST_F(open, sob_overflow)
{
	char *p = self->cb.map;

	p += gt_pkt_msg_long(p, SOB_E_N(1600), 0x7fff, 0);
	p += gt_pkt_msg_long(p, SOB_E_N(1600), 1u << 31 | 1, MB);
	self->cb.len = p - (char *)self->cb.map;
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb));
	EXPECT_EQ(HL_NOTIFIER_EVENT_USER_ENGINE_ERR,
		  await_events(self->fd, ~0ull));
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb));
}

TEST_HARNESS_MAIN
