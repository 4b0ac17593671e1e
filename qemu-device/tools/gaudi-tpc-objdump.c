// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gaudi-tpc-objdump: what is in an object file of a TPC kernel, as text that
 * gaudi-tpc-as makes the same kernel of. See gaudi-tpc-objdump(1).
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chip/tpc/isa/tpc_isa.h"
#include "tpc_list.h"
#include "tpc_obj.h"

static const char usage[] =
"Usage: gaudi-tpc-objdump [OPTION]... FILE\n"
"Show a TPC kernel: an object file, or the words alone; - for standard input.\n"
"\n"
"  -d, --disassemble        the instructions (also if no option says what)\n"
"  -m, --metadata           what a launcher must know\n"
"  -a, --no-addresses       no offsets before the words\n"
"  -B, --bytes              bytes behind the words\n"
"  -b, --binary             FILE has the words alone, no ELF file\n"
"  -h, --help               this text\n";

struct options {
	const char *input;
	struct gaudi_tpc_list_options list;
	bool disassemble, metadata, binary;
};

static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "disassemble", no_argument, NULL, 'd' },
		{ "metadata", no_argument, NULL, 'm' },
		{ "no-addresses", no_argument, NULL, 'a' },
		{ "bytes", no_argument, NULL, 'B' },
		{ "binary", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ },
	};
	int c;

	options->list.addresses = true;
	while ((c = getopt_long(argc, argv, "dmaBbh", longs, NULL)) >= 0)
		switch (c) {
		case 'd':
			options->disassemble = true;
			break;
		case 'm':
			options->metadata = true;
			break;
		case 'a':
			options->list.addresses = false;
			break;
		case 'B':
			options->list.bytes = true;
			break;
		case 'b':
			options->binary = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 1;
		default:
			fputs("Try gaudi-tpc-objdump --help.\n", stderr);
			return 3;
		}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 3;
	}
	if (!options->metadata)
		options->disassemble = true;
	options->input = argv[optind];
	return 0;
}

static int parse_binary(uint8_t *bytes, size_t size,
			struct gaudi_tpc_object *object, char *why,
			size_t why_size)
{
	memset(object, 0, sizeof(*object));
	if (!size || size % GAUDI_TPC_WORD) {
		snprintf(why, why_size,
			 "its %zu bytes are no whole number of words", size);
		return -1;
	}
	object->program.code = malloc(size);
	if (!object->program.code) {
		snprintf(why, why_size, "no memory");
		return -1;
	}
	memcpy(object->program.code, bytes, size);
	object->program.words = size / GAUDI_TPC_WORD;
	return 0;
}

static int show(const struct options *options,
		const struct gaudi_tpc_object *object)
{
	int status = 0;

	if (options->metadata && !object->has_metadata) {
		fprintf(stderr, "gaudi-tpc-objdump: %s: there is no metadata of version %u\n",
			options->input, GAUDI_TPC_METADATA_VERSION);
		status = 1;
	}
	if (options->metadata && object->has_metadata)
		gaudi_tpc_list_metadata(stdout, &object->program.metadata);
	if (options->disassemble &&
	    gaudi_tpc_list(stdout, &object->program, &options->list)) {
		fputs("gaudi-tpc-objdump: no memory\n", stderr);
		status = 1;
	}
	if (fflush(stdout)) {
		fprintf(stderr, "gaudi-tpc-objdump: %s\n", strerror(errno));
		status = 1;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { };
	struct gaudi_tpc_object object;
	int status = parse_options(argc, argv, &options);
	uint8_t *bytes;
	size_t size;
	char why[120];

	if (status)
		return status - 1;
	bytes = gaudi_tpc_read_file(options.input, &size);
	if (!bytes) {
		fprintf(stderr, "gaudi-tpc-objdump: %s: %s\n", options.input,
			strerror(errno));
		return 1;
	}
	if (options.binary ?
	    parse_binary(bytes, size, &object, why, sizeof(why)) :
	    gaudi_tpc_object_parse(bytes, size, &object, why, sizeof(why))) {
		fprintf(stderr, "gaudi-tpc-objdump: %s: %s\n", options.input,
			why);
		free(bytes);
		return 1;
	}
	free(bytes);
	status = show(&options, &object);
	gaudi_tpc_program_free(&object.program);
	return status;
}
