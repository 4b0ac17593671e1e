// SPDX-License-Identifier: MIT
/*
 * gaudi-info: which Gaudi cards there are, and how they are.
 * Options and exit status; see gaudi-info(1).
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cards.h"
#include "info.h"
#include "text.h"

enum { EXIT_NO_CARD = 1, EXIT_USAGE = 2, EXIT_PARTLY = 3 };

static const char usage[] =
"Usage: gaudi-info [--links] [--json] [--device N | --pci ADDRESS | --module N]\n"
"Show the Gaudi cards of this machine, or one of them.\n"
"\n"
"  -d, --device N     the card of /dev/accel/accelN\n"
"  -p, --pci ADDRESS  the card at this PCI address\n"
"  -m, --module N     the card with this module id\n"
"  -l, --links        their network ports instead\n"
"  -j, --json         for programs\n"
"  -h, --help         this text\n"
"  -V, --version      version of the thunk\n"
"\n"
"Exit status: 0, 1 no such card, 2 wrong usage, 3 a card did not answer.\n";

static const struct option options[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "pci", required_argument, NULL, 'p' },
	{ "module", required_argument, NULL, 'm' },
	{ "links", no_argument, NULL, 'l' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ }
};

static void show_version(void)
{
	char *version = hlthunk_get_version();

	printf("gaudi-info %s\n", version ? version : "?");
	hlthunk_free(version);
}

/* How it is to be shown. */
struct form {
	bool json;
	bool links;
};

/* Exits for --help, --version and what is wrong. */
static void parse(int argc, char **argv, struct card_choice *choice,
		  struct form *form)
{
	int opt;

	while ((opt = getopt_long(argc, argv, "d:p:m:ljhV", options, NULL)) !=
	       -1) {
		switch (opt) {
		case 'd':
			if (text_to_int(optarg, 0, INT_MAX, &choice->index)) {
				complain("--device %s: no number", optarg);
				exit(EXIT_USAGE);
			}
			break;
		case 'm':
			if (text_to_int(optarg, 0, INT_MAX,
					&choice->module_id)) {
				complain("--module %s: no number", optarg);
				exit(EXIT_USAGE);
			}
			break;
		case 'p':
			if (hlthunk_get_device_index_from_pci_bus_id(optarg) ==
			    -EINVAL) {
				complain("--pci %s: no PCI address", optarg);
				exit(EXIT_USAGE);
			}
			choice->busid = optarg;
			break;
		case 'l':
			form->links = true;
			break;
		case 'j':
			form->json = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		case 'V':
			show_version();
			exit(0);
		default:
			fputs(usage, stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind < argc) {
		complain("unexpected argument '%s'", argv[optind]);
		fputs(usage, stderr);
		exit(EXIT_USAGE);
	}
}

static void no_card(size_t found)
{
	char idle[256];

	if (found) {
		complain("no such card (this machine has %zu)", found);
		return;
	}
	cards_driverless(idle, sizeof(idle));
	if (*idle)
		complain("no driver for the card at %s: load gaudi or habanalabs, and see the kernel log",
			 idle);
	else
		complain("no Gaudi card found");
}

/* 0, or -ENOMEM */
static int show(const struct form *form, const struct card_info *infos,
		size_t count)
{
	if (form->json)
		return form->links ? show_links_json(stdout, infos, count) :
				     show_json(stdout, infos, count);
	if (form->links)
		show_links(stdout, infos, count);
	else
		show_text(stdout, infos, count);

	return 0;
}

int main(int argc, char **argv)
{
	struct card_choice choice = { .index = -1, .module_id = -1 };
	struct card_info *infos;
	struct card *cards = NULL;
	size_t found = 0, count;
	struct form form = {};
	int status = 0;
	int rc;

	parse(argc, argv, &choice, &form);

	rc = cards_find(&cards, &found);
	if (rc) {
		complain("cannot list devices: %s", strerror(-rc));
		return EXIT_NO_CARD;
	}
	count = cards_choose(cards, found, &choice);
	if (!count) {
		no_card(found);
		free(cards);
		return EXIT_NO_CARD;
	}
	infos = calloc(count, sizeof(*infos));
	if (!infos) {
		complain("out of memory");
		free(cards);
		return EXIT_NO_CARD;
	}

	for (size_t i = 0; i < count; i++) {
		info_gather(&infos[i], &cards[i]);
		if (!infos[i].open_err)
			continue;
		complain("card %d: " HLTHUNK_DEV_NAME_CONTROL ": %s",
			 cards[i].index, cards[i].index,
			 strerror(-infos[i].open_err));
		status = EXIT_PARTLY;
	}
	if (show(&form, infos, count))
		status = EXIT_NO_CARD;
	if (fflush(stdout) || ferror(stdout)) {
		complain("cannot write: %s", strerror(errno));
		status = EXIT_NO_CARD;
	}
	free(infos);
	free(cards);

	return status;
}
