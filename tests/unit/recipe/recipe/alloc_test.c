// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation fails once: the call says so, leaks nothing, and works when
 * it is made again.
 */
#include <errno.h>

#include "../../unit.h"
#include "recipe/cache_disk.h"
#include "../demo.h"
#include "recipe/recipe.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);

/* Allocations until one fails; 0: none does. */
static unsigned int countdown;
static unsigned int failures;

static int fails(void)
{
	if (!countdown || --countdown)
		return 0;
	failures++;

	return 1;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, n, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t n)
{
	return fails() ? NULL : __real_strndup(text, n);
}

struct state {
	enum demo demo;
	void *data;
	size_t size;
	struct gaudi_recipe *recipe;
};

/* Until a run in which no allocation failed. */
static void sweep(int (*once)(struct state *s), struct state *s)
{
	unsigned int n = 0;
	int rc;

	do {
		failures = 0;
		countdown = ++n;
		rc = once(s);
		countdown = 0;
		if (failures && rc != -ENOMEM)
			fail_msg("allocation %u: %d '%s'", n, rc,
				 gaudi_last_error(NULL));
	} while (failures);
	assert_int_equal(rc, 0);
	assert_true(n > 3);
}

static int build(struct state *s)
{
	struct gaudi_recipe *r;
	int rc = demo_build(s->demo, &r);

	if (!rc)
		gaudi_recipe_release(r);

	return rc;
}

static int parse(struct state *s)
{
	struct gaudi_recipe *r;
	int rc = gaudi_recipe_from_memory(s->data, s->size, &r);

	if (!rc)
		gaudi_recipe_release(r);

	return rc;
}

static int save(struct state *s)
{
	void *data;
	size_t size;
	int rc = gaudi_recipe_to_memory(s->recipe, &data, &size);

	if (!rc)
		free(data);

	return rc;
}

TEST(builds)
{
	struct state s = {};

	for (s.demo = 0; s.demo < NUM_DEMOS; s.demo++)
		sweep(build, &s);
}

TEST(loads_and_saves)
{
	struct state s = {};

	for (s.demo = 0; s.demo < NUM_DEMOS; s.demo++) {
		WORKS(demo_build(s.demo, &s.recipe));
		WORKS(gaudi_recipe_to_memory(s.recipe, &s.data, &s.size));
		sweep(parse, &s);
		sweep(save, &s);
		gaudi_recipe_release(s.recipe);
		free(s.data);
	}
}

static int use_cache(struct state *s)
{
	struct gaudi_cache *c;
	struct gaudi_recipe *r;
	int rc = gaudi_cache_open("", &c);

	if (rc)
		return rc;
	rc = gaudi_cache_put(c, "key", 3, s->recipe);
	if (!rc) {
		WORKS(gaudi_cache_get(c, "key", 3, &r));
		gaudi_recipe_release(r);
	}
	gaudi_cache_close(c);

	return rc;
}

TEST(caches)
{
	struct state s = {};

	WORKS(demo_build(DEMO_ONE, &s.recipe));
	sweep(use_cache, &s);
	gaudi_recipe_release(s.recipe);
}
