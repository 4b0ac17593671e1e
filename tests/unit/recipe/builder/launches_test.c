// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernels: their objects, how they are launched, and launches that a file must
 * not have.
 */
#include <errno.h>

#include "../../unit.h"
#include "compute.h"
#include "../program/machine.h"
#include "../object.h"
#include "program/program_item.h"
#include "recipe/recipe.h"
#include "hw/regs/gaudi_mme_regs.h"

/* --- kernels -------------------------------------------------------------- */

COMPUTE_TEST(kernel_launches)
{
	struct object o = make_object();
	struct gaudi_kernel k = kernel_of(&o, 2);
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	uint32_t x, y, i, num = 0, done = 0;
	char *text;
	size_t size;
	FILE *f;

	k.scalars[0] = 0x40000000;
	k.rank = 2;
	k.index_space[0] = 3;
	k.index_space[1] = 20;
	x = add("x", IN, F32, 2, 20, 100, 0, 0);
	y = add("y", OUT, F32, 2, 20, 100, 0, 0);
	k.tensors[0] = (struct gaudi_kernel_tensor) { x, GAUDI_KERNEL_READS, 0 };
	k.tensors[1] = (struct gaudi_kernel_tensor) { y, GAUDI_KERNEL_WRITES, 0 };
	WORKS(gaudi_builder_add_kernel(b, &k, NULL));
	/* The same code is there once. */
	WORKS(gaudi_builder_add_kernel(b, &k, NULL));
	build();
	WORKS(gaudi_recipe_get_info(r, &info));
	assert_int_equal(info.num_kernels, 16);
	assert_int_equal(info.num_tensors, 3);
	assert_int_equal(info.constants_size, 128);
	for (i = 0; i < r->program.num_streams; i++) {
		const struct prog_stream *s = &r->program.streams[i];
		struct prog_cursor c = {};
		struct prog_item item;
		uint32_t w[PROG_TPC_WORDS];

		while (prog_item_next(s, &c, &item) > 0) {
			if (item.kind != PROG_ITEM_TPC)
				continue;
			prog_launch_words(s, &item, w);
			num++;
			done += w[TPC_TID_SIZE(1)];
			assert_int_equal(w[TPC_TID_SIZE(0)], 3);
			assert_int_equal(w[TPC_SRF(0)], 0x40000000);
			assert_int_equal(w[TPC_TENSOR_SIZE(0)], 100);
			assert_int_equal(w[TPC_TENSOR_SIZE(1)], 20);
			assert_int_equal(w[TPC_TENSOR_STRIDE(1)], 100);
			assert_int_equal(item.num_refs, 4);
		}
	}
	assert_int_equal(num, 16);
	assert_int_equal(done, 40);
	f = open_memstream(&text, &size);
	WORKS(gaudi_recipe_disassemble(r, f));
	fclose(f);
	assert_non_null(strstr(text, "kernel reads 0='x', writes 1='y', runs 'kernel twice', tells sob"));
	assert_non_null(strstr(text, "tensor 1: f32"));
	free(text);
}

