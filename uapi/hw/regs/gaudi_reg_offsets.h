/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The tables of registers, gaudi_*.def, one for each prototype of a block: here
 * is what a row says, and what it becomes in the headers of this folder, an
 * offset from the block's base. Others include a table with a REG and a REGS of
 * their own: the card's model takes from it names, reset values, access and
 * fidelity, the driver what it closes to users; "scripts/check registers" holds
 * Documentation/blocks/ against it.
 *
 *	REG(name, offset, reset, access, fidelity[, closed])
 *	REGS(before, after, offset, count, stride, reset, access, fidelity[, closed])
 *
 * name	 as published. REGS is an array: before and after are what stands around
 *	 the number, and the one with number 0 gives it its name here.
 * reset	 what a read shows after power-on, where that is the same in all instances
 *	 and not firmware's work.
 * access	 RW: kept. RO: writes are lost. WT: acts when it is written. W1C, W0C: ones,
 *	 or zeros, clear.
 * fidelity EXACT: the model does what is known of it. ROUGH: in part. KEPT: the
 *	 value is kept, without effect.
 * closed how many of them, from the first, the driver's protection bits keep from
 *	 what users write into queues; none where it is left out.
 *
 * Source: asic_reg/ and gaudi_security.c of mainline's driver, Linux 6.12; reset
 * values from the vendor's public register tables (facts).
 *
 * Included again for each table, so there is no guard.
 */
#undef REG
#undef REGS
#define REG(name, offset, ...)	name = (offset),
#define REGS(before, after, offset, count, stride, ...) \
	before##0##after = (offset), before##0##after##_STRIDE = (stride),

/* Register n of the array whose first is named. */
#undef GAUDI_NTH
#define GAUDI_NTH(first, n)	(first + first##_STRIDE * (n))
