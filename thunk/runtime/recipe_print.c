// SPDX-License-Identifier: MIT
/* Recipes as text: each packet in words, each item with what it means. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "program_item.h"
#include "recipe.h"

#define WIDE	24	/* bytes of the longest packet of a program */

static void print_place(FILE *f, const struct gaudi_recipe *r,
			const struct prog_patch *patch)
{
	fprintf(f, "'%s'", r->tensors[patch->buffer].name);
	if (patch->addend)
		fprintf(f, "+%#" PRIx64, patch->addend);
}

static void print_item(FILE *f, const struct gaudi_recipe *r,
		       const struct prog_item *item)
{
	const char *idle = item->barrier ? ", when idle" : "";

	switch (item->kind) {
	case PROG_ITEM_NOP:
		fprintf(f, "nothing");
		break;
	case PROG_ITEM_COPY:
		fprintf(f, "copy %#x bytes from ", item->size);
		print_place(f, r, item->src);
		fprintf(f, " to ");
		print_place(f, r, item->dst);
		fprintf(f, "%s", idle);
		break;
	case PROG_ITEM_FILL:
		fprintf(f, "fill %#x bytes of ", item->size);
		print_place(f, r, item->dst);
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
	case PROG_ITEM_RUN:
		fprintf(f, "run %#x bytes from %#x", item->size,
			(unsigned int)item->object->addend);
		break;
	case PROG_ITEM_EVENT:
		fprintf(f, "when idle, add one to event '%s'",
			r->events[item->object->object]);
		break;
	}
}

static void print_packets(FILE *f, const struct gaudi_recipe *r,
			  const struct prog_stream *s,
			  const struct prog_item *item)
{
	uint32_t at = item->offset, end = at + item->length, word;
	unsigned int opcode;
	size_t size, i;

	while (at < end) {
		size = pkt_length(s->packets + at, end - at, &opcode);
		fprintf(f, "  %06x ", at);
		for (i = 0; i < WIDE; i += sizeof(word)) {
			if (i >= size) {
				fprintf(f, "         ");
				continue;
			}
			memcpy(&word, s->packets + at + i, sizeof(word));
			fprintf(f, " %08x", le32toh(word));
		}
		fprintf(f, "  %-9s", pkt_name(opcode));
		if (at == item->offset) {
			fprintf(f, "  ");
			print_item(f, r, item);
		}
		fprintf(f, "\n");
		at += (uint32_t)size;
	}
}

int gaudi_recipe_disassemble(struct gaudi_recipe *r, FILE *f)
{
	uint32_t i;
	int rc = 0;

	if (!r || !f)
		return gd_fail(-EINVAL, "no recipe, or no file");
	for (i = 0; i < r->program.num_streams; i++) {
		const struct prog_stream *s = &r->program.streams[i];
		struct prog_cursor cursor = {};
		struct prog_item item;

		fprintf(f, "%s%s: %u bytes, %u patches\n", i ? "\n" : "",
			prog_engine_info(s->engine)->name, s->size,
			s->num_patches);
		while ((rc = prog_item_next(s, &cursor, &item)) > 0)
			print_packets(f, r, s, &item);
		if (rc)
			return rc;
	}

	return ferror(f) ? gd_fail(-EIO, "recipe '%s': cannot write", r->name) :
			   0;
}
