// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own jobs: command buffers that it writes itself, on external
 * queues, without a completion entry. They end with a fence: a word in host
 * memory that the last packet writes.
 */
#include <linux/dma-mapping.h>

#include "../../uapi/hw/gaudi_packets.h"
#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../core/gaudi_shared_ops.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_reg_io.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_jobs.h"
#include "gaudi_kjob.h"

#define GAUDI_KJOB_FENCE		0x72e91ab9u
#define GAUDI_KJOB_TIMEOUT_US		1000000
#define GAUDI_QUEUE_TEST_TIMEOUT_US	100000
/* CB and fence are one allocation. */
#define GAUDI_KJOB_CB_SIZE		SZ_64K
#define GAUDI_KJOB_SIZE			(GAUDI_KJOB_CB_SIZE + SZ_4K)
/* Writes per CB of gaudi_kjob_reg_fill(); the rest of the CB is the fence. */
#define GAUDI_KJOB_MAX_WRITES		2048

struct gaudi_kjob {
	/* One job at a time; protects all that follows. */
	struct mutex lock;
	void *cb;
	__le32 *fence;
	dma_addr_t dma;
	/*
	 * A job did not end: its CB may still be fetched, so that none can be
	 * written before the next reset, which is on its way.
	 */
	bool stuck;
};

int gaudi_kjob_init(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;
	struct gaudi_kjob *kjob;
	int ret;

	BUILD_BUG_ON((GAUDI_KJOB_MAX_WRITES + 1) *
		     sizeof(struct gaudi_packet_msg_long) > GAUDI_KJOB_CB_SIZE);
	kjob = devm_kzalloc(dev, sizeof(*kjob), GFP_KERNEL);
	if (!kjob)
		return -ENOMEM;
	ret = devm_mutex_init(dev, &kjob->lock);
	if (ret)
		return ret;
	kjob->cb = dmam_alloc_coherent(dev, GAUDI_KJOB_SIZE, &kjob->dma,
				       GFP_KERNEL);
	if (!kjob->cb)
		return -ENOMEM;
	kjob->fence = kjob->cb + GAUDI_KJOB_CB_SIZE;
	gdev->kjob = kjob;
	return 0;
}

void gaudi_kjob_reset(struct gaudi_device *gdev)
{
	guard(mutex)(&gdev->kjob->lock);
	gdev->kjob->stuck = false;
}

static u32 gaudi_kjob_ctl(u32 opcode, u32 flags)
{
	return FIELD_PREP(GAUDI_PKT_CTL_OPCODE, opcode) | flags;
}

/*
 * 0, or nothing can be run before the card was reset, which this asks for. In
 * probe, and in a reset, the error is the end of it anyway.
 */
static int gaudi_kjob_ready(struct gaudi_device *gdev)
{
	lockdep_assert_held(&gdev->kjob->lock);
	if (!gdev->kjob->stuck)
		return 0;
	gaudi_reset_schedule(gdev, GAUDI_RESET_TIMEOUT);
	return -EIO;
}

/* Append the fence to the len bytes in the CB, run it on a queue, wait. */
static int gaudi_kjob_run(struct gaudi_device *gdev, u32 qid, u32 len,
			  u32 timeout_us)
{
	struct gaudi_kjob *kjob = gdev->kjob;
	struct gaudi_packet_msg_long *end = kjob->cb + len;
	int ret;

	ret = gaudi_kjob_ready(gdev);
	if (ret)
		return ret;

	end->value = cpu_to_le32(GAUDI_KJOB_FENCE);
	end->ctl = cpu_to_le32(gaudi_kjob_ctl(GAUDI_PKT_MSG_PROT,
					      GAUDI_PKT_CTL_EB |
					      GAUDI_PKT_CTL_MB));
	end->addr = cpu_to_le64(gaudi_host_dev_addr(kjob->dma +
						    GAUDI_KJOB_CB_SIZE));
	WRITE_ONCE(*kjob->fence, 0);

	gaudi_queues_lock(gdev);
	if (gaudi_queue_room(gdev, qid)) {
		gaudi_queue_push(gdev, qid, gaudi_host_dev_addr(kjob->dma),
				 len + sizeof(*end), NULL);
		ret = 0;
	} else {
		ret = -EBUSY;
	}
	gaudi_queues_unlock(gdev);
	if (ret)
		return ret;

	ret = gaudi_wait_mem(gdev, kjob->fence, GAUDI_KJOB_FENCE, timeout_us);
	if (ret) {
		kjob->stuck = true;
		gaudi_kjob_ready(gdev);
		return ret;
	}
	gaudi_queue_retire(gdev, qid, 1);
	return 0;
}

