/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Arithmetic, bits, bitmaps, sizes, strings. */
#ifndef SIM_KERNEL_BITS_H
#define SIM_KERNEL_BITS_H

#include "types.h"
#include "../../../uapi/hw/gaudi_bits.h"

#define PAGE_SHIFT		12
#define PAGE_SIZE		(1ul << PAGE_SHIFT)
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define PAGE_ALIGN(x)		round_up(x, PAGE_SIZE)
#define PAGE_ALIGNED(x)		IS_ALIGNED(x, PAGE_SIZE)
#define PFN_UP(x)		(((x) + PAGE_SIZE - 1) >> PAGE_SHIFT)
#define offset_in_page(x)	((unsigned long)(x) & ~PAGE_MASK)

#define SZ_1K			0x400
#define SZ_4K			0x1000
#define SZ_8K			0x2000
#define SZ_16K			0x4000
#define SZ_64K			0x10000
#define SZ_128K			0x20000
#define SZ_128M			0x8000000
#define SZ_1M			0x100000
#define SZ_2M			0x200000
#define SZ_4M			0x400000
#define SZ_8M			0x800000
#define SZ_32M			0x2000000
#define SZ_512M			0x20000000
#define SZ_1G			0x40000000
#define SZ_2G			0x80000000u

#define lower_32_bits(x)	((u32)((x) & 0xffffffff))
#define upper_32_bits(x)	((u32)((u64)(x) >> 32))
#define round_up(x, to)		((((x) - 1) | ((__typeof__(x))(to) - 1)) + 1)
#define round_down(x, to)	((x) & ~((__typeof__(x))(to) - 1))
#define ALIGN_DOWN(x, to)	round_down(x, to)
#define IS_ALIGNED(x, to)	(!((x) & ((__typeof__(x))(to) - 1)))
#define DIV_ROUND_UP(x, by)	(((x) + (by) - 1) / (by))
#define DIV_ROUND_UP_ULL(x, by)	DIV_ROUND_UP((u64)(x), by)
#define div_u64(x, by)		((u64)(x) / (by))
#define div64_u64(x, by)	((u64)(x) / (by))

#define min_t(type, a, b)						\
	({ type sim_a = (a), sim_b = (b); sim_a < sim_b ? sim_a : sim_b; })
#define max_t(type, a, b)						\
	({ type sim_a = (a), sim_b = (b); sim_a > sim_b ? sim_a : sim_b; })
#define min(a, b)							\
	({ __typeof__((a) + (b)) sim_c = (a), sim_d = (b);		\
	   sim_c < sim_d ? sim_c : sim_d; })
#define max(a, b)							\
	({ __typeof__((a) + (b)) sim_c = (a), sim_d = (b);		\
	   sim_c > sim_d ? sim_c : sim_d; })
#define clamp(x, lo, hi)	min(max(x, lo), hi)
#define swap(a, b) \
	do { __typeof__(a) sim_t = (a); (a) = (b); (b) = sim_t; } while (0)
#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)
#define check_mul_overflow(a, b, mul)	__builtin_mul_overflow(a, b, mul)
#define array_index_nospec(index, size)	(index)

#define is_power_of_2(x)	((x) && !((x) & ((x) - 1)))
#define fls(x)			((x) ? 32 - __builtin_clz(x) : 0)
#define ilog2(x)		(63 - __builtin_clzll(x))
#define order_base_2(x)		((x) > 1 ? ilog2((u64)(x) - 1) + 1 : 0)
#define hweight_long(x)		((unsigned int)__builtin_popcountl(x))
#define ffz(x)			((unsigned int)__builtin_ctzl(~(x)))

#define BITS_PER_LONG		64
#define BITS_TO_LONGS(bits)	(((bits) + 63) / 64)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]

static inline bool test_bit(unsigned int bit, const unsigned long *map)
{
	return READ_ONCE(map[bit / 64]) >> bit % 64 & 1;
}

static inline void __set_bit(unsigned int bit, unsigned long *map)
{
	map[bit / 64] |= 1ul << bit % 64;
}

static inline void __clear_bit(unsigned int bit, unsigned long *map)
{
	map[bit / 64] &= ~(1ul << bit % 64);
}

/* The next bit from @bit on that has this value; @bits: there is none. */
static inline unsigned int sim_next_bit(const unsigned long *map,
					unsigned int bits, unsigned int bit,
					bool value)
{
	unsigned long word;

	for (; bit < bits; bit += BITS_PER_LONG - bit % BITS_PER_LONG) {
		word = map[bit / BITS_PER_LONG];
		word = (value ? word : ~word) >> bit % BITS_PER_LONG;
		if (word)
			return min_t(unsigned int, bit + __builtin_ctzl(word), bits);
	}
	return bits;
}

#define find_first_zero_bit(map, bits)	sim_next_bit(map, bits, 0, false)
#define for_each_set_bit(bit, map, bits)				\
	for ((bit) = sim_next_bit(map, bits, 0, true); (bit) < (bits);	\
	     (bit) = sim_next_bit(map, bits, (bit) + 1, true))
#define for_each_clear_bit(bit, map, bits)				\
	for ((bit) = sim_next_bit(map, bits, 0, false); (bit) < (bits);	\
	     (bit) = sim_next_bit(map, bits, (bit) + 1, false))

static inline void bitmap_zero(unsigned long *map, unsigned int bits)
{
	memset(map, 0, 8 * BITS_TO_LONGS(bits));
}

static inline void bitmap_copy(unsigned long *to, const unsigned long *from,
			       unsigned int bits)
{
	memcpy(to, from, 8 * BITS_TO_LONGS(bits));
}

static inline bool bitmap_empty(const unsigned long *map, unsigned int bits)
{
	return sim_next_bit(map, bits, 0, true) >= bits;
}

static inline void bitmap_set(unsigned long *map, unsigned int first,
			      unsigned int count)
{
	for (; count--; first++)
		__set_bit(first, map);
}

/* None crosses a word. */
static inline unsigned long bitmap_read(const unsigned long *map,
					unsigned int first, unsigned int bits)
{
	return map[first / 64] >> first % 64 & ((1ul << bits) - 1);
}

static inline void *memset64(u64 *to, u64 value, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		to[i] = value;
	return to;
}

static inline void *memchr_inv(const void *from, int c, size_t size)
{
	const u8 *p = from;

	for (; size--; p++)
		if (*p != (u8)c)
			return (void *)(uintptr_t)p;
	return NULL;
}

/* Without a size: an array. */
#define strscpy(to, from, ...) \
	sim_strscpy(to, from, sim_first(__VA_ARGS__ __VA_OPT__(,) sizeof(to)))
#define sim_first(a, ...)	a
static inline ssize_t sim_strscpy(char *to, const char *from, size_t size)
{
	size_t n = strnlen(from, size);

	if (!size)
		return -E2BIG;
	memcpy(to, from, n < size ? n : size - 1);
	to[n < size ? n : size - 1] = '\0';
	return n < size ? (ssize_t)n : -E2BIG;
}

u32 crc32_le(u32 crc, const void *data, size_t size);
u32 get_random_u32(void);
void get_random_bytes(void *to, size_t size);
/* As a hash, and nothing else: its value is not the kernel's. */
static inline u32 jhash_1word(u32 word, u32 seed)
{
	u64 h = (word ^ (u64)seed << 32) * 0x9e3779b97f4a7c15ull;

	return (u32)(h ^ h >> 32);
}

#endif /* SIM_KERNEL_BITS_H */
