// SPDX-License-Identifier: MIT
// OUT = A times WINDOW, which has the elements of dim 0. An index as in blend_f32.s.
.define A 0
.define OUT 1
.define WINDOW 2

        mov_irf_dim 0 S4, I0
        mov_irf_dim 1 S6, I0
        mov_irf_dim 0 S5, I1
        mov_irf_dim 1 S7, I1
        set_indx I2, b11111, 0
        set_indx I3, b11111, 0          // of WINDOW: dim 1 stays 0
        nop
        add.i32 S5, S4, S5
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
        set_indx I3, b00001, S33
        ld_tnsr V0, A, I2
        ld_tnsr V1, WINDOW, I3
        nop
        nop
        nop
        nop; nop; mul.f32 V2, V0, V1; nop
        nop
        nop
        nop
        nop
        st_tnsr OUT, I2, V2
row:    nop
done:
        { halt; halt }
