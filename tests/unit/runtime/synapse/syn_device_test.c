// SPDX-License-Identifier: MIT
/* The device of a process: how it comes and goes, and who is told. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syn_bed.h"

TEST_WITH(nothing_works_before_it_is_initialized, card_set_up, card_tear_down)
{
	synDeviceId id = 77;
	uint64_t n;

	SAYS(synUninitialized, synDestroy());
	SAYS(synUninitialized, synDeviceAcquire(&id, NULL));
	SAYS(synUninitialized, synDeviceRelease(0));
	SAYS(synUninitialized, synDeviceMalloc(0, 1, 0, 0, &n));
	assert_int_equal(id, 77);
	WORKS(synInitialize());
	SAYS(synNoDeviceFound, synDeviceRelease(0));
	SAYS(synNoDeviceFound, synDeviceMalloc(0, 1, 0, 0, &n));
	WORKS(synDestroy());
	SAYS(synUninitialized, synDeviceMalloc(0, 1, 0, 0, &n));
}

SYN_TEST(initialized_again_is_no_error_unless_asked_for)
{
	WORKS(synInitialize());
	setenv("HABANA_DISABLE_DOUBLE_SYN_INITIALIZE", "1", 1);
	SAYS(synAlreadyInitialized, synInitialize());
	WORKS(synDestroy());
	WORKS(synInitialize());
	unsetenv("HABANA_DISABLE_DOUBLE_SYN_INITIALIZE");
}

static uint32_t module_of_device(void)
{
	struct gaudi_device_info info = { .size = sizeof(info) };

	WORKS(gaudi_device_get_info(syn_device_gaudi(), &info));
	return info.module_id;
}

SYN_TEST(cards_have_three_names)
{
	synDeviceId id = 77;

	card.cards = 4;
	WORKS(synDeviceAcquireByModuleId(&id, 2));
	assert_int_equal(id, 0);
	assert_int_equal(module_of_device(), 2);
	WORKS(synDeviceRelease(id));
	WORKS(synDeviceAcquire(&id, "0000:13:00.0"));
	assert_int_equal(module_of_device(), 3);
	WORKS(synDeviceRelease(id));
	WORKS(synDeviceAcquire(&id, ""));
	assert_int_equal(module_of_device(), 0);
	SAYS(synDeviceAlreadyAcquired, synDeviceAcquire(&id, NULL));
	SAYS(synDeviceAlreadyAcquired, synDeviceAcquireByModuleId(&id, 1));
	WORKS(synDeviceRelease(id));
	WORKS(synDeviceAcquireByDeviceType(&id, synDeviceGaudi));
	WORKS(synDeviceRelease(id));
	SAYS(synDeviceTypeMismatch,
	     synDeviceAcquireByDeviceType(&id, synDeviceGaudi2));
	SAYS(synNoDeviceFound, synDeviceAcquireByModuleId(&id, 4));
	SAYS(synNoDeviceFound, synDeviceAcquire(&id, "0000:77:00.0"));
	SAYS(synInvalidArgument, synDeviceAcquire(&id, "no address"));
	SAYS(synInvalidArgument,
	     synDeviceAcquireByModuleId(&id, INVALID_MODULE_ID));
	SAYS(synInvalidArgument, synDeviceAcquire(NULL, NULL));
}

SYN_TEST(cards_are_counted)
{
	uint32_t count;

	card.cards = 4;
	WORKS(synDeviceGetCount(&count));
	assert_int_equal(count, 4);
	WORKS(synDeviceGetCountByDeviceType(&count, synDeviceGaudi));
	assert_int_equal(count, 4);
	WORKS(synDeviceGetCountByDeviceType(&count, synDeviceGaudi3));
	assert_int_equal(count, 0);
	SAYS(synInvalidArgument, synDeviceGetCount(NULL));
	SAYS(synInvalidArgument,
	     synDeviceGetCountByDeviceType(NULL, synDeviceGaudi2));
	SAYS(synInvalidArgument,
	     synDeviceGetCountByDeviceType(&count, synDeviceTypeInvalid));
}

/* Others have the first ones; then all of them. */
SYN_TEST(a_card_that_others_have_is_not_acquired)
{
	struct gaudi_device *others[3];
	synDeviceId id;

	card.cards = 3;
	WORKS(gaudi_device_open(0, 60000, &others[0]));
	WORKS(gaudi_device_open(1, 0, &others[1]));
	SAYS(synBusy, synDeviceAcquireByModuleId(&id, 0));
	WORKS(synDeviceAcquire(&id, NULL));
	assert_int_equal(module_of_device(), 2);
	WORKS(synDeviceRelease(id));
	WORKS(gaudi_device_open(2, 0, &others[2]));
	SAYS(synBusy, synDeviceAcquire(&id, NULL));
	for (unsigned int i = 0; i < 3; i++)
		WORKS(gaudi_device_close(others[i]));
	card.cards = 0;
	SAYS(synNoDeviceFound, synDeviceAcquire(&id, NULL));
}

