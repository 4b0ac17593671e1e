// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recipe cache: memory, folder, damage, limits, threads, processes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../unit.h"
#include "base/array.h"
#include "recipe/cache_disk.h"
#include "../demo.h"

static char dir[64];
static struct gaudi_cache *cache;
static struct gaudi_recipe *recipe;

/* The library's, by what it was built of. */
static const char *build = "";

const char *gd_build_id(void)
{
	return build;
}

static int begin(void **state)
{
	build = "";
	(void)state;
	strcpy(dir, "/tmp/recipe-cache.XXXXXX");
	unsetenv("GAUDI_RECIPE_CACHE_CONFIG");
	unsetenv("PT_HPU_RECIPE_CACHE_CONFIG");

	return !mkdtemp(dir) || demo_build(DEMO_HOST, &recipe);
}

static int end(void **state)
{
	char command[128];

	(void)state;
	gaudi_cache_close(cache);
	cache = NULL;
	gaudi_recipe_release(recipe);
	recipe = NULL;
	snprintf(command, sizeof(command), "rm -rf %s", dir);

	return system(command);
}

#define CACHE_TEST(fn) TEST_WITH(fn, begin, end)

static void open_cache(const char *rest)
{
	char config[128];

	gaudi_cache_close(cache);
	cache = NULL;
	snprintf(config, sizeof(config), "%s%s", dir, rest);
	if (gaudi_cache_open(config, &cache))
		fail_msg("%s", gaudi_last_error(NULL));
}

static void put(const char *key)
{
	WORKS(gaudi_cache_put(cache, key, strlen(key), recipe));
}

static int get(const char *key)
{
	struct gaudi_recipe_info info = { .size = sizeof(info) };
	struct gaudi_recipe *r;
	int rc = gaudi_cache_get(cache, key, strlen(key), &r);

	if (rc)
		return rc;
	WORKS(gaudi_recipe_get_info(r, &info));
	assert_string_equal(info.name, "host");
	gaudi_recipe_release(r);

	return 0;
}

static struct gaudi_cache_stats stats(void)
{
	struct gaudi_cache_stats s = { .size = sizeof(s) };

	WORKS(gaudi_cache_flush(cache));
	WORKS(gaudi_cache_get_stats(cache, &s));

	return s;
}

/* The file of a key. */
static const char *path_of(const char *key)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%016llx.recipe", dir,
		 (unsigned long long)gd_hash(key, strlen(key)));

	return path;
}

static unsigned int num_files(void)
{
	DIR *d = opendir(dir);
	unsigned int n = 0;
	struct dirent *e;

	while ((e = readdir(d)))
		n += !!strstr(e->d_name, ".recipe") + !!strstr(e->d_name, ".tmp");
	closedir(d);

	return n;
}

CACHE_TEST(memory_only)
{
	WORKS(gaudi_cache_open(NULL, &cache));
	assert_int_equal(get("a"), -ENOENT);
	put("a");
	put("a");
	assert_int_equal(get("a"), 0);
	assert_int_equal(get("b"), -ENOENT);
	assert_int_equal(stats().memory_hits, 1);
	assert_int_equal(stats().misses, 2);
	assert_int_equal(stats().memory_recipes, 1);
	assert_int_equal(stats().writes, 0);
}

/* Another build of the library makes other recipes; each has its own. */
CACHE_TEST(other_builds)
{
	static const char first[] =
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	char *longest = malloc(RECIPE_MAX_KEY + 1);
	int i;

	memset(longest, 'k', RECIPE_MAX_KEY);
	longest[RECIPE_MAX_KEY] = 0;
	for (i = 0; i < 2; i++) {
		build = i ? "another" : first;
		open_cache("");
		assert_int_equal(get("a"), -ENOENT);
		assert_int_equal(get(longest), -ENOENT);
		put("a");
		put(longest);
		assert_int_equal(stats().damaged, 0);
		assert_int_equal(num_files(), 2 * i + 2);
	}
	for (i = 0; i < 2; i++) {
		build = i ? "another" : first;
		open_cache("");
		assert_int_equal(get("a"), 0);
		assert_int_equal(get(longest), 0);
		assert_int_equal(stats().disk_hits, 2);
	}
	free(longest);
}

