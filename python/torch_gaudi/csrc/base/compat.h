/* SPDX-License-Identifier: MIT */
/*
 * What differs between versions of PyTorch, of which 1.13 (Debian 12) and 2.6 (Debian 13) are
 * tested: told by the headers that there are.
 */
#ifndef TORCH_GAUDI_COMPAT_H
#define TORCH_GAUDI_COMPAT_H

#include <c10/core/Allocator.h>

/* PyTorch asks a device about generators and pinned memory (framework/hooks.cpp). */
#if __has_include(<ATen/detail/HPUHooksInterface.h>)
#define GT_HAVE_HOOKS 1
#else
#define GT_HAVE_HOOKS 0
#endif

namespace torch_gaudi {

/* A c10::Allocator by functions that do not depend on the version. */
struct AllocatorBase : c10::Allocator {
	virtual c10::DataPtr make(size_t bytes) const = 0;
	virtual void copy_memory(void *to, const void *from, size_t bytes) const = 0;

#if GT_HAVE_HOOKS
	c10::DataPtr allocate(size_t bytes) override
	{
		return make(bytes);
	}
	void copy_data(void *to, const void *from, size_t bytes) const override
	{
		copy_memory(to, from, bytes);
	}
#else
	c10::DataPtr allocate(size_t bytes) const override
	{
		return make(bytes);
	}
#endif
};

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_COMPAT_H */
