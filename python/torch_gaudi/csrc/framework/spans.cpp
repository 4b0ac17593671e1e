// SPDX-License-Identifier: MIT
/*
 * PyTorch's operators as spans of a profile, those of user code (record_function) as well.
 * Nothing observes them if no profile is asked for.
 */
#include <memory>
#include <string>

#include <ATen/record_function.h>

#include "profile.h"

namespace {

struct Operator : at::ObserverContext {
	Operator(std::string called, Operator *around)
		: name(std::move(called)), outer(around),
		  span(profile_begin(name.c_str(), nullptr, 0, nullptr)) { }

	std::string name;
	Operator *outer;
	profile_span span;
};

/* In which this thread is. */
thread_local Operator *inner;

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction &function)
{
	std::string name = function.name();

	/* One that is dispatched again, to another key, is the same. */
	if (inner && inner->name == name)
		return nullptr;
	auto one = std::make_unique<Operator>(std::move(name), inner);

	inner = one.get();
	return one;
}

void end(const at::RecordFunction &, at::ObserverContext *context)
{
	auto *one = static_cast<Operator *>(context);

	if (!one)
		return;
	if (inner == one)
		inner = one->outer;
	profile_end(&one->span);
}

__attribute__((constructor)) void observe()
{
	/* The Makefile links what sets it before this. */
	if (profile_on)
		at::addGlobalCallback(at::RecordFunctionCallback(begin, end)
			.scopes({ at::RecordScope::FUNCTION,
				  at::RecordScope::USER_SCOPE }));
}

} // namespace
