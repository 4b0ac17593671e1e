/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Schedules of collectives on machines that nobody here has, by SimGrid: constants
 * (constants.cc), boxes and the fat tree between them (platform.cc), what each card does
 * (program.cc), the run of it (run.cc), and a bound that no schedule can beat (bound.cc).
 *
 * SimGrid shares links among what crosses them at the same time. Latency and overhead are
 * constant, as in LogGP, and are timers of the same simulation: SimGrid's own latency would
 * give those who come from further away a smaller share of a link, as TCP does.
 */
#ifndef GAUDI_SCALE_H
#define GAUDI_SCALE_H

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

extern "C" {
#include "schedule.h"
}

constexpr uint32_t BOX = 8;		/* cards */
constexpr uint32_t FAN = 16;		/* below and above each switch */

/* LogGP's, in seconds and bytes per second. */
struct Constants {
	std::string name;
	double wire;		/* L from card to card of a box */
	double hop;		/* for each switch on the way, more than that */
	double overhead;	/* o, of each message at either end */
	double port;		/* 1/G of one port */
	uint32_t inside;	/* ports between two cards of a box */
	uint32_t outside;	/* ports of a card to the fat tree */
	double memory;		/* bytes read and written per second by a card */

	/* @level: of the switch where way up and way down meet; 0: within the box */
	double latency(uint32_t level) const
	{
		return wire + (level ? hop * (2 * level - 1) : 0);
	}
};

const Constants &constants_find(const std::string &name);

struct Options {
	coll_call call = {};		/* of rank 0, count not rounded */
	uint64_t bytes = 0;		/* of the whole buffer */
	const Constants *constants = nullptr;
	double lost = 0;		/* part of all cables */
	uint32_t seed = 1;
	bool full = false;		/* each card by itself */
	bool whole = false;		/* each exchange of each pass, too */
};

constexpr uint32_t ELEMENT = 4;		/* bytes: float32 */

/* The level of the lowest switch above both boxes; 0: they are the same. */
uint32_t level_of(uint32_t one, uint32_t other);

/*
 * What cards do
 */
struct Peer {
	uint32_t rank;
	uint64_t bytes;			/* to it; it answers in any case */

	bool operator==(const Peer &other) const
	{
		return rank == other.rank && bytes == other.bytes;
	}
};

/* Local work of so many bytes, then one message to each peer and one from each. */
struct Step {
	double work = 0;
	std::vector<Peer> peers;
};

struct Program {
	std::vector<Step> steps;
	double work = 0;		/* behind the last one */
};

/* How boxes stand for each other: none, or by their distance. */
enum class Symmetry { NONE, SHIFT, XOR };

/*
 * Programs of all cards that are simulated: each of them, or those of one box, of which all
 * others are images. A pass but the last one is like the first.
 */
struct Programs {
	Symmetry symmetry = Symmetry::NONE;
	uint32_t cards = 0;		/* of the machine */
	uint64_t passes = 0;
	std::vector<Program> first, last;

	uint32_t simulated() const { return (uint32_t)first.size(); }
};

/* std::runtime_error: the call cannot be, or boxes are not alike enough. */
Programs programs_make(const Options &options);

/*
 * The machine
 */
class Platform {
public:
	Platform(const Options &options, Symmetry symmetry);
	/* Seconds of a message's bytes on a cable of their own; 0: a flow shares links. */
	double alone(uint32_t from, uint32_t rank, uint64_t bytes) const;
	simgrid::s4u::Host *from(uint32_t rank) const { return hosts[rank]; }
	/* Where a flow to @rank comes in. */
	simgrid::s4u::Host *to(uint32_t rank) const;
	double latency(uint32_t from, uint32_t rank) const;
	uint32_t cables() const { return num_cables; }
	uint32_t lost() const { return num_lost; }

private:
	void lose();
	bool lose_pair(uint32_t box, uint32_t at);
	void make_folded();
	void make_star();
	void make_tree();
	bool is_lost(uint32_t from, uint32_t rank) const;

	const Constants &constants;
	Symmetry symmetry;
	uint32_t boxes;
	double part;			/* of all cables that are lost */
	uint32_t seed;
	uint32_t num_cables = 0, num_lost = 0;
	std::vector<simgrid::s4u::Host *> hosts, arrivals;
	std::vector<uint32_t> ports;			/* of each card, that are left */
	std::unordered_map<uint64_t, bool> lost_pairs;	/* of cards, both ways */
};

/*
 * The run
 */
struct Result {
	double seconds = 0;
	uint64_t messages = 0;		/* that were simulated */
	uint64_t passes = 0, steps = 0;	/* that were simulated, and of a card in all */
};

Result run(const Options &options, const Programs &programs,
	   const Platform &platform);

/* No schedule can be faster, whatever it is. */
double bound(const Options &options);

#endif /* GAUDI_SCALE_H */
