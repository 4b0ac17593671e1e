/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What gaudi.ko's own sources need of the kernel so that some of them become
 * part of a fuzzer: those that set up protection, queues and engines, and the
 * one that checks command buffers. Included before each of them; the Makefile
 * says which. Their register accesses go to the card of user_driver.c.
 *
 * The linux/ headers that they include are empty files in the build folder.
 */
#ifndef FUZZ_DRIVER_ENV_H
#define FUZZ_DRIVER_ENV_H

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/types.h>

#include "../../uapi/hw/gaudi_bits.h"

/* No tracepoints. */
#define GAUDI_TRACE_H
#define trace_habanalabs_rreg32_enabled()	false
#define trace_habanalabs_wreg32_enabled()	false

/* The card has functions of these names, too. */
#define gaudi_engines_init	driver_engines_init
#define gaudi_qman_init		driver_qman_init
#define gaudi_qman_stop		driver_qman_stop
#define gaudi_sync_init		driver_sync_init

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint64_t dma_addr_t;
typedef uint64_t resource_size_t;
typedef unsigned long ulong;
typedef unsigned int gfp_t;

#define __iomem
#define __percpu
#define SZ_32M			0x2000000u
#define SZ_512M			0x20000000u
#define GFP_KERNEL		0
#define U32_MAX			UINT32_MAX
#define EXPORT_SYMBOL_IF_KUNIT(symbol) extern int gaudi_unused_##symbol
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define static_assert(condition) \
	_Static_assert(condition, #condition)
#define unlikely(x)		(x)
#define READ_ONCE(x)		(x)
#define container_of(p, type, member) \
	((type *)(void *)((char *)(p) - offsetof(type, member)))
#define lower_32_bits(x)	((u32)(x))
#define upper_32_bits(x)	((u32)((u64)(x) >> 32))
#define ilog2(x)		(31 - __builtin_clz(x))
#define le32_to_cpu(x)		le32toh(x)
#define drm_dbg(...)		((void)0)
#define drm_err(...)		((void)0)
#define drm_err_ratelimited(...) ((void)0)
#define drm_WARN_ON(drm, cond)	(cond)
#define seq_printf(...)		((void)0)
#define seq_putc(...)		((void)0)
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

/* --- bitmaps --- */

static inline unsigned int __ffs(unsigned long word)
{
	return (unsigned int)__builtin_ctzl(word);
}

#define DECLARE_BITMAP(name, bits) unsigned long name[((bits) + 63) / 64]

static inline void bitmap_zero(unsigned long *map, unsigned int bits)
{
	memset(map, 0, bits / 8);
}

static inline void __set_bit(unsigned int bit, unsigned long *map)
{
	map[bit / 64] |= 1ul << bit % 64;
}

static inline void bitmap_set(unsigned long *map, unsigned int first,
			      unsigned int count)
{
	for (; count--; first++)
		__set_bit(first, map);
}

static inline unsigned long bitmap_read(const unsigned long *map,
					unsigned int first, unsigned int bits)
{
	return map[first / 64] >> first % 64 & ((1ul << bits) - 1);
}

/* --- windows --- */

u32 readl(const void *from);
void writel(u32 value, void *to);
void writeq(u64 value, void *to);

#endif /* FUZZ_DRIVER_ENV_H */
