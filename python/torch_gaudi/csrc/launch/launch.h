/* SPDX-License-Identifier: MIT */
/*
 * Recipes of one operation, made when they are needed first and launched from then on: by
 * kernel, tensors' types, sizes and strides, and scalars.
 *
 * The room has tensors as kernels see them, too (view.h), and what becomes of indexes that are
 * outside (outside.h). Each of recipes, names of kernels, and notes of indexes has a mutex, which
 * is held while libgaudi makes what is missing, and never while work is submitted.
 */
#ifndef TORCH_GAUDI_LAUNCH_H
#define TORCH_GAUDI_LAUNCH_H

#include <functional>

#include <stdexcept>
#include <string>

#include "../work/lazy.h"
#include "view.h"

namespace torch_gaudi {

/* The card has nothing for this call: the CPU is to do it. */
struct Unsupported : std::runtime_error {
	using std::runtime_error::runtime_error;
};

/* "f32": how the kernels of a type end. */
const char *suffix(Held type);
/* Whether libgaudi has kernel NAME_SUFFIX; @name stays as it is for ever. */
bool has_kernel(const char *name, Held type);
/* Throws Unsupported if it has not. */
void require_kernel(const char *name, Held type);
/* A float32 as a kernel's scalar. */
uint32_t f32_bits(double value);

class Launch {
public:
	/*
	 * The kernel @name of @type, or, with a type of NONE, @name itself. @name stays as it
	 * is for ever, and says what node it is if run() gets a function.
	 */
	Launch(const char *name, Held type) : name(name), type(type)
	{
	}
	Launch &read(const View &v)
	{
		return add(v, GAUDI_KERNEL_READS);
	}
	Launch &write(const View &v)
	{
		return add(v, GAUDI_KERNEL_WRITES);
	}
	Launch &update(const View &v)
	{
		return add(v, GAUDI_KERNEL_READS | GAUDI_KERNEL_WRITES);
	}
	Launch &scalar(double value)
	{
		return bits(f32_bits(value));
	}
	Launch &bits(uint32_t value)
	{
		scalars.push_back(value);
		return *this;
	}
	using AddNode = std::function<int(gaudi_builder *, const uint32_t *tensors)>;
	/* On the current stream. Throws Unsupported before anything is done, also if there is no
	 * such kernel: who prepares tensors for it asks require_kernel() before. */
	void run();
	void run(const AddNode &node);

private:
	struct Operand {
		View view;
		uint32_t access;
		uint32_t same;	/* the operand that it is one with, or its own number */
	};
	Launch &add(const View &v, uint32_t access);
	void resolve();
	std::string key() const;
	gaudi_recipe *build(const AddNode &node) const;
	LauncherRef launcher(const AddNode &node) const;

	const char *name;
	Held type;
	c10::SmallVector<Operand, 4> operands;
	c10::SmallVector<uint32_t, 8> scalars;
};

struct LaunchStats {
	uint64_t launches, recipes, evictions, kept;
};
LaunchStats launch_stats();

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_LAUNCH_H */
