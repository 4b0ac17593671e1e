// SPDX-License-Identifier: MIT
/*
 * Copies from and to the host, with what the card holds in another way than the host: see
 * memory.h. Values are checked on the way up.
 */
#include <ATen/ops/empty.h>
#include <c10/util/BFloat16.h>
#include <c10/util/complex.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "../launch/launch.h"
#include "../launch/outside.h"
#include "../work/capture.h"
#include "copy.h"
#include "fallback.h"
#include "op.h"

namespace torch_gaudi {
namespace {

bool checks_range()
{
	static const bool it = [] {
		const char *text = std::getenv("PT_HPU_ENABLE_VALID_DATA_RANGE_CHECK");

		return !text || std::strcmp(text, "0");
	}();

	return it;
}

void warn_once(c10::ScalarType type)
{
	static std::atomic<bool> said{ false };

	if (!said.exchange(true))
		TORCH_WARN("hpu: tensors of ", type, " are held with 32 bits on the card, as all of "
			   "int64 and float64 are; values that do not fit raise an error. This is "
			   "said once.");
}

/* A host's element as the card has it. */
template <class Host, class Card> struct Convert {
	static Card up(Host v)
	{
		return (Card)v;
	}
	static Host down(Card v)
	{
		return (Host)v;
	}
};

template <> struct Convert<int64_t, int32_t> {
	static int32_t up(int64_t v)
	{
		TORCH_CHECK(v == (int32_t)v || !checks_range(), "hpu: ", v,
			    " does not fit into the 32 bits that int64 has on the card");
		return (int32_t)v;
	}
	static int64_t down(int32_t v)
	{
		return v;
	}
};

template <> struct Convert<bool, int32_t> {
	static int32_t up(bool v)
	{
		return v;
	}
	static bool down(int32_t v)
	{
		return v != 0;
	}
};

template <> struct Convert<double, float> {
	static float up(double v)
	{
		float f = (float)v;

		TORCH_CHECK(!std::isinf(f) || std::isinf(v) || !checks_range(), "hpu: ", v,
			    " does not fit into the float32 that float64 is on the card");
		return f;
	}
	static double down(float v)
	{
		return v;
	}
};

template <> struct Convert<c10::complex<double>, c10::complex<float>> {
	static c10::complex<float> up(c10::complex<double> v)
	{
		return { Convert<double, float>::up(v.real()), Convert<double, float>::up(v.imag()) };
	}
	static c10::complex<double> down(c10::complex<float> v)
	{
		return { v.real(), v.imag() };
	}
};

template <class Host, class Card>
void convert(void *to, const void *from, int64_t count, bool up)
{
	if (up) {
		auto *card = static_cast<Card *>(to);
		auto *host = static_cast<const Host *>(from);

		for (int64_t i = 0; i < count; i++)
			card[i] = Convert<Host, Card>::up(host[i]);
	} else {
		auto *host = static_cast<Host *>(to);
		auto *card = static_cast<const Card *>(from);

		for (int64_t i = 0; i < count; i++)
			host[i] = Convert<Host, Card>::down(card[i]);
	}
}

void convert(c10::ScalarType type, void *to, const void *from, int64_t count, bool up)
{
	switch (type) {
	case c10::ScalarType::Double:
		return convert<double, float>(to, from, count, up);
	case c10::ScalarType::ComplexDouble:
		return convert<c10::complex<double>, c10::complex<float>>(to, from, count, up);
	case c10::ScalarType::Bool:
		return convert<bool, int32_t>(to, from, count, up);
	case c10::ScalarType::Byte:
		return convert<uint8_t, int32_t>(to, from, count, up);
	case c10::ScalarType::Char:
		return convert<int8_t, int32_t>(to, from, count, up);
	case c10::ScalarType::Short:
		return convert<int16_t, int32_t>(to, from, count, up);
	case c10::ScalarType::Long:
		return convert<int64_t, int32_t>(to, from, count, up);
	default:
		TORCH_INTERNAL_ASSERT(false, type);
	}
}

/* Whether host and card have the same bits. */
bool is_alike(c10::ScalarType type)
{
	return type == c10::ScalarType::Float || type == c10::ScalarType::BFloat16 ||
	       type == c10::ScalarType::Half || type == c10::ScalarType::Int ||
	       type == c10::ScalarType::ComplexFloat;
}

/*
 * A graph reads what it copies up each time that it is launched. Of memory that only the capture
 * sees, as Python's constants are, that is a copy which stays as long as the graph.
 */
void upload_for_capture(const View &card, const void *from, size_t bytes)
{
	auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(),
							     bytes, pinned_allocator(),
							     /*resizable=*/false);
	at::Tensor kept = at::empty({ 0 }, c10::ScalarType::Byte)
				  .set_(c10::Storage(storage), 0, { (int64_t)bytes }, { 1 });

