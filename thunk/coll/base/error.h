/* SPDX-License-Identifier: MIT */
/*
 * What all rooms need: errors, with a message (error.c), element types (types.h), sockets
 * between ranks (net.h). Nothing here has a lock; each thread has a message of its own.
 *
 * Errors of the core are 0, a negative errno, or a code of libgaudi. This thread's last one in
 * words is for who called; libgaudi's own are taken over by coll_gaudi().
 */
#ifndef GAUDI_COLL_ERROR_H
#define GAUDI_COLL_ERROR_H

#define COLL_MESSAGE_SIZE	256

/* Sets the message, and returns @error. */
int coll_fail(int error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A failure of libgaudi's, with its message behind @what; 0 stays 0. */
int coll_gaudi(int error, const char *what);
/* "": none yet. */
const char *coll_message(void);

#endif /* GAUDI_COLL_ERROR_H */
