// SPDX-License-Identifier: MIT
/* Links between two cards: ports, writes, notifications, copies; and what fails. */
#include <errno.h>
#include <pthread.h>

#include "links.h"
#include "recipes.h"

#define SIZE	(1 * MIB + 24)

static void ports_are_told(void **state)
{
	struct gaudi_port_info a = { .size = sizeof(a) };
	struct gaudi_port_info b = { .size = sizeof(b) };
	struct gaudi_device_info dev = { .size = sizeof(dev) };
	uint32_t mask;

	(void)state;
	GOOD(gaudi_device_get_ports(devs[0], &mask));
	assert_true(mask & 1u << ports[0]);
	GOOD(gaudi_port_get_info(devs[0], ports[0], &a));
	GOOD(gaudi_port_get_info(devs[1], ports[1], &b));
	assert_int_equal(a.flags, GAUDI_PORT_ENABLED | GAUDI_PORT_UP |
				  GAUDI_PORT_PEER);
	assert_int_equal(a.port, ports[0]);
	assert_int_equal(a.peer_port, ports[1]);
	assert_int_equal(b.peer_port, ports[0]);
	GOOD(gaudi_device_get_info(devs[0], &dev));
	assert_int_equal(b.peer_module, dev.module_id);
	assert_memory_not_equal(a.mac, b.mac, 6);
	assert_int_not_equal(a.ip, b.ip);
	assert_int_equal(a.speed_mbps, 100000);
	/* This one leaves the box. */
	GOOD(gaudi_port_get_info(devs[0], 1, &a));
	assert_true(a.flags & GAUDI_PORT_EXTERNAL);
	assert_false(a.flags & GAUDI_PORT_PEER);
	FAILS(gaudi_port_get_info(devs[0], 10, &a), -EINVAL);
	says("port 10 of 10");
	a.size = 4;
	FAILS(gaudi_port_get_info(devs[0], 0, &a), -EINVAL);
}

/* By streams alone: nobody waits in between. */
static void write_to_peer(struct pair *pair, unsigned int side, size_t size,
			  uint64_t seed)
{
	struct gaudi_stream *sends = streams[side], *gets = streams[!side];
	gaudi_ptr from = memory_of(side, size);
	gaudi_ptr to = memory_of(!side, size + 64);
	uint8_t *in = malloc(size), *out = malloc(size + 64);

	pattern(in, size, seed);
	GOOD(gaudi_fill(devs[!side], to, 0xa5, 1, size + 64));
	GOOD(gaudi_copy_to_device_async(sends, from, in, size));
	GOOD(gaudi_link_write_async(sends, pair->at[side], to + 32, from,
				    size, GAUDI_LINK_NOTIFY));
	GOOD(gaudi_link_wait_async(gets, pair->at[!side], 1));
	GOOD(gaudi_copy_to_host_async(gets, out, to, size + 64));
	GOOD(gaudi_stream_synchronize(gets));
	assert_true(is_pattern(out + 32, size, seed));
	for (unsigned int i = 0; i < 32; i++) {
		assert_int_equal(out[i], 0xa5);
		assert_int_equal(out[size + 32 + i], 0xa5);
	}
	GOOD(gaudi_stream_synchronize(sends));
	GOOD(gaudi_free(devs[side], from));
	GOOD(gaudi_free(devs[!side], to));
	free(in);
	free(out);
}

static void writes_of_any_size(void **state)
{
	static const size_t sizes[] = {
		1, 3, 4095, 4096, 4097, 12288, 100003, SIZE, 33 * MIB + 7,
	};
	struct pair pair = new_pair();
	struct gaudi_link_info info;
	uint64_t sum = 0;

	(void)state;
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		write_to_peer(&pair, 1, sizes[i], i + 1);
		sum += sizes[i];
	}
	info = info_of(pair.at[1]);
	assert_int_equal(info.state, GAUDI_LINK_CONNECTED);
	assert_int_equal(info.writes, sizeof(sizes) / sizeof(sizes[0]));
	assert_int_equal(info.bytes, sum);
	assert_int_equal(info.notified, info.writes);
	assert_int_equal(info.under_way, 0);
	assert_int_equal(info_of(pair.at[0]).waited, info.writes);
	end_pair(&pair);
}

