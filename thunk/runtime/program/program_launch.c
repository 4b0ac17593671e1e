// SPDX-License-Identifier: MIT
/* Launches of matrix engines and TPCs: as packets, and what a program may launch. */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "../base/base.h"
#include "gaudi.h"
#include "hw/gaudi_packets.h"
#include "../mme/mme_desc.h"
#include "program_item.h"

_Static_assert(TPC_SRF(PROG_TPC_SCALARS) == PROG_TPC_WORDS, "a hole");

/* Behind the words of a launch: tables, caches, start. */
#define TABLES_AT	(8u + 4 * PROG_TPC_WORDS)
#define CODE_ALIGN	128u
#define CLEAR_CACHES	((uint32_t)(TPC_CFG_TPC_CMD_ICACHE_INVALIDATE | \
				    TPC_CFG_TPC_CMD_DCACHE_INVALIDATE | \
				    TPC_CFG_TPC_CMD_LCACHE_INVALIDATE | \
				    TPC_CFG_TPC_CMD_TCACHE_INVALIDATE))
/* For 32, 64, 128 and 256 intervals, one after the other. */
#define TABLE_BASES	0x978u

void prog_put_launch(struct pkt_buf *pb, bool tpc, bool tables,
		     const uint32_t *words, bool barrier)
{
	const uint32_t none[2 * PROG_TPC_TABLES] = {};
	uint32_t eb = barrier ? (uint32_t)GAUDI_PKT_CTL_EB : 0;

	if (!tpc) {
		pkt_wreg_bulk(pb, MME_CTRL_ARCH, words, MME_DESC_WORDS, eb);
		pkt_wreg32(pb, MME_CTRL_CMD, (uint32_t)MME_CTRL_CMD_EXECUTE, 0);
		return;
	}
	pkt_wreg_bulk(pb, TPC_CFG_QM, words, PROG_TPC_WORDS, eb);
	if (tables)
		pkt_wreg_bulk(pb, TABLE_BASES, none, 2 * PROG_TPC_TABLES, 0);
	pkt_wreg32(pb, TPC_CFG_TPC_CMD, CLEAR_CACHES, 0);
	pkt_wreg32(pb, TPC_CFG_TPC_EXECUTE, 1, 0);
}

bool prog_launch_place(bool tpc, unsigned int kind, unsigned int slot,
		       uint32_t *low, uint32_t *high)
{
	bool address = kind == PROG_PATCH_READ || kind == PROG_PATCH_WRITE;
	uint32_t at;

	if (!tpc) {
		if (!address || slot >= MME_NUM_OPS ||
		    (kind == PROG_PATCH_WRITE) != (slot == MME_OP_O))
			return false;
		*low = 8 + MME_CTRL_ARCH_BASE_ADDR_LOW(slot) - MME_CTRL_ARCH;
		*high = 8 + MME_CTRL_ARCH_BASE_ADDR_HIGH(slot) - MME_CTRL_ARCH;
		return true;
	}
	if (kind == PROG_PATCH_DONE) {
		*low = 8 + 4 * TPC_SYNC_ADDRESS;
		*high = 0;
		return true;
	}
	if (kind == PROG_PATCH_CODE && !slot)
		at = 8 + 4 * TPC_CODE;
	else if (address && slot < PROG_TPC_TENSORS)
		at = 8 + 4 * (slot * PROG_TPC_TENSOR_WORDS + TPC_TENSOR_BASE);
	else if (kind == PROG_PATCH_READ && slot < PROG_MAX_SLOTS)
		at = TABLES_AT + 8 + 8 * (slot - PROG_SLOT_TABLE);
	else
		return false;
	*low = at;
	*high = at + 4;

	return true;
}

void prog_launch_words(const struct prog_stream *s,
		       const struct prog_item *item, uint32_t *words)
{
	uint32_t i, num = item->kind == PROG_ITEM_TPC ? PROG_TPC_WORDS :
							MME_DESC_WORDS;

	memcpy(words, s->packets + item->offset + 8, num * sizeof(*words));
	for (i = 0; i < num; i++)
		words[i] = le32toh(words[i]);
}

bool prog_tpc_reach(const uint32_t *words, unsigned int slot, uint64_t *bytes)
{
	static const uint8_t sizes[] = { 1, 2, 4, 1, 2, 4, 2, 4 };
	const uint32_t *t = &words[slot * PROG_TPC_TENSOR_WORDS];
	uint64_t reach = 1;
	unsigned int d;

	for (d = 0; d < PROG_TPC_DIMS; d++) {
		if (!t[TPC_TENSOR_SIZE(d)])
			return false;
		/* At most 5 * 2^64: looked at before it can get there. */
		if (t[TPC_TENSOR_SIZE(d)] - 1ull >
		    (1ull << 56) / (t[TPC_TENSOR_STRIDE(d)] + 1ull))
			return false;
		reach += (t[TPC_TENSOR_SIZE(d)] - 1ull) *
			 t[TPC_TENSOR_STRIDE(d)];
	}
	*bytes = reach * sizes[t[TPC_TENSOR_CONFIG] & TPC_TENSOR_TYPE];

	return true;
}

