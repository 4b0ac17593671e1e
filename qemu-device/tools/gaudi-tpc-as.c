// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gaudi-tpc-as: assembler for kernels of the card's TPCs. See gaudi-tpc-as(1).
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chip/tpc/isa/tpc_isa.h"
#include "tpc_obj.h"

static const char usage[] =
"Usage: gaudi-tpc-as [OPTION]... FILE\n"
"Assemble a TPC kernel; FILE may be - for standard input.\n"
"\n"
"  -o, --output=FILE        the object file (a.out without this)\n"
"  -b, --binary             write the instruction words only, no ELF file\n"
"  -l, --listing=FILE       write offsets, bytes and source; - for the output\n"
"  -D, --define=NAME=TEXT   as a line \".define NAME TEXT\" before all others\n"
"  -m, --metadata=NAME=N    set a field of the metadata, as \".metadata NAME, N\"\n"
"  -W, --no-warn            no warnings\n"
"  -h, --help               this text\n";

struct options {
	const char *input, *output, *listing;
	bool binary, quiet;
	char *before;			/* lines that options stand for */
	size_t before_size;
	unsigned int before_lines;
};

static void report(void *arg, unsigned int line, unsigned int column,
		   bool warning, const char *text)
{
	const struct options *options = arg;
	const char *kind = warning ? "warning" : "error";

	if (warning && options->quiet)
		return;
	if (line <= options->before_lines)
		fprintf(stderr, "%s: option -D or -m: %s: %s\n",
			options->input, kind, text);
	else
		fprintf(stderr, "%s:%u:%u: %s: %s\n", options->input,
			line - options->before_lines, column, kind, text);
}

/* A line for an option NAME=VALUE. */
static int add_before(struct options *options, const char *directive,
		      const char *value)
{
	const char *equals = strchr(value, '=');
	char *more;
	int n;

	if (!equals || strchr(value, '\n')) {
		fprintf(stderr, "gaudi-tpc-as: NAME=VALUE is expected, not \"%s\"\n",
			value);
		return -1;
	}
	n = asprintf(&more, "%s%s %.*s %s\n",
		     options->before ? options->before : "", directive,
		     (int)(equals - value), value, equals + 1);
	if (n < 0)
		return -1;
	free(options->before);
	options->before = more;
	options->before_size = n;
	options->before_lines++;
	return 0;
}

/* 0, or the status to end with plus 1. */
static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "binary", no_argument, NULL, 'b' },
		{ "listing", required_argument, NULL, 'l' },
		{ "define", required_argument, NULL, 'D' },
		{ "metadata", required_argument, NULL, 'm' },
		{ "no-warn", no_argument, NULL, 'W' },
		{ "help", no_argument, NULL, 'h' },
		{ },
	};
	int c;

	options->output = "a.out";
	while ((c = getopt_long(argc, argv, "o:bl:D:m:Wh", longs, NULL)) >= 0)
		switch (c) {
		case 'o':
			options->output = optarg;
			break;
		case 'b':
			options->binary = true;
			break;
		case 'l':
			options->listing = optarg;
			break;
		case 'D':
		case 'm':
			if (add_before(options, c == 'D' ? ".define" :
				       ".metadata", optarg))
				return 3;
			break;
		case 'W':
			options->quiet = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 1;
		default:
			fputs("Try gaudi-tpc-as --help.\n", stderr);
			return 3;
		}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 3;
	}
	options->input = argv[optind];
	return 0;
}

static int write_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "w") : stdout;
	bool bad;

	if (!file) {
		fprintf(stderr, "gaudi-tpc-as: %s: %s\n", path, strerror(errno));
		return -1;
	}
	bad = fwrite(bytes, 1, size, file) != size;
	bad |= file == stdout ? fflush(file) : fclose(file);
	if (bad)
		fprintf(stderr, "gaudi-tpc-as: %s: %s\n", path, strerror(errno));
	return bad ? -1 : 0;
}

/* offset  bytes  line of the source, for each line. */
static int write_listing(const char *path, const char *source, size_t size,
			 unsigned int skip,
			 const struct gaudi_tpc_program *program)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "w") : stdout;
	const char *end = source + size;
	unsigned int line = 1, i;
	size_t n = 0, length;

	if (!file) {
		fprintf(stderr, "gaudi-tpc-as: %s: %s\n", path, strerror(errno));
		return -1;
	}
	for (; source < end; source += length + 1, line++) {
		const char *newline = memchr(source, '\n', end - source);

		length = newline ? (size_t)(newline - source) :
				   (size_t)(end - source);
		if (line <= skip)
			continue;
		if (n < program->words && program->lines[n] == line) {
			fprintf(file, "%05zx ", n * GAUDI_TPC_WORD);
			for (i = 0; i < GAUDI_TPC_WORD; i++)
				fprintf(file, "%02x",
					program->code[n * GAUDI_TPC_WORD + i]);
			n++;
		} else {
			fprintf(file, "%70s", "");
		}
		fprintf(file, " %5u  %.*s\n", line - skip, (int)length, source);
	}
	return file == stdout ? fflush(file) : fclose(file);
}

static int write_all(const struct options *options, const char *source,
		     size_t size, const struct gaudi_tpc_program *program)
{
	size_t object_size;
	uint8_t *object;
	char why[120];
	int status;

	if (options->binary) {
		status = write_file(options->output, program->code,
				    program->words * GAUDI_TPC_WORD);
	} else {
		object = gaudi_tpc_object_make(program, options->input,
					       &object_size, why, sizeof(why));
		if (!object) {
			fprintf(stderr, "gaudi-tpc-as: %s\n", why);
			return -1;
		}
		status = write_file(options->output, object, object_size);
		free(object);
	}
	if (!status && options->listing)
		status = write_listing(options->listing, source, size,
				       options->before_lines, program);
	return status;
}

/* The file behind the lines that options stand for. */
static char *read_source(const struct options *options, size_t *size)
{
	uint8_t *file = gaudi_tpc_read_file(options->input, size);
	char *source;

	if (!file) {
		fprintf(stderr, "gaudi-tpc-as: %s: %s\n", options->input,
			strerror(errno));
		return NULL;
	}
	source = malloc(*size + options->before_size + 1);
	if (source) {
		if (options->before_size)
			memcpy(source, options->before, options->before_size);
		memcpy(source + options->before_size, file, *size);
		*size += options->before_size;
	}
	free(file);
	return source;
}

int main(int argc, char **argv)
{
	struct options options = { };
	struct gaudi_tpc_program program;
	char *source = NULL;
	size_t size = 0;
	int status = parse_options(argc, argv, &options), errors;

	if (status) {
		free(options.before);
		return status - 1;
	}
	source = read_source(&options, &size);
	status = 1;
	if (source) {
		errors = gaudi_tpc_assemble(source, size, &program, report,
					    &options);
		if (errors < 0)
			fputs("gaudi-tpc-as: no memory\n", stderr);
		if (!errors) {
			status = write_all(&options, source, size, &program) ?
				 1 : 0;
			gaudi_tpc_program_free(&program);
		}
	}
	free(source);
	free(options.before);
	return status;
}
