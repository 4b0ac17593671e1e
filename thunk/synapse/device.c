// SPDX-License-Identifier: MIT
/*
 * The device that the process has, and who uses it: each call has a reference, and
 * release waits until there is none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "syn_priv.h"
#include "../deadline.h"

/* How long to wait for cards in reset, or still being released by others. */
#define ACQUIRE_MS	60000
#define RETRY_MS	100

static struct {
	pthread_mutex_t lock;
	pthread_cond_t unused;
	bool initialized;
	bool acquiring, releasing;
	unsigned int refs;
	struct gaudi_device *device;
	struct gaudi_event *epoch;		/* recorded when acquired */
	syn_release_fn release_fns[SYN_RELEASE_FNS];
} syn = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.unused = PTHREAD_COND_INITIALIZER,
};

/* The child's threads hold none of these, and it has nothing of the device. */
static void before_fork(void)
{
	pthread_mutex_lock(&syn.lock);
	syn_handles_lock();
	syn_host_lock();
}

static void after_fork(void)
{
	syn_host_unlock();
	syn_handles_unlock();
	pthread_mutex_unlock(&syn.lock);
}

static void in_child(void)
{
	syn.initialized = false;
	syn.acquiring = false;
	syn.releasing = false;
	syn.refs = 0;
	syn.device = NULL;
	syn.epoch = NULL;
	pthread_cond_init(&syn.unused, NULL);
	after_fork();
	syn_handles_clear();
	syn_host_clear();
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

synStatus synInitialize(void)
{
	const char *once = secure_getenv("HABANA_DISABLE_DOUBLE_SYN_INITIALIZE");
	static pthread_once_t forks = PTHREAD_ONCE_INIT;
	bool again;

	pthread_once(&forks, watch_forks);
	pthread_mutex_lock(&syn.lock);
	again = syn.initialized;
	syn.initialized = true;
	pthread_mutex_unlock(&syn.lock);
	if (again && once && *once && strcmp(once, "0"))
		return syn_fail(synAlreadyInitialized, "synInitialize() again");

	return synSuccess;
}

void syn_on_release(syn_release_fn fn)
{
	unsigned int i = 0;

	pthread_mutex_lock(&syn.lock);
	while (i < SYN_RELEASE_FNS && syn.release_fns[i] &&
	       syn.release_fns[i] != fn)
		i++;
	if (i < SYN_RELEASE_FNS)
		syn.release_fns[i] = fn;
	pthread_mutex_unlock(&syn.lock);
}

static struct gaudi_device *usable(void)
{
	return syn.releasing ? NULL : syn.device;
}

synStatus syn_begin(synDeviceId id, struct gaudi_device **device)
{
	synStatus status = synSuccess;

	pthread_mutex_lock(&syn.lock);
	if (!syn.initialized)
		status = synUninitialized;
	else if (id == SYN_INVALID_DEVICE_ID)
		status = synInvalidArgument;
	else if (!usable())
		status = synNoDeviceFound;
	else
		syn.refs++;
	*device = usable();
	pthread_mutex_unlock(&syn.lock);
	if (status)
		syn_fail(status, "device %u: %s", id,
			 status == synUninitialized ? "no synInitialize()" :
			 status == synNoDeviceFound ? "none is acquired" :
						      "the id is invalid");

	return status;
}

struct gaudi_device *syn_device_get(void)
{
	struct gaudi_device *device;

	return syn_begin(0, &device) ? NULL : device;
}

void syn_device_put(void)
{
	pthread_mutex_lock(&syn.lock);
	if (!--syn.refs)
		pthread_cond_broadcast(&syn.unused);
	pthread_mutex_unlock(&syn.lock);
}

struct gaudi_device *syn_device_gaudi(void)
{
	struct gaudi_device *device;

	pthread_mutex_lock(&syn.lock);
	device = syn.device;
	pthread_mutex_unlock(&syn.lock);

	return device;
}

struct gaudi_event *syn_epoch(void)
{
	return syn.epoch;
}

static int record_epoch(struct gaudi_device *device,
			struct gaudi_event **epoch)
{
	struct gaudi_stream *stream;
	int rc = gaudi_event_create(device, 0, epoch);

	if (!rc)
		rc = gaudi_stream_create(device, &stream);
	if (rc)
		return rc;
	rc = gaudi_event_record(*epoch, stream);
	gaudi_stream_destroy(stream);

	return rc;
}

/* Which card is meant. */
struct wanted {
	synModuleId module;		/* INVALID_MODULE_ID: by address */
	const char *address;		/* "": any */
};

/* Of two failures: what may end soon, then what may end, counts most. */
static int worse(int worst, int rc)
{
	return rc == -EAGAIN || (rc == -EBUSY && worst != -EAGAIN) ||
	       worst == -ENODEV ? rc : worst;
}

/* What launchers leave for a process: "3", or "0,1,2". NULL: nothing. */
static const char *wanted_modules(void)
{
	static const char * const names[] = { "HLS_MODULE_ID", "HABANA_VISIBLE_MODULES" };

	for (unsigned int i = 0; i < 2; i++) {
		const char *text = secure_getenv(names[i]);

		if (text && *text)
			return text;
	}

	return NULL;
}

/* The number at *@at, which is then behind it and its comma; false: there is none. */
static bool next_module(const char **at, uint32_t *module)
{
	unsigned long n;
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	n = strtoul(*at, &end, 10);
	if (n >= INVALID_MODULE_ID || (*end && (*end != ',' || !end[1])))
		return false;
	*at = end + (*end == ',');
	*module = (uint32_t)n;

	return true;
}

/* The first of these modules that can be had. */
static int open_module(const char *list, struct gaudi_device **device)
{
	int worst = -ENODEV, rc;
	const char *at = list;
	uint32_t module;

	do {
		if (next_module(&at, &module))
			continue;
		syn_fail(synInvalidArgument, "HLS_MODULE_ID, or HABANA_VISIBLE_MODULES, is %.64s, no list of modules",
			 list);
		return -EINVAL;
	} while (*at);
	for (at = list; *at && next_module(&at, &module); worst = worse(worst, rc)) {
		rc = gaudi_device_open_by_module_id(module, 0, device);
		if (!rc)
			return 0;
	}

	return worst;
}

/* One look at all cards: the first that can be had. */
static int open_free(struct gaudi_device **device)
{
	const char *modules = wanted_modules();
	int worst = -ENODEV, rc;
	uint32_t count;

	if (modules)
		return open_module(modules, device);
	rc = gaudi_device_count(&count);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < count; i++) {
		rc = gaudi_device_open(i, 0, device);
		if (!rc)
			return 0;
		worst = worse(worst, rc);
	}

	return worst;
}

