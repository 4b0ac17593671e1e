// SPDX-License-Identifier: MIT
// Softmax and cross-entropy of 64 samples at a time. A column is a sample, a row a
// class, of which there are S0. With p = softmax(z + b) of a column:
//   d = (p - y) * S1, the gradient; loss = -sum(y * log(p)).
// exp: 2^n times a polynomial. log: the exponent and a polynomial; sums are 1 to
// S0. An index is 64 columns.
.define Z 0
.define B 1
.define Y 2
.define D 3
.define LOSS 4
.metadata scalars, 2
.metadata scalar_loads, 2

	mov_irf_dim 0 S10, I0
	mov_irf_dim 0 S11, I1
	nop
	nop
	nop
	add.i32 S11, S10, S11
	shl.i32 S10, S10, 6
	nop
	nop
	shl.i32 S11, S11, 6
	set_indx I2, b11111, 0
	set_indx I3, b11111, 0
	set_indx I4, b11111, 0
	loop S10, S11, 64, <, end
	nop
	set_indx I2, b00001, S32
	set_indx I4, b00001, S32
	mov.f32 V10, -1.0e30
	mov.f32 V11, 0.0
	mov.f32 V12, 0.0
	// V10: the largest
	loop 0, S0, 1, <, largest
	nop
	set_indx I2, b00010, S33
	set_indx I3, b00001, S33
	ld_tnsr V0, Z, I2
	gen_addr AD0, B, I3
	nop
	nop
	nop
	nop
	nop
	nop
	ld_g V1, AD0
	nop
	nop
	nop
	nop
	nop
	nop
	add.f32 V0, V0, V1
	nop
	nop
	nop
	nop
	nop
	max.f32 V10, V10, V0
	nop
	nop
	nop
largest:
	nop
	// V11: the sum of exp(z - V10)
	loop 0, S0, 1, <, sum
	nop
	set_indx I2, b00010, S33
	set_indx I3, b00001, S33
	ld_tnsr V0, Z, I2
	gen_addr AD0, B, I3
	nop
	nop
	nop
	nop
	nop
	nop
	ld_g V1, AD0
	nop
	nop
	nop
	nop
	nop
	nop
	add.f32 V0, V0, V1
	nop
	nop
	nop
	nop
	nop
	sub.f32 V2, V0, V10
	nop
	nop
	nop
	nop
	nop
	max.f32 V20, V2, -87.0
	nop
	nop
	nop
	mul.f32 V21, V20, 1.4426950
	nop
	nop
	nop
	nop
	nop
	nearbyint.f32 rhne V21, V21
	nop
	nop
	nop
	nop
	nop
	mac.f32 neg V20, V21, 0.693359375
	nop
	nop
	nop
	nop
	nop
	mac.f32 V20, V21, 0.00021219444
	mov.f32 V22, 1.984126984e-04
	mov.f32 V23, 0.0013888889225199819
	nop
	nop
	nop
	mac.f32 V23, V22, V20
	mov.f32 V22, 0.008333333767950535
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V20
	mov.f32 V23, 0.0416666679084301
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V20
	mov.f32 V22, 0.1666666716337204
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V20
	mov.f32 V23, 0.5
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V20
	mov.f32 V22, 1.0
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V20
	mov.f32 V23, 1.0
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V20
	convert.f32 target_type=int32 rhne V24, V21
	nop
	nop
	nop
	nop
	nop
	shl.i32 V24, V24, 23
	nop
	nop
	nop
	add.i32 V3, V23, V24
	nop
	nop
	nop
	add.f32 V11, V11, V3
	nop
	nop
	nop
	nop
	nop
sum:
	nop
	// V10: log(sum(exp(z)))
	shr.u32 V20, V11, 23
	nop
	nop
	nop
	sub.i32 V20, V20, 127
	and.i32 V21, V11, 0x7fffff
	nop
	nop
	nop
	or.i32 V21, V21, 0x3f800000
	nop
	nop
	nop
	cmp_grt.f32 VP1, V21, 1.4142135
	nop
	add.i32 V20, V20, 1, VP1
	mul.f32 V21, V21, 0.5, VP1
	nop
	nop
	nop
	nop
	nop
	sub.f32 V21, V21, 1.0
	convert.i32 target_type=fp32 rhne V24, V20
	mov.f32 V22, -0.07655815780162811
	mov.f32 V23, 0.12939000129699707
	nop
	nop
	nop
	mac.f32 V23, V22, V21
	mov.f32 V22, -0.132419615983963
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V21
	mov.f32 V23, 0.1417800784111023
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V21
	mov.f32 V22, -0.16609954833984375
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V21
	mov.f32 V23, 0.2000211775302887
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V21
	mov.f32 V22, -0.2500147223472595
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V21
	mov.f32 V23, 0.33333322405815125
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V21
	mov.f32 V22, -0.49999991059303284
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V21
	mul.f32 V25, V21, V21
	nop
	nop
	nop
	nop
	nop
	mac.f32 V21, V25, V22
	nop
	nop
	nop
	nop
	nop
	mac.f32 V21, V24, 0.69314718
	nop
	nop
	nop
	nop
	nop
	mov.f32 V13, V21
	nop
	nop
	nop
	add.f32 V10, V10, V13
	nop
	nop
	nop
	nop
	nop
	loop 0, S0, 1, <, classes
	nop
	set_indx I2, b00010, S33
	set_indx I3, b00001, S33
	ld_tnsr V0, Z, I2
	gen_addr AD0, B, I3
	nop
	nop
	nop
	nop
	nop
	nop
	ld_g V1, AD0
	nop
	nop
	nop
	nop
	nop
	nop
	add.f32 V0, V0, V1
	nop
	nop
	nop
	nop
	nop
	sub.f32 V2, V0, V10
	ld_tnsr V4, Y, I2
	nop
	nop
	nop
	nop
	mac.f32 neg V12, V4, V2
	max.f32 V20, V2, -87.0
	nop
	nop
	nop
	mul.f32 V21, V20, 1.4426950
	nop
	nop
	nop
	nop
	nop
	nearbyint.f32 rhne V21, V21
	nop
	nop
	nop
	nop
	nop
	mac.f32 neg V20, V21, 0.693359375
	nop
	nop
	nop
	nop
	nop
	mac.f32 V20, V21, 0.00021219444
	mov.f32 V22, 1.984126984e-04
	mov.f32 V23, 0.0013888889225199819
	nop
	nop
	nop
	mac.f32 V23, V22, V20
	mov.f32 V22, 0.008333333767950535
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V20
	mov.f32 V23, 0.0416666679084301
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V20
	mov.f32 V22, 0.1666666716337204
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V20
	mov.f32 V23, 0.5
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V20
	mov.f32 V22, 1.0
	nop
	nop
	nop
	nop
	mac.f32 V22, V23, V20
	mov.f32 V23, 1.0
	nop
	nop
	nop
	nop
	mac.f32 V23, V22, V20
	convert.f32 target_type=int32 rhne V24, V21
	nop
	nop
	nop
	nop
	nop
	shl.i32 V24, V24, 23
	nop
	nop
	nop
	add.i32 V3, V23, V24
	nop
	nop
	nop
	sub.f32 V3, V3, V4
	nop
	nop
	nop
	nop
	nop
	mul.f32 V3, V3, S1
	nop
	nop
	nop
	nop
	nop
	st_tnsr D, I2, V3
classes:
	nop
	nop
	nop
	nop
	nop
	st_tnsr LOSS, I4, V12
	nop
end:
	{ halt; halt }
