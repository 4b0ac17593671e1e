// SPDX-License-Identifier: MIT
/* Streams, copies, fills and memory, as programs use Synapse's calls. */
#include "syn_bed.h"
#include "habanalabs/synapse_gaudi.h"

DEVICE_TEST(copies_go_there_and_back)
{
	static uint8_t from[100003], to[100003];
	synStreamHandle stream = new_stream();
	uint64_t a = new_memory(sizeof(from)), b = new_memory(sizeof(from));

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * 7 + i / 251);
	WORKS(synHostMap(0, sizeof(from), from));
	WORKS(synHostMap(0, sizeof(to), to));
	WORKS(synMemCopyAsync(stream, at(from), sizeof(from), a, HOST_TO_DRAM));
	WORKS(synMemCopyAsync(stream, a, sizeof(from), b, DRAM_TO_DRAM));
	WORKS(synMemCopyAsync(stream, b, sizeof(from), at(to), DRAM_TO_HOST));
	WORKS(synStreamSynchronize(stream));
	WORKS(synStreamQuery(stream));
	assert_memory_equal(from, to, sizeof(from));
	WORKS(synHostUnmap(0, from));
	WORKS(synHostUnmap(0, to));
	WORKS(synDeviceFree(0, a, 0));
	WORKS(synDeviceFree(0, b, 0));
	WORKS(synStreamDestroy(stream));
}

DEVICE_TEST(fills_have_elements_of_1_2_and_4_bytes)
{
	static const uint8_t want[] = {
		0xab, 0xab, 0xab, 0x34, 0x12, 0x34, 0x12, 0x78,
		0x56, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12,
	};
	synStreamHandle stream = new_stream();
	uint64_t a = new_memory(sizeof(want));
	void *host;

	WORKS(synHostMalloc(0, sizeof(want), 0, &host));
	WORKS(synMemsetD8Async(a, 0xab, 3, stream));
	WORKS(synMemsetD16Async(a + 3, 0x1234, 2, stream));
	WORKS(synMemsetD32Async(a + 7, 0x12345678, 2, stream));
	WORKS(synMemCopyAsync(stream, a, sizeof(want), at(host), DRAM_TO_HOST));
	WORKS(synStreamSynchronize(stream));
	assert_memory_equal(host, want, sizeof(want));
	SAYS(synInvalidArgument, synMemsetD32Async(a, 0, 4, stream));
	WORKS(synHostFree(0, host, 0));
}

DEVICE_TEST(memory_is_aligned_counted_and_limited)
{
	uint64_t before, after, total, total2, a, b, none = 77;

	WORKS(synDeviceGetMemoryInfo(0, &before, &total));
	assert_in_range(before, total / 2, total);
	/* The wanted address is a hint. */
	WORKS(synDeviceMalloc(0, 5, 0x123456, 0, &a));
	WORKS(synDeviceMalloc(0, total / 2, 0, 0, &b));
	assert_int_equal(a % 128, 0);
	assert_int_equal(b % 128, 0);
	WORKS(synDeviceGetMemoryInfo(0, &after, &total2));
	assert_int_equal(total2, total);
	assert_true(before - after >= total / 2 + 5);
	SAYS(synOutOfDeviceMemory,
	     synDeviceMalloc(0, total, 0, 0, &none));
	SAYS(synOutOfDeviceMemory,
	     synDeviceMalloc(0, UINT64_MAX, 0, 0, &none));
	assert_int_equal(none, 77);
	WORKS(synDeviceFree(0, a, 0));
	WORKS(synDeviceFree(0, b, 0));
	WORKS(synDeviceGetMemoryInfo(0, &after, &total2));
	assert_int_equal(after, before);
	SAYS(synInvalidArgument, synDeviceFree(0, a, 0));
	SAYS(synInvalidArgument, synDeviceFree(0, a + 1, 0));
}

/* @stream copies @size bytes at @memory to the card; whether that could be. */
static synStatus upload(synStreamHandle stream, const void *memory,
			uint64_t size)
{
	uint64_t a = new_memory(4096);
	synStatus status = synMemCopyAsync(stream, at(memory), size, a,
					   HOST_TO_DRAM);

	WORKS(synDeviceFree(0, a, 0));
	return status;
}

