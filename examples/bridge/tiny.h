/* SPDX-License-Identifier: MIT */
/* A framework as small as can be, and what it asks of a backend. */
#ifndef TINY_H
#define TINY_H

#include <stddef.h>
#include <stdint.h>

/* A matrix of floats in the backend's memory. */
struct tiny_tensor {
	uint64_t memory;
	uint32_t rows, columns;
};

static inline size_t tiny_bytes(const struct tiny_tensor *t)
{
	return (size_t)t->rows * t->columns * sizeof(float);
}

struct tiny_card;		/* a backend's own */

/* Functions return 0, or a negative number that error() explains. */
struct tiny_backend {
	const char *name;
	int (*open)(unsigned int index, struct tiny_card **card);
	int (*close)(struct tiny_card *card);
	/* The framework's allocator calls these. */
	int (*alloc)(struct tiny_card *card, size_t bytes, uint64_t *memory);
	int (*free)(struct tiny_card *card, uint64_t memory);
	/* Host memory for write() and read(), so that they need not wait. */
	int (*host_alloc)(struct tiny_card *card, size_t bytes, void **memory);
	int (*host_free)(struct tiny_card *card, void *memory);
	/* These begin in order; @host stays as it is until synchronize(). */
	int (*write)(struct tiny_card *card, struct tiny_tensor *to,
		     const float *host);
	int (*read)(struct tiny_card *card, float *host,
		    const struct tiny_tensor *from);
	/* out = [ left | right ] */
	int (*join)(struct tiny_card *card, struct tiny_tensor *out,
		    const struct tiny_tensor *left,
		    const struct tiny_tensor *right);
	int (*synchronize)(struct tiny_card *card);
	/* How long the card took from one to the other. */
	int (*begin)(struct tiny_card *card);
	int (*end)(struct tiny_card *card, int64_t *nanoseconds);
	const char *(*error)(void);
};

extern const struct tiny_backend tiny_gaudi;	/* bridge.c */

#endif /* TINY_H */