	std::memcpy(kept.data_ptr(), from, bytes);
	keep_for_capture(kept);
	check(gaudi_copy_to_device_async(stream(), card.address, kept.data_ptr(), bytes),
	      "copying to the card");
}

/* @host is contiguous, of the type of @card, which is dense in that order. */
void upload(const View &card, const at::Tensor &host, bool non_blocking)
{
	c10::ScalarType type = host.scalar_type();
	size_t bytes = host.numel() * held_size(type);

	if (is_alike(type)) {
		bool later = non_blocking && is_pinned(host.data_ptr());

		if (!later && capture_pool())
			return upload_for_capture(card, host.data_ptr(), bytes);
		check(gaudi_copy_to_device_async(stream(), card.address, host.data_ptr(), bytes),
		      "copying to the card");
		/* Pinned memory is read later, by whom nobody else may change it until then. */
		if (!non_blocking && is_pinned(host.data_ptr()))
			check(gaudi_stream_synchronize(stream()), "copying to the card");
		return;
	}
	if (type == c10::ScalarType::Double || type == c10::ScalarType::Long)
		warn_once(type);
	std::unique_ptr<char[]> words(new char[bytes]);
	convert(type, words.get(), host.data_ptr(), host.numel(), true);
	if (capture_pool())
		return upload_for_capture(card, words.get(), bytes);
	check(gaudi_copy_to_device_async(stream(), card.address, words.get(), bytes),
	      "copying to the card");
}

void download(const at::Tensor &host, const View &card, bool non_blocking)
{
	c10::ScalarType type = host.scalar_type();
	size_t bytes = host.numel() * held_size(type);
	bool later = non_blocking && is_alike(type) && is_pinned(host.data_ptr());

	TORCH_CHECK(later || !capture_pool(), "hpu: the host wants to see a tensor, as by item(), "
		    "cpu() or print(), while a graph is captured, which cannot be captured");
	if (is_alike(type)) {
		check(gaudi_copy_to_host_async(stream(), host.data_ptr(), card.address, bytes),
		      "copying from the card");
		if (!non_blocking && is_pinned(host.data_ptr()))
			check(gaudi_stream_synchronize(stream()), "copying from the card");
		if (!later)
			look_for_outside(current_stream());
		return;
	}
	std::unique_ptr<char[]> words(new char[bytes]);
	check(gaudi_copy_to_host_async(stream(), words.get(), card.address, bytes),
	      "copying from the card");
	look_for_outside(current_stream());
	convert(type, host.data_ptr(), words.get(), host.numel(), false);
}

/* What is held alike may still have other bits: -1 as uint8, 2 as bool. */
bool is_move(c10::ScalarType to, c10::ScalarType from)
{
	if (to == from || held(to) != Held::I32)
		return held(to) == held(from);
	bool wide = to == c10::ScalarType::Int || to == c10::ScalarType::Long;

	return held(from) == Held::I32 &&
	       (wide || from == c10::ScalarType::Bool ||
		(to == c10::ScalarType::Short && c10::elementSize(from) == 1));
}

/* The lower bits of whole numbers, as a narrow integer has them. */
View narrowed(const View &v, c10::ScalarType type)
{
	uint32_t above = 32 - 8 * c10::elementSize(type);

	if (type == c10::ScalarType::Byte)
		return pointwise("and_scalar", Held::I32, { v }, 255);
	return pointwise("shr_scalar", Held::I32,
			 { pointwise("shl_scalar", Held::I32, { v }, above) }, above);
}

/* Within the card, to the same sizes. Throws Unsupported. */
void copy_within(const at::Tensor &to, const at::Tensor &from)
{
	c10::ScalarType t = to.scalar_type(), f = from.scalar_type();

	if (is_move(t, f))
		return copy_view(view(to), view(from));
	if (t == c10::ScalarType::Bool) {
		View compared = compare_with_zero(view(from));

		return copy_view(view(to), compared);
	}
	if (held(t) == Held::I32 && t != c10::ScalarType::Int && t != c10::ScalarType::Long)
		return copy_view(view(to), narrowed(cast(view(from), Held::I32), t));
	cast_view(view(to), view(from));
}

/* Elements of @to share memory, so that order counts: all of that memory takes the way. */
void copy_up_shared(const at::Tensor &to, const at::Tensor &host)
{
	at::Tensor memory = to.as_strided({ view(to).extent() }, { 1 });
	at::Tensor there = memory.cpu();

	there.as_strided(to.sizes(), to.strides(), 0).copy_(host);
	upload(view(memory), there, false);
}

void copy_up(const at::Tensor &to, const at::Tensor &from, bool non_blocking)
{
	at::Tensor host = from.to(to.scalar_type()).contiguous();

	if (to.is_contiguous())
		return upload(view(to), host, non_blocking && host.is_same(from));
	at::Tensor packed = empty(to.sizes(), to.scalar_type());
	upload(view(packed), host, non_blocking && host.is_same(from));
	try {
		copy_view(view(to), view(packed));
	} catch (const Unsupported &) {
		copy_up_shared(to, host);
	}
}

void copy_down(const at::Tensor &to, const at::Tensor &from, bool non_blocking)
{
	View packed = dense(view(from));

	if (to.is_contiguous() && to.scalar_type() == from.scalar_type())
		return download(to, packed, non_blocking);
	at::Tensor host = at::empty(from.sizes(), to.options().dtype(from.scalar_type()));
	download(host, packed, false);
	to.copy_(host);
}

} // namespace

