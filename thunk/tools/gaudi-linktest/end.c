// SPDX-License-Identifier: MIT
/* One end of a link. */
#include <stdlib.h>
#include <string.h>

#include "linktest.h"
#include "text.h"

/* Writes that are given to the card at once. */
#define GROUP	64

int failed(const char *what)
{
	complain("%s: %s", what, gaudi_last_error(NULL));

	return -1;
}

int end_open(struct end *end, struct gaudi_device *device, uint64_t bytes)
{
	struct gaudi_device_info info = { .size = sizeof(info) };

	memset(end, 0, sizeof(*end));
	end->device = device;
	if (gaudi_device_get_info(device, &info) ||
	    gaudi_stream_create(device, &end->stream) ||
	    gaudi_malloc(device, bytes, &end->from) ||
	    gaudi_malloc(device, bytes, &end->to))
		return failed("memory and a stream");
	end->module_id = info.module_id;

	return 0;
}

int end_link(struct end *end, uint32_t port)
{
	const struct gaudi_link_params params = {
		.size = sizeof(params),
		.port = port,
	};

	return gaudi_link_create(end->device, &params, &end->link) ?
	       failed("a link") : 0;
}

/* What fails here has failed before, and was told. */
void end_close(struct end *end)
{
	if (!end->device)
		return;
	gaudi_link_destroy(end->link);
	gaudi_stream_destroy(end->stream);
	gaudi_free(end->device, end->from);
	gaudi_free(end->device, end->to);
	memset(end, 0, sizeof(*end));
}

static void make_pattern(uint8_t *bytes, uint64_t size, unsigned int seed)
{
	uint64_t x = 0x9e3779b97f4a7c15u * (seed + 1u);

	for (uint64_t i = 0; i < size; i++) {
		if (i % 8 == 0) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
		}
		bytes[i] = (uint8_t)(x >> i % 8 * 8);
	}
}

int end_fill(struct end *end, uint64_t bytes, unsigned int seed)
{
	uint8_t *pattern = malloc(bytes);
	int rc;

	if (!pattern) {
		complain("out of memory");
		return -1;
	}
	make_pattern(pattern, bytes, seed);
	rc = gaudi_copy_to_device(end->device, end->from, pattern, bytes);
	if (!rc)
		rc = gaudi_fill(end->device, end->to, 0, 1, bytes);
	free(pattern);

	return rc ? failed("a pattern") : 0;
}

int end_check(struct end *end, uint64_t bytes, unsigned int seed)
{
	uint8_t *want = malloc(bytes), *is = malloc(bytes);
	uint64_t at = 0;
	int rc = 0;

	if (!want || !is) {
		complain("out of memory");
		rc = -1;
	} else if (gaudi_copy_to_host(end->device, is, end->to, bytes)) {
		rc = failed("what has come");
	} else {
		make_pattern(want, bytes, seed);
		while (at < bytes && is[at] == want[at])
			at++;
		if (at < bytes) {
			complain("module %u: byte %llu of %llu is %#x, not %#x",
				 end->module_id, (unsigned long long)at,
				 (unsigned long long)bytes, is[at], want[at]);
			rc = -1;
		}
	}
	free(want);
	free(is);

	return rc;
}

int end_writes(struct end *end, uint64_t bytes, int iterations)
{
	struct gaudi_link_op ops[GROUP];

	while (iterations) {
		int n = iterations < GROUP ? iterations : GROUP;

		iterations -= n;
		for (int i = 0; i < n; i++)
			ops[i] = (struct gaudi_link_op) {
				.link = end->link,
				.kind = GAUDI_LINK_WRITE,
				.flags = !iterations && i == n - 1 ?
					 GAUDI_LINK_NOTIFY : 0,
				.from = end->from,
				.to = end->peer_to,
				.bytes = bytes,
			};
		if (gaudi_link_post_async(end->stream, ops, (uint32_t)n))
			return failed("writes");
	}

	return 0;
}

int end_awaits(struct end *end)
{
	return gaudi_link_wait_async(end->stream, end->link, 1) ?
	       failed("a wait for the peer") : 0;
}

int end_rounds(struct end *end, int rounds, bool starts)
{
	const struct gaudi_link_op send = {
		.link = end->link,
		.kind = GAUDI_LINK_WRITE,
		.flags = GAUDI_LINK_NOTIFY,
		.from = end->from,
		.to = end->peer_to,
		.bytes = 4,
	};
	const struct gaudi_link_op get = {
		.link = end->link,
		.kind = GAUDI_LINK_WAIT,
		.count = 1,
	};

	for (int i = 0; i < rounds; i++)
		if (gaudi_link_post_async(end->stream, starts ? &send : &get,
					  1) ||
		    gaudi_link_post_async(end->stream, starts ? &get : &send,
					  1))
			return failed("there and back");

	return 0;
}

int end_sync(struct end *end)
{
	return gaudi_stream_synchronize(end->stream) ? failed("the card") : 0;
}