static int open_first_free(struct gaudi_device **device)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000l };
	int rc = open_free(device);

	for (int ms = 0; rc == -EAGAIN && ms < ACQUIRE_MS; ms += RETRY_MS) {
		nanosleep(&pause, NULL);
		rc = open_free(device);
	}

	return rc;
}

static int open_wanted(const struct wanted *want, struct gaudi_device **device,
		       struct gaudi_event **epoch)
{
	int rc;

	if (want->module != INVALID_MODULE_ID)
		rc = gaudi_device_open_by_module_id(want->module, ACQUIRE_MS,
						    device);
	else if (want->address && *want->address)
		rc = gaudi_device_open_by_pci_address(want->address,
						      ACQUIRE_MS, device);
	else
		rc = open_first_free(device);
	if (rc)
		return rc;
	rc = record_epoch(*device, epoch);
	if (rc)
		gaudi_device_close(*device);

	return rc;
}

static synStatus acquire(synDeviceId *id, const struct wanted *want)
{
	struct gaudi_device *device = NULL;
	struct gaudi_event *epoch = NULL;
	synStatus status = synSuccess;
	int rc;

	if (!id)
		return syn_fail(synInvalidArgument, "acquire: the id is NULL");
	pthread_mutex_lock(&syn.lock);
	if (!syn.initialized)
		status = synUninitialized;
	else if (syn.device || syn.acquiring || syn.releasing)
		status = synDeviceAlreadyAcquired;
	else
		syn.acquiring = true;
	pthread_mutex_unlock(&syn.lock);
	if (status)
		return syn_fail(status, "acquire: %s",
				status == synUninitialized ?
				"no synInitialize()" : "there is a device");
	rc = open_wanted(want, &device, &epoch);
	pthread_mutex_lock(&syn.lock);
	syn.acquiring = false;
	if (!rc) {
		syn.device = device;
		syn.epoch = epoch;
		*id = 0;
	}
	pthread_mutex_unlock(&syn.lock);

	return syn_status(rc);
}

