// SPDX-License-Identifier: MIT
#include <c10/util/Exception.h>

#include <habanalabs/synapse_gaudi.h>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "device.h"

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

} // namespace torch_gaudi
