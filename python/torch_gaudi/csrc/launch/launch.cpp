// SPDX-License-Identifier: MIT
#include <cstring>
#include <map>
#include <mutex>

#include "../base/lru.h"
#include "launch.h"

namespace torch_gaudi {

const char *suffix(Held type)
{
	switch (type) {
	case Held::F32:
		return "f32";
	case Held::BF16:
		return "bf16";
	case Held::I32:
		return "i32";
	default:
		throw Unsupported("no kernel takes tensors of this type");
	}
}

bool has_kernel(const char *name, Held type)
{
	static std::mutex mutex;
	static std::map<std::pair<const char *, Held>, bool> known;
	std::lock_guard<std::mutex> lock(mutex);
	auto found = known.find({ name, type });

	if (C10_LIKELY(found != known.end()))
		return found->second;
	std::string full = std::string(name) + "_" + suffix(type);
	gaudi_kernel_description d = {};
	d.size = sizeof(d);
	return known[{ name, type }] = !gaudi_kernel_describe(full.c_str(), &d);
}

void require_kernel(const char *name, Held type)
{
	if (!has_kernel(name, type))
		throw Unsupported(std::string("there is no kernel ") + name + "_" + suffix(type));
}

uint32_t f32_bits(double value)
{
	float f = (float)value;
	uint32_t word;

	std::memcpy(&word, &f, sizeof(word));
	return word;
}

Launch &Launch::add(const View &v, uint32_t access)
{
	operands.push_back({ v, access, (uint32_t)operands.size() });
	return *this;
}

static bool is_same(const View &a, const View &b)
{
	return a.address == b.address && a.type == b.type && a.sizes == b.sizes &&
	       a.strides == b.strides;
}

static bool overlaps(const View &a, const View &b)
{
	return a.address < b.address + b.extent() * size_of(b.type) &&
	       b.address < a.address + a.extent() * size_of(a.type);
}

/*
 * A recipe's tensors must not overlap if one is written. What is the same tensor becomes one;
 * what overlaps in another way is read from a copy.
 */
void Launch::resolve()
{
	for (size_t i = 0; i < operands.size(); i++)
		for (size_t j = 0; j < i && operands[i].same == i; j++)
			if (operands[j].same == j && is_same(operands[i].view, operands[j].view))
				operands[i].same = j;
	for (Operand &a : operands) {
		for (const Operand &b : operands) {
			if (a.access != GAUDI_KERNEL_READS || !(b.access & GAUDI_KERNEL_WRITES) ||
			    a.same == b.same || !overlaps(a.view, b.view))
				continue;
			View copy = make_view(a.view.sizes, a.view.type);

			copy_view(copy, a.view);
			a.view = copy;
			a.same = &a - operands.begin();
			break;
		}
	}
}

template <class T> static void put(std::string &key, const T &value)
{
	key.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

std::string Launch::key() const
{
	std::string key;

	key.reserve(256);
	put(key, name);
	put(key, type);
	for (const Operand &o : operands) {
		put(key, (uint8_t)o.view.type);
		put(key, (uint8_t)o.access);
		put(key, (uint8_t)o.same);
		put(key, (uint8_t)o.view.rank());
		for (size_t d = 0; d < o.view.rank(); d++) {
			put(key, (uint32_t)o.view.sizes[d]);
			put(key, o.view.strides[d]);
		}
	}
	for (uint32_t word : scalars)
		put(key, word);
	return key;
}

/* Kernels of words without a sign take those of i32, too: seeds. */
static uint32_t type_for(const gaudi_kernel_description &kernel, size_t operand, Held type)
{
	if (type == Held::I32 && operand < kernel.num_tensors &&
	    kernel.tensors[operand].type == GAUDI_TYPE_U32)
		return GAUDI_TYPE_U32;
	return gaudi_type(type);
}

static void describe(gaudi_tensor_desc &d, const View &v)
{
	size_t size = size_of(v.type);

	d.size = sizeof(d);
	d.rank = d.num_strides = v.rank();
	for (size_t i = 0; i < v.rank(); i++) {
		d.dims[i] = v.sizes[v.rank() - 1 - i];
		d.strides[i] = v.strides[v.rank() - 1 - i] * size;
	}
}

gaudi_recipe *Launch::build(const AddNode &node) const
{
	gaudi_builder *builder = nullptr;
	gaudi_recipe *recipe = nullptr;
	uint32_t ids[GAUDI_KERNEL_TENSORS];
	gaudi_kernel_description kernel = {};
	int rc = gaudi_builder_create(name, &builder);

	kernel.size = sizeof(kernel);
	/* A node of another kind has none. */
	if (type != Held::NONE)
		gaudi_kernel_describe((std::string(name) + "_" + suffix(type)).c_str(), &kernel);
	for (size_t i = 0; i < operands.size() && !rc; i++) {
		const Operand &o = operands[i];
		gaudi_tensor_desc d = {};
		std::string label = "t" + std::to_string(i);
		uint32_t access = o.access;

		if (o.same != i) {
			ids[i] = ids[o.same];
			continue;
		}
		for (const Operand &other : operands)
			access |= other.same == i ? other.access : 0;
		describe(d, o.view);
		d.type = type_for(kernel, i, o.view.type);
		d.name = label.c_str();
		d.kind = access & GAUDI_KERNEL_WRITES ? GAUDI_TENSOR_OUTPUT : GAUDI_TENSOR_INPUT;
		rc = gaudi_builder_add_tensor(builder, &d, &ids[i]);
	}
	rc = rc ?: node(builder, ids) ?: gaudi_builder_build(builder, &recipe);
	/* The message is of the call that failed, which destroying does not change. */
	gaudi_builder_destroy(builder);
	if (rc == -EINVAL || rc == -EOVERFLOW || rc == -ENOENT)
		throw Unsupported(gaudi_last_error(nullptr));
	check(rc, name);
	return recipe;
}

namespace {

/* Launchers by what a recipe consists of. */
struct Cache {
	std::mutex mutex;
	Lru<LauncherRef> launchers{ limit_of("GT_LAUNCHERS", 2048) };
	uint64_t launches = 0, recipes = 0;
};

Cache &cache()
{
	static Cache *it = new Cache;

	return *it;
}

} // namespace

LaunchStats launch_stats()
{
	Cache &c = cache();
	std::lock_guard<std::mutex> lock(c.mutex);

	return { c.launches, c.recipes, c.launchers.evictions, c.launchers.order.size() };
}

void Launch::run(const AddNode &node)
{
	resolve();
	Work work = { Work::LAUNCH, name, nullptr, {}, 0, 0, 0 };

	for (size_t i = 0; i < operands.size(); i++)
		if (operands[i].same == i)
			work.at.push_back(operands[i].view.address);
	work.launcher = launcher(node);
	submit(std::move(work));
}

LauncherRef Launch::launcher(const AddNode &node) const
{
	std::string text = key();
	Cache &c = cache();
	std::lock_guard<std::mutex> lock(c.mutex);

	c.launches++;
	LauncherRef *known = c.launchers.find(text);
	if (C10_LIKELY(known))
		return *known;
	gaudi_recipe *recipe = build(node);
	gaudi_launcher *made = nullptr;
	int rc = gaudi_launcher_create(device(), recipe, &made);
	gaudi_recipe_release(recipe);
	check(rc, name);
	return *c.launchers.add(std::move(text), LauncherRef(new Launcher{ made, c.recipes++ }));
}

void Launch::run()
{
	run([this](gaudi_builder *builder, const uint32_t *tensors) {
		std::string full = name;

		if (type != Held::NONE)
			full += std::string("_") + suffix(type);
		return gaudi_builder_add_library_kernel(builder, full.c_str(), operands.size(),
							tensors, scalars.size(), scalars.data(),
							nullptr);
	});
}

} // namespace torch_gaudi
