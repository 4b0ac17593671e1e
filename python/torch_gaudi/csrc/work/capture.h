/* SPDX-License-Identifier: MIT */
/*
 * Graphs of libgaudi: what a thread gives to a stream is written down, and launched as often
 * as wanted. Tensors that are made meanwhile have memory of the graph's own, which stays.
 *
 * A mutex guards which streams are captured, and one of each pool its blocks.
 */
#ifndef TORCH_GAUDI_CAPTURE_H
#define TORCH_GAUDI_CAPTURE_H

#include <memory>

#include <ATen/core/Tensor.h>

#include "../base/device.h"

struct gaudi_graph;

namespace torch_gaudi {

/* Memory of one graph: goes when graph and tensors have gone. */
class Pool;
using PoolRef = std::shared_ptr<Pool>;

/* The pool of the capture of the current stream, or none. */
PoolRef capture_pool();
/* Whether what the stream gets is captured. */
bool is_captured(c10::StreamId id);
gaudi_ptr pool_allocate(Pool &pool, size_t bytes);
/* The block may be given out again, within the same capture. */
void pool_free(Pool &pool, gaudi_ptr address, size_t bytes);
/*
 * Eight words of the graph's own, which each launch fills anew from the CPU's default generator:
 * a seed of its random numbers.
 */
gaudi_ptr pool_seed(Pool &pool);
/* A block from before the capture, that is not used any more but by the graph. */
void pool_keep(Pool &pool, gaudi_ptr address);

/* For what is kept beyond a call and may go before the graph does: it stays as long. */
void keep_for_capture(const at::Tensor &t);

struct Graph;

/* On the current stream. Throws if the thread captures already. */
void begin_capture();
Graph *end_capture();
/* Ends a capture that has failed. */
void drop_capture() noexcept;
/* On the current stream; the caller says so to outside.h of launch. */
void launch_graph(Graph *graph);
void destroy_graph(Graph *graph);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_CAPTURE_H */