/*
 * Many pieces over a short queue, which is never overrun. This opens the first card's
 * port for all tests.
 */
static void more_than_the_queue_has(void **state)
{
	struct gaudi_port_params params = {
		.size = sizeof(params),
		.max_links = 3,
		.entries = 64,
		.timeout_retries = 9,
	};
	struct gaudi_port_info info = { .size = sizeof(info) };
	const size_t size = 4 * MIB + 4321;
	struct pair pair;
	gaudi_ptr from, to;

	(void)state;
	/* Before the first link there. */
	GOOD(gaudi_port_get_info(devs[0], ports[0], &info));
	assert_int_equal(info.timeout_retries, 0);
	GOOD(gaudi_port_open(devs[0], ports[0], &params));
	FAILS(gaudi_port_open(devs[0], ports[0], &params), -EEXIST);
	says("open already");
	GOOD(gaudi_port_get_info(devs[0], ports[0], &info));
	assert_int_equal(info.max_links, 3);
	assert_int_equal(info.timeout_retries, 9);
	assert_int_equal(info.links, 0);
	pair = new_pair();
	from = memory_of(0, size);
	to = memory_of(1, size);
	put_pattern(0, from, size, 9);
	for (unsigned int i = 0; i < 8; i++)
		GOOD(gaudi_link_write_async(streams[0], pair.at[0], to, from,
					    size, 0));
	/* Nobody has waited: what comes is the last of many. */
	put_pattern(0, from, size, 9);
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_true(has_pattern(1, to, size, 9));
	GOOD(gaudi_free(devs[0], from));
	GOOD(gaudi_free(devs[1], to));
	end_pair(&pair);
}

static void links_come_and_go(void **state)
{
	struct gaudi_link *links[4];
	const struct gaudi_link_params params = {
		.size = sizeof(params),
		.port = ports[0],
	};

	(void)state;
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < 3; i++)
			links[i] = new_link(0);
		FAILS(gaudi_link_create(devs[0], &params, &links[3]), -ENOSPC);
		says("3 links already");
		for (unsigned int i = 0; i < 3; i++)
			GOOD(gaudi_link_destroy(links[i]));
	}
	GOOD(gaudi_link_destroy(NULL));
}

/* There and back, each side after what came from the other. */
static void ping_pong(void **state)
{
	struct pair pair = new_pair();
	gaudi_ptr at[2] = { memory_of(0, 4096), memory_of(1, 4096) };

	(void)state;
	put_pattern(0, at[0], 2048, 77);
	for (unsigned int i = 0; i < 40; i++) {
		/* Halves change places: what is read is what came last. */
		gaudi_ptr from = i % 2 ? 2048 : 0, to = i % 2 ? 0 : 2048;

		GOOD(gaudi_link_write_async(streams[0], pair.at[0], at[1] + from,
					    at[0] + from, 2048,
					    GAUDI_LINK_NOTIFY));
		GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 1));
		GOOD(gaudi_copy_device_async(streams[1], at[1] + to,
					     at[1] + from, 2048));
		GOOD(gaudi_link_write_async(streams[1], pair.at[1], at[0] + to,
					    at[1] + to, 2048,
					    GAUDI_LINK_NOTIFY));
		GOOD(gaudi_link_wait_async(streams[0], pair.at[0], 1));
		GOOD(gaudi_fill_async(streams[0], at[0] + from, i, 1, 2048));
	}
	GOOD(gaudi_stream_synchronize(streams[0]));
	GOOD(gaudi_stream_synchronize(streams[1]));
	assert_true(has_pattern(0, at[0], 2048, 77));
	for (unsigned int i = 0; i < 2; i++)
		GOOD(gaudi_free(devs[i], at[i]));
	end_pair(&pair);
}

