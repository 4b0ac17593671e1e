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

/* Words behind those of tensors and in front of scalars, which all launches have. */
#define REST_WORDS	(TPC_SRF(0) - TPC_SYNC_MESSAGE)
#define CODE_ALIGN	128u
#define CLEAR_CACHES	((uint32_t)(TPC_CFG_TPC_CMD_ICACHE_INVALIDATE | \
				    TPC_CFG_TPC_CMD_DCACHE_INVALIDATE | \
				    TPC_CFG_TPC_CMD_LCACHE_INVALIDATE | \
				    TPC_CFG_TPC_CMD_TCACHE_INVALIDATE))
/* For 32, 64, 128 and 256 intervals, one after the other. */
#define TABLE_BASES	0x978u

/* Bytes from the first to where these stand. */
static uint32_t rest_at(const struct prog_form *form)
{
	return 8 + 4 * form->tensors * PROG_TPC_TENSOR_WORDS +
	       (form->tensors < PROG_TPC_TENSORS ? 8 : 0);
}

static uint32_t tables_at(const struct prog_form *form)
{
	return rest_at(form) + 4 * (REST_WORDS + form->scalars);
}

struct prog_form prog_form_of(const struct prog_launch *l)
{
	struct prog_form form = {
		.tpc = l->tpc, .tables = l->tables, .tensors = 1,
		.scalars = (uint8_t)FIELD_GET(TPC_CONFIG_NUM_SRF,
					      l->words[TPC_CONFIG]),
	};
	uint32_t i;

	if (!l->tpc)
		return (struct prog_form) {};
	for (i = 0; i < TPC_SYNC_MESSAGE; i++)
		if (l->words[i])
			form.tensors = (uint8_t)(i / PROG_TPC_TENSOR_WORDS + 1);
	for (i = form.scalars; i < PROG_TPC_SCALARS; i++)
		if (l->words[TPC_SRF(i)])
			form.scalars = (uint8_t)(i + 1);
	form.scalars += form.scalars % 2;

	return form;
}

/* The words of a bulk at @at; 0: there is none. */
static uint32_t bulk_words(const uint8_t *packets, size_t left, uint32_t at)
{
	unsigned int opcode;
	size_t length;

	if (at > left)
		return 0;
	length = pkt_length(packets + at, left - at, &opcode);

	return length && opcode == GAUDI_PKT_WREG_BULK ?
	       (uint32_t)(length - 8) / 4 : 0;
}

bool prog_read_form(bool tpc, const uint8_t *packets, size_t left,
		    struct prog_form *form)
{
	uint32_t words = bulk_words(packets, left, 0);

	*form = (struct prog_form) { .tpc = tpc };
	if (!tpc)
		return words == MME_DESC_WORDS;
	if (words < TPC_SYNC_MESSAGE) {
		if (!words || words % PROG_TPC_TENSOR_WORDS)
			return false;
		form->tensors = (uint8_t)(words / PROG_TPC_TENSOR_WORDS);
		words = bulk_words(packets, left, 8 + 4 * words);
	} else {
		form->tensors = PROG_TPC_TENSORS;
		words -= TPC_SYNC_MESSAGE;
	}
	if (words < REST_WORDS || words - REST_WORDS > PROG_TPC_SCALARS)
		return false;
	form->scalars = (uint8_t)(words - REST_WORDS);
	form->tables = bulk_words(packets, left, tables_at(form));

	return true;
}

uint32_t prog_launch_size(const struct prog_form *form)
{
	return form->tpc ? tables_at(form) + 16 +
			   (form->tables ? PROG_TABLES_SIZE : 0) :
			   8 + 4 * MME_DESC_WORDS + 8;
}

