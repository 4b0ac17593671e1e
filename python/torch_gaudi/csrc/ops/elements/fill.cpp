// SPDX-License-Identifier: MIT
/* One number into all elements. */
#include "../../op/copy.h"
#include "../../op/op.h"

namespace torch_gaudi {
namespace {

uint64_t fill_bits(const at::Tensor &t, const c10::Scalar &value)
{
	switch (held(t.scalar_type())) {
	case Held::F32:
		return f32_bits(value.to<double>());
	case Held::BF16:
		return c10::BFloat16((float)value.to<double>()).x;
	case Held::F16:
		return c10::Half((float)value.to<double>()).x;
	case Held::I32:
		return (uint32_t)scalar_bits(value, Held::I32);
	default:
		throw Unsupported("a complex number");
	}
}

/* Of elements that share memory, as those of an expanded tensor, one. */
at::Tensor without_repeats(const at::Tensor &t)
{
	std::vector<int64_t> sizes = t.sizes().vec();

	for (size_t i = 0; i < sizes.size(); i++)
		if (sizes[i] > 1 && !t.stride(i))
			sizes[i] = 1;
	return sizes == t.sizes() ? t : t.as_strided(sizes, t.strides(), t.storage_offset());
}

void fill(Call &c)
{
	at::Tensor self = without_repeats(c.tensor(0));

	if (c[1].isTensor() && !is_number(c.tensor(1))) {
		TORCH_CHECK(c.tensor(1).dim() == 0, "fill_ only supports 0-dimension value tensor "
			    "but got tensor with ", c.tensor(1).dim(), " dimensions.");
		torch_gaudi::copy(self, c.tensor(1), false);
	} else {
		c10::Scalar value = c[1].isTensor() ? c.tensor(1).item() : c.scalar(1);

		fill_view(view(self), fill_bits(self, narrow(self, value)));
	}
	c.give(c.tensor(0));
}

void zero(Call &c)
{
	fill_view(view(without_repeats(c.tensor(0))), 0);
	c.give(c.tensor(0));
}

const Entry table[] = {
	{ "fill_.Scalar", fill },
	{ "fill_.Tensor", fill },
	{ "zero_", zero },
};

TORCH_LIBRARY_IMPL(aten, HPU, m)
{
	add_entries(m, table);
}

} // namespace
} // namespace torch_gaudi
