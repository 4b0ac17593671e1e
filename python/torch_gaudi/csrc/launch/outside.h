/* SPDX-License-Identifier: MIT */
/*
 * Indexes that lie outside. Kernels read 0 there, and write nothing. What the index was is noted on
 * the card, in a word for each operator and size, and raised as an IndexError by what waits for the
 * card next: so nothing waits for the sake of indexes.
 */
#ifndef TORCH_GAUDI_OUTSIDE_H
#define TORCH_GAUDI_OUTSIDE_H

#include "view.h"

namespace torch_gaudi {

/*
 * Work of the current stream that notes which of @index are not from @low to before @size, nor
 * @also. @name is that of an operator of aten.
 */
void check_index(const std::string &name, const View &index, int64_t low, int64_t size,
		 int64_t also = 0);
/* The same for the operator that runs, but not within Trusted. */
void check_index(const View &index, int64_t low, int64_t size, int64_t also = 0);
/* The same of numbers that are to be 0: if one is 1, a RuntimeError says @what. */
void check_none(const std::string &what, const View &numbers);

/* Indexes that are known to be inside, as those that an operator makes itself. */
class Trusted {
public:
	Trusted()
	{
		trust(1);
	}
	~Trusted()
	{
		trust(-1);
	}
	/* One more, or less, who trusts within this thread. */
	static void trust(int more);
};

/* The operator that runs is @op, but if another one calls it. */
class Running {
public:
	explicit Running(const char *op);
	~Running();

private:
	bool is_outer;
};

const c10::StreamId all_streams = -1, some_stream = -2;
/*
 * The host has waited for stream @id, or for one that it does not know: throws IndexError if an
 * index was outside. It costs nothing if no index was used there since it was asked last.
 */
void look_for_outside(c10::StreamId id);
/* A graph that may have such work has been launched on @id. */
void outside_may_be_noted(c10::StreamId id);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_OUTSIDE_H */