void prog_put_launch(struct pkt_buf *pb, const struct prog_form *form,
		     const uint32_t *words, bool barrier)
{
	const uint32_t none[2 * PROG_TPC_TABLES] = {};
	uint32_t eb = barrier ? (uint32_t)GAUDI_PKT_CTL_EB : 0;
	uint32_t rest = REST_WORDS + form->scalars;

	if (!form->tpc) {
		pkt_wreg_bulk(pb, MME_CTRL_ARCH, words, MME_DESC_WORDS, eb);
		pkt_wreg32(pb, MME_CTRL_CMD, (uint32_t)MME_CTRL_CMD_EXECUTE, 0);
		return;
	}
	if (form->tensors == PROG_TPC_TENSORS) {
		pkt_wreg_bulk(pb, TPC_CFG_QM, words, TPC_SYNC_MESSAGE + rest, eb);
	} else {
		pkt_wreg_bulk(pb, TPC_CFG_QM, words,
			      form->tensors * PROG_TPC_TENSOR_WORDS, eb);
		pkt_wreg_bulk(pb, TPC_CFG_QM + 4 * TPC_SYNC_MESSAGE,
			      words + TPC_SYNC_MESSAGE, rest, 0);
	}
	if (form->tables)
		pkt_wreg_bulk(pb, TABLE_BASES, none, 2 * PROG_TPC_TABLES, 0);
	pkt_wreg32(pb, TPC_CFG_TPC_CMD, CLEAR_CACHES, 0);
	pkt_wreg32(pb, TPC_CFG_TPC_EXECUTE, 1, 0);
}

bool prog_launch_place(const struct prog_form *form, unsigned int kind,
		       unsigned int slot, uint32_t *low, uint32_t *high)
{
	bool address = kind == PROG_PATCH_READ || kind == PROG_PATCH_WRITE;
	uint32_t at;

	if (!form->tpc) {
		if (!address || slot >= MME_NUM_OPS ||
		    (kind == PROG_PATCH_WRITE) != (slot == MME_OP_O))
			return false;
		*low = 8 + MME_CTRL_ARCH_BASE_ADDR_LOW(slot) - MME_CTRL_ARCH;
		*high = 8 + MME_CTRL_ARCH_BASE_ADDR_HIGH(slot) - MME_CTRL_ARCH;
		return true;
	}
	if (kind == PROG_PATCH_DONE) {
		*low = rest_at(form) + 4 * (TPC_SYNC_ADDRESS - TPC_SYNC_MESSAGE);
		*high = 0;
		return true;
	}
	if (kind == PROG_PATCH_CODE && !slot)
		at = rest_at(form) + 4 * (TPC_CODE - TPC_SYNC_MESSAGE);
	else if (address && slot < form->tensors)
		at = 8 + 4 * (slot * PROG_TPC_TENSOR_WORDS + TPC_TENSOR_BASE);
	else if (kind == PROG_PATCH_READ && form->tables &&
		 slot >= PROG_SLOT_TABLE && slot < PROG_MAX_SLOTS)
		at = tables_at(form) + 8 + 8 * (slot - PROG_SLOT_TABLE);
	else
		return false;
	*low = at;
	*high = at + 4;

	return true;
}

static void copy_words(uint32_t *words, const uint8_t *packets, uint32_t num)
{
	memcpy(words, packets, num * sizeof(*words));
	for (uint32_t i = 0; i < num; i++)
		words[i] = le32toh(words[i]);
}

void prog_launch_words(const struct prog_stream *s,
		       const struct prog_item *item, uint32_t *words)
{
	const uint8_t *packets = s->packets + item->offset;

	if (!item->form.tpc) {
		copy_words(words, packets + 8, MME_DESC_WORDS);
		return;
	}
	memset(words, 0, PROG_TPC_WORDS * sizeof(*words));
	copy_words(words, packets + 8,
		   item->form.tensors * PROG_TPC_TENSOR_WORDS);
	copy_words(words + TPC_SYNC_MESSAGE, packets + rest_at(&item->form),
		   REST_WORDS + item->form.scalars);
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
	/* Others are those of a kernel that ran before. */
	if (FIELD_GET(TPC_CONFIG_NUM_SRF, config) > k->item->form.scalars ||
	    config >> 24)
		return bad(k, "has more scalars than it writes");
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
