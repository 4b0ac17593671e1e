// SPDX-License-Identifier: MIT
/*
 * What Python calls by ctypes. Functions that can fail return nonzero, -2 for an IndexError;
 * gt_error() says why.
 */
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "../launch/launch.h"
#include "../launch/outside.h"
#include "../memory/memory.h"
#include "../op/fallback.h"
#include "../work/capture.h"

using namespace torch_gaudi;

#define EXPORT extern "C" __attribute__((visibility("default")))

static thread_local std::string error;

template <class F> static int guarded(F f)
{
	try {
		f();
		return 0;
	} catch (const c10::IndexError &e) {
		error = e.what_without_backtrace();
		return -2;
	} catch (const c10::Error &e) {
		error = e.what_without_backtrace();
	} catch (const std::exception &e) {
		error = e.what();
	}
	return -1;
}

EXPORT const char *gt_error()
{
	return error.c_str();
}

EXPORT int gt_device_count()
{
	return device_count();
}

EXPORT int gt_is_open()
{
	return device_is_open();
}

EXPORT int gt_open()
{
	return guarded([] { device(); });
}

EXPORT int gt_device_info(gaudi_device_info *info)
{
	return guarded([=] { check(gaudi_device_get_info(device(), info), "asking the card"); });
}

EXPORT int gt_synchronize()
{
	return guarded([] {
		if (!device_is_open())
			return;
		flush_all();
		check(gaudi_device_synchronize(device()), "waiting for the card");
		look_for_outside(all_streams);
	});
}

EXPORT int gt_recover()
{
	return guarded([] { recover_streams(); });
}

EXPORT int gt_memory_stats(gaudi_memory_stats *stats)
{
	return guarded([=] {
		check(gaudi_memory_get_stats(device(), stats), "asking about memory");
		/* Nobody uses these. */
		stats->in_use -= std::min<uint64_t>(stats->in_use, kept_bytes());
	});
}

EXPORT int gt_memory_reset_peak()
{
	return guarded([] {
		/* What nobody uses is no peak. */
		give_blocks_back();
		check(gaudi_memory_reset_peak(device()), "resetting the peak");
	});
}

EXPORT int gt_memory_trim()
{
	return guarded([] {
		give_blocks_back();
		check(gaudi_memory_trim(device(), 0), "giving back memory");
	});
}

/* What was collected goes to the card; see lazy.h. */
EXPORT int gt_flush()
{
	return guarded([] { flush_all(); });
}

/* What is done in between goes to the card together: see lazy.h. */
EXPORT void gt_begin_together()
{
	begin_together();
}

EXPORT int gt_end_together()
{
	return guarded([] { end_together(); });
}

EXPORT int gt_is_lazy(int *lazy)
{
	return guarded([=] { *lazy = is_lazy(); });
}

EXPORT int gt_set_lazy(int lazy)
{
	return guarded([=] { set_lazy(lazy); });
}

EXPORT void gt_lazy_stats(LazyStats *stats)
{
	*stats = lazy_stats();
}

EXPORT int gt_stream_create(int64_t *id)
{
	return guarded([=] { *id = new_stream(); });
}

EXPORT int gt_stream_create_shared(int64_t *id, void **handle)
{
	return guarded([=] { *id = new_shared_stream(handle); });
}

EXPORT int64_t gt_stream_exchange(int64_t id)
{
	return exchange_stream(id);
}

EXPORT int64_t gt_stream_current()
{
	return current_stream();
}

EXPORT int gt_stream_synchronize(int64_t id)
{
	return guarded([=] {
		check(gaudi_stream_synchronize(stream(id)), "waiting for a stream");
		look_for_outside(id);
	});
}

/* 1: all is done. */
EXPORT int gt_stream_query(int64_t id, int *done)
{
	return guarded([=] {
		int rc = gaudi_stream_query(stream(id));

		check(rc == GAUDI_ERR_NOT_READY ? 0 : rc, "asking about a stream");
		*done = !rc;
	});
}