COMPUTE_TEST(bad_objects)
{
	struct object o = make_object();
	struct gaudi_kernel k = kernel_of(&o, 1);
	uint32_t x, y, seed = 1, i;

	k.name = "odd";
	k.index_space[0] = 1;
	x = add("x", OUT, F32, 1, 100, 0, 0, 0);
	y = add("y", OUT, GAUDI_TYPE_F64, 1, 100, 0, 0, 0);
	k.tensors[0] = (struct gaudi_kernel_tensor) { x, GAUDI_KERNEL_WRITES, 0 };
#define OBJECT(change, text) do { \
		o = make_object(); \
		change; \
		SAYS(gaudi_builder_add_kernel(b, &k, NULL), text); \
	} while (0)
	OBJECT(o.e.e_ident[4] = 2, "32 bits");
	OBJECT(o.e.e_machine = 62, "machine is 62");
	OBJECT(o.e.e_type = ET_EXEC, "type is 2");
	OBJECT(o.e.e_shnum = 5, "sections is 5");
	OBJECT(o.e.e_shstrndx = 4, "names is 4");
	OBJECT(o.s[1].sh_size = 63, "text is 63");
	OBJECT(o.s[1].sh_offset = 1u << 31, "beyond the object");
	OBJECT(o.s[2].sh_type = SHT_RELA, "relocations is 262");
	OBJECT(o.meta[8] = 3, "architecture is 3");
	OBJECT(o.meta[4] = 1, "special functions");
	OBJECT(o.meta[5] = 1, "printf");
	OBJECT(o.meta[12] = 2, "by its object it has 2");
	OBJECT(o.s[1].sh_name = 2, ".text is 0");
	k.tensors[0].tensor = y;
	OBJECT(, "'y' is f64");
	k.tensors[0].tensor = x;
	/* Anything at all: an error or not, but nothing beyond the object. */
	for (i = 0; i < 20000; i++) {
		void *copy = malloc(sizeof(o));

		o = make_object();
		((uint8_t *)&o)[next_random(&seed) % 52] =
			(uint8_t)next_random(&seed);
		((uint8_t *)&o.s)[next_random(&seed) % sizeof(o.s)] =
			(uint8_t)next_random(&seed);
		memcpy(copy, &o, sizeof(o));
		k.object = copy;
		if (next_random(&seed) % 8)
			k.index_space[0] = 0;
		gaudi_builder_add_kernel(b, &k, NULL);
		k.index_space[0] = 0;
		free(copy);
	}
}

/* --- hostile launches ------------------------------------------------------ */

static struct prog_stream *stream_of(uint32_t engine)
{
	uint32_t i;

	for (i = 0; i < r->program.num_streams; i++)
		if (r->program.streams[i].engine == engine)
			return &r->program.streams[i];
	fail_msg("no stream of engine %u", engine);

	return NULL;
}

static struct prog_item first_launch(const struct prog_stream *s)
{
	struct prog_cursor c = {};
	struct prog_item item;

	while (prog_item_next(s, &c, &item) > 0)
		if (item.kind == PROG_ITEM_MME || item.kind == PROG_ITEM_TPC)
			return item;
	fail_msg("no launch");

	return item;
}

static uint32_t launch_at(const struct prog_stream *s)
{
	return first_launch(s).offset;
}

/* What was written for a TPC is read as what it was, up to all that a launch can have. */
COMPUTE_TEST(forms)
{
	uint8_t packets[PROG_MAX_LAUNCH];
	struct prog_stream s = { .engine = PROG_TPC_0, .packets = packets };
	uint32_t words[PROG_TPC_WORDS], back[PROG_TPC_WORDS], i, n, low, high;
	struct prog_item item = {};
	struct pkt_buf pb;

	for (n = 0; n < 16 * 17 * 2; n++) {
		const struct prog_form form = {
			.tpc = true, .tensors = (uint8_t)(n / 2 % 16 + 1),
			.scalars = (uint8_t)(n / 32 * 2), .tables = n % 2,
		};

		for (i = 0; i < PROG_TPC_WORDS; i++)
			words[i] = i < form.tensors * PROG_TPC_TENSOR_WORDS ||
				   (i >= TPC_SYNC_MESSAGE &&
				    i < TPC_SRF(form.scalars)) ? i + 1 : 0;
		pkt_init(&pb, packets, sizeof(packets));
		prog_put_launch(&pb, &form, words, true);
		assert_int_equal(pb.used, prog_launch_size(&form));
		assert_true(prog_read_form(true, packets, pb.used, &item.form));
		assert_memory_equal(&item.form, &form, sizeof(form));
		prog_launch_words(&s, &item, back);
		assert_memory_equal(back, words, sizeof(words));
		assert_true(prog_launch_place(&form, PROG_PATCH_CODE, 0,
					      &low, &high));
		memcpy(&i, packets + low, sizeof(i));
		assert_int_equal(i, TPC_CODE + 1);
		assert_int_equal(prog_launch_place(&form, PROG_PATCH_READ,
						   PROG_SLOT_TABLE, &low, &high),
				 form.tables);
		assert_false(prog_launch_place(&form, PROG_PATCH_WRITE,
					       form.tensors, &low, &high));
	}
}