/* Both ways, over two links, writes and waits together, in one call each. */
static void exchange(void **state)
{
	struct pair pairs[2] = { new_pair(), new_pair() };
	gaudi_ptr in[2], out[2];

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		in[i] = memory_of(i, 4 * SIZE);
		out[i] = memory_of(i, 4 * SIZE);
		put_pattern(i, out[i], 4 * SIZE, 50 + i);
	}
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < 2; i++) {
			struct gaudi_link_op ops[6] = {};

			for (unsigned int k = 0; k < 4; k++) {
				ops[k].link = pairs[k % 2].at[i];
				ops[k].kind = GAUDI_LINK_WRITE;
				ops[k].from = out[i] + k * SIZE;
				ops[k].to = in[!i] + k * SIZE;
				ops[k].bytes = SIZE;
				ops[k].flags = k >= 2 ? GAUDI_LINK_NOTIFY : 0;
			}
			for (unsigned int k = 4; k < 6; k++) {
				ops[k].link = pairs[k % 2].at[i];
				ops[k].kind = GAUDI_LINK_WAIT;
				ops[k].count = 1;
			}
			GOOD(gaudi_link_post_async(streams[i], ops, 6));
		}
	}
	for (unsigned int i = 0; i < 2; i++)
		GOOD(gaudi_stream_synchronize(streams[i]));
	for (unsigned int i = 0; i < 2; i++) {
		assert_true(has_pattern(i, in[i], 4 * SIZE, 50 + !i));
		GOOD(gaudi_free(devs[i], in[i]));
		GOOD(gaudi_free(devs[i], out[i]));
	}
	end_pair(&pairs[0]);
	end_pair(&pairs[1]);
}

/* Several notifications at once; one without data; and all before the wait. */
static void notifications_are_counted(void **state)
{
	struct pair pair = new_pair();
	gaudi_ptr from = memory_of(0, 64), to = memory_of(1, 64);

	(void)state;
	put_pattern(0, from, 64, 3);
	for (unsigned int i = 0; i < 64; i++)
		GOOD(gaudi_link_write_async(streams[0], pair.at[0], to + i,
					    from + i, 1, GAUDI_LINK_NOTIFY));
	GOOD(gaudi_stream_synchronize(streams[0]));
	GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 61));
	GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 3));
	GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 1));
	assert_int_equal(gaudi_stream_query(streams[1]), GAUDI_ERR_NOT_READY);
	GOOD(gaudi_link_write_async(streams[0], pair.at[0], 0, 0, 0,
				    GAUDI_LINK_NOTIFY));
	GOOD(gaudi_stream_synchronize(streams[1]));
	/* Nothing at all is no work. */
	GOOD(gaudi_link_write_async(streams[0], pair.at[0], 0, 0, 0, 0));
	GOOD(gaudi_link_post_async(streams[0], NULL, 0));
	assert_true(has_pattern(1, to, 64, 3));
	GOOD(gaudi_free(devs[0], from));
	GOOD(gaudi_free(devs[1], to));
	end_pair(&pair);
}

struct writer {
	pthread_t thread;
	struct gaudi_link *link;
	gaudi_ptr from, to;
	int rc;
};

static void *write_much(void *arg)
{
	struct writer *w = arg;
	struct gaudi_stream *own;

	w->rc = gaudi_stream_create(devs[0], &own);
	for (unsigned int i = 0; !w->rc && i < 20; i++)
		w->rc = gaudi_link_write_async(own, w->link, w->to, w->from,
					       SIZE / 8, 0);
	if (!w->rc)
		w->rc = gaudi_stream_synchronize(own);
	if (!w->rc)
		w->rc = gaudi_stream_destroy(own);

	return NULL;
}

/* Of one link, by streams of several threads. */
static void many_threads(void **state)
{
	struct pair pair = new_pair();
	struct writer writers[4];

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		writers[i].link = pair.at[0];
		writers[i].from = memory_of(0, SIZE / 8);
		writers[i].to = memory_of(1, SIZE / 8);
		put_pattern(0, writers[i].from, SIZE / 8, 200 + i);
		pthread_create(&writers[i].thread, NULL, write_much,
			       &writers[i]);
	}
	for (unsigned int i = 0; i < 4; i++) {
		pthread_join(writers[i].thread, NULL);
		assert_int_equal(writers[i].rc, 0);
		assert_true(has_pattern(1, writers[i].to, SIZE / 8, 200 + i));
		GOOD(gaudi_free(devs[0], writers[i].from));
		GOOD(gaudi_free(devs[1], writers[i].to));
	}
	end_pair(&pair);
}

static void count_it(void *arg, int error)
{
	if (!error)
		++*(int *)arg;
}

