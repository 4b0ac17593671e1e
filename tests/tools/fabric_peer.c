// SPDX-License-Identifier: GPL-2.0-only
/*
 * One of two programs, each in a guest of its own, whose cards are joined by a port:
 * both write to the other's memory at once, round after round, and look at what has
 * come. What they have to tell each other besides is in files of a folder that both
 * guests see.
 *
 *	fabric_peer SIDE PORT ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gaudi.h"
#include "gaudi_link.h"

#define BYTES		(5u << 20)
#define SECONDS		300

/* What a side tells of itself. */
struct side {
	struct gaudi_link_address link;
	uint64_t memory;
};

static void die(const char *what, int rc)
{
	fprintf(stderr, "fabric_peer: %s: %d %s\n", what, rc,
		rc ? gaudi_last_error(NULL) : "");
	exit(1);
}

static void good(const char *what, int rc)
{
	if (rc)
		die(what, rc);
}

static const char *file_of(const char *what, unsigned int side)
{
	static char name[64];

	snprintf(name, sizeof(name), "peer-%s.%u", what, side);
	return name;
}

/* The file is there when it is whole. */
static void tell(const char *what, unsigned int side, const void *data,
		 size_t size)
{
	char mine[80];
	FILE *f;

	snprintf(mine, sizeof(mine), "%s.tmp", file_of(what, side));
	f = fopen(mine, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f) ||
	    rename(mine, file_of(what, side)))
		die(mine, 0);
}

static void hear(const char *what, unsigned int side, void *data, size_t size)
{
	const char *name = file_of(what, side);
	unsigned int tries;
	FILE *f = NULL;

	for (tries = 0; tries < SECONDS * 20 && !f; tries++) {
		f = fopen(name, "r");
		if (!f)
			usleep(50000);
	}
	if (!f || fread(data, 1, size, f) != size)
		die(name, 0);
	fclose(f);
}

static void await_link(struct gaudi_device *device, uint32_t port)
{
	struct gaudi_port_info info = { .size = sizeof(info) };
	unsigned int tries;

	for (tries = 0; tries < SECONDS * 20; tries++) {
		good("port", gaudi_port_get_info(device, port, &info));
		if (info.flags & GAUDI_PORT_UP)
			return;
		usleep(50000);
	}
	die("the link does not come up", 0);
}

static void fill(uint32_t *data, unsigned int side, unsigned int round)
{
	uint32_t x = 0x9e3779b9u * (2 * round + side + 1);
	unsigned int i;

	for (i = 0; i < BYTES / 4; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = x;
	}
}

struct run {
	struct gaudi_stream *sends, *gets;
	struct gaudi_link *link;
	gaudi_ptr from, to;
	uint64_t peer;		/* memory of the other side's */
	uint32_t *out, *in, *want;
};

static void one_round(struct run *r, unsigned int side, unsigned int round)
{
	fill(r->out, side, round);
	fill(r->want, !side, round);
	good("copy", gaudi_copy_to_device_async(r->sends, r->from, r->out,
						BYTES));
	good("write", gaudi_link_write_async(r->sends, r->link, r->peer,
					     r->from, BYTES,
					     GAUDI_LINK_NOTIFY));
	good("wait", gaudi_link_wait_async(r->gets, r->link, 1));
	good("copy back", gaudi_copy_to_host_async(r->gets, r->in, r->to,
						   BYTES));
	good("sends", gaudi_stream_synchronize(r->sends));
	good("gets", gaudi_stream_synchronize(r->gets));
	if (memcmp(r->in, r->want, BYTES))
		die("other data have come than were sent", 0);
}

int main(int argc, char **argv)
{
	struct gaudi_link_params params = { .size = sizeof(params) };
	unsigned int side, rounds, i;
	struct gaudi_device *device;
	struct side mine, theirs;
	struct run r = { 0 };
	char name[32];
	char ready = 1;

	if (argc != 4)
		die("SIDE PORT ROUNDS", 0);
	side = atoi(argv[1]);
	params.port = atoi(argv[2]);
	rounds = atoi(argv[3]);
	/* An emulated peer on a busy host may not answer for long. */
	params.timeout_log2 = 20;
	good("open", gaudi_device_open(0, 60000, &device));
	await_link(device, params.port);
	r.out = malloc(BYTES);
	r.in = malloc(BYTES);
	r.want = malloc(BYTES);
	if (!r.out || !r.in || !r.want)
		die("no memory", 0);
	good("stream", gaudi_stream_create(device, &r.sends));
	good("stream", gaudi_stream_create(device, &r.gets));
	good("alloc", gaudi_malloc(device, BYTES, &r.from));
	good("alloc", gaudi_malloc(device, BYTES, &r.to));
	good("link", gaudi_link_create(device, &params, &r.link));
	memset(&mine, 0, sizeof(mine));
	good("address", gaudi_link_get_address(r.link, &mine.link));
	mine.memory = r.to;
	tell("side", side, &mine, sizeof(mine));
	hear("side", !side, &theirs, sizeof(theirs));
	r.peer = theirs.memory;
	good("connect", gaudi_link_connect(r.link, &theirs.link));
	/* The peer's memory is written when it has seen what was there. */
	for (i = 0; i < rounds; i++) {
		snprintf(name, sizeof(name), "ready-%u", i);
		tell(name, side, &ready, 1);
		hear(name, !side, &ready, 1);
		one_round(&r, side, i);
	}
	tell("end", side, &ready, 1);
	hear("end", !side, &ready, 1);
	good("destroy", gaudi_link_destroy(r.link));
	gaudi_device_close(device);
	printf("%u rounds of %u bytes each way\n", rounds, BYTES);
	return 0;
}
