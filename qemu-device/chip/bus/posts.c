// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Messages: 32-bit writes that monitors, completions and errors cause. They go
 * through a queue that is drained in a loop: a payload that changes another
 * sync object, whose monitor fires in turn, costs no stack, and a ring of
 * monitors that arm each other for ever is continued by an actor, between other
 * work.
 */
#include "bus_state.h"

/* As long as copying so many bytes; more, where many monitors look on. */
#define POST_COST		2048
/* From here on, command processors wait. */
#define POSTS_HIGH		(GAUDI_POSTS / 2)

bool gaudi_posts_full(const struct gaudi_chip *chip)
{
	return chip->bus->posts.count > POSTS_HIGH;
}

bool gaudi_posts_draining(const struct gaudi_chip *chip)
{
	return chip->bus->posts.draining;
}

/* Returns whether some are left. */
static bool drain(struct gaudi_chip *chip)
{
	struct gaudi_posts *p = &chip->bus->posts;
	uint32_t *budget = &chip->sched.messages;
	uint64_t at_ps = chip->clock.at_ps;
	struct gaudi_post post;

	p->draining = true;
	for (; p->count && *budget; --*budget) {
		post = p->post[p->head];
		p->head = (p->head + 1) % GAUDI_POSTS;
		p->count--;
		gaudi_work_done(chip, POST_COST);
		chip->clock.at_ps = post.at_ps;
		/* A refused write has been captured; nothing waits for it. */
		if (gaudi_bus_write32(chip, &post.txn, post.addr, post.data) &&
		    p->refused && post.txn.initiator == p->refused_of)
			p->refused(chip, post.txn.unit, post.tag);
	}
	p->draining = false;
	chip->clock.at_ps = at_ps;
	return p->count;
}

static bool posts_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	(void)actor;
	return drain(chip);
}

/* Does what has been posted, unless that is going on further up the stack. */
void gaudi_posts_drain(struct gaudi_chip *chip)
{
	struct gaudi_posts *p = &chip->bus->posts;

	if (!p->draining && p->count && drain(chip))
		gaudi_actor_kick(chip, &p->actor);
}

void gaudi_post(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		uint64_t addr, uint32_t value, uint16_t tag)
{
	struct gaudi_posts *p = &chip->bus->posts;
	struct gaudi_post *last;

	if (p->count == GAUDI_POSTS) {
		gaudi_report_use(chip, "condition", "PAYLOAD_OVERFLOW",
				 GAUDI_APPROXIMATE);
		gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
			  "sync manager: payload to 0x%llx is lost, too many are under way",
			  (unsigned long long)addr);
		return;
	}
	last = &p->post[(p->head + p->count++) % GAUDI_POSTS];
	last->txn = *txn;
	last->addr = addr;
	last->at_ps = chip->clock.at_ps;
	last->data = value;
	last->tag = tag;
}

void gaudi_post_write(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, uint32_t value)
{
	gaudi_post(chip, txn, addr, value, 0);
	gaudi_posts_drain(chip);
}

void gaudi_posts_on_refused(struct gaudi_chip *chip,
			    enum gaudi_initiator initiator,
			    void (*fn)(struct gaudi_chip *chip,
				       unsigned int unit, uint16_t tag))
{
	chip->bus->posts.refused_of = initiator;
	chip->bus->posts.refused = fn;
}

void gaudi_posts_drop(struct gaudi_chip *chip)
{
	chip->bus->posts.head = 0;
	chip->bus->posts.count = 0;
}

void gaudi_posts_init(struct gaudi_chip *chip)
{
	gaudi_actor_init(chip, &chip->bus->posts.actor, "posts", true,
			 posts_run);
}
