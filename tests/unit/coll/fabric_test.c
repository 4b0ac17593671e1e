// SPDX-License-Identifier: MIT
/* Messages between endpoints of this process. */
#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

#include "../unit.h"
#include "coll/fabric/fabric.h"

enum { SMALL = 8, LARGE = 1 << 20, TAG_LARGE = 1, TAG_SMALL };

struct end {
	uint8_t *memory;
	struct coll_fabric *fabric;
	struct coll_fabric_address address;
};

/* Two, each of which knows the other one. */
static bool ends_open(struct end ends[2])
{
	for (uint32_t i = 0; i < 2; i++) {
		int rc;

		ends[i].memory = calloc(1, LARGE);
		rc = coll_fabric_open(ends[i].memory, LARGE, 2, htonl(INADDR_LOOPBACK), true,
				      &ends[i].fabric, &ends[i].address);
		if (rc == -ENOTSUP) {
			free(ends[i].memory);
			return false;
		}
		WORKS(rc);
	}
	for (uint32_t i = 0; i < 2; i++) {
		WORKS(coll_fabric_add(ends[i].fabric, 1 - i, &ends[1 - i].address));
		WORKS(coll_fabric_start(ends[i].fabric));
	}

	return true;
}

static void ends_close(struct end ends[2])
{
	for (unsigned int i = 0; i < 2; i++) {
		coll_fabric_close(ends[i].fabric);
		free(ends[i].memory);
	}
}

/* Of end @i, with the other one. */
static void give(const struct end *ends, uint32_t i, struct coll_message *m, bool send,
		 uint64_t tag, uint64_t bytes)
{
	*m = (struct coll_message) {
		.at = ends[i].memory, .bytes = bytes, .tag = tag, .peer = 1 - i, .send = send,
	};
	coll_fabric_give(ends[i].fabric, m);
}

TEST(messages_arrive)
{
	struct coll_message send, receive;
	struct end ends[2] = {};

	if (!ends_open(ends))
		skip();
	for (uint64_t bytes = SMALL; bytes <= LARGE; bytes *= 8) {
		for (uint64_t i = 0; i < bytes; i++)
			ends[0].memory[i] = (uint8_t)(i * 7 + bytes);
		memset(ends[1].memory, 0, LARGE);
		give(ends, 0, &send, true, bytes, bytes);
		give(ends, 1, &receive, false, bytes, bytes);
		WORKS(coll_fabric_await(ends[0].fabric, &send));
		WORKS(coll_fabric_await(ends[1].fabric, &receive));
		assert_memory_equal(ends[1].memory, ends[0].memory, bytes);
	}
	ends_close(ends);
}

/*
 * A large message is announced, and its sender ends before it is received: an error. Whether
 * libfabric has noticed by then is a matter of time, so there are several.
 */
TEST(sender_has_ended)
{
	for (unsigned int i = 0; i < 20; i++) {
		struct coll_message large, small, announced, receive;
		struct end ends[2] = {};

		if (!ends_open(ends))
			skip();
		give(ends, 0, &large, true, TAG_LARGE, LARGE);
		give(ends, 0, &small, true, TAG_SMALL, SMALL);
		give(ends, 1, &announced, false, TAG_SMALL, SMALL);
		WORKS(coll_fabric_await(ends[1].fabric, &announced));
		coll_fabric_close(ends[0].fabric);
		ends[0].fabric = NULL;
		usleep(i * 1000);
		give(ends, 1, &receive, false, TAG_LARGE, LARGE);
		assert_true(coll_fabric_await(ends[1].fabric, &receive) < 0);
		ends_close(ends);
	}
}