DEVICE_TEST(copies_take_mapped_memory_only)
{
	synStreamHandle stream = new_stream();
	static uint8_t host[200];
	void *ours;

	SAYS(synMappingNotFound, upload(stream, host, 10));
	SAYS(synMappingNotFound, upload(stream, NULL, 10));
	WORKS(upload(stream, NULL, 0));
	WORKS(synHostMap(0, 100, host + 50));
	WORKS(upload(stream, host + 50, 100));
	WORKS(upload(stream, host + 149, 1));
	SAYS(synMappingNotFound, upload(stream, host + 49, 2));
	SAYS(synMappingNotFound, upload(stream, host + 149, 2));
	SAYS(synMappingNotFound, upload(stream, host + 150, 1));
	SAYS(synMappingNotFound, upload(stream, host + 60, UINT64_MAX));
	WORKS(synHostUnmap(0, host + 50));
	SAYS(synMappingNotFound, upload(stream, host + 50, 100));
	WORKS(synHostMalloc(0, 1000, 0, &ours));
	WORKS(upload(stream, ours, 1000));
	SAYS(synMappingNotFound, synHostUnmap(0, ours));
	WORKS(synHostFree(0, ours, 0));
	SAYS(synMappingNotFound, synHostFree(0, ours, 0));
	WORKS(synStreamSynchronize(stream));
}

DEVICE_TEST(mapped_twice_is_unmapped_twice)
{
	synStreamHandle stream = new_stream();
	static uint8_t host[300];

	WORKS(synHostMap(0, 100, host));
	WORKS(synHostMap(0, 100, host));
	WORKS(synHostMap(0, 300, host));
	WORKS(upload(stream, host, 300));
	WORKS(synHostUnmap(0, host));
	SAYS(synMappingNotFound, upload(stream, host, 300));
	WORKS(synHostUnmap(0, host));
	WORKS(upload(stream, host, 100));
	WORKS(synHostUnmap(0, host));
	SAYS(synMappingNotFound, upload(stream, host, 100));
	SAYS(synMappingNotFound, synHostUnmap(0, host));
	WORKS(synStreamSynchronize(stream));
}

static bool is_pinned(const void *memory)
{
	return !gaudi_host_get_range(syn_device_gaudi(), memory, NULL, NULL);
}

/* Memory across what is mapped has copies as right; it is pinned when it can be. */
DEVICE_TEST(mapped_memory_may_overlap)
{
	static uint8_t host[3000], back[2000];
	synStreamHandle stream = new_stream();
	uint64_t a = new_memory(2000);

	for (size_t i = 0; i < sizeof(host); i++)
		host[i] = (uint8_t)(i * 3 + i / 256);
	WORKS(synHostMap(0, 1500, host));
	WORKS(synHostMap(0, 2000, host + 1000));
	WORKS(synHostMap(0, sizeof(back), back));
	assert_false(is_pinned(host + 2000));
	WORKS(synMemCopyAsync(stream, at(host + 1000), 2000, a, HOST_TO_DRAM));
	WORKS(synMemCopyAsync(stream, a, 2000, at(back), DRAM_TO_HOST));
	WORKS(synStreamSynchronize(stream));
	assert_memory_equal(host + 1000, back, 2000);
	WORKS(synHostUnmap(0, host));
	assert_true(is_pinned(host + 2000));
	WORKS(upload(stream, host + 1000, 2000));
	WORKS(synHostUnmap(0, host + 1000));
	assert_false(is_pinned(host + 2000));
	WORKS(synStreamSynchronize(stream));
}

DEVICE_TEST(memory_that_cannot_be_pinned_is_not_mapped)
{
	static uint8_t host[100];

	card.pin_error = -EFAULT;
	SAYS(synInvalidArgument, synHostMap(0, 100, host));
	card.pin_error = -ENOMEM;
	SAYS(synOutOfHostMemory, synHostMap(0, 100, host));
	card.pin_error = 0;
	SAYS(synMappingNotFound, synHostUnmap(0, host));
}