/* Behind a host function: later, by the stream's thread. */
static void deferred(void **state)
{
	struct pair pair = new_pair();
	gaudi_ptr from = memory_of(0, SIZE), to = memory_of(1, SIZE);
	int before = 0, after = 0;

	(void)state;
	put_pattern(0, from, SIZE, 12);
	GOOD(gaudi_stream_add_host_fn(streams[0], count_it, &before));
	GOOD(gaudi_link_write_async(streams[0], pair.at[0], to, from, SIZE,
				    GAUDI_LINK_NOTIFY));
	GOOD(gaudi_link_wait_async(streams[1], pair.at[1], 1));
	GOOD(gaudi_stream_add_host_fn(streams[1], count_it, &after));
	GOOD(gaudi_stream_synchronize(streams[1]));
	assert_int_equal(before + after, 2);
	assert_true(has_pattern(1, to, SIZE, 12));
	GOOD(gaudi_free(devs[0], from));
	GOOD(gaudi_free(devs[1], to));
	/* It may be on its way still when the program lets go of it. */
	GOOD(gaudi_stream_add_host_fn(streams[0], count_it, &before));
	GOOD(gaudi_link_write_async(streams[0], pair.at[0], 0, 0, 0,
				    GAUDI_LINK_NOTIFY));
	end_pair(&pair);
}

/* Rows that are apart on one side, @bytes of each. */
static void write_rows(struct pair *pair, uint32_t side, uint64_t bytes,
		       uint32_t rows, uint32_t stride)
{
	bool here = side == GAUDI_LINK_STRIDE_FROM;
	size_t wide = (size_t)(rows - 1) * stride + bytes, dense = rows * bytes;
	size_t from_size = here ? wide : dense, to_size = here ? dense : wide;
	gaudi_ptr from = memory_of(0, from_size), to = memory_of(1, to_size + 2);
	uint8_t *in = malloc(from_size), *want = malloc(to_size + 2);
	uint8_t *out = malloc(to_size + 2);
	const struct gaudi_link_op op = {
		.link = pair->at[0],
		.kind = GAUDI_LINK_WRITE_STRIDED,
		.flags = side | GAUDI_LINK_NOTIFY,
		.from = from,
		.to = to + 1,
		.bytes = bytes,
		.count = rows,
		.stride = stride,
	};

	pattern(in, from_size, rows + stride);
	memset(want, 0xa5, to_size + 2);
	for (uint32_t i = 0; i < rows; i++)
		memcpy(want + 1 + i * (here ? bytes : stride),
		       in + i * (here ? stride : bytes), bytes);
	GOOD(gaudi_fill(devs[1], to, 0xa5, 1, to_size + 2));
	GOOD(gaudi_copy_to_device(devs[0], from, in, from_size));
	GOOD(gaudi_link_post_async(streams[0], &op, 1));
	GOOD(gaudi_link_wait_async(streams[1], pair->at[1], 1));
	GOOD(gaudi_copy_to_host_async(streams[1], out, to, to_size + 2));
	GOOD(gaudi_stream_synchronize(streams[1]));
	assert_memory_equal(out, want, to_size + 2);
	GOOD(gaudi_stream_synchronize(streams[0]));
	GOOD(gaudi_free(devs[0], from));
	GOOD(gaudi_free(devs[1], to));
	free(in);
	free(want);
	free(out);
}

static void writes_of_rows(void **state)
{
	static const struct {
		uint32_t bytes, rows, stride;
	} shapes[] = {
		{ 1, 1, 1 }, { 1, 1000, 3 }, { 7, 65, 13 }, { 16, 5000, 64 },
		{ 4095, 130, 5001 }, { 4096, 64, 4096 }, { 4097, 3, 9000 },
		{ 100003, 5, 100010 }, { 3000, 700, 3001 },
	};
	struct pair pair = new_pair();
	uint64_t sum = 0;

	(void)state;
	for (unsigned int i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		write_rows(&pair, GAUDI_LINK_STRIDE_FROM, shapes[i].bytes,
			   shapes[i].rows, shapes[i].stride);
		write_rows(&pair, GAUDI_LINK_STRIDE_TO, shapes[i].bytes,
			   shapes[i].rows, shapes[i].stride);
		sum += 2ull * shapes[i].bytes * shapes[i].rows;
	}
	assert_int_equal(info_of(pair.at[0]).bytes, sum);
	end_pair(&pair);
}

