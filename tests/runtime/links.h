/* SPDX-License-Identifier: MIT */
/* For programs that use links between two cards. */
#ifndef RUNTIME_LINKS_H
#define RUNTIME_LINKS_H

#ifdef WITH_KNOBS
#include "card.h"
#endif
#include "common.h"
#include "gaudi_link.h"

/* Of each card; and the ports by which they are joined. */
static struct gaudi_device *devs[2];
static struct gaudi_stream *streams[2];
static uint32_t ports[2];

struct pair {
	struct gaudi_link *at[2];
};

static inline void says(const char *text)
{
	if (!strstr(gaudi_last_error(NULL), text))
		fail_msg("'%s' is not in '%s'", text, gaudi_last_error(NULL));
}

static inline int find_ports(void)
{
	struct gaudi_port_info info = { .size = sizeof(info) };
	struct gaudi_device_info other = { .size = sizeof(other) };
	int rc = gaudi_device_get_info(devs[1], &other);

	for (uint32_t i = 0; !rc && i < 10; i++) {
		rc = gaudi_port_get_info(devs[0], i, &info);
		if (rc || !(info.flags & GAUDI_PORT_PEER) ||
		    info.peer_module != other.module_id)
			continue;
		ports[0] = i;
		ports[1] = info.peer_port;
		return 0;
	}

	return -1;
}

static inline int set_up_links(void **state)
{
	int rc = 0;

#ifdef WITH_KNOBS
	card_set_up(state);
	card.cards = 2;
	card.monitors = 128;
#endif
	(void)state;
	for (unsigned int i = 0; !rc && i < 2; i++) {
		rc = gaudi_device_open(i, 60000, &devs[i]);
		if (!rc)
			rc = gaudi_stream_create(devs[i], &streams[i]);
	}

	return rc ? rc : find_ports();
}

static inline int tear_down_links(void **state)
{
	int rc = gaudi_device_close(devs[0]);

	(void)state;

	return rc | gaudi_device_close(devs[1]);
}

static inline struct gaudi_link *new_link(unsigned int side)
{
	const struct gaudi_link_params params = {
		.size = sizeof(params),
		.port = ports[side],
	};
	struct gaudi_link *link;

	GOOD(gaudi_link_create(devs[side], &params, &link));

	return link;
}

static inline struct pair new_pair(void)
{
	struct pair pair = { { new_link(0), new_link(1) } };
	struct gaudi_link_address address;

	for (unsigned int i = 0; i < 2; i++) {
		GOOD(gaudi_link_get_address(pair.at[i], &address));
		GOOD(gaudi_link_connect(pair.at[!i], &address));
	}

	return pair;
}

static inline void end_pair(struct pair *pair)
{
	for (unsigned int i = 0; i < 2; i++)
		GOOD(gaudi_link_destroy(pair->at[i]));
}

/* Nothing but a notification. */
static inline void notify(struct gaudi_stream *stream, struct gaudi_link *link)
{
	GOOD(gaudi_link_write_async(stream, link, 0, 0, 0, GAUDI_LINK_NOTIFY));
}

/* Nobody answers to it, and it is tried for hours. Comes back: its link. */
static inline struct gaudi_link *write_to_nobody(struct gaudi_stream *stream)
{
	const struct gaudi_link_params params = {
		.size = sizeof(params),
		.port = ports[0],
		.timeout_log2 = 30,
	};
	struct gaudi_link *link, *gone = new_link(1);
	struct gaudi_link_address address;

	GOOD(gaudi_link_create(devs[0], &params, &link));
	GOOD(gaudi_link_get_address(gone, &address));
	GOOD(gaudi_link_connect(link, &address));
	GOOD(gaudi_link_destroy(gone));
	notify(stream, link);

	return link;
}

static inline gaudi_ptr memory_of(unsigned int side, size_t size)
{
	gaudi_ptr address;

	GOOD(gaudi_malloc(devs[side], size, &address));

	return address;
}

static inline void *pinned(unsigned int side, size_t size)
{
	void *memory;

	GOOD(gaudi_host_alloc(devs[side], size, &memory));

	return memory;
}

static inline struct gaudi_event *event_of(unsigned int side)
{
	struct gaudi_event *event;

	GOOD(gaudi_event_create(devs[side], 0, &event));

	return event;
}

static inline struct gaudi_stream *stream_of(unsigned int side)
{
	struct gaudi_stream *stream;

	GOOD(gaudi_stream_create(devs[side], &stream));

	return stream;
}

static inline void put_pattern(unsigned int side, gaudi_ptr at, size_t size,
			       uint64_t seed)
{
	uint8_t *bytes = malloc(size);

	pattern(bytes, size, seed);
	GOOD(gaudi_copy_to_device(devs[side], at, bytes, size));
	free(bytes);
}

static inline int has_pattern(unsigned int side, gaudi_ptr at, size_t size,
			      uint64_t seed)
{
	uint8_t *bytes = malloc(size);
	int has;

	GOOD(gaudi_copy_to_host(devs[side], bytes, at, size));
	has = is_pattern(bytes, size, seed);
	free(bytes);

	return has;
}

static inline struct gaudi_link_info info_of(struct gaudi_link *link)
{
	struct gaudi_link_info info = { .size = sizeof(info) };

	GOOD(gaudi_link_get_info(link, &info));

	return info;
}

#endif /* RUNTIME_LINKS_H */
