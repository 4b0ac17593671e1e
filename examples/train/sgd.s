// SPDX-License-Identifier: MIT
// Gradient descent with momentum: m = m * S1 + g, w += m * S0. S0 is the rate,
// negative. An index is 64 elements of dim 0, and an element of dim 1.
.define W 0
.define M 1
.define G 2
.metadata scalars, 2

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
	ld_tnsr V0, W, I2
	ld_tnsr V1, M, I2
	ld_tnsr V2, G, I2
	nop
	nop
	mul.f32 V3, V1, S1
	nop
	nop
	nop
	nop
	nop
	add.f32 V3, V3, V2
	nop
	nop
	nop
	nop
	nop
	mac.f32 V0, V3, S0
	st_tnsr M, I2, V3
	nop
	nop
	nop
	nop
	st_tnsr W, I2, V0
row:
	nop
	nop
end:
	{ halt; halt }
