// SPDX-License-Identifier: MIT
/*
 * Loads libgaudi-sim.so.0: from where GAUDI_SIM_LIB says, from beside this library, or
 * from where libraries are. If it is not there, a program that asked for it has no card:
 * the kernel's are not what it wanted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define LIB	"libgaudi-sim.so.0"

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Guards what is loaded, until it is. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static struct sim_calls loaded;
static void (*want_cards)(unsigned int cards);
static const struct sim_calls *_Atomic calls;

static int no_open(const char *path, int flags)
{
	(void)path;
	(void)flags;

	return -ELIBACC;
}

static bool no_owns(int fd)
{
	(void)fd;

	return false;
}

static ssize_t no_readlink(const char *path, char *buf, size_t size)
{
	(void)path;
	(void)buf;
	(void)size;

	return -ELIBACC;
}

static int no_ioctl(int fd, unsigned long request, void *arg)
{
	(void)fd;
	(void)request;
	(void)arg;

	return -EXDEV;
}

/* Of what is not a card's nothing else is asked. */
static const struct sim_calls missing = {
	.ioctl = no_ioctl,
	.open = no_open,
	.owns = no_owns,
	.readlink = no_readlink,
};

static void *load(void)
{
	const char *path = secure_getenv("GAUDI_SIM_LIB");
	char beside[512];
	const char *slash;
	Dl_info self;
	void *lib;

	if (path && *path)
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (dladdr(&loaded, &self) && self.dli_fname) {
		slash = strrchr(self.dli_fname, '/');
		snprintf(beside, sizeof(beside), "%.*s" LIB,
			 slash ? (int)(slash - self.dli_fname + 1) : 0,
			 self.dli_fname);
		lib = dlopen(beside, RTLD_NOW | RTLD_LOCAL);
		if (lib)
			return lib;
	}

	return dlopen(LIB, RTLD_NOW | RTLD_LOCAL);
}

static bool find_all(void *lib)
{
	static const struct {
		const char *name;
		void **to;
	} symbols[] = {
		{ "gaudi_sim_open", (void **)&loaded.open },
		{ "gaudi_sim_owns", (void **)&loaded.owns },
		{ "gaudi_sim_close", (void **)&loaded.close },
		{ "gaudi_sim_private", (void **)&loaded.private },
		{ "gaudi_sim_read", (void **)&loaded.read },
		{ "gaudi_sim_write", (void **)&loaded.write },
		{ "gaudi_sim_ioctl", (void **)&loaded.ioctl },
		{ "gaudi_sim_mmap", (void **)&loaded.mmap },
		{ "gaudi_sim_munmap", (void **)&loaded.munmap },
		{ "gaudi_sim_readlink", (void **)&loaded.readlink },
		{ "gaudi_sim_devnum", (void **)&loaded.devnum },
		{ "gaudi_sim_want", (void **)&want_cards },
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		*symbols[i].to = dlsym(lib, symbols[i].name);
		if (!*symbols[i].to)
			return false;
	}

	return true;
}

static void set_up(void)
{
	const char *cards = secure_getenv("GAUDI_SIM");
	void *lib;

	if (!cards || !*cards)
		return;
	lib = load();
	if (lib && find_all(lib)) {
		calls = &loaded;
		return;
	}
	calls = &missing;
	fprintf(stderr, "GAUDI_SIM=%s: no " LIB ": %s\n", cards, dlerror());
}

const struct sim_calls *sim_calls(void)
{
	pthread_once(&once, set_up);

	return calls;
}

int sim_begin(unsigned int cards)
{
	const struct sim_calls *now;
	void *lib;

	pthread_once(&once, set_up);
	pthread_mutex_lock(&loading);
	if (!calls) {
		lib = load();
		if (lib && find_all(lib)) {
			want_cards(cards);
			calls = &loaded;
		}
	}
	now = calls;
	pthread_mutex_unlock(&loading);

	return now == &loaded ? 0 : -ELIBACC;
}

void sim_follow(void)
{
	void *lib;

	pthread_once(&once, set_up);
	if (calls)
		return;
	lib = dlopen(LIB, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	if (!lib)
		return;
	pthread_mutex_lock(&loading);
	if (!calls && find_all(lib))
		calls = &loaded;
	pthread_mutex_unlock(&loading);
}