static void bad_rows(void **state)
{
	struct pair pair = new_pair();
	gaudi_ptr from = memory_of(0, 4096);
	struct gaudi_link_op op = {
		.link = pair.at[0],
		.kind = GAUDI_LINK_WRITE_STRIDED,
		.flags = GAUDI_LINK_STRIDE_FROM,
		.from = from,
		.to = from,
		.bytes = 8,
		.count = 64,
		.stride = 64,
	};

	(void)state;
	GOOD(gaudi_link_post_async(streams[0], &op, 1));
	/* Its last row would be outside. */
	op.from = from + 4096 - (63 * 64 + 8) + 1;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), GAUDI_ERR_ADDRESS);
	op.from = from;
	op.stride = UINT32_MAX;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), GAUDI_ERR_ADDRESS);
	op.flags = GAUDI_LINK_STRIDE_TO;
	op.count = UINT32_MAX;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	says("to the peer's");
	op.count = 64;
	op.stride = 7;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	says("64 rows of 8 bytes, 7 apart");
	op.stride = 64;
	op.flags |= GAUDI_LINK_STRIDE_FROM;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	says("both sides");
	op.flags = GAUDI_LINK_NOTIFY;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	says("no side");
	op.flags = GAUDI_LINK_STRIDE_TO;
	op.count = 0;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	op.count = 64;
	op.bytes = 0;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	op.kind = GAUDI_LINK_WRITE;
	op.count = 0;
	op.stride = 0;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	GOOD(gaudi_stream_synchronize(streams[0]));
	GOOD(gaudi_free(devs[0], from));
	end_pair(&pair);
}

static void bad_arguments(void **state)
{
	struct pair pair = new_pair();
	struct gaudi_link *alone = new_link(0), *none;
	struct gaudi_link_address address;
	struct gaudi_link_params params = { .size = sizeof(params) };
	struct gaudi_link_op op = { .link = pair.at[0] };
	gaudi_ptr from = memory_of(0, 4096);

	(void)state;
	params.port = 10;
	FAILS(gaudi_link_create(devs[0], &params, &none), -EINVAL);
	params.port = ports[0];
	params.priority = 4;
	FAILS(gaudi_link_create(devs[0], &params, &none), -EINVAL);
	FAILS(gaudi_link_create(devs[0], NULL, &none), -EINVAL);
	FAILS(gaudi_link_create(NULL, &params, &none), -EINVAL);
	FAILS(gaudi_link_wait_async(streams[0], alone, 1), -ENOTCONN);
	says("no peer yet");
	GOOD(gaudi_link_get_address(pair.at[1], &address));
	FAILS(gaudi_link_connect(pair.at[0], &address), -EISCONN);
	address.version = 2;
	FAILS(gaudi_link_connect(alone, &address), -EINVAL);
	says("version 2");
	address.version = 1;
	address.conn_id = 0;
	FAILS(gaudi_link_connect(alone, &address), -EINVAL);
	FAILS(gaudi_link_connect(alone, NULL), -EINVAL);
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	op.kind = GAUDI_LINK_WRITE;
	op.bytes = 4096;
	op.to = from;
	op.from = from + 1;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), GAUDI_ERR_ADDRESS);
	op.from = from;
	op.to = 1ull << 50;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	op.to = from;
	op.flags = 2;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	op.flags = 0;
	op.stride = 1;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	op.stride = 0;
	op.count = 1;
	FAILS(gaudi_link_post_async(streams[0], &op, 1), -EINVAL);
	op.count = 0;
	FAILS(gaudi_link_post_async(streams[1], &op, 1), -EINVAL);
	says("a link of card");
	FAILS(gaudi_link_post_async(streams[0], &op, 1000), -EINVAL);
	FAILS(gaudi_link_wait_async(streams[0], pair.at[0], 0), -EINVAL);
	FAILS(gaudi_link_wait_async(streams[0], pair.at[0],
				    GAUDI_LINK_MAX_AHEAD + 1), -EINVAL);
	FAILS(gaudi_link_wait_async(streams[0], NULL, 1), -EINVAL);
	GOOD(gaudi_free(devs[0], from));
	GOOD(gaudi_link_destroy(alone));
	end_pair(&pair);
}

