// SPDX-License-Identifier: MIT
/* Arguments that no program should give: each is told, and nothing breaks. */
#include "syn_bed.h"
#include "habanalabs/synapse_gaudi.h"

/* Each call that takes a stream says the same of one that is none. */
static void try_stream(synStatus want, synStreamHandle stream)
{
	synEventHandle event = new_event(0);
	uint64_t a = new_memory(64);
	struct gaudi_stream *gaudi = NULL;

	SAYS(want, synStreamGetGaudi(stream, &gaudi));
	assert_null(gaudi);
	SAYS(want, synStreamDestroy(stream));
	SAYS(want, synStreamSynchronize(stream));
	SAYS(want, synStreamQuery(stream));
	SAYS(want, synStreamWaitEvent(stream, event, 0));
	SAYS(want, synEventRecord(event, stream));
	SAYS(want, synMemCopyAsync(stream, a, 8, a + 32, DRAM_TO_DRAM));
	SAYS(want, synMemsetD8Async(a, 1, 8, stream));
	SAYS(want, synMemsetD16Async(a, 1, 8, stream));
	SAYS(want, synMemsetD32Async(a, 1, 8, stream));
	WORKS(synEventDestroy(event));
	WORKS(synDeviceFree(0, a, 0));
}

static void try_event(synStatus want, synEventHandle event)
{
	synEventHandle good = new_event(EVENT_COLLECT_TIME);
	synStreamHandle stream = new_stream();
	uint64_t ns;

	WORKS(synEventRecord(good, stream));
	SAYS(want, synEventDestroy(event));
	SAYS(want, synEventRecord(event, stream));
	SAYS(want, synEventQuery(event));
	SAYS(want, synEventSynchronize(event));
	SAYS(want, synStreamWaitEvent(stream, event, 0));
	SAYS(want, synEventElapsedTime(&ns, event, good));
	if (event)
		SAYS(want, synEventElapsedTime(&ns, good, event));
	WORKS(synStreamSynchronize(stream));
	WORKS(synStreamDestroy(stream));
	WORKS(synEventDestroy(good));
}

DEVICE_TEST(handles_that_are_none)
{
	synStreamHandle stream = new_stream(), gone = new_stream();
	synEventHandle event = new_event(0), past = new_event(0);
	uint64_t word = 5, random = 88172645463325252u;

	WORKS(synStreamDestroy(gone));
	WORKS(synEventDestroy(past));
	try_stream(synInvalidArgument, NULL);
	try_stream(synInvalidArgument, gone);
	try_stream(synInvalidArgument, (void *)event);
	try_stream(synInvalidArgument, (void *)&word);
	try_stream(synInvalidArgument, (void *)-1);
	/* What is no address at all. */
	try_stream(synInvalidArgument, (void *)1);
	try_event(synInvalidEventHandle, NULL);
	try_event(synInvalidEventHandle, past);
	try_event(synInvalidEventHandle, (void *)stream);
	try_event(synInvalidEventHandle, (void *)&word);
	for (unsigned int i = 0; i < 100000; i++) {
		void *any;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		/* Some of them near those that are valid. */
		any = (void *)(i % 2 ? random :
			       (uintptr_t)stream ^ (1ull << random % 64));
		SAYS(synInvalidArgument, synStreamQuery(any));
		SAYS(synInvalidEventHandle, synEventQuery(any));
	}
	WORKS(synStreamQuery(stream));
	WORKS(synEventQuery(event));
}

/* A handle stays invalid, whatever has its place now. */
DEVICE_TEST(handles_that_were_one)
{
	synStreamHandle first = new_stream();
	synEventHandle event = new_event(0);

	WORKS(synStreamDestroy(first));
	WORKS(synEventDestroy(event));
	for (unsigned int i = 0; i < 1000; i++) {
		synStreamHandle stream = new_stream();

		/* Nor is it an address of a program's. */
		assert_true((uintptr_t)stream >> 47);
		SAYS(synInvalidArgument, synStreamQuery(first));
		SAYS(synInvalidEventHandle, synEventQuery(event));
		WORKS(synStreamQuery(stream));
		WORKS(synStreamDestroy(stream));
	}
}

