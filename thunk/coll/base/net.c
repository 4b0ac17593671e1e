// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "net.h"

#define RETRY_MS	20

int64_t coll_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);

	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

const char *coll_address_text(const struct sockaddr_in *address,
			      char text[COLL_ADDRESS_SIZE])
{
	char ip[INET_ADDRSTRLEN] = "?";

	inet_ntop(AF_INET, &address->sin_addr, ip, sizeof(ip));
	snprintf(text, COLL_ADDRESS_SIZE, "%s:%u", ip, ntohs(address->sin_port));

	return text;
}

int coll_random(void *bytes, size_t size)
{
	if (getrandom(bytes, size, 0) != (ssize_t)size)
		return coll_fail(-EIO, "no random numbers");

	return 0;
}

/* Until @fd is ready for @events, or the time is over. */
static int ready(int fd, short events, int64_t deadline_ms)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	for (;;) {
		int64_t left = deadline_ms - coll_now_ms();
		int rc = poll(&pfd, 1, left < 0 ? 0 : left > 60000 ? 60000 : (int)left);

		if (rc > 0)
			return 0;
		if (rc < 0 && errno != EINTR)
			return coll_fail(-errno, "poll: %s", strerror(errno));
		if (coll_now_ms() >= deadline_ms)
			return coll_fail(-ETIMEDOUT, "no answer in time");
	}
}

static int new_socket(int *fd)
{
	int on = 1;

	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return coll_fail(-errno, "socket: %s", strerror(errno));
	setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));

	return 0;
}

int coll_listen(struct sockaddr_in *address, int *fd)
{
	socklen_t size = sizeof(*address);
	char text[COLL_ADDRESS_SIZE];
	int rc, on = 1;

	rc = new_socket(fd);
	if (rc)
		return rc;
	setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(*fd, (const struct sockaddr *)address, sizeof(*address)) &&
	    !listen(*fd, 1024) &&
	    !getsockname(*fd, (struct sockaddr *)address, &size))
		return 0;
	rc = coll_fail(-errno, "cannot listen at %s: %s",
		       coll_address_text(address, text), strerror(errno));
	close(*fd);

	return rc;
}

/*
 * A port of those that the kernel gives to who connects, and nobody listens at it: TCP may join a
 * socket to itself.
 */
static bool is_own_end(int fd, const struct sockaddr_in *peer)
{
	struct sockaddr_in own;
	socklen_t size = sizeof(own);

	return !getsockname(fd, (struct sockaddr *)&own, &size) &&
	       own.sin_port == peer->sin_port &&
	       own.sin_addr.s_addr == peer->sin_addr.s_addr;
}

static int connect_once(const struct sockaddr_in *address, int64_t deadline_ms,
			int *fd)
{
	/* So that the port is free at once for who will listen. */
	const struct linger none = { .l_onoff = 1 };
	socklen_t size = sizeof(int);
	int error = 0, rc = new_socket(fd);

	if (rc)
		return rc;
	if (connect(*fd, (const struct sockaddr *)address, sizeof(*address)) &&
	    errno != EINPROGRESS)
		rc = -errno;
	if (!rc)
		rc = ready(*fd, POLLOUT, deadline_ms);
	if (!rc && getsockopt(*fd, SOL_SOCKET, SO_ERROR, &error, &size))
		rc = -errno;
	if (!rc)
		rc = -error;
	if (!rc && is_own_end(*fd, address)) {
		setsockopt(*fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
		rc = -ECONNREFUSED;
	}
	if (rc)
		close(*fd);

	return rc;
}

int coll_connect(const struct sockaddr_in *address, const char *what,
		 int64_t deadline_ms, int *fd)
{
	char text[COLL_ADDRESS_SIZE];
	int rc;

	while ((rc = connect_once(address, deadline_ms, fd))) {
		if (coll_now_ms() + RETRY_MS >= deadline_ms)
			return coll_fail(-ETIMEDOUT, "%s at %s cannot be reached: %s",
					 what, coll_address_text(address, text),
					 strerror(-rc));
		usleep(RETRY_MS * 1000);
	}

	return 0;
}

int coll_accept(int listener, int64_t deadline_ms, int *fd)
{
	int on = 1, rc;

	for (;;) {
		rc = ready(listener, POLLIN, deadline_ms);
		if (rc)
			return rc;
		*fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (*fd >= 0)
			break;
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			return coll_fail(-errno, "accept: %s", strerror(errno));
	}
	setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));

	return 0;
}

