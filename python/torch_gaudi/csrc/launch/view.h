/* SPDX-License-Identifier: MIT */
/*
 * Tensors as the card's kernels see them: dim 0 is the inner one, strides count elements.
 */
#ifndef TORCH_GAUDI_VIEW_H
#define TORCH_GAUDI_VIEW_H

#include "../memory/memory.h"

namespace torch_gaudi {

using Dims = c10::SmallVector<int64_t, 8>;

/* Elements that a kernel has in its hands at a time, at least. */
const int64_t lanes = 64;

struct View {
	at::Tensor tensor;	/* which has the memory */
	gaudi_ptr address;
	Held type;
	Dims sizes, strides;

	size_t rank() const
	{
		return sizes.size();
	}
	int64_t numel() const;
	/* Elements from the first to behind the last. */
	int64_t extent() const;
	/* Next to each other, in this order of dims. */
	bool dense() const;
};

/* libgaudi's type, and bytes, of an element; not of C64. */
uint32_t gaudi_type(Held type);
size_t size_of(Held type);
/* The type of PyTorch's that is held so. */
c10::ScalarType scalar_type(Held type);

View view(const at::Tensor &t);
/* New memory of these sizes, inner first. */
View make_view(at::IntArrayRef sizes, Held type);
/* As if it had these sizes (inner first): dims of one, or missing ones, are repeated. */
View expand(const View &v, at::IntArrayRef sizes);
/* Dims in another order: dim i is that of @order[i]. */
View permute(const View &v, at::IntArrayRef order);
/* With dim @d in addition, of one element. */
View unsqueeze(const View &v, size_t d);
/* The same elements of a dense view, as @sizes. */
View reshape(const View &v, at::IntArrayRef sizes);
/* Of (width, height, channels[, images]), with the channels first and images. */
View channels_first(const View &v);
/* And the other way. */
View channels_back(const View &v);
/*
 * Views of equal sizes: dims of one go, and those that lie behind each other in all of them
 * become one; the order is that of the first one's strides.
 */
void coalesce(c10::ArrayRef<View *> views);

/* The least divisor of @size that is @least or more. */
int64_t least_part(int64_t size, int64_t least);

/* Moves elements to a view of the same sizes, from any strides to any. */
void copy_view(View to, View from);
/* The view itself if it is dense, else a copy. */
View dense(const View &v);
/* The same elements as @type: the view itself, or a copy that is cast. */
View cast(const View &v, Held type);
void cast_view(View to, View from);
/* @value, as its bits, into each element. */
void fill_view(const View &to, uint64_t bits);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_VIEW_H */
