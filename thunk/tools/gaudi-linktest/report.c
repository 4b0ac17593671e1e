// SPDX-License-Identifier: MIT
/* Results: matrices for people, JSON for programs. */
#include <cjson/cJSON.h>
#include <string.h>

#include "json.h"
#include "linktest.h"
#include "text.h"

/* What stands in a matrix where row meets column. */
typedef void (*cell_fn)(const struct settings *s, const struct box_pair *pair,
			char *text);

static void port_cell(const struct settings *s, const struct box_pair *pair,
		      char *text)
{
	(void)s;
	snprintf(text, TEXT_LEN, "%u", pair->from_port);
}

static void latency_cell(const struct settings *s, const struct box_pair *pair,
			 char *text)
{
	(void)s;
	snprintf(text, TEXT_LEN, "%.1f", pair->figures.latency * 1e6);
}

/*
 * Rounds
 */

/* The columns of ib_write_lat, by its names. */
static void rounds_title(FILE *out)
{
	fputs(" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]"
	      "    t_avg[usec]    t_stdev[usec]   99% percentile[usec]"
	      "   99.9% percentile[usec]\n", out);
}

static void rounds_line(FILE *out, const struct settings *s,
			const struct figures *figures)
{
	struct spread t;

	rounds_spread(figures, &t);
	fprintf(out, " %-7llu %-13d %-14.2f %-12.2f %-15.2f %-15.2f %-15.2f %-22.2f %.2f\n",
		(unsigned long long)latency_bytes(s), figures->num_rounds,
		t.min * 1e6, t.max * 1e6, t.typical * 1e6, t.mean * 1e6,
		t.stdev * 1e6, t.p99 * 1e6, t.p999 * 1e6);
}

/* As its options -H and -U do. */
static void every_round(FILE *out, const struct settings *s,
			const struct figures *figures)
{
	struct figures ordered = *figures;

	if (!s->every_round)
		return;
	if (!s->unsorted)
		rounds_sort(&ordered);
	fputs("#, usec\n", out);
	for (int i = 0; i < ordered.num_rounds; i++)
		fprintf(out, "%d, %.2f\n", i + 1, ordered.rounds[i] * 1e6);
}

static void rounds_of_box(FILE *out, const struct settings *s,
			  const struct box *box)
{
	fputs("Each round, by the host's clock, one way\nfrom to", out);
	rounds_title(out);
	for (unsigned int i = 0; i < box->count * box->count; i++) {
		unsigned int from = i / box->count, to = i % box->count;
		const struct box_pair *pair = &box->pairs[from][to];

		if (!pair->wired)
			continue;
		fprintf(out, "%4u %2u", box->infos[from].module_id,
			box->infos[to].module_id);
		rounds_line(out, s, &pair->figures);
		every_round(out, s, &pair->figures);
	}
	fputc('\n', out);
}

/* In what people asked for, and its name. */
static double rate_of(const struct settings *s, double bytes_per_second)
{
	return bytes_per_second * (s->gbits ? 8 : 1) / 1e9;
}

static const char *unit_of(const struct settings *s)
{
	return s->gbits ? "Gb/s" : "GB/s";
}

static void bandwidth_cell(const struct settings *s,
			   const struct box_pair *pair, char *text)
{
	snprintf(text, TEXT_LEN, "%.3f",
		 rate_of(s, pair->figures.bandwidth[s->num_sizes - 1]));
}

static void matrix(FILE *out, const struct settings *s, const struct box *box,
		   const char *title, cell_fn cell)
{
	char text[TEXT_LEN];

	fprintf(out, "%s\n      to", title);
	for (unsigned int j = 0; j < box->count; j++)
		fprintf(out, " %8u", box->infos[j].module_id);
	fputc('\n', out);
	for (unsigned int i = 0; i < box->count; i++) {
		fprintf(out, "from %3u", box->infos[i].module_id);
		for (unsigned int j = 0; j < box->count; j++) {
			strcpy(text, i == j ? "." : "-");
			if (box->pairs[i][j].wired)
				cell(s, &box->pairs[i][j], text);
			fprintf(out, " %8s", text);
		}
		fputc('\n', out);
	}
	fputc('\n', out);
}

