// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A tensor core's arithmetic for x86 hosts with AVX2. */
#include "tpc_page.h"

#ifdef __x86_64__

#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt")
#endif
#define GAUDI_TPC_ALU_FMA
#include "tpc_alu_hot.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

static const struct gaudi_tpc_alu table = GAUDI_TPC_ALU_TABLE("avx2");

const struct gaudi_tpc_alu *gaudi_tpc_alu_avx2(void)
{
	return __builtin_cpu_supports("avx2") &&
	       __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi2") ?
	       &table : NULL;
}

#else

const struct gaudi_tpc_alu *gaudi_tpc_alu_avx2(void)
{
	return NULL;
}

#endif