CACHE_TEST(on_disk)
{
	open_cache("");
	put("a");
	open_cache("");
	assert_int_equal(get("a"), 0);
	assert_int_equal(get("a"), 0);
	assert_int_equal(stats().disk_hits, 1);
	assert_int_equal(stats().memory_hits, 1);
	assert_int_equal(num_files(), 1);
	open_cache(",true");
	assert_int_equal(get("a"), -ENOENT);
	assert_int_equal(num_files(), 0);
}

CACHE_TEST(configuration)
{
	static const char * const bad[] = {
		"x,maybe", "x,true,12k", "x,1,-1", "x,0,99999999999999999999",
		"x,0,1,2",
	};
	char nested[128];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(gaudi_cache_open(bad[i], &cache), -EINVAL);
		assert_non_null(strstr(gaudi_last_error(NULL), bad[i]));
	}
	assert_int_equal(gaudi_cache_open("/proc/no/such", &cache), -ENOENT);
	assert_int_equal(access("x", F_OK), -1);
	snprintf(nested, sizeof(nested), "%s/a/b,False,5", dir);
	setenv("PT_HPU_RECIPE_CACHE_CONFIG", nested, 1);
	WORKS(gaudi_cache_open(NULL, &cache));
	put("a");
	assert_int_equal(stats().writes, 1);
	snprintf(nested, sizeof(nested), "%s/a/b/lock", dir);
	assert_int_equal(access(nested, F_OK), 0);
	gaudi_cache_close(cache);
	/* Ours goes first. */
	setenv("GAUDI_RECIPE_CACHE_CONFIG", "", 1);
	WORKS(gaudi_cache_open(NULL, &cache));
	assert_int_equal(get("a"), -ENOENT);
}

static void damage(const char *key, size_t keep, const char *text)
{
	int fd = open(path_of(key), O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)keep), 0);
	assert_int_equal(pwrite(fd, text, strlen(text), (off_t)keep),
			 (ssize_t)strlen(text));
	close(fd);
}

CACHE_TEST(damaged_files_are_dropped)
{
	open_cache("");
	put("a");
	put("b");
	put("c");
	open_cache("");
	damage("a", 0, "");
	damage("b", 300, "nonsense");
	assert_int_equal(get("a"), -ENOENT);
	assert_int_equal(get("b"), -ENOENT);
	assert_int_equal(get("c"), 0);
	assert_int_equal(stats().damaged, 2);
	assert_int_equal(num_files(), 1);
	/* Built again, and there again. */
	put("a");
	open_cache("");
	assert_int_equal(get("a"), 0);
}

/* Not a file, or not to be followed: no recipe, and it does no harm. */
CACHE_TEST(strange_files)
{
	open_cache("");
	assert_int_equal(mkdir(path_of("dir"), 0700), 0);
	assert_int_equal(symlink("/dev/zero", path_of("link")), 0);
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	assert_int_equal(get("dir"), -ENOENT);
	assert_int_equal(get("link"), -ENOENT);
	assert_int_equal(get("fifo"), -ENOENT);
	/* The folder takes part in nothing: neither limits nor clearing. */
	open_cache(",True,1");
	put("a");
	assert_int_equal(stats().writes, 1);
	assert_int_equal(access(path_of("dir"), F_OK), 0);
	assert_int_equal(access(path_of("fifo"), F_OK), -1);
}

/* Two keys of the same name: the file's own key decides. */
CACHE_TEST(other_key)
{
	char from[128];

	open_cache("");
	put("a");
	stats();
	strcpy(from, path_of("a"));
	assert_int_equal(rename(from, path_of("b")), 0);
	open_cache("");
	assert_int_equal(get("b"), -ENOENT);
	assert_int_equal(stats().damaged, 0);
	assert_int_equal(num_files(), 1);
}

CACHE_TEST(oldest_goes_first)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct cache_disk disk;
	struct cache_key key = { "x", 1, 0 };
	uint64_t evicted = 0, size;
	struct stat st;

	open_cache("");
	put("a");
	put("b");
	put("c");
	assert_int_equal(stats().writes, 3);
	assert_int_equal(utimensat(AT_FDCWD, path_of("b"), times, 0), 0);
	assert_int_equal(stat(path_of("b"), &st), 0);
	size = (uint64_t)st.st_size;
	assert_int_equal(cache_disk_open(dir, false, size * 3 + size / 2,
					 &disk), 0);
	assert_int_equal(cache_disk_write(&disk, &key, recipe, &evicted), 0);
	assert_int_equal(evicted, 1);
	assert_int_equal(access(path_of("b"), F_OK), -1);
	assert_int_equal(num_files(), 3);
	/* Written again it takes its own place. */
	assert_int_equal(cache_disk_write(&disk, &key, recipe, &evicted), 0);
	assert_int_equal(evicted, 1);
	/* What is larger than the limit alone is not written. */
	disk.limit = size / 2;
	assert_int_equal(cache_disk_write(&disk, &key, recipe, &evicted),
			 -EFBIG);
	assert_int_equal(num_files(), 3);
	cache_disk_close(&disk);
}

