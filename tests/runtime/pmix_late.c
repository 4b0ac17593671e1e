// SPDX-License-Identifier: GPL-2.0-only
/*
 * In the place of libpmix.so.2: the real one (REAL), whose first two answers are that there is
 * nothing.
 */
#include <dlfcn.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>

static void *real(const char *name)
{
	static void *handle;
	void *symbol;

	if (!handle)
		handle = dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
	symbol = handle ? dlsym(handle, name) : NULL;
	if (!symbol) {
		fprintf(stderr, "pmix_late: %s: %s\n", name, dlerror());
		abort();
	}

	return symbol;
}

#define CALL(name)	((__typeof__(&name))real(#name))

pmix_status_t PMIx_Init(pmix_proc_t *self, pmix_info_t info[], size_t count)
{
	return CALL(PMIx_Init)(self, info, count);
}

pmix_status_t PMIx_Finalize(const pmix_info_t info[], size_t count)
{
	return CALL(PMIx_Finalize)(info, count);
}

pmix_status_t PMIx_Put(pmix_scope_t scope, const char key[], pmix_value_t *value)
{
	return CALL(PMIx_Put)(scope, key, value);
}

pmix_status_t PMIx_Commit(void)
{
	return CALL(PMIx_Commit)();
}

pmix_status_t PMIx_Get(const pmix_proc_t *process, const char key[],
		       const pmix_info_t info[], size_t count, pmix_value_t **value)
{
	static int asked;

	if (asked++ < 2) {
		fprintf(stderr, "pmix_late: nothing\n");
		return PMIX_ERR_NOT_FOUND;
	}

	return CALL(PMIx_Get)(process, key, info, count, value);
}

const char *PMIx_Error_string(pmix_status_t status)
{
	return CALL(PMIx_Error_string)(status);
}
