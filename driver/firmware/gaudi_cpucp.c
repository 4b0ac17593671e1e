// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command queue of the embedded CPU: memory, hand-over, one message at a
 * time.
 *
 * Layout of the shared area (one coherent allocation, whose address the
 * embedded CPU must be able to express, see gaudi_cpucp_dev_addr()):
 *
 *   0		command queue, 4096 descriptors of 16 bytes
 *   64 KiB	event queue, 64 entries of 64 bytes (gaudi_eq.c)
 *   68 KiB	the packet
 *   128 KiB	data that a packet points to
 */
#include <linux/dma-mapping.h>

#include "../../uapi/hw/gaudi_packets.h"
#include "../../uapi/hw/regs/gaudi_cpu_if_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_trace.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_cpucp.h"
#include "gaudi_fw.h"

#define GAUDI_SHM_SIZE		SZ_2M
#define GAUDI_SHM_EQ		SZ_64K
#define GAUDI_SHM_PKT		(SZ_64K + SZ_4K)
#define GAUDI_SHM_DATA		SZ_128K
#define GAUDI_EQ_BYTES		(GAUDI_CPU_EQ_ENTRIES * \
				 sizeof(struct gaudi_eq_entry))
#define GAUDI_PQ_BYTES		(GAUDI_CPU_PQ_ENTRIES * \
				 sizeof(struct gaudi_pq_bd))

#define GAUDI_CPU_QUEUE_TIMEOUT_MS	30000
#define GAUDI_CPUCP_TIMEOUT_MS		4000
#define GAUDI_CPUCP_NO_FENCE		U32_MAX
/* How soon a wait notices that the queue is to be closed. */
#define GAUDI_CPUCP_SLICE_MS		50u

#define CPU_IF(reg)	(GAUDI_CPU_IF_BASE + CPU_IF_##reg)

struct gaudi_cpucp {
	void *shm;
	dma_addr_t shm_dma;

	/* Protects everything below, the packet and the data area. */
	struct mutex lock;
	u32 pi;			/* modulo twice the queue length */
	bool enabled;
	/*
	 * A reset begins: waits end, and the only message that is still sent is
	 * the one that takes PCI access from firmware. Set without the lock.
	 */
	bool closing;
};

/*
 * The embedded CPU has 40 address bits; the ones above come from a register.
 * Bit 39 says "beyond the CPU's own half", and bits 49:39 are the register's, the
 * same for all of the area: the DMA API aligns it to its size.
 */
static u64 gaudi_cpucp_dev_addr(struct gaudi_cpucp *cpucp, u32 off)
{
	u64 addr = gaudi_host_dev_addr(cpucp->shm_dma + off);

	return (addr & ~GENMASK_ULL(49, 39)) | BIT_ULL(39);
}

int gaudi_cpucp_init(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;
	struct gaudi_cpucp *cpucp;
	int ret;

	BUILD_BUG_ON(GAUDI_PQ_BYTES > GAUDI_SHM_EQ);
	BUILD_BUG_ON(GAUDI_SHM_EQ + GAUDI_EQ_BYTES > GAUDI_SHM_PKT);

	cpucp = devm_kzalloc(dev, sizeof(*cpucp), GFP_KERNEL);
	if (!cpucp)
		return -ENOMEM;
	ret = devm_mutex_init(dev, &cpucp->lock);
	if (ret)
		return ret;
	cpucp->shm = dmam_alloc_coherent(dev, GAUDI_SHM_SIZE, &cpucp->shm_dma,
					 GFP_KERNEL);
	if (!cpucp->shm)
		return -ENOMEM;
	gdev->cpucp = cpucp;
	return 0;
}

struct gaudi_eq_entry *gaudi_cpucp_eq(struct gaudi_device *gdev)
{
	return gdev->cpucp->shm + GAUDI_SHM_EQ;
}

