// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Gives memory back to the host in a thread of its own: for each page that was
 * used the kernel needs time, which a reset, and QEMU's big lock, do not have.
 *
 * The thread is there while there is something to do, and may outlive the card.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"
#include "reclaim.h"

/* At a time, as others of the process cannot map memory meanwhile. */
#define UNMAP_STEP		(32u << 20)
/* Each has a file and room for all of the memory, however little was used. */
#define MAX_LEFTOVERS		8

struct leftover {
	struct leftover *next;
	uint8_t *ptr;
	size_t size;
	int fd;
	uint64_t bytes;
};

struct gaudi_reclaim {
	struct gaudi_lock lock;
	pthread_cond_t less;
	struct leftover *first;
	uint64_t bytes;
	unsigned int count;
	uint64_t limit;
	bool running;
	bool owned;
};

static void release(const struct leftover *l)
{
	size_t at, n;

	for (at = 0; at < l->size; at += n) {
		n = l->size - at < UNMAP_STEP ? l->size - at : UNMAP_STEP;
		munmap(l->ptr + at, n);
	}
	close(l->fd);
}

/* Lock held, which goes. */
static void unlock_or_free(struct gaudi_reclaim *r)
{
	bool used = r->running || r->owned;

	gaudi_unlock(&r->lock);
	if (used)
		return;
	pthread_cond_destroy(&r->less);
	gaudi_lock_destroy(&r->lock);
	free(r);
}

static void release_all(struct gaudi_reclaim *r)
{
	struct leftover *l;

	gaudi_lock(&r->lock);
	while ((l = r->first)) {
		r->first = l->next;
		gaudi_unlock(&r->lock);
		release(l);
		gaudi_lock(&r->lock);
		r->bytes -= l->bytes;
		r->count--;
		free(l);
		pthread_cond_broadcast(&r->less);
	}
	r->running = false;
	unlock_or_free(r);
}

static void *run(void *arg)
{
	release_all(arg);
	return NULL;
}

static int start_thread(struct gaudi_reclaim *r)
{
	pthread_t thread;
	sigset_t all, old;
	int err;

	/* Signals are for the host's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, NULL, run, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		return err;
	pthread_setname_np(thread, "gaudi-reclaim");
	return pthread_detach(thread);
}

struct gaudi_reclaim *gaudi_reclaim_new(uint64_t limit)
{
	struct gaudi_reclaim *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	gaudi_lock_init(&r->lock, GAUDI_LOCK_RECLAIM);
	pthread_cond_init(&r->less, NULL);
	r->limit = limit;
	r->owned = true;
	return r;
}

void gaudi_reclaim_put(struct gaudi_reclaim *r)
{
	if (!r)
		return;
	gaudi_lock(&r->lock);
	r->owned = false;
	unlock_or_free(r);
}

void gaudi_reclaim_add(struct gaudi_reclaim *r, void *ptr, size_t size, int fd,
		       uint64_t bytes)
{
	const struct leftover now = { .ptr = ptr, .size = size, .fd = fd,
				      .bytes = bytes };
	struct leftover *l = malloc(sizeof(*l));
	bool start;

	if (!l) {
		release(&now);
		return;
	}
	*l = now;
	gaudi_lock(&r->lock);
	l->next = r->first;
	r->first = l;
	r->bytes += bytes;
	r->count++;
	start = !r->running;
	r->running = true;
	gaudi_unlock(&r->lock);
	if (start && start_thread(r))
		release_all(r);
}

void gaudi_reclaim_wait(struct gaudi_reclaim *r, uint64_t bytes)
{
	gaudi_lock(&r->lock);
	while (r->count && (r->bytes + bytes > r->limit ||
			    r->count >= MAX_LEFTOVERS))
		gaudi_cond_wait(&r->less, &r->lock);
	gaudi_unlock(&r->lock);
}
