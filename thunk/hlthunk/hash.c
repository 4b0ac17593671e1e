// SPDX-License-Identifier: MIT
/*
 * A hash table from unsigned long to a pointer, with libdrm's return values.
 * Chains in a power-of-two array of buckets that doubles when it is full.
 */
#include <stdint.h>
#include <stdlib.h>

#include "internal.h"

#define HASH_MAGIC		0x686c6874
#define HASH_BITS_MIN		6
#define HASH_BITS_MAX		24

struct entry {
	struct entry *next;
	unsigned long key;
	void *value;
};

struct table {
	unsigned int magic;
	unsigned int bits;
	size_t count;
	struct entry **buckets;
	/* where hlthunk_hash_next() goes on: an entry, or else a bucket */
	struct entry *cursor;
	size_t cursor_bucket;
};

static struct table *to_table(void *t)
{
	struct table *table = t;

	return table && table->magic == HASH_MAGIC ? table : NULL;
}

static size_t bucket_of(const struct table *table, unsigned long key)
{
	/* Fibonacci hashing: keys are often addresses, equal in the low bits */
	return (uint64_t)key * 0x9e3779b97f4a7c15ull >> (64 - table->bits);
}

/* The link that points to the entry, or the last one of its chain. */
static struct entry **find(struct table *table, unsigned long key)
{
	struct entry **link = &table->buckets[bucket_of(table, key)];

	while (*link && (*link)->key != key)
		link = &(*link)->next;

	return link;
}

/* If there is no memory for it, the chains just get longer. */
static void grow(struct table *table)
{
	struct entry **old = table->buckets;
	size_t old_size = (size_t)1 << table->bits;
	struct entry *e;

	table->buckets = calloc(old_size * 2, sizeof(*table->buckets));
	if (!table->buckets) {
		table->buckets = old;
		return;
	}
	table->bits++;
	for (size_t i = 0; i < old_size; i++) {
		while ((e = old[i])) {
			struct entry **link;

			old[i] = e->next;
			link = &table->buckets[bucket_of(table, e->key)];
			e->next = *link;
			*link = e;
		}
	}
	free(old);
	table->cursor = NULL;
	table->cursor_bucket = (size_t)1 << table->bits;
}

void *hlthunk_hash_create(void)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->bits = HASH_BITS_MIN;
	table->buckets = calloc((size_t)1 << table->bits,
				sizeof(*table->buckets));
	if (!table->buckets) {
		free(table);
		return NULL;
	}
	table->cursor_bucket = (size_t)1 << table->bits;
	table->magic = HASH_MAGIC;

	return table;
}

int hlthunk_hash_destroy(void *t)
{
	struct table *table = to_table(t);
	struct entry *e;

	if (!table)
		return -1;
	for (size_t i = 0; i < (size_t)1 << table->bits; i++) {
		while ((e = table->buckets[i])) {
			table->buckets[i] = e->next;
			free(e);
		}
	}
	table->magic = 0;
	free(table->buckets);
	free(table);

	return 0;
}

int hlthunk_hash_lookup(void *t, unsigned long key, void **value)
{
	struct table *table = to_table(t);
	struct entry *e;

	if (!table || !value)
		return -1;
	e = *find(table, key);
	if (!e)
		return 1;
	*value = e->value;

	return 0;
}

int hlthunk_hash_insert(void *t, unsigned long key, void *value)
{
	struct table *table = to_table(t);
	struct entry **link, *e;

	if (!table)
		return -1;
	if (*find(table, key))
		return 1;
	e = malloc(sizeof(*e));
	if (!e)
		return -1;
	if (table->count >> table->bits && table->bits < HASH_BITS_MAX)
		grow(table);
	link = find(table, key);
	e->next = NULL;
	e->key = key;
	e->value = value;
	*link = e;
	table->count++;

	return 0;
}

int hlthunk_hash_delete(void *t, unsigned long key)
{
	struct table *table = to_table(t);
	struct entry **link, *e;

	if (!table)
		return -1;
	link = find(table, key);
	e = *link;
	if (!e)
		return 1;
	if (table->cursor == e)
		table->cursor = e->next;
	*link = e->next;
	free(e);
	table->count--;

	return 0;
}

int hlthunk_hash_next(void *t, unsigned long *key, void **value)
{
	struct table *table = to_table(t);
	struct entry *e;

	if (!table || !key || !value)
		return -1;
	while (!table->cursor &&
	       table->cursor_bucket < (size_t)1 << table->bits)
		table->cursor = table->buckets[table->cursor_bucket++];
	e = table->cursor;
	if (!e)
		return 0;
	*key = e->key;
	*value = e->value;
	table->cursor = e->next;

	return 1;
}

int hlthunk_hash_first(void *t, unsigned long *key, void **value)
{
	struct table *table = to_table(t);

	if (!table)
		return -1;
	table->cursor = NULL;
	table->cursor_bucket = 0;

	return hlthunk_hash_next(t, key, value);
}
