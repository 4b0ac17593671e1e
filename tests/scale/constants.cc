// SPDX-License-Identifier: GPL-2.0-only
/*
 * Constants, with where they are from. Documentation/scale.rst tells the same to readers.
 */
#include <stdexcept>

#include "scale.hpp"

/*
 * Bandwidths and ports are those of an HLS-1 box: ten ports of 100 Gb/s, seven of them inside,
 * and 1 TB/s of HBM2. No latency was ever published for it; these are assumed, of the class of
 * adapters and switches for RoCE v2.
 */
static const Constants published = {
	"published", 1.5e-6, 0.5e-6, 0.1e-6, 12.5e9, 1, 3, 1e12,
};

/*
 * A box of emulated cards on two cores. A message waits for a thread to wake up (8 us), and an
 * entry of a queue costs 0.23 us ("make bench P=nic"). All wires together copy 17.5 GB/s, what
 * two threads do, and sums read and write as fast: each of 56 wires, and each of 8 cards, has
 * its share. There are no switches; another box is as good a machine, with the same wake-up.
 */
static const Constants here = {
	"here", 8e-6, 8e-6, 0.23e-6, 17.5e9 / 56, 1, 3, 2 * 17.5e9 / BOX,
};

const Constants &constants_find(const std::string &name)
{
	for (const Constants *constants : { &published, &here })
		if (name == constants->name)
			return *constants;
	throw std::runtime_error("there are no constants " + name);
}

uint32_t level_of(uint32_t one, uint32_t other)
{
	uint32_t level = 0;

	if (one == other)
		return 0;
	for (level = 1; one / FAN != other / FAN; level++) {
		one /= FAN;
		other /= FAN;
	}

	return level;
}
