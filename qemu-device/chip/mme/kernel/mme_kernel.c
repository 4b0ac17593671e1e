// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Which of the matrix engine's kernels this processor can run. */
#include <string.h>

#include "mme_impl.h"

static bool runs_always(void)
{
	return true;
}

#ifdef __x86_64__
static bool runs_with_avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("fma");
}

static bool runs_with_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

static const struct {
	const struct gaudi_mme_kernel *kernel;
	bool (*runs)(void);
} kernels[] = {	/* best first */
#ifdef __x86_64__
	{ &gaudi_mme_avx512_kernel, runs_with_avx512 },
	{ &gaudi_mme_avx2_kernel, runs_with_avx2 },
#endif
	{ &gaudi_mme_portable, runs_always },
};

const struct gaudi_mme_kernel *gaudi_mme_kernel(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		if (name && strcmp(name, kernels[i].kernel->name))
			continue;
		if (kernels[i].runs())
			return kernels[i].kernel;
	}
	return NULL;
}