/* --- the check ---------------------------------------------------------- */

struct check {
	const struct program *p;
	const struct prog_stream *s;
	const struct prog_item *item;
	const struct prog_buffer *buffers;
	uint32_t words[PROG_TPC_WORDS];
	uint32_t slots;		/* that have an address */
	unsigned int codes, dones;
};

static int bad(const struct check *k, const char *why)
{
	return gd_fail(GAUDI_ERR_RECIPE, "%s: offset %#x: a launch %s",
		       prog_engine_info(k->s->engine)->name, k->item->offset,
		       why);
}

static int check_place(struct check *k, const struct prog_patch *patch,
		       uint64_t bytes, uint32_t align)
{
	const struct prog_buffer *b;

	if (patch->buffer >= k->p->num_buffers)
		return bad(k, "has a tensor that is not there");
	b = &k->buffers[patch->buffer];
	if (patch->kind == PROG_PATCH_WRITE && !b->writable)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x writes tensor '%s', which is only read",
			       prog_engine_info(k->s->engine)->name,
			       k->item->offset, b->name);
	if (patch->kind == PROG_PATCH_CODE && b->writable)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x runs tensor '%s', which can be written",
			       prog_engine_info(k->s->engine)->name,
			       k->item->offset, b->name);
	if (patch->addend > b->size || bytes > b->size - patch->addend)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x, slot %u: %#" PRIx64 " bytes at %#" PRIx64 " of tensor '%s', which has %#" PRIx64,
			       prog_engine_info(k->s->engine)->name,
			       k->item->offset, patch->object, bytes,
			       patch->addend, b->name, b->size);
	if (patch->addend % align)
		return bad(k, "has an address that is not aligned");

	return 0;
}

static int check_ref(struct check *k, const struct prog_patch *patch)
{
	bool tpc = k->item->kind == PROG_ITEM_TPC;
	uint64_t bytes;
	uint32_t size;

	if (patch->kind == PROG_PATCH_DONE) {
		k->dones++;
		return patch->buffer || patch->addend ?
		       bad(k, "has a message with a tensor") : 0;
	}
	if (patch->kind == PROG_PATCH_CODE) {
		k->codes++;
		return check_place(k, patch, 8, CODE_ALIGN);
	}
	if (k->slots & 1u << patch->object)
		return bad(k, "has two addresses in a slot");
	k->slots |= 1u << patch->object;
	if (!tpc) {
		size = mme_element(k->words, patch->object);
		return check_place(k, patch,
				   size * mme_reach(k->words, patch->object),
				   size);
	}
	if (patch->object >= PROG_SLOT_TABLE)
		return check_place(k, patch, 1, CODE_ALIGN);
	if (!prog_tpc_reach(k->words, patch->object, &bytes))
		return bad(k, "has a tensor without size, or too large a one");

	return check_place(k, patch, bytes, 1);
}

static int check_mme(struct check *k)
{
	const char *why = mme_check(k->words);
	uint32_t want = 1u << MME_OP_S | 1u << MME_OP_L;

	if (why)
		return bad(k, why);
	if (mme_stores(k->words))
		want |= 1u << MME_OP_O;
	if (k->slots != want)
		return bad(k, "lacks the address of an operand, or has one of what it does not store");

	return 0;
}

static int check_tpc(struct check *k)
{
	uint32_t config = k->words[TPC_CONFIG], t;

	/* Caches and tables are those of the kernel that may still run. */
	if (!k->item->barrier)
		return bad(k, "does not wait until its TPC is idle");
	if (k->codes != 1 || k->dones != 1)
		return bad(k, "has no kernel, or signals nothing");
	if (k->words[TPC_SYNC_MESSAGE] != TPC_MESSAGE_NOTHING)
		return bad(k, "signals something else");
	if (FIELD_GET(TPC_CONFIG_NUM_SRF, config) > PROG_TPC_SCALARS ||
	    config >> 24)
		return bad(k, "has more than 32 scalars");
	for (t = 0; t < PROG_TPC_TENSORS; t++) {
		const uint32_t *w = &k->words[t * PROG_TPC_TENSOR_WORDS];
		uint32_t i, any = 0;

		if (w[TPC_TENSOR_CONFIG] & (uint32_t)TPC_TENSOR_RMW)
			return bad(k, "has a tensor that is reduced into");
		for (i = 0; i < PROG_TPC_TENSOR_WORDS; i++)
			any |= w[i];
		if (any && !(k->slots & 1u << t))
			return bad(k, "has a tensor without an address");
	}

	return 0;
}

int prog_check_launch(const struct program *p, const struct prog_stream *s,
		      const struct prog_item *item,
		      const struct prog_buffer *buffers)
{
	struct check k = { .p = p, .s = s, .item = item, .buffers = buffers };
	uint32_t i;
	int rc = 0;

	prog_launch_words(s, item, k.words);
	for (i = 0; !rc && i < item->num_refs; i++)
		rc = check_ref(&k, &item->refs[i]);
	if (rc)
		return rc;

	return item->kind == PROG_ITEM_TPC ? check_tpc(&k) : check_mme(&k);
}
