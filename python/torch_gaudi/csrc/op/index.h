/* SPDX-License-Identifier: MIT */
/* What operators by numbers of elements share. */
#ifndef TORCH_GAUDI_INDEX_H
#define TORCH_GAUDI_INDEX_H

#include "op.h"

namespace torch_gaudi {

/* A type whose kernels move the bits of @t. Throws Unsupported for complex numbers. */
Held moved_type(const at::Tensor &t);
/* Numbers of elements, one for each row. */
View index_of(const at::Tensor &t);
/* All elements as @type, of @sizes, which moves bits only; a copy if @t is not dense. */
View moved(const at::Tensor &t, Held type, at::IntArrayRef sizes);
View filled(at::IntArrayRef sizes, Held type, double value);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_INDEX_H */
