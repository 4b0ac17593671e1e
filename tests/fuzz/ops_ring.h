/* SPDX-License-Identifier: GPL-2.0-only */
/* A hostile process at the other end of a wire: the memory that both share. */
#ifndef FUZZ_OPS_RING_H
#define FUZZ_OPS_RING_H

#include "nic_card.h"

#define RING_PORT	(NIC_PORTS - 1)

/* Once: the port's other end is in another process. Around each run. */
void ring_connect(void);
void ring_begin(void);
void ring_end(void);
/*
 * A packet into the ring, and the victim looks. Bits of flags: 0x80, damage as for frames;
 * 0x40: nobody is woken; 0x20: a length that is none.
 */
void ring_send(const struct gaudi_nic_packet *p, const struct rec *r);

/*
 * Words of the memory, what the process says of itself, what it takes; a new one, and
 * the victim's port that goes off and on.
 */
op_fn op_ring_word, op_ring_state, op_ring_take, op_ring_join;

#endif /* FUZZ_OPS_RING_H */
