// SPDX-License-Identifier: MIT
// out = x * S0 + y in f32. An index is 64 elements of dim 0, and an element of
// dim 1.
.define X 0
.define Y 1
.define OUT 2
.metadata scalars, 1

	mov_irf_dim 0 S1, I0
	mov_irf_dim 0 S2, I1
	mov_irf_dim 1 S3, I0
	mov_irf_dim 1 S4, I1
	nop
	nop
	add.i32 S2, S1, S2
	add.i32 S4, S3, S4
	shl.i32 S1, S1, 6
	nop
	shl.i32 S2, S2, 6
	set_indx I2, b11111, 0
	nop
	nop
	loop S3, S4, 1, <, end
	nop
	set_indx I2, b00010, S32
	loop S1, S2, 64, <, row
	nop
	set_indx I2, b00001, S33
	nop
	nop
	ld_tnsr V0, X, I2
	ld_tnsr V1, Y, I2
	nop
	nop
	nop
	nop
	mac.f32 V1, V0, S0
	nop
	nop
	nop
	nop
	st_tnsr OUT, I2, V1
row:
	nop
	nop
end:
	{ halt; halt }
