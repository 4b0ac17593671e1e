/* SPDX-License-Identifier: MIT */
/* Host functions of the random work, and the steps that they wait for. */
#ifndef RUNTIME_GATES_H
#define RUNTIME_GATES_H

#include <pthread.h>

#include "common.h"

/* Host functions that wait for the program: not longer than a few of its steps. */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_changed = PTHREAD_COND_INITIALIZER;
static unsigned int step, gates_open, host_calls, host_calls_made;

static inline void open_gates(unsigned int up_to)
{
	pthread_mutex_lock(&gate_lock);
	if (gates_open < up_to)
		gates_open = up_to;
	pthread_cond_broadcast(&gate_changed);
	pthread_mutex_unlock(&gate_lock);
}

/* Before calls that may wait for the card. */
static inline void open_all_gates(void)
{
	open_gates(step + 100);
}

/* Something on the host, by the stream's thread. */
struct host_work {
	uint8_t *to;
	const uint8_t *from;
	size_t size;
	uint8_t key;
	unsigned int gate;
};

static inline void apply(uint8_t *to, const uint8_t *from, size_t size,
			 uint8_t key)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i] ^ key;
}

static inline void host_work(void *arg, int error)
{
	struct host_work *w = arg;

	pthread_mutex_lock(&gate_lock);
	while (gates_open < w->gate)
		pthread_cond_wait(&gate_changed, &gate_lock);
	host_calls_made += !error;
	pthread_mutex_unlock(&gate_lock);
	apply(w->to, w->from, w->size, w->key);
	free(w);
}

#endif /* RUNTIME_GATES_H */
