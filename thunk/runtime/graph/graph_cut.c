// SPDX-License-Identifier: MIT
/*
 * What work of links does to a queue is known only when it is done, and a host function is no
 * work of the card: so a graph that has some is cut into steps. Each such node, which is apart,
 * is one; the nodes that come after the same nodes apart, and before the same one first, are
 * one together. So no step waits for a node apart that is not before all of it: a peer might
 * send what is waited for only after what it is sent later. And what is sent does not wait for
 * what nobody sends yet, as gradients of one layer do not for those of the next.
 *
 * Nodes apart are launched in the order in which they were captured, programs as soon as
 * all of these that they come after have been.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "nodes.h"

/* Programs and steps know all buffers, and all nodes apart. */
#define MAX_APART	4096u
#define MAX_WORK	(1ull << 27)

#define BITS		64u
/* The first node apart behind what none comes after. */
#define NONE		UINT32_MAX

struct cutting {
	struct gaudi_graph *g;
	uint32_t *step_of;		/* by node */
	uint32_t *before;		/* by node: the first node apart behind it */
	size_t room;			/* of steps */
	uint32_t words;			/* of a set of nodes apart */
	uint32_t num_apart;		/* so far */
	uint64_t *after;		/* of the node that is looked at */
};

static bool is_same(const struct cutting *c, uint32_t n, uint32_t step)
{
	const struct gd_step *s = &c->g->steps[step];

	return !s->apart && s->before == c->before[n] &&
	       !memcmp(s->after, c->after, c->words * sizeof(*c->after));
}

/* A step for what comes after the set @after; @apart: it is one of that set itself. */
static int add_step(struct cutting *c, uint32_t n, bool apart, uint32_t *step)
{
	struct gaudi_graph *g = c->g;
	struct gd_step *s;

	if ((uint64_t)(g->num_steps + 1) * (g->num_buffers + c->words) >
	    MAX_WORK)
		return gd_fail(-EOVERFLOW, "a graph of more than %u steps around work of links and host functions, with %u places",
			       g->num_steps, g->num_buffers);
	if (g->num_steps == c->room &&
	    !gd_grow((void **)&g->steps, g->num_steps, &c->room, sizeof(*s)))
		return gd_no_memory("for a captured graph");
	s = &g->steps[g->num_steps];
	*s = (struct gd_step) {
		.node = n,
		.apart = apart,
		.before = c->before[n],
	};
	s->after = malloc(c->words * sizeof(*s->after));
	if (!s->after)
		return gd_no_memory("for a captured graph");
	*step = s->number = g->num_steps++;
	if (apart) {
		c->after[c->num_apart / BITS] |= 1ull << c->num_apart % BITS;
		c->num_apart++;
	}
	memcpy(s->after, c->after, c->words * sizeof(*s->after));
	for (uint32_t i = 0; i < c->words; i++) {
		s->num_after += (uint32_t)__builtin_popcountll(s->after[i]);
		if (s->after[i])
			s->last_after = BITS * (i + 1) -
					(uint32_t)__builtin_clzll(s->after[i]);
	}

	return 0;
}

static int find_step(struct cutting *c, uint32_t n, uint32_t *step)
{
	const struct gaudi_graph *g = c->g;
	const struct gd_node *node = &g->nodes[n];
	const uint32_t *deps = g->deps + node->first_dep;

	memset(c->after, 0, c->words * sizeof(*c->after));
	for (uint32_t i = 0; i < node->num_deps; i++) {
		const uint64_t *its = g->steps[c->step_of[deps[i]]].after;

		for (uint32_t w = 0; w < c->words; w++)
			c->after[w] |= its[w];
	}
	if (gd_node_is_apart(node))
		return add_step(c, n, true, step);
	/* As that of most nodes. */
	for (uint32_t i = 0; i < node->num_deps; i++) {
		*step = c->step_of[deps[i]];
		if (is_same(c, n, *step))
			return 0;
	}
	for (*step = g->num_steps; (*step)-- > 0;)
		if (is_same(c, n, *step))
			return 0;

	return add_step(c, n, false, step);
}