EXPORT int gt_stream_wait_event(int64_t id, gaudi_event *event)
{
	return guarded([=] { check(gaudi_stream_wait_event(stream(id), event), "waiting"); });
}

EXPORT int gt_event_create(int timing, gaudi_event **event)
{
	return guarded([=] {
		check(gaudi_event_create(device(), timing ? 0 : GAUDI_EVENT_NO_TIMING, event),
		      "creating an event");
	});
}

EXPORT void gt_event_destroy(gaudi_event *event)
{
	gaudi_event_destroy(event);
}

EXPORT int gt_event_record(gaudi_event *event, int64_t id)
{
	return guarded([=] { check(gaudi_event_record(event, stream(id)), "recording"); });
}

EXPORT int gt_event_query(gaudi_event *event, int *done)
{
	return guarded([=] {
		int rc = gaudi_event_query(event);

		check(rc == GAUDI_ERR_NOT_READY ? 0 : rc, "asking about an event");
		*done = !rc;
	});
}

EXPORT int gt_event_synchronize(gaudi_event *event)
{
	return guarded([=] {
		check(gaudi_event_synchronize(event), "waiting for an event");
		look_for_outside(some_stream);
	});
}

EXPORT int gt_event_elapsed(gaudi_event *start, gaudi_event *end, int64_t *ns)
{
	return guarded([=] { check(gaudi_event_elapsed_ns(start, end, ns), "taking the time"); });
}

EXPORT int gt_capture_begin()
{
	return guarded([] { begin_capture(); });
}

EXPORT int gt_capture_end(Graph **graph)
{
	return guarded([=] { *graph = end_capture(); });
}

EXPORT void gt_capture_drop()
{
	drop_capture();
}

EXPORT int gt_graph_launch(Graph *graph)
{
	return guarded([=] {
		launch_graph(graph);
		outside_may_be_noted(current_stream());
	});
}

EXPORT void gt_graph_destroy(Graph *graph)
{
	destroy_graph(graph);
}

EXPORT void gt_launch_stats(LaunchStats *stats)
{
	*stats = launch_stats();
}

EXPORT void gt_set_fallback_listener(FallbackListener listener)
{
	set_fallback_listener(listener);
}

EXPORT int gt_set_fallback_mode(const char *mode)
{
	return guarded([=] { set_fallback_mode(mode); });
}

EXPORT void gt_reset_fallbacks()
{
	reset_fallbacks();
}

/* "name<TAB>count<TAB>why" lines; valid until the thread's next call. */
EXPORT const char *gt_fallbacks()
{
	static thread_local std::string text;

	text.clear();
	for (const auto &item : fallback_counts())
		text += item.first + "\t" + std::to_string(item.second.count) + "\t" +
			item.second.why + "\n";
	return text.c_str();
}

/* What takes tensors, or raises PyTorch's errors, as operators: torch.ops.torch_gaudi. */
static void record_stream_id(const at::Tensor &t, int64_t id)
{
	record_stream(t.storage().data_ptr(), id);
}

/* Operators that are said in Python check the indexes that they are given, and trust their own. */
EXPORT void gt_trust_indexes(int more)
{
	Trusted::trust(more);
}

static void check_index_of(c10::string_view name, const at::Tensor &index, int64_t low,
			   int64_t size, int64_t also)
{
	check_index(std::string(name), view(index), low, size, also);
}

static int64_t address_of(const at::Tensor &t)
{
	/* Who asks may use the memory in a way that is not known here. */
	flush_all();
	return (int64_t)address(t);
}

TORCH_LIBRARY(torch_gaudi, m)
{
	m.def("record_stream(Tensor t, int id) -> ()", record_stream_id);
	m.def("check_index(str name, Tensor index, int low, int size, int also=0) -> ()", check_index_of);
	m.def("keep_for_capture(Tensor t) -> ()", keep_for_capture);
	m.def("address(Tensor t) -> int", address_of);
	m.def("note_fallback(str name, str why) -> ()",
	      [](c10::string_view name, c10::string_view why) {
		      note_fallback(std::string(name), std::string(why));
	      });
}
