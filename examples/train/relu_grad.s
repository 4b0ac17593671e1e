// SPDX-License-Identifier: MIT
// out = d where h > 0, else 0: the gradient in front of a ReLU whose result is h.
// An index is 64 elements of dim 0, and an element of dim 1.
.define H 0
.define D 1
.define OUT 2

	mov_irf_dim 0 S10, I0
	mov_irf_dim 0 S11, I1
	mov_irf_dim 1 S12, I0
	mov_irf_dim 1 S13, I1
	nop
	add.i32 S11, S10, S11
	nop
	add.i32 S13, S12, S13
	shl.i32 S10, S10, 6
	shl.i32 S11, S11, 6
	set_indx I2, b11111, 0
	loop S12, S13, 1, <, end
	nop
	set_indx I2, b00010, S32
	loop S10, S11, 64, <, row
	nop
	set_indx I2, b00001, S33
	ld_tnsr V0, H, I2
	ld_tnsr V1, D, I2
	mov.f32 V2, 0.0
	nop
	cmp_grt.f32 VP1, V0, 0.0
	nop
	mov.f32 V2, V1, VP1
	nop
	nop
	nop
	st_tnsr OUT, I2, V2
row:
	nop
	nop
end:
	{ halt; halt }
