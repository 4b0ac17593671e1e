// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards at work, by events of SimGrid's: a timer ends local work, latency and what has a cable
 * for itself; a flow (s4u::Comm) is a message on links that it shares. There are no actors.
 *
 * Passes that are alike end in equal distances once the pipeline of cards has filled. So do
 * exchanges of a pass that are alike: as many are simulated as it takes for distances to be
 * equal, and the others are added. Options::whole simulates them all.
 */
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <simgrid/kernel/Timer.hpp>

#include "scale.hpp"

namespace sg4 = simgrid::s4u;
using simgrid::kernel::timer::Timer;

namespace {

constexpr uint32_t STEPS_OF_A_RUN = 6;		/* that are simulated */
constexpr uint64_t PASSES_AT_FIRST = 4;

/* Exchanges of a pass that are alike, on every card. */
struct Repeat {
	size_t first, steps;
};

struct Shortened {
	std::vector<Program> programs;
	std::vector<Repeat> repeats;		/* places in these */
};

struct Card {
	const Program *program = nullptr;
	uint64_t pass = 0;
	size_t step = 0;
	uint32_t waits = 0;			/* messages */
	std::unordered_map<uint32_t, int> from;	/* that came and are not yet awaited */
};

struct Flow {
	uint32_t from, at, key;
	double latency;
	sg4::CommPtr comm;
};

bool same_steps(const std::vector<Program> &programs, size_t i)
{
	for (const Program &program : programs) {
		const Step &one = program.steps[i - 1], &other = program.steps[i];

		if (one.work != other.work || one.peers != other.peers)
			return false;
	}

	return true;
}

Shortened shorten(const std::vector<Program> &programs, bool whole)
{
	Shortened result;
	size_t steps = programs.front().steps.size(), next;
	std::vector<size_t> kept;

	for (const Program &program : programs)
		whole |= program.steps.size() != steps;
	if (whole) {
		result.programs = programs;
		return result;
	}
	for (size_t i = 0; i < steps; i = next) {
		for (next = i + 1; next < steps && same_steps(programs, next);)
			next++;
		for (size_t j = i; j < next && j < i + STEPS_OF_A_RUN; j++)
			kept.push_back(j);
		if (next - i > STEPS_OF_A_RUN)
			result.repeats.push_back({ kept.size() - STEPS_OF_A_RUN,
						   next - i });
	}
	for (const Program &program : programs) {
		Program shorter;

		shorter.work = program.work;
		for (size_t i : kept)
			shorter.steps.push_back(program.steps[i]);
		result.programs.push_back(std::move(shorter));
	}

	return result;
}

class Machine {
public:
	Machine(const Options &options_, const Programs &programs_,
		const Platform &platform_)
		: constants(*options_.constants), programs(programs_),
		  platform(platform_), boxes(programs_.cards / BOX),
		  first(shorten(programs_.first, options_.whole)),
		  last(shorten(programs_.last, options_.whole)),
		  cards(programs_.simulated())
	{
		sg4::Comm::on_completion_cb([this](auto const &activity) {
			flow_ended(&activity);
		});
	}

	/* @passes of them, the last one being the last one's; when it has ended. */
	double run(uint64_t passes_)
	{
		const double start = sg4::Engine::get_clock();

		passes = passes_;
		begin_time = start;
		pass_ends.assign(passes, 0);
		ends_first.assign(first.programs.front().steps.size(), 0);
		ends_last.assign(last.programs.front().steps.size(), 0);
		done = 0;
		for (uint32_t i = 0; i < cards.size(); i++) {
			cards[i] = Card();
			begin_pass(i);
		}
		sg4::Engine::get_instance()->run();
		if (done != cards.size())
			throw std::runtime_error("cards wait for each other");

		return pass_ends.back() - start;
	}

	/* What was left out of one pass. */
	double rest_first() const { return rest(first, ends_first); }
	double rest_last() const { return rest(last, ends_last); }
	double pass_end(uint64_t pass) const { return pass_ends[pass] - begin_time; }

	uint64_t messages = 0;

private:
	static double rest(const Shortened &part, const std::vector<double> &ends)
	{
		double sum = 0;

		for (const Repeat &repeat : part.repeats) {
			const size_t end = repeat.first + STEPS_OF_A_RUN - 1;
			const double one = ends[end] - ends[end - 1];
			const double before = ends[end - 1] - ends[end - 2];

			if (std::fabs(one - before) > 1e-6 * one)
				throw std::runtime_error("exchanges that are alike take different times");
			sum += one * (double)(repeat.steps - STEPS_OF_A_RUN);
		}

		return sum;
	}

	void begin_pass(uint32_t i)
	{
		Card &card = cards[i];
		const Shortened &part = card.pass + 1 == passes ? last : first;

		card.program = &part.programs[i];
		card.step = 0;
		begin_step(i, 0);
	}

