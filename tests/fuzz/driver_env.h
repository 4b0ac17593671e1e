/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What gaudi.ko's own sources need of the kernel so that some of them become
 * part of a fuzzer: those that set up protection, queues and engines, and the
 * one that checks command buffers. Types and arithmetic are those of the card
 * in a process. Included before each of them; the Makefile says which. Their register accesses go to the card of user_driver.c.
 *
 * The linux/ headers that they include are empty files in the build folder.
 */
#ifndef FUZZ_DRIVER_ENV_H
#define FUZZ_DRIVER_ENV_H

#include "../../sim/kernel/base/bits.h"

/* The card has functions of these names, too. */
#define gaudi_engines_init	driver_engines_init
#define gaudi_qman_init		driver_qman_init
#define gaudi_qman_stop		driver_qman_stop
#define gaudi_sync_init		driver_sync_init

#define GFP_KERNEL		0
#define drm_dbg(...)		((void)0)
#define drm_err(...)		((void)0)
#define drm_err_ratelimited(...) ((void)0)
#define drm_WARN_ON(drm, cond)	(cond)
#define seq_printf(...)		((void)0)
#define seq_putc(...)		((void)0)
/* One thread. */
#undef guard
#define guard(kind)		(void)

/* --- the parts of struct gaudi_device that are the kernel's --- */

struct device;
struct mutex { int unused; };
struct rw_semaphore { int unused; };
struct srcu_struct { int unused; };
struct drm_device { struct device *dev; };
struct device { int unused; };
struct pci_dev { struct device dev; };
struct seq_file;
struct sg_table;
struct list_head { struct list_head *next, *prev; };

static inline int srcu_read_lock(struct srcu_struct *srcu)
{
	(void)srcu;
	return 0;
}

static inline void srcu_read_unlock(struct srcu_struct *srcu, int idx)
{
	(void)srcu;
	(void)idx;
}

static inline bool pci_channel_offline(struct pci_dev *pdev)
{
	(void)pdev;
	return false;
}

/* Nobody frees it: one for the whole life of a fuzzer. */
void *devm_kzalloc(struct device *dev, size_t size, int gfp);

static inline int devm_mutex_init(struct device *dev, struct mutex *lock)
{
	(void)dev;
	(void)lock;
	return 0;
}

static inline void msleep(unsigned int ms)
{
	(void)ms;
}

/* --- windows --- */

void writeq(u64 value, void *to);

#endif /* FUZZ_DRIVER_ENV_H */
