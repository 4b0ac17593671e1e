// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The bus's part of a snapshot: where page tables begin, and messages on their way. The
 * TLB is empty when it is loaded.
 */
#include "bus_state.h"
#include "../snap/snap.h"

static void mmu(struct gaudi_snap *s)
{
	struct gaudi_mmu *mmu = &s->chip->bus->mmu;
	unsigned int i;

	gaudi_snap_bool(s, &mmu->enabled);
	gaudi_snap_bool(s, &mmu->bypassed);
	GAUDI_SNAP_ARRAY(s, mmu->hop0);
	for (i = 0; i < GAUDI_MMU_NUM_ASID; i++)
		gaudi_snap_bool(s, &mmu->hop0_valid[i]);
	mmu->gen++;
}

static void txn(struct gaudi_snap *s, struct gaudi_txn *txn)
{
	uint32_t initiator = s->load ? 0 : txn->initiator;

	GAUDI_SNAP(s, initiator);
	gaudi_snap_check(s, initiator <= GAUDI_INIT_SYNC, "no such initiator");
	txn->initiator = s->err ? GAUDI_INIT_PCI : initiator;
	GAUDI_SNAP(s, txn->unit);
	gaudi_snap_bool(s, &txn->secure);
	gaudi_snap_bool(s, &txn->bypass);
	gaudi_snap_bool(s, &txn->tpc_message);
	GAUDI_SNAP(s, txn->asid);
}

/*
 * Who sends messages has so many units; the number leads to registers of the unit's.
 * Those of the host and of the embedded CPU are never posted.
 */
static bool is_sender(const struct gaudi_txn *txn)
{
	switch (txn->initiator) {
	case GAUDI_INIT_QMAN:
		return txn->unit < GAUDI_NUM_QMAN;
	case GAUDI_INIT_DMA:
		return txn->unit < GAUDI_NUM_DMA;
	case GAUDI_INIT_TPC:
		return txn->unit < GAUDI_NUM_TPC;
	case GAUDI_INIT_MME:
		return txn->unit < GAUDI_NUM_MME;
	case GAUDI_INIT_NIC:
		return txn->unit < GAUDI_NUM_NIC_ENGINE;
	case GAUDI_INIT_SYNC:
		return txn->unit < GAUDI_NUM_SYNC_MNGR;
	default:
		return false;
	}
}

static void posts(struct gaudi_snap *s)
{
	struct gaudi_posts *p = &s->chip->bus->posts;
	struct gaudi_post *post;
	uint32_t i, count = p->count;

	GAUDI_SNAP(s, count);
	if (!gaudi_snap_check(s, count <= GAUDI_POSTS, "too many messages"))
		return;
	p->head = s->load ? 0 : p->head;
	for (i = 0; i < count && !s->err; i++) {
		post = &p->post[(p->head + i) % GAUDI_POSTS];
		GAUDI_SNAP(s, post->addr);
		GAUDI_SNAP(s, post->data);
		GAUDI_SNAP(s, post->tag);
		txn(s, &post->txn);
		gaudi_snap_check(s, is_sender(&post->txn), "a message of nobody");
	}
	p->count = s->err && s->load ? 0 : count;
}

void gaudi_bus_snap(struct gaudi_snap *s)
{
	mmu(s);
	posts(s);
}
