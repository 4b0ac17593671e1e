// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boxes of eight cards. Two cards of a box have a cable for themselves, with nobody to share
 * it, so that a message on it takes a constant time. All have their other ports on the fat
 * tree, SimGrid's, whose switches have as many cables up as down, and which a message crosses
 * on the way that its destination says (D-mod-k). The lowest switch is one for each box:
 * cables of a box are a bundle from there on, and so are a card's ports.
 *
 * Cables that are lost: of a bundle, the rest carries all of it. What two cards of a box send
 * each other goes by their outer ports.
 *
 * Where one box stands for all, it has the bundle of the box, too; those above carry no more
 * than these, as the comparison of both shows. So they are left out where there are more cards
 * than SimGrid's fat tree can be made of in time.
 */
#include <algorithm>
#include <cstdio>
#include <random>
#include <stdexcept>

#include "scale.hpp"

namespace sg4 = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;

namespace {

constexpr double SPEED = 1;		/* of a host, which SimGrid wants, for nothing */
constexpr uint32_t MOST_IN_TREE = 4096;	/* cards */
constexpr uint32_t PAIRS = BOX * (BOX - 1) / 2;

uint32_t height(uint32_t boxes)
{
	uint32_t levels = 1;

	for (; boxes > FAN; boxes = (boxes + FAN - 1) / FAN)
		levels++;

	return levels;
}

uint64_t pair_of(uint32_t one, uint32_t other)
{
	return (uint64_t)std::min(one, other) << 32 | std::max(one, other);
}

} /* namespace */

Platform::Platform(const Options &options, Symmetry symmetry_)
	: constants(*options.constants), symmetry(symmetry_),
	  boxes(options.call.ranks / BOX), part(options.lost), seed(options.seed),
	  ports(options.call.ranks, constants.outside)
{
	if (!boxes || options.call.ranks % BOX || (boxes & (boxes - 1)))
		throw std::runtime_error("cards are those of a power of two of boxes of 8");
	lose();
	if (symmetry != Symmetry::NONE)
		make_folded();
	else if (options.call.ranks > MOST_IN_TREE)
		make_star();
	else
		make_tree();
}

/* The pair of this number within a box; false: it has been lost before. */
bool Platform::lose_pair(uint32_t box, uint32_t at)
{
	uint32_t one = 0;

	for (; at >= BOX - 1 - one; one++)
		at -= BOX - 1 - one;

	return lost_pairs.emplace(pair_of(box * BOX + one,
					  box * BOX + one + 1 + at), true).second;
}

/* As many as @part says, but one at least. A card keeps one of its outer ports. */
void Platform::lose()
{
	const uint32_t outer = BOX * constants.outside;
	std::mt19937 random(seed);

	num_cables = boxes * (PAIRS + outer);
	if (part == 0)
		return;
	num_lost = std::max(1u, (uint32_t)(num_cables * part + 0.5));
	for (uint32_t left = num_lost; left;) {
		const uint32_t at = (uint32_t)(random() % num_cables);
		const uint32_t box = at / (PAIRS + outer), in = at % (PAIRS + outer);

		if (in < PAIRS) {
			left -= lose_pair(box, in);
			continue;
		}
		uint32_t &own = ports[box * BOX + (in - PAIRS) % BOX];

		if (own > 1) {
			own--;
			left--;
		}
	}
}

bool Platform::is_lost(uint32_t from, uint32_t rank) const
{
	return !lost_pairs.empty() && lost_pairs.count(pair_of(from, rank));
}

