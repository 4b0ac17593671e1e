// SPDX-License-Identifier: MIT
/*
 * The recipe cache: recipes in memory, the last used ones first, and behind them
 * a folder. Files are written by a thread of the cache's own, so that who puts a
 * recipe never waits for the disk.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <unistd.h>

#include "../base/array.h"
#include "cache_disk.h"
#include "../base/base.h"
#include "../base/sized.h"

#define NUM_BUCKETS	1024u
#define MEMORY_LIMIT	(256ull << 20)
#define MAX_JOBS	256u
#define DEFAULT_MB	1024u
#define MAX_MB		(1ull << 30)

struct entry {
	LIST_ENTRY(entry) bucket;
	TAILQ_ENTRY(entry) order;
	struct gaudi_recipe *recipe;
	uint64_t bytes;
	struct cache_key key;
	uint8_t key_bytes[];
};

struct job {
	STAILQ_ENTRY(job) link;
	struct gaudi_recipe *recipe;
	struct cache_key key;
	uint8_t key_bytes[];
};

LIST_HEAD(bucket, entry);
TAILQ_HEAD(entry_list, entry);
STAILQ_HEAD(job_list, job);

struct gaudi_cache {
	pid_t pid;
	struct cache_disk disk;		/* dir -1: none */
	pthread_t writer;

	pthread_mutex_t lock;		/* of everything below */
	pthread_cond_t changed;
	struct bucket buckets[NUM_BUCKETS];
	struct entry_list order;	/* the last used one first */
	struct job_list jobs;
	uint32_t num_jobs;		/* the one under way included */
	bool ending;
	struct gaudi_cache_stats stats;
};

static int check_cache(const struct gaudi_cache *c)
{
	if (!c)
		return gd_fail(-EINVAL, "no cache");
	if (c->pid != getpid())
		return gd_fail(GAUDI_ERR_FORKED, "a cache of process %d, not of this one",
			       (int)c->pid);
	return 0;
}

static int check_key(const void *key, size_t size)
{
	if (!key || !size || size > RECIPE_MAX_KEY)
		return gd_fail(-EINVAL, "a key of %zu bytes, not 1 to %u", size,
			       RECIPE_MAX_KEY);
	return 0;
}

static bool same_key(const struct cache_key *a, const struct cache_key *b)
{
	return a->hash == b->hash && a->size == b->size &&
	       !memcmp(a->bytes, b->bytes, a->size);
}

/* What a recipe takes in memory, about. */
static uint64_t bytes_of(const struct gaudi_recipe *r)
{
	uint64_t bytes = sizeof(*r) + r->constants_size +
			 r->num_tensors * sizeof(*r->tensors);
	uint32_t i;

	for (i = 0; i < r->program.num_streams; i++)
		bytes += r->program.streams[i].size +
			 (uint64_t)r->program.streams[i].num_patches *
			 (sizeof(struct prog_patch) + sizeof(struct prog_ref));

	return bytes + (r->next ? bytes_of(r->next) : 0);
}

/* --- memory; the lock is held ----------------------------------------- */

static struct entry *find(struct gaudi_cache *c, const struct cache_key *key)
{
	struct entry *e;

	LIST_FOREACH(e, &c->buckets[key->hash % NUM_BUCKETS], bucket)
		if (same_key(&e->key, key))
			return e;
	return NULL;
}

static void remove_entry(struct gaudi_cache *c, struct entry *e)
{
	LIST_REMOVE(e, bucket);
	TAILQ_REMOVE(&c->order, e, order);
	c->stats.memory_recipes--;
	c->stats.memory_bytes -= e->bytes;
	gaudi_recipe_release(e->recipe);
	free(e);
}

/* Takes over @e; one with the same key goes. */
static void insert(struct gaudi_cache *c, struct entry *e)
{
	struct entry *old = find(c, &e->key);

	if (old)
		remove_entry(c, old);
	LIST_INSERT_HEAD(&c->buckets[e->key.hash % NUM_BUCKETS], e, bucket);
	TAILQ_INSERT_HEAD(&c->order, e, order);
	c->stats.memory_recipes++;
	c->stats.memory_bytes += e->bytes;
	/* The newest one stays, however large. */
	while (c->stats.memory_bytes > MEMORY_LIMIT &&
	       TAILQ_LAST(&c->order, entry_list) != e) {
		remove_entry(c, TAILQ_LAST(&c->order, entry_list));
		c->stats.memory_evictions++;
	}
}

static struct entry *new_entry(const struct cache_key *key,
			       struct gaudi_recipe *recipe)
{
	struct entry *e = malloc(sizeof(*e) + key->size);

	if (!e)
		return NULL;
	memcpy(e->key_bytes, key->bytes, key->size);
	e->key = (struct cache_key) { e->key_bytes, key->size, key->hash };
	e->bytes = bytes_of(recipe);
	e->recipe = recipe;
	gaudi_recipe_retain(recipe);

