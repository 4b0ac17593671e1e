/* SPDX-License-Identifier: MIT */
/*
 * Operators that the card does not have run on the CPU, counted by name. GT_FALLBACK says
 * what else becomes of it: "warn" (the default) says so once for each operator, "silent"
 * nothing, "error" raises.
 */
#ifndef TORCH_GAUDI_FALLBACK_H
#define TORCH_GAUDI_FALLBACK_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <map>
#include <string>

namespace torch_gaudi {

/* Does the call on the CPU; @why: what the card lacks. */
void fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack, const std::string &why);
/* Counts one, warns or raises, for what is no operator's call as a whole. */
void note_fallback(const std::string &name, const std::string &why);

struct FallbackCount {
	uint64_t count;
	std::string why;	/* of the first one */
};
std::map<std::string, FallbackCount> fallback_counts();
void reset_fallbacks();
/* Called for the first fallback of each operator; it may raise nothing. */
using FallbackListener = void (*)(const char *name, const char *why);
void set_fallback_listener(FallbackListener listener);
/* "warn", "silent" or "error" instead of what the environment says. */
void set_fallback_mode(const std::string &mode);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_FALLBACK_H */
