// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recipe files. A file is refused with a message, or is good: then it can be
 * printed, and patched for any addresses and resources, without leaving a buffer;
 * what is patched has each address within its tensor and sync objects that were
 * given; and written again it is a file that loads as the same recipe.
 *
 * The mutator knows ELF: it changes sections, headers and entries, copies them over
 * each other, and mends the checksum, or else nothing would get past it.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gaudi_link.h"
#include "hw/gaudi_packets.h"
#include "mme/mme_desc.h"
#include "program/program_item.h"
#include "recipe/recipe.h"
#include "../unit/recipe/recipe/hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);

#define CHECK(what) do { \
	if (!(what)) \
		abort(); \
} while (0)

/* --- what holds of every good file ------------------------------------ */

static uint64_t word64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));

	return le64toh(word);
}

/* Where buffer b was bound: far from all others. */
static uint64_t address_of(uint32_t b)
{
	return ((uint64_t)b << 32 | 0x123400) & (PROG_ADDRESS_END - 1) >> 1;
}

static uint32_t word32(const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));

	return le32toh(word);
}

/* Addresses of launches are within their tensors, and as far as they reach. */
static void check_launch(const struct gaudi_recipe *r,
			 const struct prog_stream *s,
			 const struct prog_item *item, const uint8_t *p,
			 const uint32_t *sobs)
{
	bool tpc = item->kind == PROG_ITEM_TPC;
	uint32_t words[PROG_TPC_WORDS], low, high, i;

	prog_launch_words(s, item, words);
	for (i = 0; i < item->num_refs; i++) {
		const struct prog_patch *ref = &item->refs[i];
		uint64_t bytes = 0;

		CHECK(prog_launch_place(&item->form, ref->kind, ref->object,
					&low, &high));
		if (ref->kind == PROG_PATCH_DONE) {
			CHECK((word32(p + low) & 0xffff) ==
			      0x2000 + 4 * sobs[ref->object]);
			continue;
		}
		CHECK((word32(p + low) | (uint64_t)word32(p + high) << 32) ==
		      address_of(ref->buffer) + ref->addend);
		if (!tpc)
			bytes = mme_reach(words, ref->object) *
				mme_element(words, ref->object);
		else if (ref->kind != PROG_PATCH_CODE &&
			 ref->object < PROG_TPC_TENSORS)
			CHECK(prog_tpc_reach(words, ref->object, &bytes));
		CHECK(ref->addend <= r->tensors[ref->buffer].bytes &&
		      bytes <= r->tensors[ref->buffer].bytes - ref->addend);
	}
}

static void check_patched(const struct gaudi_recipe *r, uint32_t n,
			  const uint8_t *packets, const uint32_t *sobs)
{
	const struct prog_stream *s = &r->program.streams[n];
	struct prog_cursor c = {};
	struct prog_item item;

	while (prog_item_next(s, &c, &item) == 1) {
		const uint8_t *p = packets + item.offset;

		if (item.src)
			CHECK(word64(p + 8) - address_of(item.src->buffer) ==
			      item.src->addend &&
			      item.src->addend + item.size <=
			      r->tensors[item.src->buffer].bytes);
		if (item.dst)
			CHECK(word64(p + 16) - address_of(item.dst->buffer) ==
			      item.dst->addend &&
			      item.dst->addend + item.size <=
			      r->tensors[item.dst->buffer].bytes);
		if (item.num_refs)
			check_launch(r, s, &item, p, sobs);
		if (item.kind == PROG_ITEM_SIGNAL ||
		    item.kind == PROG_ITEM_RESET)
			CHECK((word64(p) >> 32 & 0xffff) ==
			      4 * sobs[item.object->object]);
		if (item.kind == PROG_ITEM_RUN) {
			uint64_t at = word64(p + 8) - (uintptr_t)packets;

			CHECK(at >= s->upper && at <= s->size &&
			      item.size <= s->size - at);
		}
		if (item.kind == PROG_ITEM_WAIT || item.kind == PROG_ITEM_RUN)
			CHECK(item.offset < s->upper);
		CHECK(item.offset + item.length <= s->size);
	}
}

static void check_patching(struct gaudi_recipe *r)
{
	const struct program *p = &r->program;
	uint32_t sobs[PROG_MAX_SOBS], events[RECIPE_MAX_EVENTS], i;
	struct prog_resources res = {
		.hw_stream = 3,
		.sobs = sobs,
		.events = events,
	};
	uint8_t *packets[PROG_NUM_ENGINES];

	for (i = 0; i < PROG_MAX_SOBS; i++)
		sobs[i] = 2047 - i;
	for (i = 0; i < RECIPE_MAX_EVENTS; i++)
		events[i] = i;
	for (i = 0; i < p->num_streams; i++) {
		res.monitors[i] = 511 - i;
		res.fences[i] = i % 4;
	}
	for (i = 0; i < p->num_streams; i++) {
		uint32_t at = 0, next;

		packets[i] = malloc(p->streams[i].size);
		res.addresses[i] = (uintptr_t)packets[i];
		CHECK(!program_instantiate(p, i, &res, packets[i]));
		for (; at < p->streams[i].upper; at = next) {
			next = program_split(p, i, at, 64);
			CHECK(next > at && next - at <= 64);
		}
	}
	for (i = 0; i < r->num_tensors; i++)
		CHECK(!program_bind(p, i, address_of(i), (void **)packets));
	/* Others than at first. */
	for (i = 0; i < PROG_MAX_SOBS; i++)
		sobs[i] ^= 1;
	for (i = 0; i < p->num_streams; i++) {
		program_bind_objects(p, i, &res, packets[i]);
		check_patched(r, i, packets[i], sobs);
		free(packets[i]);
	}
}

