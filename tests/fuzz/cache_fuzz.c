// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recipe cache over a folder in which somebody else is at work: bytes of
 * entries change, entries are cut, grow, swap names, become folders, links and
 * pipes, or go; the cache is opened with any words behind the folder's name.
 *
 * Whatever is there, a key has its own recipe or none, a recipe that is put
 * is there again, and nobody waits for ever. The input is a list of such acts.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recipe/cache_disk.h"
#include "../unit/recipe/demo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

#define CHECK(what) do { \
	if (!(what)) \
		abort(); \
} while (0)

/* Keys that have a recipe each. */
#define NUM_KEYS	3
#define MAX_ACTS	48
#define MAX_FILES	16

static char folder[64];
static int dir = -1;
static struct gaudi_recipe *recipes[NUM_KEYS];
static struct gaudi_cache *cache;

/* What is left of the input. */
struct input {
	const uint8_t *at;
	size_t left;
};

static uint32_t take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;

	return *in->at++;
}

/* --- the folder ---------------------------------------------------------- */

static void remove_one(const char *name)
{
	if (unlinkat(dir, name, 0) && errno == EISDIR)
		CHECK(!unlinkat(dir, name, AT_REMOVEDIR));
}

/* The n-th name, of at most MAX_FILES; false: the folder is empty. */
static bool nth_file(unsigned int n, char *name, size_t size)
{
	char names[MAX_FILES][NAME_MAX + 1];
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY);
	DIR *d = fdopendir(fd);
	unsigned int num = 0;
	struct dirent *e;

	CHECK(d);
	while (num < MAX_FILES && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			snprintf(names[num++], sizeof(names[0]), "%s",
				 e->d_name);
	closedir(d);
	if (num)
		snprintf(name, size, "%s", names[n % num]);

	return num;
}

static void empty_folder(void)
{
	char name[NAME_MAX + 1];

	while (nth_file(0, name, sizeof(name)))
		remove_one(name);
}

/* Change a byte, cut, or add. */
static void damage(struct input *in, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
	uint32_t how = take(in), at = take(in) << 8 | take(in);
	uint8_t byte = 0;
	struct stat st;

	if (fd < 0)
		return;
	CHECK(!fstat(fd, &st));
	if (S_ISREG(st.st_mode) && st.st_size) {
		at %= (uint32_t)st.st_size;
		if (how % 4 == 0) {
			CHECK(!ftruncate(fd, at));
		} else if (how % 4 == 1) {
			CHECK(!ftruncate(fd, st.st_size + at));
		} else if (pread(fd, &byte, 1, at) == 1) {
			byte ^= (uint8_t)(how | 1);
			CHECK(pwrite(fd, &byte, 1, at) == 1);
		}
	}
	close(fd);
}

/* Something else by that name. */
static void replace(struct input *in, const char *name)
{
	char other[NAME_MAX + 1];

	switch (take(in) % 6) {
	case 0:
		remove_one(name);
		break;
	case 1:
		remove_one(name);
		CHECK(!mkdirat(dir, name, 0755));
		break;
	case 2:
		remove_one(name);
		CHECK(!mkfifoat(dir, name, 0644));
		break;
	case 3:
		remove_one(name);
		CHECK(!symlinkat("/dev/zero", dir, name));
		break;
	case 4:
		/* One key's recipe by the name of another one's. */
		if (nth_file(take(in), other, sizeof(other)) &&
		    strcmp(name, other))
			(void)!renameat(dir, other, dir, name);
		break;
	default:
		remove_one(name);
		(void)!symlinkat(name, dir, name);
	}
}

/* --- the cache ----------------------------------------------------------- */

/* Behind the folder's name: nothing, words that count, or any bytes. */
static void open_cache(struct input *in)
{
	static const char * const rests[] = {
		"", ",0,0", ",0,1", ",1,0", ",true,4", ",false,", ",,2",
	};
	char config[sizeof(folder) + 32];
	uint32_t which = take(in), i, n;
	size_t used;

	gaudi_cache_close(cache);
	cache = NULL;
	used = (size_t)snprintf(config, sizeof(config), "%s", folder);
	if (which % 8 < 7) {
		strcpy(config + used, rests[which % 8]);
	} else {
		config[used++] = ',';
		n = take(in) % 24;
		for (i = 0; i < n; i++)
			config[used++] = (char)take(in);
		config[used] = 0;
	}
	/* The folder may have become useless, or the words mean nothing. */
	if (gaudi_cache_open(config, &cache))
		CHECK(!gaudi_cache_open(NULL, &cache));
}

static int get(unsigned int k)
{
	struct gaudi_recipe *r = NULL;
	uint8_t key = (uint8_t)k;
	size_t sizes[2];
	void *bytes[2];
	int rc = gaudi_cache_get(cache, &key, 1, &r);

	CHECK(!rc == !!r);
	if (rc) {
		CHECK(rc == -ENOENT);
		return rc;
	}
	/* It is this key's, bit by bit. */
	CHECK(!gaudi_recipe_to_memory(r, &bytes[0], &sizes[0]) &&
	      !gaudi_recipe_to_memory(recipes[k], &bytes[1], &sizes[1]));
	CHECK(sizes[0] == sizes[1] && !memcmp(bytes[0], bytes[1], sizes[0]));
	free(bytes[0]);
	free(bytes[1]);
	gaudi_recipe_release(r);

	return 0;
}

static void put(unsigned int k)
{
	uint8_t key = (uint8_t)k;

	CHECK(!gaudi_cache_put(cache, &key, 1, recipes[k]));
	CHECK(!get(k));
}

static void act(struct input *in)
{
	char name[NAME_MAX + 1];
	uint32_t what = take(in);

	switch (what % 8) {
	case 0:
		put(what / 8 % NUM_KEYS);
		break;
	case 1:
		get(what / 8 % NUM_KEYS);
		break;
	case 2:
		/* It fails if the folder cannot be written. */
		gaudi_cache_flush(cache);
		break;
	case 3:
		open_cache(in);
		break;
	case 4:
	case 5:
		gaudi_cache_flush(cache);
		if (nth_file(what / 8, name, sizeof(name)))
			replace(in, name);
		break;
	default:
		gaudi_cache_flush(cache);
		if (nth_file(what / 8, name, sizeof(name)))
			damage(in, name);
	}
}

static void clean_up(void)
{
	empty_folder();
	rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* The cache waits for the disk, if there is one. */
	snprintf(folder, sizeof(folder), "%s/cache-fuzz.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	CHECK(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(dir >= 0);
	atexit(clean_up);
	unsetenv("GAUDI_RECIPE_CACHE_CONFIG");
	unsetenv("PT_HPU_RECIPE_CACHE_CONFIG");
	CHECK(!demo_build(DEMO_ONE, &recipes[0]) &&
	      !demo_build(DEMO_CONSTANT, &recipes[1]) &&
	      !demo_build(DEMO_HOST, &recipes[2]));

	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned int n, k;

	empty_folder();
	open_cache(&in);
	for (n = 0; in.left && n < MAX_ACTS; n++)
		act(&in);
	for (k = 0; k < NUM_KEYS; k++)
		get(k);
	gaudi_cache_close(cache);
	cache = NULL;

	return 0;
}
