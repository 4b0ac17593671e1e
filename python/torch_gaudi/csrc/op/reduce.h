/* SPDX-License-Identifier: MIT */
#ifndef TORCH_GAUDI_REDUCE_H
#define TORCH_GAUDI_REDUCE_H

#include "op.h"

namespace torch_gaudi {

/* Kernels along dim 0, and along dim 1 of three. */
struct Reduction {
	const char *rows, *columns;
};

extern const Reduction sums, maxima, minima, products;

/* Dims with true in @over, inner first, become one of 1; others stay. */
View reduce(const Reduction &kind, const View &v, const std::vector<bool> &over);
/* The same, and 0 of nothing. */
View sum_view(const View &v, const std::vector<bool> &over);
/* PyTorch's dims of @t, all if there are none, as reduce() has them. */
std::vector<bool> reduced_dims(const at::Tensor &t, at::IntArrayRef dims);
/* How many elements become one. */
int64_t count_of(const View &v, const std::vector<bool> &over);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_REDUCE_H */
