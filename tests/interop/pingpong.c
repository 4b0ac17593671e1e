// SPDX-License-Identifier: GPL-2.0-only
/*
 * The other end of rdma-core's ibv_rc_pingpong, with a port of the card: sends back
 * as much as comes, so many times.
 *
 * Usage: pingpong PORT MY_IP PEER_MAC SIZE COUNT [SERVER]
 *
 * Waits for the tool on its TCP port 18515, or is its client if there is a server.
 * Ends with 0 when all has come and gone.
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "port.h"

#define QP		9u
#define TCP_PORT	18515
#define SECONDS		60
/* LID, number of the queue pair, first packet number, GID. */
#define MESSAGE		sizeof("0000:000000:000000:00000000000000000000000000000000")

static int tcp_connect(const struct sockaddr_in *addr)
{
	time_t end = time(NULL) + SECONDS;
	int sock;

	for (;;) {
		sock = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(sock, (const void *)addr, sizeof(*addr)))
			return sock;
		close(sock);
		/* The tool may not have come so far. */
		if (time(NULL) > end)
			err(1, "connect");
		usleep(100000);
	}
}

static int tcp_open(const char *server)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(TCP_PORT),
		.sin_addr.s_addr = server ? inet_addr(server) : 0,
	};
	int sock, one = 1;

	if (server)
		return tcp_connect(&addr);
	sock = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(sock, (void *)&addr, sizeof(addr)) || listen(sock, 1))
		err(1, "port %d", TCP_PORT);
	sock = accept(sock, NULL, NULL);
	if (sock < 0)
		err(1, "accept");
	return sock;
}

static void say(int sock, const char *ip)
{
	char text[MESSAGE + 8];
	struct in_addr addr;

	inet_aton(ip, &addr);
	snprintf(text, sizeof(text), "%04x:%06x:%06x:%020d%s%08x", 0, QP, 0, 0,
		 "ffff", ntohl(addr.s_addr));
	if (write(sock, text, MESSAGE) != (ssize_t)MESSAGE)
		err(1, "write");
}

static void hear(int sock, struct port_peer *peer)
{
	char text[MESSAGE], gid[33];
	unsigned int lid;

	if (recv(sock, text, MESSAGE, MSG_WAITALL) != (ssize_t)MESSAGE ||
	    sscanf(text, "%x:%x:%x:%32s", &lid, &peer->qp, &peer->psn, gid) != 4)
		errx(1, "the peer does not say who it is");
	peer->ip = (uint32_t)strtoul(gid + 24, NULL, 16);
}

/* Until so many bytes more are in the ring, of which a packet begins each 128. */
static void await(struct port *port, uint32_t *at, uint32_t size)
{
	uint32_t want = (*at + (size + 127) / 128 * 128) %
			(1u << PORT_RAW_LOG);
	time_t end = time(NULL) + SECONDS;

	while (port_raw_at(port) != want) {
		if (port_error(port) || time(NULL) > end)
			errx(1, "ring at %#x, not %#x; error %#x",
			     port_raw_at(port), want, port_error(port));
		usleep(50);
	}
	*at = want;
}

static void play(struct port *port, uint32_t size, unsigned int count,
		 bool first)
{
	struct port_write w = { .local = PORT_SRC, .size = size, .send = true };
	uint32_t at = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (!first)
			await(port, &at, size);
		if (!port_write(port, &w, SECONDS))
			errx(1, "message %u: error %#x", i, port_error(port));
		if (first)
			await(port, &at, size);
	}
}

int main(int argc, char **argv)
{
	const char *server = argc > 6 ? argv[6] : NULL;
	struct port_peer peer = { 0 };
	struct port port;
	char done[5];
	int sock;

	if (argc < 6 || !read_mac(argv[3], peer.mac))
		errx(1, "PORT MY_IP PEER_MAC SIZE COUNT [SERVER]");
	peer.my_ip = ntohl(inet_addr(argv[2]));
	port_on(&port, (unsigned int)atoi(argv[1]));
	/* What the tool finds in a page when it looks: the page's number, of 1. */
	memset(port.hbm + PORT_SRC, 0, 8192);
	sock = tcp_open(server);
	if (server)
		say(sock, argv[2]);
	hear(sock, &peer);
	port_connect(&port, QP, &peer);
	if (!server)
		say(sock, argv[2]);
	if (server ? write(sock, "done", 5) != 5 :
		     recv(sock, done, 5, MSG_WAITALL) != 5)
		err(1, "done");
	play(&port, (uint32_t)atoi(argv[4]), (unsigned int)atoi(argv[5]),
	     server);
	return 0;
}
