// SPDX-License-Identifier: MIT
/* The bridge: tiny's backend on libgaudi. See Documentation/bridge-tutorial.rst. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gaudi_launch.h>

#include "tiny.h"

#define OPS	16

struct op {
	char key[64];
	struct gaudi_launcher *launcher;
};

struct tiny_card {
	struct gaudi_device *device;
	struct gaudi_stream *stream;
	struct gaudi_event *begun, *ended;
	struct gaudi_cache *cache;
	struct op ops[OPS];		/* ready to be launched */
	unsigned int next_op;
};

static int bridge_close(struct tiny_card *card)
{
	int rc = gaudi_device_close(card->device);

	gaudi_cache_close(card->cache);
	free(card);

	return rc;
}

static int bridge_open(unsigned int index, struct tiny_card **opened)
{
	struct tiny_card *card = calloc(1, sizeof(*card));
	int rc;

	if (!card)
		return -1;
	rc = gaudi_device_open(index, 60000, &card->device) ?:
	     gaudi_stream_create(card->device, &card->stream) ?:
	     gaudi_event_create(card->device, 0, &card->begun) ?:
	     gaudi_event_create(card->device, 0, &card->ended) ?:
	     gaudi_cache_open(NULL, &card->cache);
	if (rc)
		bridge_close(card);
	else
		*opened = card;

	return rc;
}

static int bridge_alloc(struct tiny_card *card, size_t bytes, uint64_t *memory)
{
	return gaudi_malloc(card->device, bytes, memory);
}

static int bridge_free(struct tiny_card *card, uint64_t memory)
{
	return gaudi_free(card->device, memory);
}

static int bridge_host_alloc(struct tiny_card *card, size_t bytes, void **host)
{
	return gaudi_host_alloc(card->device, bytes, host);
}

static int bridge_host_free(struct tiny_card *card, void *host)
{
	return gaudi_host_free(card->device, host);
}

static int bridge_write(struct tiny_card *card, struct tiny_tensor *to,
			const float *host)
{
	return gaudi_copy_to_device_async(card->stream, to->memory, host,
					  tiny_bytes(to));
}

static int bridge_read(struct tiny_card *card, float *host,
		       const struct tiny_tensor *from)
{
	return gaudi_copy_to_host_async(card->stream, host, from->memory,
					tiny_bytes(from));
}

static int build_join(uint32_t rows, uint32_t left, uint32_t right,
		      struct gaudi_recipe **recipe)
{
	const struct gaudi_tensor_desc tensors[] = {
		{ .size = sizeof(*tensors), .name = "left", .rank = 2,
		  .kind = GAUDI_TENSOR_INPUT, .type = GAUDI_TYPE_F32,
		  .dims = { rows, left } },
		{ .size = sizeof(*tensors), .name = "right", .rank = 2,
		  .kind = GAUDI_TENSOR_INPUT, .type = GAUDI_TYPE_F32,
		  .dims = { rows, right } },
		{ .size = sizeof(*tensors), .name = "out", .rank = 2,
		  .kind = GAUDI_TENSOR_OUTPUT, .type = GAUDI_TYPE_F32,
		  .dims = { rows, (uint64_t)left + right } },
	};
	uint64_t a = 4ull * left, b = 4ull * right;	/* bytes of a row */
	struct gaudi_builder *builder;
	uint32_t ids[3];
	int rc = gaudi_builder_create("join", &builder);

	if (rc)
		return rc;
	for (int i = 0; i < 3 && !rc; i++)
		rc = gaudi_builder_add_tensor(builder, &tensors[i], &ids[i]);
	rc = rc ?: gaudi_builder_add_copy_2d(builder, ids[2], 0, a + b, ids[0],
					     0, a, a, rows, NULL) ?:
	     gaudi_builder_add_copy_2d(builder, ids[2], a, a + b, ids[1], 0, b,
				       b, rows, NULL) ?:
	     gaudi_builder_build(builder, recipe);
	gaudi_builder_destroy(builder);

	return rc;
}

static int make_join(struct tiny_card *card, const char *key, uint32_t rows,
		     uint32_t left, uint32_t right,
		     struct gaudi_launcher **launcher)
{
	struct gaudi_recipe *recipe = NULL;
	int rc = 0;

	if (gaudi_cache_get(card->cache, key, strlen(key), &recipe))
		rc = build_join(rows, left, right, &recipe) ?:
		     gaudi_cache_put(card->cache, key, strlen(key), recipe);
	rc = rc ?: gaudi_launcher_create(card->device, recipe, launcher);
	gaudi_recipe_release(recipe);

	return rc;
}

static int bridge_join(struct tiny_card *card, struct tiny_tensor *out,
		       const struct tiny_tensor *left,
		       const struct tiny_tensor *right)
{
	const struct gaudi_binding bindings[] = {
		{ .name = "out", .address = out->memory },
		{ .name = "left", .address = left->memory },
		{ .name = "right", .address = right->memory },
	};
	struct op *op = card->ops, made = {};
	int rc;

	snprintf(made.key, sizeof(made.key), "tiny join %u x (%u + %u)",
		 out->rows, left->columns, right->columns);
	while (op < card->ops + OPS && strcmp(op->key, made.key))
		op++;
	if (op == card->ops + OPS) {
		rc = make_join(card, made.key, out->rows, left->columns,
			       right->columns, &made.launcher);
		if (rc)
			return rc;
		op = &card->ops[card->next_op++ % OPS];
		gaudi_launcher_destroy(op->launcher);
		*op = made;
	}

	return gaudi_launch(op->launcher, bindings, 3, card->stream);
}

static int bridge_synchronize(struct tiny_card *card)
{
	return gaudi_stream_synchronize(card->stream);
}

static int bridge_begin(struct tiny_card *card)
{
	return gaudi_event_record(card->begun, card->stream);
}

static int bridge_end(struct tiny_card *card, int64_t *nanoseconds)
{
	return gaudi_event_record(card->ended, card->stream) ?:
	       gaudi_event_synchronize(card->ended) ?:
	       gaudi_event_elapsed_ns(card->begun, card->ended, nanoseconds);
}

static const char *bridge_error(void)
{
	return gaudi_last_error(NULL);
}

const struct tiny_backend tiny_gaudi = {
	.name = "gaudi",
	.open = bridge_open, .close = bridge_close,
	.alloc = bridge_alloc, .free = bridge_free,
	.host_alloc = bridge_host_alloc, .host_free = bridge_host_free,
	.write = bridge_write, .read = bridge_read, .join = bridge_join,
	.synchronize = bridge_synchronize,
	.begin = bridge_begin, .end = bridge_end, .error = bridge_error,
};
