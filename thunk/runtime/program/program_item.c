// SPDX-License-Identifier: MIT
/*
 * Items of programs. What stands in a program is compared with what the writer
 * would have written, so there is one description of each item and no bit that
 * nobody looks at.
 */
#include <endian.h>
#include <string.h>

#include "../base/base.h"
#include "gaudi.h"
#include "hw/gaudi_packets.h"
#include "hw/regs/gaudi_sync_mngr_regs.h"
#include "program_item.h"

static const struct prog_engine_info engines[PROG_NUM_ENGINES] = {
	[PROG_TO_DEVICE] = { "DMA_0", 0, true },
	[PROG_TO_HOST]	 = { "DMA_1", 4, true },
	[PROG_DMA_2]	 = { "DMA_2", 9, false },
	[PROG_DMA_3]	 = { "DMA_3", 13, false },
	[PROG_DMA_4]	 = { "DMA_4", 17, false },
	[PROG_DMA_6]	 = { "DMA_6", 25, false },
	[PROG_DMA_7]	 = { "DMA_7", 29, false },
	[PROG_MME_0]	 = { "MME_0", 33, false },
	[PROG_MME_1]	 = { "MME_1", 37, false },
	[PROG_TPC_0]	 = { "TPC_0", 41, false },
	[PROG_TPC_0 + 1] = { "TPC_1", 45, false },
	[PROG_TPC_0 + 2] = { "TPC_2", 49, false },
	[PROG_TPC_0 + 3] = { "TPC_3", 53, false },
	[PROG_TPC_0 + 4] = { "TPC_4", 57, false },
	[PROG_TPC_0 + 5] = { "TPC_5", 61, false },
	[PROG_TPC_0 + 6] = { "TPC_6", 65, false },
	[PROG_TPC_7]	 = { "TPC_7", 69, false },
};

const struct prog_engine_info *prog_engine_info(uint32_t engine)
{
	return engine < PROG_NUM_ENGINES ? &engines[engine] : NULL;
}

static uint32_t eb(bool barrier)
{
	return barrier ? (uint32_t)GAUDI_PKT_CTL_EB : 0;
}

void prog_put_copy(struct pkt_buf *pb, uint32_t size, bool barrier)
{
	pkt_lin_dma(pb, 0, 0, size, eb(barrier));
}

void prog_put_fill(struct pkt_buf *pb, uint64_t pattern, uint32_t size,
		   bool barrier)
{
	pkt_memset(pb, pattern, 0, size, eb(barrier));
}

void prog_put_signal(struct pkt_buf *pb)
{
	pkt_sob_add(pb, 0, 1, eb(true));
}

void prog_put_reset(struct pkt_buf *pb)
{
	pkt_sob_set(pb, 0, 0, (uint32_t)GAUDI_PKT_CTL_MB);
}

void prog_put_wait(struct pkt_buf *pb, uint32_t value)
{
	pkt_monitor(pb, 0, 0, value, 0, 1);
	pkt_fence(pb, 0, 1, 1, 0);
}

void prog_put_run(struct pkt_buf *pb, uint32_t size)
{
	pkt_cp_dma(pb, 0, size, 0);
}

static const char *engine_name(const struct prog_stream *s)
{
	return s->engine < PROG_NUM_ENGINES ? engines[s->engine].name : "?";
}

static uint32_t word_at(const struct prog_stream *s, uint32_t offset)
{
	uint32_t word;

	memcpy(&word, s->packets + offset, sizeof(word));

	return le32toh(word);
}

/* READ and what follows it: by kind, then slot. */
static void take_ref(struct prog_item *item, const struct prog_patch *patch)
{
	if (!item->num_refs)
		item->refs = patch;
	item->num_refs++;
}

/*
 * The patches at this offset: one of each kind, or of each slot, in order of their
 * kinds.
 */
static int take_patches(const struct prog_stream *s, struct prog_position *c,
			struct prog_item *item)
{
	const struct prog_patch *patch;
	uint32_t last = 0, key;

	for (; c->patch < s->num_patches; c->patch++) {
		patch = &s->patches[c->patch];
		if (patch->offset > c->offset)
			break;
		key = (uint32_t)patch->kind << 16;
		if (patch->kind >= PROG_PATCH_READ)
			key |= patch->kind == PROG_PATCH_DONE ? 0 :
							      patch->object;
		if (patch->offset < c->offset || key <= last)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "%s: patch %u at offset %#x does not belong to a packet there",
				       engine_name(s), c->patch,
				       patch->offset);
		last = patch->kind < PROG_PATCH_READ ? key | 0xffff : key;
		if (patch->kind == PROG_PATCH_SRC)
			item->src = patch;
		else if (patch->kind == PROG_PATCH_DST)
			item->dst = patch;
		else if (patch->kind >= PROG_PATCH_READ &&
			 patch->kind < PROG_NUM_PATCH_KINDS)
			take_ref(item, patch);
		else if (patch->kind >= PROG_NUM_PATCH_KINDS || item->object)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "%s: patch %u has kind %u, not one of 1 to %u, or a second one",
				       engine_name(s), c->patch, patch->kind,
				       PROG_NUM_PATCH_KINDS - 1);
		else
			item->object = patch;
	}

	return 0;
}

