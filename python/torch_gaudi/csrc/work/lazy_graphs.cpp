// SPDX-License-Identifier: MIT
/*
 * Graphs of collected work, by its form: which launchers, and how large copies and fills are. Where
 * tensors are is no part of it. A graph is made when work comes in the same form for the second
 * time, so that what comes once costs no more than launches.
 */
#include <gaudi_graph.h>

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_set>

#include "../base/lru.h"
#include "lazy_graphs.h"

namespace torch_gaudi {
namespace {

using Places = std::vector<c10::SmallVector<gaudi_ptr, 4>>;

struct Destroy {
	void operator()(gaudi_graph *graph) const
	{
		gaudi_graph_destroy(graph);
	}
};
using GraphRef = std::unique_ptr<gaudi_graph, Destroy>;

struct Made {
	GraphRef graph;
	Places at;		/* by node */
};

/* Forms that came once are known by a hash, and all forgotten when they are too many. */
const size_t most_seen = 1 << 16;
/* Less work than this is launched as it is. */
const size_t least_work = 2;

struct Graphs {
	Lru<Made> kept{ limit_of("GT_LAZY_GRAPHS", 128) };	/* by form */
	std::unordered_set<size_t> seen;
	gaudi_stream *captures = nullptr;
};

Graphs &graphs()
{
	static Graphs *it = new Graphs;

	return *it;
}

template <class T> void put(std::string &form, const T &value)
{
	form.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

std::string form_of(const std::vector<Work> &work)
{
	std::string form;

	form.reserve(work.size() * 16);
	for (const Work &w : work) {
		put(form, w.kind);
		if (w.kind == Work::LAUNCH) {
			put(form, w.launcher->number);
			continue;
		}
		put(form, w.size);
		if (w.kind == Work::FILL) {
			put(form, w.count);
			put(form, w.bits);
		}
	}
	return form;
}

c10::SmallVector<gaudi_binding, 8> bindings_of(const Work &w)
{
	c10::SmallVector<gaudi_binding, 8> bindings(w.at.size());

	for (size_t i = 0; i < w.at.size(); i++) {
		bindings[i].tensor = i;
		bindings[i].address = w.at[i];
	}
	return bindings;
}

int bind(gaudi_graph *graph, uint32_t number, const Work &w)
{
	gaudi_graph_node node = {};

	if (w.kind == Work::LAUNCH) {
		auto bindings = bindings_of(w);

		return gaudi_graph_bind(graph, number, bindings.data(), bindings.size());
	}
	node.size = sizeof(node);
	node.to = w.at[0];
	node.from = w.kind == Work::COPY ? w.at[1] : 0;
	return gaudi_graph_set_node(graph, number, &node);
}

/* Nodes that are somewhere else than last time, or all. */
int bind_all(Made &made, const std::vector<Work> &work, bool all, LazyStats &stats)
{
	for (size_t i = 0; i < work.size(); i++) {
		if (!all && made.at[i] == work[i].at)
			continue;
		int rc = bind(made.graph.get(), i, work[i]);

		if (rc)
			return rc;
		made.at[i] = work[i].at;
		stats.binds++;
	}
	return 0;
}

/* On a stream that nobody else gives work to. Null: what cannot be captured. */
GraphRef capture(Graphs &g, const std::vector<Work> &work)
{
	gaudi_graph *graph = nullptr;
	uint32_t count = 0;

	if (!g.captures && gaudi_stream_create(device(), &g.captures))
		return nullptr;
	if (gaudi_stream_begin_capture(g.captures))
		return nullptr;
	bool good = true;
	try {
		for (const Work &w : work)
			run_work(w, g.captures);
	} catch (const std::exception &) {
		/* The launches themselves say what is wrong. */
		good = false;
	}
	if (gaudi_stream_end_capture(g.captures, &graph))
		return nullptr;
	GraphRef made(graph);
	if (!good || gaudi_graph_get_node_count(graph, &count) || count != work.size())
		return nullptr;
	return made;
}

/* Null: it comes for the first time, or cannot be a graph. */
Made *find_or_make(Graphs &g, const std::vector<Work> &work, LazyStats &stats)
{
	std::string form = form_of(work);
	Made *found = g.kept.find(form);

	if (found)
		return found;
	if (g.seen.insert(std::hash<std::string>()(form)).second) {
		if (g.seen.size() > most_seen)
			g.seen.clear();
		return nullptr;
	}
	GraphRef graph = capture(g, work);
	if (!graph)
		return nullptr;
	stats.graphs++;
	Places at;
	for (const Work &w : work)
		at.push_back(w.at);
	return g.kept.add(std::move(form), { std::move(graph), std::move(at) });
}

} // namespace

void run_work(const Work &w, gaudi_stream *stream)
{
	switch (w.kind) {
	case Work::LAUNCH: {
		auto bindings = bindings_of(w);

		check(gaudi_launch(w.launcher->handle, bindings.data(), bindings.size(), stream),
		      w.name);
		break;
	}
	case Work::COPY:
		check(gaudi_copy_device_async(stream, w.at[0], w.at[1], w.size), w.name);
		break;
	case Work::FILL:
		check(gaudi_fill_async(stream, w.at[0], w.bits, w.size, w.count), w.name);
		break;
	}
}

bool run_as_graph(const std::vector<Work> &work, gaudi_stream *stream, LazyStats &stats)
{
	Graphs &g = graphs();

	if (work.size() < least_work)
		return false;
	uint64_t before = stats.graphs;
	Made *made = find_or_make(g, work, stats);
	stats.kept = g.kept.order.size();
	stats.evictions = g.kept.evictions;
	if (!made)
		return false;
	int rc = bind_all(*made, work, false, stats) ?:
		 gaudi_graph_launch(made->graph.get(), stream);
	/* Memory went back to libgaudi, and is another block at the same place by now. */
	if (rc == GAUDI_ERR_ADDRESS)
		rc = bind_all(*made, work, true, stats) ?:
		     gaudi_graph_launch(made->graph.get(), stream);
	if (rc) {
		/* Each launch alone says which one it is. */
		g.kept.drop(g.kept.order.begin());
		stats.kept = g.kept.order.size();
		return false;
	}
	stats.hits += before == stats.graphs;
	return true;
}

void drop_graphs()
{
	Graphs &g = graphs();

	while (!g.kept.order.empty())
		g.kept.drop(g.kept.order.begin());
	g.seen.clear();
}

} // namespace torch_gaudi