/* A hit makes a file young again. */
CACHE_TEST(hits_are_uses)
{
	struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat st;

	open_cache("");
	put("a");
	open_cache("");
	assert_int_equal(utimensat(AT_FDCWD, path_of("a"), times, 0), 0);
	assert_int_equal(get("a"), 0);
	assert_int_equal(stat(path_of("a"), &st), 0);
	assert_true(st.st_mtim.tv_sec > 1000);
}

/* What a writer that died left is cleared away. */
CACHE_TEST(leftovers)
{
	char temp[96];
	FILE *f;

	open_cache("");
	snprintf(temp, sizeof(temp), "%s/new.tmp", dir);
	f = fopen(temp, "w");
	assert_non_null(f);
	fclose(f);
	put("a");
	assert_int_equal(stats().writes, 1);
	assert_int_equal(access(temp, F_OK), -1);
}

CACHE_TEST(failures_are_counted)
{
	char command[128];

	open_cache("");
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	put("a");
	assert_int_equal(stats().write_failures, 1);
	assert_int_equal(get("a"), 0);
}

CACHE_TEST(bad_arguments)
{
	struct gaudi_recipe *r;

	open_cache("");
	assert_int_equal(gaudi_cache_get(cache, "a", 0, &r), -EINVAL);
	assert_int_equal(gaudi_cache_get(cache, NULL, 1, &r), -EINVAL);
	assert_int_equal(gaudi_cache_put(cache, "a", 4097, recipe), -EINVAL);
	assert_int_equal(gaudi_cache_put(cache, "a", 1, NULL), -EINVAL);
	assert_int_equal(gaudi_cache_get(NULL, "a", 1, &r), -EINVAL);
	WORKS(gaudi_cache_close(NULL));
}

CACHE_TEST(after_fork)
{
	int status;
	pid_t pid;

	open_cache("");
	put("a");
	pid = fork();
	if (!pid)
		_exit(get("a") == GAUDI_ERR_FORKED &&
		      gaudi_cache_close(cache) == GAUDI_ERR_FORKED ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* --- many at once ----------------------------------------------------- */

#define ROUNDS	60

static void *use(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg, i;
	char key[16];

	for (i = 0; i < ROUNDS; i++) {
		struct gaudi_recipe *r;
		size_t len;

		len = (size_t)snprintf(key, sizeof(key), "%u",
				       (seed * 7 + i * 13) % 20);
		if (!gaudi_cache_get(cache, key, len, &r))
			gaudi_recipe_release(r);
		else if (gaudi_cache_put(cache, key, len, recipe))
			return "put";
	}

	return NULL;
}

CACHE_TEST(threads)
{
	pthread_t t[16];
	unsigned int i;
	void *wrong;

	open_cache("");
	for (i = 0; i < 16; i++)
		WORKS(pthread_create(&t[i], NULL, use, (void *)(uintptr_t)i));
	for (i = 0; i < 16; i++) {
		pthread_join(t[i], &wrong);
		assert_null(wrong);
	}
	assert_int_equal(stats().damaged, 0);
	assert_int_equal(stats().write_failures, 0);
	assert_int_equal(num_files(), 20);
}

/* Readers and writers in processes of their own; some die at any time. */
CACHE_TEST(processes)
{
	pid_t pids[10];
	int i, status;

	for (i = 0; i < 10; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		cache = NULL;
		open_cache("");
		if (i < 2)
			alarm(1);
		do {
			if (use((void *)(uintptr_t)i) || stats().damaged)
				_exit(1);
		} while (i < 2);
		_exit(gaudi_cache_close(cache) ? 2 : 0);
	}
	for (i = 0; i < 10; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		if (i < 2)
			assert_true(WIFSIGNALED(status));
		else
			assert_int_equal(status, 0);
	}
	open_cache("");
	for (i = 0; i < 20; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%d", i);
		assert_int_equal(get(key), 0);
	}
	assert_int_equal(stats().damaged, 0);
}
