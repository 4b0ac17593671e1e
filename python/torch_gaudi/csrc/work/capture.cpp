// SPDX-License-Identifier: MIT
#include <c10/util/Exception.h>
#include <gaudi_graph.h>

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "../base/generator.h"
#include "capture.h"
#include "lazy.h"

namespace torch_gaudi {

class Pool {
public:
	~Pool()
	{
		/* What is collected may use it. */
		flush_quietly();
		for (gaudi_ptr address : all)
			gaudi_free(device(), address);
	}

	std::mutex mutex;
	std::multimap<size_t, gaudi_ptr> free;
	std::vector<gaudi_ptr> all;
	std::vector<at::Tensor> kept;
	gaudi_ptr seed = 0;
};

struct Graph {
	gaudi_graph *graph;
	PoolRef pool;
};

namespace {

/*
 * By the captured stream: threads of a backward pass work on the stream of the forward pass.
 * @captures counts them, so that who captures nothing takes no lock.
 */
std::mutex pools_mutex;
std::map<c10::StreamId, PoolRef> pools;
std::atomic<int> captures;

/* The thread's own capture. */
thread_local c10::StreamId captured = -1;

PoolRef pool_of(c10::StreamId id)
{
	std::lock_guard<std::mutex> lock(pools_mutex);
	auto found = pools.find(id);

	return found == pools.end() ? nullptr : found->second;
}

/* The capture of this thread's is none any more. */
PoolRef leave()
{
	std::lock_guard<std::mutex> lock(pools_mutex);
	auto found = pools.find(captured);
	PoolRef ours = std::move(found->second);

	pools.erase(found);
	captured = -1;
	captures--;
	return ours;
}

} // namespace

bool is_captured(c10::StreamId id)
{
	return captures && pool_of(id);
}

PoolRef capture_pool()
{
	return captures ? pool_of(current_stream()) : nullptr;
}

gaudi_ptr pool_allocate(Pool &p, size_t bytes)
{
	std::lock_guard<std::mutex> lock(p.mutex);
	auto found = p.free.find(bytes);
	gaudi_ptr address = 0;

	if (found != p.free.end()) {
		address = found->second;
		p.free.erase(found);
		return address;
	}
	check(gaudi_malloc(device(), bytes, &address), "allocating memory of a graph");
	p.all.push_back(address);
	return address;
}

/* A block that the graph uses for nothing else, neither before nor later. */
gaudi_ptr pool_seed(Pool &p)
{
	std::lock_guard<std::mutex> lock(p.mutex);

	if (!p.seed) {
		check(gaudi_malloc(device(), 8 * sizeof(uint32_t), &p.seed), "memory of a seed");
		p.all.push_back(p.seed);
	}
	return p.seed;
}

void pool_free(Pool &p, gaudi_ptr address, size_t bytes)
{
	std::lock_guard<std::mutex> lock(p.mutex);

	p.free.emplace(bytes, address);
}

void pool_keep(Pool &p, gaudi_ptr address)
{
	std::lock_guard<std::mutex> lock(p.mutex);

	p.all.push_back(address);
}

void keep_for_capture(const at::Tensor &t)
{
	PoolRef pool = capture_pool();

	if (!pool)
		return;
	std::lock_guard<std::mutex> lock(pool->mutex);
	pool->kept.push_back(t);
}

void begin_capture()
{
	c10::StreamId id = current_stream();

	TORCH_CHECK(captured < 0, "hpu: this thread captures a graph already");
	check(gaudi_stream_begin_capture(stream(id)), "beginning to capture");
	std::lock_guard<std::mutex> lock(pools_mutex);
	pools[id] = std::make_shared<Pool>();
	captured = id;
	captures++;
}

Graph *end_capture()
{
	gaudi_graph *made = nullptr;

	TORCH_CHECK(captured >= 0, "hpu: this thread captures no graph");
	int rc = gaudi_stream_end_capture(stream(captured), &made);
	PoolRef ours = leave();
	check(rc, "capturing");
	return new Graph{ made, std::move(ours) };
}

void drop_capture() noexcept
{
	gaudi_graph *made = nullptr;

	if (captured < 0)
		return;
	if (!gaudi_stream_end_capture(stream(captured), &made))
		gaudi_graph_destroy(made);
	leave();
}

void launch_graph(Graph *graph)
{
	if (graph->pool->seed)
		check(gaudi_fill_async(stream(), graph->pool->seed, draw_seed(), 8, 4),
		      "a graph's seed");
	check(gaudi_graph_launch(graph->graph, stream()), "launching a graph");
}

void destroy_graph(Graph *graph)
{
	if (graph)
		gaudi_graph_destroy(graph->graph);
	delete graph;
}

} // namespace torch_gaudi
