/* SPDX-License-Identifier: MIT */
/* So many values by key: of too many the one goes that was used last longest ago. */
#ifndef TORCH_GAUDI_LRU_H
#define TORCH_GAUDI_LRU_H

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace torch_gaudi {

/* The caller has a lock. What is found or added stays where it is until it goes. */
template <class Value> struct Lru {
	const size_t most;	/* at least one */
	uint64_t evictions = 0;
	std::list<std::pair<std::string, Value>> order = {};	/* used last: the first */
	std::unordered_map<std::string_view, decltype(order.begin())> index = {};

	/* Null: there is none. */
	Value *find(const std::string &key)
	{
		auto found = index.find(key);

		if (found == index.end())
			return nullptr;
		order.splice(order.begin(), order, found->second);
		return &order.front().second;
	}
	/* What find() has not found. */
	Value *add(std::string key, Value value)
	{
		order.emplace_front(std::move(key), std::move(value));
		index[order.front().first] = order.begin();
		if (order.size() > most) {
			drop(std::prev(order.end()));
			evictions++;
		}
		return &order.front().second;
	}
	void drop(decltype(order.begin()) which)
	{
		index.erase(which->first);
		order.erase(which);
	}
};

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_LRU_H */