/* The device works as before. */
static void still_works(void)
{
	struct pair pair = new_pair();

	write_to_peer(&pair, 0, 5000, 1);
	end_pair(&pair);
}

/* The links, and what waits for them, fail with what the card says; nothing else. */
static void wrong_key(void **state)
{
	struct gaudi_link *link = new_link(0), *back = new_link(1);
	struct gaudi_stream *bad = stream_of(0), *waits = stream_of(1);
	gaudi_ptr from = memory_of(0, SIZE), to = memory_of(1, SIZE);
	struct gaudi_link_address address;
	struct gaudi_link_info info;

	(void)state;
	GOOD(gaudi_fill(devs[1], to, 0x11, 1, SIZE));
	GOOD(gaudi_link_get_address(link, &address));
	GOOD(gaudi_link_connect(back, &address));
	GOOD(gaudi_link_get_address(back, &address));
	address.key ^= 0x10;
	GOOD(gaudi_link_connect(link, &address));
	GOOD(gaudi_link_wait_async(waits, back, 1));
	for (unsigned int i = 0; i < 5; i++) {
		int rc = gaudi_link_write_async(bad, link, to, from, SIZE,
						GAUDI_LINK_NOTIFY);

		if (rc)
			FAILS(rc, GAUDI_ERR_LINK);
	}
	FAILS(gaudi_stream_synchronize(bad), GAUDI_ERR_LINK);
	says("syndrome 0x41");
	FAILS(gaudi_stream_synchronize(waits), GAUDI_ERR_LINK);
	says("syndrome 0x9");
	info = info_of(link);
	assert_int_equal(info.state, GAUDI_LINK_FAILED);
	assert_int_equal(info.syndrome, 0x41);
	assert_int_equal(info_of(back).syndrome, 0x9);
	FAILS(gaudi_link_write_async(streams[0], link, to, from, 1, 0),
	      GAUDI_ERR_LINK);
	says("port");
	FAILS(gaudi_stream_destroy(bad), GAUDI_ERR_LINK);
	FAILS(gaudi_stream_destroy(waits), GAUDI_ERR_LINK);
	GOOD(gaudi_link_destroy(link));
	GOOD(gaudi_link_destroy(back));
	GOOD(gaudi_free(devs[0], from));
	{
		uint8_t *bytes = malloc(SIZE);

		GOOD(gaudi_copy_to_host(devs[1], bytes, to, SIZE));
		for (size_t i = 0; i < SIZE; i++)
			assert_int_equal(bytes[i], 0x11);
		free(bytes);
	}
	GOOD(gaudi_free(devs[1], to));
	still_works();
}

static void *abort_it(void *arg)
{
	struct gaudi_link *link = arg;

	GOOD(gaudi_link_abort(link));

	return NULL;
}

/* What waits for a peer that says nothing ends when the link is given up. */
static void aborted(void **state)
{
	struct pair pair = new_pair();
	struct gaudi_stream *waits = stream_of(0), *other = stream_of(0);
	gaudi_ptr at = memory_of(0, 100);
	pthread_t thread;

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		GOOD(gaudi_link_wait_async(waits, pair.at[0], 1));
	GOOD(gaudi_fill_async(other, at, 1, 1, 100));
	GOOD(gaudi_stream_synchronize(other));
	assert_int_equal(gaudi_stream_query(waits), GAUDI_ERR_NOT_READY);
	assert_int_equal(info_of(pair.at[0]).under_way, 4);
	pthread_create(&thread, NULL, abort_it, pair.at[0]);
	FAILS(gaudi_stream_synchronize(waits), GAUDI_ERR_LINK);
	says("aborted");
	pthread_join(thread, NULL);
	assert_int_equal(info_of(pair.at[0]).state, GAUDI_LINK_FAILED);
	assert_int_equal(info_of(pair.at[0]).syndrome, 0);
	GOOD(gaudi_stream_destroy(other));
	FAILS(gaudi_stream_destroy(waits), GAUDI_ERR_LINK);
	GOOD(gaudi_free(devs[0], at));
	end_pair(&pair);
	still_works();
}

static void aborted_write_to_nobody(void **state)
{
	struct gaudi_link *link = write_to_nobody(streams[0]);

	(void)state;
	GOOD(gaudi_link_abort(link));
	FAILS(gaudi_stream_destroy(streams[0]), GAUDI_ERR_LINK);
	GOOD(gaudi_link_destroy(link));
	streams[0] = stream_of(0);
}

