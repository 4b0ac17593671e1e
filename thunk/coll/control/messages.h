/* SPDX-License-Identifier: MIT */
/*
 * Messages between two ranks have the same size on both sides: who sends tells it, and who
 * receives compares (messages.c); by notes, which control.c sends and hears.
 */
#ifndef GAUDI_COLL_MESSAGES_H
#define GAUDI_COLL_MESSAGES_H

#include "../comm/comm.h"

/* With the lock, as notes of two threads must not mix: what all notes have; and to a peer. */
void coll_note_init(const struct coll_comm *comm, struct coll_note *note,
		    enum coll_note_kind kind);
void coll_note_put(struct coll_comm *comm, uint32_t peer,
		   const struct coll_note *note);

/* With the lock: what rank @i has not been told of, if it can hear it now. */
void coll_messages_tell(struct coll_comm *comm, uint32_t i);
/* Rank @i has told of what it sends to this one. */
void coll_messages_take(struct coll_comm *comm, uint32_t i,
			const struct coll_note *note);

#endif /* GAUDI_COLL_MESSAGES_H */
