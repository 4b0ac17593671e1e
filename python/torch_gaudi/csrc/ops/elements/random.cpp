// SPDX-License-Identifier: MIT
/*
 * Random numbers, which the card makes of a seed and the element's place: the same whatever
 * the number of its TPCs. Each call draws its seed from a generator of the CPU's.
 */
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ExpandUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/multinomial_native.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/stack.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "../../base/generator.h"
#include "../../launch/outside.h"
#include "../../op/op.h"
#include "../../work/capture.h"

namespace torch_gaudi {
namespace {

const Held f = Held::F32;

uint64_t draw_seed(const c10::IValue &generator)
{
	if (generator.isNone())
		return torch_gaudi::draw_seed();
	at::Generator g = generator.toGenerator();
	if (g.device().is_hpu())
		g = host_generator(g);
	if (!g.device().is_cpu())
		throw Unsupported("a generator of another device");
	std::lock_guard<std::mutex> lock(g.mutex());
	return at::check_generator<at::CPUGeneratorImpl>(g)->random64();
}

/*
 * What each launch of a captured graph fills anew. Those in the graph that need one count its
 * offset on, each before it reads it.
 */
View captured_seed(Pool &pool)
{
	View seed = { at::Tensor(), pool_seed(pool), Held::I32, { 8 }, { 1 } }, offset = seed;

	offset.address += 2 * sizeof(uint32_t);
	offset.sizes[0] = 1;
	Launch("add_scalar", Held::I32).read(offset).write(offset).bits(1).run();
	return seed;
}

View seed_of(const c10::IValue &generator)
{
	PoolRef pool = capture_pool();

	if (pool) {
		if (!generator.isNone())
			throw Unsupported("a generator that a graph would have to ask");
		return captured_seed(*pool);
	}
	View seed = make_view({ 8 }, Held::I32);
	/* The key, and the same again as the offset. */
	fill_elements(seed.address, draw_seed(generator), 8, 4);
	return seed;
}

/* Numbers of @kernel, one behind the other. */
void generate(const char *kernel, const View &to, const c10::IValue &generator,
	      c10::ArrayRef<uint32_t> scalars = {})
{
	if (!to.numel())
		return;
	require_kernel(kernel, to.type);
	View seed = seed_of(generator);
	Launch launch(kernel, to.type);
	launch.read(seed).write(reshape(to, { to.numel() }));
	for (uint32_t word : scalars)
		launch.bits(word);
	launch.run();
}

/* Into a tensor of any strides. */
void generate_into(const char *kernel, Held type, const at::Tensor &out,
		   const c10::IValue &generator, c10::ArrayRef<uint32_t> scalars = {})
{
	View to = view(out);

	if (to.type == type && to.dense())
		return generate(kernel, to, generator, scalars);
	View made = make_view(to.sizes, type);
	generate(kernel, made, generator, scalars);
	cast_view(to, made);
}

View numbers(const char *kernel, at::IntArrayRef sizes, const c10::IValue &generator)
{
	View made = make_view(sizes, f);

	generate(kernel, made, generator);
	return made;
}

View scalar_op(const char *kernel, const View &v, double value)
{
	return pointwise(kernel, f, { v }, f32_bits(value));
}

/* float32 or bf16 */
Held real_type(const at::Tensor &t)
{
	Held h = held(t.scalar_type());

	if (h != Held::F32 && h != Held::BF16)
		throw Unsupported(std::string("random numbers of ") + c10::toString(t.scalar_type()));
	return h;
}

void scaled(Call &c, const char *kernel, double factor, double offset)
{
	const at::Tensor &self = c.tensor(0);
	Held type = real_type(self);

	/* PyTorch says what is wrong with them. */
	if (!std::isfinite(factor) || !std::isfinite(offset) || factor < 0)
		throw Unsupported("such limits");
	if (factor == 1 && offset == 0) {
		generate_into(kernel, type, self, c[3]);
	} else {
		View made = make_view(view(self).sizes, type);

		generate(kernel, made, c[3]);
		cast_view(view(self), scalar_op("add_scalar", scalar_op("mul_scalar", made, factor),
						offset));
	}
	c.give(self);
}

/* (self, from, to, generator) */
void uniform(Call &c)
{
	double from = c.scalar(1).to<double>(), to = c.scalar(2).to<double>();

	scaled(c, "uniform", to - from, from);
}

/* (self, mean, deviation, generator) */
void normal(Call &c)
{
	scaled(c, "normal", c.scalar(2).to<double>(), c.scalar(1).to<double>());
}

at::IntArrayRef sizes_or_none(const c10::IValue &v)
{
	return v.isTensor() ? v.toTensor().sizes() : at::IntArrayRef();
}

View value_of(const c10::IValue &v)
{
	if (v.isTensor())
		return input(v.toTensor(), f);
	View one = make_view({ 1 }, f);
	fill_view(one, f32_bits(v.toScalar().to<double>()));
	return one;
}

/* (mean, deviation, generator[, out]): each a tensor or a number. */
template <bool with_out> void normal_of(Call &c)
{
	std::vector<int64_t> sizes = at::infer_size(sizes_or_none(c[0]), sizes_or_none(c[1]));
	const at::Tensor &like = c[0].isTensor() ? c.tensor(0) : c.tensor(1);
	at::Tensor out = with_out ? c.out() : empty(sizes, like.scalar_type());

	real_type(out);
	Dims inner_first(sizes.rbegin(), sizes.rend());
	View to = output(out, inner_first), made = numbers("normal", inner_first, c[2]);
	made = pointwise("mul", f, { made, value_of(c[1]) });
	pointwise("add", f, f, to, { made, value_of(c[0]) });
	c.give(out);
}

/* (self, rate, generator) */
void exponential(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	double rate = c.scalar(1).to<double>();

	real_type(self);
	if (!(rate > 0) || !std::isfinite(rate))
		throw Unsupported("such a rate");
	/* From 2^-24 to 1: no logarithm of 0. The result is above 0, as others divide by it. */
	View u = scalar_op("add_scalar", numbers("uniform", view(self).sizes, c[2]), 0x1p-24);
	View made = scalar_op("mul_scalar", pointwise("log", f, { u }), -1 / rate);
	cast_view(view(self), scalar_op("max_scalar", made, 0x1p-25 / rate));
	c.give(self);
}

/* (self, p, generator) */
void bernoulli(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	double p = c.scalar(1).to<double>();
	Held type = compute_type(self.scalar_type(), ANY_INTEGER);

	if (!(p >= 0 && p <= 1))
		throw Unsupported("such a probability");
	generate_into("bernoulli", type, self, c[2], f32_bits(p));
	c.give(self);
}

void compare_with(const at::Tensor &out, const at::Tensor &p, const c10::IValue &generator)
{
	View to = view(out), u = numbers("uniform", to.sizes, generator);

	compute_type(out.scalar_type(), ANY_INTEGER);
	/* A NaN is not itself. */
	check_none("bernoulli: a probability is not from 0 to 1",
		   view(at::ne(p, at::clamp(p, 0, 1))));
	pointwise("lt", f, Held::I32, to, { u, input(p, f) });
}

/* (self, p, generator) */
void bernoulli_tensor(Call &c)
{
	compare_with(c.tensor(0), c.tensor(1), c[2]);
	c.give(c.tensor(0));
}

/* (p, generator, out) */
void bernoulli_out(Call &c)
{
	output(c.out(), view(c.tensor(0)).sizes);
	compare_with(c.out(), c.tensor(0), c[1]);
	c.give(c.out());
}

/* Whole numbers that a type has, from 0 on: what lies beyond the last one. */
int64_t end_of(c10::ScalarType type)
{
	switch (type) {
	case c10::ScalarType::Bool:
		return 2;
	case c10::ScalarType::Byte:
		return 256;
	case c10::ScalarType::Char:
		return 128;
	case c10::ScalarType::Short:
		return 1 << 15;
	case c10::ScalarType::BFloat16:
		return (1 << 8) + 1;
	case c10::ScalarType::Float:
	case c10::ScalarType::Double:
		return (1 << 24) + 1;
	default:
		return (int64_t)1 << 31;
	}
}

void whole(Call &c, int64_t from, int64_t to, const c10::IValue &generator)
{
	const at::Tensor &self = c.tensor(0);
	const int64_t low = std::numeric_limits<int32_t>::min(), end = (int64_t)1 << 31;
	c10::ScalarType type = self.scalar_type();
	Held h = compute_type(type, ANY_INTEGER);

	if (from >= to || from < low || to > end)
		throw Unsupported("a range that is empty, or beyond 32 bits");
	if (h != Held::I32 ? std::max(std::abs(from), to) > end_of(type) :
			     type != c10::ScalarType::Int && type != c10::ScalarType::Long &&
			     (from < (type == c10::ScalarType::Char ? -128 :
				      type == c10::ScalarType::Short ? -(1 << 15) : 0) ||
			      to > end_of(type)))
		throw Unsupported("a range beyond the type's");
	generate_into("randint", Held::I32, self, generator,
		      { (uint32_t)from, (uint32_t)(to - from) });
	c.give(self);
}

/* (self, from, to or none, generator) */
void random_from(Call &c)
{
	whole(c, c.integer(1), c[2].isNone() ? end_of(c.tensor(0).scalar_type()) : c.integer(2),
	      c[3]);
}

/* (self, to, generator) */
void random_to(Call &c)
{
	whole(c, 0, c.integer(1), c[2]);
}

/* (self, generator) */
void random(Call &c)
{
	whole(c, 0, end_of(c.tensor(0).scalar_type()), c[1]);
}

/* What is wrong with weights PyTorch says for all devices where it draws without replacement. */
void check_weights(const at::Tensor &self, int64_t count)
{
	TORCH_CHECK(count > 0, "cannot sample n_sample <= 0 samples");
	TORCH_CHECK(self.dim() == 1 || self.dim() == 2,
		    "prob_dist must be 1 or 2 dim");
	if (capture_pool() || !self.numel())
		return;
	at::Tensor some = self.sum(-1).amin(), least = self.amin(), most = self.amax();
	at::Tensor found = at::stack({ some, least, most }).to(c10::kFloat).cpu();
	const float *values = found.data_ptr<float>();
	TORCH_CHECK(values[1] >= 0 && std::isfinite(values[2]),
		    "probability tensor contains either `inf`, `nan` or element < 0");
	TORCH_CHECK(values[0] > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
}

/*
 * Each draw is the first element up to which there is as much weight as a part of all, which is
 * above 0, so that it is none without a weight.
 */
at::Tensor drawn_with_replacement(const at::Tensor &self, int64_t count,
				  const c10::IValue &generator)
{
	check_weights(self, count);
	at::Tensor to_here = self.to(c10::kFloat).cumsum(-1);
	std::vector<int64_t> sizes = self.sizes().vec();
	sizes.back() = count;
	at::Tensor parts = empty(sizes, c10::kFloat);
	Dims inner_first(sizes.rbegin(), sizes.rend());

	copy_view(view(parts), scalar_op("add_scalar", numbers("uniform", inner_first, generator),
					 0x1p-24));
	return at::searchsorted(to_here,
				at::mul(parts, to_here.narrow(-1, self.size(-1) - 1, 1)));
}

/* (self, count, replacement, generator[, out]): PyTorch's own way, by other operators. */
template <bool with_out> void multinomial(Call &c)
{
	const at::Tensor &self = c.tensor(0);
	c10::optional<at::Generator> g;

	real_type(self);
	at::Tensor out = with_out ? c.out() : empty({ 0 }, c10::kLong);
	if (c[2].toBool() && c.integer(1) != 1) {
		at::Tensor found = drawn_with_replacement(self, c.integer(1), c[3]);

		at::native::resize_output(out, found.sizes());
		out.copy_(found);
	} else {
		if (!c[3].isNone())
			g = c[3].toGenerator();
		/* One is the same with replacement, of which PyTorch 1 asks the device. */
		at::native::multinomial_out(self, c.integer(1), false, g, out);
	}
	c.give(out);
}

/* A seed that stays, to draw the same numbers again, as a pass that is computed twice does. */
at::Tensor seed_that_stays()
{
	View kept = make_view({ 8 }, Held::I32);

	copy_view(kept, seed_of({}));
	return kept.tensor;
}

/* As many as @like has, of its type: 1 with probability @p, else 0; the same for the same seed. */
at::Tensor bernoulli_of_seed(const at::Tensor &like, const at::Tensor &seed, double p)
{
	at::Tensor made = empty(like.sizes(), like.scalar_type());
	Held type = real_type(like);

	if (made.numel())
		Launch("bernoulli", type).read(view(seed)).write(reshape(view(made), { made.numel() }))
			.scalar(p).run();
	return made;
}

const Entry table[] = {
	{ "uniform_", uniform },
	{ "normal_", normal },
	{ "normal.Tensor_float", normal_of<false> },
	{ "normal.float_Tensor", normal_of<false> },
	{ "normal.Tensor_Tensor", normal_of<false> },
	{ "normal.Tensor_float_out", normal_of<true> },
	{ "normal.float_Tensor_out", normal_of<true> },
	{ "normal.Tensor_Tensor_out", normal_of<true> },
	{ "exponential_", exponential },
	{ "bernoulli_.float", bernoulli },
	{ "bernoulli_.Tensor", bernoulli_tensor },
	{ "bernoulli.out", bernoulli_out },
	{ "random_", random },
	{ "random_.to", random_to },
	{ "random_.from", random_from },
	{ "multinomial", multinomial<false> },
	{ "multinomial.out", multinomial<true> },
};

TORCH_LIBRARY_FRAGMENT(torch_gaudi, m)
{
	m.def("seed() -> Tensor", seed_that_stays);
	m.def("bernoulli(Tensor like, Tensor seed, float p) -> Tensor", bernoulli_of_seed);
}

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
