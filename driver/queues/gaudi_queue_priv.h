/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the queues and the interrupt. */
#ifndef GAUDI_QUEUE_PRIV_H
#define GAUDI_QUEUE_PRIV_H

struct gaudi_device;

/* Have the thread deal with completions. Any context, any time. */
void gaudi_irq_wake_thread(struct gaudi_device *gdev);

#endif /* GAUDI_QUEUE_PRIV_H */
