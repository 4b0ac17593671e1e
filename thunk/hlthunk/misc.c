// SPDX-License-Identifier: MIT
/* Memory that crosses the ABI, and the version. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

void *hlthunk_malloc(size_t size)
{
	return calloc(1, size);
}

void hlthunk_free(void *pt)
{
	free(pt);
}

char *hlthunk_get_version(void)
{
	return strdup(HLT_VERSION);
}
