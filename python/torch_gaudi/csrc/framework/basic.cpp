// SPDX-License-Identifier: MIT
/* What PyTorch asks of a device before there are operators: tensors, views, copies. */
#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "../launch/launch.h"
#include "../op/copy.h"

namespace torch_gaudi {
namespace {

using c10::optional;

c10::ScalarType type_of(optional<c10::ScalarType> type)
{
	return type ? *type : c10::typeMetaToScalarType(c10::get_default_dtype());
}

void check_options(optional<c10::Layout> layout, optional<c10::Device> device,
		   optional<bool> pinned)
{
	TORCH_CHECK(!device || device->index() <= 0, "hpu: a process has one card, hpu:0, not ",
		    *device);
	TORCH_CHECK(!layout || *layout == c10::kStrided, "hpu: there are no tensors of layout ",
		    *layout, " on the card");
	TORCH_CHECK(!pinned || !*pinned, "hpu: only memory of the host can be pinned");
}

at::Tensor empty_memory_format(at::IntArrayRef sizes, optional<c10::ScalarType> type,
			       optional<c10::Layout> layout, optional<c10::Device> device,
			       optional<bool> pinned, optional<c10::MemoryFormat> format)
{
	check_options(layout, device, pinned);
	at::Tensor t = empty(sizes, type_of(type));

	if (format && *format != c10::MemoryFormat::Contiguous)
		t.unsafeGetTensorImpl()->empty_tensor_restride(*format);
	return t;
}

at::Tensor empty_with_strides(at::IntArrayRef sizes, at::IntArrayRef strides,
			      optional<c10::ScalarType> type, optional<c10::Layout> layout,
			      optional<c10::Device> device, optional<bool> pinned)
{
	check_options(layout, device, pinned);
	return empty_strided(sizes, strides, type_of(type));
}

/* The storage has room for @numel elements from its start on; what it has stays. */
void grow(const at::Tensor &t, int64_t numel)
{
	c10::StorageImpl *storage = t.storage().unsafeGetStorageImpl();
	c10::ScalarType type = storage_type(t.storage());
	size_t bytes = numel * t.itemsize();

	if (bytes <= storage->nbytes())
		return;
	TORCH_CHECK(storage->resizable(), "Trying to resize storage that is not resizable");
	/* Bytes do not say what an empty storage is of: who uses it next does. */
	if (type == c10::ScalarType::Undefined && t.scalar_type() == c10::ScalarType::Byte) {
		storage->set_data_ptr_noswap(storage->allocator()->allocate(bytes));
		storage->set_nbytes(bytes);
		return;
	}
	if (type == c10::ScalarType::Undefined)
		type = t.scalar_type();
	size_t size = c10::elementSize(type), old = storage->nbytes() / size;
	c10::Storage bigger = make_storage((bytes + size - 1) / size, type);
	if (old) {
		at::Tensor before = at::detail::make_tensor<c10::TensorImpl>(
			c10::Storage(t.storage()), c10::DispatchKeySet(c10::DispatchKey::HPU),
			c10::scalarTypeToTypeMeta(type));

		before.unsafeGetTensorImpl()->set_sizes_contiguous({ (int64_t)old });
		copy_bytes(reinterpret_cast<gaudi_ptr>(bigger.data_ptr().get()), address(before),
			   old * held_size(type));
	}
	storage->set_data_ptr_noswap(std::move(bigger.unsafeGetStorageImpl()->set_data_ptr(
		c10::DataPtr(nullptr, hpu()))));
	storage->set_nbytes(bytes);
}

const at::Tensor &resize_(const at::Tensor &self, at::IntArrayRef sizes,
			  optional<c10::MemoryFormat> format)
{
	c10::TensorImpl *impl = self.unsafeGetTensorImpl();

	at::detail::check_size_nonnegative(sizes);
	if (self.sizes() != sizes)
		impl->set_sizes_contiguous(sizes);
	if (format && *format != c10::MemoryFormat::Preserve)
		impl->empty_tensor_restride(*format);
	grow(self, self.storage_offset() +
	     at::detail::computeStorageNbytes(self.sizes(), self.strides(), 1));
	return self;
}

at::Tensor &set_source_storage(at::Tensor &self, c10::Storage source)
{
	int64_t numel = source.nbytes() / self.itemsize();

	retype(source.unsafeGetStorageImpl(), self.scalar_type());
	self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
	self.unsafeGetTensorImpl()->set_storage_offset(0);
	self.unsafeGetTensorImpl()->set_sizes_contiguous({ numel });
	return self;
}

at::Tensor &set_source_storage_offset(at::Tensor &self, c10::Storage source, int64_t offset,
				      at::IntArrayRef sizes, at::IntArrayRef strides)
{
	c10::TensorImpl *impl = self.unsafeGetTensorImpl();

	TORCH_CHECK(source.device() == self.device(), "hpu: the storage is on ", source.device());
	retype(source.unsafeGetStorageImpl(), self.scalar_type());
	impl->set_storage_keep_dtype(std::move(source));
	impl->set_storage_offset(offset);
	if (strides.empty() && !sizes.empty())
		impl->set_sizes_contiguous(sizes);
	else
		impl->set_sizes_and_strides(sizes, strides);
	grow(self, offset + at::detail::computeStorageNbytes(self.sizes(), self.strides(), 1));
	return self;
}

at::Tensor &set_source_tensor(at::Tensor &self, const at::Tensor &source)
{
	if (self.is_same(source))
		return self;
	return set_source_storage_offset(self, source.storage(), source.storage_offset(),
					 source.sizes(), source.strides());
}

at::Tensor &set_nothing(at::Tensor &self)
{
	self.unsafeGetTensorImpl()->set_storage_keep_dtype(make_storage(0, self.scalar_type()));
	self.unsafeGetTensorImpl()->set_storage_offset(0);
	self.unsafeGetTensorImpl()->set_sizes_contiguous({ 0 });
	return self;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &to, bool non_blocking)
{
	torch_gaudi::copy(to, self, non_blocking);
	return to;
}

/*
 * Tensors with a conjugate or negative bit: PyTorch's own way, a clone without it, would call
 * this again. The plain numbers are copied, and changed where they are.
 */
at::Tensor copy_from_conjugate(const at::Tensor &self, const at::Tensor &to, bool non_blocking)
{
	at::Tensor plain = self.is_conj() ? self.conj() : self;
	at::Tensor plain_to = to.is_conj() ? to.conj() : to;

	plain_to.copy_(plain, non_blocking);
	if (self.is_conj() != to.is_conj() && plain_to.is_complex())
		plain_to.conj_physical_();
	return to;
}

at::Tensor copy_from_negative(const at::Tensor &self, const at::Tensor &to, bool non_blocking)
{
	at::Tensor plain = self.is_neg() ? self._neg_view() : self;
	at::Tensor plain_to = to.is_neg() ? to._neg_view() : to;

	plain_to.copy_(plain, non_blocking);
	if (self.is_neg() != to.is_neg())
		plain_to.neg_();
	return to;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &to)
{
	if (self.sizes() != to.sizes())
		to.resize_(self.sizes());
	torch_gaudi::copy(to, self, false);
	return to;
}

at::Scalar local_scalar(const at::Tensor &self)
{
	at::Tensor host = at::empty(self.sizes(), self.options().device(c10::kCPU));

	torch_gaudi::copy(host, self, false);
	return host.item();
}

bool is_pinned_here(const at::Tensor &self, optional<c10::Device>)
{
	return self.is_cpu() && is_pinned(self.storage().data());
}

at::Tensor pin_memory(const at::Tensor &self, optional<c10::Device>)
{
	TORCH_CHECK(self.is_cpu(), "hpu: only memory of the host can be pinned");
	auto storage = c10::make_intrusive<c10::StorageImpl>(
		c10::StorageImpl::use_byte_size_t(),
		at::detail::computeStorageNbytes(self.sizes(), self.strides(), self.itemsize()),
		pinned_allocator(), /*resizable=*/false);
	at::Tensor pinned = at::empty({ 0 }, self.options()).set_(
		c10::Storage(storage), 0, self.sizes(), self.strides());

	return pinned.copy_(self);
}

/* (condition, message): the host waits for it. */
void assert_async_msg(const at::Tensor &self, c10::string_view message)
{
	TORCH_CHECK(self.item().toBool(), message);
}

void record_stream_of(at::Tensor &self, c10::Stream s)
{
	record_stream(self.storage().data_ptr(), s.id());
}

/*
 * PyTorch knows this of CPU, CUDA and others only. With it Module.to() moves what a parameter
 * has, which stays the same object, as what is tied to it and optimizers rely on.
 */
bool has_compatible_shallow_copy_type(const at::Tensor &self, const at::Tensor &from)
{
	auto is_plain = [](const at::Tensor &t) {
		return t.layout() == c10::kStrided && (t.is_cpu() || t.is_hpu()) &&
		       !t.is_quantized();
	};

	return is_plain(self) && is_plain(from);
}

TORCH_LIBRARY_IMPL(aten, Conjugate, m)
{
	m.impl("_copy_from", copy_from_conjugate);
}

TORCH_LIBRARY_IMPL(aten, Negative, m)
{
	m.impl("_copy_from", copy_from_negative);
}

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	m.impl("empty.memory_format", empty_memory_format);
	m.impl("empty_strided", empty_with_strides);
	m.impl("as_strided", at::native::as_strided_tensorimpl);
	m.impl("view", at::native::view);
	m.impl("_reshape_alias", at::native::_reshape_alias);
	m.impl("unfold", at::native::unfold);
	m.impl("view_as_real", at::native::view_as_real);
	m.impl("view_as_complex", at::native::view_as_complex);
	m.impl("resize_", resize_);
	m.impl("set_.source_Storage", set_source_storage);
	m.impl("set_.source_Storage_storage_offset", set_source_storage_offset);
	m.impl("set_.source_Tensor", set_source_tensor);
	m.impl("set_", set_nothing);
	m.impl("_copy_from", copy_from);
	m.impl("_copy_from_and_resize", copy_from_and_resize);
	m.impl("_local_scalar_dense", local_scalar);
	m.impl("is_pinned", is_pinned_here);
	m.impl("_pin_memory", pin_memory);
	m.impl("_assert_async.msg", assert_async_msg);
	m.impl("record_stream", record_stream_of);
	m.impl("_has_compatible_shallow_copy_type", has_compatible_shallow_copy_type);
}

} // namespace
} // namespace torch_gaudi
