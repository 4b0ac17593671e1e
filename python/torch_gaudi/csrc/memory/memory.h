/* SPDX-License-Identifier: MIT */
/*
 * Storage on the card. How a type is held there differs from the host: each integer type
 * and bool is a word of 32 bits, float64 is float32, complex128 complex64. Strides and
 * offsets of tensors count elements, so that they are the same in both.
 *
 * There are no locks: who uses a storage in two threads orders them, as PyTorch has it.
 */
#ifndef TORCH_GAUDI_MEMORY_H
#define TORCH_GAUDI_MEMORY_H

#include <ATen/core/Tensor.h>

#include "../base/device.h"

namespace torch_gaudi {

/* What an element is on the card. */
enum class Held { F32, BF16, F16, I32, C64, NONE };

Held held(c10::ScalarType type);
/* Bytes of an element on the card; throws for a type that there is not. */
size_t held_size(c10::ScalarType type);

/* The storage of @numel elements, uninitialised. */
c10::Storage make_storage(int64_t numel, c10::ScalarType type);
at::Tensor empty(at::IntArrayRef sizes, c10::ScalarType type);
at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, c10::ScalarType type);
/* The type of its elements; undefined as long as nothing tells one. */
c10::ScalarType storage_type(const c10::Storage &storage);
/* Throws if @t is on another device. */
void require_here(const at::Tensor &t);
/* Where the tensor's first element is. Throws if its storage is of another way to hold. */
gaudi_ptr address(const at::Tensor &t);
/* Work on stream @id uses the memory, too. */
void record_stream(const c10::DataPtr &memory, c10::StreamId id);
/* The allocator of pinned memory of the host. */
c10::Allocator *pinned_allocator();
bool is_pinned(const void *memory);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_MEMORY_H */
