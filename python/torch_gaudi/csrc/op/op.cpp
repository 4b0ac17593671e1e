// SPDX-License-Identifier: MIT
#include <ATen/native/Resize.h>

#include <algorithm>

#include "../launch/outside.h"
#include "copy.h"
#include "fallback.h"
#include "op.h"

namespace torch_gaudi {

std::vector<int64_t> Call::ints(size_t i) const
{
	const c10::IValue &v = (*this)[i];

	if (v.isNone())
		return {};
	if (v.isInt())
		return { v.toInt() };
	return v.toIntVector();
}

std::array<bool, 3> Call::mask(size_t i) const
{
	c10::List<bool> list = (*this)[i].toBoolList();

	return { list.get(0), list.get(1), list.get(2) };
}

void Call::finish()
{
	torch::jit::drop(stack, count);
	for (c10::IValue &v : results)
		stack.push_back(std::move(v));
}

namespace {

class Kernel final : public c10::OperatorKernel {
public:
	explicit Kernel(const Entry &entry) : entry(entry)
	{
	}
	void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet,
			torch::jit::Stack *stack)
	{
		Running running(entry.op);
		std::string why;

		try {
			Call call(op, *stack, entry);

			entry.run(call);
			call.finish();
			return;
		} catch (const Unsupported &u) {
			why = u.what();
		}
		fallback(op, stack, why);
	}

private:
	const Entry &entry;
};

} // namespace

void add_entry(torch::Library &library, const Entry &entry)
{
	library.impl(entry.op, torch::CppFunction::makeFromBoxedFunctor(
				       std::make_unique<Kernel>(entry)));
}

c10::ScalarType promote(c10::ScalarType type, unsigned int flags)
{
	if (flags & TO_FLOAT && c10::isIntegralType(type, /*includeBool=*/true))
		return c10::typeMetaToScalarType(c10::get_default_dtype());
	return type;
}

Held compute_type(c10::ScalarType type, unsigned int flags)
{
	Held h = held(type);

	if (h == Held::I32 && type != c10::ScalarType::Int && type != c10::ScalarType::Long &&
	    !(flags & (ANY_INTEGER | TO_BOOL)))
		throw Unsupported(std::string("arithmetic of ") + c10::toString(type));
	if (h != Held::F32 && h != Held::BF16 && h != Held::I32)
		throw Unsupported(std::string("no kernels of ") + c10::toString(type));
	return h;
}

bool is_number(const at::Tensor &t)
{
	return t.dim() == 0 && t.is_cpu();
}

uint32_t scalar_bits(const c10::Scalar &value, Held type)
{
	if (value.isComplex())
		throw Unsupported("a complex number");
	if (type != Held::I32)
		return f32_bits(value.to<double>());
	int64_t v = value.to<int64_t>();
	if (v != (int32_t)v)
		throw Unsupported("a number beyond 32 bits");
	return (uint32_t)v;
}

c10::Scalar narrow(const at::Tensor &t, const c10::Scalar &value)
{
	if (t.scalar_type() == c10::ScalarType::Bool)
		return value.toComplexDouble() != c10::complex<double>(0) ? 1 : 0;
	if (t.scalar_type() == c10::ScalarType::Byte)
		return (int64_t)(uint8_t)value.to<int64_t>();
	if (t.scalar_type() == c10::ScalarType::Char)
		return (int64_t)(int8_t)value.to<int64_t>();
	if (t.scalar_type() == c10::ScalarType::Short)
		return (int64_t)(int16_t)value.to<int64_t>();
	return value;
}

View input(const at::Tensor &t, Held type)
{
	if (!is_number(t))
		return cast(view(t), type);
	View one = make_view({ 1 }, Held::F32);
	View value = type == Held::BF16 ? one : make_view({ 1 }, type);
	fill_view(value, scalar_bits(t.item(), type));
	return cast(value, type);
}

void check_result(const at::Tensor &out, Held result)
{
	c10::ScalarType type = out.scalar_type();

	if (held(type) == Held::NONE || held(type) == Held::C64 || held(type) == Held::F16)
		throw Unsupported(std::string("a result of ") + c10::toString(type));
	if (result != Held::I32 && held(type) == Held::I32)
		throw Unsupported("a result that is cast to integers");
}

View sizes_of(const at::Tensor &t)
{
	View v;

	v.sizes.assign(t.sizes().rbegin(), t.sizes().rend());
	return v;
}

Dims broadcast_sizes(c10::ArrayRef<View> inputs)
{
	size_t rank = 0;
	Dims sizes;

	for (const View &v : inputs)
		rank = std::max(rank, v.rank());
	sizes.resize(rank, 1);
	for (const View &v : inputs) {
		for (size_t d = 0; d < v.rank(); d++) {
			if (v.sizes[d] == 1)
				continue;
			TORCH_CHECK(sizes[d] == 1 || sizes[d] == v.sizes[d], "The size of tensor a (",
				    sizes[d], ") must match the size of tensor b (", v.sizes[d],
				    ") at non-singleton dimension ", rank - 1 - d);
			sizes[d] = v.sizes[d];
		}
	}
	return sizes;
}

/* A copy whose inner dim's elements are next to each other; what is repeated stays so. */
static View with_inner(const View &v)
{
	View once = v;

	for (size_t d = 1; d < v.rank(); d++)
		if (!v.strides[d])
			once.sizes[d] = 1;
	View copy = make_view(once.sizes, v.type);
	copy_view(copy, once);
	return expand(copy, v.sizes);
}

static bool has_inner(const View &v)
{
	return v.sizes[0] == 1 || v.strides[0] == 1;
}

