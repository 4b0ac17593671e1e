/* SPDX-License-Identifier: GPL-2.0-only */
/* One queue manager, for gaudi_engines.c. */
#ifndef GAUDI_QMAN_H
#define GAUDI_QMAN_H

#include <linux/types.h>

struct gaudi_device;
struct gaudi_qman_desc;

void gaudi_qman_init(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm,
		     u64 (*pq_addr)(struct gaudi_device *gdev, u32 qid));
/* MSG bases 2 and 3, for one whose row does not have sync_stream. */
void gaudi_qman_sync_bases(struct gaudi_device *gdev,
			   const struct gaudi_qman_desc *qm);
void gaudi_qman_enable(struct gaudi_device *gdev,
		       const struct gaudi_qman_desc *qm);
void gaudi_qman_stop(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm);
void gaudi_qman_disable(struct gaudi_device *gdev,
			const struct gaudi_qman_desc *qm);

#endif /* GAUDI_QMAN_H */
