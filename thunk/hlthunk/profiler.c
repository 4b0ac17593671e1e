// SPDX-License-Identifier: MIT
/*
 * Profiler hooks: handed on to the library that HLTHUNK_PROFILER_LIB names,
 * which exports functions of the same names and types as the hooks. It is
 * loaded at the first call and stays until hlthunk_profiler_destroy().
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "internal.h"

/* Calls hold it for reading, so that no code is unloaded below them. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
/* So often, by this thread. Other models would need the loader as a library. */
static _Thread_local unsigned int held
	__attribute__((tls_model("initial-exec")));

struct profiler {
	void *lib;
	int (*start)(int fd);
	int (*stop)(int fd);
	int (*get_trace)(int fd, void *buffer, uint64_t *size,
			 uint64_t *num_entries);
	void (*destroy)(void);
};

static struct profiler profiler;

/* Whether before_fork() took the lock. */
static _Thread_local bool forks __attribute__((tls_model("initial-exec")));

/*
 * No library is being loaded or unloaded by another thread at a fork: the child
 * would have that half done, and for ever the locks of the loader (and of what
 * watches it, like ThreadSanitizer). A thread that is in a hook goes on, as the
 * one that forks may be what it waits for. A library that forks while it is
 * loaded or unloaded does so with the lock held for writing (EDEADLK).
 */
static void before_fork(void)
{
	forks = !pthread_rwlock_rdlock(&lock);
}

static void in_parent(void)
{
	if (forks)
		pthread_rwlock_unlock(&lock);
}

/* A child has only the thread that forked, so nobody else is in a hook. */
static void in_child(void)
{
	unsigned int i;

	lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	for (i = 0; i < held; i++)
		pthread_rwlock_rdlock(&lock);
	if (!forks)
		pthread_rwlock_wrlock(&lock);
}

static void __attribute__((constructor)) set_up(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}

static void *symbol(void *lib, const char *name)
{
	void *sym = dlsym(lib, name);

	/* A library linked to this one would give our own function back. */
	if (sym == (void *)hlthunk_profiler_start ||
	    sym == (void *)hlthunk_profiler_stop ||
	    sym == (void *)hlthunk_profiler_get_trace ||
	    sym == (void *)hlthunk_profiler_destroy)
		return NULL;

	return sym;
}

static void load(void)
{
	const char *path = secure_getenv("HLTHUNK_PROFILER_LIB");
	void *lib;

	if (!path || !*path)
		return;
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		hlt_log("profiler: %s", dlerror());
		return;
	}
	profiler.start = symbol(lib, "hlthunk_profiler_start");
	profiler.stop = symbol(lib, "hlthunk_profiler_stop");
	profiler.get_trace = symbol(lib, "hlthunk_profiler_get_trace");
	profiler.destroy = symbol(lib, "hlthunk_profiler_destroy");
	profiler.lib = lib;
}

/* With the lock held for reading; hooks that are missing are NULL. */
static void enter(void)
{
	pthread_rwlock_rdlock(&lock);
	if (!profiler.lib) {
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_wrlock(&lock);
		if (!profiler.lib)
			load();
		pthread_rwlock_unlock(&lock);
		pthread_rwlock_rdlock(&lock);
	}
	held++;
}

static void leave(void)
{
	held--;
	pthread_rwlock_unlock(&lock);
}

int hlthunk_profiler_start(int fd)
{
	int rc;

	enter();
	rc = profiler.start ? profiler.start(fd) : -ENOTSUP;
	leave();

	return hlt_ret(rc);
}

int hlthunk_profiler_stop(int fd)
{
	int rc;

	enter();
	rc = profiler.stop ? profiler.stop(fd) : -ENOTSUP;
	leave();

	return hlt_ret(rc);
}

int hlthunk_profiler_get_trace(int fd, void *buffer, uint64_t *size,
			       uint64_t *num_entries)
{
	int rc;

	enter();
	rc = profiler.get_trace ?
	     profiler.get_trace(fd, buffer, size, num_entries) : -ENOTSUP;
	leave();

	return hlt_ret(rc);
}

void hlthunk_profiler_destroy(void)
{
	struct profiler old;

	pthread_rwlock_wrlock(&lock);
	old = profiler;
	profiler = (struct profiler) {};
	if (old.destroy)
		old.destroy();
	if (old.lib)
		dlclose(old.lib);
	pthread_rwlock_unlock(&lock);
}
