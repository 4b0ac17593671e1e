// SPDX-License-Identifier: MIT
#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "../base/compat.h"
#include "../base/generator.h"
#include "../work/capture.h"
#include "fallback.h"

namespace torch_gaudi {
namespace {

enum class Mode { WARN, SILENT, ERROR };

Mode parse_mode(const std::string &text)
{
	if (text.empty() || text == "warn")
		return Mode::WARN;
	if (text == "silent")
		return Mode::SILENT;
	TORCH_CHECK(text == "error", "hpu: GT_FALLBACK is \"", text,
		    "\"; it may be warn, silent or error");
	return Mode::ERROR;
}

struct State {
	std::mutex mutex;
	std::map<std::string, FallbackCount> counts;
	FallbackListener listener = nullptr;
	Mode mode;
	bool mode_is_known = false;
};

State &state()
{
	static State *it = new State;

	return *it;
}

Mode mode(State &s)
{
	if (!s.mode_is_known) {
		const char *text = std::getenv("GT_FALLBACK");

		s.mode = parse_mode(text ? text : "");
		s.mode_is_known = true;
	}
	return s.mode;
}

} // namespace

void note_fallback(const std::string &name, const std::string &why)
{
	State &s = state();
	FallbackListener listener = nullptr;
	{
		std::lock_guard<std::mutex> lock(s.mutex);
		Mode m = mode(s);

		TORCH_CHECK_NOT_IMPLEMENTED(m != Mode::ERROR, "hpu: ", name,
					    " would run on the CPU (", why,
					    "), which GT_FALLBACK=error forbids");
		FallbackCount &c = s.counts[name];
		if (!c.count++) {
			c.why = why;
			if (m == Mode::WARN)
				listener = s.listener;
		}
	}
	if (listener)
		listener(name.c_str(), why.c_str());
}

/*
 * The CPU would take tensors of both devices, and give results to where the first one is. That
 * is an error elsewhere, but for numbers, lists of indexes, and what is said to be of the CPU.
 */
static void require_one_device(const c10::OperatorHandle &op, const torch::jit::Stack &stack)
{
	const auto &arguments = op.schema().arguments();
	size_t first = stack.size() - arguments.size();
	bool here = false, elsewhere = false;
	auto see = [&](const at::Tensor &t) {
		here |= t.defined() && t.is_hpu();
		elsewhere |= t.defined() && t.is_cpu() && t.dim() && t.numel();
	};

	if (op.schema().name() == "aten::_ctc_loss")
		return;
	for (size_t i = 0; i < arguments.size(); i++) {
		const c10::IValue &v = stack[first + i];

		if (v.isTensor() && arguments[i].name() != "lengths")
			see(v.toTensor());
		else if (v.isTensorList())
			for (const at::Tensor &t : v.toTensorVector())
				see(t);
	}
	TORCH_CHECK(!here || !elsewhere, "Expected all tensors to be on the same device, but ",
		    toString(op.operator_name()), " found one on cpu beside those on hpu:0");
}

/* Indexes, of which some may be missing, go to the CPU, too; cpu_fallback() leaves them. */
static void move_indexes(torch::jit::Stack *stack, size_t count)
{
	for (size_t i = stack->size() - count; i < stack->size(); i++) {
		c10::IValue &v = (*stack)[i];

		if (!v.isList() || v.isTensorList())
			continue;
		c10::List<c10::IValue> list = v.toList();
		if (!std::any_of(list.begin(), list.end(), [](const c10::IValue &item) {
			    return item.isTensor();
		    }))
			continue;
		c10::List<c10::optional<at::Tensor>> moved;
		for (c10::IValue item : list)
			moved.push_back(item.isTensor() && item.toTensor().defined() ?
					c10::optional<at::Tensor>(item.toTensor().cpu()) :
					c10::nullopt);
		v = moved;
	}
}

static at::Tensor on_the_card(const at::Tensor &t)
{
	return t.defined() && t.is_cpu() ? t.to(c10::Device(c10::kHPU, 0)) : t;
}

/* Lists of results, and those of calls without a tensor, which cpu_fallback() leaves there. */
static void move_back(torch::jit::Stack *stack, size_t count)
{
	for (size_t i = stack->size() - count; i < stack->size(); i++) {
		c10::IValue &v = (*stack)[i];

		if (v.isTensor()) {
			v = on_the_card(v.toTensor());
		} else if (v.isTensorList()) {
			c10::List<at::Tensor> moved;

			for (const at::Tensor &item : v.toTensorVector())
				moved.push_back(on_the_card(item));
			v = moved;
		}
	}
}

/* Lists that the call writes to: cpu_fallback() of PyTorch 1 writes to copies, and drops them. */
class WrittenLists {
public:
	WrittenLists(const c10::OperatorHandle &op, torch::jit::Stack *stack)
	{
		const auto &arguments = op.schema().arguments();
		size_t first = stack->size() - arguments.size();

		for (size_t i = 0; i < arguments.size() && !GT_HAVE_HOOKS; i++) {
			const c10::AliasInfo *alias = arguments[i].alias_info();
			c10::IValue &v = (*stack)[first + i];

			if (!alias || !alias->isWrite() || !v.isTensorList())
				continue;
			c10::List<at::Tensor> there;
			for (const at::Tensor &t : v.toTensorVector()) {
				pairs.emplace_back(t, t.cpu());
				there.push_back(pairs.back().second);
			}
			v = there;
		}
	}
	void write_back()
	{
		for (auto &pair : pairs)
			if (!pair.first.is_same(pair.second))
				pair.first.copy_(pair.second);
	}

private:
	std::vector<std::pair<at::Tensor, at::Tensor>> pairs;
};

/* What the CPU draws from. */
static void move_generators(torch::jit::Stack *stack, size_t count)
{
	for (size_t i = stack->size() - count; i < stack->size(); i++) {
		c10::IValue &v = (*stack)[i];

		if (v.isGenerator() && v.toGenerator().device().is_hpu())
			v = host_generator(v.toGenerator());
	}
}

void fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack, const std::string &why)
{
	TORCH_CHECK(!capture_pool(), "hpu: ", toString(op.operator_name()), " runs on the CPU (", why,
		    "), which cannot be captured by a graph");
	require_one_device(op, *stack);
	note_fallback(toString(op.operator_name()), why);
	move_indexes(stack, op.schema().arguments().size());
	move_generators(stack, op.schema().arguments().size());
	WrittenLists lists(op, stack);
	at::native::cpu_fallback(op, stack);
	lists.write_back();
	move_back(stack, op.schema().returns().size());
}

