// SPDX-License-Identifier: GPL-2.0-or-later
/* What gaudi-tpc-run is told: options, numbers, tensors. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chip/tpc/isa/tpc_isa_table.h"
#include "run_options.h"

#define LIMIT		(1ull << 32)	/* as the card's, unless told */
#define CORES		64

static const char usage[] =
"Usage: gaudi-tpc-run [OPTION]... KERNEL.o\n"
"Execute a TPC kernel on tensors from .npy files, without a card.\n"
"\n"
"  -t, --tensor FILE[:TYPE]       the next tensor, read from FILE\n"
"  -o, --output FILE[:TYPE[:SIZES]]  the next tensor, zero, then written to FILE;\n"
"                                 like the tensor before it if not said\n"
"  -u, --update FILE=OUT          the next tensor, read, then written to OUT\n"
"  -s, --scalar VALUE             the next parameter: 1.5, f:2, i:7, or 7\n"
"  -x, --index-space SIZES        such as 4x3; dimension 0 first; else 1\n"
"      --tid-base NUMBERS         where it begins, such as 0x2; else 0\n"
"      --split CORES              in parts, one after another\n"
"      --padding VALUE            what is read beside tensors\n"
"      --lut INTERVALS=FILE       tables of special functions with 256, 128, 64\n"
"                                 or 32 intervals, as they lie in memory\n"
"      --round MODE               the default: rhne, rz, ru, rd, sr, rhaz\n"
"      --steps                    show each word\n"
"      --trace                    the same with the registers it changes\n"
"  -b, --break PLACE              show --print's registers there; or, with\n"
"                                 --debug, stop. 0x40, label or label+0x40\n"
"  -w, --watch PLACE[:TYPE]       show what changes there, or, with --debug, stop:\n"
"                                 slm+0x10, vlm+256:f32, t1(3,0), an address\n"
"  -p, --print REG[:TYPE],...     v3:f32, s0, i2, vp1, sp1, ad0, pc; v, all; at\n"
"                                 the end\n"
"      --debug                    commands from standard input; try help\n"
"      --hazards                  stop where hardware's timing may not do\n"
"      --poison SEED              random registers and local memories at first\n"
"      --causes                   tell of divisions by zero, overflows, NaN, ...\n"
"      --limit WORDS              for each core; else 2^32\n"
"      --stats                    counts of words and operations, speed\n"
"  -h, --help                     this text\n"
"\n"
"TYPE: f32 bf16 i32 u32 i16 u16 i8 u8. SIZES: dimension 0 (NumPy's last) first.\n";