/* What a LIN_DMA, a message or a NOP here must look like; false: nothing. */
static bool expect(const struct prog_stream *s, unsigned int opcode,
		   struct prog_item *item, struct pkt_buf *pb)
{
	uint32_t ctl = word_at(s, item->offset + 4);
	uint64_t pattern;

	item->barrier = opcode == GAUDI_PKT_LIN_DMA &&
			ctl & (uint32_t)GAUDI_PKT_CTL_EB;
	if (item->num_refs)
		return false;
	if (opcode == GAUDI_PKT_NOP && !item->src && !item->dst &&
	    !item->object) {
		item->kind = PROG_ITEM_NOP;
		pkt_nop(pb, 0);
		return true;
	}
	if (opcode != GAUDI_PKT_LIN_DMA || !item->dst || item->object)
		return false;

	item->size = word_at(s, item->offset);
	if (ctl & GAUDI_LIN_DMA_CTL_MEMSET) {
		memcpy(&pattern, s->packets + item->offset + 8,
		       sizeof(pattern));
		item->kind = PROG_ITEM_FILL;
		item->pattern = le64toh(pattern);
		prog_put_fill(pb, item->pattern, item->size, item->barrier);
		return !item->src;
	}
	item->kind = PROG_ITEM_COPY;
	prog_put_copy(pb, item->size, item->barrier);

	return item->src;
}

/* The same for messages: their patch says what they are to be. */
static bool expect_message(const struct prog_stream *s, struct prog_item *item,
			   struct pkt_buf *pb)
{
	if (item->src || item->dst || item->num_refs)
		return false;

	switch (item->object->kind) {
	case PROG_PATCH_SIGNAL:
		item->kind = PROG_ITEM_SIGNAL;
		prog_put_signal(pb);
		return true;
	case PROG_PATCH_EVENT:
		item->kind = PROG_ITEM_EVENT;
		prog_put_signal(pb);
		return true;
	case PROG_PATCH_RESET:
		item->kind = PROG_ITEM_RESET;
		prog_put_reset(pb);
		return true;
	case PROG_PATCH_RUN:
		item->kind = PROG_ITEM_RUN;
		item->size = word_at(s, item->offset);
		prog_put_run(pb, item->size);
		return true;
	case PROG_PATCH_WAIT:
		if (s->size - item->offset < PROG_WAIT_SIZE)
			return false;
		/* The fourth message arms. */
		item->kind = PROG_ITEM_WAIT;
		item->value = (uint32_t)FIELD_GET(SYNC_MNGR_MON_ARM_SOD,
						  word_at(s, item->offset + 24));
		prog_put_wait(pb, item->value);
		return true;
	default:
		return false;
	}
}

/* Whether the open fields are open, and all patches have one. */
static bool is_open(const struct prog_stream *s, const struct prog_item *item)
{
	uint32_t low, high, i;

	for (i = 0; i < item->num_refs; i++) {
		if (!prog_launch_place(&item->form, item->refs[i].kind,
				       item->refs[i].object, &low, &high) ||
		    word_at(s, item->offset + low) ||
		    (high && word_at(s, item->offset + high)))
			return false;
	}

	return true;
}

/* A launch here: the same words in the packets that the writer puts around. */
static bool expect_launch(const struct prog_stream *s, uint32_t left,
			  struct prog_item *item, struct pkt_buf *pb)
{
	bool tpc = s->engine >= PROG_TPC_0;
	uint32_t words[PROG_TPC_WORDS];

	if (s->engine < PROG_MME_0 || item->src || item->dst || item->object ||
	    !prog_read_form(tpc, s->packets + item->offset, left,
			    &item->form) ||
	    left < prog_launch_size(&item->form))
		return false;
	item->kind = tpc ? PROG_ITEM_TPC : PROG_ITEM_MME;
	item->barrier = word_at(s, item->offset + 4) &
			(uint32_t)GAUDI_PKT_CTL_EB;
	prog_launch_words(s, item, words);
	prog_put_launch(pb, &item->form, words, item->barrier);

