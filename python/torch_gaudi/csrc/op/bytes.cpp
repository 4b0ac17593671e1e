// SPDX-License-Identifier: MIT
/*
 * Storages as the bytes that they are on a host. On the card most types have other widths, so
 * that bytes go by way of the host.
 */
#include <ATen/ops/empty.h>

#include "copy.h"

namespace torch_gaudi {
namespace {

/* The same memory, all elements of @type. */
at::Tensor as_type(const at::Tensor &from, c10::ScalarType type)
{
	int64_t size = c10::elementSize(type), bytes = from.numel() * from.itemsize();
	int64_t offset = from.storage_offset() * from.itemsize();

	TORCH_CHECK(from.is_contiguous() && offset % size == 0 && bytes % size == 0,
		    "hpu: the storage holds ", type,
		    ", of which only whole elements can be copied");
	auto t = at::detail::make_tensor<c10::TensorImpl>(
		c10::Storage(from.storage()), from.key_set(), c10::scalarTypeToTypeMeta(type));

	t.unsafeGetTensorImpl()->set_storage_offset(offset / size);
	t.unsafeGetTensorImpl()->set_sizes_contiguous({ bytes / size });
	return t;
}

} // namespace

bool is_bytes(const at::Tensor &t)
{
	if (!t.is_hpu() || t.scalar_type() != c10::ScalarType::Byte)
		return false;
	c10::ScalarType type = storage_type(t.storage());

	return type != c10::ScalarType::Undefined && type != c10::ScalarType::Byte;
}

at::Tensor bytes_down(const at::Tensor &t)
{
	return as_type(as_type(t, storage_type(t.storage())).cpu(), c10::ScalarType::Byte);
}

void bytes_up(const at::Tensor &to, const at::Tensor &from)
{
	at::Tensor bytes = at::empty(to.sizes(), c10::ScalarType::Byte);

	bytes.copy_(from);
	c10::ScalarType type = storage_type(to.storage());
	as_type(to, type).copy_(as_type(bytes, type));
}

void retype(c10::StorageImpl *storage, c10::ScalarType type)
{
	c10::Storage old(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage));
	int64_t count = storage->nbytes() / c10::elementSize(type);

	if (storage_type(old) != c10::ScalarType::Byte || type == c10::ScalarType::Byte)
		return;
	auto bytes = at::detail::make_tensor<c10::TensorImpl>(
		c10::Storage(old), c10::DispatchKeySet(c10::DispatchKey::HPU),
		c10::scalarTypeToTypeMeta(c10::ScalarType::Byte));
	bytes.unsafeGetTensorImpl()->set_sizes_contiguous({ count * (int64_t)c10::elementSize(type) });
	at::Tensor made = empty({ count }, type);
	made.copy_(as_type(bytes.cpu(), type));
	storage->set_data_ptr_noswap(std::move(made.storage().unsafeGetStorageImpl()->set_data_ptr(
		c10::DataPtr(nullptr, hpu()))));
}

} // namespace torch_gaudi
