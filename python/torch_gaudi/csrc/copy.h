/* SPDX-License-Identifier: MIT */
#ifndef TORCH_GAUDI_COPY_H
#define TORCH_GAUDI_COPY_H

#include "view.h"

namespace torch_gaudi {

/* In all directions, between any types; @from is repeated to the sizes of @to. */
void copy(const at::Tensor &to, const at::Tensor &from, bool non_blocking);
/* 1 where an element is not 0, of I32. */
View compare_with_zero(const View &v);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_COPY_H */