View compare_with_zero(const View &v)
{
	View from = dense(v), flat = reshape(from, { from.numel() });
	View out = make_view(flat.sizes, Held::I32);

	if (out.numel())
		Launch("ne_scalar", v.type).read(flat).write(out).bits(0).run();
	return reshape(out, v.sizes);
}

void copy(const at::Tensor &to, const at::Tensor &from_any, bool non_blocking)
{
	at::Tensor from = from_any.sizes() == to.sizes() ? from_any : from_any.expand(to.sizes());

	if (!to.numel())
		return;
	if (is_bytes(from)) {
		to.copy_(bytes_down(from));
		return;
	}
	if (is_bytes(to))
		return bytes_up(to, from);
	if (!to.is_hpu())
		return copy_down(to, from, non_blocking);
	if (!from.is_hpu())
		return copy_up(to, from, non_blocking);
	try {
		copy_within(to, from);
	} catch (const Unsupported &why) {
		note_fallback("aten::_copy_from", std::string(why.what()) + ": " +
			      c10::toString(from.scalar_type()) + " to " +
			      c10::toString(to.scalar_type()));
		at::Tensor host = at::empty(from.sizes(), from.options().device(c10::kCPU));

		copy_down(host, from, false);
		copy_up(to, host, false);
	}
}

} // namespace torch_gaudi
