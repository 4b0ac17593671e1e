/* SPDX-License-Identifier: MIT */
/* Of lazy.cpp alone, which has its lock whenever it calls these but for run_work(). */
#ifndef TORCH_GAUDI_LAZY_GRAPHS_H
#define TORCH_GAUDI_LAZY_GRAPHS_H

#include <vector>

#include "lazy.h"

namespace torch_gaudi {

void run_work(const Work &work, gaudi_stream *stream);
/* Whether there was a graph for all of @work, which has been launched. */
bool run_as_graph(const std::vector<Work> &work, gaudi_stream *stream, LazyStats &stats);
void drop_graphs();

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_LAZY_GRAPHS_H */
