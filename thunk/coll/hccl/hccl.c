// SPDX-License-Identifier: MIT
/* HCCL: the library, and communicators by their handles. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl_calls.h"
#include "../base/net.h"
#include "../../synapse/syn_internal.h"

/*
 * What calls return
 */
static _Thread_local char message[COLL_MESSAGE_SIZE + 64];
static _Thread_local bool failed;

hcclResult_t hccl_fail(hcclResult_t result, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	failed = true;

	return result;
}

hcclResult_t hccl_good(void)
{
	failed = false;

	return hcclSuccess;
}

hcclResult_t hccl_result(int error, const char *what)
{
	hcclResult_t result;

	switch (error) {
	case 0:
		return hccl_good();
	case -EINVAL:
	case GAUDI_ERR_ADDRESS:
		result = hcclInvalidArgument;
		break;
	case -ENOMEM:
		result = hcclOutOfMemory;
		break;
	case -ENOTSUP:
	case GAUDI_ERR_UNSUPPORTED:
		result = hcclUnsupported;
		break;
	case -EBUSY:
		result = hcclBusy;
		break;
	case -ESHUTDOWN:
		result = hcclInvalidUsage;
		break;
	case GAUDI_ERR_LINK:
		result = hcclPortDown;
		break;
	case GAUDI_ERR_DEVICE_LOST:
		result = hcclUnhandledSynapseError;
		break;
	default:
		result = hcclInternalError;
		break;
	}

	return hccl_fail(result, "%s: %s", what, coll_message());
}

const char *hcclGetLastErrorMessage(void)
{
	return failed ? message : NULL;
}

const char *hcclGetErrorString(hcclResult_t result)
{
	static const char * const texts[] = {
		"success", "no device was found", "not supported", "out of memory",
		"an error of the device", "a system error", "an internal error",
		"an invalid argument", "an invalid usage", "an error of a socket",
		"an error of libfabric", "try again", "busy", "no result",
		"an error of a stream", "the device has been released",
		"a port is down",
	};

	if (result == hcclUninitialized)
		return "not initialized";
	if ((unsigned int)result >= sizeof(texts) / sizeof(texts[0]))
		return "an unknown result";

	return texts[result];
}

hcclResult_t hcclGetVersion(int *version)
{
	if (!version)
		return hccl_fail(hcclInvalidArgument, "hcclGetVersion: NULL");
	*version = HCCL_VERSION_CODE;

	return hccl_good();
}

hcclResult_t hcclDeviceInit(void *device, void *context)
{
	(void)device;
	(void)context;

	return hccl_good();
}

int hcclLookupDMABuff(uint64_t addr, uint64_t size, int *fd)
{
	(void)size;
	if (!fd) {
		hccl_fail(hcclInvalidArgument, "hcclLookupDMABuff: NULL");
		return -EINVAL;
	}
	hccl_fail(hcclUnsupported, "hcclLookupDMABuff: memory at %#llx is of a pool, and has no dma-buf of its own",
		  (unsigned long long)addr);

	return -ENOTSUP;
}

/*
 * Handles
 */
struct entry {
	struct entry *next;
	struct coll_comm *comm;
	uint32_t users;
	bool dying;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct entry *entries;
static bool had_any;
static char last_async[COLL_MESSAGE_SIZE + 64];

static struct entry *find(const void *comm)
{
	struct entry *entry = entries;

	while (entry && entry->comm != comm)
		entry = entry->next;

	return entry && !entry->dying ? entry : NULL;
}

struct coll_comm *hccl_comm_get(hcclComm_t handle)
{
	struct entry *entry;

	pthread_mutex_lock(&lock);
	entry = find(handle);
	if (entry)
		entry->users++;
	pthread_mutex_unlock(&lock);

