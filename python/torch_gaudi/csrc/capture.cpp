// SPDX-License-Identifier: MIT
#include <c10/util/Exception.h>
#include <gaudi_graph.h>

#include <map>
#include <mutex>
#include <vector>

#include "capture.h"

namespace torch_gaudi {

class Pool {
public:
	~Pool()
	{
		for (gaudi_ptr address : all)
			gaudi_free(device(), address);
	}

	std::mutex mutex;
	std::multimap<size_t, gaudi_ptr> free;
	std::vector<gaudi_ptr> all;
};

struct Graph {
	gaudi_graph *graph;
	PoolRef pool;
};

namespace {

thread_local PoolRef pool;
thread_local c10::StreamId captured;

} // namespace

PoolRef capture_pool()
{
	return pool;
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

void begin_capture()
{
	TORCH_CHECK(!pool, "hpu: this thread captures a graph already");
	captured = current_stream();
	check(gaudi_stream_begin_capture(stream(captured)), "beginning to capture");
	pool = std::make_shared<Pool>();
}

Graph *end_capture()
{
	gaudi_graph *made = nullptr;

	TORCH_CHECK(pool, "hpu: this thread captures no graph");
	int rc = gaudi_stream_end_capture(stream(captured), &made);
	PoolRef ours = std::move(pool);
	pool.reset();
	check(rc, "capturing");
	return new Graph{ made, std::move(ours) };
}

void drop_capture() noexcept
{
	gaudi_graph *made = nullptr;

	if (!pool)
		return;
	if (!gaudi_stream_end_capture(stream(captured), &made))
		gaudi_graph_destroy(made);
	pool.reset();
}

void launch_graph(Graph *graph)
{
	check(gaudi_graph_launch(graph->graph, stream()), "launching a graph");
}

void destroy_graph(Graph *graph)
{
	if (graph)
		gaudi_graph_destroy(graph->graph);
	delete graph;
}

} // namespace torch_gaudi
