/* SPDX-License-Identifier: MIT */
/*
 * Sockets between ranks (net.c). All are non-blocking; what waits does so until a time of
 * the monotonic clock, and fails with -ETIMEDOUT then. Errors have a message
 * (coll_message() in error.h).
 */
#ifndef GAUDI_COLL_NET_H
#define GAUDI_COLL_NET_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

int64_t coll_now_ms(void);
/* A socket that listens at @address; port 0: one of the kernel's, which is told. */
int coll_listen(struct sockaddr_in *address, int *fd);
/* @what is for the message, "the listener". Tries until @deadline_ms. */
int coll_connect(const struct sockaddr_in *address, const char *what,
		 int64_t deadline_ms, int *fd);
int coll_accept(int listener, int64_t deadline_ms, int *fd);
/* All of @size bytes. -ECONNRESET: the other side has ended. */
int coll_put(int fd, const void *bytes, size_t size, int64_t deadline_ms);
int coll_get(int fd, void *bytes, size_t size, int64_t deadline_ms);
/* "IP:PORT", split at the last colon. */
int coll_parse_address(const char *text, struct sockaddr_in *address);
/*
 * The address of the first interface that @prefixes (a comma list; NULL: all but virtual
 * ones) allows; loopback where there is nothing else.
 */
int coll_own_address(const char *prefixes, struct sockaddr_in *address);
/* "10.0.0.1:4711" */
#define COLL_ADDRESS_SIZE	24
const char *coll_address_text(const struct sockaddr_in *address,
			      char text[COLL_ADDRESS_SIZE]);
int coll_random(void *bytes, size_t size);

#endif /* GAUDI_COLL_NET_H */
