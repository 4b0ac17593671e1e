// SPDX-License-Identifier: MIT
#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <string>

#include "capture.h"
#include "lazy_graphs.h"

namespace torch_gaudi {
namespace {

/* Small fills come from a table on the card, so that a graph takes other values with it. */
const size_t table_bytes = 1 << 16;
const size_t small_fill = 64;
/* Blocks that nobody wanted for so many flushes go. */
const uint64_t idle_flushes = 16;
const size_t most_work = 4096;

struct Pending {
	std::vector<Work> work;
	gaudi_ptr table = 0;
	std::vector<char> values;	/* of the table */
	/* Freed blocks by size and place, and in which flush it was. */
	std::map<size_t, std::map<gaudi_ptr, uint64_t>> blocks;
	uint64_t flushes = 0;
};

struct State {
	std::recursive_mutex mutex;
	std::map<c10::StreamId, Pending> streams;
	/* Of all streams, so that who has nothing to flush takes no lock. */
	std::atomic<size_t> collected{ 0 };
	std::atomic<size_t> kept{ 0 };
	std::exception_ptr failure;	/* of a flush that could not throw it */
	std::atomic<bool> failed{ false };
	LazyStats stats = {};
};

State &state()
{
	static State *it = new State;

	return *it;
}

std::atomic<int> mode{ -1 };
/* How many begin_together() are without their end. */
thread_local int depth = 0;

int read_mode()
{
	const char *text = std::getenv("PT_HPU_LAZY_MODE");
	std::string value = text ? text : "";

	TORCH_CHECK(value.empty() || value == "0" || value == "1" || value == "2",
		    "hpu: PT_HPU_LAZY_MODE is \"", value, "\"; it may be 1 (lazy), or 0 or 2 (eager)");
	return value == "1";
}

size_t read_most()
{
	const char *text = std::getenv("PT_HPU_MAX_COMPOUND_OP_SIZE");
	char *end = nullptr;
	long long n = text ? std::strtoll(text, &end, 10) : (long long)most_work;

	TORCH_CHECK(!text || (end != text && !*end && n > 0), "hpu: PT_HPU_MAX_COMPOUND_OP_SIZE is \"",
		    text, "\"; it is how many operations are collected at most");
	return std::min<unsigned long long>(n, most_work);
}

void give_idle_back(c10::StreamId id, Pending &p, uint64_t idle)
{
	State &s = state();

	for (auto size = p.blocks.begin(); size != p.blocks.end();) {
		for (auto b = size->second.begin(); b != size->second.end();) {
			if (p.flushes - b->second < idle) {
				++b;
				continue;
			}
			gaudi_free_async(raw_stream(id), b->first);
			s.kept -= size->first;
			b = size->second.erase(b);
		}
		size = size->second.empty() ? p.blocks.erase(size) : std::next(size);
	}
}

void run_each(const std::vector<Work> &work, gaudi_stream *on)
{
	std::exception_ptr first;

	for (const Work &w : work) {
		try {
			run_work(w, on);
		} catch (...) {
			if (!first)
				first = std::current_exception();
		}
	}
	if (first)
		std::rethrow_exception(first);
}

/* With the lock. */
void flush_stream(c10::StreamId id, Pending &p)
{
	State &s = state();
	std::vector<Work> work;
	std::vector<char> values;

	if (p.work.empty())
		return;
	work.swap(p.work);
	values.swap(p.values);
	s.collected -= work.size();
	s.stats.flushes++;
	gaudi_stream *on = raw_stream(id);
	if (!values.empty())
		check(gaudi_copy_to_device_async(on, p.table, values.data(), values.size()),
		      "values of fills");
	if (!run_as_graph(work, on, s.stats))
		run_each(work, on);
	p.flushes++;
	give_idle_back(id, p, idle_flushes);
	/* The room stays. */
	work.clear();
	p.work.swap(work);
}

/* With the lock. A fill of few bytes becomes a copy of the table. */
void use_table(c10::StreamId id, Pending &p, Work &w)
{
	size_t bytes = w.size * w.count;

	if (!p.table)
		check(gaudi_malloc(device(), table_bytes, &p.table), "allocating memory");
	if (p.values.size() + small_fill > table_bytes)
		flush_stream(id, p);
	size_t at = p.values.size();
	for (size_t i = 0; i < w.count; i++) {
		const char *element = reinterpret_cast<const char *>(&w.bits);

		p.values.insert(p.values.end(), element, element + w.size);
	}
	/* The next one begins where any element may. */
	p.values.resize((p.values.size() + 7) / 8 * 8);
	w.kind = Work::COPY;
	w.at.push_back(p.table + at);
	w.size = bytes;
	w.count = w.bits = 0;
}

void throw_failure(State &s)
{
	std::exception_ptr failure;

	std::swap(failure, s.failure);
	s.failed = false;
	if (failure)
		std::rethrow_exception(failure);
}

} // namespace

bool is_lazy()
{
	int now = mode.load(std::memory_order_relaxed);

	if (C10_UNLIKELY(now < 0))
		mode = now = read_mode();
	return now;
}

void set_lazy(bool lazy)
{
	State &s = state();
	std::lock_guard<std::recursive_mutex> lock(s.mutex);

	flush_all();
	give_blocks_back();
	drop_graphs();
	mode = lazy;
}

bool collects()
{
	return depth || is_lazy();
}

bool may_have_work()
{
	return is_lazy() || state().collected.load(std::memory_order_acquire);
}

void begin_together()
{
	depth++;
}

void end_together()
{
	if (--depth || is_lazy() || capture_pool())
		return;
	flush_all();
	if (kept_bytes())
		give_blocks_back();
}

void submit(Work &&work)
{
	static const size_t most = read_most();
	c10::StreamId id = current_stream();

	if (!collects() || capture_pool()) {
		run_work(work, stream(id));
		return;
	}
	device();
	State &s = state();
	std::lock_guard<std::recursive_mutex> lock(s.mutex);
	Pending &p = s.streams[id];
	if (work.kind == Work::FILL && work.size * work.count <= small_fill)
		use_table(id, p, work);
	p.work.push_back(std::move(work));
	s.collected++;
	s.stats.collected++;
	if (p.work.size() >= most)
		flush_stream(id, p);
}

void copy_bytes(gaudi_ptr to, gaudi_ptr from, size_t bytes)
{
	submit({ Work::COPY, "copying", nullptr, { to, from }, bytes, 0, 0 });
}

void fill_elements(gaudi_ptr to, uint64_t bits, size_t size, size_t count)
{
	submit({ Work::FILL, "filling", nullptr, { to }, size, count, bits });
}

void flush(c10::StreamId id)
{
	State &s = state();

	if (C10_LIKELY(!s.collected.load(std::memory_order_acquire)) && !s.failed)
		return;
	std::lock_guard<std::recursive_mutex> lock(s.mutex);
	auto found = s.streams.find(id);
	if (found != s.streams.end())
		flush_stream(id, found->second);
	throw_failure(s);
}

void flush_all()
{
	State &s = state();
	std::lock_guard<std::recursive_mutex> lock(s.mutex);

	for (auto &item : s.streams)
		flush_stream(item.first, item.second);
	throw_failure(s);
}

void flush_quietly() noexcept
{
	State &s = state();
	std::lock_guard<std::recursive_mutex> lock(s.mutex);

	try {
		flush_all();
	} catch (...) {
		s.failure = std::current_exception();
		s.failed = true;
	}
}

gaudi_ptr take_block(c10::StreamId id, size_t bytes)
{
	State &s = state();
	std::lock_guard<std::recursive_mutex> lock(s.mutex);
	Pending &p = s.streams[id];
	auto size = p.blocks.find(bytes);

	if (size == p.blocks.end())
		return 0;
	/* The lowest: so steps that do the same have the same places. */
	gaudi_ptr address = size->second.begin()->first;
	size->second.erase(size->second.begin());
	if (size->second.empty())
		p.blocks.erase(size);
	s.kept -= bytes;
	return address;
}

void keep_block(c10::StreamId id, gaudi_ptr address, size_t bytes)
{
	State &s = state();
	std::lock_guard<std::recursive_mutex> lock(s.mutex);
	Pending &p = s.streams[id];

	p.blocks[bytes][address] = p.flushes;
	s.kept += bytes;
}

void give_blocks_back()
{
	State &s = state();
	std::lock_guard<std::recursive_mutex> lock(s.mutex);

	flush_all();
	for (auto &item : s.streams)
		give_idle_back(item.first, item.second, 0);
}

size_t kept_bytes()
{
	return state().kept;
}

LazyStats lazy_stats()
{
	State &s = state();
	std::lock_guard<std::recursive_mutex> lock(s.mutex);

	return s.stats;
}

} // namespace torch_gaudi