/* One box, and where its messages to other boxes come in. */
void Platform::make_folded()
{
	sg4::NetZone *zone = sg4::create_full_zone("world");
	const double speed = constants.port * constants.outside;
	std::vector<sg4::Link *> out, in;
	auto make = [zone](const std::string &name, double bandwidth) {
		return zone->create_link(name, bandwidth)->set_latency(0)->seal();
	};
	sg4::Link *up = make("up", speed * BOX), *down = make("down", speed * BOX);

	for (uint32_t i = 0; i < BOX; i++) {
		const std::string number = std::to_string(i);

		hosts.push_back(zone->create_host("card-" + number, SPEED));
		arrivals.push_back(zone->create_host("at-" + number, SPEED));
		out.push_back(make("out-" + number, speed));
		in.push_back(make("in-" + number, speed));
	}
	for (uint32_t i = 0; i < BOX; i++)
		for (uint32_t j = 0; j < BOX; j++)
			zone->add_route(hosts[i]->get_netpoint(),
					arrivals[j]->get_netpoint(), nullptr, nullptr,
					{ sg4::LinkInRoute(out[i]), sg4::LinkInRoute(up),
					  sg4::LinkInRoute(down), sg4::LinkInRoute(in[j]) },
					false);
	zone->seal();
}

/* All boxes on one switch that never holds anybody up. */
void Platform::make_star()
{
	sg4::NetZone *zone = sg4::create_star_zone("world");
	auto make = [zone](const std::string &name, double bandwidth) {
		return zone->create_link(name, bandwidth)->set_latency(0)->seal();
	};
	const double bundle = constants.port * constants.outside * BOX;
	sg4::Link *up = nullptr, *down = nullptr;

	for (uint32_t rank = 0; rank < ports.size(); rank++) {
		const std::string name = std::to_string(rank);
		const double speed = constants.port * ports[rank];

		if (rank % BOX == 0) {
			up = make("box-up-" + name, bundle);
			down = make("box-down-" + name, bundle);
		}
		hosts.push_back(zone->create_host("card-" + name, SPEED));
		zone->add_route(hosts.back()->get_netpoint(), nullptr, nullptr, nullptr,
				{ sg4::LinkInRoute(make("out-" + name, speed)),
				  sg4::LinkInRoute(up) }, false);
		zone->add_route(nullptr, hosts.back()->get_netpoint(), nullptr, nullptr,
				{ sg4::LinkInRoute(down),
				  sg4::LinkInRoute(make("in-" + name, speed)) }, false);
	}
	zone->seal();
}

void Platform::make_tree()
{
	const double speed = constants.port * constants.outside;
	std::vector<unsigned int> below = { BOX }, above = { 1 }, bundles = { 1 };
	uint32_t left = boxes;
	auto card = [this](sg4::NetZone *zone, const std::vector<unsigned long> &,
			   unsigned long id) {
		hosts.push_back(zone->create_host("card-" + std::to_string(id), SPEED));

		return std::make_pair(hosts.back()->get_netpoint(),
				      (NetPoint *)nullptr);
	};

	for (uint32_t level = 0; boxes > 1 && level < height(boxes); level++) {
		below.push_back(std::min(left, FAN));
		above.push_back(level ? FAN : 1);
		bundles.push_back(1);
		left = (left + FAN - 1) / FAN;
	}
	sg4::create_fatTree_zone("world", nullptr,
				 { (unsigned int)below.size(), below, above, bundles },
				 sg4::ClusterCallbacks(card), speed * BOX, 0,
				 sg4::Link::SharingPolicy::SPLITDUPLEX)->seal();
	/* Cards have the first numbers, and links are named from below. */
	for (sg4::Link *link : sg4::Engine::get_instance()->get_all_links()) {
		uint32_t rank;

		if (sscanf(link->get_cname(), "link_from_%u_", &rank) == 1 &&
		    rank < ports.size())
			link->set_bandwidth(constants.port * ports[rank]);
	}
}

double Platform::alone(uint32_t from, uint32_t rank, uint64_t bytes) const
{
	if (from / BOX != rank / BOX || is_lost(from, rank))
		return 0;

	return (double)bytes / (constants.port * constants.inside);
}

sg4::Host *Platform::to(uint32_t rank) const
{
	return symmetry == Symmetry::NONE ? hosts[rank] : arrivals[rank % BOX];
}

double Platform::latency(uint32_t from, uint32_t rank) const
{
	uint32_t level = level_of(from / BOX, rank / BOX);

	/* The same distance leads over the top from some box or other. */
	if (level && symmetry == Symmetry::SHIFT)
		level = height(boxes);
	if (!level && is_lost(from, rank))
		level = 1;

	return constants.latency(level);
}