/* Nothing was sent or received, but @n: may it be tried again? */
static int wait_again(int fd, ssize_t n, short events, int64_t deadline_ms)
{
	if (n < 0 && errno == EINTR)
		return 0;
	if (!n || errno != EAGAIN)
		return coll_fail(-ECONNRESET, "the connection has ended%s%s",
				 n ? ": " : "", n ? strerror(errno) : "");

	return ready(fd, events, deadline_ms);
}

int coll_put(int fd, const void *bytes, size_t size, int64_t deadline_ms)
{
	const char *at = bytes;
	int rc = 0;

	while (!rc && size) {
		ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

		if (n > 0) {
			at += n;
			size -= (size_t)n;
		} else {
			rc = wait_again(fd, n, POLLOUT, deadline_ms);
		}
	}

	return rc;
}

int coll_get(int fd, void *bytes, size_t size, int64_t deadline_ms)
{
	char *at = bytes;
	int rc = 0;

	while (!rc && size) {
		ssize_t n = recv(fd, at, size, 0);

		if (n > 0) {
			at += n;
			size -= (size_t)n;
		} else {
			rc = wait_again(fd, n, POLLIN, deadline_ms);
		}
	}

	return rc;
}

int coll_parse_address(const char *text, struct sockaddr_in *address)
{
	const char *colon = strrchr(text, ':');
	char ip[INET_ADDRSTRLEN] = "", *end = NULL;
	unsigned long port = 0;

	if (colon && colon[1] >= '0' && colon[1] <= '9')
		port = strtoul(colon + 1, &end, 10);
	if (end && !*end && (size_t)(colon - text) < sizeof(ip))
		memcpy(ip, text, (size_t)(colon - text));
	*address = (struct sockaddr_in) { .sin_family = AF_INET };
	if (!port || port > 65535 || inet_pton(AF_INET, ip, &address->sin_addr) != 1)
		return coll_fail(-EINVAL, "%.64s is no IP:PORT", text);
	address->sin_port = htons((uint16_t)port);

	return 0;
}

static bool has_prefix(const char *name, const char *prefixes)
{
	while (*prefixes) {
		size_t n = strcspn(prefixes, ",");

		if (n && !strncmp(name, prefixes, n))
			return true;
		prefixes += n + (prefixes[n] == ',');
	}

	return false;
}

int coll_own_address(const char *prefixes, struct sockaddr_in *address)
{
	const char *wanted = prefixes && *prefixes ? prefixes : NULL;
	struct ifaddrs *list, *i;
	bool found = false;

	if (getifaddrs(&list))
		return coll_fail(-errno, "getifaddrs: %s", strerror(errno));
	*address = (struct sockaddr_in) { .sin_family = AF_INET };
	for (i = list; i && !found; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET ||
		    !(i->ifa_flags & IFF_UP))
			continue;
		found = wanted ? has_prefix(i->ifa_name, wanted) :
				 !has_prefix(i->ifa_name, "lo,docker,tunl,hbl");
		if (found)
			address->sin_addr = ((const struct sockaddr_in *)
					     (const void *)i->ifa_addr)->sin_addr;
	}
	freeifaddrs(list);
	if (!found && wanted)
		return coll_fail(-ENOENT, "HCCL_SOCKET_IFNAME is %.64s, and no such interface has an IPv4 address",
				 wanted);
	if (!found)
		address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);

	return 0;
}
