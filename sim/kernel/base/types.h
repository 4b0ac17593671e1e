/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Types, byte order, barriers, errors in pointers, and atomic counters. */
#ifndef SIM_KERNEL_TYPES_H
#define SIM_KERNEL_TYPES_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <linux/types.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the card and its memory are little-endian, and so is the host"
#endif

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
typedef u64 dma_addr_t;
typedef u64 phys_addr_t;
typedef u64 resource_size_t;
typedef unsigned long ulong;
typedef unsigned int gfp_t;
typedef s64 ktime_t;
typedef unsigned short umode_t;

#define U16_MAX			UINT16_MAX
#define U32_MAX			UINT32_MAX
#define U64_MAX			(~0ull)
#define S64_MAX			((s64)(U64_MAX >> 1))

/* Not said to users: in the kernel they become others. */
#define ERESTARTSYS		512

#define __iomem
#define __force
#define __user
#define __init
#define __exit
#define __acquires(lock)
#define __releases(lock)
/* Some <linux/stddef.h> have it, too. */
#undef __counted_by
#define __counted_by(member)
#define __printf(fmt, first)	__attribute__((format(printf, fmt, first)))
#define __maybe_unused		__attribute__((unused))
#define __packed		__attribute__((packed))
#define __aligned(bytes)	__attribute__((aligned(bytes)))
#define fallthrough		__attribute__((fallthrough))
#define noinline		__attribute__((noinline))

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
/*
 * Of memory that a card writes, too: acquire, as ThreadSanitizer does not know the fence that
 * dma_rmb() is.
 */
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), (value), __ATOMIC_RELEASE)
#define barrier()		__asm__ volatile("" ::: "memory")
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_mb__before_atomic()	smp_mb()
#define smp_mb__after_atomic()	smp_mb()
#define wmb()			smp_mb()
#define dma_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)

#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr) - offsetof(type, member)))
#define sizeof_field(type, member) sizeof(((type *)NULL)->member)
#define struct_size(p, member, count) \
	(sizeof(*(p)) + (count) * sizeof((p)->member[0]))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)
#define static_assert(...)	sim_static_assert(__VA_ARGS__, "")
#define sim_static_assert(cond, text, ...) _Static_assert(cond, text)

#define sim_paste2(a, b)	a##b
#define sim_paste(a, b)		sim_paste2(a, b)

#define le16_to_cpu(x)		((u16)(x))
#define le32_to_cpu(x)		((u32)(x))
#define le64_to_cpu(x)		((u64)(x))
#define cpu_to_le16(x)		((__le16)(x))
#define cpu_to_le32(x)		((__le32)(x))
#define cpu_to_le64(x)		((__le64)(x))

static inline u16 get_unaligned_le16(const void *p)
{
	u16 value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline u64 get_unaligned_le64(const void *p)
{
	u64 value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline u32 get_unaligned_le32(const void *p)
{
	u32 value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* --- errors in pointers --- */

#define MAX_ERRNO		4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= (unsigned long)-MAX_ERRNO;
}

static inline bool IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR(ptr);
}

static inline int PTR_ERR_OR_ZERO(const void *ptr)
{
	return IS_ERR(ptr) ? (int)PTR_ERR(ptr) : 0;
}

static inline void *ERR_CAST(const void *ptr)
{
	return (void *)(uintptr_t)ptr;
}

#define IOMEM_ERR_PTR(error)	ERR_PTR(error)

/* --- counters --- */

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;

#define atomic_read(v)		__atomic_load_n(&(v)->counter, __ATOMIC_SEQ_CST)
#define atomic_set(v, i) \
	__atomic_store_n(&(v)->counter, i, __ATOMIC_SEQ_CST)
#define atomic_add(i, v) \
	((void)__atomic_add_fetch(&(v)->counter, i, __ATOMIC_SEQ_CST))
#define atomic_inc(v)		atomic_add(1, v)
#define atomic_dec(v)		atomic_add(-1, v)
#define atomic_dec_return(v) \
	__atomic_sub_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic64_read(v)	atomic_read(v)
#define atomic64_inc(v)		atomic_add(1, v)
#define atomic64_add(i, v)	atomic_add((s64)(i), v)
#define atomic64_sub(i, v)	atomic_add(-(s64)(i), v)
#define atomic64_add_return(i, v) \
	__atomic_add_fetch(&(v)->counter, (s64)(i), __ATOMIC_SEQ_CST)

static inline int atomic_cmpxchg(atomic_t *v, int old, int new)
{
	__atomic_compare_exchange_n(&v->counter, &old, new, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

typedef atomic_t refcount_t;

#define refcount_read(r)	atomic_read(r)
#define refcount_set(r, n)	atomic_set(r, n)
#define refcount_inc(r)		atomic_inc(r)
#define refcount_add(n, r)	atomic_add((int)(n), r)
#define refcount_dec_and_test(r) (!atomic_dec_return(r))

static inline bool refcount_inc_not_zero(refcount_t *r)
{
	int old = atomic_read(r);

	while (old)
		if (__atomic_compare_exchange_n(&r->counter, &old, old + 1,
						false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return true;
	return false;
}

struct kref { refcount_t count; };

#define kref_init(k)		refcount_set(&(k)->count, 1)
#define kref_get(k)		refcount_inc(&(k)->count)
#define kref_read(k)		refcount_read(&(k)->count)
#define kref_get_unless_zero(k)	refcount_inc_not_zero(&(k)->count)

static inline bool kref_put(struct kref *k, void (*release)(struct kref *k))
{
	if (!refcount_dec_and_test(&k->count))
		return false;
	release(k);
	return true;
}

/* --- ends of scopes --- */

#define __free(kind)	__attribute__((cleanup(sim_free_##kind)))
#define guard(kind) \
	__attribute__((cleanup(sim_unguard_##kind), unused)) \
	sim_guard_##kind##_t sim_paste(sim_guard, __COUNTER__) = \
		sim_guard_##kind
#define scoped_guard(kind, lock)					\
	for (sim_guard_##kind##_t sim_scope				\
		__attribute__((cleanup(sim_unguard_##kind))) =		\
			sim_guard_##kind(lock), sim_once = NULL;	\
	     !sim_once; sim_once = sim_scope)

#define DEFINE_GUARD(kind, type, lock, unlock)				\
	typedef type sim_guard_##kind##_t;				\
	static inline type sim_guard_##kind(type _T)			\
	{								\
		lock;							\
		return _T;						\
	}								\
	static inline void sim_unguard_##kind(type *at)			\
	{								\
		type _T = *at;						\
									\
		if (_T) {						\
			unlock;						\
		}							\
	}

/* --- modules --- */

#define THIS_MODULE		NULL
#define __module_get(module)	((void)(module))
#define module_put(module)	((void)(module))
#define EXPORT_SYMBOL_IF_KUNIT(symbol) struct sim_unused_##symbol
#define MODULE_LICENSE(text)	struct sim_unused
#define MODULE_DESCRIPTION(text) struct sim_unused
#define MODULE_FIRMWARE(name)	struct sim_unused
#define MODULE_IMPORT_NS(ns)	struct sim_unused
#define MODULE_DEVICE_TABLE(bus, ids) struct sim_unused
#define MODULE_PARM_DESC(name, text) struct sim_unused

#endif /* SIM_KERNEL_TYPES_H */
