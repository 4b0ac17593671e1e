// SPDX-License-Identifier: GPL-2.0-or-later
/* Which of the matrix engine's kernels this processor can run. */
#include <string.h>

#include "mme_impl.h"

static bool runs_always(void)
{
	return true;
}

static const struct {
	const struct gaudi_mme_kernel *kernel;
	bool (*runs)(void);
} kernels[] = {	/* best first */
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
