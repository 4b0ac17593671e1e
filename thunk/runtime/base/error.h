/* SPDX-License-Identifier: MIT */
/* For the files that need nothing else of the library. */
#ifndef GAUDI_RUNTIME_ERROR_H
#define GAUDI_RUNTIME_ERROR_H

/* The thread's last error from now on; returns @error. */
int gd_fail(int error, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* GAUDI_RUNTIME_ERROR_H */