void gaudi_cpucp_set_msb(struct gaudi_device *gdev)
{
	gaudi_wr(gdev, CPU_IF(CPU_MSB_ADDR), FIELD_GET(GENMASK_ULL(49, 39),
		 gaudi_host_dev_addr(gdev->cpucp->shm_dma)));
}

static void gaudi_cpucp_doorbell(struct gaudi_device *gdev)
{
	gaudi_wr(gdev, gdev->cpu_irq_reg[GAUDI_CPU_IRQ_PI_UPDATE],
		 GAUDI_SPI_PI_UPDATE);
}

int gaudi_cpucp_hw_init(struct gaudi_device *gdev)
{
	struct gaudi_cpucp *cpucp = gdev->cpucp;
	u32 status;
	int ret;

	guard(mutex)(&cpucp->lock);
	memset(cpucp->shm, 0, GAUDI_PQ_BYTES);
	cpucp->pi = 0;

	gaudi_wr_lo_hi(gdev, CPU_IF(PQ_BASE_ADDR_LOW),
		       CPU_IF(PQ_BASE_ADDR_HIGH),
		       gaudi_cpucp_dev_addr(cpucp, 0));
	gaudi_wr_lo_hi(gdev, CPU_IF(EQ_BASE_ADDR_LOW),
		       CPU_IF(EQ_BASE_ADDR_HIGH),
		       gaudi_cpucp_dev_addr(cpucp, GAUDI_SHM_EQ));
	/* "CQ" is what firmware calls the whole area. */
	gaudi_wr_lo_hi(gdev, CPU_IF(CQ_BASE_ADDR_LOW),
		       CPU_IF(CQ_BASE_ADDR_HIGH),
		       gaudi_cpucp_dev_addr(cpucp, 0));
	gaudi_wr(gdev, CPU_IF(PQ_LENGTH), GAUDI_PQ_BYTES);
	gaudi_wr(gdev, CPU_IF(EQ_LENGTH), GAUDI_EQ_BYTES);
	gaudi_wr(gdev, CPU_IF(CQ_LENGTH), GAUDI_SHM_SIZE);
	gaudi_wr(gdev, CPU_IF(EQ_RD_OFFS), 0);
	gaudi_wr(gdev, CPU_IF(PF_PQ_PI), 0);

	gaudi_wr(gdev, CPU_IF(QUEUE_INIT),
		 GAUDI_QUEUE_INIT_READY_FOR_CP_SINGLE_MSI);
	gaudi_cpucp_doorbell(gdev);
	ret = gaudi_wait_reg(gdev, CPU_IF(QUEUE_INIT), ~0u,
			     GAUDI_QUEUE_INIT_READY_FOR_HOST,
			     GAUDI_CPU_QUEUE_TIMEOUT_MS * 1000, &status);
	if (ret) {
		drm_err(&gdev->drm,
			"firmware did not take its queues (state %u): %d\n",
			status, ret);
		return ret;
	}
	WRITE_ONCE(cpucp->closing, false);
	cpucp->enabled = true;
	return 0;
}

void gaudi_cpucp_close(struct gaudi_device *gdev)
{
	WRITE_ONCE(gdev->cpucp->closing, true);
}

void gaudi_cpucp_disable(struct gaudi_device *gdev)
{
	gaudi_cpucp_close(gdev);
	guard(mutex)(&gdev->cpucp->lock);
	gdev->cpucp->enabled = false;
}

/* In slices, to see in between that a reset wants the queue to be closed. */
static int gaudi_cpucp_wait(struct gaudi_device *gdev, const __le32 *fence,
			    u32 want, u32 timeout_ms)
{
	struct gaudi_cpucp *cpucp = gdev->cpucp;
	bool closing = READ_ONCE(cpucp->closing);
	int ret;

	do {
		u32 ms = min(timeout_ms, GAUDI_CPUCP_SLICE_MS);

		ret = gaudi_wait_mem(gdev, fence, want, ms * 1000);
		timeout_ms -= ms;
	} while (ret == -ETIMEDOUT && timeout_ms &&
		 READ_ONCE(cpucp->closing) == closing);
	return ret;
}

