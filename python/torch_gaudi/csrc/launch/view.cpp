// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "launch.h"

namespace torch_gaudi {

/* Dims that kernels take. */
static const size_t max_rank = 5;

int64_t View::numel() const
{
	return std::accumulate(sizes.begin(), sizes.end(), (int64_t)1, std::multiplies<int64_t>());
}

int64_t View::extent() const
{
	int64_t last = 1;

	for (size_t d = 0; d < rank(); d++) {
		if (!sizes[d])
			return 0;
		last += (sizes[d] - 1) * strides[d];
	}
	return last;
}

bool View::dense() const
{
	int64_t step = 1;

	for (size_t d = 0; d < rank(); d++) {
		if (sizes[d] != 1 && strides[d] != step)
			return false;
		step *= sizes[d];
	}
	return true;
}

uint32_t gaudi_type(Held type)
{
	switch (type) {
	case Held::F32:
		return GAUDI_TYPE_F32;
	case Held::BF16:
		return GAUDI_TYPE_BF16;
	case Held::F16:
		return GAUDI_TYPE_F16;
	case Held::I32:
		return GAUDI_TYPE_I32;
	default:
		throw Unsupported("complex numbers");
	}
}

size_t size_of(Held type)
{
	return held_size(scalar_type(type));
}

c10::ScalarType scalar_type(Held type)
{
	switch (type) {
	case Held::F32:
		return c10::ScalarType::Float;
	case Held::BF16:
		return c10::ScalarType::BFloat16;
	case Held::F16:
		return c10::ScalarType::Half;
	case Held::I32:
		return c10::ScalarType::Int;
	case Held::C64:
		return c10::ScalarType::ComplexFloat;
	default:
		throw Unsupported("a type that the card does not hold");
	}
}

View view(const at::Tensor &t)
{
	View v = { t, address(t), held(t.scalar_type()), {}, {} };

	v.sizes.assign(t.sizes().rbegin(), t.sizes().rend());
	v.strides.assign(t.strides().rbegin(), t.strides().rend());
	return v;
}

View make_view(at::IntArrayRef sizes, Held type)
{
	Dims outer_first(sizes.rbegin(), sizes.rend());

	return view(empty(outer_first, scalar_type(type)));
}

View expand(const View &v, at::IntArrayRef sizes)
{
	View out = v;

	out.sizes.assign(sizes.begin(), sizes.end());
	out.strides.assign(sizes.size(), 0);
	for (size_t d = 0; d < v.rank(); d++) {
		int64_t size = d < sizes.size() ? sizes[d] : 1;

		TORCH_CHECK(v.sizes[d] == size || v.sizes[d] == 1, "hpu: a tensor of size ",
			    v.sizes[d], " at dimension -", d + 1, " cannot be expanded to size ", size);
		if (d < sizes.size() && v.sizes[d] == size)
			out.strides[d] = v.strides[d];
	}
	return out;
}

View permute(const View &v, at::IntArrayRef order)
{
	View out = v;

	for (size_t d = 0; d < order.size(); d++) {
		out.sizes[d] = v.sizes[order[d]];
		out.strides[d] = v.strides[order[d]];
	}
	return out;
}

View unsqueeze(const View &v, size_t d)
{
	View out = v;

	out.strides.insert(out.strides.begin() + d, d < v.rank() ? v.strides[d] : v.extent());
	out.sizes.insert(out.sizes.begin() + d, 1);
	return out;
}

View reshape(const View &v, at::IntArrayRef sizes)
{
	View out = v;
	int64_t step = 1;

	out.sizes.assign(sizes.begin(), sizes.end());
	out.strides.clear();
	for (int64_t size : sizes) {
		out.strides.push_back(step);
		step *= size;
	}
	TORCH_CHECK(step == v.numel(), "hpu: an operand has ", v.numel(), " elements, where ", step,
		    " are expected");
	return out;
}

View channels_first(const View &v)
{
	return permute(v.rank() == 3 ? unsqueeze(v, 3) : v, { 2, 0, 1, 3 });
}

View channels_back(const View &v)
{
	return permute(v, { 1, 2, 0, 3 });
}

/* Whether dim @d can be a part of the dim before it, @inner, in all views. */
static bool joins(c10::ArrayRef<View *> views, size_t inner, size_t d)
{
	return std::all_of(views.begin(), views.end(), [=](const View *v) {
		return v->strides[d] == v->strides[inner] * v->sizes[inner];
	});
}

void coalesce(c10::ArrayRef<View *> views)
{
	const View &first = *views[0];
	Dims order;

	for (size_t d = 0; d < first.rank(); d++)
		if (first.sizes[d] != 1)
			order.push_back(d);
	std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
		return first.strides[a] < first.strides[b];
	});
	for (View *v : views) {
		View ordered = permute(*v, order);

		v->sizes.assign(ordered.sizes.begin(), ordered.sizes.begin() + order.size());
		v->strides.assign(ordered.strides.begin(), ordered.strides.begin() + order.size());
	}
	for (size_t d = 1; d < views[0]->rank();) {
		if (!joins(views, d - 1, d)) {
			d++;
			continue;
		}
		for (View *v : views) {
			v->sizes[d - 1] *= v->sizes[d];
			v->sizes.erase(v->sizes.begin() + d);
			v->strides.erase(v->strides.begin() + d);
		}
	}
}

