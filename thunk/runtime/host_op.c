// SPDX-License-Identifier: MIT
/*
 * Operations of the host by name. What was once asked for stays for ever, since
 * recipes point to it; what it does may change.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_op.h"
#include "internal.h"
#include "sized.h"

#pragma weak host_builtin_find

/* A function of the program's; who takes it out waits for its calls, and frees it. */
struct own {
	gaudi_host_op fn;
	void *arg;
	uint32_t running;		/* calls */
};

struct host_op {
	SLIST_ENTRY(host_op) link;
	char *name;
	const struct host_builtin *builtin;
	struct own *own;		/* NULL: none */
	bool logged;
	struct gaudi_host_op_stats stats;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

static SLIST_HEAD(, host_op) ops = SLIST_HEAD_INITIALIZER(ops);

/* What this thread is in, from the innermost on. */
struct current {
	struct own *own;		/* NULL: the library's */
	struct current *before;
};

static _Thread_local struct current *current;

/*
 * A child has only the thread that forked: no other one has the lock, is in a
 * call, or waits.
 */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
	const struct current *c;
	struct host_op *op;

	ended = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	SLIST_FOREACH(op, &ops, link)
		if (op->own)
			op->own->running = 0;
	for (c = current; c; c = c->before)
		if (c->own)
			c->own->running++;
	pthread_mutex_unlock(&lock);
}