/* Descriptor, doorbell, wait for the fence. The lock is held. */
static int gaudi_cpucp_run(struct gaudi_device *gdev, u32 timeout_ms)
{
	struct gaudi_cpucp *cpucp = gdev->cpucp;
	struct gaudi_cpucp_packet *slot = cpucp->shm + GAUDI_SHM_PKT;
	u32 next = (cpucp->pi + 1) & (2 * GAUDI_CPU_PQ_ENTRIES - 1);
	struct gaudi_pq_bd *bd = cpucp->shm;
	u32 want = GAUDI_CPUCP_FENCE_VAL;
	int ret;

	lockdep_assert_held(&cpucp->lock);
	if (gdev->boot_sts0 & GAUDI_BOOT_STS0_PKT_PI_ACK_EN)
		want = next;

	bd += cpucp->pi & (GAUDI_CPU_PQ_ENTRIES - 1);
	bd->ptr = cpu_to_le64(gaudi_cpucp_dev_addr(cpucp, GAUDI_SHM_PKT));
	bd->len = cpu_to_le32(sizeof(*slot));
	bd->ctl = cpu_to_le32(next);
	cpucp->pi = next;
	gaudi_wr(gdev, CPU_IF(PF_PQ_PI), next);
	gaudi_cpucp_doorbell(gdev);

	ret = gaudi_cpucp_wait(gdev, &slot->fence, want, timeout_ms);
	/* A later wrap must not show firmware a stale descriptor. */
	bd->ctl = cpu_to_le32(U32_MAX);
	return ret;
}

int gaudi_cpucp_xfer(struct gaudi_device *gdev, struct gaudi_cpucp_packet *pkt,
		     u32 timeout_ms, u64 *result, void *data, size_t data_size)
{
	struct gaudi_cpucp *cpucp = gdev->cpucp;
	struct gaudi_cpucp_packet *slot = cpucp->shm + GAUDI_SHM_PKT;
	u32 opcode = FIELD_GET(GAUDI_CPUCP_CTL_OPCODE, le32_to_cpu(pkt->ctl));
	void *buf = cpucp->shm + GAUDI_SHM_DATA;
	u64 res = 0, start = ktime_get_ns();
	int ret;

	if (data_size > GAUDI_SHM_SIZE - GAUDI_SHM_DATA)
		return -EINVAL;

	guard(mutex)(&cpucp->lock);
	if (!cpucp->enabled)
		return -EAGAIN;
	if (gaudi_offline(gdev))
		return -ENODEV;
	if (READ_ONCE(cpucp->closing) &&
	    opcode != GAUDI_CPUCP_DISABLE_PCI_ACCESS)
		return -EAGAIN;

	if (data) {
		memcpy(buf, data, data_size);
		pkt->addr = cpu_to_le64(gaudi_cpucp_dev_addr(cpucp,
							     GAUDI_SHM_DATA));
	}
	*slot = *pkt;
	slot->fence = cpu_to_le32(GAUDI_CPUCP_NO_FENCE);

	ret = gaudi_cpucp_run(gdev, timeout_ms ?: GAUDI_CPUCP_TIMEOUT_MS);
	if (ret) {
		/*
		 * Firmware may still answer, into memory that the next packet
		 * would use: no next packet before a reset.
		 */
		cpucp->enabled = false;
		if (!READ_ONCE(cpucp->closing))
			drm_err(&gdev->drm,
				"no answer to firmware message %#x: %d\n",
				opcode, ret);
	} else {
		res = le64_to_cpu(slot->result);
		if (le32_to_cpu(slot->ctl) & GAUDI_CPUCP_CTL_RC)
			ret = -EIO;
		else if (data)
			memcpy(data, buf, data_size);
	}
	trace_gaudi_cpucp(&gdev->pdev->dev, opcode, ret, res,
			  ktime_get_ns() - start);
	if (result)
		*result = res;
	return ret;
}
