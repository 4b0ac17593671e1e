// SPDX-License-Identifier: MIT
/* Events of Synapse's, and their times. */
#include "syn_bed.h"

DEVICE_TEST(an_event_that_was_not_recorded_is_complete)
{
	synEventHandle event = new_event(EVENT_COLLECT_TIME);
	uint64_t ns = 77;

	WORKS(synEventQuery(event));
	WORKS(synEventSynchronize(event));
	SAYS(synObjectNotInitialized, synEventElapsedTime(&ns, event, NULL));
	SAYS(synObjectNotInitialized, synEventElapsedTime(&ns, event, event));
	assert_int_equal(ns, 77);
	WORKS(synEventDestroy(event));
	SAYS(synInvalidEventHandle, synEventQuery(event));
}

DEVICE_TEST(an_event_ends_with_its_work)
{
	synEventHandle start = new_event(EVENT_COLLECT_TIME);
	synEventHandle end = new_event(EVENT_COLLECT_TIME);
	synStreamHandle stream = new_stream();
	uint64_t a = new_memory(100), ns = 77;

	WORKS(synEventRecord(start, stream));
	WORKS(synEventSynchronize(start));
	card_hold(ALL_STREAMS);
	WORKS(synMemsetD8Async(a, 1, 100, stream));
	WORKS(synEventRecord(end, stream));
	SAYS(synBusy, synEventQuery(end));
	SAYS(synBusy, synEventElapsedTime(&ns, start, end));
	SAYS(synBusy, synEventElapsedTime(&ns, end, NULL));
	assert_int_equal(ns, 77);
	card_release();
	WORKS(synEventSynchronize(end));
	WORKS(synEventQuery(end));
	WORKS(synEventElapsedTime(&ns, start, end));
	assert_in_range(ns, 1, 1000000000000u);
	/* The latest record is what counts. */
	WORKS(synEventRecord(start, stream));
	WORKS(synEventElapsedTime(&ns, end, start));
	assert_in_range(ns, 0, 1000000000000u);
}

DEVICE_TEST(only_events_made_for_it_have_a_time)
{
	synEventHandle timed = new_event(EVENT_COLLECT_TIME);
	synEventHandle plain = new_event(0);
	synStreamHandle stream = new_stream();
	uint64_t ns;

	WORKS(synEventRecord(timed, stream));
	WORKS(synEventRecord(plain, stream));
	WORKS(synStreamSynchronize(stream));
	SAYS(synInvalidArgument, synEventElapsedTime(&ns, plain, timed));
	SAYS(synInvalidArgument, synEventElapsedTime(&ns, timed, plain));
	SAYS(synInvalidArgument, synEventElapsedTime(&ns, plain, NULL));
	SAYS(synInvalidArgument, synEventElapsedTime(NULL, timed, timed));
	WORKS(synEventElapsedTime(&ns, timed, timed));
	assert_int_equal(ns, 0);
}

/* Each two of events of two streams, in both orders: to the nanosecond. */
DEVICE_TEST(times_add_up_exactly)
{
	synStreamHandle streams[] = { new_stream(), new_stream() };
	uint64_t a = new_memory(65536), stamp[9], ab, ac, bc;
	synEventHandle events[9];

	for (unsigned int i = 0; i < 9; i++) {
		events[i] = new_event(EVENT_COLLECT_TIME);
		WORKS(synMemsetD8Async(a + i * 1000, 1, 1000,
				       streams[i % 2]));
		WORKS(synEventRecord(events[i], streams[i % 2]));
	}
	WORKS(synDeviceSynchronize(0));
	for (unsigned int i = 0; i < 9; i++)
		WORKS(synEventElapsedTime(&stamp[i], events[i], NULL));
	for (unsigned int i = 0; i < 9 * 9 * 9; i++) {
		synEventHandle x = events[i % 9], y = events[i / 9 % 9];
		synEventHandle z = events[i / 81];

		WORKS(synEventElapsedTime(&ab, x, y));
		WORKS(synEventElapsedTime(&bc, y, z));
		WORKS(synEventElapsedTime(&ac, x, z));
		assert_int_equal(ac, ab + bc);
		assert_int_equal(ab, stamp[i / 9 % 9] - stamp[i % 9]);
	}
}

/* An event that is destroyed lets its waiters go on. */
DEVICE_TEST(an_event_may_go_while_work_waits_for_it)
{
	synStreamHandle one = new_stream(), two = new_stream();
	synEventHandle event = new_event(0);
	uint64_t a = new_memory(100);

	card_hold(ALL_STREAMS);
	WORKS(synMemsetD8Async(a, 1, 100, one));
	WORKS(synEventRecord(event, one));
	WORKS(synStreamWaitEvent(two, event, 0));
	WORKS(synMemsetD8Async(a, 2, 100, two));
	WORKS(synEventDestroy(event));
	card_release();
	WORKS(synStreamSynchronize(two));
}

/*
 * As many as there may be, and not one more; what is destroyed makes room. One thread
 * alone, for which ThreadSanitizer would take minutes.
 */
#ifndef __SANITIZE_THREAD__
DEVICE_TEST(events_are_limited)
{
	const uint32_t most = 10 * 1024 * 1024;
	synEventHandle first = new_event(0), last = NULL, more;

	for (uint32_t i = 1; i < most; i++)
		if (synEventCreate(&last, 0, 0))
			fail_msg("event %u", i);
	more = last;
	SAYS(synAllResourcesTaken, synEventCreate(&more, 0, 0));
	assert_null(more);
	WORKS(synEventDestroy(first));
	WORKS(synEventCreate(&more, 0, 0));
	assert_ptr_not_equal(more, first);
	SAYS(synInvalidEventHandle, synEventQuery(first));
	WORKS(synEventQuery(last));
	WORKS(synDeviceRelease(0));
	SAYS(synNoDeviceFound, synEventQuery(last));
}
#endif