/* Registers that no kernel looks at are not written. */
COMPUTE_TEST(short_launches)
{
	struct object o = make_object();
	struct gaudi_kernel k = kernel_of(&o, 1);
	struct prog_item item;

	k.tensors[0] = (struct gaudi_kernel_tensor) {
		add("x", OUT, F32, 1, 100, 0, 0, 0), GAUDI_KERNEL_WRITES, 0,
	};
	WORKS(gaudi_builder_add_kernel(b, &k, NULL));
	build();
	item = first_launch(stream_of(PROG_TPC_0));
	assert_int_equal(item.form.tensors, 1);
	assert_in_range(item.form.scalars, k.num_scalars, k.num_scalars + 1);
	assert_int_equal(item.length, 8 + 4 * 14 +
			 8 + 4 * (16 + item.form.scalars) + 16);
}

/* As many as a launch has are passed, also those that the object does not name. */
COMPUTE_TEST(more_scalars)
{
	struct object o = make_object();
	struct gaudi_kernel k = kernel_of(&o, 1);
	uint32_t i, words[PROG_TPC_WORDS];
	const struct prog_stream *s;
	struct prog_item item;

	k.name = "glue";
	k.num_scalars = GAUDI_KERNEL_SCALARS;
	k.index_space[0] = 1;
	k.tensors[0] = (struct gaudi_kernel_tensor) {
		add("x", OUT, F32, 1, 100, 0, 0, 0), GAUDI_KERNEL_WRITES, 0,
	};
	for (i = 0; i < GAUDI_KERNEL_SCALARS; i++)
		k.scalars[i] = 0x100 + i;
	WORKS(gaudi_builder_add_kernel(b, &k, NULL));
	build();
	s = &r->program.streams[r->program.num_streams - 1];
	item = first_launch(s);
	prog_launch_words(s, &item, words);
	for (i = 0; i < GAUDI_KERNEL_SCALARS; i++)
		assert_int_equal(words[TPC_SRF(i)], 0x100 + i);
	k.num_scalars++;
	SAYS(gaudi_builder_add_kernel(b, &k, NULL), "at most 16 and 32");
}

static void spoil(uint32_t engine, uint32_t byte, uint32_t value,
		  const char *text)
{
	struct prog_stream *s = stream_of(engine);
	uint8_t *at = s->packets + launch_at(s) + byte;
	uint32_t old;

	memcpy(&old, at, sizeof(old));
	memcpy(at, &value, sizeof(value));
	assert_int_equal(recipe_check(r), GAUDI_ERR_RECIPE);
	if (!strstr(gaudi_last_error(NULL), text))
		fail_msg("'%s', not '%s'", gaudi_last_error(NULL), text);
	memcpy(at, &old, sizeof(old));
	WORKS(recipe_check(r));
}