synStatus synDeviceAcquireByModuleId(synDeviceId *id, synModuleId module)
{
	const struct wanted want = { .module = module };

	if (module == INVALID_MODULE_ID)
		return syn_fail(synInvalidArgument, "the module id is invalid");

	return acquire(id, &want);
}

synStatus synDeviceAcquire(synDeviceId *id, const char *pci_address)
{
	const struct wanted want = {
		.module = INVALID_MODULE_ID, .address = pci_address,
	};

	return acquire(id, &want);
}

synStatus synDeviceAcquireByDeviceType(synDeviceId *id, synDeviceType type)
{
	if (type != synDeviceGaudi)
		return syn_fail(synDeviceTypeMismatch, "no device of type %d",
				(int)type);

	return synDeviceAcquire(id, NULL);
}

/* The device is not used any more, whoever has to be told that it goes. */
static void await_users(struct gaudi_device *device)
{
	syn_release_fn fns[SYN_RELEASE_FNS];
	struct timespec until;

	pthread_mutex_lock(&syn.lock);
	do {
		memcpy(fns, syn.release_fns, sizeof(fns));
		pthread_mutex_unlock(&syn.lock);
		for (unsigned int i = 0; i < SYN_RELEASE_FNS && fns[i]; i++)
			fns[i](device);
		until = deadline_in_ms(1000);
		pthread_mutex_lock(&syn.lock);
		while (syn.refs &&
		       !pthread_cond_timedwait(&syn.unused, &syn.lock, &until))
			;
	} while (syn.refs);
	syn.device = NULL;
	syn.epoch = NULL;
	pthread_mutex_unlock(&syn.lock);
}

/* @all: synDestroy(), after which nothing is initialized. */
static synStatus release(bool all)
{
	struct gaudi_device *device;
	synStatus status = synSuccess;
	int rc;

	pthread_mutex_lock(&syn.lock);
	if (!syn.initialized)
		status = synUninitialized;
	else if (syn.acquiring || (all && syn.releasing))
		status = synBusy;
	else if (!usable() && !all)
		status = synNoDeviceFound;
	device = status ? NULL : syn.device;
	syn.releasing |= device != NULL;
	if (!status && all)
		syn.initialized = device != NULL;
	pthread_mutex_unlock(&syn.lock);
	if (!device)
		return status;
	await_users(device);
	rc = gaudi_device_close(device);
	syn_handles_clear();
	syn_host_clear();
	pthread_mutex_lock(&syn.lock);
	syn.releasing = false;
	if (all)
		syn.initialized = false;
	pthread_mutex_unlock(&syn.lock);

	return syn_status(rc);
}

synStatus synDestroy(void)
{
	return release(true);
}

synStatus synDeviceRelease(synDeviceId id)
{
	if (id == SYN_INVALID_DEVICE_ID)
		return syn_fail(synInvalidArgument, "release: the id is invalid");

	return release(false);
}