/* Launchers say which cards a process may have. */
SYN_TEST(modules_of_the_environment_are_tried_in_their_order)
{
	static const char * const wrong[] = { "x", "1,", ",1", "0,1x", "4294967295", "-1" };
	struct gaudi_device *other;
	synDeviceId id;

	card.cards = 3;
	WORKS(synInitialize());
	setenv("HABANA_VISIBLE_MODULES", "2,0", 1);
	WORKS(synDeviceAcquire(&id, NULL));
	assert_int_equal(module_of_device(), 2);
	WORKS(synDeviceRelease(id));
	WORKS(gaudi_device_open_by_module_id(2, 0, &other));
	WORKS(synDeviceAcquire(&id, NULL));
	assert_int_equal(module_of_device(), 0);
	WORKS(synDeviceRelease(id));
	/* One's own goes before those of all. */
	setenv("HLS_MODULE_ID", "2", 1);
	SAYS(synBusy, synDeviceAcquire(&id, NULL));
	WORKS(gaudi_device_close(other));
	WORKS(synDeviceAcquire(&id, NULL));
	assert_int_equal(module_of_device(), 2);
	WORKS(synDeviceRelease(id));
	setenv("HLS_MODULE_ID", "7", 1);
	SAYS(synNoDeviceFound, synDeviceAcquire(&id, NULL));
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv("HLS_MODULE_ID", wrong[i], 1);
		SAYS(synInvalidArgument, synDeviceAcquire(&id, NULL));
	}
	/* Who names a card has it. */
	WORKS(synDeviceAcquireByModuleId(&id, 0));
	WORKS(synDeviceRelease(id));
	unsetenv("HLS_MODULE_ID");
	unsetenv("HABANA_VISIBLE_MODULES");
}

/* One that is in reset, or still being closed, is waited for. */
SYN_TEST(a_card_that_is_not_ready_is_waited_for)
{
	synDeviceId id;

	card.busy_opens = 3;
	WORKS(synDeviceAcquire(&id, NULL));
	assert_int_equal(card.busy_opens, 0);
	WORKS(synDeviceRelease(id));
	card.open_error = -EIO;
	SAYS(synFail, synDeviceAcquire(&id, NULL));
	card.open_error = 0;
	WORKS(synDeviceAcquire(&id, NULL));
}

DEVICE_TEST(the_device_is_described)
{
	struct gaudi_device_info ours = { .size = sizeof(ours) };
	synDeviceInfoV2 info;
	synDeviceInfo old;

	memset(&info, 0xff, sizeof(info));
	WORKS(synDeviceGetInfoV2(0, &info));
	assert_int_equal(info.deviceType, synDeviceGaudi);
	assert_int_equal(info.deviceId, 0);
	WORKS(gaudi_device_get_info(syn_device_gaudi(), &ours));
	assert_int_equal(info.dramSize, ours.memory_size);
	assert_true(info.sramSize > 0 && info.sramBaseAddress);
	assert_int_equal(info.fd, gaudi_device_fd(syn_device_gaudi()));
	WORKS(synDeviceGetInfo(3, &old));
	assert_int_equal(old.deviceType, synDeviceGaudi);
	assert_int_equal(old.dramSize, info.dramSize);
	assert_int_equal(old.sramBaseAddress, info.sramBaseAddress);
	assert_int_equal(old.dramBaseAddress, info.dramBaseAddress);
	assert_int_equal(old.fd, info.fd);
	SAYS(synInvalidArgument, synDeviceGetInfoV2(0, NULL));
	SAYS(synInvalidArgument, synDeviceGetInfo(0, NULL));
	SAYS(synInvalidArgument,
	     synDeviceGetInfoV2(SYN_INVALID_DEVICE_ID, &info));
}

