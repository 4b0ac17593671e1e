/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * BIT(), GENMASK() and FIELD_GET()/FIELD_PREP() for the register headers.
 *
 * The kernel has its own; the card, the firmware stub and user space get the
 * same names from here, so that one header per register block serves them all.
 */
#ifndef GAUDI_BITS_H
#define GAUDI_BITS_H

#ifdef __KERNEL__
#include <linux/bitfield.h>
#include <linux/bits.h>
#else
#ifndef BIT
#define BIT(n)			(1ul << (n))
#endif
#ifndef BIT_ULL
#define BIT_ULL(n)		(1ull << (n))
#endif
#ifndef GENMASK
#define GENMASK(h, l)		((~0ul << (l)) & (~0ul >> (63 - (h))))
#endif
#ifndef GENMASK_ULL
#define GENMASK_ULL(h, l)	((~0ull << (l)) & (~0ull >> (63 - (h))))
#endif
#ifndef FIELD_GET
#define FIELD_GET(mask, val)	(((val) & (mask)) / ((mask) & ~((mask) << 1)))
#define FIELD_PREP(mask, val)	(((val) * ((mask) & ~((mask) << 1))) & (mask))
#endif
#endif /* __KERNEL__ */

#endif /* GAUDI_BITS_H */
