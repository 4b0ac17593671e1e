// SPDX-License-Identifier: MIT
/* Pictures, as SVG: how a schedule moves data, and how fast collectives are. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gaudi_coll.h"
#include "text.h"

#define WIDTH		760.0
#define LEFT		80.0
#define TOP		36.0
#define LANE		34.0
#define HEIGHT		420.0

static FILE *begin_picture(const char *path, double height, const char *title)
{
	FILE *file = fopen(path, "we");

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return NULL;
	}
	fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<text x=\"%.0f\" y=\"18\">%s</text>\n",
		WIDTH, height, LEFT, title);

	return file;
}

static int end_picture(FILE *file, const char *path)
{
	bool bad;

	fputs("</svg>\n", file);
	bad = ferror(file);
	bad |= fclose(file);
	if (bad)
		complain("%s cannot be written", path);

	return bad ? -1 : 0;
}

/*
 * A schedule: a line for each rank, time from left to right.
 */
struct drawing {
	FILE *file;
	uint64_t last_ps;		/* when the last one ends */
	uint32_t ranks;
};

static void see_end(void *arg, const struct coll_event *event)
{
	struct drawing *d = arg;

	d->last_ps = event->end_ps > d->last_ps ? event->end_ps : d->last_ps;
}

static double x_of(const struct drawing *d, uint64_t ps)
{
	return LEFT + (WIDTH - LEFT - 20) * (double)ps / (double)d->last_ps;
}

static double y_of(uint32_t rank)
{
	return TOP + LANE * (rank + 0.5);
}

static void draw_event(void *arg, const struct coll_event *e)
{
	const struct drawing *d = arg;
	double begin = x_of(d, e->begin_ps), end = x_of(d, e->end_ps);
	uint32_t hue = 360 * e->rank / d->ranks;

	if (e->kind == COLL_ACT_SEND) {
		fprintf(d->file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"hsl(%u,70%%,45%%)\" "
			"stroke-width=\"1.2\" marker-end=\"url(#to)\"><title>%llu bytes from rank %u to %u</title></line>\n",
			begin, y_of(e->rank), end, y_of(e->peer), hue,
			(unsigned long long)e->bytes, e->rank, e->peer);
		return;
	}
	fprintf(d->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"%s\"><title>%s of %llu bytes on rank %u</title></rect>\n",
		begin, y_of(e->rank) - (e->kind == COLL_ACT_REDUCE ? 6 : 3),
		end - begin > 1 ? end - begin : 1,
		e->kind == COLL_ACT_REDUCE ? 12.0 : 6.0,
		e->kind == COLL_ACT_REDUCE ? "#333" : "#bbb",
		e->kind == COLL_ACT_REDUCE ? "reduction" : "copy",
		(unsigned long long)e->bytes, e->rank);
}

int draw_schedule(const struct coll_call *call, uint32_t size,
		  const struct coll_costs *costs, const char *path)
{
	struct drawing d = { .ranks = call->ranks };
	char title[200];

	if (coll_cost_events(call, size, costs, see_end, &d) || !d.last_ps) {
		complain("%s: nothing is moved", coll_kind_name(call->kind));
		return -1;
	}
	snprintf(title, sizeof(title), "%s of %llu bytes by %u ranks, %s: arrows are sent, dark is reduced, grey is copied; %.0f us",
		 coll_kind_name(call->kind), (unsigned long long)call->count * size,
		 call->ranks, coll_algorithm_name(call->algorithm),
		 (double)d.last_ps / 1e6);
	d.file = begin_picture(path, TOP + LANE * call->ranks + 10, title);
	if (!d.file)
		return -1;
	fputs("<defs><marker id=\"to\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"6\" "
	      "markerHeight=\"6\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#555\"/></marker></defs>\n",
	      d.file);
	for (uint32_t i = 0; i < call->ranks; i++)
		fprintf(d.file, "<text x=\"20\" y=\"%.1f\">rank %u</text>\n"
			"<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
			y_of(i) + 4, i, LEFT, y_of(i), WIDTH - 20, y_of(i));
	coll_cost_events(call, size, costs, draw_event, &d);

	return end_picture(d.file, path);
}

