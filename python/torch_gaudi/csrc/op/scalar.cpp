// SPDX-License-Identifier: MIT
/*
 * A kernel's scalars are part of its recipe. One that is another number each time, as those that
 * an optimizer computes of its step, would cost a recipe each time. So the first numbers of a
 * kernel and sizes are scalars, and others are tensors, which a launch takes as they come.
 */
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "op.h"

namespace torch_gaudi {
namespace {

const size_t most_numbers = 8;
/* Kernels and sizes that are remembered; when there are more all are forgotten. */
const size_t most_sites = 4096;

/* The same of two tensors, to the bit. */
struct Pair {
	const char *scalar, *tensor;
	bool number_first;
};

const Pair pairs[] = {
	{ "mul_scalar", "mul", false },
	{ "add_scalar", "add", false },
	{ "sub_scalar", "sub", false },
	{ "rsub_scalar", "sub", true },
	{ "div_scalar", "div", false },
	{ "rdiv_scalar", "div", true },
};

/* Whether @bits is none of the first numbers of this kernel and these sizes. */
bool is_new(const Pair &pair, const Dims &sizes, uint32_t bits)
{
	static std::mutex mutex;
	static std::map<std::pair<const Pair *, std::vector<int64_t>>, std::vector<uint32_t>> sites;
	std::lock_guard<std::mutex> lock(mutex);

	if (sites.size() > most_sites)
		sites.clear();
	auto &known = sites[{ &pair, { sizes.begin(), sizes.end() } }];
	if (std::find(known.begin(), known.end(), bits) != known.end())
		return false;
	if (known.size() == most_numbers)
		return true;
	known.push_back(bits);
	return false;
}

} // namespace

bool pointwise_by_tensor(const char *kernel, Held type, const View &out,
			 const View &in, uint32_t bits)
{
	auto pair = std::find_if(std::begin(pairs), std::end(pairs), [=](const Pair &p) {
		return !std::strcmp(p.scalar, kernel);
	});

	if (type != Held::F32 || pair == std::end(pairs) || !is_new(*pair, out.sizes, bits))
		return false;
	View number = make_view({ 1 }, type);
	fill_view(number, bits);
	pointwise(pair->tensor, type, type, out,
		  { pair->number_first ? number : in, pair->number_first ? in : number });
	return true;
}

} // namespace torch_gaudi
