// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* gaudi-replay: a journal's cards do all again; see gaudi-replay.1. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

/* The exit status. */
enum { SAME, DIFFERS, TROUBLE };

static const char usage[] =
"usage: gaudi-replay [OPTION...] JOURNAL\n"
"\n"
"Cards do again what a journal of gaudi-sim --journal says, without driver and\n"
"program, and it is compared what they read, write, signal and record.\n"
"\n"
"  --until N        end behind call N\n"
"  --break EVENT    end behind the call in which that happens: packet=NAME,\n"
"                   reg=NAME (written), event=ID, msi=VECTOR, reset\n"
"  --list           print each call of the host\n"
"  --record FILE    write there what last passed through the cards, for\n"
"                   gaudi-trace and gaudi-why\n"
"\n"
"Exit status: 0 all is the same, 1 something differs, 2 it cannot be told.\n";

struct options {
	const char *journal;
	const char *record;
	uint64_t until;
	struct replay_break at;
	bool breaks;
	bool list;
};

static struct replay replay;

static int options_parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = {
		{ "until", required_argument, NULL, 'u' },
		{ "break", required_argument, NULL, 'b' },
		{ "list", no_argument, NULL, 'l' },
		{ "record", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL },
	};
	char *end;
	int c;

	o->until = UINT64_MAX;
	while ((c = getopt_long(argc, argv, "h", names, NULL)) != -1) {
		switch (c) {
		case 'u':
			o->until = strtoull(optarg, &end, 0);
			if (*optarg && *optarg != '-' && !*end)
				break;
			fprintf(stderr, "gaudi-replay: '%s' is no number\n",
				optarg);
			return TROUBLE;
		case 'b':
			o->breaks = replay_break_parse(optarg, &o->at);
			if (o->breaks)
				break;
			fprintf(stderr, "gaudi-replay: there is no event '%s'\n",
				optarg);
			return TROUBLE;
		case 'l':
			o->list = true;
			break;
		case 'r':
			o->record = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			return TROUBLE;
		}
	}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return TROUBLE;
	}
	o->journal = argv[optind];
	return 0;
}

static void print_call(void)
{
	char text[256];

	replay_print(text, sizeof(text), replay.card[replay.call.card].chip,
		     &replay.call);
	printf("%" PRIu64 ": %s\n", replay.calls, text);
}

/* In the call that was done last. seen: events of each card before. */
static bool has_event(const struct replay_break *at, uint64_t *seen)
{
	const struct gaudi_record *found = NULL;
	struct gaudi_chip *chip;
	unsigned int i;

	for (i = 0; i < GAUDI_JOURNAL_CARDS; i++) {
		chip = replay.card[i].chip;
		if (!chip)
			continue;
		if (!found)
			found = replay_break_find(at, chip, seen[i]);
		seen[i] = gaudi_chip_recorded(chip);
	}
	return found;
}

static int write_record(const char *path)
{
	FILE *out = fopen(path, "we");
	unsigned int i;
	int err = out ? 0 : -errno;

	for (i = 0; out && !err && i < GAUDI_JOURNAL_CARDS; i++)
		if (replay.card[i].chip)
			err = gaudi_chip_record(replay.card[i].chip, out);
	if (out && fclose(out) && !err)
		err = -errno;
	if (err)
		fprintf(stderr, "gaudi-replay: %s: %s\n", path, strerror(-err));
	return err;
}

/* 1: there is more. */
static int go(const struct options *o)
{
	uint64_t seen[GAUDI_JOURNAL_CARDS] = { 0 };
	int more = 1;

	while (more > 0 && replay.calls < o->until) {
		more = replay_step(&replay);
		if (more && o->list)
			print_call();
		if (more > 0 && o->breaks && has_event(&o->at, seen)) {
			print_call();
			break;
		}
	}
	return more;
}

static int finish(const struct options *o, int more)
{
	char text[256];

	if (more < 0) {
		replay_print(text, sizeof(text),
			     replay.card[replay.call.card].chip, &replay.call);
		printf("gaudi-replay: %s: call %" PRIu64 " differs (%s): %s\n",
		       o->journal, replay.calls, text, replay.why);
		return DIFFERS;
	}
	if (!replay.calls) {
		fprintf(stderr, "gaudi-replay: %s: there is no call in it\n",
			o->journal);
		return TROUBLE;
	}
	printf("gaudi-replay: %s: %" PRIu64 " calls, %" PRIu64
	       " questions of the cards: the same%s\n", o->journal, replay.calls,
	       replay.questions, replay.ended ? ", and so is the memory" :
	       replay.cut_off ? "; the journal has no end" : "");
	return SAME;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	int rc = options_parse(argc, argv, &o), err;

	if (rc)
		return rc;
	replay.file = gaudi_journal_open(o.journal, &err);
	if (!replay.file) {
		fprintf(stderr, "gaudi-replay: %s: %s\n", o.journal,
			err == -EINVAL ? "this is no journal" : strerror(-err));
		return TROUBLE;
	}
	rc = finish(&o, go(&o));
	if (o.record && write_record(o.record) && rc == SAME)
		rc = TROUBLE;
	replay_free(&replay);
	gaudi_journal_close(replay.file);
	return rc;
}