static int add_deps(struct cutting *c, uint32_t n)
{
	const struct gd_node *node = &c->g->nodes[n];
	struct gd_step *s = &c->g->steps[c->step_of[n]];

	for (uint32_t i = 0; i < node->num_deps; i++) {
		uint32_t dep = c->step_of[c->g->deps[node->first_dep + i]];
		uint32_t k = 0;

		while (k < s->num_deps && s->deps[k] != dep)
			k++;
		if (dep == c->step_of[n] || k < s->num_deps)
			continue;
		if (s->num_deps == s->room_deps &&
		    !gd_grow((void **)&s->deps, s->num_deps, &s->room_deps,
			     sizeof(*s->deps)))
			return gd_no_memory("for a captured graph");
		s->deps[s->num_deps++] = dep;
	}

	return 0;
}

static int compare(const void *first, const void *second)
{
	const struct gd_step *a = first, *b = second;

	if (a->last_after != b->last_after)
		return a->last_after < b->last_after ? -1 : 1;
	if (a->apart != b->apart)
		return a->apart ? -1 : 1;
	if (a->num_after != b->num_after)
		return a->num_after < b->num_after ? -1 : 1;
	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;

	return a->number < b->number ? -1 : 1;
}

/* So that what a step comes after is before it: see above. */
static int sort(struct cutting *c)
{
	struct gaudi_graph *g = c->g;
	uint32_t *now = calloc(g->num_steps, sizeof(*now));

	if (!now)
		return gd_no_memory("for a captured graph");
	qsort(g->steps, g->num_steps, sizeof(*g->steps), compare);
	for (uint32_t i = 0; i < g->num_steps; i++)
		now[g->steps[i].number] = i;
	for (uint32_t n = 0; n < g->num_nodes; n++)
		c->step_of[n] = now[c->step_of[n]];
	free(now);

	return 0;
}

/* A node comes before all that those come before which come after it. */
static void find_before(struct cutting *c, uint32_t num_apart)
{
	const struct gaudi_graph *g = c->g;

	for (uint32_t n = 0; n < g->num_nodes; n++)
		c->before[n] = NONE;
	for (uint32_t n = g->num_nodes; n-- > 0;) {
		const struct gd_node *node = &g->nodes[n];
		const uint32_t *deps = g->deps + node->first_dep;

		if (gd_node_is_apart(node))
			c->before[n] = --num_apart;
		for (uint32_t i = 0; i < node->num_deps; i++)
			if (c->before[deps[i]] > c->before[n])
				c->before[deps[i]] = c->before[n];
	}
}

static int cut(struct cutting *c, uint32_t num_apart)
{
	int rc = 0;

	find_before(c, num_apart);
	for (uint32_t n = 0; !rc && n < c->g->num_nodes; n++)
		rc = find_step(c, n, &c->step_of[n]);
	if (!rc)
		rc = sort(c);
	for (uint32_t n = 0; !rc && n < c->g->num_nodes; n++)
		rc = add_deps(c, n);

	return rc;
}

int gd_graph_cut(struct gaudi_graph *g, uint32_t num_apart, uint32_t **step_of)
{
	struct cutting c = {
		.g = g,
		.words = (num_apart + BITS - 1) / BITS,
	};
	int rc;

	if (num_apart > MAX_APART)
		return gd_fail(-EOVERFLOW, "a graph of %u nodes of links and host functions, at most %u",
			       num_apart, MAX_APART);
	c.step_of = calloc(g->num_nodes, sizeof(*c.step_of));
	c.after = calloc(c.words, sizeof(*c.after));
	c.before = malloc(g->num_nodes * sizeof(*c.before));
	rc = c.step_of && c.after && c.before ? cut(&c, num_apart) :
	     gd_no_memory("for a captured graph");
	free(c.after);
	free(c.before);
	if (!rc)
		*step_of = c.step_of;
	else
		free(c.step_of);

	return rc;
}
