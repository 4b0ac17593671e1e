// SPDX-License-Identifier: MIT
/* Sockets between ranks, in a network of this process. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../unit.h"
#include "coll/base/net.h"

enum { PORT = 40001, RETRIES_MS = 300 };

/* In which the one port that the kernel gives to sockets is PORT. */
static bool has_own_network(void)
{
	static const char range[] = "40001 40001";
	struct ifreq loopback = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;
	bool done;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return false;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	done = fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &loopback);
	close(fd);
	fd = open("/proc/sys/net/ipv4/ip_local_port_range", O_WRONLY);
	done = done && write(fd, range, sizeof(range) - 1) == sizeof(range) - 1;
	close(fd);

	return done;
}

/* TCP would connect the socket to itself. */
TEST(nobody_connects_to_itself)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(PORT),
	};
	int listener, fd;

	if (!has_own_network())
		skip();
	assert_int_equal(coll_connect(&address, "the listener", coll_now_ms() + RETRIES_MS, &fd),
			 -ETIMEDOUT);
	/* Nothing of it is left in the way of who listens. */
	WORKS(coll_listen(&address, &listener));
	close(listener);
}