/* RUN_USAGE, so that it can be returned. */
static int __attribute__((format(printf, 1, 2))) tell(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("gaudi-tpc-run: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return RUN_USAGE;
}

/* "4x3": up to five numbers; those behind are rest. 0, or -1. */
static int numbers(const char *text, uint32_t *to, uint32_t rest,
		   unsigned int *count)
{
	unsigned int d = 0;
	unsigned long long n;
	char *end;

	for (;;) {
		if (*text < '0' || *text > '9' || d == GAUDI_TPC_DIMS)
			return -1;
		errno = 0;
		n = strtoull(text, &end, 10);
		if (errno || n > INT32_MAX)
			return -1;
		to[d++] = n;
		if (!*end)
			break;
		if (*end != 'x')
			return -1;
		text = end + 1;
	}
	if (count)
		*count = d;
	for (; d < GAUDI_TPC_DIMS; d++)
		to[d] = rest;
	return 0;
}

static int count_of(const char *text, uint64_t max, uint64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoull(text, &end, 0);
	return *text < '0' || *text > '9' || *end || errno || !*to ||
	       *to > max ? -1 : 0;
}

/* 0, or -1: neither a real number nor one of 32 bits. */
static int value(const char *text, uint32_t *to)
{
	bool real_only = !strncmp(text, "f:", 2);
	bool whole_only = !strncmp(text, "i:", 2);
	long long n;
	float f;
	char *end;

	if (real_only || whole_only)
		text += 2;
	if (!*text || strchr(" \t\n\v\f\r", *text))
		return -1;
	errno = 0;
	n = strtoll(text, &end, 0);
	if (!real_only && !*end) {
		*to = n;
		return errno || n < INT32_MIN || n > UINT32_MAX ? -1 : 0;
	}
	f = strtof(text, &end);
	memcpy(to, &f, sizeof(f));
	return *end || whole_only ? -1 : 0;
}

/* --- tensors --------------------------------------------------------------- */

static struct run_tensor *add_tensor(struct run_machine *m)
{
	if (m->tensors < GAUDI_TPC_TENSORS)
		return &m->tensor[m->tensors];
	tell("there are more than %u tensors", GAUDI_TPC_TENSORS);
	return NULL;
}

static int read_array(const char *path, struct gaudi_npy *array)
{
	uint8_t *bytes;
	size_t size;
	char why[160];
	int status;

	bytes = gaudi_tpc_read_file(path, &size);
	if (!bytes) {
		tell("%s: %s", path, strerror(errno));
		return RUN_FILES;
	}
	status = gaudi_npy_parse(bytes, size, array, why, sizeof(why));
	free(bytes);
	if (!status)
		return 0;
	tell("%s: %s", path, why);
	return RUN_FILES;
}

/* ":TYPE" at the end of text is cut off. -1: there is none. */
static int cut_type(char *text)
{
	char *colon = strrchr(text, ':');
	int type = colon ? gaudi_npy_type_of(colon + 1, strlen(colon + 1)) : -1;

	if (type >= 0)
		*colon = '\0';
	return type;
}

static int input(struct run_machine *m, char *text, const char *out)
{
	struct run_tensor *t = add_tensor(m);
	int type = cut_type(text), status;

	if (!t)
		return RUN_USAGE;
	status = read_array(text, &t->array);
	if (status)
		return status;
	m->tensors++;
	t->out = out;
	if (type < 0)
		return 0;
	if (gaudi_npy_types[type].bytes !=
	    gaudi_npy_types[t->array.type].bytes)
		return tell("%s: its elements are %s, of another size than %s",
			    text, gaudi_npy_types[t->array.type].name,
			    gaudi_npy_types[type].name);
	t->array.type = type;
	return 0;
}

static int update(struct run_machine *m, char *text)
{
	char *out = strrchr(text, '=');

	if (!out || !out[1])
		return tell("'%s' is no FILE=OUT", text);
	*out = '\0';
	return input(m, text, out + 1);
}

static bool is_sizes(const char *text)
{
	return *text && text[strspn(text, "0123456789x")] == '\0';
}

/* What stands behind a colon and is no file's name: a type that is none. */
static const char *left_over(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && !strpbrk(colon, "./") ? colon + 1 : NULL;
}

static int output(struct run_machine *m, char *text)
{
	struct run_tensor *t = add_tensor(m);
	char *colon = strrchr(text, ':'), *sizes = NULL;
	struct gaudi_npy *a;
	int type;

	if (!t)
		return RUN_USAGE;
	if (colon && is_sizes(colon + 1)) {
		sizes = colon + 1;
		*colon = '\0';
	}
	a = &t->array;
	type = cut_type(text);
	if (left_over(text))
		return tell("%s: '%s' is neither a type nor sizes; try :f32 or :f32:1024x3",
			    text, left_over(text));
	if (m->tensors)
		*a = t[-1].array;
	if (!m->tensors && (type < 0 || !sizes))
		return tell("%s: of the first tensor type and sizes must be said, as in :f32:1024x3",
			    text);
	if (sizes && type < 0)
		return tell("%s: there is no type before :%s", text, sizes);
	if (sizes && numbers(sizes, a->size, 1, &a->dims))
		return tell("'%s' are no sizes", sizes);
	a->type = type < 0 ? a->type : (enum gaudi_npy_type)type;
	a->bytes = gaudi_npy_bytes(a);
	a->data = a->bytes < SIZE_MAX / 2 ? calloc(1, a->bytes + 1) : NULL;
	if (!a->data)
		return tell("%s: there is not so much memory", text);
	m->tensors++;
	t->out = text;
	return 0;
}

/* "64=FILE": as it is, or the contents of an array. */
static int lut(struct run_machine *m, const char *text)
{
	const char *path = strchr(text, '=');
	struct gaudi_npy array;
	unsigned int class;
	uint8_t *bytes;
	size_t size;
	int status;

	for (class = 0; class < RUN_LUTS; class++)
		if (path && strtoul(text, NULL, 10) == 256u >> class)
			break;
	if (class == RUN_LUTS || text[strspn(text, "0123456789")] != '=')
		return tell("'%s' is no INTERVALS=FILE; INTERVALS: 256, 128, 64, 32",
			    text);
	if (m->lut[class].data)
		return tell("tables of %u intervals are given twice",
			    256u >> class);
	path++;
	bytes = gaudi_tpc_read_file(path, &size);
	if (!bytes || !size) {
		tell("%s: %s", path, bytes ? "it is empty" : strerror(errno));
		free(bytes);
		return RUN_FILES;
	}
	if (size > 6 && !memcmp(bytes, "\x93NUMPY", 6)) {
		free(bytes);
		status = read_array(path, &array);
		if (status)
			return status;
		bytes = array.data;
		size = array.bytes;
	}
	m->lut[class].data = bytes;
	m->lut[class].bytes = size;
	return 0;
}

static int round_mode(struct run_machine *m, const char *text)
{
	const struct gaudi_tpc_names *names = &gaudi_tpc_names[GAUDI_TPC_SW_RM];

	for (m->round_csr = 0; m->round_csr < names->count; m->round_csr++)
		if (m->round_csr != GAUDI_TPC_RM_DEFAULT &&
		    !strcmp(text, names->list[m->round_csr]))
			return 0;
	return tell("'%s' is no rounding mode", text);
}

static int poison(struct run_machine *m, const char *text)
{
	char *end;

	errno = 0;
	m->seed = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno)
		return tell("'%s' is no number for --poison", text);
	m->poison = true;
	return 0;
}