int64_t least_part(int64_t size, int64_t least)
{
	for (int64_t part = std::max(least, (int64_t)1); part < size && part <= least * 16; part++)
		if (size % part == 0)
			return part;
	return size;
}

/* Numbers of two words: a dim of two in addition. */
static View as_words(View v)
{
	if (v.type != Held::C64)
		return v;
	for (int64_t &stride : v.strides)
		stride *= 2;
	v.sizes.insert(v.sizes.begin(), 2);
	v.strides.insert(v.strides.begin(), 1);
	v.type = Held::F32;
	return v;
}

/* Kernels that move bits do so for all types of their width. */
static View as_moved(View v)
{
	v = as_words(std::move(v));
	v.type = v.type == Held::F16 ? Held::BF16 : v.type == Held::I32 ? Held::F32 : v.type;
	return v;
}

static int unit_dim(const View &v)
{
	for (size_t d = 0; d < v.rank(); d++)
		if (v.strides[d] == 1)
			return d;
	return -1;
}

static void permute_copy(View to, View from)
{
	static const char *const names[] = { "permute0", "permute1", "permute2", "permute3",
					     "permute4" };
	int inner = unit_dim(from);
	Dims order;
	uint32_t perm = 0;

	if (inner < 0) {
		inner = from.rank();
		from = unsqueeze(from, inner);
		to = unsqueeze(to, inner);
	}
	/* The dim next to each other first, and the others in their order. */
	order.push_back(inner);
	for (size_t d = 0; d < from.rank(); d++)
		if ((int)d != inner)
			order.push_back(d);
	from = permute(from, order);
	while (to.rank() < max_rank) {
		order.push_back(to.rank());
		from = unsqueeze(from, from.rank());
		to = unsqueeze(to, to.rank());
	}
	size_t inner_of_to = 0;
	for (size_t i = 0; i < order.size(); i++) {
		perm |= i << (3 * order[i]);
		if (order[i] == 0)
			inner_of_to = i;
	}
	Launch(names[inner_of_to], from.type).read(from).write(to).bits(perm).run();
}

/* One index of the outermost dim after the other. */
static void copy_outer(const View &to, const View &from)
{
	size_t last = to.rank() - 1;
	View t = to, f = from;

	t.sizes.pop_back();
	t.strides.pop_back();
	f.sizes.pop_back();
	f.strides.pop_back();
	for (int64_t i = 0; i < to.sizes[last]; i++) {
		t.address = to.address + i * to.strides[last] * size_of(to.type);
		f.address = from.address + i * from.strides[last] * size_of(from.type);
		copy_view(t, f);
	}
}