/* All that a program left; card.h tells of what is not given back. */
DEVICE_TEST(release_frees_what_is_left)
{
	synStreamHandle stream = new_stream(), stream2;
	synEventHandle event = new_event(EVENT_COLLECT_TIME);
	uint64_t a = new_memory(1 << 20);
	static uint8_t host[5000];
	synDeviceId id;
	void *ours;

	WORKS(synHostMap(0, sizeof(host), host));
	WORKS(synHostMap(0, 100, host + 10));
	WORKS(synHostMalloc(0, 100, 0, &ours));
	WORKS(synMemCopyAsync(stream, at(host), sizeof(host), a, HOST_TO_DRAM));
	WORKS(synEventRecord(event, stream));
	WORKS(synDeviceRelease(0));
	SAYS(synNoDeviceFound, synStreamSynchronize(stream));
	WORKS(synDeviceAcquire(&id, NULL));
	stream2 = new_stream();
	assert_ptr_not_equal(stream, stream2);
	SAYS(synInvalidArgument, synStreamSynchronize(stream));
	SAYS(synInvalidEventHandle, synEventQuery(event));
	SAYS(synMappingNotFound, synHostUnmap(0, host));
	SAYS(synInvalidArgument, synDeviceFree(0, a, 0));
}

DEVICE_TEST(a_lost_card_is_acquired_anew)
{
	synStreamHandle stream = new_stream();
	uint64_t a = new_memory(100);
	synDeviceId id;

	WORKS(synMemsetD8Async(a, 1, 100, stream));
	card.wait_error = -EIO;
	SAYS(synFail, synStreamSynchronize(stream));
	SAYS(synDeviceReset, synMemsetD8Async(a, 1, 100, stream));
	SAYS(synDeviceReset, synDeviceMalloc(0, 100, 0, 0, &a));
	WORKS(synStreamDestroy(stream));
	SAYS(synDeviceReset, synDeviceRelease(0));
	SAYS(synNoDeviceFound, synDeviceRelease(0));
	card.wait_error = 0;
	WORKS(synDeviceAcquire(&id, NULL));
	stream = new_stream();
	a = new_memory(100);
	WORKS(synMemsetD8Async(a, 1, 100, stream));
	WORKS(synStreamSynchronize(stream));
}

static atomic_uint told, in_call;
static synStreamHandle held;

static void on_release(struct gaudi_device *device)
{
	assert_ptr_equal(device, syn_device_gaudi());
	assert_null(syn_device_get());
	assert_null(syn_stream_get(held));
	/* Threads that are in a call hear of it before they are waited for. */
	atomic_fetch_add(&told, 1);
}

static void *have_a_reference(void *arg)
{
	struct gaudi_stream *stream = syn_stream_get(held);

	(void)arg;
	assert_non_null(stream);
	atomic_store(&in_call, 1);
	/* Told again, since a call may have made something after the first time. */
	while (atomic_load(&told) < 2)
		usleep(100);
	/* Still there. */
	WORKS(gaudi_stream_query(stream));
	atomic_store(&in_call, 0);
	syn_stream_put(held);

	return NULL;
}

DEVICE_TEST(release_tells_and_waits)
{
	pthread_t thread;
	synDeviceId id;

	held = new_stream();
	syn_on_release(on_release);
	syn_on_release(on_release);
	pthread_create(&thread, NULL, have_a_reference, NULL);
	while (!atomic_load(&in_call))
		usleep(100);
	SAYS(synBusy, synStreamDestroy(held));
	WORKS(synDeviceRelease(0));
	assert_int_equal(in_call, 0);
	pthread_join(thread, NULL);
	assert_null(syn_device_gaudi());
	WORKS(synDeviceAcquire(&id, NULL));
	atomic_store(&told, 0);
	WORKS(synDestroy());
	assert_int_equal(told, 1);
}

/* What @handle stands for, which is not used. */
static struct gaudi_stream *stream_of(void *handle)
{
	struct gaudi_stream *stream = syn_stream_get(handle);

	if (stream)
		syn_stream_put(handle);

	return stream;
}

DEVICE_TEST(handles_lead_to_libgaudi)
{
	synStreamHandle stream = new_stream();
	int on_the_stack;

	assert_non_null(stream_of(stream));
	assert_null(stream_of(NULL));
	assert_null(stream_of(&on_the_stack));
	assert_null(stream_of(new_event(0)));
	WORKS(synStreamDestroy(stream));
	assert_null(stream_of(stream));
}

/* Cards stay with the parent. */
DEVICE_TEST(a_child_has_nothing)
{
	synStreamHandle stream = new_stream();
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		status = synStreamSynchronize(stream) != synUninitialized ||
			 syn_device_gaudi() || synInitialize() ||
			 synStreamSynchronize(stream) != synNoDeviceFound;
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	WORKS(synStreamSynchronize(stream));
}