	return entry ? entry->comm : NULL;
}

void hccl_comm_put(struct coll_comm *comm)
{
	struct entry *entry;

	pthread_mutex_lock(&lock);
	for (entry = entries; entry && entry->comm != comm;)
		entry = entry->next;
	if (entry)
		entry->users--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* With the lock: no call finds it any more, and those under way have ended. */
static void kill_entry(struct entry *entry)
{
	struct entry **at = &entries;

	while (entry->users)
		pthread_cond_wait(&changed, &lock);
	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
}

static void end_entry(struct entry *entry, bool abort)
{
	if (abort)
		coll_comm_abort(entry->comm);
	pthread_mutex_lock(&lock);
	kill_entry(entry);
	pthread_mutex_unlock(&lock);
	coll_comm_free(entry->comm);
	free(entry);
	syn_device_put();
}

/* The device is about to be released: communicators end with it. */
static void on_release(struct gaudi_device *device)
{
	struct entry *entry;

	for (;;) {
		pthread_mutex_lock(&lock);
		for (entry = entries; entry; entry = entry->next)
			if (!entry->dying &&
			    coll_comm_device(entry->comm) == device)
				break;
		if (entry)
			entry->dying = true;
		pthread_mutex_unlock(&lock);
		if (!entry)
			return;
		end_entry(entry, true);
	}
}

/*
 * Communicators
 */
hcclResult_t hcclGetUniqueId(hcclUniqueId *id)
{
	static atomic_flag asked = ATOMIC_FLAG_INIT;
	struct coll_id where;
	int rc;

	if (!id)
		return hccl_fail(hcclInvalidArgument, "hcclGetUniqueId: NULL");
	rc = coll_listener_start(!atomic_flag_test_and_set(&asked), &where);
	if (rc)
		return hccl_fail(hcclInternalError, "hcclGetUniqueId: %s",
				 coll_message());
	memset(id, 0, sizeof(*id));
	memcpy(id->internal, &where, sizeof(where));
	id->length = sizeof(where);

	return hccl_good();
}

/*
 * Of the variable while there was no communicator, else of the id; of the first listener's, where
 * it can be found, if that is empty.
 */
static int where_to_meet(const hcclUniqueId *id, int ms, struct coll_id *where)
{
	const char *fixed = getenv("HCCL_COMM_ID");
	struct sockaddr_in address;
	bool first;
	int rc;

	pthread_mutex_lock(&lock);
	first = !had_any;
	pthread_mutex_unlock(&lock);
	*where = (struct coll_id) { .magic = COLL_ID_MAGIC };
	if (fixed && *fixed && first) {
		rc = coll_parse_address(fixed, &address);
		where->ip = address.sin_addr.s_addr;
		where->port = address.sin_port;
		return rc;
	}
	if (!id->length && first && coll_id_can_be_found())
		return coll_id_find(ms, where);
	if (!id->length)
		return coll_fail(-EBADMSG, "the id is empty, and neither HCCL_COMM_ID nor GAUDI_COLL_FILE nor a launcher with PMIx says where to meet");
	memcpy(where, id->internal, sizeof(*where));
	if (id->length != sizeof(*where) || where->magic != COLL_ID_MAGIC)
		return coll_fail(-EBADMSG, "this is no id of hcclGetUniqueId()");
	coll_join_launcher();

	return 0;
}

static hcclResult_t create(struct gaudi_device *device, const hcclUniqueId *id,
			   int nranks, int rank, struct coll_comm **comm)
{
	struct coll_settings settings;
	struct coll_id where;
	int rc = coll_settings_read(&settings);

	if (!rc)
		rc = where_to_meet(id, settings.init_ms, &where);
	if (!rc)
		rc = coll_comm_create(device, &where, (uint32_t)nranks,
				      (uint32_t)rank, &settings, comm);

	return hccl_result(rc, "hcclCommInitRank");
}

hcclResult_t hcclCommInitRank(hcclComm_t *comm, int nranks, hcclUniqueId id,
			      int rank)
{
	struct gaudi_device *device;
	struct entry *entry;
	hcclResult_t result;

	if (!comm)
		return hccl_fail(hcclInvalidArgument, "hcclCommInitRank: NULL");
	if (nranks < 1 || nranks > 8192 || rank < 0 || rank >= nranks)
		return hccl_fail(hcclInvalidArgument, "hcclCommInitRank: rank %d of %d",
				 rank, nranks);
	device = syn_device_get();
	if (!device)
		return hccl_fail(hcclInternalError, "hcclCommInitRank: no device is acquired");
	entry = calloc(1, sizeof(*entry));
	if (!entry) {
		syn_device_put();
		return hccl_fail(hcclOutOfMemory, "hcclCommInitRank: no memory");
	}
	syn_on_release(on_release);
	result = create(device, &id, nranks, rank, &entry->comm);
	if (result) {
		free(entry);
		syn_device_put();
		return result;
	}
	pthread_mutex_lock(&lock);
	entry->next = entries;
	entries = entry;
	had_any = true;
	pthread_mutex_unlock(&lock);
	*comm = entry->comm;

	return hccl_good();
}

hcclResult_t hcclCommInitAll(hcclComm_t *comm, int ndev, const int *devlist)
{
	(void)comm;
	(void)ndev;
	(void)devlist;

	return hccl_fail(hcclInvalidUsage, "hcclCommInitAll: a process has one card");
}

static hcclResult_t unknown(const char *call)
{
	return hccl_fail(hcclInvalidArgument, "%s: no such communicator", call);
}

static hcclResult_t finish(struct coll_comm *comm, const char *call)
{
	const char *why;
	int rc = coll_comm_finish(comm);
	hcclResult_t result = coll_comm_error(comm, &why);

	if (rc && result)
		return hccl_fail(result, "%s: %s", call, why);

	return hccl_result(rc, call);
}

hcclResult_t hcclCommFinalize(hcclComm_t handle)
{
	struct coll_comm *comm = hccl_comm_get(handle);
	hcclResult_t result;

	if (!comm)
		return unknown("hcclCommFinalize");
	result = finish(comm, "hcclCommFinalize");
	hccl_comm_put(comm);

	return result;
}

/* This call's to end, if it is one. */
static struct entry *take(hcclComm_t handle)
{
	struct entry *entry;

	pthread_mutex_lock(&lock);
	entry = find(handle);
	if (entry)
		entry->dying = true;
	pthread_mutex_unlock(&lock);

	return entry;
}

hcclResult_t hcclCommDestroy(hcclComm_t handle)
{
	struct entry *entry = take(handle);
	hcclResult_t result;

	if (!entry)
		return unknown("hcclCommDestroy");
	result = finish(entry->comm, "hcclCommDestroy");
	if (result == hcclBusy) {
		pthread_mutex_lock(&lock);
		entry->dying = false;
		pthread_mutex_unlock(&lock);
		return result;
	}
	end_entry(entry, false);

	return result;
}

hcclResult_t hcclCommAbort(hcclComm_t handle)
{
	struct entry *entry = take(handle);

	if (!entry)
		return unknown("hcclCommAbort");
	end_entry(entry, true);

	return hccl_good();
}

hcclResult_t hcclCommGetAsyncError(hcclComm_t handle, hcclResult_t *error)
{
	struct coll_comm *comm = hccl_comm_get(handle);
	const char *why;

	if (!comm)
		return unknown("hcclCommGetAsyncError");
	if (error)
		*error = coll_comm_error(comm, &why);
	hccl_comm_put(comm);

	return error ? hccl_good() :
	       hccl_fail(hcclInvalidArgument, "hcclCommGetAsyncError: NULL");
}

/* Of any one, into last_async. The table is not held while one is asked, which may take time. */
static const char *any_async_error(void)
{
	const char *one, *why;
	struct entry *entry;

	pthread_mutex_lock(&lock);
	for (entry = entries; entry; entry = entry->next) {
		hcclResult_t error;

		if (entry->dying)
			continue;
		entry->users++;
		pthread_mutex_unlock(&lock);
		error = coll_comm_error(entry->comm, &one);
		pthread_mutex_lock(&lock);
		if (error)
			snprintf(last_async, sizeof(last_async), "%s", one);
		entry->users--;
		pthread_cond_broadcast(&changed);
	}
	why = *last_async ? last_async : NULL;
	pthread_mutex_unlock(&lock);

	return why;
}

const char *hcclCommGetAsyncErrorMessage(hcclComm_t handle)
{
	struct coll_comm *comm;
	const char *why;

	if (!handle)
		return any_async_error();
	comm = hccl_comm_get(handle);
	if (!comm)
		return NULL;
	if (!coll_comm_error(comm, &why))
		why = NULL;
	hccl_comm_put(comm);

	return why;
}

static hcclResult_t ask(hcclComm_t handle, int *value, const char *call,
			uint32_t (*fn)(const struct coll_comm *comm))
{
	struct coll_comm *comm = hccl_comm_get(handle);

	if (!comm)
		return unknown(call);
	if (value)
		*value = fn ? (int)fn(comm) : 0;
	hccl_comm_put(comm);

	return value ? hccl_good() :
	       hccl_fail(hcclInvalidArgument, "%s: NULL", call);
}

hcclResult_t hcclCommCount(hcclComm_t comm, int *count)
{
	return ask(comm, count, "hcclCommCount", coll_comm_ranks);
}

/* Synapse's number of the process's device is 0. */
hcclResult_t hcclCommSynDevice(hcclComm_t comm, int *device)
{
	return ask(comm, device, "hcclCommSynDevice", NULL);
}

hcclResult_t hcclCommUserRank(hcclComm_t comm, int *rank)
{
	return ask(comm, rank, "hcclCommUserRank", coll_comm_rank);
}
