// SPDX-License-Identifier: MIT
/*
 * One card here, one of another machine (or of another process). Both sides meet by TCP:
 * the one that connects says what is measured, both say where their ends are, and a byte
 * each way begins each part. Data go by the cards' ports alone.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "linktest.h"
#include "progress.h"
#include "text.h"

#define MAGIC	"gdlink\0\3"
#define LINK_UP_S	10		/* that it may take */

enum { WITH_BANDWIDTH = 1, WITH_LATENCY = 2, WITH_BOTH = 4, WITH_ALL = 7 };

/* As it is sent, by little-endian machines. */
struct hello {
	char magic[8];
	uint32_t num_sizes, iterations, rounds, with;
	uint32_t duration, qps;
	uint64_t sizes[MAX_SIZES];
	struct gaudi_link_address addresses[MAX_QPS];
	uint64_t to;
};

struct side {
	int socket;
	bool client;
	const char *peer;		/* for messages */
	struct gaudi_device *device;
	struct end end;
	struct watcher watcher;
};

static unsigned int seed_of(bool client)
{
	return client ? 101 : 202;
}

/*
 * TCP
 */
static int send_all(const struct side *side, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = send(side->socket, at, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			complain("%s: %s", side->peer, strerror(errno));
			return -1;
		}
		at += n;
		size -= (size_t)n;
	}

	return 0;
}

static int get_all(const struct side *side, void *data, size_t size)
{
	char *at = data;

	while (size) {
		ssize_t n = recv(side->socket, at, size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			complain("%s: %s", side->peer,
				 n ? strerror(errno) : "it has gone");
			return -1;
		}
		at += n;
		size -= (size_t)n;
	}

	return 0;
}

/* Both have come so far; @mine is told, and what the other side told is returned. */
static int meet(const struct side *side, char mine)
{
	char theirs;

	if (send_all(side, &mine, 1) || get_all(side, &theirs, 1))
		return -1;

	return theirs;
}

static int listen_at(int tcp_port)
{
	struct sockaddr_in6 any = {
		.sin6_family = AF_INET6,
		.sin6_port = htons((uint16_t)tcp_port),
		.sin6_addr = IN6ADDR_ANY_INIT,
	};
	struct sockaddr_in any4 = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)tcp_port),
	};
	int s = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
	const struct sockaddr *at = (const struct sockaddr *)&any;
	socklen_t size = sizeof(any);

	/* Kernels need not have IPv6. */
	if (s < 0) {
		s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		at = (const struct sockaddr *)&any4;
		size = sizeof(any4);
	}
	if (s >= 0)
		setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (s >= 0 && !bind(s, at, size) && !listen(s, 1))
		return s;
	complain("TCP port %d: %s", tcp_port, strerror(errno));
	if (s >= 0)
		close(s);

	return -1;
}

static int accept_one(int tcp_port)
{
	int l = listen_at(tcp_port), s = -1;

	if (l < 0)
		return -1;
	do {
		s = accept4(l, NULL, NULL, SOCK_CLOEXEC);
	} while (s < 0 && errno == EINTR);
	if (s < 0)
		complain("TCP port %d: %s", tcp_port, strerror(errno));
	close(l);

	return s;
}

static int dial(const char *host, int tcp_port)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *at;
	char port[16];
	int rc, s = -1;

	snprintf(port, sizeof(port), "%d", tcp_port);
	rc = getaddrinfo(host, port, &hints, &list);
	if (rc) {
		complain("%s: %s", host, gai_strerror(rc));
		return -1;
	}
	for (at = list; at && s < 0; at = at->ai_next) {
		s = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC,
			   at->ai_protocol);
		if (s >= 0 && connect(s, at->ai_addr, at->ai_addrlen)) {
			rc = errno;
			close(s);
			errno = rc;
			s = -1;
		}
	}
	if (s < 0)
		complain("%s, TCP port %d: %s", host, tcp_port,
			 strerror(errno));
	freeaddrinfo(list);

	return s;
}

/*
 * The card
 */
static int first_port(const struct side *side)
{
	int found = -1;

	for (int port = 0; port < 10; port++) {
		struct gaudi_port_info info = { .size = sizeof(info) };

		if (gaudi_port_get_info(side->device, (uint32_t)port, &info))
			return failed("a port");
		if (!(info.flags & GAUDI_PORT_UP))
			continue;
		/* One that leaves the box, if there is one. */
		if (found < 0 || info.flags & GAUDI_PORT_EXTERNAL)
			found = port;
		if (info.flags & GAUDI_PORT_EXTERNAL)
			break;
	}

	return found;
}