/* Repeating an operand takes a launch, as long as so many rows do. */
static const int64_t worth = 512;

static bool joins_inner(const View &v)
{
	return v.strides[1] == v.strides[0] * v.sizes[0];
}

/* The first two dims of @v, which other dims repeat, as one of memory. */
static void join_inner(View &v)
{
	if (!joins_inner(v)) {
		View once = v;

		once.sizes.resize(2);
		once.strides.resize(2);
		View copy = make_view(once.sizes, v.type);
		copy_view(copy, once);
		copy.strides.resize(v.rank(), 0);
		copy.sizes = v.sizes;
		v = copy;
	}
	v.sizes[0] *= v.sizes[1];
	v.sizes.erase(v.sizes.begin() + 1);
	v.strides.erase(v.strides.begin() + 1);
}

/* How much of dim 1 can join dim 0, with memory for a small part of the elements; 1: nothing. */
static int64_t joining_part(c10::ArrayRef<View *> views)
{
	const View &to = *views[0];
	int64_t part = least_part(to.sizes[1], 4 * lanes / to.sizes[0]);

	for (const View *v : views) {
		if (joins_inner(*v))
			continue;
		if (v->strides[1])
			part = to.sizes[1];
		for (size_t d = 2; d < v->rank(); d++)
			if (v->strides[d])
				return 1;
	}
	return 8 * to.sizes[0] * part <= to.numel() ? part : 1;
}

/*
 * A kernel takes a row after the other, as long as it is short or not. So operands that are
 * repeated along dim 1 beside short rows, as a bias of few channels is, are repeated in memory
 * until rows fill the lanes.
 */
static void widen(c10::ArrayRef<View *> views)
{
	const View &to = *views[0];

	while (to.rank() > 1 && to.strides[0] == 1 && to.sizes[0] < lanes && joins_inner(to) &&
	       to.numel() / to.sizes[0] >= worth) {
		int64_t part = joining_part(views);

		if (part == 1)
			return;
		for (View *v : views) {
			if (part != v->sizes[1]) {
				v->sizes.insert(v->sizes.begin() + 2, v->sizes[1] / part);
				v->strides.insert(v->strides.begin() + 2, v->strides[1] * part);
				v->sizes[1] = part;
			}
			join_inner(*v);
		}
	}
}

void pointwise(const char *kernel, Held type, Held result, const View &out,
	       c10::ArrayRef<View> inputs, c10::ArrayRef<uint32_t> scalars)
{
	c10::SmallVector<View, 4> in;

	if (!out.numel())
		return;
	require_kernel(kernel, type);
	for (const View &v : inputs)
		in.push_back(cast(v, type));
	pointwise_as_is(kernel, type, result, out, in, scalars);
}

void pointwise_as_is(const char *kernel, Held type, Held result, const View &out,
		     c10::ArrayRef<View> inputs, c10::ArrayRef<uint32_t> scalars)
{
	c10::SmallVector<View, 4> in;
	c10::SmallVector<View *, 5> all;
	View to = out;

	if (!out.numel())
		return;
	if (scalars.size() == 1 && inputs.size() == 1 && result == type &&
	    pointwise_by_tensor(kernel, type, out, inputs[0], scalars[0]))
		return;
	for (const View &v : inputs)
		in.push_back(expand(v, out.sizes));
	if (to.type != result)
		to = make_view(out.sizes, result);
	all.push_back(&to);
	for (View &v : in)
		all.push_back(&v);
	coalesce(all);
	widen(all);
	for (View *v : all)
		if (!v->rank())
			*v = unsqueeze(*v, 0);
	View target = to;
	if (to.rank() > 5 || !has_inner(to))
		target = make_view(to.sizes, result);
	for (View &v : in)
		if (to.rank() > 5)
			v = dense(v);
		else if (!has_inner(v))
			v = with_inner(v);
	View written = to.rank() > 5 ? reshape(target, { target.numel() }) : target;
	Launch launch(kernel, type);
	for (View &v : in)
		launch.read(to.rank() > 5 ? reshape(v, { v.numel() }) : v);
	launch.write(written);
	for (uint32_t bits : scalars)
		launch.bits(bits);
	launch.run();
	if (target.address != to.address)
		copy_view(to, target);
	if (out.type != result) {
		/* The order of dims of the new memory is that of @out. */
		cast_view(out, reshape(to, out.sizes));
	}
}

View pointwise(const char *kernel, Held type, c10::ArrayRef<View> inputs,
	       c10::ArrayRef<uint32_t> scalars)
{
	View out = make_view(broadcast_sizes(inputs), type);

	pointwise(kernel, type, type, out, inputs, scalars);
	return out;
}

View output(const at::Tensor &out, at::IntArrayRef sizes)
{
	Dims outer(sizes.rbegin(), sizes.rend());

	if (out.sizes() != at::IntArrayRef(outer))
		at::native::resize_output(out, outer);
	return view(out);
}

View output(const at::Tensor &out, const at::Tensor &a, const at::Tensor &b)
{
	Dims sizes = broadcast_sizes({ sizes_of(a), sizes_of(b) });
	Dims outer(sizes.rbegin(), sizes.rend());

	TORCH_CHECK(!(out.is_same(a) || out.is_same(b)) || out.sizes() == at::IntArrayRef(outer),
		    "output with shape ", out.sizes(), " doesn't match the broadcast shape ",
		    at::IntArrayRef(outer));
	return output(out, sizes);
}

void store(const at::Tensor &out, const View &result)
{
	View to = view(out);

	cast_view(to, expand(result, to.sizes));
}

} // namespace torch_gaudi