	/* @heard: messages of the last exchange, each of which costs its overhead. */
	void begin_step(uint32_t i, size_t heard)
	{
		const Card &card = cards[i];
		const std::vector<Step> &steps = card.program->steps;
		const bool end = card.step == steps.size();
		const double bytes = end ? card.program->work :
					   steps[card.step].work;
		const size_t count = heard + (end ? 0 : steps[card.step].peers.size());
		const double delay = bytes / constants.memory +
				     (double)count * constants.overhead;

		Timer::set(sg4::Engine::get_clock() + delay, [this, i, end] {
			if (end)
				end_pass(i);
			else
				post(i);
		});
	}

	void end_pass(uint32_t i)
	{
		Card &card = cards[i];

		pass_ends[card.pass] = std::max(pass_ends[card.pass],
						sg4::Engine::get_clock());
		if (++card.pass == passes)
			done++;
		else
			begin_pass(i);
	}

	void post(uint32_t i)
	{
		Card &card = cards[i];
		const Step &step = card.program->steps[card.step];

		card.waits = (uint32_t)step.peers.size() * 2;
		for (const Peer &peer : step.peers)
			if (card.from[peer.rank]-- > 0)
				card.waits--;
		for (const Peer &peer : step.peers)
			send(i, peer);
	}

	/* This card, as who gets @to's image of a message knows it. */
	uint32_t key_of(uint32_t from, uint32_t to) const
	{
		const uint32_t box = to / BOX;

		switch (programs.symmetry) {
		case Symmetry::SHIFT:
			return (boxes - box) % boxes * BOX + from;
		case Symmetry::XOR:
			return box * BOX + from;
		default:
			return from;
		}
	}

	void send(uint32_t i, const Peer &peer)
	{
		const double latency = platform.latency(i, peer.rank);
		const double alone = platform.alone(i, peer.rank, peer.bytes);
		const uint32_t at = programs.symmetry == Symmetry::NONE ?
				    peer.rank : peer.rank % BOX;
		const uint32_t key = key_of(i, peer.rank);

		messages++;
		if (!peer.bytes || alone > 0) {
			arrive_later(i, at, key, alone + latency);
			return;
		}
		sg4::CommPtr comm = sg4::Comm::sendto_init(platform.from(i),
							   platform.to(peer.rank));

		comm->set_payload_size(peer.bytes);
		flows[comm.get()] = { i, at, key, latency, comm };
		comm->start();
	}

	void flow_ended(const void *activity)
	{
		auto found = flows.find(activity);

		if (found == flows.end())
			return;
		const Flow &flow = found->second;

		arrive_later(flow.from, flow.at, flow.key, flow.latency);
		flows.erase(found);
	}

	void arrive_later(uint32_t from, uint32_t at, uint32_t key, double latency)
	{
		Timer::set(sg4::Engine::get_clock() + latency, [this, from, at, key] {
			if (cards[at].from[key]++ < 0)
				have_one(at);
			have_one(from);
		});
	}

	void have_one(uint32_t i)
	{
		Card &card = cards[i];

		if (--card.waits)
			return;
		note_end(card);
		card.step++;
		begin_step(i, card.program->steps[card.step - 1].peers.size());
	}

	void note_end(const Card &card)
	{
		if (card.pass + 1 == passes && card.step < ends_last.size())
			ends_last[card.step] = std::max(ends_last[card.step],
							sg4::Engine::get_clock());
		else if (!card.pass && card.step < ends_first.size())
			ends_first[card.step] = std::max(ends_first[card.step],
							 sg4::Engine::get_clock());
	}

	const Constants &constants;
	const Programs &programs;
	const Platform &platform;
	const uint32_t boxes;
	const Shortened first, last;
	std::vector<Card> cards;
	std::unordered_map<const void *, Flow> flows;
	std::vector<double> pass_ends, ends_first, ends_last;
	double begin_time = 0;
	uint64_t passes = 0;
	size_t done = 0;
};

} /* namespace */

Result run(const Options &options, const Programs &programs,
	   const Platform &platform)
{
	Machine machine(options, programs, platform);
	uint64_t passes = programs.passes;
	Result result;

	result.steps = programs.first.front().steps.size() * (passes - 1) +
		       programs.last.front().steps.size();
	if (!options.whole)
		passes = std::min(passes, PASSES_AT_FIRST);
	for (;; passes = std::min(passes * 2, programs.passes)) {
		const uint64_t left = programs.passes - passes;
		double one = 0, before = 0;

		result.passes = passes;
		result.seconds = machine.run(passes) + machine.rest_last() +
				 (double)(programs.passes - 1) * machine.rest_first();
		result.messages = machine.messages;
		if (!left)
			return result;
		one = machine.pass_end(passes - 2) - machine.pass_end(passes - 3);
		before = machine.pass_end(passes - 3) - machine.pass_end(passes - 4);
		if (std::fabs(one - before) > 1e-6 * one)
			continue;
		result.seconds += one * (double)left;
		return result;
	}
}
