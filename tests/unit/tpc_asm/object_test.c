// SPDX-License-Identifier: GPL-2.0-only
/*
 * Object files and listings of TPC kernels: the compiler's own kernels through
 * both ways, and files that are damaged.
 */
#include <dirent.h>

#include "../unit.h"
#include "../../../qemu-device/chip/tpc/isa/tpc_isa.h"
#include "tpc_list.h"
#include "tpc_obj.h"

typedef void kernel_fn(const uint8_t *file, size_t size, const char *path);

static unsigned int each_kernel(kernel_fn *fn)
{
	DIR *dir = opendir(TPC_DATA "/kernels");
	struct dirent *entry;
	unsigned int n = 0;
	char path[1024];
	uint8_t *file;
	size_t size;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		if (length < 3 || strcmp(entry->d_name + length - 2, ".o"))
			continue;
		snprintf(path, sizeof(path), TPC_DATA "/kernels/%s",
			 entry->d_name);
		file = gaudi_tpc_read_file(path, &size);
		assert_non_null(file);
		fn(file, size, path);
		free(file);
		n++;
	}
	closedir(dir);
	return n;
}

static void note(void *arg, unsigned int line, unsigned int column,
		 bool warning, const char *text)
{
	(void)warning;
	print_message("%s:%u:%u: %s\n", (const char *)arg, line, column, text);
}

/* Parse, list, assemble, make a file, parse: the same kernel. */
static void round_trip(const uint8_t *file, size_t size, const char *path)
{
	struct gaudi_tpc_list_options options = { .addresses = true };
	struct gaudi_tpc_object first, last;
	struct gaudi_tpc_program again;
	char why[120], *text = NULL;
	size_t length, made_size;
	uint8_t *made;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	assert_int_equal(gaudi_tpc_object_parse(file, size, &first, why,
						sizeof(why)), 0);
	assert_true(first.has_metadata);
	gaudi_tpc_list_metadata(to, &first.program.metadata);
	assert_int_equal(gaudi_tpc_list(to, &first.program, &options), 0);
	fclose(to);
	assert_null(strstr(text, ".word"));
	assert_int_equal(gaudi_tpc_assemble(text, length, &again, note,
					    (void *)path), 0);
	made = gaudi_tpc_object_make(&again, "x.s", &made_size, why,
				     sizeof(why));
	assert_non_null(made);
	assert_int_equal(gaudi_tpc_object_parse(made, made_size, &last, why,
						sizeof(why)), 0);
	assert_int_equal(first.program.words, last.program.words);
	assert_memory_equal(first.program.code, last.program.code,
			    last.program.words * GAUDI_TPC_WORD);
	assert_memory_equal(&first.program.metadata, &last.program.metadata,
			    sizeof(last.program.metadata));
	free(text);
	free(made);
	gaudi_tpc_program_free(&first.program);
	gaudi_tpc_program_free(&again);
	gaudi_tpc_program_free(&last.program);
}

TEST(kernels)
{
	assert_int_equal(each_kernel(round_trip), 19);
}

/* What the code tells is what the compiler wrote, but for the scalars. */
static void told(const uint8_t *file, size_t size, const char *path)
{
	struct gaudi_tpc_metadata metadata;
	struct gaudi_tpc_object object;
	char why[120];

	(void)path;
	assert_int_equal(gaudi_tpc_object_parse(file, size, &object, why,
						sizeof(why)), 0);
	gaudi_tpc_metadata_of(object.program.code, object.program.words,
			      &metadata);
	metadata.scalars = object.program.metadata.scalars;
	assert_memory_equal(&metadata, &object.program.metadata,
			    sizeof(metadata));
	gaudi_tpc_program_free(&object.program);
}

TEST(metadata_of)
{
	assert_int_equal(each_kernel(told), 19);
}

