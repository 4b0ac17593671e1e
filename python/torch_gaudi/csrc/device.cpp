// SPDX-License-Identifier: MIT
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <habanalabs/synapse_gaudi.h>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "capture.h"
#include "memory.h"
#include "outside.h"

namespace torch_gaudi {

void check(int rc, const char *what)
{
	if (!rc)
		return;
	int code = 0;
	const char *words = gaudi_last_error(&code);
	if (code != rc || !*words)
		words = gaudi_strerror(rc);
	if (rc == -ENOMEM)
		TORCH_CHECK_WITH(OutOfMemoryError, false, "hpu: ", what, ": ", words);
	TORCH_CHECK(false, "hpu: ", what, ": ", words, " (", gaudi_strerror(rc), ")");
}

size_t limit_of(const char *variable, size_t usual)
{
	const char *text = std::getenv(variable);
	long n = text ? std::atol(text) : 0;

	return n > 0 ? n : usual;
}

namespace {

struct Card {
	std::mutex mutex;
	gaudi_device *device = nullptr;
	std::deque<gaudi_stream *> streams;
};

/* It outlives all tensors: what is left at exit goes with the process. */
Card &card()
{
	static Card *it = new Card;

	return *it;
}

std::string why_not_open(synStatus status)
{
	const char *module = std::getenv("HLS_MODULE_ID");
	std::string which = module && *module ? " of HLS_MODULE_ID=" + std::string(module) : "";

	if (status == synNoDeviceFound)
		return "there is none" + which;
	if (status == synBusy)
		return "another process has it" + which;
	if (status == synInvalidArgument)
		return "there is no card" + which;
	return "synStatus " + std::to_string(status) + which;
}

/*
 * The one that the process has already, as a program for Synapse, or another one: of the slot that
 * HLS_MODULE_ID names, or the first that nobody has. By Synapse's calls, as collectives want it.
 */
void open_card(Card &c)
{
	gaudi_device *device = nullptr;
	gaudi_stream *first = nullptr;
	synDeviceId id = 0;

	synStatus status = synInitialize();
	if (status == synSuccess || status == synAlreadyInitialized)
		status = synDeviceAcquireByDeviceType(&id, synDeviceGaudi);
	TORCH_CHECK(status == synSuccess || status == synDeviceAlreadyAcquired,
		    "hpu: opening the card: ", why_not_open(status));
	TORCH_CHECK(synDeviceGetGaudi(id, &device) == synSuccess, "hpu: the card has gone");
	check(gaudi_stream_create(device, &first), "creating the default stream");
	c.streams.push_back(first);
	c.device = device;
}

} // namespace

gaudi_device *device()
{
	Card &c = card();

	if (C10_LIKELY(__atomic_load_n(&c.device, __ATOMIC_ACQUIRE) != nullptr))
		return c.device;
	std::lock_guard<std::mutex> lock(c.mutex);
	if (!c.device)
		open_card(c);
	return c.device;
}

bool device_is_open()
{
	return __atomic_load_n(&card().device, __ATOMIC_ACQUIRE) != nullptr;
}

int device_count() noexcept
{
	uint32_t count = 0;

	return gaudi_device_count(&count) ? 0 : (int)count;
}

gaudi_stream *raw_stream(c10::StreamId id)
{
	Card &c = card();

	device();
	if (C10_LIKELY(id == 0))
		return c.streams.front();
	std::lock_guard<std::mutex> lock(c.mutex);
	TORCH_CHECK(id > 0 && (size_t)id < c.streams.size(), "hpu: there is no stream ", id);
	return c.streams[id];
}

c10::StreamId new_stream()
{
	Card &c = card();
	gaudi_stream *made = nullptr;

	check(gaudi_stream_create(device(), &made), "creating a stream");
	std::lock_guard<std::mutex> lock(c.mutex);
	c.streams.push_back(made);
	return (c10::StreamId)c.streams.size() - 1;
}

c10::StreamId new_shared_stream(void **handle)
{
	Card &c = card();
	synStreamHandle shared = nullptr;
	gaudi_stream *made = nullptr;

	device();
	TORCH_CHECK(synStreamCreateGeneric(&shared, 0, 0) == synSuccess &&
		    synStreamGetGaudi(shared, &made) == synSuccess,
		    "hpu: creating a stream for collectives");
	*handle = shared;
	std::lock_guard<std::mutex> lock(c.mutex);
	c.streams.push_back(made);
	return (c10::StreamId)c.streams.size() - 1;
}

void recover_streams()
{
	std::vector<gaudi_stream *> all;

	if (!device_is_open())
		return;
	{
		std::lock_guard<std::mutex> lock(card().mutex);
		all.assign(card().streams.begin(), card().streams.end());
	}
	for (gaudi_stream *s : all)
		check(gaudi_stream_recover(s), "recovering a stream");
}

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

/* What PyTorch asks about devices of this type. */
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
