// SPDX-License-Identifier: MIT
/*
 * What PyTorch 2 asks a device by name, where PyTorch 1 asks CUDA only: generators, pinned
 * memory, and torch.accelerator.
 */
#include <ATen/CPUGeneratorImpl.h>
#include <torch/library.h>

#include "../base/compat.h"
#include "../base/generator.h"
#include "../memory/memory.h"

#if GT_HAVE_HOOKS
#include <ATen/detail/HPUHooksInterface.h>

namespace torch_gaudi {
namespace {

at::Generator new_generator()
{
	return device_generator(at::detail::createCPUGenerator());
}

void check_index(c10::DeviceIndex index)
{
	TORCH_CHECK(index <= 0, "hpu: a process has one card, hpu:0, not hpu:", (int)index);
}

/* PyTorch looks for a class of this name. */
struct HPUHooks final : at::HPUHooksInterface {
	explicit HPUHooks(at::HPUHooksArgs)
	{
	}
	void init() const override
	{
		device();
	}
	bool hasHPU() const override
	{
		return device_count() > 0;
	}
	bool hasPrimaryContext(c10::DeviceIndex) const override
	{
		return device_is_open();
	}
	c10::DeviceIndex deviceCount() const override
	{
		return device_count() ? 1 : 0;
	}
	void setCurrentDevice(c10::DeviceIndex index) const override
	{
		check_index(index);
	}
	c10::DeviceIndex getCurrentDevice() const override
	{
		return 0;
	}
	c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
	{
		check_index(index);
		return 0;
	}
	c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
	{
		return exchangeDevice(index);
	}
	bool isPinnedPtr(const void *memory) const override
	{
		return is_pinned(memory);
	}
	c10::Allocator *getPinnedMemoryAllocator() const override
	{
		return pinned_allocator();
	}
	c10::Device getDeviceFromPtr(void *) const override
	{
		return hpu();
	}
	const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
	{
		static auto it = device_generator(at::detail::getDefaultCPUGenerator());

		check_index(index);
		return it;
	}
	at::Generator getNewGenerator(c10::DeviceIndex index) const override
	{
		check_index(index);
		return new_generator();
	}
};

using at::HPUHooksRegistry;
using at::RegistererHPUHooksRegistry;
REGISTER_HPU_HOOKS(HPUHooks);

/* For torch.Generator('hpu'), which PyTorch 2.6 does not ask the hooks for. */
TORCH_LIBRARY_FRAGMENT(torch_gaudi, m)
{
	m.def("generator", new_generator);
}

/* autocast.py casts, before operators are called. */
TORCH_LIBRARY_IMPL(_, AutocastHPU, m)
{
	m.fallback(torch::CppFunction::makeFallthrough());
}

} // namespace

} // namespace torch_gaudi
#endif
