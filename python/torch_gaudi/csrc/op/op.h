/* SPDX-License-Identifier: MIT */
/*
 * Operators as tables: the name of PyTorch's operator, a function for all of its kind, and
 * what this takes of libgaudi's kernels. A function gets the call boxed, so one that throws
 * Unsupported is done by the CPU, with the same arguments.
 *
 * Of most operators only the variant with an output is here: PyTorch makes the others of it.
 *
 * The room has what operators of several kinds share; the tables are in ops/. Mutexes guard which
 * operators went to the CPU (fallback.h), and which scalars a kernel has had (scalar.cpp). Nothing
 * is called with them held.
 */
#ifndef TORCH_GAUDI_OP_H
#define TORCH_GAUDI_OP_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include "../launch/launch.h"

namespace torch_gaudi {

struct Entry;

class Call {
public:
	Call(const c10::OperatorHandle &op, torch::jit::Stack &stack, const Entry &entry)
		: entry(entry), stack(stack), count(op.schema().arguments().size())
	{
	}
	const c10::IValue &operator[](size_t i) const
	{
		return stack[stack.size() - count + i];
	}
	const at::Tensor &tensor(size_t i) const
	{
		return (*this)[i].toTensor();
	}
	/* An argument that may be missing: then an undefined tensor. */
	at::Tensor maybe_tensor(size_t i) const
	{
		return (*this)[i].isNone() ? at::Tensor() : tensor(i);
	}
	c10::Scalar scalar(size_t i) const
	{
		return (*this)[i].toScalar();
	}
	int64_t integer(size_t i) const
	{
		return (*this)[i].toInt();
	}
	std::vector<int64_t> ints(size_t i) const;
	std::array<bool, 3> mask(size_t i) const;
	/* The last argument, or the @i-th before it: what is written. */
	const at::Tensor &out(size_t i = 0) const
	{
		return tensor(count - 1 - i);
	}
	void give(at::Tensor result)
	{
		results.emplace_back(std::move(result));
	}
	void give_value(bool value)
	{
		results.emplace_back(value);
	}
	/* Instead of the arguments. */
	void finish();

	const Entry &entry;

private:
	torch::jit::Stack &stack;
	size_t count;
	std::vector<c10::IValue> results;
};

enum EntryFlags {
	/* Integers become the default floating type. */
	TO_FLOAT	= 1,
	/* The result is bool, whatever the inputs. */
	TO_BOOL		= 2,
	/* Also right for integers of less than 32 bits, and for bool. */
	ANY_INTEGER	= 4,
	/* Argument 2 multiplies argument 1. */
	ALPHA		= 8,
	/* A number is of the tensors' type, since results leap; so it is with TO_BOOL. */
	ROUNDED		= 16,
};

struct Entry {
	const char *op;
	void (*run)(Call &call);
	const char *kernel = nullptr;
	const char *with_scalar = nullptr;	/* tensor OP number */
	const char *scalar_with = nullptr;	/* number OP tensor */
	unsigned int flags = 0;
	const char *for_bool = nullptr;		/* the same of 0 and 1 */
};

void add_entry(torch::Library &library, const Entry &entry);
template <size_t N> void add_entries(torch::Library &library, const Entry (&table)[N])
{
	for (const Entry &entry : table)
		add_entry(library, entry);
}

/* What the inputs are computed in; throws Unsupported where no kernel does. */
Held compute_type(c10::ScalarType type, unsigned int flags);
c10::ScalarType promote(c10::ScalarType type, unsigned int flags);
/* What several kernels in a row compute in: bf16 is rounded at the end only. */
inline Held inner_type(Held type)
{
	return type == Held::BF16 ? Held::F32 : type;
}
/* A number of the host's: a tensor without dims, on the CPU. */
bool is_number(const at::Tensor &t);
uint32_t scalar_bits(const c10::Scalar &value, Held type);

/* As the type of @t has it: 300 is 44 as uint8, 2 is true. */
c10::Scalar narrow(const at::Tensor &t, const c10::Scalar &value);

/* An input as a view on the card, of @type; a number becomes a tensor. */
View input(const at::Tensor &t, Held type);

/*
 * Runs an element-wise kernel of @type into @out, whatever its strides and type; inputs are
 * repeated to its sizes and cast. The kernel's result is of type @result.
 */
void pointwise(const char *kernel, Held type, Held result, const View &out,
	       c10::ArrayRef<View> inputs, c10::ArrayRef<uint32_t> scalars = {});
/* The same with inputs that are of the right types. */
void pointwise_as_is(const char *kernel, Held type, Held result, const View &out,
		     c10::ArrayRef<View> inputs, c10::ArrayRef<uint32_t> scalars = {});
/*
 * If @bits, the scalar of @kernel, is another one each time: the same by a tensor of it. Else false,
 * and nothing is done.
 */
bool pointwise_by_tensor(const char *kernel, Held type, const View &out, const View &in,
			 uint32_t bits);
/* The same, into new memory. */
View pointwise(const char *kernel, Held type, c10::ArrayRef<View> inputs,
	       c10::ArrayRef<uint32_t> scalars = {});
/* An output as a view, of @sizes (inner first) from now on, as callers of out= expect. */
View output(const at::Tensor &out, at::IntArrayRef sizes);
/* The same, of the sizes that two operands have together; an operand is never resized. */
View output(const at::Tensor &out, const at::Tensor &a, const at::Tensor &b);
/* Into a tensor, with the cast that it needs. */
void store(const at::Tensor &out, const View &result);
/* Throws Unsupported where a result of @result cannot be stored to @out. */
void check_result(const at::Tensor &out, Held result);
/* The sizes of a tensor alone, which may be a number of the host's. */
View sizes_of(const at::Tensor &t);
/* Sizes, inner first, that inputs are repeated to. */
Dims broadcast_sizes(c10::ArrayRef<View> inputs);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_OP_H */