/* Less than a link's queue has. */
#define SOME	5000u

/*
 * What was to come behind what has failed was done with data that never came: who waits for it
 * is told, and no peer gets any of it.
 */
static void failures_spread(void **state)
{
	struct gaudi_stream *s = stream_of(0), *copies = stream_of(0);
	struct gaudi_stream *stages = stream_of(0), *beside = stream_of(0);
	struct gaudi_event *before = event_of(0), *event = event_of(0);
	gaudi_ptr from = memory_of(0, SOME), to = memory_of(1, SOME);
	struct pair a = new_pair(), b = new_pair();
	uint8_t *got = pinned(0, SOME), *plain = malloc(SOME);
	pthread_t thread;

	(void)state;
	put_pattern(0, from, SOME, 1);
	put_pattern(1, to, SOME, 2);
	GOOD(gaudi_event_record(before, s));
	GOOD(gaudi_link_wait_async(s, a.at[0], 1));
	GOOD(gaudi_event_record(event, s));
	GOOD(gaudi_link_write_async(s, b.at[0], to, from, SOME, GAUDI_LINK_NOTIFY));
	GOOD(gaudi_stream_wait_event(copies, event));
	GOOD(gaudi_copy_to_host_async(copies, got, from, SOME));
	GOOD(gaudi_event_record(event, copies));
	GOOD(gaudi_stream_wait_event(stages, event));
	GOOD(gaudi_stream_wait_order(beside, event));
	pthread_create(&thread, NULL, abort_it, a.at[0]);
	FAILS(gaudi_copy_to_host_async(stages, plain, from, SOME), GAUDI_ERR_LINK);
	says("aborted");
	pthread_join(thread, NULL);
	FAILS(gaudi_event_synchronize(event), GAUDI_ERR_LINK);
	says("aborted");
	FAILS(gaudi_event_query(event), GAUDI_ERR_LINK);
	FAILS(gaudi_stream_synchronize(copies), GAUDI_ERR_LINK);
	FAILS(gaudi_stream_wait_event(beside, event), GAUDI_ERR_LINK);
	GOOD(gaudi_event_synchronize(before));
	GOOD(gaudi_stream_wait_event(beside, before));
	GOOD(gaudi_stream_synchronize(beside));
	assert_int_equal(info_of(b.at[0]).state, GAUDI_LINK_FAILED);
	end_pair(&a);
	end_pair(&b);
	assert_true(has_pattern(1, to, SOME, 2));
	FAILS(gaudi_stream_destroy(s), GAUDI_ERR_LINK);
	FAILS(gaudi_stream_destroy(copies), GAUDI_ERR_LINK);
	FAILS(gaudi_stream_destroy(stages), GAUDI_ERR_LINK);
	GOOD(gaudi_stream_destroy(beside));
	GOOD(gaudi_event_destroy(before));
	GOOD(gaudi_event_destroy(event));
	GOOD(gaudi_free(devs[0], from));
	GOOD(gaudi_free(devs[1], to));
	GOOD(gaudi_host_free(devs[0], got));
	free(plain);
	still_works();
}

/*
 * A launch goes through its stream's queues, so not behind what waits in another one's. The last
 * stream here has the queues of one that is gone; what waits is in the first one's.
 */