COMPUTE_TEST(hostile_launches)
{
	/* Of one tensor: its words, the others. */
	const uint32_t mme = 8 - MME_CTRL_ARCH, tpc = 8,
		       rest = 8 + 4 * PROG_TPC_TENSOR_WORDS + 8 -
			      4 * TPC_SYNC_MESSAGE;
	struct object o = make_object();
	struct gaudi_kernel k = kernel_of(&o, 1);
	struct prog_patch *patch, old;
	uint32_t x, w, y, z, i;

	x = add("x", IN, F32, 2, 80, 80, 0, 0);
	w = add("w", IN, F32, 2, 80, 80, 0, 0);
	y = add("y", OUT, F32, 2, 80, 80, 0, 0);
	z = add("z", OUT, F32, 2, 80, 80, 0, 0);
	k.tensors[0] = (struct gaudi_kernel_tensor) { z, GAUDI_KERNEL_WRITES, 0 };
	WORKS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL));
	WORKS(gaudi_builder_add_kernel(b, &k, NULL));
	build();
	/* Other registers, or another size. */
	spoil(PROG_MME_0, 4, 0x02002800, "is not one of a program's");
	spoil(PROG_MME_0, 0, 67, "is not one of a program's");
	spoil(PROG_MME_0, 8 + 544 + 4, 0x01028800, "is not one of a program's");
	spoil(PROG_TPC_0, 4, 0x02640000, "is not one of a program's");
	/* Addresses of the file's choice. */
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_BASE_ADDR_LOW(0), 1, "is not one");
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_BASE_ADDR_HIGH(2), 1, "is not one");
	spoil(PROG_TPC_0, rest + 4 * TPC_CODE, 8, "is not one of");
	spoil(PROG_TPC_0, tpc + 4, 1, "is not one of");
	spoil(PROG_TPC_0, rest + 4 * TPC_SYNC_ADDRESS, 4, "is not one of");
	/* Beyond tensors. */
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_TENSOR_S +
	      MME_TENSOR_VALID_ELEMENTS(1), 1 << 20, "of tensor");
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_TENSOR_O +
	      MME_TENSOR_VALID_ELEMENTS(4), 1 << 20, "of tensor 'y'");
	spoil(PROG_TPC_0, tpc + 4 * TPC_TENSOR_SIZE(1), 81, "of tensor 'z'");
	spoil(PROG_TPC_0, tpc + 4 * TPC_TENSOR_STRIDE(1), ~0u, "of tensor 'z'");
	spoil(PROG_TPC_0, rest + 4 * TPC_CONFIG, 0x60828, "more scalars than");
	spoil(PROG_TPC_0, rest + 4 * TPC_SYNC_MESSAGE, 1, "signals something");
	spoil(PROG_MME_0, mme + MME_CTRL_ARCH_DESC_SO_DATA, 1, "sync object");
	/* Patches: what is written must be an output, what runs must not. */
	patch = stream_of(PROG_MME_0)->patches;
	for (i = 0; patch[i].kind != PROG_PATCH_WRITE; i++)
		;
	old = patch[i];
	patch[i].buffer = x;
	assert_int_equal(recipe_check(r), GAUDI_ERR_RECIPE);
	assert_non_null(strstr(gaudi_last_error(NULL), "only read"));
	patch[i] = old;
	patch = stream_of(PROG_TPC_0)->patches;
	for (i = 0; patch[i].kind != PROG_PATCH_CODE; i++)
		;
	patch[i].buffer = y;
	assert_int_equal(recipe_check(r), GAUDI_ERR_RECIPE);
	assert_non_null(strstr(gaudi_last_error(NULL), "can be written"));
}

/* Nothing is written while a kernel may run: neither the first time nor later. */
COMPUTE_TEST(launches_wait_for_the_tpc)
{
	struct object o = make_object();
	struct gaudi_kernel k = kernel_of(&o, 1);
	struct prog_cursor c = {};
	struct prog_item item;
	struct prog_stream *s;
	uint32_t num = 0;

	k.tensors[0].tensor = add("x", IN, F32, 1, 64, 0, 0, 0);
	k.tensors[0].access = GAUDI_KERNEL_READS;
	WORKS(gaudi_builder_add_kernel(b, &k, NULL));
	WORKS(gaudi_builder_add_kernel(b, &k, NULL));
	build();
	s = stream_of(PROG_TPC_0);
	while (prog_item_next(s, &c, &item) > 0) {
		if (item.kind != PROG_ITEM_TPC)
			continue;
		assert_true(item.barrier);
		/* The byte with the bit. */
		s->packets[item.offset + 7] ^= 0x20;
		assert_int_equal(recipe_check(r), GAUDI_ERR_RECIPE);
		assert_non_null(strstr(gaudi_last_error(NULL),
				       "does not wait until its TPC is idle"));
		s->packets[item.offset + 7] ^= 0x20;
		WORKS(recipe_check(r));
		num++;
	}
	assert_int_equal(num, 2);
}

/* Any word of any launch: an error, or what stays within its tensors. */
COMPUTE_TEST(random_launches)
{
	uint32_t x, w, y, i, seed = 5, passed = 0;
	struct prog_stream *s;

	x = add("x", IN, F32, 2, 20, 30, 0, 0);
	w = add("w", IN, F32, 2, 30, 20, 0, 0);
	y = add("y", OUT, F32, 2, 20, 20, 0, 0);
	WORKS(gaudi_builder_add_matmul(b, y, x, w, 0, NULL));
	build();
	s = &r->program.streams[r->program.num_streams - 1];
	for (i = 0; i < 3000; i++) {
		uint8_t *at = s->packets + launch_at(s) + 8 +
			      4 * (next_random(&seed) % MME_DESC_WORDS);
		uint32_t old, new = next_random(&seed) >>
				    next_random(&seed) % 28;

		memcpy(&old, at, sizeof(old));
		memcpy(at, &new, sizeof(new));
		passed += !recipe_check(r);
		memcpy(at, &old, sizeof(old));
	}
	assert_in_range(passed, 100, 2900);
}