DEVICE_TEST(a_stream_with_work_is_not_destroyed)
{
	synStreamHandle stream = new_stream();
	uint64_t a = new_memory(100);

	card_hold(ALL_STREAMS);
	WORKS(synMemsetD8Async(a, 1, 100, stream));
	SAYS(synBusy, synStreamQuery(stream));
	SAYS(synBusy, synStreamDestroy(stream));
	card_release();
	WORKS(synDeviceSynchronize(0));
	WORKS(synStreamQuery(stream));
	WORKS(synStreamDestroy(stream));
	SAYS(synInvalidArgument, synStreamDestroy(stream));
}

DEVICE_TEST(a_stream_waits_for_an_event)
{
	synStreamHandle one = new_stream(), two = new_stream();
	synEventHandle event = new_event(0);
	uint64_t a = new_memory(100);
	uint8_t *host;

	WORKS(synHostMalloc(0, 100, 0, (void **)&host));
	/* Never recorded: nothing to wait for. */
	WORKS(synStreamWaitEvent(two, event, 0));
	card_hold(ALL_STREAMS);
	WORKS(synMemsetD8Async(a, 0x5a, 100, one));
	WORKS(synEventRecord(event, one));
	WORKS(synStreamWaitEvent(two, event, 0));
	WORKS(synMemCopyAsync(two, a, 100, at(host), DRAM_TO_HOST));
	SAYS(synBusy, synStreamQuery(two));
	card_release();
	WORKS(synStreamSynchronize(two));
	assert_int_equal(host[99], 0x5a);
	SAYS(synInvalidArgument, synStreamWaitEvent(two, event, 1));
	WORKS(synHostFree(0, host, 0));
}

DEVICE_TEST(handles_are_those_of_libgaudi)
{
	synStreamHandle stream = new_stream();
	uint64_t at = new_memory(64);
	struct gaudi_device *device = NULL;
	struct gaudi_stream *out = NULL;
	uint32_t words[16];

	SAYS(synInvalidArgument, synDeviceGetGaudi(0, NULL));
	SAYS(synInvalidArgument, synStreamGetGaudi(stream, NULL));
	SAYS(synInvalidArgument, synDeviceGetGaudi(SYN_INVALID_DEVICE_ID, &device));
	WORKS(synDeviceGetGaudi(0, &device));
	WORKS(synStreamGetGaudi(stream, &out));
	WORKS(gaudi_fill_async(out, at, 4711, 4, 16));
	WORKS(synStreamSynchronize(stream));
	WORKS(gaudi_copy_to_host(device, words, at, sizeof(words)));
	for (int i = 0; i < 16; i++)
		assert_int_equal(words[i], 4711);
	WORKS(synDeviceFree(0, at, 0));
	WORKS(synStreamDestroy(stream));
	SAYS(synInvalidArgument, synStreamGetGaudi(stream, &out));
}

DEVICE_TEST(settings_have_an_end)
{
	char text[100], little[4];

	WORKS(synConfigurationGet("HCCL_OVER_OFI", text, sizeof(text)));
	assert_string_equal(text, "0");
	setenv("HCCL_OVER_OFI", "true", 1);
	WORKS(synConfigurationGet("HCCL_OVER_OFI", text, sizeof(text)));
	assert_string_equal(text, "1");
	unsetenv("HCCL_OVER_OFI");
	WORKS(synConfigurationGet("BOX_TYPE", text, sizeof(text)));
	assert_string_equal(text, "UNKNOWN");
	SAYS(synOutOfResources, synConfigurationGet("BOX_TYPE", little, 4));
	assert_string_equal(little, "UNK");
	memset(text, 'x', sizeof(text));
	SAYS(synInvalidArgument,
	     synConfigurationGet("NO_SUCH_NAME", text, sizeof(text)));
	assert_string_equal(text, "0");
	SAYS(synInvalidArgument, synConfigurationGet(NULL, little, 1));
	assert_string_equal(little, "");
	SAYS(synInvalidArgument, synConfigurationGet("BOX_TYPE", NULL, 9));
	SAYS(synInvalidArgument, synConfigurationGet("BOX_TYPE", text, 0));
}