DEVICE_TEST(arguments_that_are_none)
{
	const synDeviceId bad = SYN_INVALID_DEVICE_ID;
	synStreamHandle stream = NULL;
	synEventHandle event = NULL;
	static uint8_t host[8];
	void *memory = NULL;
	uint64_t n = 77, m;

	SAYS(synInvalidArgument, synStreamCreateGeneric(NULL, 0, 0));
	SAYS(synInvalidArgument, synStreamCreateGeneric(&stream, bad, 0));
	SAYS(synInvalidArgument, synStreamCreateGeneric(&stream, 0, 1));
	SAYS(synInvalidArgument, synEventCreate(NULL, 0, 0));
	SAYS(synInvalidArgument, synEventCreate(&event, bad, 0));
	SAYS(synInvalidArgument, synEventCreate(&event, 0, 2));
	SAYS(synInvalidArgument, synDeviceMalloc(0, 8, 0, 0, NULL));
	SAYS(synInvalidArgument, synDeviceMalloc(bad, 8, 0, 0, &n));
	SAYS(synInvalidArgument, synDeviceMalloc(0, 8, 0, 1, &n));
	SAYS(synInvalidArgument, synDeviceMalloc(0, 0, 0, 0, &n));
	SAYS(synInvalidArgument, synDeviceFree(0, 0, 0));
	SAYS(synInvalidArgument, synDeviceFree(0, 12345, 0));
	SAYS(synInvalidArgument, synDeviceFree(0, UINT64_MAX, 0));
	SAYS(synInvalidArgument, synDeviceFree(0, 0, 1));
	SAYS(synInvalidArgument, synDeviceFree(bad, 8, 0));
	SAYS(synInvalidArgument, synHostMap(0, 8, NULL));
	SAYS(synInvalidArgument, synHostMap(0, 0, host));
	SAYS(synInvalidArgument, synHostMap(bad, 8, host));
	SAYS(synInvalidArgument, synHostMap(0, UINT64_MAX, host));
	SAYS(synMappingNotFound, synHostUnmap(0, NULL));
	SAYS(synMappingNotFound, synHostUnmap(0, host));
	SAYS(synInvalidArgument, synHostMalloc(0, 8, 0, NULL));
	SAYS(synInvalidArgument, synHostMalloc(0, 8, 1, &memory));
	SAYS(synInvalidArgument, synHostMalloc(0, 0, 0, &memory));
	SAYS(synOutOfHostMemory, synHostMalloc(0, UINT64_MAX, 0, &memory));
	SAYS(synMappingNotFound, synHostFree(0, NULL, 0));
	SAYS(synInvalidArgument, synHostFree(0, host, 1));
	SAYS(synInvalidArgument, synDeviceGetMemoryInfo(0, NULL, &n));
	SAYS(synInvalidArgument, synDeviceGetMemoryInfo(0, &n, NULL));
	SAYS(synInvalidArgument, synDeviceGetMemoryInfo(bad, &n, &m));
	SAYS(synInvalidArgument, synDeviceSynchronize(bad));
	SAYS(synInvalidArgument, synDeviceRelease(bad));
	assert_null(stream);
	assert_null(event);
	assert_null(memory);
	assert_int_equal(n, 77);
}

DEVICE_TEST(ranges_that_are_none)
{
	synStreamHandle stream = new_stream();
	uint64_t a = new_memory(1000), freed = new_memory(1000);
	static uint8_t host[2000];

	WORKS(synHostMap(0, sizeof(host), host));
	WORKS(synDeviceFree(0, freed, 0));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, at(host), 1001, a,
						 HOST_TO_DRAM));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, a + 1, 1000, at(host),
						 DRAM_TO_HOST));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, freed, 8, a,
						 DRAM_TO_DRAM));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, a, 8, at(host),
						 DRAM_TO_DRAM));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, a, 100, a + 50,
						 DRAM_TO_DRAM));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, at(host), 8, 0,
						 HOST_TO_DRAM));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, a, UINT64_MAX, a,
						 DRAM_TO_DRAM));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, at(host), 8, a,
						 DIRECTION_ENUM_MAX));
	SAYS(synInvalidArgument, synMemCopyAsync(stream, at(host), 8, a,
						 (synDmaDir)-1));
	SAYS(synMappingNotFound, synMemCopyAsync(stream, a, 8, a,
						 DRAM_TO_HOST));
	SAYS(synInvalidArgument, synMemsetD32Async(a, 0, SIZE_MAX, stream));
	WORKS(synStreamSynchronize(stream));
}

/* After release every call says that there is no device. */
DEVICE_TEST(calls_after_release)
{
	synStreamHandle stream = new_stream();
	synEventHandle event = new_event(0);
	uint64_t a = new_memory(64), n;
	static uint8_t host[8];
	synDeviceInfoV2 info;
	void *memory;

	WORKS(synDeviceRelease(0));
	SAYS(synNoDeviceFound, synDeviceRelease(0));
	SAYS(synNoDeviceFound, synDeviceSynchronize(0));
	SAYS(synNoDeviceFound, synDeviceGetInfoV2(0, &info));
	SAYS(synNoDeviceFound, synDeviceGetMemoryInfo(0, &n, &n));
	SAYS(synNoDeviceFound, synDeviceMalloc(0, 8, 0, 0, &n));
	SAYS(synNoDeviceFound, synDeviceFree(0, a, 0));
	SAYS(synNoDeviceFound, synHostMap(0, 8, host));
	SAYS(synNoDeviceFound, synHostUnmap(0, host));
	SAYS(synNoDeviceFound, synHostMalloc(0, 8, 0, &memory));
	SAYS(synNoDeviceFound, synHostFree(0, host, 0));
	SAYS(synNoDeviceFound, synStreamCreateGeneric(&stream, 0, 0));
	SAYS(synNoDeviceFound, synStreamDestroy(stream));
	SAYS(synNoDeviceFound, synStreamSynchronize(stream));
	SAYS(synNoDeviceFound, synStreamQuery(stream));
	SAYS(synNoDeviceFound, synStreamWaitEvent(stream, event, 0));
	SAYS(synNoDeviceFound,
	     synMemCopyAsync(stream, at(host), 8, a, HOST_TO_DRAM));
	SAYS(synNoDeviceFound, synMemsetD8Async(a, 0, 8, stream));
	SAYS(synNoDeviceFound, synEventCreate(&event, 0, 0));
	SAYS(synNoDeviceFound, synEventDestroy(event));
	SAYS(synNoDeviceFound, synEventRecord(event, stream));
	SAYS(synNoDeviceFound, synEventQuery(event));
	SAYS(synNoDeviceFound, synEventSynchronize(event));
	SAYS(synNoDeviceFound, synEventElapsedTime(&n, event, event));
}
