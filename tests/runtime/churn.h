/* SPDX-License-Identifier: MIT */
/*
 * What goes on beside the random work, and has nothing to do with its memory: a
 * thread that allocates, uses and frees; memory that is freed behind a host function
 * in a batch, and given out again; children.
 */
#ifndef RUNTIME_CHURN_H
#define RUNTIME_CHURN_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"

#define CHURN_BYTES	4096u

struct churn {
	pthread_t thread;
	atomic_bool stop;
	struct gaudi_stream *stream;
	uint8_t *host;
	unsigned int rounds;
};

/* false: something failed, or the data are wrong. */
static inline bool churn_round(struct churn *c, unsigned int round)
{
	uint8_t value = (uint8_t)round;
	bool async = round % 2, good;
	gaudi_ptr a;
	int rc;

	rc = async ? gaudi_malloc_async(c->stream, CHURN_BYTES, &a) :
		     gaudi_malloc(dev, CHURN_BYTES, &a);
	if (rc)
		return false;
	rc = gaudi_fill_async(c->stream, a, value, 1, CHURN_BYTES);
	if (!rc)
		rc = gaudi_copy_to_host_async(c->stream, c->host, a,
					      CHURN_BYTES);
	if (!rc)
		rc = async ? gaudi_free_async(c->stream, a) :
			     gaudi_free(dev, a);
	if (!rc)
		rc = gaudi_stream_synchronize(c->stream);
	good = !rc;
	for (unsigned int i = 0; good && i < CHURN_BYTES; i++)
		good = c->host[i] == value;

	return good;
}

static inline void *churn_main(void *arg)
{
	struct churn *c = arg;

	while (!atomic_load(&c->stop)) {
		if (!churn_round(c, c->rounds))
			return "churn";
		c->rounds++;
		usleep(200);
	}

	return NULL;
}

static inline void churn_begin(struct churn *c)
{
	GOOD(gaudi_stream_create(dev, &c->stream));
	c->host = pinned_memory(CHURN_BYTES);
	atomic_store(&c->stop, false);
	assert_int_equal(pthread_create(&c->thread, NULL, churn_main, c), 0);
}

static inline void churn_end(struct churn *c)
{
	void *failed;

	atomic_store(&c->stop, true);
	pthread_join(c->thread, &failed);
	if (failed)
		fail_msg("the other thread's data are wrong in round %u",
			 c->rounds);
	GOOD(gaudi_stream_destroy(c->stream));
	GOOD(gaudi_host_free(dev, c->host));
}

static inline void wait_for_flag(void *arg, int error)
{
	(void)error;
	while (!atomic_load((atomic_bool *)arg))
		usleep(50);
}

/*
 * A copy behind a host function, in a batch, whose source is freed at once; what comes
 * next fills more than a buffer. Whoever is given the block again may write to it.
 */
static inline void free_behind_a_batch(void)
{
	gaudi_ptr from = device_memory(CHURN_BYTES), got = 0;
	gaudi_ptr to = device_memory(CHURN_BYTES);
	gaudi_ptr more = device_memory(2 * CHURN_BYTES);
	struct gaudi_stream *stream, *other;
	uint32_t back[CHURN_BYTES / 4];
	atomic_bool go = false;

	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_stream_create(dev, &other));
	GOOD(gaudi_fill(dev, from, 0x11111111, 4, CHURN_BYTES / 4));
	GOOD(gaudi_stream_begin_batch(stream));
	GOOD(gaudi_stream_add_host_fn(stream, wait_for_flag, &go));
	GOOD(gaudi_copy_device_async(stream, to, from, CHURN_BYTES));
	GOOD(gaudi_free(dev, from));
	for (unsigned int i = 0; i < 2500; i++)
		GOOD(gaudi_copy_device_async(stream, more, more + CHURN_BYTES,
					     64));
	atomic_store(&go, true);
	for (unsigned int i = 0; i < 3000 && got != from; i++) {
		if (got)
			GOOD(gaudi_free(dev, got));
		got = device_memory(CHURN_BYTES);
	}
	GOOD(gaudi_fill_async(other, got, 0x22222222, 4, CHURN_BYTES / 4));
	GOOD(gaudi_stream_synchronize(other));
	GOOD(gaudi_stream_end_batch(stream));
	GOOD(gaudi_stream_destroy(stream));
	GOOD(gaudi_stream_destroy(other));
	GOOD(gaudi_copy_to_host(dev, back, to, CHURN_BYTES));
	for (unsigned int i = 0; i < CHURN_BYTES / 4; i++)
		assert_int_equal(back[i], 0x11111111);
	GOOD(gaudi_free(dev, got));
	GOOD(gaudi_free(dev, to));
	GOOD(gaudi_free(dev, more));
}

/* It is refused everything of its parent's, and does not wait. */
static inline void have_a_child(struct gaudi_stream *stream)
{
	int status = -1;
	gaudi_ptr a;
	pid_t pid = fork();

	if (!pid) {
		/* Longer than anything that comes to an end. */
		alarm(60);
		_exit(gaudi_stream_synchronize(stream) != GAUDI_ERR_FORKED ||
		      gaudi_malloc(dev, 64, &a) != GAUDI_ERR_FORKED ||
		      gaudi_device_synchronize(dev) != GAUDI_ERR_FORKED);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#endif /* RUNTIME_CHURN_H */