/* One line for each size: the slowest and fastest pair, and their mean. */
static void sizes_of_box(FILE *out, const struct settings *s,
			 const struct box *box)
{
	char text[TEXT_LEN];

	fprintf(out, "%12s %10s %10s %10s  %s of a pair\n", "bytes", "slowest",
		"mean", "fastest", unit_of(s));
	for (unsigned int n = 0; n < s->num_sizes; n++) {
		double least = 0, most = 0, sum = 0;
		unsigned int num = 0;

		for (unsigned int i = 0; i < box->count * box->count; i++) {
			const struct box_pair *pair =
				&box->pairs[i / box->count][i % box->count];
			double rate = rate_of(s, pair->figures.bandwidth[n]);

			if (!pair->wired)
				continue;
			least = !num || rate < least ? rate : least;
			most = rate > most ? rate : most;
			sum += rate;
			num++;
		}
		fprintf(out, "%12s %10.3f %10.3f %10.3f\n",
			text_bytes(s->sizes[n], text), least, sum / num, most);
	}
	fputc('\n', out);
}

void report_box(FILE *out, const struct settings *s, const struct box *box)
{
	char title[96], text[TEXT_LEN];

	matrix(out, s, box, "Ports, by module ids", port_cell);
	if (s->latency) {
		matrix(out, s, box, "Latency of a notification, us one way",
		       latency_cell);
		rounds_of_box(out, s, box);
	}
	if (!s->bandwidth)
		return;
	if (s->num_sizes > 1)
		sizes_of_box(out, s, box);
	snprintf(title, sizeof(title), "Bandwidth of writes of %s%s, %s",
		 text_bytes(s->sizes[s->num_sizes - 1], text),
		 s->both ? ", both ways at once, each way" : "", unit_of(s));
	matrix(out, s, box, title, bandwidth_cell);
	fprintf(out, "All pairs at once, both ways: %.3f %s, %.3f %s sent by each card. Data are right.\n",
		rate_of(s, box->at_once), unit_of(s),
		rate_of(s, box->at_once) / box->count, unit_of(s));
}

void report_remote(FILE *out, const struct settings *s,
		   const struct figures *figures)
{
	char text[TEXT_LEN];

	if (s->latency) {
		fprintf(out, "Latency of a notification: %.1f us one way\n"
			"Each round, by the host's clock, one way\n",
			figures->latency * 1e6);
		rounds_title(out);
		rounds_line(out, s, figures);
		every_round(out, s, figures);
	}
	if (!s->bandwidth)
		return;
	fprintf(out, "%12s %10s %10s %12s\n", "bytes", "writes", unit_of(s),
		"writes/us");
	for (unsigned int n = 0; n < s->num_sizes; n++)
		fprintf(out, "%12s %10llu %10.3f %12.6f%s\n",
			text_bytes(s->sizes[n], text),
			(unsigned long long)figures->writes[n],
			rate_of(s, figures->bandwidth[n]),
			figures->bandwidth[n] / 1e6 / (double)s->sizes[n],
			s->both ? "  each way" : "");
	fputs("Data are right.\n", out);
}

/*
 * JSON
 */
static void add_rounds(cJSON *object, const struct settings *s,
		       const struct figures *figures)
{
	struct figures ordered = *figures;
	cJSON *spread = cJSON_AddObjectToObject(object, "rounds_us"), *list;
	struct spread t;

	rounds_spread(figures, &t);
	cJSON_AddNumberToObject(spread, "min", t.min * 1e6);
	cJSON_AddNumberToObject(spread, "max", t.max * 1e6);
	cJSON_AddNumberToObject(spread, "typical", t.typical * 1e6);
	cJSON_AddNumberToObject(spread, "mean", t.mean * 1e6);
	cJSON_AddNumberToObject(spread, "stdev", t.stdev * 1e6);
	cJSON_AddNumberToObject(spread, "percentile_99", t.p99 * 1e6);
	cJSON_AddNumberToObject(spread, "percentile_99_9", t.p999 * 1e6);
	if (!s->every_round)
		return;
	if (!s->unsorted)
		rounds_sort(&ordered);
	list = cJSON_AddArrayToObject(spread, "each");
	for (int i = 0; list && i < ordered.num_rounds; i++)
		cJSON_AddItemToArray(list,
				     cJSON_CreateNumber(ordered.rounds[i] *
							1e6));
}

