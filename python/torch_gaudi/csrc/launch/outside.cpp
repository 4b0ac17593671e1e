// SPDX-License-Identifier: MIT
#include <c10/util/Exception.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "../work/capture.h"
#include "launch.h"
#include "outside.h"

namespace torch_gaudi {
namespace {

/* Words for so many operators and sizes; others share the last one. */
const size_t most_words = 1024;

struct Word {
	std::string name;
	int64_t size;	/* -1: several; 0: the name is what is wrong, and no index */
};

struct Notes {
	std::mutex mutex;
	gaudi_stream *stream = nullptr;	/* of its own, for which nobody waits */
	gaudi_ptr words = 0;
	std::vector<Word> all;
	std::map<std::pair<std::string, int64_t>, size_t> numbers;
	/* Where something may have been noted since the host waited for them. */
	std::set<c10::StreamId> streams;
	std::atomic<bool> any{ false };
};

Notes &notes()
{
	static Notes *it = new Notes;

	return *it;
}

enum When { LATER, NOW, NEVER };

When when()
{
	static const When it = [] {
		const char *text = std::getenv("GT_INDEX_CHECKS");
		std::string value = text ? text : "";

		TORCH_CHECK(value.empty() || value == "later" || value == "now" || value == "off",
			    "hpu: GT_INDEX_CHECKS is \"", value, "\"; it may be later, now, or off");
		return value == "now" ? NOW : value == "off" ? NEVER : LATER;
	}();

	return it;
}

thread_local int trusted;
thread_local const char *running;

/* All words are 0 from here on. With the lock. */
void clear(Notes &n)
{
	check(gaudi_fill_async(n.stream, n.words, 0, sizeof(uint32_t), most_words),
	      "clearing notes of indexes");
	check(gaudi_stream_synchronize(n.stream), "clearing notes of indexes");
}

/* The address of a word. With the lock. */
gaudi_ptr word_of(Notes &n, const std::string &name, int64_t size)
{
	if (!n.words) {
		check(gaudi_stream_create(device(), &n.stream), "creating a stream");
		check(gaudi_malloc(device(), most_words * sizeof(uint32_t), &n.words),
		      "memory for notes of indexes");
		clear(n);
	}
	auto found = n.numbers.find({ name, size });
	if (found == n.numbers.end()) {
		bool is_last = n.all.size() + 1 >= most_words;

		if (n.all.size() < most_words)
			n.all.push_back(is_last ? Word{ "an operator", -1 } : Word{ name, size });
		found = n.numbers.emplace(std::make_pair(name, size), n.all.size() - 1).first;
	}
	return n.words + found->second * sizeof(uint32_t);
}

/* "_index_put_impl_" and "gather.out" are index_put and gather for who calls them. */
std::string plain_name(const char *op)
{
	std::string name = op;

	name = name.substr(0, name.find('.'));
	name = name.substr(name.find_first_not_of('_'));
	size_t tail = name.find("_impl_");
	if (tail != std::string::npos)
		name.resize(tail);
	return name;
}

/* In the word of @name and @size: which of @index is not from @low to @high, nor @also. */
void note(const std::string &name, int64_t size, const View &index, int64_t low, int64_t high,
	  int64_t also)
{
	Notes &n = notes();
	c10::StreamId id = current_stream();
	View found = { {}, 0, Held::I32, { 1 }, { 1 } };

	if (when() == NEVER || index.type != Held::I32 || !index.numel() ||
	    !has_kernel("outside", Held::I32))
		return;
	{
		std::lock_guard<std::mutex> lock(n.mutex);

		found.address = word_of(n, name, size);
	}
	/* A number beyond 32 bits is none of a tensor's on the card. */
	if (also != (int32_t)also)
		also = 0;
	Launch("outside", Held::I32).read(reshape(torch_gaudi::dense(index), { index.numel() }))
		.update(found).bits((uint32_t)low).bits((uint32_t)high)
		.bits((uint32_t)also).run();
	outside_may_be_noted(id);
	if (when() == NOW && !capture_pool()) {
		check(gaudi_stream_synchronize(stream(id)), "waiting for a stream");
		look_for_outside(id);
	}
}

/* What word @w says, of which @index is the value. */
void tell(const Word &w, int32_t index)
{
	std::string of = w.size < 0 ? "" : " for a dimension of size " + std::to_string(w.size);
	const char *later = "; this is said when the host waits for the card, and with "
			    "GT_INDEX_CHECKS=now at the operator's call";

	TORCH_CHECK(w.size, "hpu: ", w.name, later);
	TORCH_CHECK_INDEX(false, "hpu: ", w.name, ": index ", index, " is out of bounds", of, later);
}

} // namespace

void Trusted::trust(int more)
{
	trusted += more;
}

Running::Running(const char *op) : is_outer(!running)
{
	if (is_outer)
		running = op;
}

Running::~Running()
{
	if (is_outer)
		running = nullptr;
}

void outside_may_be_noted(c10::StreamId id)
{
	Notes &n = notes();
	std::lock_guard<std::mutex> lock(n.mutex);

	if (n.all.empty())
		return;
	n.streams.insert(id);
	n.any = true;
}

void check_index(const std::string &name, const View &index, int64_t low, int64_t size,
		 int64_t also)
{
	/* Without elements there are no kernels that read; and the CPU says it at once. */
	if (size && size <= INT32_MAX)
		note(name, size, index, low, size - 1, also);
}

void check_none(const std::string &what, const View &numbers)
{
	note(what, 0, numbers, 0, 0, 0);
}

void check_index(const View &index, int64_t low, int64_t size, int64_t also)
{
	if (!trusted)
		check_index(plain_name(running ? running : "an operator"), index, low, size,
			    also);
}

void look_for_outside(c10::StreamId id)
{
	Notes &n = notes();

	if (C10_LIKELY(!n.any.load(std::memory_order_acquire)))
		return;
	std::lock_guard<std::mutex> lock(n.mutex);
	if (id == all_streams)
		n.streams.clear();
	else if (id != some_stream && !n.streams.erase(id))
		return;
	n.any = !n.streams.empty();
	std::vector<int32_t> words(n.all.size());
	check(gaudi_copy_to_host_async(n.stream, words.data(), n.words,
				       words.size() * sizeof(words[0])), "reading notes of indexes");
	for (size_t i = 0; i < words.size(); i++) {
		if (!words[i])
			continue;
		clear(n);
		tell(n.all[i], words[i]);
	}
}

} // namespace torch_gaudi