std::map<std::string, FallbackCount> fallback_counts()
{
	State &s = state();
	std::lock_guard<std::mutex> lock(s.mutex);

	return s.counts;
}

void reset_fallbacks()
{
	State &s = state();
	std::lock_guard<std::mutex> lock(s.mutex);

	s.counts.clear();
}

void set_fallback_listener(FallbackListener listener)
{
	State &s = state();
	std::lock_guard<std::mutex> lock(s.mutex);

	s.listener = listener;
}

void set_fallback_mode(const std::string &text)
{
	State &s = state();
	Mode m = parse_mode(text);
	std::lock_guard<std::mutex> lock(s.mutex);

	s.mode = m;
	s.mode_is_known = true;
}

static void boxed_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
	fallback(op, stack, "the card has no such operator");
}

/* What the card has no tensors of. */
template <const char *kind>
static void refuse(const c10::OperatorHandle &op, torch::jit::Stack *)
{
	TORCH_CHECK_NOT_IMPLEMENTED(false, "hpu: there are no ", kind, " tensors on the card, which ",
				    toString(op.operator_name()),
				    " would make or take; keep them on the CPU");
}

extern const char sparse[] = "sparse";
extern const char quantized[] = "quantized";

TORCH_LIBRARY_IMPL(_, SparseHPU, m)
{
	m.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<sparse>>());
}

TORCH_LIBRARY_IMPL(_, QuantizedHPU, m)
{
	m.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<quantized>>());
}

TORCH_LIBRARY_IMPL(_, HPU, m)
{
	m.fallback(torch::CppFunction::makeFromBoxedFunction<&boxed_fallback>());
}

} // namespace torch_gaudi
