// SPDX-License-Identifier: MIT
// OUT = S0 * A + S1 * B. An index is 64 elements of dim 0, and one of dim 1.
.define A 0
.define B 1
.define OUT 2

        mov_irf_dim 0 S4, I0            // first
        mov_irf_dim 1 S6, I0
        mov_irf_dim 0 S5, I1            // how many
        mov_irf_dim 1 S7, I1
        set_indx I2, b11111, 0
        nop
        nop
        add.i32 S5, S4, S5              // behind the last
        add.i32 S7, S6, S7
        shl.i32 S4, S4, 6
        nop
        nop
        shl.i32 S5, S5, 6
        nop
        nop
        nop
        loop S6, S7, 1, <, done
        nop
        set_indx I2, b00010, S32
        loop S4, S5, 64, <, row
        nop
        set_indx I2, b00001, S33
        ld_tnsr V0, A, I2
        ld_tnsr V1, B, I2
        nop
        nop
        nop
        nop; nop; mul.f32 V2, V1, S1; nop
        nop
        nop
        nop
        nop
        nop; nop; mac.f32 V2, V0, S0; nop
        nop
        nop
        nop
        nop
        st_tnsr OUT, I2, V2
row:    nop
done:
        { halt; halt }