/* --- options --------------------------------------------------------------- */

enum { TID_BASE = 256, SPLIT, PADDING, STEPS, TRACE, DEBUG, HAZARDS, LIMIT_AT,
	STATS, LUT, ROUND, CAUSES, POISON };

static int prints(struct run_options *o, char *text)
{
	char *save, *one = strtok_r(text, ",", &save);

	for (; one; one = strtok_r(NULL, ",", &save)) {
		if (o->prints == RUN_PRINTS)
			return tell("there are more than %u registers",
				    RUN_PRINTS);
		if (run_print_parse(one, &o->print[o->prints++]))
			return tell("'%s' is no register; try v3:f32, s0, i2, vp1, sp1, ad0, pc, v, all",
				    one);
	}
	return 0;
}

static int scalar(struct run_options *o, const char *text)
{
	if (o->scalars == GAUDI_TPC_S_COUNT)
		return tell("there are more than %u scalars",
			    GAUDI_TPC_S_COUNT);
	if (value(text, &o->scalar[o->scalars]))
		return tell("'%s' is no value; try 1.5, f:2 or i:7", text);
	o->scalars++;
	return 0;
}

static int shape(int c, const char *text, struct run_machine *m)
{
	unsigned int d;
	uint64_t n;

	switch (c) {
	case 'x':
		if (numbers(text, m->size, 1, NULL))
			return tell("'%s' is no index space; try 4x3", text);
		for (d = 0; d < GAUDI_TPC_DIMS; d++)
			if (!m->size[d])
				return tell("index space '%s': nothing is run if a size is 0",
					    text);
		return 0;
	case TID_BASE:
		if (numbers(text, m->base, 0, NULL))
			return tell("'%s' is no place in an index space; try 0x2",
				    text);
		return 0;
	case PADDING:
		if (value(text, &m->padding))
			return tell("'%s' is no value; try 1.5, f:2 or i:7",
				    text);
		return 0;
	case SPLIT:
		if (count_of(text, CORES, &n))
			return tell("'%s' is no number of cores, up to %u",
				    text, CORES);
		m->cores = n;
		return 0;
	case LUT:
		return lut(m, text);
	case ROUND:
		return round_mode(m, text);
	case POISON:
		return poison(m, text);
	default:
		if (count_of(text, UINT64_MAX, &m->limit))
			return tell("'%s' is no number of words", text);
		return 0;
	}
}