/* The other side may be opening its card only now. */
static int find_port(const struct side *side, int wanted)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	double end = now() + LINK_UP_S;
	int found;

	if (wanted >= 0)
		return wanted;
	do {
		found = first_port(side);
		if (found < 0)
			nanosleep(&pause, NULL);
	} while (found < 0 && now() < end);
	if (found < 0)
		complain("no port of the card is up");

	return found;
}

static int open_card(struct side *side, const struct settings *s)
{
	int rc = s->num_cards ?
		 gaudi_device_open_by_module_id(s->cards[0], 60000,
						&side->device) :
		 gaudi_device_open(0, 60000, &side->device);

	return rc ? failed("the card") : 0;
}

static int open_end(struct side *side, const struct settings *s,
		    uint64_t bytes, int qps)
{
	int port = find_port(side, s->port);

	if (port < 0 || end_open(&side->end, side->device, bytes))
		return -1;

	return end_link(&side->end, (uint32_t)port, qps);
}

/*
 * What the other process does not send is awaited by a stream, for ever. When its connection
 * ends before ours, it has gone.
 */
static void *watch(void *arg)
{
	struct side *side = arg;
	struct pollfd fds[] = {
		{ .fd = side->socket, .events = POLLRDHUP },
		{ .fd = side->watcher.stop[0], .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0)
		;
	if (fds[1].revents)
		return NULL;
	complain("%s: it has gone", side->peer);
	end_abort(&side->end);

	return NULL;
}

static void close_side(struct side *side)
{
	watcher_stop(&side->watcher);
	end_close(&side->end);
	gaudi_device_close(side->device);
	if (side->socket >= 0)
		close(side->socket);
}

/*
 * What is agreed on
 */
static void write_hello(struct hello *hello, const struct settings *s)
{
	memset(hello, 0, sizeof(*hello));
	memcpy(hello->magic, MAGIC, sizeof(hello->magic));
	hello->num_sizes = s->num_sizes;
	hello->iterations = (uint32_t)s->iterations;
	hello->rounds = (uint32_t)s->rounds;
	hello->duration = (uint32_t)s->duration;
	hello->qps = (uint32_t)s->qps;
	hello->with = (s->bandwidth ? WITH_BANDWIDTH : 0) |
		      (s->latency ? WITH_LATENCY : 0) |
		      (s->both ? WITH_BOTH : 0);
	memcpy(hello->sizes, s->sizes, sizeof(hello->sizes));
}

/* It may be anybody who connects. */
static int read_hello(const struct side *side, const struct hello *hello,
		      struct settings *s)
{
	bool good = !memcmp(hello->magic, MAGIC, sizeof(hello->magic)) &&
		    hello->num_sizes >= 1 && hello->num_sizes <= MAX_SIZES &&
		    hello->iterations >= 1 &&
		    hello->iterations <= ITERATIONS_MAX &&
		    hello->rounds >= 1 && hello->rounds <= ROUNDS_MAX &&
		    hello->duration <= DURATION_MAX && hello->qps >= 1 &&
		    hello->qps <= MAX_QPS &&
		    !(hello->with & ~(uint32_t)WITH_ALL);
	uint64_t last = 0;

	for (uint32_t i = 0; good && i < hello->num_sizes; i++) {
		good = hello->sizes[i] > last &&
		       hello->sizes[i] <= SIZE_MAX_BYTES;
		last = hello->sizes[i];
	}
	if (!good) {
		complain("%s: it is no gaudi-linktest of this version",
			 side->peer);
		return -1;
	}
	s->num_sizes = hello->num_sizes;
	memcpy(s->sizes, hello->sizes, sizeof(s->sizes));
	s->iterations = (int)hello->iterations;
	s->rounds = (int)hello->rounds;
	s->duration = (int)hello->duration;
	s->qps = (int)hello->qps;
	s->bandwidth = hello->with & WITH_BANDWIDTH;
	s->latency = hello->with & WITH_LATENCY;
	s->both = hello->with & WITH_BOTH;

	return 0;
}

static int send_hello(struct side *side, const struct settings *s)
{
	struct hello hello;

	write_hello(&hello, s);
	hello.to = side->end.to;
	for (int i = 0; i < s->qps; i++)
		if (gaudi_link_get_address(side->end.links[i],
					   &hello.addresses[i]))
			return failed("a link");

	return send_all(side, &hello, sizeof(hello));
}

static int connect_to(struct side *side, const struct hello *peer)
{
	side->end.peer_to = peer->to;

	for (int i = 0; i < side->end.num_links; i++)
		if (gaudi_link_connect(side->end.links[i], &peer->addresses[i]))
			return failed("the peer's end");

	return 0;
}

/*
 * Measures
 */
static int measure_latency(struct side *side, const struct settings *s,
			   struct figures *figures)
{
	double start;

	if (meet(side, 1) < 0)
		return -1;
	start = now();
	if (end_rounds(&side->end, s->rounds, latency_bytes(s), side->client) ||
	    end_sync(&side->end))
		return -1;
	figures->latency = (now() - start) / (2.0 * s->rounds);

	return 0;
}

static int measure_rounds(struct side *side, const struct settings *s,
			  struct figures *figures)
{
	uint64_t bytes = latency_bytes(s);

	if (meet(side, 1) < 0)
		return -1;
	if (!side->client)
		return end_rounds(&side->end, s->rounds, bytes, false) ||
		       end_sync(&side->end) ? -1 : 0;
	figures->num_rounds = s->rounds;

	return rounds_time(&side->end, s->rounds, bytes, figures->rounds);
}

static int measure_size(struct side *side, const struct settings *s,
			uint64_t bytes, double *rate, uint64_t *writes)
{
	struct end *const mine = &side->end;
	bool sends = side->client || s->both, gets = !side->client || s->both;
	double start;

	if (meet(side, 1) < 0)
		return -1;
	start = now();
	if ((sends && end_flow(&mine, 1, s, bytes, writes)) ||
	    (gets && end_awaits(mine)) || end_sync(mine))
		return -1;
	*rate = sends ? (double)bytes * (double)*writes / (now() - start) : 0;

	return 0;
}

static int measure(struct side *side, const struct settings *s,
		   struct figures *figures)
{
	uint64_t largest = s->sizes[s->num_sizes - 1];
	uint64_t writes;
	double once;
	int rc = 0;

	memset(figures, 0, sizeof(*figures));
	if (s->latency && (measure_latency(side, s, figures) ||
			   measure_rounds(side, s, figures)))
		return -1;
	if (end_fill(&side->end, largest, seed_of(side->client)))
		return -1;
	for (unsigned int i = 0; s->bandwidth && i < s->num_sizes; i++)
		if ((!i && measure_size(side, s, largest, &once, &writes)) ||
		    measure_size(side, s, s->sizes[i], &figures->bandwidth[i],
				 &figures->writes[i]))
			return -1;
	if (s->bandwidth && (!side->client || s->both))
		rc = end_check(&side->end, largest, seed_of(!side->client));
	/* Behind this the peer may go. */
	watcher_stop(&side->watcher);
	switch (meet(side, rc ? 0 : 1)) {
	case 1:
		return rc;
	case 0:
		complain("%s: what has come there is not what was sent",
			 side->peer);
		return -1;
	default:
		return -1;
	}
}

int remote_listen(const struct settings *s)
{
	struct side side = { .socket = -1, .peer = "the client", .watcher.stop = { -1 } };
	struct settings agreed = *s;
	struct figures figures;
	struct hello hello;
	int rc = -1;

	/* First, so that its ports are on when the client looks at its own. */
	if (!open_card(&side, s))
		side.socket = accept_one(s->tcp_port);
	if (side.socket >= 0 && !get_all(&side, &hello, sizeof(hello)) &&
	    !read_hello(&side, &hello, &agreed) &&
	    !open_end(&side, s, agreed.sizes[agreed.num_sizes - 1],
		      agreed.qps) &&
	    !connect_to(&side, &hello) && !send_hello(&side, &agreed) &&
	    !watcher_start(&side.watcher, watch, &side))
		rc = measure(&side, &agreed, &figures);
	close_side(&side);

	return rc;
}

int remote_connect(const struct settings *s, struct figures *figures)
{
	struct side side = {
		.socket = -1, .client = true, .peer = s->host, .watcher.stop = { -1 },
	};
	struct settings agreed;
	struct hello hello;
	int rc = -1;

	side.socket = dial(s->host, s->tcp_port);
	if (side.socket >= 0 && !open_card(&side, s) &&
	    !open_end(&side, s, s->sizes[s->num_sizes - 1], s->qps) &&
	    !send_hello(&side, s) && !get_all(&side, &hello, sizeof(hello)) &&
	    !read_hello(&side, &hello, &agreed) && agreed.qps == s->qps &&
	    !connect_to(&side, &hello) && !watcher_start(&side.watcher, watch, &side))
		rc = measure(&side, s, figures);
	close_side(&side);

	return rc;
}