/* Ranges may overlap: then by way of other memory. */
static void copy_range(gaudi_ptr to, gaudi_ptr from, size_t bytes)
{
	if (to == from)
		return;
	if (to < from + bytes && from < to + bytes) {
		at::Tensor between = empty({ (int64_t)bytes }, c10::ScalarType::Float);

		copy_bytes(address(between), from, bytes);
		from = address(between);
		copy_bytes(to, from, bytes);
		return;
	}
	copy_bytes(to, from, bytes);
}

void copy_view(View to, View from)
{
	if (!to.numel())
		return;
	to = as_moved(std::move(to));
	from = as_moved(std::move(from));
	View *both[] = { &to, &from };
	coalesce(both);
	if (!to.rank() || (to.rank() == 1 && to.strides[0] == 1 && from.strides[0] == 1)) {
		copy_range(to.address, from.address, to.numel() * size_of(to.type));
		return;
	}
	if (to.strides[0] != 1) {
		to = unsqueeze(to, 0);
		from = unsqueeze(from, 0);
		to.strides[0] = from.strides[0] = 1;
	}
	bool moves = from.strides[0] != 1 && from.strides[0] != 0;
	if (to.rank() + (moves && unit_dim(from) < 0) > max_rank) {
		copy_outer(to, from);
	} else if (from.strides[0] == 1) {
		Launch("copy", to.type).read(from).write(to).run();
	} else if (!moves) {
		from.sizes[0] = 1;
		from.strides[0] = 1;
		Launch("broadcast", to.type).read(from).write(to).run();
	} else {
		permute_copy(to, from);
	}
}

View dense(const View &v)
{
	if (v.dense())
		return v;
	View out = make_view(v.sizes, v.type);

	copy_view(out, v);
	return out;
}

static const char *cast_name(Held to, Held from)
{
	if (from == Held::F32 && to == Held::BF16)
		return "cast_f32_bf16";
	if (from == Held::BF16 && to == Held::F32)
		return "cast_bf16_f32";
	if (from == Held::F32 && to == Held::I32)
		return "cast_f32_i32";
	if (from == Held::I32 && to == Held::F32)
		return "cast_i32_f32";
	return nullptr;
}

void cast_view(View to, View from)
{
	if (to.type == from.type)
		return copy_view(to, from);
	if (!to.numel())
		return;
	const char *name = cast_name(to.type, from.type);
	if (!name) {
		if (to.type == Held::F32 || from.type == Held::F32 || to.type > Held::I32 ||
		    from.type > Held::I32 || to.type == Held::F16 || from.type == Held::F16)
			throw Unsupported("a cast between these types");
		return cast_view(to, cast(from, Held::F32));
	}
	View *both[] = { &to, &from };
	coalesce(both);
	if (!to.rank()) {
		to = unsqueeze(to, 0);
		from = unsqueeze(from, 0);
	}
	if (from.rank() > max_rank || (from.strides[0] != 1 && from.sizes[0] != 1))
		from = dense(from);
	if (to.rank() > max_rank || (to.strides[0] != 1 && to.sizes[0] != 1)) {
		View out = make_view(to.sizes, to.type);

		cast_view(out, from);
		return copy_view(to, out);
	}
	Launch(name, Held::NONE).read(from).write(to).run();
}

View cast(const View &v, Held type)
{
	if (v.type == type)
		return v;
	View out = make_view(v.sizes, type);

	cast_view(out, v);
	return out;
}

void fill_view(const View &to, uint64_t bits)
{
	if (!to.numel())
		return;
	View moved = as_words(to);
	if (to.type == Held::C64 && bits >> 32 != (uint32_t)bits)
		throw Unsupported("a complex value");
	uint32_t size = size_of(moved.type);
	View one = make_view({ 1 }, moved.type);
	View *only[] = { &moved };

	coalesce(only);
	if (!moved.rank() || (moved.rank() == 1 && moved.strides[0] == 1)) {
		fill_elements(moved.address, bits, size, moved.numel());
		return;
	}
	fill_elements(one.address, bits, size, 1);
	copy_view(moved, expand(one, moved.sizes));
}

} // namespace torch_gaudi