/* Whatever is wrong with a file, it is refused, or is some kernel. */
static void damage(const uint8_t *file, size_t size, const char *path)
{
	struct gaudi_tpc_list_options options = { };
	struct gaudi_tpc_object object;
	uint8_t *copy = malloc(size);
	uint64_t x = size;
	char why[120], *text;
	unsigned int i, k;
	size_t length;
	FILE *to;

	(void)path;
	assert_non_null(copy);
	for (i = 0; i < 300; i++) {
		size_t left = size;

		memcpy(copy, file, size);
		for (k = 0; k <= i % 8; k++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			/* Headers and tables more often than the code. */
			copy[(x >> 33) % (x & 1 << 20 ? size : 64)] = x >> 24;
		}
		if (i % 5 == 0)
			left = (x >> 33) % size;
		if (gaudi_tpc_object_parse(copy, left, &object, why,
					   sizeof(why))) {
			assert_true(strlen(why) > 5);
			assert_null(object.program.code);
			continue;
		}
		if (i % 8 == 0) {
			text = NULL;
			to = open_memstream(&text, &length);
			assert_int_equal(gaudi_tpc_list(to, &object.program,
							&options), 0);
			fclose(to);
			free(text);
		}
		gaudi_tpc_program_free(&object.program);
	}
	free(copy);
}

TEST(damaged)
{
	assert_int_equal(each_kernel(damage), 19);
}

/* Any bytes at all become a text that means just these. */
TEST(any_words)
{
	struct gaudi_tpc_list_options options = { .bytes = true };
	struct gaudi_tpc_program program = { }, again;
	uint64_t x = 7;
	char *text = NULL;
	size_t length, i;
	FILE *to;

	program.words = 2000;
	program.code = malloc(program.words * GAUDI_TPC_WORD);
	assert_non_null(program.code);
	for (i = 0; i < program.words * GAUDI_TPC_WORD; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		program.code[i] = x >> 40;
	}
	/* Of every third word most is NOP; of some it is a loop. */
	for (i = 0; i < program.words; i++) {
		uint8_t *raw = program.code + i * GAUDI_TPC_WORD;

		if (i % 7 == 0)
			raw[0] = (raw[0] & 0xc0) | 0x22;
		if (i % 3)
			continue;
		raw[14] |= 0x80;
		raw[15] |= 0x0f;
		raw[17] |= 0xf0;
		raw[18] |= 0x01;
		raw[5] |= 0xf8;
		raw[6] |= 0x01;
	}
	to = open_memstream(&text, &length);
	assert_int_equal(gaudi_tpc_list(to, &program, &options), 0);
	fclose(to);
	assert_int_equal(gaudi_tpc_assemble(text, length, &again, note, ""), 0);
	assert_int_equal(program.words, again.words);
	assert_memory_equal(program.code, again.code,
			    again.words * GAUDI_TPC_WORD);
	free(text);
	gaudi_tpc_program_free(&program);
	gaudi_tpc_program_free(&again);
}

/* Of random words with one operation each, or all: what they say is a text. */
static void random_word(uint64_t *x, uint8_t *raw, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_WORD; i++) {
		*x = *x * 6364136223846793005ull + 1442695040888963407ull;
		raw[i] = *x >> 40;
	}
	if (n % 5 != 1)			/* no LOAD */
		raw[14] |= 0x80, raw[15] |= 0x0f;
	if (n % 5 != 2)			/* no STORE */
		raw[17] |= 0xf0, raw[18] |= 0x01;
	if (n % 5 != 3)			/* no VPU */
		raw[5] |= 0xf8, raw[6] |= 0x01;
	if (n % 5 == 4)
		raw[0] = (raw[0] & 0xc0) | 0x22;
	else if (n % 5)			/* no SPU */
		raw[0] |= 0x3f;
}

TEST(text_of_words)
{
	uint8_t raw[GAUDI_TPC_WORD], plain[GAUDI_TPC_WORD];
	struct gaudi_tpc_program program;
	unsigned int n, good = 0;
	char text[GAUDI_TPC_TEXT];
	struct gaudi_tpc_word word;
	uint64_t x = 11;

	for (n = 0; n < 400000; n++) {
		random_word(&x, raw, n);
		if (gaudi_tpc_decode(raw, &word, NULL))
			continue;
		/* Without bits that mean nothing. */
		assert_int_equal(gaudi_tpc_encode(&word, plain, NULL), 0);
		gaudi_tpc_print(&word, text, sizeof(text));
		if (gaudi_tpc_assemble(text, strlen(text), &program, note, ""))
			fail_msg("%s", text);
		if (memcmp(program.code, plain, sizeof(plain)))
			fail_msg("another word: %s", text);
		gaudi_tpc_program_free(&program);
		good++;
	}
	assert_true(good > 4000);
}
