// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TPC's instructions. The first byte of an input chooses what the others
 * are: words of a kernel, the assembler's text, or an object file.
 *
 * A word is refused with a reason, or it means the same after encoding, and its
 * text means it. A kernel's listing means its bytes, whatever they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../qemu-device/chip/tpc/isa/tpc_isa.h"
#include "tpc_list.h"
#include "tpc_obj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what) do { \
	if (!(what)) \
		abort(); \
} while (0)

static void word(const uint8_t *raw)
{
	char first[GAUDI_TPC_TEXT], second[GAUDI_TPC_TEXT];
	struct gaudi_tpc_word decoded, again;
	uint8_t out[GAUDI_TPC_WORD];
	struct gaudi_tpc_error err;

	err.text[0] = '\0';
	if (gaudi_tpc_decode(raw, &decoded, &err)) {
		CHECK(err.text[0] && err.field);
		return;
	}
	CHECK(!gaudi_tpc_encode(&decoded, out, &err));
	CHECK(!gaudi_tpc_decode(out, &again, &err));
	CHECK(gaudi_tpc_print(&decoded, first, sizeof(first)) <
	      GAUDI_TPC_TEXT);
	gaudi_tpc_print(&again, second, sizeof(second));
	CHECK(!strcmp(first, second));
}

static void listing(const struct gaudi_tpc_program *program)
{
	struct gaudi_tpc_list_options options = { .addresses = true };
	struct gaudi_tpc_program again;
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	CHECK(to);
	CHECK(!gaudi_tpc_list(to, program, &options));
	fclose(to);
	CHECK(!gaudi_tpc_assemble(text, length, &again, NULL, NULL));
	CHECK(again.words == program->words &&
	      !memcmp(again.code, program->code,
		      again.words * GAUDI_TPC_WORD));
	gaudi_tpc_program_free(&again);
	free(text);
}

static void words(const uint8_t *data, size_t size)
{
	struct gaudi_tpc_program program = { };
	size_t n;

	program.words = size / GAUDI_TPC_WORD;
	if (!program.words)
		return;
	program.code = malloc(program.words * GAUDI_TPC_WORD);
	CHECK(program.code);
	memcpy(program.code, data, program.words * GAUDI_TPC_WORD);
	for (n = 0; n < program.words; n++)
		word(program.code + n * GAUDI_TPC_WORD);
	listing(&program);
	gaudi_tpc_program_free(&program);
}

static void said(void *arg, unsigned int line, unsigned int column,
		 bool warning, const char *text)
{
	CHECK(line && column && *text);
	*(int *)arg += !warning;
}

static void text(const uint8_t *data, size_t size)
{
	struct gaudi_tpc_program program;
	/* Exactly so many bytes, for the sanitizer. */
	char *copy = malloc(size ? size : 1);
	int errors, counted = 0;
	uint8_t *file;
	char why[120];
	size_t file_size;

	CHECK(copy);
	memcpy(copy, data, size);
	errors = gaudi_tpc_assemble(copy, size, &program, said, &counted);
	free(copy);
	CHECK(errors < 0 || errors == counted);
	if (errors) {
		CHECK(!program.code);
		return;
	}
	file = gaudi_tpc_object_make(&program, "x", &file_size, why,
				     sizeof(why));
	CHECK(file);
	free(file);
	if (program.words)
		listing(&program);
	gaudi_tpc_program_free(&program);
}

static void object(const uint8_t *data, size_t size)
{
	struct gaudi_tpc_object object;
	char why[120] = "";

	if (gaudi_tpc_object_parse(data, size, &object, why, sizeof(why))) {
		CHECK(*why);
		return;
	}
	listing(&object.program);
	gaudi_tpc_program_free(&object.program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 3) {
	case 0:
		words(data + 1, size - 1);
		break;
	case 1:
		text(data + 1, size - 1);
		break;
	default:
		object(data + 1, size - 1);
	}
	return 0;
}
