// SPDX-License-Identifier: MIT
#include <ATen/EmptyTensor.h>
#include <c10/core/Allocator.h>

#include <cerrno>
#include <cstring>

#include "../base/compat.h"
#include "../work/capture.h"
#include "../work/lazy.h"
#include "memory.h"

namespace torch_gaudi {

Held held(c10::ScalarType type)
{
	switch (type) {
	case c10::ScalarType::Float:
	case c10::ScalarType::Double:
		return Held::F32;
	case c10::ScalarType::BFloat16:
		return Held::BF16;
	case c10::ScalarType::Half:
		return Held::F16;
	case c10::ScalarType::Bool:
	case c10::ScalarType::Byte:
	case c10::ScalarType::Char:
	case c10::ScalarType::Short:
	case c10::ScalarType::Int:
	case c10::ScalarType::Long:
		return Held::I32;
	case c10::ScalarType::ComplexFloat:
	case c10::ScalarType::ComplexDouble:
		return Held::C64;
	default:
		return Held::NONE;
	}
}

size_t held_size(c10::ScalarType type)
{
	switch (held(type)) {
	case Held::F32:
	case Held::I32:
		return 4;
	case Held::BF16:
	case Held::F16:
		return 2;
	case Held::C64:
		return 8;
	default:
		TORCH_CHECK_TYPE(false, "hpu: tensors of ", type, " cannot be on the card");
	}
}

namespace {

/* A block of the pool, and who uses it. */
struct Block {
	gaudi_ptr address;
	size_t bytes;
	c10::ScalarType type;	/* that its storage is of; undefined: not known yet */
	c10::StreamId stream;	/* that it was allocated on */
	bool shared;		/* others use it, too */
	PoolRef pool;		/* of a graph, or none */
};

/* What is collected may use it, on any stream. */
void free_shared(gaudi_ptr address)
{
	flush_quietly();
	gaudi_free(device(), address);
}

/* Memory of the stream, in its order. */
gaudi_ptr allocate_on(c10::StreamId id, size_t bytes)
{
	gaudi_ptr address = collects() ? take_block(id, bytes) : 0;
	int rc = 0;

	if (address)
		return address;
	rc = gaudi_malloc_async(raw_stream(id), bytes, &address);
	if (rc == -ENOMEM && kept_bytes()) {
		give_blocks_back();
		rc = gaudi_malloc_async(raw_stream(id), bytes, &address);
	}
	check(rc, "allocating memory");
	return address;
}

void free_block(void *context)
{
	auto *block = static_cast<Block *>(context);
	PoolRef captures = block->pool ? nullptr : capture_pool();

	/* In the stream's order it can be given out again at once. */
	if (block->pool)
		pool_free(*block->pool, block->address, block->bytes);
	else if (captures)
		pool_keep(*captures, block->address);
	else if (block->shared)
		free_shared(block->address);
	else if (may_have_work())
		keep_block(block->stream, block->address, block->bytes);
	else
		gaudi_free_async(raw_stream(block->stream), block->address);
	delete block;
}

c10::DataPtr allocate(size_t bytes, c10::ScalarType type)
{
	auto block = std::make_unique<Block>();

	if (!bytes)
		return c10::DataPtr(nullptr, hpu());
	block->bytes = bytes;
	block->type = type;
	block->stream = current_stream();
	block->shared = false;
	block->pool = capture_pool();
	block->address = block->pool ? pool_allocate(*block->pool, bytes) :
				       allocate_on(block->stream, bytes);
	auto *memory = reinterpret_cast<void *>(block->address);
	return c10::DataPtr(memory, block.release(), free_block, hpu());
}

/*
 * For storages that are made without a type: a byte of the host is at most a word of the
 * card, as of bool.
 */
struct Allocator final : AllocatorBase {
	c10::DataPtr make(size_t bytes) const override
	{
		return torch_gaudi::allocate(bytes * 4, c10::ScalarType::Undefined);
	}
	void copy_memory(void *, const void *, size_t) const override
	{
		/* How many bytes they are on the card, the addresses do not tell. */
		TORCH_CHECK(false, "hpu: storages cannot be copied without their tensors");
	}
};

Allocator allocator;
REGISTER_ALLOCATOR(c10::DeviceType::HPU, &allocator);

void free_pinned(void *memory)
{
	gaudi_host_free(device(), memory);
}

struct PinnedAllocator final : AllocatorBase {
	c10::DataPtr make(size_t bytes) const override
	{
		void *memory = nullptr;

		if (bytes)
			check(gaudi_host_alloc(device(), bytes, &memory), "pinning memory");
		return c10::DataPtr(memory, memory, free_pinned, c10::Device(c10::DeviceType::CPU));
	}
	c10::DeleterFnPtr raw_deleter() const override
	{
		return free_pinned;
	}
	void copy_memory(void *to, const void *from, size_t bytes) const override
	{
		std::memcpy(to, from, bytes);
	}
};

} // namespace

c10::Allocator *pinned_allocator()
{
	static PinnedAllocator it;

	return &it;
}

bool is_pinned(const void *memory)
{
	return device_is_open() && !gaudi_host_get_range(device(), memory, nullptr, nullptr);
}

void record_stream(const c10::DataPtr &memory, c10::StreamId id)
{
	auto *block = memory.cast_context<Block>(free_block);

	if (block && block->stream != id)
		block->shared = true;
}

c10::Storage make_storage(int64_t numel, c10::ScalarType type)
{
	return c10::Storage(c10::make_intrusive<c10::StorageImpl>(
		c10::StorageImpl::use_byte_size_t(), numel * c10::elementSize(type),
		allocate(numel * held_size(type), type), &allocator, /*resizable=*/true));
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, c10::ScalarType type)
{
	at::detail::check_size_nonnegative(sizes);
	int64_t numel = at::detail::computeStorageNbytes(sizes, strides, 1);
	auto t = at::detail::make_tensor<c10::TensorImpl>(
		make_storage(numel, type), c10::DispatchKeySet(c10::DispatchKey::HPU),
		c10::scalarTypeToTypeMeta(type));

	t.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
	return t;
}

at::Tensor empty(at::IntArrayRef sizes, c10::ScalarType type)
{
	c10::SmallVector<int64_t, 8> strides(sizes.size());
	int64_t step = 1;

	for (size_t i = sizes.size(); i-- > 0;) {
		strides[i] = step;
		step *= std::max<int64_t>(sizes[i], 1);
	}
	return empty_strided(sizes, strides, type);
}

c10::ScalarType storage_type(const c10::Storage &storage)
{
	auto *block = storage.data_ptr().cast_context<Block>(free_block);

	return block ? block->type : c10::ScalarType::Undefined;
}

void require_here(const at::Tensor &t)
{
	TORCH_CHECK(t.is_hpu(), "Expected all tensors to be on the same device, but found one on ",
		    t.device(), " beside those on hpu:0");
}

gaudi_ptr address(const at::Tensor &t)
{
	const c10::DataPtr &memory = t.storage().data_ptr();
	size_t size = held_size(t.scalar_type());

	require_here(t);
	if (!memory.get() || !t.numel())
		return 0;
	auto *block = memory.cast_context<Block>(free_block);
	int64_t last = t.storage_offset() + at::detail::computeStorageNbytes(t.sizes(),
									     t.strides(), 1);
	TORCH_CHECK(block && last * size <= block->bytes, "hpu: the storage holds ",
		    block ? block->bytes : 0, " bytes on the card, but ", t.scalar_type(),
		    " has ", last * size, " there: views as another type are not possible");
	if (block->type == c10::ScalarType::Undefined)
		block->type = t.scalar_type();
	return block->address + t.storage_offset() * size;
}

} // namespace torch_gaudi