/* On DMA 0 with its core secured: physical addresses, driver's HBM too. */
static int gaudi_kjob_run_secured(struct gaudi_device *gdev, u32 len)
{
	const u32 prot = GAUDI_DMA_CORE_BASE(0) + DMA_CORE_PROT;
	const u32 cause_reg = GAUDI_DMA_CORE_BASE(0) + DMA_CORE_ERR_CAUSE;
	u32 cause;
	int ret;

	/* Users' work on DMA 0 must not become secured as well. */
	ret = gaudi_is_shared(gdev) ? gdev->shared->begin_driver(gdev) : 0;
	if (ret)
		return ret;
	cause = gaudi_rd(gdev, cause_reg);
	if (cause)
		gaudi_wr(gdev, cause_reg, cause);
	gaudi_wr(gdev, prot, DMA_CORE_PROT_ERR_VAL | DMA_CORE_PROT_VAL);
	ret = gaudi_kjob_run(gdev, GAUDI_QUEUE_ID_DMA_0_0, len,
			     GAUDI_KJOB_TIMEOUT_US);
	/*
	 * A job that runs on is the driver's all the same. No user's work comes
	 * behind it: a card that is to be reset takes none.
	 */
	if (!gdev->kjob->stuck)
		gaudi_wr(gdev, prot, DMA_CORE_PROT_ERR_VAL);
	cause = gaudi_rd(gdev, cause_reg);
	if (cause) {
		gaudi_wr(gdev, cause_reg, cause);
		if (!ret)
			ret = -EIO;
	}
	if (gaudi_is_shared(gdev))
		gdev->shared->end_driver(gdev);
	if (ret)
		drm_err(&gdev->drm, "job on DMA 0 failed: %d, cause %#x\n", ret,
			cause);
	return ret;
}

static int gaudi_kjob_lin_dma(struct gaudi_device *gdev, u64 dst, u64 src,
			      u64 len, u32 flags)
{
	struct gaudi_packet_lin_dma *pkt;
	int ret;

	guard(mutex)(&gdev->kjob->lock);
	pkt = gdev->kjob->cb;
	while (len) {
		u32 chunk = min_t(u64, len, SZ_1G);

		ret = gaudi_kjob_ready(gdev);
		if (ret)
			return ret;
		*pkt = (struct gaudi_packet_lin_dma) {
			.tsize = cpu_to_le32(chunk),
			.ctl = cpu_to_le32(gaudi_kjob_ctl(GAUDI_PKT_LIN_DMA,
					   flags | GAUDI_LIN_DMA_CTL_LIN |
					   GAUDI_PKT_CTL_RB |
					   GAUDI_PKT_CTL_MB)),
			.src_addr = cpu_to_le64(src),
			.dst_addr = cpu_to_le64(dst),
		};
		ret = gaudi_kjob_run_secured(gdev, sizeof(*pkt));
		if (ret)
			return ret;
		dst += chunk;
		if (!(flags & GAUDI_LIN_DMA_CTL_MEMSET))
			src += chunk;
		len -= chunk;
	}
	return 0;
}

int gaudi_kjob_memset(struct gaudi_device *gdev, u64 dev_addr, u64 pattern,
		      u64 len)
{
	return gaudi_kjob_lin_dma(gdev, dev_addr, pattern, len,
				  GAUDI_LIN_DMA_CTL_MEMSET);
}

int gaudi_kjob_copy(struct gaudi_device *gdev, u64 dst, u64 src, u64 len)
{
	return gaudi_kjob_lin_dma(gdev, dst, src, len, 0);
}

int gaudi_kjob_scrub(struct gaudi_device *gdev, u64 pattern)
{
	return gaudi_kjob_memset(gdev,
				 GAUDI_SRAM_BASE + GAUDI_SRAM_USER_OFFSET,
				 pattern,
				 GAUDI_SRAM_SIZE - GAUDI_SRAM_USER_OFFSET) ?:
	       gaudi_kjob_memset(gdev, GAUDI_HBM_USER_BASE, pattern,
				 GAUDI_HBM_SIZE - GAUDI_HBM_USER_BASE);
}

int gaudi_kjob_reg_fill(struct gaudi_device *gdev, u32 cfg_off, u32 value,
			u32 count)
{
	struct gaudi_packet_msg_long *pkt = gdev->kjob->cb;
	u32 ctl = gaudi_kjob_ctl(GAUDI_PKT_MSG_LONG, GAUDI_PKT_CTL_EB |
				 GAUDI_PKT_CTL_RB | GAUDI_PKT_CTL_MB);
	u32 i;
	int ret;

	if (!count || count > GAUDI_KJOB_MAX_WRITES)
		return -EINVAL;
	guard(mutex)(&gdev->kjob->lock);
	ret = gaudi_kjob_ready(gdev);
	if (ret)
		return ret;
	for (i = 0; i < count; i++) {
		pkt[i].value = cpu_to_le32(value);
		pkt[i].ctl = cpu_to_le32(ctl);
		pkt[i].addr = cpu_to_le64(GAUDI_CFG_BASE + cfg_off + 4 * i);
	}
	return gaudi_kjob_run_secured(gdev, count * sizeof(*pkt));
}

int gaudi_kjob_test_queues(struct gaudi_device *gdev)
{
	u32 qid;
	int ret;

	guard(mutex)(&gdev->kjob->lock);
	for (qid = 0; qid < GAUDI_NUM_EXT_QUEUES; qid++) {
		ret = gaudi_kjob_run(gdev, qid, 0, GAUDI_QUEUE_TEST_TIMEOUT_US);
		if (ret) {
			drm_err(&gdev->drm, "test of queue %u failed: %d\n",
				qid, ret);
			return ret;
		}
	}
	return 0;
}
