// SPDX-License-Identifier: MIT
/*
 * PMIx: mpirun, prterun, srun and others keep a table for the processes that they have started.
 * Its library is opened when it is needed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "known.h"
#include "../base/net.h"

#if __has_include("pmix.h")
#include <dlfcn.h>
#include <pmix.h>
#include <pthread.h>

#define KEY		"open-gaudi.coll.id"
#define RETRY_MS	20

static struct {
	bool there;
	pmix_proc_t self;
	__typeof__(&PMIx_Init) init;
	__typeof__(&PMIx_Finalize) finalize;
	__typeof__(&PMIx_Put) put;
	__typeof__(&PMIx_Commit) commit;
	__typeof__(&PMIx_Get) get;
	__typeof__(&PMIx_Error_string) error_string;
} pmix;

/* A launcher holds it against a process if it ends without. */
static void leave(void)
{
	pmix.finalize(NULL, 0);
}

static void load(void)
{
	void *handle;

	if (!getenv("PMIX_NAMESPACE") || !getenv("PMIX_RANK"))
		return;
	handle = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return;
	*(void **)&pmix.init = dlsym(handle, "PMIx_Init");
	*(void **)&pmix.finalize = dlsym(handle, "PMIx_Finalize");
	*(void **)&pmix.put = dlsym(handle, "PMIx_Put");
	*(void **)&pmix.commit = dlsym(handle, "PMIx_Commit");
	*(void **)&pmix.get = dlsym(handle, "PMIx_Get");
	*(void **)&pmix.error_string = dlsym(handle, "PMIx_Error_string");
	pmix.there = pmix.init && pmix.finalize && pmix.put && pmix.commit &&
		     pmix.get && pmix.error_string &&
		     pmix.init(&pmix.self, NULL, 0) == PMIX_SUCCESS;
	if (pmix.there)
		atexit(leave);
}

bool coll_pmix_is_there(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);

	return pmix.there;
}

static int fail_pmix(pmix_status_t status, const char *what)
{
	return coll_fail(status == PMIX_ERR_TIMEOUT ? -ETIMEDOUT : -EIO,
			 "PMIx, %s: %s", what, pmix.error_string(status));
}

int coll_pmix_put(const struct coll_id *id)
{
	pmix_value_t value = { .type = PMIX_BYTE_OBJECT };
	struct coll_id copy = *id;
	pmix_status_t status;

	value.data.bo.bytes = (char *)&copy;
	value.data.bo.size = sizeof(copy);
	status = pmix.put(PMIX_GLOBAL, KEY, &value);
	if (status == PMIX_SUCCESS)
		status = pmix.commit();

	return status == PMIX_SUCCESS ? 0 : fail_pmix(status, "the listener");
}

/*
 * The launcher waits for a process that has put nothing yet. But one that asks while process 0's
 * commit is under way may be told NOT_FOUND: it asks again.
 */
static pmix_status_t get_from_first(int ms, pmix_value_t **value)
{
	int64_t deadline_ms = coll_now_ms() + ms;
	pmix_info_t timeout = { .value.type = PMIX_INT };
	pmix_proc_t first = pmix.self;

	strcpy(timeout.key, PMIX_TIMEOUT);
	first.rank = 0;
	for (;;) {
		int64_t left = deadline_ms - coll_now_ms();
		pmix_status_t status;

		timeout.value.data.integer = left > 1000 ? (int)((left + 999) / 1000) : 1;
		status = pmix.get(&first, KEY, &timeout, 1, value);
		if (status != PMIX_ERR_NOT_FOUND || left <= RETRY_MS)
			return status;
		usleep(RETRY_MS * 1000);
	}
}

int coll_pmix_get(int ms, struct coll_id *id)
{
	pmix_value_t *value = NULL;
	pmix_status_t status = get_from_first(ms, &value);
	int rc = 0;

	if (status != PMIX_SUCCESS)
		return fail_pmix(status, "the listener that process 0 starts");
	if (value->type == PMIX_BYTE_OBJECT && value->data.bo.size == sizeof(*id))
		memcpy(id, value->data.bo.bytes, sizeof(*id));
	else
		rc = coll_fail(-EPROTO, "PMIx: this is no listener");
	if (value->type == PMIX_BYTE_OBJECT)
		free(value->data.bo.bytes);
	free(value);

	return rc;
}

#else

bool coll_pmix_is_there(void)
{
	return false;
}

int coll_pmix_put(const struct coll_id *id)
{
	(void)id;

	return coll_fail(-ENOTSUP, "this library was built without PMIx");
}

int coll_pmix_get(int ms, struct coll_id *id)
{
	(void)ms;

	return coll_pmix_put(id);
}

#endif
