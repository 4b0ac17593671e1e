// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Where a client comes to, and packets: $DATA#SUM, with + and - as answers until the
 * client wants none. What it sends is not trusted: a packet that is too long, or whose
 * sum is wrong, is lost, and nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "gdb_priv.h"

/* A client that takes nothing for so long has gone. */
#define SEND_SECONDS	5
#define CTRL_C		0x03

/* --- digits ------------------------------------------------------------------ */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

long gaudi_gdb_from_hex(const char *text, size_t digits, uint8_t *to,
			size_t size)
{
	size_t i;

	if (digits % 2 || digits / 2 > size)
		return -1;
	for (i = 0; i < digits; i += 2) {
		int high = digit(text[i]), low = digit(text[i + 1]);

		if (high < 0 || low < 0)
			return -1;
		to[i / 2] = high << 4 | low;
	}
	return digits / 2;
}

void gaudi_gdb_to_hex(char *to, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	size_t i;

	for (i = 0; i < len; i++) {
		*to++ = "0123456789abcdef"[bytes[i] >> 4];
		*to++ = "0123456789abcdef"[bytes[i] & 15];
	}
	*to = 0;
}

/* --- where ------------------------------------------------------------------- */

/* A name that a process left behind, which nobody listens at, is taken over. */
static bool is_left_behind(const struct sockaddr_un *addr)
{
	struct stat st;
	bool refused;
	int fd;

	if (stat(addr->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	refused = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) &&
		  errno == ECONNREFUSED;
	close(fd);
	return refused && !unlink(addr->sun_path);
}

static int listen_unix(struct gaudi_gdb_link *link, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const struct sockaddr *sa = (const struct sockaddr *)&addr;
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (bind(fd, sa, sizeof(addr))) {
		int err = errno;

		if (err != EADDRINUSE || !is_left_behind(&addr) ||
		    bind(fd, sa, sizeof(addr))) {
			close(fd);
			errno = err;
			return -1;
		}
	}
	/* Who can come here can read and write the program's memory. */
	chmod(path, 0600);
	strcpy(link->path, path);
	snprintf(link->where, sizeof(link->where), "%s", path);
	return fd;
}

static void name_port(struct gaudi_gdb_link *link, int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	char host[100] = "", port[16] = "";

	getsockname(fd, (struct sockaddr *)&addr, &len);
	getnameinfo((struct sockaddr *)&addr, len, host, sizeof(host), port,
		    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(link->where, sizeof(link->where),
		 strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

static int listen_at(struct gaudi_gdb_link *link, const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1, err;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, a->ai_addr, a->ai_addrlen)) {
		err = errno;
		close(fd);
		errno = err;
		return -1;
	}
	name_port(link, fd);
	return fd;
}

/* "HOST:PORT", "[HOST]:PORT", ":PORT" or "PORT", which are cut. */
static int listen_tcp(struct gaudi_gdb_link *link, const char *where,
		      const char **why)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	char text[160], *colon, *host = text, *end;
	struct addrinfo *list, *a;
	int fd = -1, rc;

	snprintf(text, sizeof(text), "%s", where);
	colon = strrchr(text, ':');
	end = colon ? colon + 1 : text;
	if (strlen(where) >= sizeof(text) || !*end || strlen(end) > 5 ||
	    end[strspn(end, "0123456789")] || atoi(end) > 65535) {
		*why = "neither a port, HOST:PORT, nor a path with a '/'";
		return -1;
	}
	if (colon)
		*colon = 0;
	if (!colon || !*host)
		host = "127.0.0.1";
	else if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = 0;
		host++;
	}
	rc = getaddrinfo(host, end, &hints, &list);
	if (rc) {
		*why = gai_strerror(rc);
		return -1;
	}
	for (a = list; a && fd < 0; a = a->ai_next)
		fd = listen_at(link, a);
	freeaddrinfo(list);
	return fd;
}

int gaudi_gdb_listen(struct gaudi_gdb_link *link, const char *where, char *why,
		     size_t size)
{
	const char *cause = NULL;
	int fd;

	memset(link, 0, sizeof(*link));
	link->fd = -1;
	fd = strchr(where, '/') ? listen_unix(link, where) :
				  listen_tcp(link, where, &cause);
	link->listener = fd;
	if (fd >= 0 && !listen(fd, 1))
		return 0;
	snprintf(why, size, "'%s': %s", where, cause ? cause : strerror(errno));
	gaudi_gdb_close(link);
	return -1;
}

