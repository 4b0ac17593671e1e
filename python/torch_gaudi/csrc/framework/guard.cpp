// SPDX-License-Identifier: MIT
/* What PyTorch asks about devices of this type, by its own interface: streams and events. */
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include "../launch/outside.h"
#include "../memory/memory.h"
#include "../work/capture.h"
#include "../work/lazy.h"

namespace torch_gaudi {
namespace {

/* What @to gets from now on comes behind what @from has got. */
void follow(c10::StreamId to, c10::StreamId from)
{
	gaudi_event *event = nullptr;
	int rc;

	/* A thread that serves a capture comes to its stream and goes, and has nothing else. */
	if (to == from || is_captured(to) || is_captured(from))
		return;
	check(gaudi_event_create(device(), 0, &event), "creating an event");
	rc = gaudi_event_record(event, stream(from));
	if (!rc)
		rc = gaudi_stream_wait_event(stream(to), event);
	gaudi_event_destroy(event);
	check(rc, "waiting for another stream");
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
	c10::DeviceType type() const override
	{
		return c10::DeviceType::HPU;
	}
	c10::Device exchangeDevice(c10::Device d) const override
	{
		setDevice(d);
		return hpu();
	}
	c10::Device getDevice() const override
	{
		return hpu();
	}
	void setDevice(c10::Device d) const override
	{
		TORCH_CHECK(d.index() <= 0, "hpu: a process has one card, hpu:0, not ", d);
	}
	void uncheckedSetDevice(c10::Device) const noexcept override
	{
	}
	c10::Stream getStream(c10::Device) const noexcept override
	{
		return c10::Stream(c10::Stream::UNSAFE, hpu(), current_stream());
	}
	c10::Stream getDefaultStream(c10::Device) const override
	{
		return c10::Stream(c10::Stream::DEFAULT, hpu());
	}
	/*
	 * PyTorch 2's backward passes go on with the stream that an operator was called on,
	 * and wait for gradients of another one on devices that they know only. So each
	 * switch of theirs waits; scripts' own, by torch.hpu, come by another way.
	 */
	c10::Stream exchangeStream(c10::Stream s) const noexcept override
	{
		try {
			follow(s.id(), current_stream());
		} catch (...) {
			/* A card that has failed says so to the next call. */
		}
		return c10::Stream(c10::Stream::UNSAFE, hpu(), exchange_stream(s.id()));
	}
	c10::DeviceIndex deviceCount() const noexcept override
	{
		return torch_gaudi::device_count() ? 1 : 0;
	}
	void destroyEvent(void *event, const c10::DeviceIndex) const noexcept override
	{
		gaudi_event_destroy(static_cast<gaudi_event *>(event));
	}
	void record(void **event, const c10::Stream &s, const c10::DeviceIndex,
		    const c10::EventFlag) const override
	{
		auto **e = reinterpret_cast<gaudi_event **>(event);

		if (!*e)
			check(gaudi_event_create(torch_gaudi::device(), 0, e), "creating an event");
		check(gaudi_event_record(*e, torch_gaudi::stream(s.id())), "recording an event");
	}
	void block(void *event, const c10::Stream &s) const override
	{
		if (event)
			check(gaudi_stream_wait_event(torch_gaudi::stream(s.id()),
						      static_cast<gaudi_event *>(event)),
			      "waiting for an event");
	}
	bool queryEvent(void *event) const override
	{
		int rc = event ? gaudi_event_query(static_cast<gaudi_event *>(event)) : 0;

		check(rc == GAUDI_ERR_NOT_READY ? 0 : rc, "asking about an event");
		return !rc;
	}
	bool queryStream(const c10::Stream &s) const override
	{
		int rc = gaudi_stream_query(torch_gaudi::stream(s.id()));

		check(rc == GAUDI_ERR_NOT_READY ? 0 : rc, "asking about a stream");
		return !rc;
	}
	void synchronizeStream(const c10::Stream &s) const override
	{
		check(gaudi_stream_synchronize(torch_gaudi::stream(s.id())),
		      "waiting for a stream");
		look_for_outside(s.id());
	}
	void recordDataPtrOnStream(const c10::DataPtr &memory, const c10::Stream &s) const override
	{
		record_stream(memory, s.id());
	}
	/* Overrides as well, but not in PyTorch 1.13, which does not ask for them. */
	c10::Stream getNewStream(c10::Device, int) const
	{
		return c10::Stream(c10::Stream::UNSAFE, hpu(), new_stream());
	}
	c10::Stream getStreamFromGlobalPool(c10::Device d, bool) const
	{
		return getNewStream(d, 0);
	}
	void synchronizeEvent(void *event) const
	{
		if (!event)
			return;
		check(gaudi_event_synchronize(static_cast<gaudi_event *>(event)),
		      "waiting for an event");
		look_for_outside(some_stream);
	}
	void synchronizeDevice(const c10::DeviceIndex) const
	{
		check(gaudi_device_synchronize(torch_gaudi::device()), "waiting for the card");
		look_for_outside(all_streams);
	}
	double elapsedTime(void *from, void *to, const c10::DeviceIndex) const
	{
		int64_t ns = 0;

		check(gaudi_event_elapsed_ns(static_cast<gaudi_event *>(from),
					     static_cast<gaudi_event *>(to), &ns),
		      "taking the time");
		return ns / 1e6;
	}
};

C10_REGISTER_GUARD_IMPL(HPU, Guard);

} // namespace
} // namespace torch_gaudi