	return e;
}

/* --- the writer ------------------------------------------------------- */

static struct job *new_job(const struct cache_key *key,
			   struct gaudi_recipe *recipe)
{
	struct job *j = malloc(sizeof(*j) + key->size);

	if (!j)
		return NULL;
	memcpy(j->key_bytes, key->bytes, key->size);
	j->key = (struct cache_key) { j->key_bytes, key->size, key->hash };
	j->recipe = recipe;
	gaudi_recipe_retain(recipe);

	return j;
}

static void *write_jobs(void *arg)
{
	struct gaudi_cache *c = arg;

	pthread_setname_np(pthread_self(), "gaudi-cache");
	pthread_mutex_lock(&c->lock);
	for (;;) {
		struct job *j = STAILQ_FIRST(&c->jobs);
		uint64_t evicted = 0;
		int rc;

		if (!j) {
			if (c->ending)
				break;
			pthread_cond_wait(&c->changed, &c->lock);
			continue;
		}
		STAILQ_REMOVE_HEAD(&c->jobs, link);
		pthread_mutex_unlock(&c->lock);
		rc = cache_disk_write(&c->disk, &j->key, j->recipe, &evicted);
		gaudi_recipe_release(j->recipe);
		free(j);
		pthread_mutex_lock(&c->lock);
		if (rc)
			c->stats.write_failures++;
		else
			c->stats.writes++;
		c->stats.evictions += evicted;
		c->num_jobs--;
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);

	return NULL;
}

/* --- opening and closing ---------------------------------------------- */

struct config {
	char *path;
	bool clear;
	uint64_t mb;
};

static int bad_config(const char *text, const char *what)
{
	return gd_fail(-EINVAL, "recipe cache '%s': %s; \"PATH,CLEAR,SIZE_MB\" is meant",
		       text, what);
}

static int parse_flag(const char *text, const char *flag, bool *value)
{
	*value = !strcasecmp(flag, "true") || !strcmp(flag, "1");
	if (*value || !*flag || !strcasecmp(flag, "false") ||
	    !strcmp(flag, "0"))
		return 0;

	return bad_config(text, "CLEAR is neither true nor false");
}

static int parse_size(const char *text, const char *size, uint64_t *mb)
{
	char *end;

	if (!*size)
		return 0;
	errno = 0;
	*mb = strtoull(size, &end, 10);
	if (errno || *end || strspn(size, "0123456789") != strlen(size) ||
	    *mb > MAX_MB)
		return bad_config(text, "SIZE_MB is no number, or too large");
	return 0;
}

/* @config->path is the caller's to free. */
static int parse_config(const char *text, struct config *config)
{
	char *flag = NULL, *size = NULL;
	int rc = 0;

	*config = (struct config) { .mb = DEFAULT_MB };
	config->path = strdup(text);
	if (!config->path)
		return gd_fail(-ENOMEM, "host memory for '%s'", text);
	flag = strchr(config->path, ',');
	if (flag) {
		*flag++ = '\0';
		size = strchr(flag, ',');
	}
	if (size)
		*size++ = '\0';
	if (flag)
		rc = parse_flag(text, flag, &config->clear);
	if (!rc && size)
		rc = parse_size(text, size, &config->mb);
	if (rc)
		free(config->path);

	return rc;
}

static struct gaudi_cache *new_cache(void)
{
	struct gaudi_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->pid = getpid();
	c->disk.dir = -1;
	TAILQ_INIT(&c->order);
	STAILQ_INIT(&c->jobs);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);

	return c;
}

static void free_cache(struct gaudi_cache *c)
{
	while (!TAILQ_EMPTY(&c->order))
		remove_entry(c, TAILQ_FIRST(&c->order));
	cache_disk_close(&c->disk);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->changed);
	free(c);
}

static int open_folder(struct gaudi_cache *c, const struct config *config)
{
	int rc;

	if (!*config->path)
		return 0;
	rc = cache_disk_open(config->path, config->clear, config->mb << 20,
			     &c->disk);
	if (rc)
		return rc;
	rc = pthread_create(&c->writer, NULL, write_jobs, c);
	if (rc)
		return gd_fail(-rc, "recipe cache '%s': no thread: %s",
			       config->path, strerror(rc));
	return 0;
}

int gaudi_cache_open(const char *text, struct gaudi_cache **cache)
{
	struct gaudi_cache *c;
	struct config config;
	int rc;

	if (!cache)
		return gd_fail(-EINVAL, "nowhere to put the cache");
	if (!text)
		text = secure_getenv("GAUDI_RECIPE_CACHE_CONFIG");
	if (!text)
		text = secure_getenv("PT_HPU_RECIPE_CACHE_CONFIG");
	rc = parse_config(text ? text : "", &config);
	if (rc)
		return rc;
	c = new_cache();
	rc = c ? open_folder(c, &config) :
		 gd_fail(-ENOMEM, "host memory for a recipe cache");
	free(config.path);
	if (rc) {
		if (c)
			free_cache(c);
		return rc;
	}
	*cache = c;

	return 0;
}

