// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A tensor core's arithmetic for x86 hosts with AVX512. */
#include "tpc_page.h"

#ifdef __x86_64__

#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx2,fma,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx2,fma,bmi,bmi2,lzcnt,popcnt")
#endif
#define GAUDI_TPC_ALU_FMA
#include "tpc_alu_hot.h"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

static const struct gaudi_tpc_alu table = GAUDI_TPC_ALU_TABLE("avx512");

const struct gaudi_tpc_alu *gaudi_tpc_alu_avx512(void)
{
	return __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512cd") &&
	       __builtin_cpu_supports("fma") ?
	       &table : NULL;
}

#else

const struct gaudi_tpc_alu *gaudi_tpc_alu_avx512(void)
{
	return NULL;
}

#endif