	/* Addresses of tables are compared with zeros, too. */
	return is_open(s, item);
}

static int bad_packet(const struct prog_stream *s, uint32_t offset,
		      unsigned int opcode)
{
	const char *name = pkt_name(opcode);

	return gd_fail(GAUDI_ERR_RECIPE,
		       "%s: packet at offset %#x of %#x (opcode %#x, %s; words %08x %08x) is not one of a program's, or without its patches",
		       engine_name(s), offset, s->size, opcode,
		       name ? name : "unknown", word_at(s, offset),
		       word_at(s, offset + 4));
}

/* Whether this item may stand in this part of this engine's stream. */
static bool in_place(const struct prog_stream *s, const struct prog_item *item)
{
	const struct prog_engine_info *engine = prog_engine_info(s->engine);
	bool waits = item->kind == PROG_ITEM_WAIT || item->kind == PROG_ITEM_RUN;
	bool copies = item->kind == PROG_ITEM_COPY ||
		      item->kind == PROG_ITEM_FILL;

	if (copies && s->engine >= PROG_MME_0)
		return false;
	if (item->kind == PROG_ITEM_NOP)
		return true;
	if (!engine || engine->external)
		return item->kind != PROG_ITEM_RUN;

	return waits == (item->offset < s->upper);
}

/* The item at @c, of a part that ends at @end; it is there. */
static int read_item(const struct prog_stream *s, struct prog_position *c,
		     uint32_t end, struct prog_item *item)
{
	uint8_t want[PROG_MAX_LAUNCH];
	unsigned int opcode = 0;
	struct pkt_buf pb;
	bool known;
	int rc;

	memset(item, 0, sizeof(*item));
	item->offset = c->offset;
	rc = take_patches(s, c, item);
	if (rc)
		return rc;
	if (!pkt_length(s->packets + c->offset, end - c->offset, &opcode)) {
		if (end - c->offset >= 8)
			return bad_packet(s, c->offset, opcode);
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: half a packet at offset %#x of %#x",
			       engine_name(s), c->offset, end);
	}

	pkt_init(&pb, want, sizeof(want));
	if (opcode == GAUDI_PKT_WREG_BULK)
		known = expect_launch(s, end - c->offset, item, &pb);
	else
		known = item->object ? expect_message(s, item, &pb) :
				       expect(s, opcode, item, &pb);
	if (!known || pb.used > end - c->offset ||
	    memcmp(want, s->packets + c->offset, pb.used) ||
	    !in_place(s, item))
		return bad_packet(s, c->offset, opcode);

	item->length = (uint32_t)pb.used;
	c->offset += item->length;

	return 1;
}

/* The lower part's patches are those from its first byte on. */
static void begin_lower(const struct prog_stream *s, struct prog_cursor *c)
{
	c->run_end = s->upper;
	c->lower.offset = s->upper;
	while (c->lower.patch < s->num_patches &&
	       s->patches[c->lower.patch].offset < s->upper)
		c->lower.patch++;
}

/* A run begins where the last one ended. */
static int begin_run(const struct prog_stream *s, struct prog_cursor *c,
		     const struct prog_item *item)
{
	if (!c->run_end)
		begin_lower(s, c);
	if (item->object->addend != c->run_end || !item->size ||
	    item->size > s->size - c->run_end)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: a run of %#x bytes, which does not begin at %#x or goes beyond %#x",
			       engine_name(s), item->offset, item->size,
			       c->run_end, s->size);
	c->run_end += item->size;

	return 1;
}

static int at_end(const struct prog_stream *s, struct prog_cursor *c)
{
	uint32_t last = c->upper.patch;

	/* None of the upper part's is left; then none of the lower part's. */
	if (c->run_end && (last == s->num_patches ||
			   s->patches[last].offset >= s->upper))
		last = c->lower.patch;
	if (last != s->num_patches)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: patch %u at offset %#x is no packet's",
			       engine_name(s), last, s->patches[last].offset);
	if (s->size > s->upper && c->lower.offset != s->size)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: packets from %#x to %#x are in no run",
			       engine_name(s), c->run_end, s->size);
	return 0;
}

int prog_item_next(const struct prog_stream *s, struct prog_cursor *c,
		   struct prog_item *item)
{
	int rc;

	if (c->lower.offset < c->run_end)
		return read_item(s, &c->lower, c->run_end, item);
	if (c->upper.offset == s->upper)
		return at_end(s, c);
	rc = read_item(s, &c->upper, s->upper, item);
	if (rc == 1 && item->kind == PROG_ITEM_RUN)
		rc = begin_run(s, c, item);

	return rc;
}
