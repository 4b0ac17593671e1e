// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The time of this process by the model of its cards; see clock.h. */
#include <drm/habanalabs_accel.h>

#include "../../qemu-device/chip/gaudi_chip.h"
#include "../../uapi/hw/gaudi_packets.h"
#include "../kernel/kernel.h"
#include "../kernel/nodes.h"
#include "clock.h"

/* The first two DMA cores have the queues that tell, in as many slots: the driver's. */
#define STREAMS		4
#define QUEUES		(2 * STREAMS)
#define SLOTS		4096

static u64 now_ns;
/* Of each card; not a variable of the library, of which a fork would copy all. */
static u64 (*told_ns)[QUEUES][SLOTS];
static __thread u64 done_ns;	/* what this thread of the driver has found last */

uint64_t sim_clock_ns(void *opaque)
{
	return __atomic_load_n(&now_ns, __ATOMIC_ACQUIRE);
}

int sim_clock_start(void)
{
	if (!told_ns)
		told_ns = calloc(SIM_MAX_CARDS, sizeof(*told_ns));
	return told_ns ? 0 : -ENOMEM;
}

static void advance(u64 to)
{
	u64 then = __atomic_load_n(&now_ns, __ATOMIC_ACQUIRE);

	while (then < to &&
	       !__atomic_compare_exchange_n(&now_ns, &then, to, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

void sim_clock_told(unsigned int n, unsigned int queue, uint32_t value,
		    uint64_t ns)
{
	unsigned int stream = queue % 8;

	if (queue >= 16 || stream >= STREAMS || !(value & GAUDI_CQE_READY))
		return;
	__atomic_store_n(&told_ns[n][queue / 8 * STREAMS + stream][value % SLOTS],
			 ns, __ATOMIC_RELEASE);
}

void sim_clock_done(unsigned int n, uint32_t qid, uint32_t slot)
{
	done_ns = told_ns && qid < QUEUES && slot < SLOTS ?
		  __atomic_load_n(&told_ns[n][qid][slot], __ATOMIC_ACQUIRE) : 0;
}

/* Of its jobs the last one is the end. A card's jobs are found by one thread at a time. */
void trace_gaudi_job_done(struct device *dev, u32 qid, struct dma_fence *fence)
{
	if (READ_ONCE(fence->model_ns) < done_ns)
		WRITE_ONCE(fence->model_ns, done_ns);
}

void sim_clock_opened(struct gaudi_chip *chip)
{
	if (told_ns)
		advance(gaudi_chip_told_ns(chip));
}

void sim_clock_calls(void)
{
	if (told_ns)
		sim_fence_take_latest();
}

void sim_clock_called(struct gaudi_chip *chip, unsigned long request,
		      const void *arg)
{
	const union hl_wait_cs_args *wait = arg;
	u64 end;

	/* Of another size it need not be there. */
	if (!told_ns || request != DRM_IOCTL_HL_WAIT_CS ||
	    wait->out.status != HL_WAIT_CS_STATUS_COMPLETED)
		return;
	/* One of long ago, whose end the driver does not keep, is before the last news. */
	end = sim_fence_take_latest();
	advance(end ? end : gaudi_chip_told_ns(chip));
}