void gaudi_gdb_hang_up(struct gaudi_gdb_link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

void gaudi_gdb_close(struct gaudi_gdb_link *link)
{
	gaudi_gdb_hang_up(link);
	if (link->listener >= 0)
		close(link->listener);
	link->listener = -1;
	if (*link->path)
		unlink(link->path);
	*link->path = 0;
}

/* Until the first can be read: 1; the second: -1; 0: neither. */
static int wait_for(int fd, int wake, int timeout_ms)
{
	struct pollfd fds[] = { { fd, POLLIN }, { wake, POLLIN } };
	int n;

	do
		n = poll(fds, 2, timeout_ms);
	while (n < 0 && errno == EINTR && timeout_ms < 0);
	if (n <= 0)
		return 0;
	return fds[1].revents ? -1 : 1;
}

bool gaudi_gdb_accept(struct gaudi_gdb_link *link, int timeout_ms, int wake)
{
	const struct timeval limit = { .tv_sec = SEND_SECONDS };
	int on = 1;

	if (wait_for(link->listener, wake, timeout_ms) != 1)
		return false;
	link->fd = accept(link->listener, NULL, NULL);
	if (link->fd < 0)
		return false;
	fcntl(link->fd, F_SETFD, FD_CLOEXEC);
	/* Packets are small, and each is waited for. */
	setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(link->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	link->no_ack = false;
	link->in_from = link->in_to = 0;
	link->out_len = 0;
	return true;
}

/* --- packets ----------------------------------------------------------------- */

static void send_all(struct gaudi_gdb_link *link, const uint8_t *data,
		     size_t len)
{
	ssize_t n;

	while (len && link->fd >= 0) {
		n = send(link->fd, data, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			gaudi_gdb_hang_up(link);
			return;
		}
		data += n;
		len -= n;
	}
}

void gaudi_gdb_send(struct gaudi_gdb_link *link, const void *data, size_t len)
{
	const uint8_t *from = data;
	uint8_t *to = link->out, sum = 0;
	size_t i;

	*to++ = '$';
	for (i = 0; i < len; i++) {
		uint8_t c = from[i];

		if (strchr("#$}*", c) && c) {
			*to++ = '}';
			sum += '}';
			c ^= 0x20;
		}
		*to++ = c;
		sum += c;
	}
	*to++ = '#';
	*to++ = "0123456789abcdef"[sum >> 4];
	*to++ = "0123456789abcdef"[sum & 15];
	link->out_len = to - link->out;
	send_all(link, link->out, link->out_len);
}

/* One more byte, or why there is none. */
static enum gaudi_gdb_input next_byte(struct gaudi_gdb_link *link,
				      int timeout_ms, int wake, uint8_t *byte)
{
	ssize_t n;
	int ready;

	if (link->in_from == link->in_to) {
		if (link->fd < 0)
			return GAUDI_GDB_GONE;
		ready = wait_for(link->fd, wake, timeout_ms);
		if (ready != 1)
			return ready ? GAUDI_GDB_WOKEN : GAUDI_GDB_NOTHING;
		n = recv(link->fd, link->in, sizeof(link->in), 0);
		if (n <= 0) {
			gaudi_gdb_hang_up(link);
			return GAUDI_GDB_GONE;
		}
		link->in_from = 0;
		link->in_to = n;
	}
	*byte = link->in[link->in_from++];
	return GAUDI_GDB_GOT_PACKET;
}

/* Takes escapes away. */
static void unescape(struct gaudi_gdb_link *link)
{
	size_t from, to = 0;

	for (from = 0; from < link->len; from++) {
		uint8_t c = link->packet[from];

		if (c == '}' && from + 1 < link->len)
			c = link->packet[++from] ^ 0x20;
		link->packet[to++] = c;
	}
	link->len = to;
	link->packet[to] = 0;
}

/*
 * Behind a '$'. NOTHING: it was none, and has been answered. A '$' within begins anew, as
 * the one before was broken off.
 */
static enum gaudi_gdb_input take_packet(struct gaudi_gdb_link *link, int wake)
{
	enum gaudi_gdb_input got;
	bool too_long = false;
	uint8_t c, sum = 0;
	char digits[2];
	uint8_t wanted;
	int i;

	link->len = 0;
	while ((got = next_byte(link, -1, wake, &c)) == GAUDI_GDB_GOT_PACKET &&
	       c != '#') {
		if (c == '$') {
			link->len = 0;
			sum = 0;
			too_long = false;
			continue;
		}
		sum += c;
		if (link->len < GAUDI_GDB_PACKET)
			link->packet[link->len++] = c;
		else
			too_long = true;
	}
	for (i = 0; i < 2 && got == GAUDI_GDB_GOT_PACKET; i++) {
		got = next_byte(link, -1, wake, &c);
		digits[i] = c;
	}
	if (got != GAUDI_GDB_GOT_PACKET)
		return got;
	if (gaudi_gdb_from_hex(digits, 2, &wanted, 1) < 0 || wanted != sum) {
		if (!link->no_ack)
			send_all(link, (const uint8_t *)"-", 1);
		return GAUDI_GDB_NOTHING;
	}
	if (!link->no_ack)
		send_all(link, (const uint8_t *)"+", 1);
	unescape(link);
	return too_long ? GAUDI_GDB_TOO_LONG : GAUDI_GDB_GOT_PACKET;
}

enum gaudi_gdb_input gaudi_gdb_receive(struct gaudi_gdb_link *link,
				       int timeout_ms, int wake)
{
	enum gaudi_gdb_input got;
	uint8_t c;

	while ((got = next_byte(link, timeout_ms, wake, &c)) ==
	       GAUDI_GDB_GOT_PACKET) {
		if (c == CTRL_C)
			return GAUDI_GDB_CTRL_C;
		if (c == '-' && !link->no_ack)
			send_all(link, link->out, link->out_len);
		if (c != '$')
			continue;
		got = take_packet(link, wake);
		if (got != GAUDI_GDB_NOTHING)
			return got;
	}
	return got;
}