static void add_figures(cJSON *object, const struct settings *s,
			const struct figures *figures)
{
	cJSON *list;

	if (s->latency) {
		cJSON_AddNumberToObject(object, "latency_us",
					figures->latency * 1e6);
		add_rounds(object, s, figures);
	}
	list = s->bandwidth ? cJSON_AddArrayToObject(object, "bandwidth") :
			      NULL;
	for (unsigned int n = 0; list && n < s->num_sizes; n++) {
		cJSON *one = cJSON_CreateObject();

		cJSON_AddNumberToObject(one, "bytes", (double)s->sizes[n]);
		cJSON_AddNumberToObject(one, "bytes_per_second",
					figures->bandwidth[n]);
		cJSON_AddNumberToObject(one, "writes",
					(double)figures->writes[n]);
		cJSON_AddItemToArray(list, one);
	}
}

static cJSON *settings_json(const struct settings *s)
{
	cJSON *root = cJSON_CreateObject();

	if (s->bandwidth && !s->duration)
		cJSON_AddNumberToObject(root, "iterations", s->iterations);
	if (s->bandwidth && s->duration)
		cJSON_AddNumberToObject(root, "duration", s->duration);
	cJSON_AddNumberToObject(root, "queue_pairs", s->qps);
	if (s->latency)
		cJSON_AddNumberToObject(root, "rounds", s->rounds);
	if (s->latency)
		cJSON_AddNumberToObject(root, "latency_bytes",
					(double)latency_bytes(s));
	cJSON_AddBoolToObject(root, "both_ways", s->both);

	return root;
}

static void add_cards(cJSON *root, const struct box *box)
{
	cJSON *list = cJSON_AddArrayToObject(root, "cards");

	for (unsigned int i = 0; list && i < box->count; i++) {
		cJSON *card = cJSON_CreateObject();

		cJSON_AddNumberToObject(card, "module_id",
					box->infos[i].module_id);
		cJSON_AddStringToObject(card, "pci_address",
					box->infos[i].pci_address);
		cJSON_AddItemToArray(list, card);
	}
}

int report_box_json(FILE *out, const struct settings *s, const struct box *box)
{
	cJSON *root = settings_json(s), *list;

	add_cards(root, box);
	list = cJSON_AddArrayToObject(root, "pairs");
	for (unsigned int i = 0; list && i < box->count * box->count; i++) {
		unsigned int from = i / box->count, to = i % box->count;
		const struct box_pair *pair = &box->pairs[from][to];
		cJSON *one;

		if (!pair->wired)
			continue;
		one = cJSON_CreateObject();
		cJSON_AddNumberToObject(one, "from", box->infos[from].module_id);
		cJSON_AddNumberToObject(one, "to", box->infos[to].module_id);
		cJSON_AddNumberToObject(one, "from_port", pair->from_port);
		cJSON_AddNumberToObject(one, "to_port", pair->to_port);
		add_figures(one, s, &pair->figures);
		cJSON_AddItemToArray(list, one);
	}
	if (s->bandwidth)
		cJSON_AddNumberToObject(root, "all_at_once_bytes_per_second",
					box->at_once);

	return json_print(out, root);
}

int report_remote_json(FILE *out, const struct settings *s,
		       const struct figures *figures)
{
	cJSON *root = settings_json(s);

	cJSON_AddStringToObject(root, "host", s->host);
	add_figures(root, s, figures);

	return json_print(out, root);
}