static void __attribute__((constructor)) set_up(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

static struct host_op *look_up(const char *name)
{
	struct host_op *op;

	SLIST_FOREACH(op, &ops, link)
		if (!strcmp(op->name, name))
			return op;

	return NULL;
}

/* With the lock. */
static struct host_op *get_or_add(const char *name)
{
	struct host_op *op = look_up(name);

	if (op)
		return op;
	op = calloc(1, sizeof(*op));
	if (!op)
		return NULL;
	op->name = strdup(name);
	if (!op->name) {
		free(op);
		return NULL;
	}
	if (host_builtin_find)
		op->builtin = host_builtin_find(name);
	SLIST_INSERT_HEAD(&ops, op, link);

	return op;
}

static bool name_ok(const char *name)
{
	return name && *name && strnlen(name, GAUDI_MAX_NAME + 1) <= GAUDI_MAX_NAME;
}

static int bad_name(void)
{
	return gd_fail(-EINVAL, "an operation's name has 1 to %u bytes",
		       GAUDI_MAX_NAME);
}

struct host_op *host_op_find(const char *name, int *rc)
{
	struct host_op *op;

	*rc = 0;
	if (!name_ok(name))
		return NULL;
	pthread_mutex_lock(&lock);
	op = look_up(name);
	if (!op && host_builtin_find && host_builtin_find(name)) {
		op = get_or_add(name);
		if (!op)
			*rc = gd_fail(-ENOMEM, "host memory for operation '%s'",
				      name);
	}
	if (op && !op->own && !op->builtin)
		op = NULL;
	pthread_mutex_unlock(&lock);

	return op;
}

const char *host_op_name(const struct host_op *op)
{
	return op->name;
}

const struct host_builtin *host_op_builtin(struct host_op *op)
{
	const struct host_builtin *builtin;

	pthread_mutex_lock(&lock);
	builtin = op->own ? NULL : op->builtin;
	pthread_mutex_unlock(&lock);

	return builtin;
}

void host_op_count_node(struct host_op *op, const char *why)
{
	bool first;

	pthread_mutex_lock(&lock);
	first = !op->logged;
	op->logged = true;
	op->stats.nodes++;
	pthread_mutex_unlock(&lock);
	if (first)
		gd_log(GD_WARN, "operation '%s' runs on the host: %s", op->name,
		       why);
}

void host_op_count_copies(struct host_op *op, uint64_t to_host,
			  uint64_t to_device)
{
	pthread_mutex_lock(&lock);
	op->stats.bytes_to_host += to_host;
	op->stats.bytes_to_device += to_device;
	pthread_mutex_unlock(&lock);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);

	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int host_op_call(struct host_op *op, const struct gaudi_host_call *call)
{
	struct current this = { .before = current };
	uint64_t begin = now_ns();
	gaudi_host_op fn;
	void *arg;
	int rc;

	pthread_mutex_lock(&lock);
	this.own = op->own;
	fn = this.own ? this.own->fn : op->builtin ? op->builtin->fn : NULL;
	arg = this.own ? this.own->arg : NULL;
	if (this.own)
		this.own->running++;
	current = &this;
	pthread_mutex_unlock(&lock);
	rc = fn ? fn(call, arg) :
		  gd_fail(-ENOENT, "operation '%s': its function was taken away",
			  op->name);
	pthread_mutex_lock(&lock);
	current = this.before;
	op->stats.calls += !!fn;
	op->stats.failures += fn && rc;
	op->stats.ns += now_ns() - begin;
	if (this.own && !--this.own->running)
		pthread_cond_broadcast(&ended);
	pthread_mutex_unlock(&lock);
	if (!fn || !rc)
		return rc;
	/* Positive numbers are no errors of ours. */
	rc = rc < 0 ? rc : -EIO;

	return gd_fail(rc, "operation '%s' failed on the host: %s", op->name,
		       gaudi_strerror(rc));
}

/* With the lock: @own, or NULL, in the place of *@old. */
static int exchange(const char *name, struct own *own, struct own **old)
{
	struct host_op *op = own ? get_or_add(name) : look_up(name);

	if (!op && own)
		return gd_fail(-ENOMEM, "host memory for operation '%s'", name);
	if (!op)
		return gd_fail(-ENOENT, "no operation '%s'", name);
	if (!own && !op->own)
		return gd_fail(-ENOENT, "no function was registered for operation '%s'",
			       name);
	*old = op->own;
	op->own = own;

	return 0;
}

int gaudi_host_op_register(const char *name, gaudi_host_op fn, void *arg)
{
	struct own *own = NULL, *old = NULL;
	int rc;

	if (!name_ok(name))
		return bad_name();
	/* Two calls could wait for each other. */
	if (current)
		return gd_fail(-EDEADLK, "operation '%s' within a call of an operation",
			       name);
	if (fn) {
		own = calloc(1, sizeof(*own));
		if (!own)
			return gd_fail(-ENOMEM, "host memory for operation '%s'",
				       name);
		own->fn = fn;
		own->arg = arg;
	}
	pthread_mutex_lock(&lock);
	rc = exchange(name, own, &old);
	/* Calls from now on are the new one's: these come to an end. */
	while (old && old->running)
		pthread_cond_wait(&ended, &lock);
	pthread_mutex_unlock(&lock);
	free(rc ? own : old);

	return rc;
}

static void add_stats(struct gaudi_host_op_stats *sum, const struct host_op *op)
{
	sum->nodes += op->stats.nodes;
	sum->calls += op->stats.calls;
	sum->failures += op->stats.failures;
	sum->bytes_to_host += op->stats.bytes_to_host;
	sum->bytes_to_device += op->stats.bytes_to_device;
	sum->ns += op->stats.ns;
}

int gaudi_host_op_get_stats(const char *name,
			    struct gaudi_host_op_stats *stats)
{
	struct gaudi_host_op_stats sum = {};
	struct host_op *op;
	bool known = !name;
	int rc;

	rc = gd_sized_check(stats, sizeof(stats->size), "gaudi_host_op_stats");
	if (rc)
		return rc;
	if (name && !name_ok(name))
		return bad_name();
	pthread_mutex_lock(&lock);
	SLIST_FOREACH(op, &ops, link) {
		if (name && strcmp(op->name, name))
			continue;
		add_stats(&sum, op);
		known = true;
	}
	pthread_mutex_unlock(&lock);
	/* One that nobody has needed so far. */
	if (!known && !(host_builtin_find && host_builtin_find(name)))
		return gd_fail(-ENOENT, "no operation '%s'", name);
	gd_sized_put(stats, &sum, sizeof(sum));

	return 0;
}
