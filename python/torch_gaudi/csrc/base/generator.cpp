// SPDX-License-Identifier: MIT
#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

#include "compat.h"
#include "device.h"
#include "generator.h"

namespace torch_gaudi {

uint64_t draw_seed()
{
	at::Generator g = at::detail::getDefaultCPUGenerator();
	std::lock_guard<std::mutex> lock(g.mutex());

	return at::check_generator<at::CPUGeneratorImpl>(g)->random64();
}

#if GT_HAVE_HOOKS
namespace {

/* One of the CPU's, by the device's name. */
struct Generator final : c10::GeneratorImpl {
	explicit Generator(at::Generator generator)
		: GeneratorImpl(hpu(), c10::DispatchKeySet(c10::DispatchKey::HPU)),
		  host(std::move(generator))
	{
	}
	void set_current_seed(uint64_t seed) override
	{
		host.set_current_seed(seed);
	}
	void set_offset(uint64_t offset) override
	{
		host.set_offset(offset);
	}
	uint64_t get_offset() const override
	{
		return host.get_offset();
	}
	uint64_t current_seed() const override
	{
		return host.current_seed();
	}
	uint64_t seed() override
	{
		return host.unsafeGetGeneratorImpl()->seed();
	}
	void set_state(const c10::TensorImpl &state) override
	{
		host.unsafeGetGeneratorImpl()->set_state(state);
	}
	c10::intrusive_ptr<c10::TensorImpl> get_state() const override
	{
		return host.unsafeGetGeneratorImpl()->get_state();
	}
	GeneratorImpl *clone_impl() const override
	{
		return new Generator(host.clone());
	}

	at::Generator host;
};

} // namespace

at::Generator device_generator(at::Generator host)
{
	return at::make_generator<Generator>(std::move(host));
}

at::Generator host_generator(const at::Generator &generator)
{
	return static_cast<Generator *>(generator.unsafeGetGeneratorImpl())->host;
}
#else
at::Generator host_generator(const at::Generator &generator)
{
	return generator;
}
#endif

} // namespace torch_gaudi