/* What a launch gives to links is in the tensors, and can be given. */
static void check_links(const struct gaudi_recipe *r)
{
	uint32_t i;

	CHECK(r->links.num_ops <= RECIPE_MAX_LINK_OPS);
	for (i = 0; i < r->links.num_ops; i++) {
		const struct recipe_link_op *op = &r->links.ops[i];
		const struct recipe_tensor *t;

		CHECK(op->link < r->links.num_names &&
		      op->part < recipe_count_parts(r));
		if (op->kind == GAUDI_LINK_WAIT) {
			CHECK(op->count && op->count <= GAUDI_LINK_MAX_AHEAD);
			continue;
		}
		CHECK(op->kind == GAUDI_LINK_WRITE && op->tensor < r->num_tensors &&
		      !(op->flags & ~GAUDI_LINK_NOTIFY));
		t = &r->tensors[op->tensor];
		CHECK(t->place == GAUDI_PLACE_DEVICE &&
		      t->kind <= GAUDI_TENSOR_OUTPUT && op->offset <= t->bytes &&
		      op->bytes <= t->bytes - op->offset);
	}
}

static void check_same_links(const struct recipe_links *a,
			     const struct recipe_links *b)
{
	uint32_t i;

	CHECK(a->num_ops == b->num_ops && a->num_names == b->num_names);
	for (i = 0; i < a->num_names; i++)
		CHECK(!strcmp(a->names[i], b->names[i]));
	for (i = 0; i < a->num_ops; i++)
		CHECK(!memcmp(&a->ops[i], &b->ops[i], sizeof(a->ops[i])));
}

static void check_same_program(const struct program *a, const struct program *b)
{
	uint32_t i;

	CHECK(a->num_streams == b->num_streams && a->num_sobs == b->num_sobs);
	for (i = 0; i < a->num_streams; i++) {
		const struct prog_stream *s = &a->streams[i];
		const struct prog_stream *t = &b->streams[i];

		CHECK(s->size == t->size && s->num_patches == t->num_patches);
		CHECK(!s->size || !memcmp(s->packets, t->packets, s->size));
	}
}

static void check_same(const struct gaudi_recipe *a,
		       const struct gaudi_recipe *b)
{
	CHECK(!strcmp(a->name, b->name) && a->num_tensors == b->num_tensors &&
	      a->num_events == b->num_events &&
	      recipe_count_parts(a) == recipe_count_parts(b) &&
	      a->workspace_size == b->workspace_size &&
	      a->constants_size == b->constants_size &&
	      a->key_size == b->key_size);
	check_same_links(&a->links, &b->links);
	for (; a; a = a->next, b = b->next)
		check_same_program(&a->program, &b->program);
}

static void check_writing(struct gaudi_recipe *r)
{
	struct gaudi_recipe *again = NULL;
	void *data;
	size_t size;

	CHECK(!recipe_write(r, r->key, r->key_size, &data, &size));
	CHECK(!gaudi_recipe_from_memory(data, size, &again));
	check_same(r, again);
	gaudi_recipe_release(again);
	free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	struct gaudi_recipe *r = NULL, *part;
	uint8_t *copy = malloc(size ? size : 1);
	int rc;

	if (!null)
		null = fopen("/dev/null", "w");
	if (size)
		memcpy(copy, data, size);
	rc = gaudi_recipe_from_memory(copy, size, &r);
	free(copy);
	if (rc) {
		int last;

		CHECK(rc == GAUDI_ERR_RECIPE ||
		      rc == GAUDI_ERR_RECIPE_VERSION || rc == -ENOMEM);
		CHECK(*gaudi_last_error(&last) && last == rc && !r);
		return 0;
	}
	CHECK(!gaudi_recipe_disassemble(r, null));
	for (part = r; part; part = part->next)
		check_patching(part);
	check_links(r);
	check_writing(r);
	gaudi_recipe_release(r);

	return 0;
}

/* --- mutation --------------------------------------------------------- */

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;

	return *x >> 2;
}

/* Numbers at which something may break. */
static uint64_t strange(uint32_t *x, uint64_t was, size_t size)
{
	switch (next_random(x) % 9) {
	case 0:
		return 0;
	case 1:
		return was + 1;
	case 2:
		return was - 1;
	case 3:
		return was ^ 1ull << next_random(x) % 64;
	case 4:
		return size - next_random(x) % 32;
	case 5:
		return -(uint64_t)(next_random(x) % 256);
	case 6:
		return next_random(x) % 64 * 8;
	case 7:
		return was + 8 * (next_random(x) % 9 - 4ull);
	default:
		return next_random(x) % 32;
	}
}