static int option(int c, struct run_options *o, struct run_machine *m)
{
	switch (c) {
	case 't':
		return input(m, optarg, NULL);
	case 'o':
		return output(m, optarg);
	case 'u':
		return update(m, optarg);
	case 's':
		return scalar(o, optarg);
	case 'b':
		if (o->breaks == RUN_BREAKS - 1)
			return tell("there are too many breakpoints");
		o->break_at[o->breaks++] = optarg;
		return 0;
	case 'w':
		if (o->watches == RUN_WATCHES)
			return tell("there are too many watched places");
		o->watch_at[o->watches++] = optarg;
		return 0;
	case 'p':
		return prints(o, optarg);
	case STEPS:
		o->steps = true;
		return 0;
	case TRACE:
		o->trace = true;
		return 0;
	case DEBUG:
		o->debug = true;
		return 0;
	case HAZARDS:
		o->hazards = true;
		return 0;
	case CAUSES:
		m->launch.causes = GAUDI_TPC_CAUSES;
		return 0;
	case STATS:
		o->stats = true;
		return 0;
	case 'h':
		fputs(usage, stdout);
		return -1;
	case '?':
		fputs("Try gaudi-tpc-run --help.\n", stderr);
		return RUN_USAGE;
	default:
		return shape(c, optarg, m);
	}
}

int run_options(int argc, char **argv, struct run_options *o,
		struct run_machine *m)
{
	static const struct option longs[] = {
		{ "tensor", required_argument, NULL, 't' },
		{ "output", required_argument, NULL, 'o' },
		{ "update", required_argument, NULL, 'u' },
		{ "scalar", required_argument, NULL, 's' },
		{ "index-space", required_argument, NULL, 'x' },
		{ "tid-base", required_argument, NULL, TID_BASE },
		{ "split", required_argument, NULL, SPLIT },
		{ "padding", required_argument, NULL, PADDING },
		{ "steps", no_argument, NULL, STEPS },
		{ "trace", no_argument, NULL, TRACE },
		{ "break", required_argument, NULL, 'b' },
		{ "watch", required_argument, NULL, 'w' },
		{ "lut", required_argument, NULL, LUT },
		{ "round", required_argument, NULL, ROUND },
		{ "print", required_argument, NULL, 'p' },
		{ "debug", no_argument, NULL, DEBUG },
		{ "hazards", no_argument, NULL, HAZARDS },
		{ "causes", no_argument, NULL, CAUSES },
		{ "poison", required_argument, NULL, POISON },
		{ "limit", required_argument, NULL, LIMIT_AT },
		{ "stats", no_argument, NULL, STATS },
		{ "help", no_argument, NULL, 'h' },
		{ },
	};
	int c, status;

	m->cores = 1;
	m->limit = LIMIT;
	numbers("1", m->size, 1, NULL);
	while ((c = getopt_long(argc, argv, "t:o:u:s:x:b:w:p:h", longs,
				NULL)) >= 0) {
		status = option(c, o, m);
		if (status)
			return status;
	}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return RUN_USAGE;
	}
	m->name = argv[optind];
	return 0;
}
