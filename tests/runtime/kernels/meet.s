// SPDX-License-Identifier: MIT
// Looks at two words, which are elements S0 and S1 of X or beyond it, until neither
// is zero; at most S2 times. OUT, of 64 elements: all 1 if that came true, or else 0.
.define X 0
.define OUT 1
.metadata scalars, 3

	set_indx I2, b11111, 0
	set_indx I3, b11111, 0
	set_indx I4, b11111, 0
	mov.i32 S5, 0
	nop
	nop
	set_indx I3, b00001, S0
	set_indx I4, b00001, S1
	nop
	nop
	nop
	nop
	gen_addr AD0, X, I3
	gen_addr AD1, X, I4
look:
	nop; nop; nop; cache_invalidate
	add.i32 S5, S5, 1
	nop
	nop
	nop
	nop
	nop
	ld_g S6, AD0
	ld_g S7, AD1
	cmp_geq.i32 SP3, S5, S2
	mov.i32 S8, 1
	nop
	nop
	nop
	nop
	nop
	cmp_eq.i32 SP1, S6, 0
	cmp_eq.i32 SP2, S7, 0
	nop
	nop
	nop
	nop
	mov.i32 S8, 0, SP1
	nop
	nop
	nop
	nop
	mov.i32 S8, 0, SP2
	nop
	nop
	nop
	nop
	mov.i32 S9, S8
	nop
	nop
	nop
	nop
	mov.i32 S9, 1, SP3
	nop
	nop
	nop
	nop
	cmp_eq.i32 SP4, S9, 0
	nop
	nop
	nop
	nop
	jmpr look, SP4
	nop
	convert.i32 target_type=fp32 rhne S10, S8
	nop
	nop
	nop
	nop
	nop
	mov.f32 V0, S10
	nop
	nop
	nop
	nop
	st_tnsr OUT, I2, V0
	nop
	nop
	{ halt; halt }
