// SPDX-License-Identifier: MIT
/* One end of a link. */
#include <stdlib.h>
#include <string.h>

#include "linktest.h"
#include "progress.h"
#include "text.h"

/* Writes that are given to the card at once. */
#define GROUP	64
/* Of 67 ms each: four seconds. */
#define TIMEOUT_RETRIES	60

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

/*
 * By the usual tries a link gives its peer up after half a second, in which a process, or a
 * guest, of a busy host may not run at all.
 */
static int open_port(const struct end *end, uint32_t port)
{
	const struct gaudi_port_params params = {
		.size = sizeof(params),
		.timeout_retries = TIMEOUT_RETRIES,
	};
	struct gaudi_port_info info = { .size = sizeof(info) };

	if (gaudi_port_get_info(end->device, port, &info))
		return failed("a port");
	if (!info.max_links && gaudi_port_open(end->device, port, &params))
		return failed("a port");

	return 0;
}

int end_link(struct end *end, uint32_t port, int num)
{
	const struct gaudi_link_params params = {
		.size = sizeof(params),
		.port = port,
	};

	if (open_port(end, port))
		return -1;
	for (; end->num_links < num; end->num_links++)
		if (gaudi_link_create(end->device, &params,
				      &end->links[end->num_links]))
			return failed("a link");

	return 0;
}

void end_abort(const struct end *end)
{
	for (int i = 0; i < end->num_links; i++)
		gaudi_link_abort(end->links[i]);
}

/* What fails here has failed before, and was told. */
void end_close(struct end *end)
{
	if (!end->device)
		return;
	for (int i = 0; i < end->num_links; i++)
		gaudi_link_destroy(end->links[i]);
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

/* The links take turns. */
static int give_writes(struct end *end, uint64_t bytes, uint64_t num)
{
	struct gaudi_link_op ops[GROUP];
	uint64_t done = 0;

	while (done < num) {
		uint32_t n = 0;

		for (; n < GROUP && done < num; n++, done++)
			ops[n] = (struct gaudi_link_op) {
				.link = end->links[done %
						   (uint64_t)end->num_links],
				.kind = GAUDI_LINK_WRITE,
				.from = end->from,
				.to = end->peer_to,
				.bytes = bytes,
			};
		if (gaudi_link_post_async(end->stream, ops, n))
			return failed("writes");
	}

	return 0;
}

static int notify(struct end *end)
{
	struct gaudi_link_op ops[MAX_QPS] = {};

	for (int i = 0; i < end->num_links; i++) {
		ops[i].link = end->links[i];
		ops[i].kind = GAUDI_LINK_WRITE;
		ops[i].flags = GAUDI_LINK_NOTIFY;
	}

	return gaudi_link_post_async(end->stream, ops,
				     (uint32_t)end->num_links) ?
	       failed("notifications") : 0;
}

/* Of each end, and until all have been acknowledged if @wait. */
static int flow_once(struct end *const *ends, unsigned int num, uint64_t bytes,
		     uint64_t writes, bool wait)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < num; i++)
		rc = give_writes(ends[i], bytes, writes);
	for (unsigned int i = 0; wait && !rc && i < num; i++)
		rc = end_sync(ends[i]);

	return rc;
}

/* Ten times or so, each time as many as it takes for that. */
static int flow_for(struct end *const *ends, unsigned int num,
		    const struct settings *s, uint64_t bytes, uint64_t *writes)
{
	double end = now() + s->duration, begin, took = 1;
	uint64_t n = GROUP;
	int rc = 0;

	for (*writes = 0; !rc && (begin = now()) < end; *writes += n) {
		if (*writes)
			n = (uint64_t)((double)n * s->duration / 10 / took) + 1;
		if (n > ITERATIONS_MAX)
			n = ITERATIONS_MAX;
		rc = flow_once(ends, num, bytes, n, true);
		took = now() - begin;
		took = took > 1e-6 ? took : 1e-6;
	}

	return rc;
}

int end_flow(struct end *const *ends, unsigned int num,
	     const struct settings *s, uint64_t bytes, uint64_t *writes)
{
	int rc;

	*writes = (uint64_t)s->iterations;
	rc = s->duration ? flow_for(ends, num, s, bytes, writes) :
			   flow_once(ends, num, bytes, *writes, false);
	for (unsigned int i = 0; !rc && i < num; i++)
		rc = notify(ends[i]);

	return rc;
}

int end_awaits(struct end *end)
{
	struct gaudi_link_op ops[MAX_QPS] = {};

	for (int i = 0; i < end->num_links; i++) {
		ops[i].link = end->links[i];
		ops[i].kind = GAUDI_LINK_WAIT;
		ops[i].count = 1;
	}

	return gaudi_link_post_async(end->stream, ops,
				     (uint32_t)end->num_links) ?
	       failed("a wait for the peer") : 0;
}

uint64_t latency_bytes(const struct settings *s)
{
	return s->bandwidth ? LATENCY_BYTES : s->sizes[s->num_sizes - 1];
}

void end_turn(const struct end *end, uint64_t bytes, struct gaudi_link_op *turn)
{
	turn[0] = (struct gaudi_link_op) {
		.link = end->links[0],
		.kind = GAUDI_LINK_WRITE,
		.flags = GAUDI_LINK_NOTIFY,
		.from = end->from,
		.to = end->peer_to,
		.bytes = bytes,
	};
	turn[1] = (struct gaudi_link_op) {
		.link = end->links[0],
		.kind = GAUDI_LINK_WAIT,
		.count = 1,
	};
}

int end_rounds(struct end *end, int rounds, uint64_t bytes, bool starts)
{
	struct gaudi_link_op turn[2];

	end_turn(end, bytes, turn);
	for (int i = 0; i < rounds; i++)
		if (gaudi_link_post_async(end->stream, &turn[!starts], 1) ||
		    gaudi_link_post_async(end->stream, &turn[starts], 1))
			return failed("there and back");

	return 0;
}

int end_sync(struct end *end)
{
	return gaudi_stream_synchronize(end->stream) ? failed("the card") : 0;
}
