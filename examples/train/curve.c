// SPDX-License-Identifier: MIT
/* A picture of how the loss of a training falls. */
#include <math.h>
#include <stdio.h>

#include <gd.h>
#include <gdfonts.h>

#include "train.h"

#define WIDTH	640
#define HEIGHT	360
/* Of the field of the curve */
#define LEFT	60
#define RIGHT	620
#define TOP	40
#define BOTTOM	310

struct curve {
	gdImagePtr image;
	unsigned int epochs;		/* at least 2 */
	double top;			/* the largest loss that is a number */
	int black, grid, card;
};

/* 1, 2 or 5 times a power of ten, at most so many of which are in @most. */
static double step(double most, double parts)
{
	double power = pow(10, floor(log10(most / parts)));
	static const double times[] = { 1, 2, 5 };

	for (unsigned int i = 0; i < 3; i++)
		if (most / (power * times[i]) <= parts)
			return power * times[i];
	return 10 * power;
}

static int column(const struct curve *c, unsigned int epoch)
{
	return LEFT + (int)lround((double)(epoch - 1) * (RIGHT - LEFT) /
				  (c->epochs - 1));
}

/* What is no number, too, is at the top. */
static int row(const struct curve *c, double loss)
{
	if (!(loss < c->top))
		return TOP;
	return BOTTOM - (int)lround(loss * (BOTTOM - TOP) / c->top);
}

static void text(const struct curve *c, int x, int y, char *what)
{
	gdImageString(c->image, gdFontGetSmall(), x, y,
		      (unsigned char *)what, c->black);
}

static void draw_field(const struct curve *c)
{
	double each = step(c->top, 6);
	unsigned int every = (unsigned int)fmax(step(c->epochs, 10), 1);
	char label[32];

	for (unsigned int i = 0; i * each <= c->top; i++) {
		int y = row(c, i * each);

		gdImageLine(c->image, LEFT, y, RIGHT, y, c->grid);
		snprintf(label, sizeof(label), "%.4g", i * each);
		text(c, LEFT - 40, y - 7, label);
	}
	for (unsigned int epoch = every; epoch <= c->epochs; epoch += every) {
		int x = column(c, epoch);

		gdImageLine(c->image, x, TOP, x, BOTTOM, c->grid);
		snprintf(label, sizeof(label), "%u", epoch);
		text(c, x - 4, BOTTOM + 6, label);
	}
	gdImageLine(c->image, LEFT, TOP, LEFT, BOTTOM, c->black);
	gdImageLine(c->image, LEFT, BOTTOM, RIGHT, BOTTOM, c->black);
	text(c, RIGHT - 35, BOTTOM + 23, (char[]){ "epoch" });
}

static void draw_losses(const struct curve *c, const struct result *result)
{
	gdImageSetThickness(c->image, 2);
	for (unsigned int i = 1; i < result->epochs; i++)
		gdImageLine(c->image, column(c, i), row(c, result->loss[i - 1]),
			    column(c, i + 1), row(c, result->loss[i]), c->card);
}

static void save(gdImagePtr image, const char *path)
{
	FILE *file = fopen(path, "wb");

	if (file)
		gdImagePng(image, file);
	if (!file || ferror(file) | fclose(file))
		die("%s cannot be written", path);
}

void write_png(const struct options *options, const struct result *result)
{
	struct curve c = {
		.image = gdImageCreateTrueColor(WIDTH, HEIGHT),
		.epochs = result->epochs > 2 ? result->epochs : 2,
	};
	char title[128];

	if (!c.image)
		die("no memory for %s", options->png);
	for (unsigned int i = 0; i < result->epochs; i++)
		if (isfinite(result->loss[i]))
			c.top = fmax(c.top, result->loss[i]);
	if (!(c.top > 0))
		c.top = 1;
	c.black = gdImageColorAllocate(c.image, 0, 0, 0);
	c.grid = gdImageColorAllocate(c.image, 221, 221, 221);
	c.card = gdImageColorAllocate(c.image, 0, 90, 181);
	gdImageFilledRectangle(c.image, 0, 0, WIDTH, HEIGHT,
			       gdImageColorAllocate(c.image, 255, 255, 255));
	draw_field(&c);
	snprintf(title, sizeof(title), "%s, %s, seed %llu: mean loss of each epoch",
		 options->model, options->bf16 ? "bf16" : "f32",
		 (unsigned long long)options->seed);
	text(&c, LEFT, TOP - 25, title);
	draw_losses(&c, result);
	save(c.image, options->png);
	gdImageDestroy(c.image);
}