static void launches_wait_for_no_other_stream(void **state)
{
	struct gaudi_recipe *recipe = simple_recipe(SIZE);
	struct gaudi_launcher *launcher;
	struct gaudi_stream *s[4];
	gaudi_ptr in, out, held;
	struct pair pair;
	uint8_t *got;

	GOOD(tear_down_links(state));
	GOOD(set_up_links(state));
	pair = new_pair();
	in = memory_of(0, SIZE);
	out = memory_of(0, SIZE);
	held = memory_of(0, SIZE);
	got = pinned(0, SIZE);
	for (unsigned int i = 0; i < 3; i++)
		s[i] = stream_of(0);
	GOOD(gaudi_stream_destroy(s[0]));
	s[3] = stream_of(0);
	GOOD(gaudi_launcher_create(devs[0], recipe, &launcher));
	put_pattern(0, in, SIZE, 3);
	GOOD(gaudi_link_wait_async(streams[0], pair.at[0], 1));
	GOOD(gaudi_copy_device_async(streams[0], held, in, SIZE));
	GOOD(gaudi_launch(launcher, (const struct gaudi_binding []) {
			{ .name = "in", .address = in }, { .name = "out", .address = out },
		}, 2, s[3]));
	GOOD(gaudi_copy_to_host_async(s[3], got, out, SIZE));
	GOOD(gaudi_stream_synchronize(s[3]));
	assert_true(is_pattern(got, SIZE, 3));
	notify(streams[1], pair.at[1]);
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_true(has_pattern(0, held, SIZE, 3));
	for (unsigned int i = 1; i < 4; i++)
		GOOD(gaudi_stream_destroy(s[i]));
	GOOD(gaudi_launcher_destroy(launcher));
	GOOD(gaudi_recipe_release(recipe));
	GOOD(gaudi_free(devs[0], in));
	GOOD(gaudi_free(devs[0], out));
	GOOD(gaudi_free(devs[0], held));
	GOOD(gaudi_host_free(devs[0], got));
	end_pair(&pair);
}

static void copies_between_devices(void **state)
{
	gaudi_ptr a = memory_of(0, SIZE), b = memory_of(1, SIZE);
	struct gaudi_event *there, *back;

	(void)state;
	put_pattern(0, a, SIZE, 31);
	GOOD(gaudi_copy_peer(devs[1], b, devs[0], a, SIZE));
	assert_true(has_pattern(1, b, SIZE, 31));
	/* There and back, by streams and events. */
	GOOD(gaudi_event_create(devs[0], 0, &there));
	GOOD(gaudi_event_create(devs[1], 0, &back));
	put_pattern(0, a, SIZE, 32);
	GOOD(gaudi_copy_peer_async(streams[0], devs[1], b, a, SIZE));
	GOOD(gaudi_fill_async(streams[0], a, 0, 1, SIZE));
	GOOD(gaudi_event_record(there, streams[0]));
	GOOD(gaudi_stream_wait_event(streams[1], there));
	GOOD(gaudi_copy_peer_async(streams[1], devs[0], a, b, SIZE));
	GOOD(gaudi_event_record(back, streams[1]));
	GOOD(gaudi_event_synchronize(back));
	assert_true(has_pattern(0, a, SIZE, 32));
	/* To itself, nothing, and nowhere. */
	GOOD(gaudi_copy_peer_async(streams[0], devs[0], a + SIZE / 2, a,
				   SIZE / 2));
	GOOD(gaudi_copy_peer_async(streams[0], devs[1], b, a, 0));
	FAILS(gaudi_copy_peer_async(streams[0], devs[1], b + 8, a, SIZE),
	      GAUDI_ERR_ADDRESS);
	FAILS(gaudi_copy_peer_async(streams[0], devs[1], b, a + 8, SIZE),
	      GAUDI_ERR_ADDRESS);
	FAILS(gaudi_copy_peer_async(streams[0], NULL, b, a, SIZE), -EINVAL);
	GOOD(gaudi_stream_synchronize(streams[0]));
	assert_true(has_pattern(0, a, 512 * KIB, 32));
	GOOD(gaudi_free(devs[0], a));
	GOOD(gaudi_free(devs[1], b));
	GOOD(gaudi_event_destroy(there));
	GOOD(gaudi_event_destroy(back));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* It opens the first card's port, with a short queue. */
		cmocka_unit_test(more_than_the_queue_has),
		cmocka_unit_test(ports_are_told),
		cmocka_unit_test(links_come_and_go),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(writes_of_any_size),
		cmocka_unit_test(writes_of_rows),
		cmocka_unit_test(bad_rows),
		cmocka_unit_test(ping_pong),
		cmocka_unit_test(exchange),
		cmocka_unit_test(notifications_are_counted),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(deferred),
		cmocka_unit_test(wrong_key),
		cmocka_unit_test(aborted),
		cmocka_unit_test(aborted_write_to_nobody),
		cmocka_unit_test(failures_spread),
		cmocka_unit_test(launches_wait_for_no_other_stream),
		cmocka_unit_test(copies_between_devices),
	};

	return RUN_TESTS(tests, set_up_links, tear_down_links);
}
