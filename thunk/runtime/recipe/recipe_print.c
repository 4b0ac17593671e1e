// SPDX-License-Identifier: MIT
/* Recipes as text: each packet in words, each item with what it means. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "gaudi_link.h"
#include "../base/base.h"
#include "hw/gaudi_packets.h"
#include "../mme/mme_desc.h"
#include "../program/program_item.h"
#include "recipe.h"

#define WIDE	24	/* bytes of the longest packet of a program */

/* Whose tensors a program's buffers are, from its buffer @first on. */
struct words {
	const struct gaudi_recipe *r;
	uint32_t first;
};

static void print_place(FILE *f, const struct words *w,
			const struct prog_patch *patch)
{
	fprintf(f, "'%s'", w->r->tensors[patch->buffer - w->first].name);
	if (patch->addend)
		fprintf(f, "+%#" PRIx64, patch->addend);
}

/* The tensors of a launch by slot; of a matrix engine those have names. */
static void print_refs(FILE *f, const struct words *w,
		       const struct prog_item *item, const char *names)
{
	static const char *const kinds[] = { "reads", "writes", "runs" };
	uint32_t i;

	for (i = 0; i < item->num_refs; i++) {
		const struct prog_patch *patch = &item->refs[i];

		if (patch->kind == PROG_PATCH_DONE) {
			fprintf(f, ", tells sob%u", patch->object);
			continue;
		}
		fprintf(f, "%s %s ", i ? "," : "",
			kinds[patch->kind - PROG_PATCH_READ]);
		if (names)
			fprintf(f, "%c=", names[patch->object]);
		else if (patch->kind != PROG_PATCH_CODE)
			fprintf(f, "%u=", patch->object);
		print_place(f, w, patch);
	}
}

static void print_item(FILE *f, const struct words *w,
		       const struct prog_item *item)
{
	const char *idle = item->barrier ? ", when idle" : "";

	switch (item->kind) {
	case PROG_ITEM_NOP:
		fprintf(f, "nothing");
		break;
	case PROG_ITEM_COPY:
		fprintf(f, "copy %#x bytes from ", item->size);
		print_place(f, w, item->src);
		fprintf(f, " to ");
		print_place(f, w, item->dst);
		fprintf(f, "%s", idle);
		break;
	case PROG_ITEM_FILL:
		fprintf(f, "fill %#x bytes of ", item->size);
		print_place(f, w, item->dst);
		fprintf(f, " with %016" PRIx64 "%s", item->pattern, idle);
		break;
	case PROG_ITEM_SIGNAL:
		fprintf(f, "when idle, add one to sob%u", item->object->object);
		break;
	case PROG_ITEM_RESET:
		fprintf(f, "set sob%u to 0", item->object->object);
		break;
	case PROG_ITEM_WAIT:
		fprintf(f, "wait until sob%u is %u", item->object->object,
			item->value);
		break;
	case PROG_ITEM_MME:
		fprintf(f, "multiply");
		print_refs(f, w, item, "SLO");
		fprintf(f, "%s", idle);
		break;
	case PROG_ITEM_TPC:
		fprintf(f, "kernel");
		print_refs(f, w, item, NULL);
		fprintf(f, "%s", idle);
		break;
	case PROG_ITEM_RUN:
		fprintf(f, "run %#x bytes from %#x", item->size,
			(unsigned int)item->object->addend);
		break;
	case PROG_ITEM_EVENT:
		fprintf(f, "when idle, add one to event '%s'",
			w->r->events[item->object->object]);
		break;
	}
}

static void print_tpc(FILE *f, const uint32_t *w)
{
	static const char *const types[] = {
		"i8", "i16", "i32", "u8", "u16", "u32", "bf16", "f32",
	};
	uint32_t num = FIELD_GET(TPC_CONFIG_NUM_SRF, w[TPC_CONFIG]), t, d;

	fprintf(f, "%30sfrom", "");
	for (d = 0; d < PROG_TPC_DIMS; d++)
		fprintf(f, " %u", w[TPC_TID_BASE(d)]);
	fprintf(f, " size");
	for (d = 0; d < PROG_TPC_DIMS; d++)
		fprintf(f, " %u", w[TPC_TID_SIZE(d)]);
	fprintf(f, "%s scalars", w[TPC_CONFIG] & TPC_CONFIG_SMALL_VLM ?
		" small VLM" : "");
	for (d = 0; d < num && d < PROG_TPC_SCALARS; d++)
		fprintf(f, " %08x", w[TPC_SRF(d)]);
	fprintf(f, "\n");
	for (t = 0; t < PROG_TPC_TENSORS; t++, w += PROG_TPC_TENSOR_WORDS) {
		if (!w[TPC_TENSOR_SIZE(0)])
			continue;
		fprintf(f, "%30stensor %u: %s padding %08x", "", t,
			types[w[TPC_TENSOR_CONFIG] & TPC_TENSOR_TYPE],
			w[TPC_TENSOR_PADDING]);
		for (d = 0; d < PROG_TPC_DIMS; d++)
			fprintf(f, " %u*%u", w[TPC_TENSOR_SIZE(d)],
				w[TPC_TENSOR_STRIDE(d)]);
		fprintf(f, "\n");
	}
}

