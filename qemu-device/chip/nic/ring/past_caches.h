/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Copies that go past the caches to memory, for what nobody reads while it could be
 * in them. A line that is written in the cache has to be fetched first, from memory or
 * from another core's cache, which makes half as much traffic again.
 */
#ifndef GAUDI_PAST_CACHES_H
#define GAUDI_PAST_CACHES_H

#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <emmintrin.h>
#endif

/* What it has written others see in order only after gaudi_past_caches_end(). */
static inline void gaudi_copy_past_caches(uint8_t *to, const uint8_t *from,
					  uint32_t len)
{
#ifdef __x86_64__
	for (; len >= 64 && !((uintptr_t)to & 15); to += 64, from += 64,
						   len -= 64) {
		__m128i a = _mm_loadu_si128((const __m128i *)from);
		__m128i b = _mm_loadu_si128((const __m128i *)from + 1);
		__m128i c = _mm_loadu_si128((const __m128i *)from + 2);
		__m128i d = _mm_loadu_si128((const __m128i *)from + 3);

		_mm_stream_si128((__m128i *)to, a);
		_mm_stream_si128((__m128i *)to + 1, b);
		_mm_stream_si128((__m128i *)to + 2, c);
		_mm_stream_si128((__m128i *)to + 3, d);
	}
#endif
	memcpy(to, from, len);
}

static inline void gaudi_past_caches_end(void)
{
#ifdef __x86_64__
	_mm_sfence();
#endif
}

#endif /* GAUDI_PAST_CACHES_H */