static void change_number(uint8_t *at, size_t room, uint32_t *x, size_t size)
{
	static const uint8_t widths[] = { 1, 2, 4, 8 };
	size_t width = widths[next_random(x) % 4], pos;
	uint64_t value = 0;

	if (room < width)
		return;
	pos = next_random(x) % (room / width) * width;
	memcpy(&value, at + pos, width);
	value = strange(x, value, size);
	memcpy(at + pos, &value, width);
}

/* A run of 8-byte pieces within a section over another. */
static void copy_within(uint8_t *at, size_t room, uint32_t *x)
{
	size_t n = room / 8, len, from, to;

	if (n < 2)
		return;
	len = 1 + next_random(x) % (n / 2 < 6 ? n / 2 : 6);
	from = next_random(x) % (n - len + 1);
	to = next_random(x) % (n - len + 1);
	memmove(at + 8 * to, at + 8 * from, 8 * len);
}

static Elf64_Shdr *any_section(struct image *i, uint32_t *x)
{
	Elf64_Shdr *s;

	if (i->size < sizeof(Elf64_Ehdr) || !ehdr_of(i)->e_shnum)
		return NULL;
	s = shdr_of(i, next_random(x) % ehdr_of(i)->e_shnum);
	if (!s || s->sh_offset > i->size || s->sh_size > i->size - s->sh_offset)
		return NULL;

	return s;
}

/* Cut the end of a section off, or what stood there back in. */
static void resize(Elf64_Shdr *s, uint32_t *x)
{
	static const uint8_t steps[] = { 8, 24, 40, 152 };
	uint64_t step = steps[next_random(x) % 4];

	s->sh_size += next_random(x) % 2 ? step : -step;
}

/* A field of an entry gets what is just allowed, or just not; or two change places. */
static void change_link(struct image *i, uint32_t *x)
{
	static const uint32_t counts[] = { 0, 1, 8192, 8193, UINT32_MAX };
	Elf64_Shdr *s = section_of(i, RECIPE_SHT_LINKS, 0);
	struct recipe_file_link link, other;
	uint64_t num, at, from;

	if (!s || s->sh_offset > i->size || s->sh_size > i->size - s->sh_offset ||
	    s->sh_size < sizeof(link))
		return;
	num = s->sh_size / sizeof(link);
	at = s->sh_offset + next_random(x) % num * sizeof(link);
	from = s->sh_offset + next_random(x) % num * sizeof(link);
	memcpy(&link, i->data + at, sizeof(link));
	memcpy(&other, i->data + from, sizeof(other));
	switch (next_random(x) % 9) {
	case 0:
		link.kind = (uint16_t)(next_random(x) % 4);
		break;
	case 1:
		link.flags = (uint16_t)(next_random(x) % 4);
		break;
	case 2:
		link.count = counts[next_random(x) % 5];
		break;
	case 3:
		link.tensor = next_random(x) % 8;
		break;
	case 4:
		link.offset = strange(x, link.offset, link.bytes);
		break;
	case 5:
		link.to_offset = (1ull << 50) + next_random(x) % 3 - 1;
		break;
	case 6:
		link.bytes = strange(x, link.bytes, link.offset);
		break;
	case 7:
		link.name = (uint32_t)strange(x, other.name, i->size);
		break;
	default:
		memcpy(i->data + from, &link, sizeof(link));
		link = other;
	}
	memcpy(i->data + at, &link, sizeof(link));
}

static void mutate(struct image *i, uint32_t *x)
{
	Elf64_Shdr *s = any_section(i, x), *other = any_section(i, x);

	if (!s) {
		LLVMFuzzerMutate(i->data, i->size, i->size);
		return;
	}
	switch (next_random(x) % 11) {
	case 0:
		change_number((uint8_t *)s, sizeof(*s), x, i->size);
		break;
	case 1:
		resize(s, x);
		break;
	case 2:
		change_number(i->data, sizeof(Elf64_Ehdr), x, i->size);
		break;
	case 3:
		copy_within(i->data + s->sh_offset, s->sh_size, x);
		break;
	case 4:
		if (other)
			memmove(i->data + s->sh_offset,
				i->data + other->sh_offset,
				s->sh_size < other->sh_size ? s->sh_size :
							      other->sh_size);
		break;
	case 5:
		if (s->sh_size)
			LLVMFuzzerMutate(i->data + s->sh_offset, s->sh_size,
					 s->sh_size);
		break;
	case 6:
		change_link(i, x);
		break;
	default:
		change_number(i->data + s->sh_offset, s->sh_size, x, i->size);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	uint32_t x = seed * 2654435761u | 1, n;
	struct image i = { data, size };

	if (next_random(&x) % 50 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	/* Headers are read as structures. */
	i.data = malloc(size + 1);
	memcpy(i.data, data, size);
	for (n = next_random(&x) % 3; n < 3; n++)
		mutate(&i, &x);
	if (next_random(&x) % 16)
		mend(&i);
	memcpy(data, i.data, size);
	free(i.data);

	return size;
}