int gaudi_cache_flush(struct gaudi_cache *c)
{
	int rc = check_cache(c);

	if (rc)
		return rc;
	pthread_mutex_lock(&c->lock);
	while (c->num_jobs)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);

	return 0;
}

int gaudi_cache_close(struct gaudi_cache *c)
{
	int rc;

	if (!c)
		return 0;
	rc = check_cache(c);
	if (rc)
		return rc;
	if (c->disk.dir >= 0) {
		pthread_mutex_lock(&c->lock);
		c->ending = true;
		pthread_cond_broadcast(&c->changed);
		pthread_mutex_unlock(&c->lock);
		pthread_join(c->writer, NULL);
	}
	free_cache(c);

	return 0;
}

/* --- recipes ---------------------------------------------------------- */

static bool get_memory(struct gaudi_cache *c, const struct cache_key *key,
		       struct gaudi_recipe **recipe)
{
	struct entry *e;

	pthread_mutex_lock(&c->lock);
	e = find(c, key);
	if (e) {
		TAILQ_REMOVE(&c->order, e, order);
		TAILQ_INSERT_HEAD(&c->order, e, order);
		gaudi_recipe_retain(e->recipe);
		*recipe = e->recipe;
		c->stats.memory_hits++;
	}
	pthread_mutex_unlock(&c->lock);

	return e;
}

int gaudi_cache_get(struct gaudi_cache *c, const void *key, size_t key_size,
		    struct gaudi_recipe **recipe)
{
	PROFILE_CALL();
	struct cache_key k = { .bytes = key, .size = key_size };
	struct gaudi_recipe *found;
	uint64_t damaged = 0;
	struct entry *e;
	int rc;

	rc = check_cache(c);
	if (!rc)
		rc = check_key(key, key_size);
	if (!rc && !recipe)
		rc = gd_fail(-EINVAL, "nowhere to put the recipe");
	if (rc)
		return rc;
	k.hash = gd_hash(key, key_size);
	if (get_memory(c, &k, recipe))
		return 0;

	rc = -ENOENT;
	if (c->disk.dir >= 0)
		rc = cache_disk_read(&c->disk, &k, &found, &damaged);
	/* Without memory for an entry it is read from disk the next time. */
	e = rc ? NULL : new_entry(&k, found);
	pthread_mutex_lock(&c->lock);
	c->stats.damaged += damaged;
	if (rc)
		c->stats.misses++;
	else
		c->stats.disk_hits++;
	if (e)
		insert(c, e);
	pthread_mutex_unlock(&c->lock);
	if (rc == -ENOENT)
		return gd_fail(rc, "no recipe for this key of %zu bytes (hash %016llx)",
			       key_size, (unsigned long long)k.hash);
	if (!rc)
		*recipe = found;

	return rc;
}

int gaudi_cache_put(struct gaudi_cache *c, const void *key, size_t key_size,
		    struct gaudi_recipe *recipe)
{
	struct cache_key k = { .bytes = key, .size = key_size };
	struct entry *e;
	struct job *j = NULL;
	int rc;

	rc = check_cache(c);
	if (!rc)
		rc = check_key(key, key_size);
	if (!rc && !recipe)
		rc = gd_fail(-EINVAL, "no recipe to put");
	if (rc)
		return rc;
	k.hash = gd_hash(key, key_size);
	e = new_entry(&k, recipe);
	if (!e)
		return gd_fail(-ENOMEM, "host memory for an entry of the recipe cache");
	if (c->disk.dir >= 0)
		j = new_job(&k, recipe);

	pthread_mutex_lock(&c->lock);
	insert(c, e);
	c->stats.puts++;
	if (j && c->num_jobs < MAX_JOBS) {
		STAILQ_INSERT_TAIL(&c->jobs, j, link);
		c->num_jobs++;
		j = NULL;
		pthread_cond_broadcast(&c->changed);
	} else if (c->disk.dir >= 0) {
		c->stats.write_failures++;
	}
	pthread_mutex_unlock(&c->lock);
	if (j) {
		gaudi_recipe_release(j->recipe);
		free(j);
	}

	return 0;
}

int gaudi_cache_get_stats(struct gaudi_cache *c, struct gaudi_cache_stats *stats)
{
	int rc = check_cache(c);

	if (!rc)
		rc = gd_sized_check(stats, sizeof(stats->size),
				    "gaudi_cache_stats");
	if (rc)
		return rc;
	pthread_mutex_lock(&c->lock);
	gd_sized_put(stats, &c->stats, sizeof(c->stats));
	pthread_mutex_unlock(&c->lock);

	return 0;
}
