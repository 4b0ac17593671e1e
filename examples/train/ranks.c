// SPDX-License-Identifier: MIT
/* How the processes of a shared training meet: rank 0 starts the others, on this machine. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "train.h"

/* One that is free now, for the listener of rank 0. */
static void set_address(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[32];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    getsockname(fd, (struct sockaddr *)&address, &size))
		die("there is no port to meet at");
	close(fd);
	snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(address.sin_port));
	setenv("HCCL_COMM_ID", text, 1);
	setenv("HCCL_SOCKET_IFNAME", "lo", 1);
	/* Sums in the order of ranks. */
	setenv("GAUDI_COLL_ALGORITHM", "direct", 1);
}

unsigned int shared_fork(unsigned int ranks)
{
	set_address();
	fflush(stdout);
	for (unsigned int i = 1; i < ranks; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("rank %u cannot be started", i);
		if (!pid)
			return i;
	}

	return 0;
}

void shared_wait(unsigned int ranks)
{
	int status, failed = 0;

	for (unsigned int i = 1; i < ranks; i++)
		failed |= wait(&status) < 0 || status;
	if (failed)
		die("a rank has failed");
}