/*
 * Bandwidths: both axes by powers, sizes of two, GB/s of ten.
 */
static double rate(const struct settings *s, const struct result *r)
{
	return r->seconds > 0 ? (double)r->bytes / r->seconds / 1e9 *
				bus_factor(r->shape, s->ranks) : 0;
}

struct axes {
	double first, last;		/* log2 of bytes */
	double low, high;		/* log10 of GB/s */
};

static double x_at(const struct axes *a, double bytes)
{
	double span = a->last > a->first ? a->last - a->first : 1;

	return LEFT + (WIDTH - LEFT - 140) * (log2(bytes) - a->first) / span;
}

static double y_at(const struct axes *a, double gbs)
{
	double at = gbs > 0 ? log10(gbs) : a->low;

	return HEIGHT - 40 - (HEIGHT - 80) * (at - a->low) / (a->high - a->low);
}

static void draw_axes(FILE *file, const struct axes *a)
{
	for (double n = a->low; n <= a->high; n++)
		fprintf(file, "<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
			"<text x=\"8\" y=\"%.1f\">%g GB/s</text>\n", LEFT,
			y_at(a, pow(10, n)), WIDTH - 140, y_at(a, pow(10, n)),
			y_at(a, pow(10, n)) + 4, pow(10, n));
	for (double n = ceil(a->first); n <= a->last; n += 2)
		fprintf(file, "<text x=\"%.1f\" y=\"%.0f\">%g%s</text>\n",
			x_at(a, pow(2, n)) - 8, HEIGHT - 18,
			pow(2, n - (n < 10 ? 0 : n < 20 ? 10 : 20)),
			n < 10 ? "" : n < 20 ? "K" : "M");
}

static void draw_curve(FILE *file, const struct axes *a, const struct settings *s,
		       const struct result *results, int num, int shape)
{
	const char *colour[SHAPES] = {
		"#c33", "#38c", "#393", "#c80", "#839", "#555",
	};
	double y = 0;

	fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
		colour[shape]);
	for (int i = 0; i < num; i++) {
		if (results[i].shape != shape)
			continue;
		y = y_at(a, rate(s, &results[i]));
		fprintf(file, "%.1f,%.1f ", x_at(a, (double)results[i].bytes), y);
	}
	fprintf(file, "\"/>\n<text x=\"%.0f\" y=\"%.1f\" fill=\"%s\">%s</text>\n",
		WIDTH - 130, 60.0 + 18 * shape, colour[shape],
		shape_name((unsigned int)shape));
}

int draw_results(const struct settings *s, const struct result *results, int num,
		 const char *path)
{
	struct axes a = { .first = 64, .low = 6, .high = -6 };
	char title[80];
	FILE *file;

	for (int i = 0; i < num; i++) {
		double bytes = log2((double)results[i].bytes);
		double gbs = rate(s, &results[i]);

		a.first = bytes < a.first ? bytes : a.first;
		a.last = bytes > a.last ? bytes : a.last;
		if (gbs > 0) {
			a.low = fmin(a.low, floor(log10(gbs)));
			a.high = fmax(a.high, ceil(log10(gbs)));
		}
	}
	a.high = a.high > a.low ? a.high : a.low + 1;
	snprintf(title, sizeof(title), "Bus bandwidth by size, %d ranks, %s", s->ranks,
		 type_name(s->type));
	file = begin_picture(path, HEIGHT, title);
	if (!file)
		return -1;
	draw_axes(file, &a);
	for (int shape = 0; shape < SHAPES; shape++)
		if (s->shapes & 1u << shape)
			draw_curve(file, &a, s, results, num, shape);

	return end_picture(file, path);
}
