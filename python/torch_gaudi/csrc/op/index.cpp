// SPDX-License-Identifier: MIT
#include "index.h"

namespace torch_gaudi {

Held moved_type(const at::Tensor &t)
{
	switch (held(t.scalar_type())) {
	case Held::F32:
	case Held::I32:
		return Held::F32;
	case Held::BF16:
	case Held::F16:
		return Held::BF16;
	default:
		throw Unsupported("complex numbers");
	}
}

View index_of(const at::Tensor &t)
{
	if (held(t.scalar_type()) != Held::I32)
		throw Unsupported("indexes that are no integers");
	return reshape(dense(view(t)), { 1, t.numel() });
}

View moved(const at::Tensor &t, Held type, at::IntArrayRef sizes)
{
	View v = view(t);

	v.type = type;
	return reshape(dense(v), sizes);
}

View filled(at::IntArrayRef sizes, Held type, double value)
{
	View v = make_view(sizes, Held::F32);

	fill_view(v, f32_bits(value));
	return cast(v, type);
}

} // namespace torch_gaudi