/* The registers by name, below the packet that writes them. */
static void print_launch(FILE *f, const struct prog_stream *s,
			 const struct prog_item *item)
{
	uint32_t words[PROG_TPC_WORDS];
	char indent[31];

	prog_launch_words(s, item, words);
	if (item->kind == PROG_ITEM_TPC) {
		print_tpc(f, words);
		return;
	}
	memset(indent, ' ', sizeof(indent) - 1);
	indent[sizeof(indent) - 1] = 0;
	mme_print(f, words, indent);
}

static void print_packets(FILE *f, const struct gaudi_recipe *r,
			  const struct prog_stream *s,
			  const struct prog_item *item)
{
	uint32_t at = item->offset, end = at + item->length, word;
	const struct words w = { .r = r };
	unsigned int opcode;
	size_t size, i;

	while (at < end) {
		size_t i_end = WIDE;

		size = pkt_length(s->packets + at, end - at, &opcode);
		fprintf(f, "  %06x ", at);
		if (opcode == GAUDI_PKT_WREG_BULK)
			i_end = 8;
		for (i = 0; i < WIDE; i += sizeof(word)) {
			if (i >= size || i >= i_end) {
				fprintf(f, "         ");
				continue;
			}
			memcpy(&word, s->packets + at + i, sizeof(word));
			fprintf(f, " %08x", le32toh(word));
		}
		fprintf(f, "  %-9s", pkt_name(opcode));
		if (at == item->offset) {
			fprintf(f, "  ");
			print_item(f, &w, item);
		}
		fprintf(f, "\n");
		if (at == item->offset && (item->kind == PROG_ITEM_MME ||
					   item->kind == PROG_ITEM_TPC))
			print_launch(f, s, item);
		at += (uint32_t)size;
	}
}

static int print_stream(FILE *f, const struct gaudi_recipe *r,
			const struct prog_stream *s)
{
	struct prog_cursor cursor = {};
	struct prog_item item;
	int rc;

	fprintf(f, "%s: %u bytes, %u patches\n",
		prog_engine_info(s->engine)->name, s->size, s->num_patches);
	while ((rc = prog_item_next(s, &cursor, &item)) > 0)
		print_packets(f, r, s, &item);

	return rc;
}

static void print_links(FILE *f, const struct gaudi_recipe *r, uint32_t part,
			uint32_t kind, const char *when)
{
	for (uint32_t i = 0; i < r->links.num_ops; i++) {
		const struct recipe_link_op *op = &r->links.ops[i];
		const char *link = r->links.names[op->link];

		if (op->part != part || op->kind != kind)
			continue;
		fprintf(f, "%s: link '%s' ", when, link);
		if (kind == GAUDI_LINK_WAIT)
			fprintf(f, "waits for %u\n", op->count);
		else
			fprintf(f, "writes %#" PRIx64 " bytes from '%s'+%#" PRIx64 " to +%#" PRIx64 "%s\n",
				op->bytes, r->tensors[op->tensor].name,
				op->offset, op->to_offset,
				op->flags & GAUDI_LINK_NOTIFY ? ", and notifies" : "");
	}
}

static int print_program(FILE *f, const struct gaudi_recipe *r,
			 const struct program *p)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < p->num_streams; i++) {
		fprintf(f, "%s", i ? "\n" : "");
		rc = print_stream(f, r, &p->streams[i]);
	}

	return rc;
}

void gd_profile_item(const char *of, const struct gaudi_recipe *r,
		     uint32_t first, const char *engine,
		     const struct prog_item *item)
{
	const struct words w = { .r = r, .first = first };
	char text[256];
	FILE *f = fmemopen(text, sizeof(text), "w");

	if (!f)
		return;
	print_item(f, &w, item);
	fclose(f);
	text[sizeof(text) - 1] = 0;
	profile_job(of, r->name ? r->name : "", engine, item->offset, text);
}

bool gd_profiled_next(const struct prog_stream *s, struct prog_cursor *cursor,
		      struct prog_item *item, uint32_t *left)
{
	while (*left && prog_item_next(s, cursor, item) > 0) {
		if (item->kind != PROG_ITEM_MME && item->kind != PROG_ITEM_TPC)
			continue;
		--*left;
		return true;
	}

	return false;
}

static void profile_stream(const struct gaudi_recipe *r,
			   const struct prog_stream *s, uint32_t *left)
{
	const char *engine = prog_engine_info(s->engine)->name;
	struct prog_cursor cursor = {};
	struct prog_item item;

	while (gd_profiled_next(s, &cursor, &item, left))
		gd_profile_item(r->name, r, 0, engine, &item);
}

void gd_recipe_profile(const struct gaudi_recipe *r)
{
	const struct gaudi_recipe *part;
	uint32_t left = GD_PROFILED;

	for (part = r; part; part = part->next)
		for (uint32_t i = 0; i < part->program.num_streams; i++)
			profile_stream(r, &part->program.streams[i], &left);
}

int gaudi_recipe_disassemble(struct gaudi_recipe *r, FILE *f)
{
	const struct gaudi_recipe *part;
	uint32_t n = 0;
	int rc = 0;

	if (!r || !f)
		return gd_fail(-EINVAL, "no recipe, or no file");
	for (part = r; !rc && part; part = part->next, n++) {
		if (r->next)
			fprintf(f, "%spart %u\n", n ? "\n" : "", n);
		print_links(f, r, n, GAUDI_LINK_WAIT, "before");
		rc = print_program(f, r, &part->program);
		print_links(f, r, n, GAUDI_LINK_WRITE, "after");
	}
	if (rc)
		return rc;

	return ferror(f) ? gd_fail(-EIO, "recipe '%s': cannot write", r->name) :
			   0;
}
