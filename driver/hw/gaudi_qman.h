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
void gaudi_qman_enable(struct gaudi_device *gdev,
		       const struct gaudi_qman_desc *qm);
void gaudi_qman_stop(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm);
void gaudi_qman_disable(struct gaudi_device *gdev,
			const struct gaudi_qman_desc *qm);

#endif /* GAUDI_QMAN_H */
