// SPDX-License-Identifier: GPL-2.0-only
/*
 * Schedules, read as the executor does (thunk/coll/exec/exec.c): what stands next to each other in
 * one exchange is one message to each peer, with data or without, and one from each. Local
 * work is the bytes that it reads and writes.
 *
 * A machine of many boxes is simulated by one of them, where all cards of the same place in
 * their boxes do the same, but for peers that are as many boxes further on, or further by the
 * same bits: the other boxes do then the same at the same times. Sizes may differ by a chunk's
 * grain; the largest is taken.
 */
#include <algorithm>
#include <stdexcept>

#include "scale.hpp"

namespace {

constexpr uint64_t GRAIN = 64 * ELEMENT;	/* chunks are whole numbers of these */

class Reader {
public:
	~Reader() { coll_schedule_free(&schedule); }

	Program read(coll_call call, uint32_t rank, uint64_t pass)
	{
		Program program;
		uint32_t i = 0;

		call.rank = rank;
		if (coll_schedule_make(&call, pass, &schedule))
			throw std::runtime_error("there is no such schedule");
		while (i < schedule.num_actions) {
			const coll_action &action = schedule.actions[i];

			if (action.kind <= COLL_ACT_RECEIVE) {
				i = read_exchange(program, i);
				continue;
			}
			/* Operands are read, the result is written. */
			program.work += (double)action.count * ELEMENT *
					(action.kind == COLL_ACT_COPY ?
					 2 : action.num_refs + 1);
			i++;
		}

		return program;
	}

private:
	coll_schedule schedule = {};
	std::unordered_map<uint32_t, size_t> known;

	uint32_t read_exchange(Program &program, uint32_t i)
	{
		const uint32_t exchange = schedule.actions[i].exchange;
		Step step;

		known.clear();
		step.work = program.work;
		program.work = 0;
		for (; i < schedule.num_actions; i++) {
			const coll_action &action = schedule.actions[i];

			if (action.kind > COLL_ACT_RECEIVE ||
			    action.exchange != exchange)
				break;
			auto found = known.emplace(action.peer, step.peers.size());
			if (found.second)
				step.peers.push_back({ action.peer, 0 });
			if (action.kind == COLL_ACT_SEND)
				step.peers[found.first->second].bytes =
					action.count * ELEMENT;
		}
		program.steps.push_back(std::move(step));

		return i;
	}
};

/* The peer as a card of box 0 has it, that is image of one of @box. */
uint32_t image(Symmetry symmetry, uint32_t peer, uint32_t box, uint32_t boxes)
{
	uint32_t other = peer / BOX;

	other = symmetry == Symmetry::XOR ? other ^ box :
					    (other + boxes - box) % boxes;

	return other * BOX + peer % BOX;
}

bool about(double one, double other, double grain)
{
	return one - other <= grain && other - one <= grain;
}

/*
 * Is @other, of a card of @box, an image of @mine, of box 0? Then each of @mine gets the larger
 * size.
 */
bool take_image(Symmetry symmetry, Program &mine, const Program &other,
		uint32_t box, uint32_t boxes)
{
	/* Work is of operands that may each be a grain longer. */
	const double grain = 64.0 * GRAIN * boxes;

	if (mine.steps.size() != other.steps.size())
		return false;
	for (size_t i = 0; i < mine.steps.size(); i++) {
		Step &step = mine.steps[i];
		const Step &theirs = other.steps[i];

		if (step.peers.size() != theirs.peers.size() ||
		    !about(step.work, theirs.work, grain))
			return false;
		step.work = std::max(step.work, theirs.work);
		for (size_t j = 0; j < step.peers.size(); j++) {
			Peer &peer = step.peers[j];
			uint32_t rank = image(symmetry, theirs.peers[j].rank,
					      box, boxes);

			/* Direct goes round, so that the order may differ. */
			if (peer.rank != rank ||
			    !about(peer.bytes, theirs.peers[j].bytes, GRAIN))
				return false;
			peer.bytes = std::max(peer.bytes, theirs.peers[j].bytes);
		}
	}
	mine.work = std::max(mine.work, other.work);

	return true;
}

/* All of them where they are few; else some, from both ends and the middle. */
std::vector<uint32_t> boxes_to_compare(uint32_t boxes)
{
	std::vector<uint32_t> list;

	for (uint32_t box = 1; box < boxes; box++)
		if (boxes <= 16 || box < 3 || box == boxes / 2 ||
		    box == boxes / 3 || box == boxes - 1)
			list.push_back(box);

	return list;
}

bool fold(const coll_call &call, uint64_t pass, Symmetry symmetry,
	  std::vector<Program> &programs)
{
	const uint32_t boxes = call.ranks / BOX;
	Reader reader;

	programs.clear();
	for (uint32_t i = 0; i < BOX; i++) {
		Program mine = reader.read(call, i, pass);

		for (uint32_t box : boxes_to_compare(boxes))
			if (!take_image(symmetry, mine,
					reader.read(call, box * BOX + i, pass),
					box, boxes))
				return false;
		programs.push_back(std::move(mine));
	}

	return true;
}

} /* namespace */

Programs programs_make(const Options &options)
{
	const coll_call &call = options.call;
	Programs programs;
	uint64_t last;

	programs.cards = call.ranks;
	programs.passes = coll_passes(&call);
	if (!coll_can(&call) || !programs.passes)
		throw std::runtime_error("there is no such schedule");
	last = programs.passes - 1;
	if (!options.full && !options.lost)
		for (Symmetry symmetry : { Symmetry::SHIFT, Symmetry::XOR })
			if (fold(call, 0, symmetry, programs.first) &&
			    (!last || fold(call, last, symmetry, programs.last))) {
				programs.symmetry = symmetry;
				if (!last)
					programs.last = programs.first;
				return programs;
			}
	Reader reader;

	programs.first.clear();
	programs.last.clear();
	for (uint32_t rank = 0; rank < call.ranks; rank++) {
		programs.first.push_back(reader.read(call, rank, 0));
		programs.last.push_back(last ? reader.read(call, rank, last) :
					       programs.first.back());
	}

	return programs;
}
