// SPDX-License-Identifier: MIT
/* Threads that use one device, and one that takes it away from them. */
#include <pthread.h>

#include "syn_bed.h"

#define THREADS	4
#define SIZE	3000

static atomic_uint rounds;
/* The card may write there until the device is released. */
static uint8_t hosts[THREADS][SIZE];
static atomic_uint next_host;
static synEventHandle shared;

/* Each call that fails because the device is gone ends the thread. */
#define GO(call) do {							\
	synStatus status_ = (call);					\
									\
	if (status_) {							\
		*gone = status_;					\
		return false;						\
	}								\
} while (0)

static bool work_once(uint8_t *host, unsigned int seed, synStatus *gone)
{
	synEventHandle start, end;
	synStreamHandle stream;
	uint64_t a, ns;

	GO(synStreamCreateGeneric(&stream, 0, 0));
	GO(synEventCreate(&start, 0, EVENT_COLLECT_TIME));
	GO(synEventCreate(&end, 0, EVENT_COLLECT_TIME));
	GO(synDeviceMalloc(0, SIZE, 0, 0, &a));
	GO(synHostMap(0, SIZE, host));
	GO(synStreamWaitEvent(stream, shared, 0));
	GO(synEventRecord(start, stream));
	GO(synMemsetD8Async(a, (uint8_t)seed, SIZE, stream));
	GO(synMemCopyAsync(stream, a, SIZE, at(host), DRAM_TO_HOST));
	GO(synEventRecord(end, stream));
	GO(synStreamSynchronize(stream));
	for (unsigned int i = 0; i < SIZE; i++)
		if (host[i] != (uint8_t)seed)
			return false;
	GO(synEventElapsedTime(&ns, start, end));
	GO(synHostUnmap(0, host));
	GO(synDeviceFree(0, a, 0));
	GO(synEventDestroy(start));
	GO(synEventDestroy(end));
	GO(synStreamDestroy(stream));

	return true;
}

/* @arg: how many rounds, 0 for as long as there is a device. */
static void *worker(void *arg)
{
	unsigned int number = (unsigned int)(uintptr_t)arg;
	synStatus gone = synSuccess;
	uint8_t *host = hosts[atomic_fetch_add(&next_host, 1) % THREADS];
	unsigned int i;

	for (i = 0; !number || i < number; i++) {
		if (!work_once(host, i, &gone))
			break;
		atomic_fetch_add(&rounds, 1);
	}

	return (void *)(uintptr_t)(number ? i != number || gone :
					    gone != synNoDeviceFound);
}

static void *recorder(void *arg)
{
	unsigned int *stop = arg;
	synStreamHandle stream = new_stream();

	while (!__atomic_load_n(stop, __ATOMIC_RELAXED))
		WORKS(synEventRecord(shared, stream));
	WORKS(synStreamSynchronize(stream));

	return NULL;
}

static void start(pthread_t *threads, unsigned int number)
{
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker,
			       (void *)(uintptr_t)number);
}

static void join(pthread_t *threads)
{
	void *bad;

	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
}

DEVICE_TEST(threads_share_a_device)
{
	pthread_t threads[THREADS], thread;
	unsigned int stop = 0;

	shared = new_event(0);
	pthread_create(&thread, NULL, recorder, &stop);
	start(threads, 30);
	join(threads);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	WORKS(synEventDestroy(shared));
}

/* Each thread hears that there is none any more, and nothing is used afterwards. */
DEVICE_TEST(a_device_goes_while_threads_use_it)
{
	pthread_t threads[THREADS];
	synDeviceId id;

	for (unsigned int i = 0; i < 10; i++) {
		if (i)
			WORKS(synDeviceAcquire(&id, NULL));
		shared = new_event(0);
		atomic_store(&rounds, 0);
		start(threads, 0);
		while (atomic_load(&rounds) < 2 * THREADS)
			sched_yield();
		WORKS(synDeviceRelease(0));
		join(threads);
	}
}

static void *acquirer(void *arg)
{
	synDeviceId id;

	(void)arg;
	for (unsigned int i = 0; i < 20; i++) {
		synStatus status = synDeviceAcquire(&id, NULL);

		if (!status)
			status = synDeviceRelease(0);
		/* Another thread has it, or was first to release it. */
		if (status && status != synDeviceAlreadyAcquired &&
		    status != synNoDeviceFound && status != synBusy)
			return (void *)1;
	}

	return NULL;
}

SYN_TEST(threads_acquire_and_release)
{
	pthread_t threads[THREADS];

	for (unsigned int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, acquirer, NULL);
	join(threads);
}
