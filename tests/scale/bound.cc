// SPDX-License-Identifier: GPL-2.0-only
/*
 * What no schedule can beat, by LogGP: the larger one of
 *
 *  - how long it takes until a card has told all others, or has heard from all: each who knows
 *    tells one after the other, every o, and each is heard L + 2o later. Where there is a fat
 *    tree, one message at least has to cross its top.
 *  - the bytes that a card, or a box, sends at least in the mean of all, by all of its ports,
 *    with the latency of the last one. To sum S bytes of n that are to have all of it, all
 *    together send 2 (n - 1) S; the same holds for boxes.
 */
#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>

#include "scale.hpp"

/* Until @cards know, where one did. */
static double time_to_tell(const Constants &constants, uint32_t cards)
{
	std::priority_queue<double, std::vector<double>, std::greater<double>> free;
	double known = 0;

	free.push(0);
	for (uint32_t i = 1; i < cards; i++) {
		double now = free.top();

		free.pop();
		known = now + 2 * constants.overhead + constants.wire;
		free.push(now + constants.overhead);
		free.push(known);
	}

	return known;
}

/* In sizes of the whole buffer, of the mean card or box out of @n. */
static double must_send(coll_kind kind, uint32_t n)
{
	switch (kind) {
	case COLL_ALLREDUCE:
		return 2.0 * (n - 1) / n;
	case COLL_BROADCAST:
	case COLL_REDUCE:
	case COLL_REDUCE_SCATTER:
	case COLL_ALLGATHER:
		return 1.0 * (n - 1) / n;
	default:
		throw std::runtime_error("there is no bound for this collective");
	}
}

double bound(const Options &options)
{
	const Constants &c = *options.constants;
	const uint32_t cards = options.call.ranks, boxes = cards / BOX;
	const double size = (double)options.bytes, ends = 2 * c.overhead;
	double card = c.port * c.inside * (BOX - 1);
	double least = 0, sent = 0;

	if (cards < 2)
		return 0;
	least = time_to_tell(c, cards);
	if (boxes > 1) {
		card += c.port * c.outside;
		least = std::max(least, ends + c.latency(level_of(0, boxes - 1)));
		sent = size * must_send(options.call.kind, boxes) /
		       (c.port * c.outside * BOX);
	}
	sent = std::max(sent, size * must_send(options.call.kind, cards) / card);

	return std::max(least, ends + c.wire + sent);
}
