// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Faults of the NIC's ports: which packets and completions are struck, links that
 * are down, peers that are gone. What is done to a packet is in the room of the NIC.
 */
#include "catalogue.h"
#include "../nic/nic.h"

#define NS_PER_MS		1000000ull
#define NS_PER_US		1000ull
/* A packet that nobody overtakes is so late. */
#define OVERTAKE_US		1000

/* --- what passes ---------------------------------------------------------- */

bool gaudi_fault_port_matches(const struct gaudi_fault *f,
			      const struct gaudi_fault_place *at)
{
	const uint64_t *v = f->value;

	if (gaudi_fault_given(f, GAUDI_FK_UNIT) &&
	    at->number != v[GAUDI_FK_UNIT])
		return false;
	if (gaudi_fault_given(f, GAUDI_FK_WAY) && at->in != v[GAUDI_FK_WAY])
		return false;
	if (gaudi_fault_given(f, GAUDI_FK_OPCODE) &&
	    at->opcode != v[GAUDI_FK_OPCODE])
		return false;
	return !(at->never >> f->desc->arg & 1);
}

enum gaudi_frame_fate gaudi_fault_on_frame(struct gaudi_chip *chip,
					   struct gaudi_frame *frame)
{
	const struct gaudi_fault_place at = {
		.queue = -1, .stream = -1, .number = frame->port,
		.in = frame->in, .opcode = frame->opcode,
		.never = (frame->has_key ? 0 : 1u << GAUDI_FRAME_BAD_KEY) |
			 (frame->in ? 1u << GAUDI_FRAME_LATE |
					      1u << GAUDI_FRAME_SLOW : 0),
	};
	const struct gaudi_fault *f;

	if (chip->faults->port_gone_ns[frame->port])
		return GAUDI_FRAME_LOST;
	f = gaudi_fault_strike(chip, GAUDI_FAULT_FRAME, &at);
	if (!f)
		return GAUDI_FRAME_WHOLE;
	/* Each time another bit. */
	frame->random = (f->hits + f->value[GAUDI_FK_SEED]) * 0x9e3779b1u;
	frame->ns_per_kib = f->value[GAUDI_FK_NS_PER_KIB];
	frame->delay_ns = f->value[GAUDI_FK_US] * NS_PER_US;
	if (f->desc->arg == GAUDI_FRAME_LATE &&
	    !gaudi_fault_given(f, GAUDI_FK_US))
		frame->delay_ns = OVERTAKE_US * NS_PER_US;
	return f->desc->arg;
}

bool gaudi_fault_on_completion(struct gaudi_chip *chip, unsigned int port)
{
	const struct gaudi_fault_place at = {
		.queue = -1, .stream = -1, .number = port,
	};

	return gaudi_fault_strike(chip, GAUDI_FAULT_CQ, &at);
}

/* --- what lasts ----------------------------------------------------------- */

static uint64_t end_ns(struct gaudi_chip *chip, const struct gaudi_fault *f)
{
	return gaudi_fault_given(f, GAUDI_FK_MS) ?
		       gaudi_now_ns(chip) + f->value[GAUDI_FK_MS] * NS_PER_MS :
		       UINT64_MAX;
}

int gaudi_fault_do_port_down(struct gaudi_chip *chip,
			     const struct gaudi_fault *f,
			     const struct gaudi_fault_place *at)
{
	unsigned int port = f->value[GAUDI_FK_UNIT];

	(void)at;
	chip->faults->port_down_ns[port] = end_ns(chip, f);
	gaudi_nic_break(chip, port, true);
	return 0;
}

int gaudi_fault_do_peer_gone(struct gaudi_chip *chip,
			     const struct gaudi_fault *f,
			     const struct gaudi_fault_place *at)
{
	(void)at;
	chip->faults->port_gone_ns[f->value[GAUDI_FK_UNIT]] = end_ns(chip, f);
	chip->fault_sites |= 1u << GAUDI_FAULT_FRAME;
	return 0;
}

bool gaudi_fault_any_gone(const struct gaudi_faults *fs)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_NIC_ENGINE; i++)
		if (fs->port_gone_ns[i])
			return true;
	return false;
}

uint64_t gaudi_fault_ports_due(const struct gaudi_faults *fs)
{
	uint64_t due = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_NIC_ENGINE; i++) {
		if (fs->port_down_ns[i] && fs->port_down_ns[i] < due)
			due = fs->port_down_ns[i];
		if (fs->port_gone_ns[i] && fs->port_gone_ns[i] < due)
			due = fs->port_gone_ns[i];
	}
	return due;
}

void gaudi_fault_ports_end(struct gaudi_chip *chip, uint64_t now)
{
	struct gaudi_faults *fs = chip->faults;
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_NIC_ENGINE; i++) {
		if (fs->port_gone_ns[i] && fs->port_gone_ns[i] <= now)
			fs->port_gone_ns[i] = 0;
		if (!fs->port_down_ns[i] || fs->port_down_ns[i] > now)
			continue;
		fs->port_down_ns[i] = 0;
		gaudi_nic_break(chip, i, false);
	}
}
