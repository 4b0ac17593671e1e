/* SPDX-License-Identifier: MIT */
#ifndef TORCH_GAUDI_COPY_H
#define TORCH_GAUDI_COPY_H

#include "../launch/view.h"

namespace torch_gaudi {

/* In all directions, between any types; @from is repeated to the sizes of @to. */
void copy(const at::Tensor &to, const at::Tensor &from, bool non_blocking);
/* The storage's bytes, as a host has them, are elements of @type from now on. */
void retype(c10::StorageImpl *storage, c10::ScalarType type);
/*
 * PyTorch copies storages (torch.save, torch.load, deepcopy) by tensors of bytes. Whether @t is
 * such a one, of a storage of another type; and its bytes, to and from the host.
 */
bool is_bytes(const at::Tensor &t);
at::Tensor bytes_down(const at::Tensor &t);
void bytes_up(const at::Tensor &to, const at::Tensor &from);
/* 1 where an element is not 0, of I32. */
View compare_with_zero(const View &v);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_COPY_H */
