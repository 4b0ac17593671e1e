// SPDX-License-Identifier: MIT
/*
 * Which stream a thread works on. PyTorch's threads of a backward pass are told so of CUDA's
 * streams only; but what c10 calls debug information goes from the thread that calls backward() to
 * these, and so has the stream.
 */
#include <c10/util/ThreadLocalDebugInfo.h>

#include <atomic>
#include <memory>

#include "device.h"

namespace torch_gaudi {

namespace {

constexpr auto KIND = c10::DebugInfoKind::PRODUCER_INFO;

/* A thread's that has chosen a stream; its backward passes read it while it waits for them. */
struct Chosen final : c10::DebugInfoBase {
	std::atomic<c10::StreamId> id{ 0 };
};

thread_local std::shared_ptr<Chosen> own;
/* Of a thread that works for another one: its own word, while that differs; -1: none. */
thread_local c10::StreamId within = -1;

Chosen *callers()
{
	/* The thread's own, or that of who it works for. */
	return dynamic_cast<Chosen *>(c10::ThreadLocalDebugInfo::get(KIND));
}

} // namespace

c10::StreamId current_stream()
{
	Chosen *chosen = callers();

	if (within >= 0)
		return within;
	return chosen ? chosen->id.load() : 0;
}

c10::StreamId exchange_stream(c10::StreamId id)
{
	c10::StreamId old = current_stream();
	Chosen *chosen = callers();

	if (id == old)
		return old;
	if (!chosen) {
		own = std::make_shared<Chosen>();
		c10::ThreadLocalDebugInfo::_push(KIND, own);
		chosen = own.get();
	}
	if (chosen == own.get())
		own->id = id;
	else
		within = id == chosen->id ? -1 : id;
	return old;
}

} // namespace torch_gaudi
